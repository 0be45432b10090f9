//! Functions with a meaning of their own, called through pointers, tables and by other functions; and what runs at the end.

const START: &str = "#include <stdlib.h>\n#include <string.h>\n#include <pthread.h>\n\
    extern void reach_error(void);\nextern void __VERIFIER_assume(int);\nextern int __VERIFIER_nondet_int(void);\n";

fn verdict(name: &str, text: &str, options: &[&str]) -> String {
    let path = testing::file(&format!("{name}.c"), format!("{START}{text}\n"));
    let mut args = vec!["check", "--time-limit", "60s"];
    args.extend(options);
    args.push(&path);
    let run = tests::slam(&args);
    let verdict = run.verdict();
    verdict.split(" at ").next().unwrap_or(verdict).to_owned()
}

/// `text` with one of two things in place of `$`.
#[track_caller]
fn pair(name: &str, text: &str, safe: &str, unsafe_: &str) {
    assert_eq!(verdict(&format!("{name}_safe"), &text.replace('$', safe), &[]), "SAFE", "{safe}: {text}");
    let broken = text.replace('$', unsafe_);
    assert_eq!(verdict(&format!("{name}_unsafe"), &broken, &[]), "UNSAFE(reach)", "{unsafe_}: {text}");
}

#[test]
fn errors_through_pointers() {
    let text =
        "void apply(void (*f)(void), int k) { if (k) f(); }\nint main(void) { apply(reach_error, $); }";
    pair("callback", text, "0", "__VERIFIER_nondet_int()");
    let text = "void (*table[2])(void) = { abort, reach_error };\n\
                int main(void) { int x = __VERIFIER_nondet_int(); if (x == 1) table[$](); }";
    pair("table", text, "0", "1");
    let text = "int main(void) { void (*f)(void) = &reach_error; if ($) (*f)(); }";
    pair("star", text, "0", "1");
}

#[test]
fn an_error_function_that_the_program_defines() {
    let text = "void reach_error(void) { }\nint main(void) { void (*f)(void) = reach_error; if ($) f(); }";
    pair("own", text, "0", "__VERIFIER_nondet_int() == 5");
}

#[test]
fn an_error_function_that_runs_at_exit() {
    let text = "int main(void) { if ($) atexit(reach_error); return 0; }";
    pair("atexit", text, "0", "__VERIFIER_nondet_int() == 5");
}

#[test]
fn ends_and_assumptions_through_pointers() {
    let text = "void (*e)(void) = abort;\nint main(void) { int x = __VERIFIER_nondet_int(); if (x == 5) e(); if (x == $) reach_error(); }";
    pair("abort", text, "5", "6");
    let text = "void (*e)(int) = exit;\nint main(void) { int x = __VERIFIER_nondet_int(); if (x == 5) e(0); if (x == $) reach_error(); }";
    pair("exit", text, "5", "6");
    let text = "int main(void) { void (*a)(int) = __VERIFIER_assume; int x = __VERIFIER_nondet_int(); a(x > 3); if (x == $) reach_error(); }";
    pair("assume", text, "3", "4");
    let text = "int main(void) { int (*n)(void) = __VERIFIER_nondet_int; int x = n(); if (x == 7 $) reach_error(); }";
    pair("nondet", text, "&& x == 8", "");
}

#[test]
fn memory_and_numbers_through_pointers() {
    let text = "int (*f)(int) = abs;\nint main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 && x > -9 && f(x) != $x) reach_error(); }";
    pair("abs", text, "-", "");
    for (name, text) in [
        (
            "memset",
            "void *(*f)(void *, int, size_t) = memset;\nint main(void) { int x = 1; f(&x, 0, sizeof x); if (x == $) reach_error(); }",
        ),
        (
            "memcpy",
            "int main(void) { void *(*f)(void *, const void *, size_t) = memcpy; int x = 1, y = 0; f(&x, &y, sizeof x); if (x == $) reach_error(); }",
        ),
    ] {
        // Proofs know little of bytes that are written through `void *`.
        assert_ne!(verdict(&format!("{name}_safe"), &text.replace('$', "1"), &[]), "UNSAFE(reach)", "{name}");
        assert_eq!(
            verdict(&format!("{name}_unsafe"), &text.replace('$', "0"), &[]),
            "UNSAFE(reach)",
            "{name}"
        );
    }
}

#[test]
fn a_block_that_is_freed_through_a_pointer() {
    let text = |second: &str| {
        format!(
            "void (*f)(void *) = free;\nint main(void) {{ int *p = malloc(4); if (!p) return 0; f(p); {second} return 0; }}"
        )
    };
    assert_eq!(verdict("free_once", &text(""), &["--check", "free"]), "SAFE");
    assert_eq!(verdict("free_twice", &text("f(p);"), &["--check", "free"]), "UNSAFE(free)");
}

#[test]
fn handlers_at_the_end_of_the_last_thread_and_at_a_quick_exit() {
    let text = "static void handler(void) { reach_error(); }\nint main(void) { atexit(handler); if ($) _Exit(0); pthread_exit(0); }";
    pair("last_thread", text, "1", "__VERIFIER_nondet_int()");
    let text = "static void handler(void) { reach_error(); }\nint main(void) { at_quick_exit(handler); if ($) quick_exit(0); return 0; }";
    pair("quick_exit", text, "0", "__VERIFIER_nondet_int()");
    let text = "static void handler(void) { reach_error(); }\nint main(void) { $(handler); quick_exit(0); }";
    pair("other_handlers", text, "atexit", "at_quick_exit");
}
