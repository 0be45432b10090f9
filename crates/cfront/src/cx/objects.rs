//! Procedures and variables of functions and objects, made when they are first needed.

use super::Cx;
use crate::layout::{Layout, Member};
use crate::scope::{FnId, ObjId};
use crate::ty::{FuncTy, QTy, Ty};
use base::{Id, Span};
use ir::{Field, Origin, Proc, ProcId, Type, VarId, VarKind};
use std::rc::Rc;
use std::sync::Arc;

impl Cx<'_> {
    /// The procedure of a function, made at its first use; functions with body are lowered later.
    pub(crate) fn proc_of(&mut self, f: FnId) -> ProcId {
        if let Some(proc) = self.functions[f].proc {
            return proc;
        }
        if self.dry > 0 {
            return ProcId::from_index(0);
        }
        let function = self.functions[f].clone();
        let has_body = function.def.is_some();
        let name = self.names.procs.fresh(&function.name, |_| false);
        let ty = Arc::new(function.ty.lower());
        let proc = Proc { origin: self.origin(&function), ..Proc::new(name, ty, has_body, function.span) };
        let id = self.procs.push(proc);
        self.functions[f].proc = Some(id);
        self.todo_functions.push_back(f);
        id
    }

    /// An invented procedure without body, which does with its arguments what undefined functions do.
    pub(crate) fn outside(&mut self, name: &'static str, origin: Origin, span: Span) -> ProcId {
        if let Some(proc) = self.outside.get(name) {
            return *proc;
        }
        if self.dry > 0 {
            return ProcId::from_index(0);
        }
        let proc = self.outside_procedure(name, origin, span);
        self.outside.insert(name, proc);
        proc
    }

    /// A procedure of that kind, which has no other callers.
    pub(crate) fn outside_procedure(&mut self, name: &str, origin: Origin, span: Span) -> ProcId {
        let unique = self.names.procs.fresh(name, |_| false);
        let ty = FuncTy { ret: Ty::Void.into(), params: vec![], variadic: true, proto: true };
        self.procs.push(Proc { origin, ..Proc::new(unique, Arc::new(ty.lower()), false, span) })
    }

    /// The C-- variable of an object with static storage, made at its first use.
    pub(crate) fn object_var(&mut self, object: ObjId) -> VarId {
        if let Some(var) = self.objects[object].var {
            return var;
        }
        if self.dry > 0 {
            return VarId::from_index(0);
        }
        let o = self.objects[object].clone();
        // A tentative array without length has one element.
        let ty = match &o.ty.ty {
            Ty::Array(elem, None) if o.defined => Ty::Array(elem.clone(), Some(1)).lower(),
            Ty::Array(elem, None) => self.array_elsewhere(&o.name, elem),
            ty => ty.lower(),
        };
        let (name, span) = (o.name.clone(), o.span);
        let reserved = self.names.reserved(&name);
        let id = self.new_var(reserved, ty, VarKind::Global, span);
        let ty = self.objects[object].ty.clone();
        self.speak(id, &name, &ty);
        self.note_constant(id, &ty);
        self.objects[object].var = Some(id);
        self.todo_objects.push_back(object);
        id
    }

    /// The record that stands for an array whose length is given only by its definition in another file: it has
    /// one element.
    fn array_elsewhere(&mut self, name: &str, elem: &QTy) -> Type {
        let ty = Ty::Array(Rc::new(elem.clone()), None);
        let member = Member { name: "elements".to_owned(), ty: ty.clone().into(), bits: None };
        let field = Field { name: member.name.clone(), ty: ty.lower(), offset: 0, bit_offset: None };
        let size = elem.ty.lower().size(&self.records, self.model).unwrap_or(0);
        let record = self.new_record(&format!("{name}__array"), false);
        let align = self.align_of_qualified(elem);
        self.complete(record, Layout { fields: vec![field], members: vec![member], size, align });
        self.records[record].elsewhere = true;
        Type::Record(record)
    }

    /// The type of a variable, as the source declared it.
    pub(crate) fn qty_of_object(&self, object: ObjId) -> QTy {
        self.objects[object].ty.clone()
    }
}
