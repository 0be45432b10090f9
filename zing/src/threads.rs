//! States of the whole program: the store and all threads with their stacks; and how one thread goes on by a turn.
//!
//! A turn \[QRR04\] is some steps that no other thread can see, followed by one that others can see: an access to a static
//! field or to an object that a static field or another thread leads to, the start of a thread, or an atomic block. What
//! nobody sees commutes with all steps of other threads, and can wait until just before the step that is seen, so
//! nothing is lost when others are scheduled between turns only; a thread that goes round in circles without being
//! seen hinders nobody, since all states in which it has not started on them were explored. While there is one
//! thread, its turn does not end.

use crate::code::{Code, ProcId};
use crate::exec::{Anything, Event, Location, Step, Watch, initial, resume, step};
use crate::live::Live;
use crate::value::{Frame, Key, Renumbering, Store, Value};

/// A state of the whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Global {
    pub(crate) store: Store,
    /// The stacks of the threads that have not ended, each with its innermost frame last.
    pub(crate) threads: Vec<Vec<Frame>>,
}

/// The thread that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub(crate) thread: usize,
    /// Atomic blocks it is in.
    pub(crate) atomic: u32,
}

/// What became of a turn after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum After {
    /// The thread goes on.
    Goes,
    /// Any thread may go on.
    Over,
    /// All threads have ended.
    Ended,
}

/// Forbids what others can see.
struct Unseen<'s> {
    shared: &'s [bool],
}

impl Unseen<'_> {
    fn admits(&self, at: Location) -> bool {
        match at {
            Location::Local(_) => true,
            Location::Static(_) => false,
            Location::Field(a, _) => !self.shared.get(a as usize).copied().unwrap_or(false),
        }
    }
}

impl Watch for Unseen<'_> {
    fn read(&mut self, at: Location) -> bool {
        self.admits(at)
    }

    fn write(&mut self, at: Location) -> bool {
        self.admits(at)
    }

    fn event(&mut self, _: Event) -> bool {
        false
    }
}

/// How threads take turns.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) code: &'a Code,
    pub(crate) live: &'a Live,
    /// Whether steps that nobody sees belong to a turn; else each step is a turn.
    pub(crate) transactions: bool,
}

impl Rules<'_> {
    /// The state in which execution starts.
    pub(crate) fn start(&self) -> Global {
        let threads = self.code.threads.iter().map(|proc| vec![self.enter(*proc, &[])]).collect();
        Global { store: initial(self.code), threads }
    }

    fn enter(&self, proc: ProcId, args: &[Value]) -> Frame {
        let mut frame = Frame::enter(self.code, proc, args);
        self.live.tidy(self.code, &mut frame);
        frame
    }

    /// Whether nobody else runs before the turn ends, whatever the thread does.
    pub(crate) fn is_free(&self, state: &Global, turn: Turn) -> bool {
        turn.atomic > 0 || state.threads.len() == 1
    }

    /// Executes one step of the thread that runs; also returns whether others can see it.
    pub(crate) fn step(
        &self,
        state: &mut Global,
        turn: Turn,
        shared: &[bool],
        choice: Option<usize>,
    ) -> (Step, bool) {
        let free = self.is_free(state, turn);
        let Global { store, threads } = state;
        let frame = threads[turn.thread].last_mut().expect("a thread that has not ended has a frame");
        if !free && self.transactions {
            let unseen = step(self.code, store, frame, &mut Unseen { shared }, choice);
            if unseen != Step::Forbidden {
                return (unseen, false);
            }
        }
        (step(self.code, store, frame, &mut Anything, choice), !free)
    }

    /// What a step means for the stacks, and for the turn. `Choices`, `Blocked` and failures are none of its business.
    pub(crate) fn settle(&self, state: &mut Global, turn: &mut Turn, step: Step, seen: bool) -> After {
        let mut over = seen;
        let stack = &mut state.threads[turn.thread];
        let top = stack.last_mut().expect("a thread that has not ended has a frame");
        match step {
            Step::Done => self.live.tidy(self.code, top),
            Step::Call(proc, args) => {
                self.live.tidy_during(self.code, top);
                stack.push(self.enter(proc, &args));
            }
            Step::Return(results) => {
                stack.pop();
                match stack.last_mut() {
                    Some(frame) => {
                        resume(self.code, frame, &results);
                        self.live.tidy(self.code, frame);
                    }
                    None => {
                        state.threads.remove(turn.thread);
                        return if state.threads.is_empty() { After::Ended } else { After::Over };
                    }
                }
            }
            Step::Async(proc, args) => {
                self.live.tidy(self.code, top);
                state.threads.push(vec![self.enter(proc, &args)]);
                over = true;
            }
            Step::Enter => {
                self.live.tidy(self.code, top);
                turn.atomic += 1;
            }
            Step::Leave => {
                self.live.tidy(self.code, top);
                turn.atomic -= 1;
                over = state.threads.len() > 1;
            }
            Step::Choices(_) | Step::Blocked | Step::Failed(_) | Step::Forbidden | Step::TooLarge => {
                unreachable!("only steps that were executed are settled")
            }
        }
        if over && turn.atomic == 0 { After::Over } else { After::Goes }
    }

    /// Objects that a static field or another thread leads to.
    pub(crate) fn shared(&self, state: &Global, turn: Turn) -> Vec<bool> {
        if self.is_free(state, turn) || !self.transactions {
            return vec![];
        }
        let others = state.threads.iter().enumerate().filter(|(i, _)| *i != turn.thread);
        let locals = others.flat_map(|(_, stack)| stack).flat_map(|f| &f.locals);
        let roots = state.store.statics.iter().chain(locals).copied();
        state.store.heap.reachable(roots, |_| false)
    }
}

impl Global {
    /// Canonical numbers for objects; those that cannot be reached are dropped.
    pub(crate) fn renumber(&mut self) {
        let heap = std::mem::take(&mut self.store.heap);
        let mut walk = Renumbering::new(&heap, 0, &[]);
        self.store.statics.iter().for_each(|v| walk.root(*v));
        for frame in self.threads.iter().flatten() {
            frame.locals.iter().for_each(|v| walk.root(*v));
        }
        let renumbered = walk.heap();
        self.store.statics = walk.values(&self.store.statics);
        for frame in self.threads.iter_mut().flatten() {
            frame.locals = walk.values(&frame.locals);
        }
        self.store.heap = renumbered;
    }

    /// Equal keys mean equal states.
    pub(crate) fn key(&self, turn: Option<Turn>) -> Box<[u8]> {
        let mut key = Key::default();
        match turn {
            None => key.number(0),
            Some(turn) => {
                key.number(turn.thread as u64 + 1);
                key.number(u64::from(turn.atomic));
            }
        }
        key.number(self.threads.len() as u64);
        for stack in &self.threads {
            key.number(stack.len() as u64);
            stack.iter().for_each(|frame| key.frame(frame));
        }
        key.values(&self.store.statics);
        key.heap(&self.store.heap, 0);
        key.0.into_boxed_slice()
    }
}
