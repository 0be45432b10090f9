//! Declarations in blocks.

use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::declarations::linkage::refuse_use;
use crate::lower::declarations::specifiers::{Attrs, Declared, Storage};
use crate::lower::expr::{Ast, Place};
use crate::lower::scope::{Entity, ObjId, Object};
use crate::types::table::Types;
use crate::types::ty::{QTy, Ty};
use base::Span;
use ir::{Base, Lvalue, Op};
use lang_c::ast;
use lang_c::span::Node;

impl Context<'_> {
    pub(super) fn local_declaration(&mut self, d: &Node<ast::Declaration>) -> Res<()> {
        let mut specs = self.specifiers(&d.node.specifiers, d.node.declarators.is_empty())?;
        let specified = d.node.specifiers.iter().map(|s| self.symbols.span(s)).reduce(Span::to);
        for init in &d.node.declarators {
            let span = self.symbols.span(init);
            if specs.auto {
                specs.ty = self.auto_type(init)?;
            }
            let mut declared = self.declarator(specs.ty.clone(), &init.node.declarator, false)?;
            self.types.specs_with_mode(self.symbols.scopes.file, &specs, &mut declared)?;
            if let Some((attribute, at)) = specs.attrs.refused.as_ref().or(declared.attrs.refused.as_ref()) {
                let nested = matches!(declared.ty.ty, Ty::Func(_));
                return refuse_use(attribute, if nested { declared.span } else { *at });
            }
            declared.attrs.align = declared.attrs.align.max(specs.attrs.align);
            declared.attrs.apart = specs.attrs.apart;
            self.local((specs.storage, specified), declared, init, span)?;
        }
        Ok(())
    }

    fn auto_type(&mut self, init: &Node<ast::InitDeclarator>) -> Res<QTy> {
        let span = self.symbols.span(init);
        match init.node.initializer.as_ref().map(|i| &i.node) {
            Some(ast::Initializer::Expression(e)) => {
                let e: &Ast = e;
                Ok(match self.type_of_expr(e)?.ty {
                    ty if ty.is_variable() => {
                        return unsupported(span, "`__auto_type` for an array of variable length");
                    }
                    Ty::Array(elem, _) => Ty::Ptr(elem).into(),
                    f @ Ty::Func(_) => Ty::ptr_to(f).into(),
                    Ty::Void => return type_error(span, "the initialiser has no value"),
                    Ty::Int(i) if i.bits < 32 && !matches!(i.bits, 1 | 8 | 16) => {
                        Ty::Int(i.promoted()).into()
                    }
                    ty => ty.into(),
                })
            }
            _ => type_error(span, "`__auto_type` needs an initialiser"),
        }
    }

    fn local(
        &mut self,
        (storage, specified): (Storage, Option<Span>),
        declared: Declared,
        init: &Node<ast::InitDeclarator>,
        span: Span,
    ) -> Res<()> {
        let Declared { name, ty, span: name_span, attrs } = declared;
        if attrs.align.is_some() && storage != Storage::Typedef {
            self.symbols.aligned_names.insert(name.clone());
        }
        if matches!(ty.ty, Ty::Vla(..)) && storage != Storage::Typedef {
            if storage != Storage::None {
                return type_error(name_span, "the length of the array is not constant");
            }
            if init.node.initializer.is_some() {
                let message = "initialisers of variable length arrays are not supported";
                return unsupported(name_span, message);
            }
            return self.emitter.variable_length_array(
                &self.types,
                &mut self.symbols,
                name,
                ty,
                span,
                name_span,
            );
        }
        if self.symbols.declare_without_object(&mut self.emitter, storage, (&name, name_span), &ty, &attrs)? {
            return Ok(());
        }
        let ty = match &init.node.initializer {
            Some(i) => self.completed_by(ty, i)?,
            None => ty,
        };
        self.types.size_of(&ty.ty, name_span)?;
        if ty.ty == Ty::Void {
            return type_error(name_span, format!("`{name}` cannot have the type void"));
        }
        if storage == Storage::Static {
            return self.static_local(name, ty, &attrs, init, span);
        }
        if attrs.apart {
            let message =
                format!("`{name}` is neither static nor extern, and of those alone each thread has its own");
            return type_error(name_span, message);
        }
        let place =
            self.emitter.declare_local(&self.types, &mut self.symbols, (name, ty), attrs.align, name_span);
        if let (Some(span), Base::Var(var)) = (specified, place.lv.base.clone()) {
            self.emitter.report.words.specifiers.insert(var, span);
        }
        match &init.node.initializer {
            Some(i) => {
                let lower = |cx: &mut Self| cx.initialise(&place, i, span);
                let at = self.symbols.span(i);
                self.or_unmodelled(|cx| cx.full_expression(at, lower))
            }
            None => {
                let at = init.span.start;
                let again = self.emitter.fun.repeats > 0
                    || self.emitter.fun.repeated.iter().any(|r| r.0 <= at && at <= r.1);
                self.emitter.havoc_object(&self.types, &place, again, name_span)
            }
        }
    }

    /// A static local: a global that is initialised once, before the program starts.
    fn static_local(
        &mut self,
        name: String,
        ty: QTy,
        attrs: &Attrs,
        init: &Node<ast::InitDeclarator>,
        span: Span,
    ) -> Res<()> {
        let (id, place) =
            self.emitter.declare_static_local(&self.types, &mut self.symbols, (name, ty), attrs, span);
        if self.emitter.dry > 0 {
            return Ok(());
        }
        self.static_local_init(id, &place, init.node.initializer.as_ref(), span)
    }
}

impl Symbols<'_> {
    /// Declares what has no object in the block: types, functions, objects of other places. False for the others.
    fn declare_without_object(
        &mut self,
        emitter: &mut Emitter<'_>,
        storage: Storage,
        (name, name_span): (&str, Span),
        ty: &QTy,
        attrs: &Attrs,
    ) -> Res<bool> {
        if storage == Storage::Typedef {
            let ty = QTy { align: attrs.align.or(ty.align), ..ty.clone() };
            self.scopes.innermost().names.insert(name.to_owned(), Entity::Typedef(ty));
            return Ok(true);
        }
        if let Ty::Func(f) = &ty.ty {
            let id = self.declare_function(name, f.clone(), false, name_span)?;
            self.scopes.innermost().names.insert(name.to_owned(), Entity::Function(id));
            return Ok(true);
        }
        if storage == Storage::Extern {
            let id = self.declare_object(emitter, name, ty.clone(), false, false, name_span)?;
            let object = &mut self.objects[id];
            object.apart |= attrs.apart;
            object.align = object.align.max(attrs.align);
            self.scopes.innermost().names.insert(name.to_owned(), Entity::Object(id));
            return Ok(true);
        }
        Ok(false)
    }
}

impl Emitter<'_> {
    /// A local variable of the innermost block.
    fn declare_local(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        (name, ty): (String, QTy),
        align: Option<u64>,
        name_span: Span,
    ) -> Place {
        let var = self.new_local(&name, &ty.ty, name_span);
        self.note_name(var, &name, &ty);
        self.note_constant(types, var, &ty);
        self.align(var, &ty, align);
        let pointed = self.fun.addressed.contains(&name) || types.has_array(&ty.ty);
        if pointed {
            symbols.ends_with_block(self, var);
        }
        let place = Place { lv: Lvalue::var(var, ty.ty.lower()), ty: ty.clone(), bit_field: false };
        symbols.scopes.innermost().names.insert(name, Entity::Local(var, ty));
        place
    }

    /// The object of a static variable of the innermost block.
    fn declare_static_local(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        (name, ty): (String, QTy),
        attrs: &Attrs,
        span: Span,
    ) -> (ObjId, Place) {
        let wish = format!("{}__{name}", self.fun.name);
        let lowered = ty.ty.lower();
        let var = self.anonymous_global(&wish, lowered.clone(), span);
        self.note_name(var, &name, &ty);
        self.note_constant(types, var, &ty);
        let id = symbols.objects.len();
        symbols.objects.push(Object {
            name: name.clone(),
            ty: ty.clone(),
            file: symbols.scopes.file,
            span,
            defined: true,
            init: None,
            var: Some(var),
            refused: None,
            apart: attrs.apart,
            align: attrs.align,
        });
        self.align(var, &ty, attrs.align);
        symbols.scopes.innermost().names.insert(name, Entity::Object(id));
        (id, Place { lv: Lvalue::var(var, lowered), ty, bit_field: false })
    }

    /// Declares a variable length array: a fresh object for each run of the declaration, and a local pointer to
    /// it.
    fn variable_length_array(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        name: String,
        ty: QTy,
        span: Span,
        name_span: Span,
    ) -> Res<()> {
        let bytes = self.size_expr(types, &ty.ty, span)?;
        let pointer = ty.ty.lower().ptr_to();
        let local = self.names.local(&name, &mut self.fun.used_names);
        let kind = ir::VarKind::Local(self.fun.proc);
        let var = self.new_var(local, pointer.clone(), kind, name_span);
        self.note_name(var, &name, &ty);
        let dest = Lvalue::var(var, pointer);
        self.internal(Op::Alloc { dest, size: bytes, zeroed: false, may_fail: false }, span);
        symbols.scopes.innermost().names.insert(name, Entity::Variable(var, ty));
        Ok(())
    }
}
