//! Facts about bits as clauses, by Z3's tactics: what is left of them when values are propagated, equations solved, and words
//! taken apart.
#![allow(unsafe_code, reason = "foreign functions; the head of context.rs says why the calls are sound")]

use rustc_hash::FxHashMap;
use z3_sys::{
    DeclKind, Z3_add_const_interp, Z3_apply_result_dec_ref, Z3_apply_result_get_num_subgoals,
    Z3_apply_result_get_subgoal, Z3_apply_result_inc_ref, Z3_ast, Z3_context, Z3_goal, Z3_goal_assert,
    Z3_goal_convert_model, Z3_goal_dec_ref, Z3_goal_formula, Z3_goal_inc_ref, Z3_goal_size, Z3_mk_false,
    Z3_mk_goal, Z3_mk_model, Z3_mk_tactic, Z3_model_dec_ref, Z3_model_inc_ref, Z3_tactic, Z3_tactic_and_then,
    Z3_tactic_apply, Z3_tactic_dec_ref, Z3_tactic_inc_ref,
};

use super::context::{Ast, Context, Decl, c_string};
use super::read::ZModel;
use crate::sat::Clauses;

/// The steps from facts to clauses.
const STEPS: [&str; 11] = [
    "fpa2bv",
    "simplify",
    "propagate-values",
    "solve-eqs",
    "elim-uncnstr",
    "simplify",
    "max-bv-sharing",
    "bit-blast",
    "simplify",
    "aig",
    "tseitin-cnf",
];

/// Facts as clauses, and the way back from a model of these.
pub(super) struct Blasted<'a> {
    context: &'a mut Context,
    goal: Z3_goal,
    /// What the variables of the clauses stand for: the first one is number 1.
    variables: Vec<Decl>,
    numbers: FxHashMap<Decl, i32>,
}

impl Drop for Blasted<'_> {
    fn drop(&mut self) {
        // Safety: the reference was taken in `Blasted::new`.
        unsafe { Z3_goal_dec_ref(self.context.raw, self.goal) };
    }
}

impl<'a> Blasted<'a> {
    /// Takes facts apart; `None` where Z3 fails.
    pub(super) fn new(context: &'a mut Context, facts: &[Ast]) -> Option<Blasted<'a>> {
        // Safety: the facts are held by the context; objects get references before the next call.
        let goal = unsafe {
            let raw = context.raw;
            let whole = Z3_mk_goal(raw, true, false, false)?;
            Z3_goal_inc_ref(raw, whole);
            for fact in facts {
                Z3_goal_assert(raw, whole, fact.0);
            }
            let goal = steps(raw).and_then(|tactic| {
                let goal = apply(raw, tactic, whole);
                Z3_tactic_dec_ref(raw, tactic);
                goal
            });
            Z3_goal_dec_ref(raw, whole);
            goal?
        };
        Some(Blasted { context, goal, variables: vec![], numbers: FxHashMap::default() })
    }

    /// The clauses; `None` where something is not a clause over truth values.
    pub(super) fn clauses(&mut self) -> Option<Clauses> {
        let mut out = Clauses::default();
        // Safety: the goal is held, and holds its formulas.
        for i in 0..unsafe { Z3_goal_size(self.context.raw, self.goal) } {
            let formula = unsafe { Z3_goal_formula(self.context.raw, self.goal, i) }?;
            let (decl, args) = self.context.parts(formula)?;
            match self.context.kind(decl) {
                Some(DeclKind::True) => {}
                Some(DeclKind::False) => out.add(&[]),
                Some(DeclKind::Or) => {
                    let literals: Option<Vec<i32>> = args.into_iter().map(|l| self.literal(l)).collect();
                    out.add(&literals?);
                }
                _ => out.add(&[self.literal(formula)?]),
            }
        }
        Some(out)
    }

    fn literal(&mut self, literal: Z3_ast) -> Option<i32> {
        let (decl, args) = self.context.parts(literal)?;
        match (self.context.kind(decl), args.as_slice()) {
            (Some(DeclKind::Not), [atom]) => match self.context.parts(*atom)? {
                (decl, args) if args.is_empty() && self.context.kind(decl).is_none() => {
                    self.variable(decl).map(|n| -n)
                }
                _ => None,
            },
            (None, []) => self.variable(decl),
            _ => None,
        }
    }

    fn variable(&mut self, decl: Decl) -> Option<i32> {
        if let Some(number) = self.numbers.get(&decl) {
            return Some(*number);
        }
        self.variables.push(decl);
        let number = i32::try_from(self.variables.len()).ok()?;
        self.numbers.insert(decl, number);
        Some(number)
    }

    /// The model of the facts that belongs to one of the clauses; `values[i]` is that of variable `i + 1`.
    pub(super) fn model(&mut self, values: &[bool]) -> Option<ZModel<'_>> {
        let raw = self.context.raw;
        // Safety: the symbols are alive as long as the goal is; objects get references before the next call.
        let model = unsafe {
            let truths = [Z3_mk_false(raw)?, self.context.truth().0];
            let bits = Z3_mk_model(raw)?;
            Z3_model_inc_ref(raw, bits);
            for (decl, value) in self.variables.iter().zip(values) {
                Z3_add_const_interp(raw, bits, decl.0, truths[usize::from(*value)]);
            }
            let model = Z3_goal_convert_model(raw, self.goal, bits);
            if let Some(model) = model {
                Z3_model_inc_ref(raw, model);
            }
            Z3_model_dec_ref(raw, bits);
            model?
        };
        Some(ZModel::held(self.context, model))
    }
}

/// All steps, one after the other, with a reference.
///
/// # Safety
/// The context must be alive.
unsafe fn steps(raw: Z3_context) -> Option<Z3_tactic> {
    let mut all: Option<Z3_tactic> = None;
    for name in STEPS {
        // Safety: objects get references before the next call.
        unsafe {
            let name = c_string(name);
            let step = Z3_mk_tactic(raw, name.as_ptr())?;
            Z3_tactic_inc_ref(raw, step);
            let Some(before) = all else {
                all = Some(step);
                continue;
            };
            let both = Z3_tactic_and_then(raw, before, step)?;
            Z3_tactic_inc_ref(raw, both);
            Z3_tactic_dec_ref(raw, before);
            Z3_tactic_dec_ref(raw, step);
            all = Some(both);
        }
    }
    all
}

/// What is left of a goal, with a reference.
///
/// # Safety
/// The objects must be alive, and belong to the context.
unsafe fn apply(raw: Z3_context, tactic: Z3_tactic, goal: Z3_goal) -> Option<Z3_goal> {
    // Safety: the caller vouches for the objects; new ones get references before the next call.
    unsafe {
        let result = Z3_tactic_apply(raw, tactic, goal)?;
        Z3_apply_result_inc_ref(raw, result);
        let goal = (Z3_apply_result_get_num_subgoals(raw, result) == 1)
            .then(|| Z3_apply_result_get_subgoal(raw, result, 0))
            .flatten();
        if let Some(goal) = goal {
            Z3_goal_inc_ref(raw, goal);
        }
        Z3_apply_result_dec_ref(raw, result);
        goal
    }
}
