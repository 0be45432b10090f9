//! Lines of the source that no check depends on, and lines that no execution reaches, for pages.
//!
//! Invariant: a line is called unreachable only if no execution reaches any part of it, and left out only if all its
//! operations were sliced away.

use alias::AliasOracle;
use base::IndexVec;
use ir::{Callee, EdgeKind, Expr, LocId, Op, ProcId, Program};
use results::Lines;
use std::collections::{BTreeMap, BTreeSet};
use verify::Task;

/// A location of a procedure.
type Place = (ProcId, LocId);

/// What is known of a line: of the edges that stand there.
#[derive(Clone, Copy, Default)]
struct Line {
    /// Some are reached.
    reached: bool,
    /// Some that do something are reached, and were sliced away.
    sliced: bool,
    /// Some that do something are reached, and were not.
    kept: bool,
}

/// The lines of these files, as results have them. `proof` is that of an answer that is SAFE.
pub(crate) fn special(task: &Task, proof: Option<&verify::cegar::Proof>, files: &[String]) -> Vec<Lines> {
    let lines = lines(task, &reached(task, proof));
    let of_file = |file: &String| {
        let ranges = |of: fn(&Line) -> bool| {
            let own = lines.iter().filter(|((name, _), line)| name == file && of(line));
            ranges(own.map(|((_, n), _)| *n))
        };
        let (sliced, unreachable) = (ranges(|l| l.sliced && !l.kept), ranges(|l| !l.reached));
        Lines { file: file.clone(), sliced, unreachable }
    };
    files.iter().map(of_file).collect()
}

/// Numbers that follow each other as ranges, the first and the last of each.
fn ranges(numbers: impl Iterator<Item = u32>) -> Vec<[u32; 2]> {
    let mut out: Vec<[u32; 2]> = vec![];
    for n in numbers {
        match out.last_mut().filter(|last| last[1] + 1 == n) {
            Some(last) => last[1] = n,
            None => out.push([n, n]),
        }
    }
    out
}

fn lines<'t>(task: &'t Task, reached: &BTreeSet<Place>) -> BTreeMap<(&'t str, u32), Line> {
    let mut out: BTreeMap<(&str, u32), Line> = BTreeMap::new();
    for body in &task.words.unused {
        let file = &task.sources.file(body.file).name;
        (body.start.line..=body.end.line).for_each(|n| _ = out.entry((file, n)).or_default());
    }
    for (p, e, edge) in task.whole.edges() {
        if task.whole.procs[p].is_model() || edge.kind == EdgeKind::Implied {
            continue;
        }
        let (start, end) = (edge.span.start.line, edge.span.end.line);
        let last = if edge.kind == EdgeKind::Statement { end.max(start) } else { start };
        let is_reached = reached.contains(&(p, edge.src));
        let does = is_reached && edge.op != Op::Skip;
        // Where threads take turns, locations know what was written.
        let is_turn = task.whole.turns.get((p, e)).is_some();
        let is_sliced = task.program.procs[p].edges[e].op == Op::Skip && !is_turn;
        for n in start..=last {
            let line = out.entry((&task.sources.file(edge.span.file).name, n)).or_default();
            line.reached |= is_reached;
            line.sliced |= does && is_sliced;
            line.kept |= does && !is_sliced;
        }
    }
    out
}

/// The locations that executions may reach.
fn reached(task: &Task, proof: Option<&verify::cegar::Proof>) -> BTreeSet<Place> {
    let mut out = by_graph(&task.program, &task.oracle);
    if let Some(proof) = proof {
        let proved = with_skips(&task.program, &proof.reached);
        out.retain(|place| proved.contains(place));
    }
    with_what_was_passed_over(task, out)
}

/// These locations, and those to which only edges lead that were sliced away: branches that are passed over, and calls.
fn with_what_was_passed_over(task: &Task, mut seen: BTreeSet<Place>) -> BTreeSet<Place> {
    let next: IndexVec<ProcId, _> = task.program.procs.iter().map(ir::Proc::successors).collect();
    let mut pending: Vec<Place> = seen.iter().copied().collect();
    while let Some((p, l)) = pending.pop() {
        let op = |e: ir::EdgeId| &task.program.procs[p].edges[e].op;
        let is_passed = next[p][l].iter().any(|e| *op(*e) == Op::Skip);
        for e in next[p][l].iter().copied().filter(|e| *op(*e) == Op::Skip || is_passed) {
            let whole = &task.whole.procs[p].edges[e];
            let callee = whole.op.calls().filter(|q| *op(e) == Op::Skip && task.whole.procs[*q].has_body);
            let start = callee.map(|q| (q, task.whole.procs[q].entry));
            let behind = (!whole.op.is_never()).then_some((p, whole.dst));
            pending.extend(start.into_iter().chain(behind).filter(|place| seen.insert(*place)));
        }
    }
    seen
}

/// The locations to which the graph leads from the program's entry, conditions that are constant apart.
fn by_graph(program: &Program, oracle: &AliasOracle) -> BTreeSet<Place> {
    let mut seen = BTreeSet::new();
    // Where executions go on when a procedure comes back.
    let mut behind: BTreeMap<ProcId, Vec<Place>> = BTreeMap::new();
    let start = |p: ProcId| (p, program.procs[p].entry);
    let mut pending = vec![start(program.entry)];
    // Undefined functions may call back.
    pending.extend(oracle.callbacks().iter().flat_map(|(.., targets)| targets).map(|p| start(*p)));
    let outgoing = program.procs.iter().map(|proc| {
        let mut out: BTreeMap<LocId, Vec<&ir::Edge>> = BTreeMap::new();
        proc.edges.iter().for_each(|edge| out.entry(edge.src).or_default().push(edge));
        out
    });
    let outgoing: IndexVec<ProcId, _> = outgoing.collect();
    while let Some((p, l)) = pending.pop() {
        if !seen.insert((p, l)) {
            continue;
        }
        if l == program.procs[p].exit {
            pending.extend(behind.get(&p).into_iter().flatten());
        }
        for edge in outgoing[p].get(&l).into_iter().flatten() {
            match &edge.op {
                Op::Assume(c) | Op::Check(_, c) if is_false(c) => {}
                Op::Call { callee: Callee::Direct(q), .. } if program.procs[*q].has_body => {
                    behind.entry(*q).or_default().push((p, edge.dst));
                    pending.push(start(*q));
                    if seen.contains(&(*q, program.procs[*q].exit)) {
                        pending.push((p, edge.dst));
                    }
                }
                _ => pending.push((p, edge.dst)),
            }
        }
    }
    seen
}

fn is_false(condition: &Expr) -> bool {
    condition.as_const() == Some(0)
}

/// The locations at which operations begin, and those from which nothing but `skip` leads to one or to the procedure's end.
fn with_skips(program: &Program, begun: &BTreeSet<Place>) -> BTreeSet<Place> {
    let mut out = begun.clone();
    out.extend(program.procs.iter_enumerated().map(|(p, proc)| (p, proc.exit)));
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (p, proc) in program.procs.iter_enumerated() {
            for edge in proc.edges.iter().rev().filter(|edge| edge.op == Op::Skip) {
                changed |= out.contains(&(p, edge.dst)) && out.insert((p, edge.src));
            }
        }
    }
    out
}
