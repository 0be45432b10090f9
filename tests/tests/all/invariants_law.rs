//! The law of invariants: of random programs with loops that keep polynomial relations or bounds of two variables the verdict of
//! `slam check` agrees with a compiled program that goes through the inputs, and every fact in a result holds at its
//! loop in these executions, whatever candidates were given: some of one program in five hold, others do not.
//!
//! `INVARIANTS_PROGRAMS` is how many, `INVARIANTS_FIRST` the first seed.

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

mod programs;

use crate::law::{self, Case, Done, Figures, WithHeads};
use programs::{Looping, VARIABLES};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use testing::{Scratch, number};

/// Programs in one file for the compiler.
const TOGETHER: usize = 50;

/// The lines before the body that the checker gets.
const PROLOGUE: &str = "#include <assert.h>\nextern int input(void);\nint main(void) {\n";

/// The common part of all programs of a file for the compiler. The number of iterations takes each value, or with
/// facts to be evaluated small ones and some others; truth values are all false, all true, and drawn.
const NATIVE: &str = "#include <setjmp.h>
#include <stdio.h>
typedef __int128 mathint;
static int inputs[2], next, ways;
static unsigned long long drawn;
static jmp_buf out;
static int input(void) {
    if (next < 2) return inputs[next++];
    if (ways < 2) return ways;
    drawn = drawn * 6364136223846793005ull + 1442695040888963407ull;
    return (drawn >> 40) & 1;
}
static void fails(int kind) { longjmp(out, kind); }
#define assert(e) ((e) ? (void)0 : fails(1))
static void all(int program, int most, int low, int high, int choices, int few, int (*run)(void)) {
    int found[3] = {0};
    for (int n = 0; n <= most; n++) {
        if (few && n > 30 && n % 97 != 0 && n != most) continue;
        for (int a = low; a <= high; a++) {
            for (ways = 0; ways < choices; ways++) {
                int kind;
                inputs[0] = n, inputs[1] = a, next = 0, drawn = ways * 1000003ull + n;
                kind = setjmp(out);
                if (kind == 0) run(); else found[kind] = 1;
            }
        }
    }
    printf(\"%d%s%s\\n\", program, found[1] ? \" assertion\" : \"\", found[2] ? \" fact\" : \"\");
}
";

/// What executions of programs do, by program. `heads` says what stands at heads of loops.
fn executed(programs: &[WithHeads], few: bool) -> Done {
    let mut text = NATIVE.to_owned();
    for (seed, heads) in programs {
        let _ = writeln!(text, "static int p{seed}(void) {{\n{}}}", Looping::new(*seed).body(heads));
    }
    text.push_str("int main(void) {\n");
    for (seed, _) in programs {
        let Looping { most, values: (low, high), chooses, .. } = Looping::new(*seed);
        let choices = if chooses { 6 } else { 1 };
        let _ =
            writeln!(text, "    all({seed}, {most}, {low}, {high}, {choices}, {}, p{seed});", i32::from(few));
    }
    text.push_str("    return 0;\n}\n");
    law::executed(&text, &["-w", "-O1", "-fwrapv"])
}

/// How a program is checked. Unrolling and executions decide many programs without a word about loops, if they may.
fn way(seed: u64) -> &'static [&'static str] {
    match seed % 6 {
        0 | 1 => &[],
        2 => &["--tune", "without=unrolling"],
        3 => &["--tune", "without=executions,solved,unrolling"],
        4 => &["--tune", "without=computed,conditions,solved,bounds,unrolling"],
        _ => &["--tune", "without=observed,solved,unrolling,bounds"],
    }
}

/// The verdict on a program, and what its result says.
fn checked(seed: u64) -> (String, Value) {
    let program = Looping::new(seed);
    let scratch = Scratch::new();
    let text = format!("{PROLOGUE}{}}}\n", program.body(&vec![String::new(); program.heads()]));
    let place = format!("a.c:{}:", PROLOGUE.lines().count() + program.line_of(0));
    let lines = program.candidates.iter().map(|candidate| format!("{place} {candidate}\n"));
    let list = law::argument(&scratch.file("a.inv", lines.collect::<String>()));
    let given: &[&str] = if seed % 5 == 1 { &["--invariants", &list] } else { &[] };
    law::checked(&scratch, &text, &[&["--time-limit", "4s"], way(seed), given].concat())
}

/// The facts in a result about the program's loops, as expressions that fail where they do not hold, and how many.
fn heads(seed: u64, result: &Value) -> (Vec<String>, usize) {
    let program = Looping::new(seed);
    let mut heads = vec![String::new(); program.heads()];
    let mut count = 0;
    let before = PROLOGUE.lines().count();
    for told in result["facts"].as_array().into_iter().flatten() {
        let word = |member: &str| told[member].as_str().unwrap_or_default();
        let line = word("place").rsplit(':').next().and_then(|n| n.parse::<usize>().ok());
        let here = (0..heads.len()).find(|h| line == Some(before + program.line_of(*h)));
        let (Some(head), text) = (here, word("invariant")) else { continue };
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut words = text.split(|c| !is_word(c)).filter(|w| w.starts_with(char::is_alphabetic));
        let known = ["mathint", "int", "long", "unsigned"];
        if words.all(|word| VARIABLES.contains(&word) || known.contains(&word)) {
            count += 1;
            let _ = write!(heads[head], "({{ if (!({text})) fails(2); 0; }}), ");
        }
    }
    (heads, count)
}

#[test]
fn facts_and_verdicts_are_those_of_executions() {
    let (count, first) = (number("INVARIANTS_PROGRAMS", 8), number("INVARIANTS_FIRST", 0));
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut open = BTreeMap::<&str, usize>::new();
    let judge = |case: &Case<'_>| {
        let Case { seed, verdict, .. } = case;
        if verdict.starts_with("UNKNOWN") {
            *open.entry(Looping::new(*seed).kind).or_default() += 1;
        }
        let fails = case.truth.contains("assertion");
        let is_right = match verdict.split_once('(') {
            None => *verdict == "SAFE" && !fails,
            Some(("UNSAFE", _)) => fails,
            Some((word, _)) => word == "UNKNOWN",
        };
        let holds = !case.with_heads.contains("fact");
        (!is_right || !holds).then(|| {
            let (body, way) = (Looping::new(*seed).body(case.heads), way(*seed));
            format!(
                "seed {seed}, {way:?}: {verdict}, the assertion fails: {fails}, told holds: {holds}\n{body}"
            )
        })
    };
    let figures = law::hold((&seeds, TOGETHER), checked, heads, executed, judge);
    let Figures { verdicts, told: facts, wrong } = &figures;
    println!("{verdicts:?}, {facts} facts, {} wrong; open: {open:?}", wrong.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    let of = |word: &str| figures.of(word);
    // Both answers occur, few programs stay open, and facts are reported.
    assert!(4 * of("SAFE") >= count && 4 * of("UNSAFE") >= count, "{verdicts:?}");
    assert!(5 * of("UNKNOWN") <= count, "{verdicts:?}");
    assert!(*facts as u64 >= 3 * count, "{facts} facts");
}

#[test]
fn executions_find_what_is_no_fact() {
    let with = |text: &str| {
        let head = format!("({{ if (!({text})) fails(2); 0; }}), ");
        let heads = |seed: u64| {
            let mut all = vec![String::new(); Looping::new(seed).heads()];
            all[0].clone_from(&head);
            all
        };
        let programs: Vec<_> = (0..10).map(|seed| (seed, heads(seed))).collect();
        executed(&programs, true).values().filter(|found| found.contains("fact")).count()
    };
    assert_eq!([with("i >= 0"), with("i < n"), with("i <= n && n <= 1000")], [0, 10, 0]);
}
