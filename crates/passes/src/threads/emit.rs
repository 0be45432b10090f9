//! Writing the sequential program down.

use super::build::{Build, Moment, Place};
use super::deadlocks::Fault;
use super::explore::Run;
use super::transitions::{Choice, Does};
use base::{Id, IndexVec, Span};
use ir::expr::Expr;
use ir::program::{
    Callee, Check, CheckId, CheckKind, Edge, EdgeId, EdgeKind, LocId, Location, Op, Proc, ProcId, Program,
    Turn, Turns, VarId, VarKind,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The location at the end of the program.
const EXIT: usize = 0;
/// The one at its start.
const FIRST: usize = 1;

pub(super) struct Emitter {
    locations: IndexVec<LocId, Location>,
    edges: Vec<Edge>,
    known: FxHashMap<Moment, LocId>,
    checks: IndexVec<CheckId, Check>,
    /// The new number of each check of the program.
    renumbered: BTreeMap<CheckId, CheckId>,
    /// The checks that are made here.
    made: BTreeMap<(CheckKind, Span, String), CheckId>,
    turns: BTreeMap<EdgeId, Turn>,
    /// The procedure with the transitions.
    owner: ProcId,
    span: Span,
}

impl Emitter {
    pub(super) fn new(program: &Program) -> Emitter {
        let span = program.procs[program.entry].span;
        Emitter {
            // The exit.
            locations: IndexVec::from_elem(Location { span, labels: vec![], loop_head: false }, 1),
            edges: vec![],
            known: FxHashMap::default(),
            checks: IndexVec::new(),
            renumbered: BTreeMap::new(),
            made: BTreeMap::new(),
            turns: BTreeMap::new(),
            owner: program.procs.next_id(),
            span,
        }
    }

    fn fresh(&mut self, span: Span) -> LocId {
        self.locations.push(Location { span, labels: vec![], loop_head: false })
    }

    /// The location of a state.
    pub(super) fn location(&mut self, moment: Moment) -> LocId {
        if let Some(loc) = self.known.get(&moment) {
            return *loc;
        }
        let loc = self.fresh(self.span);
        self.known.insert(moment, loc);
        loc
    }

    /// Whether the state has a location.
    pub(super) fn has(&self, moment: &Moment) -> bool {
        self.known.contains_key(moment)
    }

    /// Adds a check that fails to a state whose transitions are not explored.
    pub(super) fn leave(&mut self, build: &Build, moment: &Moment) {
        let place = |(thread, instance, node): (usize, usize, usize)| {
            (thread, build.graphs[instance].instance.nodes[node].span)
        };
        // Where no thread goes on by itself, members of crowds may.
        let crowd = || build.crowds(moment).next().map(|_| (0, self.span));
        let Some((thread, span)) = moment.live().next().map(place).or_else(crowd) else { return };
        let what = "one of the interleavings of threads, which are too many";
        let does = Does::Unmodelled(what.into(), span);
        self.add(build, moment, vec![Run(vec![Choice { thread, step: None, does }])]);
    }

    /// Adds the runs from a state.
    pub(super) fn add(&mut self, build: &Build, moment: &Moment, runs: Vec<Run>) {
        let start = self.location(moment.clone());
        for Run(turns) in runs {
            let (mut src, last) = (start, turns.len() - 1);
            for (n, turn) in turns.into_iter().enumerate() {
                src = self.turn(build, src, turn, n == last);
            }
        }
        if moment.threads[0].place == Place::Ended {
            // The program ends with its first thread.
            self.edge(start, LocId::from_index(EXIT), Op::Skip, self.span, EdgeKind::Internal);
        }
    }

    /// Adds a transition; the `last` one of a run leads to the location of a state. Returns where it leads.
    fn turn(&mut self, build: &Build, src: LocId, turn: Choice, last: bool) -> LocId {
        if let Does::Fault(fault) = turn.does {
            return self.fault(build, src, turn.thread, *fault);
        }
        let step = turn.step.map(|(instance, n)| &build.graphs[instance].instance.steps[n]);
        let (span, kind) = step.map_or((self.span, EdgeKind::Internal), |s| (s.span, s.kind));
        if step.is_some() {
            self.locations[src].span = span;
        }
        let first = self.edges.len();
        let dst = match turn.does {
            Does::Repeat(op) => {
                self.edge(src, src, op, span, EdgeKind::Internal);
                src
            }
            Does::Unmodelled(what, at) => {
                let check = self.unmodelled(&what, at);
                let dead = self.fresh(at);
                self.edge(src, dead, Op::Check(check, Expr::int(0)), at, EdgeKind::Internal);
                dead
            }
            Does::Fault(_) => src,
            Does::Ops(ops, next) => {
                let dst = if last { self.location(*next) } else { self.fresh(span) };
                self.chain((src, dst), ops, span, kind, build);
                dst
            }
        };
        let thread = turn.thread as u32 + 1;
        let proc = step.map_or(build.program.entry, |s| s.proc);
        let added = (first..self.edges.len()).map(EdgeId::from_index);
        self.turns.extend(added.map(|e| (e, Turn { thread, proc })));
        dst
    }

    /// Adds a state that is an error: the pending steps of other threads, and a check.
    fn fault(&mut self, build: &Build, src: LocId, thread: usize, fault: Fault) -> LocId {
        let mut here = src;
        for (t, instance, n) in fault.others {
            let graph = &build.graphs[instance].instance;
            let ((span, proc), next) = (graph.site_of(n), self.fresh(fault.span));
            self.turns.insert(EdgeId::from_index(self.edges.len()), Turn { thread: t as u32 + 1, proc });
            self.edge(here, next, Op::Skip, span, EdgeKind::Statement);
            here = next;
        }
        let key = (fault.kind, fault.span, fault.message);
        let (checks, owner) = (&mut self.checks, self.owner);
        let made =
            |(kind, span, message): &(CheckKind, Span, String)| Check::new(*kind, *span, message, owner);
        let check = *self.made.entry(key).or_insert_with_key(|key| checks.push(made(key)));
        let dead = self.fresh(fault.span);
        let turn = Turn { thread: thread as u32 + 1, proc: fault.proc };
        self.turns.insert(EdgeId::from_index(self.edges.len()), turn);
        self.edge(here, dead, Op::Check(check, fault.unless), fault.span, EdgeKind::Statement);
        dead
    }

    fn chain(&mut self, (src, dst): (LocId, LocId), ops: Vec<Op>, span: Span, kind: EdgeKind, build: &Build) {
        let (mut here, last) = (src, ops.len() - 1);
        for (n, op) in ops.into_iter().enumerate() {
            let next = if n == last { dst } else { self.fresh(span) };
            let kind = if n == 0 { kind } else { EdgeKind::Internal };
            if let (Op::Check(_, e), true) = (&op, build.bounds.any) {
                let what = "a check that may fail if there are more threads, in some other order";
                let (check, behind) = (self.unmodelled(what, span), self.fresh(span));
                self.edge(here, behind, Op::Check(check, e.clone()), span, EdgeKind::Internal);
                here = behind;
            }
            let op = match op {
                Op::Check(c, e) => Op::Check(self.check(build, c), e),
                op => op,
            };
            self.edge(here, next, op, span, kind);
            here = next;
        }
    }

    fn edge(&mut self, src: LocId, dst: LocId, op: Op, span: Span, kind: EdgeKind) {
        self.edges.push(Edge { src, dst, op, span, kind });
    }

    fn check(&mut self, build: &Build, c: CheckId) -> CheckId {
        let (checks, proc) = (&mut self.checks, self.owner);
        let old = &build.program.checks[c];
        *self.renumbered.entry(c).or_insert_with(|| checks.push(Check { proc, ..old.clone() }))
    }

    fn unmodelled(&mut self, what: &str, at: Span) -> CheckId {
        let (checks, owner) = (&mut self.checks, self.owner);
        let check = || checks.push(Check::new(CheckKind::Unmodelled, at, what, owner));
        *self.made.entry((CheckKind::Unmodelled, at, what.to_owned())).or_insert_with(check)
    }

    /// The program whose entry procedure calls the one with the transitions.
    pub(super) fn finish(mut self, build: &Build) -> Program {
        if self.edges.is_empty() {
            // No check is left: all executions may end at once.
            let [exit, first] = [EXIT, FIRST].map(LocId::from_index);
            self.edge(first, exit, Op::Skip, self.span, EdgeKind::Internal);
        }
        let mut program = build.program.clone();
        let (owner, span) = (self.owner, self.span);
        program.vars = build.vars.clone();
        for proc in program.procs.iter_mut().filter(|p| p.has_body) {
            let plain = Proc::new(proc.name.clone(), proc.ty.clone(), false, proc.span);
            *proc = Proc { origin: proc.origin, ..plain };
        }
        let locals = own_variables(&mut program, owner);
        program.checks = self.checks;
        program.turns = Turns::new(self.turns.into_iter().map(|(e, turn)| ((owner, e), turn)).collect());
        mark_loops(&mut self.locations, &self.edges);
        let ty = program.procs[program.entry].ty.clone();
        let taken: BTreeSet<String> = program.procs.iter().map(|p| p.name.clone()).collect();
        let name = fresh_name("threads__", &taken);
        let [exit, first] = [EXIT, FIRST].map(LocId::from_index);
        program.procs.push(Proc {
            locals,
            locations: self.locations,
            edges: IndexVec::from_vec(self.edges),
            entry: first,
            exit,
            ..Proc::new(name, ty, true, span)
        });
        let entry = &mut program.procs[program.entry];
        let location = Location { span, labels: vec![], loop_head: false };
        entry.has_body = true;
        entry.locations = IndexVec::from_elem(location, 2);
        (entry.entry, entry.exit) = (first, exit);
        let op = Op::Call { dest: None, callee: Callee::Direct(owner), args: vec![] };
        entry.edges.push(Edge { src: first, dst: exit, op, span, kind: EdgeKind::Internal });
        program
    }
}

/// Gives the procedure all variables that are not globals and belong to no other; they get names that differ.
fn own_variables(program: &mut Program, owner: ProcId) -> Vec<VarId> {
    let globals: BTreeSet<VarId> = program.globals.iter().copied().collect();
    let of = |p: &Proc| p.formals.iter().chain(&p.locals).copied().collect::<Vec<_>>();
    let others: BTreeSet<VarId> = program.procs.iter().flat_map(of).collect();
    let is_own = |v: &VarId| !globals.contains(v) && !others.contains(v);
    let own: Vec<VarId> = program.vars.ids().filter(is_own).collect();
    let mut taken: BTreeSet<String> = globals.iter().map(|v| program.vars[*v].name.clone()).collect();
    for v in &own {
        let var = &mut program.vars[*v];
        var.kind = match var.kind {
            VarKind::Temp(_) | VarKind::Return(_) => VarKind::Temp(owner),
            _ => VarKind::Local(owner),
        };
        var.name = fresh_name(&var.name, &taken);
        taken.insert(var.name.clone());
    }
    own
}

fn fresh_name(wish: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{wish}__{n}"));
    std::iter::once(wish.to_owned())
        .chain(numbered)
        .find(|n| !taken.contains(n))
        .expect("some number is free")
}

/// Marks the locations to which a depth-first walk comes back.
fn mark_loops(locations: &mut IndexVec<LocId, Location>, edges: &[Edge]) {
    let mut out = vec![vec![]; locations.len()];
    edges.iter().for_each(|edge| out[edge.src.index()].push(edge.dst));
    let mut state = vec![0u8; locations.len()];
    let mut stack = vec![(LocId::from_index(FIRST), 0)];
    state[FIRST] = 1;
    while let Some((loc, at)) = stack.last_mut() {
        match out[loc.index()].get(*at).copied() {
            Some(next) => {
                *at += 1;
                match state[next.index()] {
                    0 => {
                        state[next.index()] = 1;
                        stack.push((next, 0));
                    }
                    1 => locations[next].loop_head = true,
                    _ => {}
                }
            }
            None => {
                state[loc.index()] = 2;
                stack.pop();
            }
        }
    }
}
