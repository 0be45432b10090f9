//! Translation units: file-scope declarations and linkage, the procedures that the entry reaches, the start
//! procedure, and the assembled program.

use crate::cfg::Fun;
use crate::cx::Cx;
use crate::decl::{Attrs, Declared, Storage};
use crate::facts::Known;
use crate::input;
use crate::mend;
use crate::models::{self, Used};
use crate::options::{FailureKind, Options, Res, Stop};
use crate::parse::{self, Parsed};
use crate::scope::{Entity, FnId, Function, Scope};
use crate::ty::{FuncTy, QTy, Ty};
use crate::words::Words;
use base::{Diagnostic, SourceMap, Span};
use cmm::{Callee, Check, CheckKind, Op, Proc, ProcId, Program};
use lang_c::ast;
use lang_c::span::Node;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// At most this many functions with errors are reported.
const MAX_ERRORS: usize = 20;

/// What [`load_files`] gives.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) program: Program,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) externs: Vec<String>,
    pub(crate) not_checked: Vec<Check>,
    pub(crate) conditions: Vec<Span>,
    pub(crate) words: Words,
    /// Models whose calls say which memory they access.
    pub(crate) covered: BTreeSet<ProcId>,
}

/// The whole pipeline.
pub(crate) fn load_files(files: &[PathBuf], options: &Options, map: &mut SourceMap) -> Res<Lowered> {
    if files.is_empty() {
        return Err(Stop::new(FailureKind::Read, Diagnostic::error(None, "there is no input file")));
    }
    let mut parsed = vec![];
    for file in files.iter().chain(&options.models) {
        let text = input::read(file, options, map)?;
        let mended = mend::mend(&text)?;
        parsed.push(parse::parse(text, mended)?);
    }
    lower(parsed, files.len(), options, map)
}

/// Adds the models of the library that the files use, and lowers everything; `own`: how many files are the
/// program itself.
pub(crate) fn lower(
    mut parsed: Vec<Parsed>,
    own: usize,
    options: &Options,
    map: &mut SourceMap,
) -> Res<Lowered> {
    let mut used = Used::default();
    parsed.iter().for_each(|p| used.add(&p.mended.text));
    let uses_atexit = used.in_bodies("atexit");
    let uses_errno = used.in_bodies("__errno_location");
    let models_from = parsed.len();
    parsed.extend(models::parse(&mut used, map)?);
    let mut cx = Cx::new(options, &parsed, map);
    cx.stubs_from = own;
    cx.models_from = models_from;
    cx.uses_errno = uses_errno;
    cx.uses_atexit = uses_atexit;
    let mut lowered = cx.run()?;
    lowered.program = cmm::instrument::open_addresses(lowered.program);
    let known = Known::of(&lowered.program);
    if !options.only_reach() {
        lowered.not_checked = not_checked(&lowered.program, options);
        let kinds = options.checks.iter().copied().collect();
        let (program, covered, words) = (&lowered.program, &lowered.covered, &lowered.words);
        let describe = |v| words.variable(program, map, v);
        lowered.program = cmm::instrument::instrument(program, &kinds, covered, &describe);
    }
    if let Some(known) = known {
        known.say(&mut lowered.program);
    }
    Ok(lowered)
}

/// What the program itself says must not happen and nobody asked for: its assertions, and calls of an error function
/// that it defines.
fn not_checked(program: &Program, options: &Options) -> Vec<Check> {
    if options.wants(CheckKind::Reach) {
        return vec![];
    }
    let mut out: Vec<Check> = program.checks.iter().filter(|c| c.kind == CheckKind::Reach).cloned().collect();
    for (proc, _, edge) in program.edges() {
        let Op::Call { callee: Callee::Direct(q), .. } = &edge.op else { continue };
        let name = &program.procs[*q].name;
        if options.is_error_function(name) {
            let message = format!("{name}() is called");
            out.push(Check::new(CheckKind::Reach, edge.span, &message, proc));
        }
    }
    out.sort_by_key(|c| c.span);
    out
}

impl<'a> Cx<'a> {
    pub(crate) fn run(&mut self) -> Res<Lowered> {
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
        let entry = self.find_entry()?;
        let entry_span = self.functions[entry].span;
        let start_ty =
            Arc::new(FuncTy { ret: Ty::Void.into(), params: vec![], variadic: false, proto: true }.lower());
        self.names.procs.insert("start__");
        let start = self.procs.push(Proc::new("start__".into(), start_ty, true, entry_span));
        self.start = Some(Fun::new(start, "start__"));
        self.proc_of(entry);
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

    fn find_entry(&self) -> Res<FnId> {
        let name = &self.opts.entry;
        let here = |f: &Function<'a>| f.name == *name && f.def.is_some() && !self.is_model(f.file);
        let known = self.functions.iter().position(here);
        known.ok_or_else(|| {
            let file = &self.parsed[0].source;
            let message = format!("there is no function `{name}` to start with");
            Stop::new(FailureKind::NoEntry, Diagnostic::error(Span::at(file.file, 1, 1), message))
        })
    }

    /// Lowers functions and objects until nothing new is used; errors of several functions are collected.
    fn lower_reachable(&mut self) -> Res<()> {
        let mut failed: Option<Box<Stop>> = None;
        loop {
            let result = if let Some(object) = self.todo_objects.pop_front() {
                self.lower_object(object)
            } else if let Some(f) = self.todo_functions.pop_front() {
                self.lower_function(f)
            } else {
                break;
            };
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
                let ty = QTy { align: align.or(ty.align), ..ty };
                self.scopes.innermost().names.insert(name, Entity::Typedef(ty));
                continue;
            }
            self.refuse_attributes(&specs.attrs, &declared)?;
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
        self.refuse_attributes(&specs.attrs, &declared)?;
        let Declared { name, ty, span, .. } = declared;
        let Ty::Func(ty) = ty.ty else {
            return self.type_error(span, format!("`{name}` has a body but is no function"));
        };
        let inline =
            f.node.specifiers.iter().any(|s| matches!(&s.node, ast::DeclarationSpecifier::Function(_)));
        let ty = self.definition_type(f, ty)?;
        let id = self.declare_function(&name, ty.clone(), specs.storage == Storage::Static, span)?;
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
        let function = &mut self.functions[id];
        if let Some(previous) = function.def {
            let was_inline = previous
                .node
                .specifiers
                .iter()
                .any(|s| matches!(&s.node, ast::DeclarationSpecifier::Function(_)));
            if was_inline == inline {
                let diagnostic = Diagnostic::error(span, format!("`{name}` is defined twice"))
                    .with_note(function.span, "the first definition");
                return Err(Stop::new(FailureKind::Type, diagnostic));
            }
            // gcc's `extern inline` definition stands beside the real one.
            if inline {
                return Ok(());
            }
        }
        let proto = function.ty.proto || ty.proto;
        let (params, ret) = (ty.params.clone(), ty.ret.clone());
        function.ty = Rc::new(FuncTy { ret, params, variadic: ty.variadic, proto });
        function.def = Some(f);
        function.span = span;
        function.file = self.scopes.file;
        Ok(())
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
