//! Random programs with small arrays: their verdicts are those of all executions, and what proofs say of ranges of elements, and of
//! everything else at the heads of loops, holds in all executions. `ARRAYS_PROGRAMS` is how many, `ARRAYS_FIRST` the first seed.

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use crate::law::{self, Case, Done, Figures, WithHeads};
use serde_json::Value;
use std::fmt::Write;
use testing::{Arrays, ELEMENTS, Scratch, VALUES, number};

/// Programs in one file for the compiler.
const TOGETHER: usize = 100;

/// The lines before the body that the checker gets.
const PROLOGUE: &str =
    "#include <assert.h>\nextern int input(void);\n#define AT(array, index) array[index]\nint main(void) {\n";

/// What all programs of a file for the compiler share. Inputs come from a list; what fails goes back to the driver.
const NATIVE: &str = "#include <setjmp.h>
#include <stdio.h>
typedef long long mathint;
enum { ELEMENTS = @ELEMENTS, LEAST = @LEAST, VALUES = @VALUES };
static int inputs[1 + ELEMENTS], next;
static jmp_buf out;
static int input(void) { return inputs[next++]; }
static void fails(int kind) { longjmp(out, kind); }
static int inside(mathint index) { if (index < 0 || index >= ELEMENTS) fails(2); return (int)index; }
#define AT(array, index) array[inside(index)]
#define assert(e) ((e) ? (void)0 : fails(1))
static void all(int program, int (*run)(void)) {
    int found[4] = {0};
    for (int n = 0; n <= ELEMENTS; n++) {
        int count = 1;
        for (int i = 0; i < n; i++) count *= VALUES;
        for (int c = 0; c < count; c++) {
            int kind, rest = c;
            inputs[0] = n, next = 0;
            for (int i = 0; i < n; i++, rest /= VALUES) inputs[1 + i] = LEAST + rest % VALUES;
            kind = setjmp(out);
            if (kind == 0) run(); else found[kind] = 1;
        }
    }
    printf(\"%d%s%s%s\\n\", program, found[1] ? \" reach\" : \"\", found[2] ? \" bounds\" : \"\", found[3] ? \" invariant\" : \"\");
}
";

/// What all executions of programs do: the kinds of failures, by program. `heads` says what stands at heads of loops.
fn executed(programs: &[WithHeads]) -> Done {
    let least = *VALUES.start();
    let mut text = NATIVE
        .replace("@ELEMENTS", &ELEMENTS.to_string())
        .replace("@LEAST", &least.to_string())
        .replace("@VALUES", &(VALUES.end() - least + 1).to_string());
    for (seed, heads) in programs {
        let _ = writeln!(text, "static int p{seed}(void) {{\n{}}}", Arrays::new(*seed).body(heads));
    }
    text.push_str("int main(void) {\n");
    programs.iter().for_each(|(seed, _)| _ = writeln!(text, "    all({seed}, p{seed});"));
    text.push_str("    return 0;\n}\n");
    law::executed(&text, &["-w", "-O0"])
}

/// The verdict on a program, and what its result says.
fn checked(seed: u64) -> (String, Value) {
    let program = Arrays::new(seed);
    let scratch = Scratch::new();
    let text = format!("{PROLOGUE}{}}}\n", program.body(&vec![String::new(); program.heads()]));
    // Unrolling decides many programs without a word about elements, if it may.
    let without = if seed.is_multiple_of(4) { "unrolling" } else { "nothing" };
    let options = ["--check", "reach,bounds", "--time-limit", "20s", "--without", without];
    law::checked(&scratch, &text, &options)
}

/// What a result says at the heads of the program's loops, as expressions that fail where it does not hold.
fn heads(seed: u64, result: &Value) -> (Vec<String>, usize) {
    let program = Arrays::new(seed);
    let mut heads = vec![String::new(); program.heads()];
    let mut ranges = 0;
    for told in result["invariants"].as_array().into_iter().flatten() {
        let word = |member: &str| told[member].as_str().unwrap_or_default();
        let line = word("place").rsplit(':').next().and_then(|n| n.parse::<usize>().ok());
        let before = PROLOGUE.lines().count();
        let here = (0..heads.len()).find(|h| line == Some(before + program.line_of(*h)));
        let Some(head) = here else { continue };
        let text = word("invariant");
        let check = match text.strip_prefix("forall ") {
            Some(rest) => {
                ranges += 1;
                for_all(rest)
            }
            None => format!("if (!({text})) fails(3);"),
        };
        let _ = write!(heads[head], "({{ {check} 0; }}), ");
    }
    (heads, ranges)
}

/// `j in [from, to): condition` as a statement.
fn for_all(text: &str) -> String {
    let (range, condition) = text.split_once("): ").expect("a condition comes behind the range");
    let (variable, ends) = range.split_once(" in [").expect("a variable and its range");
    let (from, to) = ends.split_once(", ").expect("two ends");
    format!(
        "{{ mathint from_ = {from}, to_ = {to}; for (mathint at_ = from_; at_ < to_; at_++) \
         {{ int {variable} = (int)at_; if (!({condition})) fails(3); }} }}"
    )
}

#[test]
fn verdicts_about_arrays_are_those_of_all_executions() {
    let (count, first) = (number("ARRAYS_PROGRAMS", 4), number("ARRAYS_FIRST", 0));
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut open = vec![];
    let judge = |case: &Case<'_>| {
        let Case { seed, verdict, truth, .. } = case;
        if verdict.starts_with("UNKNOWN") {
            open.push(*seed);
        }
        let is_right = match verdict.split_once('(') {
            None => *verdict == "SAFE" && truth.is_empty(),
            Some(("UNSAFE", kind)) => truth.contains(kind.trim_end_matches(')')),
            Some((word, _)) => word == "UNKNOWN",
        };
        let holds = !case.with_heads.contains("invariant");
        (!is_right || !holds).then(|| {
            let body = Arrays::new(*seed).body(case.heads);
            format!("seed {seed}: {verdict}, executions {truth:?}, told holds: {holds}\n{body}")
        })
    };
    let figures = law::hold((&seeds, TOGETHER), checked, heads, |programs, _| executed(programs), judge);
    let Figures { verdicts, told: ranges, wrong } = &figures;
    println!("{verdicts:?}, {ranges} conditions about ranges; open: {open:?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    let of = |word: &str| figures.of(word);
    // Both answers occur, few programs stay open, and ranges are spoken of.
    assert!(5 * of("SAFE") >= count && 5 * of("UNSAFE") >= count, "{verdicts:?}");
    assert!(4 * of("UNKNOWN") <= count, "{verdicts:?}");
    assert!(*ranges >= seeds.len() / 10, "{ranges} conditions about ranges");
}
