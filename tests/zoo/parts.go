// SPDX-License-Identifier: MIT
// Parts of parameters and results, also behind pointers: tests/zoo/parts.py.
package main

import "os"

type pos struct{ x, y int }
type base struct{ id int }
type item struct {
	base
	name string
	n    int
	next *item
	at   pos
	tags []string
}

//go:noinline
func look(it *item, p item, none *item) int { return it.n + p.n + len(os.Args) }

//go:noinline
func get(it *item) *item { return it.next }

// Go 1.19 leaves the padding before b and y out of the debug information.
type padded struct {
	a int32
	b int64
	c, d int32
}
type named struct {
	x    int8
	y    string
	z, w int16
}

//go:noinline
func pad(p padded, q named) int {
	return int(p.a+p.c+p.d) + int(p.b) + len(q.y) + int(q.x) + int(q.z) + int(q.w)
}

func main() {
	b := &item{base{9}, "second", 2, nil, pos{5, 6}, []string{"t0", "t1"}}
	a := &item{base{8}, "", 1, b, pos{3, 4}, nil}
	look(a, *b, nil)
	pad(padded{11, 22, 33, 44}, named{1, "named", 2, 3})
	if get(a) == b {
		look(b, *a, nil)
	}
}
