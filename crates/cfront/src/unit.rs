//! Translation units: file-scope declarations and linkage, the procedures that the entry reaches, the start
//! procedure, and the assembled program.

use crate::cfg::Fun;
use crate::cx::Cx;
use crate::decl::{Attrs, Declared, Storage};
use crate::harness::Harness;
use crate::mend;
use crate::options::{FailureKind, Res, Stop};
use crate::parse::Parsed;
use crate::scope::{Entity, FnId, Function, Scope};
use crate::ty::{FuncTy, QTy, Ty};
use crate::words::Words;
use base::{Diagnostic, Span};
use ir::{Check, Proc, ProcId, Program};
use lang_c::ast;
use lang_c::span::Node;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// At most this many functions are listed in a message.
const LISTED: usize = 12;

/// At most this many functions with errors are reported.
const MAX_ERRORS: usize = 20;

/// The result of [`load_files`].
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) program: Program,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) externs: Vec<String>,
    pub(crate) not_checked: Vec<Check>,
    pub(crate) conditions: Vec<Span>,
    pub(crate) words: Words,
    /// The functions whose calls are marked.
    pub(crate) marked: Vec<crate::options::Marked>,
    /// Models whose calls are marked with the memory they access, and the harness, whose accesses are right.
    pub(crate) covered: BTreeSet<ProcId>,
    /// The models among these that make nothing but strings.
    pub(crate) strings: BTreeSet<ProcId>,
    /// The text that was added to the files to call the entry function.
    pub(crate) harness: Option<Harness>,
    /// A loop may start more threads than the bound.
    pub(crate) more_threads: bool,
}

impl<'a> Cx<'a> {
    /// Declares what the files declare, in their order.
    pub(crate) fn declare_all(&mut self) -> Res<()> {
        let parsed: &'a [Parsed] = self.parsed;
        for (n, file) in parsed.iter().enumerate() {
            self.scopes.file = n;
            for (start, end, message) in &file.mended.warnings {
                let span = file.source.lines.span(*start, *end);
                self.warn(span, message.clone());
            }
            for declaration in &file.unit.0 {
                self.external_declaration(declaration)?;
            }
        }
        Ok(())
    }

    pub(crate) fn run(&mut self) -> Res<Lowered> {
        let entry = self.find_entry()?;
        let entry_span = self.functions[entry].span;
        let start_ty =
            Arc::new(FuncTy { ret: Ty::Void.into(), params: vec![], variadic: false, proto: true }.lower());
        self.names.procs.insert("start__");
        let start = self.procs.push(Proc::new("start__".into(), start_ty, true, entry_span));
        self.start = Some(Fun::new(start, "start__"));
        self.proc_of(entry);
        self.reach_structors()?;
        if self.uses_atexit
            && let Some(handlers) = self.models.get("slam_exit_handlers").copied()
        {
            self.proc_of(handlers);
        }
        self.lower_reachable()?;
        if self.wants_strings(entry) {
            self.lower_reachable()?;
        }
        self.finish_start(start, entry)?;
        self.assemble(start)
    }

    pub(crate) fn find_entry(&self) -> Res<FnId> {
        let name = &self.opts.entry;
        self.defined_function(name).ok_or_else(|| {
            let file = &self.parsed[0].source;
            let message = format!("there is no function `{name}` to start with");
            let mut diagnostic = Diagnostic::error(Span::at(file.file, 1, 1), message);
            let own: Vec<&str> = self.own_functions().map(|f| f.name.as_str()).collect();
            if !own.is_empty() {
                let more = if own.len() > LISTED { format!(" and {} more", own.len() - LISTED) } else { String::new() };
                let list = own[..own.len().min(LISTED)].join(", ");
                let advice = format!(
                    "--entry NAME starts with another function, with any arguments; --each-function checks each of \
                     {list}{more}"
                );
                diagnostic = diagnostic.with_note(None, advice);
            }
            Stop::new(FailureKind::NoEntry, diagnostic)
        })
    }

    /// The function of this name that the program itself defines.
    pub(crate) fn defined_function(&self, name: &str) -> Option<FnId> {
        self.functions.iter().position(|f| f.name == name && f.def.is_some() && !self.is_model(f.file))
    }

    /// The functions that the program's own files define, in their order; not those of headers.
    pub(crate) fn own_functions(&self) -> impl Iterator<Item = &Function<'a>> {
        let own = |f: &&Function<'a>| {
            f.def.is_some() && f.file < self.stubs_from && self.parsed[f.file].source.file == f.span.file
        };
        self.functions.iter().filter(own)
    }

    /// Lowers the next object or function that is used and was not lowered yet; `None` when there is none.
    pub(crate) fn lower_next(&mut self) -> Option<Res<()>> {
        if let Some(object) = self.todo_objects.pop_front() {
            Some(self.lower_object(object))
        } else {
            self.todo_functions.pop_front().map(|f| self.lower_function(f))
        }
    }

    /// Lowers functions and objects until nothing new is used; errors of several functions are collected.
    fn lower_reachable(&mut self) -> Res<()> {
        let mut failed: Option<Box<Stop>> = None;
        while let Some(result) = self.lower_next() {
            let Err(stop) = result else { continue };
            match &mut failed {
                None => failed = Some(stop),
                Some(first) => first.diagnostics.extend(stop.diagnostics),
            }
            if failed.as_ref().is_some_and(|f| f.diagnostics.len() >= MAX_ERRORS) {
                break;
            }
        }
        failed.map_or(Ok(()), Err)
    }

    fn external_declaration(&mut self, d: &'a Node<ast::ExternalDeclaration>) -> Res<()> {
        match &d.node {
            ast::ExternalDeclaration::StaticAssert(a) => self.static_assert(a),
            ast::ExternalDeclaration::Declaration(d) => self.declaration(d),
            ast::ExternalDeclaration::FunctionDefinition(f) => self.function_definition(f),
        }
    }

    pub(crate) fn declaration(&mut self, d: &'a Node<ast::Declaration>) -> Res<()> {
        let specs = self.specifiers(&d.node.specifiers, d.node.declarators.is_empty())?;
        for init in &d.node.declarators {
            let mut declared = self.declarator(specs.ty.clone(), &init.node.declarator, false)?;
            self.specs_with_mode(&specs, &mut declared)?;
            let Declared { name, ty, span, .. } = declared.clone();
            if name.starts_with("__") && mend::PRELUDE_TYPES.contains(&name.as_str()) {
                continue;
            }
            if specs.storage == Storage::Typedef {
                let align = specs.attrs.align.max(declared.attrs.align);
                let ty = QTy { align: align.or(ty.align), ty: self.named_type(&name, ty.ty), ..ty };
                self.scopes.innermost().names.insert(name, Entity::Typedef(ty));
                continue;
            }
            if specs.attrs.align.max(declared.attrs.align).is_some() {
                self.aligned_names.insert(name.clone());
            }
            let is_static = specs.storage == Storage::Static;
            if let Ty::Func(f) = &ty.ty {
                let id = self.declare_function(&name, f.clone(), is_static, span)?;
                self.note_attributes(Entity::Function(id), &specs.attrs, &declared);
                self.scopes.innermost().names.insert(name, Entity::Function(id));
                continue;
            }
            let ty = match &init.node.initializer {
                Some(i) => self.completed_by(ty, i)?,
                None => ty,
            };
            let defined = specs.storage != Storage::Extern || init.node.initializer.is_some();
            let id = self.declare_object(&name, ty, is_static, defined, span)?;
            self.note_attributes(Entity::Object(id), &specs.attrs, &declared);
            self.scopes.innermost().names.insert(name.clone(), Entity::Object(id));
            if let Some(i) = &init.node.initializer {
                if self.objects[id].init.replace(i).is_some() {
                    return self.type_error(span, format!("`{name}` is initialised twice"));
                }
                self.objects[id].file = self.scopes.file;
                self.objects[id].span = self.span(init);
            }
        }
        Ok(())
    }

    fn function_definition(&mut self, f: &'a Node<ast::FunctionDefinition>) -> Res<()> {
        let specs = self.specifiers(&f.node.specifiers, false)?;
        let mut declared = self.declarator(specs.ty.clone(), &f.node.declarator, false)?;
        self.specs_with_mode(&specs, &mut declared)?;
        let Declared { name, ty, span, .. } = declared.clone();
        let Ty::Func(ty) = ty.ty else {
            return self.type_error(span, format!("`{name}` has a body but is no function"));
        };
        let inline =
            f.node.specifiers.iter().any(|s| matches!(&s.node, ast::DeclarationSpecifier::Function(_)));
        let ty = self.definition_type(f, ty)?;
        let id = self.declare_function(&name, ty.clone(), specs.storage == Storage::Static, span)?;
        self.note_attributes(Entity::Function(id), &specs.attrs, &declared);
        self.scopes.innermost().names.insert(name.clone(), Entity::Function(id));
        if self.is_model(self.scopes.file) && specs.storage != Storage::Static {
            self.models.insert(name.clone(), id);
        }
        // The program's own definition wins over a stub.
        if self.is_stub(self.scopes.file)
            && self.functions[id].def.is_some()
            && !self.is_stub(self.functions[id].file)
        {
            return Ok(());
        }
        if let Some(previous) = self.functions[id].def {
            let was_inline = previous
                .node
                .specifiers
                .iter()
                .any(|s| matches!(&s.node, ast::DeclarationSpecifier::Function(_)));
            if was_inline && inline && self.is_same_text(previous, self.functions[id].file, f) {
                return Ok(());
            }
            if was_inline == inline {
                let mut diagnostic = Diagnostic::error(span, format!("`{name}` is defined twice"))
                    .with_note(self.functions[id].span, "the first definition");
                if name == self.opts.entry && self.functions[id].file != self.scopes.file {
                    let advice = "several files are one program; `slam batch` checks each by itself";
                    diagnostic = diagnostic.with_note(None, advice);
                }
                return Err(Stop::new(FailureKind::Type, diagnostic));
            }
            // gcc's `extern inline` definition stands beside the real one.
            if inline {
                return Ok(());
            }
        }
        let function = &mut self.functions[id];
        let proto = function.ty.proto || ty.proto;
        let (params, ret) = (ty.params.clone(), ty.ret.clone());
        function.ty = Rc::new(FuncTy { ret, params, variadic: ty.variadic, proto });
        function.def = Some(f);
        function.span = span;
        function.file = self.scopes.file;
        Ok(())
    }

    /// Whether two files define an inline function by the same lines of one header, and with the same words.
    fn is_same_text(
        &self,
        first: &'a Node<ast::FunctionDefinition>,
        of: usize,
        second: &'a Node<ast::FunctionDefinition>,
    ) -> bool {
        let (one, other) = (&self.parsed[of], &self.parsed[self.scopes.file]);
        let words = |file: &Parsed, f: &Node<ast::FunctionDefinition>| -> Vec<String> {
            let text = &file.mended.text[f.span.start..f.span.end];
            crate::lex::lex(text).tokens.iter().map(|t| t.text(text).to_owned()).collect()
        };
        of != self.scopes.file
            && one.span(first.span) == other.span(second.span)
            && words(one, first) == words(other, second)
    }

    /// The function's type with the parameters that an old-style definition declares behind its list.
    fn definition_type(&mut self, f: &'a Node<ast::FunctionDefinition>, ty: Rc<FuncTy>) -> Res<Rc<FuncTy>> {
        let Some(ast::DerivedDeclarator::KRFunction(names)) = function_part(&f.node.declarator) else {
            return Ok(ty);
        };
        self.scopes.blocks.push(Scope::default());
        self.prototypes += 1;
        let params = self.old_style_parameters(f, names);
        self.prototypes -= 1;
        self.scopes.blocks.pop();
        let params = params?.into_iter().map(|p| p.ty).collect();
        Ok(Rc::new(FuncTy { params, ..(*ty).clone() }))
    }

    pub(crate) fn old_style_parameters(
        &mut self,
        f: &'a Node<ast::FunctionDefinition>,
        names: &[Node<ast::Identifier>],
    ) -> Res<Vec<Declared>> {
        let mut declared = vec![];
        for d in &f.node.declarations {
            let specs = self.specifiers(&d.node.specifiers, false)?;
            for init in &d.node.declarators {
                let mut one = self.declarator(specs.ty.clone(), &init.node.declarator, true)?;
                if let Ty::Array(elem, _) = one.ty.ty {
                    one.ty = Ty::Ptr(elem).into();
                }
                declared.push(one);
            }
        }
        let mut out = vec![];
        for name in names {
            let span = self.span(name);
            let known = declared.iter().find(|d| d.name == name.node.name).cloned();
            out.push(known.unwrap_or_else(|| Declared {
                name: name.node.name.clone(),
                span,
                ty: Ty::INT.into(),
                attrs: Attrs::default(),
            }));
        }
        Ok(out)
    }
}

/// The part of a definition's declarator that lists its parameters.
pub(crate) fn function_part(d: &Node<ast::Declarator>) -> Option<&ast::DerivedDeclarator> {
    let here =
        d.node.derived.iter().map(|p| &p.node).find(|p| {
            matches!(p, ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_))
        });
    match &d.node.kind.node {
        ast::DeclaratorKind::Declarator(inner) => function_part(inner).or(here),
        _ => here,
    }
}
