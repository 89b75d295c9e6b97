! SPDX-License-Identifier: MIT
! Arrays that do not begin with element 0, those at an address in a descriptor, and those that are as
! long as another parameter tells, for tests/zoo/parts.py.
module parts
  type item
    integer :: n
    real(8) :: vals(3:6)
    integer :: low(-1:2)
    integer :: two(2, 2)
    integer, allocatable :: list(:)
  end type
contains
  subroutine look(a, b, it, opt, also)
    integer, intent(in) :: a(5), b(:)
    type(item), intent(in) :: it
    integer, intent(in), optional :: opt, also(4)
    if (present(opt) .neqv. present(also)) stop
    if (a(2) + b(2) + it%list(1) == 0) print *, a, b, it%vals
  end subroutine

  subroutine take(n, c, text)
    integer, intent(in) :: n, c(n)
    character(len=*), intent(in) :: text
    if (c(n) == 0) print *, c, text
  end subroutine
end module

program main
  use parts
  integer :: a(5) = [10, 20, 30, 40, 50]
  type(item) :: it
  it%n = 7
  it%vals = [1.5d0, 2.5d0, 3.5d0, 4.5d0]
  it%low = [1, 2, 3, 4]
  it%two = 0
  allocate(it%list(3))
  it%list = 9
  call look(a, a(2:4), it, 3, it%low)
  call look(a, a(2:4), it)
  call take(5, a, "text")
end program
