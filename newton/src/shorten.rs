//! Which calls on a path can be left out, since they are over and nothing behind them reads what they wrote.
//!
//! Invariant: each execution of the path, without the steps left out, is one of the shorter path, so that what refutes
//! the shorter one refutes the path. A call is left out only whole, and only when it returned, writes nothing that a
//! step kept may read, allocates nothing, and is not part of a recursion, whose activations share their names.

use alias::{AliasOracle, CellSet};
use ir::visit;
use ir::{Op, Path, PathStep, Program};
use std::collections::{BTreeMap, BTreeSet};

/// How often it is looked again which calls can go, now that more steps are kept.
const ROUNDS: usize = 30;

/// The path without the calls that can go; `None` if all are needed. If it cannot be executed, the whole path cannot.
pub fn shorten(program: &Program, oracle: &AliasOracle, path: &Path) -> Option<Path> {
    let steps = needed_steps(program, oracle, path)?.into_iter().map(|i| path.steps[i]);
    Some(Path { steps: steps.collect() })
}

/// The steps that are left when calls have gone.
fn needed_steps(program: &Program, oracle: &AliasOracle, path: &Path) -> Option<Vec<usize>> {
    let ends = returns(path);
    let mut candidates = Candidates { program, oracle, path, ends: &ends, quiet: BTreeMap::new() };
    // Calls that stay, by the step that enters them.
    let mut stay = BTreeSet::new();
    for _ in 0..ROUNDS {
        let (kept, left_out) = candidates.split(&stay);
        if left_out.is_empty() {
            return None;
        }
        let needed = candidates.needed(&kept);
        let before = stay.len();
        stay.extend(left_out.into_iter().filter(|enter| candidates.writes_some_of(*enter, &needed)));
        if stay.len() == before {
            return Some(kept);
        }
    }
    None
}

/// For each step that enters a call that returns: the step that leaves it.
pub(crate) fn returns(path: &Path) -> BTreeMap<usize, usize> {
    let (mut open, mut ends) = (vec![], BTreeMap::new());
    for (i, step) in path.steps.iter().enumerate() {
        match step {
            PathStep::Enter(..) => open.push(i),
            PathStep::Leave(..) => {
                open.pop().map(|enter| ends.insert(enter, i));
            }
            PathStep::Edge(..) => {}
        }
    }
    ends
}

struct Candidates<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    path: &'a Path,
    ends: &'a BTreeMap<usize, usize>,
    /// Whether a procedure allocates and frees nothing, its callees included.
    quiet: BTreeMap<ir::ProcId, bool>,
}

impl Candidates<'_> {
    /// The steps that are kept, and the calls left out, outermost ones only.
    fn split(&mut self, stay: &BTreeSet<usize>) -> (Vec<usize>, Vec<usize>) {
        let (mut kept, mut left_out) = (vec![], vec![]);
        let mut i = 0;
        while i < self.path.steps.len() {
            match self.ends.get(&i) {
                Some(end) if !stay.contains(&i) && self.may_go(i) => {
                    left_out.push(i);
                    i = end + 1;
                }
                _ => {
                    kept.push(i);
                    i += 1;
                }
            }
        }
        (kept, left_out)
    }

    fn may_go(&mut self, enter: usize) -> bool {
        let PathStep::Enter(p, e, callee) = self.path.steps[enter] else { return false };
        let gives = matches!(self.program.procs[p].edges[e].op, Op::Call { dest: Some(_), .. });
        !gives && !self.oracle.is_recursive(callee) && self.is_quiet(callee)
    }

    fn is_quiet(&mut self, proc: ir::ProcId) -> bool {
        if let Some(known) = self.quiet.get(&proc) {
            return *known;
        }
        // Everything that is called from here, each procedure once.
        let (mut met, mut open) = (BTreeSet::from([proc]), vec![proc]);
        let mut quiet = true;
        while let Some(next) = open.pop() {
            let edges = &self.program.procs[next].edges;
            quiet &= !edges.iter().any(|edge| matches!(edge.op, Op::Alloc { .. } | Op::Free(_)));
            open.extend(self.oracle.called_by(next).iter().filter(|q| met.insert(**q)));
        }
        self.quiet.insert(proc, quiet);
        quiet
    }

    /// What the steps may read.
    fn needed(&self, steps: &[usize]) -> CellSet {
        let mut needed = CellSet::new();
        let mut met = BTreeSet::new();
        for &i in steps {
            match self.path.steps[i] {
                PathStep::Edge(p, e) if met.insert((p, e)) => {
                    needed.extend_from(self.oracle.edge_refs(p, e));
                }
                // The callee's own steps are kept as well: only the arguments are read here.
                PathStep::Enter(p, e, _) if met.insert((p, e)) => {
                    visit::loads(&self.program.procs[p].edges[e].op, &mut |lv| {
                        _ = needed.insert(self.oracle.cell(lv))
                    });
                }
                _ => {}
            }
        }
        needed
    }

    /// Whether the call may write one of these. What is private to it is gone when it returns.
    fn writes_some_of(&self, enter: usize, needed: &CellSet) -> bool {
        let PathStep::Enter(p, e, callee) = self.path.steps[enter] else { return true };
        let own = self.oracle.mods(callee).iter();
        own.filter(|c| !self.oracle.is_private(*c)).any(|c| needed.contains(c))
            || self.oracle.edge_mods(p, e).intersects(needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alias::AliasMode;

    /// `count` writes a global of its own, `set` another one through a pointer, `both` calls them, `next` gives a value,
    /// and `keep` leaves memory behind.
    const PROGRAM: &str = r#"model LP64; entry start__;
global int a; global int b; global int *last;
check c0 reach in start__ "b is 3";
check c1 reach in start__ "a is 1";
proc void count(void) { entry L0; exit L1; L0: e0: a = a + 1; goto L1; L1: }
proc void set(int *p) { entry L0; exit L1; L0: e0: *p = 3; goto L1; L1: }
proc void both(void) { entry L0; exit L2; L0: e0: count(); goto L1; L1: e1: set(&b); goto L2; L2: }
proc int next(void) { return int ret__; entry L0; exit L1; L0: e0: ret__ = a; goto L1; L1: }
proc void keep(void) { entry L0; exit L1; L0: e0: last = alloc(4); goto L1; L1: }
proc void start__(void) {
  local int x;
  entry L0; exit L6;
  L0: e0: count(); goto L1;
  L1: e1: both(); goto L2;
  L2:
    e2: x = next(); goto L3;
    e6: skip; goto L3;
  L3: e3: keep(); goto L4;
  L4: e4: check(c0, b == 3); goto L5;
  L5: e5: check(c1, a == 1); goto L6;
  L6:
}
"#;

    const COUNT: &str = "start__ e0 -> count\ncount e0\nstart__ e0 <- count\n";
    const BOTH: &str = "start__ e1 -> both\nboth e0 -> count\ncount e0\nboth e0 <- count\n\
        both e1 -> set\nset e0\nboth e1 <- set\nstart__ e1 <- both\n";
    const NEXT: &str = "start__ e2 -> next\nnext e0\nstart__ e2 <- next\n";
    const KEEP: &str = "start__ e3 -> keep\nkeep e0\nstart__ e3 <- keep\n";

    /// The steps that are left; all of them if none can go.
    fn left(middle: &str, end: &str) -> Vec<usize> {
        let program = ir::parse::program(PROGRAM).expect("the text is a program");
        let oracle = AliasOracle::new(&program, AliasMode::Das);
        let text = format!("{COUNT}{BOTH}{middle}{KEEP}{end}");
        let path = crate::path_text::parse(&program, &text).expect("the text is a path");
        needed_steps(&program, &oracle, &path).unwrap_or_else(|| (0..path.steps.len()).collect())
    }

    #[test]
    fn calls_go_whose_effects_nobody_reads() {
        // Only `b` is read: `count` goes, by itself and inside of `both`.
        assert_eq!(left("start__ e6\n", "start__ e4"), [3, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        // What `next` gives comes from `a`, and the second check reads it as well.
        assert_eq!(left(NEXT, "start__ e4"), (0..18).collect::<Vec<_>>());
        assert_eq!(left("start__ e6\n", "start__ e4\nstart__ e5"), (0..17).collect::<Vec<_>>());
    }
}
