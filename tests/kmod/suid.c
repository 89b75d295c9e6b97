// SPDX-License-Identifier: MIT
/* suid: prints its user, for tests of set-uid programs. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	printf("uid %d %d\n", getuid(), geteuid());
	return 0;
}
