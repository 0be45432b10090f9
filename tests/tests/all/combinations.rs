//! Options together: no example ends as an internal error, and no certificate is refuted, whatever kinds, integers and data model are
//! asked for.
//!
//! `COMBINATIONS` is the number of runs, `COMBINATIONS_FIRST` the first seed and `COMBINATIONS_LIMIT` the time limit of each in
//! seconds; the verdicts are counted (`--nocapture`).

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use std::collections::BTreeMap;
use std::path::Path;
use testing::{Dice, number};
use tests::{example_files, parallel, slam};

/// Some of the options that change what is checked, how integers are modelled and what C means.
fn options(dice: &mut Dice) -> Vec<&'static str> {
    let kinds: [&[&str]; 6] = [
        &[],
        &["--check", "all"],
        &["--check", "overflow,bounds,null"],
        &["--check", "uninit,free,leak"],
        &["--check", "shift,div0,convert,order"],
        &["--check", "readonly,overlap,file,format,noreturn"],
    ];
    let integers: [&[&str]; 3] = [&[], &["--tune", "integers=bits"], &["--tune", "integers=math"]];
    let models: [&[&str]; 2] = [&[], &["--data-model", "ILP32"]];
    let certificates: [&[&str]; 3] =
        [&[], &["--certify"], &["--certify", "--tune", "slice=off,propagate=off"]];
    let counts: [&[&str]; 2] = [&[], &["--keep-going"]];
    let allocations: [&[&str]; 2] = [&[], &["--malloc-may-fail", "no"]];
    let one = |choices: &[&'static [&'static str]]| choices[dice.below(choices.len())];
    [&kinds[..], &integers, &models, &certificates, &counts, &allocations].map(one).concat()
}

/// The verdict, and what is wrong with the run.
fn judged(path: &Path, seed: u64) -> (String, Option<String>) {
    let chosen = options(&mut Dice::new(seed));
    let limit = format!("{}s", number("COMBINATIONS_LIMIT", 3));
    let path = path.to_str().expect("examples have plain names");
    let run = slam(&[&["check", "--time-limit", &limit], &chosen[..], &[path]].concat());
    let verdict = run.verdict().split(" at ").next().unwrap_or_default().to_owned();
    let is_wrong =
        verdict.is_empty() || verdict == "ERROR(internal)" || run.stderr.contains("internal error");
    (
        verdict,
        is_wrong.then(|| format!("seed {seed}: slam check {} {path}\n{}", chosen.join(" "), run.stderr)),
    )
}

#[test]
fn no_combination_of_options_ends_as_an_internal_error() {
    let (count, first) = (number("COMBINATIONS", 8), number("COMBINATIONS_FIRST", 0));
    let examples = example_files();
    let judged = parallel(2, count as usize, |n| {
        let seed = first + n as u64;
        // Neighbours in the list are alike.
        judged(&examples[(seed as usize * 101) % examples.len()], seed)
    });
    let mut figures: BTreeMap<String, u64> = BTreeMap::new();
    let mut all_wrong = vec![];
    for (verdict, wrong) in judged {
        *figures.entry(verdict).or_default() += 1;
        all_wrong.extend(wrong);
    }
    println!("{count} runs from {first}: {figures:?}");
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n"));
    let decided: u64 = figures.iter().filter(|(word, _)| word.contains("SAFE")).map(|(_, n)| n).sum();
    assert!(decided * 2 > count, "few are decided: {figures:?}");
}

/// Programs whose certificates were refuted, or ended the run: facts about pointers of several types, answers about objects, moved
/// pointers, bounds of integers with bit-vectors.
#[test]
fn certificates_of_facts_about_pointers_hold() {
    let allocated =
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); if (!p) return 0; free(p); return 0; }\n";
    let moved = "#include <stdlib.h>\nint main(void) { char *p = malloc(4); if (!p) return 0; p++; *p = 1; free(p - 1); return 0; }\n";
    let bounded = "extern int input(void);\nint main(void) { int n = input(); if (n < 0 || n > 8) return 0; n += 2147483638; return n - 9; }\n";
    let filled = "static void copy(unsigned char *to, const unsigned char *from, int n) { for (int i = 0; i < n; i++) to[i] = from[i]; }\n\
                  extern unsigned char input(void);\nint main(void) { unsigned char a[8], b[8]; for (int i = 0; i < 8; i++) a[i] = input();\n\
                  copy(b, a, input() & 7); return b[0] * 0; }\n";
    let cases: [(&str, &str, &[&str]); 4] = [
        ("allocated", allocated, &["--check", "free", "--malloc-may-fail", "no"]),
        ("moved", moved, &["--check", "null", "--tune", "integers=bits", "--data-model", "ILP32"]),
        ("bounded", bounded, &["--check", "overflow", "--tune", "integers=bits"]),
        ("filled", filled, &["--check", "bounds,overflow", "--keep-going"]),
    ];
    for (name, text, options) in cases {
        let path = testing::file(&format!("{name}.c"), text);
        let run = slam(&[&["check", "--certify", "--time-limit", "60s"], options, &[&path]].concat());
        assert_eq!(run.verdict(), "SAFE", "{name}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("\ncertified: "), "{name}: {}", run.stdout);
    }
}
