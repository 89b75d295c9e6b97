// SPDX-License-Identifier: MIT
// Rust orders, drops and splits parameters as it likes.

/// Debian's rustc has no stable std::hint::black_box.
fn black_box(n: i32) -> i32 {
    unsafe { std::ptr::read_volatile(&n) }
}

#[derive(Clone, Copy)]
pub struct Pair {
    a: i32,
    b: u64,
}

pub enum Shape {
    Point,
    Circle(f64),
    Rect { w: u32, h: u32 },
}

#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Color {
    Red = 1,
    Green,
    Blue,
}

static PAIRS: [Pair; 4] = [
    Pair { a: 1, b: 2 },
    Pair { a: 3, b: 4 },
    Pair { a: 5, b: 6 },
    Pair { a: 7, b: 8 },
];
static WORDS: [&str; 4] = ["zero", "one", "two", "three"];

#[inline(never)]
fn zoo_ints(a: i8, b: u16, c: i32, d: u64, e: isize, f: bool) -> i64 {
    a as i64 + b as i64 + c as i64 + d as i64 + e as i64 + f as i64
}

#[inline(never)]
fn zoo_many(a: i32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i16, h: i64, i: u8) -> i64 {
    a as i64 + b as i64 * 2 + c as i64 * 3 + d as i64 + e as i64 + f as i64 + g as i64 + h + i as i64
}

#[inline(never)]
fn zoo_floats(a: f64, b: i32, c: f32, d: u64) -> f64 {
    a + b as f64 + c as f64 + d as f64
}

#[inline(never)]
fn zoo_str(s: &str, n: usize) -> usize {
    s.len() * 3 + n
}

#[inline(never)]
fn zoo_string(n: i32, s: &String, t: String) -> usize {
    s.len() + t.len() + n as usize
}

#[inline(never)]
fn zoo_slice(v: &[u32], k: u32) -> u32 {
    v.iter().sum::<u32>() + k
}

#[inline(never)]
fn zoo_option(a: Option<u32>, b: Option<&Pair>, c: i64) -> i64 {
    a.unwrap_or(9) as i64 + b.map_or(0, |p| p.b as i64) + c
}

#[inline(never)]
fn zoo_enum(s: &Shape, c: Color, n: u16) -> u32 {
    n as u32
        + c as u32
        + match s {
            Shape::Point => 1,
            Shape::Circle(r) => *r as u32,
            Shape::Rect { w, h } => w * h,
        }
}

#[inline(never)]
fn zoo_pair(p: Pair, n: i32) -> u64 {
    p.a as u64 + p.b + n as u64
}

#[inline(never)]
fn zoo_reference(p: &Pair, m: &mut u64, ch: char) -> u64 {
    *m += p.a as u64;
    *m + ch as u64
}

#[inline(never)]
fn zoo_unused(_dead: i32, live: i32, _dead_too: u64, last: u64) -> u64 {
    black_box(live);
    last * 2
}

#[inline(never)]
fn zoo_generic<T: Into<i64> + Copy>(a: T, b: i64) -> i64 {
    a.into() * 2 + b
}

fn main() {
    let mut sum = 0i64;

    for i in 1..=3i32 {
        let n = black_box(i);
        let mut m = 5u64;
        let shapes = [Shape::Point, Shape::Circle(2.5), Shape::Rect { w: 3, h: 4 }];

        sum += zoo_ints(-n as i8, 65000 + n as u16, -70000 * n, u64::MAX - n as u64, n as isize, n & 1 == 1);
        sum += zoo_many(n, n + 1, n + 2, n + 3, n + 4, n + 5, -n as i16, 1i64 << (40 + n), 200 + n as u8);
        sum += zoo_floats(n as f64 * 0.5, n, 1.5, n as u64) as i64;
        sum += zoo_str(WORDS[n as usize], n as usize) as i64;
        sum += zoo_string(n, &WORDS[n as usize].to_string(), "own".to_string()) as i64;
        sum += zoo_slice(&[1, 2, n as u32][..n as usize], n as u32) as i64;
        sum += zoo_option(if n == 2 { None } else { Some(n as u32) }, Some(&PAIRS[n as usize]), n as i64);
        sum += zoo_enum(
            &shapes[n as usize - 1],
            [Color::Red, Color::Green, Color::Blue][n as usize - 1],
            n as u16,
        ) as i64;
        sum += zoo_pair(PAIRS[n as usize], n) as i64;
        sum += zoo_reference(&PAIRS[n as usize], &mut m, (b'a' + n as u8) as char) as i64;
        sum += zoo_unused(n, 11 * n, 7, 13 * n as u64) as i64;
        sum += zoo_generic(n, 17 * n as i64) + zoo_generic(n as i8, -5 * n as i64);
    }
    println!("{}", sum);
}
