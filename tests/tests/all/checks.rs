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
    null_safe
    null_unsafe
    overflow_safe
    overflow_unsafe
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
    let run = slam(&[&common[..], &["--probe", "off"]].concat());
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
        for probe in ["on", "off"] {
            let run = slam(&["check", &path, "--check", "all", "--probe", probe]);
            let expected = format!("UNSAFE(free) at {path}:9");
            assert_eq!(run.verdict(), expected, "{access}, probe {probe}\n{}\n{}", run.stdout, run.stderr);
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

/// A list of kinds is looked at besides the program's own assertions, unless it says that nothing else is.
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
            "not looked at, since reach was not asked for: 3 assertions ({wrong}:3, {wrong}:6, {wrong}:8)"
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
