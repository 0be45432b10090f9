//! The search: all interleavings of runs, from the states in which execution begins, those with fewer context switches
//! first \[QRe05\].

use crate::Unsupported;
use crate::bits::{Bits, low};
use crate::machine::Machine;
use crate::memo::{Memo, NOT_STARTED};
use crate::steps::Started;
use crate::store::{MOST_VISITS, NONE, Origin, Store};
use bp::system::{Begin, Code, System, Thread, ThreadOp};
use bp::{EdgeId, VertexId};
use check::Contexts;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Most context switches, if there is a bound.
    pub switches: Option<u32>,
    /// Most visits: states, counted for each thread that reaches them, and ends of runs.
    pub visits: u32,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A goal is reached in this way.
    Reached(Contexts),
    /// No execution reaches a goal.
    Exhausted,
    /// None within the bound on context switches.
    WithinBound,
    /// None in which no more threads are started than the system has.
    Threads,
    /// The visits are used up, or a run is too long.
    Full,
    /// It was stopped.
    Stopped,
}

/// Figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// States that were reached.
    pub states: usize,
    /// Steps from state to state.
    pub steps: u64,
    /// The largest number of context switches with which no goal is known to be reached, if there is one.
    pub unreachable_within: Option<u32>,
}

/// Why the search ends early.
enum Halt {
    Goal { from: Option<u32>, before: Vec<u32>, thread: usize, successor: u32 },
    Full,
    Stopped,
}

/// A search.
pub struct Search<'s> {
    pub(crate) system: &'s System,
    pub(crate) memo: Memo<'s>,
    /// For each code, the threads that an edge starts.
    starts: Vec<FxHashMap<EdgeId, Vec<usize>>>,
    pub(crate) store: Store,
    /// A state that is being made.
    state: Vec<u32>,
    stats: Stats,
    most_visits: u32,
    /// How many visits there were in the beginning.
    pub(crate) roots: u32,
    /// The states before `init`, for each thread that may run it.
    pub(crate) before_init: BTreeMap<usize, Vec<u32>>,
}

impl<'s> Search<'s> {
    /// Gets a system ready.
    ///
    /// # Errors
    /// Why it cannot be explored.
    pub fn new(system: &'s System, goals: &[(usize, VertexId)]) -> Result<Search<'s>, Unsupported> {
        if system.all_count {
            return Err(Unsupported::Others);
        }
        if system.codes.iter().any(Code::recurses) {
            return Err(Unsupported::Recursion);
        }
        let machines = (0..system.codes.len()).map(|code| Machine::new(system, goals, code));
        let mut machines = machines.collect::<Result<Vec<_>, _>>()?;
        let (mut one, mut several) = (0, 0);
        for thread in &system.threads {
            let mentioned = machines[thread.code].mentions();
            several |= one & mentioned;
            one |= mentioned;
        }
        machines.iter_mut().for_each(|machine| machine.watch(several));
        let starts = system.codes.iter().map(|code| {
            let starts = code.thread_ops().filter_map(|(edge, op)| match op {
                ThreadOp::Start(threads, _) => Some((edge, threads.clone())),
                _ => None,
            });
            starts.collect()
        });
        Ok(Search {
            system,
            starts: starts.collect(),
            store: Store::new(system.threads.len() + 1),
            memo: Memo::new(machines),
            state: vec![],
            stats: Stats::default(),
            most_visits: 0,
            roots: 0,
            before_init: BTreeMap::new(),
        })
    }

    /// Figures of all that was done.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Examines executions without a context switch, then at those with one, and so on: a goal is reached with as few as
    /// possible.
    pub fn by_switches(&mut self, limits: Limits, stop: &AtomicBool) -> Outcome {
        self.stats.unreachable_within = None;
        let found = self.levels(limits, stop);
        self.stats.states += self.store.states();
        found.unwrap_or_else(|halt| self.outcome(halt))
    }

    fn levels(&mut self, limits: Limits, stop: &AtomicBool) -> Result<Outcome, Halt> {
        self.begin(limits.visits, false, stop)?;
        let mut first = 0;
        let mut level: u16 = 0;
        loop {
            let last = self.level(first, level, stop)?;
            let within = Some(u32::from(level));
            self.stats.unreachable_within = within;
            if limits.switches == within || level == u16::MAX {
                return Ok(Outcome::WithinBound);
            }
            self.switch(first..last, level + 1, stop)?;
            if self.store.len() == last {
                // With more switches there may be more threads.
                return Ok(match (self.system.capped, limits.switches) {
                    (false, _) => Outcome::Exhausted,
                    (true, Some(_)) => Outcome::WithinBound,
                    (true, None) => Outcome::Threads,
                });
            }
            (first, level) = (last, level + 1);
        }
    }

    /// Examines all executions, depth-first.
    pub fn depth_first(&mut self, visits: u32, stop: &AtomicBool) -> Outcome {
        let found = self.all(visits, stop);
        self.stats.states += self.store.states();
        found.unwrap_or_else(|halt| self.outcome(halt))
    }

    fn all(&mut self, visits: u32, stop: &AtomicBool) -> Result<Outcome, Halt> {
        self.begin(visits, true, stop)?;
        let mut stack: Vec<u32> = (0..self.roots).collect();
        while let Some(visit) = stack.pop() {
            let first = self.store.len();
            for thread in 0..self.system.threads.len() {
                self.expand(visit, thread, 0, stop)?;
            }
            self.store.flush();
            stack.extend(first..self.store.len());
        }
        Ok(if self.system.capped { Outcome::Threads } else { Outcome::Exhausted })
    }

    fn outcome(&mut self, halt: Halt) -> Outcome {
        match halt {
            Halt::Goal { from, before, thread, successor } => {
                Outcome::Reached(self.execution(from, before, thread, successor))
            }
            Halt::Full => Outcome::Full,
            Halt::Stopped => Outcome::Stopped,
        }
    }
}

/// A state behind a run, with the threads that the run started and what they were given.
pub(crate) struct After {
    pub(crate) state: Vec<u32>,
    pub(crate) started: Vec<(usize, Bits)>,
}

impl Search<'_> {
    /// Adds the states in which execution begins: whichever thread is the first, behind what `init` does.
    ///
    /// # Errors
    /// Where the search ends there.
    fn begin(&mut self, visits: u32, once: bool, stop: &AtomicBool) -> Result<(), Halt> {
        self.store = Store::new(self.system.threads.len() + 1);
        self.most_visits = visits.min(MOST_VISITS - 64);
        match (stop.load(Ordering::Relaxed), self.most_visits) {
            (true, _) => return Err(Halt::Stopped),
            (false, 0) => return Err(Halt::Full),
            (false, _) => {}
        }
        let system = self.system;
        let any = self.memo.shared(Bits { value: 0, any: low(system.shared) });
        let mut first = vec![any];
        for (thread, Thread { code, begin, .. }) in system.threads.iter().enumerate() {
            first.push(match begin {
                Begin::Procedure(proc) => self.place(thread, system.body(*code, *proc), Bits::ANY),
                Begin::Called(_) | Begin::Vertex(_) => NOT_STARTED,
            });
        }
        // A state is wanted once for each thread that may be the first.
        for (thread, Thread { code, begin, .. }) in system.threads.iter().enumerate() {
            let Begin::Procedure(proc) = begin else { continue };
            let origin = Origin { from: NONE, thread: thread as u16, switches: 0 };
            if system.codes[*code].body.is_none() {
                self.store.add(&first, origin);
                continue;
            }
            let mut state = first.clone();
            state[1 + thread] = self.place(thread, system.codes[*code].cfg.procs[*proc].entry, Bits::ANY);
            self.before_init.insert(thread, state.clone());
            let successors = self.memo.successors(*code, any, state[1 + thread]).ok_or(Halt::Full)?;
            for successor in successors {
                if self.memo.successor(successor).goal.is_some() {
                    return Err(Halt::Goal { from: None, before: state, thread, successor });
                }
                let after = self.after(&state, thread, successor);
                self.store.add(&after.state, origin);
            }
        }
        self.store.flush();
        self.roots = self.store.len();
        self.store.once = once;
        Ok(())
    }

    /// The number of the thread's place at a vertex where it begins.
    fn place(&mut self, thread: usize, vertex: VertexId, own: Bits) -> u32 {
        let code = self.system.threads[thread].code;
        let local = self.memo.machines[code].first(vertex, own);
        self.memo.place(code, &local)
    }

    /// The level's states, in which the thread that came there goes on; the visit behind them.
    fn level(&mut self, first: u32, switches: u16, stop: &AtomicBool) -> Result<u32, Halt> {
        let mut visit = first;
        loop {
            while visit < self.store.len() {
                let thread = usize::from(self.store.origin(visit).thread);
                self.expand(visit, thread, switches, stop)?;
                visit += 1;
            }
            self.store.flush();
            if visit == self.store.len() {
                return Ok(visit);
            }
        }
    }

    /// In these states another thread takes over.
    fn switch(&mut self, visits: Range<u32>, switches: u16, stop: &AtomicBool) -> Result<(), Halt> {
        for visit in visits {
            let last = usize::from(self.store.origin(visit).thread);
            for thread in (0..self.system.threads.len()).filter(|thread| *thread != last) {
                self.expand(visit, thread, switches, stop)?;
            }
        }
        self.store.flush();
        Ok(())
    }

    /// Adds the states to which runs of the thread lead.
    fn expand(&mut self, visit: u32, thread: usize, switches: u16, stop: &AtomicBool) -> Result<(), Halt> {
        let code = self.system.threads[thread].code;
        let before = self.store.state(visit);
        let successors = self.memo.successors(code, before[0], before[1 + thread]).ok_or(Halt::Full)?;
        let before = self.store.state(visit).to_vec();
        for number in successors {
            self.stats.steps += 1;
            if self.stats.steps.is_multiple_of(1024) && stop.load(Ordering::Relaxed) {
                return Err(Halt::Stopped);
            }
            if self.store.len() as usize + self.memo.len() >= self.most_visits as usize {
                return Err(Halt::Full);
            }
            let successor = self.memo.successor(number);
            if successor.goal.is_some() {
                return Err(Halt::Goal { from: Some(visit), before, thread, successor: number });
            }
            let origin = Origin { from: visit, thread: thread as u16, switches };
            if successor.started.is_empty() {
                self.state.clone_from(&before);
                self.state[0] = successor.shared;
                self.state[1 + thread] = successor.local;
                self.store.add(&self.state, origin);
            } else {
                let after = self.after(&before, thread, number);
                self.store.add(&after.state, origin);
            }
        }
        Ok(())
    }

    /// The state behind a run. Of the threads that an edge may start the first that was not started is.
    pub(crate) fn after(&mut self, before: &[u32], thread: usize, successor: u32) -> After {
        let successor = self.memo.successor(successor).clone();
        let mut out = After { state: before.to_vec(), started: vec![] };
        out.state[0] = successor.shared;
        out.state[1 + thread] = successor.local;
        let code = self.system.threads[thread].code;
        for Started { edge, handed } in successor.started {
            let mut threads = self.starts[code][&edge].iter().copied();
            if let Some(other) = threads.find(|thread| out.state[1 + thread] == NOT_STARTED) {
                out.state[1 + other] = self.started(other, handed);
                out.started.push((other, handed));
            }
        }
        out
    }

    /// The number of the place of a thread that was started.
    fn started(&mut self, thread: usize, handed: Bits) -> u32 {
        let Thread { code, begin, .. } = &self.system.threads[thread];
        let own = self.memo.machines[*code].own;
        let behind = |bits: u64| bits.checked_shl(own as u32).unwrap_or(0);
        let own = Bits { value: behind(handed.value), any: behind(handed.any) | low(own) };
        match begin {
            Begin::Called(proc) => self.place(thread, self.system.codes[*code].cfg.procs[*proc].entry, own),
            Begin::Vertex(vertex) => self.place(thread, *vertex, own),
            Begin::Procedure(_) => unreachable!("such a thread is not started"),
        }
    }
}
