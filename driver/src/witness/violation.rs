//! Errors as the waypoints of their executions: results of functions that are inputs, branches, values of variables
//! that were never assigned, and at last the failing check.

use super::branches::branches;
use super::places::{At, Finder, Texts};
use super::scope::Scope;
use super::starts::Starts;
use super::{Branch, Place, Relation, Waypoint};
use crate::report::error::inside_model;
use crate::report::listing::Source;
use executions::Witness;
use interp::Value;
use ir::{Base, EdgeId, HavocKind, LocId, Op, PathStep, ProcId, VarId};
use std::collections::{BTreeMap, VecDeque};
use verify::Task;

/// The waypoints of an execution that fails a check.
///
/// # Errors
/// When the failing check is not in one of the program's files.
pub(super) fn waypoints(
    task: &Task,
    texts: &Texts,
    witness: &Witness,
) -> Result<Vec<(Place, Waypoint)>, String> {
    let read = witness.run.inputs.iter().filter(|input| input.kind == HavocKind::Uninit);
    let mut passed = Passed {
        finder: Finder { source: Source::of(task), texts },
        texts,
        uninitialised: read.map(|input| (input.proc, input.edge, input.read)).collect(),
        pending: vec![],
        calls: BTreeMap::new(),
        ways: BTreeMap::new(),
        starts: vec![],
        statements: BTreeMap::new(),
        out: vec![],
    };
    let branches = branches(passed.finder);
    for way in branches.ways {
        passed.ways.entry(way.edge).or_default().push((way.at, way.way));
    }
    passed.starts = branches.starts;
    for traced in &witness.run.trace {
        passed.step(traced);
    }
    let check = &task.whole.checks[witness.check];
    let (span, proc) = match inside_model(&task.whole, witness) {
        Some((call, _)) => (call, None),
        None => (check.span, Some(check.proc)),
    };
    let at = texts.start(&task.sources, span).filter(|at| texts.is_text(*at));
    let at = at.ok_or_else(|| format!("{} is in no file of the program", task.sources.short(span)))?;
    let function = proc.map_or("", |p| passed.finder.function(p));
    passed.out.push((texts.place(at, function), Waypoint::Target));
    Ok(passed.out)
}

struct Passed<'t> {
    finder: Finder<'t>,
    texts: &'t Texts,
    /// The reads of what nobody assigned, in order: where the memory begins its life, and whether the program reads it before
    /// it gets another value.
    uninitialised: VecDeque<(ProcId, EdgeId, bool)>,
    /// Variables whose value nobody assigned, until the next statement reports them.
    pending: Vec<(ProcId, VarId, i128)>,
    /// Where the call of an edge stands, of those that were met.
    calls: BTreeMap<(ProcId, EdgeId), Option<At>>,
    /// The branchings that edges settle.
    ways: BTreeMap<(ProcId, EdgeId), Vec<(At, Branch)>>,
    /// Where statements with conditions begin.
    starts: Vec<(At, (ProcId, LocId))>,
    /// Where statements begin, of the procedures for which that was asked.
    statements: BTreeMap<ProcId, BTreeMap<LocId, At>>,
    out: Vec<(Place, Waypoint)>,
}

impl Passed<'_> {
    fn step(&mut self, traced: &interp::TraceStep) {
        let program = self.finder.source.program;
        let PathStep::Edge(p, e) = traced.step else { return };
        let edge = &program.procs[p].edges[e];
        if program.procs[p].is_model() || p == program.entry {
            return;
        }
        self.tell(p, edge.src);
        if let Some(lv) = edge.op.destination() {
            self.pending.retain(|(_, v, _)| lv.base != Base::Var(*v));
        }
        let value = traced.values.first().map(|seen| seen.value);
        match &edge.op {
            Op::Havoc(lv, HavocKind::Uninit) => {
                let known = self.uninitialised.iter().position(|(q, d, _)| (*q, *d) == (p, e));
                let is_read = known.and_then(|n| self.uninitialised.remove(n)).is_some_and(|(.., read)| read);
                if let (Some(v), Some(Value::Int(n)), true) = (lv.as_var(), value, is_read) {
                    self.pending.push((p, v, n));
                }
            }
            op if self.finder.is_input(op) => {
                let finder = self.finder;
                let at = *self.calls.entry((p, e)).or_insert_with(|| finder.call_end(p, e));
                if let (Some(Value::Int(n)), Some(at)) = (value, at) {
                    self.push(at, p, Waypoint::Return(Relation::Equal, n));
                }
            }
            _ => {}
        }
        for (at, way) in self.ways.get(&(p, e)).cloned().unwrap_or_default() {
            self.push(at, p, Waypoint::Branching(way));
        }
    }

    /// Reports the values of pending variables where a statement begins.
    fn tell(&mut self, p: ProcId, l: LocId) {
        if self.pending.is_empty() {
            return;
        }
        let (finder, branches) = (self.finder, &self.starts);
        let own = self.statements.entry(p).or_insert_with(|| {
            let statements = Starts::of(finder, p).statements().map(|(at, l)| (l, at)).collect::<Vec<_>>();
            let branches = branches.iter().filter(|(_, (q, _))| *q == p).map(|(at, (_, l))| (*l, *at));
            branches.chain(statements).collect()
        });
        let Some(at) = own.get(&l).copied() else { return };
        let scope = Scope { source: self.finder.source, texts: self.texts, proc: p, at };
        for (proc, v, n) in std::mem::take(&mut self.pending) {
            if let Some(name) = scope.name(v).filter(|_| proc == p) {
                let condition = format!("{name} == {n}");
                self.push(at, p, Waypoint::Assumption(condition));
            }
        }
    }

    fn push(&mut self, at: At, p: ProcId, waypoint: Waypoint) {
        self.out.push((self.texts.place(at, self.finder.function(p)), waypoint));
    }
}
