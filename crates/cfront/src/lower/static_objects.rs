//! Objects with static storage: their initialisers become the beginning of the start procedure.

use crate::error::{Res, type_error};
use crate::library::output::is_stream;
use crate::lower::constant_memory::is_const;
use crate::lower::context::{Context, Emitter, StaticInit, Symbols};
use crate::lower::expr::Place;
use crate::lower::scope::{ObjId, Object};
use crate::options::Globals;
use crate::types::table::Types;
use crate::types::ty::{QTy, Ty};
use base::{Id, Span};
use ir::{Access, BinOp, Callee, Edge, Expr, HavocKind, Lvalue, Op, Origin, Type, VarId};
use lang_c::ast;
use lang_c::span::Node;
use std::sync::Arc;

impl Context<'_> {
    /// The initialiser of an object that is used.
    pub(crate) fn lower_object(&mut self, id: ObjId) -> Res<()> {
        let object = self.symbols.objects[id].clone();
        let Some(var) = object.var else { return Ok(()) };
        self.symbols.scopes.file = object.file;
        self.symbols.scopes.blocks.clear();
        let mut ty = object.ty.clone();
        self.emitter.align(var, &ty, object.align);
        if let (Ty::Array(elem, None), true) = (&ty.ty, object.defined) {
            ty.ty = Ty::Array(elem.clone(), Some(1));
        }
        let place = Place { lv: self.emitter.object_place(&self.types, var, &ty.ty), ty, bit_field: false };
        if object.defined {
            return self.static_init(id, &place, object.init, object.span);
        }
        self.emitter.extern_object(&mut self.types, &self.symbols, id, &place, &object)
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
        let own = self.symbols.scopes.file < self.symbols.stubs_from;
        if self.settings.options.globals == Globals::Initial || !own || is_const(&place.ty) {
            return Ok(());
        }
        self.emitter.static_inits.pop();
        let object = self.symbols.objects[id].clone();
        self.emitter.extern_object(&mut self.types, &self.symbols, id, place, &object)
    }

    /// Lowers the initialiser of a static object into the start procedure.
    pub(crate) fn static_init(
        &mut self,
        id: ObjId,
        place: &Place,
        init: Option<&Node<ast::Initializer>>,
        span: Span,
    ) -> Res<()> {
        let start = self.emitter.start.take().expect("one static initialiser runs at a time");
        let outer = std::mem::replace(&mut self.emitter.fun, start);
        let was = std::mem::replace(&mut self.emitter.in_static_init, true);
        let mark = self.emitter.fun.mark();
        let result = match init {
            Some(init) => self.initialise(place, init, span),
            None => self.initialise_zero(place, span),
        };
        self.emitter.in_static_init = was;
        let edges = self.emitter.fun.edges_since(mark);
        self.emitter.start = Some(std::mem::replace(&mut self.emitter.fun, outer));
        result?;
        self.emitter.keep_initialiser(id, edges)
    }
}

impl<'a> Emitter<'a> {
    /// The edges initialise an object before the program runs; they must not depend on anything.
    fn keep_initialiser(&mut self, id: ObjId, edges: Vec<Edge>) -> Res<()> {
        let constant =
            |op: &Op| matches!(op, Op::Assign(..) | Op::MemSet { .. } | Op::MemCopy { .. } | Op::Skip);
        if let Some(edge) = edges.iter().find(|e| !constant(&e.op)) {
            return type_error(edge.span, "the initialiser is not constant");
        }
        let ops = edges.into_iter().map(|e| (e.op, e.span)).collect();
        self.static_inits.push(StaticInit { order: id, ops });
        Ok(())
    }

    /// Records the variable's alignment, if its declaration or a typedef gives another one than the type.
    pub(crate) fn align(&mut self, v: VarId, ty: &QTy, wanted: Option<u64>) {
        if let Some(var) = self.vars.get_mut(v.index()).filter(|_| self.dry == 0)
            && let Some(align) = wanted.or(own_align(ty))
        {
            var.align = align;
        }
    }

    /// An object that is declared and never defined holds anything. Globals do so before their initialisers
    /// run; pointers are havocked all the same, so that the alias analysis knows that they come from outside.
    fn extern_object(
        &mut self,
        types: &mut Types,
        symbols: &Symbols<'a>,
        id: ObjId,
        place: &Place,
        object: &Object<'a>,
    ) -> Res<()> {
        match &place.ty.ty {
            // Nothing but the address of such an object can be used.
            Ty::Record(r) if !types.records[*r].complete => {
                let def = &mut types.records[*r];
                (def.size, def.align, def.complete, def.elsewhere) = (1, 1, true, true);
                return Ok(());
            }
            _ => {}
        }
        let name = Arc::from(object.name.as_str());
        let kind = match symbols.is_library_name(&object.name, object.file, object.span) {
            true => HavocKind::Unmodelled(name),
            false => HavocKind::Extern(name),
        };
        let listed = match types.leaves(&place.lv, &place.ty.ty, true) {
            Some(leaves) => Some(leaves),
            None => {
                let mut pointers = vec![];
                types.pointer_leaves(place.lv.clone(), &place.ty.ty, &mut pointers).map(|()| pointers)
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
    pub(crate) fn object_place(&self, types: &Types, var: VarId, ty: &Ty) -> Lvalue {
        let whole = self.lvalue_of(var);
        match (ty, &whole.ty) {
            (Ty::Array(..), Type::Record(r)) => {
                let (r, elements) = (*r, types.records[*r].fields[0].ty.clone());
                whole.step(Access::Field(r, 0), elements)
            }
            _ => whole,
        }
    }
}

/// The alignment that a typedef gives to the type, or to the elements of the array.
fn own_align(ty: &QTy) -> Option<u64> {
    ty.align.or_else(|| match &ty.ty {
        Ty::Array(elem, _) => own_align(elem),
        _ => None,
    })
}
