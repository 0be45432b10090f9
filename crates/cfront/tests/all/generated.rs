//! Programs of our own generator, compiled and interpreted, compute the same. `GENERATED_SEED` tries others,
//! `GENERATED_KEEP` is a file that gets the text.

use crate::common::{compiled, interpret};
use crate::generator::Generator;
use cfront::Options;
use std::fmt::Write;
use testing::Scratch;

/// How many programs there are.
const PROGRAMS: u32 = 50;

#[test]
fn generated_programs() {
    let seed = testing::number("GENERATED_SEED", 1);
    let programs: Vec<String> = (0..PROGRAMS).map(|n| Generator::program(n, seed)).collect();
    let mut text = format!("int printf(const char *, ...);\n{}int main(void) {{\n", programs.concat());
    for n in 0..PROGRAMS {
        _ = writeln!(text, "    printf(\"{n} %016llx\\n\", program{n}());");
    }
    text.push_str("    return 0;\n}\n");
    let scratch = Scratch::new();
    let file = scratch.file("generated.c", &text);
    if let Some(kept) = std::env::var_os("GENERATED_KEEP") {
        std::fs::write(kept, &text).expect("the program can be kept");
    }
    let options = Options { signed_wrap: true, ..Options::default() };
    let theirs = compiled(&file, &["-std=gnu11", "-fwrapv"]).expect("the program ends");
    let ours = interpret(&file, &options, 50_000_000).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
    for (n, (a, b)) in ours.stdout.lines().zip(theirs.stdout.lines()).enumerate() {
        assert_eq!(a, b, "seed {seed}:\n{}", programs[n]);
    }
    assert_eq!(ours, theirs);
}
