//! Summary edges as they were at some time of the search: those that paths found back through the rings may use. They are
//! found together with path edges ([`crate::path_edges`]).

use crate::machine::CallStep;
use crate::path_edges::PathEdges;
use bdd::Engine;
use bp::{EdgeId, ProcId};
use rustc_hash::FxHashMap;

/// Summaries by procedure, and lifted to calls, as they were before some number of the log.
pub(crate) struct Summaries<B> {
    totals: FxHashMap<(ProcId, usize), B>,
    lifted: FxHashMap<(EdgeId, usize), B>,
}

impl<B: Clone> Summaries<B> {
    pub(crate) fn new() -> Self {
        Summaries { totals: FxHashMap::default(), lifted: FxHashMap::default() }
    }

    /// All summaries of the procedure that were logged before the number.
    pub(crate) fn total<E: Engine<Bdd = B>>(
        &mut self,
        edges: &mut PathEdges<'_, E>,
        proc: ProcId,
        before: u64,
    ) -> B {
        let log = &edges.log[proc];
        let entries = log.partition_point(|l| l.number < before);
        if let Some(known) = self.totals.get(&(proc, entries)) {
            return known.clone();
        }
        // A shorter prefix may be known: go on from there.
        let known = (0..entries).rev().find(|n| self.totals.contains_key(&(proc, *n)));
        let mut total = match known {
            Some(n) => self.totals[&(proc, n)].clone(),
            None => edges.machine.engine.constant(false),
        };
        for logged in &log[known.unwrap_or(0)..entries] {
            total = edges.machine.engine.or(&total, &logged.summary);
        }
        self.totals.insert((proc, entries), total.clone());
        total
    }

    /// The same, lifted to a call.
    pub(crate) fn lifted<E: Engine<Bdd = B>>(
        &mut self,
        edges: &mut PathEdges<'_, E>,
        edge: EdgeId,
        call: &CallStep<B>,
        before: u64,
    ) -> B {
        let entries = edges.log[call.callee].partition_point(|l| l.number < before);
        if let Some(known) = self.lifted.get(&(edge, entries)) {
            return known.clone();
        }
        let total = self.total(edges, call.callee, before);
        let lifted = edges.machine.lift(call, &total);
        self.lifted.insert((edge, entries), lifted.clone());
        lifted
    }
}
