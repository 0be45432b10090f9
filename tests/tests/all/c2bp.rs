//! The binary `c2bp`, and the answers that it and `slam check` keep between runs.

use std::fs;
use std::path::Path;
use testing::text;
use tests::{Run, binary, slam};

fn classic(name: &str, more: &[&str]) -> Run {
    let (file, predicates) =
        (format!("examples/classics/{name}.c"), format!("examples/classics/{name}.preds"));
    binary("c2bp", &[&[file.as_str(), "--predicates", predicates.as_str()], more].concat())
}

/// The second run asks nothing and writes the same; a file that was tampered with is not believed.
#[test]
fn answers_are_kept() {
    let folder = testing::folder();
    let (cache, first, second) = (folder.join("answers"), folder.join("1.bp"), folder.join("2.bp"));
    let run = |out: &Path| classic("kmp", &["-o", text(out), "--query-cache", text(&cache), "--stats"]);
    assert_eq!(run(&first).code, 0);
    let kept = fs::read_to_string(&cache).expect("the answers are kept");
    let again = run(&second);
    assert!(again.stderr.contains("0 by syntax, 0 by the prover"), "{}", again.stderr);
    assert!(again.stderr.contains("0 by calls of the prover"), "{}", again.stderr);
    let read = |path: &Path| fs::read_to_string(path).expect("the boolean program is written");
    assert_eq!(read(&first), read(&second));

    // An answer is changed, and the checksum is not.
    let (at, _) = kept.match_indices("\tc(").next().expect("some question has an answer");
    let mut wrong = kept.clone();
    wrong.replace_range(at + 1..at + 2, "i");
    fs::write(&cache, &wrong).expect("a scratch file can be written");
    let damaged = run(&second);
    assert!(
        damaged.stderr.contains("warning: ") && damaged.stderr.contains("it is damaged"),
        "{}",
        damaged.stderr
    );
    assert_eq!(read(&first), read(&second));
    assert_eq!(fs::read_to_string(&cache).expect("it is written anew"), kept);

    // Somebody else's file is left alone.
    fs::write(&cache, "int main() {}").expect("a scratch file can be written");
    let refused = run(&second);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert_eq!(fs::read_to_string(&cache).expect("it is there"), "int main() {}");
}

/// The same for the loop.
#[test]
fn the_loop_keeps_answers() {
    let folder = testing::folder();
    let cache = folder.join("answers");
    let args = |cache: &Path| {
        let args = ["check", "examples/spinlock_safe.c", "--stats", "--query-cache", text(cache)];
        args.map(str::to_owned)
    };
    let run = || slam(&args(&cache).each_ref().map(String::as_str));
    let (first, second) = (run(), run());
    let stat = |run: &Run, name: &str| -> u64 {
        let line =
            run.stdout.lines().find_map(|l| l.strip_prefix(&format!("STAT {name}: ")).map(str::to_owned));
        line.and_then(|v| v.parse().ok()).expect("statistics are numbers")
    };
    let answer = |run: &Run| -> String {
        run.stdout.lines().filter(|l| !l.starts_with("STAT ")).map(|l| format!("{l}\n")).collect()
    };
    assert!(stat(&first, "prover-calls") > 0);
    assert_eq!((stat(&second, "prover-calls"), stat(&second, "questions-by-prover")), (0, 0));
    assert_eq!(stat(&first, "questions"), stat(&second, "questions"));
    assert_eq!(answer(&first), answer(&second));
    fs::write(&cache, "else\n").expect("a scratch file can be written");
    assert_eq!((run().verdict(), run().code), ("ERROR(query cache)", 2));
}

#[test]
fn lines_without_statements() {
    let run = classic("quicksort", &["--explain", "11"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = classic("quicksort", &["--explain", "8"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("has no statement in line 8"), "{}", run.stderr);
    assert_eq!(classic("quicksort", &["--explain", "soon"]).code, 1);
    let run = classic("quicksort", &["--explain", "quicksort.c:11"]);
    assert!(run.stdout.starts_with("examples/classics/quicksort.c:11: "), "{}", run.stdout);
}
