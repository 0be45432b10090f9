//! Calls of procedures with bodies.

use super::Refused;
use super::inline::{Arguments, Inliner};
use super::instance::{Action, Step};
use ir::ATOMIC;
use ir::expr::{Expr, Lvalue};
use ir::program::{EdgeKind, Op, ProcId, VarId};
use ir::visit;

impl Inliner<'_> {
    /// Puts the body of a procedure between the ends of `at`.
    pub(super) fn call(
        &mut self,
        q: ProcId,
        dest: Option<Lvalue>,
        args: &[Expr],
        at: Step,
    ) -> Result<(), Refused> {
        let outer = self.instance.site;
        if self.program.procs[q].is_model() {
            self.instance.site = outer.or(Some((at.span, at.proc)));
        }
        self.call_body(q, dest, args, at)?;
        self.instance.site = outer;
        Ok(())
    }

    fn call_body(&mut self, q: ProcId, dest: Option<Lvalue>, args: &[Expr], at: Step) -> Result<(), Refused> {
        let proc = &self.program.procs[q];
        let internal = |src, dst, action| Step { src, dst, action, kind: EdgeKind::Internal, ..at.clone() };
        // Without a prototype there are as many.
        if proc.formals.len() > args.len() || proc.formals.len() < args.len() && !proc.ty.variadic {
            let what = format!(
                "a call of `{}` with another number of arguments in a program with threads",
                proc.name
            );
            self.instance.step(internal(at.src, at.dst, Action::Unmodelled(what.into())));
            return Ok(());
        }
        let mut here = self.instance.node(at.span);
        self.instance.step(Step { dst: here, action: Action::Op(Op::Skip), ..at.clone() });
        let mut arguments = Arguments::new();
        for (formal, arg) in proc.formals.iter().zip(args) {
            if self.is_substituted(q, *formal, arg) {
                arguments.insert(*formal, arg.clone());
                continue;
            }
            let next = self.instance.node(at.span);
            let formal = self.copy(*formal);
            let place = Lvalue::var(formal, self.vars[formal].ty.clone());
            let value = arg.clone().cast(place.ty.clone());
            self.instance.step(internal(here, next, Action::Op(Op::Assign(place, value))));
            here = next;
        }
        // The others are evaluated, and what takes them from their list is not modelled.
        for arg in &args[proc.formals.len()..] {
            let next = self.instance.node(at.span);
            let other = self.temp(arg.ty(), at.span);
            let place = Lvalue::var(other, arg.ty());
            self.instance.step(internal(here, next, Action::Op(Op::Assign(place, arg.clone()))));
            here = next;
        }
        let atomic = proc.name.starts_with(ATOMIC);
        if atomic {
            let next = self.instance.node(at.span);
            self.instance.step(internal(here, next, Action::Begin));
            here = next;
        }
        let scalars: Vec<VarId> =
            proc.locals.iter().copied().filter(|v| self.vars[*v].ty.is_scalar()).collect();
        let scalars = scalars.into_iter().map(|v| self.copy(v)).collect();
        let back = self.instance.node(proc.span);
        let entry = self.body(q, &arguments, back)?;
        self.instance.step(internal(here, entry, Action::Reset(scalars)));
        self.leave(q, dest, back, &at, atomic);
        Ok(())
    }

    /// From the end of a procedure's body to behind its call.
    fn leave(&mut self, q: ProcId, dest: Option<Lvalue>, mut here: usize, at: &Step, atomic: bool) {
        let proc = &self.program.procs[q];
        let mut actions = vec![];
        if atomic {
            actions.push(Action::End);
        }
        for v in proc.formals.iter().chain(&proc.locals).copied().collect::<Vec<_>>() {
            if !self.vars[v].ty.is_scalar() || self.is_addressed(q, v) {
                let copy = self.copy(v);
                let address = Lvalue::var(copy, self.vars[copy].ty.clone()).addr();
                actions.push(Action::Op(Op::Free(address)));
            }
        }
        let result = match (dest, proc.ret) {
            (Some(dest), Some(ret)) => {
                let ret = self.copy(ret);
                let value = Expr::var(ret, self.vars[ret].ty.clone()).cast(dest.ty.clone());
                Action::Op(Op::Assign(dest, value))
            }
            _ => Action::Op(Op::Skip),
        };
        actions.push(result);
        let last = actions.len() - 1;
        for (n, action) in actions.into_iter().enumerate() {
            let next = if n == last { at.dst } else { self.instance.node(at.span) };
            self.instance.step(Step { src: here, dst: next, action, kind: EdgeKind::Internal, ..at.clone() });
            here = next;
        }
    }

    fn is_addressed(&self, q: ProcId, v: VarId) -> bool {
        self.program.procs[q].edges.iter().any(|edge| {
            let mut found = false;
            visit::addresses(&edge.op, &mut |w| found |= w == v && edge.op.ends().is_none());
            found
        })
    }
}
