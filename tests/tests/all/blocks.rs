//! Blocks of memory whose size is an input: random programs about them get no wrong answer about bounds, lives and reads of what
//! nothing has written. `BLOCKS_PROGRAMS` is how many.

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use testing::{Blocks, Scratch, Wrong, file};
use tests::{parallel, slam};

const PROLOGUE: &str = "extern int __VERIFIER_nondet_int(void);\n#define input() __VERIFIER_nondet_int()\n";

/// The kind of the verdict, and what is wrong with it.
fn judged(seed: u64) -> (String, Option<String>) {
    let (program, scratch) = (Blocks::new(seed), Scratch::new());
    let outcomes = program.outcomes();
    let kinds: BTreeSet<&str> = outcomes.iter().filter_map(|(_, wrong)| wrong.map(Wrong::kind)).collect();
    let text = program.text(PROLOGUE);
    let path = scratch.file("a.c", &text);
    let path = path.to_str().expect("scratch paths are UTF-8");
    let without = if seed.is_multiple_of(2) { "nothing" } else { "executions" };
    let checks = "only:bounds,free,uninit";
    let run = slam(&["check", "--check", checks, "--without", without, "--time-limit", "5s", path]);
    let verdict = run.verdict().split(" at ").next().unwrap_or_default().to_owned();
    let is_wrong = match verdict.split_once('(') {
        None => verdict != "SAFE" || !kinds.is_empty(),
        Some(("UNSAFE", kind)) => !kinds.contains(kind.trim_end_matches(')')),
        Some((word, _)) => word != "UNKNOWN",
    };
    (verdict, is_wrong.then(|| format!("seed {seed}, {outcomes:?}: {}\n{text}", run.stdout)))
}

#[test]
fn no_answer_about_blocks_is_wrong() {
    let programs = testing::number("BLOCKS_PROGRAMS", 10usize);
    let mut figures: BTreeMap<String, usize> = BTreeMap::new();
    let mut all_wrong = vec![];
    for (verdict, wrong) in parallel(2, programs, |seed| judged(seed as u64)) {
        *figures.entry(verdict).or_default() += 1;
        all_wrong.extend(wrong);
    }
    println!("{figures:?}");
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n\n"));
    let open: usize = figures.iter().filter(|(v, _)| v.starts_with("UNKNOWN")).map(|(_, n)| n).sum();
    assert!(open * 10 <= programs * 4, "few answers: {figures:?}");
}

/// The monitor that the verdicts are compared with agrees with the sanitizers about bounds and lives.
#[test]
fn the_monitor_of_blocks_agrees_with_the_sanitizer() {
    let scratch = Scratch::new();
    let prologue = "#include <stdlib.h>\nstatic int input(void) { static int at; return getenv(at++ ? \"K\" : \"N\")[0] - '0'; }\n";
    let (mut compared, mut failing) = (0, 0);
    for seed in testing::sample((0..12).collect(), 3) {
        let program = Blocks::new(seed);
        let (source, binary) = (scratch.file("a.c", program.text(prologue)), scratch.path().join("a"));
        let made = Command::new("cc")
            .args(["-w", "-O0", "-fsanitize=address,bounds", "-fno-sanitize-recover=all", "-o"])
            .args([&binary, &source])
            .output()
            .expect("the compiler can be run");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        for ([n, k], wrong) in program.outcomes() {
            // This sanitizer does not check reads of unwritten memory, and what comes behind them is not compared.
            if wrong == Some(Wrong::Uninit) {
                continue;
            }
            let run = Command::new(&binary)
                .env("N", n.to_string())
                .env("K", k.to_string())
                .env("ASAN_OPTIONS", "detect_leaks=0:exitcode=99")
                .output()
                .expect("the program can be run");
            let text = String::from_utf8_lossy(&run.stderr);
            let fails = text.contains("ERROR: AddressSanitizer") || text.contains("runtime error");
            assert_eq!(fails, wrong.is_some(), "seed {seed}, n {n}, k {k}: {wrong:?}\n{text}");
            compared += 1;
            failing += usize::from(fails);
        }
    }
    let (many, some) = if testing::is_long() { (100, 10) } else { (40, 5) };
    assert!(compared > many && failing > some, "{failing} of {compared} fail");
}

fn twins(name: &str, kind: &str, text: &str, (holds, fails): (&str, &str)) {
    let head = "#include <stdlib.h>\n#include <string.h>\nint __VERIFIER_nondet_int(void);\n";
    let verdict = |twin: &str, end: &str| {
        let path = file(&format!("{name}_{twin}.c"), format!("{head}{}\n", text.replace("HERE", end)));
        let checks = format!("only:{kind}");
        let run = slam(&[
            "check",
            "--check",
            &checks,
            "--tune",
            "without=executions",
            "--time-limit",
            "60s",
            &path,
        ]);
        run.verdict().split(" at ").next().unwrap_or_default().to_owned()
    };
    let found = [verdict("safe", holds), verdict("broken", fails)];
    assert_eq!(found, ["SAFE".to_owned(), format!("UNSAFE({kind})")], "{text}");
}

/// What loops and copies have written in blocks is known element by element.
#[test]
fn elements_of_blocks_are_written() {
    twins(
        "filled",
        "uninit",
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n <= 0 || n > 1000) return 0; int *p = malloc(n * sizeof *p); \
         if (!p) return 1; for (int i = HERE; i < n; i++) p[i] = 0; int s = p[n - 1]; free(p); return s; }",
        ("0", "1"),
    );
    twins(
        "walked",
        "uninit",
        "int main(void) { int t[10], s = 0; int *p = t, *e = t + 10; while (p < HERE) *p++ = 1; \
         for (p = t; p != e; ++p) s ^= *p; return s; }",
        ("e", "e - 1"),
    );
    twins(
        "copied",
        "uninit",
        "int main(void) { int *p = malloc(4 * sizeof *p), *q = malloc(8 * sizeof *q); if (!p || !q) return 1; \
         p[0] = p[2] = 1; memcpy(q + 1, p, 4 * sizeof *p); return q[HERE]; }",
        ("3", "2"),
    );
}
