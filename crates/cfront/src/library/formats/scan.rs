//! `scanf`, `fscanf`, `sscanf` with a format that is a literal: which objects get values, and how many bytes
//! they must have. Values and the number of conversions are arbitrary; those of `sscanf` are determined by its
//! string, so an error that depends on them is not confirmed.

use super::scan_format::{Conversion, Format, Stored, has_long, understood};
use crate::error::{Res, type_error};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ev, Val, deref};
use crate::lower::scope::FnId;
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::{BinOp, Callee, Expr, HavocKind, LibraryAccess, LocId, Op, Origin, Type};
use lang_c::ast;
use std::sync::Arc;

/// Longest field of characters that is assigned one by one.
const LONGEST: u64 = 16;

impl Context<'_> {
    /// The call of a function of this family; nothing is done when it is not understood.
    pub(crate) fn scan(
        &mut self,
        name: &str,
        f: Option<FnId>,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Option<Ev>> {
        if f.is_some_and(|f| self.symbols.functions[f].def.is_some()) {
            return Ok(None);
        }
        let Some((at, format)) = understood(name, c) else { return Ok(None) };
        if self.settings.model == ir::DataModel::Ilp32 && format.conversions.iter().any(has_long) {
            return Ok(None);
        }
        let args = self.promoted_arguments(c)?;
        let of_string = name.ends_with("sscanf");
        let standard = crate::library::output::is_standard(&c.arguments[0]);
        self.check_format(name, c, span)?;
        if at == 1 && !of_string {
            let known: Vec<Option<Expr>> = args.iter().cloned().map(Some).collect();
            self.emitter.use_streams(&self.types, &self.symbols, ("fscanf", f), &c.arguments, &known, span);
        }
        if !of_string && (at == 0 || standard) && self.emitter.dry == 0 {
            self.emitter.report.words.scans.insert(span, format.directives.clone());
        }
        if at == 1 && self.settings.checks_memory() && args[0].ty().is_ptr() && !standard {
            let access = if of_string { LibraryAccess::Text } else { LibraryAccess::Present };
            self.emitter.access(access, vec![args[0].clone()], span);
        }
        self.emitter.convert_inputs(&mut self.symbols, name, &format, &args[at + 1..], span).map(Some)
    }
}

impl Emitter<'_> {
    /// Stores what the conversions read, as many as the input allows, which is the value.
    fn convert_inputs(
        &mut self,
        symbols: &mut Symbols<'_>,
        name: &str,
        format: &Format,
        targets: &[Expr],
        span: Span,
    ) -> Res<Ev> {
        let text: Arc<str> = Arc::from(name);
        let kind = if name.ends_with("sscanf") {
            HavocKind::Unmodelled(format!("result of {name}").into())
        } else {
            HavocKind::Extern(text)
        };
        let count = self.conversions_made(format, &kind, span);
        let done = self.fun.new_loc();
        let mut made = 0;
        // Whether control is here for certain where no more conversions than these were made.
        let mut certain = true;
        for (n, conversion) in format.conversions.iter().enumerate() {
            let fails = Expr::binary(BinOp::Le, count.clone(), Expr::int(made));
            certain &= !conversion.behind_text;
            if !conversion.is_count() {
                self.fork(fails, done, span);
                (made, certain) = (made + 1, true);
            } else if !certain {
                self.perhaps_ends(fails, done, &kind, span);
            }
            let target = targets[n].clone();
            self.convert_input(symbols, conversion, target, &kind, span)?;
        }
        self.fun.enter(done, span);
        self.may_set_errno(span);
        Ok(Ev::Val(Val { e: count, ty: Ty::INT }))
    }

    /// Any number of conversions that input can make, or -1 where it ends before the first.
    fn conversions_made(&mut self, format: &Format, kind: &HavocKind, span: Span) -> Expr {
        let all = format.conversions.iter().filter(|c| !matches!(c.stored, Stored::Count(_))).count();
        let count = self.havoc_temp(Type::INT, kind.clone(), span);
        let bound = |op, n: i128| Expr::binary(op, count.clone(), Expr::int(n));
        self.internal(Op::Assume(bound(BinOp::Ge, -1)), span);
        self.internal(Op::Assume(bound(BinOp::Le, all as i128)), span);
        let first = format.conversions.iter().find(|c| !c.is_count());
        if first.is_some_and(|c| c.takes_anything) && !format.begins_with_text && all > 0 {
            self.internal(Op::Assume(bound(BinOp::Ne, 0)), span);
        }
        count
    }

    /// Under the condition, control may go to `end`.
    fn perhaps_ends(&mut self, condition: Expr, end: LocId, kind: &HavocKind, span: Span) {
        let (perhaps, on) = (self.fun.new_loc(), self.fun.new_loc());
        self.fork(condition, perhaps, span);
        self.fun.goto(on, span);
        self.fun.cur = perhaps;
        self.perhaps(end, kind, span);
        self.fun.enter(on, span);
    }

    /// Control may go to `end`, as the input decides.
    fn perhaps(&mut self, end: LocId, kind: &HavocKind, span: Span) {
        let any = self.havoc_temp(Type::INT, kind.clone(), span);
        self.fork(Expr::binary(BinOp::Eq, any, Expr::int(0)), end, span);
    }

    /// One conversion is made.
    fn convert_input(
        &mut self,
        symbols: &mut Symbols<'_>,
        made: &Conversion,
        to: Expr,
        kind: &HavocKind,
        span: Span,
    ) -> Res<()> {
        // The check of the format has failed before.
        if !to.ty().is_ptr() && self.settings.options.wants(ir::CheckKind::Format) {
            return Ok(());
        }
        if !to.ty().is_ptr() {
            return type_error(span, "a conversion needs a pointer");
        }
        match &made.stored {
            Stored::Value(ty) if made.narrow => {
                let kind = HavocKind::Unmodelled("a number in a field with a width".into());
                self.store_value(ty, to, &kind, span);
            }
            Stored::Value(ty) => {
                let value = self.store_value(ty, to, kind, span);
                if let (Some((least, most)), Ty::Int(i)) = (made.range, ty) {
                    let bound = |op, v| Expr::binary(op, value.clone(), Expr::Const(v, ty.lower()));
                    let possible = match i.signed {
                        true => Expr::and(bound(BinOp::Ge, least), bound(BinOp::Le, most)),
                        false if least == 0 => bound(BinOp::Le, most),
                        false => {
                            let negative = bound(BinOp::Ge, i.lower().max() + 1 + least);
                            Expr::or(bound(BinOp::Le, most), negative)
                        }
                    };
                    self.internal(Op::Assume(possible), span);
                }
            }
            Stored::Count(ty) => {
                if let Some(read) = made.read {
                    let to = uncast(to, &ty.lower());
                    let place = deref(to, ty.clone().into());
                    self.statement(Op::Assign(place.lv, Expr::Const(read.into(), ty.lower())), span);
                    return Ok(());
                }
                // It belongs to the values that were read, and to how they were spelt.
                let kind = HavocKind::Unmodelled("number of characters that were read".into());
                let count = self.store_value(ty, to, &kind, span);
                let least = Expr::binary(BinOp::Ge, count, Expr::Const(0, ty.lower()));
                self.internal(Op::Assume(least), span);
            }
            Stored::Characters(n) => self.store_characters(*n, to, kind, span),
            Stored::Text(width) => self.store_text(symbols, *width, to, span),
        }
        Ok(())
    }

    /// Any value goes to what the pointer points to; what stands there then.
    fn store_value(&mut self, ty: &Ty, to: Expr, kind: &HavocKind, span: Span) -> Expr {
        let pointer = uncast(to, &ty.lower());
        let place = deref(pointer, ty.clone().into());
        self.statement(Op::Havoc(place.lv.clone(), kind.clone()), span);
        place.lv.load()
    }

    fn store_characters(&mut self, n: u64, to: Expr, kind: &HavocKind, span: Span) {
        if n > LONGEST {
            if self.settings.checks_memory() {
                let bytes = Expr::Const(n.into(), Type::Int(self.settings.size_ty().lower()));
                self.access(LibraryAccess::Writes, vec![to.clone(), bytes], span);
            }
            let (name, origin) = match kind {
                HavocKind::Unmodelled(_) => ("library__", Origin::Library),
                _ => ("environment__", Origin::Program),
            };
            let proc = self.outside(name, origin, span);
            return self.call_internally(proc, vec![to], span);
        }
        let character = Ty::Int(IntTy::CHAR);
        let start = uncast(to, &character.lower());
        let end = self.fun.new_loc();
        for i in 0..n {
            if i > 0 {
                // The input may end.
                self.perhaps(end, kind, span);
            }
            let at = match i {
                0 => start.clone(),
                _ => Expr::binary(BinOp::PtrAdd, start.clone(), Expr::int(i.into())),
            };
            let place = deref(at, character.clone().into());
            self.statement(Op::Havoc(place.lv, kind.clone()), span);
        }
        self.fun.enter(end, span);
    }

    fn store_text(&mut self, symbols: &mut Symbols<'_>, width: Option<u64>, to: Expr, span: Span) {
        if self.settings.checks_memory() {
            let size = Type::Int(self.settings.size_ty().lower());
            let room = match width {
                Some(n) => Expr::Const(n.saturating_add(1).into(), size),
                None => {
                    let kind = HavocKind::Outside("length of a string that is read".into());
                    self.havoc_temp(size, kind, span)
                }
            };
            self.access(LibraryAccess::Writes, vec![to.clone(), room], span);
        }
        let width = width.map_or(0, |n| i64::try_from(n).unwrap_or(i64::MAX));
        let model = symbols.models.get("slam_input_string").copied();
        let model = model.expect("the file that defines it is read when scanf is named");
        let long = IntTy::long(self.settings.model).lower();
        let args =
            vec![to.cast(Ty::Int(IntTy::CHAR).lower().ptr_to()), Expr::Const(width.into(), Type::Int(long))];
        let callee = Callee::Direct(self.proc_of(symbols, model));
        self.statement(Op::Call { dest: None, callee, args }, span);
    }
}

/// The pointer as one to this type; casts that hide one are taken off.
fn uncast(mut e: Expr, to: &Type) -> Expr {
    while let Expr::Cast(inner, _) = &e {
        if !inner.ty().is_ptr() {
            break;
        }
        e = (**inner).clone();
    }
    let same = |a: &Type| match (a, to) {
        (Type::Int(a), Type::Int(b)) => a == b,
        (a, b) => a == b,
    };
    if e.ty().pointee().is_some_and(same) { e } else { e.cast(to.clone().ptr_to()) }
}
