// SPDX-License-Identifier: MIT
/*
 * branchnumber N [awake]: N rounds, each of which encodes its number in 16 branches and then,
 * unless awake, sleeps. Every branch of a round is known, and no two rounds are equal
 * (tests/lab/numbered.py).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/*
 * One branch for each bit, from the highest: jc where it is set, jmp where it is not; 9 bytes each.
 * Then the system call nanosleep.
 */
#define BIT(n)	"bt $" #n ",%edi; jc 1f; jmp 2f; 1: nop; 2:\n"
#define NIBBLE(a, b, c, d)	BIT(a) BIT(b) BIT(c) BIT(d)

void spell(unsigned int number, const struct timespec *time);
void spell_awake(unsigned int number);

__asm__(".text\n"
	".globl spell\n"
	".type spell, @function\n"
	"spell:\n"
	NIBBLE(15, 14, 13, 12) NIBBLE(11, 10, 9, 8) NIBBLE(7, 6, 5, 4) NIBBLE(3, 2, 1, 0)
	"mov $35,%eax\n"
	"mov %rsi,%rdi\n"
	"xor %esi,%esi\n"
	"syscall\n"
	"ret\n"
	".size spell, . - spell\n"
	".globl spell_awake\n"
	".type spell_awake, @function\n"
	"spell_awake:\n"
	NIBBLE(15, 14, 13, 12) NIBBLE(11, 10, 9, 8) NIBBLE(7, 6, 5, 4) NIBBLE(3, 2, 1, 0)
	"ret\n"
	".size spell_awake, . - spell_awake\n"
	".section .note.GNU-stack,\"\",@progbits\n"
	".text\n");

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 1000;
	struct timespec time = { 0, 2000000 };

	for (unsigned int i = 1; argc > 2 && i <= n; i++)
		spell_awake(i);
	for (unsigned int i = 1; argc <= 2 && i <= n; i++)
		spell(i, &time);
	printf("%u\n", n);
	return 0;
}
