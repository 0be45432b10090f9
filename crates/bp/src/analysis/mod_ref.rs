//! MOD and REF sets: the variables that each procedure, with the procedures it calls, may modify and refer to
//! [BR-SPIN00 §3.3].
//!
//! Invariant on which summaries depend: a global outside `globals` of a procedure has the same value before and
//! after every call of it and plays no part in it; one that is in `globals` and not in `modified` keeps its
//! value throughout, and so does a formal outside `modified`.

use crate::cfg::{Cfg, EdgeId, Op, ProcId, VarId};
use crate::expr::Expr;
use base::{Id, IndexVec};

/// Numbers for the variables in scope of each procedure: globals first, then its own.
#[derive(Clone, Debug)]
pub struct Scopes {
    /// For each procedure the first of its own variables; they follow each other.
    own_start: IndexVec<ProcId, usize>,
    globals: usize,
}

impl Scopes {
    fn new(cfg: &Cfg) -> Scopes {
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
    pub fn bit(&self, proc: ProcId, var: VarId) -> usize {
        let i = var.index();
        if i < self.globals { i } else { self.globals + i - self.own_start[proc] }
    }

    /// The variable with the number.
    pub fn var(&self, proc: ProcId, bit: usize) -> VarId {
        VarId::from_index(if bit < self.globals { bit } else { self.own_start[proc] + bit - self.globals })
    }
}

/// A set of variables in scope of one procedure, by their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct VarBits {
    first: u64,
    rest: Vec<u64>,
}

impl VarBits {
    fn contains(&self, bit: usize) -> bool {
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

/// ModRef about one procedure.
#[derive(Clone, Debug, Default)]
pub struct ProcModRef {
    /// The globals that play a part in it, in order.
    pub globals: Vec<VarId>,
    /// The globals and own variables that it may change; globals also through calls.
    modified: VarBits,
    /// Whether some procedure calls it. If not, entry values and summaries are not needed.
    pub called: bool,
    /// Globals that play a part and formals which it may change, if it is called: their entry values have to be kept
    /// beside the current ones.
    pub changed_inputs: Vec<VarId>,
    /// The other ones: their current values stand for those at the entry as well.
    pub kept_inputs: Vec<VarId>,
}

/// ModRef about a program.
#[derive(Clone, Debug)]
pub struct ModRef {
    /// Numbers of variables.
    pub scopes: Scopes,
    /// The sets of each procedure.
    pub procs: IndexVec<ProcId, ProcModRef>,
    /// The call edges of each procedure's callers.
    pub callers: IndexVec<ProcId, Vec<EdgeId>>,
    /// Procedures, callees before callers where there is no recursion.
    pub bottom_up: Vec<ProcId>,
}

impl ModRef {
    /// Computed to a fixed point over the calls. With `enabled` false every global counts as one that plays a part in every procedure, so that its values are
    /// known everywhere.
    pub fn new(cfg: &Cfg, enabled: bool) -> ModRef {
        let mut out = ModRef {
            scopes: Scopes::new(cfg),
            procs: IndexVec::from_elem(ProcModRef::default(), cfg.procs.len()),
            callers: IndexVec::from_elem(vec![], cfg.procs.len()),
            bottom_up: vec![],
        };
        let mut used: IndexVec<ProcId, VarBits> = IndexVec::from_elem(VarBits::default(), cfg.procs.len());
        let mut callees: IndexVec<ProcId, Vec<ProcId>> = IndexVec::from_elem(vec![], cfg.procs.len());
        for (id, edge) in cfg.edges.iter_enumerated() {
            let proc = cfg.vertices[edge.from].proc;
            let scope = (&out.scopes, proc);
            direct(&edge.op, scope, &mut used[proc], &mut out.procs[proc].modified);
            if let Op::Call { callee, .. } = edge.op {
                out.callers[callee].push(id);
                out.procs[callee].called = true;
                callees[proc].push(callee);
            }
        }
        for (id, proc) in cfg.procs.iter_enumerated() {
            if let Some(enforce) = &proc.enforce {
                read(enforce, (&out.scopes, id), &mut used[id]);
            }
        }
        out.bottom_up = crate::cfg::bottom_up(&callees);
        close(cfg, &mut out, &mut used);
        for (id, proc) in cfg.procs.iter_enumerated() {
            let own = &mut out.procs[id];
            let scopes = &out.scopes;
            let plays = |g: &VarId| !enabled || used[id].contains(g.index());
            own.globals = cfg.globals.iter().copied().filter(plays).collect();
            if own.called {
                let inputs = own.globals.iter().chain(&proc.formals).copied();
                (own.changed_inputs, own.kept_inputs) =
                    inputs.partition(|v| own.modified.contains(scopes.bit(id, *v)));
            }
        }
        out
    }

    /// The globals that the procedure, or one that it calls, may change.
    pub fn modified_globals(&self, proc: ProcId) -> impl Iterator<Item = VarId> + '_ {
        self.procs[proc].globals.iter().copied().filter(move |g| self.modifies(proc, *g))
    }

    /// Whether the procedure may change the variable, which is in its scope.
    pub fn modifies(&self, proc: ProcId, var: VarId) -> bool {
        self.procs[proc].modified.contains(self.scopes.bit(proc, var))
    }
}

/// Globals spread from callees to callers until nothing changes.
fn close(cfg: &Cfg, out: &mut ModRef, used: &mut IndexVec<ProcId, VarBits>) {
    let mut work: Vec<ProcId> = out.bottom_up.iter().rev().copied().collect();
    let mut queued: IndexVec<ProcId, bool> = IndexVec::from_elem(true, cfg.procs.len());
    while let Some(callee) = work.pop() {
        queued[callee] = false;
        for i in 0..out.callers[callee].len() {
            let edge = out.callers[callee][i];
            let caller = cfg.vertices[cfg.edges[edge].from].proc;
            let mut changed = false;
            for g in 0..cfg.globals.len() {
                if out.procs[callee].modified.contains(g) {
                    changed |= out.procs[caller].modified.insert(g);
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
