//! Executions that build on each other: the inputs of one that went somewhere new are kept, changed a little and tried
//! again, so that each new place is a start for the next (coverage-guided fuzzing of inputs; \[BPR16\] studies why that reaches
//! what independent executions do not). Every execution prefers a few of the values that the program compares with
//! (\[GZECR12\]). Others start from a new state that an earlier execution has reached (`states`).
//!
//! Invariant: as with the executions of [`random`](crate::random), the outcome is the same on every machine: the seed is
//! fixed, and the work is bounded in steps.

mod dictionary;
mod inputs;
mod mutation;
mod states;

use crate::draw::Draw;
use crate::likely_invariants::Recorder;
use crate::random::{self as probe, LIMITS, Probed, STEPS, Undefined};
use crate::witness::{Witness, confirmed};
use base::Id;
use dictionary::Words;
use inputs::{Answer, Replayed, Said, Taken};
use interp::{Interpreter, Limits, Outcome, Run};
use ir::{CheckId, EdgeId, ProcId, Program};
use states::States;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

/// Executions whose inputs are kept at most.
const KEPT: usize = 400;

/// Executions in a row that go nowhere new, after which nothing more is expected.
const BARREN: u64 = 5_000;

/// Executions after one that went somewhere new of which every other one is a small change of it.
const AT_ONCE: u64 = 128;

/// As long as the last this many executions have shown a new state, most of them go on from the latest ones.
const PRODUCTIVE: u64 = 1_000;

/// At most this many executions that fail one check because of something not modelled are examined.
const DOUBTED: u32 = 40;

/// Most steps of most executions.
const SHORT: u64 = 1_000;

/// Steps of an execution behind the state that it goes on from.
const FURTHER: u64 = 300;

/// The number of states that count as the latest.
const LATEST: usize = 4;

/// Steps of executions that make the inputs of an error fewer, and what one counts at least.
const SHRINKING: u64 = 2_000_000;
const SHORTEST: u64 = 500;

/// Blocks of inputs that are left out at every place, not one behind the other.
const SMALL: usize = 4;

/// Seeds of the executions.
const SEEDS: u64 = 0x5eed_0000;

/// What the executions so far have shown. It is about one program: of another one, it begins anew.
#[derive(Default)]
pub struct Search {
    /// The number of the first edge of each procedure, and of all edges.
    first: Vec<usize>,
    /// For each edge, how often executions took it: a bit for each range of numbers.
    seen: Vec<u8>,
    taken: Taken,
    states: States,
    /// Inputs of executions that were the first to go somewhere.
    kept: Vec<Vec<Answer>>,
    /// How executions reached the last state that they were the first to show.
    shown: Vec<Start>,
    /// Edges of procedures that only make what the program is started with.
    made: Vec<bool>,
    words: Words,
    /// How many executions failed a check because of what is not modelled.
    doubted: BTreeMap<CheckId, u32>,
    runs: u64,
    /// The last of them that was the first to show a state.
    last_shown: u64,
    /// Executions since one that went somewhere new.
    barren: u64,
}

impl Search {
    /// Executes the program until an execution fails a check, or these steps are done.
    pub fn advance(&mut self, program: &Program, steps: u64, stop: &AtomicBool) -> Probed {
        self.begin(program);
        let interpreter = Interpreter::new(program);
        let mut out = Probed::default();
        while out.steps < steps && self.barren < BARREN {
            let (run, values) = self.execute(&interpreter, program, None, stop);
            out.runs += 1;
            out.steps += run.steps;
            if probe::fails(program, &run)
                && let Outcome::CheckFailed(check) = run.outcome
            {
                let shown = Fails { program, first: &self.first, interpreter: &interpreter, check, stop };
                let doubted = self.doubted.entry(check).or_default();
                if *doubted < DOUBTED {
                    out.failing = shown.witness(&values);
                    *doubted += 1;
                }
                if out.failing.is_some() {
                    out.failing = shown.witness(&shown.shrunk(values)).or(out.failing);
                    break;
                }
            }
            out.note(Undefined::of(program, &run));
            if run.outcome == Outcome::Interrupted {
                break;
            }
        }
        out
    }

    /// Executes the program for `steps` steps, and shows the states to a recorder.
    pub(crate) fn show(&mut self, program: &Program, steps: u64, recorder: &mut Recorder, stop: &AtomicBool) {
        self.begin(program);
        let interpreter = Interpreter::new(program);
        let mut done = 0;
        while done < steps && self.barren < BARREN {
            recorder.begin();
            let (run, _) = self.execute(&interpreter, program, Some(recorder), stop);
            // Executions that end at once cost time, too.
            done += run.steps.max(SHORTEST);
            if run.outcome == Outcome::Interrupted {
                break;
            }
        }
    }

    /// Whether an execution has taken one of these edges of the program that was executed.
    pub fn has_taken(&self, edges: &BTreeSet<(ProcId, EdgeId)>) -> bool {
        edges.iter().any(|edge| self.seen[number(&self.first, *edge)] > 0)
    }

    /// Whether more executions may go somewhere new.
    pub fn is_open(&self) -> bool {
        self.barren < BARREN
    }

    fn begin(&mut self, program: &Program) {
        let mut first = vec![0];
        for proc in &program.procs {
            first.push(first[first.len() - 1] + proc.edges.len());
        }
        if self.first != first {
            let edges = first[first.len() - 1];
            let (seen, taken, words) = (vec![0; edges], Taken::new(edges), Words::of(program));
            let states = States::new(program);
            let made = program.procs.iter().flat_map(|proc| {
                let makes = proc.edges.iter().any(|edge| dictionary::is_started_with_text(&edge.op));
                std::iter::repeat_n(makes, proc.edges.len())
            });
            let made = made.collect();
            *self = Search { first, seen, taken, states, words, made, ..Search::default() };
        }
    }

    /// Three of four executions go on from a state that was shown, most of them from one of the latest, as long as that shows new
    /// ones; one of four does later.
    fn start(&self, draw: &mut Draw) -> Option<&Start> {
        if !self.states.is_wanted() {
            return None;
        }
        let late = self.shown.len().saturating_sub(LATEST);
        match draw.below(4) {
            _ if self.shown.is_empty() => None,
            0 => Some(draw.one(&self.shown)),
            1 | 2 if self.runs <= self.last_shown + PRODUCTIVE => Some(draw.one(&self.shown[late..])),
            _ => None,
        }
    }

    /// The next execution, with what it was given.
    fn execute(
        &mut self,
        interpreter: &Interpreter<'_>,
        program: &Program,
        recorder: Option<&mut Recorder>,
        stop: &AtomicBool,
    ) -> (Run, Vec<Answer>) {
        let mut draw = Draw::new(SEEDS + self.runs);
        self.runs += 1;
        // Most loops need few iterations.
        let steps = match draw.below(16) {
            0 => STEPS,
            1..4 => 4 * SHORT,
            _ => SHORT,
        };
        let favourites = self.words.favourites(&mut draw);
        // Those whose states are recorded are to differ much.
        let start = if recorder.is_none() { self.start(&mut draw) } else { None };
        let goes_on = start.is_some();
        let (known, steps) = match start {
            Some(start) => (start.answers.clone(), start.steps + FURTHER),
            None => {
                let is_at_once = self.barren < AT_ONCE && self.barren.is_multiple_of(2);
                let newest = self.kept.last().filter(|_| is_at_once);
                (mutation::next((&self.kept, newest), (&favourites, &self.words), &mut draw), steps)
            }
        };
        let limits = Limits { steps, ..LIMITS };
        let mut inputs = Replayed::new((program, &self.first), &known, draw);
        inputs.prefer(&favourites, &self.words, goes_on);
        inputs.count(std::mem::take(&mut self.taken), std::mem::take(&mut self.states));
        if let Some(recorder) = recorder {
            inputs.show(recorder);
        }
        let run = interpreter.run(&mut inputs, &limits, stop);
        let Said { answers: values, mut taken, states, shown } = inputs.said();
        let mut is_new = false;
        for (edge, times) in taken.drain() {
            let bit = 1 << range(times);
            is_new |= self.seen[edge] & bit == 0 && !self.made[edge];
            self.seen[edge] |= bit;
        }
        (self.taken, self.states) = (taken, states);
        self.barren += 1;
        if is_new {
            self.barren = 0;
            keep(&mut self.kept, values.clone());
        }
        // Without inputs behind it, what follows is always the same.
        if let Some((count, steps)) = shown.filter(|(count, _)| *count < values.len()) {
            self.barren = 0;
            self.last_shown = self.runs;
            keep(&mut self.shown, Start { answers: values[..count].to_vec(), steps });
        }
        (run, values)
    }
}

/// The first inputs of an execution, and how many steps it takes with them.
struct Start {
    answers: Vec<Answer>,
    steps: u64,
}

fn keep<T>(kept: &mut Vec<T>, one: T) {
    if kept.len() == KEPT {
        kept.remove(0);
    }
    kept.push(one);
}

/// The range that a number of times is in: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, or more.
fn range(times: u32) -> u32 {
    match times {
        0..=3 => times.saturating_sub(1),
        4..=7 => 3,
        8..=15 => 4,
        16..=31 => 5,
        32..=127 => 6,
        _ => 7,
    }
}

/// An execution that fails a check.
struct Fails<'a> {
    program: &'a Program,
    first: &'a [usize],
    interpreter: &'a Interpreter<'a>,
    check: CheckId,
    stop: &'a AtomicBool,
}

impl Fails<'_> {
    fn run(&self, values: &[Answer], limits: &Limits) -> Run {
        let mut inputs = Replayed::new((self.program, self.first), values, Draw::new(0));
        self.interpreter.run(&mut inputs, limits, self.stop)
    }

    fn witness(&self, values: &[Answer]) -> Option<Witness> {
        confirmed(self.run(values, &Limits { trace: STEPS as usize, ..LIMITS })).ok()
    }

    /// Inputs that fail the check too, fewer or simpler ones.
    fn shrunk(&self, mut values: Vec<Answer>) -> Vec<Answer> {
        let mut left = SHRINKING;
        let mut steps = self.run(&values, &LIMITS).steps;
        let mut still_fails = |shorter: &[Answer]| {
            if left == 0 {
                return false;
            }
            let run = self.run(shorter, &LIMITS);
            left = left.saturating_sub(run.steps.max(SHORTEST));
            let is_it = run.outcome == Outcome::CheckFailed(self.check) && run.steps <= steps;
            if is_it {
                steps = run.steps;
            }
            is_it
        };
        let mut size = values.len().next_power_of_two();
        while size > 0 {
            let (mut at, before) = (0, values.len());
            while at < values.len() {
                let end = (at + size).min(values.len());
                let shorter = [&values[..at], &values[end..]].concat();
                if still_fails(&shorter) {
                    values = shorter;
                } else {
                    at = if size <= SMALL { at + 1 } else { end };
                }
            }
            // What could not go before may go now.
            let again = size <= SMALL && values.len() < before;
            size = if again { SMALL } else { size / 2 };
        }
        values
    }
}

/// The number of an edge.
fn number(first: &[usize], (proc, edge): (ProcId, EdgeId)) -> usize {
    first[proc.index()] + edge.index()
}
