//! Functions with a built-in meaning whose address is taken: each gets a procedure with a body that is one call
//! of it, so that a call through a pointer, a table or by a library function means the same as a call by name.

use crate::cfg::Fun;
use crate::cx::Cx;
use crate::expr::{Ast, Ev};
use crate::options::{FailureKind, Res};
use crate::scope::{Entity, FnId, Function, Scope};
use crate::special::Special;
use crate::ty::{FuncTy, Ty};
use ir::{HavocKind, Lvalue, Op, ProcId, VarKind};
use lang_c::ast;
use lang_c::span::{Node, Span};

impl<'a> Cx<'a> {
    /// The meaning of the function when it is called through a pointer; `None` when it is an ordinary one, or
    /// one whose effect on variable arguments only the call itself shows.
    pub(crate) fn pointed_special(&self, f: FnId) -> Option<Special> {
        let function = &self.functions[f];
        if self.is_model(function.file) {
            return None;
        }
        let special = self.special(&function.name, Some(f))?;
        let FuncTy { params, variadic, ret, .. } = &*function.ty;
        let plain = !variadic && params.iter().all(|p| p.ty.is_scalar());
        let result = ret.ty == Ty::Void || ret.ty.is_scalar();
        let inline = matches!(special, Special::Builtin | Special::Atomic(_));
        (plain && result && !inline).then_some(special)
    }

    /// Makes that procedure.
    pub(crate) fn special_body(&mut self, f: FnId, proc: ProcId, special: Special) -> Res<()> {
        let function = self.functions[f].clone();
        let span = function.span;
        self.scopes.file = function.file;
        self.scopes.blocks.clear();
        self.scopes.blocks.push(Scope::default());
        self.scopes.innermost().names.insert(function.name.clone(), Entity::Function(f));
        self.fun = Fun::new(proc, &function.name);
        self.fun.ret_ty = function.ty.ret.ty.clone();
        if function.ty.ret.ty != Ty::Void {
            let name = self.names.local("ret__", &mut self.fun.used_names);
            let ret = self.new_var(name, function.ty.ret.ty.lower(), VarKind::Return(proc), span);
            self.fun.ret = Some(ret);
        }
        let arguments = self.special_formals(&function, proc);
        let callee = ast::Expression::Identifier(Box::new(name_node(&function.name)));
        let call = ast::CallExpression { callee: Box::new(node(callee)), arguments };
        // The nodes have no places of their own, by which they could be looked up.
        let known = std::mem::take(&mut self.known);
        let done = self.special_call(special, &function, f, &call);
        self.known = known;
        done?;
        self.procs[proc].has_body = true;
        self.end_body(proc, span, span);
        Ok(())
    }

    /// The parameters, and expressions that name them.
    fn special_formals(&mut self, function: &Function<'a>, proc: ProcId) -> Vec<Ast> {
        let mut arguments = vec![];
        for param in &function.ty.params {
            let name = self.names.local("arg__", &mut self.fun.used_names);
            let var = self.new_var(name.clone(), param.ty.lower(), VarKind::Formal(proc), function.span);
            self.procs[proc].formals.push(var);
            self.scopes.innermost().names.insert(name.clone(), Entity::Local(var, param.ty.clone().into()));
            arguments.push(node(ast::Expression::Identifier(Box::new(name_node(&name)))));
        }
        arguments
    }

    /// The call, whose value is returned. A declaration that does not fit makes only its calls meaningless.
    fn special_call(
        &mut self,
        special: Special,
        function: &Function<'a>,
        f: FnId,
        call: &ast::CallExpression,
    ) -> Res<()> {
        let span = function.span;
        if let Err(stop) = self.special_value(special, function, f, call) {
            if stop.kind != FailureKind::Type && stop.kind != FailureKind::Unsupported {
                return Err(stop);
            }
            let name = &function.name;
            self.unmodelled(format!("calls of `{name}` through a pointer are not supported here"), span);
        }
        Ok(())
    }

    fn special_value(
        &mut self,
        special: Special,
        function: &Function<'a>,
        f: FnId,
        call: &ast::CallExpression,
    ) -> Res<()> {
        let span = function.span;
        let ev = self.call_special(special, &function.name, Some(f), call, span)?;
        let Some(ret) = self.fun.ret else { return Ok(()) };
        let ty = function.ty.ret.ty.clone();
        let ret = Lvalue::var(ret, ty.lower());
        let op = match ev {
            Ev::Void => Op::Havoc(ret, HavocKind::Uninit),
            ev => {
                let v = self.read(ev, span)?;
                Op::Assign(ret, self.convert(v, &ty, span)?)
            }
        };
        self.internal(op, span);
        Ok(())
    }
}

fn node(e: ast::Expression) -> Ast {
    Node::new(e, Span::none())
}

fn name_node(name: &str) -> Node<ast::Identifier> {
    Node::new(ast::Identifier { name: name.to_owned() }, Span::none())
}
