//! Functions and objects with static storage: their declarations in all files, and the attributes of their names.

use crate::error::{FailureKind, Res, Stop, type_error, unsupported};
use crate::lower::context::{Emitter, Symbols};
use crate::lower::declarations::specifiers::{Attrs, Declared};
use crate::lower::scope::{Entity, FnId, Function, ObjId, Object};
use crate::text::repair;
use crate::types::ty::{FuncTy, QTy, Ty};
use base::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Symbols<'_> {
    /// Records attributes; those that are not modelled are refused where they would matter.
    pub(crate) fn note_attributes(&mut self, entity: Entity, specs: &Attrs, declared: &Declared) {
        if let Entity::Function(f) = entity {
            self.functions[f].noreturn |= specs.noreturn || declared.attrs.noreturn;
            self.functions[f].weak |= specs.weak || declared.attrs.weak;
            let own = &declared.attrs;
            let function = &mut self.functions[f];
            function.constructor = function.constructor.or(specs.constructor).or(own.constructor);
            function.destructor = function.destructor.or(specs.destructor).or(own.destructor);
        }
        if let Entity::Object(o) = entity {
            let object = &mut self.objects[o];
            object.apart |= specs.apart;
            object.align = object.align.max(specs.align).max(declared.attrs.align);
        }
        let Some((name, _)) = specs.refused.as_ref().or(declared.attrs.refused.as_ref()) else { return };
        match entity {
            Entity::Function(f) => self.functions[f].refused = Some(name.clone()),
            Entity::Object(o) => self.objects[o].refused = Some(name.clone()),
            _ => {}
        }
    }

    /// Declares a function in the current file; the functions of one name with external linkage are one.
    pub(crate) fn declare_function(
        &mut self,
        name: &str,
        ty: Rc<FuncTy>,
        is_static: bool,
        span: Span,
    ) -> Res<FnId> {
        let is_static = is_static || self.is_model(self.scopes.file);
        let own = |e: &Entity| if let Entity::Function(f) = e { Some(*f) } else { None };
        let externs = [&self.extern_functions, &self.extern_objects];
        let known = self.linked(name, is_static, own, externs, span)?;
        let Some(id) = known else {
            let id = self.functions.len();
            self.functions.push(Function::new(name, ty, self.scopes.file, span));
            if !is_static {
                self.extern_functions.insert(name.to_owned(), id);
            }
            return Ok(id);
        };
        let old = self.functions[id].ty.clone();
        if self.functions[id].implicit {
            self.functions[id].implicit = false;
        } else if !Ty::Func(old.clone()).compatible(&Ty::Func(ty.clone())) {
            return Err(other_type(name, span, self.functions[id].span));
        }
        // A prototype says more than `f()`; a definition's own list is taken by its caller.
        if ty.proto || !old.proto {
            self.functions[id].ty = ty;
        }
        Ok(id)
    }

    /// The function or object that the name was declared as before, in this file or, with external linkage, in another
    /// one. `same` are the names with external linkage of its kind, `other` those of the other kind.
    fn linked(
        &self,
        name: &str,
        is_static: bool,
        own: impl Fn(&Entity) -> Option<usize>,
        [same, other]: [&FxHashMap<String, usize>; 2],
        span: Span,
    ) -> Res<Option<usize>> {
        let entity = self.scopes.files[self.scopes.file].names.get(name);
        let in_file = entity.and_then(own);
        if entity.is_some() && in_file.is_none() && self.scopes.at_file_scope() {
            return type_error(span, format!("`{name}` is declared as something else before"));
        }
        if is_static || in_file.is_some() {
            return Ok(in_file);
        }
        if other.contains_key(name) {
            let message = format!("`{name}` is a function in one place and an object in another");
            return type_error(span, message);
        }
        Ok(same.get(name).copied())
    }

    /// Declares an object with static storage; those of one name with external linkage are one.
    pub(crate) fn declare_object(
        &mut self,
        emitter: &mut Emitter<'_>,
        name: &str,
        ty: QTy,
        is_static: bool,
        defined: bool,
        span: Span,
    ) -> Res<ObjId> {
        let is_static = is_static || self.is_model(self.scopes.file);
        if ty.ty == Ty::Void {
            return type_error(span, format!("`{name}` cannot have the type void"));
        }
        let own = |e: &Entity| if let Entity::Object(o) = e { Some(*o) } else { None };
        let externs = [&self.extern_objects, &self.extern_functions];
        let known = self.linked(name, is_static, own, externs, span)?;
        let Some(id) = known else {
            let id = self.objects.len();
            let file = self.scopes.file;
            emitter.names.reserve(name);
            self.objects.push(Object {
                name: name.to_owned(),
                ty,
                file,
                span,
                defined,
                init: None,
                var: None,
                refused: None,
                apart: false,
                align: None,
            });
            if !is_static {
                self.extern_objects.insert(name.to_owned(), id);
            }
            return Ok(id);
        };
        if !self.objects[id].ty.ty.compatible(&ty.ty) {
            return Err(other_type(name, span, self.objects[id].span));
        }
        let old = &mut self.objects[id];
        if matches!(old.ty.ty, Ty::Array(_, None)) {
            old.ty.ty = ty.ty;
        }
        old.ty.volatile |= ty.volatile;
        if defined && !old.defined {
            old.defined = true;
            old.span = span;
        }
        Ok(id)
    }
}

/// The refusal of something that is used and has such an attribute.
pub(crate) fn refuse_use<T>(attribute: &str, span: Span) -> Res<T> {
    if attribute == repair::NESTED.trim_matches('_') {
        return unsupported(span, "functions inside of functions are not supported");
    }
    unsupported(span, format!("the attribute `{attribute}` of this name is not supported"))
}

/// The error that the types of two declarations differ.
fn other_type(name: &str, span: Span, earlier: Span) -> Box<Stop> {
    let message = format!("`{name}` is declared with another type before");
    let diagnostic = Diagnostic::error(span, message).with_note(earlier, "the earlier declaration");
    Stop::new(FailureKind::Type, diagnostic)
}
