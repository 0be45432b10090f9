//! The transitions from a state.

use super::build::{Build, Moment, Place, Thread};
use super::deadlocks::{Can, Fault};
use super::explore::Whose;
use super::instance::{Action, Step};
use super::known::Known;
use super::{Refused, access};
use base::Span;
use ir::expr::{BinOp, Expr, Lvalue};
use ir::program::{HavocKind, Op, ProcId, VarId};
use std::sync::Arc;

/// A transition: operations of one thread, and where they lead.
pub(super) struct Choice {
    pub(super) thread: usize,
    /// Its step; `None` where the thread halts.
    pub(super) step: Option<(usize, usize)>,
    pub(super) does: Does,
}

/// The effect of a transition.
pub(super) enum Does {
    /// The operations, the first of which is the step's own in the source.
    Ops(Vec<Op>, Box<Moment>),
    /// The operation any number of times.
    Repeat(Op),
    /// Something that is not modelled.
    Unmodelled(Arc<str>, Span),
    /// The state is an error.
    Fault(Box<Fault>),
}

impl Build {
    /// The transitions to be explored, and whose they are: those of one thread if no other can do anything that
    /// interferes with them, unless the state is `opened`; else all.
    pub(super) fn turns(&mut self, moment: &Moment, opened: bool) -> Result<(Vec<Choice>, Whose), Refused> {
        let (mut turns, whose) = self.steps(moment, opened)?;
        if moment.split.is_none() {
            turns.extend(self.races(moment));
            turns.extend(self.deadlock(moment));
        }
        Ok((turns, whose))
    }

    fn steps(&mut self, moment: &Moment, opened: bool) -> Result<(Vec<Choice>, Whose), Refused> {
        if let Some(split) = &moment.split {
            return Ok((self.both(moment, split), Whose::Only));
        }
        if let Some((thread, _)) = moment.atomic {
            return Ok((self.of_thread(moment, thread, false)?, Whose::Only));
        }
        if let Some(thread) = moment.forced {
            return Ok((self.of_thread(moment, thread, true)?, Whose::Only));
        }
        let live: Vec<_> = moment.live().collect();
        let alone = self.crowds(moment).next().is_none();
        if let ([(thread, ..)], true) = (&live[..], alone) {
            let thread = *thread;
            return Ok((self.of_thread(moment, thread, false)?, Whose::All));
        }
        for (thread, ..) in live.iter().filter(|_| !opened) {
            if let Some(turns) = self.alone(moment, *thread)? {
                return Ok((turns, Whose::One));
            }
        }
        let mut turns = vec![];
        for (thread, ..) in live {
            turns.extend(self.of_thread(moment, thread, true)?);
        }
        turns.extend(self.members(moment));
        Ok((turns, Whose::All))
    }

    /// The transitions of a thread, if no other can do anything that interferes with them.
    fn alone(&mut self, moment: &Moment, thread: usize) -> Result<Option<Vec<Choice>>, Refused> {
        let Thread { instance, place: Place::At(at), .. } = moment.threads[thread] else { return Ok(None) };
        let graph = &self.graphs[instance].instance;
        let out = graph.nodes[at].out.clone();
        // Which thread is awaited, and so whether it has ended, is not known here.
        let open = |n: &usize| match &graph.steps[*n].action {
            Action::Join { id, .. } => self.eval(moment, id).is_none(),
            _ => false,
        };
        // Whether it waits must be known where deadlocks are checked.
        let waits = self.faults.deadlock && !matches!(self.can_move(moment, thread), Some(Can::Always));
        if waits || out.iter().any(open) || self.conflicts(moment, thread, &out) {
            return Ok(None);
        }
        let mut turns = self.of_thread(moment, thread, false)?;
        if turns.is_empty() {
            return Ok(None);
        }
        // The others go on where this thread cannot.
        if self.may_halt(moment, thread) {
            let next = self.halted(moment, thread);
            let does = Does::Ops(vec![Op::Skip], Box::new(next));
            turns.push(Choice { thread, step: None, does });
        }
        Ok(Some(turns))
    }

    /// Splits on an unknown truth value of a thread: one transition for each.
    fn both(&self, moment: &Moment, (thread, place): &(usize, Lvalue)) -> Vec<Choice> {
        let turn = |value: i128| {
            let mut next = Moment { split: None, ..moment.clone() };
            self.assign(&mut next.values, place, Some(Known::Number(value)));
            let is = Expr::binary(BinOp::Eq, place.clone().load(), Expr::Const(value, place.ty.clone()));
            let does = Does::Ops(vec![Op::Assume(is)], Box::new(self.settled(next, *thread)));
            Choice { thread: *thread, step: None, does }
        };
        [0, 1].into_iter().map(turn).collect()
    }

    fn halted(&self, moment: &Moment, thread: usize) -> Moment {
        let mut next = moment.clone();
        self.end(&mut next, thread, Place::Halted);
        next.values.forget(&self.graphs[next.threads[thread].instance].own);
        next
    }

    /// The transitions of one thread; if `seen` is false, no other thread can observe that one of them takes
    /// several accesses.
    fn of_thread(&mut self, moment: &Moment, thread: usize, seen: bool) -> Result<Vec<Choice>, Refused> {
        let Thread { instance, place: Place::At(at), .. } = moment.threads[thread] else { return Ok(vec![]) };
        let node = &self.graphs[instance].instance.nodes[at];
        let mut out = node.out.clone();
        if seen && (node.whole || node.split.is_some()) && self.conflicts(moment, thread, &out) {
            if node.whole && self.graphs[instance].crowd {
                return Ok(vec![]);
            }
            if node.whole {
                let message = "memory of several scalars that threads share is accessed at once";
                let step = out.first().map(|n| (instance, *n));
                let does = Does::Unmodelled(message.into(), node.span);
                return Ok(vec![Choice { thread, step, does }]);
            }
            if let Some(split) = node.split {
                out = self.graphs[instance].instance.nodes[split].out.clone();
            }
        }
        let mut turns = vec![];
        for n in out {
            let step = self.graphs[instance].instance.steps[n].clone();
            let step = Step { action: self.named(moment, &step.action), ..step };
            for does in self.step(moment, thread, &step, seen)? {
                turns.push(Choice { thread, step: Some((instance, n)), does });
            }
        }
        Ok(turns)
    }

    fn step(
        &mut self,
        moment: &Moment,
        thread: usize,
        step: &Step,
        seen: bool,
    ) -> Result<Vec<Does>, Refused> {
        let go = |ops, next: Moment| vec![Does::Ops(ops, Box::new(next))];
        let mut next = Moment { forced: None, ..moment.clone() };
        next.threads[thread].place = Place::At(step.dst);
        let crowd = self.graphs[moment.threads[thread].instance].crowd;
        let ops = match &step.action {
            Action::Op(op) => {
                let known = match op {
                    Op::Assume(e) | Op::Check(_, e) => self.truth(moment, e),
                    _ => None,
                };
                let op = match (op, known) {
                    (Op::Assume(_), Some(false)) => return Ok(vec![]),
                    (Op::Assume(_) | Op::Check(..), Some(true)) => Op::Skip,
                    // The chosen thread fails it, too.
                    (Op::Check(..), _) if crowd => Op::Skip,
                    _ => op.clone(),
                };
                self.effect(&mut next, &op);
                if matches!(op, Op::Check(..)) && known == Some(false) {
                    // The execution ends.
                    next.threads.iter_mut().for_each(|t| t.place = Place::Halted);
                    next.crowd.clear();
                    return Ok(go(vec![op], next));
                }
                if let Op::Havoc(lv, _) = &op
                    && self.is_split(&op)
                    && self.tracked.slot(lv).is_some()
                {
                    next.split = Some(Box::new((thread, lv.clone())));
                }
                let mut out = vec![];
                if seen && self.is_foreign(&op) {
                    out.push(self.repeated(moment, without_result(&op)));
                }
                let next = self.settled(next, thread);
                out.extend(go(vec![op], next));
                return Ok(out);
            }
            Action::Wait(e) => match self.truth(moment, e) {
                Some(false) => return Ok(vec![]),
                Some(true) => vec![Op::Skip],
                None => vec![Op::Assume(e.clone())],
            },
            Action::Begin => {
                let ops = match self.can_move(moment, thread) {
                    Some(Can::Never) => return Ok(vec![]),
                    Some(Can::If(e)) if self.faults.deadlock => vec![Op::Assume(e)],
                    _ => vec![Op::Skip],
                };
                let depth = next.atomic.map_or(0, |(_, depth)| depth);
                next.atomic = Some((thread, depth + 1));
                ops
            }
            Action::End => {
                let depth = next.atomic.map_or(0, |(_, depth)| depth);
                next.atomic = (depth > 1).then(|| (thread, depth - 1));
                vec![Op::Skip]
            }
            Action::Reset(vars) => {
                let live = &self.graphs[moment.threads[thread].instance].instance.live[step.dst];
                let ops: Vec<Op> = vars.iter().filter(|v| live.contains(v)).map(|v| self.fresh(*v)).collect();
                vars.iter().for_each(|v| next.values.forget(&self.tracked.of(*v)));
                if ops.is_empty() { vec![Op::Skip] } else { ops }
            }
            Action::Unmodelled(_) if crowd => return Ok(vec![]),
            Action::Unmodelled(what) => return Ok(vec![Does::Unmodelled(what.clone(), step.span)]),
            Action::Start { dest, root, arg } => {
                return self.starts((next, thread), step, (*root, arg), dest.as_ref());
            }
            Action::Join { dest, id } => return Ok(self.join(&next, thread, dest.as_ref(), id)),
        };
        let next = self.settled(next, thread);
        Ok(go(ops, next))
    }

    /// An operation that writes something unknown before it ends.
    fn repeated(&self, moment: &Moment, op: Op) -> Does {
        let mut behind = Moment { forced: None, ..moment.clone() };
        behind.values.forget(&self.pointed_slots);
        if behind == *moment { Does::Repeat(op) } else { Does::Ops(vec![op], Box::new(behind)) }
    }

    fn fresh(&self, v: VarId) -> Op {
        super::inline::fresh(&self.vars, v)
    }

    /// Starts a thread; in a loop, with [`Bounds::any`](super::Bounds::any), also as a member of a crowd.
    fn starts(
        &mut self,
        (next, thread): (Moment, usize),
        step: &Step,
        (root, arg): (ProcId, &Expr),
        dest: Option<&Lvalue>,
    ) -> Result<Vec<Does>, Refused> {
        let mut out = vec![];
        let looped = self.graphs[next.threads[thread].instance].is_looped(step);
        let many = self.bounds.any && looped;
        let is_chosen = |t: &Thread| t.chosen && self.graphs[t.instance].root == root;
        if !many || !next.threads.iter().any(is_chosen) {
            if next.threads.len() >= self.bounds.threads {
                self.more |= looped;
                let what = format!("more than {} threads are started", self.bounds.threads - 1);
                return Ok(vec![Does::Unmodelled(what.into(), step.span)]);
            }
            let mut next = next.clone();
            let ops = self.start(&mut next, (root, arg), dest, many)?;
            out.push(Does::Ops(ops, Box::new(self.settled(next, thread))));
        }
        if many {
            let mut next = next;
            out.push(match self.start_many(&mut next, root, dest)? {
                Ok(ops) => Does::Ops(ops, Box::new(self.settled(next, thread))),
                Err(what) => Does::Unmodelled(what.into(), step.span),
            });
        }
        Ok(out)
    }

    fn start(
        &mut self,
        next: &mut Moment,
        (root, arg): (ProcId, &Expr),
        dest: Option<&Lvalue>,
        chosen: bool,
    ) -> Result<Vec<Op>, Refused> {
        let number = next.threads.len();
        let argument = self.argument(number, root, arg);
        let instance = self.graph((number, root, argument, false))?;
        let mut ops = vec![];
        let graph = &self.graphs[instance].instance;
        if let Some(formal) = graph.formal {
            let place = Lvalue::var(formal, self.vars[formal].ty.clone());
            ops.push(Op::Assign(place.clone(), arg.clone().cast(place.ty.clone())));
        }
        next.threads.push(Thread { instance, place: Place::At(graph.entry), chosen });
        if let Some(dest) = dest {
            let value = number as i128 + 1;
            ops.push(Op::Assign(dest.clone(), Expr::Const(value, dest.ty.clone())));
        }
        for op in &ops {
            self.effect(next, op);
        }
        if ops.is_empty() {
            ops.push(Op::Skip);
        }
        Ok(ops)
    }

    /// Joins a thread that has ended: which one, the number decides.
    fn join(&self, next: &Moment, thread: usize, dest: Option<&Lvalue>, id: &Expr) -> Vec<Does> {
        let mut out = vec![];
        if self.may_join_member(next, id) {
            let any = |dest: &Lvalue| Op::Havoc(dest.clone(), HavocKind::Unmodelled("slam_join".into()));
            let (op, mut next) = (dest.map_or(Op::Skip, any), next.clone());
            self.effect(&mut next, &op);
            out.push(Does::Ops(vec![op], Box::new(self.settled(next, thread))));
        }
        for (t, is_this) in self.joined(next, thread, id) {
            let mut ops = vec![is_this.map_or(Op::Skip, Op::Assume)];
            if let Some(dest) = dest {
                ops.push(match self.graphs[next.threads[t].instance].instance.ret {
                    Some(v) if self.vars[v].ty == dest.ty => {
                        Op::Assign(dest.clone(), Expr::var(v, dest.ty.clone()))
                    }
                    _ => Op::Havoc(dest.clone(), HavocKind::Unmodelled("slam_join".into())),
                });
            }
            let mut next = next.clone();
            for op in &ops {
                self.effect(&mut next, op);
            }
            out.push(Does::Ops(ops, Box::new(self.settled(next, thread))));
        }
        out
    }

    /// The state without facts that do not matter any more.
    fn settled(&self, mut next: Moment, thread: usize) -> Moment {
        // The search starts anew then.
        if self.is_stale() {
            return next;
        }
        let Thread { instance, place: Place::At(at), .. } = next.threads[thread] else { return next };
        let graph = &self.graphs[instance];
        next.values.forget(&graph.dead[at]);
        let (nodes, steps) = (&graph.instance.nodes, &graph.instance.steps);
        let mut ended = true;
        if at == graph.instance.exit {
            self.end(&mut next, thread, Place::Ended);
        } else if Some(at) == graph.instance.quit {
            self.end(&mut next, thread, Place::Quit);
        } else {
            ended = false;
            if nodes[at].out.iter().all(|n| is_never(&steps[*n].action)) {
                self.end(&mut next, thread, Place::Halted);
            }
        }
        // Where it halts in an atomic section, no other thread sees what it did there.
        if ended && next.atomic.is_some_and(|(t, _)| t == thread) {
            next.atomic = None;
        }
        self.forget_unread(&mut next);
        next
    }

    /// Forgets values that no thread reads any more.
    fn forget_unread(&self, moment: &mut Moment) {
        let futures: Vec<&access::Accesses> = moment
            .live()
            .map(|(_, instance, node)| (instance, node))
            .chain(self.crowds(moment))
            .map(|(instance, node)| &self.graphs[instance].futures[node])
            .collect();
        if futures.iter().any(|f| f.starts) {
            return;
        }
        for (place, slots) in &self.shared {
            if !futures.iter().any(|f| f.reads(*place)) {
                moment.values.forget(slots);
            }
        }
    }
}

fn is_never(action: &Action) -> bool {
    matches!(action, Action::Op(op) if op.is_never())
}

fn without_result(op: &Op) -> Op {
    match op {
        Op::Call { callee, args, .. } => Op::Call { dest: None, callee: callee.clone(), args: args.clone() },
        op => op.clone(),
    }
}
