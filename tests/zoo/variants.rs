// SPDX-License-Identifier: MIT
// Values that are one of several alternatives. What is passed is printed as trawl is to show it.

// Before 1.66, rustc has numbers of alternatives with data for those who ask: variants.py.
#![cfg_attr(unstable, feature(arbitrary_enum_discriminant))]

use std::rc::Rc;

#[derive(Clone, Copy, Debug)]
pub enum Plain {
    A,
    B,
    C,
}

#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Point,
    Circle(f64),
    Rect { w: u32, h: i16 },
    Pair(u8, bool),
}

#[derive(Clone, Copy, Debug)]
pub enum Nested {
    Both(Option<u32>, Plain),
    One(Result<u8, i16>),
    Neither,
}

#[derive(Clone, Copy, Debug)]
#[repr(i8)]
pub enum Signed {
    Minus(u8) = -1,
    Zero = 0,
    Five(u16) = 5,
}

#[derive(Clone, Copy, Debug)]
pub struct Holder {
    id: u32,
    found: Option<u16>,
}

static NUMBERS: [u64; 3] = [10, 20, 30];
static WORDS: [&str; 3] = ["zero", "one", "two and more"];

#[no_mangle]
#[inline(never)]
pub extern "C" fn nothing(n: u32) -> u32 {
    n
}

#[inline(never)]
fn zoo_options(a: Option<u32>, b: Option<&u64>, c: Option<bool>, d: Option<Plain>, e: Option<u64>) -> u64 {
    a.map_or(1, |x| x as u64) + b.map_or(2, |x| *x) + c.map_or(3, |x| x as u64) + d.map_or(4, |x| x as u64) + e.unwrap_or(5)
}

#[inline(never)]
fn zoo_results(a: Result<u8, u16>, b: Result<i32, ()>, c: Option<Option<bool>>, d: Option<i64>) -> i64 {
    (match a {
        Ok(x) => x as i64,
        Err(x) => x as i64 * 2,
    }) + b.unwrap_or(7) as i64
        + c.map_or(1, |x| x.map_or(2, |x| x as i64))
        + d.unwrap_or(-1)
}

#[inline(never)]
fn zoo_shape(s: Shape, n: Nested, i: Signed, h: Holder) -> u64 {
    (match s {
        Shape::Point => 1,
        Shape::Circle(r) => r as u64,
        Shape::Rect { w, h } => w as u64 + h as u8 as u64,
        Shape::Pair(a, b) => a as u64 + b as u64,
    }) + match n {
        Nested::Both(a, b) => a.unwrap_or(3) as u64 + b as u64,
        Nested::One(r) => r.map_or_else(|e| e as u8 as u64, |o| o as u64),
        Nested::Neither => 9,
    } + match i {
        Signed::Minus(a) => a as u64,
        Signed::Zero => 0,
        Signed::Five(a) => a as u64,
    } + h.found.map_or(h.id, |x| x as u32) as u64
}

#[inline(never)]
fn zoo_texts(a: Option<&str>, b: Option<String>, c: Option<Rc<u32>>, d: Result<&str, u32>) -> u64 {
    a.map_or(1, |s| s.len() as u64)
        + b.map_or(2, |s| s.len() as u64)
        + c.map_or(3, |r| *r as u64)
        + d.map_or_else(|e| e as u64, |s| s.len() as u64)
}

fn main() {
    let many = nothing(std::env::args().count() as u32 + 2);
    let plain = [Plain::A, Plain::B, Plain::C];
    let mut sum = 0u64;

    for i in 0..many.min(3) {
        let n = i as usize;
        let a = if i == 1 { None } else { Some(i * 100) };
        let b = if i == 2 { None } else { Some(&NUMBERS[n]) };
        let c = [None, Some(true), Some(false)][n];
        let d = if i == 0 { None } else { Some(plain[n]) };
        let e = if i == 1 { Some(1u64 << 40) } else { None };
        println!("zoo_options {:?} {:?} {:?} {:?} {:?}", a, b.map(|p| p as *const u64), c, d, e);
        sum = sum.wrapping_add(zoo_options(a, b, c, d, e));

        let a = if i == 1 { Err(700) } else { Ok(n as u8 + 7) };
        let b = if i == 2 { Err(()) } else { Ok(-(n as i32)) };
        let c = [Some(Some(true)), Some(None), None][n];
        let d = if i == 0 { Some(-5i64) } else { None };
        println!("zoo_results {:?} {:?} {:?} {:?}", a, b, c, d);
        sum = sum.wrapping_add(zoo_results(a, b, c, d) as u64);

        for (k, s) in [Shape::Point, Shape::Circle(2.5), Shape::Rect { w: 3, h: -4 }, Shape::Pair(5, true)].iter().enumerate() {
            let nested = [
                Nested::Both(Some(i), plain[n]),
                Nested::Both(None, Plain::B),
                Nested::One(if i == 1 { Ok(4) } else { Err(-300) }),
                Nested::Neither,
            ][k];
            let signed = [Signed::Minus(200), Signed::Zero, Signed::Five(60000), Signed::Zero][k];
            let holder = Holder { id: i + 40, found: if i == 1 { None } else { Some(9) } };
            println!("zoo_shape {:?} {:?} {:?} {:?}", s, nested, signed, holder);
            sum = sum.wrapping_add(zoo_shape(*s, nested, signed, holder));
        }

        let a = if i == 1 { None } else { Some(WORDS[n]) };
        let b = if i == 2 { None } else { Some(WORDS[n].to_string() + "!") };
        let c = if i == 0 { None } else { Some(Rc::new(i)) };
        let d = if i == 1 { Err(i) } else { Ok(WORDS[n]) };
        println!("zoo_texts {:?} {:?} {:?} {:?}", a, b, c.as_ref().map(|_| ()), d);
        sum = sum.wrapping_add(zoo_texts(a, b, c, d));
    }
    println!("{}", sum);
}
