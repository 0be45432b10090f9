//! `slam nullness` and `slam dataflow`: answers, exit codes, files written.

use testing::file;

fn slam(args: &[&str]) -> (String, String, i32) {
    slam::run(&args.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
}

/// The answers of `slam nullness` about the body of `main`, without file names; and the exit code.
fn answers(name: &str, text: &str) -> (Vec<String>, i32) {
    let path = file(name, text);
    let (out, err, code) = slam(&["nullness", "--paths", "0", &path]);
    assert_eq!(err, "", "{out}");
    let lines = out.lines().filter_map(|l| l.strip_prefix(&format!("{path}:"))).map(str::to_owned);
    (lines.collect(), code)
}

#[test]
fn what_is_said_of_dereferences() {
    let text = "int *g; int a[4];\nint main(int argc, char **argv) {\n    int *p = 0, x;\n    if (argc) p = &x;\n    \
        *p = 1;\n    x = *p + *g;\n    a[argc] = 2;\n    if (!p) x = *p;\n    int **q = argc ? &p : &g;\n    x = **q;\n    \
        return (*argv)[0];\n}\n";
    let (lines, code) = answers("dc_kinds.c", text);
    let expected = [
        "2:5: not reached: *argv in main",
        "5:5: possibly NULL: *p in main",
        "6:9: never NULL: *p in main",
        "6:14: always NULL: *g in main",
        "8:17: not reached: *p in main",
        "10:9: not reached: **q in main",
        "10:10: not reached: *q in main",
        "11:13: not reached: *argv in main",
        "11:13: not reached: **argv in main",
    ];
    let mut expected: Vec<String> = expected.iter().map(|s| (*s).to_owned()).collect();
    expected.sort();
    let mut lines = lines;
    lines.sort();
    assert_eq!((lines, code), (expected, 5));
}

#[test]
fn undefined_functions_and_procedures_that_they_call() {
    let text = "int *g; void each(void (*f)(int *)); int x;\nvoid seen(int *p) {\n    x = *p;\n    g = p;\n}\n\
        int main(void) {\n    g = &x;\n    each(seen);\n    return *g;\n}\n";
    let path = file("dc_callback.c", text);
    let (out, _, code) = slam(&["nullness", &path]);
    assert!(out.contains("3:9: possibly NULL: *p in seen") && out.contains("9:12: "), "{out}");
    assert!(!out.contains("not reached") && out.contains("may call seen"), "{out}");
    assert_eq!(code, 5, "{out}");
}

#[test]
fn files_and_exit_codes() {
    let good = file("dc_good.c", "int main(void) {\n    int x, *p = &x;\n    *p = 1;\n    return x;\n}\n");
    let (bp, json) = (file("dc_good.bp", ""), file("dc_good.json", ""));
    let (out, err, code) = slam(&["nullness", "-q", "--stats", "-o", &bp, "--json", &json, &good]);
    assert!(out.starts_with("STAT dereferences: 1\n") && out.ends_with("\nVERDICT: SAFE\n"), "{out}{err}");
    assert_eq!((code, err.as_str()), (0, ""));
    let text = std::fs::read_to_string(&json).expect("it was written");
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(json["dereferences"][0]["answer"], "never NULL");
    assert_eq!((&json["dereferences"][0]["line"], &json["exit_code"]), (&3.into(), &0.into()));

    let (out, err, code) = slam(&["dataflow", &bp, "--label", "D0"]);
    assert!(out.contains("D0: assert(!{p == NULL});") && out.ends_with("  !{p == NULL}\n"), "{out}{err}");
    assert_eq!(code, 0);
    assert_eq!(slam(&["dataflow", &bp, "--label", "NONE"]).2, 2);
    assert_eq!(slam(&["dataflow", "no/such.bp"]).2, 2);
    let (out, err, code) = slam(&["dataflow", &file("dc_bad.bp", "void main() begin x := 1; end")]);
    assert!(out.is_empty() && err.contains("dc_bad.bp:1:19: error: "), "{err}");
    assert_eq!(code, 2);
    let (out, _, code) = slam(&["nullness", "no/such.c"]);
    assert_eq!((out.as_str(), code), ("VERDICT: ERROR(read)\n", 2));
}
