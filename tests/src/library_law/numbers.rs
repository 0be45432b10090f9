//! Random numbers as constants of C: those near bounds, small ones, any.

use super::text::integer;
use testing::Dice;

/// An `int`.
pub(super) fn int(dice: &mut Dice) -> String {
    let v = match dice.below(5) {
        0 => i64::from(*dice.of(&[i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1])),
        1 | 2 => dice.within(-12, 12),
        3 => dice.within(-300, 300),
        _ => i64::from(dice.bits() as i32),
    };
    if v == i64::from(i32::MIN) { "(-2147483647 - 1)".to_owned() } else { v.to_string() }
}

/// A `long`, or a `long long`.
pub(super) fn long(dice: &mut Dice) -> String {
    let v = match dice.below(5) {
        0 => *dice.of(&[i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1, 1 << 32, 1 << 31, -(1 << 31)]),
        1 | 2 => dice.within(-12, 12),
        3 => dice.within(-100_000, 100_000),
        _ => dice.bits() as i64 >> dice.below(64),
    };
    integer(v)
}

/// A `double`.
pub(super) fn double(dice: &mut Dice) -> String {
    const SPECIAL: [&str; 16] = [
        "0.0",
        "-0.0",
        "1.0",
        "-1.0",
        "__builtin_inf()",
        "-__builtin_inf()",
        "__builtin_nan(\"\")",
        "0x1p-1074",
        "0x1.fffffffffffffp+1023",
        "-0x1p-1022",
        "0.5",
        "-0.5",
        "2.5",
        "1e10",
        "9007199254740993.0",
        "0x1p62",
    ];
    match dice.below(4) {
        0 => dice.word(&SPECIAL).to_owned(),
        1 => format!("{}.0", dice.within(-20, 20)),
        2 => format!("{}.{}", dice.within(-99, 99), dice.word(&["5", "25", "1", "999", "75"])),
        _ => {
            let mantissa = dice.bits() & 0xf_ffff_ffff_ffff;
            let sign = if dice.one_in(2) { "-" } else { "" };
            format!("{sign}0x1.{mantissa:013x}p{}", dice.within(-60, 70))
        }
    }
}

/// A `float`.
pub(super) fn float(dice: &mut Dice) -> String {
    const SPECIAL: [&str; 12] = [
        "0.0f",
        "-0.0f",
        "1.0f",
        "-1.0f",
        "__builtin_inff()",
        "-__builtin_inff()",
        "__builtin_nanf(\"\")",
        "0x1p-149f",
        "0x1.fffffep+127f",
        "0.5f",
        "-2.5f",
        "16777217.0f",
    ];
    match dice.below(3) {
        0 => dice.word(&SPECIAL).to_owned(),
        1 => format!("{}.{}f", dice.within(-99, 99), dice.word(&["0", "5", "25", "75"])),
        _ => {
            let mantissa = dice.bits() & 0x7f_fffe;
            let sign = if dice.one_in(2) { "-" } else { "" };
            format!("{sign}0x1.{mantissa:06x}p{}f", dice.within(-40, 60))
        }
    }
}

/// The text of an integer, in any base, or something near it.
pub(super) fn integer_text(dice: &mut Dice) -> Vec<u8> {
    let mut text = dice.word(&["", "", "", " ", "\t ", "\n"]).to_owned();
    text += dice.word(&["", "", "", "-", "+", "--", "+-"]);
    text += dice.word(&["", "", "", "", "0x", "0X", "0", "0b"]);
    text += &match dice.below(8) {
        0 => dice
            .word(&[
                "9223372036854775807",
                "9223372036854775808",
                "18446744073709551615",
                "18446744073709551616",
                "2147483647",
                "2147483648",
                "4294967296",
                "99999999999999999999999",
                "7fffffffffffffff",
                "zzzzzzzzzzzzzz",
            ])
            .to_owned(),
        1 => dice.word(&["", "x", "z1", "g", ".", "8", "19", "ff"]).to_owned(),
        2 => format!("{}", dice.bits() >> dice.below(64)),
        3 => format!("{:x}", dice.bits() >> dice.below(64)),
        _ => dice.within(0, 4000).to_string(),
    };
    text += dice.word(&["", "", "", "x", " 1", "a", "_", ".5", "8"]);
    text.into_bytes()
}

/// The text of a floating-point number, or something near it.
pub(super) fn float_text(dice: &mut Dice) -> Vec<u8> {
    let mut text = dice.word(&["", "", "", " ", "\t"]).to_owned();
    text += dice.word(&["", "", "", "-", "+"]);
    text += &match dice.below(6) {
        0 => dice
            .word(&[
                "1e999",
                "1e-999",
                "inf",
                "nan",
                "INFINITY",
                "nan(1)",
                "infinit",
                "0x1p3",
                "0x1.8p-1",
                "0x",
                "1e310",
                "4e-320",
                "1e39",
                "1e-46",
                "0x1p-1075",
                "1e5000",
            ])
            .to_owned(),
        1 => dice.word(&["", ".", "e5", "x", "1e", "1e+", ".5", "5.", "0", "-0"]).to_owned(),
        2 => format!("{}e{}", dice.within(0, 99), dice.within(-30, 30)),
        _ => format!("{}.{}", dice.within(0, 400), dice.within(0, 99)),
    };
    text += dice.word(&["", "", "x", " 1", "e"]);
    text.into_bytes()
}
