//! The search: all interleavings of runs, from the states in which execution begins.

use super::Unsupported;
use super::bits::{Bits, low};
use super::machine::Machine;
use super::memo::{Memo, NOT_STARTED};
use super::steps::Started;
use super::store::{MOST_ROWS, NONE, Origin, Store};
use crate::schedule::Schedule;
use crate::translate::{Begin, Extra, Place, Question, System, Thread, Translation, bottom_up};
use bp::{Cfg, EdgeId, Op, VertexId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Most context switches, if there is a bound.
    pub switches: Option<u32>,
    /// Most rows: states, counted for each thread that comes to them, and ends of runs.
    pub rows: u32,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A goal is reached in this way.
    Reached(Schedule),
    /// No execution reaches a goal.
    Exhausted,
    /// None within the bound on context switches.
    WithinBound,
    /// None in which no more threads are started than the system has.
    Threads,
    /// The rows are used up, or a run is too long.
    Full,
    /// It was stopped.
    Stopped,
}

/// Figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// States that were come to.
    pub states: usize,
    /// Steps from state to state.
    pub steps: u64,
    /// With so many context switches no goal is reached, if that is known for some.
    pub unreachable_within: Option<u32>,
}

/// Why the search ends early.
enum Halt {
    Goal { from: Option<u32>, before: Vec<u32>, thread: usize, lead: u32 },
    Full,
    Stopped,
}

/// A search.
pub struct Search<'s> {
    system: &'s System,
    question: Question,
    memo: Memo<'s>,
    /// For each code, the threads that an edge starts.
    starts: Vec<FxHashMap<EdgeId, Vec<usize>>>,
    store: Store,
    /// A state that is being made.
    state: Vec<u32>,
    stats: Stats,
    most_rows: u32,
    /// How many rows there were in the beginning.
    roots: u32,
    /// The states before `init`, for each thread that may run it.
    before_init: BTreeMap<usize, Vec<u32>>,
}

impl<'s> Search<'s> {
    /// Gets a system ready.
    ///
    /// # Errors
    /// Why it cannot be explored.
    pub fn new(system: &'s System, question: &Question) -> Result<Search<'s>, Unsupported> {
        if system.all_count {
            return Err(Unsupported::Others);
        }
        if system.codes.iter().any(|code| recurses(&code.cfg)) {
            return Err(Unsupported::Recursion);
        }
        let machines = (0..system.codes.len()).map(|code| Machine::new(system, question, code));
        let mut machines = machines.collect::<Result<Vec<_>, _>>()?;
        let (mut one, mut several) = (0, 0);
        for thread in &system.threads {
            let mentioned = machines[thread.code].mentions();
            several |= one & mentioned;
            one |= mentioned;
        }
        machines.iter_mut().for_each(|machine| machine.watch(several));
        let starts = system.codes.iter().map(|code| {
            let starts = code.extra.iter().filter_map(|(edge, extra)| match extra {
                Extra::Start(threads, _) => Some((*edge, threads.clone())),
                _ => None,
            });
            starts.collect()
        });
        Ok(Search {
            system,
            question: question.clone(),
            starts: starts.collect(),
            store: Store::new(system.threads.len() + 1),
            memo: Memo::new(machines),
            state: vec![],
            stats: Stats::default(),
            most_rows: 0,
            roots: 0,
            before_init: BTreeMap::new(),
        })
    }

    /// Figures of all that was done.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Looks at executions without a context switch, then at those with one, and so on: a goal is reached with as few as
    /// possible.
    pub fn by_switches(&mut self, limits: Limits, stop: &AtomicBool) -> Outcome {
        self.stats.unreachable_within = None;
        let found = self.levels(limits, stop);
        self.stats.states += self.store.states();
        found.unwrap_or_else(|halt| self.outcome(halt))
    }

    fn levels(&mut self, limits: Limits, stop: &AtomicBool) -> Result<Outcome, Halt> {
        self.begin(limits.rows, false)?;
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

    /// Looks at all executions, depth-first.
    pub fn depth_first(&mut self, rows: u32, stop: &AtomicBool) -> Outcome {
        let found = self.all(rows, stop);
        self.stats.states += self.store.states();
        found.unwrap_or_else(|halt| self.outcome(halt))
    }

    fn all(&mut self, rows: u32, stop: &AtomicBool) -> Result<Outcome, Halt> {
        self.begin(rows, true)?;
        let mut stack: Vec<u32> = (0..self.roots).collect();
        while let Some(row) = stack.pop() {
            let first = self.store.len();
            for thread in 0..self.system.threads.len() {
                self.expand(row, thread, 0, stop)?;
            }
            self.store.flush();
            stack.extend(first..self.store.len());
        }
        Ok(if self.system.capped { Outcome::Threads } else { Outcome::Exhausted })
    }

    fn outcome(&mut self, halt: Halt) -> Outcome {
        match halt {
            Halt::Goal { from, before, thread, lead } => {
                Outcome::Reached(self.schedule(from, before, thread, lead))
            }
            Halt::Full => Outcome::Full,
            Halt::Stopped => Outcome::Stopped,
        }
    }
}

/// A state behind a run, with the threads that the run started and what they were given.
struct After {
    state: Vec<u32>,
    started: Vec<(usize, Bits)>,
}

/// A run of an execution.
struct Ran {
    thread: usize,
    before: Vec<u32>,
    /// Which of the ends of the runs from there it has.
    end: usize,
    started: Vec<(usize, Bits)>,
}

impl Search<'_> {
    /// Adds the states in which execution begins: whichever thread is the first, behind what `init` does.
    ///
    /// # Errors
    /// Where the search ends there.
    fn begin(&mut self, rows: u32, once: bool) -> Result<(), Halt> {
        self.store = Store::new(self.system.threads.len() + 1);
        self.most_rows = rows.min(MOST_ROWS - 64);
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
            let leads = self.memo.leads(*code, any, state[1 + thread]).ok_or(Halt::Full)?;
            for lead in leads {
                if self.memo.lead(lead).goal.is_some() {
                    return Err(Halt::Goal { from: None, before: state, thread, lead });
                }
                let after = self.after(&state, thread, lead);
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

    /// The level's states, in which the thread that came there goes on; the row behind them.
    fn level(&mut self, first: u32, switches: u16, stop: &AtomicBool) -> Result<u32, Halt> {
        let mut row = first;
        loop {
            while row < self.store.len() {
                let thread = usize::from(self.store.origin(row).thread);
                self.expand(row, thread, switches, stop)?;
                row += 1;
            }
            self.store.flush();
            if row == self.store.len() {
                return Ok(row);
            }
        }
    }

    /// In these states another thread takes over.
    fn switch(&mut self, rows: Range<u32>, switches: u16, stop: &AtomicBool) -> Result<(), Halt> {
        for row in rows {
            let last = usize::from(self.store.origin(row).thread);
            for thread in (0..self.system.threads.len()).filter(|thread| *thread != last) {
                self.expand(row, thread, switches, stop)?;
            }
        }
        self.store.flush();
        Ok(())
    }

    /// Adds the states to which runs of the thread lead.
    fn expand(&mut self, row: u32, thread: usize, switches: u16, stop: &AtomicBool) -> Result<(), Halt> {
        let code = self.system.threads[thread].code;
        let before = self.store.state(row);
        let leads = self.memo.leads(code, before[0], before[1 + thread]).ok_or(Halt::Full)?;
        let before = self.store.state(row).to_vec();
        for number in leads {
            self.stats.steps += 1;
            if self.stats.steps.is_multiple_of(1024) && stop.load(Ordering::Relaxed) {
                return Err(Halt::Stopped);
            }
            if self.store.len() as usize + self.memo.len() >= self.most_rows as usize {
                return Err(Halt::Full);
            }
            let lead = self.memo.lead(number);
            if lead.goal.is_some() {
                return Err(Halt::Goal { from: Some(row), before, thread, lead: number });
            }
            let origin = Origin { from: row, thread: thread as u16, switches };
            if lead.started.is_empty() {
                self.state.clone_from(&before);
                self.state[0] = lead.shared;
                self.state[1 + thread] = lead.local;
                self.store.add(&self.state, origin);
            } else {
                let after = self.after(&before, thread, number);
                self.store.add(&after.state, origin);
            }
        }
        Ok(())
    }

    /// The state behind a run. Of the threads that an edge may start the first that was not started is.
    fn after(&mut self, before: &[u32], thread: usize, lead: u32) -> After {
        let lead = self.memo.lead(lead).clone();
        let mut out = After { state: before.to_vec(), started: vec![] };
        out.state[0] = lead.shared;
        out.state[1 + thread] = lead.local;
        let code = self.system.threads[thread].code;
        for Started { edge, handed } in lead.started {
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

    /// How a goal was reached.
    fn schedule(&mut self, from: Option<u32>, before: Vec<u32>, thread: usize, lead: u32) -> Schedule {
        let code = self.system.threads[thread].code;
        let goal = self.memo.lead(lead).goal.expect("the run ends at a goal");
        let range = self.memo.leads(code, before[0], before[1 + thread]).expect("it was found before");
        let end = (lead - range.start) as usize;
        let mut runs = vec![Ran { thread, before, end, started: vec![] }];
        let mut row = from;
        let mut root = None;
        while let Some(here) = row {
            let origin = self.store.origin(here);
            if origin.from == NONE {
                root = Some(here);
                break;
            }
            let before = self.store.state(origin.from).to_vec();
            runs.push(self.ran(usize::from(origin.thread), before, here));
            row = Some(origin.from);
        }
        let mut threads: Vec<usize> = vec![];
        if let Some(root) = root {
            // Where several threads may be the first to this state, the one that goes on is, if it can.
            let state = self.store.state(root);
            let first = (0..self.roots).filter(|row| self.store.state(*row) == state);
            let mut first = first.map(|row| usize::from(self.store.origin(row).thread));
            let wanted = runs.last().expect("there is a run to the goal").thread;
            let thread = usize::from(self.store.origin(root).thread);
            let thread = if first.any(|thread| thread == wanted) { wanted } else { thread };
            threads.push(thread);
            if let Some(before) = self.before_init.get(&thread).cloned() {
                runs.push(self.ran(thread, before, root));
            }
        }
        runs.reverse();
        // The values of the shared variables before each run, last one first.
        let mut values = vec![0; runs.len()];
        let mut after = 0;
        for (i, ran) in runs.iter().enumerate().rev() {
            let code = self.system.threads[ran.thread].code;
            let found = self.memo.runs(code, ran.before[0], ran.before[1 + ran.thread]);
            let found = found.expect("it was found before");
            let (end, at) = &found.ends[ran.end];
            after = found.before(*at, end.shared.value | after & end.shared.any);
            values[i] = after;
        }
        let translation = Translation::new(self.system, self.question.clone());
        let mut schedule =
            Schedule { threads, globals: vec![], shared: vec![], goal: Place::Vertex(code, goal) };
        let mut mail = vec![];
        for (ran, values) in runs.into_iter().zip(values) {
            match schedule.threads.last() {
                Some(last) if *last == ran.thread => {}
                None => schedule.threads.push(ran.thread),
                Some(_) => {
                    let bits = translation.global(values, &mail);
                    schedule.globals.push(translation.shared(&bits));
                    schedule.shared.push(bits);
                    schedule.threads.push(ran.thread);
                }
            }
            mail.extend(ran.started.into_iter().map(|(thread, handed)| (thread, handed.value)));
        }
        schedule
    }

    /// The thread's run from a state to this row.
    fn ran(&mut self, thread: usize, before: Vec<u32>, row: u32) -> Ran {
        let code = self.system.threads[thread].code;
        let state = self.store.state(row).to_vec();
        let range = self.memo.leads(code, before[0], before[1 + thread]).expect("it was found before");
        for lead in range.clone() {
            let after = self.after(&before, thread, lead);
            if after.state == state {
                let end = (lead - range.start) as usize;
                return Ran { thread, before, end, started: after.started };
            }
        }
        unreachable!("some run leads to each state")
    }
}

/// Whether a procedure may be called while it runs.
fn recurses(cfg: &Cfg) -> bool {
    let number = bottom_up(cfg);
    cfg.edges.iter().any(|edge| match edge.op {
        Op::Call { callee, .. } => number[callee] >= number[cfg.vertices[edge.from].proc],
        _ => false,
    })
}
