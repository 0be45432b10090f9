//! Translation units: file-scope declarations and linkage, the procedures that the entry reaches, the start
//! procedure, and the assembled program.

use crate::error::{FailureKind, Res, Stop, type_error};
use crate::lower::cfg::Fun;
use crate::lower::context::{Context, Emitter, Settings, Symbols, Uses};
use crate::lower::declarations::specifiers::{Attrs, Declared, Specs, Storage};
use crate::lower::scope::{Entity, FnId, Function, ObjId, Scope};
use crate::lower::source_names::Words;
use crate::options::Options;
use crate::syntax::declarators::function_part;
use crate::syntax::parse::Parsed;
use crate::text::repair;
use crate::types::table::Variants;
use crate::types::ty::{FuncTy, QTy, Ty};
use base::{Diagnostic, SourceMap, Span};
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

/// The result of the lowering.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) program: Program,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) externs: Vec<String>,
    pub(crate) not_checked: Vec<Check>,
    pub(crate) conditions: Vec<Span>,
    pub(crate) words: Words,
    /// The functions whose calls are marked.
    pub(crate) marked: Vec<crate::library::rule_marks::Marked>,
    /// Models whose calls are marked with the memory they access, and the harness, whose accesses are right.
    pub(crate) covered: BTreeSet<ProcId>,
    /// The models among these that make nothing but strings.
    pub(crate) strings: BTreeSet<ProcId>,
    /// A loop may start more threads than the bound.
    pub(crate) more_threads: bool,
}

/// The declarations in the program's files and its stubs, without models; `own`: how many files are the program
/// itself.
pub(crate) fn own_declarations<'a>(
    parsed: &'a [Parsed],
    own: usize,
    options: &'a Options,
    map: &'a SourceMap,
) -> Res<Context<'a>> {
    let settings = Settings::new(options, Uses::default());
    declared(|| Context::new(settings, parsed, (own, parsed.len()), map))
}

/// The state with the declarations of all files. Where files give a tag different meanings, each meaning is a type.
pub(crate) fn declared<'a>(start: impl Fn() -> Context<'a>) -> Res<Context<'a>> {
    let mut variants = Variants::default();
    loop {
        let mut cx = start();
        cx.types.variants = variants;
        let Err(stop) = cx.declare_all() else { return Ok(cx) };
        let Some(clash) = cx.types.clash.take() else { return Err(stop) };
        variants = cx.types.variants;
        *variants.entry(clash).or_insert(0) += 1;
    }
}

impl<'a> Context<'a> {
    /// Declares what the files declare, in their order.
    pub(crate) fn declare_all(&mut self) -> Res<()> {
        let parsed: &'a [Parsed] = self.symbols.parsed;
        for (n, file) in parsed.iter().enumerate() {
            self.symbols.scopes.file = n;
            for (start, end, message) in &file.repaired.warnings {
                let span = file.source.lines.span(*start, *end);
                self.emitter.warn(span, message.clone());
            }
            for declaration in &file.unit.0 {
                self.external_declaration(declaration)?;
            }
        }
        Ok(())
    }

    pub(crate) fn run(&mut self) -> Res<Lowered> {
        let entry = self.symbols.find_entry()?;
        let entry_span = self.symbols.functions[entry].span;
        let start = self.emitter.begin_start(entry_span);
        self.emitter.proc_of(&mut self.symbols, entry);
        self.emitter.reach_structors(&mut self.symbols)?;
        if self.settings.uses.atexit
            && let Some(handlers) = self.symbols.models.get("slam_exit_handlers").copied()
        {
            self.emitter.proc_of(&mut self.symbols, handlers);
        }
        self.lower_reachable()?;
        if self.emitter.wants_strings(&mut self.symbols, entry) {
            self.lower_reachable()?;
        }
        self.emitter.finish_start(&mut self.symbols, start, entry)?;
        self.emitter.assemble(&mut self.types, &mut self.symbols, start)
    }

    /// Lowers the next object or function that is used and was not lowered yet; `None` when there is none.
    pub(crate) fn lower_next(&mut self) -> Option<Res<()>> {
        if let Some(object) = self.symbols.todo_objects.pop_front() {
            Some(self.lower_object(object))
        } else {
            self.symbols.todo_functions.pop_front().map(|f| self.lower_function(f))
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
            self.types.specs_with_mode(self.symbols.scopes.file, &specs, &mut declared)?;
            let Declared { name, ty, span, .. } = declared.clone();
            if name.starts_with("__") && repair::PRELUDE_TYPES.contains(&name.as_str()) {
                continue;
            }
            if specs.storage == Storage::Typedef {
                self.symbols.declare_typedef(&specs, declared);
                continue;
            }
            if specs.attrs.align.max(declared.attrs.align).is_some() {
                self.symbols.aligned_names.insert(name.clone());
            }
            let is_static = specs.storage == Storage::Static;
            if let Ty::Func(f) = &ty.ty {
                let id = self.symbols.declare_function(&name, f.clone(), is_static, span)?;
                self.symbols.note_attributes(Entity::Function(id), &specs.attrs, &declared);
                self.symbols.scopes.innermost().names.insert(name, Entity::Function(id));
                continue;
            }
            let ty = match &init.node.initializer {
                Some(i) => self.completed_by(ty, i)?,
                None => ty,
            };
            let defined = specs.storage != Storage::Extern || init.node.initializer.is_some();
            let id = self.symbols.declare_object(&mut self.emitter, &name, ty, is_static, defined, span)?;
            self.symbols.note_attributes(Entity::Object(id), &specs.attrs, &declared);
            self.symbols.scopes.innermost().names.insert(name.clone(), Entity::Object(id));
            if let Some(i) = &init.node.initializer {
                let at = self.symbols.span(init);
                self.symbols.initialise_by(id, i, at, span)?;
            }
        }
        Ok(())
    }

    fn function_definition(&mut self, f: &'a Node<ast::FunctionDefinition>) -> Res<()> {
        let specs = self.specifiers(&f.node.specifiers, false)?;
        let mut declared = self.declarator(specs.ty.clone(), &f.node.declarator, false)?;
        self.types.specs_with_mode(self.symbols.scopes.file, &specs, &mut declared)?;
        let Declared { name, ty, span, .. } = declared.clone();
        let Ty::Func(ty) = ty.ty else {
            return type_error(span, format!("`{name}` has a body but is no function"));
        };
        let ty = self.definition_type(f, ty)?;
        let id = self.symbols.declare_function(&name, ty.clone(), specs.storage == Storage::Static, span)?;
        self.symbols.note_attributes(Entity::Function(id), &specs.attrs, &declared);
        self.symbols.scopes.innermost().names.insert(name.clone(), Entity::Function(id));
        if self.symbols.is_model(self.symbols.scopes.file) && specs.storage != Storage::Static {
            self.symbols.models.insert(name.clone(), id);
        }
        self.symbols.define_function(id, f, &ty, span)
    }

    /// The function's type with the parameters that an old-style definition declares behind its list.
    fn definition_type(&mut self, f: &'a Node<ast::FunctionDefinition>, ty: Rc<FuncTy>) -> Res<Rc<FuncTy>> {
        let Some(ast::DerivedDeclarator::KRFunction(names)) = function_part(&f.node.declarator) else {
            return Ok(ty);
        };
        self.symbols.scopes.blocks.push(Scope::default());
        self.evaluation.prototypes += 1;
        let params = self.old_style_parameters(f, names);
        self.evaluation.prototypes -= 1;
        self.symbols.scopes.blocks.pop();
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
            let span = self.symbols.span(name);
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

impl Emitter<'_> {
    /// Begins the procedure that initialises objects and calls the entry function.
    pub(crate) fn begin_start(&mut self, span: Span) -> ProcId {
        let ty = FuncTy { ret: Ty::Void.into(), params: vec![], variadic: false, proto: true };
        self.names.procs.insert("start__");
        let start = self.procs.push(Proc::new("start__".into(), Arc::new(ty.lower()), true, span));
        self.start = Some(Fun::new(start, "start__"));
        start
    }
}

impl<'a> Symbols<'a> {
    /// Declares the name of a type.
    fn declare_typedef(&mut self, specs: &Specs, declared: Declared) {
        let Declared { name, ty, attrs, .. } = declared;
        let align = specs.attrs.align.max(attrs.align);
        let ty = QTy { align: align.or(ty.align), ty: self.settings.named_type(&name, ty.ty), ..ty };
        self.scopes.innermost().names.insert(name, Entity::Typedef(ty));
    }

    /// The object has this initialiser.
    fn initialise_by(
        &mut self,
        id: ObjId,
        init: &'a Node<ast::Initializer>,
        at: Span,
        span: Span,
    ) -> Res<()> {
        if self.objects[id].init.replace(init).is_some() {
            return type_error(span, format!("`{}` is initialised twice", self.objects[id].name));
        }
        self.objects[id].file = self.scopes.file;
        self.objects[id].span = at;
        Ok(())
    }

    /// The function has this body, unless another one wins; two that are not inline are an error.
    fn define_function(
        &mut self,
        id: FnId,
        f: &'a Node<ast::FunctionDefinition>,
        ty: &FuncTy,
        span: Span,
    ) -> Res<()> {
        let inline =
            f.node.specifiers.iter().any(|s| matches!(&s.node, ast::DeclarationSpecifier::Function(_)));
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
                let name = &self.functions[id].name;
                let mut diagnostic = Diagnostic::error(span, format!("`{name}` is defined twice"))
                    .with_note(self.functions[id].span, "the first definition");
                if *name == self.settings.options.entry && self.functions[id].file != self.scopes.file {
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

    pub(crate) fn find_entry(&self) -> Res<FnId> {
        let name = &self.settings.options.entry;
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

    /// Whether two files define an inline function by the same lines of one header, and with the same words.
    fn is_same_text(
        &self,
        first: &'a Node<ast::FunctionDefinition>,
        of: usize,
        second: &'a Node<ast::FunctionDefinition>,
    ) -> bool {
        let (one, other) = (&self.parsed[of], &self.parsed[self.scopes.file]);
        let words = |file: &Parsed, f: &Node<ast::FunctionDefinition>| -> Vec<String> {
            let text = &file.repaired.text[f.span.start..f.span.end];
            crate::text::lex::lex(text).tokens.iter().map(|t| t.text(text).to_owned()).collect()
        };
        of != self.scopes.file
            && one.span(first.span) == other.span(second.span)
            && words(one, first) == words(other, second)
    }
}
