//! Declarations in blocks.

use crate::cx::Cx;
use crate::decl::{Attrs, Declared, Storage};
use crate::expr::{Ast, Place};
use crate::options::Res;
use crate::scope::{Entity, Object};
use crate::ty::{QTy, Ty};
use base::Span;
use ir::{Lvalue, Op};
use lang_c::ast;
use lang_c::span::Node;

impl Cx<'_> {
    pub(super) fn local_declaration(&mut self, d: &Node<ast::Declaration>) -> Res<()> {
        let mut specs = self.specifiers(&d.node.specifiers, d.node.declarators.is_empty())?;
        let specified = d.node.specifiers.iter().map(|s| self.span(s)).reduce(Span::to);
        for init in &d.node.declarators {
            let span = self.span(init);
            if specs.auto {
                specs.ty = self.auto_type(init)?;
            }
            let mut declared = self.declarator(specs.ty.clone(), &init.node.declarator, false)?;
            self.specs_with_mode(&specs, &mut declared)?;
            if let Some((attribute, at)) = specs.attrs.refused.as_ref().or(declared.attrs.refused.as_ref()) {
                let nested = matches!(declared.ty.ty, Ty::Func(_));
                return self.refuse_use(attribute, if nested { declared.span } else { *at });
            }
            declared.attrs.align = declared.attrs.align.max(specs.attrs.align);
            declared.attrs.apart = specs.attrs.apart;
            self.local((specs.storage, specified), declared, init, span)?;
        }
        Ok(())
    }

    fn auto_type(&mut self, init: &Node<ast::InitDeclarator>) -> Res<QTy> {
        let span = self.span(init);
        match init.node.initializer.as_ref().map(|i| &i.node) {
            Some(ast::Initializer::Expression(e)) => {
                let e: &Ast = e;
                Ok(match self.type_of_expr(e)?.ty {
                    ty if ty.is_variable() => {
                        return self.unsupported(span, "`__auto_type` for an array of variable length");
                    }
                    Ty::Array(elem, _) => Ty::Ptr(elem).into(),
                    f @ Ty::Func(_) => Ty::ptr_to(f).into(),
                    Ty::Void => return self.type_error(span, "the initialiser has no value"),
                    Ty::Int(i) if i.bits < 32 && !matches!(i.bits, 1 | 8 | 16) => {
                        Ty::Int(i.promoted()).into()
                    }
                    ty => ty.into(),
                })
            }
            _ => self.type_error(span, "`__auto_type` needs an initialiser"),
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
            self.aligned_names.insert(name.clone());
        }
        if matches!(ty.ty, Ty::Vla(..)) && storage != Storage::Typedef {
            if storage != Storage::None {
                return self.type_error(name_span, "the length of the array is not constant");
            }
            if init.node.initializer.is_some() {
                let message = "initialisers of variable length arrays are not supported";
                return self.unsupported(name_span, message);
            }
            return self.variable_length_array(name, ty, span, name_span);
        }
        if storage == Storage::Typedef {
            let ty = QTy { align: attrs.align.or(ty.align), ..ty };
            self.scopes.innermost().names.insert(name, Entity::Typedef(ty));
            return Ok(());
        }
        if let Ty::Func(f) = &ty.ty {
            let id = self.declare_function(&name, f.clone(), false, name_span)?;
            self.scopes.innermost().names.insert(name, Entity::Function(id));
            return Ok(());
        }
        if storage == Storage::Extern {
            let id = self.declare_object(&name, ty, false, false, name_span)?;
            let object = &mut self.objects[id];
            object.apart |= attrs.apart;
            object.align = object.align.max(attrs.align);
            self.scopes.innermost().names.insert(name, Entity::Object(id));
            return Ok(());
        }
        let ty = match &init.node.initializer {
            Some(i) => self.completed_by(ty, i)?,
            None => ty,
        };
        self.size_of(&ty.ty, name_span)?;
        if ty.ty == Ty::Void {
            return self.type_error(name_span, format!("`{name}` cannot have the type void"));
        }
        if storage == Storage::Static {
            return self.static_local(name, ty, &attrs, init, span);
        }
        if attrs.apart {
            let message =
                format!("`{name}` is neither static nor extern, and of those alone each thread has its own");
            return self.type_error(name_span, message);
        }
        let var = self.new_local(&name, &ty.ty, name_span);
        self.speak(var, &name, &ty);
        self.note_constant(var, &ty);
        self.words.specifiers.extend(specified.map(|span| (var, span)));
        self.align(var, &ty, attrs.align);
        let pointed = self.fun.addressed.contains(&name) || self.has_array(&ty.ty);
        if pointed {
            self.ends_with_block(var);
        }
        let place = Place { lv: Lvalue::var(var, ty.ty.lower()), ty: ty.clone(), bit_field: false };
        self.scopes.innermost().names.insert(name, Entity::Local(var, ty));
        match &init.node.initializer {
            Some(i) => {
                let lower = |cx: &mut Self| cx.initialise(&place, i, span);
                let at = self.span(i);
                self.or_unmodelled(|cx| cx.full_expression(at, lower))
            }
            None => {
                let at = init.span.start;
                let again = self.fun.repeats > 0 || self.fun.repeated.iter().any(|r| r.0 <= at && at <= r.1);
                self.havoc_object(&place, again, name_span)
            }
        }
    }

    /// Declares a variable length array: a fresh object for each run of the declaration, and a local pointer to
    /// it.
    fn variable_length_array(&mut self, name: String, ty: QTy, span: Span, name_span: Span) -> Res<()> {
        let bytes = self.size_expr(&ty.ty, span)?;
        let pointer = ty.ty.lower().ptr_to();
        let local = self.names.local(&name, &mut self.fun.used_names);
        let kind = ir::VarKind::Local(self.fun.proc);
        let var = self.new_var(local, pointer.clone(), kind, name_span);
        self.speak(var, &name, &ty);
        let dest = Lvalue::var(var, pointer);
        self.internal(Op::Alloc { dest, size: bytes, zeroed: false, may_fail: false }, span);
        self.scopes.innermost().names.insert(name, Entity::Variable(var, ty));
        Ok(())
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
        let wish = format!("{}__{name}", self.fun.name);
        let lowered = ty.ty.lower();
        let var = self.anonymous_global(&wish, lowered.clone(), span);
        self.speak(var, &name, &ty);
        self.note_constant(var, &ty);
        let id = self.objects.len();
        self.objects.push(Object {
            name: name.clone(),
            ty: ty.clone(),
            file: self.scopes.file,
            span,
            defined: true,
            init: None,
            var: Some(var),
            refused: None,
            apart: attrs.apart,
            align: attrs.align,
        });
        self.align(var, &ty, attrs.align);
        self.scopes.innermost().names.insert(name, Entity::Object(id));
        if self.dry > 0 {
            return Ok(());
        }
        let place = Place { lv: Lvalue::var(var, lowered), ty, bit_field: false };
        self.static_local_init(id, &place, init.node.initializer.as_ref(), span)
    }
}
