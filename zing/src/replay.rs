//! A failing execution, run again statement by statement from the decisions that the search made. Every answer that an
//! execution fails is checked in this way: the run must end in the same failure.

use crate::code::{Code, Fault, Pc};
use crate::exec::Step;
use crate::explore::Item;
use crate::live::Live;
use crate::threads::{After, Global, Rules, Turn};
use crate::value::Value;

/// An execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The statements, in order; the last one fails.
    pub steps: Vec<TraceStep>,
    /// Why.
    pub fault: Fault,
}

/// A statement that was executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// Threads are numbered from 1 in the order in which they start.
    pub thread: usize,
    /// Callers.
    pub depth: usize,
    /// The statement.
    pub pc: Pc,
    /// What it did, where that is not plain.
    pub note: Note,
    /// The state before it, if asked for.
    pub before: Option<Box<Snapshot>>,
}

/// What a statement did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// What it says.
    Plain,
    /// It went on to this statement, and might have gone elsewhere.
    To(Pc),
    /// This was chosen.
    Chose(Value),
    /// What was open was decided so: a step before the statement itself.
    Decided(bool),
    /// It failed.
    Failed(Fault),
}

/// The state of the thread that runs, with the whole heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Static fields and objects.
    pub store: crate::value::Store,
    /// The frame.
    pub frame: crate::value::Frame,
}

/// Most steps of a trace.
const MOST_STEPS: usize = 5_000_000;

/// Runs the decisions. `None` when there are too many steps to keep.
pub(crate) fn replay(
    code: &Code,
    live: &Live,
    transactions: bool,
    schedule: &[Item],
    snapshots: bool,
) -> Option<Trace> {
    let rules = Rules { code, live, transactions };
    let mut run = Run {
        state: rules.start(),
        names: (1..=code.threads.len()).collect(),
        started: code.threads.len(),
        rules,
        steps: vec![],
        snapshots,
    };
    let mut items = schedule.iter().copied().peekable();
    loop {
        let thread = match items.next() {
            Some(Item::Thread(thread)) => thread as usize,
            other => panic!("a turn starts with the thread that takes it, not with {other:?}"),
        };
        if let Some(fault) = run.turn(Turn { thread, atomic: 0 }, &mut items)? {
            assert!(items.peek().is_none(), "the failure comes after all decisions");
            return Some(Trace { steps: run.steps, fault });
        }
    }
}

struct Run<'a> {
    rules: Rules<'a>,
    state: Global,
    /// The number of each thread that has not ended.
    names: Vec<usize>,
    started: usize,
    steps: Vec<TraceStep>,
    snapshots: bool,
}

type Items<'i> = std::iter::Peekable<std::iter::Copied<std::slice::Iter<'i, Item>>>;

impl Run<'_> {
    /// Runs a thread until its turn ends; the failure if there is one. `None` when there are too many steps.
    fn turn(&mut self, mut turn: Turn, items: &mut Items<'_>) -> Option<Option<Fault>> {
        let mut shared = self.rules.shared(&self.state, turn);
        loop {
            if self.steps.len() > MOST_STEPS {
                return None;
            }
            let thread = turn.thread;
            let frame = self.state.threads[thread].last().expect("the thread has a frame");
            let (pc, depth) = (frame.pc, self.state.threads[thread].len() - 1);
            let before = self
                .snapshots
                .then(|| Box::new(Snapshot { store: self.state.store.clone(), frame: frame.clone() }));
            let (mut step, mut seen) = self.rules.step(&mut self.state, turn, &shared, None);
            let mut choice = None;
            if let Step::Choices(_) = step {
                choice = match items.next() {
                    Some(Item::Choice(choice)) => Some(choice as usize),
                    other => panic!("a decision is open, but the schedule goes on with {other:?}"),
                };
                (step, seen) = self.rules.step(&mut self.state, turn, &shared, choice);
            }
            let mut note = self.note(thread, pc, choice, &step);
            if let Step::Failed(fault) = step {
                note = Note::Failed(fault);
            }
            let name = self.names[thread];
            self.steps.push(TraceStep { thread: name, depth, pc, note, before });
            match step {
                Step::Failed(fault) => return Some(Some(fault)),
                Step::Blocked | Step::TooLarge => panic!("the schedule leads to no failure"),
                Step::Async(..) => {
                    self.started += 1;
                    self.names.push(self.started);
                }
                _ => {}
            }
            let count = self.state.threads.len();
            match self.rules.settle(&mut self.state, &mut turn, step, seen) {
                After::Ended => panic!("the schedule ends before the failure"),
                After::Over => {
                    if self.state.threads.len() < count {
                        self.names.remove(thread);
                    }
                    return Some(None);
                }
                After::Goes => {}
            }
            if turn.atomic > 0 {
                shared.clear();
            }
        }
    }

    fn note(&self, thread: usize, pc: Pc, choice: Option<usize>, step: &Step) -> Note {
        use crate::code::Instr;
        let frame = self.state.threads[thread].last().expect("the thread has a frame");
        match (&self.rules.code.node(pc).instr, choice) {
            (Instr::Branch(..), None) if *step == Step::Done => Note::To(frame.pc),
            (Instr::Fork(_), Some(_)) => Note::To(frame.pc),
            (Instr::Choose(_, values), Some(choice)) => Note::Chose(values[choice]),
            (_, Some(choice)) => Note::Decided(choice == 1),
            _ => Note::Plain,
        }
    }
}
