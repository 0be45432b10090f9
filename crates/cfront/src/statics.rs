//! Objects with static storage: their initialisers become the beginning of the start procedure.

use crate::constant::is_const;
use crate::cx::{Cx, StaticInit};
use crate::expr::{MAX_LEAVES, Place};
use crate::options::{Globals, Res};
use crate::output::is_stream;
use crate::scope::{ObjId, Object};
use crate::ty::Ty;
use base::{Id, Span};
use ir::{Access, BinOp, Callee, Expr, HavocKind, Lvalue, Op, Origin, Type, VarId};
use lang_c::ast;
use lang_c::span::Node;
use std::sync::Arc;

impl<'a> Cx<'a> {
    /// The initialiser of an object that is used.
    pub(crate) fn lower_object(&mut self, id: ObjId) -> Res<()> {
        let object = self.objects[id].clone();
        let Some(var) = object.var else { return Ok(()) };
        self.scopes.file = object.file;
        self.scopes.blocks.clear();
        let mut ty = object.ty.clone();
        self.align(var, &ty, object.align);
        if let (Ty::Array(elem, None), true) = (&ty.ty, object.defined) {
            ty.ty = Ty::Array(elem.clone(), Some(1));
        }
        let place = Place { lv: self.object_place(var, &ty.ty), ty, bit_field: false };
        if object.defined {
            return self.static_init(id, &place, object.init, object.span);
        }
        self.extern_object(id, &place, &object)
    }

    /// Lowers the initialiser of a static variable of a function. Where the program is entered in the middle of a run
    /// (`--globals any`) the variable holds anything instead, unless it is constant.
    pub(crate) fn static_local_init(
        &mut self,
        id: ObjId,
        place: &Place,
        init: Option<&Node<ast::Initializer>>,
        span: Span,
    ) -> Res<()> {
        self.static_init(id, place, init, span)?;
        let own = self.scopes.file < self.stubs_from;
        if self.opts.globals == Globals::Initial || !own || is_const(&place.ty) {
            return Ok(());
        }
        self.static_inits.pop();
        let object = self.objects[id].clone();
        self.extern_object(id, place, &object)
    }

    /// An object that is declared and never defined holds anything. Globals do so before their initialisers
    /// run; pointers are havocked all the same, so that the alias analysis knows that they come from outside.
    fn extern_object(&mut self, id: ObjId, place: &Place, object: &Object<'a>) -> Res<()> {
        match &place.ty.ty {
            // Nothing but the address of such an object can be used.
            Ty::Record(r) if !self.records[*r].complete => {
                let def = &mut self.records[*r];
                (def.size, def.align, def.complete, def.elsewhere) = (1, 1, true, true);
                return Ok(());
            }
            _ => {}
        }
        let name = Arc::from(object.name.as_str());
        let kind = match self.is_librarys(&object.name, object.file, object.span) {
            true => HavocKind::Unmodelled(name),
            false => HavocKind::Extern(name),
        };
        let listed = match self.leaves(&place.lv, &place.ty.ty, true) {
            Some(leaves) => Some(leaves),
            None => {
                let mut pointers = vec![];
                self.pointer_leaves(place.lv.clone(), &place.ty.ty, &mut pointers).map(|()| pointers)
            }
        };
        let ops = match listed {
            Some(leaves) => {
                let mut ops: Vec<(Op, Span)> =
                    leaves.into_iter().map(|(lv, _)| (Op::Havoc(lv, kind.clone()), object.span)).collect();
                // The standard streams are open when the program starts (C11 7.21.3p7).
                if is_stream(&object.name)
                    && matches!((&kind, &place.ty.ty), (HavocKind::Unmodelled(_), Ty::Ptr(_)))
                {
                    let stream = place.lv.clone().load();
                    let null = Expr::Const(0, stream.ty());
                    ops.push((Op::Assume(Expr::binary(BinOp::Ne, stream, null)), object.span));
                }
                ops
            }
            None => vec![(self.filled_elsewhere(object), object.span)],
        };
        self.static_inits.push(StaticInit { order: id, ops });
        Ok(())
    }

    /// A call of an invented procedure that gets the address of the object: its contents are arbitrary,
    /// pointers in it lead anywhere outside, and no error depends on its contents.
    fn filled_elsewhere(&mut self, object: &Object<'a>) -> Op {
        let var = object.var.expect("only objects with a variable are lowered");
        let address = self.lvalue_of(var).addr();
        let proc = self.outside_procedure(&object.name, Origin::Library, object.span);
        Op::Call { dest: None, callee: Callee::Direct(proc), args: vec![address] }
    }

    /// A whole variable.
    fn lvalue_of(&self, var: VarId) -> Lvalue {
        Lvalue::var(var, self.vars[var.index()].ty.clone())
    }

    /// The place of the object of this type in its variable: an array of unknown length is the only member of a
    /// record.
    pub(crate) fn object_place(&self, var: VarId, ty: &Ty) -> Lvalue {
        let whole = self.lvalue_of(var);
        match (ty, &whole.ty) {
            (Ty::Array(..), Type::Record(r)) => {
                let (r, elements) = (*r, self.records[*r].fields[0].ty.clone());
                whole.step(Access::Field(r, 0), elements)
            }
            _ => whole,
        }
    }

    /// The pointers inside an object; `None` when they cannot be listed.
    fn pointer_leaves(&self, lv: Lvalue, ty: &Ty, out: &mut Vec<(Lvalue, Ty)>) -> Option<()> {
        if matches!(ty, Ty::Array(_, None)) {
            return None;
        }
        if !has_pointers(self, ty) {
            return Some(());
        }
        match ty {
            Ty::Record(_) | Ty::Array(..) => {
                let mut parts = self.parts_of(&lv, ty)?.into_iter();
                parts.try_for_each(|(lv, ty)| self.pointer_leaves(lv, &ty, out))
            }
            _ => {
                out.push((lv, ty.clone()));
                (out.len() <= 16 * MAX_LEAVES).then_some(())
            }
        }
    }

    /// Lowers the initialiser of a static object into the start procedure.
    pub(crate) fn static_init(
        &mut self,
        id: ObjId,
        place: &Place,
        init: Option<&Node<ast::Initializer>>,
        span: Span,
    ) -> Res<()> {
        let start = self.start.take().expect("one static initialiser runs at a time");
        let outer = std::mem::replace(&mut self.fun, start);
        let was = std::mem::replace(&mut self.in_static_init, true);
        let mark = self.fun.mark();
        let result = match init {
            Some(init) => self.initialise(place, init, span),
            None => self.initialise_zero(place, span),
        };
        self.in_static_init = was;
        let edges = self.fun.edges_since(mark);
        self.start = Some(std::mem::replace(&mut self.fun, outer));
        result?;
        let constant =
            |op: &Op| matches!(op, Op::Assign(..) | Op::MemSet { .. } | Op::MemCopy { .. } | Op::Skip);
        if let Some(edge) = edges.iter().find(|e| !constant(&e.op)) {
            return self.type_error(edge.span, "the initialiser is not constant");
        }
        let ops = edges.into_iter().map(|e| (e.op, e.span)).collect();
        self.static_inits.push(StaticInit { order: id, ops });
        Ok(())
    }
}

/// Whether values of the type contain pointers.
pub(crate) fn has_pointers(cx: &Cx<'_>, ty: &Ty) -> bool {
    match ty {
        Ty::Ptr(_) => true,
        Ty::Array(elem, _) => has_pointers(cx, &elem.ty),
        Ty::Record(r) => cx.members[r.index()].iter().any(|m| has_pointers(cx, &m.ty.ty)),
        _ => false,
    }
}
