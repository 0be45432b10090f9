//! The pointers for which zones track how much of their objects lies at and behind them, and before them: those in the
//! size questions of the program's conditions, and those that these get their values from. And the integers for which
//! they track a quotient, as for the bytes that are allocated for a number of elements.

use super::dims::{Question, is_named, is_place, plain};
use super::effects::Bound;
use ir::extent::{Root, moved};
use ir::visit;
use ir::{BinOp, Expr, Lvalue, Op, ProcId, Program, Type, UnOp, VarId, VarKind};
use std::collections::{BTreeMap, BTreeSet};

/// What an expression asks, and of which value.
fn asked(e: &Expr) -> Option<(&Expr, Question)> {
    match e {
        Expr::Unary(op @ (UnOp::Left(_) | UnOp::Before(_)), pointer, _) => {
            Some((pointer, Question::Size(*op)))
        }
        Expr::Binary(BinOp::Div, bytes, by, ty) if !ty.as_int()?.signed => {
            Some((bytes, Question::Quotient(by.as_const().filter(|n| *n > 1)?)))
        }
        _ => None,
    }
}

/// For each procedure the pointers, with what is asked of them.
pub(crate) struct Sizes {
    asked: BTreeMap<ProcId, BTreeSet<(Lvalue, Question)>>,
}

impl Sizes {
    /// Those of a program.
    pub(crate) fn new(program: &Program) -> Sizes {
        let mut out = Sizes { asked: BTreeMap::new() };
        for (p, _, edge) in program.edges() {
            visit::nodes(&edge.op, &mut |node| {
                if let Some((value, question)) = asked(node) {
                    out.ask(program, p, value, question);
                }
            });
        }
        if !out.asked.is_empty() {
            while out.spread(program) {}
        }
        out
    }

    /// What is asked in a procedure.
    pub(crate) fn of(&self, p: ProcId) -> impl Iterator<Item = &(Lvalue, Question)> {
        self.asked.get(&p).into_iter().flatten()
    }

    /// What is asked of global pointers, anywhere.
    pub(crate) fn of_globals(&self, program: &Program) -> BTreeSet<(Lvalue, Question)> {
        let global =
            |lv: &Lvalue| matches!(lv.base, ir::Base::Var(v) if program.vars[v].kind == VarKind::Global);
        self.asked.values().flatten().filter(|(lv, _)| global(lv)).cloned().collect()
    }

    /// Asks of the place that a value comes from; whether that is news.
    fn ask(&mut self, program: &Program, p: ProcId, value: &Expr, question: Question) -> bool {
        let place = match question {
            Question::Size(_) => match moved(program, value, &|v: VarId| v).map(|m| m.root) {
                Some(Root::Value(Expr::Load(lv))) => *lv,
                _ => return false,
            },
            Question::Quotient(_) => match value {
                Expr::Load(lv) => (**lv).clone(),
                _ => return false,
            },
        };
        let lv = plain(place);
        is_place(&lv) && self.asked.entry(p).or_default().insert((lv, question))
    }

    /// One round over all edges; whether there was news.
    fn spread(&mut self, program: &Program) -> bool {
        let mut news = false;
        for (p, _, edge) in program.edges() {
            let here: Vec<(Lvalue, Question)> = self.of(p).cloned().collect();
            match &edge.op {
                Op::Assign(dest, value) => {
                    let dest = plain(dest.clone());
                    for (_, op) in here.iter().filter(|(lv, _)| *lv == dest) {
                        news |= self.ask(program, p, value, *op);
                    }
                }
                Op::Call { dest, args, .. } => {
                    let Some(q) = edge.op.calls().filter(|q| program.procs[*q].has_body) else { continue };
                    let bound = Bound { program, q, args };
                    for (lv, op) in self.of(q).cloned().collect::<Vec<_>>() {
                        if let Some(value) = bound.value(&lv) {
                            news |= self.ask(program, p, &value, op);
                        }
                    }
                    let result = dest
                        .iter()
                        .zip(program.procs[q].ret)
                        .map(|(dest, ret)| (dest.clone(), program.lvalue(ret)));
                    for (dest, ret) in result {
                        for (_, op) in here.iter().filter(|(lv, _)| *lv == plain(dest.clone())) {
                            news |= self.ask(program, q, &ret.clone().load(), *op);
                        }
                    }
                    news |= self.stored_in(program, q, &bound, &here);
                    news |= self.handed_on(program, q, &bound, &here);
                }
                _ => {}
            }
        }
        news
    }

    /// The pointers behind arguments of which the caller asks: a callee of the callee may store them.
    fn handed_on(
        &mut self,
        program: &Program,
        q: ProcId,
        bound: &Bound<'_>,
        here: &[(Lvalue, Question)],
    ) -> bool {
        let mut news = false;
        for formal in &program.procs[q].formals {
            let is_pointer = |ty: &Type| ty.pointee().is_some_and(Type::is_ptr);
            if !is_pointer(&program.vars[*formal].ty) {
                continue;
            }
            let behind = Lvalue::deref(program.read(*formal));
            let Some(Expr::Load(there)) = bound.value(&behind) else { continue };
            for (_, question) in here.iter().filter(|(lv, _)| *lv == *there) {
                news |= self.asked.entry(q).or_default().insert((behind.clone(), *question));
            }
        }
        news
    }

    /// The pointers that a callee stores where its caller asks for them.
    fn stored_in(
        &mut self,
        program: &Program,
        q: ProcId,
        bound: &Bound<'_>,
        here: &[(Lvalue, Question)],
    ) -> bool {
        let mut news = false;
        for edge in &program.procs[q].edges {
            let Some(dest) = edge.op.destination() else { continue };
            let dest = plain(dest.clone());
            let Some(Expr::Load(there)) = is_named(&dest).then(|| bound.value(&dest)).flatten() else {
                continue;
            };
            for (_, op) in here.iter().filter(|(lv, _)| *lv == *there) {
                news |= self.ask(program, q, &dest.clone().load(), *op);
            }
        }
        news
    }
}
