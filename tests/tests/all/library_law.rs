//! The law of library functions: what compiled programs observe of random calls is something that the models allow.
//!
//! `LIBRARY_CALLS` is the number of calls and `LIBRARY_FIRST` that of the first one; `LIBRARY_LIMIT` is the time limit of each
//! check in seconds, and `LIBRARY_ONLY` a function or a sequence to look at alone. The figures are printed (`--nocapture`).

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use std::collections::{BTreeMap, BTreeSet};
use testing::{Dice, number};
use tests::library_law::ask::{self, Answer};
use tests::library_law::native::{self, Build};
use tests::library_law::{Call, Entry, Seen, draw, entries};
use tests::{parallel, root, slam};

/// Functions about which the models are known to be wrong, each with the reason. What is seen of them is counted and does
/// not fail the test.
const STILL_WRONG: &[(&str, &str)] = &[("strerror", "NULL when memory runs out")];

/// Calls that are compiled into one file.
const TOGETHER: usize = 250;

fn is_known(call: &Call) -> bool {
    STILL_WRONG.iter().any(|(name, _)| *name == call.function())
}

/// The iterations of each check: those that need more take long.
const ITERATIONS: &str = "10";

/// Runs the checker in this process.
fn verdict(program: &str, options: &[&str]) -> String {
    let file = testing::file("call.c", program);
    let limit = format!("{}s", number("LIBRARY_LIMIT", 3));
    let arguments =
        ["check", &file, "--time-limit", &limit, "--threads", "1", "--max-iterations", ITERATIONS];
    slam(&[&arguments[..], options].concat()).verdict().to_owned()
}

/// How far the entries of two calls with neighbouring numbers are apart: few calls are of all headers, too.
const STEP: usize = 97;

/// The calls with these numbers, of the entries in turn.
fn calls(entries: &[Entry], numbers: std::ops::Range<usize>) -> Vec<Call> {
    assert!(entries.len() == 1 || !entries.len().is_multiple_of(STEP), "each entry has its turn");
    numbers.map(|k| draw(&entries[k * STEP % entries.len()], &mut Dice::new(k as u64))).collect()
}

type Observation = Option<Vec<(usize, Seen)>>;

/// What compiled programs see of them.
fn observed(calls: &[Call], build: Build) -> Vec<Observation> {
    let folder = testing::folder();
    let chunks: Vec<&[Call]> = calls.chunks(TOGETHER).collect();
    let seen = parallel(jobs(), chunks.len(), |at| {
        let calls: Vec<&Call> = chunks[at].iter().collect();
        native::run(&folder, &format!("calls{at}"), &calls, build)
    });
    seen.concat()
}

/// How many threads work.
fn jobs() -> usize {
    number("LIBRARY_JOBS", 2)
}

#[test]
fn what_is_observed_is_allowed() {
    let only = std::env::var("LIBRARY_ONLY").ok();
    let of = |e: &Entry| only.as_ref().is_none_or(|only| e.name == *only || e.function() == only);
    let entries: Vec<Entry> = entries().into_iter().filter(of).collect();
    let (count, first) = (number("LIBRARY_CALLS", 40), number("LIBRARY_FIRST", 0));
    let calls = calls(&entries, first..first + count);
    // The other half is compiled with optimisation.
    let (plain, optimised) = calls.split_at(count / 2);
    let seen = [observed(plain, Build::Plain), observed(optimised, Build::Optimised)].concat();
    let answers = parallel(jobs(), calls.len(), |k| {
        let seen = seen[k].as_ref()?;
        let answer = ask::allows(&calls[k], seen, &verdict);
        let told = match &answer {
            Answer::Contradicted if !is_known(&calls[k]) => Some(ask::smallest(&calls[k], seen, &verdict)),
            Answer::Failed(verdict) if verdict != "ERROR(unsupported)" && !is_known(&calls[k]) => {
                Some(format!("// {verdict}\n{}", ask::program(&calls[k], seen)))
            }
            _ => None,
        };
        Some((answer, told))
    });
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (answer, _) in answers.iter().flatten() {
        *counts.entry(answer.name()).or_default() += 1;
    }
    println!("{count} calls from {first}: {} were observed; {counts:?}", answers.iter().flatten().count());
    let wrong: Vec<String> = (calls.iter().zip(&answers))
        .filter_map(|(call, answer)| Some((call, answer.as_ref()?.1.as_ref()?)))
        .map(|(call, text)| format!("// {}\n{text}", call.name))
        .collect();
    assert!(wrong.is_empty(), "{} observations that no model allows:\n{}", wrong.len(), wrong.join("\n"));
    // Most calls can be made, and most answers are decided.
    let decided = answers.iter().flatten().filter(|(answer, _)| answer.is_decided()).count();
    let observed = answers.iter().flatten().count();
    assert!(observed * 10 >= count * 9, "{observed} of {count} calls were observed");
    assert!(decided * 10 >= observed * 7, "{decided} of {observed} are decided: {counts:?}");
}

/// The functions in columns of the guide's table, the first of which says what is exact.
fn functions_of_the_guide(columns: std::ops::Range<usize>) -> BTreeSet<String> {
    let guide = std::fs::read_to_string(root().join("docs/guide/library.md")).expect("the guide is there");
    let rows = guide.lines().filter(|l| l.starts_with("| `<") || l.starts_with("| others"));
    let cells = rows.flat_map(|row| row.split('|').skip(2 + columns.start).take(columns.len()));
    let names = cells.flat_map(|cell| cell.split('`')).map(str::trim).filter(|n| !n.is_empty());
    let names: BTreeSet<String> = names.map(str::to_owned).collect();
    assert!(names.len() > 100 && names.contains("strlen"), "the table is read: {names:?}");
    names
}

/// Functions that the law does not call, each with the reason.
const NOT_CALLED: [(&str, &[&str]); 4] = [
    (
        "they do not return",
        &["_Exit", "__assert_fail", "abort", "exit", "quick_exit", "pthread_exit", "thrd_exit"],
    ),
    (
        "nobody would wake or join them",
        &["cnd_wait", "pthread_cond_wait", "sigsuspend", "sigwait", "thrd_join", "thrd_detach"],
    ),
    ("they act on other processes, or on the system", &["chroot", "kill", "system"]),
    ("not all C libraries have them", &["strlcat", "strlcpy"]),
];

/// The law has every function of the guide but those that are refused.
#[test]
fn every_function_of_the_guide_is_called() {
    let left_out: BTreeSet<&str> = NOT_CALLED.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let entries = entries();
    let breaks = |c: char| !c.is_alphanumeric() && c != '_';
    let called: BTreeSet<&str> = entries
        .iter()
        .flat_map(|e| [e.statements.split(breaks), e.name.split(breaks)])
        .flatten()
        // Those with variable arguments are called by functions of the program; `errno` is a macro.
        .map(|word| word.strip_prefix("law_").unwrap_or(word))
        .map(|word| if word == "errno" { "__errno_location" } else { word })
        .collect();
    let guide = functions_of_the_guide(0..4);
    let missing: Vec<&String> =
        guide.iter().filter(|n| !called.contains(n.as_str()) && !left_out.contains(n.as_str())).collect();
    assert!(missing.is_empty(), "functions that the law does not call: {missing:?}");
    let both: Vec<&&str> = left_out.iter().filter(|n| called.contains(**n)).collect();
    assert!(both.is_empty(), "functions that the law calls: {both:?}");
}

/// The functions that the guide calls exact. Whether allocations succeed is nobody's promise.
fn exact_functions() -> BTreeSet<String> {
    const ALLOCATE: [&str; 7] =
        ["malloc", "calloc", "aligned_alloc", "memalign", "valloc", "realloc", "reallocarray"];
    let exact = functions_of_the_guide(0..1);
    exact.into_iter().filter(|name| !ALLOCATE.contains(&name.as_str())).collect()
}

/// Where the guide calls a function exact, the models do nothing else than what was observed.
#[test]
fn exact_functions_do_nothing_else() {
    let exact = exact_functions();
    let entries: Vec<Entry> = entries().into_iter().filter(|e| exact.contains(e.function())).collect();
    let count = number("LIBRARY_CALLS", 100) / 5;
    let first = number("LIBRARY_FIRST", 0);
    let mut calls = calls(&entries, first..first + count);
    calls.retain(|call| call.has_memory() && !is_known(call));
    let seen = observed(&calls, Build::Plain);
    let wrong = parallel(jobs(), calls.len(), |k| {
        let seen = seen[k].as_ref()?;
        ask::errs(&calls[k], seen, &verdict).then(|| ask::other(&calls[k], seen))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    println!("{} calls of {} entries about exact functions", calls.len(), entries.len());
    assert!(wrong.is_empty(), "{} exact functions do something else:\n{}", wrong.len(), wrong.join("\n"));
}

/// Mistakes in models: an entry of the tables, and the function with the mistake.
const FAULTS: [(&str, &str); 12] = [
    // A block stays where it is.
    (
        "realloc twice",
        "void *realloc(void *p, unsigned long n) {\n  return !p ? malloc(n) : nondet() ? p : 0;\n}\n",
    ),
    // Nothing is written when reading fails.
    (
        "fgets",
        "char *fgets(char *s, int n, FILE *file) {\n  errno = nondet();\n  if (nondet())\n    return 0;\n  \
         for (int i = 0; i + 1 < n && nondet(); i++)\n    s[i] = nondet();\n  return s;\n}\n",
    ),
    // Numbers that are too large set no error.
    (
        "strtol",
        "long strtol(const char *s, char **end, int base) {\n  if (end)\n    *end = (char *)s + nondet();\n  return nondet_long();\n}\n",
    ),
    // One byte more is written.
    (
        "snprintf",
        "int snprintf(char *s, unsigned long n, const char *format, ...) {\n  for (unsigned long i = 0; i < n; i++)\n    \
         s[i] = nondet();\n  s[n] = 0;\n  return nondet();\n}\n",
    ),
    // What is left is not filled with NULs.
    (
        "strncpy",
        "char *strncpy(char *to, const char *from, unsigned long n) {\n  for (unsigned long i = 0; i < n; i++) {\n    \
         to[i] = from[i];\n    if (!from[i])\n      break;\n  }\n  return to;\n}\n",
    ),
    // Memory never runs out.
    (
        "strdup",
        "char *strdup(const char *s) {\n  char *p = malloc(strlen(s) + 1);\n  if (!p)\n    abort();\n  return strcpy(p, s);\n}\n",
    ),
    // The magnitude is 1.
    (
        "memcmp",
        "int memcmp(const void *p, const void *q, unsigned long n) {\n  const unsigned char *a = p, *b = q;\n  \
         for (unsigned long i = 0; i < n; i++)\n    if (a[i] != b[i])\n      return a[i] < b[i] ? -1 : 1;\n  return 0;\n}\n",
    ),
    // All characters become small.
    ("tolower", "int tolower(int c) {\n  return c | 32;\n}\n"),
    // The last byte is not observed.
    (
        "memchr",
        "void *memchr(const void *p, int c, unsigned long n) {\n  const unsigned char *s = p;\n  \
         for (unsigned long i = 0; i + 1 < n; i++)\n    if (s[i] == (unsigned char)c)\n      return (void *)(s + i);\n  return 0;\n}\n",
    ),
    // Input never ends.
    ("getchar", "int getchar(void) {\n  errno = nondet();\n  return nondet() & 255;\n}\n"),
    // The pointer is set when memory runs out.
    (
        "asprintf",
        "int asprintf(char **to, const char *format, ...) {\n  errno = nondet();\n  *to = 0;\n  if (nondet())\n    return -1;\n  \
         *to = malloc(100);\n  return nondet() & 1023;\n}\n",
    ),
    // The state of the last call is forgotten.
    (
        "strtok",
        "char *strtok(char *s, const char *set) {\n  if (!s)\n    return 0;\n  s += strspn(s, set);\n  if (!*s)\n    return 0;\n  \
         s[strcspn(s, set)] = 0;\n  return s;\n}\n",
    ),
];

/// What the faulty functions use.
const FAULT_HEADER: &str = "#define _GNU_SOURCE\n#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
    extern int __VERIFIER_nondet_int(void);\nextern long __VERIFIER_nondet_long(void);\n\
    #define nondet __VERIFIER_nondet_int\n#define nondet_long __VERIFIER_nondet_long\n";

/// The law finds mistakes in models: each contradicts an observation that the model without it allows.
#[test]
fn mistakes_in_models_are_found() {
    let all = entries();
    let faults = testing::sample(FAULTS.to_vec(), 2);
    let found = parallel(jobs(), faults.len(), |k| {
        let (name, text) = faults[k];
        let entries: Vec<Entry> = all.iter().filter(|e| e.name == name).cloned().collect();
        assert_eq!(entries.len(), 1, "{name} is one entry");
        let calls = calls(&entries, 0..80);
        let seen = observed(&calls, Build::Plain);
        let stub = testing::file("stub.c", format!("{FAULT_HEADER}{text}"));
        let faulty =
            |program: &str, options: &[&str]| verdict(program, &[options, &["--model", &stub]].concat());
        calls.iter().zip(&seen).any(|(call, seen)| {
            let Some(seen) = seen else { return false };
            ask::allows(call, seen, &faulty) == Answer::Contradicted
                && (is_known(call) || ask::allows(call, seen, &verdict) != Answer::Contradicted)
        })
    });
    let missed: Vec<&str> = faults.iter().zip(found).filter(|(_, found)| !found).map(|(f, _)| f.0).collect();
    assert!(missed.is_empty(), "mistakes that are not found: {missed:?}");
}
