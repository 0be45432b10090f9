//! Predicates by weakest preconditions over the core.
//!
//! Backwards from the end, a conjunction is carried: what must hold at a step for the rest of the core's
//! conditions to be possible. An assume of the core adds its condition, an assignment substitutes (Morris' rule, \[Mor82\]),
//! a havocked location is eliminated. The negations of the conjunctions are a sequence of interpolants; their
//! atoms, scoped to the frame on top, are the predicates.

use crate::refiners::scope::Scoper;
use crate::refiners::strongest_postcondition::Simulation;
use crate::refiners::unfold::{Action, Unfolding};
use crate::refuted::{Refinement, Refuted};
use crate::{Discovered, Refiner};
use alias::AliasOracle;
use encoding::symbolic::walk::Role;
use ir::visit::walk_reads;
use ir::{BinOp, Expr, Lvalue, Type, UnOp};
use predicates::normal::{LinearAtom, Normal, condition, from_linear, linear_atom, mathify, normalise};
use predicates::weakest_precondition::{Aliasing, Context, assign};
use predicates::{Precision, Scope};
use std::rc::Rc;

/// Conjuncts larger than this many nodes are given up (Morris' rule multiplies cases).
const LARGEST: usize = 400;
/// More conjuncts than this are not carried.
const MOST: usize = 400;

/// A conjunction that is taken backwards.
pub(crate) struct Chain<'a> {
    cx: Context<'a>,
    unfolding: &'a Unfolding<'a>,
    pub conjuncts: Vec<Expr>,
    impossible: bool,
}

/// Finds predicates for a refuted path.
pub(crate) fn refine(refuted: &Refuted<'_>, refiner: Refiner, known: &Precision) -> Refinement {
    let (unfolding, oracle, path) = (&refuted.unfolding, refuted.oracle, refuted.path);
    let whole;
    let carried = if refiner == Refiner::WpAll {
        let defined = refuted.core().any(|a| a.role == Role::Defined);
        whole = carry(refuted.wp(), unfolding, |step, role| match role {
            Role::Condition => true,
            Role::Defined => defined || refuted.in_core(step, role),
        });
        &whole
    } else {
        refuted.carried()
    };
    let scoper = Scoper::new(refuted, &carried.at_step);
    let recursive = |activation: usize| oracle.is_recursive(unfolding.activations[activation].proc);
    let forward = |activation: usize| refiner == Refiner::Sp || recursive(activation);
    let mut found = vec![];
    if (0..unfolding.activations.len()).any(forward) {
        let mut simulation = Simulation::new(refuted.wp(), unfolding);
        for (i, step) in unfolding.steps.iter().enumerate() {
            if forward(step.activation) {
                let facts = simulation.facts(&carried.at_step[i]);
                scoper.collect(i, &facts, Refiner::Sp, &mut found);
            }
            simulation.step(path.steps[i], step, refuted.in_core(i, Role::Condition));
        }
    }
    if refiner != Refiner::Sp {
        scoper.collect_all(refiner, &mut found);
    }
    prefer_relations(oracle, known, &mut found);
    if refiner == Refiner::Wp {
        crate::generalise::cases::complete(refuted, known, &mut found);
        crate::generalise::copies::complete(refuted, known, &mut found);
    }
    Refinement { core: carried.matters.clone(), predicates: found }
}

/// In recursive procedures, relations between locations (and their entry values) come first: as long as there is
/// a new one, conditions on single values are left out, since they would be found again for every depth.
fn prefer_relations(oracle: &AliasOracle, known: &Precision, found: &mut Vec<Discovered>) {
    let recursive = |d: &Discovered| matches!(d.predicate.scope, Scope::Proc(p) if oracle.is_recursive(p));
    let relation = |d: &Discovered| {
        let mut reads = 0;
        d.predicate.expr.walk(&mut |e| reads += usize::from(matches!(e, Expr::Load(_))));
        reads > 1
    };
    let is_known = |d: &Discovered| known.contains(&d.predicate);
    if found.iter().any(|d| recursive(d) && relation(d) && !is_known(d)) {
        found.retain(|d| !recursive(d) || relation(d) || is_known(d));
    }
}

/// What is carried backwards.
pub(crate) struct Carried {
    /// For every step, and the end, what must hold before it.
    pub at_step: Vec<Rc<Vec<Expr>>>,
    /// The steps that changed it.
    pub matters: Vec<usize>,
    /// The first of these contradicts what must hold behind it.
    pub impossible: bool,
}

/// Carries the wanted conditions from the end to the start, or to where they become contradictory.
pub(crate) fn carry(
    cx: Context<'_>,
    unfolding: &Unfolding<'_>,
    wanted: impl Fn(usize, Role) -> bool,
) -> Carried {
    let mut chain = Chain::new(cx, unfolding);
    let nothing = Rc::new(vec![]);
    let mut at_step = vec![nothing.clone(); unfolding.steps.len() + 1];
    let mut matters = vec![];
    for (i, step) in unfolding.steps.iter().enumerate().rev() {
        let mut changed = false;
        for action in step.actions.iter().rev() {
            changed |= chain.back(action, wanted(i, Role::Condition));
            if wanted(i, Role::Defined) {
                chain.definedness(action);
                changed = true;
            }
        }
        at_step[i] = if changed { Rc::new(chain.conjuncts.clone()) } else { at_step[i + 1].clone() };
        if changed {
            matters.push(i);
        }
        if chain.impossible {
            break;
        }
    }
    matters.reverse();
    Carried { at_step, matters, impossible: chain.impossible }
}

impl<'a> Chain<'a> {
    /// The empty conjunction.
    pub(crate) fn new(cx: Context<'a>, unfolding: &'a Unfolding<'a>) -> Chain<'a> {
        Chain { cx, unfolding, conjuncts: vec![], impossible: false }
    }

    /// Begins again with these conjuncts.
    pub(crate) fn restart(&mut self, conjuncts: Vec<Expr>) {
        self.conjuncts.clear();
        conjuncts.into_iter().for_each(|c| self.add(c));
    }

    /// Takes the conjunction back over an action; whether the action mattered.
    pub(crate) fn back(&mut self, action: &Action, wanted: bool) -> bool {
        match action {
            Action::Assume(c) => {
                if wanted {
                    self.add(c.clone());
                }
                wanted
            }
            Action::Assign(lv, value) => self.rewrite(lv, |cx, c| Some(assign(cx, lv, value, c))),
            Action::Havoc(lv) => self.havoc(lv),
            Action::Fresh { dest, may_fail } => self.fresh(dest, *may_fail),
            Action::HavocCells(cells) => {
                let unfolding = self.unfolding;
                let before = self.conjuncts.len();
                self.conjuncts.retain(|c| {
                    let mut hit = false;
                    walk_reads(c, &mut |lv| hit |= cells.contains(&unfolding.cell(lv)));
                    !hit
                });
                before != self.conjuncts.len()
            }
        }
    }

    fn add(&mut self, c: Expr) {
        match normalise(c, self.cx.mode, self.cx.program.signed_wrap) {
            Normal::Constant(true) => {}
            Normal::Constant(false) => self.impossible = true,
            n => {
                let expr = condition(&n);
                if size(&expr) <= LARGEST && self.conjuncts.len() < MOST && !self.conjuncts.contains(&expr) {
                    self.conjuncts.push(expr);
                }
            }
        }
    }

    /// Replaces every conjunct that reads `lv` by what `f` makes of it (`None` drops it).
    fn rewrite(&mut self, lv: &Lvalue, f: impl Fn(Context<'_>, &Expr) -> Option<Expr>) -> bool {
        let old = std::mem::take(&mut self.conjuncts);
        let mut changed = false;
        for c in old {
            if self.reads(&c, lv) {
                changed = true;
                if let Some(new) = f(self.cx, &c) {
                    self.add(new);
                }
            } else if !self.conjuncts.contains(&c) {
                self.conjuncts.push(c);
            }
        }
        changed
    }

    fn reads(&self, c: &Expr, lv: &Lvalue) -> bool {
        let mut hit = false;
        walk_reads(c, &mut |r| hit |= self.unfolding.may_alias(lv, r));
        hit
    }

    /// The new object's address differs from every other pointer; its contents are arbitrary.
    fn fresh(&mut self, dest: &Lvalue, may_fail: bool) -> bool {
        self.rewrite(dest, |_, c| match c {
            Expr::Binary(op @ (BinOp::Eq | BinOp::Ne), l, r, _) => {
                let is_dest = |e: &Expr| matches!(e, Expr::Load(lv) if **lv == *dest);
                let null = Expr::is_zero;
                let known =
                    (is_dest(l) && (!null(r) || !may_fail)) || (is_dest(r) && (!null(l) || !may_fail));
                known.then(|| Expr::truth(*op == BinOp::Ne))
            }
            _ => None,
        })
    }

    /// Eliminates a location that gets an arbitrary value: by an equation for it, by combining bounds
    /// (Fourier-Motzkin with unit coefficients, exact on integers), else by dropping what reads it.
    fn havoc(&mut self, lv: &Lvalue) -> bool {
        let (with, without): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.conjuncts).into_iter().partition(|c| self.reads(c, lv));
        self.conjuncts = without;
        if with.is_empty() {
            return false;
        }
        let target = lv.clone().load();
        let linear: Vec<LinearAtom> = with.iter().filter_map(linear_atom).collect();
        let unit = |a: &LinearAtom| a.terms.iter().find(|(t, _)| *t == target).map_or(0, |(_, k)| *k);
        if let Some(eq) = linear.iter().find(|a| a.op == BinOp::Eq && unit(a).abs() == 1) {
            let value = solve(eq, &target, |term| Some(term.clone())).expect("each term stands for itself");
            let own = from_linear(eq.clone());
            for c in with {
                if normalise(c.clone(), self.cx.mode, self.cx.program.signed_wrap) != own {
                    self.add(assign(self.cx, lv, &value, &c));
                }
            }
            return true;
        }
        let bounds = |sign: i128| linear.iter().filter(move |a| a.op == BinOp::Le && unit(a) == sign);
        for upper in bounds(1) {
            for lower in bounds(-1) {
                let sum = from_linear(combine(upper, lower));
                self.add(condition(&sum));
            }
        }
        true
    }

    /// Adds the conditions under which the action's expressions are defined.
    fn definedness(&mut self, action: &Action) {
        let mut conditions = vec![];
        let mut lvalue = |lv: &Lvalue| access_conditions(lv, &mut conditions);
        match action {
            Action::Assign(lv, value) => {
                lvalue(lv);
                defined_conditions(value, self.cx, &mut conditions);
            }
            Action::Havoc(lv) | Action::Fresh { dest: lv, .. } => lvalue(lv),
            Action::Assume(c) => defined_conditions(c, self.cx, &mut conditions),
            Action::HavocCells(_) => {}
        }
        for c in conditions {
            self.add(c);
        }
    }
}

/// `target` as the equation gives it, in which its factor is 1 or -1; `known` says what is known to equal the other terms.
pub(crate) fn solve(eq: &LinearAtom, target: &Expr, known: impl Fn(&Expr) -> Option<Expr>) -> Option<Expr> {
    let (_, k) = eq.terms.iter().find(|(t, k)| t == target && k.abs() == 1)?;
    let mut sum = Expr::Const(eq.bound * k, Type::Math);
    for (term, c) in eq.terms.iter().filter(|(t, _)| t != target) {
        let term = known(term)?.cast(Type::Math);
        sum = Expr::binary(BinOp::Add, sum, Expr::binary(BinOp::Mul, Expr::Const(-c * k, Type::Math), term));
    }
    Some(sum)
}

/// The sum of two inequalities.
fn combine(a: &LinearAtom, b: &LinearAtom) -> LinearAtom {
    let mut terms = a.terms.clone();
    for (t, k) in &b.terms {
        match terms.iter_mut().find(|(u, _)| u == t) {
            Some((_, c)) => *c += k,
            None => terms.push((t.clone(), *k)),
        }
    }
    terms.retain(|(_, k)| *k != 0);
    LinearAtom { terms, op: BinOp::Le, bound: a.bound + b.bound }
}

fn size(e: &Expr) -> usize {
    let mut n = 0;
    e.walk(&mut |_| n += 1);
    n
}

/// The conditions under which an expression's evaluation is defined: no signed overflow, no division by zero, no
/// dereference of NULL, indices within their arrays.
fn defined_conditions(e: &Expr, cx: Context<'_>, out: &mut Vec<Expr>) {
    e.walk(&mut |node| match node {
        Expr::Binary(op, l, r, ty @ Type::Int(t)) => {
            if matches!(op, BinOp::Div | BinOp::Rem) {
                out.push(Expr::binary(BinOp::Ne, (**r).clone(), Expr::Const(0, r.ty())));
            }
            if matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) && t.signed && !cx.program.signed_wrap {
                let value = Expr::Binary(*op, l.clone(), r.clone(), ty.clone());
                in_range(value, *t, cx, out);
            }
        }
        Expr::Unary(UnOp::Neg, _, Type::Int(t)) if t.signed && !cx.program.signed_wrap => {
            in_range(node.clone(), *t, cx, out)
        }
        Expr::Load(lv) => access_conditions(lv, out),
        _ => {}
    });
}

fn in_range(value: Expr, t: ir::IntType, cx: Context<'_>, out: &mut Vec<Expr>) {
    let value = mathify(value, cx.mode, cx.program.signed_wrap);
    if value.ty() == Type::Math {
        out.push(Expr::binary(BinOp::Le, Expr::Const(t.min(), Type::Math), value.clone()));
        out.push(Expr::binary(BinOp::Le, value, Expr::Const(t.max(), Type::Math)));
    }
}

fn access_conditions(lv: &Lvalue, out: &mut Vec<Expr>) {
    if let ir::Base::Deref(p) = &lv.base {
        out.push((**p).clone().truthy());
    }
}
