//! Declarators, parameters and type names.

use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Settings};
use crate::lower::declarations::specifiers::{Attrs, Declared, Specs};
use crate::lower::expr::Ast;
use crate::types::table::Types;
use crate::types::ty::{FuncTy, IntTy, QTy, Ty};
use base::Span;
use ir::{BinOp, CheckKind, Expr, Op};
use lang_c::ast;
use lang_c::span::Node;
use std::rc::Rc;

impl Context<'_> {
    pub(crate) fn type_name(&mut self, name: &ast::TypeName) -> Res<QTy> {
        let specs = self.qualifiers(&name.specifiers)?;
        let mut ty = match &name.declarator {
            Some(d) => self.declarator(specs.ty, d, false)?.ty,
            None => specs.ty,
        };
        self.types.attributed(
            self.symbols.scopes.file,
            &mut ty,
            &specs.attrs,
            self.symbols.span_of_first(&name.specifiers),
        )?;
        Ok(ty)
    }

    /// Applies a declarator to the type of its specifiers. `param`: an outermost array is a pointer.
    pub(crate) fn declarator(&mut self, base: QTy, d: &Node<ast::Declarator>, param: bool) -> Res<Declared> {
        let span = self.symbols.span(d);
        let mut attrs = Attrs::default();
        let mut ty = base;
        let wrapped = matches!(d.node.kind.node, ast::DeclaratorKind::Declarator(_));
        for part in &d.node.derived {
            if let ast::DerivedDeclarator::Pointer(qualifiers) = &part.node {
                ty = Ty::ptr_to(ty).into();
                for q in qualifiers {
                    match &q.node {
                        ast::PointerQualifier::TypeQualifier(q) => match q.node {
                            ast::TypeQualifier::Volatile => ty.volatile = true,
                            ast::TypeQualifier::Const => ty.konst = true,
                            ast::TypeQualifier::Atomic => ty.atomic = true,
                            _ => {}
                        },
                        ast::PointerQualifier::Extension(list) => self.attributes(list, &mut attrs)?,
                    }
                }
            }
        }
        let suffixes: Vec<_> =
            d.node.derived.iter().filter(|p| !matches!(p.node, ast::DerivedDeclarator::Pointer(_))).collect();
        for (n, part) in suffixes.iter().enumerate().rev() {
            let outermost = n == 0 && !wrapped;
            ty = self.suffix(ty, part, param && outermost, span)?;
        }
        // An attribute like `mode` changes the type before an inner declarator wraps it.
        self.attributes(&d.node.extensions, &mut attrs)?;
        self.types.attributed(self.symbols.scopes.file, &mut ty, &attrs, span)?;
        match &d.node.kind.node {
            ast::DeclaratorKind::Abstract => Ok(Declared { name: String::new(), span, ty, attrs }),
            ast::DeclaratorKind::Identifier(id) => {
                Ok(Declared { name: id.node.name.clone(), span: self.symbols.span(id), ty, attrs })
            }
            ast::DeclaratorKind::Declarator(inner) => {
                let mut declared = self.declarator(ty, inner, param)?;
                declared.attrs.packed |= attrs.packed;
                declared.attrs.align = declared.attrs.align.max(attrs.align);
                declared.attrs.refused = declared.attrs.refused.or(attrs.refused);
                declared.attrs.noreturn |= attrs.noreturn;
                declared.attrs.weak |= attrs.weak;
                declared.attrs.constructor = declared.attrs.constructor.or(attrs.constructor);
                declared.attrs.destructor = declared.attrs.destructor.or(attrs.destructor);
                Ok(declared)
            }
        }
    }

    pub(crate) fn suffix(
        &mut self,
        ty: QTy,
        part: &Node<ast::DerivedDeclarator>,
        param: bool,
        span: Span,
    ) -> Res<QTy> {
        match &part.node {
            ast::DerivedDeclarator::Array(a) => {
                if matches!(ty.ty, Ty::Func(_) | Ty::Void) {
                    return type_error(span, "an array of such elements is not possible");
                }
                if param {
                    if let ast::ArraySize::VariableExpression(e) | ast::ArraySize::StaticExpression(e) =
                        &a.node.size
                        && self.symbols.has_effects(&self.types, e)
                    {
                        return unsupported(span, "a side effect in the length of a parameter");
                    }
                    return Ok(Ty::ptr_to(ty).into());
                }
                let length = match &a.node.size {
                    ast::ArraySize::Unknown => None,
                    ast::ArraySize::VariableUnknown if self.evaluation.prototypes > 0 => {
                        return Ok(Ty::Vla(Rc::new(ty), None).into());
                    }
                    ast::ArraySize::VariableUnknown => {
                        return type_error(span, "`[*]` is possible in prototypes only");
                    }
                    ast::ArraySize::VariableExpression(e) | ast::ArraySize::StaticExpression(e) => {
                        match self.array_length(e, span)? {
                            Some(n) => Some(n),
                            None => return self.variable_length(ty, e),
                        }
                    }
                };
                self.settings.array_of(ty, length, span)
            }
            ast::DerivedDeclarator::Function(f) => {
                if matches!(ty.ty, Ty::Func(_) | Ty::Array(..) | Ty::Vla(..)) {
                    return type_error(span, "a function cannot return such a value");
                }
                let (params, void) = self.parameters(&f.node.parameters)?;
                let variadic = f.node.ellipsis == ast::Ellipsis::Some;
                let proto = void || !f.node.parameters.is_empty();
                Ok(Ty::Func(Rc::new(FuncTy { ret: ty, params, variadic, proto })).into())
            }
            ast::DerivedDeclarator::KRFunction(_) => {
                Ok(Ty::Func(Rc::new(FuncTy { ret: ty, params: vec![], variadic: false, proto: false }))
                    .into())
            }
            _ => unsupported(span, "this kind of declarator is not supported"),
        }
    }

    /// The constant length of an array; nothing when it is not constant.
    fn array_length(&mut self, e: &Ast, span: Span) -> Res<Option<u64>> {
        let file_scope = self.symbols.scopes.at_file_scope();
        let known = if file_scope { self.constant_int(e) } else { self.try_const_int(e) };
        let known = if self.evaluation.prototypes > 0 { known.unwrap_or(None) } else { known? };
        match known.map(u64::try_from) {
            None => Ok(None),
            Some(Ok(n)) => Ok(Some(n)),
            Some(Err(_)) => type_error(span, "the length of the array is negative"),
        }
    }

    /// The type of an array whose length is not constant; the length is evaluated here.
    fn variable_length(&mut self, elem: QTy, e: &Ast) -> Res<QTy> {
        let span = self.symbols.span(e);
        if self.evaluation.prototypes > 0 || self.emitter.dry > 0 {
            return Ok(Ty::Vla(Rc::new(elem), None).into());
        }
        if self.symbols.scopes.at_file_scope() {
            return type_error(span, "the length of the array is not constant");
        }
        let ptrdiff = Ty::Int(IntTy::ptrdiff(self.settings.model));
        let length = self.value_to(e, &ptrdiff)?;
        let length = self.emitter.spill(length, span);
        let zero = Expr::Const(0, ptrdiff.lower());
        if self.settings.options.wants(CheckKind::Bounds) {
            let positive = Expr::binary(BinOp::Gt, length.clone(), zero.clone());
            let message = "the length of the array is not positive".to_owned();
            self.emitter.check_of(CheckKind::Bounds, positive, message, span);
        }
        self.emitter.internal(Op::Assume(Expr::binary(BinOp::Ge, length.clone(), zero)), span);
        Ok(Ty::Vla(Rc::new(elem), Some(length)).into())
    }

    /// Types of parameters after adjustment; and whether the list is `(void)`.
    pub(crate) fn parameters(&mut self, list: &[Node<ast::ParameterDeclaration>]) -> Res<(Vec<QTy>, bool)> {
        // Tags and names in a parameter list have a scope of their own.
        self.symbols.scopes.blocks.push(crate::lower::scope::Scope::default());
        let mut out = vec![];
        let mut failed = None;
        self.evaluation.prototypes += 1;
        for p in list {
            match self.parameter(&p.node) {
                Ok(declared) => out.push(declared.ty),
                Err(stop) => {
                    failed = Some(stop);
                    break;
                }
            }
        }
        self.evaluation.prototypes -= 1;
        self.symbols.scopes.blocks.pop();
        if let Some(stop) = failed {
            return Err(stop);
        }
        if out.len() == 1 && out[0].ty == Ty::Void {
            return Ok((vec![], true));
        }
        Ok((out, false))
    }

    /// One parameter, adjusted: arrays and functions are pointers.
    pub(crate) fn parameter(&mut self, p: &ast::ParameterDeclaration) -> Res<Declared> {
        let specs = self.specifiers(&p.specifiers, false)?;
        let span = self.symbols.span_of_first(&p.specifiers);
        let mut declared = match &p.declarator {
            Some(d) => self.declarator(specs.ty, d, true)?,
            None => Declared { name: String::new(), span, ty: specs.ty, attrs: Attrs::default() },
        };
        declared.ty = match declared.ty.ty {
            Ty::Array(elem, _) | Ty::Vla(elem, _) => Ty::Ptr(elem).into(),
            f @ Ty::Func(_) => Ty::ptr_to(f).into(),
            _ => declared.ty,
        };
        self.types.attributed(self.symbols.scopes.file, &mut declared.ty, &specs.attrs, span)?;
        Ok(declared)
    }

    pub(crate) fn static_assert(&mut self, a: &Node<ast::StaticAssert>) -> Res<()> {
        if self.const_int(&a.node.expression)? == 0 {
            let span = self.symbols.span(a);
            return type_error(span, "the static assertion fails");
        }
        Ok(())
    }
}

impl Settings<'_> {
    /// The array of this many elements.
    fn array_of(&self, ty: QTy, length: Option<u64>, span: Span) -> Res<QTy> {
        if let Ty::Vla(..) = ty.ty {
            let Some(n) = length else {
                return unsupported(span, "the length of this array is not known");
            };
            let ptrdiff = Ty::Int(IntTy::ptrdiff(self.model)).lower();
            return Ok(Ty::Vla(Rc::new(ty), Some(Expr::Const(i128::from(n), ptrdiff))).into());
        }
        Ok(Ty::Array(Rc::new(ty), length).into())
    }
}

impl Types {
    /// Specifiers with the attributes that change their type applied.
    pub(crate) fn specs_with_mode(&mut self, file: usize, specs: &Specs, declared: &mut Declared) -> Res<()> {
        let span = declared.span;
        self.attributed(file, &mut declared.ty, &specs.attrs, span)
    }
}
