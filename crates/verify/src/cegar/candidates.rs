//! Candidates for invariants, from four sources, each of which can be left out: bounds of integers, executions, the conditions of
//! the program, those of called procedures with the arguments in the place of the formals, and the solution of the program as
//! Horn clauses.

use crate::cegar::Subject;
use crate::cegar::facts::Source;
use alias::stable_formals;
use bmc::horn::Solved;
use bmc::k_induction::Candidate;
use bmc::{Bounds, can_bind};
use encoding::IntMode;
use executions::likely_invariants::{self as observed, Kind};
use executions::observe;
use ir::loop_nesting::{heads, nesting};
use ir::{Access, Base, BinOp, Callee, Expr, ForAll, IntType, LocId, Lvalue, Op, ProcId, Type, VarId};
use smt::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

/// The effort for bounds of integers.
const BOUNDS: u64 = 100_000_000;

/// Most candidates for one place, and most of them that are conditions of the program.
const MOST: usize = 160;
const CONDITIONS: usize = 60;

/// Calls in calls of which the conditions are taken.
const DEPTH: usize = 3;

/// Loops in loops, most.
const NESTED: usize = 20;

/// Edges that are executed to make Horn clauses.
const EDGES: usize = 20_000;

/// What may hold at heads of loops, and at entries and exits of recursive procedures, each with its source.
pub(crate) fn find(
    task: &Subject<'_>,
    sources: &BTreeSet<Source>,
    stop: &AtomicBool,
) -> Vec<(Candidate, Source)> {
    let (program, oracle) = (task.program, task.oracle);
    let is_on = |source| sources.contains(&source);
    let computed = is_on(Source::Computed).then(|| zones::compute(program, oracle, BOUNDS, stop)).flatten();
    let observed = is_on(Source::Observed).then(|| observe::candidates(program, stop));
    let mut all_seen = observed.unwrap_or_default();
    let of_conditions = is_on(Source::Conditions);
    let (mut out, shared) = (vec![], if of_conditions { about_globals(task) } else { vec![] });
    for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
        let mut places: BTreeSet<LocId> =
            heads(&nesting(proc, NESTED).unwrap_or_default()).into_iter().collect();
        if oracle.is_recursive(p) {
            places.extend([proc.entry, proc.exit]);
        }
        if places.is_empty() {
            continue;
        }
        let own = if of_conditions { Conditions::of(task, p, &shared) } else { vec![] };
        for l in places {
            let seen = all_seen.remove(&(p, l)).into_iter().flatten();
            let is_told = |c: &observed::Candidate| c.kind != Kind::Shift || task.mode == IntMode::Bits;
            let seen = seen.filter(is_told).map(|c| (Source::Observed, (c.for_all, c.condition)));
            let computed = computed.iter().flat_map(|c| c.facts(p, l)).filter(|e| !follows_from_types(e));
            let plain = |source| move |condition| (source, (None, condition));
            let own = own.iter().cloned().map(plain(Source::Conditions));
            let all = computed.map(plain(Source::Computed)).chain(seen).chain(own);
            let mut known: BTreeSet<(Option<ForAll>, Expr)> = BTreeSet::new();
            let told = |(source, about)| Some((source, about_mode(about, task)?));
            for (source, (for_all, condition)) in all.filter_map(told) {
                let about = (for_all.clone(), condition.clone());
                if known.len() < MOST && condition.as_const().is_none() && known.insert(about) {
                    out.push((Candidate { at: (p, l), for_all, condition }, source));
                }
            }
        }
    }
    out
}

/// What a solution of the program's Horn clauses says, with so much effort in the prover's units.
pub(crate) fn solved(
    task: &Subject<'_>,
    rlimit: u64,
    (stop, interrupt): (&AtomicBool, &Interrupt),
) -> Solved {
    if task.mode == IntMode::Bits {
        return Solved::Nothing;
    }
    let bounds = Bounds { mode: task.mode, turns: 0, steps: EDGES, rlimit, total: rlimit, stop, interrupt };
    bmc::horn::solve(task.program, task.oracle, &bounds)
}

/// A candidate that was given, in the integers of the mode; `None` where these do not express it.
pub(crate) fn given(
    task: &Subject<'_>,
    Candidate { at, for_all, condition }: &Candidate,
) -> Option<Candidate> {
    let (for_all, condition) = about_mode((for_all.clone(), condition.clone()), task)?;
    Some(Candidate { at: *at, for_all, condition })
}

/// A condition, and its range, in the integers of the mode.
fn about_mode(
    (range, condition): (Option<ForAll>, Expr),
    task: &Subject<'_>,
) -> Option<(Option<ForAll>, Expr)> {
    let condition = in_mode(condition, task.mode)?;
    let Some(ForAll { variable, from, to }) = range else { return Some((None, condition)) };
    if !can_bind(task.program, task.oracle, variable) {
        return None;
    }
    let (from, to) = (in_mode(from, task.mode)?, in_mode(to, task.mode)?);
    Some((Some(ForAll { variable, from, to }), condition))
}

/// Whether it is a bound of a difference that is as large as types have it.
fn follows_from_types(e: &Expr) -> bool {
    e.has(|e| matches!(e, Expr::Const(c, Type::Math) if c.unsigned_abs() >= 1 << 30))
}

/// The condition in the integers of the mode: with bit-vectors, wide ones stand for mathematical integers. A sum that does not
/// fit them is another number then, which makes another candidate.
fn in_mode(condition: Expr, mode: IntMode) -> Option<Expr> {
    in_width(condition, mode, 64)
}

/// The condition of a fact in the integers of the mode. With bit-vectors its sums fit wide ones: twice as many bits as the numbers
/// have of which it is made.
pub(crate) fn fact_in_mode(condition: Expr, mode: IntMode) -> Option<Expr> {
    let is_large = |e: &Expr| match e {
        Expr::Const(v, Type::Math) => i32::try_from(*v).is_err(),
        Expr::Cast(inner, Type::Math) => inner.ty().as_int().is_none_or(|t| t.bits > 32),
        _ => false,
    };
    let bits = if condition.has(is_large) { 128 } else { 64 };
    in_width(condition, mode, bits)
}

fn in_width(condition: Expr, mode: IntMode, bits: u16) -> Option<Expr> {
    let wide = Type::Int(IntType { bits, signed: true });
    let condition = match mode {
        IntMode::Math => condition,
        IntMode::Bits => condition.map(&mut |e| match e {
            Expr::Const(v, Type::Math) => Expr::Const(v, wide.clone()),
            Expr::Cast(inner, Type::Math) => inner.cast(wide.clone()),
            Expr::Unary(op, inner, Type::Math) => Expr::Unary(op, inner, wide.clone()),
            Expr::Binary(op, l, r, Type::Math) => Expr::Binary(op, l, r, wide.clone()),
            e => e,
        }),
    };
    encoding::integers::expressible(&condition, mode).is_ok().then_some(condition)
}

/// The condition without the kinds of its integers, as people read it; conversions that may change a value stay.
pub(crate) fn without_kinds(condition: Expr) -> Expr {
    condition.map(&mut |e| match e {
        Expr::Cast(inner, Type::Math) => *inner,
        Expr::Cast(inner, Type::Int(to)) => match inner.ty() {
            Type::Int(from) if to.min() <= from.min() && from.max() <= to.max() => *inner,
            _ => inner.cast(Type::Int(to)),
        },
        Expr::Const(v, Type::Int(_)) => Expr::Const(v, Type::Math),
        Expr::Unary(op, inner, Type::Int(_)) => Expr::Unary(op, inner, Type::Math),
        Expr::Binary(op, l, r, Type::Int(_)) => Expr::Binary(op, l, r, Type::Math),
        e => e,
    })
}

/// The conditions about globals alone of each branch and check that has some, with its procedure.
fn about_globals(task: &Subject<'_>) -> Vec<(ProcId, Vec<Expr>)> {
    let bodies = task.program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body);
    let edges = bodies.flat_map(|(p, proc)| proc.edges.iter().map(move |edge| (p, edge)));
    let conditions = edges.filter_map(|(p, edge)| {
        let (Op::Assume(c) | Op::Check(_, c)) = &edge.op else { return None };
        let mut conditions = Conditions { task, out: vec![] };
        conditions.branch(c, &BTreeMap::new(), 0);
        (!conditions.out.is_empty()).then_some((p, conditions.out))
    });
    conditions.collect()
}

/// The conditions of branches and checks.
struct Conditions<'a> {
    task: &'a Subject<'a>,
    out: Vec<Expr>,
}

impl Conditions<'_> {
    /// Those of a procedure and of what it calls, those about globals alone wherever they stand, and what is a little weaker.
    fn of(task: &Subject<'_>, p: ProcId, shared: &[(ProcId, Vec<Expr>)]) -> Vec<Expr> {
        let mut conditions = Conditions { task, out: vec![] };
        conditions.collect(p, &BTreeMap::new(), DEPTH);
        for (_, branch) in shared.iter().filter(|(q, _)| *q != p) {
            if conditions.out.len() >= CONDITIONS {
                break;
            }
            branch.iter().for_each(|e| conditions.push(e.clone()));
        }
        conditions.out
    }

    /// Adds those of a procedure with these values for its formals. The conditions of the outermost procedure may mention all that
    /// it can name, those of others only formals that are never assigned, and globals.
    fn collect(&mut self, p: ProcId, actuals: &BTreeMap<VarId, Expr>, depth: usize) {
        let program = self.task.program;
        for edge in &program.procs[p].edges {
            if self.out.len() >= CONDITIONS {
                return;
            }
            match &edge.op {
                Op::Assume(c) | Op::Check(_, c) => self.branch(c, actuals, depth),
                Op::Call { callee: Callee::Direct(q), args, .. } if depth > 0 => {
                    let stable = stable_formals(program, self.task.oracle, *q);
                    let formals = program.procs[*q].formals.iter().zip(args);
                    let inner = formals
                        .filter(|(formal, _)| stable.contains(formal))
                        .filter_map(|(formal, arg)| Some((*formal, self.inside(arg, actuals, depth)?)));
                    let inner = inner.collect();
                    self.collect(*q, &inner, depth - 1);
                }
                _ => {}
            }
        }
    }

    /// Adds the parts of a condition.
    fn branch(&mut self, condition: &Expr, actuals: &BTreeMap<VarId, Expr>, depth: usize) {
        let mut parts = vec![];
        split(condition, &mut parts);
        parts.into_iter().for_each(|part| self.add(part, actuals, depth));
    }

    fn push(&mut self, e: Expr) {
        if !self.out.contains(&e) {
            self.out.push(e);
        }
    }

    fn add(&mut self, part: &Expr, actuals: &BTreeMap<VarId, Expr>, depth: usize) {
        let Some(e) = self.inside(part, actuals, depth).filter(is_plain) else { return };
        if let Expr::Binary(op, l, r, ty) = &e {
            let weaker = match op {
                BinOp::Lt => Some(BinOp::Le),
                BinOp::Gt => Some(BinOp::Ge),
                _ => None,
            };
            if let Some(op) = weaker {
                self.push(Expr::Binary(op, l.clone(), r.clone(), ty.clone()));
            }
        }
        self.push(e);
    }

    /// What the expression is for the outermost procedure.
    fn inside(&self, e: &Expr, actuals: &BTreeMap<VarId, Expr>, depth: usize) -> Option<Expr> {
        if depth == DEPTH {
            return Some(e.clone());
        }
        let program = self.task.program;
        let mut is_known = true;
        e.walk(&mut |node| {
            if let Expr::Load(lv) | Expr::AddrOf(lv) = node
                && let Base::Var(v) = lv.base
            {
                is_known &=
                    program.vars[v].proc().is_none() || lv.path.is_empty() && actuals.contains_key(&v);
            }
        });
        let replaced = |e: Expr| match e {
            Expr::Load(lv) => match (lv.as_var().and_then(|v| actuals.get(&v)), &lv.base) {
                (Some(actual), _) => actual.clone(),
                (None, Base::Deref(pointer)) => behind(pointer, &lv),
                _ => Expr::Load(lv),
            },
            e => e,
        };
        is_known.then(|| e.clone().map(&mut { replaced }))
    }
}

/// What lies behind a pointer, by name where the pointer is the address of something named.
fn behind(pointer: &Expr, lv: &Lvalue) -> Expr {
    let Expr::AddrOf(target) = pointer else { return Expr::Load(Box::new(lv.clone())) };
    let mut out = Lvalue::clone(target);
    let path: Vec<Access> = lv.path.clone();
    out.path.extend(path);
    out.ty = lv.ty.clone();
    Expr::Load(Box::new(out))
}

fn split<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match e {
        Expr::Binary(BinOp::And | BinOp::Or, l, r, _) => {
            split(l, out);
            split(r, out);
        }
        e => out.push(e),
    }
}

/// Whether it reads no memory at an index that is computed, and no floating-point numbers.
fn is_plain(e: &Expr) -> bool {
    let mut plain = !e.has(|e| matches!(e, Expr::Float(..)));
    e.loads(&mut |lv: &Lvalue| {
        let fixed = lv.path.iter().all(|a| !matches!(a, Access::Index(i) if i.as_const().is_none()));
        plain &= fixed && !matches!(lv.ty, Type::Float(_));
    });
    plain
}
