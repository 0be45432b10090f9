//! Calls of library functions that only read, print or compute: their arguments are evaluated, and the result is
//! arbitrary.

use crate::error::Res;
use crate::library::Answer;
use crate::library::builtin::absolute_type;
use crate::library::output::output_function;
use crate::lower::context::{Context, Emitter};
use crate::lower::expr::{Ev, Val};
use crate::lower::scope::FnId;
use crate::types::ty::Ty;
use base::Span;
use ir::{BinOp, Expr, HavocKind, Op};
use lang_c::ast;
use std::sync::Arc;

impl Context<'_> {
    pub(crate) fn pure_call(
        &mut self,
        answer: Answer,
        name: &str,
        f: Option<FnId>,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Ev> {
        if answer == Answer::Absolute
            && let [a] = &c.arguments[..]
        {
            let ty = absolute_type(name, self.settings.model);
            let v = self.value_to(a, &ty)?;
            return Ok(Ev::Val(self.emitter.absolute(v, ty, span)));
        }
        if let Some(ev) = self.float_function(name, &c.arguments, span)? {
            return Ok(ev);
        }
        let shown = output_function(name);
        match shown {
            Some(output) => self.output(output, f, c, span)?,
            None if self.settings.checks_calls() && crate::library::contract(name).is_some() => {
                let args: Vec<_> = self.promoted_arguments(c)?.into_iter().map(Some).collect();
                self.accesses(name, f, c, &args, span)?;
            }
            None => {
                self.check_format(name, c, span)?;
                self.discard_all(&c.arguments)?;
            }
        }
        self.emitter.may_compute_errno(name, span);
        let name = shown.map_or(name, |o| o.function);
        let declared = f.filter(|f| !self.symbols.functions[*f].implicit);
        let declared = declared.map(|f| self.symbols.functions[f].ty.ret.ty.clone());
        Ok(self.emitter.arbitrary_answer(answer, name, declared, span))
    }
}

impl Emitter<'_> {
    /// An arbitrary result of a function, of its declared type if there is one.
    fn arbitrary_answer(&mut self, answer: Answer, name: &str, declared: Option<Ty>, span: Span) -> Ev {
        let ty = match (answer, declared) {
            (Answer::Void, _) | (_, Some(Ty::Void)) => return Ev::Void,
            (_, Some(ty)) if ty.is_scalar() => ty,
            (Answer::Size, _) => Ty::Int(self.settings.size_ty()),
            (Answer::Float, _) => Ty::DOUBLE,
            _ => Ty::INT,
        };
        // A rule may well be broken because of what the function of the system answers.
        let kind = match self.settings.is_named_by_rules(name) {
            true => HavocKind::Extern(Arc::from(name)),
            false => HavocKind::Unmodelled(Arc::from(name)),
        };
        let e = self.havoc_temp(ty.lower(), kind, span);
        let bound = |op, v: i128| Expr::binary(op, e.clone(), Expr::Const(v, ty.lower()));
        let bounds = match (answer, ty.as_int()) {
            (Answer::Size, Some(i)) if !i.signed => {
                vec![bound(BinOp::Le, i.with_sign(true).lower().max())]
            }
            _ => vec![],
        };
        for b in bounds {
            self.internal(Op::Assume(b), span);
        }
        Ev::Val(Val { e, ty })
    }
}
