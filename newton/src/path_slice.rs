//! The conditions of a path that decide whether its end is reached (path slices, \[JM05\]): backwards from the end, an
//! assignment matters that may write what a condition behind it reads, and a branch if its other side may write such a
//! thing, or may lead past what matters behind it.
//!
//! A contradiction among these conditions refutes the path, since they are some of its conditions. Without one, an
//! execution with such inputs may go another way where that makes no difference, and get to the same end: the
//! interpreter decides.

use crate::shorten;
use alias::{AliasOracle, CellKind, CellSet};
use ir::{Callee, EdgeId, Expr, LocId, Op, Path, PathStep, ProcId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// The steps whose conditions matter.
pub(crate) fn conditions(program: &Program, oracle: &AliasOracle, path: &Path) -> BTreeSet<usize> {
    // For each step that leaves a call: the step that entered it.
    let enters: BTreeMap<usize, usize> =
        shorten::returns(path).into_iter().map(|(enter, leave)| (leave, enter)).collect();
    let mut slicer = Slicer {
        program,
        oracle,
        live: CellSet::new(),
        frames: vec![],
        graphs: BTreeMap::new(),
        between: BTreeMap::new(),
        kept: BTreeSet::new(),
    };
    let mut left = path.steps.len();
    while let Some(i) = left.checked_sub(1) {
        left = i;
        match path.steps[i] {
            PathStep::Edge(p, e) => slicer.edge(i, p, e, i + 1 == path.steps.len()),
            PathStep::Enter(p, e, callee) => slicer.enter(p, e, callee),
            PathStep::Leave(p, e, callee) => {
                if !slicer.leave(p, e, callee)
                    && let Some(enter) = enters.get(&i)
                {
                    left = *enter;
                }
            }
        }
    }
    slicer.kept
}

/// The locations of a procedure, by the edges between them.
struct Graph {
    successors: base::IndexVec<LocId, Vec<EdgeId>>,
    predecessors: base::IndexVec<LocId, Vec<EdgeId>>,
}

/// What executions may do between two locations of a procedure.
struct Between {
    /// They may miss the second one, other than by never ending or ending in a call.
    may_miss: bool,
    /// What they may write before they come there.
    written: CellSet,
}

struct Slicer<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    /// What is read behind.
    live: CellSet,
    /// Of each activation: where the first step that matters begins.
    frames: Vec<LocId>,
    graphs: BTreeMap<ProcId, Graph>,
    between: BTreeMap<(ProcId, LocId, LocId), Between>,
    kept: BTreeSet<usize>,
}

impl Slicer<'_> {
    fn read(&mut self, e: &Expr) {
        let oracle = self.oracle;
        e.loads(&mut |lv| _ = self.live.insert(oracle.cell(lv)));
    }

    fn edge(&mut self, i: usize, p: ProcId, e: EdgeId, last: bool) {
        let edge = &self.program.procs[p].edges[e];
        if last {
            self.frames.push(edge.src);
        }
        let matters = match &edge.op {
            Op::Assume(_) | Op::Check(..) => {
                let matters = last || self.decides(p, edge.src);
                if matters {
                    self.kept.insert(i);
                }
                matters
            }
            _ => self.oracle.edge_mods(p, e).intersects(&self.live),
        };
        if !matters {
            return;
        }
        self.starts_at(edge.src);
        if let Op::Assign(dest, _) | Op::Havoc(dest, _) = &edge.op {
            self.forget(p, self.oracle.cell(dest));
        }
        self.live.extend_from(self.oracle.edge_refs(p, e));
    }

    /// The cell is written whole.
    fn forget(&mut self, p: ProcId, cell: alias::CellId) {
        if matches!(self.oracle.cell_kind(cell), CellKind::Scalar { .. }) && !self.oracle.is_recursive(p) {
            self.live.remove(cell);
        }
    }

    fn starts_at(&mut self, at: LocId) {
        if let Some(frame) = self.frames.last_mut() {
            *frame = at;
        }
    }

    /// Whether a branch there may lead past what matters, or change it.
    fn decides(&mut self, p: ProcId, at: LocId) -> bool {
        let Some(target) = self.frames.last().copied() else { return true };
        let proc = &self.program.procs[p];
        let graph = self
            .graphs
            .entry(p)
            .or_insert_with(|| Graph { successors: proc.successors(), predecessors: proc.predecessors() });
        let oracle = self.oracle;
        let between = self.between.entry((p, at, target)).or_insert_with(|| {
            // Locations that come before the target, and such as are reached without it.
            let mut before = BTreeSet::from([target]);
            let mut open = vec![target];
            while let Some(to) = open.pop() {
                let sources = graph.predecessors[to].iter().map(|e| proc.edges[*e].src);
                open.extend(sources.filter(|from| before.insert(*from)));
            }
            let (mut may_miss, mut written) = (false, CellSet::new());
            let mut reached = BTreeSet::from([at]);
            let mut open = if at == target { vec![] } else { vec![at] };
            while let Some(from) = open.pop() {
                may_miss |= from == proc.exit || graph.successors[from].is_empty();
                for e in &graph.successors[from] {
                    let edge = &proc.edges[*e];
                    if matches!(&edge.op, Op::Assume(c) if c.is_zero()) {
                        may_miss = true;
                        continue;
                    }
                    if before.contains(&edge.dst) {
                        written.extend_from(oracle.edge_mods(p, *e));
                    }
                    if edge.dst != target && reached.insert(edge.dst) {
                        open.push(edge.dst);
                    }
                }
            }
            Between { may_miss, written }
        });
        between.may_miss || between.written.intersects(&self.live)
    }

    /// Backwards into a call that returned, if it matters; whether it does.
    fn leave(&mut self, p: ProcId, e: EdgeId, callee: ProcId) -> bool {
        let edge = &self.program.procs[p].edges[e];
        let Op::Call { dest, .. } = &edge.op else { return false };
        let result =
            dest.as_ref().map(|dest| self.oracle.cell(dest)).filter(|cell| self.live.contains(*cell));
        let is_written = |cell| self.live.contains(cell) && !self.oracle.is_private(cell);
        let matters = result.is_some()
            || self.oracle.is_recursive(callee)
            || self.oracle.mods(callee).iter().any(is_written);
        if !matters {
            return false;
        }
        if let (Some(cell), Some(dest)) = (result, dest) {
            self.forget(p, cell);
            self.read(&dest.clone().addr());
            if let Some(ret) = self.program.procs[callee].ret {
                self.live.insert(self.oracle.cell(&self.program.lvalue(ret)));
            }
        }
        self.starts_at(edge.src);
        self.frames.push(self.program.procs[callee].exit);
        true
    }

    /// Backwards out of the procedure to its call.
    fn enter(&mut self, p: ProcId, e: EdgeId, callee: ProcId) {
        let edge = &self.program.procs[p].edges[e];
        if let Op::Call { args, callee: Callee::Direct(_), .. } = &edge.op {
            for (formal, arg) in self.program.procs[callee].formals.iter().zip(args) {
                let cell = self.oracle.cell(&self.program.lvalue(*formal));
                if self.live.contains(cell) {
                    self.forget(callee, cell);
                    self.read(arg);
                }
            }
        }
        self.frames.pop();
        match self.frames.last_mut() {
            Some(frame) => *frame = edge.src,
            None => self.frames.push(edge.src),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alias::AliasMode;

    /// Branches that make no difference to the check behind (`e1`, `e2`), write what is read (`e4`, `e5`), may end the run
    /// (`e7`, `e8`), or are in calls that matter (`set`) or do not (`count`).
    const PROGRAM: &str = r#"model LP64; entry start__;
global int a; global int b;
check c0 reach in start__ "b is 3";
proc void count(int by) {
  entry L0; exit L2;
  L0: e0: assume(by < 2); goto L1; e1: assume(by >= 2); goto L1;
  L1: e2: a = a + by; goto L2;
  L2:
}
proc void set(int to) {
  entry L0; exit L2;
  L0: e0: assume(to < 9); goto L1; e1: assume(to >= 9); goto L2;
  L1: e2: b = to; goto L2;
  L2:
}
proc void start__(void) {
  local int x; local int y;
  entry L0; exit L9;
  L0: e0: havoc(x, input "input"); goto L1;
  L1: e1: assume(x > 5); goto L2; e2: assume(x <= 5); goto L2;
  L2: e3: y = x; goto L3;
  L3: e4: assume(a < 7); goto L4; e5: assume(a >= 7); goto L5;
  L4: e6: y = 2; goto L5;
  L5: e7: assume(x != 8); goto L6; e8: assume(x == 8); goto L9;
  L6: e9: count(x); goto L7;
  L7: e10: set(y); goto L8;
  L8: e11: check(c0, b != 3); goto L9;
  L9:
}
"#;

    #[test]
    fn conditions_matter_that_change_what_is_read_or_lead_past_it() {
        let program = ir::parse::program(PROGRAM).expect("the text is a program");
        let oracle = AliasOracle::new(&program, AliasMode::Das);
        let steps = [
            "start__ e0",
            "start__ e1",
            "start__ e3",
            "start__ e5",
            "start__ e7",
            "start__ e9 -> count",
            "count e1",
            "count e2",
            "start__ e9 <- count",
            "start__ e10 -> set",
            "set e0",
            "set e2",
            "start__ e10 <- set",
            "start__ e11",
        ];
        let path = crate::path_text::parse(&program, &(steps.join("\n") + "\n")).expect("the text is a path");
        let kept = conditions(&program, &oracle, &path);
        let kept: Vec<&str> = kept.into_iter().map(|i| steps[i]).collect();
        assert_eq!(kept, ["start__ e5", "start__ e7", "set e0", "start__ e11"]);
    }
}
