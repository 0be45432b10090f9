//! States that are errors by themselves: deadlocks here, races in `races`.

use super::build::{Build, Moment, Place, Thread};
use super::instance::Action;
use super::transitions::{Choice, Does};
use base::Span;
use ir::expr::{BinOp, Expr};
use ir::program::{CheckKind, ProcId};

/// An error, unless a condition holds.
pub(super) struct Fault {
    pub(super) kind: CheckKind,
    pub(super) span: Span,
    pub(super) message: String,
    /// The procedure of the source that the place is in.
    pub(super) proc: ProcId,
    pub(super) unless: Expr,
    /// The steps of other threads that take part in it, by thread and graph.
    pub(super) others: Vec<(usize, usize, usize)>,
}

/// Whether a thread can move.
pub(super) enum Can {
    Always,
    /// Not in this state.
    Never,
    /// If this holds.
    If(Expr),
}

impl Build {
    /// Whether the thread waits for nothing; `None` where it has ended.
    pub(super) fn can_move(&self, moment: &Moment, thread: usize) -> Option<Can> {
        let Thread { instance, place: Place::At(at), .. } = moment.threads[thread] else { return None };
        let graph = &self.graphs[instance].instance;
        let only = |node: usize| match graph.nodes[node].out[..] {
            [n] => Some(&graph.steps[n]),
            _ => None,
        };
        let Some(step) = only(at) else { return Some(Can::Always) };
        // An atomic section that begins with a wait begins when the wait is over.
        let first = match step.action {
            Action::Begin => only(step.dst).filter(|next| matches!(next.action, Action::Wait(_))),
            _ => None,
        };
        Some(match &first.unwrap_or(step).action {
            Action::Wait(e) => match self.truth(moment, e) {
                Some(true) => Can::Always,
                Some(false) => Can::Never,
                None => Can::If(e.clone()),
            },
            Action::Join { id, .. } => self.can_join(moment, thread, id),
            _ => Can::Always,
        })
    }

    pub(super) fn can_join(&self, moment: &Moment, thread: usize, id: &Expr) -> Can {
        let mut can = Can::Never;
        for (_, is_this) in self.joined(moment, thread, id) {
            can = match (is_this, can) {
                (None, _) => return Can::Always,
                (Some(is_this), Can::If(others)) => Can::If(others.or(is_this)),
                (Some(is_this), _) => Can::If(is_this),
            };
        }
        can
    }

    /// The threads that have ended and may have this number, each with the condition that it is this one; none where that is known.
    pub(super) fn joined(&self, moment: &Moment, thread: usize, id: &Expr) -> Vec<(usize, Option<Expr>)> {
        let known = self.eval(moment, id);
        let number = |t: usize| t as i128 + 1;
        let ended = moment.threads.iter().enumerate().filter(|(t, other)| {
            *t != thread
                && matches!(other.place, Place::Ended | Place::Quit)
                && known.is_none_or(|known| known == number(*t))
        });
        let same = |t| Expr::binary(BinOp::Eq, id.clone(), Expr::Const(number(t), id.ty()));
        ended.map(|(t, _)| (t, known.is_none().then(|| same(t)))).collect()
    }

    /// An error if no thread can move though the program has not ended and not all threads have.
    pub(super) fn deadlock(&self, moment: &Moment) -> Option<Choice> {
        if !self.faults.deadlock {
            return None;
        }
        if let Some((thread, _)) = moment.atomic {
            return self.stuck(moment, thread);
        }
        // An execution that has ended does not wait.
        let is_over = moment.threads[0].place == Place::Ended
            || moment.threads.iter().any(|thread| thread.place == Place::Halted);
        if is_over {
            return None;
        }
        let mut unless: Option<Expr> = None;
        let mut waiting = vec![];
        for (thread, instance, node) in moment.live() {
            match self.can_move(moment, thread)? {
                Can::Always => return None,
                Can::Never => {}
                Can::If(e) => unless = Some(unless.map_or(e.clone(), |others| others.or(e))),
            }
            waiting.push((thread, instance, *self.graphs[instance].instance.nodes[node].out.first()?));
        }
        let (thread, instance, step) = waiting.pop()?;
        let ((span, proc), unless) =
            (self.graphs[instance].instance.site_of(step), unless.unwrap_or(Expr::int(0)));
        let at = |(t, instance, n): &(usize, usize, usize)| {
            let (span, _) = self.graphs[*instance].instance.site_of(*n);
            format!("thread {} at line {}", t + 1, span.start.line)
        };
        let message = match &waiting[..] {
            [] => "deadlock: the last thread waits for ever".to_owned(),
            others => {
                let others: Vec<String> = others.iter().map(at).collect();
                format!("deadlock: thread {} waits for ever, {}", thread + 1, others.join(", "))
            }
        };
        let fault = Fault { kind: CheckKind::Deadlock, span, message, proc, unless, others: waiting };
        Some(Choice { thread, step: None, does: Does::Fault(Box::new(fault)) })
    }

    /// A wait in an atomic section, where no other thread could end it.
    fn stuck(&self, moment: &Moment, thread: usize) -> Option<Choice> {
        let Thread { instance, place: Place::At(at), .. } = moment.threads[thread] else { return None };
        let graph = &self.graphs[instance].instance;
        let [n] = graph.nodes[at].out[..] else { return None };
        let waits = match &graph.steps[n].action {
            Action::Wait(e) => self.truth(moment, e) != Some(true),
            Action::Join { .. } => true,
            _ => false,
        };
        let begins = |step: &super::instance::Step| step.dst != at || matches!(step.action, Action::Begin);
        let is_first = matches!(moment.atomic, Some((_, 1))) && graph.steps.iter().all(begins);
        (waits && !is_first).then(|| {
            let what = "a wait in an atomic section, where deadlocks are asked for";
            let does = Does::Unmodelled(what.into(), graph.site_of(n).0);
            Choice { thread, step: None, does }
        })
    }
}
