//! The accesses of library functions against gcc's address sanitizer: of each pair of programs the first is in order and
//! the second is stopped, by the sanitizer on an input that is long enough and by the interpreter of C-- at a check.

use crate::common::{has_sanitizers, sanitized};
use cfront::Options;
use interp::{Inputs, Limits, Outcome, Value};
use ir::{CheckKind, EdgeId, HavocKind, LocId, ProcId, Type};
use std::fs::File;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use testing::Scratch;

const HEAD: &str = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\
    #include <unistd.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\nextern char *gets(char *);\n";

/// A function, what is in order, and what is not.
const PAIRS: [(&str, &str, &str); 22] = [
    ("read", "char b[16]; read(0, b, 16);", "char b[16]; read(0, b, 20);"),
    ("fread", "char b[16]; fread(b, 4, 4, stdin);", "char b[16]; fread(b, 4, 5, stdin);"),
    ("fwrite", "char b[16] = {0}; fwrite(b, 4, 4, stdout);", "char b[16] = {0}; fwrite(b, 4, 5, stdout);"),
    ("write", "char b[16] = {0}; write(1, b, 16);", "char b[16] = {0}; write(1, b, 20);"),
    ("puts", "char b[2] = {'a', 0}; puts(b);", "char b[2] = {'a', 'b'}; puts(b);"),
    ("fputs", "fputs(\"ab\", stdout);", "char b[2] = {'a', 'b'}; fputs(b, stdout);"),
    ("printf", "printf(\"%s%d\", \"ab\", 1);", "char b[2] = {'a', 'b'}; printf(\"%d%s\", 1, b);"),
    ("fopen", "fopen(\"x\", \"r\");", "char b[2] = {'a', 'b'}; fopen(b, \"r\");"),
    ("gets", "char b[1]; (void)b;", "char b[16]; gets(b);"),
    ("fgets", "char b[16]; fgets(b, 16, stdin);", "char b[16]; fgets(b, 20, stdin);"),
    ("scanf", "char b[16]; scanf(\"%15s\", b);", "char b[16]; scanf(\"%s\", b);"),
    ("fscanf", "char b[16]; fscanf(stdin, \"%15s\", b);", "char b[16]; fscanf(stdin, \"%16s\", b);"),
    ("scanf_int", "int x; scanf(\"%d\", &x);", "char x[2]; scanf(\"%d\", (int *)x);"),
    ("getcwd", "char b[4096]; getcwd(b, 4096);", "char b[1]; getcwd(b, 4096);"),
    ("readlink", "char b[8]; readlink(\"x\", b, 8);", "char b[2]; readlink(\"/proc/self/exe\", b, 9);"),
    (
        "freed",
        "char *p = calloc(8, 1); write(1, p, 8); free(p);",
        "char *p = calloc(8, 1); free(p); write(1, p, 8);",
    ),
    ("sprintf", "char b[4]; sprintf(b, \"%s\", \"abc\");", "char b[4]; sprintf(b, \"abcd\");"),
    ("snprintf", "char b[4]; snprintf(b, 4, \"abcdef\");", "char b[4]; snprintf(b, 8, \"abcdef\");"),
    ("stat", "struct stat s; stat(\"/\", &s);", "char s[4]; stat(\"/\", (struct stat *)s);"),
    (
        "clock_gettime",
        "struct timespec t; clock_gettime(0, &t);",
        "char t[4]; clock_gettime(0, (struct timespec *)t);",
    ),
    ("time", "time_t t; time(&t); time(0);", "char t[4]; time((time_t *)t);"),
    (
        "getline",
        "char *l = 0; size_t n = 0; getline(&l, &n, stdin);",
        "char *l = 0; int n = 0; getline(&l, (size_t *)&n, stdin);",
    ),
];

/// The inputs: long, so that every count fits. Of several ways one is taken: an allocation is watched or not.
struct Long(usize);

impl Inputs for Long {
    fn havoc(&mut self, _: ProcId, _: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        match (kind, ty) {
            (_, Type::Ptr(_)) => Value::Null,
            (HavocKind::Outside(_) | HavocKind::Analysis(_), _) => Value::Int(64),
            _ => Value::Int(1),
        }
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, _: &[EdgeId]) -> usize {
        self.0
    }
}

fn text(body: &str) -> String {
    format!("{HEAD}int main(void) {{ {body} return 0; }}\n")
}

fn load(text: &str, options: &Options) -> ir::Program {
    let front = crate::common::load_named("a.c", text, options);
    let program = front.unwrap_or_else(|f| panic!("{}", crate::common::render(&f))).program;
    assert_eq!(ir::check::check(&program), Vec::<String>::new());
    program
}

/// The kind of the check that fails, if one does.
fn fails(body: &str) -> Option<CheckKind> {
    let checks = vec![CheckKind::Bounds, CheckKind::Free, CheckKind::Null, CheckKind::Uninit];
    let options = Options { checks, malloc_may_fail: false, need_checks: false, ..Options::default() };
    let program = load(&text(body), &options);
    let outcomes = [0, 1].map(|way| {
        interp::run(&program, &mut Long(way), &Limits::default(), &AtomicBool::new(false)).outcome
    });
    let failed = outcomes.iter().find_map(|o| match o {
        Outcome::CheckFailed(check) => Some(program.checks[*check].kind),
        _ => None,
    });
    let ended = outcomes.iter().all(|o| matches!(o, Outcome::Finished(_)));
    assert!(ended || failed.is_some(), "{outcomes:?}\n{body}");
    failed
}

/// Whether the sanitizer stops the program, on a line of 200 characters.
fn stopped(body: &str) -> bool {
    let scratch = Scratch::new();
    let (file, program) = (scratch.file("a.c", text(body)), scratch.path().join("program"));
    let input = scratch.file("input", format!("{}\n", "7".repeat(200)));
    sanitized(&file, &program);
    let mut run = Command::new(&program);
    run.env("ASAN_OPTIONS", "detect_leaks=0").current_dir(scratch.path());
    run.stdin(File::open(input).expect("the input is there")).stdout(Stdio::null()).stderr(Stdio::null());
    !run.status().expect("the program can be run").success()
}

#[test]
fn the_interpreter_stops_where_the_sanitizer_does() {
    let sanitizers = has_sanitizers();
    if !sanitizers {
        testing::skipped("gcc with sanitizers, for a half of it");
    }
    for (name, good, bad) in testing::sample(PAIRS.to_vec(), 2) {
        assert_eq!(fails(good), None, "{name}: {good}");
        assert!(fails(bad).is_some(), "{name}: {bad}");
        if sanitizers {
            assert_eq!([good, bad].map(stopped), [false, true], "{name}: {good} {bad}");
        }
    }
}

#[test]
fn what_the_sanitizer_does_not_see_is_checked_or_not_modelled() {
    assert_eq!(fails("setvbuf(stdout, 0, 0, 3);"), None);
    // The library would write there later.
    let buffer = "char b[3] = {0}; (void)b; setvbuf(stdout, b, 0, 3);";
    assert_eq!(fails(buffer), Some(CheckKind::Unmodelled));
    // The kernel writes these, which the sanitizer does not see.
    assert_eq!(fails("int p[2]; pipe(p);"), None);
    assert_eq!(fails("int *p = malloc(4); pipe(p);"), Some(CheckKind::Bounds));
    let text_of_time = "char b[2]; struct tm t = {0}; strftime(b, 8, \"%Y\", &t);";
    assert_eq!(fails(text_of_time), Some(CheckKind::Unmodelled));
    let by_address =
        "static size_t (*f)(const char *) = strlen; static int (*g)(const char *) = puts; return f && g;";
    assert_eq!(fails(by_address), None);
    let options = Options { checks: vec![CheckKind::Bounds], need_checks: false, ..Options::default() };
    let program = load(&text("char b[3]; setbuffer(stdout, b, 3);"), &options);
    let messages: Vec<&str> = program.checks.iter().map(|c| c.message.as_str()).collect();
    assert_eq!(messages, ["no model: setbuffer"]);
}

#[test]
fn accesses_are_written_down_only_where_memory_is_checked() {
    let options = Options { need_checks: false, ..Options::default() };
    let program = load(&text("char b[3]; read(0, b, 9);"), &options);
    let accesses = program
        .procs
        .iter()
        .flat_map(|p| &p.edges)
        .filter(|e| matches!(&e.op, ir::Op::Output { output: ir::Output::Access(_), .. }));
    assert_eq!(accesses.count(), 0);
}

#[test]
fn a_write_at_a_variable_index_is_seen() {
    let body = |n| format!("int a[4]; for (int i = 0; i < {n}; i++) a[i] = i; return a[3];");
    assert_eq!(fails(&body(4)), None);
    assert_eq!(fails(&body(3)), Some(CheckKind::Uninit));
    let sum = |n| format!("int a[4], s = 0, j = 3; for (int i = 0; i < {n}; i++) a[i] = i; return a[j];");
    assert_eq!(fails(&sum(4)), None);
    assert_eq!(fails(&sum(3)), Some(CheckKind::Uninit));
}

#[test]
fn what_functions_without_body_get_may_be_written() {
    assert_eq!(fails("struct stat s; stat(\"x\", &s); return s.st_mode;"), None);
    assert_eq!(fails("extern void fill(int *); int x; fill(&x); return x;"), None);
    assert_eq!(fails("extern void fill(int **); int x, *p = &x; fill(&p); return x;"), None);
}

/// The inputs of an execution in which no input is anything but 0, and every call is modelled.
struct Zeros;

impl Inputs for Zeros {
    fn havoc(&mut self, _: ProcId, _: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        match (kind, ty) {
            (_, Type::Ptr(_)) => Value::Null,
            (HavocKind::Analysis(_), _) => Value::Int(1),
            _ => Value::Int(0),
        }
    }
}

/// The functions of the table and their needs, as its text has them.
fn table() -> Vec<(Vec<&'static str>, &'static str)> {
    let text = include_str!("../../src/library/table.rs");
    let row = |text: &'static str| {
        let call = text.split("needs(&[").next()?;
        let quoted = call.split('"').skip(1).step_by(2).collect::<Vec<_>>();
        let names = quoted.iter().rfind(|names| !names.ends_with(".h"))?;
        let needs = text.split_once("needs(&[")?.1.split(']').next()?;
        Some((names.split([' ', '\\', '\n']).filter(|n| !n.is_empty()).collect(), needs))
    };
    text.split("Row::of(").skip(1).filter_map(row).collect()
}

/// A need: its word and its numbers, without the names of lengths.
fn needs(text: &str) -> Vec<(&str, Vec<usize>)> {
    let parts = text.split("),").flat_map(|part| part.split_once('('));
    let numbers =
        |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    parts.map(|(word, rest)| (word.trim(), numbers(rest))).collect()
}

/// A program that passes NULL or a literal to the function's string, and valid arguments for everything else
/// that its contract mentions. The function has `count` parameters.
fn passes_null(name: &str, all: &[(&str, Vec<usize>)], text: usize, count: usize) -> String {
    let argument = |n: usize| match all.iter().find(|(_, numbers)| numbers.first() == Some(&n)) {
        _ if n == text => "__VERIFIER_nondet_int() ? \"a\" : 0",
        Some((word, _)) if word.contains("Text") => "\"a\"",
        Some(("Format", _)) => "\"a\"",
        Some(_) => "(void *)b",
        None => "0",
    };
    let args: Vec<&str> = (0..count).map(argument).collect();
    let heads = [
        "dirent.h",
        "fcntl.h",
        "locale.h",
        "math.h",
        "stdarg.h",
        "sys/statvfs.h",
        "sys/vfs.h",
        "syslog.h",
        "wchar.h",
    ];
    let heads: String = heads.iter().map(|h| format!("#include <{h}>\n")).collect();
    format!(
        "#define _LARGEFILE64_SOURCE\n{HEAD}{heads}extern int printk(const char *, ...);\nint __VERIFIER_nondet_int(void);\nstatic long b[4096];\n\
         int main(void) {{ {name}({}); return 0; }}\n",
        args.join(", ")
    )
}

/// NULL is not a string, and that the other strings are literals changes nothing.
#[test]
fn null_is_no_string_for_any_function() {
    let mut tested = 0;
    for (names, row) in table() {
        let all = needs(row);
        let strings = all.iter().filter(|(word, _)| matches!(*word, "Text" | "Format")).map(|(_, n)| n[0]);
        for (name, text) in strings.flat_map(|n| names.iter().map(move |name| (*name, n))) {
            let least = all.iter().flat_map(|(_, numbers)| numbers.first()).max().expect("a string") + 1;
            let options = Options { checks: vec![CheckKind::Null], need_checks: false, ..Options::default() };
            let program = (least..8).find_map(|count| {
                crate::common::load_named("a.c", &passes_null(name, &all, text, count), &options).ok()
            });
            let program = program.unwrap_or_else(|| panic!("{name}: which header declares it?")).program;
            let run = interp::run(&program, &mut Zeros, &Limits::default(), &AtomicBool::new(false));
            let failed = match run.outcome {
                Outcome::CheckFailed(check) => Some(program.checks[check].kind),
                _ => None,
            };
            assert_eq!(failed, Some(CheckKind::Null), "{name}, argument {text}: {:?}", run.outcome);
            tested += 1;
        }
    }
    assert!(tested > 60, "the table is read: {tested}");
}
