//! Functions that are entered by themselves (`--entry`, `--each-function`, `slam harness`), and what users type.

use tests::slam;

const STACK: &str = "
struct stack { int items[8]; int top; };
struct node { int value; struct node *next; };
static int pushed;
void push(struct stack *s, int x) { if (s && s->top >= 0 && s->top < 8) s->items[s->top++] = x; }
int pop(struct stack *s) { return s->items[--s->top]; }
int last(const struct node *n) { while (n->next) n = n->next; return n->value; }
int half(int x) { return x / 2; }
int quotient(int x, int y) { if (y == 0 || y == -1) return 0; return x / y; }
int first(const char *s) { if (!s) return -1; return s[0]; }
int twice(int (*f)(int), int x) { return f(f(x)); }
int counted(void) { return 100 / (pushed + 1); }
";

fn file() -> String {
    testing::file("stack.c", STACK)
}

fn verdict(entry: &str, options: &[&str]) -> String {
    let run = slam(&[&["check", "--time-limit", "20s", "--entry", entry, &file()], options].concat());
    run.verdict().split(" at ").next().unwrap_or_default().to_owned()
}

#[test]
fn arguments_are_any_of_their_types() {
    for (entry, kinds, wanted) in [
        ("push", "null,bounds", "SAFE"),
        ("pop", "null", "UNSAFE(null)"),
        ("pop", "bounds", "UNSAFE(bounds)"),
        ("last", "null", "UNSAFE(null)"),
        ("half", "overflow,div0", "SAFE"),
        ("quotient", "overflow,div0", "SAFE"),
        ("first", "null", "SAFE"),
        ("twice", "null", "SAFE"),
    ] {
        assert_eq!(verdict(entry, &["--check", kinds]), wanted, "{entry}");
    }
}

#[test]
fn globals_hold_what_they_begin_with_unless_any_value_is_asked_for() {
    assert_eq!(verdict("counted", &["--check", "div0"]), "SAFE");
    assert_eq!(verdict("counted", &["--check", "div0", "--globals", "any"]), "UNSAFE(div0)");
}

/// Statics of functions are there before the entry function is called, as globals are; constants keep their values.
#[test]
fn statics_of_functions_hold_any_value_as_globals_do() {
    let path = testing::file(
        "statics.c",
        "extern void reach_error(void);
struct s { int n; const int k; };
static int once(void) { static int n = 1; if (n != 1) reach_error(); n = 2; return n; }
int called(void) { return once(); }
int constant(void) { static const int k[2] = { 1, 2 }; if (k[1] != 2) reach_error(); return 0; }
int large(void) { static char b[300] = { 1 }; if (b[299]) reach_error(); return 0; }
int pointer(void) { static int *p, x; if (p == &x) reach_error(); return p != 0; }
int kept(void) { static int n; n = 3; return n; }
int keeps(void) { if (kept() != 3) reach_error(); return 0; }
",
    );
    let at = |entry: &str, globals: &str| {
        let run = slam(&["check", "--time-limit", "20s", "--entry", entry, "--globals", globals, &path]);
        run.verdict().split(" at ").next().unwrap_or_default().to_owned()
    };
    for entry in ["called", "constant", "large", "pointer", "keeps"] {
        assert_eq!(at(entry, "initial"), "SAFE", "{entry}");
    }
    assert_eq!(at("called", "any"), "UNSAFE(reach)");
    assert_eq!((at("constant", "any").as_str(), at("keeps", "any").as_str()), ("SAFE", "SAFE"));
    // No execution is reported that depends on values that cannot be given, but nothing is proved either.
    for entry in ["large", "pointer"] {
        assert_ne!(at(entry, "any"), "SAFE", "{entry}");
    }
}

#[test]
fn arrays_have_the_size_that_is_asked_for() {
    let path = testing::file("sum.c", "int third(int *a) { return a ? a[2] : 0; }\n");
    let at = |size: &str| {
        let run = slam(&["check", "--check", "bounds", "--entry", "third", "--array-size", size, &path]);
        run.verdict().split(" at ").next().unwrap_or_default().to_owned()
    };
    assert_eq!((at("2").as_str(), at("3").as_str()), ("UNSAFE(bounds)", "SAFE"));
}

#[test]
fn what_is_printed_is_what_is_checked() {
    for (entry, kinds) in [("push", "null,bounds"), ("pop", "bounds"), ("last", "null"), ("quotient", "div0")]
    {
        let harness = slam(&["harness", &file(), "--entry", entry]);
        assert_eq!(harness.code, 0, "{}", harness.stderr);
        let printed = testing::file("harness.c", &harness.stdout);
        let run =
            slam(&["check", "--time-limit", "20s", "--check", kinds, "--entry", "slam_harness", &printed]);
        let alone = run.verdict().split(" at ").next().unwrap_or_default().to_owned();
        assert_eq!(alone, verdict(entry, &["--check", kinds]), "{entry}\n{}", harness.stdout);
    }
    let none =
        slam(&["harness", &testing::file("main.c", "int main(void) { return 0; }"), "--entry", "main"]);
    assert!(none.code == 2 && none.stderr.contains("needs no harness"), "{}", none.stderr);
}

#[test]
fn errors_of_a_function_are_repeated_by_a_compiled_program() {
    let (path, json) = (file(), testing::file("result.json", ""));
    let run = slam(&["check", "--check", "bounds", "--entry", "pop", "--json", &json, &path]);
    assert_eq!(run.code, 10, "{}", run.stdout);
    let replayed = slam(&["replay", &path, &json]);
    assert!(
        replayed.code == 10 && replayed.stdout.contains("replayed: the compiled program"),
        "{}",
        replayed.stdout
    );
}

#[test]
fn proofs_of_a_function_are_certified() {
    let (path, json) = (file(), testing::file("result.json", ""));
    let options = ["--check", "bounds,null", "--entry", "push", "--globals", "any", "--array-size", "2"];
    let run = slam(&[&["check", "--json", &json, &path], &options[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stdout);
    let certified = slam(&["certify", &path, &json]);
    assert_eq!(certified.code, 0, "{}{}", certified.stdout, certified.stderr);
    assert!(certified.verdict().contains("--entry push, --globals any"), "{}", certified.verdict());
}

#[test]
fn a_program_without_checks_of_its_own_is_checked_for_undefined_behaviour() {
    let path =
        testing::file("divides.c", "int nondet_int(void);\nint main(void) { return 7 / nondet_int(); }\n");
    let run = slam(&[&path]);
    assert!(run.verdict().starts_with("UNSAFE(div0)"), "{}", run.stdout);
    assert!(run.stderr.contains("note: no assertion"), "{}", run.stderr);
    assert_eq!(slam(&["check", "--check", "reach", &path]).verdict(), "ERROR(no checks)");
    let json = testing::file("result.json", "");
    slam(&["--json", &json, &path]);
    assert_eq!(slam(&["replay", &path, &json]).code, 10);
}

#[test]
fn options_of_compilers_are_taken() {
    let path =
        testing::file("limit.c", "#include <assert.h>\nint main(void) { assert(LIMIT == 3); return 0; }\n");
    let run = slam(&["-O2", "-Wall", "-std=c99", "-DLIMIT=3", "-c", &path]);
    assert_eq!(run.verdict(), "SAFE", "{}", run.stderr);
    assert!(run.stderr.contains("without effect here: -O2 -Wall -std=c99 -c"), "{}", run.stderr);
    assert_eq!(slam(&["-funsigned-char", "-DLIMIT=3", &path]).code, 1);
    let folder = std::path::Path::new(&path).parent().expect("a folder").display().to_string();
    let command = format!(
        "[{{\"directory\": \"{folder}\", \"file\": \"limit.c\", \"arguments\": [\"cc\", \"-DLIMIT=3\", \"limit.c\"]}}]"
    );
    testing::file("compile_commands.json", &command);
    assert_eq!(slam(&["--compile-commands", &folder, &path]).verdict(), "SAFE");
}

#[test]
fn main_gets_the_arguments_behind_two_dashes() {
    let text = "#include <stdio.h>\nint main(int argc, char **argv) { printf(\"%d %s\\n\", argc, argv[argc - 1]); return 3; }\n";
    let run = slam(&["run", &testing::file("echo.c", text), "--", "a", "last one"]);
    assert_eq!((run.stdout.as_str(), run.code), ("3 last one\n", 3));
}

#[test]
fn undefined_behaviour_that_is_known_is_told_with_its_values() {
    let text = "#include <assert.h>\nint main(void) { int a[3], n = 0; for (int i = 0; i <= 3; i++) a[i] = n++; assert(n); return a[0]; }\n";
    let run = slam(&["check", &testing::file("outside.c", text)]);
    assert_eq!(run.verdict(), "UNKNOWN(undefined behaviour)", "{}", run.stdout);
    for part in ["index i outside of a[3] (i = 3)", "--check bounds reports this place"] {
        assert!(run.stdout.contains(part), "{}", run.stdout);
    }
    // The object is named by its allocation.
    let text = "#include <assert.h>\n#include <stdlib.h>\nstruct s { int a, b; };\n\
                int main(void) { struct s *p = malloc(sizeof *p), *q; if (!p) return 0;\nq = p - 1; q->a = 3; assert(q->a == 3); return 0; }\n";
    let run = slam(&["check", &testing::file("before.c", text)]);
    assert_eq!(run.verdict(), "UNKNOWN(undefined behaviour)", "{}", run.stdout);
    assert!(run.stdout.contains("(q = object #1 (malloc, line 4) - 1)"), "{}", run.stdout);
    let text = "#include <assert.h>\nint nondet_int(void);\nint main(void) { int x = 6 / nondet_int(); assert(x <= 6); return 0; }\n";
    let run = slam(&["check", &testing::file("divides.c", text)]);
    assert_eq!(run.verdict(), "SAFE", "{}", run.stdout);
    assert!(run.stdout.contains("left out: executions with undefined behaviour"), "{}", run.stdout);
}

const DRIVER: &str = "examples/entry/driver.c";

#[test]
fn an_environment_calls_functions_in_the_order_that_it_describes() {
    let scratch = testing::Scratch::new();
    let verdict = |description: &str| {
        let file = scratch.file("driver.env", description);
        let file = file.to_str().expect("scratch paths are UTF-8");
        let run = slam(&["check", "--rule", "linux/mutex", "--environment", file, DRIVER]);
        format!(
            "{}{}",
            run.verdict().split(" at ").next().unwrap_or_default(),
            run.stderr.lines().next().unwrap_or("")
        )
        .replace(file, "driver.env")
    };
    let all = "init: driver_init\nany: driver_open, driver_write\nexit: driver_exit\n";
    assert_eq!(verdict(all), "UNSAFE(rule linux/mutex)");
    // Nobody has opened it: the branch with the error is not reached.
    assert_eq!(verdict("init: driver_init\nany: driver_write\n"), "SAFE");
    assert_eq!(verdict("init: driver_write, driver_open, driver_exit\n"), "SAFE");
    assert_eq!(verdict("init: driver_open\nany: driver_write\n"), "UNSAFE(rule linux/mutex)");
    assert_eq!(
        verdict("any: driver_read\n"),
        "ERROR(no entry)examples/entry/driver.c:1:1: error: there is no function `driver_read` for the environment to call, and no structure with functions"
    );
    assert!(verdict("driver_open\n").starts_with("ERROR(environment)driver.env:1:1: error: expected `init:"));
    let several = slam(&["check", "--rule", "linux/mutex", "--entry", "driver_open,driver_write", DRIVER]);
    assert_eq!(several.verdict().split(" at ").next(), Some("UNSAFE(rule linux/mutex)"));
}

#[test]
fn what_a_driver_registers_is_called() {
    let scratch = testing::Scratch::new();
    let functions = |description: &str| {
        let file = scratch.file("registered.env", description);
        let file = file.to_str().expect("scratch paths are UTF-8");
        let text = slam(&["harness", "--environment", file, "examples/entry/registered.c"]);
        let called = ["counter_open(", "counter_release(", "counter_interrupt("];
        let called =
            called.iter().filter(|call| text.stdout.contains(&format!(" {call}"))).map(|call| &call[8..]);
        let run =
            slam(&["check", "--rule", "linux/mutex", "--environment", file, "examples/entry/registered.c"]);
        (called.collect::<String>(), run.verdict().split(" at ").next().unwrap_or_default().to_owned())
    };
    let unsafe_ = "UNSAFE(rule linux/mutex)".to_owned();
    let all = functions("init: counter_init\nany: callbacks\n");
    assert_eq!(all, ("open(release(interrupt(".to_owned(), unsafe_.clone()));
    // By the structure that is registered, or by the one inside.
    let some = ("open(release(".to_owned(), unsafe_);
    assert_eq!(functions("init: counter_init\nany: counter\n"), some);
    assert_eq!(functions("any: counter_operations\n"), some);
    assert_eq!(functions("any: counter_release\n"), ("release(".to_owned(), "SAFE".to_owned()));
    let none = slam(&["check", "--entry", "callbacks,driver_open", DRIVER]);
    assert_eq!(none.code, 2, "{}", none.stderr);
}

#[test]
fn the_text_of_an_environment_can_be_checked_in_its_place() {
    let scratch = testing::Scratch::new();
    let main = scratch.path().join("main.c").to_str().expect("scratch paths are UTF-8").to_owned();
    let written = slam(&["harness", "--environment", "examples/entry/driver.env", "-o", &main, DRIVER]);
    assert_eq!((written.code, written.stdout.as_str(), written.stderr.as_str()), (0, "", ""));
    let root = tests::root().display().to_string();
    let run = slam(&["check", "-I", &root, "--rule", "linux/mutex", "--entry", "slam_harness", &main]);
    assert_eq!(run.verdict(), "UNSAFE(rule linux/mutex) at examples/entry/driver.c:38");
    let onto_itself = slam(&["harness", "--entry", "driver_open", "-o", DRIVER, DRIVER]);
    assert_eq!(onto_itself.code, 1, "{}", onto_itself.stderr);
    let safe = "examples/rules/linux/mutex_safe.c";
    for command in ["run", "nullness", "points-to", "harness"] {
        let run = slam(&[command, "--rule", "linux/mutex", safe]);
        assert_eq!(run.code, 1, "{command}: rules are refused");
    }
}
