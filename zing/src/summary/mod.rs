//! Summaries of procedures \[QR05 §5, §6\]. A call in some state is answered by a root: a procedure with a state
//! in which it was entered, and the effects that it has there. With *visible states* the root's state is exactly what
//! the call can see; with *patterns* it need only agree where the procedure looks.
//!
//! Invariants: when the worklist is empty, each call that was found uses a root whose pattern fits, with all
//! its effects; what a root does in states that its pattern fits is what it did in its own. A root's pattern grows, and
//! calls that use it are examined again: those that it does not fit any more get another root. An effect is
//! used only where the pattern fits, so every state found is reached by an execution.
//!
//! DIVERGENCE: effects are compared, not final states; a call that is examined again goes on with what was written
//! before it, and not with an empty effect; a procedure that leaves its mode (it starts a thread, or touches what
//! other threads can reach) is not a summary, and its callers are none.

mod entry;
mod matching;
mod root;
mod way;

pub(crate) use entry::Spot;
pub(crate) use matching::apply;
pub(crate) use root::{Mode, Via};

use crate::code::{Code, Fault, Pc, ProcId};
use crate::exec::{Step, resume};
use crate::live::Live;
use crate::value::{Frame, Renumbering, Store, Value};
use base::{Id, IndexVec};
use entry::Entry;
use root::{Call, Root, View};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

/// A state at a call, as the caller has it.
#[derive(Clone, Copy)]
pub(crate) struct Site<'s> {
    pub(crate) store: &'s Store,
    pub(crate) args: &'s [Value],
    /// Objects that other threads can reach; short where there are none.
    pub(crate) shared: &'s [bool],
    pub(crate) mode: Mode,
}

/// Why a search ends early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// An execution fails: here, after these decisions from a state of a root.
    Failed { root: usize, node: usize, choices: Vec<u32>, fault: Fault, pc: Pc },
    /// A number does not fit.
    TooLarge,
    /// The stop flag was set.
    Stopped,
    /// There are too many states.
    States,
}

/// All roots.
pub(crate) struct Summaries<'a> {
    code: &'a Code,
    live: &'a Live,
    patterns: bool,
    stop: &'a AtomicBool,
    pub(crate) roots: Vec<Root>,
    /// Roots by procedure and mode.
    of_proc: Vec<Vec<usize>>,
    /// Roots by what the call sees.
    by_key: FxHashMap<Box<[u8]>, usize>,
    work: VecDeque<(usize, usize)>,
    /// Calls answered.
    pub(crate) lookups: u64,
    /// States found, of all roots.
    pub(crate) states: usize,
    /// How many states may be found.
    pub(crate) most_states: usize,
    /// Which statements some execution reaches.
    pub(crate) reached: IndexVec<Pc, bool>,
}

impl<'a> Summaries<'a> {
    pub(crate) fn new(code: &'a Code, live: &'a Live, patterns: bool, stop: &'a AtomicBool) -> Summaries<'a> {
        Summaries {
            code,
            live,
            patterns,
            stop,
            roots: vec![],
            of_proc: vec![vec![]; 2 * code.procs.len()],
            by_key: FxHashMap::default(),
            work: VecDeque::new(),
            lookups: 0,
            states: 0,
            most_states: usize::MAX,
            reached: IndexVec::from_elem(false, code.nodes.len()),
        }
    }

    /// The root that answers the call, complete, and the caller's objects by the numbers of its entry.
    pub(crate) fn call(&mut self, proc: ProcId, site: Site<'_>) -> Result<(usize, Vec<u32>), Trouble> {
        let (target, map, new) = self.target(proc, site, None);
        self.lookups += 1;
        if !new {
            return Ok((target, map));
        }
        while let Some((root, node)) = self.work.pop_front() {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Trouble::Stopped);
            }
            if self.states > self.most_states {
                return Err(Trouble::States);
            }
            self.roots[root].nodes[node].queued = false;
            if !self.roots[root].leaves {
                self.expand(root, node)?;
            }
        }
        Ok((target, map))
    }

    /// The root for a call; a new one if none fits.
    fn target(
        &mut self,
        proc: ProcId,
        site: Site<'_>,
        origin: Option<(usize, usize)>,
    ) -> (usize, Vec<u32>, bool) {
        let list = 2 * proc.index() + usize::from(site.mode == Mode::Local);
        if self.patterns {
            for i in &self.of_proc[list] {
                if let Some(map) = matching::matches(&self.roots[*i], site) {
                    return (*i, map, false);
                }
            }
        }
        let (entry, map) = enter(site);
        let key = entry.key(proc, site.mode);
        if !self.patterns
            && let Some(known) = self.by_key.get(&key)
        {
            return (*known, map, false);
        }
        let id = self.roots.len();
        let mut frame = Frame::enter(self.code, proc, &entry.formals);
        self.live.tidy(self.code, &mut frame);
        let mut root = Root::new(proc, site.mode, entry, self.patterns, origin);
        let first = root.first(frame);
        let node = root.add(first, 0, Via::Steps(vec![])).expect("the first state is new");
        self.roots.push(root);
        self.of_proc[list].push(id);
        self.by_key.insert(key, id);
        self.states += 1;
        self.enqueue(id, node);
        (id, map, true)
    }

    fn enqueue(&mut self, root: usize, node: usize) {
        if !std::mem::replace(&mut self.roots[root].nodes[node].queued, true) {
            self.work.push_back((root, node));
        }
    }

    /// Has the calls that use a root examined again.
    fn notify(&mut self, root: usize) {
        for i in 0..self.roots[root].users.len() {
            let (user, node) = self.roots[root].users[i];
            self.enqueue(user, node);
        }
    }

    fn expand(&mut self, id: usize, node: usize) -> Result<(), Trouble> {
        let (pattern, effects) = (self.roots[id].pattern.spots.len(), self.roots[id].effects.len());
        if self.roots[id].nodes[node].call.is_none() {
            self.run(id, node)?;
        }
        if self.roots[id].nodes[node].call.is_some() && !self.roots[id].leaves {
            self.answer(id, node);
        }
        let root = &self.roots[id];
        if root.leaves || root.pattern.spots.len() > pattern || root.effects.len() > effects {
            self.notify(id);
        }
        Ok(())
    }

    /// Executes statements from a state up to the next states that are kept.
    fn run(&mut self, id: usize, node: usize) -> Result<(), Trouble> {
        let Some(view) = self.roots[id].nodes[node].view.take() else { return Ok(()) };
        let mut pending: Vec<(View, Vec<u32>, Option<usize>)> = vec![(*view, vec![], None)];
        while let Some((mut view, mut choices, mut choice)) = pending.pop() {
            loop {
                let root = &mut self.roots[id];
                self.reached[view.frame.pc] = true;
                match root.step(self.code, &mut view, choice.take()) {
                    Step::Done | Step::Enter | Step::Leave => {
                        self.live.tidy(self.code, &mut view.frame);
                        if self.live.kept[view.frame.pc] {
                            self.add(id, view, node, Via::Steps(choices));
                            break;
                        }
                    }
                    Step::Choices(n) => {
                        let with = |i: usize| {
                            let mut choices = choices.clone();
                            choices.push(i as u32);
                            (view.clone(), choices, Some(i))
                        };
                        pending.extend((1..n).rev().map(with));
                        choices.push(0);
                        choice = Some(0);
                    }
                    Step::Call(proc, args) => {
                        self.live.tidy_during(self.code, &mut view.frame);
                        let call = Call { proc, args, target: None, map: vec![], imported: 0, applied: 0 };
                        root.nodes[node].call = Some(call);
                        root.nodes[node].view = Some(Box::new(view));
                        break;
                    }
                    Step::Return(results) => {
                        root.finish(&view, &results, node, choices);
                        break;
                    }
                    Step::Blocked => break,
                    Step::Failed(fault) => {
                        let pc = view.frame.pc;
                        return Err(Trouble::Failed { root: id, node, choices, fault, pc });
                    }
                    Step::Forbidden => {
                        root.leaves = true;
                        return Ok(());
                    }
                    Step::TooLarge => return Err(Trouble::TooLarge),
                    Step::Async(..) => unreachable!("a summary starts no threads"),
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, id: usize, view: View, parent: usize, via: Via) {
        if let Some(node) = self.roots[id].add(view, parent, via) {
            self.states += 1;
            self.enqueue(id, node);
        }
    }

    /// Answers a call of a root by the root that fits it now, as far as that one has come.
    fn answer(&mut self, id: usize, node: usize) {
        let view = self.roots[id].nodes[node].view.take().expect("a state at a call is kept");
        let mut call = self.roots[id].nodes[node].call.take().expect("the state stands at a call");
        self.lookups += 1;
        let shared = self.roots[id].entry.shared.clone();
        let site = Site { store: &view.store, args: &call.args, shared: &shared, mode: self.roots[id].mode };
        let still = call.target.and_then(|t| {
            if !self.patterns || self.roots[t].pattern.spots.len() == call.imported {
                return Some(call.map.clone());
            }
            matching::matches(&self.roots[t], site)
        });
        match still {
            Some(map) => call.map = map,
            None => {
                let (target, map, _) = self.target(call.proc, site, Some((id, node)));
                call = Call { target: Some(target), map, imported: 0, applied: 0, ..call };
                self.roots[target].users.push((id, node));
            }
        }
        self.import(id, &view, &mut call);
        let target = call.target.expect("the call has a root now");
        if self.roots[target].leaves {
            self.roots[id].leaves = true;
        } else {
            while call.applied < self.roots[target].effects.len() {
                let effect = call.applied;
                call.applied += 1;
                let after = self.apply(id, &view, &call, target, effect);
                self.add(id, after, node, Via::Summary(target as u32, effect as u32));
            }
        }
        self.roots[id].nodes[node].view = Some(view);
        self.roots[id].nodes[node].call = Some(call);
    }

    /// What the callee examines, the caller examines.
    fn import(&mut self, id: usize, view: &View, call: &mut Call) {
        let target = call.target.expect("the call has a root");
        if !self.patterns {
            return;
        }
        let new: Vec<Spot> = self.roots[target].pattern.spots[call.imported..].to_vec();
        call.imported += new.len();
        for spot in new {
            let here = match spot {
                // Arguments were examined when they were evaluated.
                Spot::Formal(_) => continue,
                Spot::Static(i) => Spot::Static(i),
                Spot::Field(a, f) => Spot::Field(call.map[a as usize], f),
                Spot::Shared(a) => Spot::Shared(call.map[a as usize]),
            };
            self.roots[id].look(view, here);
        }
    }

    /// The caller's state after the call, by one effect.
    fn apply(&self, id: usize, view: &View, call: &Call, target: usize, effect: usize) -> View {
        let mut after = view.clone();
        let (callee, caller) = (&self.roots[target], &self.roots[id]);
        let effect = &callee.effects[effect];
        let results = matching::apply(effect, callee.entry.cells(), &call.map, &mut after.store);
        for (spot, _) in &effect.writes {
            let here = match *spot {
                Spot::Field(a, f) => Spot::Field(call.map[a as usize], f),
                other => other,
            };
            caller.note_write(&mut after, here);
        }
        if let crate::code::Instr::Call(_, _, slots) = &self.code.node(after.frame.pc).instr {
            slots.iter().flatten().for_each(|slot| caller.note_write(&mut after, Spot::Formal(*slot)));
        }
        resume(self.code, &mut after.frame, &results);
        self.live.tidy(self.code, &mut after.frame);
        after
    }
}

/// What a call sees, in canonical numbers, and the caller's numbers of the objects.
fn enter(site: Site<'_>) -> (Entry, Vec<u32>) {
    let (opaque, statics) = match site.mode {
        Mode::Free => (&[][..], &site.store.statics[..]),
        Mode::Local => (site.shared, &[][..]),
    };
    let mut walk = Renumbering::new(&site.store.heap, 0, opaque);
    statics.iter().chain(site.args).for_each(|v| walk.root(*v));
    let is_shared = |a: &u32| opaque.get(*a as usize).copied().unwrap_or(false);
    let entry = Entry {
        store: Store { statics: walk.values(statics), heap: walk.heap() },
        formals: walk.values(site.args),
        shared: walk.order().iter().map(is_shared).collect(),
    };
    (entry, walk.order().to_vec())
}
