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

func main() {
	b := &item{base{9}, "second", 2, nil, pos{5, 6}, []string{"t0", "t1"}}
	a := &item{base{8}, "", 1, b, pos{3, 4}, nil}
	look(a, *b, nil)
	if get(a) == b {
		look(b, *a, nil)
	}
}
