//! Random programs with small arrays: their verdicts are those of all executions, and what proofs say of ranges of elements, and of
//! everything else at the heads of loops, holds in all executions. `ARRAYS_PROGRAMS` is how many, `ARRAYS_FIRST` the first seed.

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::Command;
use testing::{Arrays, ELEMENTS, Scratch, VALUES};
use tests::{parallel, slam};

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
fn executed(programs: &[(u64, Vec<String>)]) -> BTreeMap<u64, BTreeSet<String>> {
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
    let scratch = Scratch::new();
    let (source, binary) = (scratch.file("all.c", &text), scratch.path().join("all"));
    let made = Command::new("cc").args(["-w", "-O0", "-o"]).args([&binary, &source]).output();
    let made = made.expect("the compiler can be run");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let run = Command::new(&binary).output().expect("the program can be run");
    assert!(run.status.success());
    let words = String::from_utf8(run.stdout).expect("words");
    let lines = words.lines().map(|line| {
        let mut words = line.split(' ');
        let seed = words.next().and_then(|seed| seed.parse().ok()).expect("a number comes first");
        (seed, words.map(str::to_owned).collect())
    });
    lines.collect()
}

/// The verdict on a program, and what its result says.
fn checked(seed: u64) -> (String, Value) {
    let program = Arrays::new(seed);
    let scratch = Scratch::new();
    let text = format!("{PROLOGUE}{}}}\n", program.body(&vec![String::new(); program.heads()]));
    let (file, json) = (scratch.file("a.c", text), scratch.path().join("a.json"));
    let path = |p: &std::path::Path| p.to_str().expect("scratch paths are UTF-8").to_owned();
    let (file, json) = (path(&file), path(&json));
    // Unrolling decides many programs without a word about elements, if it may.
    let unroll = if seed.is_multiple_of(4) { "off" } else { "on" };
    let words =
        ["check", "--check", "reach,bounds", "--time-limit", "20s", "--threads", "1", "--unroll", unroll];
    let run = slam(&[&words[..], &["--json", &json, &file]].concat());
    let result = std::fs::read_to_string(&json).ok().and_then(|text| serde_json::from_str(&text).ok());
    (run.verdict().split(" at ").next().unwrap_or_default().to_owned(), result.unwrap_or(Value::Null))
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
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().map_or(default, |text| text.parse().expect("the variable is a number"))
    };
    let (count, first) = (number("ARRAYS_PROGRAMS", 40), number("ARRAYS_FIRST", 0));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel(2, seeds.len(), |n| checked(seeds[n]));
    let (mut figures, mut wrong, mut open, mut ranges) =
        (BTreeMap::<String, usize>::new(), vec![], vec![], 0);
    let told: Vec<(u64, Vec<String>)> = seeds
        .iter()
        .zip(&results)
        .map(|(seed, (_, result))| {
            let (heads, found) = heads(*seed, result);
            ranges += found;
            (*seed, heads)
        })
        .collect();
    for (programs, results) in told.chunks(TOGETHER).zip(results.chunks(TOGETHER)) {
        let plain: Vec<_> =
            programs.iter().map(|(s, heads)| (*s, vec![String::new(); heads.len()])).collect();
        let (truth, with_heads) = (executed(&plain), executed(programs));
        for ((seed, heads), (verdict, _)) in programs.iter().zip(results) {
            *figures.entry(verdict.clone()).or_default() += 1;
            if verdict.starts_with("UNKNOWN") {
                open.push(*seed);
            }
            let kinds = &truth[seed];
            let is_right = match verdict.split_once('(') {
                None => verdict == "SAFE" && kinds.is_empty(),
                Some(("UNSAFE", kind)) => kinds.contains(kind.trim_end_matches(')')),
                Some((word, _)) => word == "UNKNOWN",
            };
            let holds = !with_heads[seed].contains("invariant");
            if !is_right || !holds {
                let body = Arrays::new(*seed).body(heads);
                wrong.push(format!(
                    "seed {seed}: {verdict}, executions {kinds:?}, told holds: {holds}\n{body}"
                ));
            }
        }
    }
    println!("{figures:?}, {ranges} conditions about ranges; open: {open:?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    let of = |word: &str| -> u64 {
        figures.iter().filter(|(v, _)| v.starts_with(word)).map(|(_, n)| *n as u64).sum()
    };
    // Both answers occur, few programs stay open, and ranges are spoken of.
    assert!(5 * of("SAFE") >= count && 5 * of("UNSAFE") >= count, "{figures:?}");
    assert!(4 * of("UNKNOWN") <= count, "{figures:?}");
    assert!(ranges >= seeds.len() / 10, "{ranges} conditions about ranges");
}
