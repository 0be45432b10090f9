//! Integer constant expressions: their values, also where only the compiler gives them one.

use super::{Ast, Val};
use crate::error::{Res, type_error};
use crate::lower::context::Context;
use crate::types::ty::Ty;
use ir::Expr;

impl Context<'_> {
    /// The value of an integer constant expression, or `None` when it is not constant.
    pub(crate) fn try_const_int(&mut self, e: &Ast) -> Res<Option<i128>> {
        let key = self.symbols.key(e);
        if let Some(n) = self.evaluation.known.ints.get(&key) {
            return Ok(*n);
        }
        let v = self.dry(|cx| cx.value(e))?;
        let n = match (&v.e, &v.ty) {
            (Expr::Const(n, _), Ty::Int(_)) => Some(*n),
            _ => None,
        };
        self.evaluation.known.ints.insert(key, n);
        Ok(n)
    }

    /// The value of an expression that C wants to be constant, where it is one: also where the compiler gives it one
    /// although the computation overflows.
    pub(crate) fn constant_int(&mut self, e: &Ast) -> Res<Option<i128>> {
        if let Some(n) = self.try_const_int(e)? {
            return Ok(Some(n));
        }
        for wrap in [false, true] {
            // Known values of its parts were computed by other rules.
            let known = std::mem::take(&mut self.evaluation.known);
            let outer = self.emitter.constant.replace(wrap);
            let v = self.dry(|cx| cx.value(e));
            self.emitter.constant = outer;
            self.evaluation.known = known;
            if let Val { e: Expr::Const(n, _), ty: Ty::Int(_) } = v? {
                if wrap {
                    let span = self.symbols.span(e);
                    self.emitter.warn(span, "the constant expression overflows; its value is the compiler's");
                }
                let key = self.symbols.key(e);
                self.evaluation.known.ints.insert(key, Some(n));
                return Ok(Some(n));
            }
        }
        Ok(None)
    }

    /// The value of an integer constant expression.
    pub(crate) fn const_int(&mut self, e: &Ast) -> Res<i128> {
        match self.constant_int(e)? {
            Some(n) => Ok(n),
            None => {
                let span = self.symbols.span(e);
                type_error(span, "an integer constant expression is needed here")
            }
        }
    }

    pub(crate) fn const_u64(&mut self, e: &Ast) -> Res<u64> {
        let n = self.const_int(e)?;
        match u64::try_from(n) {
            Ok(n) => Ok(n),
            Err(_) => {
                let span = self.symbols.span(e);
                type_error(span, "the constant is negative or too large")
            }
        }
    }
}
