//! Runs of a thread from one point where others may come in to the next one at which that matters: transactions
//! \[Lip75, QRR04\].
//!
//! A run begins with a step that others can observe, or ends an atomic section; behind it the thread goes on as long as
//! its steps are independent of the others: they may run before or after those steps, with the same result. A thread
//! that ends on the way stays where it is, and others go on; one that ends in an atomic section blocks all others, so
//! such a run has no successor.

use crate::bits::Bits;
use crate::machine::Machine;
use crate::steps::{Local, Started, Taken, View};
use bp::VertexId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Where a run ends.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct End {
    pub(crate) shared: Bits,
    /// Nothing when the thread takes no more steps.
    pub(crate) local: Option<Local>,
    pub(crate) started: Vec<Started>,
    /// At a goal: then only that is known of it.
    pub(crate) goal: Option<VertexId>,
}

/// A state on the way.
struct Node {
    view: View,
    /// The state before it.
    from: Option<u32>,
    /// What was known of the shared variables there, with what the step asked for.
    before: Bits,
}

/// All runs from a point.
pub(crate) struct Runs {
    nodes: Vec<Node>,
    numbers: FxHashMap<View, u32>,
    known: FxHashSet<End>,
    /// Where they end, each end once, with the last state on the way.
    pub(crate) ends: Vec<(End, u32)>,
}

impl Runs {
    /// The runs that begin with a step from here, or just here where the thread is alone; `None` when there are more
    /// states on the way than `most`.
    pub(crate) fn new(machine: &Machine<'_>, view: View, most: usize) -> Option<Runs> {
        let before = view.shared;
        let first = Node { view, from: None, before };
        let mut runs = Runs {
            nodes: vec![first],
            numbers: FxHashMap::default(),
            known: FxHashSet::default(),
            ends: vec![],
        };
        // Up to where others may come in. The first state has no number: a run that comes back to it ends there.
        let mut free = vec![];
        let mut work = vec![0];
        while let Some(at) = work.pop() {
            let view = runs.nodes[at as usize].view.clone();
            if machine.is_alone(&view) || at == 0 {
                runs.goal(machine, at);
                let taken = machine.steps_from(&view);
                work.extend(taken.into_iter().filter_map(|taken| runs.add(taken, at)));
            } else {
                free.push(at);
            }
            if runs.nodes.len() > most {
                return None;
            }
        }
        for from in free {
            let mut goes_on = false;
            let mut work = vec![from];
            while let Some(at) = work.pop() {
                let view = runs.nodes[at as usize].view.clone();
                runs.goal(machine, at);
                if machine.is_visible(&view) {
                    goes_on = true;
                    let View { shared, local, started } = view;
                    runs.end(End { shared, local: Some(local), started, goal: None }, at);
                } else {
                    let taken = machine.steps_from(&view);
                    work.extend(taken.into_iter().filter_map(|taken| runs.add(taken, at)));
                }
                if runs.nodes.len() > most {
                    return None;
                }
            }
            if !goes_on {
                let View { shared, started, .. } = runs.nodes[from as usize].view.clone();
                runs.end(End { shared, local: None, started, goal: None }, from);
            }
        }
        Some(runs)
    }

    /// The state behind a step, if it is a new one.
    fn add(&mut self, taken: Taken, from: u32) -> Option<u32> {
        let Entry::Vacant(entry) = self.numbers.entry(taken.view) else { return None };
        let number = self.nodes.len() as u32;
        let view = entry.key().clone();
        entry.insert(number);
        self.nodes.push(Node { view, from: Some(from), before: taken.before });
        Some(number)
    }

    fn goal(&mut self, machine: &Machine<'_>, at: u32) {
        let view = &self.nodes[at as usize].view;
        let vertex = view.local.top().vertex;
        // Where a thread begins, it is not at its first vertex yet.
        if machine.goals[vertex] && !view.local.begins && at > 0 {
            let shared = view.shared;
            self.end(End { shared, local: None, started: vec![], goal: Some(vertex) }, at);
        }
    }

    fn end(&mut self, end: End, at: u32) {
        if self.known.insert(end.clone()) {
            self.ends.push((end, at));
        }
    }

    /// Values of the shared variables with which a run to this state has to begin, so that they are `after` in the end.
    pub(crate) fn before(&self, mut at: u32, after: u64) -> u64 {
        let mut values = after;
        while let Some(from) = self.nodes[at as usize].from {
            let node = &self.nodes[at as usize];
            // What was not known before was not asked for: it may have been what it is behind the step.
            values = values & node.before.any | node.before.value;
            at = from;
        }
        values
    }
}
