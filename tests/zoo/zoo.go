// SPDX-License-Identifier: MIT

// Go has registers of its own, and types that C has not.
package main

import (
	"fmt"
	"os"
)

type pair struct{ a, b int }

type shape interface{ area() int }

func (p pair) area() int { return p.a * p.b }

var pairs = [4]pair{{1, 2}, {3, 4}, {5, 6}, {7, 8}}
var bytes = [5]byte{1, 2, 3, 4, 5}
var numbers = [3]int{1, 2, 3}
var words = [4]string{"zero", "one", "two", "three"}

//go:noinline
func zoo_ints(a int8, b uint16, c int32, d uint64, e int, f bool) int {
	if f {
		e++
	}
	return int(a) + int(b) + int(c) + int(d) + e
}

//go:noinline
func zoo_many(a, b, c, d, e, f, g, h, i, j, k int) int {
	return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g + 8*h + 9*i + 10*j + 11*k
}

//go:noinline
func zoo_floats(a float64, b int, c float32, d uint8) float64 {
	return a + float64(b) + float64(c) + float64(d)
}

//go:noinline
func zoo_string(s string, n int) int { return len(s) + n }

//go:noinline
func zoo_slice(b []byte, v []int, n int) int { return len(b) + cap(v) + n }

//go:noinline
func zoo_interface(s shape, e interface{}, n int) int {
	if e == nil {
		n++
	}
	return s.area() + n
}

//go:noinline
func zoo_struct(p pair, n int) int { return p.a + p.b + n }

//go:noinline
func (p *pair) zoo_method(by int32) (sum int, err error) { return p.a + int(by), nil }

//go:noinline
func zoo_pointer(p *pair, m map[string]int, r rune) int { return p.b + len(m) + int(r) }

//go:noinline
func zoo_func(f func(int) int, n int) int { return f(n) }

//go:noinline
func zoo_unused(_ int, live int, dead int, last int) int { return live * last }

func main() {
	sum := 0
	for i := 1; i <= 3; i++ {
		n := i * len(os.Args)
		sum += zoo_ints(int8(-n), uint16(65000+n), int32(-70000*n), ^uint64(n), -n, n&1 == 1)
		sum += zoo_many(n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9, n+10)
		sum += int(zoo_floats(float64(n)*0.5, n, 1.5, uint8(200+n)))
		sum += zoo_string(words[n], n)
		sum += zoo_slice(bytes[n:], numbers[:n-1], n)
		sum += zoo_interface(&pairs[n], &words[n], -n)
		sum += zoo_struct(pairs[n], n)
		s, _ := pairs[n].zoo_method(int32(-n))
		sum += s + zoo_pointer(&pairs[n], nil, rune('a'+n))
		sum += zoo_func(func(a int) int { return a + i }, n)
		sum += zoo_unused(n, 11*n, 5, 13*n)
	}
	fmt.Println(sum)
}
