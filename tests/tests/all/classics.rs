//! The five classics of predicate abstraction, in `examples/classics/`: with the predicates beside them, `c2bp` makes
//! boolean programs that `bebop` proves, and with one line of the C text broken it does not.
//!
//! These run the two binaries as a user does, one after the other.

use std::fs;
use testing::file;
use tests::{Run, binary, declared_verdict, root, slam};

/// The boolean program of a C text, written to the scratch folder.
fn abstracted(name: &str, text: &str) -> String {
    let [c, bp] = [(".c", text), (".bp", "")].map(|(ending, text)| file(&format!("{name}{ending}"), text));
    let predicates = format!("examples/classics/{name}.preds");
    let run = binary("c2bp", &[&c, "--predicates", &predicates, "-o", &bp]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "c2bp on {name}");
    bp
}

fn checked(name: &str, text: &str) -> Run {
    binary("bebop", &[&abstracted(name, text)])
}

/// The program is proved, and is not with `wrong` in the place of `right`.
fn check(name: &str, right: &str, wrong: &str) {
    let path = root().join(format!("examples/classics/{name}.c"));
    assert_eq!(declared_verdict(&path), "SAFE");
    let text = fs::read_to_string(path).expect("an example is a text file");
    assert_eq!(text.matches(right).count(), 1, "`{right}` stands once in {name}.c");
    assert!(text.contains("MARK:"), "{name}.c marks where its property is checked");

    let proved = checked(name, &text);
    assert_eq!((proved.verdict(), proved.code), ("UNREACHABLE", 0), "{name}:\n{}", proved.stdout);
    let broken = checked(name, &text.replace(right, wrong));
    assert!(broken.verdict().starts_with("REACHABLE("), "{name}, broken:\n{}", broken.stdout);
    assert_eq!(broken.code, 10);
}

#[test]
fn partition() {
    check("partition", "prev = curr;", "prev = rest;");
}

#[test]
fn search() {
    check("search", "at->val == key)", "at->val >= key)");
}

#[test]
fn reverse() {
    check("reverse", "done = todo;", "done = rest;");
}

#[test]
fn kmp() {
    check("kmp", "if (j == m)", "if (j > m)");
}

#[test]
fn quicksort() {
    check("quicksort", "while (i < j && data[i] <= pivot)", "while (data[i] <= pivot)");
}

/// Without being given predicates, the loop finds such for four of them. (Knuth, Morris and Pratt's search needs
/// invariants over three loops and a call that it does not come upon.)
#[test]
fn the_loop_finds_predicates() {
    for name in ["partition", "search", "reverse", "quicksort"] {
        let run = slam(&["check", &format!("examples/classics/{name}.c"), "--time-limit", "60s"]);
        assert_eq!((run.verdict(), run.code), ("SAFE", 0), "{name}:\n{}\n{}", run.stdout, run.stderr);
    }
}
