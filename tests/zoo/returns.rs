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
        sum = sum.wrapping_add(ret_bool(i) as u64);
    }
    println!("{}", sum);
    std::process::exit(19)
}
