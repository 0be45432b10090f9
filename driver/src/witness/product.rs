//! The program restricted to the executions that a witness of an error means: a counter says which segment comes next, an
//! execution that meets its waypoint otherwise, or passes what is avoided, ends silently, and the check at the target fails in the last
//! segment only. So it is decided like any other program whether there is such an execution.
//!
//! Invariant: each execution of the restricted program that fails a check is one of the program that passes all waypoints in order
//! and fails the check at the last. Each of the program that does, and meets no waypoint otherwise, is one of the restricted one.

use super::goals::{Goal, Leg, legs};
use super::places::Texts;
use super::{Relation, Segment};
use crate::report::listing::Source;
use base::Span;
use ir::{
    BinOp, CheckId, CheckKind, Edge, EdgeId, EdgeKind, Expr, LocId, Location, Lvalue, Op, ProcId, Program,
    Type, Var, VarKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// Segments of a witness that are followed in this way.
const MOST: usize = 100;

/// What an event means while a segment comes next.
#[derive(Clone, Default)]
struct Effect {
    /// The next segment comes if this holds.
    passes: Option<Expr>,
    /// The execution ends if one of these holds.
    ends: Vec<Expr>,
}

/// What events mean, by the segments that come next.
type Effects = BTreeMap<usize, Effect>;

/// Restricts a program.
///
/// # Errors
/// Why that cannot be done; the program is as it was.
pub(crate) fn restrict(
    front: &mut cfront::Frontend,
    texts: &Texts,
    segments: &[Segment],
) -> Result<(), String> {
    let source = Source { program: &front.program, sources: &front.sources, words: Some(&front.words) };
    let legs = legs(source, texts, segments)?;
    if legs.len() > MOST {
        return Err(format!("the witness has more than {MOST} segments"));
    }
    let Some(Goal::Fails(targets)) = legs.last().map(|leg| &*leg.followed) else {
        return Err("the witness has no target".into());
    };
    let effects = effects(&front.program, &legs);
    let mut product = Product { counter: counter(&mut front.program), program: &mut front.program };
    for (event, effects) in effects {
        match event {
            Event::Before(p, e) => product.before_edge((p, e), &effects),
            Event::Edge(p, e) => product.behind_edge((p, e), &effects),
            Event::Location(p, l) => product.at_location((p, l), effects),
        }
    }
    product.only(targets, legs.len() - 1);
    Ok(())
}

/// Where a waypoint is met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// Before an edge.
    Before(ProcId, EdgeId),
    /// Behind an edge.
    Edge(ProcId, EdgeId),
    /// Before everything that leads on from a location.
    Location(ProcId, LocId),
}

/// The effects of the events that waypoints mention.
fn effects(program: &Program, legs: &[Leg]) -> BTreeMap<Event, Effects> {
    let mut out: BTreeMap<Event, Effects> = BTreeMap::new();
    for (n, Leg { avoided, followed }) in legs.iter().enumerate() {
        for (event, condition) in met(program, followed) {
            let effect = out.entry(event).or_default().entry(n).or_default();
            effect.ends.push(condition.clone().negated());
            effect.passes = Some(condition);
        }
        for (event, condition) in avoided.iter().flat_map(|goal| met(program, goal)) {
            out.entry(event).or_default().entry(n).or_default().ends.push(condition);
        }
    }
    out
}

/// Where a waypoint is met, and the condition under which it is passed there.
fn met(program: &Program, goal: &Goal) -> Vec<(Event, Expr)> {
    let edge = |(p, e): &(ProcId, EdgeId)| Event::Edge(*p, *e);
    match goal {
        Goal::Edges(right, wrong) => {
            let right = right.iter().map(|e| (edge(e), Expr::int(1)));
            right.chain(wrong.iter().map(|e| (edge(e), Expr::int(0)))).collect()
        }
        Goal::Enters(set) => set.iter().map(|(p, e)| (Event::Before(*p, *e), Expr::int(1))).collect(),
        Goal::Result(set, relation, n) => {
            set.iter().map(|e| (edge(e), result(program, *e, *relation, *n))).collect()
        }
        Goal::Holds(list) => list.iter().map(|(p, l, c)| (Event::Location(*p, *l), c.clone())).collect(),
        Goal::Fails(_) => vec![],
    }
}

/// Whether what an edge has written is such a number.
fn result(program: &Program, (p, e): (ProcId, EdgeId), relation: Relation, n: i128) -> Expr {
    let op = match relation {
        Relation::Equal => BinOp::Eq,
        Relation::Different => BinOp::Ne,
        Relation::AtMost => BinOp::Le,
        Relation::AtLeast => BinOp::Ge,
    };
    let written = program.procs[p].edges[e].op.destination().expect("it has a result that is used");
    let fits = written.ty.as_int().is_some_and(|ty| ty.min() <= n && n <= ty.max());
    let (least, below) = written.ty.as_int().map_or((0, false), |ty| (ty.min(), n < ty.min()));
    match (fits, op) {
        (true, op) => Expr::binary(op, written.clone().load(), Expr::Const(n, written.ty.clone())),
        // A number that the type does not have.
        (false, BinOp::Eq) => Expr::int(0),
        (false, BinOp::Ne) => Expr::int(1),
        (false, BinOp::Le) => Expr::int(i128::from(!below && n > least)),
        (false, _) => Expr::int(i128::from(below)),
    }
}

/// The counter, which is 0 when the program starts.
fn counter(program: &mut Program) -> Lvalue {
    let taken: BTreeSet<&str> = program.vars.iter().map(|v| v.name.as_str()).collect();
    let mut name = "segment__".to_owned();
    while taken.contains(name.as_str()) {
        name.push('_');
    }
    let (start, span) = (program.entry, program.procs[program.entry].span);
    let var = Var { name, ty: Type::INT, kind: VarKind::Global, span, data: None, align: 0, constant: None };
    let v = program.vars.push(var);
    program.globals.push(v);
    let counter = Lvalue::var(v, Type::INT);
    let behind = split(program, start, program.procs[start].entry);
    let op = Op::Assign(counter.clone(), Expr::int(0));
    let src = program.procs[start].entry;
    program.procs[start].edges.push(Edge { src, dst: behind, op, span, kind: EdgeKind::Internal });
    counter
}

/// A location from which everything leads on that led on from another one.
fn split(program: &mut Program, p: ProcId, l: LocId) -> LocId {
    let proc = &mut program.procs[p];
    let span = proc.locations[l].span;
    let behind = proc.locations.push(Location { span, labels: vec![], loop_head: false });
    for edge in proc.edges.iter_mut().filter(|edge| edge.src == l) {
        edge.src = behind;
    }
    if proc.exit == l {
        proc.exit = behind;
    }
    behind
}

/// The program at work.
struct Product<'p> {
    program: &'p mut Program,
    counter: Lvalue,
}

impl Product<'_> {
    /// The counter has this value.
    fn is(&self, op: BinOp, segment: usize) -> Expr {
        Expr::binary(op, self.counter.clone().load(), Expr::int(segment as i128))
    }

    fn location(&mut self, p: ProcId, span: Span) -> LocId {
        self.program.procs[p].locations.push(Location { span, labels: vec![], loop_head: false })
    }

    fn edge(&mut self, p: ProcId, (src, dst): (LocId, LocId), op: Op, span: Span) {
        self.program.procs[p].edges.push(Edge { src, dst, op, span, kind: EdgeKind::Internal });
    }

    /// Counts before an edge.
    fn before_edge(&mut self, (p, e): (ProcId, EdgeId), effects: &Effects) {
        let (src, span) = (self.program.procs[p].edges[e].src, self.program.procs[p].edges[e].span);
        let middle = self.location(p, span);
        self.program.procs[p].edges[e].src = middle;
        self.count(p, (src, middle), effects, span);
    }

    /// Counts behind an edge.
    fn behind_edge(&mut self, (p, e): (ProcId, EdgeId), effects: &Effects) {
        let (dst, span) = (self.program.procs[p].edges[e].dst, self.program.procs[p].edges[e].span);
        let middle = self.location(p, span);
        self.program.procs[p].edges[e].dst = middle;
        self.count(p, (middle, dst), effects, span);
    }

    /// Counts before everything that leads on from a location; one segment after the other, as it may pass several.
    fn at_location(&mut self, (p, l): (ProcId, LocId), effects: Effects) {
        let span = self.program.procs[p].locations[l].span;
        let behind = split(self.program, p, l);
        let (mut at, last) = (l, effects.len().saturating_sub(1));
        for (i, (segment, effect)) in effects.into_iter().enumerate() {
            let next = if i == last { behind } else { self.location(p, span) };
            self.count(p, (at, next), &Effects::from([(segment, effect)]), span);
            at = next;
        }
    }

    /// Ways from one location to another: one for each segment, on which what it means is done, and one for all others.
    fn count(&mut self, p: ProcId, (from, to): (LocId, LocId), effects: &Effects, span: Span) {
        for (segment, effect) in effects {
            let goes_on = effect.ends.iter().map(|ends| ends.clone().negated());
            let here = goes_on.fold(self.is(BinOp::Eq, *segment), Expr::and);
            let (stays, passes) = match &effect.passes {
                None => (Some(here), None),
                Some(passes) => (
                    (passes.as_const() != Some(1)).then(|| here.clone().and(passes.clone().negated())),
                    Some(here.and(passes.clone())),
                ),
            };
            if let Some(stays) = stays {
                self.edge(p, (from, to), Op::Assume(stays), span);
            }
            if let Some(passes) = passes {
                let middle = self.location(p, span);
                self.edge(p, (from, middle), Op::Assume(passes), span);
                let next = Op::Assign(self.counter.clone(), Expr::int(*segment as i128 + 1));
                self.edge(p, (middle, to), next, span);
            }
        }
        let others = effects.keys().map(|segment| self.is(BinOp::Ne, *segment)).reduce(Expr::and);
        let others = others.unwrap_or_else(|| Expr::int(1));
        self.edge(p, (from, to), Op::Assume(others), span);
    }

    /// These checks fail in the last segment only, and no others are asked for: an execution that fails one otherwise ends. What
    /// is not modelled is asked for as before.
    fn only(&mut self, targets: &BTreeSet<CheckId>, last: usize) {
        let elsewhere = self.is(BinOp::Ne, last);
        let checks = self.program.edges().filter_map(|(p, e, edge)| match &edge.op {
            Op::Check(check, condition) => Some((p, e, *check, condition.clone())),
            _ => None,
        });
        for (p, e, check, condition) in checks.collect::<Vec<_>>() {
            if self.program.checks[check].kind == CheckKind::Unmodelled {
                continue;
            }
            let fails_here = targets.contains(&check);
            let condition = if condition.ty() == Type::INT { condition } else { condition.truthy() };
            let Edge { dst, span, .. } = self.program.procs[p].edges[e];
            let middle = self.location(p, span);
            let edge = &mut self.program.procs[p].edges[e];
            let asked = if fails_here { condition.clone().or(elsewhere.clone()) } else { Expr::int(1) };
            (edge.op, edge.dst) = (Op::Check(check, asked), middle);
            self.edge(p, (middle, dst), Op::Assume(condition), span);
        }
    }
}
