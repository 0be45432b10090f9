//! Integers of all widths: conversions, bit-fields, promotions, wrapping.

use super::program::Draft;
use super::scenario::guard_over;

/// Statements that make `r` of `x`, the same in Rust, and the values that `x` has.
struct Conversion {
    text: &'static str,
    meaning: fn(i64) -> i64,
    low: i64,
    high: i64,
}

const CONVERSIONS: &[Conversion] = &[
    Conversion {
        text: "struct { unsigned a : 3; int z : 5; } b; b.z = 1; b.a = x; int r = b.a;",
        meaning: |x| x & 7,
        low: 6,
        high: 14,
    },
    Conversion {
        text: "struct { unsigned z : 3; int a : 4; } b; b.z = 0; b.a = x; int r = b.a;",
        meaning: |x| signed(x, 4),
        low: -20,
        high: -6,
    },
    Conversion {
        text: "struct { unsigned a : 2; } b; b.a = x; int o = b.a++; int r = o * 4 + b.a;",
        meaning: |x| (x & 3) * 4 + ((x + 1) & 3),
        low: 1,
        high: 5,
    },
    Conversion {
        text: "struct { int a : 3; unsigned c : 2; } b; b.c = 3; b.a = x; b.c += 1; int r = b.a + b.c;",
        meaning: |x| signed(x, 3),
        low: 2,
        high: 9,
    },
    Conversion {
        text: "struct { int a : 3; } b; int r = (b.a = x);",
        meaning: |x| signed(x, 3),
        low: 0,
        high: 8,
    },
    Conversion { text: "signed char d = x; int r = d;", meaning: |x| signed(x, 8), low: 120, high: 136 },
    Conversion { text: "unsigned char d = x; int r = d;", meaning: |x| x & 255, low: 250, high: 262 },
    Conversion { text: "unsigned char d = x; int r = ~d;", meaning: |x| !(x & 255), low: 250, high: 262 },
    Conversion {
        text: "char d = 100; d += x; int r = d;",
        meaning: |x| signed(100 + x, 8),
        low: 20,
        high: 40,
    },
    Conversion {
        text: "unsigned char d = 250; d += x; int r = d;",
        meaning: |x| (250 + x) & 255,
        low: 0,
        high: 12,
    },
    Conversion { text: "unsigned char d = x; d--; int r = d;", meaning: |x| (x - 1) & 255, low: -2, high: 6 },
    Conversion { text: "short d = x; int r = d;", meaning: |x| signed(x, 16), low: 32760, high: 32776 },
    Conversion { text: "unsigned short d = x; int r = d;", meaning: |x| x & 65535, low: -6, high: 6 },
    Conversion {
        text: "unsigned short d = x; int r = d * 3;",
        meaning: |x| (x & 65535) * 3,
        low: -6,
        high: 6,
    },
    Conversion { text: "int r = x % 4;", meaning: |x| x % 4, low: -3, high: 4 },
    Conversion { text: "int r = x / -3;", meaning: |x| x / -3, low: -3, high: 6 },
    Conversion { text: "int r = (unsigned)x % 7u;", meaning: |x| (x & 0xFFFF_FFFF) % 7, low: -3, high: 4 },
    Conversion {
        text: "int r = x < 3u ? x : 10;",
        meaning: |x| if (0..3).contains(&x) { x } else { 10 },
        low: -2,
        high: 6,
    },
    Conversion {
        text: "long d = (unsigned)x; int r = d - 4294967290;",
        meaning: |x| (x & 0xFFFF_FFFF) - 4_294_967_290,
        low: -8,
        high: 0,
    },
    Conversion {
        text: "long d = x; int r = d < 0 ? 40 - d : d;",
        meaning: |x| if x < 0 { 40 - x } else { x },
        low: -4,
        high: 5,
    },
    Conversion {
        text: "unsigned d = x; int r = (d - 10u) / 1000000000u;",
        meaning: |x| ((x - 10) & 0xFFFF_FFFF) / 1_000_000_000,
        low: 9,
        high: 12,
    },
    Conversion { text: "int r = (x << 2) - 1;", meaning: |x| (x << 2) - 1, low: 0, high: 9 },
    Conversion { text: "_Bool d = x; d--; int r = d;", meaning: |x| i64::from(x == 0), low: 0, high: 2 },
    Conversion { text: "_Bool d = x; int r = d + 2;", meaning: |x| i64::from(x != 0) + 2, low: -1, high: 2 },
    Conversion {
        text: "signed char d = x; unsigned u = d; int r = u > 100u ? 7 : (int)u;",
        meaning: |x| if (0..=100).contains(&x) { x } else { 7 },
        low: -3,
        high: 4,
    },
    Conversion {
        text: "int r = sizeof(char) - x > 0 ? x : 30;",
        meaning: |x| if x == 1 { 30 } else { x },
        low: -2,
        high: 7,
    },
    Conversion { text: "int r = x; r ^= 5;", meaning: |x| x ^ 5, low: -2, high: 9 },
    Conversion { text: "int r = (x & 3) | 8;", meaning: |x| (x & 3) | 8, low: 4, high: 8 },
];

fn signed(x: i64, bits: u32) -> i64 {
    (x << (64 - bits)) >> (64 - bits)
}

/// A conversion is done under the guard.
pub(super) fn integers(draft: &mut Draft) -> Vec<i64> {
    let Conversion { text, meaning, low, high } = draft.dice.of(CONVERSIONS);
    let alone = |x: &i64| (*low..*high).filter(|y| meaning(*y) == meaning(*x)).count() == 1;
    let inputs: Vec<i64> = (*low..*high).filter(alone).collect();
    let input = *draft.dice.of(&inputs);
    let guard = guard_over(draft, *low, *high, input);
    let value = meaning(input);
    let is_free = |v: &i64| (*low..*high).all(|x| meaning(x) != *v);
    let free: Vec<i64> = (value - 300..value + 300).filter(is_free).collect();
    let other = *free.iter().min_by_key(|v| v.abs_diff(value)).expect("ranges are smaller");
    draft.body(*text);
    let fails = |v: i64, guard: &str| format!("if ({guard} && r == {v}) reach_error();");
    draft.twins(fails(other, &guard.condition), fails(value, &guard.condition));
    guard.failing()
}
