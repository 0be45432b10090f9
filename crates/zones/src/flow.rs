//! The fixed point: states at all locations of all procedures. A procedure is analysed once for all its calls: it
//! starts with what they have in common, and the state behind a call gets the bounds at its exit of the places that
//! both name.

use super::bounds::{Bounds, Term};
use super::dims::{self, Dims};
use super::effects::{Asker, Behind, Call, Callee, Effect};
use super::order::{self, Order};
use super::sizes::Sizes;
use super::state::Frame;
use super::zone::{NONE, Zone};
use alias::{AliasOracle, stable_formals};
use base::IndexVec;
use ir::{BinOp, EdgeId, Expr, LocId, Op, ProcId, Program};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// Joins at a loop before bounds that still grow go to the next threshold.
const PATIENCE: u32 = 3;

/// Joins at a loop before they are given up. At the entry of a procedure that does not call itself, this many and one
/// for each call are no sign that bounds grow for ever, as they do when the states behind one call are those of the
/// next.
const LAST: u32 = 40;

/// Rounds in which the states are computed again from each other, without widening.
const NARROWINGS: usize = 2;

/// The states of one procedure, as unions of zones; none where no execution comes.
pub(crate) type States = IndexVec<LocId, Vec<Zone>>;

/// Most zones in a union. Where loops begin, and at the entries of procedures, there is one.
const ZONES: usize = 4;

/// What is computed of one procedure.
pub(crate) struct Part {
    pub(crate) dims: Dims,
    effects: IndexVec<EdgeId, Effect>,
    order: Order,
    callers: BTreeSet<(ProcId, EdgeId)>,
    pub(crate) states: States,
    joins: IndexVec<LocId, u32>,
}

/// The computation.
pub(crate) struct Flow<'a> {
    program: &'a Program,
    pub(crate) parts: IndexVec<ProcId, Part>,
    ranks: IndexVec<ProcId, usize>,
    queue: BTreeSet<(usize, usize, ProcId, LocId)>,
    effort: u64,
}

/// The work that is left was not done.
pub(crate) struct GaveUp;

impl<'a> Flow<'a> {
    /// Prepares the computation of at most so much effort, in elementary steps on zones.
    pub(crate) fn new(program: &'a Program, oracle: &AliasOracle, effort: u64) -> Flow<'a> {
        let globals = dims::globals(program);
        let sizes = Sizes::new(program);
        let mut all: IndexVec<ProcId, Dims> =
            program.procs.ids().map(|p| Dims::new(program, oracle, p, &globals, &sizes)).collect();
        let stable: IndexVec<ProcId, _> =
            program.procs.ids().map(|p| stable_formals(program, oracle, p)).collect();
        let effects: Vec<IndexVec<EdgeId, Effect>> = program
            .procs
            .iter_enumerated()
            .map(|(p, proc)| {
                let asker = Asker { program, oracle, p, dims: &all[p] };
                let callee = |q: ProcId| Callee { dims: &all[q], stable: &stable[q] };
                proc.edges.iter_enumerated().map(|(e, edge)| asker.effect(e, edge, &callee)).collect()
            })
            .collect();
        let mut callers = program.callers();
        let parts =
            effects.into_iter().zip(program.procs.iter_enumerated()).map(|(effects, (p, proc))| Part {
                dims: std::mem::replace(&mut all[p], Dims::none()),
                effects,
                order: Order::new(program, p, oracle.is_recursive(p)),
                callers: callers.remove(&p).unwrap_or_default().into_iter().collect(),
                states: IndexVec::from_elem(vec![], proc.locations.len()),
                joins: IndexVec::from_elem(0, proc.locations.len()),
            });
        let parts = parts.collect();
        Flow { program, parts, ranks: order::ranks(program, oracle), queue: BTreeSet::new(), effort }
    }

    fn frame(&self, p: ProcId) -> Frame<'_> {
        frame(self.program, &self.parts[p].dims)
    }

    /// Computes the states.
    ///
    /// # Errors
    /// When the run was stopped, or the effort was not enough: what there is then is not a fixed point.
    pub(crate) fn run(&mut self, stop: &AtomicBool) -> Result<(), GaveUp> {
        let entry = self.program.entry;
        let first = self.frame(entry).any();
        self.join(entry, self.program.procs[entry].entry, first);
        while let Some((_, _, p, at)) = self.queue.pop_first() {
            if stop.load(Ordering::Relaxed) {
                return Err(GaveUp);
            }
            self.visit(p, at)?;
        }
        for _ in 0..NARROWINGS {
            self.narrow(stop)?;
        }
        Ok(())
    }

    fn visit(&mut self, p: ProcId, at: LocId) -> Result<(), GaveUp> {
        let program = self.program;
        let proc = &program.procs[p];
        if at == proc.exit {
            for (caller, e) in self.parts[p].callers.clone() {
                let src = program.procs[caller].edges[e].src;
                if !self.parts[caller].states[src].is_empty() {
                    self.enqueue(caller, src);
                }
            }
        }
        for i in 0..self.parts[p].order.successors[at].len() {
            let e = self.parts[p].order.successors[at][i];
            for before in self.parts[p].states[at].clone() {
                self.pay(p)?;
                if let Some(call) = &self.parts[p].effects[e].call {
                    let q = call.callee;
                    if let Some(given) = self.given(p, call, &before) {
                        self.pay(q)?;
                        self.join(q, program.procs[q].entry, given);
                    }
                }
                for after in self.after(p, e, before) {
                    self.join(p, proc.edges[e].dst, after);
                }
            }
        }
        Ok(())
    }

    fn pay(&mut self, p: ProcId) -> Result<(), GaveUp> {
        let size = self.parts[p].dims.list.len() as u64 + 4;
        self.effort = self.effort.checked_sub(size * size).ok_or(GaveUp)?;
        Ok(())
    }

    fn enqueue(&mut self, p: ProcId, at: LocId) {
        self.queue.insert((self.ranks[p], self.parts[p].order.numbers[at], p, at));
    }

    /// The location is reached with these states too.
    fn join(&mut self, p: ProcId, at: LocId, new: Zone) {
        let part = &mut self.parts[p];
        let states = &mut part.states[at];
        if states.iter().any(|old| old.includes(&new)) {
            return;
        }
        let is_head = part.order.heads.contains(&at);
        match states.as_slice() {
            [old] if is_head || at == self.program.procs[p].entry => {
                let more = if is_head { 0 } else { LAST + part.callers.len() as u32 };
                part.joins[at] += 1;
                let both = old.joined(&new);
                states[0] = match part.joins[at] {
                    n if n <= PATIENCE + more => both,
                    n if n <= LAST + more => {
                        let mut wide = old.widened(&both, &part.order.thresholds);
                        wide.close();
                        wide
                    }
                    _ => old.widened(&both, &[]),
                };
            }
            _ => add(states, new),
        }
        self.enqueue(p, at);
    }

    /// Computes each state once more from those before it.
    fn narrow(&mut self, stop: &AtomicBool) -> Result<(), GaveUp> {
        let mut procs: Vec<ProcId> = self.program.procs.ids().collect();
        // Callers first: what they pass is sharper then.
        procs.sort_by_key(|p| std::cmp::Reverse(self.ranks[*p]));
        for p in procs {
            for i in 0..self.parts[p].order.order.len() {
                if stop.load(Ordering::Relaxed) {
                    return Err(GaveUp);
                }
                let at = self.parts[p].order.order[i];
                if !self.parts[p].states[at].is_empty() {
                    let again = self.again(p, at)?;
                    self.parts[p].states[at] = again;
                }
            }
        }
        Ok(())
    }

    fn again(&mut self, p: ProcId, at: LocId) -> Result<Vec<Zone>, GaveUp> {
        let program = self.program;
        let mut all: Vec<Zone> = vec![];
        for i in 0..self.parts[p].order.predecessors[at].len() {
            let e = self.parts[p].order.predecessors[at][i];
            for before in self.parts[p].states[program.procs[p].edges[e].src].clone() {
                self.pay(p)?;
                self.after(p, e, before).into_iter().for_each(|after| add(&mut all, after));
            }
        }
        if at == program.procs[p].entry {
            if p == program.entry {
                add(&mut all, self.frame(p).any());
            }
            for (caller, e) in self.parts[p].callers.clone() {
                self.pay(p)?;
                let Some(call) = &self.parts[caller].effects[e].call else { continue };
                for before in &self.parts[caller].states[program.procs[caller].edges[e].src] {
                    self.given(caller, call, before).into_iter().for_each(|given| add(&mut all, given));
                }
            }
        }
        if at == program.procs[p].entry || self.parts[p].order.heads.contains(&at) {
            all = all.into_iter().reduce(|a, b| a.joined(&b)).into_iter().collect();
        }
        Ok(all)
    }

    /// The states behind an edge; none when no execution takes it.
    fn after(&self, p: ProcId, e: EdgeId, before: Zone) -> Vec<Zone> {
        let effect = &self.parts[p].effects[e];
        if let Some(call) = &effect.call {
            let exits = &self.parts[call.callee].states[self.program.procs[call.callee].exit];
            return exits
                .iter()
                .filter_map(|exit| self.behind(p, (call, exit), effect, before.clone()))
                .collect();
        }
        if let Op::Assume(Expr::Binary(BinOp::Or, one, other, _)) = &self.program.procs[p].edges[e].op {
            // Cases stay apart.
            let frame = self.frame(p);
            let first = frame.refined(before.clone(), one);
            let rest = frame.refined(before, &(**one).clone().negated());
            return first.into_iter().chain(rest.and_then(|zone| frame.refined(zone, other))).collect();
        }
        self.step(p, e, before).into_iter().collect()
    }

    fn step(&self, p: ProcId, e: EdgeId, before: Zone) -> Option<Zone> {
        let (frame, effect) = (self.frame(p), &self.parts[p].effects[e]);
        let op = &self.program.procs[p].edges[e].op;
        match op {
            Op::Assume(condition) | Op::Check(_, condition) => frame.refined(before, condition),
            _ => {
                let mut zone = before;
                for n in &effect.assigned {
                    zone = frame.assigned(&zone, *n, &value(&frame, &zone, op, *n))?;
                }
                effect.forgotten.iter().for_each(|n| frame.forget(&mut zone, *n));
                Some(zone)
            }
        }
    }

    /// The states at the entry of a procedure that is called in these.
    fn given(&self, p: ProcId, call: &Call, before: &Zone) -> Option<Zone> {
        let frame = self.frame(p);
        let values: Vec<(usize, Bounds)> =
            call.entry.iter().map(|(n, e)| (*n, frame.bounds(before, e))).collect();
        let mut out = self.frame(call.callee).any();
        out.meet(between(before, &values).into_iter()).then_some(out)
    }

    /// The states behind a call that begins in these and ends in those.
    fn behind(&self, p: ProcId, (call, exit): (&Call, &Zone), effect: &Effect, before: Zone) -> Option<Zone> {
        let frame = self.frame(p);
        let mut zone = before;
        effect.forgotten.iter().chain(&effect.assigned).for_each(|n| frame.forget(&mut zone, *n));
        // A place of the callee is a term of the caller.
        let mut terms: Vec<(usize, Term)> = vec![(0, Term::number(0))];
        for (n, behind) in &call.exit {
            match behind {
                Behind::Place(place) => terms.push((*n, Term::place(*place))),
                Behind::Argument(e) => {
                    let given = frame.bounds(&zone, e);
                    // The callee does not end so for this argument.
                    let below = given.low(&zone).is_some_and(|low| low > exit.bound(*n, 0));
                    if below || given.high(&zone) < -exit.bound(0, *n) {
                        return None;
                    }
                    let Bounds { upper, lower } = given;
                    terms.extend(upper.into_iter().filter(|t| lower.contains(t)).map(|t| (*n, t)));
                }
            }
        }
        let mut found = vec![];
        for (i, a) in &terms {
            for (j, b) in terms.iter().filter(|(j, _)| j != i) {
                let bound = exit.bound(*i, *j);
                if let Some(t) = a.less(*b).filter(|t| bound != NONE && t.plus != t.minus) {
                    found.push((t.plus, t.minus, bound - t.number));
                }
            }
        }
        zone.meet(found.into_iter()).then_some(zone)
    }
}

/// Adds a zone to a union; the two that have most in common become one where they are too many.
fn add(zones: &mut Vec<Zone>, new: Zone) {
    if zones.iter().any(|old| old.includes(&new)) {
        return;
    }
    zones.retain(|old| !new.includes(old));
    zones.push(new);
    if zones.len() > ZONES {
        let pairs = (0..zones.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let (i, j) = pairs.max_by_key(|(i, j)| zones[*i].common(&zones[*j])).expect("there are two");
        let (a, b) = (zones.remove(i), zones.remove(j));
        add(zones, a.joined(&b));
    }
}

/// The frame of a procedure with these places.
pub(crate) fn frame<'a>(program: &'a Program, dims: &'a Dims) -> Frame<'a> {
    Frame { dims, program }
}

/// Bounds of the differences of values, and of the values themselves.
fn between(zone: &Zone, values: &[(usize, Bounds)]) -> Vec<(usize, usize, i128)> {
    let zero = (0, Bounds { upper: vec![Term::number(0)], lower: vec![Term::number(0)] });
    let all: Vec<&(usize, Bounds)> = values.iter().chain([&zero]).collect();
    let mut out = vec![];
    for (i, a) in &all {
        for (j, b) in all.iter().filter(|(j, _)| j != i) {
            let terms = a.upper.iter().flat_map(|x| b.lower.iter().filter_map(|y| x.less(*y)));
            out.extend(terms.map(|t| t.greatest(zone)).min().map(|bound| (*i, *j, bound)));
        }
    }
    out
}

/// The value that a place gets from an operation that assigns it.
fn value(frame: &Frame<'_>, zone: &Zone, op: &Op, place: usize) -> Bounds {
    let place = frame.dims.place(place);
    if place.asked.is_some() {
        return match op {
            Op::Assign(_, e) => frame.bounds(zone, &place.of(e.clone())),
            _ => Bounds::default(),
        };
    }
    match op {
        Op::Assign(_, e) => frame.bounds(zone, e),
        Op::Alloc { may_fail: false, .. } => Bounds { upper: vec![], lower: vec![Term::number(1)] },
        Op::Inspect { query, .. } => {
            let bounds = |end: Option<i128>| end.map(Term::number).into_iter().collect();
            let (low, high) = query.range();
            Bounds { upper: bounds(high), lower: bounds(low) }
        }
        _ => Bounds::default(),
    }
}
