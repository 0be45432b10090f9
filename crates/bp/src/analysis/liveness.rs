//! Liveness ranges [BR-SPIN00 §3.3]: the variables at each vertex whose value can still matter. A value
//! computed for a dead variable does not make its operands live.
//!
//! Variables that `enforce` reads are live everywhere in its procedure. At the exit of a procedure that is
//! called every global that it may change is live, so that summaries are exact on globals; and a variable of
//! which path edges keep one copy for entry and current value is live throughout.

use super::mod_ref::{ModRef, Scopes};
use crate::cfg::{Cfg, Edge, Op, ProcId, VarId, VertexId};
use crate::expr::Expr;
use base::IndexVec;
use std::collections::VecDeque;

/// Stands for the number of words of a row where it is not known beforehand.
const ANY: usize = 0;

/// Where the values of variables can still matter, with what procedures modify.
pub struct LiveRanges {
    mod_ref: ModRef,
    liveness: Liveness,
}

impl LiveRanges {
    /// The ranges of a program's variables. A global that a procedure does not change counts as kept by its caller: it
    /// is live inside no longer than it is read there, and not at the exit. What is `observed` is live everywhere,
    /// and so is what it is computed from where that is done.
    pub fn new(cfg: &Cfg, observed: impl Fn(VarId) -> bool) -> LiveRanges {
        let mut mod_ref = ModRef::new(cfg, true);
        for proc in cfg.procs.ids() {
            // These are taken as live throughout.
            mod_ref.procs[proc].kept_inputs = cfg.scope(proc).filter(|v| observed(*v)).collect();
        }
        let liveness = Liveness::new(cfg, &mod_ref, true);
        LiveRanges { mod_ref, liveness }
    }

    /// Whether the value that the variable, which is in scope, has at the vertex can matter later.
    pub fn is_live(&self, cfg: &Cfg, vertex: VertexId, var: VarId) -> bool {
        self.liveness.contains(cfg, &self.mod_ref, vertex, var)
    }

    /// Whether the procedure, or one that it calls, may change the global.
    pub fn modifies(&self, proc: ProcId, global: VarId) -> bool {
        self.mod_ref.modifies(proc, global)
    }
}

/// Which variables are live at which vertex: a row of bits for each, by their numbers in scope.
pub struct Liveness {
    words: Vec<u64>,
    /// The first word of each vertex.
    start: IndexVec<VertexId, usize>,
    /// How many words a vertex of the procedure has.
    width: IndexVec<ProcId, usize>,
}

impl Liveness {
    /// With `enabled` false every variable that plays a part in the procedure is live.
    pub fn new(cfg: &Cfg, mod_ref: &ModRef, enabled: bool) -> Liveness {
        let mut live = Liveness {
            words: vec![],
            start: IndexVec::from_elem(0, cfg.vertices.len()),
            width: IndexVec::new(),
        };
        for proc in &cfg.procs {
            live.width.push((cfg.globals.len() + proc.formals.len() + proc.locals.len()).div_ceil(64));
        }
        let words = cfg.vertices.iter().map(|vertex| live.width[vertex.proc]).sum();
        live.words.reserve(words);
        for id in cfg.procs.ids() {
            live.lay_out(cfg, mod_ref, id, enabled);
        }
        if enabled {
            live.iterate(cfg, mod_ref);
        }
        live
    }

    fn row(&self, proc: ProcId, vertex: VertexId) -> &[u64] {
        self.row_of::<ANY>(proc, vertex)
    }

    /// A row of `W` words, if that is not [`ANY`].
    fn row_of<const W: usize>(&self, proc: ProcId, vertex: VertexId) -> &[u64] {
        let start = self.start[vertex];
        &self.words[start..start + self.words_of::<W>(proc)]
    }

    #[inline]
    fn words_of<const W: usize>(&self, proc: ProcId) -> usize {
        if W == ANY { self.width[proc] } else { W }
    }

    /// Whether the variable, which is in scope, is live.
    pub fn contains(&self, cfg: &Cfg, mod_ref: &ModRef, vertex: VertexId, var: VarId) -> bool {
        let bit = mod_ref.scopes.bit(cfg.vertices[vertex].proc, var);
        is_set(&self.words[self.start[vertex]..], bit)
    }

    /// The variables that are live at `from` and not at `to`, a vertex of the same procedure.
    pub fn dying(
        &self,
        proc: ProcId,
        scopes: &Scopes,
        from: VertexId,
        to: VertexId,
    ) -> impl Iterator<Item = VarId> {
        let words = self.row(proc, from).iter().zip(self.row(proc, to)).map(|(from, to)| from & !to);
        words.enumerate().flat_map(move |(i, word)| bits(word).map(move |bit| scopes.var(proc, 64 * i + bit)))
    }

    /// Rows for the procedure's vertices, with what is live there whatever follows.
    fn lay_out(&mut self, cfg: &Cfg, mod_ref: &ModRef, id: ProcId, enabled: bool) {
        let proc = &cfg.procs[id];
        let of_proc = &mod_ref.procs[id];
        let mut always = vec![0; self.width[id]];
        let add = |row: &mut [u64], v: VarId| set(row, mod_ref.scopes.bit(id, v));
        let mut enforced = vec![0; self.width[id]];
        if let Some(e) = &proc.enforce {
            e.for_each_var(&mut |v, _| add(&mut enforced, *v));
        }
        if !proc.enforced_at_entry_only {
            always.clone_from(&enforced);
        }
        of_proc.kept_inputs.iter().for_each(|v| add(&mut always, *v));
        if !enabled {
            let all = of_proc.globals.iter().chain(&proc.formals).chain(&proc.locals);
            all.for_each(|v| add(&mut always, *v));
        }
        for vertex in proc.vertices() {
            let start = self.words.len();
            self.start[vertex] = start;
            self.words.extend_from_slice(&always);
            for edge in &cfg.vertices[vertex].out {
                reads(cfg, mod_ref, &cfg.edges[*edge].op, &mut |v| add(&mut self.words[start..], v));
            }
        }
        let start = self.start[proc.entry];
        for (word, bits) in self.words[start..].iter_mut().zip(enforced) {
            *word |= bits;
        }
        if of_proc.called {
            let start = self.start[proc.exit];
            let changed = of_proc.globals.iter().filter(|v| mod_ref.modifies(id, **v));
            changed.for_each(|v| add(&mut self.words[start..], *v));
        }
    }

    /// Procedures as long as the entry of one they call changes; callees first.
    fn iterate(&mut self, cfg: &Cfg, mod_ref: &ModRef) {
        let mut work: VecDeque<ProcId> = mod_ref.bottom_up.iter().copied().collect();
        let mut waiting: IndexVec<ProcId, bool> = IndexVec::from_elem(true, cfg.procs.len());
        let mut queued: IndexVec<VertexId, bool> = IndexVec::from_elem(false, cfg.vertices.len());
        let mut scratch = Scratch::default();
        while let Some(proc) = work.pop_front() {
            waiting[proc] = false;
            let changed = match self.width[proc] {
                // Nearly all procedures; loops over one word are none.
                1 => self.iterate_one::<1>(cfg, mod_ref, proc, &mut queued, &mut scratch),
                _ => self.iterate_one::<ANY>(cfg, mod_ref, proc, &mut queued, &mut scratch),
            };
            if !changed {
                continue;
            }
            for edge in &mod_ref.callers[proc] {
                let caller = cfg.vertices[cfg.edges[*edge].from].proc;
                if !std::mem::replace(&mut waiting[caller], true) {
                    work.push_back(caller);
                }
            }
        }
    }

    /// Whether the entry of the procedure has changed.
    fn iterate_one<const W: usize>(
        &mut self,
        cfg: &Cfg,
        mod_ref: &ModRef,
        proc: ProcId,
        queued: &mut IndexVec<VertexId, bool>,
        scratch: &mut Scratch,
    ) -> bool {
        let own = &cfg.procs[proc];
        let mut entry_changed = false;
        // Popped from the end: later vertices first, which suits a backward analysis.
        scratch.work.clear();
        for vertex in own.vertices() {
            scratch.work.push(vertex);
            queued[vertex] = true;
        }
        let width = self.words_of::<W>(proc);
        scratch.row.resize(width, 0);
        scratch.after.resize(width, 0);
        while let Some(vertex) = scratch.work.pop() {
            queued[vertex] = false;
            scratch.row[..width].copy_from_slice(self.row_of::<W>(proc, vertex));
            for edge in &cfg.vertices[vertex].out {
                self.before::<W>(cfg, mod_ref, proc, &cfg.edges[*edge], scratch);
            }
            let start = self.start[vertex];
            let row = &mut self.words[start..start + width];
            if *row == scratch.row[..width] {
                continue;
            }
            row.copy_from_slice(&scratch.row[..width]);
            entry_changed |= own.entry == vertex;
            for edge in &cfg.vertices[vertex].into {
                let from = cfg.edges[*edge].from;
                if !std::mem::replace(&mut queued[from], true) {
                    scratch.work.push(from);
                }
            }
        }
        entry_changed
    }

    /// Adds to the row what is live before the edge because of what is live after it.
    fn before<const W: usize>(
        &self,
        cfg: &Cfg,
        mod_ref: &ModRef,
        proc: ProcId,
        edge: &Edge,
        scratch: &mut Scratch,
    ) {
        let width = self.words_of::<W>(proc);
        let (row, after) = (&mut scratch.row[..width], &mut scratch.after[..width]);
        let number = |v: VarId| mod_ref.scopes.bit(proc, v);
        let followed = self.row_of::<W>(proc, edge.to);
        after.copy_from_slice(followed);
        match &edge.op {
            Op::Skip | Op::Assume { .. } | Op::Return(_) => {}
            Op::Assign { targets, values, constrain } => {
                let mut bound = vec![];
                if let Some(e) = constrain {
                    e.for_each_var(&mut |v, next| bound.extend(next.then_some(*v)));
                    bound.sort_unstable();
                }
                for (target, value) in targets.iter().zip(values) {
                    unset(after, number(*target));
                    if is_set(followed, number(*target)) || bound.binary_search(target).is_ok() {
                        value.for_each_var(&mut |v, _| set(row, number(*v)));
                    }
                }
            }
            Op::Call { callee, results, .. } => {
                results.iter().flatten().for_each(|target| unset(after, number(*target)));
                let entry = cfg.procs[*callee].entry;
                for g in &mod_ref.procs[*callee].globals {
                    if mod_ref.modifies(*callee, *g) {
                        unset(after, number(*g));
                    }
                    if self.contains(cfg, mod_ref, entry, *g) {
                        set(row, number(*g));
                    }
                }
            }
        }
        unite(row, after);
    }
}

fn unite(row: &mut [u64], other: &[u64]) {
    for (word, bits) in row.iter_mut().zip(other) {
        *word |= bits;
    }
}

/// Buffers that are used again and again.
#[derive(Default)]
struct Scratch {
    work: Vec<VertexId>,
    row: Vec<u64>,
    after: Vec<u64>,
}

/// Reports the variables that the operation reads, whatever is live after it.
fn reads(cfg: &Cfg, mod_ref: &ModRef, op: &Op, read: &mut impl FnMut(VarId)) {
    match op {
        Op::Skip => {}
        Op::Assume { cond, constrain, .. } => {
            cond.for_each_var(&mut |v, _| read(*v));
            constrain.iter().for_each(|e| e.for_each_var(&mut |v, _| read(*v)));
        }
        Op::Assign { targets, constrain, .. } => {
            constrain.iter().for_each(|e| reads_before(e, |v| targets.contains(&v), &mut *read));
        }
        Op::Call { callee, args, results, constrain } => {
            args.iter().for_each(|e| e.for_each_var(&mut |v, _| read(*v)));
            let modified = |v| cfg.vars[v].owner.is_none() && mod_ref.modifies(*callee, v);
            let changed = |v| results.contains(&Some(v)) || modified(v);
            constrain.iter().for_each(|e| reads_before(e, changed, &mut *read));
        }
        Op::Return(values) => values.iter().for_each(|e| e.for_each_var(&mut |v, _| read(*v))),
    }
}

/// Reports the variables that a `constrain` clause reads before the statement: next values of unchanged
/// variables are read there too.
fn reads_before(e: &Expr<VarId>, changed: impl Fn(VarId) -> bool, read: &mut impl FnMut(VarId)) {
    e.for_each_var(&mut |v, next| {
        if !next || !changed(*v) {
            read(*v);
        }
    });
}

fn is_set(row: &[u64], bit: usize) -> bool {
    row[bit / 64] >> (bit % 64) & 1 == 1
}

fn set(row: &mut [u64], bit: usize) {
    row[bit / 64] |= 1 << (bit % 64);
}

fn unset(row: &mut [u64], bit: usize) {
    row[bit / 64] &= !(1 << (bit % 64));
}

fn bits(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let bit = rest.trailing_zeros() as usize;
        (rest != 0).then(|| {
            rest &= rest - 1;
            bit
        })
    })
}
