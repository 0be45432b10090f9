//! Accesses of library functions: in front of a call stands a [`LibraryAccess`] for each need of their contracts.
//!
//! Invariant: nothing is assumed about a function that gets pointers and has neither a contract nor a model
//! that makes its accesses itself: a call may be "not modelled".

use crate::error::Res;
use crate::library::contracts::Len::{self, Arg, Bytes, Input, Pointee, Product};
use crate::library::contracts::Need::{
    self, Format, MayTouch, More, OptionalReads, OptionalText, OptionalWrites, Present, Reads, Text, Writes,
};
use crate::library::formats::text_length::{self, Argument};
use crate::library::intrinsics::Intrinsic;
use crate::library::{contract, may_allocate};
use crate::lower::context::{Context, Emitter, Settings, Symbols};
use crate::lower::expr::Ast;
use crate::lower::scope::FnId;
use crate::types::table::Types;
use crate::types::ty::{FuncTy, Ty};
use base::{Id, Span};
use ir::{BinOp, Check, CheckId, CheckKind, Expr, HavocKind, LibraryAccess, Op, Output};
use lang_c::ast;

/// Functions that access nothing through the pointers which they are given, or whose accesses the front end lowers.
fn is_harmless(name: &str) -> bool {
    name.starts_with("__builtin_") || name.starts_with("__VERIFIER_") || name.starts_with("__CPROVER_")
}

/// The call that the accesses belong to.
struct Call<'c> {
    name: &'c str,
    /// The values of the arguments, where they are known.
    args: &'c [Option<Expr>],
    /// Their source.
    asts: &'c [Ast],
    /// The function as the program declares it.
    declared: Option<std::rc::Rc<FuncTy>>,
    span: Span,
}

impl Context<'_> {
    /// Writes down what the library accesses in a call with these arguments, behind the checks of its format and
    /// streams.
    pub(crate) fn accesses(
        &mut self,
        name: &str,
        f: Option<FnId>,
        c: &ast::CallExpression,
        args: &[Option<Expr>],
        span: Span,
    ) -> Res<()> {
        self.check_format(name, c, span)?;
        self.emitter.use_streams(&self.types, &self.symbols, (name, f), &c.arguments, args, span);
        self.emitter.unseen_allocation(&self.types, &self.symbols, name, f, args, span);
        if !self.settings.checks_memory() || self.symbols.is_model(self.symbols.scopes.file) {
            return Ok(());
        }
        self.emitter.copies_apart(name, args, span);
        let declared = f.map(|f| self.symbols.functions[f].ty.clone());
        let call = Call { name, args, asts: &c.arguments, declared, span };
        let Some(needs) = contract(name) else {
            let library = f.is_some_and(|f| self.symbols.is_of_library(f));
            let pointers = args.iter().flatten().any(|a| a.ty().is_ptr());
            let modelled = self.symbols.model(&self.types, name, f).is_some() || is_harmless(name);
            if library && pointers && !modelled {
                self.emitter.perhaps_unmodelled(name, span);
            }
            return Ok(());
        };
        for need in needs {
            self.emitter.need(&self.types, &call, *need)?;
        }
        Ok(())
    }
}

impl Settings<'_> {
    /// Whether accesses of memory are checked.
    pub(crate) fn checks_memory(&self) -> bool {
        use CheckKind::{Bounds, Free, Member, Null, Overlap, Readonly, Uninit};
        [Bounds, Free, Null, Uninit, Readonly, Overlap, Member].into_iter().any(|k| self.options.wants(k))
    }

    /// Whether the arguments of calls of the library are checked.
    pub(crate) fn checks_calls(&self) -> bool {
        self.checks_memory()
            || [CheckKind::Format, CheckKind::File].into_iter().any(|k| self.options.wants(k))
    }
}

impl Symbols<'_> {
    /// Whether a header of the system declares the function.
    pub(crate) fn is_of_library(&self, f: FnId) -> bool {
        let function = &self.functions[f];
        let file = self.parsed.get(function.file);
        file.is_some_and(|p| p.source.lines.is_of_system(function.span.file))
    }
}

impl Emitter<'_> {
    /// Where leaks are checked: memory that the library allocates for the caller and no model does.
    fn unseen_allocation(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        name: &str,
        f: Option<FnId>,
        args: &[Option<Expr>],
        span: Span,
    ) {
        if !self.settings.options.wants(CheckKind::Leak) || symbols.is_model(symbols.scopes.file) {
            return;
        }
        let Some(f) = f.filter(|f| symbols.functions[*f].def.is_none()) else { return };
        let function = &symbols.functions[f];
        let known = symbols.model(types, name, Some(f)).is_some() || is_harmless(name);
        if known || !symbols.is_library_name(name, function.file, function.span) {
            return;
        }
        let pointers =
            args.iter().flatten().any(|a| a.ty().is_ptr()) || function.ty.ret.ty.pointee().is_some();
        if pointers && may_allocate(name) {
            self.perhaps_unmodelled(name, span);
        }
    }

    /// The address of a function of the library is taken: what it accesses when it is called by that is not checked.
    pub(crate) fn addressed(&mut self, types: &Types, symbols: &Symbols<'_>, f: FnId, span: Span) {
        let function = &symbols.functions[f];
        let known = contract(&function.name).is_some_and(|needs| !needs.is_empty());
        let pointers = function.ty.params.iter().any(|p| p.ty.pointee().is_some());
        let undefined = function.def.is_none() || symbols.is_model(function.file);
        // A function with operations of its own is checked in the procedure that the pointer leads to.
        let own = match symbols.addressed_intrinsic(types, f) {
            Some(Intrinsic::Free | Intrinsic::MemSet | Intrinsic::MemCopy) => true,
            Some(_) => !known,
            None => false,
        };
        let unlooked = self.settings.options.wants(CheckKind::Format)
            && (crate::library::formats::check::format_of(&function.name).is_some()
                || crate::library::formats::check::takes_other_format(&function.name))
            || self.settings.options.wants(CheckKind::File)
                && contract(&function.name).is_some_and(|n| n.iter().any(|n| matches!(n, Present(_))));
        let exact = own || !known && symbols.model(types, &function.name, Some(f)).is_some();
        let accesses =
            self.settings.checks_memory() && !exact && (known || pointers && symbols.is_of_library(f));
        if undefined && (accesses || unlooked) {
            let name = function.name.clone();
            if self.in_static_init {
                self.library.addressed_at_start.insert(name);
            } else {
                self.perhaps_unmodelled(&name, span);
            }
        }
    }

    /// The objects whose addresses the initialisers of static objects take, in the start procedure.
    pub(crate) fn addressed_statically(&mut self, span: Span) {
        for name in std::mem::take(&mut self.library.addressed_at_start) {
            self.perhaps_unmodelled(&name, span);
        }
    }

    /// Executions go on from here, and some of them may not be modelled.
    pub(crate) fn perhaps_unmodelled(&mut self, name: &str, span: Span) {
        let id = CheckId::from_index(self.checks.len());
        let message = format!("no model: {name}");
        self.checks.push(Check::new(CheckKind::Unmodelled, span, &message, self.fun.proc));
        let kind = HavocKind::Analysis(format!("whether a call of {name} is modelled").into());
        let any = self.havoc_temp(ir::Type::INT, kind, span);
        self.internal(Op::Check(id, any), span);
    }

    pub(crate) fn access(&mut self, access: LibraryAccess, args: Vec<Expr>, span: Span) {
        self.internal(Output::Access(access).op(args), span);
    }

    fn need(&mut self, types: &Types, call: &Call<'_>, need: Need) -> Res<()> {
        let pointer = |n: usize| call.args.get(n).cloned().flatten().filter(|e| e.ty().is_ptr());
        match need {
            Text(n) => {
                if let Some(p) = pointer(n) {
                    self.access(LibraryAccess::Text, vec![p], call.span);
                }
            }
            Present(n) if call.asts.get(n).is_some_and(crate::library::output::is_standard) => {}
            Present(n) => {
                if let Some(p) = pointer(n) {
                    self.access(LibraryAccess::Present, vec![p], call.span);
                }
            }
            OptionalText(n) => self.unless_null(pointer(n), call, |cx| cx.need(types, call, Text(n)))?,
            OptionalReads(n, len) => {
                self.unless_null(pointer(n), call, |cx| cx.need(types, call, Reads(n, len)))?
            }
            OptionalWrites(n, len) => {
                self.unless_null(pointer(n), call, |cx| cx.need(types, call, Writes(n, len)))?;
            }
            Reads(n, len) => self.block(types, call, LibraryAccess::Reads, (n, pointer(n)), len),
            Writes(n, len) => self.block(types, call, LibraryAccess::Writes, (n, pointer(n)), len),
            MayTouch(n, len) => {
                self.block(types, call, LibraryAccess::MayTouch, (n, pointer(n)), len);
                if self.settings.options.wants(CheckKind::Readonly) {
                    self.block(types, call, LibraryAccess::Changes, (n, pointer(n)), len);
                }
            }
            Format(at, first) => self.format(call, at, first),
            More => self.perhaps_unmodelled(call.name, call.span),
        }
        Ok(())
    }

    /// Emits something unless the pointer is NULL.
    fn unless_null(
        &mut self,
        pointer: Option<Expr>,
        call: &Call<'_>,
        emit: impl FnOnce(&mut Self) -> Res<()>,
    ) -> Res<()> {
        let Some(p) = pointer else { return Ok(()) };
        if p.uncast().is_zero() {
            return Ok(());
        }
        if matches!(p, Expr::AddrOf(_)) {
            return emit(self);
        }
        let join = self.fun.new_loc();
        let null = Expr::binary(BinOp::Eq, p.clone(), Expr::Const(0, p.ty()));
        self.fork(null, join, call.span);
        emit(self)?;
        self.fun.enter(join, call.span);
        Ok(())
    }

    fn block(
        &mut self,
        types: &Types,
        call: &Call<'_>,
        access: LibraryAccess,
        (n, p): (usize, Option<Expr>),
        len: Len,
    ) {
        let Some(p) = p else { return };
        let size = self.settings.size_ty().lower();
        let bytes = |v: u64| Expr::Const(v.into(), ir::Type::Int(size));
        match len {
            Bytes(v) => self.access(access, vec![p, bytes(v)], call.span),
            Pointee => match types.pointee_size(call, n) {
                Some(v) => self.access(access, vec![p, bytes(v)], call.span),
                None => self.perhaps_unmodelled(call.name, call.span),
            },
            Arg(m) => {
                let Some(count) = call.args.get(m).cloned().flatten() else { return };
                self.counted(access, p, count, call.span);
            }
            Product(l, r) => {
                let factor = |n: usize| call.args.get(n).cloned().flatten().map(|e| e.cast(bytes(0).ty()));
                let (Some(l), Some(r)) = (factor(l), factor(r)) else { return };
                self.product(access, p, (l, r), call.span);
            }
            Input => {
                let kind = HavocKind::Outside(format!("length of the input of {}", call.name).into());
                let any = self.havoc_temp(ir::Type::Int(size), kind, call.span);
                self.access(access, vec![p, any], call.span);
            }
        }
    }

    /// A count of bytes, of any integer type.
    fn counted(&mut self, access: LibraryAccess, p: Expr, count: Expr, span: Span) {
        let size = ir::Type::Int(self.settings.size_ty().lower());
        let signed = count.ty().as_int().is_some_and(|i| i.signed);
        if let Expr::Const(v, _) = &count {
            let v = (*v).max(0);
            return self.access(access, vec![p, Expr::Const(v, size)], span);
        }
        if !signed {
            return self.access(access, vec![p, count.cast(size)], span);
        }
        let join = self.fun.new_loc();
        let none = Expr::binary(BinOp::Le, count.clone(), Expr::Const(0, count.ty()));
        self.fork(none, join, span);
        self.access(access, vec![p, count.cast(size)], span);
        self.fun.enter(join, span);
    }

    /// A product of two counts, which is larger than every object when it does not fit `size_t`.
    fn product(&mut self, access: LibraryAccess, p: Expr, (l, r): (Expr, Expr), span: Span) {
        let ty = ir::Type::Int(self.settings.size_ty().lower());
        let most = self.settings.size_ty().lower().max();
        let (constant, other) = match (&l, &r) {
            (Expr::Const(a, _), Expr::Const(b, _)) => {
                let bytes = a.checked_mul(*b).map_or(most, |n| n.min(most));
                return self.access(access, vec![p, Expr::Const(bytes, ty)], span);
            }
            (Expr::Const(a, _), _) => (Some(*a), r.clone()),
            (_, Expr::Const(b, _)) => (Some(*b), l.clone()),
            _ => (None, l.clone()),
        };
        match constant {
            Some(0) => return,
            Some(1) => return self.access(access, vec![p, other], span),
            _ => {}
        }
        let (join, large) = (self.fun.new_loc(), self.fun.new_loc());
        let factor = constant.map_or(r, |c| Expr::Const(c, ty.clone()));
        if constant.is_none() {
            let zero = Expr::binary(BinOp::Eq, factor.clone(), Expr::Const(0, ty.clone()));
            self.fork(zero, join, span);
        }
        let bound = |most| {
            crate::types::constants::binary(
                BinOp::Div,
                most,
                factor.clone(),
                ty.clone(),
                crate::types::constants::Rules::default(),
            )
        };
        let over = Expr::binary(BinOp::Gt, other.clone(), bound(Expr::Const(most, ty.clone())));
        self.fork(over, large, span);
        let bytes = crate::types::constants::binary(
            BinOp::Mul,
            other,
            factor,
            ty.clone(),
            crate::types::constants::Rules::default(),
        );
        self.access(access, vec![p.clone(), bytes], span);
        self.fun.goto(join, span);
        self.fun.cur = large;
        self.access(access, vec![p, Expr::Const(most, ty)], span);
        self.fun.enter(join, span);
    }

    /// The format, and the strings among its values.
    fn format(&mut self, call: &Call<'_>, at: usize, first: usize) {
        let directives =
            call.asts.get(at).and_then(crate::library::models::literal_units).map(text_length::printed);
        let Some(directives) = directives else {
            // A program may declare the function with other types.
            if let Some(p) = call.args.get(at).cloned().flatten().filter(|e| e.ty().is_ptr()) {
                self.access(LibraryAccess::Text, vec![p], call.span);
            }
            return self.perhaps_unmodelled(call.name, call.span);
        };
        let mut next = first;
        for directive in directives {
            let (value, precision) = directive.arguments(&mut next);
            let Some(p) = value.and_then(|n| call.args.get(n).cloned().flatten()) else { continue };
            match directive.argument {
                Argument::Text if p.ty().is_ptr() => match (directive.precision, precision) {
                    (Some(most), _) => {
                        let most = Expr::Const(most as i128, ir::Type::Int(self.settings.size_ty().lower()));
                        self.access(LibraryAccess::MayTouch, vec![p, most], call.span);
                    }
                    (None, Some(n)) => {
                        if let Some(count) = call.args.get(n).cloned().flatten() {
                            self.counted(LibraryAccess::MayTouch, p, count, call.span);
                        }
                    }
                    (None, None) => self.access(LibraryAccess::Text, vec![p], call.span),
                },
                Argument::Other => self.perhaps_unmodelled(call.name, call.span),
                Argument::Text | Argument::Number | Argument::None => {}
            }
        }
    }
}

impl Types {
    /// The size of what a parameter points to, by the program's declaration.
    fn pointee_size(&self, call: &Call<'_>, n: usize) -> Option<u64> {
        let declared = call.declared.as_ref()?;
        let to = &declared.params.get(n)?.ty.pointee()?.ty;
        if matches!(to, Ty::Void | Ty::Func(_)) {
            return None;
        }
        self.size_of(to, call.span).ok()
    }
}
