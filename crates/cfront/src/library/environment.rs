//! `getenv`: its result for a name is the same at each call, as long as nothing changes the environment.
//!
//! Where all names are literals each has two variables, whether it was read before and its value, so that
//! proofs need not compare texts. Elsewhere the model looks the name up. In a program that may change the
//! environment these functions have no model.

use crate::library::models::{Used, literal_units};
use crate::lower::context::{Emitter, StaticInit, Symbols};
use crate::lower::expr::{Ev, Val};
use crate::lower::scope::FnId;
use crate::text::lex::Token;
use base::Span;
use ir::{BinOp, Callee, Expr, Lvalue, Op, Type};
use lang_c::ast;

/// The functions that read the environment.
const ASKING: [&str; 2] = ["getenv", "secure_getenv"];

/// Functions that change the environment, or names of it as a whole.
const CHANGING: [&str; 6] = ["setenv", "unsetenv", "putenv", "clearenv", "environ", "__environ"];

/// The procedure that makes the environment's value of a name.
pub(crate) const VALUE: &str = "slam_getenv";

/// How the program uses the environment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Environment {
    /// Something may change it.
    changes: bool,
    /// Names other than literals are read.
    other_names: bool,
}

impl Environment {
    pub(crate) fn of(used: &Used) -> Environment {
        Environment {
            changes: CHANGING.iter().any(|name| used.in_bodies(name)),
            other_names: used.asks_for_other_names,
        }
    }

    /// Whether the model of a function holds: not where the environment may have changed.
    pub(crate) fn has_model(&self, name: &str) -> bool {
        !self.changes || !ASKING.contains(&name)
    }
}

/// Whether a call reads another name than a literal, by the tokens behind the word.
pub(crate) fn asks_for_other_names(text: &str, word: &str, behind: &[Token]) -> bool {
    let is = |n: usize, wanted: &str| behind.get(n).is_some_and(|token| token.text(text) == wanted);
    let is_literal = behind.get(1).is_some_and(|token| token.text(text).starts_with('"'));
    ASKING.contains(&word) && !(word == ASKING[0] && is(0, "(") && is_literal && is(2, ")"))
}

impl Emitter<'_> {
    /// A call of `getenv` with a literal, in a program that reads only literals.
    pub(crate) fn literal_variable(
        &mut self,
        symbols: &mut Symbols<'_>,
        name: &str,
        model: FnId,
        c: &ast::CallExpression,
        span: Span,
    ) -> Option<Ev> {
        let (true, false, [of]) =
            (name == ASKING[0], self.settings.uses.environment.other_names, &c.arguments[..])
        else {
            return None;
        };
        let ty = symbols.functions[model].ty.ret.ty.clone();
        let (asked, value) = self.variable(literal_units(of)?, &ty.lower(), span);
        let maker = symbols.models.get(VALUE).copied()?;
        let callee = Callee::Direct(self.proc_of(symbols, maker));
        let join = self.fun.new_loc();
        self.fork(Expr::binary(BinOp::Ne, asked.clone().load(), Expr::int(0)), join, span);
        self.internal(Op::Assign(asked, Expr::int(1)), span);
        self.internal(Op::Call { dest: Some(value.clone()), callee, args: vec![] }, span);
        self.fun.enter(join, span);
        // The value stays as it is while others are computed.
        let result = self.temp(value.ty.clone(), span);
        self.statement(Op::Assign(result.clone(), value.load()), span);
        Some(Ev::Val(Val { e: result.load(), ty }))
    }

    /// The two variables of a name.
    fn variable(&mut self, name: Vec<u32>, ty: &Type, span: Span) -> (Lvalue, Lvalue) {
        let as_lvalues = |(asked, value)| (Lvalue::var(asked, Type::INT), Lvalue::var(value, ty.clone()));
        if let Some(known) = self.library.getenv_variables.get(&name) {
            return as_lvalues(*known);
        }
        let asked = self.anonymous_global("getenv__asked", Type::INT, span);
        let value = self.anonymous_global("getenv__value", ty.clone(), span);
        let (first, second) = as_lvalues((asked, value));
        if self.dry == 0 {
            let zeros = [
                (Op::Assign(first.clone(), Expr::int(0)), span),
                (Op::Assign(second.clone(), Expr::Const(0, ty.clone())), span),
            ];
            self.static_inits.push(StaticInit { order: 0, ops: zeros.to_vec() });
            self.library.getenv_variables.insert(name, (asked, value));
        }
        (first, second)
    }
}
