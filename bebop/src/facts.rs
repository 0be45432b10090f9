//! What each procedure modifies and refers to, itself or through the procedures it calls [BR-SPIN00 §3.3].
//!
//! Invariant that the summaries rest on: a global outside `globals` of a procedure has the same value before
//! and after every call of it and plays no part in it; one that is in `globals` and not in `modified` keeps
//! its value throughout, and so does a formal outside `modified`.

use base::{Id, IndexVec};
use bp::{Cfg, EdgeId, Expr, Op, ProcId, VarId};

/// Numbers for the variables in scope of each procedure: globals first, then its own.
#[derive(Clone, Debug)]
pub(crate) struct Scopes {
    /// For each procedure the first of its own variables; they follow each other.
    own_start: IndexVec<ProcId, usize>,
    globals: usize,
}

impl Scopes {
    pub(crate) fn new(cfg: &Cfg) -> Scopes {
        let globals = cfg.globals.len();
        let mut own_start = IndexVec::new();
        let mut next = globals;
        for proc in &cfg.procs {
            own_start.push(next);
            next += proc.formals.len() + proc.locals.len();
        }
        Scopes { own_start, globals }
    }

    /// The number of a variable in scope.
    pub(crate) fn bit(&self, proc: ProcId, var: VarId) -> usize {
        let i = var.index();
        if i < self.globals { i } else { self.globals + i - self.own_start[proc] }
    }

    /// The variable with the number.
    pub(crate) fn var(&self, proc: ProcId, bit: usize) -> VarId {
        VarId::from_index(if bit < self.globals { bit } else { self.own_start[proc] + bit - self.globals })
    }
}

/// A set of variables in scope of one procedure, by their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct VarBits {
    first: u64,
    rest: Vec<u64>,
}

impl VarBits {
    pub(crate) fn contains(&self, bit: usize) -> bool {
        let word = if bit < 64 { self.first } else { self.rest.get(bit / 64 - 1).copied().unwrap_or(0) };
        word >> (bit % 64) & 1 == 1
    }

    /// Adds the number; whether it is new.
    fn insert(&mut self, bit: usize) -> bool {
        let word = if bit < 64 {
            &mut self.first
        } else {
            if self.rest.len() < bit / 64 {
                self.rest.resize(bit / 64, 0);
            }
            &mut self.rest[bit / 64 - 1]
        };
        let new = *word >> (bit % 64) & 1 == 0;
        *word |= 1 << (bit % 64);
        new
    }
}

/// Facts about one procedure.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcFacts {
    /// The globals that play a part in it, in order.
    pub(crate) globals: Vec<VarId>,
    /// The globals and own variables that it may change; globals also through calls.
    modified: VarBits,
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
    pub(crate) scopes: Scopes,
    pub(crate) procs: IndexVec<ProcId, ProcFacts>,
    /// The call edges of each procedure's callers.
    pub(crate) callers: IndexVec<ProcId, Vec<EdgeId>>,
    /// Procedures, callees before callers where there is no recursion.
    pub(crate) bottom_up: Vec<ProcId>,
}

impl Facts {
    /// With `enabled` false every global counts as one that plays a part in every procedure, so that its values are
    /// known everywhere.
    pub(crate) fn new(cfg: &Cfg, enabled: bool) -> Facts {
        let mut facts = Facts {
            scopes: Scopes::new(cfg),
            procs: IndexVec::from_elem(ProcFacts::default(), cfg.procs.len()),
            callers: IndexVec::from_elem(vec![], cfg.procs.len()),
            bottom_up: vec![],
        };
        let mut used: IndexVec<ProcId, VarBits> = IndexVec::from_elem(VarBits::default(), cfg.procs.len());
        let mut callees: IndexVec<ProcId, Vec<ProcId>> = IndexVec::from_elem(vec![], cfg.procs.len());
        for (id, edge) in cfg.edges.iter_enumerated() {
            let proc = cfg.vertices[edge.from].proc;
            let scope = (&facts.scopes, proc);
            direct(&edge.op, scope, &mut used[proc], &mut facts.procs[proc].modified);
            if let Op::Call { callee, .. } = edge.op {
                facts.callers[callee].push(id);
                facts.procs[callee].called = true;
                callees[proc].push(callee);
            }
        }
        for (id, proc) in cfg.procs.iter_enumerated() {
            if let Some(enforce) = &proc.enforce {
                read(enforce, (&facts.scopes, id), &mut used[id]);
            }
        }
        facts.bottom_up = bp::cfg::bottom_up(&callees);
        close(cfg, &mut facts, &mut used);
        for (id, proc) in cfg.procs.iter_enumerated() {
            let fact = &mut facts.procs[id];
            let scopes = &facts.scopes;
            let plays = |g: &VarId| !enabled || used[id].contains(g.index());
            fact.globals = cfg.globals.iter().copied().filter(plays).collect();
            if fact.called {
                let own = fact.globals.iter().chain(&proc.formals).copied();
                (fact.two_copies, fact.kept) = own.partition(|v| fact.modified.contains(scopes.bit(id, *v)));
            }
        }
        facts
    }

    /// Whether the procedure may change the variable, which is in its scope.
    pub(crate) fn modifies(&self, proc: ProcId, var: VarId) -> bool {
        self.procs[proc].modified.contains(self.scopes.bit(proc, var))
    }
}

/// Globals spread from callees to callers until nothing changes.
fn close(cfg: &Cfg, facts: &mut Facts, used: &mut IndexVec<ProcId, VarBits>) {
    let mut work: Vec<ProcId> = facts.bottom_up.iter().rev().copied().collect();
    let mut queued: IndexVec<ProcId, bool> = IndexVec::from_elem(true, cfg.procs.len());
    while let Some(callee) = work.pop() {
        queued[callee] = false;
        for i in 0..facts.callers[callee].len() {
            let edge = facts.callers[callee][i];
            let caller = cfg.vertices[cfg.edges[edge].from].proc;
            let mut changed = false;
            for g in 0..cfg.globals.len() {
                if facts.procs[callee].modified.contains(g) {
                    changed |= facts.procs[caller].modified.insert(g);
                }
                if used[callee].contains(g) {
                    changed |= used[caller].insert(g);
                }
            }
            if changed && !queued[caller] {
                queued[caller] = true;
                work.push(caller);
            }
        }
    }
}

type Scope<'a> = (&'a Scopes, ProcId);

fn read(e: &Expr<VarId>, (scopes, proc): Scope<'_>, used: &mut VarBits) {
    e.for_each_var(&mut |v, _| {
        used.insert(scopes.bit(proc, *v));
    });
}

/// The variables that the edge itself uses (reads or sets) and sets.
fn direct(op: &Op, scope: Scope<'_>, used: &mut VarBits, set: &mut VarBits) {
    let assign = |v: VarId, used: &mut VarBits, set: &mut VarBits| {
        let bit = scope.0.bit(scope.1, v);
        set.insert(bit);
        used.insert(bit);
    };
    match op {
        Op::Skip => {}
        Op::Assume { cond, constrain, .. } => {
            read(cond, scope, used);
            constrain.iter().for_each(|e| read(e, scope, used));
        }
        Op::Assign { targets, values, constrain } => {
            targets.iter().for_each(|v| assign(*v, used, set));
            values.iter().chain(constrain.as_deref()).for_each(|e| read(e, scope, used));
        }
        Op::Call { args, results, constrain, .. } => {
            results.iter().flatten().for_each(|v| assign(*v, used, set));
            args.iter().chain(constrain.as_deref()).for_each(|e| read(e, scope, used));
        }
        Op::Return(values) => values.iter().for_each(|e| read(e, scope, used)),
    }
}
