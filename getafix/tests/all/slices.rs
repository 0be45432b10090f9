//! Questions that take long are asked slice by slice: the answers are those of the whole.

use crate::commands::run;
use bp::random::wide_copies;
use check::PATIENCE;

#[test]
fn getafix_answers_in_parts() {
    for differ in [false, true] {
        let text = wide_copies(differ);
        let out = run(&["-", "--label", "GOAL", "--stats", "--algorithm", "ef"], &text);
        let made = out.lines().find_map(|line| line.strip_prefix("STAT bdd-nodes-made: "));
        let made: u64 = made.expect("it is there").parse().expect("it is a number");
        assert!(made > PATIENCE && made < 2 * PATIENCE, "{made}");
        let end =
            if differ { "VERDICT: REACHABLE(GOAL)\nexit 10\n" } else { "VERDICT: UNREACHABLE\nexit 0\n" };
        assert!(out.ends_with(end), "{out}");
        // The last line of the trace shows a pair that differs.
        let differs = |line: &str| {
            let value = |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name));
            (0..14).any(|i| value(&format!("g{i}=")).is_some_and(|g| value(&format!("h{i}=")) != Some(g)))
        };
        let end = out.lines().find(|line| line.contains("GOAL: skip"));
        assert_eq!(end.is_some_and(differs), differ, "{out}");
    }
}
