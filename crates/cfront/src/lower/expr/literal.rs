//! Constants, string literals, compound literals, `_Generic`.

use super::{Ev, Place, Val};
use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Settings};
use crate::types::constants;
use crate::types::ty::{IntTy, Ty};
use base::{Id, Span};
use ir::{Expr, HavocKind, Lvalue, VarId};
use lang_c::ast;
use std::rc::Rc;

impl Context<'_> {
    pub(crate) fn generic(&mut self, g: &ast::GenericSelection, span: Span) -> Res<Ev> {
        let controlling = self.dry(|cx| {
            let ev = cx.eval(&g.expression)?;
            if let Ev::Place(p) = &ev
                && matches!(p.ty.ty, Ty::Record(_))
            {
                return Ok(p.ty.ty.clone());
            }
            Ok(cx.emitter.read(&cx.types, &mut cx.symbols, ev, span)?.ty)
        })?;
        let mut default = None;
        for association in &g.associations {
            match &association.node {
                ast::GenericAssociation::Default(e) => default = Some(e),
                ast::GenericAssociation::Type(t) => {
                    let ty = self.type_name(&t.node.type_name.node)?;
                    if ty.ty == controlling && !ty.konst && !ty.volatile {
                        return self.eval(&t.node.expression);
                    }
                }
            }
        }
        match default {
            Some(e) => self.eval(e),
            None => type_error(span, "no association of `_Generic` fits the type"),
        }
    }

    pub(crate) fn compound_literal(&mut self, c: &ast::CompoundLiteral, span: Span) -> Res<Ev> {
        let mut ty = self.type_name(&c.type_name.node)?;
        let items = if has_no_item(c) { &[][..] } else { &c.initializer_list[..] };
        ty.ty = self.completed_by_list(ty.ty, items)?;
        let var = if self.emitter.in_static_init || self.symbols.scopes.at_file_scope() {
            self.emitter.anonymous_global("literal__", ty.ty.lower(), span)
        } else {
            self.emitter.new_local("literal__", &ty.ty, span)
        };
        self.emitter.align(var, &ty, None);
        if self.types.has_array(&ty.ty) {
            self.symbols.ends_with_block(&self.emitter, var);
        }
        self.emitter.note_constant(&self.types, var, &ty);
        let place = Place { lv: Lvalue::var(var, ty.ty.lower()), ty, bit_field: false };
        self.initialise_list(&place, items, span)?;
        Ok(Ev::Place(place))
    }
}

impl Emitter<'_> {
    pub(crate) fn constant(&mut self, c: &ast::Constant, span: Span) -> Res<Ev> {
        let result = match c {
            ast::Constant::Integer(i) => {
                constants::integer(i, self.settings.model).map(|(v, ty)| Val::int(v, ty))
            }
            ast::Constant::Character(c) => {
                constants::character(c, self.settings.model).map(|(v, ty)| Val::int(v, ty))
            }
            ast::Constant::Float(f) => constants::float(f).map(|(bits, ty)| {
                let e = match constants::is_exact(f, &ty) {
                    true => Expr::Float(bits, ty.lower()),
                    false => self.havoc_temp(ty.lower(), HavocKind::Unmodelled("a constant".into()), span),
                };
                Val { e, ty }
            }),
        };
        match result {
            Ok(v) => Ok(Ev::Val(v)),
            Err(message) if message.contains("not supported") => unsupported(span, message),
            Err(message) => type_error(span, message),
        }
    }

    pub(crate) fn string(&mut self, parts: &[String], span: Span) -> Res<Ev> {
        let (bytes, elem) = self.settings.string_bytes(parts, span)?;
        Ok(Ev::Place(self.string_place(bytes, Ty::Int(elem), span)))
    }

    /// A global that holds the bytes of a string literal.
    pub(crate) fn string_place(&mut self, bytes: Vec<u8>, elem: Ty, span: Span) -> Place {
        let width = elem.as_int().map_or(1, |i| u64::from(i.bits / 8));
        let ty = Ty::Array(Rc::new(elem.into()), Some(bytes.len() as u64 / width));
        if self.dry > 0 {
            return Place {
                lv: Lvalue::var(VarId::from_index(0), ty.lower()),
                ty: ty.into(),
                bit_field: false,
            };
        }
        self.strings += 1;
        let wish = format!("str__{}", self.strings);
        let id = self.anonymous_global(&wish, ty.lower(), span);
        self.vars[id.index()].data = Some(bytes.into());
        Place { lv: Lvalue::var(id, ty.lower()), ty: ty.into(), bit_field: false }
    }
}

impl Settings<'_> {
    /// Bytes (with the final zero) and element type of a string literal.
    pub(crate) fn string_bytes(&self, parts: &[String], span: Span) -> Res<(Vec<u8>, IntTy)> {
        let mut units = vec![];
        let mut elem = IntTy::CHAR;
        for part in parts {
            match constants::literal(part) {
                Ok((more, prefix)) => {
                    units.extend(more);
                    match prefix {
                        "L" => elem = constants::wchar(self.model),
                        "u" => elem = IntTy { rank: crate::types::ty::Rank::Short, bits: 16, signed: false },
                        "U" => elem = IntTy::UINT,
                        _ => {}
                    }
                }
                Err(message) => return type_error(span, message),
            }
        }
        units.push(0);
        let width = usize::from(elem.bits / 8);
        if width == 2 && units.iter().any(|u| *u > 0xffff) {
            return unsupported(span, "characters outside of 16 bits are not supported here");
        }
        let bytes = units.iter().flat_map(|u| u.to_le_bytes().into_iter().take(width)).collect();
        Ok((bytes, elem))
    }
}

/// Whether the source has no item in the braces.
fn has_no_item(c: &ast::CompoundLiteral) -> bool {
    let [only] = &c.initializer_list[..] else { return false };
    match &only.node.initializer.node {
        ast::Initializer::Expression(e) => {
            matches!(&e.node, ast::Expression::Identifier(id) if id.node.name == crate::text::repair::NO_ITEM)
        }
        ast::Initializer::List(_) => false,
    }
}
