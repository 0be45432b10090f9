//! The arguments of `main`: how many and which they are, what is proved of them, and that errors are repeated with them.

fn file(name: &str, text: &str) -> String {
    let text = format!("#include <assert.h>\n#include <string.h>\nvoid reach_error(void);\n{text}\n");
    testing::file(&format!("{name}.c"), text)
}

fn run(name: &str, text: &str, options: &[&str]) -> tests::Run {
    let path = file(name, text);
    tests::slam(&[&["check", "--time-limit", "30s", &path], options].concat())
}

#[track_caller]
fn expect(name: &str, check: &str, body: &str, wanted: &str) {
    let run =
        run(name, &format!("int main(int argc, char **argv) {{ {body} return 0; }}"), &["--check", check]);
    let verdict = run.verdict();
    assert_eq!(
        verdict.split(" at ").next().unwrap_or(verdict),
        wanted,
        "{body}\n{}{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn the_list_is_there_and_ends_with_null() {
    expect("there", "reach", "assert(argv != 0);", "SAFE");
    expect("end", "reach", "assert(argv[argc] == 0);", "SAFE");
    expect("end_wrong", "reach", "assert(argv[argc] != 0);", "UNSAFE(reach)");
    expect("behind", "bounds", "return argv[argc + 1] != 0;", "UNSAFE(bounds)");
}

#[test]
fn strings_are_not_null() {
    expect("one", "null", "if (argc > 1) return argv[1][0];", "SAFE");
    expect("one_wrong", "null", "return argv[1][0];", "UNSAFE(null)");
    expect(
        "all_wrong",
        "null",
        "int s = 0; for (int i = 1; i <= argc; i++) s ^= argv[i][0]; return s;",
        "UNSAFE(null)",
    );
}

/// What the program may have changed is not taken for granted.
#[test]
fn a_list_that_is_changed_is_not_what_it_was() {
    expect("changed", "null", "if (argc > 1) { argv[1] = 0; return argv[1][0]; }", "UNSAFE(null)");
    expect("moved", "null", "if (argc > 1) { argv++; return argv[1] ? 0 : argv[1][0]; }", "UNSAFE(null)");
}

#[test]
fn strings_have_any_length() {
    expect("copy", "bounds", "char b[8]; if (argc > 1) strcpy(b, argv[1]);", "UNSAFE(bounds)");
}

#[test]
fn the_least_number_is_an_option() {
    let text = "int main(int argc, char **argv) { return argv[0][0]; }";
    let (any, one) = (
        run("none", text, &["--check", "null"]),
        run("least", text, &["--check", "null", "--argc-min", "1"]),
    );
    assert!(any.verdict().starts_with("UNSAFE(null)"), "{}", any.stdout);
    assert_eq!(one.verdict(), "SAFE", "{}", one.stdout);
}

/// A compiled program gets the strings that the error was found with.
#[test]
fn errors_are_repeated_natively() {
    let text = "int main(int argc, char *argv[]) { if (argc > 1 && argv[1][0]) reach_error(); return 0; }";
    let path = file("replayed", text);
    let result = testing::file("result.json", "");
    let run = tests::slam(&["check", &path, "--json", &result]);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}", run.stdout);
    let json = std::fs::read_to_string(&result).expect("the result was written");
    assert!(json.contains("\"input\": \"argv[1]\""), "{json}");
    let again = tests::slam(&["replay", &path, &result]);
    assert!(again.verdict().starts_with("UNSAFE(reach)"), "{}{}", again.stdout, again.stderr);
    assert!(again.stdout.contains("replayed: the compiled program reaches"), "{}", again.stdout);
}
