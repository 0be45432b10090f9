//! The C-- program under construction: variables, procedures, checks, and the edges of the current procedure.

use super::{LibraryObjects, Report, Settings};
use crate::lower::cfg::Fun;
use crate::lower::context::Symbols;
use crate::lower::scope::{FnId, Names, ObjId};
use crate::types::table::Types;
use crate::types::ty::{FuncTy, Ty};
use base::{Diagnostic, Id, IndexVec, Span};
use ir::{
    Callee, Check, CheckId, CheckKind, EdgeKind, Expr, HavocKind, LocId, Lvalue, Op, Origin, Proc, ProcId,
    Type, Var, VarId, VarKind,
};
use std::sync::Arc;

/// The initialisation of an object with static storage, a part of the start procedure.
#[derive(Debug)]
pub(crate) struct StaticInit {
    /// Objects are initialised in this order.
    pub(crate) order: ObjId,
    pub(crate) ops: Vec<(Op, Span)>,
}

/// How far the program and its current procedure had come.
pub(crate) struct Mark {
    edges: usize,
    checks: usize,
    at: LocId,
}

/// What a dry run puts aside, and how far the program had come.
pub(crate) struct BeforeDry {
    fun: Fun,
    vars: usize,
    globals: usize,
    checks: usize,
    strings: u32,
}

/// The program so far, and the procedure that edges are added to.
///
/// Invariant: in a dry run (`dry` above zero) nothing that is made is kept, and no procedure is made.
pub(crate) struct Emitter<'a> {
    pub(crate) settings: Settings<'a>,
    pub(crate) vars: Vec<Var>,
    pub(crate) globals: Vec<VarId>,
    pub(crate) names: Names,
    pub(crate) procs: IndexVec<ProcId, Proc>,
    pub(crate) checks: Vec<Check>,
    /// The procedure under construction.
    pub(crate) fun: Fun,
    /// The procedure that runs the initialisers, while another one is under construction.
    pub(crate) start: Option<Fun>,
    pub(crate) static_inits: Vec<StaticInit>,
    /// An initialiser of a static object is being lowered.
    pub(crate) in_static_init: bool,
    /// Above zero, nothing that is made is kept.
    pub(crate) dry: u32,
    /// The value of an expression is computed that C wants to be constant; whether overflow wraps then.
    pub(crate) constant: Option<bool>,
    /// How many string literals have a variable.
    pub(crate) strings: u32,
    pub(crate) library: LibraryObjects,
    pub(crate) report: Report,
}

impl<'a> Emitter<'a> {
    /// An empty program.
    pub(crate) fn new(settings: Settings<'a>) -> Emitter<'a> {
        Emitter {
            settings,
            vars: vec![],
            globals: vec![],
            names: Names::default(),
            procs: IndexVec::new(),
            checks: vec![],
            fun: Fun::new(ProcId::from_index(0), "start__"),
            start: None,
            static_inits: vec![],
            in_static_init: false,
            dry: 0,
            constant: None,
            strings: 0,
            library: LibraryObjects::default(),
            report: Report::default(),
        }
    }
}

impl Emitter<'_> {
    /// How far the program is now.
    pub(crate) fn mark(&self) -> Mark {
        Mark { edges: self.fun.mark(), checks: self.checks.len(), at: self.fun.cur }
    }

    /// Takes the edges and checks since a mark back.
    pub(crate) fn take_back(&mut self, mark: Mark) {
        self.fun.edges_since(mark.edges);
        self.fun.cur = mark.at;
        self.checks.truncate(mark.checks);
    }

    /// From here on nothing that is made is kept.
    pub(crate) fn begin_dry(&mut self) -> BeforeDry {
        let mut scratch = Fun::new(self.fun.proc, &self.fun.name);
        scratch.ret_ty = self.fun.ret_ty.clone();
        let fun = std::mem::replace(&mut self.fun, scratch);
        self.dry += 1;
        let (vars, globals, checks) = (self.vars.len(), self.globals.len(), self.checks.len());
        BeforeDry { fun, vars, globals, checks, strings: self.strings }
    }

    /// Throws away what was made since then.
    pub(crate) fn end_dry(&mut self, before: BeforeDry) {
        self.dry -= 1;
        self.fun = before.fun;
        self.vars.truncate(before.vars);
        self.globals.truncate(before.globals);
        self.checks.truncate(before.checks);
        self.strings = before.strings;
    }

    /// A warning; of several equal ones at one place the first is kept.
    pub(crate) fn warn(&mut self, span: Span, message: impl Into<String>) {
        let warning = Diagnostic::warning(span, message);
        if self.dry == 0 && !self.report.warnings.contains(&warning) {
            self.report.warnings.push(warning);
        }
    }

    /// How operations on constants are computed here.
    pub(crate) fn rules(&self) -> crate::types::constants::Rules {
        let wrap = self.constant.unwrap_or(self.settings.options.signed_wrap);
        crate::types::constants::Rules { wrap, constant: self.constant.is_some() }
    }

    /// A new variable of the procedure under construction.
    pub(crate) fn new_var(&mut self, name: String, ty: Type, kind: VarKind, span: Span) -> VarId {
        let id = VarId::from_index(self.vars.len());
        self.vars.push(Var { name, ty, kind, span, data: None, align: 0, constant: None });
        match kind {
            VarKind::Global => self.globals.push(id),
            VarKind::Local(_) | VarKind::Temp(_) | VarKind::Return(_) => self.fun.locals.push(id),
            VarKind::Formal(_) => {}
        }
        id
    }

    /// A new local variable with the C name `wish`.
    pub(crate) fn new_local(&mut self, wish: &str, ty: &Ty, span: Span) -> VarId {
        let name = self.names.local(wish, &mut self.fun.used_names);
        let kind = VarKind::Local(self.fun.proc);
        self.new_var(name, ty.lower(), kind, span)
    }

    /// A new temporary for the expression at `span`.
    pub(crate) fn temp(&mut self, ty: Type, span: Span) -> Lvalue {
        self.fun.temps += 1;
        let wish = format!("tmp__{}", self.fun.temps);
        let name = self.names.local(&wish, &mut self.fun.used_names);
        let id = self.new_var(name, ty.clone(), VarKind::Temp(self.fun.proc), span);
        Lvalue::var(id, ty)
    }

    /// A new global that the program text does not name, without initialiser.
    pub(crate) fn anonymous_global(&mut self, wish: &str, ty: Type, span: Span) -> VarId {
        let name = self.names.global(wish);
        self.new_var(name, ty, VarKind::Global, span)
    }

    pub(crate) fn internal(&mut self, op: Op, span: Span) {
        self.fun.emit(op, span, EdgeKind::Internal);
    }

    pub(crate) fn statement(&mut self, op: Op, span: Span) {
        self.fun.emit(op, span, EdgeKind::Statement);
    }

    /// Calls a procedure that the program itself does not call.
    pub(crate) fn call_internally(&mut self, proc: ProcId, args: Vec<Expr>, span: Span) {
        self.internal(Op::Call { dest: None, callee: Callee::Direct(proc), args }, span);
    }

    /// Puts a value into a temporary, unless it is a constant.
    pub(crate) fn spill(&mut self, e: Expr, span: Span) -> Expr {
        if matches!(e, Expr::Const(..) | Expr::Float(..) | Expr::Func(..)) {
            return e;
        }
        let t = self.temp(e.ty(), span);
        self.internal(Op::Assign(t.clone(), e), span);
        t.load()
    }

    /// An arbitrary value of a scalar type.
    pub(crate) fn havoc_temp(&mut self, ty: Type, kind: HavocKind, span: Span) -> Expr {
        let t = self.temp(ty, span);
        self.internal(Op::Havoc(t.clone(), kind), span);
        t.load()
    }

    /// Emits a check of the reachability kind.
    pub(crate) fn check(&mut self, condition: Expr, message: String, span: Span) {
        self.check_of(CheckKind::Reach, condition, message, span);
    }

    /// A check of this kind.
    pub(crate) fn check_of(&mut self, kind: CheckKind, condition: Expr, message: String, span: Span) {
        let id = CheckId::from_index(self.checks.len());
        let proc = self.fun.proc;
        self.checks.push(Check::new(kind, span, &message, proc));
        self.statement(Op::Check(id, condition), span);
    }

    /// Executions that get here are not modelled any further, for the reason in the message.
    pub(crate) fn unmodelled(&mut self, message: impl Into<String>, span: Span) {
        let id = CheckId::from_index(self.checks.len());
        let proc = self.fun.proc;
        self.checks.push(Check::new(CheckKind::Unmodelled, span, message.into().as_str(), proc));
        self.statement(Op::Check(id, Expr::int(0)), span);
        self.end_path(span);
    }

    /// The path ends here.
    pub(crate) fn end_path(&mut self, span: Span) {
        self.internal(Op::Assume(Expr::int(0)), span);
        self.fun.cur = self.fun.new_loc();
    }

    /// The procedure of a function, made at its first use; functions with body are lowered later.
    pub(crate) fn proc_of(&mut self, symbols: &mut Symbols<'_>, f: FnId) -> ProcId {
        if let Some(proc) = symbols.functions[f].proc {
            return proc;
        }
        if self.dry > 0 {
            return ProcId::from_index(0);
        }
        let function = symbols.functions[f].clone();
        let has_body = function.def.is_some();
        let name = self.names.procs.fresh(&function.name, |_| false);
        let ty = Arc::new(function.ty.lower());
        let proc = Proc { origin: symbols.origin(&function), ..Proc::new(name, ty, has_body, function.span) };
        let id = self.procs.push(proc);
        symbols.functions[f].proc = Some(id);
        symbols.todo_functions.push_back(f);
        id
    }

    /// An invented procedure without body, which does with its arguments what undefined functions do.
    pub(crate) fn outside(&mut self, name: &'static str, origin: Origin, span: Span) -> ProcId {
        if let Some(proc) = self.library.outside.get(name) {
            return *proc;
        }
        if self.dry > 0 {
            return ProcId::from_index(0);
        }
        let proc = self.outside_procedure(name, origin, span);
        self.library.outside.insert(name, proc);
        proc
    }

    /// A procedure of that kind, which has no other callers.
    pub(crate) fn outside_procedure(&mut self, name: &str, origin: Origin, span: Span) -> ProcId {
        let unique = self.names.procs.fresh(name, |_| false);
        let ty = FuncTy { ret: Ty::Void.into(), params: vec![], variadic: true, proto: true };
        self.procs.push(Proc { origin, ..Proc::new(unique, Arc::new(ty.lower()), false, span) })
    }

    /// The C-- variable of an object with static storage, made at its first use.
    pub(crate) fn object_var(
        &mut self,
        types: &mut Types,
        symbols: &mut Symbols<'_>,
        object: ObjId,
    ) -> VarId {
        if let Some(var) = symbols.objects[object].var {
            return var;
        }
        if self.dry > 0 {
            return VarId::from_index(0);
        }
        let o = symbols.objects[object].clone();
        // A tentative array without length has one element.
        let ty = match &o.ty.ty {
            Ty::Array(elem, None) if o.defined => Ty::Array(elem.clone(), Some(1)).lower(),
            Ty::Array(elem, None) => types.array_elsewhere(symbols.scopes.file, &o.name, elem),
            ty => ty.lower(),
        };
        let (name, span) = (o.name.clone(), o.span);
        let reserved = self.names.reserved(&name);
        let id = self.new_var(reserved, ty, VarKind::Global, span);
        let ty = symbols.objects[object].ty.clone();
        self.note_name(id, &name, &ty);
        self.note_constant(types, id, &ty);
        symbols.objects[object].var = Some(id);
        symbols.todo_objects.push_back(object);
        id
    }
}
