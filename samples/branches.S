/* SPDX-License-Identifier: MIT */
/*
 * Every kind of branch, without any library: what a recording must have is known to the last one.
 * With an argument it also sends itself a signal, on the alternate stack, and starts a child.
 */
	.text
	.globl _start
	.type _start, @function
_start:
	mov	(%rsp), %r15		/* argc */
	mov	$20, %ecx
1:	dec	%ecx			/* taken 19 times */
	jnz	1b
	xor	%eax, %eax
	jnz	2f			/* never taken */
	jz	2f			/* taken, to the next instruction */
2:	mov	$3, %ecx
3:	loop	3b			/* to itself, twice */
	xor	%ecx, %ecx
	jrcxz	4f
	ud2
4:	jmp	5f			/* to the next instruction */
5:	call	direct
	lea	direct(%rip), %rax
	call	*%rax
	push	%rax
	call	*(%rsp)
	pop	%rax
	lea	6f(%rip), %rax
	jmp	*%rax
	ud2
6:	push	$0
	call	pops
	lea	buffer(%rip), %rdi
	lea	buffer(%rip), %rsi
	mov	$40, %ecx
	rep movsb			/* a step each byte, no branch */
	mov	$39, %eax		/* getpid */
	syscall
	mov	%eax, %r14d
	mov	$7, %ecx
7:	bt	$0, %ecx
	jc	8f			/* taken for odd numbers */
	nop
8:	sub	$1, %ecx
	jg	7b
	cmp	$1, %r15
	jg	signals
	xor	%edi, %edi
exit:	mov	$60, %eax
	syscall
	.size _start, . - _start

fail:	mov	$1, %edi
	jmp	exit

	.type direct, @function
direct:	ret
	.size direct, . - direct
	.type pops, @function
pops:	ret	$8
	.size pops, . - pops

	.type signals, @function
signals:
	pushf				/* must not show the tracer's trap flag */
	pop	%rbx
	test	$0x100, %ebx
	jnz	fail
	mov	$39, %eax
	syscall
	test	$0x100, %r11d		/* nor must this, which is the flags */
	jnz	fail
	lea	alternate(%rip), %rdi
	xor	%esi, %esi
	mov	$131, %eax		/* sigaltstack */
	syscall
	mov	$10, %edi		/* SIGUSR1 */
	lea	action(%rip), %rsi
	xor	%edx, %edx
	mov	$8, %r10d
	mov	$13, %eax		/* rt_sigaction */
	syscall
	mov	%r14d, %edi
	mov	$10, %esi
	mov	$62, %eax		/* kill */
	syscall
	mov	$17, %esi		/* SIGCHLD, which is ignored */
	mov	%r14d, %edi
	mov	$62, %eax
	syscall
	mov	$57, %eax		/* fork */
	syscall
	test	%eax, %eax
	jz	child
	mov	%eax, %edi
	xor	%esi, %esi
	xor	%edx, %edx
	xor	%r10d, %r10d
	mov	$61, %eax		/* wait4 */
	syscall
	xor	%edi, %edi
	jmp	exit
	.size signals, . - signals

	.type child, @function
child:	mov	$5, %ecx
9:	dec	%ecx
	jnz	9b
	xor	%edi, %edi
	jmp	exit
	.size child, . - child

	.type handler, @function
handler:
	call	direct
	ret
	.size handler, . - handler
	.type restorer, @function
restorer:
	mov	$15, %eax		/* rt_sigreturn */
	syscall
	.size restorer, . - restorer

	.data
	.balign	16
action:	.quad	handler, 0x0c000000, restorer, 0 /* SA_RESTORER | SA_ONSTACK */
alternate:
	.quad	stack, 0, 65536
buffer:	.fill	64
	.bss
	.balign	16
stack:	.skip	65536
	.section .note.GNU-stack, "", @progbits
