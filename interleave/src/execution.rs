//! How a goal was reached: from the visits of the search back to the threads that run, and what is shared where one takes
//! over.

use crate::bits::Bits;
use crate::search::{After, Search};
use crate::store::NONE;
use check::{Contexts, Shared};

/// A run of an execution.
struct Ran {
    thread: usize,
    before: Vec<u32>,
    /// Which of the ends of the runs from there it has.
    end: usize,
    started: Vec<(usize, Bits)>,
}

impl Search<'_> {
    /// The execution that ends with this run, which begins in the state of a visit, or before the first one.
    pub(crate) fn execution(
        &mut self,
        from: Option<u32>,
        before: Vec<u32>,
        thread: usize,
        successor: u32,
    ) -> Contexts {
        let code = self.code_of(thread);
        let goal = self.memo.successor(successor).goal.expect("the run ends at a goal");
        let range = self.memo.successors(code, before[0], before[1 + thread]).expect("it was found before");
        let end = (successor - range.start) as usize;
        let mut runs = vec![Ran { thread, before, end, started: vec![] }];
        let root = self.runs_to(from, &mut runs);
        let mut threads: Vec<usize> = vec![];
        if let Some(root) = root {
            let wanted = runs.last().expect("there is a run to the goal").thread;
            let thread = self.first_thread(root, wanted);
            threads.push(thread);
            if let Some(before) = self.before_init.get(&thread).cloned() {
                runs.push(self.ran(thread, before, root));
            }
        }
        runs.reverse();
        let values = self.values_before(&runs);
        let mut out = Contexts { threads, switches: vec![], goal: (code, goal) };
        let mut started: Vec<(usize, Vec<bool>)> = vec![];
        let shared = self.system.shared;
        for (ran, values) in runs.into_iter().zip(values) {
            if out.threads.last() != Some(&ran.thread) {
                if !out.threads.is_empty() {
                    out.switches.push(Shared { values: bits(values, shared), started: started.clone() });
                }
                out.threads.push(ran.thread);
            }
            started.extend(ran.started.into_iter().map(|(thread, handed)| (thread, bits(handed.value, 64))));
        }
        out
    }

    fn code_of(&self, thread: usize) -> usize {
        self.system.threads[thread].code
    }

    /// Adds the runs that lead to a visit, the last one first; the visit in which they begin.
    fn runs_to(&mut self, mut visit: Option<u32>, runs: &mut Vec<Ran>) -> Option<u32> {
        while let Some(here) = visit {
            let origin = self.store.origin(here);
            if origin.from == NONE {
                return Some(here);
            }
            let before = self.store.state(origin.from).to_vec();
            runs.push(self.ran(usize::from(origin.thread), before, here));
            visit = Some(origin.from);
        }
        None
    }

    /// The thread that runs first. Where several may be the first to this state, the one that is wanted is, if it can.
    fn first_thread(&self, root: u32, wanted: usize) -> usize {
        let state = self.store.state(root);
        let thread_of = |visit: u32| usize::from(self.store.origin(visit).thread);
        let mut first = (0..self.roots).filter(|visit| self.store.state(*visit) == state).map(thread_of);
        if first.any(|thread| thread == wanted) { wanted } else { thread_of(root) }
    }

    /// The values of the shared variables before each run; those that nobody asked for are found from the last one.
    fn values_before(&mut self, runs: &[Ran]) -> Vec<u64> {
        let mut values = vec![0; runs.len()];
        let mut after = 0;
        for (i, ran) in runs.iter().enumerate().rev() {
            let found = self.memo.runs(self.code_of(ran.thread), ran.before[0], ran.before[1 + ran.thread]);
            let found = found.expect("it was found before");
            let (end, at) = &found.ends[ran.end];
            after = found.before(*at, end.shared.value | after & end.shared.any);
            values[i] = after;
        }
        values
    }

    /// The thread's run from a state to this visit.
    fn ran(&mut self, thread: usize, before: Vec<u32>, visit: u32) -> Ran {
        let state = self.store.state(visit).to_vec();
        let range = self.memo.successors(self.code_of(thread), before[0], before[1 + thread]);
        let range = range.expect("it was found before");
        for successor in range.clone() {
            let After { state: after, started } = self.after(&before, thread, successor);
            if after == state {
                return Ran { thread, before, end: (successor - range.start) as usize, started };
            }
        }
        unreachable!("some run leads to each state")
    }
}

fn bits(values: u64, count: usize) -> Vec<bool> {
    (0..count).map(|i| values >> i & 1 == 1).collect()
}
