//! Adds edges to the graph of one procedure. The edges of the input keep their ids.

use crate::expr::{Expr, Lvalue};
use crate::program::{
    Check, CheckKind, Edge, EdgeId, EdgeKind, LocId, Location, ObjectQuery, Op, ProcId, Program, Var, VarId,
    VarKind,
};
use crate::types::Type;
use base::Span;
use std::collections::BTreeSet;

/// Something that is done beside the program's own operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// An operation.
    Op(Op),
    /// A check; its queries come first. It is about the place `at`, or else about its own place. Proofs may
    /// assume `known` where the queries are answered; executions skip it ([`EdgeKind::Implied`]).
    Check {
        /// Its queries.
        questions: Vec<Op>,
        /// What proofs may assume where they are answered.
        known: Option<Expr>,
        /// Its kind.
        kind: CheckKind,
        /// It fails where this is zero.
        condition: Expr,
        /// What went wrong then.
        message: String,
        /// The place that it is about.
        at: Option<Span>,
    },
    /// An assignment that has been done already, see [`EdgeKind::Implied`].
    Implied(Lvalue, Expr),
    /// A fact for proofs; executions skip it ([`EdgeKind::Implied`]).
    Known(Expr),
    /// The operation, if the condition holds.
    When(Expr, Op),
    /// If the condition holds, the operations or nothing, as the run pleases.
    Maybe(Expr, Vec<Op>),
    /// The operations of the one case whose condition holds.
    Cases(Vec<(Expr, Vec<Op>)>),
}

impl Step {
    /// Whether the two do the same; a check that stands at two places is made once.
    pub fn is_alike(&self, other: &Step) -> bool {
        match (self, other) {
            (
                Step::Check { questions, kind, condition, message, .. },
                Step::Check { questions: q, kind: k, condition: c, message: m, .. },
            ) => (questions, kind, condition, message) == (q, k, c, m),
            _ => self == other,
        }
    }
}

/// The graph of a procedure that is being instrumented.
pub struct Graph<'a> {
    /// The program.
    pub program: &'a mut Program,
    proc: ProcId,
    answers: [Option<VarId>; ObjectQuery::ALL.len()],
}

impl<'a> Graph<'a> {
    /// The graph of this procedure.
    pub fn new(program: &'a mut Program, proc: ProcId) -> Graph<'a> {
        Graph { program, proc, answers: [None; ObjectQuery::ALL.len()] }
    }

    /// A new variable of the procedure, which traces do not show.
    pub fn temp(&mut self, wish: &str, ty: Type, span: Span) -> VarId {
        let proc = &self.program.procs[self.proc];
        let own = proc.formals.iter().chain(&proc.locals).chain(&self.program.globals);
        let taken: BTreeSet<&str> = own.map(|v| self.program.vars[*v].name.as_str()).collect();
        let name = free_name(wish, &taken);
        let v = self.program.vars.push(Var {
            name,
            ty,
            kind: VarKind::Temp(self.proc),
            span,
            data: None,
            align: 0,
            constant: None,
        });
        self.program.procs[self.proc].locals.push(v);
        v
    }

    /// The variable that answers to this question go to.
    pub fn answer(&mut self, query: ObjectQuery) -> VarId {
        let at = ObjectQuery::ALL.iter().position(|q| *q == query).expect("the list has all questions");
        if let Some(v) = self.answers[at] {
            return v;
        }
        let ty = crate::convert::difference_type(self.program.model);
        let span = self.program.procs[self.proc].span;
        let v = self.temp(&format!("{}__", query.name()), ty, span);
        self.answers[at] = Some(v);
        v
    }

    /// The variable of this name for answers that are not about an object.
    pub fn answer_of(&mut self, wish: &str) -> VarId {
        let proc = &self.program.procs[self.proc];
        let known = proc.locals.iter().copied().find(|v| {
            let var = &self.program.vars[*v];
            var.name == wish && matches!(var.kind, VarKind::Temp(_))
        });
        let span = proc.span;
        known.unwrap_or_else(|| self.temp(wish, Type::INT, span))
    }

    fn location(&mut self, span: Span) -> LocId {
        let location = Location { span, labels: vec![], loop_head: false };
        self.program.procs[self.proc].locations.push(location)
    }

    fn edge(&mut self, src: LocId, dst: LocId, op: Op, span: Span) -> EdgeId {
        let edge = Edge { src, dst, op, span, kind: EdgeKind::Internal };
        self.program.procs[self.proc].edges.push(edge)
    }

    /// One operation from here to a new location.
    fn run(&mut self, from: LocId, op: Op, span: Span) -> LocId {
        let to = self.location(span);
        self.edge(from, to, op, span);
        to
    }

    /// One operation that executions pass over.
    fn imply(&mut self, from: LocId, op: Op, span: Span) -> LocId {
        let to = self.location(span);
        let edge = self.edge(from, to, op, span);
        self.program.procs[self.proc].edges[edge].kind = EdgeKind::Implied;
        to
    }

    /// A way from one location to another that is open under the condition and does the operations.
    fn case(&mut self, from: LocId, to: LocId, (condition, ops): (&Expr, &[Op]), span: Span) {
        let mut at = self.run(from, Op::Assume(condition.clone()), span);
        for op in ops {
            at = self.run(at, op.clone(), span);
        }
        self.edge(at, to, Op::Skip, span);
    }

    /// The steps, one after the other; where they end.
    fn chain(&mut self, mut at: LocId, steps: &[Step], span: Span) -> LocId {
        for step in steps {
            at = match step {
                Step::Op(op) => self.run(at, op.clone(), span),
                Step::Implied(dest, value) => self.imply(at, Op::Assign(dest.clone(), value.clone()), span),
                Step::Known(condition) => self.imply(at, Op::Assume(condition.clone()), span),
                Step::Check { questions, known, kind, condition, message, at: about } => {
                    for question in questions {
                        at = self.run(at, question.clone(), span);
                    }
                    if let Some(known) = known {
                        at = self.imply(at, Op::Assume(known.clone()), span);
                    }
                    let check = Check::new(*kind, about.unwrap_or(span), message, self.proc);
                    let id = self.program.checks.push(check);
                    self.run(at, Op::Check(id, condition.clone()), span)
                }
                Step::When(condition, op) => {
                    let join = self.location(span);
                    let yes = self.run(at, Op::Assume(condition.clone()), span);
                    self.edge(yes, join, op.clone(), span);
                    self.edge(at, join, Op::Assume(condition.clone().negated()), span);
                    join
                }
                Step::Maybe(condition, ops) => {
                    let join = self.location(span);
                    self.edge(at, join, Op::Skip, span);
                    self.case(at, join, (condition, ops), span);
                    join
                }
                Step::Cases(cases) => {
                    let join = self.location(span);
                    for (condition, ops) in cases {
                        self.case(at, join, (condition, ops), span);
                    }
                    join
                }
            };
        }
        at
    }

    /// Puts the steps between the location and all edges that leave it.
    pub fn split(&mut self, loc: LocId, steps: &[Step], span: Span) {
        if steps.is_empty() {
            return;
        }
        let end = self.location(span);
        let leaving = self.program.procs[self.proc].edges.iter_mut().filter(|e| e.src == loc);
        leaving.for_each(|e| e.src = end);
        let last = self.chain(loc, steps, span);
        self.edge(last, end, Op::Skip, span);
    }

    /// Puts the steps in front of one edge.
    pub fn before(&mut self, e: EdgeId, steps: &[Step]) {
        let Edge { src, span, .. } = self.program.procs[self.proc].edges[e];
        let end = self.chain(src, steps, span);
        self.program.procs[self.proc].edges[e].src = end;
    }

    /// Puts the steps behind one edge.
    pub fn after(&mut self, e: EdgeId, steps: &[Step]) {
        if steps.is_empty() {
            return;
        }
        let Edge { dst, span, .. } = self.program.procs[self.proc].edges[e];
        let start = self.location(span);
        self.program.procs[self.proc].edges[e].dst = start;
        let end = self.chain(start, steps, span);
        self.edge(end, dst, Op::Skip, span);
    }

    /// Puts the steps in front of the whole procedure.
    pub fn at_entry(&mut self, steps: &[Step], span: Span) {
        if steps.is_empty() {
            return;
        }
        let first = self.location(span);
        let end = self.chain(first, steps, span);
        let entry = std::mem::replace(&mut self.program.procs[self.proc].entry, first);
        self.edge(end, entry, Op::Skip, span);
    }

    /// Puts the steps behind the whole procedure.
    pub fn at_exit(&mut self, steps: &[Step], span: Span) {
        let exit = self.program.procs[self.proc].exit;
        let end = self.chain(exit, steps, span);
        self.program.procs[self.proc].exit = end;
    }
}

/// A new global of the pass, which traces do not show as the program's.
pub fn ghost(out: &mut Program, wish: &str, ty: Type, span: Span) -> Lvalue {
    let taken: BTreeSet<&str> = out.vars.iter().map(|v| v.name.as_str()).collect();
    let name = free_name(wish, &taken);
    let var = Var { name, ty: ty.clone(), kind: VarKind::Global, span, data: None, align: 0, constant: None };
    let v = out.vars.push(var);
    out.globals.push(v);
    Lvalue::var(v, ty)
}

/// A name made from `wish` that is not taken.
pub fn free_name(wish: &str, taken: &BTreeSet<&str>) -> String {
    if !taken.contains(wish) {
        return wish.to_owned();
    }
    let names = (2u32..).map(|n| format!("{wish}{n}"));
    names.into_iter().find(|n| !taken.contains(n.as_str())).expect("there are more numbers than names")
}
