//! gcc's `__builtin_object_size`: the number of bytes from a pointer to the end of its object. The compiler
//! always knows it for the address of a declared object; for other pointers that depends on its optimisations,
//! so that the answer is left open.

use crate::error::Res;
use crate::lower::context::Context;
use crate::lower::expr::{Ast, Ev, Val};
use crate::lower::scope::Entity;
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::{Id, Span};
use ir::HavocKind;
use lang_c::ast::{self, BinaryOperator, Expression, MemberOperator, UnaryOperator};

/// A part of a declared object.
struct Part {
    ty: Ty,
    /// Bytes from the start of the object.
    offset: u64,
    /// The end of the object.
    end: u64,
    /// The end of the innermost part around it that is not an element of an array; `None` where the compiler
    /// has rules of its own: arrays of arrays, unions, and arrays at the end of a struct.
    inner_end: Option<u64>,
}

impl Context<'_> {
    /// The answer for a pointer; kinds 1 and 3 are about the innermost part, the others about the whole object.
    pub(crate) fn object_size(&mut self, name: &str, pointer: &Ast, kind: i128, span: Span) -> Res<Ev> {
        // The operand is not evaluated, and must be right.
        self.type_of_expr(pointer)?;
        let part = self.pointed_part(pointer)?;
        let end = part.as_ref().and_then(|p| if kind & 1 == 0 { Some(p.end) } else { p.inner_end });
        if let (Some(part), Some(end)) = (part, end)
            && let Some(size) = end.checked_sub(part.offset)
        {
            return Ok(Ev::Val(Val::int(i128::from(size), self.settings.size_ty())));
        }
        let ty = Ty::Int(self.settings.size_ty());
        let e = self.emitter.havoc_temp(ty.lower(), HavocKind::Unmodelled(name.into()), span);
        Ok(Ev::Val(Val { e, ty }))
    }

    /// The target of the expression of pointer type, if it shows that itself.
    fn pointed_part(&mut self, e: &Ast) -> Res<Option<Part>> {
        match &e.node {
            Expression::Cast(c) => {
                let ty = self.type_name(&c.node.type_name.node)?.ty;
                if ty.pointee().is_some() { self.pointed_part(&c.node.expression) } else { Ok(None) }
            }
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Address => {
                self.declared_part(&u.node.operand)
            }
            _ if matches!(self.type_of_expr(e)?.ty, Ty::Array(..)) => self.declared_part(e),
            _ => Ok(None),
        }
    }

    /// The part of a declared object that the expression stands for.
    fn declared_part(&mut self, e: &Ast) -> Res<Option<Part>> {
        match &e.node {
            Expression::StringLiteral(_) => self.whole(e),
            Expression::Identifier(id) => match self.symbols.scopes.lookup(&id.node.name) {
                Some(Entity::Local(..) | Entity::Object(_)) => self.whole(e),
                _ => Ok(None),
            },
            Expression::Member(m) if m.node.operator.node == MemberOperator::Direct => {
                match self.declared_part(&m.node.expression)? {
                    Some(of) => Ok(self.types.member_part(&of, &m.node.identifier.node.name)),
                    None => Ok(None),
                }
            }
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                self.element_part(&b.node)
            }
            _ => Ok(None),
        }
    }

    fn whole(&mut self, e: &Ast) -> Res<Option<Part>> {
        let ty = self.type_of_expr(e)?.ty;
        let span = self.symbols.span(e);
        if ty.is_variable() {
            return Ok(None);
        }
        let Ok(end) = self.types.size_of(&ty, span) else { return Ok(None) };
        Ok(Some(Part { ty, offset: 0, end, inner_end: Some(end) }))
    }

    fn element_part(&mut self, b: &ast::BinaryOperatorExpression) -> Res<Option<Part>> {
        if !matches!(self.type_of_expr(&b.lhs)?.ty, Ty::Array(..)) {
            return Ok(None);
        }
        let (Some(of), Some(index)) = (self.declared_part(&b.lhs)?, self.try_const_int(&b.rhs)?) else {
            return Ok(None);
        };
        let Ty::Array(elem, Some(len)) = &of.ty else { return Ok(None) };
        let size = elem.ty.lower().size(&self.types.records, self.settings.model);
        let (Some(size), Ok(index)) = (size, u64::try_from(index)) else { return Ok(None) };
        if index > *len {
            return Ok(None);
        }
        let nested = matches!(elem.ty, Ty::Array(..));
        let inner_end = of.inner_end.filter(|_| !nested);
        Ok(Some(Part { ty: elem.ty.clone(), offset: of.offset + index * size, end: of.end, inner_end }))
    }
}

impl Types {
    fn member_part(&self, of: &Part, name: &str) -> Option<Part> {
        let Ty::Record(outer) = of.ty else { return None };
        let (mut offset, mut ty, mut plain) = (of.offset, of.ty.clone(), of.inner_end.is_some());
        for (record, n) in self.find_member(outer, name)? {
            let def = &self.records[record];
            let member = &self.members[record.index()][n as usize];
            if member.bits.is_some() {
                return None;
            }
            offset += def.fields[n as usize].offset;
            let last = n as usize + 1 == def.fields.len();
            ty = member.ty.ty.clone();
            plain &= !(def.is_union || last && matches!(ty, Ty::Array(..)));
        }
        let size = ty.lower().size(&self.records, self.model)?;
        let inner_end = plain.then_some(offset + size);
        Some(Part { ty, offset, end: of.end, inner_end })
    }
}
