//! Thread counting abstraction: any number of threads that loops start.
//!
//! With [`Bounds::any`](super::Bounds::any) each thread that a loop starts is either *chosen*, at most one for
//! each procedure, or a member of a *crowd*. A chosen one is an ordinary thread. Members may be anywhere, each
//! time with any values in their variables, except where they hold a lock: how many are there, one or any
//! number, is part of the state, with what is known about their variables. One member at a time, the one that
//! moved last, has its variables. So members over-approximate the threads.
//!
//! Checks in members are ignored: for each execution in which a thread fails a check there is one in which that
//! thread is the chosen one. The same holds for what is not modelled. So if no check fails in the result, none
//! fails with any number of threads; a failure in the result proves nothing, and its check gets the kind
//! `Unmodelled`.

use super::Refused;
use super::build::{Build, Graph, Moment, Place, Thread};
use super::instance::{Action, Instance, Step};
use super::transitions::{Choice, Does};
use ir::expr::{BinOp, Expr, Lvalue, UnOp};
use ir::program::{HavocKind, Op, ProcId};
use std::collections::BTreeSet;

/// A member of a crowd that holds a lock, without what is unknown about it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Member {
    /// The thread that stands for the crowd.
    thread: usize,
    node: usize,
    /// The known values of its variables, by slot.
    known: Vec<(usize, i32)>,
}

/// How many threads are alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Number {
    /// One.
    One,
    /// Any number, none included.
    Any,
}

impl Moment {
    fn add(&mut self, member: Member) {
        match self.crowd.binary_search_by(|(other, _)| other.cmp(&member)) {
            Ok(n) => self.crowd[n].1 = Number::Any,
            Err(n) => self.crowd.insert(n, (member, Number::One)),
        }
    }
}

impl Graph {
    /// Whether the step is in a loop of the graph.
    pub(super) fn is_looped(&self, step: &Step) -> bool {
        self.crowd || self.cyclic[step.src]
    }
}

impl Build {
    /// The graphs of crowds, and their entry nodes.
    pub(super) fn crowds<'a>(&'a self, moment: &'a Moment) -> impl Iterator<Item = (usize, usize)> + 'a {
        let graphs = moment.threads.iter().map(|t| t.instance);
        graphs.filter(|g| self.graphs[*g].crowd).map(|g| (g, self.graphs[g].instance.entry))
    }

    /// The graphs of crowds, and the nodes at which members may be that do not move now.
    pub(super) fn anywhere<'a>(&'a self, moment: &'a Moment) -> impl Iterator<Item = (usize, usize)> + 'a {
        let holding = moment.crowd.iter().map(|(m, _)| (moment.threads[m.thread].instance, m.node));
        let free = self.crowds(moment).flat_map(|(g, entry)| {
            self.graphs[g].free.iter().map(move |node| (g, *node)).chain([(g, entry)])
        });
        holding.chain(free)
    }

    fn has_crowd(&self, moment: &Moment, root: ProcId) -> bool {
        moment.threads.iter().map(|t| &self.graphs[t.instance]).any(|graph| graph.crowd && graph.root == root)
    }

    /// Whether each procedure with which the thread starts others has a crowd already.
    pub(super) fn has_crowds(&self, moment: &Moment, graph: &Graph) -> bool {
        self.bounds.any && graph.starts.iter().all(|(root, looped)| *looped && self.has_crowd(moment, *root))
    }

    /// Ends a thread at this place; if it stands for a crowd, no member is active then.
    pub(super) fn end(&self, next: &mut Moment, thread: usize, place: Place) {
        let graph = &self.graphs[next.threads[thread].instance];
        if graph.crowd {
            next.values.forget(&graph.own);
        }
        next.threads[thread].place = if graph.crowd { Place::Idle } else { place };
    }

    /// The transitions that choose a member of a crowd to move next.
    pub(super) fn members(&self, moment: &Moment) -> Vec<Choice> {
        let mut out = vec![];
        for (thread, t) in moment.threads.iter().enumerate() {
            let graph = &self.graphs[t.instance];
            for node in graph.free.iter().copied().filter(|_| graph.crowd) {
                let member = Member { thread, node, known: vec![] };
                out.push(self.member(moment.clone(), &member));
            }
        }
        for (n, (member, number)) in moment.crowd.iter().enumerate() {
            let mut next = moment.clone();
            if *number == Number::One {
                next.crowd.remove(n);
            }
            out.push(self.member(next, member));
        }
        out
    }

    /// The transition to a member, which is not counted any more and moves next, from the one that moved last.
    fn member(&self, mut next: Moment, member: &Member) -> Choice {
        let thread = member.thread;
        let graph = &self.graphs[next.threads[thread].instance];
        if let Place::At(node) = next.threads[thread].place
            && graph.holds[node]
        {
            let known = next.values.known(&graph.own);
            next.add(Member { thread, node, known });
        }
        next.values.forget(&graph.own);
        next.values.restore(&member.known);
        next.threads[thread].place = Place::At(member.node);
        next.forced = Some(thread);
        let own = &graph.instance.own;
        let live = graph.instance.live[member.node].iter().filter(|v| own.contains(v));
        let mut ops: Vec<Op> = live
            .map(|v| {
                let place = Lvalue::var(*v, self.vars[*v].ty.clone());
                match self.tracked.get(&next.values, &place) {
                    Some(known) => Op::Assign(place.clone(), known.expression(&self.program, &place.ty)),
                    None => Op::Havoc(place, HavocKind::Unmodelled("slam_start".into())),
                }
            })
            .collect();
        if ops.is_empty() {
            ops.push(Op::Skip);
        }
        Choice { thread, step: None, does: Does::Ops(ops, Box::new(next)) }
    }

    /// Starts a thread as a member of a crowd; an error with the reason if that is not supported.
    pub(super) fn start_many(
        &mut self,
        next: &mut Moment,
        root: ProcId,
        dest: Option<&Lvalue>,
    ) -> Result<Result<Vec<Op>, &'static str>, Refused> {
        if !self.has_crowd(next, root) {
            let number = next.threads.len();
            if number >= self.bounds.threads {
                return Ok(Err("too many procedures are started as threads"));
            }
            let instance = self.graph((number, root, None, true))?;
            let mut own = self.graphs[instance].instance.own.iter();
            if own.any(|v| self.addressed.contains(v) || !self.vars[*v].ty.is_scalar()) {
                return Ok(Err("any number of threads with objects of their own to which pointers lead"));
            }
            next.threads.push(Thread { instance, place: Place::Idle, chosen: false });
        }
        // Its number is none that the others have.
        let op = match dest {
            Some(dest) => Op::Havoc(dest.clone(), HavocKind::Unmodelled("slam_start".into())),
            None => Op::Skip,
        };
        self.effect(next, &op);
        Ok(Ok(vec![op]))
    }

    /// Whether the thread that is awaited may be a member of a crowd.
    pub(super) fn may_join_member(&self, moment: &Moment, id: &Expr) -> bool {
        self.eval(moment, id).is_none() && self.crowds(moment).next().is_some()
    }
}

/// For each node whether the thread holds a lock there: it waited until that was zero, and set it to something
/// else.
pub(super) fn holds(instance: &Instance) -> Vec<bool> {
    let into = instance.entering();
    let waited = |step: &Step, lock: &Lvalue| match into[step.src][..] {
        [n] => matches!(&instance.steps[n].action, Action::Wait(e) if is_free(e, lock)),
        _ => false,
    };
    // `None` where no way to the node is known yet.
    let mut held: Vec<Option<BTreeSet<Lvalue>>> = vec![None; instance.nodes.len()];
    held[instance.entry] = Some(BTreeSet::new());
    let mut work = vec![instance.entry];
    while let Some(node) = work.pop() {
        let here = held[node].clone().expect("only such nodes are looked at");
        let steps = instance.nodes[node].out.iter().map(|n| {
            let (step, mut next) = (&instance.steps[*n], here.clone());
            if let Some(lv) = step.action.destination() {
                next.remove(lv);
                let taken = matches!(&step.action, Action::Op(Op::Assign(_, Expr::Const(n, _))) if *n != 0);
                if taken && lv.is_fixed() && waited(step, lv) {
                    next.insert(lv.clone());
                }
            }
            (step.dst, next)
        });
        let split = instance.nodes[node].split.map(|split| (split, here.clone()));
        for (to, next) in steps.chain(split).collect::<Vec<_>>() {
            let met = match &held[to] {
                None => next,
                Some(old) => old.intersection(&next).cloned().collect(),
            };
            if held[to].as_ref() != Some(&met) {
                held[to] = Some(met);
                work.push(to);
            }
        }
    }
    held.into_iter().map(|held| held.is_some_and(|held| !held.is_empty())).collect()
}

/// Whether the condition is that the lock is zero.
fn is_free(e: &Expr, lock: &Lvalue) -> bool {
    let is_lock = |e: &Expr| matches!(e, Expr::Load(lv) if **lv == *lock);
    match e {
        Expr::Cast(inner, _) => is_free(inner, lock),
        Expr::Unary(UnOp::Not, inner, _) => is_lock(inner),
        Expr::Binary(BinOp::Eq, l, r, _) => is_lock(l) && r.is_zero() || is_lock(r) && l.is_zero(),
        Expr::Binary(BinOp::Ne, l, r, _) => is_free(l, lock) && r.is_zero(),
        _ => false,
    }
}
