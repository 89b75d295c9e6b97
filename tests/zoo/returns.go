// SPDX-License-Identifier: MIT
// Returns of Go: stacks that grow and move under probed frames, and panics that are recovered.
package main

import (
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
		if ret_bool(i) {
			sum++
		}
	}
	fmt.Println(sum)
	os.Exit(20)
}
