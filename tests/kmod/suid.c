// SPDX-License-Identifier: MIT
/* suid: says whose it is, for tests of set-uid programs. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	printf("uid %d %d\n", getuid(), geteuid());
	return 0;
}
