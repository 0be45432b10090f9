//! The cartesian abstraction of one statement (002 slides 23-30; [BMMR01 §4.3, §4.4]), each predicate by itself:
//! assignments by weakest preconditions, other writes by the state after them, branches by the strongest condition
//! over the predicates. What it asks is collected in [`Questions`].

mod alloc;
mod zeroed;

use crate::block;
use crate::calls::{self as call, CallDraft};
use crate::context::World;
use crate::null_guards;
use crate::post_state::{After, filtered};
use crate::question::{About, Image, Inquiry, Questions, Value, Want};
use alias::CellSet;
use bp::Ident;
use encoding::{SideConditions, State};
use ir::{Callee, Edge, EdgeId, Expr, Lvalue, Op, ProcId, Type};
use predicates::{PredId, weakest_precondition as wp};
use smt::Term;

/// What an edge becomes.
pub(crate) enum Draft {
    /// One statement without control flow.
    Simple(Box<Simple>),
    /// A call of a procedure with body.
    Call(Box<CallDraft>),
}

impl Draft {
    /// Everything that it asks, in order.
    pub(crate) fn inquiries(&self) -> [&Inquiry; 3] {
        match self {
            Draft::Simple(simple) => [&simple.inquiry, &simple.tracking, &simple.cutting],
            Draft::Call(call) => [&call.entry, &call.exit, &call.relation],
        }
    }
}

/// A statement without control flow.
pub(crate) struct Simple {
    pub(crate) action: Action,
    pub(crate) inquiry: Inquiry,
    /// Behind a condition: the predicates that are tracked from here on, and those that no longer are.
    pub(crate) tracked: Targets,
    pub(crate) tracking: Inquiry,
    /// Where the statement has no execution.
    pub(crate) cut: Vec<Value>,
    pub(crate) cutting: Inquiry,
}

impl Simple {
    /// What does nothing.
    pub(crate) fn nothing() -> Simple {
        Simple {
            action: Action::Update(vec![]),
            inquiry: Inquiry::default(),
            tracked: vec![],
            tracking: Inquiry::default(),
            cut: vec![],
            cutting: Inquiry::default(),
        }
    }
}

/// Variables and what they get.
pub(crate) type Targets = Vec<(Ident, Value)>;

/// A statement, up to the answers of its questions.
pub(crate) enum Action {
    /// A parallel assignment; `skip` when it is empty.
    Update(Targets),
    /// `assume` of the negation of the value.
    AssumeNot(Value),
    /// `assert`.
    Assert(Value),
}

/// Abstracts the edge.
pub(crate) fn abstract_edge(world: &World<'_>, p: ProcId, e: EdgeId, image: Image) -> Draft {
    let op = &world.base.program.procs[p].edges[e].op;
    if let Some((dest, callee, args)) = call_with_body(world, op) {
        return Draft::Call(Box::new(call::draft(world, (p, e), dest, callee, args, image)));
    }
    if !world.blocks.is_alone(p, e) {
        return block::draft(world, p, e, image);
    }
    let mut cx = Statement::new(world, p, e, image);
    let (mut action, condition) = cx.action();
    let (cut, cutting) = null_guards::cut(world, p, cx.edge, image);
    let mut draft = Simple { cut, cutting, ..Simple::nothing() };
    let forgotten = world.forgotten(p, cx.edge);
    match (&mut action, condition) {
        (Action::Update(targets), _) => targets.extend(forgotten),
        (_, Some(condition)) => {
            (draft.tracked, draft.tracking) = cx.track(condition, image);
            draft.tracked.extend(forgotten);
        }
        (_, None) => {}
    }
    (draft.action, draft.inquiry) = (action, cx.questions.finish());
    Draft::Simple(Box::new(draft))
}

/// The parts of a call that runs a body.
pub(crate) fn call_with_body<'o>(
    world: &World<'_>,
    op: &'o Op,
) -> Option<(Option<&'o Lvalue>, ProcId, &'o [Expr])> {
    match op {
        Op::Call { dest, callee: Callee::Direct(q), args } if world.has_body(*q) => {
            Some((dest.as_ref(), *q, args))
        }
        _ => None,
    }
}

/// The edge as a relation between the predicates before it and behind it, for edges other than calls of procedures
/// with body.
pub(crate) fn relation(world: &World<'_>, p: ProcId, e: EdgeId) -> Relation {
    if !world.blocks.is_alone(p, e) {
        return block::relation(world, p, e);
    }
    let mut cx = Statement::new(world, p, e, Image::Exact);
    // An assignment asks nothing where no predicate reads its target; it must be defined all the same.
    if let Op::Assign(lv, value) = &cx.edge.op {
        cx.evaluate(&[value], Some(lv));
    }
    let (action, condition) = cx.action();
    let mut facts: Vec<Term> = condition.into_iter().chain(cx.questions.facts()).collect();
    let edge = cx.edge;
    let before: Vec<PredId> = world.tracked(p, edge.src).collect();
    let mut after = vec![];
    for id in world.tracked(p, edge.dst) {
        let now = &world.preds[id].now;
        facts.extend(now.axioms().iter().cloned());
        let target = match &action {
            Action::Update(targets) => targets.iter().find(|(var, _)| *var == now.var),
            Action::AssumeNot(_) | Action::Assert(_) => None,
        };
        match target {
            None if before.contains(&id) => after.push((id, now.term.clone())),
            None => {}
            Some((_, value)) => {
                if let Some((term, axioms)) = cx.questions.meaning(value) {
                    facts.extend(axioms);
                    after.push((id, term));
                }
            }
        }
    }
    for id in &before {
        facts.extend(world.preds[*id].now.axioms().iter().cloned());
    }
    let before = before.into_iter().map(|id| (id, world.preds[id].now.term.clone())).collect();
    Relation { facts, before, after }
}

/// What an edge does to the predicates.
pub(crate) struct Relation {
    /// What holds whenever the edge is taken.
    pub(crate) facts: Vec<Term>,
    /// The predicates before it.
    pub(crate) before: Vec<(PredId, Term)>,
    /// Those behind it whose values are known there.
    pub(crate) after: Vec<(PredId, Term)>,
}

/// The abstraction of one edge, while it is made.
pub(crate) struct Statement<'a> {
    pub(crate) world: &'a World<'a>,
    pub(crate) p: ProcId,
    e: EdgeId,
    pub(crate) edge: &'a Edge,
    pub(crate) questions: Questions,
}

impl<'a> Statement<'a> {
    pub(crate) fn new(world: &'a World<'_>, p: ProcId, e: EdgeId, image: Image) -> Statement<'a> {
        let edge = &world.base.program.procs[p].edges[e];
        Statement { world, p, e, edge, questions: Questions::new(world.literals(p, edge.src), image) }
    }

    /// What the edge does, and the condition under which it is taken. A check does nothing where it holds.
    fn action(&mut self) -> (Action, Option<Term>) {
        let mut condition = None;
        let action = match &self.edge.op {
            // The contents of a freed object keep their last values; nobody reads them.
            Op::Skip | Op::Free(_) | Op::Output { .. } => Action::Update(self.nothing()),
            Op::Assign(lv, value) => Action::Update(self.assign(lv, value)),
            Op::Havoc(lv, _) | Op::Inspect { dest: lv, .. } => Action::Update(self.havoc(lv)),
            Op::Assume(c) => {
                let term = self.evaluate_condition(c);
                condition = Some(term.clone());
                self.assume(&term, Some(c))
            }
            Op::Check(_, c) => {
                let term = self.evaluate_condition(c);
                condition = Some(Term::bool(true));
                self.check(term, Some(c))
            }
            Op::Call { dest, callee: Callee::Direct(_), args } => {
                Action::Update(self.undefined_call(dest.as_ref(), args))
            }
            Op::Call { callee: Callee::Indirect(_), .. } => {
                panic!("calls through pointers are resolved before the abstraction")
            }
            Op::Alloc { dest, size, zeroed, may_fail } => {
                Action::Update(self.alloc(dest, size, *zeroed, *may_fail))
            }
            Op::MemSet { ptr, byte, len } => Action::Update(self.memset(ptr, byte, len)),
            Op::MemCopy { .. } => {
                let mods = self.mods();
                Action::Update(self.overwrite(&mods, &|e| Some(e.clone())))
            }
        };
        (action, condition)
    }

    /// A branch or an assumption with this condition, which is `words` where these mean the state before.
    pub(crate) fn assume(&mut self, condition: &Term, words: Option<&Expr>) -> Action {
        let value = self.questions.ask(condition.not(), vec![], Want::Implicants);
        self.questions.remark(About::Branch, words, Some(&value));
        Action::AssumeNot(value)
    }

    /// The same for a check.
    pub(crate) fn check(&mut self, condition: Term, words: Option<&Expr>) -> Action {
        let value = self.questions.ask(condition, vec![], Want::Implicants);
        self.questions.remark(About::Check, words, Some(&value));
        Action::Assert(value)
    }

    fn mods(&self) -> CellSet {
        self.world.base.oracle.edge_mods(self.p, self.e).clone()
    }

    /// Takes note that the expressions and the location's address are evaluated without error.
    fn evaluate(&mut self, exprs: &[&Expr], lv: Option<&Lvalue>) {
        let base = &self.world.base;
        let mut facts = SideConditions::new("d");
        let mut now = base.vocabulary("");
        for e in exprs {
            base.encoder().value(e, &mut now, &mut facts);
        }
        if let Some(lv) = lv {
            base.encoder().access_defined(lv, &mut now, &mut facts);
        }
        self.questions.assume(facts.axioms.into_iter().chain(facts.defined));
    }

    fn evaluate_condition(&mut self, c: &Expr) -> Term {
        let base = &self.world.base;
        let mut facts = SideConditions::new("d");
        let term = base.encoder().cond(c, &mut base.vocabulary(""), &mut facts);
        self.questions.assume(facts.axioms.into_iter().chain(facts.defined));
        term
    }

    /// The predicates that are tracked behind the statement and not before it, and those that `stale` says may have
    /// changed.
    fn to_set(&self, stale: impl Fn(PredId) -> bool) -> Vec<PredId> {
        let scope = self.world.tracked(self.p, self.edge.dst);
        scope.filter(|id| self.is_new(*id) || stale(*id)).collect()
    }

    fn is_new(&self, id: PredId) -> bool {
        !self.world.preds[id].is_tracked(self.edge.src)
    }

    /// The predicates that may read the location.
    pub(crate) fn touched(&self, lv: &Lvalue) -> Vec<PredId> {
        let cell = self.world.base.oracle.cell(lv);
        self.to_set(|id| {
            let pred = &self.world.preds[id];
            pred.cells.contains(cell) && wp::touches(self.world.base.wp(), lv, &pred.expr)
        })
    }

    /// The state stays as it is.
    fn nothing(&mut self) -> Targets {
        let ids = self.to_set(|_| false);
        let mut state = After::new(&self.world.base, CellSet::new());
        self.update(ids, &mut state, &|e| Some(e.clone()))
    }

    /// Behind a condition that holds, in the same state: values for the predicates that are tracked from here on.
    fn track(&self, condition: Term, image: Image) -> (Targets, Inquiry) {
        let mut cx = Statement::new(self.world, self.p, self.e, image);
        cx.questions.follows(&self.questions, condition);
        (cx.nothing(), cx.questions.finish())
    }

    fn assign(&mut self, lv: &Lvalue, value: &Expr) -> Targets {
        let touched = self.touched(lv);
        if touched.is_empty() {
            return vec![];
        }
        self.evaluate(&[value], Some(lv));
        let base = &self.world.base;
        let mut targets = vec![];
        for id in touched {
            let pred = &self.world.preds[id];
            let before = base.normal(wp::assign(base.wp(), lv, value, &pred.expr));
            let mut facts = SideConditions::new(&format!("g{}", targets.len()));
            let term = base.condition(&before, &mut base.vocabulary(""), &mut facts);
            self.target(id, term, facts.axioms, &mut targets, Some(&before));
        }
        targets
    }

    /// The predicate gets the value of this formula, if that is not the value it has. `before` is the formula as
    /// an expression, where there is one.
    fn target(
        &mut self,
        id: PredId,
        term: Term,
        axioms: Vec<Term>,
        targets: &mut Targets,
        before: Option<&Expr>,
    ) {
        let now = &self.world.preds[id].now;
        if term == now.term && !self.is_new(id) {
            self.questions.folded += 1;
            self.questions.remark(About::Predicate(id), before, None);
            return;
        }
        let value = self.questions.ask(term, axioms, Want::Both);
        self.questions.remark(About::Predicate(id), before, Some(&value));
        targets.push((now.var.clone(), value));
    }

    /// The predicates get their values in the state after the statement; `words` says how each is read there
    /// (`None`: any value).
    pub(crate) fn update(
        &mut self,
        ids: impl IntoIterator<Item = PredId>,
        after: &mut dyn State,
        words: &dyn Fn(&Expr) -> Option<Expr>,
    ) -> Targets {
        let mut targets = vec![];
        for id in ids {
            let pred = &self.world.preds[id];
            match words(&pred.expr) {
                None => {
                    let value = Value::Known(bp::Expr::Star);
                    self.questions.remark(About::Predicate(id), None, Some(&value));
                    targets.push((pred.now.var.clone(), value));
                }
                Some(expr) => {
                    let mut facts = SideConditions::new(&format!("g{}", targets.len()));
                    let term = self.world.base.condition(&expr, after, &mut facts);
                    self.target(id, term, facts.axioms, &mut targets, None);
                }
            }
        }
        targets
    }

    /// Every cell of the set gets an arbitrary value.
    fn overwrite(&mut self, cells: &CellSet, words: &dyn Fn(&Expr) -> Option<Expr>) -> Targets {
        let ids = self.to_set(|id| self.world.preds[id].cells.intersects(cells));
        self.update(ids, &mut After::new(&self.world.base, cells.clone()), words)
    }

    /// A value of the location's type of which nothing else is known.
    pub(crate) fn arbitrary(&mut self, name: &str, ty: &Type) -> Term {
        let base = &self.world.base;
        let mut facts = SideConditions::new(name);
        let value = facts.fresh_value(ty, base.mode, base.program.model);
        self.questions.assume(facts.axioms);
        value
    }

    fn havoc(&mut self, lv: &Lvalue) -> Targets {
        let touched = self.touched(lv);
        if touched.is_empty() {
            return vec![];
        }
        self.evaluate(&[], Some(lv));
        let value = self.arbitrary("any", &lv.ty);
        let mut after = After::new(&self.world.base, CellSet::new());
        self.store(&mut after, lv, value, true);
        self.update(touched, &mut after, &|e| Some(e.clone()))
    }

    fn store(&mut self, after: &mut After<'_>, lv: &Lvalue, value: Term, fixed: bool) {
        let mut facts = SideConditions::new("at");
        after.store(&self.world.base, lv, value, fixed, &mut facts);
        self.questions.assume(facts.axioms);
    }

    /// A call of a procedure without body: any result, and arbitrary values wherever it may write.
    fn undefined_call(&mut self, dest: Option<&Lvalue>, args: &[Expr]) -> Targets {
        let mods = self.mods();
        let args: Vec<&Expr> = args.iter().collect();
        self.evaluate(&args, None);
        let mut after = After::new(&self.world.base, mods.clone());
        let mut touched = vec![];
        if let Some(lv) = dest {
            let value = self.arbitrary("any", &lv.ty);
            let changed = |cell| mods.contains(cell);
            let fixed = crate::signatures::address_is_fixed(self.world.base.oracle, lv, &changed);
            self.store(&mut after, lv, value, fixed);
            touched = self.touched(lv);
        }
        let ids = self.to_set(|id| self.world.preds[id].cells.intersects(&mods) || touched.contains(&id));
        self.update(ids, &mut after, &|e| Some(e.clone()))
    }
}

/// The cells that a call of the procedure may change for its caller.
pub(crate) fn changed_by_callee(world: &World<'_>, callee: ProcId) -> CellSet {
    let base = &world.base;
    filtered(base, base.oracle.mods(callee), |c| !base.is_private(c))
}
