//! Live ranges [BR-SPIN00 §3.3]: the variables at each vertex whose value can still matter. A value computed
//! for a dead variable does not make what it is computed from live.
//!
//! What `enforce` reads is live everywhere in its procedure. At the exit of a procedure that is called every
//! global that plays a part in it is live, so that summaries are exact on globals; and a variable of which
//! path edges keep one copy for entry and current value is live throughout.

use crate::facts::Facts;
use base::{Id, IndexVec};
use bp::{Cfg, Edge, Expr, Op, ProcId, VarId, VertexId};

/// Which variables are live at which vertex.
pub(crate) struct Live {
    rows: IndexVec<VertexId, Vec<u64>>,
    /// For each procedure the first of its own variables; they follow each other.
    own_start: IndexVec<ProcId, usize>,
    globals: usize,
}

impl Live {
    /// With `enabled` false every variable that plays a part in the procedure is live.
    pub(crate) fn new(cfg: &Cfg, facts: &Facts, enabled: bool) -> Live {
        let globals = cfg.globals.len();
        let mut own_start = IndexVec::new();
        let mut next = globals;
        let mut rows = IndexVec::from_elem(vec![], cfg.vertices.len());
        for proc in cfg.procs.iter() {
            own_start.push(next);
            let own = proc.formals.len() + proc.locals.len();
            next += own;
            for v in proc.vertices() {
                rows[v] = vec![0; (globals + own).div_ceil(64)];
            }
        }
        let mut live = Live { rows, own_start, globals };
        live.start(cfg, facts, enabled);
        if enabled {
            live.iterate(cfg, facts);
        }
        live
    }

    fn bit(&self, proc: ProcId, var: VarId) -> usize {
        let i = var.index();
        if i < self.globals { i } else { self.globals + i - self.own_start[proc] }
    }

    /// Whether the variable, which is in scope, is live.
    pub(crate) fn contains(&self, cfg: &Cfg, vertex: VertexId, var: VarId) -> bool {
        let bit = self.bit(cfg.vertices[vertex].proc, var);
        self.rows[vertex][bit / 64] >> (bit % 64) & 1 == 1
    }

    fn add(&mut self, row: &mut [u64], proc: ProcId, var: VarId) {
        let bit = self.bit(proc, var);
        row[bit / 64] |= 1 << (bit % 64);
    }

    fn start(&mut self, cfg: &Cfg, facts: &Facts, enabled: bool) {
        for (id, proc) in cfg.procs.iter_enumerated() {
            let fact = &facts.procs[id];
            let mut always = vec![0; (self.globals + proc.formals.len() + proc.locals.len()).div_ceil(64)];
            if let Some(e) = &proc.enforce {
                e.for_each_var(&mut |v, _| self.add(&mut always, id, *v));
            }
            for v in &fact.kept {
                self.add(&mut always, id, *v);
            }
            if !enabled {
                for v in fact.globals.iter().chain(&proc.formals).chain(&proc.locals) {
                    self.add(&mut always, id, *v);
                }
            }
            for vertex in proc.vertices() {
                self.rows[vertex].clone_from(&always);
            }
            if fact.called {
                for v in &fact.globals {
                    self.add(&mut always, id, *v);
                }
                self.rows[proc.exit] = always;
            }
        }
    }

    fn iterate(&mut self, cfg: &Cfg, facts: &Facts) {
        let mut work: Vec<VertexId> = cfg.vertices.ids().collect();
        let mut queued: IndexVec<VertexId, bool> = IndexVec::from_elem(true, cfg.vertices.len());
        // Popped from the end: later vertices first, which suits a backward analysis.
        while let Some(vertex) = work.pop() {
            queued[vertex] = false;
            let mut row = self.rows[vertex].clone();
            for edge in &cfg.vertices[vertex].out {
                self.before(cfg, facts, &cfg.edges[*edge], &mut row);
            }
            if row == self.rows[vertex] {
                continue;
            }
            self.rows[vertex] = row;
            let proc = cfg.vertices[vertex].proc;
            let mut again: Vec<VertexId> =
                cfg.vertices[vertex].into.iter().map(|e| cfg.edges[*e].from).collect();
            if cfg.procs[proc].entry == vertex {
                again.extend(facts.callers[proc].iter().map(|e| cfg.edges[*e].from));
            }
            for v in again {
                if !std::mem::replace(&mut queued[v], true) {
                    work.push(v);
                }
            }
        }
    }

    /// Adds to `row` what is live before the edge.
    fn before(&mut self, cfg: &Cfg, facts: &Facts, edge: &Edge, row: &mut [u64]) {
        let proc = cfg.vertices[edge.from].proc;
        let mut after = self.rows[edge.to].clone();
        let remove = |live: &Live, after: &mut [u64], var: VarId| {
            let bit = live.bit(proc, var);
            let was = after[bit / 64] >> (bit % 64) & 1 == 1;
            after[bit / 64] &= !(1 << (bit % 64));
            was
        };
        let mut reads: Vec<&Expr<VarId>> = vec![];
        // Next values of variables that the statement does not change are read before it.
        let mut unchanged: Option<&Expr<VarId>> = None;
        let mut changed: Vec<VarId> = vec![];
        match &edge.op {
            Op::Skip => {}
            Op::Assume { cond, constrain, .. } => {
                reads.extend([Some(cond), constrain.as_ref()].into_iter().flatten())
            }
            Op::Assign { targets, values, constrain } => {
                for (target, value) in targets.iter().zip(values) {
                    if remove(self, &mut after, *target) || constrain.is_some() {
                        reads.push(value);
                    }
                }
                unchanged = constrain.as_ref();
                changed.clone_from(targets);
            }
            Op::Call { callee, args, results, constrain } => {
                for target in results.iter().flatten() {
                    remove(self, &mut after, *target);
                    changed.push(*target);
                }
                let entry = cfg.procs[*callee].entry;
                for g in &facts.procs[*callee].globals {
                    remove(self, &mut after, *g);
                    if facts.procs[*callee].modified.contains(*g) {
                        changed.push(*g);
                    }
                    if self.contains(cfg, entry, *g) {
                        self.add(row, proc, *g);
                    }
                }
                reads.extend(args);
                unchanged = constrain.as_ref();
            }
            Op::Return(values) => reads.extend(values),
        }
        for (word, bits) in row.iter_mut().zip(&after) {
            *word |= bits;
        }
        for e in reads {
            e.for_each_var(&mut |v, _| self.add(row, proc, *v));
        }
        if let Some(e) = unchanged {
            e.for_each_var(&mut |v, next| {
                if !next || !changed.contains(v) {
                    self.add(row, proc, *v);
                }
            });
        }
    }
}
