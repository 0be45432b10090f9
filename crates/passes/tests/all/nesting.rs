//! The nesting of loops.

use ir::LocId;
use ir::loop_nesting::{Part, nesting};

/// A loop that is entered in its middle, in one with its own head, behind which nothing comes back.
#[test]
fn loops_stand_in_loops() {
    let text = "model LP64; entry main;
proc void main(void) {
  entry L0; exit L6;
  L0: e0: skip; goto L1;
  L1: e1: skip; goto L2; e2: skip; goto L3; e3: skip; goto L5;
  L2: e4: skip; goto L3;
  L3: e5: skip; goto L2; e6: skip; goto L4;
  L4: e7: skip; goto L1;
  L5: e8: skip; goto L6;
  L6:
}
";
    let program = ir::parse::program(text).expect("it is a program");
    let proc = &program.procs[program.entry];
    let l = |n: usize| -> LocId { base::Id::from_index(n) };
    let inner = Part::Loop(l(2), vec![Part::Location(l(3))]);
    let outer = Part::Loop(l(1), vec![inner, Part::Location(l(4))]);
    let rest = [5, 6].map(|n| Part::Location(l(n)));
    assert_eq!(nesting(proc, 2), Some([vec![Part::Location(l(0)), outer], rest.to_vec()].concat()));
    assert_eq!(nesting(proc, 1), None);
}
