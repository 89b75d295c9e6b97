# SPDX-License-Identifier: MIT
# A program of every kind of branch, without a library, whose flow never differs. It ends with status 0, or
# with a number that says where it saw a trap flag that it had not set.
	.globl	_start
	.text

# check_flags CODE: the flags on the stack have no trap flag.
	.macro	check_flags code
	testb	$1, 1(%rsp)
	jz	1f
	mov	$\code, %edi
	jmp	leave
1:
	.endm

_start:
	mov	$60, %r12d		# turns
	mov	$12345, %r13d		# random numbers
turn:
	imul	$1103515245, %r13d, %r13d
	add	$12345, %r13d

	# conditions, near and far, and to the next instruction
	test	$0x10000, %r13d
	jz	2f
	inc	%ebx
2:	test	$0x20000, %r13d
	jnz	far_away
back:	test	$0x40000, %r13d
	.byte	0x74, 0			# jz to the next
	.byte	0x0f, 0x85, 0, 0, 0, 0	# jnz to the next
	xor	%ecx, %ecx
	jrcxz	3f
	ud2
3:	mov	$3, %ecx
4:	loop	4b
	mov	$2, %ecx
	.byte	0xe2, 0			# loop to the next
	mov	$2, %ecx
	cmp	%ecx, %ecx
5:	loope	5b
	mov	$5, %ecx
	test	%ecx, %ecx
6:	loopne	6b
	jecxz	7f
7:
	# calls and returns
	call	function
	lea	function(%rip), %rax
	call	*%rax
	call	*pointer(%rip)
	push	$1
	push	$2
	call	pops_two
	call	8f			# to the next
8:	pop	%rax
	# jumps
	jmp	9f
	ud2
9:	mov	%r13d, %eax
	shr	$18, %eax
	and	$3, %eax
	lea	table(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
case0:	inc	%ebx
	jmp	joined
case1:	nop
case2:	.byte	0xe9, 0, 0, 0, 0	# jmp to the next
case3:	inc	%ebx
joined:
	# repeated, which has a trap each time
	mov	$7, %ecx
	lea	bytes(%rip), %rsi
	lea	bytes(%rip), %rdi
	rep movsb
	# far
	mov	%cs, %eax
	push	%rax
	lea	10f(%rip), %rdx
	push	%rdx
	lretq
	ud2
10:	mov	%rsp, %rcx
	mov	%ss, %eax
	push	%rax
	push	%rcx
	pushf
	check_flags 11
	mov	%cs, %eax
	push	%rax
	lea	11f(%rip), %rdx
	push	%rdx
	iretq
	ud2
11:	# the flags
	pushf
	check_flags 12
	popf
	pushfw
	check_flags 13
	popfw
	mov	%ss, %eax
	mov	%eax, %ss
	jmp	12f			# no trap before it
	ud2
12:	mov	%ss, %eax
	mov	%eax, %ss
	pushf
	check_flags 14
	pop	%rax
	# system calls
	mov	$39, %eax		# getpid
	syscall
	mov	%r11, %r14
	push	%r14
	check_flags 15
	pop	%r14
	mov	$20, %eax		# getpid
	int	$0x80
	mov	$39, %eax
	syscall
	test	%r11d, %r11d		# right after it
	jnz	13f
	inc	%ebx
13:	test	$0x100, %r11d
	mov	$16, %edi
	jnz	leave
	dec	%r12d
	jnz	turn
	xor	%edi, %edi
leave:	mov	$60, %eax
	syscall
	ud2

function:
	push	%rbp
	pop	%rbp
	rep ret
pops_two:
	nop
	ret	$16

	.skip	300, 0x90
far_away:
	inc	%ebx
	jmp	back

	.section .rodata
table:	.long	case0 - table, case1 - table, case2 - table, case3 - table
	.data
pointer: .quad	function
bytes:	.skip	16
	.section .note.GNU-stack, "", @progbits
