//! The macros of `<ctype.h>`, which read a table: a look-up in it becomes a call of the model of the function.

use crate::error::Res;
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Val};
use crate::lower::scope::FnId;
use crate::types::ty::Ty;
use base::Span;
use ir::{Expr, Op};
use lang_c::ast;

impl Context<'_> {
    /// `(*__ctype_b_loc())[c] & MASK`, which the macros of `<ctype.h>` become: a call of the model of the function with
    /// that mask.
    pub(crate) fn character_class(
        &mut self,
        b: &ast::BinaryOperatorExpression,
        span: Span,
    ) -> Res<Option<Val>> {
        let Some(character) = character_of_table(b) else { return Ok(None) };
        if self
            .symbols
            .extern_functions
            .get("__ctype_b_loc")
            .is_none_or(|f| self.symbols.functions[*f].def.is_some())
        {
            return Ok(None);
        }
        let class = match self.try_const_int(&b.rhs)? {
            Some(mask) => CLASSES.iter().find(|c| c.0 == mask),
            None => None,
        };
        let Some(model) = class.and_then(|c| self.symbols.models.get(c.1)).copied() else { return Ok(None) };
        let argument = self.value_to(character, &Ty::INT)?;
        Ok(Some(self.emitter.call_of_model(&mut self.symbols, model, argument, span)))
    }
}

impl Emitter<'_> {
    /// The number that a model answers.
    fn call_of_model(&mut self, symbols: &mut Symbols<'_>, model: FnId, argument: Expr, span: Span) -> Val {
        let dest = self.temp(Ty::INT.lower(), span);
        let callee = ir::Callee::Direct(self.proc_of(symbols, model));
        self.statement(Op::Call { dest: Some(dest.clone()), callee, args: vec![argument] }, span);
        Val { e: dest.load(), ty: Ty::INT }
    }
}

/// glibc's masks on a machine that stores the low byte first, and the functions that answer them.
const CLASSES: [(i128, &str); 12] = [
    (1 << 8, "isupper"),
    (1 << 9, "islower"),
    (1 << 10, "isalpha"),
    (1 << 11, "slam_isdigit"),
    (1 << 12, "isxdigit"),
    (1 << 13, "isspace"),
    (1 << 14, "isprint"),
    (1 << 15, "isgraph"),
    (1, "isblank"),
    (1 << 1, "iscntrl"),
    (1 << 2, "ispunct"),
    (1 << 3, "isalnum"),
];

/// The `c` of `(*__ctype_b_loc())[c] & …`.
fn character_of_table(b: &ast::BinaryOperatorExpression) -> Option<&Ast> {
    use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
    let (B::BitwiseAnd, E::BinaryOperator(index)) = (&b.operator.node, &b.lhs.node) else { return None };
    let (B::Index, E::UnaryOperator(table)) = (&index.node.operator.node, &index.node.lhs.node) else {
        return None;
    };
    let (U::Indirection, E::Call(call)) = (&table.node.operator.node, &table.node.operand.node) else {
        return None;
    };
    let E::Identifier(id) = &call.node.callee.node else { return None };
    (id.node.name == "__ctype_b_loc").then_some(&index.node.rhs)
}
