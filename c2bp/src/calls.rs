//! Calls of procedures with a body ([BMMR01 §4.5]; 002 slides 31-33 and 39-44).
//!
//! Three statements: old values of global predicates are saved where they are needed; the procedure is called with
//! the values of its formal predicates; then one parallel assignment gives the caller's predicates their values
//! after the call. That last one is an implication between two states, before the call and after it, over the
//! caller's predicates (whose variables still hold their values before), the returned values, and the global
//! predicates (whose variables hold their values after). No memory write takes part in it.

use crate::cartesian::changed_by_callee;
use crate::context::{Base, World};
use crate::post_state::After;
use crate::question::{About, Image, Inquiry, Literal, Questions, Value, Want};
use crate::signatures::{self, Actuals};
use alias::CellSet;
use bp::{Ident, Name};
use encoding::SideConditions;
use ir::{Edge, EdgeId, Expr, LocId, Lvalue, ProcId};
use predicates::{PredId, weakest_precondition as wp};
use smt::Term;

/// A call, up to the answers of its questions.
pub(crate) struct CallDraft {
    pub(crate) callee: ProcId,
    /// The values of the callee's formal predicates.
    pub(crate) args: Vec<Value>,
    pub(crate) entry: Inquiry,
    /// The caller's variables for the values returned.
    pub(crate) results: Vec<Ident>,
    /// Global predicates that the callee changes: their values before the call can be saved.
    pub(crate) saves: Vec<PredId>,
    /// The assignment after the call.
    pub(crate) after: Vec<(Ident, Value)>,
    pub(crate) exit: Inquiry,
    /// Global predicates with the values that they must have, as far as what was before the call and what was
    /// returned tell.
    pub(crate) related: Vec<(Ident, Value)>,
    pub(crate) relation: Inquiry,
}

/// Abstracts a call.
pub(crate) fn draft(
    world: &World<'_>,
    (caller, e): (ProcId, EdgeId),
    dest: Option<&Lvalue>,
    callee: ProcId,
    args: &[Expr],
    image: Image,
) -> CallDraft {
    let base = &world.base;
    let actuals = Actuals::new(&base.program, base.oracle, callee, args);
    let edge = &base.program.procs[caller].edges[e];
    let (args, entry) = pass(world, (caller, edge.src), callee, &actuals, args, image);
    let returning =
        Returning { world, caller, edge, dest, callee, changed: changed_by_callee(world, callee), image };
    let returns = &world.signature(callee).returns;
    let mut draft = CallDraft {
        callee,
        args,
        entry,
        results: returns.iter().map(|id| result_variable(world, callee, *id)).collect(),
        saves: returning.changed_globals().collect(),
        after: vec![],
        exit: Inquiry::default(),
        related: vec![],
        relation: Inquiry::default(),
    };
    let result = returning.result();
    let returned: Vec<Literal> =
        returns.iter().filter_map(|id| returning.returned(*id, &actuals, result.as_ref())).collect();
    (draft.after, draft.exit) = returning.assign(&returned, result.as_ref());
    (draft.related, draft.relation) = returning.relate(&returned);
    draft
}

/// The caller's variable for a value that a procedure returned.
pub(crate) fn result_variable(world: &World<'_>, callee: ProcId, pred: PredId) -> Ident {
    let text = ir::print::expr(&world.base.program, &world.preds[pred].expr);
    Ident::from(Name::predicate(format!("{}: {text}", world.base.program.procs[callee].name)))
}

/// The variable for the value before a call of a global predicate, by the predicate's text.
pub(crate) fn saved_variable(text: &str) -> Ident {
    Ident::from(Name::predicate(format!("before: {text}")))
}

/// Whether it is such a variable.
pub(crate) fn is_saved(var: &Ident) -> bool {
    var.name.as_str().starts_with("{before: ")
}

/// The values of the formal predicates: at the entry `old(x)` is `x`, and formals are the actuals.
fn pass(
    world: &World<'_>,
    (caller, at): (ProcId, LocId),
    callee: ProcId,
    actuals: &Actuals<'_>,
    args: &[Expr],
    image: Image,
) -> (Vec<Value>, Inquiry) {
    let base = &world.base;
    let mut questions = Questions::new(world.literals(caller, at), image.one_by_one());
    let formals = &world.signature(callee).formals;
    if !formals.is_empty() {
        let mut facts = SideConditions::new("d");
        let mut now = base.vocabulary("");
        for arg in args {
            base.encoder().value(arg, &mut now, &mut facts);
        }
        questions.assume(facts.axioms.into_iter().chain(facts.defined));
    }
    let mut values = vec![];
    for (i, id) in formals.iter().enumerate() {
        let before = actuals.at_entry(&world.preds[*id].expr).map(|e| base.normal(e));
        let value = match &before {
            None => Value::Known(bp::Expr::Star),
            Some(e) => {
                let mut facts = SideConditions::new(&format!("g{i}"));
                let term = base.condition(e, &mut base.vocabulary(""), &mut facts);
                questions.ask(term, facts.axioms, Want::Both)
            }
        };
        questions.remark(About::Argument(*id), before.as_ref(), Some(&value));
        values.push(value);
    }
    (values, questions.finish())
}

struct Returning<'a> {
    world: &'a World<'a>,
    caller: ProcId,
    edge: &'a Edge,
    dest: Option<&'a Lvalue>,
    callee: ProcId,
    /// What the callee may change for the caller.
    changed: CellSet,
    image: Image,
}

/// A value returned, with the facts about its term.
type Returned = (Term, Vec<Term>);

impl Returning<'_> {
    /// The assignment after the call.
    fn assign(&self, returned: &[Literal], result: Option<&Returned>) -> (Vec<(Ident, Value)>, Inquiry) {
        let targets = self.targets();
        if targets.is_empty() {
            return (self.world.forgotten(self.caller, self.edge).collect(), Inquiry::default());
        }
        let mut literals = self.known_before();
        literals.extend(self.changed_globals().map(|id| self.at_exit(id)));
        literals.extend_from_slice(returned);
        let mut questions = Questions::new(literals, self.image);
        let mut after = self.after(result, &mut questions);
        let mut assigned = vec![];
        for id in targets {
            let pred = &self.world.preds[id];
            let mut facts = SideConditions::new(&format!("g{}", assigned.len()));
            let term = self.world.base.condition(&pred.expr, &mut after, &mut facts);
            let value = questions.ask(term, facts.axioms, Want::Both);
            // The variable may hold its new value already.
            let kept = matches!(&value, Value::Known(bp::Expr::Var(v)) if *v == pred.now.var);
            questions.remark(About::Predicate(id), None, (!kept).then_some(&value));
            if !kept {
                assigned.push((pred.now.var.clone(), value));
            }
        }
        assigned.extend(self.world.forgotten(self.caller, self.edge));
        (assigned, questions.finish())
    }

    /// The values of the global predicates that the callee may change, as they follow from what was before the
    /// call and what was returned: a relation over old values binds them, whatever the callee's own abstraction
    /// lost.
    fn relate(&self, returned: &[Literal]) -> (Vec<(Ident, Value)>, Inquiry) {
        if returned.is_empty() {
            return (vec![], Inquiry::default());
        }
        let mut literals = self.known_before();
        literals.extend_from_slice(returned);
        let mut questions = Questions::new(literals, self.image.one_by_one());
        let mut related = vec![];
        for id in self.changed_globals() {
            let exit = self.at_exit(id);
            let value = questions.ask(exit.term.clone(), exit.axioms().to_vec(), Want::Both);
            questions.remark(About::AtExit(id), None, Some(&value));
            related.push((exit.var, value));
        }
        (related, questions.finish())
    }

    /// Global predicates whose values the callee may change.
    fn changed_globals(&self) -> impl Iterator<Item = PredId> {
        let changed = |id: &PredId| self.world.preds[*id].cells.intersects(&self.changed);
        self.world.globals.iter().copied().filter(changed)
    }

    /// The caller's predicates whose values after the call can differ from what their variables hold then.
    fn targets(&self) -> Vec<PredId> {
        let base = &self.world.base;
        let context = base.wp();
        let assigned = |e: &Expr| self.dest.is_some_and(|lv| wp::touches(context, lv, e));
        let stale = |id: &PredId| {
            let pred = &self.world.preds[*id];
            assigned(&pred.expr)
                || !pred.is_global && pred.cells.intersects(&self.changed)
                || !pred.is_tracked(self.edge.src)
        };
        self.world.tracked(self.caller, self.edge.dst).filter(stale).collect()
    }

    /// The value returned, when it goes to a location of its type.
    fn result(&self) -> Option<Returned> {
        let base = &self.world.base;
        let ret = base.program.procs[self.callee].ret?;
        let ty = &base.program.vars[ret].ty;
        let mut facts = SideConditions::new("returned");
        let value = facts.fresh_value(ty, base.mode, base.program.model);
        (self.dest?.ty == *ty).then_some((value, facts.axioms))
    }

    /// The caller's predicates before the call. Those of its own still hold these values; global ones that the
    /// callee may change must be saved.
    fn known_before(&self) -> Vec<Literal> {
        let literal = |id: PredId| {
            let pred = &self.world.preds[id];
            if !pred.is_global || !pred.cells.intersects(&self.changed) {
                return pred.now.clone();
            }
            pred.now.renamed(self.world.preds[id].saved.clone())
        };
        self.world.tracked(self.caller, self.edge.src).map(literal).collect()
    }

    /// A global predicate with its value at the callee's exit.
    fn at_exit(&self, id: PredId) -> Literal {
        let base = &self.world.base;
        let pred = &self.world.preds[id];
        let mut facts = SideConditions::new("x");
        let term = base.condition(&pred.expr, &mut self.exit(base), &mut facts);
        Literal::new(pred.now.var.clone(), term, facts.axioms)
    }

    /// A returned value in the caller's words; `None` when the caller cannot say what it means.
    fn returned(&self, id: PredId, actuals: &Actuals<'_>, result: Option<&Returned>) -> Option<Literal> {
        let base = &self.world.base;
        let expr = actuals.at_exit(&self.world.preds[id].expr)?;
        let mut state = self.exit(base).seen_by_callee();
        let mut facts = SideConditions::new("x");
        if let Some(ret) = base.program.procs[self.callee].ret {
            let cell = base.oracle.cell(&base.program.lvalue(ret));
            if mentions(&expr, ret) {
                // Nothing can be said about a value that nobody keeps.
                let (value, axioms) = result.filter(|_| base.is_private(cell))?;
                facts.axioms.extend(axioms.iter().cloned());
                state.set(cell, value.clone());
            }
        }
        let term = base.condition(&expr, &mut state, &mut facts);
        Some(Literal::new(result_variable(self.world, self.callee, id), term, facts.axioms))
    }

    /// The state at the callee's exit, as the caller names it.
    fn exit<'b>(&self, base: &'b Base<'_>) -> After<'b> {
        After::new(base, self.changed.clone())
    }

    /// The state behind the call: at the exit, and then the result is stored.
    fn after<'b>(&'b self, result: Option<&Returned>, questions: &mut Questions) -> After<'b> {
        let base = &self.world.base;
        let mut after = self.exit(base);
        let Some(lv) = self.dest else { return after };
        let mut facts = SideConditions::new("at");
        let value = match result {
            Some((value, axioms)) => {
                facts.axioms.extend(axioms.iter().cloned());
                value.clone()
            }
            None => facts.fresh_value(&lv.ty, base.mode, base.program.model),
        };
        let changed = |cell| self.changed.contains(cell);
        let fixed = signatures::address_is_fixed(base.oracle, lv, &changed);
        after.store(base, lv, value, fixed, &mut facts);
        questions.assume(facts.axioms);
        after
    }
}

fn mentions(e: &Expr, v: ir::VarId) -> bool {
    predicates::predicate::variables(e).contains(&v)
}
