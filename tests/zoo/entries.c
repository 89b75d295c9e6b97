// SPDX-License-Identifier: MIT
/*
 * Code as gcc -O2 writes it: loops, one of which begins at the first instruction of its function;
 * functions whose first instruction is also an exit; a function with a cold part that jumps back.
 */
__asm__(".text\n"
	".globl spins\n.type spins, @function\n"
	"spins:\n\tsub $1, %edi\n\tjne spins\n\tret\n\t.size spins, .-spins\n"
	".globl nothing\n.type nothing, @function\nnothing:\n\tret\n\t.size nothing, .-nothing\n"
	".globl passes\n.type passes, @function\n"
	"passes:\n\tjmp nothing\n\t.size passes, .-passes\n"
	".globl turns\n.type turns, @function\n"
	"turns:\n\tpush %rbx\n1:\tsub $1, %edi\n\tjne 1b\n\tpop %rbx\n\tret\n\t.size turns, .-turns\n"
	".globl rarely\n.type rarely, @function\n"
	"rarely:\n\tmov %edi, %eax\n\ttest %edi, %edi\n\tjs rarely.cold\n"
	"2:\tret\n\t.size rarely, .-rarely\n"
	".type rarely.cold, @function\n"
	"rarely.cold:\n\tneg %eax\n\tjmp 2b\n\t.size rarely.cold, .-rarely.cold\n");

void spins(int times);
void turns(int times);
void nothing(void);
void passes(void);
int rarely(int n);

int main(void)
{
	spins(5);
	turns(5);
	for (int i = 0; i < 3; i++)
		passes();
	return rarely(-3) + rarely(2) + rarely(1) - 6;
}
