//! Invariants that a user gives and gets: candidates of `--invariants` are shown or refused, never believed; the
//! output of `--dump-invariants` can be read again; and mistakes in a file or in `--tune without` are reported at their
//! places.

use serde_json::Value;
use tests::{Run, example_names_in, parallel, slam};

/// A loop in a program, and what a file says about it.
struct Row {
    what: &'static str,
    options: &'static [&'static str],
    /// The body of `main`: the loop that the candidates are about is at `@`.
    body: &'static str,
    /// Almost an invariant, and what the report says of it.
    refused: (&'static str, &'static str),
    /// Its sibling that is one; in another body, where that is not the same.
    accepted: (&'static str, Option<&'static str>),
}

const ROWS: [Row; 9] = [
    Row {
        what: "off by one",
        options: &[],
        body: "int i = 0, n = input(); if (n < 0) return 0; @while (i < n) i++; assert(i >= 0);",
        refused: ("i < n", "does not hold at the first arrival with i = 0, n = 0"),
        accepted: ("i <= n", None),
    },
    Row {
        what: "off by one, behind the first turn",
        options: &[],
        body: "int i = 0, n = input(); if (n < 1) return 0; @while (i < n) i++; assert(i >= 0);",
        refused: ("i < n", "is not kept by a turn with i = "),
        accepted: ("0 <= i && i <= n", None),
    },
    Row {
        what: "overflow at the border of the type",
        options: &["--tune", "integers=bits"],
        body: "unsigned i = 1, n = 0; @while (input()) { i = i + 3; } assert(n == 0);",
        refused: ("i >= 1", "is not kept by a turn with i = "),
        accepted: (
            "i >= 1",
            Some(
                "unsigned i = 1, n = 0; @while (input()) { if (i < 4000000000u) i = i + 3; } assert(n == 0);",
            ),
        ),
    },
    Row {
        what: "overflow of a signed sum in the middle",
        options: &["--tune", "integers=bits"],
        body: "unsigned char c = 0; int s = 0; @while (input()) { c = c + 1; s = c; } assert(s >= 0);",
        refused: ("c == s && c < 255", "is not kept by a turn with c = 254"),
        accepted: ("c == s && c <= 255", None),
    },
    Row {
        what: "wrong only after the 70,000th turn",
        options: &[],
        body: "int i = 0; @while (input() && i < 100000) i++; assert(i >= 0);",
        refused: ("i <= 70000", "is not kept by a turn with i = 70000, after which i = 70001"),
        accepted: ("i <= 100000", None),
    },
    Row {
        what: "true in all executions, but not kept",
        options: &["--tune", "without=observed,computed,conditions,solved,bounds,unrolling"],
        body: "int x = 0; @while (input()) { if (x == 5 && input()) x = 100; } assert(x <= 100);",
        refused: ("x <= 50", "is not kept by a turn with x = 5, after which x = 100"),
        accepted: ("x <= 50 && x != 5", None),
    },
    Row {
        what: "false at the entry",
        options: &[],
        body: "int i = 1; @while (input()) i = 2; assert(i > 0);",
        refused: ("i == 2", "does not hold at the first arrival with i = 1"),
        accepted: ("i == 1 || i == 2", None),
    },
    Row {
        what: "a loop that is unrolled",
        options: &[],
        body: "int i = 0, s = 0; @for (i = 0; i < 9; i++) s += 2; assert(s == 2 * i);",
        refused: ("s < 18", "does not hold after 9 turns with s = 18"),
        accepted: ("s <= 18 && s == 2 * i", None),
    },
    Row {
        what: "what one turn does not keep",
        options: &["--tune", "without=observed,computed,conditions,solved,bounds,unrolling"],
        body: "int a = 0, b = 0; @while (input()) { if (input()) a = b; if (a == 9) b = 1; } assert(a == 0);",
        refused: ("a <= 0 || b < 0", "is not kept by a turn with a = "),
        accepted: ("a == 0 && b == 0", None),
    },
];

/// A program whose loop is in line 5.
fn program(body: &str) -> String {
    let body = body.replace('@', "\n");
    format!("#include <assert.h>\nextern int input(void);\nint main(void) {{\n{body}\nreturn 0; }}\n")
}

/// A run with candidates, and the result.
fn given(text: &str, candidates: &str, options: &[&str]) -> (Run, Value) {
    let scratch = testing::Scratch::new();
    let path = |path: std::path::PathBuf| path.to_str().expect("scratch paths are UTF-8").to_owned();
    let file = path(scratch.file("a.c", text));
    let (list, json) = (path(scratch.file("a.inv", candidates)), path(scratch.path().join("a.json")));
    let words = ["check", "--time-limit", "20s", "--invariants", &list, "--json", &json];
    let run = slam(&[&words[..], options, &[&file]].concat());
    let text = std::fs::read_to_string(&json).expect("the result was written");
    let result = serde_json::from_str(&text).expect("the result is JSON");
    let schema = std::fs::read_to_string(tests::root().join("docs/result.schema.json")).expect("it is there");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let mistakes = tests::mistakes(&schema, &result);
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    (run, result)
}

fn is_shown(result: &Value) -> Vec<bool> {
    let lines = result["given_invariants"].as_array().expect("the result tells of each line");
    lines.iter().map(|line| line["shown"].as_bool().expect("a truth value")).collect()
}

#[test]
fn what_is_almost_an_invariant_is_refused() {
    for Row { what, options, body, refused, accepted } in &ROWS {
        let (run, result) = given(&program(body), &format!("a.c:5: {}\n", refused.0), options);
        assert_eq!(is_shown(&result), [false], "{what}\n{}", run.stdout);
        let why = result["given_invariants"][0]["why"].as_str().unwrap_or_default();
        assert!(why.starts_with(refused.1), "{what}: {why}");
        assert!(run.stdout.contains("    cannot be shown: a.c:5: "), "{what}\n{}", run.stdout);
        // A candidate that is wrong is not an error of the program.
        assert!(!run.verdict().starts_with("UNSAFE"), "{what}\n{}", run.stdout);
        let facts = result["facts"].as_array().expect("a list");
        assert!(facts.iter().all(|f| f["invariant"] != refused.0), "{what}: {facts:?}");

        let (text, candidate) = (program(accepted.1.unwrap_or(body)), format!("a.c:5: {}\n", accepted.0));
        let (run, result) = given(&text, &candidate, options);
        assert_eq!(is_shown(&result), [true], "{what}\n{}", run.stdout);
        assert!(run.stdout.contains("    shown: a.c:5: "), "{what}\n{}", run.stdout);
        assert_eq!(run.verdict(), "SAFE", "{what}\n{}", run.stdout);
    }
}

#[test]
fn a_candidate_is_not_believed() {
    let body = "int i = 0, n = input(); if (n < 0) return 0; @while (i < n) i++; assert(i < n || n > 0);";
    // With it the assertion would hold.
    let (run, result) = given(&program(body), "a.c:5: i < n\n", &["--tune", "without=executions"]);
    assert_eq!(is_shown(&result), [false]);
    assert!(!run.verdict().starts_with("SAFE"), "{}", run.stdout);
}

#[test]
fn nothing_is_shown_of_what_no_execution_comes_to() {
    let text = "#include <assert.h>\nextern int input(void);\nvoid idle(int i) {\n\
        while (input()) i++;\n}\nstatic int busy(int i) {\nif (i < 0) i = 0;\n\
        while (input() && i < 1000) i++;\nreturn i; }\n\
        int main(void) { int never = 0; if (never) idle(3); assert(busy(input()) >= 0); return 0; }\n";
    let (run, result) = given(text, "a.c:4: i >= 0\na.c:8: i >= 0\n", &[]);
    assert_eq!(is_shown(&result), [false, true], "{}", run.stdout);
    let why = result["given_invariants"][0]["why"].as_str().unwrap_or_default();
    assert!(why.starts_with("nothing that is executed reaches its place"), "{why}");
}

#[test]
fn what_no_check_depends_on_is_followed_all_the_same() {
    // The slice would leave the writes to x away, and then x would be 0.
    let text = "#include <assert.h>\nextern int input(void);\nint x;\nint main(void) {\nint i = 0;\n\
        while (input() && i < 9) { x = x + 1; i++; }\nassert(i <= 9); return 0; }\n";
    let (run, result) = given(text, "a.c:6: x == 0\na.c:6: x == i\n", &[]);
    assert_eq!(is_shown(&result), [false, true], "{}", run.stdout);
    // A list that was found is about the slice, and nothing is said of what that has not.
    let found = "// found by slam, about the program with constants and copies propagated\na.c:6: x == 0\na.c:6: i <= 9\n";
    let (run, result) = given(text, found, &[]);
    assert_eq!(is_shown(&result), [false, true], "{}", run.stdout);
}

#[test]
fn they_are_tried_before_the_first_iteration() {
    let body = "int i = 0, s = 0, n = input(); if (n < 0 || n > 999) return 0; @while (i < n) { s = s + i; i++; } \
        assert(2 * s == n * (n - 1));";
    let file = testing::file("a.c", program(body));
    let without = slam(&[
        "check",
        "-v",
        "--tune",
        "without=observed,computed,conditions,solved,bounds,unrolling,max-iterations=1",
        &file,
    ]);
    assert!(!without.stderr.contains("induction over"), "{}", without.stderr);
    let (run, _) = given(
        &program(body),
        "a.c:5: 2 * s == i * (i - 1) && i <= n\n",
        &["-v", "--tune", "without=observed,computed,conditions,solved,bounds,unrolling"],
    );
    assert_eq!(run.verdict(), "SAFE", "{}", run.stdout);
    let (induction, iteration) =
        (run.stderr.find("induction over 1 turn: 2 of 2"), run.stderr.find("abstracted"));
    assert!(induction.is_some() && iteration.is_none(), "{}", run.stderr);
    assert!(run.stderr.contains("holds: ") && run.stderr.contains("(given)"), "{}", run.stderr);
}

#[test]
fn loops_that_jumps_make_have_invariants_too() {
    let text = "#include <assert.h>\nextern int input(void);\nint main(void) {\nint i = 0, n = input();\n\
        again:\nif (i < n) { i++; goto again; }\nassert(i == 0 || i == n); return 0; }\n";
    let (run, result) = given(text, "a.c:5: i <= n || i == 0\na.c:5: i < n\n", &[]);
    assert_eq!(is_shown(&result), [true, false], "{}", run.stdout);
}

#[test]
fn recursive_procedures_have_entries_and_exits() {
    let text = "#include <assert.h>\nextern int input(void);\nint depth;\nvoid down(int n) {\n\
        if (n <= 0) return;\ndepth = depth + 1;\ndown(n - 1);\ndepth = depth - 1;\n}\n\
        int main(void) { depth = 0; down(input()); assert(depth == 0); return 0; }\n";
    let list = "a.c:4: entry of down: depth >= 0\na.c:4: exit of down: depth == old(depth)\n\
        a.c:4: exit of down: depth == 0\n";
    let (run, result) = given(text, list, &[]);
    assert_eq!(is_shown(&result)[1..], [true, false], "{}", run.stdout);
    assert_eq!(run.verdict(), "SAFE", "{}", run.stdout);
}

/// Options with which an example gets an answer soon.
fn options(name: &str) -> Vec<String> {
    let mut out = vec!["--time-limit".to_owned(), "20s".to_owned()];
    if !name.starts_with("examples/arrays") {
        out.extend(["--without".into(), "executions".into()]);
    }
    out
}

#[test]
fn what_was_written_is_read_again() {
    let folders = ["examples", "examples/arrays", "examples/classics"];
    let of = |folder: &str| -> Vec<String> {
        example_names_in(folder).into_iter().map(|name| format!("{folder}/{name}.c")).collect()
    };
    // These take long.
    let is_short = |name: &String| !name.contains("recursion_") && !name.contains("shift_left");
    // One in this many.
    let every = testing::number("REREAD_EVERY", 9);
    let names: Vec<String> = folders.into_iter().flat_map(of).filter(is_short).step_by(every).collect();
    let results = parallel(2, names.len(), |n| {
        let name = names[n].as_str();
        let list = testing::file("found.inv", "");
        let own = options(name);
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let first = slam(&[&["check", "--dump-invariants", &list][..], &own, &[name]].concat());
        let text = std::fs::read_to_string(&list).expect("it was written");
        let facts = text.lines().filter(|line| !line.starts_with("//")).count();
        if !first.verdict().starts_with("SAFE") || facts == 0 {
            return None;
        }
        let json = testing::file("again.json", "");
        // Other tests run beside it.
        let patient: Vec<&str> = own.iter().map(|word| if *word == "20s" { "100s" } else { word }).collect();
        let again =
            slam(&[&["check", "--invariants", &list, "--json", &json][..], &patient, &[name]].concat());
        assert_eq!(again.verdict(), first.verdict(), "{name}\n{text}\n{}", again.stderr);
        let result = std::fs::read_to_string(&json).expect("it was written");
        let result: Value = serde_json::from_str(&result).expect("the result is JSON");
        let shown = is_shown(&result);
        assert_eq!(shown.len(), facts, "{name}\n{text}");
        // What the abstraction or bounds reach may need what they reach elsewhere; everything else was shown by itself.
        let lines = text.lines().filter(|line| !line.starts_with("//"));
        for (line, shown) in lines.zip(&shown) {
            let elsewhere = line.ends_with("// abstraction") || line.ends_with("// computed");
            assert!(*shown || elsewhere, "{name}: {line}\n{}", again.stdout);
        }
        Some((facts, shown.iter().filter(|shown| **shown).count()))
    });
    let told: Vec<(usize, usize)> = results.into_iter().flatten().collect();
    let (facts, shown) = told.iter().fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
    assert!(
        every * told.len() >= 20 && every * facts >= 200 && 20 * shown >= 19 * facts,
        "{} files, {shown} of {facts}",
        told.len()
    );
}

#[test]
fn mistakes_are_told_at_their_places() {
    let body = "int i = 0; { int k = 3; k++; } @while (input() && i < 9) i++; assert(i <= 9);";
    let told = |line: &str| {
        let (run, result) = given(&program(body), line, &[]);
        assert_eq!(
            (run.code, result["verdict_line"].as_str()),
            (2, Some("VERDICT: ERROR(invariants)")),
            "{line}\n{}",
            run.stdout
        );
        let first = run.stderr.lines().next().unwrap_or_default().to_owned();
        let at = first.find("a.inv:").expect("the file is named");
        first[at..].to_owned()
    };
    let places = [
        ("// a comment\n  i <= 9\n", "a.inv:2:3: error: a line begins with FILE:LINE:"),
        ("a.c:5:\n", "a.inv:1:7: error: a condition is missing"),
        ("a.c:4: i <= 9\n", "a.inv:1:1: error: no loop begins at a.c:4; there are some in 5"),
        ("b.c:5: i <= 9\n", "a.inv:1:1: error: the program has no file `b.c`"),
        ("a.c:5: i <= 9\n\na.c:5: i <= m\n", "a.inv:3:13: error: there is no `m` in `main`"),
        ("a.c:5: loop: 0 <= k\n", "a.inv:1:19: error: `k` is not in scope there"),
        ("a.c:5: i = 9\n", "a.inv:1:10: error: `=` assigns"),
        ("a.c:5: i <=\n", "a.inv:1:12: error: expected an expression"),
        ("a.c:5: forall i in [0, 9: i\n", "a.inv:1:8: error: a range has the form"),
        ("a.c:3: exit of mine: i == 9\n", "a.inv:1:16: error: there is no function `mine` in this file"),
    ];
    for (line, message) in places {
        let first = told(line);
        assert!(first.starts_with(message), "{line}: {first}");
    }
    let file = testing::file("a.c", program(body));
    let run = slam(&["check", "--invariants", "/nowhere.inv", &file]);
    assert_eq!((run.verdict(), run.code), ("ERROR(invariants)", 2), "{}", run.stderr);
    let run = slam(&["check", "--dump-invariants", "/nowhere/a.inv", &file]);
    assert_eq!(run.code, 7, "{}", run.stderr);
    let run = slam(&["check", "--dump-invariants", &file, &file]);
    assert_eq!(run.code, 1, "{}", run.stderr);
}

#[test]
fn sources_are_what_is_used() {
    let body = "int i = 0, s = 0, n = input(); if (n < 0 || n > 999) return 0; @while (i < n) { s = s + i; i++; } \
        assert(2 * s == n * (n - 1));";
    let file = testing::file("a.c", program(body));
    // With a candidate induction is tried at once.
    let list = testing::file("a.inv", format!("{file}:5: i <= n + 7\n"));
    let with = |options: &[&str]| {
        let common = ["check", "-v", "--tune", "max-iterations=2", "--invariants", &list];
        let run = slam(&[&common[..], options, &[&file]].concat());
        let of = |word: &str| run.stderr.lines().any(|l| l.starts_with("holds: ") && l.ends_with(word));
        let used =
            [of("(observed)"), of("(computed)"), of("(conditions)"), run.stderr.contains("\nunrolled: ")];
        // Where other candidates are enough, nothing is solved.
        let solves = options == ["--tune", "without=observed,computed,conditions,bounds,unrolling"];
        assert_eq!(run.stderr.contains("\nHorn clauses: "), solves, "{}", run.stderr);
        (run.verdict().to_owned(), used, run)
    };
    let (verdict, used, run) = with(&["--tune", "without=nothing"]);
    assert!(verdict == "SAFE" && used[0], "{}", run.stderr);
    let used_by = vec![
        ("without=computed,conditions,solved,bounds,unrolling", [true, false, false, false]),
        ("without=observed,conditions,solved", [false, true, false, true]),
        ("without=observed,computed,solved,bounds,unrolling", [false, false, true, false]),
        ("without=observed,computed,conditions,solved,bounds,unrolling", [false; 4]),
        ("without=observed,computed,conditions,bounds,unrolling", [false; 4]),
    ];
    for (sources, expected) in testing::sample(used_by, 2) {
        let (verdict, used, run) = with(&["--tune", sources]);
        assert_eq!(used, expected, "{sources}\n{}", run.stderr);
        assert!(
            sources != "without=computed,conditions,solved,bounds,unrolling" || verdict == "SAFE",
            "{}",
            run.stderr
        );
    }
    let (_, used, run) = with(&["--tune", "without=observed,computed,conditions,solved,bounds,unrolling"]);
    assert!(used == [false; 4] && run.stderr.contains("induction over"), "{}", run.stderr);
    let (_, _, run) = with(&["--tune", "without=nothing,induction,unrolling"]);
    assert!(!run.stderr.contains("induction over"), "{}", run.stderr);
    assert!(run.stdout.contains("it was not tried"), "{}", run.stdout);
    // Without candidates there is no induction, and without these no check holds by bounds of integers.
    let none = slam(&[
        "check",
        "-v",
        "--tune",
        "without=observed,computed,conditions,solved,bounds,max-iterations=2",
        &file,
    ])
    .stderr;
    assert!(none.contains("\nunrolled: ") && !none.contains("induction over"), "{none}");
    let text = "int main(void) { int a[4] = {0}, i; for (i = 0; i < 4; i++) a[i] = i; return a[2] - 2; }\n";
    let file = testing::file("bounds.c", text);
    let bounds = |list: &str| slam(&["check", "-v", "--check", "bounds", "--without", list, &file]).stderr;
    assert!(bounds("nothing").contains("bounds of integers: "), "{}", bounds("nothing"));
    assert!(!bounds("bounds").contains("bounds of integers: "), "{}", bounds("bounds"));
    let run = slam(&["check", "--tune", "without=observed,guessed", &file]);
    assert!(run.code == 1 && run.stderr.contains("guessed"), "{}", run.stderr);
}

#[test]
fn what_is_not_shown_is_explained() {
    let body = "int i = 0, s = 0, n = input(); if (n < 0 || n > 999) return 0; @while (i < n) { s = s + i; i++; } \
        assert(2 * s == n * (n - 1));";
    let options = [
        "--explain-unknown",
        "--tune",
        "without=observed,computed,solved,bounds,unrolling,executions,max-iterations=1",
    ];
    let list = "a.c:5: i <= n && i < 100\na.c:5: s <= 3\n";
    let (run, result) = given(&program(body), list, &options);
    assert_eq!(run.verdict(), "UNKNOWN(iterations)", "{}", run.stdout);
    assert!(run.stdout.contains("  candidates for invariants that were not shown:\n"), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("a.c:5: i < 100 (given): is not kept by a turn with i = 99, after which i = 100\n"),
        "{}",
        run.stdout
    );
    let candidates = &result["explanation"]["candidates"];
    let listed = candidates["listed"].as_array().expect("a list");
    assert!(!listed.is_empty() && listed.len() <= 20, "{listed:?}");
    let bound = listed.iter().find(|c| c["invariant"] == "i < 100").expect("it is told");
    assert_eq!((&bound["moment"], &bound["source"]), (&"turn".into(), &"given".into()));
    assert_eq!((&bound["before"]["i"], &bound["values"]["i"]), (&"99".into(), &"100".into()));
    let size = |c: &Value| c["values"].as_object().map_or(0, serde_json::Map::len);
    assert!(listed.windows(2).all(|pair| size(&pair[0]) <= size(&pair[1])), "{listed:?}");
    assert!(!given(&program(body), list, &options[1..]).0.stdout.contains("candidates for invariants"));
}
