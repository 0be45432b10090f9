//! The search over states of the whole program. Procedures are entered with the stack, or answered by their
//! summaries where those are asked for and nobody else can run meanwhile, or see anything of it.
//!
//! Invariant: all states that can be reached are examined, up to the names of objects: every circle passes a
//! node at which states are compared. States are taken in the order in which they are found, so paths are short.

use crate::code::{Fault, Pc};
use crate::exec::Step;
use crate::summary::{Mode, Site, Summaries, Trouble, apply};
use crate::threads::{After, Global, Rules, Turn};
use crate::{Found, Limit, Stats};
use base::IndexVec;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

/// A decision on the way of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// This thread goes on.
    Thread(u32),
    /// The next open decision is decided so.
    Choice(u32),
    /// The call is passed by this effect of this root.
    Summary(u32, u32),
}

struct Node {
    parent: u32,
    via: Vec<Item>,
    state: Option<Box<(Global, Option<Turn>)>>,
}

/// A branch of the execution that is followed.
#[derive(Clone)]
struct Branch {
    state: Global,
    turn: Turn,
    via: Vec<Item>,
    choice: Option<usize>,
}

/// A search.
pub(crate) struct Explorer<'a> {
    rules: Rules<'a>,
    summaries: Option<Summaries<'a>>,
    stop: &'a AtomicBool,
    most_states: usize,
    nodes: Vec<Node>,
    known: FxHashMap<Box<[u8]>, ()>,
    work: VecDeque<usize>,
    most_threads: usize,
    reached: IndexVec<Pc, bool>,
}

/// Why the search ends before all states were examined.
enum End {
    Failed(Found),
    Limit(Limit),
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(
        rules: Rules<'a>,
        summaries: Option<Summaries<'a>>,
        most_states: usize,
        stop: &'a AtomicBool,
    ) -> Explorer<'a> {
        Explorer {
            rules,
            summaries,
            stop,
            most_states,
            nodes: vec![],
            known: FxHashMap::default(),
            work: VecDeque::new(),
            most_threads: 0,
            reached: IndexVec::from_elem(false, rules.code.nodes.len()),
        }
    }

    /// Looks for a failing execution.
    pub(crate) fn search(&mut self) -> Result<Option<Found>, Limit> {
        let start = self.rules.start();
        let turn = (start.threads.len() == 1).then_some(Turn { thread: 0, atomic: 0 });
        let via = turn.iter().map(|_| Item::Thread(0)).collect();
        self.add(start, turn, 0, via);
        while let Some(node) = self.work.pop_front() {
            match self.expand(node) {
                Ok(()) => {}
                Err(End::Failed(found)) => return Ok(Some(found)),
                Err(End::Limit(limit)) => return Err(limit),
            }
        }
        Ok(None)
    }

    /// Figures.
    pub(crate) fn stats(&self) -> Stats {
        let mut stats = Stats { states: self.nodes.len(), threads: self.most_threads, ..Stats::default() };
        if let Some(summaries) = &self.summaries {
            stats.states += summaries.states;
            stats.lookups = summaries.lookups;
            for root in summaries.roots.iter().filter(|r| !r.leaves) {
                stats.summaries += 1;
                stats.effects += root.effects.len();
            }
        }
        stats
    }

    /// Which statements some execution reaches.
    pub(crate) fn reached(&self) -> IndexVec<Pc, bool> {
        let mut reached = self.reached.clone();
        if let Some(summaries) = &self.summaries {
            reached.iter_mut().zip(&summaries.reached).for_each(|(a, b)| *a |= *b);
        }
        reached
    }

    /// For each procedure with summaries: how many, and how many effects in all.
    pub(crate) fn per_procedure(&self) -> Vec<(String, usize, usize)> {
        let Some(summaries) = &self.summaries else { return vec![] };
        let mut counts = vec![(0, 0); self.rules.code.procs.len()];
        for root in summaries.roots.iter().filter(|r| !r.leaves) {
            let count = &mut counts[base::Id::index(root.proc)];
            count.0 += 1;
            count.1 += root.effects.len();
        }
        let named = self.rules.code.procs.iter().zip(counts).filter(|(_, count)| count.0 > 0);
        named.map(|(proc, count)| (proc.name.clone(), count.0, count.1)).collect()
    }

    fn add(&mut self, mut state: Global, turn: Option<Turn>, parent: usize, via: Vec<Item>) {
        state.renumber();
        self.most_threads = self.most_threads.max(state.threads.len());
        if self.known.insert(state.key(turn), ()).is_none() {
            self.work.push_back(self.nodes.len());
            let state = Some(Box::new((state, turn)));
            self.nodes.push(Node { parent: parent as u32, via, state });
        }
    }

    fn check_limits(&self) -> Result<(), End> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(End::Limit(Limit::Interrupted));
        }
        let others = self.summaries.as_ref().map_or(0, |s| s.states);
        if self.nodes.len() + others > self.most_states {
            return Err(End::Limit(Limit::States(self.most_states)));
        }
        Ok(())
    }

    fn expand(&mut self, node: usize) -> Result<(), End> {
        self.check_limits()?;
        let (state, turn) = *self.nodes[node].state.take().expect("each state is expanded once");
        if let Some(turn) = turn {
            return self.run(node, Branch { state, turn, via: vec![], choice: None });
        }
        for thread in 0..state.threads.len() {
            let turn = Turn { thread, atomic: 0 };
            let via = vec![Item::Thread(thread as u32)];
            self.run(node, Branch { state: state.clone(), turn, via, choice: None })?;
        }
        Ok(())
    }

    /// Follows the thread up to the next states that are kept.
    fn run(&mut self, node: usize, branch: Branch) -> Result<(), End> {
        let shared = self.rules.shared(&branch.state, branch.turn);
        let mut pending = vec![branch];
        while let Some(mut branch) = pending.pop() {
            while self.advance(node, &mut branch, &shared, &mut pending)? {}
        }
        Ok(())
    }

    /// One step; whether the branch goes on.
    fn advance(
        &mut self,
        node: usize,
        branch: &mut Branch,
        shared: &[bool],
        pending: &mut Vec<Branch>,
    ) -> Result<bool, End> {
        let choice = branch.choice.take();
        self.reached[top(branch).pc] = true;
        let (step, seen) = self.rules.step(&mut branch.state, branch.turn, shared, choice);
        match step {
            Step::Choices(n) => {
                for i in (0..n).rev() {
                    let mut other = branch.clone();
                    other.via.push(Item::Choice(i as u32));
                    other.choice = Some(i);
                    pending.push(other);
                }
                return Ok(false);
            }
            Step::Blocked => return Ok(false),
            Step::Failed(fault) => {
                let pc = top(branch).pc;
                return Err(End::Failed(self.found(node, &branch.via, &[], fault, pc)));
            }
            Step::TooLarge => return Err(End::Limit(Limit::Number)),
            Step::Call(proc, ref args) if !seen && self.summarises(branch) => {
                let args = args.clone();
                if self.pass(node, branch, shared, proc, &args)? {
                    return Ok(false);
                }
            }
            _ => {}
        }
        let after = self.rules.settle(&mut branch.state, &mut branch.turn, step, seen);
        match after {
            After::Ended => Ok(false),
            After::Over => {
                // The branch ends here.
                let state = std::mem::take(&mut branch.state);
                // With one thread left there is nobody else to schedule.
                let alone = state.threads.len() == 1;
                let mut via = std::mem::take(&mut branch.via);
                via.extend(alone.then_some(Item::Thread(0)));
                let turn = alone.then_some(Turn { thread: 0, atomic: 0 });
                self.add(state, turn, node, via);
                Ok(false)
            }
            After::Goes if self.rules.live.kept[top(branch).pc] => {
                let state = std::mem::take(&mut branch.state);
                self.add(state, Some(branch.turn), node, std::mem::take(&mut branch.via));
                Ok(false)
            }
            After::Goes => Ok(true),
        }
    }

    /// Whether calls are passed by summaries here.
    fn summarises(&self, branch: &Branch) -> bool {
        let together = self.rules.transactions || self.rules.is_free(&branch.state, branch.turn);
        self.summaries.is_some() && together
    }

    /// Passes a call by its summary; false if it has none.
    fn pass(
        &mut self,
        node: usize,
        branch: &Branch,
        shared: &[bool],
        proc: crate::code::ProcId,
        args: &[crate::value::Value],
    ) -> Result<bool, End> {
        let mode = if self.rules.is_free(&branch.state, branch.turn) { Mode::Free } else { Mode::Local };
        let own = self.nodes.len();
        let most = self.most_states;
        let summaries = self.summaries.as_mut().expect("there are summaries");
        summaries.most_states = most.saturating_sub(own);
        let site = Site { store: &branch.state.store, args, shared, mode };
        let (root, map) = match summaries.call(proc, site) {
            Ok(found) => found,
            Err(Trouble::Failed { root, node: at, choices, fault, pc }) => {
                let mut inner = summaries.way(root, at);
                inner.extend(choices.into_iter().map(Item::Choice));
                return Err(End::Failed(self.found(node, &branch.via, &inner, fault, pc)));
            }
            Err(Trouble::TooLarge) => return Err(End::Limit(Limit::Number)),
            Err(Trouble::Stopped) => return Err(End::Limit(Limit::Interrupted)),
            Err(Trouble::States) => return Err(End::Limit(Limit::States(most))),
        };
        if summaries.roots[root].leaves {
            return Ok(false);
        }
        let mut states = vec![];
        for (i, effect) in summaries.roots[root].effects.iter().enumerate() {
            let mut state = branch.state.clone();
            let kept = summaries.roots[root].entry.cells();
            let results = apply(effect, kept, &map, &mut state.store);
            let frame = state.threads[branch.turn.thread].last_mut().expect("the caller has a frame");
            crate::exec::resume(self.rules.code, frame, &results);
            self.rules.live.tidy(self.rules.code, frame);
            let mut via = branch.via.clone();
            via.push(Item::Summary(root as u32, i as u32));
            states.push((state, via));
        }
        for (state, via) in states {
            self.add(state, Some(branch.turn), node, via);
        }
        Ok(true)
    }

    /// A failure, with all decisions that lead to it.
    fn found(&self, node: usize, via: &[Item], inner: &[Item], fault: Fault, pc: Pc) -> Found {
        let mut chain = vec![];
        let mut at = node;
        while at != 0 {
            chain.push(at);
            at = self.nodes[at].parent as usize;
        }
        let mut items = self.nodes[0].via.clone();
        for n in chain.iter().rev() {
            items.extend(&self.nodes[*n].via);
        }
        items.extend(via);
        items.extend(inner);
        let schedule = match &self.summaries {
            None => Some(items),
            Some(summaries) => summaries.flatten(items),
        };
        Found { fault, pc, schedule }
    }
}

fn top(branch: &Branch) -> &crate::value::Frame {
    branch.state.threads[branch.turn.thread].last().expect("the thread has a frame")
}
