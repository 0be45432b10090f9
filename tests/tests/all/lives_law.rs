//! Lives of objects: random programs about locals, compound literals and what calls return get no wrong answer. `LIVES_PROGRAMS` is how
//! many, `LIVES_FIRST` the first seed.

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use crate::law::executed_by;
use ir::faults::{FAULTS, Fault, seed};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::Command;
use testing::{Life, Lives, Scratch, number};
use tests::{parallel, slam};

/// The kind of the verdict, and what is wrong with it.
pub(crate) fn judged(seed: u64) -> (String, Option<String>) {
    let (program, scratch) = (Lives::new(seed), Scratch::new());
    let outcomes = program.outcomes();
    let wrong = program.wrong_result();
    let errors = outcomes.iter().filter_map(|(_, life)| match life {
        Life::Dead => Some("free"),
        Life::Ended(result) => (*result == wrong).then_some("reach"),
    });
    let errors: BTreeSet<&str> = errors.collect();
    let text = format!(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n{}{}int main(void) {{\n    \
         int c = __VERIFIER_nondet_int();\n    if (c != 0 && c != 1) return 0;\n    if (run(c) == {wrong}) reach_error();\n    return 0;\n}}\n",
        Lives::head(),
        program.function("run")
    );
    let path = scratch.file("a.c", &text);
    let path = path.to_str().expect("scratch paths are UTF-8");
    let without = if seed.is_multiple_of(4) { "executions" } else { "nothing" };
    let run = slam(&["check", "--check", "reach,free", "--without", without, "--time-limit", "20s", path]);
    let verdict = run.verdict().split(" at ").next().unwrap_or_default().to_owned();
    let is_wrong = match verdict.split_once('(') {
        None => verdict != "SAFE" || !errors.is_empty(),
        Some(("UNSAFE", kind)) => !errors.contains(kind.trim_end_matches(')')),
        Some((word, _)) => word != "UNKNOWN",
    };
    (verdict, is_wrong.then(|| format!("seed {seed}, {outcomes:?}: {}{}\n{text}", run.stdout, run.stderr)))
}

#[test]
fn no_answer_about_lives_is_wrong() {
    let (programs, first) = (number("LIVES_PROGRAMS", 10), number("LIVES_FIRST", 0));
    let mut figures: BTreeMap<String, u64> = BTreeMap::new();
    let mut all_wrong = vec![];
    for (verdict, wrong) in parallel(2, programs as usize, |seed| judged(first + seed as u64)) {
        *figures.entry(verdict).or_default() += 1;
        all_wrong.extend(wrong);
    }
    println!("{figures:?}");
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n\n"));
    for word in ["SAFE", "UNSAFE(free)"] {
        let told = figures.get(word).copied().unwrap_or(0);
        assert!(told * 10 >= programs, "few answers {word}: {figures:?}");
    }
}

/// What the monitor says of programs is what compiled ones do: where it sees every object alive the sanitizer does, too, and the results
/// are equal. The sanitizer does not see the end of each object, so that the other direction holds for many.
#[test]
fn the_monitor_of_lives_agrees_with_the_sanitizer() {
    let programs = number("LIVES_PROGRAMS", 10).max(60);
    let first = number("LIVES_FIRST", 0);
    let (mut ended, mut dead, mut seen) = (0, 0, 0);
    for chunk in (first..first + programs).collect::<Vec<u64>>().chunks(200) {
        let mut text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n{}",
            Lives::head()
        );
        for seed in chunk {
            text.push_str(&Lives::new(*seed).function(&format!("run{seed}")));
        }
        text.push_str(
            "static void one(long seed, int (*run)(int), int c) {\n    fflush(stdout);\n    int status;\n    if (fork() == 0) {\n        \
             freopen(\"/dev/null\", \"w\", stderr);\n        int r = run(c);\n        printf(\"%ld %d:%d\\n\", seed, c, r);\n        fflush(stdout);\n        _exit(0);\n    }\n    \
             wait(&status);\n    if (status) printf(\"%ld %d:dead\\n\", seed, c);\n}\nint main(void) {\n",
        );
        for seed in chunk {
            testing::INPUTS.iter().for_each(|c| _ = writeln!(text, "    one({seed}, run{seed}, {c});"));
        }
        text.push_str("    return 0;\n}\n");
        let options = ["-std=gnu11", "-w", "-O0", "-fsanitize=address", "-fsanitize-address-use-after-scope"];
        let done = executed_by(&text, &options, &[("ASAN_OPTIONS", "detect_leaks=0")]);
        for seed in chunk {
            for (input, life) in Lives::new(*seed).outcomes() {
                let said = |word: String| done[seed].contains(&format!("{input}:{word}"));
                match life {
                    Life::Ended(result) => {
                        assert!(
                            said(result.to_string()),
                            "seed {seed}, input {input}: {life:?}, {:?}",
                            done[seed]
                        );
                        ended += 1;
                    }
                    Life::Dead => {
                        dead += 1;
                        seen += u64::from(said("dead".to_owned()));
                    }
                }
            }
        }
    }
    println!("{ended} executions end; of {dead} that follow a dead pointer the sanitizer sees {seen}");
    assert!(ended > 0 && seen * 2 > dead, "{ended} end, {dead} do not, {seen} of them seen");
}

/// Names the mistake, where the test has called itself.
const VARIABLE: &str = "SLAM_TEST_LIVES_FAULT";

/// Programs that may be needed to find a mistake.
const PROGRAMS: u64 = 60;

/// Programs that have found one: these are tried first, but in a long run.
const KNOWN: [u64; 2] = [16, 43];

/// The seed of the first program that shows the mistake: its answer is wrong with it, and not without.
fn found_by(fault: Fault) -> Option<u64> {
    let judged = match fault {
        Fault::EndsUnnoticed | Fault::HoldersEnd => judged,
        Fault::TwiceAligned | Fault::AllocatedTwiceAligned => crate::alignment_law::judged,
    };
    let known = KNOWN.into_iter().filter(|_| !testing::is_long());
    known.chain(0..PROGRAMS).find(|program| {
        seed(Some(fault));
        let (_, wrong) = judged(*program);
        seed(None);
        wrong.is_some() && judged(*program).1.is_none()
    })
}

/// A mistake affects a whole process, so that each is tested in one of its own: this test calls itself.
#[test]
fn each_deliberate_mistake_about_lives_is_found() {
    tests::root();
    if let Ok(name) = std::env::var(VARIABLE) {
        let fault = FAULTS.into_iter().find(|fault| format!("{fault:?}") == name);
        let found = found_by(fault.expect("the mistake has a name"));
        println!("\nFOUND: {}", found.map_or(String::new(), |program| program.to_string()));
        return;
    }
    let found = parallel(2, FAULTS.len(), |n| in_its_own_process(FAULTS[n]));
    for (fault, found) in FAULTS.iter().zip(&found) {
        println!("{fault:?} is found by {found:?}");
    }
    assert!(found.iter().all(Option::is_some), "{found:?}");
}

fn in_its_own_process(fault: Fault) -> Option<String> {
    let mut own = Command::new(std::env::current_exe().expect("a test has a path"));
    own.args(["--exact", "lives_law::each_deliberate_mistake_about_lives_is_found", "--nocapture"]);
    let output = own.env(VARIABLE, format!("{fault:?}")).output().expect("a test can be started");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{fault:?}: {told}\n{}", String::from_utf8_lossy(&output.stderr));
    let found = told.lines().find_map(|line| line.strip_prefix("FOUND: "))?;
    (!found.is_empty()).then(|| found.to_owned())
}
