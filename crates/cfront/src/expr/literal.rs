//! Constants, string literals, compound literals, `_Generic`.

use super::{Ev, Place, Val};
use crate::consts;
use crate::cx::Cx;
use crate::options::Res;
use crate::ty::{IntTy, Ty};
use base::{Id, Span};
use ir::{Expr, HavocKind, Lvalue, VarId};
use lang_c::ast;
use std::rc::Rc;

impl Cx<'_> {
    pub(crate) fn constant(&mut self, c: &ast::Constant, span: Span) -> Res<Ev> {
        let result = match c {
            ast::Constant::Integer(i) => consts::integer(i, self.model).map(|(v, ty)| Val::int(v, ty)),
            ast::Constant::Character(c) => consts::character(c, self.model).map(|(v, ty)| Val::int(v, ty)),
            ast::Constant::Float(f) => consts::float(f).map(|(bits, ty)| {
                let e = match consts::is_exact(f, &ty) {
                    true => Expr::Float(bits, ty.lower()),
                    false => self.havoc_temp(ty.lower(), HavocKind::Unmodelled("a constant".into()), span),
                };
                Val { e, ty }
            }),
        };
        match result {
            Ok(v) => Ok(Ev::Val(v)),
            Err(message) if message.contains("not supported") => self.unsupported(span, message),
            Err(message) => self.type_error(span, message),
        }
    }

    /// Bytes (with the final zero) and element type of a string literal.
    pub(crate) fn string_bytes(&mut self, parts: &[String], span: Span) -> Res<(Vec<u8>, IntTy)> {
        let mut units = vec![];
        let mut elem = IntTy::CHAR;
        for part in parts {
            match consts::literal(part) {
                Ok((more, prefix)) => {
                    units.extend(more);
                    match prefix {
                        "L" => elem = consts::wchar(self.model),
                        "u" => elem = IntTy { rank: crate::ty::Rank::Short, bits: 16, signed: false },
                        "U" => elem = IntTy::UINT,
                        _ => {}
                    }
                }
                Err(message) => return self.type_error(span, message),
            }
        }
        units.push(0);
        let width = usize::from(elem.bits / 8);
        if width == 2 && units.iter().any(|u| *u > 0xffff) {
            return self.unsupported(span, "characters outside of 16 bits are not supported here");
        }
        let bytes = units.iter().flat_map(|u| u.to_le_bytes().into_iter().take(width)).collect();
        Ok((bytes, elem))
    }

    pub(crate) fn string(&mut self, parts: &[String], span: Span) -> Res<Ev> {
        let (bytes, elem) = self.string_bytes(parts, span)?;
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

    pub(crate) fn generic(&mut self, g: &ast::GenericSelection, span: Span) -> Res<Ev> {
        let controlling = self.dry(|cx| {
            let ev = cx.eval(&g.expression)?;
            if let Ev::Place(p) = &ev
                && matches!(p.ty.ty, Ty::Record(_))
            {
                return Ok(p.ty.ty.clone());
            }
            Ok(cx.read(ev, span)?.ty)
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
            None => self.type_error(span, "no association of `_Generic` fits the type"),
        }
    }

    pub(crate) fn compound_literal(&mut self, c: &ast::CompoundLiteral, span: Span) -> Res<Ev> {
        let mut ty = self.type_name(&c.type_name.node)?;
        let items = if has_no_item(c) { &[][..] } else { &c.initializer_list[..] };
        ty.ty = self.completed_by_list(ty.ty, items)?;
        let var = if self.in_static_init || self.scopes.at_file_scope() {
            self.anonymous_global("literal__", ty.ty.lower(), span)
        } else {
            self.new_local("literal__", &ty.ty, span)
        };
        self.align(var, &ty, None);
        if self.has_array(&ty.ty) {
            self.ends_with_block(var);
        }
        self.note_constant(var, &ty);
        let place = Place { lv: Lvalue::var(var, ty.ty.lower()), ty, bit_field: false };
        self.initialise_list(&place, items, span)?;
        Ok(Ev::Place(place))
    }
}

/// Whether the source has no item in the braces.
fn has_no_item(c: &ast::CompoundLiteral) -> bool {
    let [only] = &c.initializer_list[..] else { return false };
    match &only.node.initializer.node {
        ast::Initializer::Expression(e) => {
            matches!(&e.node, ast::Expression::Identifier(id) if id.node.name == crate::mend::NO_ITEM)
        }
        ast::Initializer::List(_) => false,
    }
}
