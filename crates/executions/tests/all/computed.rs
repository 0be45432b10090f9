//! The computation of bounds terminates.

use alias::{AliasMode, AliasOracle};
use ir::parse;
use std::sync::atomic::AtomicBool;

/// A counter's value behind one call is its value before the next, which is circular for a computation that analyses
/// the procedure once for all its calls.
#[test]
fn calls_that_come_after_each_other_do_not_count_for_ever() {
    let call = |n: usize| format!("L{n}: x = next(); goto L{};", n + 1);
    let text = format!(
        "entry main; global int n;
         proc int next(void) {{ return int ret__; entry L0; exit L2; L0: ret__ = n; goto L1; L1: n = n + 1; goto L2; L2: }}
         proc void main(void) {{ local int x; entry L0; exit L4; L0: n = 0; goto L1; {} {} {} L4: }}",
        call(1),
        call(2),
        call(3)
    );
    let program = parse::program(&text).unwrap_or_else(|e| panic!("{e:?}"));
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let effort = 1_000_000;
    let computed = zones::compute(&program, &oracle, effort, &AtomicBool::new(false)).expect("it ends soon");
    let next = program.procs.ids().find(|p| program.procs[*p].name == "next").expect("it is there");
    let facts = computed.facts(next, program.procs[next].entry);
    let facts: Vec<String> = facts.iter().map(|e| ir::print::expr(&program, e)).collect();
    assert_eq!(facts, ["n >= 0"]);
}
