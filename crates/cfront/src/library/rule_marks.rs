//! Marks of calls, for rules ([`ir::CallMark`]): the arguments as the caller gives them, before they are
//! converted to the parameters' types, and the result. The arguments of a marked call are evaluated into
//! temporaries first, and the call is then lowered with these as its arguments, whatever the function means: so
//! a rule sees `malloc` like a function of the program.
//!
//! Calls made by models of the library have no marks.

use crate::error::Res;
use crate::lower::context::{Context, Emitter, Settings, Symbols};
use crate::lower::expr::{Ast, Ev, Val};
use crate::lower::scope::Entity;
use crate::types::ty::Ty;
use base::Span;
use ir::{CallMark, Expr, Op, Output, ProcId};
use lang_c::ast;
use lang_c::span::Node;

/// A function whose calls are marked.
#[derive(Clone, Debug)]
pub struct Marked {
    /// Its name in the source.
    pub name: String,
    /// The number of its parameters; `None` where its declaration does not limit it.
    pub parameters: Option<usize>,
    /// It has a result.
    pub result: bool,
    /// Its procedure, where the program can call it.
    pub proc: Option<ProcId>,
    /// Its declarator in the program; `None` for one that the program itself does not declare.
    pub span: Option<Span>,
}

impl Context<'_> {
    /// The call with its marks; `lower` makes it of the call with other arguments.
    pub(crate) fn marked_call(
        &mut self,
        name: &str,
        c: &ast::CallExpression,
        span: Span,
        lower: impl FnOnce(&mut Self, &ast::CallExpression) -> Res<Ev>,
    ) -> Res<Ev> {
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        if !self.emitter.library.called_by_name.contains(name) {
            self.emitter.library.called_by_name.insert(name.to_owned());
        }
        let (mut call, mut args) = (c.clone(), vec![]);
        for (n, argument) in c.arguments.iter().enumerate() {
            let (shown, given) = self.marked_argument(argument)?;
            args.push(shown);
            call.arguments[n] = given;
        }
        self.emitter.internal(Output::Mark(CallMark::Entry(name.into())).op(args.clone()), span);
        let mut ev = lower(self, &call)?;
        let mut exit = vec![Expr::int(args.len() as i128)];
        exit.append(&mut args);
        if let Ev::Val(v) = ev {
            let e = self.emitter.spill(v.e, span);
            exit.push(e.clone());
            ev = Ev::Val(Val { e, ty: v.ty });
        }
        self.emitter.internal(Output::Mark(CallMark::Exit(name.into())).op(exit), span);
        Ok(ev)
    }

    /// The value of an argument for a rule, and the argument that the call gets in its place.
    fn marked_argument(&mut self, argument: &Ast) -> Res<(Expr, Ast)> {
        if matches!(self.type_of_expr(argument)?.ty, Ty::Record(_) | Ty::Void | Ty::Refused(_)) {
            return Ok((Expr::int(0), argument.clone()));
        }
        if self.is_fixed(argument)? {
            return Ok((self.value(argument)?.e, argument.clone()));
        }
        let span = self.symbols.span(argument);
        let value = self.value(argument)?;
        let temp = self.emitter.temp(value.ty.lower(), span);
        self.emitter.internal(Op::Assign(temp.clone(), value.e), span);
        let var = temp.as_var().expect("a temporary is a whole variable");
        let name = format!("slam_argument__{}", base::Id::index(var));
        self.symbols.scopes.innermost().names.insert(name.clone(), Entity::Local(var, value.ty.into()));
        let name = Node::new(ast::Identifier { name }, argument.span);
        let given = Node::new(ast::Expression::Identifier(Box::new(name)), argument.span);
        Ok((temp.load(), given))
    }

    /// Whether the argument has the same value whenever it is evaluated, and no effect: functions may depend on
    /// its text.
    fn is_fixed(&mut self, argument: &Ast) -> Res<bool> {
        use ast::Expression as E;
        let mut e = argument;
        loop {
            match &e.node {
                E::Cast(c) => e = &c.node.expression,
                E::StringLiteral(_) | E::Constant(_) | E::SizeOfTy(_) | E::AlignOf(_) => return Ok(true),
                E::UnaryOperator(u) if u.node.operator.node == ast::UnaryOperator::Address => {
                    return Ok(matches!(&u.node.operand.node, E::Identifier(_)));
                }
                E::Identifier(_) => {
                    return Ok(matches!(self.type_of_expr(e)?.ty, Ty::Array(..) | Ty::Func(_)));
                }
                _ => return Ok(false),
            }
        }
    }
}

impl Emitter<'_> {
    /// Whether calls of this function are marked where the present file calls it.
    pub(crate) fn is_marked(&self, symbols: &Symbols<'_>, name: &str) -> bool {
        self.dry == 0 && !symbols.is_model(symbols.scopes.file) && self.settings.is_named_by_rules(name)
    }

    /// Marks an end of the program inside of it.
    pub(crate) fn mark_end(&mut self, span: Span) {
        if self.settings.options.marked.is_some() && self.dry == 0 {
            self.internal(Output::Mark(CallMark::End).op(vec![]), span);
        }
    }

    /// The functions whose calls are marked, as far as the program or the library have them.
    pub(crate) fn marked_functions(&self, symbols: &Symbols<'_>) -> Vec<Marked> {
        let names = self.settings.options.marked.as_deref().unwrap_or_default();
        let mut out = vec![];
        for name in names {
            for f in &symbols.functions {
                let model = symbols.is_model(f.file);
                let plain = f.name.strip_prefix("slam_").filter(|_| model).unwrap_or(&f.name);
                if plain != name {
                    continue;
                }
                let bounded = f.ty.proto && !f.ty.variadic;
                out.push(Marked {
                    name: name.clone(),
                    parameters: bounded.then_some(f.ty.params.len()),
                    result: f.ty.ret.ty != Ty::Void,
                    proc: f.proc,
                    span: (!model).then_some(f.span),
                });
            }
            // The compiler knows it without a declaration.
            if self.library.called_by_name.contains(name) && out.iter().all(|m| m.name != *name) {
                let name = name.clone();
                out.push(Marked { name, parameters: None, result: true, proc: None, span: None });
            }
        }
        out
    }
}

impl Settings<'_> {
    /// Whether rules name the function.
    pub(crate) fn is_named_by_rules(&self, name: &str) -> bool {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        self.options.marked.iter().flatten().any(|m| m == plain)
    }
}
