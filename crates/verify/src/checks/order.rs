//! Which checks control can reach after another one, whatever the data.

use base::Id;
use ir::{Callee, CheckId, EdgeId, EdgeKind, LocId, Op, ProcId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// A location of a procedure.
type Place = (ProcId, LocId);

/// The checks that some way through the control-flow graphs meets after this one. Calls may come back to any caller.
/// An error call is met where the condition before it is evaluated, so that what comes next is behind it whatever the
/// error call does.
pub(super) fn behind(program: &Program, check: CheckId) -> BTreeSet<CheckId> {
    let callers = program.callers();
    let mut pending: Vec<Place> = vec![];
    for (p, _, edge) in program.edges() {
        if matches!(edge.op, Op::Check(c, _) if c == check) {
            pending.extend([(p, edge.dst), (p, edge.src)]);
        }
    }
    if let [after, before] = pending[..] {
        pending = conditions(program, &callers, before);
        pending.push(after);
    }
    let mut out = BTreeSet::new();
    let mut seen: BTreeSet<Place> = pending.iter().copied().collect();
    let leaving: Vec<_> = program.procs.iter().map(ir::Proc::successors).collect();
    while let Some((p, at)) = pending.pop() {
        let proc = &program.procs[p];
        let mut next = vec![];
        for e in &leaving[p.index()][at] {
            let edge = &proc.edges[*e];
            next.push((p, edge.dst));
            match edge.op {
                Op::Check(c, _) => _ = out.insert(c),
                Op::Call { callee: Callee::Direct(q), .. } if program.procs[q].has_body => {
                    next.push((q, program.procs[q].entry));
                }
                _ => {}
            }
        }
        if at == proc.exit {
            let back = callers.get(&p).into_iter().flatten();
            next.extend(back.map(|(q, e)| (*q, program.procs[*q].edges[*e].dst)));
        }
        pending.extend(next.into_iter().filter(|place| seen.insert(*place)));
    }
    out
}

/// The places of the last conditions before this place.
fn conditions(
    program: &Program,
    callers: &BTreeMap<ProcId, Vec<(ProcId, EdgeId)>>,
    place: Place,
) -> Vec<Place> {
    let mut seen = BTreeSet::from([place]);
    let mut pending = vec![place];
    let mut out = vec![];
    while let Some((p, at)) = pending.pop() {
        let proc = &program.procs[p];
        let mut next: Vec<Place> = vec![];
        for edge in proc.edges.iter().filter(|e| e.dst == at) {
            match edge.kind {
                EdgeKind::Branch { .. } => out.push((p, edge.src)),
                EdgeKind::Statement | EdgeKind::Internal | EdgeKind::Implied => next.push((p, edge.src)),
            }
        }
        if at == proc.entry {
            let calls = callers.get(&p).into_iter().flatten();
            next.extend(calls.map(|(q, e)| (*q, program.procs[*q].edges[*e].src)));
        }
        pending.extend(next.into_iter().filter(|place| seen.insert(*place)));
    }
    out
}
