// SPDX-License-Identifier: MIT
// Returns of Rust: panics that catch_unwind stops, numbers, references and what is in two registers.
use std::panic;

#[inline(never)]
#[no_mangle]
pub fn ret_panics(n: i32) -> i32 {
    if n % 3 == 0 {
        panic!("three")
    }
    n * 2
}

#[inline(never)]
#[no_mangle]
pub fn ret_cleans(n: i32) -> i32 {
    let v = vec![n; 10];
    ret_panics(n) + v.len() as i32
}

#[inline(never)]
#[no_mangle]
pub fn ret_u64(n: i32) -> u64 {
    (n as u64) << 60
}

#[inline(never)]
#[no_mangle]
pub fn ret_bool(n: i32) -> bool {
    n & 1 == 0
}

#[inline(never)]
#[no_mangle]
pub fn ret_str(n: i32) -> &'static str {
    &"returned"[n as usize % 4..]
}

#[inline(never)]
#[no_mangle]
pub fn ret_option(n: i32) -> Option<u64> {
    if n & 1 == 0 { Some(n as u64) } else { None }
}

#[inline(never)]
#[no_mangle]
pub fn ret_wide(n: i32) -> u128 {
    (n as u128) << 90 | 5
}

#[inline(never)]
#[no_mangle]
pub fn ret_small_option(n: i32) -> Option<i32> {
    if n & 1 == 0 { Some(n * 5) } else { None }
}

#[inline(never)]
#[no_mangle]
pub fn ret_string(n: i32) -> String {
    "owned".repeat(n as usize)
}

#[inline(never)]
#[no_mangle]
pub fn ret_result(n: i32) -> Result<u64, String> {
    if n & 1 == 0 { Ok(n as u64) } else { Err("odd".repeat(n as usize)) }
}

#[inline(never)]
#[no_mangle]
pub fn ret_maybe(n: i32) -> Option<&'static str> {
    if n & 1 == 0 { Some(&"maybe"[n as usize % 4..]) } else { None }
}

#[inline(never)]
#[no_mangle]
pub fn ret_pair(n: i32) -> (u8, u64) {
    (n as u8, n as u64 * 11)
}

#[inline(never)]
#[no_mangle]
pub fn ret_four(n: i32) -> (u8, u8, u16, u32) {
    (n as u8, 2, 3, n as u32 * 7)
}

#[inline(never)]
#[no_mangle]
pub fn ret_floats(n: i32) -> (f64, u64) {
    (n as f64, n as u64)
}

/// Half of it is taken away where nobody uses it.
#[inline(never)]
pub fn ret_half_first(n: i32) -> (u64, u64) {
    ret_unit(n);
    (n as u64 * 3, n as u64 + 5)
}

struct Hidden {
    a: Box<u64>,
    b: u64,
    c: u64,
}

/// In memory, whose address no caller takes from the function: it may not leave it in a register.
#[inline(never)]
fn ret_hidden(n: i32) -> Hidden {
    Hidden { a: Box::new(n as u64), b: n as u64 * 3, c: n as u64 + 2 }
}

#[inline(never)]
#[no_mangle]
pub fn ret_unit(n: i32) {
    print!("{}", if n == 1 { " " } else { "" })
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let mut sum: u64 = 0;
    for i in 1..10 {
        sum += match panic::catch_unwind(|| ret_cleans(i)) {
            Ok(v) => v as u64,
            Err(_) => 1000,
        };
        ret_unit(i);
        sum = sum.wrapping_add(ret_u64(i)).wrapping_add(ret_str(i).len() as u64);
        sum = sum.wrapping_add(ret_option(i).unwrap_or(3)).wrapping_add((ret_wide(i) >> 80) as u64);
        sum = sum.wrapping_add(ret_bool(i) as u64).wrapping_add(ret_half_first(i).1);
        sum += ret_small_option(i).unwrap_or(1) as u64 + ret_string(i).len() as u64;
        sum += ret_result(i).unwrap_or_else(|e| e.len() as u64) + ret_pair(i).1;
        sum += ret_maybe(i).map_or(2, |s| s.len() as u64) + ret_four(i).3 as u64;
        sum += ret_pair(i).0 as u64 + ret_four(i).2 as u64 + ret_floats(i).1;
    }
    for i in 1..10 {
        let hidden = ret_hidden(i);
        sum += *hidden.a + hidden.b + hidden.c;
    }
    println!("{}", sum);
    std::process::exit(19)
}
