//! No decision is taken by reading words: with every message of the process scrambled, the examples get the verdicts that
//! they declare, at the same places, and so do programs about which the answer is UNKNOWN, for the same reason.
//!
//! A process of its own: the switch is for the whole of it.

use tests::{declared, example_names, parallel, root, slam};

/// Programs without an answer, each with its reason and words of the sentence that gives it.
const UNKNOWN: [(&str, &str, &str); 3] = [
    (
        "int f(void); int main(void) { int a[2] = {0, 0}; int i = f(); a[i] = 1; assert(a[0] >= 0); return 0; }",
        "undefined behaviour",
        "outside of an array",
    ),
    (
        "void call(void (*)(void)); int n; void g(void) { n++; } int main(void) { int x = 1; call(g); assert(x == 1); return 0; }",
        "callback",
        "may call",
    ),
    (
        "#include <math.h>\nint main(void) { assert(cbrt(8.0) == 2.0); return 0; }",
        "no model: cbrt",
        "depends on",
    ),
];

#[test]
fn verdicts_stay_when_words_are_scrambled() {
    base::scramble_wordings();
    let names = example_names();
    let complaints = parallel(2, names.len(), |n| {
        let file = format!("examples/{}.c", names[n]);
        let (verdict, checks) = declared(&root().join(&file));
        let run = slam(&["check", &file, "--check", &checks, "--time-limit", "60s", "--certify"]);
        let said = run.verdict().split(['(', ' ']).next().unwrap_or_default();
        (said != verdict).then(|| format!("{file}: {}, not {verdict}", run.verdict()))
    });
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));

    for (n, (text, reason, words)) in UNKNOWN.iter().enumerate() {
        let file = testing::file(&format!("{n}.c"), format!("void assert(int);\n{text}\n"));
        let run = slam(&["check", &file, "--time-limit", "20s"]);
        assert_eq!(run.verdict(), format!("UNKNOWN({reason})"), "{text}\n{}", run.stdout);
        assert!(!run.stdout.contains(words), "they are scrambled: {}", run.stdout);
    }
}
