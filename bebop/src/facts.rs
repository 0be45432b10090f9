//! What each procedure modifies and refers to, itself or through the procedures it calls [BR-SPIN00 §3.3].
//!
//! Invariant that the summaries rest on: a global outside `globals` of a procedure has the same value before
//! and after every call of it and plays no part in it; one that is in `globals` and not in `modified` keeps
//! its value throughout, and so does a formal outside `modified`.

use base::{Id, IndexVec};
use bp::{Cfg, EdgeId, Expr, Op, ProcId, VarId};

/// A set of variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct VarBits(Vec<u64>);

impl VarBits {
    pub(crate) fn contains(&self, var: VarId) -> bool {
        let i = var.index();
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// Adds the variable; whether it is new.
    pub(crate) fn insert(&mut self, var: VarId) -> bool {
        let i = var.index();
        if self.0.len() <= i / 64 {
            self.0.resize(i / 64 + 1, 0);
        }
        let word = &mut self.0[i / 64];
        let new = *word >> (i % 64) & 1 == 0;
        *word |= 1 << (i % 64);
        new
    }
}

/// Facts about one procedure.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcFacts {
    /// The globals that play a part in it, in order.
    pub(crate) globals: Vec<VarId>,
    /// The globals and own variables that it may change; globals also through calls.
    pub(crate) modified: VarBits,
    /// Whether some procedure calls it. If not, entry values and summaries are not needed.
    pub(crate) called: bool,
    /// The variables of which path edges keep the entry value beside the current one: modified globals and
    /// formals of a procedure that is called.
    pub(crate) two_copies: Vec<VarId>,
    /// The variables whose current value stands for the entry value as well.
    pub(crate) kept: Vec<VarId>,
}

/// Facts about a program.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) procs: IndexVec<ProcId, ProcFacts>,
    /// The call edges of each procedure's callers.
    pub(crate) callers: IndexVec<ProcId, Vec<EdgeId>>,
    /// Procedures, callees before callers where there is no recursion.
    pub(crate) bottom_up: Vec<ProcId>,
}

impl Facts {
    pub(crate) fn new(cfg: &Cfg) -> Facts {
        let mut facts = Facts {
            procs: IndexVec::from_elem(ProcFacts::default(), cfg.procs.len()),
            callers: IndexVec::from_elem(vec![], cfg.procs.len()),
            bottom_up: vec![],
        };
        let mut used: IndexVec<ProcId, VarBits> = IndexVec::from_elem(VarBits::default(), cfg.procs.len());
        let mut callees: IndexVec<ProcId, Vec<ProcId>> = IndexVec::from_elem(vec![], cfg.procs.len());
        for (id, edge) in cfg.edges.iter_enumerated() {
            let proc = cfg.vertices[edge.from].proc;
            direct(&edge.op, &mut used[proc], &mut facts.procs[proc].modified);
            if let Op::Call { callee, .. } = edge.op {
                facts.callers[callee].push(id);
                facts.procs[callee].called = true;
                callees[proc].push(callee);
            }
        }
        for (id, proc) in cfg.procs.iter_enumerated() {
            if let Some(enforce) = &proc.enforce {
                read(enforce, &mut used[id]);
            }
        }
        close(cfg, &mut facts, &mut used);
        for (id, proc) in cfg.procs.iter_enumerated() {
            let fact = &mut facts.procs[id];
            fact.globals = cfg.globals.iter().copied().filter(|g| used[id].contains(*g)).collect();
            if fact.called {
                let own = fact.globals.iter().chain(&proc.formals).copied();
                (fact.two_copies, fact.kept) = own.partition(|v| fact.modified.contains(*v));
            }
        }
        facts.bottom_up = bottom_up(&callees);
        facts
    }
}

/// Globals spread from callees to callers until nothing changes.
fn close(cfg: &Cfg, facts: &mut Facts, used: &mut IndexVec<ProcId, VarBits>) {
    let mut work: Vec<ProcId> = cfg.procs.ids().rev().collect();
    let mut queued: IndexVec<ProcId, bool> = IndexVec::from_elem(true, cfg.procs.len());
    while let Some(callee) = work.pop() {
        queued[callee] = false;
        for edge in facts.callers[callee].clone() {
            let caller = cfg.vertices[cfg.edges[edge].from].proc;
            let mut changed = false;
            for g in &cfg.globals {
                if facts.procs[callee].modified.contains(*g) {
                    changed |= facts.procs[caller].modified.insert(*g);
                }
                if used[callee].contains(*g) {
                    changed |= used[caller].insert(*g);
                }
            }
            if changed && !queued[caller] {
                queued[caller] = true;
                work.push(caller);
            }
        }
    }
}

fn read(e: &Expr<VarId>, used: &mut VarBits) {
    e.for_each_var(&mut |v, _| {
        used.insert(*v);
    });
}

/// The variables that the edge itself uses (reads or sets) and sets.
fn direct(op: &Op, used: &mut VarBits, set: &mut VarBits) {
    let mut assign = |v: VarId, used: &mut VarBits| {
        set.insert(v);
        used.insert(v);
    };
    match op {
        Op::Skip => {}
        Op::Assume { cond, constrain, .. } => {
            read(cond, used);
            constrain.iter().for_each(|e| read(e, used));
        }
        Op::Assign { targets, values, constrain } => {
            targets.iter().for_each(|v| assign(*v, used));
            values.iter().chain(constrain).for_each(|e| read(e, used));
        }
        Op::Call { args, results, constrain, .. } => {
            results.iter().flatten().for_each(|v| assign(*v, used));
            args.iter().chain(constrain).for_each(|e| read(e, used));
        }
        Op::Return(values) => values.iter().for_each(|e| read(e, used)),
    }
}

/// Depth-first post-order of the call graph.
fn bottom_up(callees: &IndexVec<ProcId, Vec<ProcId>>) -> Vec<ProcId> {
    let mut out = Vec::with_capacity(callees.len());
    let mut seen: IndexVec<ProcId, bool> = IndexVec::from_elem(false, callees.len());
    for root in callees.ids() {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((proc, next)) = stack.last_mut() {
            match callees[*proc].get(*next) {
                Some(callee) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*callee], true) {
                        stack.push((*callee, 0));
                    }
                }
                None => {
                    out.push(*proc);
                    stack.pop();
                }
            }
        }
    }
    out
}
