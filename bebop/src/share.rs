//! When two edges do the same: a key for each edge, made of everything that its relations are made of. Programs
//! that tools write repeat themselves, and a procedure is often like another.
//!
//! Invariant: equal keys mean equal relations. So a key holds slots and never variables, which parts are live, and of
//! a callee all that its callers see.

use crate::space::{Slot, Space};
use base::IndexVec;
use bp::analysis::Liveness;
use bp::analysis::ModRef;
use bp::{BinOp, Cfg, EdgeId, Expr, Op, ProcId, VarId};
use rustc_hash::FxHashMap;

/// What an edge does, written down.
pub(crate) type Key = Box<[u32]>;

/// Makes keys.
pub(crate) struct Keys {
    buffer: Vec<u32>,
    /// What a caller sees of each procedure, as a number: equal numbers for equal procedures.
    signatures: IndexVec<ProcId, Option<u32>>,
    numbers: FxHashMap<Key, u32>,
}

impl Keys {
    pub(crate) fn new(cfg: &Cfg) -> Keys {
        Keys {
            buffer: vec![],
            signatures: IndexVec::from_elem(None, cfg.procs.len()),
            numbers: FxHashMap::default(),
        }
    }

    pub(crate) fn of_edge(
        &mut self,
        cfg: &Cfg,
        mod_ref: &ModRef,
        live: &Liveness,
        space: &Space,
        edge: EdgeId,
    ) -> &[u32] {
        let edge = &cfg.edges[edge];
        let proc = cfg.vertices[edge.from].proc;
        let signature = match &edge.op {
            Op::Call { callee, .. } => self.signature(cfg, mod_ref, live, space, *callee),
            _ => 0,
        };
        let mut writer = Writer { out: &mut self.buffer, space };
        writer.out.clear();
        let after = |v: VarId| u32::from(live.contains(cfg, mod_ref, edge.to, v));
        match &edge.op {
            Op::Skip => writer.number(0),
            Op::Assume { cond, value, constrain } => {
                writer.number(1 + u32::from(*value));
                writer.expr(cond);
                writer.optional(constrain.as_deref());
            }
            Op::Assign { targets, values, constrain } => {
                writer.number(3);
                writer.number(targets.len() as u32);
                for (target, value) in targets.iter().zip(values) {
                    writer.slot(space.slot(*target));
                    writer.number(after(*target));
                    writer.expr(value);
                }
                writer.optional(constrain.as_deref());
            }
            Op::Return(values) => {
                writer.number(4 + u32::from(mod_ref.procs[proc].called));
                writer.number(values.len() as u32);
                for (slot, value) in space.results(proc).zip(values) {
                    writer.slot(slot);
                    writer.expr(value);
                }
            }
            Op::Call { callee, args, results, constrain } => {
                writer.number(6);
                writer.number(signature);
                args.iter().for_each(|e| writer.expr(e));
                writer.number(results.len() as u32);
                for target in results {
                    match target {
                        None => writer.number(0),
                        Some(v) => {
                            writer.number(1 + after(*v));
                            writer.slot(space.slot(*v));
                        }
                    }
                }
                for g in &mod_ref.procs[*callee].globals {
                    writer.number(after(*g));
                }
                writer.optional(constrain.as_deref());
            }
        }
        for v in live.dying(proc, &mod_ref.scopes, edge.from, edge.to) {
            writer.slot(space.slot(v));
        }
        &self.buffer
    }

    fn signature(
        &mut self,
        cfg: &Cfg,
        mod_ref: &ModRef,
        live: &Liveness,
        space: &Space,
        proc: ProcId,
    ) -> u32 {
        if let Some(known) = self.signatures[proc] {
            return known;
        }
        let own = &cfg.procs[proc];
        let fact = &mod_ref.procs[proc];
        let mut writer = Writer { out: &mut self.buffer, space };
        writer.out.clear();
        writer.number(fact.globals.len() as u32);
        writer.number(own.formals.len() as u32);
        for v in fact.globals.iter().chain(&own.formals) {
            writer.slot(space.slot(*v));
            writer.number(u32::from(live.contains(cfg, mod_ref, own.entry, *v)));
            writer.number(u32::from(mod_ref.modifies(proc, *v)));
        }
        space.results(proc).for_each(|slot| writer.slot(slot));
        let next = self.numbers.len() as u32;
        let number = match self.numbers.get(self.buffer.as_slice()) {
            Some(known) => *known,
            None => {
                self.numbers.insert(self.buffer.as_slice().into(), next);
                next
            }
        };
        self.signatures[proc] = Some(number);
        number
    }
}

/// Writes prefix codes: every part shows where it ends.
struct Writer<'w> {
    out: &'w mut Vec<u32>,
    space: &'w Space,
}

impl Writer<'_> {
    fn number(&mut self, n: u32) {
        self.out.push(n);
    }

    fn slot(&mut self, slot: Slot) {
        self.out.push(slot.0 as u32);
    }

    fn optional(&mut self, e: Option<&Expr<VarId>>) {
        self.number(u32::from(e.is_some()));
        e.into_iter().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, e: &Expr<VarId>) {
        let several = |this: &mut Self, tag: u32, es: &[&Expr<VarId>]| {
            this.number(tag);
            es.iter().for_each(|e| this.expr(e));
        };
        match e {
            Expr::Const(b) => self.number(u32::from(*b)),
            Expr::Star => self.number(2),
            Expr::Var(v) | Expr::Next(v) => {
                self.number(if matches!(e, Expr::Var(_)) { 3 } else { 4 });
                self.slot(self.space.slot(*v));
            }
            Expr::Not(a) => several(self, 5, &[a]),
            Expr::And(es) | Expr::Or(es) => {
                self.number(if matches!(e, Expr::And(_)) { 6 } else { 7 });
                self.number(es.len() as u32);
                es.iter().for_each(|e| self.expr(e));
            }
            Expr::Binary(op, a, b) => {
                let tag = match op {
                    BinOp::Xor | BinOp::Ne => 8,
                    BinOp::Eq => 9,
                    BinOp::Implies => 10,
                };
                several(self, tag, &[a, b]);
            }
            Expr::Ite(c, a, b) => several(self, 11, &[c, a, b]),
            Expr::Choose(a, b) => several(self, 12, &[a, b]),
        }
    }
}
