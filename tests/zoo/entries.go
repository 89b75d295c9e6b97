// SPDX-License-Identifier: MIT

// Calls whose first instructions run more than once, as the stack grows. Prints how many there were.
package main

import (
	"fmt"
	"runtime"
)

var calls [4]int

//go:noinline
func zoo_deep(n int, text string) int {
	var frame [12]int
	calls[0]++
	frame[n%12] = n
	if n == 0 {
		return len(text)
	}
	return zoo_deep(n-1, text) + frame[(n+1)%12]
}

//go:noinline
func zoo_large(n int, a, b, c, d, e, f, g, h, i, j int) int {
	var frame [1200]int
	calls[1]++
	frame[n%1200] = n + j
	if n == 0 {
		return a + b + c + d + e + f + g + h + i
	}
	return zoo_large(n-1, a, b, c, d, e, f, g, h, i, j) + frame[(n+1)%1200]
}

//go:noinline
func zoo_huge(n int) int {
	var frame [40000]int
	calls[2]++
	frame[n%40000] = n
	if n == 0 {
		return 0
	}
	return zoo_huge(n-1) + frame[(n+1)%40000]
}

//go:noinline
func zoo_leaf(n int) int {
	calls[3]++
	return n + 1
}

func main() {
	done := make(chan int)
	for i := 0; i < 3; i++ {
		go func() { done <- zoo_deep(300, "text") + zoo_large(30, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) + zoo_huge(5) }()
		sum := <-done
		for k := 0; k < 50; k++ {
			sum = zoo_leaf(sum)
		}
		runtime.GC()
	}
	for i, name := range []string{"deep", "large", "huge", "leaf"} {
		fmt.Println(name, calls[i])
	}
}
