//! Calls: by name, through pointers, of intrinsics; arguments, results, implicit declarations.

use super::place::deref;
use super::{Ast, Ev, Place, Val};
use crate::error::{Res, type_error, unsupported};
use crate::library::formats::made_text::makes_text;
use crate::library::intrinsics::Intrinsic;
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::declarations::linkage::refuse_use;
use crate::lower::scope::{Entity, FnId, Function};
use crate::types::table::Types;
use crate::types::ty::{FuncTy, IntTy, Ty};
use base::Span;
use ir::{Callee, Expr, HavocKind, Lvalue, Op, RecordId};
use lang_c::ast;
use std::rc::Rc;

/// Names that belong to compilers and other verifiers start so.
const RESERVED: [&str; 6] = ["__builtin_", "__sync_", "__atomic_", "__SMACK_", "__CPROVER_", "__ESBMC_"];

impl Context<'_> {
    pub(crate) fn call(&mut self, c: &ast::CallExpression, span: Span, want: bool) -> Res<Ev> {
        let Some((name, f)) = self.symbols.named_callee(c) else {
            return self.call_pointer(c, None, span, want);
        };
        match self.emitter.is_marked(&self.symbols, name) {
            true => self.marked_call(name, c, span, |cx, c| cx.call_named((name, f), c, span, true)),
            false => self.call_named((name, f), c, span, want),
        }
    }

    /// A call of a function that is named.
    fn call_named(
        &mut self,
        (name, f): (&str, Option<FnId>),
        c: &ast::CallExpression,
        span: Span,
        want: bool,
    ) -> Res<Ev> {
        if let Some(intrinsic) = self.symbols.intrinsic(&self.types, name, f) {
            if intrinsic == Intrinsic::Builtin && name == "__builtin_va_arg_pack" {
                return unsupported(span, "`__builtin_va_arg_pack` is not supported");
            }
            return self.call_intrinsic(intrinsic, name, f, c, span);
        }
        if let Some(scanned) = self.scan(name, f, c, span)? {
            return Ok(scanned);
        }
        if let Some(model) = self.symbols.undeclared_model(&self.types, name, f) {
            return self.call_undeclared((name, model), c, span);
        }
        let declared = f
            .filter(|f| !self.symbols.functions[*f].implicit)
            .map(|f| self.symbols.functions[f].ty.ret.ty.clone());
        let original = f;
        let f = match (self.symbols.model(&self.types, name, f), f) {
            (Some(model), f) => {
                if let Some(copied) = self.copied_literal(name, c, span)? {
                    return Ok(copied);
                }
                if let Some(known) = self.emitter.literal_variable(&mut self.symbols, name, model, c, span) {
                    return Ok(known);
                }
                if let Some(n) = crate::library::models::folded(name, c)
                    && let Ty::Int(ty) = &self.symbols.functions[model].ty.ret.ty
                {
                    return Ok(Ev::Val(Val::int(n, *ty)));
                }
                if f.is_none() {
                    let message = format!("`{name}` is not declared; it is taken as the C library's");
                    self.emitter.warn(span, message);
                }
                model
            }
            (None, Some(f)) => f,
            (None, None) => self.symbols.declare_implicitly(&mut self.emitter, name, span)?,
        };
        let result = self.call_function((f, original), c, None, span, want)?;
        // Models answer with pointers to other types than the program's declaration says.
        Ok(match (result, declared) {
            (Ev::Val(v), Some(ty)) if v.ty != ty => Ev::Val(Val { e: v.e.cast(ty.lower()), ty }),
            (Ev::Place(p), Some(ty)) if p.ty.ty != ty => {
                let at = p.lv.addr().cast(ty.lower().ptr_to());
                Ev::Place(deref(at, ty.into()))
            }
            (result, _) => result,
        })
    }

    /// A call of the C library's function by a name that is not declared: the caller gets the part of a result
    /// other than `int` that fits into one, or any number.
    fn call_undeclared(
        &mut self,
        (name, model): (&str, FnId),
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Ev> {
        self.emitter.warn(
            span,
            format!("`{name}` is not declared; it is taken as the C library's, with a result of type `int`"),
        );
        let value = match self.call_function((model, None), c, None, span, true)? {
            Ev::Val(Val { e, ty: Ty::Int(_) }) => e.cast(Ty::INT.lower()),
            _ => self.emitter.havoc_temp(Ty::INT.lower(), HavocKind::Unmodelled(name.into()), span),
        };
        Ok(Ev::Val(Val { e: value, ty: Ty::INT }))
    }

    /// A call whose result goes to a plain variable of its type, without a temporary. False, and nothing is
    /// done, when the result has another type or the call is not of that kind.
    pub(crate) fn call_into(&mut self, c: &ast::CallExpression, place: &Place, span: Span) -> Res<bool> {
        match self.symbols.named_callee(c) {
            Some((name, _)) if self.emitter.is_marked(&self.symbols, name) => Ok(false),
            Some((name, f)) => match self.symbols.intrinsic(&self.types, name, f) {
                Some(Intrinsic::Input(ty)) if ty.lower() == place.lv.ty => {
                    self.emitter.statement(Op::Havoc(place.lv.clone(), HavocKind::Input(name.into())), span);
                    Ok(true)
                }
                Some(_) => Ok(false),
                None => {
                    let Some(f) = f else { return Ok(false) };
                    if self.symbols.undeclared_model(&self.types, name, Some(f)).is_some() {
                        return Ok(false);
                    }
                    let model = self.symbols.model(&self.types, name, Some(f));
                    if model.is_some() && crate::library::models::folded(name, c).is_some() {
                        return Ok(false);
                    }
                    if self.symbols.functions[f].def.is_none()
                        && crate::library::formats::scan_format::is_scan(name, c)
                    {
                        return Ok(false);
                    }
                    if model.is_some() && (name.ends_with("strcpy") || name == "getenv") {
                        return Ok(false);
                    }
                    let original = Some(f);
                    let f = model.unwrap_or(f);
                    if self.symbols.functions[f].ty.ret.ty.lower() != place.lv.ty {
                        return Ok(false);
                    }
                    self.call_function((f, original), c, Some(place.lv.clone()), span, true)?;
                    Ok(true)
                }
            },
            None => {
                let ty = self.type_of_expr(&c.callee)?;
                let fits = ty.ty.function().is_some_and(|f| f.ret.ty.lower() == place.lv.ty);
                if fits {
                    self.call_pointer(c, Some(place.lv.clone()), span, true)?;
                }
                Ok(fits)
            }
        }
    }

    /// Calls a function; the second one is what the program names, and a model of it the first.
    fn call_function(
        &mut self,
        (f, original): (FnId, Option<FnId>),
        c: &ast::CallExpression,
        dest: Option<Lvalue>,
        span: Span,
        want: bool,
    ) -> Res<Ev> {
        self.symbols.refuse_call(f, span)?;
        let ty = self.symbols.functions[f].ty.clone();
        let defined = self.symbols.functions[f].def.is_some();
        let args = self.arguments(&ty, defined, c, span)?;
        if defined && ty.variadic {
            self.check_listed(ty.params.len(), c, span)?;
        }
        if !defined || self.symbols.is_model(self.symbols.functions[f].file) {
            let known: Vec<Option<Expr>> = args.iter().cloned().map(Some).collect();
            let name = self.symbols.functions[f].name.clone();
            self.accesses(&name, original, c, &known, span)?;
        }
        if let Some(text) = makes_text(&self.symbols.functions[f].name)
            && self.symbols.is_model(self.symbols.functions[f].file)
        {
            let length = self.emitter.make_text(&mut self.symbols, text, &args, &c.arguments, span);
            let Some(dest) = dest else { return Ok(Ev::Val(length)) };
            self.emitter.internal(Op::Assign(dest.clone(), length.e), span);
            return Ok(Ev::Val(Val { e: dest.load(), ty: length.ty }));
        }
        self.emitter.emit_direct_call(&self.types, &mut self.symbols, (f, &ty), args, (dest, want), span)
    }

    fn call_pointer(
        &mut self,
        c: &ast::CallExpression,
        dest: Option<Lvalue>,
        span: Span,
        want: bool,
    ) -> Res<Ev> {
        let at = self.symbols.span(&c.callee);
        let callee = self.value(&c.callee)?;
        let Some(ty) = callee.ty.function().cloned() else {
            return type_error(at, "what is called is no function");
        };
        let later: Vec<&Ast> = c.arguments.iter().collect();
        let pointer = self.emitter.keep(&self.types, &self.symbols, callee.e, &later, at);
        let args = self.arguments(&ty, false, c, span)?;
        if ty.variadic || !ty.proto {
            self.check_listed(ty.params.len(), c, span)?;
        }
        let callee = match pointer {
            Expr::Func(proc, _) if self.settings.options.marked.is_none() => Callee::Direct(proc),
            pointer => Callee::Indirect(pointer),
        };
        self.emitter.emit_call(&self.types, &mut self.symbols, (callee, &ty), args, (dest, want), span)
    }

    /// The arguments of a call, converted; `defined`: the parameters of a declaration without prototype are
    /// those of the definition.
    fn arguments(
        &mut self,
        ty: &FuncTy,
        defined: bool,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Vec<Expr>> {
        let (have, need) = (c.arguments.len(), ty.params.len());
        if ty.proto && (have < need || (have > need && !ty.variadic)) {
            let message = format!("the function takes {need} arguments, not {have}");
            return type_error(span, message);
        }
        let mut out = self.kept_arguments(c, |cx, n, argument| match ty.params.get(n) {
            Some(param) => cx.argument(argument, &param.ty),
            None => cx.promoted_argument(argument),
        })?;
        if !ty.proto && defined {
            self.emitter.fit_arguments(ty, &mut out, span)?;
        }
        Ok(out)
    }

    fn argument(&mut self, e: &Ast, ty: &Ty) -> Res<Expr> {
        let Ty::Record(record) = ty else { return self.value_to(e, ty) };
        let span = self.symbols.span(e);
        match self.eval(e)? {
            Ev::Place(p) if p.ty.ty == *ty => self.emitter.passed_record(&self.types, &self.symbols, p, span),
            _ if self.types.vector_type_of(ty).is_some() => self.types.refuse_vector(&[ty], span, ""),
            ev if self.types.records[*record].is_union => {
                let v = self.emitter.read(&self.types, &mut self.symbols, ev, span)?;
                self.emitter.transparent_argument(&self.types, v, *record, span)
            }
            _ => type_error(span, "the argument has another type than the parameter"),
        }
    }

    /// The arguments of a call without prototype, in order.
    pub(crate) fn promoted_arguments(&mut self, c: &ast::CallExpression) -> Res<Vec<Expr>> {
        self.kept_arguments(c, |cx, _, argument| cx.promoted_argument(argument))
    }

    /// The values made from each argument, in order; later ones do not change them.
    pub(crate) fn kept_arguments(
        &mut self,
        c: &ast::CallExpression,
        mut value: impl FnMut(&mut Self, usize, &Ast) -> Res<Expr>,
    ) -> Res<Vec<Expr>> {
        let mut args = vec![];
        for (n, argument) in c.arguments.iter().enumerate() {
            let later: Vec<&Ast> = c.arguments[n + 1..].iter().collect();
            let at = self.symbols.span(argument);
            let e = value(self, n, argument)?;
            args.push(self.emitter.keep(&self.types, &self.symbols, e, &later, at));
        }
        Ok(args)
    }

    /// The default argument promotions.
    pub(crate) fn promoted_argument(&mut self, e: &Ast) -> Res<Expr> {
        let span = self.symbols.span(e);
        match self.eval(e)? {
            Ev::Place(p) if matches!(p.ty.ty, Ty::Record(_)) => {
                self.emitter.passed_record(&self.types, &self.symbols, p, span)
            }
            ev => {
                let v = self.emitter.read(&self.types, &mut self.symbols, ev, span)?;
                match v.ty {
                    Ty::Int(i) => {
                        let to: IntTy = i.promoted();
                        Ok(v.e.cast(Ty::Int(to).lower()))
                    }
                    Ty::Float(bits) if bits < 64 => Ok(v.e.cast(Ty::DOUBLE.lower())),
                    _ => Ok(v.e),
                }
            }
        }
    }
}

impl Symbols<'_> {
    /// The error where the function cannot be called.
    fn refuse_call(&self, f: FnId, span: Span) -> Res<()> {
        if let Some(attribute) = &self.functions[f].refused {
            return refuse_use(attribute, span);
        }
        let defined = self.functions[f].def.is_some();
        // The meaning that compilers and other verifiers give to their own names is not an undefined function's
        // "anything".
        let name = &self.functions[f].name;
        if !defined && RESERVED.iter().any(|p| name.starts_with(p)) {
            return unsupported(span, format!("`{name}` is not supported"));
        }
        Ok(())
    }

    /// Name and function of a callee that is named directly; the function is `None` when it is undeclared.
    /// Nothing when the name stands for something else.
    pub(crate) fn named_callee<'e>(&self, c: &'e ast::CallExpression) -> Option<(&'e str, Option<FnId>)> {
        let ast::Expression::Identifier(id) = &c.callee.node else { return None };
        let name = id.node.name.as_str();
        match self.scopes.lookup(name) {
            Some(Entity::Function(f)) => Some((name, Some(*f))),
            Some(_) => None,
            None => Some((name, None)),
        }
    }

    fn declare_implicitly(&mut self, emitter: &mut Emitter<'_>, name: &str, span: Span) -> Res<FnId> {
        emitter.warn(span, format!("`{name}` is not declared; it is taken as `int {name}()`"));
        // Another file, or a later line, may define it.
        if let Some(known) = self.extern_functions.get(name).copied() {
            let file = self.scopes.file;
            self.scopes.files[file].names.insert(name.to_owned(), Entity::Function(known));
            return Ok(known);
        }
        let id = self.functions.len();
        let function = Function::new(name, Rc::new(FuncTy::implicit()), self.scopes.file, span);
        self.functions.push(Function { implicit: true, ..function });
        if emitter.dry == 0 {
            let file = self.scopes.file;
            self.scopes.files[file].names.insert(name.to_owned(), Entity::Function(id));
            self.extern_functions.insert(name.to_owned(), id);
        }
        Ok(id)
    }
}

impl Emitter<'_> {
    /// A call of a function by its name.
    fn emit_direct_call(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        (f, ty): (FnId, &FuncTy),
        args: Vec<Expr>,
        (dest, want): (Option<Lvalue>, bool),
        span: Span,
    ) -> Res<Ev> {
        let proc = self.proc_of(symbols, f);
        let ends = symbols.functions[f].def.is_none() && symbols.functions[f].noreturn;
        let result = self.emit_call(types, symbols, (Callee::Direct(proc), ty), args, (dest, want), span)?;
        if ends {
            self.end_path(span);
        }
        Ok(result)
    }

    /// The call's arguments and the definition's parameters differ in number: what is missing is arbitrary, what is
    /// too much is dropped after its evaluation.
    fn fit_arguments(&mut self, ty: &FuncTy, out: &mut Vec<Expr>, span: Span) -> Res<()> {
        let (have, need) = (out.len(), ty.params.len());
        if have != need {
            let message = format!("the function has {need} parameters and is called with {have} arguments");
            self.warn(span, message);
        }
        out.truncate(need);
        for param in &ty.params[out.len().min(need)..] {
            if !param.ty.is_scalar() {
                return type_error(span, "an argument is missing");
            }
            let e = self.havoc_temp(param.ty.lower(), HavocKind::Uninit, span);
            out.push(e);
        }
        Ok(())
    }

    fn emit_call(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        (callee, ty): (Callee, &FuncTy),
        mut args: Vec<Expr>,
        (dest, want): (Option<Lvalue>, bool),
        span: Span,
    ) -> Res<Ev> {
        match &ty.ret.ty {
            Ty::Void => {
                self.statement(Op::Call { dest: None, callee, args }, span);
                Ok(Ev::Void)
            }
            Ty::Record(_) => {
                types.size_of(&ty.ret.ty, span)?;
                let is_new = dest.is_none();
                let t = dest.unwrap_or_else(|| self.temp(ty.ret.ty.lower(), span));
                args.insert(0, t.clone().addr());
                let place = Place { lv: t, ty: ty.ret.ty.clone().into(), bit_field: false };
                if is_new {
                    symbols.ends_with_expression(types, self, &place);
                }
                self.statement(Op::Call { dest: None, callee, args }, span);
                Ok(Ev::Place(place))
            }
            Ty::Refused(what) => unsupported(span, format!("{what} are not supported")),
            ret => {
                let dest = match dest {
                    Some(dest) => Some(dest),
                    None => want.then(|| self.temp(ret.lower(), span)),
                };
                self.statement(Op::Call { dest: dest.clone(), callee, args }, span);
                Ok(dest.map_or(Ev::Void, |d| Ev::Val(Val { e: d.load(), ty: ret.clone() })))
            }
        }
    }

    /// The address of a struct or union that the callee copies; a volatile one is read here.
    fn passed_record(&mut self, types: &Types, symbols: &Symbols<'_>, p: Place, span: Span) -> Res<Expr> {
        if !p.ty.volatile || !self.may_change_itself(symbols, &p.lv) {
            return Ok(types.address(p.lv));
        }
        let t = self.temp(p.ty.ty.lower(), span);
        self.copy_read(types, symbols, &t, &p, span)?;
        Ok(t.addr())
    }

    /// An argument for a `transparent_union`: a union whose fitting member has the value.
    fn transparent_argument(&mut self, types: &Types, v: Val, record: RecordId, span: Span) -> Res<Expr> {
        let members = types.members[base::Id::index(record)].clone();
        let null = v.e.is_zero();
        let fitting = members.iter().position(|m| {
            m.ty.ty.compatible(&v.ty) || (m.ty.ty.pointee().is_some() && (null || v.ty == Ty::void_ptr()))
        });
        let Some(n) = fitting else {
            return type_error(span, "the argument has another type than the parameter");
        };
        let t = self.temp(Ty::Record(record).lower(), span);
        let whole = Place { lv: t.clone(), ty: Ty::Record(record).into(), bit_field: false };
        let member = types.step_member(whole, record, n as u32);
        let e = self.convert(v, &member.ty.ty, span)?;
        self.internal(Op::Assign(member.lv, e), span);
        Ok(t.addr())
    }
}
