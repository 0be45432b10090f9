//! Objects that are accessed at several types: random programs about them get no wrong answer, and errors are found where
//! the objects are taken as bytes. `BYTES_PROGRAMS` is how many.

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use std::collections::BTreeMap;
use std::process::Command;
use testing::{Bytes, Dice, Scratch, file};
use tests::{parallel, slam};

/// The byte that the compiled program asks about, for each input.
fn values(program: &Bytes, scratch: &Scratch) -> Vec<u32> {
    let prologue =
        "#include <stdio.h>\n#include <stdlib.h>\n#define input() ((unsigned)atoi(getenv(\"IN\")))\n";
    let source = scratch.file("native.c", program.asking(prologue, "printf(\"%u\\n\", byte);"));
    let binary = scratch.path().join("native");
    let made = Command::new("cc")
        .args(["-w", "-O0", "-fno-strict-aliasing", "-o"])
        .args([&binary, &source])
        .output();
    let made = made.expect("the compiler can be run");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let run = |input: u32| {
        let out =
            Command::new(&binary).env("IN", input.to_string()).output().expect("the program can be run");
        String::from_utf8_lossy(&out.stdout).trim().parse().expect("it tells a number")
    };
    (0..8).map(run).collect()
}

/// Verdict and whether it is wrong.
fn judged(seed: u64) -> (String, Option<String>) {
    let (program, scratch) = (Bytes::new(seed), Scratch::new());
    let values = values(&program, &scratch);
    let mut dice = Dice::new(seed);
    let (condition, holds): (String, Box<dyn Fn(u32) -> bool>) = match dice.below(3) {
        0 => {
            let other = (0..256).find(|n| !values.contains(n)).unwrap_or(256);
            (format!("byte != {other}u"), Box::new(move |v| v != other))
        }
        1 => {
            let one = *dice.of(&values);
            (format!("byte != {one}u"), Box::new(move |v| v != one))
        }
        _ => {
            let first = values[0];
            (format!("byte == {first}u"), Box::new(move |v| v == first))
        }
    };
    let safe = values.iter().all(|v| holds(*v));
    let prologue = "extern unsigned __VERIFIER_nondet_uint(void);\nextern void reach_error(void);\n#define input() __VERIFIER_nondet_uint()\n";
    let text = program.asking(prologue, &format!("if (!({condition})) reach_error();"));
    let path = scratch.file("a.c", &text);
    let path = path.to_str().expect("scratch paths are UTF-8");
    let run = slam(&[
        "check",
        "--tune",
        "without=executions",
        "--time-limit",
        "5s",
        "--bytes",
        if dice.one_in(2) { "on" } else { "auto" },
        path,
    ]);
    let word = run.verdict().split('(').next().unwrap_or_default().to_owned();
    let wrong = match word.as_str() {
        "SAFE" => !safe,
        "UNSAFE" => safe,
        "UNKNOWN" => false,
        _ => true,
    };
    (word, wrong.then(|| format!("seed {seed}, values {values:?}: {}\n{text}", run.stdout)))
}

#[test]
fn no_answer_about_bytes_is_wrong() {
    let programs = testing::number("BYTES_PROGRAMS", 20usize);
    let mut figures: BTreeMap<String, usize> = BTreeMap::new();
    let mut all_wrong = vec![];
    for (word, wrong) in parallel(2, programs, |seed| judged(seed as u64)) {
        *figures.entry(word).or_default() += 1;
        all_wrong.extend(wrong);
    }
    println!("{figures:?}");
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n\n"));
    let decided = programs - figures.get("UNKNOWN").copied().unwrap_or(0);
    assert!(decided * 10 >= programs * 7, "few answers: {figures:?}");
}

fn checked(name: &str, body: &str, when: &str) -> tests::Run {
    let prologue = "#include <assert.h>\n#include <string.h>\nint __VERIFIER_nondet_int(void);\nunsigned __VERIFIER_nondet_uint(void);\n";
    slam(&[
        "check",
        "--tune",
        "without=executions",
        "--time-limit",
        "20s",
        "--bytes",
        when,
        &file(&format!("{name}.c"), format!("{prologue}{body}\n")),
    ])
}

#[test]
fn objects_that_are_seen_at_several_types() {
    let twins = [
        (
            "bytes",
            "int main(void) { unsigned x = __VERIFIER_nondet_uint(); unsigned char *p = (unsigned char *)&x; p[1] = 7; assert((x >> 8 & 255) == 7); assert(CHECK); return 0; }",
            "x != 0 || p[1] == 7",
            "x != 0x12340700",
        ),
        (
            "union",
            "union { float f; unsigned u; } m; int main(void) { m.f = 1.5f; assert(CHECK); return 0; }",
            "m.u == 0x3fc00000",
            "m.u == 0x3fc00001",
        ),
        (
            "field",
            "union { struct { unsigned a : 3, b : 5; } p; unsigned char c; } m; int main(void) { m.c = (unsigned char)__VERIFIER_nondet_int(); m.p.b = 9; assert(CHECK); return 0; }",
            "m.c >> 3 == 9",
            "m.c != 74",
        ),
        (
            "copy",
            "int main(void) { unsigned char b[8]; unsigned x = __VERIFIER_nondet_uint(), y; memcpy(b, &x, 4); memcpy(&y, b, 4); assert(CHECK); return 0; }",
            "x == y",
            "b[2] != 200",
        ),
    ];
    for (name, body, holds, fails) in twins {
        let run = checked(&format!("{name}_safe"), &body.replace("CHECK", holds), "auto");
        assert_eq!(run.verdict(), "SAFE", "{name}\n{}", run.stdout);
        let run = checked(&format!("{name}_unsafe"), &body.replace("CHECK", fails), "auto");
        assert!(run.verdict().starts_with("UNSAFE(reach)"), "{name}\n{}", run.stdout);
    }
}

/// The bits of a NaN are unspecified: neither a proof nor an error may depend on them.
#[test]
fn the_bits_of_what_is_no_number_are_open() {
    for value in ["0x7fc00000", "0xffc00000"] {
        let body = format!(
            "union {{ float f; unsigned u; }} m; int main(void) {{ float z = 0; m.f = z / z; assert(m.u == {value}); return 0; }}"
        );
        let run = checked("nan", &body, "on");
        assert!(run.verdict().starts_with("UNKNOWN"), "{value}\n{}", run.stdout);
    }
    let body = "union { float f; unsigned u; } m; int main(void) { float z = 0; m.f = z / z; assert((m.u & 0x7f800000) == 0x7f800000); return 0; }";
    let run = checked("nan_exponent", body, "on");
    assert_eq!(run.verdict(), "SAFE", "{}", run.stdout);
}

/// Whatever is left out, there is an answer, and never a wrong one: here objects as bytes or unrolling decide.
#[test]
fn each_method_can_be_left_out() {
    let text = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
union word { unsigned whole; unsigned char bytes[4]; };
int main(void) {
    union word w;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100) return 0;
    w.whole = n;
    assert(w.bytes[3] == 0);
    return 0;
}
";
    let file = testing::file("word.c", text);
    for (left_out, expected) in [
        ("nothing", "SAFE"),
        ("unrolling", "SAFE"),
        ("bytes", "SAFE"),
        ("bytes,unrolling", "UNKNOWN(not replayed)"),
        ("executions,single-execution,bounds,induction,bits,any-threads,elsewhere", "SAFE"),
    ] {
        let run = slam(&["check", "--tune", &format!("without={left_out}"), &file]);
        assert_eq!(run.verdict(), expected, "{left_out}\n{}{}", run.stdout, run.stderr);
    }
}
