//! Expressions: types are checked and side effects are emitted in one pass, left to right; what remains is a
//! C-- expression without effects. An operand that a later operand's effects could change is kept in a
//! temporary ([`effects`]).

mod arith;
mod assign;
mod call;
mod conditional;
mod constant;
mod convert;
mod effects;
mod forms;
mod literal;
mod place;
mod volatile;

pub(crate) use crate::syntax::Ast;
pub(crate) use arith::{compound, fold_truth};
pub(crate) use convert::promote;
pub(crate) use place::{deref, step_index};

use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::declarations::linkage::refuse_use;
use crate::lower::scope::{Entity, FnId};
use crate::text::repair::{ELVIS, REFUSED_NAMES};
use crate::types::table::Types;
use crate::types::ty::{IntTy, QTy, Ty};
use base::{Id, Span};
use ir::{Expr, HavocKind, Lvalue, Type};
use lang_c::ast;

/// A location with its C type.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) lv: Lvalue,
    pub(crate) ty: QTy,
    /// A bit-field: it has no address.
    pub(crate) bit_field: bool,
}

/// A scalar value with its C type.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    pub(crate) e: Expr,
    pub(crate) ty: Ty,
}

impl Val {
    pub(crate) fn int(v: i128, ty: IntTy) -> Val {
        Val { e: Expr::Const(v, Type::Int(ty.lower())), ty: Ty::Int(ty) }
    }
}

/// The meaning of an expression before it is read.
#[derive(Clone, Debug)]
pub(crate) enum Ev {
    Void,
    Val(Val),
    Place(Place),
    Func(FnId),
}

/// Most nesting of operators in a C-- expression: deeper parts are kept in temporaries. Analyses and provers
/// visit the parts of expressions by themselves, which takes the square of the depth.
const MAX_DEPTH: usize = 100;

impl Context<'_> {
    /// The meaning of an expression; its side effects are emitted.
    pub(crate) fn eval(&mut self, e: &Ast) -> Res<Ev> {
        self.evaluation.nesting += 1;
        let ev = match self.order.known(e) {
            Some(ev) => Ok(ev.clone()),
            None => self.in_order(e, |cx| cx.eval_unsettled(e)),
        };
        self.evaluation.nesting -= 1;
        let ev = ev?;
        self.emitter.note_part(&ev, self.symbols.span(e));
        match ev {
            Ev::Val(v)
                if self.evaluation.nesting > 0
                    && self.evaluation.nesting.is_multiple_of(MAX_DEPTH)
                    && self.emitter.dry == 0 =>
            {
                let e = self.emitter.spill(v.e, self.symbols.span(e));
                Ok(Ev::Val(Val { e, ..v }))
            }
            ev => Ok(ev),
        }
    }

    /// The meaning of an expression whose conflicts are settled.
    pub(crate) fn eval_unsettled(&mut self, e: &Ast) -> Res<Ev> {
        use ast::Expression as E;
        let span = self.symbols.span(e);
        match &e.node {
            E::Identifier(id) => {
                self.emitter.identifier(&mut self.types, &mut self.symbols, &id.node.name, span)
            }
            E::Constant(c) => self.emitter.constant(&c.node, span),
            E::StringLiteral(s) => self.emitter.string(&s.node, span),
            E::GenericSelection(g) => self.generic(&g.node, span),
            E::Member(m) => self.member(&m.node, span),
            E::Call(c) => self.call(&c.node, span, true),
            E::CompoundLiteral(c) => self.compound_literal(&c.node, span),
            E::SizeOfTy(s) => {
                let ty = self.type_name(&s.node.0.node)?;
                self.emitter.size_or_align(&self.types, &self.symbols, s.span.start, &ty, span)
            }
            E::SizeOfVal(s) => {
                self.symbols.refuse_aligned(s.span.start, &s.node.0)?;
                let mut ty = self.type_of_expr(&s.node.0)?;
                if ty.ty.is_variable() {
                    ty = self.type_of_evaluated(&s.node.0)?;
                }
                self.emitter.size_or_align(&self.types, &self.symbols, s.span.start, &ty, span)
            }
            E::AlignOf(a) => {
                let ty = self.type_name(&a.node.0.node)?;
                Ok(Ev::Val(Val::int(i128::from(self.types.align_of_qualified(&ty)), self.settings.size_ty())))
            }
            E::UnaryOperator(u) => self.unary(&u.node, span, true),
            E::Cast(c) => self.cast(&c.node, span),
            E::BinaryOperator(b) => match self.character_class(&b.node, span)? {
                Some(v) => Ok(Ev::Val(v)),
                None => self.binary(&b.node, span, true),
            },
            E::Conditional(c) => self.conditional(&c.node, span, true),
            E::Comma(list) => {
                let (last, first) = list.split_last().expect("a comma expression has operands");
                for operand in first {
                    self.discard(operand)?;
                }
                self.eval(last)
            }
            E::OffsetOf(o) => self.offset_of(&o.node, span),
            E::VaArg(v) => self.va_arg(&v.node, span),
            E::Statement(s) => self.statement_expression(s, span),
        }
    }

    /// The value of an expression of scalar type; arrays and functions decay.
    pub(crate) fn value(&mut self, e: &Ast) -> Res<Val> {
        let span = self.symbols.span(e);
        let ev = self.eval(e)?;
        self.emitter.read(&self.types, &mut self.symbols, ev, span)
    }

    /// Runs an expression for its effects.
    pub(crate) fn discard(&mut self, e: &Ast) -> Res<()> {
        if self.order.is_known(e) {
            return Ok(());
        }
        self.in_order(e, |cx| cx.discard_unsettled(e))
    }

    fn discard_unsettled(&mut self, e: &Ast) -> Res<()> {
        use ast::Expression as E;
        let span = self.symbols.span(e);
        match &e.node {
            E::Call(c) => self.call(&c.node, span, false).map(|_| ()),
            E::Conditional(c) => self.conditional(&c.node, span, false).map(|_| ()),
            E::UnaryOperator(u) => {
                let ev = self.unary(&u.node, span, false)?;
                self.emitter.unused(&self.types, &mut self.symbols, ev, span)
            }
            E::BinaryOperator(b) => {
                let ev = self.binary(&b.node, span, false)?;
                self.emitter.unused(&self.types, &mut self.symbols, ev, span)
            }
            E::Comma(list) => self.discard_all(list),
            E::Cast(c) if self.type_name(&c.node.type_name.node)?.ty == Ty::Void => {
                self.discard(&c.node.expression)
            }
            E::Cast(_) => {
                let ev = self.eval(e)?;
                self.emitter.unused(&self.types, &mut self.symbols, ev, span)
            }
            E::Constant(_) | E::StringLiteral(_) => Ok(()),
            _ => match self.eval(e)? {
                Ev::Place(p) if p.ty.volatile && p.ty.ty.is_scalar() => {
                    self.emitter.read(&self.types, &mut self.symbols, Ev::Place(p), span).map(|_| ())
                }
                ev => self.emitter.unused(&self.types, &mut self.symbols, ev, span),
            },
        }
    }

    /// The type of an expression that is not evaluated.
    pub(crate) fn type_of_expr(&mut self, e: &Ast) -> Res<QTy> {
        let key = self.symbols.key(e);
        if let Some(ty) = self.evaluation.known.types.get(&key) {
            return Ok(ty.clone());
        }
        let ty = self.dry(|cx| cx.type_of_evaluated(e))?;
        self.evaluation.known.types.insert(key, ty.clone());
        Ok(ty)
    }

    /// The type of an expression that is evaluated: the lengths of arrays in it are values.
    pub(crate) fn type_of_evaluated(&mut self, e: &Ast) -> Res<QTy> {
        Ok(match self.eval(e)? {
            Ev::Val(v) => v.ty.into(),
            Ev::Place(p) => p.ty,
            Ev::Void => Ty::Void.into(),
            Ev::Func(f) => Ty::Func(self.symbols.functions[f].ty.clone()).into(),
        })
    }
}

impl Emitter<'_> {
    /// Reads what an expression stands for.
    pub(crate) fn read(&mut self, types: &Types, symbols: &mut Symbols<'_>, ev: Ev, span: Span) -> Res<Val> {
        match ev {
            Ev::Val(v) => Ok(v),
            Ev::Void => type_error(span, "a value is needed here, and the expression has none"),
            Ev::Func(f) => Ok(self.function_value(types, symbols, f, span)),
            Ev::Place(p) => match &p.ty.ty {
                Ty::Array(elem, _) => Ok(types.decay(p.lv, elem.clone())),
                Ty::Vla(elem, _) => {
                    let ty = Ty::Ptr(elem.clone());
                    Ok(Val { e: types.address(p.lv), ty })
                }
                ty @ Ty::Record(_) => {
                    types.refuse_vector(&[ty], span, "a scalar is needed here, not a struct or union")
                }
                Ty::Refused(what) => unsupported(span, format!("{what} are not supported")),
                Ty::Void | Ty::Func(_) => {
                    type_error(span, "a value is needed here, and the expression has none")
                }
                ty => {
                    let ty = ty.clone();
                    let atomic = self.begin_access(&p, span, |_| ());
                    let e = if p.ty.volatile && self.may_change_itself(symbols, &p.lv) {
                        let lowered = ty.lower_in(&p.lv);
                        self.volatile_read(symbols, p.lv, lowered, span)
                    } else {
                        p.lv.load()
                    };
                    let e = if atomic { self.spill(e, span) } else { e };
                    self.end_atomic(atomic, span);
                    Ok(Val { e, ty })
                }
            },
        }
    }

    pub(crate) fn function_pointer(&mut self, types: &Types, symbols: &mut Symbols<'_>, f: FnId) -> Val {
        self.addressed(types, symbols, f, symbols.functions[f].span);
        let proc = self.proc_of(symbols, symbols.pointed_function(types, f));
        let ty = Ty::ptr_to(Ty::Func(symbols.functions[f].ty.clone()));
        Val { e: Expr::Func(proc, ty.lower()), ty }
    }

    /// The address of a function, as a value.
    pub(crate) fn function_value(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        f: FnId,
        span: Span,
    ) -> Val {
        let function = &symbols.functions[f];
        if function.weak && function.def.is_none() {
            return self.weak_pointer(types, symbols, f, span);
        }
        self.function_pointer(types, symbols, f)
    }

    /// The address of a function that need not be defined (weak): NULL, or that of the function. Whether
    /// another file defines it is not known, and no error depends on that.
    fn weak_pointer(&mut self, types: &Types, symbols: &mut Symbols<'_>, f: FnId, span: Span) -> Val {
        let Val { e: address, ty } = self.function_pointer(types, symbols, f);
        let name = format!("weak {}", symbols.functions[f].name);
        let there = self.havoc_temp(Type::INT, HavocKind::Unmodelled(name.into()), span);
        let (yes, no, join) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        self.branch(Expr::binary(ir::BinOp::Ne, there, Expr::int(0)), yes, no, span);
        let values = [address, Expr::Const(0, ty.lower())];
        self.value_of_branches((yes, no, join), values, ty, span)
    }

    /// A value that is not used is computed all the same where computing it may fail a check.
    fn unused(&mut self, types: &Types, symbols: &mut Symbols<'_>, ev: Ev, span: Span) -> Res<()> {
        if self.settings.options.only_reach() {
            return Ok(());
        }
        match ev {
            Ev::Val(v) if !matches!(&v.e, Expr::Load(lv) if lv.is_fixed()) => {
                self.spill(v.e, span);
            }
            Ev::Place(p) if p.ty.ty.is_scalar() && !p.lv.is_fixed() => {
                let v = self.read(types, symbols, Ev::Place(p), span)?;
                self.spill(v.e, span);
            }
            Ev::Void | Ev::Func(_) | Ev::Val(_) | Ev::Place(_) => {}
        }
        Ok(())
    }

    pub(crate) fn identifier(
        &mut self,
        types: &mut Types,
        symbols: &mut Symbols<'_>,
        name: &str,
        span: Span,
    ) -> Res<Ev> {
        if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let mut bytes = self.fun.name.clone().into_bytes();
            bytes.push(0);
            return Ok(Ev::Place(self.string_place(bytes, Ty::Int(IntTy::CHAR), span)));
        }
        match symbols.scopes.lookup(name).cloned() {
            Some(Entity::EnumConst(v, ty)) => Ok(Ev::Val(Val::int(v, ty))),
            Some(Entity::Function(f)) => match &symbols.functions[f].refused {
                Some(attribute) => refuse_use(attribute, span),
                None => Ok(Ev::Func(f)),
            },
            // The array itself is a fresh object, to whose innermost elements the variable points.
            Some(Entity::Variable(v, ty)) => {
                let pointer = Expr::var(v, ty.ty.lower().ptr_to());
                Ok(Ev::Place(deref(pointer, ty)))
            }
            Some(Entity::Object(o)) if symbols.objects[o].refused.is_some() => {
                let attribute = symbols.objects[o].refused.clone().expect("the guard asked");
                refuse_use(&attribute, span)
            }
            Some(Entity::Local(v, ty)) => {
                Ok(Ev::Place(Place { lv: Lvalue::var(v, ty.ty.lower()), ty, bit_field: false }))
            }
            Some(Entity::Object(o)) => {
                let ty = symbols.qty_of_object(o);
                let var = self.object_var(types, symbols, o);
                let known = self.dry == 0 && var.index() < self.vars.len();
                let lv = match known {
                    true => self.object_place(types, var, &ty.ty),
                    false => Lvalue::var(var, ty.ty.lower()),
                };
                Ok(Ev::Place(Place { lv, ty, bit_field: false }))
            }
            Some(Entity::Typedef(_)) => {
                unsupported(span, format!("cannot tell whether `{name}` is a type or a variable here"))
            }
            // C23 has them as keywords.
            None if matches!(name, "true" | "false") => {
                self.warn(span, format!("`{name}` is not declared; it is taken as in C23"));
                Ok(Ev::Val(Val::int(i128::from(name == "true"), IntTy::BOOL)))
            }
            None if name == "nullptr" => {
                self.warn(span, "`nullptr` is not declared; it is taken as in C23");
                let ty = Ty::void_ptr();
                Ok(Ev::Val(Val { e: Expr::Const(0, ty.lower()), ty }))
            }
            None if let Some((_, message)) = REFUSED_NAMES.iter().find(|(n, _)| *n == name) => {
                unsupported(span, *message)
            }
            None if name == ELVIS => type_error(span, "`?:` is not possible here"),
            None => type_error(span, format!("`{name}` is not declared")),
        }
    }
}

impl Ty {
    /// The C-- type of a location of this type; bit-fields have their width's.
    fn lower_in(&self, lv: &Lvalue) -> Type {
        if lv.ty.is_scalar() { lv.ty.clone() } else { self.lower() }
    }
}
