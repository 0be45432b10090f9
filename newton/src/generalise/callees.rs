//! Predicates about memory that a procedure passes on to others. Where a caller needs a predicate about the target of a
//! pointer, so do the procedures that read or change that target on its behalf; a path goes through one of these
//! callees, and other paths will go through the others. Once the predicate is known in the caller and in one callee,
//! [`Callees::missing`] has it for all.
//!
//! Invariant: as for [`states`](crate::generalise::states): what is said here decides nothing, and costs time at most.

use crate::Suggested;
use alias::AliasOracle;
use encoding::IntMode;
use ir::{Base, Callee, Expr, Op, PathStep, ProcId, Program, VarId};
use predicates::normal::{Normal, normalise};
use predicates::{Precision, Predicate, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// More predicates than this are not learned at once.
const MOST: usize = 1_000;

/// The calls of each procedure that pass variables on as they are.
pub struct Callees {
    calls: BTreeMap<ProcId, Vec<Call>>,
}

struct Call {
    step: PathStep,
    callee: ProcId,
    /// Which formal gets the value of which variable of the caller.
    formals: BTreeMap<VarId, VarId>,
}

impl Callees {
    /// Finds them.
    pub fn new(program: &Program) -> Callees {
        let mut calls: BTreeMap<ProcId, Vec<Call>> = BTreeMap::new();
        for (p, e, edge) in program.edges() {
            let Op::Call { callee: Callee::Direct(q), args, .. } = &edge.op else { continue };
            let callee = &program.procs[*q];
            let variable = |(formal, arg): (&VarId, &Expr)| match arg {
                Expr::Load(lv) => lv.as_var().map(|v| (v, *formal)),
                _ => None,
            };
            let formals: BTreeMap<VarId, VarId> =
                callee.formals.iter().zip(args).filter_map(variable).collect();
            if callee.has_body && !formals.is_empty() {
                let step = PathStep::Edge(p, e);
                calls.entry(p).or_default().push(Call { step, callee: *q, formals });
            }
        }
        Callees { calls }
    }

    /// The predicates that the precision does not have yet, each with a step that calls; nothing where they are more than a
    /// thousand.
    pub fn missing(
        &self,
        program: &Program,
        oracle: &AliasOracle,
        mode: IntMode,
        precision: &Precision,
    ) -> Vec<Suggested> {
        let mut pending: Vec<Predicate> = precision.iter().map(|(_, predicate)| predicate.clone()).collect();
        let mut new: BTreeSet<Predicate> = BTreeSet::new();
        let mut out = vec![];
        while let Some(predicate) = pending.pop() {
            let Scope::Proc(p) = predicate.scope else { continue };
            let inside = |call: &Call| {
                let predicate = call.inside(program, oracle, mode, p, &predicate)?;
                Some(Suggested { predicate, step: call.step })
            };
            let all: Vec<Suggested> = self.calls.get(&p).into_iter().flatten().filter_map(inside).collect();
            let is_known = |p: &Predicate| precision.contains(p) || new.contains(p);
            if !all.iter().any(|one| is_known(&one.predicate)) {
                continue;
            }
            for one in all {
                if !precision.contains(&one.predicate) && new.insert(one.predicate.clone()) {
                    pending.push(one.predicate.clone());
                    out.push(one);
                }
            }
            if MOST < out.len() {
                return vec![];
            }
        }
        out
    }
}

impl Call {
    /// The predicate of the caller in the callee's words, where the callee reads or changes what it says of memory; `None` where it
    /// does not, or cannot say it.
    fn inside(
        &self,
        program: &Program,
        oracle: &AliasOracle,
        mode: IntMode,
        caller: ProcId,
        predicate: &Predicate,
    ) -> Option<Predicate> {
        let is_local = |v: VarId| program.vars[v].proc() == Some(caller);
        let is_passed = |e: &Expr| match e {
            Expr::Load(lv) => match lv.base {
                Base::Var(v) if is_local(v) => lv.as_var().is_some_and(|v| self.formals.contains_key(&v)),
                _ => true,
            },
            Expr::AddrOf(lv) => !matches!(lv.base, Base::Var(v) if is_local(v)),
            Expr::Old(_) => false,
            _ => true,
        };
        if predicate.expr.has(|e| !is_passed(e)) {
            return None;
        }
        let passed = predicate.expr.clone().map(&mut |e| match &e {
            Expr::Load(lv) => match lv.as_var().and_then(|v| self.formals.get(&v)) {
                Some(formal) => program.read(*formal),
                None => e,
            },
            _ => e,
        });
        let (mods, refs) = (oracle.mods(self.callee), oracle.refs(self.callee));
        let mut matters = false;
        ir::visit::walk_reads(&passed, &mut |lv| {
            let cell = oracle.cell(lv);
            matters |= lv.as_var().is_none() && (mods.contains(cell) || refs.contains(cell));
        });
        match normalise(passed, mode, program.signed_wrap) {
            Normal::Atom { expr, .. } if matters => Predicate::new(program, expr, Some(self.callee)).ok(),
            _ => None,
        }
    }
}
