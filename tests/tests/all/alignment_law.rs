//! Numbers of addresses: random programs about the alignment of objects get no wrong answer. `ALIGNMENT_PROGRAMS` is how many.

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use crate::law::executed;
use std::collections::BTreeMap;
use std::fmt::Write;
use testing::{Address, Alignments, Scratch, number};
use tests::{parallel, slam};

const HEADERS: &str = "#include <malloc.h>\n#include <stdint.h>\n#include <stdlib.h>\n";

/// The verdict, and what is wrong with it.
pub(crate) fn judged(seed: u64) -> (String, Option<String>) {
    let (program, scratch) = (Alignments::new(seed), Scratch::new());
    let function = program.function("look", "if (!(EXPECTED)) reach_error();");
    let text = format!(
        "{HEADERS}extern void reach_error(void);\n{function}int main(void) {{\n    look();\n    return 0;\n}}\n"
    );
    let path = scratch.file("a.c", &text);
    let path = path.to_str().expect("scratch paths are UTF-8");
    // What executions find, proofs are not asked for.
    let without = if seed.is_multiple_of(2) { "nothing" } else { "executions" };
    let run = slam(&["check", "--without", without, "--time-limit", "20s", path]);
    let word = run.verdict().split(['(', ' ']).next().unwrap_or_default().to_owned();
    let truth = program.truth();
    let is_wrong = match word.as_str() {
        "SAFE" => truth != Address::Known,
        "UNSAFE" => truth == Address::Known,
        "UNKNOWN" => false,
        _ => true,
    };
    let figure = format!("{truth:?}: {word}");
    (figure, is_wrong.then(|| format!("seed {seed}, {truth:?}: {}{}\n{text}", run.stdout, run.stderr)))
}

#[test]
fn no_answer_about_alignment_is_wrong() {
    let programs = number("ALIGNMENT_PROGRAMS", 30);
    let mut figures: BTreeMap<String, u64> = BTreeMap::new();
    let mut all_wrong = vec![];
    for (figure, wrong) in parallel(2, programs as usize, |seed| judged(seed as u64)) {
        *figures.entry(figure).or_default() += 1;
        all_wrong.extend(wrong);
    }
    println!("{figures:?}");
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n\n"));
    for answer in ["Known: SAFE", "Other: UNSAFE", "Open: UNSAFE"] {
        let told = figures.get(answer).copied().unwrap_or(0);
        assert!(told * 20 >= programs, "few answers {answer}: {figures:?}");
    }
}

/// The layout that the programs are made with is the compiler's, and what holds wherever objects are holds when they run.
#[test]
fn the_rules_of_alignment_are_those_of_the_compiler() {
    let programs = number("ALIGNMENT_PROGRAMS", 30).max(200);
    let (mut known, mut other) = (0, 0);
    for chunk in (0..programs).collect::<Vec<u64>>().chunks(400) {
        let mut text = format!("{HEADERS}#include <stdio.h>\n");
        let mut calls = String::new();
        for seed in chunk {
            let program = Alignments::new(*seed);
            let asked = format!("printf(\"{seed} %s\\n\", EXPECTED ? \"holds\" : \"fails\");");
            text.push_str(&program.function(&format!("f{seed}"), &asked));
            text.push_str(&program.agreed(&format!("f{seed}")));
            _ = writeln!(calls, "    f{seed}();");
        }
        _ = write!(text, "int main(void) {{\n{calls}    return 0;\n}}\n");
        let done = executed(&text, &["-std=gnu11", "-w", "-O0"]);
        for seed in chunk {
            let (holds, truth) = (done[seed].contains("holds"), Alignments::new(*seed).truth());
            match truth {
                Address::Known => assert!(holds, "seed {seed}"),
                Address::Other => assert!(!holds, "seed {seed}"),
                Address::Open => {}
            }
            known += u64::from(truth == Address::Known);
            other += u64::from(truth == Address::Other);
        }
    }
    assert!(known * 4 > programs && other * 10 > programs, "{known} known, {other} others of {programs}");
}
