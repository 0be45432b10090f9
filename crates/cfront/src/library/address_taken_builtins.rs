//! Functions with a built-in meaning whose address is taken: each gets a procedure with a body that is one call
//! of it, so that a call through a pointer, a table or by a library function means the same as a call by name.

use crate::error::{FailureKind, Res};
use crate::library::intrinsics::Intrinsic;
use crate::lower::cfg::Fun;
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Ev};
use crate::lower::scope::{Entity, FnId, Function, Scope};
use crate::types::table::Types;
use crate::types::ty::{FuncTy, Ty};
use ir::{HavocKind, Lvalue, Op, ProcId, VarKind};
use lang_c::ast;
use lang_c::span::{Node, Span};

impl<'a> Context<'a> {
    /// Makes that procedure.
    pub(crate) fn intrinsic_body(&mut self, f: FnId, proc: ProcId, intrinsic: Intrinsic) -> Res<()> {
        let function = self.symbols.functions[f].clone();
        let span = function.span;
        self.symbols.scopes.file = function.file;
        self.symbols.scopes.blocks.clear();
        self.symbols.scopes.blocks.push(Scope::default());
        self.symbols.scopes.innermost().names.insert(function.name.clone(), Entity::Function(f));
        self.emitter.fun = Fun::new(proc, &function.name);
        self.emitter.fun.ret_ty = function.ty.ret.ty.clone();
        if function.ty.ret.ty != Ty::Void {
            let name = self.emitter.names.local("ret__", &mut self.emitter.fun.used_names);
            let ret = self.emitter.new_var(name, function.ty.ret.ty.lower(), VarKind::Return(proc), span);
            self.emitter.fun.ret = Some(ret);
        }
        let arguments = self.emitter.intrinsic_formals(&mut self.symbols, &function, proc);
        let callee = ast::Expression::Identifier(Box::new(name_node(&function.name)));
        let call = ast::CallExpression { callee: Box::new(node(callee)), arguments };
        // The nodes have no places of their own, by which they could be looked up.
        let known = std::mem::take(&mut self.evaluation.known);
        let done = self.intrinsic_call(intrinsic, &function, f, &call);
        self.evaluation.known = known;
        done?;
        self.emitter.procs[proc].has_body = true;
        self.emitter.end_body(proc, span, span);
        Ok(())
    }

    /// The call, whose value is returned. A declaration that does not fit makes only its calls meaningless.
    fn intrinsic_call(
        &mut self,
        intrinsic: Intrinsic,
        function: &Function<'a>,
        f: FnId,
        call: &ast::CallExpression,
    ) -> Res<()> {
        let span = function.span;
        if let Err(stop) = self.intrinsic_value(intrinsic, function, f, call) {
            if stop.kind != FailureKind::Type && stop.kind != FailureKind::Unsupported {
                return Err(stop);
            }
            let name = &function.name;
            self.emitter
                .unmodelled(format!("calls of `{name}` through a pointer are not supported here"), span);
        }
        Ok(())
    }

    fn intrinsic_value(
        &mut self,
        intrinsic: Intrinsic,
        function: &Function<'a>,
        f: FnId,
        call: &ast::CallExpression,
    ) -> Res<()> {
        let span = function.span;
        let ev = self.call_intrinsic(intrinsic, &function.name, Some(f), call, span)?;
        let Some(ret) = self.emitter.fun.ret else { return Ok(()) };
        let ty = function.ty.ret.ty.clone();
        let ret = Lvalue::var(ret, ty.lower());
        let op = match ev {
            Ev::Void => Op::Havoc(ret, HavocKind::Uninit),
            ev => {
                let v = self.emitter.read(&self.types, &mut self.symbols, ev, span)?;
                Op::Assign(ret, self.emitter.convert(v, &ty, span)?)
            }
        };
        self.emitter.internal(op, span);
        Ok(())
    }
}

impl Symbols<'_> {
    /// The meaning of the function when it is called through a pointer; `None` when it is an ordinary one, or
    /// one whose effect on variable arguments only the call itself shows.
    pub(crate) fn addressed_intrinsic(&self, types: &Types, f: FnId) -> Option<Intrinsic> {
        let function = &self.functions[f];
        if self.is_model(function.file) {
            return None;
        }
        let intrinsic = self.intrinsic(types, &function.name, Some(f))?;
        let FuncTy { params, variadic, ret, .. } = &*function.ty;
        let plain = !variadic && params.iter().all(|p| p.ty.is_scalar());
        let result = ret.ty == Ty::Void || ret.ty.is_scalar();
        let inline = matches!(intrinsic, Intrinsic::Builtin | Intrinsic::Atomic(_));
        (plain && result && !inline).then_some(intrinsic)
    }
}

impl<'a> Emitter<'a> {
    /// The parameters, and expressions that name them.
    fn intrinsic_formals(
        &mut self,
        symbols: &mut Symbols<'a>,
        function: &Function<'a>,
        proc: ProcId,
    ) -> Vec<Ast> {
        let mut arguments = vec![];
        for param in &function.ty.params {
            let name = self.names.local("arg__", &mut self.fun.used_names);
            let var = self.new_var(name.clone(), param.ty.lower(), VarKind::Formal(proc), function.span);
            self.procs[proc].formals.push(var);
            symbols
                .scopes
                .innermost()
                .names
                .insert(name.clone(), Entity::Local(var, param.ty.clone().into()));
            arguments.push(node(ast::Expression::Identifier(Box::new(name_node(&name)))));
        }
        arguments
    }
}

fn node(e: ast::Expression) -> Ast {
    Node::new(e, Span::none())
}

fn name_node(name: &str) -> Node<ast::Identifier> {
    Node::new(ast::Identifier { name: name.to_owned() }, Span::none())
}
