// SPDX-License-Identifier: MIT
// Parts of parameters and results, also behind pointers: tests/zoo/parts.py.
pub struct Pos { x: i32, y: i64 }

pub struct Item<'a> {
    name: String,
    note: &'a str,
    n: u16,
    next: Option<Box<Item<'a>>>,
    at: Pos,
    maybe: Option<u32>,
    list: [i16; 4],
}

#[inline(never)]
pub fn look(it: &Item, b: &Box<Item>) -> i64 {
    it.at.y + b.n as i64
}

#[inline(never)]
pub fn make<'a>(n: &'a str) -> Item<'a> {
    Item { name: n.to_string(), note: n, n: 5, next: None, at: Pos { x: 1, y: 2 },
           maybe: Some(6), list: [1, -2, 3, 4] }
}

fn main() {
    let mut a = make("alpha");
    let b = Box::new(make("beta"));
    a.next = Some(Box::new(make("inner")));
    a.maybe = None;
    println!("{}", look(&a, &b));
    println!("{}", look(&b, &Box::new(a)));
}
