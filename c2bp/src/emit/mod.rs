//! The text of the boolean program: the control flow of the C-- program with the abstraction of every edge, C text
//! and place beside each statement.

pub(crate) mod body;
pub(crate) mod layout;
pub(crate) mod origin;

use crate::calls::CallDraft;
use crate::cartesian::{Action, Draft};
use crate::constrain::{Clause, Clauses, Moment};
use crate::context::World;
use crate::cube_search::problem::Answers;
use crate::emit::body::{Body, Depth};
use crate::emit::origin::{Origin, Role, VarRole};
use crate::question::{self, Inquiry, Value};
use base::{Id, IndexVec, SourceMap, Span};
use bp::{Expr, Ident, Name, StmtKind};
use ir::{EdgeId, ProcId};
use predicates::PredId;
use std::collections::{BTreeMap, BTreeSet};

/// The statements of one edge, labels and jumps left out.
pub(crate) type EdgeText = Vec<(Role, StmtKind)>;

/// What is known of all edges of a procedure.
pub(crate) struct Known<'a> {
    /// Combinations of its variables that no state has and that are cut everywhere.
    pub(crate) impossible: Vec<Vec<(Ident, bool)>>,
    /// Steps that its edges do not take.
    pub(crate) clauses: Option<&'a Clauses>,
}

impl Known<'_> {
    /// The condition between the values before and after the edge that the edge's clauses say. `before` names the
    /// variables that hold values before, `next` those that hold values after.
    fn clauses(
        &self,
        world: &World<'_>,
        (p, e): (ProcId, EdgeId),
        before: &dyn Fn(PredId) -> Expr,
        after: &dyn Fn(PredId) -> Expr,
    ) -> Vec<Expr> {
        let clauses = self.clauses.and_then(|c| c.get(&(p, e))).map_or(&[][..], Vec::as_slice);
        let edge = &world.base.program.procs[p].edges[e];
        // Variables of predicates that are not tracked mean nothing.
        let understood = |clause: &&Clause| {
            clause.iter().all(|(id, moment, _)| {
                let at = if *moment == Moment::Before { edge.src } else { edge.dst };
                world.preds[*id].is_tracked(at)
            })
        };
        let literal = |(id, moment, value): &(PredId, Moment, bool)| {
            let e = match moment {
                Moment::Before => before(*id),
                Moment::After => after(*id),
            };
            if *value { Expr::not(e) } else { e }
        };
        clauses.iter().filter(understood).map(|clause| Expr::or(clause.iter().map(literal))).collect()
    }
}

/// The statements that a draft becomes. `answers` belong to the problems of its inquiries, in order.
pub(crate) fn edge_text(
    world: &World<'_>,
    edge: (ProcId, EdgeId),
    draft: &Draft,
    answers: &[&Answers],
    known: &Known<'_>,
) -> EdgeText {
    let split = question::split(draft.inquiries(), answers);
    match draft {
        Draft::Simple(draft) => {
            let [answers, tracking, cutting] = split;
            let cut = draft.cut.iter().map(|v| draft.cutting.resolve_negated(v, cutting)).collect();
            let var = |id: PredId| world.preds[id].now.var.clone();
            let given = known.clauses(world, edge, &|id| Expr::Var(var(id)), &|id| Expr::Next(var(id)));
            let is_tracked = !draft.tracked.is_empty();
            let (action, inquiry) = (&draft.action, &draft.inquiry);
            // What is known of the state behind the edge is said where that state begins.
            let (here, behind) = if is_tracked { (vec![], given) } else { (given, vec![]) };
            let statement = simple((action, cut), here, inquiry, answers, known);
            let mut text = vec![(Role::Edge, statement)];
            if is_tracked {
                text.push((Role::Track, update(&draft.tracked, behind, &draft.tracking, tracking, known)));
            }
            text
        }
        Draft::Call(call) => call_text(world, edge, call, split, known),
    }
}

/// Values saved, the call, the assignment after it.
fn call_text(
    world: &World<'_>,
    edge: (ProcId, EdgeId),
    call: &CallDraft,
    [entry, exit, relation]: [&[&Answers]; 3],
    known: &Known<'_>,
) -> EdgeText {
    let args: Vec<Expr> = call.args.iter().map(|v| call.entry.resolve(v, entry)).collect();
    let after = assignments(&call.after, &call.exit, exit);
    let related = call.related.iter().map(|(var, v)| call.relation.resolve_relation(var, v, relation));
    let present = |id: PredId| world.preds[id].now.var.clone();
    let before = |id: PredId| {
        Expr::Var(if call.saves.contains(&id) { world.preds[id].saved.clone() } else { present(id) })
    };
    let next = |id: PredId| Expr::Next(present(id));
    let related = related.chain(call.exit.constraint(&call.after, exit, &known.impossible));
    let related = Expr::and(related.chain(known.clauses(world, edge, &before, &next)));
    let mut used = BTreeSet::new();
    for value in after.iter().map(|(_, value)| value).chain([&related]) {
        value.for_each_var(&mut |v, _| _ = used.insert(v.name.clone()));
    }
    let mut text = vec![];
    let saves = call.saves.iter().map(|id| (world.preds[*id].saved.clone(), Expr::Var(present(*id))));
    let saves: Vec<(Ident, Expr)> = saves.filter(|(saved, _)| used.contains(&saved.name)).collect();
    if !saves.is_empty() {
        text.push((Role::Save, StmtKind::assign(saves)));
    }
    let keep = |r: &Ident| used.contains(&r.name).then(|| r.clone());
    let mut results: Vec<Option<Ident>> = call.results.iter().map(keep).collect();
    if results.iter().all(Option::is_none) {
        results.clear();
    }
    let callee = Ident::from(world.signature(call.callee).name.clone());
    let kind = StmtKind::Call { results, callee, args, constrain: None };
    text.push((Role::Call { callee: call.callee }, kind));
    // One statement: in between, `enforce` would be assumed of stale values.
    if !after.is_empty() {
        let (targets, values) = after.into_iter().unzip();
        let constrain = Some(related).filter(|c| *c != Expr::one()).map(Box::new);
        text.push((Role::AfterCall, StmtKind::Assign { targets, values, constrain }));
    } else if related != Expr::one() {
        text.push((Role::AfterCall, assumed(related)));
    }
    text
}

/// The condition as a statement that changes nothing.
fn assumed(condition: Expr) -> StmtKind {
    let mut about_next = false;
    condition.for_each_var(&mut |_, is_next| about_next |= is_next);
    if about_next {
        StmtKind::Assume { cond: Expr::one(), constrain: Some(Box::new(condition)) }
    } else {
        StmtKind::assume(condition)
    }
}

fn simple(
    (action, cut): (&Action, Vec<Expr>),
    given: Vec<Expr>,
    inquiry: &Inquiry,
    answers: &[&Answers],
    known: &Known<'_>,
) -> StmtKind {
    match action {
        Action::Update(targets) => {
            update(targets, given.into_iter().chain(cut).collect(), inquiry, answers, known)
        }
        Action::AssumeNot(value) => {
            let cond = Expr::and(cut.into_iter().chain([inquiry.resolve_negated(value, answers)]));
            StmtKind::Assume { cond, constrain: unless_trivial(given).map(Box::new) }
        }
        Action::Assert(value) => StmtKind::Assert(inquiry.resolve(value, answers)),
    }
}

/// A parallel assignment, of whose steps `given` is known.
fn update(
    targets: &[(Ident, Value)],
    given: Vec<Expr>,
    inquiry: &Inquiry,
    answers: &[&Answers],
    known: &Known<'_>,
) -> StmtKind {
    let mut clauses = inquiry.constraint(targets, answers, &known.impossible);
    clauses.extend(given);
    let constrain = unless_trivial(clauses);
    if targets.is_empty() {
        return match constrain {
            None => StmtKind::Skip,
            Some(c) => assumed(c),
        };
    }
    let (targets, values) = assignments(targets, inquiry, answers).into_iter().unzip();
    StmtKind::Assign { targets, values, constrain: constrain.map(Box::new) }
}

fn unless_trivial(clauses: Vec<Expr>) -> Option<Expr> {
    Some(Expr::and(clauses)).filter(|c| *c != Expr::one())
}

fn assignments(targets: &[(Ident, Value)], inquiry: &Inquiry, answers: &[&Answers]) -> Vec<(Ident, Expr)> {
    targets.iter().map(|(var, value)| (var.clone(), inquiry.resolve(value, answers))).collect()
}

/// Writes procedures.
pub(crate) struct Emitter<'a> {
    pub(crate) world: &'a World<'a>,
    pub(crate) sources: Option<&'a SourceMap>,
    pub(crate) origin: Origin,
    pub(crate) depth: Depth,
}

impl Emitter<'_> {
    /// The head of the program and its globals, without procedures.
    pub(crate) fn program(&mut self) -> bp::Program {
        let world = self.world;
        let own = |p: &ProcId| world.signature(*p).formals.len() + world.signature(*p).locals.len();
        let locals: usize = world.procs.iter().map(own).sum();
        let name = world.procs.iter().find_map(|p| self.file(world.base.program.procs[*p].span));
        let what = format!("{} global, {locals} local predicates", world.globals.len());
        let header = match name {
            Some(name) => format!("{name} with {what}"),
            None => what,
        };
        for id in &world.globals {
            let var = &world.preds[*id].now.var;
            self.origin.globals.insert(var.name.clone(), VarRole::Predicate(*id));
        }
        let globals = world.globals.iter().map(|id| world.preds[*id].now.var.clone()).collect();
        bp::Program { header: vec![header], globals, ..bp::Program::default() }
    }

    fn file(&self, span: Span) -> Option<String> {
        let sources = self.sources.filter(|s| span.file.index() < s.len() && span.start.line > 0)?;
        Some(sources.file(span.file).name.clone())
    }

    pub(crate) fn place(&self, span: Span) -> Option<String> {
        self.file(span).map(|name| format!("{name}:{}", span.start.line))
    }

    /// One procedure; `texts` has the statements of its edges.
    pub(crate) fn procedure(
        &mut self,
        p: ProcId,
        texts: &IndexVec<EdgeId, Option<EdgeText>>,
        enforce: Option<Expr>,
    ) -> bp::Proc {
        let world = self.world;
        let signature = world.signature(p);
        let proc = &world.base.program.procs[p];
        let name = signature.name.clone();
        self.origin.procs.insert(name.clone(), p);
        let renamed = (name.as_str() != proc.name).then_some(proc.name.as_str());
        let mut out = bp::Proc::new(Ident::from(name));
        out.returns = signature.returns.len();
        let vars =
            |ids: &[predicates::PredId]| ids.iter().map(|id| world.preds[*id].now.var.clone()).collect();
        out.formals = vars(&signature.formals);
        out.locals = vars(&signature.locals);
        out.enforce = enforce;
        out.origin = bp::origin::text(self.place(proc.span), renamed);
        let extra = self.variables(p, texts);
        out.locals.extend(extra);
        out.body = Body::new(self, p, texts, self.depth).write();
        out
    }

    /// Records the procedure's variables; returns those that its calls need.
    fn variables(&mut self, p: ProcId, texts: &IndexVec<EdgeId, Option<EdgeText>>) -> Vec<Ident> {
        let world = self.world;
        let signature = world.signature(p);
        let mut roles: BTreeMap<Name, VarRole> = BTreeMap::new();
        for id in signature.formals.iter().chain(&signature.locals) {
            roles.insert(world.preds[*id].now.var.name.clone(), VarRole::Predicate(*id));
        }
        let mut extra = vec![];
        let mut add = |var: &Ident, role: VarRole| {
            if roles.insert(var.name.clone(), role).is_none() {
                extra.push(var.clone());
            }
        };
        for (role, kind) in texts.iter().flatten().flatten() {
            match (role, kind) {
                (Role::Save, StmtKind::Assign { targets, .. }) => {
                    for var in targets {
                        let id = world.globals.iter().find(|id| world.preds[**id].saved == *var);
                        add(var, VarRole::Saved(*id.expect("only global predicates are saved")));
                    }
                }
                (Role::Call { callee }, StmtKind::Call { results, .. }) => {
                    for (id, var) in world.signature(*callee).returns.iter().zip(results) {
                        if let Some(var) = var {
                            add(var, VarRole::Returned(*callee, *id));
                        }
                    }
                }
                _ => {}
            }
        }
        self.origin.locals.insert(p, roles);
        extra
    }
}
