//! Every example in `examples/checks/` has the verdict that its first line declares, for the checks that it names:
//! each kind of check is proved and refuted at least once. An error must have been replayed, and the loop must find
//! it without the concrete probe too.

use std::path::Path;
use tests::{declared, example_names_in, root, slam};

/// Declares one test an example, and the list of them all.
macro_rules! examples {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn each_example_has_a_test() {
            assert_eq!(example_names_in("examples/checks"), [$(stringify!($name)),*]);
        }
    };
}

examples! {
    all_safe
    bounds_heap_unsafe
    bounds_safe
    bounds_unsafe
    convert_safe
    convert_unsafe
    div0_safe
    div0_unsafe
    file_safe
    file_unsafe
    filled_safe
    filled_unsafe
    format_safe
    format_unsafe
    free_inner_unsafe
    free_safe
    free_unsafe
    leak_safe
    leak_unsafe
    member_safe
    member_unsafe
    noreturn_safe
    noreturn_unsafe
    null_safe
    null_unsafe
    order_safe
    order_unsafe
    overflow_safe
    overflow_unsafe
    overlap_safe
    overlap_unsafe
    readonly_safe
    readonly_unsafe
    shift_safe
    shift_unsafe
    uninit_safe
    uninit_unsafe
    use_after_free_unsafe
}

fn check(name: &str) {
    let path = format!("examples/checks/{name}.c");
    let (verdict, checks) = declared(&root().join(Path::new(&path)));
    let common = ["check", &path, "--check", &checks, "--time-limit", "60s"];
    let run = slam(&common);
    let shown = format!("{}\n{}", run.stdout, run.stderr);
    if verdict == "SAFE" {
        assert_eq!((run.verdict(), run.code), ("SAFE", 0), "\n{shown}");
        return;
    }
    let at = format!("UNSAFE({checks}) at {path}:");
    assert!(run.verdict().starts_with(&at) && run.code == 10, "\n{shown}");
    let run = slam(&[&common[..], &["--tune", "without=executions"]].concat());
    let shown = format!("{}\n{}", run.stdout, run.stderr);
    assert!(run.verdict().starts_with(&at) && run.stdout.contains("replayed"), "\n{shown}");
}

/// Memory that is freed has no value either: the error is that it is read at all.
#[test]
fn an_access_to_freed_memory_is_of_its_own_kind() {
    let file = |access: &str| {
        let text = format!(
            "#include <stdlib.h>\nint main(void) {{\n    int *p = malloc(4 * sizeof *p);\n    if (!p)\n        return 1;\n    \
             p[0] = p[1] = 1;\n    int i = p[0];\n    free(p);\n    return {access};\n}}\n"
        );
        testing::file("freed.c", text)
    };
    for access in ["*p", "p[i]"] {
        let path = file(access);
        for without in ["nothing", "executions"] {
            let run = slam(&["check", &path, "--check", "all", "--without", without]);
            let expected = format!("UNSAFE(free) at {path}:9");
            assert_eq!(
                run.verdict(),
                expected,
                "{access}, without {without}\n{}\n{}",
                run.stdout,
                run.stderr
            );
        }
    }
}

#[test]
fn tasks_choose_checks_and_compare_verdicts() {
    let run = slam(&["check", "examples/checks/tasks/memsafety.yml"]);
    assert_eq!(run.verdict(), "SAFE", "\n{}", run.stderr);
    assert!(run.stdout.contains("expected by the task: true (as found)\n"), "\n{}", run.stdout);
    let run = slam(&["check", "examples/checks/tasks/overflow.yml"]);
    assert!(run.verdict().starts_with("UNSAFE(overflow)"), "\n{}", run.stderr);
    // What is left at the end may still be pointed to, which that property allows.
    let property = ["--property", "examples/checks/tasks/valid-memsafety.prp"];
    let run = slam(&[&["check", "examples/checks/leak_unsafe.c"][..], &property].concat());
    assert_eq!(run.verdict(), "UNKNOWN(memory not freed)", "\n{}", run.stderr);
}

/// A list of kinds is checked besides the program's own assertions, unless it says that nothing else is.
#[test]
fn lists_add_to_the_assertions() {
    let [wrong, right] = [("x != 3", "twin_unsafe.c"), ("x != 3 || x == 3", "twin_safe.c")].map(|(condition, name)| {
        let text = format!(
            "#include <assert.h>\nextern int nondet(void);\nvoid reach_error(void) {{ assert(0); }}\n\
             int main(void) {{\n    int x = nondet();\n    assert({condition});\n    if (x > 5 && x < 3)\n        \
             reach_error();\n    return x ? 10 / x : 0;\n}}\n"
        );
        testing::file(name, text)
    });
    for list in [&["--check", "div0"][..], &["--check", "div0,null"], &["--check", "only:div0,reach"], &[]] {
        let run = slam(&[&["check", &wrong][..], list].concat());
        assert_eq!(run.verdict(), format!("UNSAFE(reach) at {wrong}:6"), "{list:?}");
        let run = slam(&[&["check", &right][..], list].concat());
        assert_eq!(run.verdict(), "SAFE", "{list:?}");
        assert!(!run.stdout.contains("not looked at"), "{list:?}: {}", run.stdout);
    }
    let json = testing::file("twin.json", "");
    for list in [&["--check", "only:div0"][..], &["--check", "div0", "--check", "only:null"]] {
        let run = slam(&[&["check", "--json", &json, &wrong][..], list].concat());
        assert_eq!(run.verdict(), "SAFE", "{list:?}");
        let told = format!(
            "not decided, since reach was not asked for: 3 assertions ({wrong}:3, {wrong}:6, {wrong}:8)"
        );
        assert!(run.stdout.contains(&told), "{list:?}: {}", run.stdout);
        let text = std::fs::read_to_string(&json).expect("the result was written");
        let result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let lines = result["not_looked_at"].as_array().expect("a list").iter().map(|c| c["line"].as_u64());
        assert_eq!(lines.collect::<Vec<_>>(), [Some(3), Some(6), Some(8)]);
    }
    assert_eq!(slam(&["check", "--check", "only:", &wrong]).code, 1);
    let shown = slam(&["cmm", "--check", "only:div0", &wrong]).stdout;
    assert!(!shown.contains("assertion `x != 3` fails"), "{shown}");
    assert!(slam(&["cmm", "--check", "div0", &wrong]).stdout.contains("assertion `x != 3` fails"));
}

/// Memory that is left at `exit` is a leak where leaks are asked for by name, and not among all kinds.
#[test]
fn what_is_left_at_exit_is_a_leak_when_it_is_asked_for() {
    let text = "#include <stdlib.h>\nint main(void) {\n  char *a = malloc(3);\n  if (!a) return 1;\n  char *b = malloc(4);\n  \
                if (!b) exit(2);\n  free(a);\n  free(b);\n  return 0;\n}\n";
    let path = testing::file("left.c", text);
    let verdict =
        |kinds: &str| slam(&["check", "--check", kinds, "--time-limit", "60s", &path]).verdict().to_owned();
    assert_eq!(verdict("all"), "SAFE");
    assert_eq!(verdict("leak"), format!("UNSAFE(leak) at {path}:3"));
    assert_eq!(verdict("all,leak"), format!("UNSAFE(leak) at {path}:3"));
}

/// A label `ERROR` ends no execution where nobody asks whether it is reached.
#[test]
fn labels_are_labels_where_other_kinds_are_asked_for() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
                if (x > 5) {\nERROR:\n    x++;\n  }\n  return 0;\n}\n";
    let path = testing::file("label.c", text);
    let verdict = |kinds: &str| slam(&["check", "--check", kinds, &path]).verdict().to_owned();
    assert_eq!(verdict("only:overflow"), format!("UNSAFE(overflow) at {path}:6"));
    assert_eq!(verdict("reach"), format!("UNSAFE(reach) at {path}:5"));
}

/// A pointer that leads to the beginning of a variable or of an allocation may be freed where it is not the variable's address.
#[test]
fn what_is_freed_is_no_variable() {
    let verdict = |body: &str| {
        let text = format!(
            "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nstatic int z[3], y;\nint main(void) {{ int x = 0, w = x; {body} return w; }}\n"
        );
        let path = testing::file("variable.c", &text);
        let run = slam(&["check", "--check", "free", "--time-limit", "60s", &path]);
        run.verdict().split(" at ").next().unwrap_or_default().to_owned()
    };
    let picks = "int k = __VERIFIER_nondet_int(), *p = k == 0 ? z : k == 1 ? &x : malloc(3);";
    assert_eq!(verdict(&format!("{picks} if (p != z && p != &x) free(p);")), "SAFE");
    assert_eq!(verdict(&format!("{picks} if (k > 1 || k < 0) free(p);")), "SAFE");
    assert_eq!(verdict(&format!("{picks} if (p != z) free(p);")), "UNSAFE(free)");
    assert_eq!(verdict(&format!("{picks} free(p);")), "UNSAFE(free)");
    // Something in the variable is not its beginning.
    let inside = "int k = __VERIFIER_nondet_int(), *p = k == 0 ? z + 1 : malloc(3);";
    assert_eq!(verdict(&format!("{inside} if (p != z) free(p);")), "UNSAFE(free)");
    assert_eq!(verdict(&format!("{inside} if (p != z + 1) free(p);")), "UNKNOWN(not replayed)");
    // Memory of the stack is not an allocation.
    let stack =
        "int k = __VERIFIER_nondet_int(), *p = k == 0 ? __builtin_alloca(4) : k == 1 ? z : malloc(3);";
    assert_eq!(verdict(&format!("{stack} if (p != z) free(p);")), "UNSAFE(free)");
}

/// What runs at the end of the program may still free.
#[test]
fn what_exit_handlers_free_is_no_leak() {
    let text = |freed: &str| {
        format!(
            "#include <stdlib.h>\nchar *a;\nint status;\nvoid done(void) {{ status = 7; {freed} }}\nint main(void) {{\n  \
                 a = malloc(3);\n  atexit(done);\n  exit(status);\n}}\n"
        )
    };
    let verdict = |text: String| slam(&["check", "--check", "leak", &testing::file("handler.c", &text)]);
    assert_eq!(verdict(text("free(a);")).verdict(), "SAFE");
    let left = verdict(text(""));
    assert!(left.verdict().starts_with("UNSAFE(leak)"), "{}", left.verdict());
}

/// A property about the end of the program is about each of its ends.
#[test]
fn properties_about_memory_at_the_end_are_about_all_ends() {
    let property = testing::file("valid-memcleanup.prp", "CHECK( init(main()), LTL(G valid-memcleanup) )\n");
    let verdict = |ends: &str| {
        let text = format!(
            "#include <stdlib.h>\n#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n\
             extern void reach_error(void);\nvoid assume_abort_if_not(int c) {{ if (!c) abort(); }}\nint main(void) {{\n  \
             int x = __VERIFIER_nondet_int();\n  char *a = malloc(3);\n  if (!a) return 1;\n  {ends}\n  free(a);\n  return 0;\n}}\n"
        );
        let path = testing::file("ends.c", &text);
        let run = slam(&["check", "--property", &property, "--time-limit", "60s", &path]);
        run.verdict().split(" at ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(verdict(""), "SAFE");
    for ends in [
        "if (x == 7) abort();",
        "if (x == 7) reach_error();",
        "if (x == 7) __assert_fail(\"x\", \"f\", 1, \"g\");",
        "assert(x != 7);",
        "assume_abort_if_not(x != 7);",
        "if (x == 7) _Exit(0);",
        "if (x == 7) { ERROR: { reach_error(); abort(); } }",
        "if (x == 7) { ERROR: return 4; }",
    ] {
        assert_eq!(verdict(ends), "UNSAFE(leak)", "{ends}");
        // An end with nothing left is none of the property's.
        assert_eq!(
            verdict(&format!("if (x > 9) {{ free(a); a = 0; }} else x = 0; {ends}")),
            "SAFE",
            "{ends}"
        );
    }
    // What is assumed ends no execution.
    assert_eq!(verdict("extern void __VERIFIER_assume(int); __VERIFIER_assume(x != 7);"), "SAFE");
    assert!(
        slam(&[
            "check",
            "--check",
            "leak",
            &testing::file(
                "named.c",
                "#include <stdlib.h>\nint main(void) { char *a = malloc(3); if (a) abort(); return 0; }\n"
            )
        ])
        .verdict()
            == "SAFE"
    );
}
