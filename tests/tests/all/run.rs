//! `slam run`: the program's output and exit code are its own; any other end is reported with its place; the
//! inputs that were drawn can be given again.

use testing::file;
use tests::slam;

fn run(name: &str, content: &str, more: &[&str]) -> (String, String, i32) {
    let path = file(name, content);
    let run = slam(&[&["run", path.as_str()], more].concat());
    (run.stdout, run.stderr.replace(&path, name), run.code)
}

#[test]
fn output_and_exit_code_are_the_programs() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    \
        printf(\"%d arguments\\n\", argc);\n    fprintf(stderr, \"oh\\n\");\n    exit(argv[0] ? 1 : 42);\n}\n";
    assert_eq!(run("own.c", text, &[]), ("0 arguments\n".into(), "oh\n".into(), 42));
    assert_eq!(run("returns.c", "int main(void) { return -1; }", &[]), (String::new(), String::new(), 255));
    assert_eq!(run("aborts.c", "void abort(void); int main(void) { abort(); }", &[]).2, 134);
}

#[test]
fn other_ends_are_told_with_their_place() {
    let (out, err, code) = run(
        "fails.c",
        "#include <stdio.h>\n#include <assert.h>\nint main(void) {\n    puts(\"before\");\n    assert(1 > 2);\n}\n",
        &[],
    );
    assert_eq!((out.as_str(), code), ("before\n", 10));
    assert!(err.starts_with("fails.c:5:5: error: assertion `1 > 2` fails\n"), "{err}");
    let (out, err, code) = run("undefined.c", "int main(void) {\n    int *p = 0;\n    return *p;\n}\n", &[]);
    assert_eq!((out.as_str(), code), ("", 11));
    assert!(err.starts_with("undefined.c:3:5: error: undefined behaviour: access through a null"), "{err}");
    let forever = "#include <stdio.h>\nint main(void) {\n    for (;;) putchar('.');\n}\n";
    let (out, err, code) = run("forever.c", forever, &["--step-limit", "100"]);
    assert_eq!((out.len() > 10, err.as_str(), code), (true, "error: the step limit is reached\n", 5));
}

#[test]
fn inputs_can_be_given_again() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assert(int);\n\
        int printf(const char *, ...);\nint main(void) {\n    int a = __VERIFIER_nondet_int();\n    \
        unsigned char b = __VERIFIER_nondet_int();\n    __VERIFIER_assert(a == a);\n    \
        printf(\"%d %d\\n\", a, b);\n    __VERIFIER_assert(a != 77);\n    return 0;\n}\n";
    let json = testing::folder().join("drawn.json");
    let json = testing::text(&json);
    let first = run("inputs.c", text, &["--seed", "20", "--json", json]);
    assert_eq!(run("inputs.c", text, &["--inputs", json]), first);
    let listed = std::fs::read_to_string(json).expect("the file was written");
    assert!(listed.contains("\"what\": \"__VERIFIER_nondet_int()\""), "{listed}");

    let given = file("inputs.txt", "# two\n77 # a\n0x105\n");
    let (out, err, code) = run("inputs.c", text, &["--inputs", &given, "--json", json]);
    assert_eq!((out.as_str(), code), ("77 5\n", 10), "{err}");
    let listed = std::fs::read_to_string(json).expect("the file was written");
    assert_eq!(listed.matches("\"holds\": true").count(), 1, "{listed}");
    assert_eq!(listed.matches("\"holds\": false").count(), 1, "{listed}");

    let bad = file("bad.txt", "5\nfive\n");
    let (_, err, code) = run("inputs.c", text, &["--inputs", &bad]);
    assert_eq!(code, 1);
    assert!(err.contains("line 2: `five` is no value"), "{err}");
}

#[test]
fn volatile_objects_hold_what_was_stored() {
    let text =
        "volatile int device = 3;\nint main(void) {\n    device = device + 4;\n    return device;\n}\n";
    assert_eq!(run("volatile.c", text, &["--seed", "9"]).2, 7);
}
