//! Constrained Horn clauses in Z3's engine Spacer, through a solver for the logic `HORN`: unlike the fixed-point
//! interface that one honours the resource limit. Transformations that would take relations away are off, so that
//! the model has a formula for each.
#![allow(unsafe_code, reason = "foreign functions; the head of context.rs says why the calls are sound")]

use z3_sys::{
    AstKind, DeclKind, Z3_app, Z3_ast, Z3_func_interp_dec_ref, Z3_func_interp_get_else,
    Z3_func_interp_get_num_entries, Z3_func_interp_inc_ref, Z3_get_ast_kind, Z3_get_numeral_string,
    Z3_mk_and, Z3_mk_forall_const, Z3_mk_implies, Z3_mk_not, Z3_model, Z3_model_dec_ref,
    Z3_model_get_const_interp, Z3_model_get_func_interp, Z3_model_inc_ref, Z3_solver_get_model,
    Z3_substitute_vars, Z3_to_app,
};

use super::context::{Ast, Context, Decl, Status, text};
use super::translate::{Declared, Translator};
use crate::horn::{Atom, Clause, Horn, Solution};
use crate::interrupt::Interrupt;
use crate::prover::INTERRUPTED;
use crate::sort::Sort;
use crate::term::Term;

/// Transformations that take relations away.
const OFF: [&str; 4] =
    ["xform.inline_linear", "xform.inline_eager", "xform.slice", "xform.inline_linear_branch"];

/// Lemmas that follow a pattern are generalised together: without it, loops over bounded integers are unrolled.
const GUIDANCE: (&str, bool) = ("spacer.global", true);

/// At most this many steps of a derivation are considered. The resource limit does not see the time in which formulas
/// are carried from one to the next: a loop of 400 iterations that need 400 formulas takes minutes within it.
/// Solutions are found in far fewer steps.
const STEPS: (&str, u32) = ("spacer.max_level", 64);

struct Engine {
    context: Context,
    translator: Translator,
    relations: Vec<Decl>,
}

/// See [`Horn::solve`].
pub(crate) fn solve(horn: &Horn, rlimit: u64, interrupt: &Interrupt) -> Solution {
    let Some(mut engine) = Engine::new(horn, rlimit) else {
        return Solution::Unknown("the solver for Horn clauses failed".into());
    };
    for clause in &horn.clauses {
        engine.add(clause);
    }
    let Some(guard) = interrupt.enter(engine.context.interrupt_handle()) else {
        return Solution::Unknown(INTERRUPTED.to_owned());
    };
    let status = engine.context.check(&[]);
    drop(guard);
    // Z3 leaves a search by an exception where its own assertions fail: then it says unknown, or reports an error.
    engine.context.check_error();
    match status {
        _ if engine.context.failure().is_some() => {
            Solution::Unknown(engine.context.failure().unwrap_or_default().to_owned())
        }
        Status::Unsat => Solution::Derivable,
        Status::Sat => engine.formulas(horn),
        Status::Unknown => Solution::Unknown(engine.context.why_unknown(interrupt)),
    }
}

impl Engine {
    /// A solver with the relations declared.
    fn new(horn: &Horn, rlimit: u64) -> Option<Engine> {
        let limit = ("rlimit", u32::try_from(rlimit).unwrap_or(u32::MAX));
        let limits: &[(&str, u32)] = if rlimit > 0 { &[limit, STEPS] } else { &[STEPS] };
        let mut flags = OFF.map(|flag| (flag, false)).to_vec();
        flags.push(GUIDANCE);
        let mut context = Context::new(Some("HORN"), limits, &flags);
        let mut translator = Translator::default();
        let mut relations = vec![];
        for (i, params) in horn.relations.iter().enumerate() {
            let domain: Vec<_> = params.iter().map(|p| translator.sort(&mut context, p.sort())).collect();
            let range = context.bool_sort();
            relations.push(context.declare(&format!("relation!{i}"), &domain, range)?);
        }
        Some(Engine { context, translator, relations })
    }

    fn atom(&mut self, relation: usize, args: &[Term]) -> Ast {
        let args: Vec<Ast> = args.iter().map(|a| self.translator.term(&mut self.context, a)).collect();
        self.context.application(self.relations[relation], &args)
    }

    fn add(&mut self, clause: &Clause) {
        let mut constants = clause.constraint.constants();
        for atom in clause.body.iter().chain(&clause.head) {
            constants.extend(atom.args.iter().flat_map(Term::constants));
        }
        constants.sort();
        constants.dedup();
        let mut body = vec![self.translator.term(&mut self.context, &clause.constraint)];
        body.extend(clause.body.iter().map(|Atom { relation, args }| self.atom(*relation, args)));
        let body = self.context.variadic(Z3_mk_and, &body);
        let head = match &clause.head {
            Some(Atom { relation, args }) => self.atom(*relation, args),
            None => {
                let truth = self.context.truth();
                self.context.unary(Z3_mk_not, truth)
            }
        };
        let implication = self.context.binary(Z3_mk_implies, body, head);
        let bound: Vec<Ast> = constants.iter().map(|c| self.translator.term(&mut self.context, c)).collect();
        let rule = self.for_all(&bound, implication);
        self.context.assert(rule);
    }

    fn for_all(&mut self, bound: &[Ast], body: Ast) -> Ast {
        if bound.is_empty() {
            return body;
        }
        // Safety: constants are applications; all terms are held by the context.
        let rule = unsafe {
            let apps: Option<Vec<Z3_app>> = bound.iter().map(|c| Z3_to_app(self.context.raw, c.0)).collect();
            apps.and_then(|apps| {
                let count = u32::try_from(apps.len()).ok()?;
                let none = std::ptr::null();
                Z3_mk_forall_const(self.context.raw, 0, count, apps.as_ptr(), 0, none, body.0)
            })
        };
        self.context.hold(rule)
    }

    /// The formulas of the relations, each over its parameters.
    fn formulas(&mut self, horn: &Horn) -> Solution {
        // Safety: the solver belongs to the context; the model gets a reference while it is read.
        unsafe {
            let Some(model) = Z3_solver_get_model(self.context.raw, self.context.solver) else {
                return Solution::Unknown("there is no solution to be read".into());
            };
            Z3_model_inc_ref(self.context.raw, model);
            let all = horn.relations.iter().enumerate();
            let formulas = all.map(|(i, params)| self.formula(model, i, params)).collect();
            Z3_model_dec_ref(self.context.raw, model);
            Solution::Solved(formulas)
        }
    }

    /// The formula of a relation; true when the model does not mention it.
    ///
    /// # Safety
    /// The model must be alive.
    unsafe fn formula(&mut self, model: Z3_model, relation: usize, params: &[Term]) -> Term {
        let decl = self.relations[relation].0;
        let raw = self.context.raw;
        let params: Vec<Ast> = params.iter().map(|p| self.translator.term(&mut self.context, p)).collect();
        let arguments: Vec<Z3_ast> = params.iter().map(|p| p.0).collect();
        // Safety: the model is alive; what it gives is held before the next call that makes terms.
        let formula = unsafe {
            if arguments.is_empty() {
                Z3_model_get_const_interp(raw, model, decl)
            } else {
                Z3_model_get_func_interp(raw, model, decl).and_then(|table| {
                    Z3_func_interp_inc_ref(raw, table);
                    let plain = Z3_func_interp_get_num_entries(raw, table) == 0;
                    let body = Z3_func_interp_get_else(raw, table).filter(|_| plain);
                    let body = body.map(|b| self.context.hold(Some(b)));
                    Z3_func_interp_dec_ref(raw, table);
                    let count = u32::try_from(arguments.len()).ok()?;
                    Z3_substitute_vars(raw, body?.0, count, arguments.as_ptr())
                })
            }
        };
        let Some(formula) = formula else { return Term::bool(true) };
        let formula = self.context.hold(Some(formula));
        self.weakened(formula.0)
    }

    /// The conjunction of those conjuncts that can be written as terms.
    fn weakened(&self, ast: Z3_ast) -> Term {
        match self.context.parts(ast) {
            Some((decl, args)) if self.context.kind(decl) == Some(DeclKind::And) => {
                Term::and(args.into_iter().map(|a| self.weakened(a)))
            }
            _ => self.term(ast).filter(|t| *t.sort() == Sort::Bool).unwrap_or_else(|| Term::bool(true)),
        }
    }

    /// A formula or integer term; recursive, since lemmas are shallow.
    fn term(&self, ast: Z3_ast) -> Option<Term> {
        // Safety: the term is held by the context; the text is copied before the next call.
        if unsafe { Z3_get_ast_kind(self.context.raw, ast) } == AstKind::Numeral {
            let digits = unsafe { text(Z3_get_numeral_string(self.context.raw, ast)) };
            return digits.parse().ok().map(Term::int);
        }
        let (decl, args) = self.context.parts(ast)?;
        let kind = self.context.kind(decl);
        if args.is_empty() {
            return match kind {
                Some(DeclKind::True) => Some(Term::bool(true)),
                Some(DeclKind::False) => Some(Term::bool(false)),
                _ => match self.translator.declared(decl)? {
                    Declared::Constant(term) => Some(term.clone()),
                    Declared::Function(_) => None,
                },
            };
        }
        let args: Option<Vec<Term>> = args.into_iter().map(|a| self.term(a)).collect();
        operation(kind?, &args?)
    }
}

fn operation(kind: DeclKind, args: &[Term]) -> Option<Term> {
    let integers = args.iter().all(|a| *a.sort() == Sort::Int);
    let formulas = args.iter().all(|a| *a.sort() == Sort::Bool);
    let all = || args.iter().cloned();
    Some(match (kind, args) {
        (DeclKind::And, _) if formulas => Term::and(all()),
        (DeclKind::Or, _) if formulas => Term::or(all()),
        (DeclKind::Not, [a]) if formulas => a.not(),
        (DeclKind::Implies, [a, b]) if formulas => a.implies(b),
        (DeclKind::Eq | DeclKind::Iff, [a, b]) if integers || formulas => a.equal(b),
        (DeclKind::Ite, [c, a, b]) if *c.sort() == Sort::Bool && a.sort() == b.sort() => Term::ite(c, a, b),
        (DeclKind::Le, [a, b]) if integers => a.int_le(b),
        (DeclKind::Ge, [a, b]) if integers => b.int_le(a),
        (DeclKind::Lt, [a, b]) if integers => a.int_lt(b),
        (DeclKind::Gt, [a, b]) if integers => b.int_lt(a),
        (DeclKind::Add, [first, rest @ ..]) if integers => {
            rest.iter().fold(first.clone(), |sum, a| sum.int_add(a))
        }
        (DeclKind::Sub, [a, b]) if integers => a.int_sub(b),
        (DeclKind::Uminus, [a]) if integers => Term::int(0).int_sub(a),
        (DeclKind::Mul, [first, rest @ ..]) if integers => {
            rest.iter().fold(first.clone(), |product, a| product.int_mul(a))
        }
        (DeclKind::Idiv, [a, b]) if integers => a.int_div(b),
        (DeclKind::Mod, [a, b]) if integers => a.int_mod(b),
        _ => return None,
    })
}
