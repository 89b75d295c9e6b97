// SPDX-License-Identifier: MIT
// Returns of Go: stacks that grow and move under probed frames, and panics that are recovered.
package main

import (
	"errors"
	"fmt"
	"os"
)

//go:noinline
func ret_int(n int) int { return n * 3 }

//go:noinline
func ret_small(n int) int8 { return int8(-n) }

//go:noinline
func ret_bool(n int) bool { return n&1 == 0 }

//go:noinline
func ret_two(n int) (int, string) { return n + 1, "two" }

//go:noinline
func ret_string(n int) string { return "returned"[n%4:] }

//go:noinline
func ret_slice(n int) ([]int, int) { return make([]int, n, 20), n * 2 }

//go:noinline
func ret_error(n int) (v int, err error) {
	if n&1 == 0 {
		err = errors.New("even")
	}
	return n * 7, err
}

//go:noinline
func ret_float(n int) (float64, int, complex64, int) { return 1.5, n, 2i, n + 1 }

// An array is on the stack and takes no register.
//
//go:noinline
func ret_array(n int) ([2]int, int) { return [2]int{n, n}, n * 9 }

type parts struct {
	a  int8
	s  string
	no struct{}
}

//go:noinline
func ret_struct(n int) (parts, struct{}, [1]int32, uint8) {
	return parts{a: int8(-n), s: "str"}, struct{}{}, [1]int32{5}, uint8(n)
}

// Nine registers, and two on the stack.
//
//go:noinline
func ret_many(n int) (a, b, c, d, e, f, g, h, i, j, k int) {
	return n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, n + 11
}

func ret_same(n int) (_, _ int) { return n, n + 1 } // inlined, too

//go:noinline
func ret_deep(n int) int {
	var pad [200]int
	pad[n%200] = n
	if n == 0 {
		return 0
	}
	return ret_deep(n-1) + pad[n%200] - n + 1
}

//go:noinline
func ret_recovers(n int) (r int) {
	defer func() {
		if e := recover(); e != nil {
			r = -n
		}
	}()
	if n%3 == 0 {
		panic("three")
	}
	return n
}

//go:noinline
func ret_always_panics(n int) (r int) {
	defer func() {
		recover()
		r = n + 7
	}()
	panic("always")
}

func main() {
	c := make(chan int)
	sum := 0
	for i := 0; i < 4; i++ {
		go func() { c <- ret_deep(500) }()
	}
	for i := 0; i < 4; i++ {
		sum += <-c
	}
	for i := 1; i < 10; i++ {
		a, s := ret_two(i)
		sum += ret_int(i) + int(ret_small(i)) + a + len(s) + len(ret_string(i)) + ret_recovers(i) + ret_always_panics(i)
		l, k := ret_slice(i)
		v, err := ret_error(i)
		_, u, _, w := ret_float(i)
		array, x := ret_array(i)
		p, _, _, y := ret_struct(i)
		_, _, _, _, _, _, _, _, z, t, _ := ret_many(i)
		same := ret_same
		if i > 100 {
			same = nil
		}
		m, _ := same(i)
		if err != nil {
			sum += v
		}
		sum += len(l) + k + u + w + array[0] + x + len(p.s) + int(y) + z + t + m
		if ret_bool(i) {
			sum++
		}
	}
	fmt.Println(sum)
	os.Exit(20)
}
