//! Statements become nodes.
//!
//! Each statement is one node, and so executed indivisibly, but for calls whose result goes into the heap or a static
//! field: the result is stored by a node of its own, and the path to the place is followed then.

use super::Env;
use super::scope::Scope;
use crate::ast::{At, Call, Cond, ExprKind, Proc, Stmt, StmtKind, Value};
use crate::code::{Expr, Fault, Instr, Pc, Place, ProcId, Ty};
use crate::value;
use base::Id;

/// Compiles the body of a procedure.
pub(super) fn body(env: &mut Env, id: ProcId, proc: &Proc) {
    env.code.procs[id].entry = env.code.nodes.next_id();
    let mut scope = Scope::new(env, id);
    let signature = scope.env.signatures[id.index()].clone();
    if !signature.is_static {
        let this = scope.this();
        scope.slot("this", this);
    }
    for ((_, name), ty) in proc.params.iter().zip(&signature.params) {
        let slot = scope.slot(name, *ty);
        scope.name(name, slot, proc.at);
    }
    let formals = scope.env.code.procs[id].locals.len();
    scope.env.code.procs[id].formals = formals;
    scope.block(&proc.body);
    let end = if signature.result.is_some() { Instr::Fail(Fault::NoReturn) } else { Instr::Return(vec![]) };
    scope.emit(end, proc.at);
}

impl Scope<'_> {
    fn emit(&mut self, instr: Instr, at: At) -> Pc {
        self.env.emit(self.proc, instr, at)
    }

    /// The node that will be added next.
    fn here(&self) -> Pc {
        self.env.code.nodes.next_id()
    }

    fn goto(&mut self, from: Pc, to: Pc) {
        self.env.code.nodes[from].next = to;
    }

    fn block(&mut self, stmts: &[Stmt]) {
        self.open();
        for s in stmts {
            self.stmt(s);
        }
        self.close();
    }

    fn stmt(&mut self, s: &Stmt) {
        let start = self.here();
        self.kind(s);
        for label in &s.labels {
            if !self.labels.insert(label.clone()) {
                self.env.error(s.at, format!("there is a label `{label}` already"));
            }
        }
        if !s.labels.is_empty() {
            if start == self.here() {
                self.emit(Instr::Assume(Expr::Const(value::Value::Bool(true))), s.at);
            }
            self.env.code.nodes[start].labels.extend(s.labels.iter().cloned());
        }
    }

    fn kind(&mut self, s: &Stmt) {
        let at = s.at;
        match &s.kind {
            StmtKind::Skip => {}
            StmtKind::Declare(ty, name, v) => self.declaration(ty, name, v.as_ref(), at),
            StmtKind::Assign(target, v) => match self.place(target) {
                Some((place, ty)) => self.store(place, ty, v, at),
                None => {
                    // The right side is examined for its own mistakes.
                    let slot = self.temporary(Ty::Null);
                    let before = self.env.errors.len();
                    self.store(Place::Local(slot), Ty::Null, v, at);
                    self.env.errors.truncate(before);
                }
            },
            StmtKind::Call(call) => {
                self.call(call, |_| None);
            }
            StmtKind::Async(call) => {
                if let Some((proc, args, _)) = self.resolve(call) {
                    self.emit(Instr::Async(proc, args), at);
                }
            }
            StmtKind::If(cond, then, otherwise) => self.branch(cond, then, otherwise.as_deref(), at),
            StmtKind::While(cond, body) => self.repeat(cond, body, at),
            StmtKind::Assume(e) => {
                let e = self.truth(e);
                self.emit(Instr::Assume(e), at);
            }
            StmtKind::Assert(e) => {
                let e = self.truth(e);
                self.emit(Instr::Assert(e), at);
            }
            StmtKind::Return(v) => self.returning(v.as_ref(), at),
            StmtKind::Atomic(body) => {
                self.emit(Instr::Enter, at);
                self.atomic += 1;
                self.block(body);
                self.atomic -= 1;
                self.emit(Instr::Leave, at);
            }
            StmtKind::Block(body) => self.block(body),
        }
    }

    fn declaration(&mut self, ty: &crate::ast::Type, name: &str, v: Option<&Value>, at: At) {
        // The name is not in scope on the right side.
        let resolved = self.env.ty(ty, at);
        let slot = self.slot(name, resolved);
        match v {
            Some(v) => self.store(Place::Local(slot), resolved, v, at),
            None => {
                let initial = Expr::Const(resolved.initial());
                self.emit(Instr::Assign(vec![(Place::Local(slot), initial)]), at);
            }
        }
        self.name(name, slot, at);
    }

    /// A condition as the instruction that decides it; what must be patched is where it leads otherwise.
    fn decide(&mut self, cond: &Cond, at: At) -> Pc {
        let nowhere = Pc::from_index(0);
        match cond {
            Cond::Choose => self.emit(Instr::Fork(vec![nowhere, nowhere]), at),
            Cond::Is(e) => {
                let e = self.truth(e);
                self.emit(Instr::Branch(e, nowhere), at)
            }
        }
    }

    fn otherwise(&mut self, decision: Pc, to: Pc) {
        let node = &mut self.env.code.nodes[decision];
        let next = node.next;
        match &mut node.instr {
            Instr::Fork(targets) => *targets = vec![next, to],
            Instr::Branch(_, other) => *other = to,
            _ => unreachable!("decisions are forks and branches"),
        }
    }

    fn branch(&mut self, cond: &Cond, then: &[Stmt], otherwise: Option<&[Stmt]>, at: At) {
        let decision = self.decide(cond, at);
        self.block(then);
        let Some(otherwise) = otherwise else {
            let end = self.here();
            return self.otherwise(decision, end);
        };
        let over = self.emit(Instr::Jump, at);
        let start = self.here();
        self.otherwise(decision, start);
        self.block(otherwise);
        let end = self.here();
        self.goto(over, end);
    }

    fn repeat(&mut self, cond: &Cond, body: &[Stmt], at: At) {
        let decision = self.decide(cond, at);
        self.block(body);
        let back = self.emit(Instr::Jump, at);
        self.goto(back, decision);
        let end = self.here();
        self.otherwise(decision, end);
    }

    fn returning(&mut self, v: Option<&Value>, at: At) {
        match (self.result, v) {
            (None, None) => {
                self.leave(at);
                self.emit(Instr::Return(vec![]), at);
            }
            (Some(_), None) => self.env.error(at, "this procedure returns a value"),
            (None, Some(_)) => self.env.error(at, "this procedure returns no value"),
            (Some(ty), Some(Value::Expr(e))) if self.atomic == 0 => {
                let e = self.of_type(e, ty);
                self.emit(Instr::Return(vec![e]), at);
            }
            (Some(ty), Some(v)) => {
                let slot = self.temporary(ty);
                self.store(Place::Local(slot), ty, v, at);
                self.leave(at);
                self.emit(Instr::Return(vec![Expr::Take(slot)]), at);
                self.release(slot);
            }
        }
    }

    /// Leaves the atomic blocks around.
    fn leave(&mut self, at: At) {
        for _ in 0..self.atomic {
            self.emit(Instr::Leave, at);
        }
    }

    /// Stores what stands on the right of `=`.
    fn store(&mut self, place: Place, ty: Ty, v: &Value, at: At) {
        match v {
            Value::Expr(e) => {
                let e = self.of_type(e, ty);
                self.emit(Instr::Assign(vec![(place, e)]), at);
            }
            Value::New(class, args, new_at) => self.new_object(place, ty, class, args.as_deref(), *new_at),
            Value::Choose(chosen, choose_at) => {
                let chosen = self.env.ty(chosen, *choose_at);
                let all = match chosen {
                    Ty::Bool => vec![value::Value::Bool(false), value::Value::Bool(true)],
                    Ty::Range(lo, hi) if i64::from(hi) - i64::from(lo) < 1 << 16 => {
                        (lo..=hi).map(value::Value::Int).collect()
                    }
                    _ => {
                        let message = "a choice is among truth values, or among the numbers of a range";
                        return self.env.error(*choose_at, message);
                    }
                };
                self.through(place, chosen, ty, at, |scope, place| {
                    scope.emit(Instr::Choose(place, all), at);
                });
            }
            Value::Call(call) => {
                let Some((proc, args, result)) = self.resolve(call) else { return };
                let Some(result) = result else {
                    return self.env.error(call.at, format!("`{}` returns no value", call.name));
                };
                if let (Place::Local(slot), true) = (&place, result == ty) {
                    self.emit(Instr::Call(proc, args, vec![Some(*slot)]), at);
                    return;
                }
                let slot = self.temporary(result);
                self.emit(Instr::Call(proc, args, vec![Some(slot)]), at);
                let e = self.fitted(Expr::Take(slot), result, ty, call.at);
                self.emit(Instr::Assign(vec![(place, e)]), at);
                self.release(slot);
            }
        }
    }

    /// Has a value of type `found` stored in a place of type `wanted`: directly if no check is needed.
    fn through(&mut self, place: Place, found: Ty, wanted: Ty, at: At, emit: impl FnOnce(&mut Self, Place)) {
        let slot = self.temporary(found);
        let value = self.fitted(Expr::Take(slot), found, wanted, at);
        if value == Expr::Take(slot) {
            self.release(slot);
            return emit(self, place);
        }
        emit(self, Place::Local(slot));
        self.emit(Instr::Assign(vec![(place, value)]), at);
        self.release(slot);
    }

    fn new_object(&mut self, place: Place, ty: Ty, class: &str, args: Option<&[crate::ast::Expr]>, at: At) {
        let Some(id) = self.env.classes.get(class).copied() else {
            return self.env.error(at, format!("there is no class `{class}`"));
        };
        let found = Ty::Class(id);
        let constructor = self.env.signatures.iter().position(|s| s.class == id && s.constructor);
        let Some(constructor) = constructor else {
            if args.is_some_and(|args| !args.is_empty()) {
                self.env.error(at, format!("class `{class}` has no constructor"));
            }
            self.fitted(Expr::Const(value::Value::Null), found, ty, at);
            self.emit(Instr::New(place, id), at);
            return;
        };
        let args = self.args(args.unwrap_or(&[]), constructor, at);
        let slot = self.temporary(found);
        self.emit(Instr::New(Place::Local(slot), id), at);
        let args = std::iter::once(Expr::Local(slot)).chain(args).collect();
        self.emit(Instr::Call(ProcId::from_index(constructor), args, vec![]), at);
        let e = self.fitted(Expr::Take(slot), found, ty, at);
        self.emit(Instr::Assign(vec![(place, e)]), at);
        self.release(slot);
    }

    /// A call whose result, if any, is thrown away.
    fn call(&mut self, call: &Call, result: impl Fn(Ty) -> Option<u16>) {
        if let Some((proc, args, ty)) = self.resolve(call) {
            let results = ty.map(result).into_iter().collect();
            self.emit(Instr::Call(proc, args, results), call.at);
        }
    }

    /// What is called, with what, and what it returns.
    fn resolve(&mut self, call: &Call) -> Option<(ProcId, Vec<Expr>, Option<Ty>)> {
        let (class, object) = match &call.receiver {
            None => (None, None),
            Some(e) => match &e.kind {
                ExprKind::Name(name) if self.class_named(name).is_some() => (self.class_named(name), None),
                _ => {
                    let (object, ty) = self.expr(e);
                    let Ty::Class(class) = ty else {
                        let message = format!("`{}` has no procedures", self.env.type_name(ty));
                        self.env.error(e.at, message);
                        return None;
                    };
                    (Some(class), Some(object))
                }
            },
        };
        let index = self.callee(call, class)?;
        let signature = self.env.signatures[index].clone();
        let mut args = vec![];
        match (signature.is_static, object) {
            (true, None) => {}
            (true, Some(_)) => self.env.error(call.at, format!("`{}` is static; name its class", call.name)),
            (false, Some(object)) => args.push(object),
            (false, None) if call.receiver.is_none() && !self.is_static && signature.class == self.class => {
                args.push(Expr::Local(0));
            }
            (false, None) => self.env.error(call.at, format!("`{}` is called on an object", call.name)),
        }
        args.extend(self.args(&call.args, index, call.at));
        Some((ProcId::from_index(index), args, signature.result))
    }

    /// The procedure that is meant; without a class, one of the own class, else the only static one of that name.
    fn callee(&mut self, call: &Call, class: Option<crate::code::ClassId>) -> Option<usize> {
        let all = &self.env.signatures;
        let in_class = |class| all.iter().position(|s| s.class == class && s.name == call.name);
        let found = match class {
            Some(class) => in_class(class),
            None => in_class(self.class).or_else(|| {
                let mut others = (0..all.len()).filter(|i| all[*i].name == call.name && all[*i].is_static);
                let first = others.next();
                if others.next().is_some() { None } else { first }
            }),
        };
        if found.is_none() {
            let place = match class {
                Some(class) => format!("class `{}` has", self.env.code.classes[class].name),
                None => "there is".to_owned(),
            };
            self.env.error(call.at, format!("{place} no (or no only) procedure `{}`", call.name));
        }
        found
    }

    fn args(&mut self, args: &[crate::ast::Expr], callee: usize, at: At) -> Vec<Expr> {
        let params = self.env.signatures[callee].params.clone();
        if params.len() != args.len() {
            let message = format!("{} arguments are needed, {} are given", params.len(), args.len());
            self.env.error(at, message);
        }
        args.iter().zip(params).map(|(e, ty)| self.of_type(e, ty)).collect()
    }
}
