//! Translation units: file-scope declarations and linkage, the procedures that the entry reaches, the start
//! procedure, and the assembled program.

use crate::cfg::Fun;
use crate::cx::{Cx, StaticInit};
use crate::decl::{Attrs, Declared, Storage};
use crate::expr::{MAX_LEAVES, Place, addressed_names};
use crate::input;
use crate::mend;
use crate::options::{FailureKind, Options, Res, Stop};
use crate::parse::{self, Parsed};
use crate::scope::{Entity, FnId, Function, ObjId, Object, Scope};
use crate::special::Special;
use crate::ty::{FuncTy, IntTy, QTy, Ty};
use base::{Diagnostic, Id, IndexVec, SourceMap, Span};
use cmm::{
    Access, BinOp, Callee, CheckKind, EdgeKind, Expr, HavocKind, Lvalue, Op, ProcId, Program, Type, VarKind,
};
use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::{self, Visit};
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
}

/// The whole pipeline.
pub(crate) fn load_files(files: &[PathBuf], options: &Options, map: &mut SourceMap) -> Res<Lowered> {
    if let Some(kind) = options.checks.iter().find(|k| **k != CheckKind::Reach) {
        let message = format!("the check `{}` is not supported yet", kind.name());
        return Err(Stop::new(FailureKind::Unsupported, Diagnostic::error(None, message)));
    }
    if files.is_empty() {
        return Err(Stop::new(FailureKind::Read, Diagnostic::error(None, "there is no input file")));
    }
    let mut parsed = vec![];
    for file in files {
        let text = input::read(file, options, map)?;
        let mended = mend::mend(&text)?;
        parsed.push(parse::parse(text, mended)?);
    }
    let mut cx = Cx::new(options, &parsed, map);
    cx.run()
}

impl<'a> Cx<'a> {
    fn run(&mut self) -> Res<Lowered> {
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
        let start = self.new_proc("start__".into(), start_ty, true, entry_span);
        self.start = Some(Fun::new(start, "start__"));
        self.proc_of(entry);
        self.lower_reachable()?;
        self.finish_start(start, entry)?;
        self.assemble(start)
    }

    fn find_entry(&self) -> Res<FnId> {
        let name = &self.opts.entry;
        let known = self.functions.iter().position(|f| f.name == *name && f.def.is_some());
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

    fn declaration(&mut self, d: &'a Node<ast::Declaration>) -> Res<()> {
        let specs = self.specifiers(&d.node.specifiers, d.node.declarators.is_empty())?;
        for init in &d.node.declarators {
            let mut declared = self.declarator(specs.ty.clone(), &init.node.declarator, false)?;
            self.specs_with_mode(&specs, &mut declared)?;
            let Declared { name, ty, span, .. } = declared.clone();
            if name.starts_with("__") && mend::PRELUDE_TYPES.contains(&name.as_str()) {
                continue;
            }
            if specs.storage == Storage::Typedef {
                self.scopes.innermost().names.insert(name, Entity::Typedef(ty));
                continue;
            }
            self.refuse_attributes(&specs.attrs, &declared)?;
            let is_static = specs.storage == Storage::Static;
            if let Ty::Func(f) = &ty.ty {
                let id = self.declare_function(&name, f.clone(), is_static, span)?;
                self.mark_refused(Entity::Function(id), &specs.attrs, &declared);
                self.scopes.innermost().names.insert(name, Entity::Function(id));
                continue;
            }
            let ty = match &init.node.initializer {
                Some(i) => self.completed_by(ty, i)?,
                None => ty,
            };
            let defined = specs.storage != Storage::Extern || init.node.initializer.is_some();
            let id = self.declare_object(&name, ty, is_static, defined, span)?;
            self.mark_refused(Entity::Object(id), &specs.attrs, &declared);
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

    /// Remembers attributes whose effect is not modelled: they are refused where they would matter.
    fn mark_refused(&mut self, entity: Entity, specs: &Attrs, declared: &Declared) {
        let Some((name, _)) = specs.refused.as_ref().or(declared.attrs.refused.as_ref()) else { return };
        match entity {
            Entity::Function(f) => self.functions[f].refused = Some(name.clone()),
            Entity::Object(o) => self.objects[o].refused = Some(name.clone()),
            _ => {}
        }
    }

    /// The refusal of something that is used and has such an attribute.
    pub(crate) fn refuse_use<T>(&self, attribute: &str, span: Span) -> Res<T> {
        self.unsupported(span, format!("the attribute `{attribute}` of this name is not supported"))
    }

    /// Attributes that matter wherever they stand.
    pub(crate) fn refuse_attributes(&self, specs: &Attrs, declared: &Declared) -> Res<()> {
        if let Some(span) = specs.constructor.or(declared.attrs.constructor) {
            return self.unsupported(span, "functions that run before or after `main` are not supported");
        }
        Ok(())
    }

    /// Declares a function in the current file; the functions of one name with external linkage are one.
    pub(crate) fn declare_function(
        &mut self,
        name: &str,
        ty: Rc<FuncTy>,
        is_static: bool,
        span: Span,
    ) -> Res<FnId> {
        let in_file = match self.scopes.files[self.scopes.file].names.get(name) {
            Some(Entity::Function(f)) => Some(*f),
            Some(_) if self.scopes.at_file_scope() => {
                return self.type_error(span, format!("`{name}` is declared as something else before"));
            }
            _ => None,
        };
        let known =
            in_file.or_else(|| if is_static { None } else { self.extern_functions.get(name).copied() });
        let Some(id) = known else {
            let id = self.functions.len();
            let file = self.scopes.file;
            let name = name.to_owned();
            let function = Function {
                name: name.clone(),
                ty,
                file,
                span,
                def: None,
                implicit: false,
                proc: None,
                refused: None,
            };
            self.functions.push(function);
            if !is_static {
                self.extern_functions.insert(name, id);
            }
            return Ok(id);
        };
        let old = self.functions[id].ty.clone();
        if self.functions[id].implicit {
            self.functions[id].implicit = false;
        } else if !Ty::Func(old.clone()).compatible(&Ty::Func(ty.clone())) {
            let diagnostic =
                Diagnostic::error(span, format!("`{name}` is declared with another type before"))
                    .with_note(self.functions[id].span, "the earlier declaration");
            return Err(Stop::new(FailureKind::Type, diagnostic));
        }
        // A prototype says more than `f()`; a definition's own list is taken by its caller.
        if ty.proto || !old.proto {
            self.functions[id].ty = ty;
        }
        Ok(id)
    }

    /// Declares an object with static storage; those of one name with external linkage are one.
    pub(crate) fn declare_object(
        &mut self,
        name: &str,
        ty: QTy,
        is_static: bool,
        defined: bool,
        span: Span,
    ) -> Res<ObjId> {
        if ty.ty == Ty::Void {
            return self.type_error(span, format!("`{name}` cannot have the type void"));
        }
        let in_file = match self.scopes.files[self.scopes.file].names.get(name) {
            Some(Entity::Object(o)) => Some(*o),
            Some(_) if self.scopes.at_file_scope() => {
                return self.type_error(span, format!("`{name}` is declared as something else before"));
            }
            _ => None,
        };
        let known = in_file.or_else(|| if is_static { None } else { self.extern_objects.get(name).copied() });
        let Some(id) = known else {
            let id = self.objects.len();
            let file = self.scopes.file;
            self.names.reserve(name);
            self.objects.push(Object {
                name: name.to_owned(),
                ty,
                file,
                span,
                defined,
                init: None,
                var: None,
                refused: None,
            });
            if !is_static {
                self.extern_objects.insert(name.to_owned(), id);
            }
            return Ok(id);
        };
        if !self.objects[id].ty.ty.compatible(&ty.ty) {
            let diagnostic =
                Diagnostic::error(span, format!("`{name}` is declared with another type before"))
                    .with_note(self.objects[id].span, "the earlier declaration");
            return Err(Stop::new(FailureKind::Type, diagnostic));
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
        let params = self.old_style_parameters(f, names);
        self.scopes.blocks.pop();
        let params = params?.into_iter().map(|p| p.ty).collect();
        Ok(Rc::new(FuncTy { params, ..(*ty).clone() }))
    }

    fn old_style_parameters(
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

    /// The initialiser of an object that is used.
    fn lower_object(&mut self, id: ObjId) -> Res<()> {
        let object = self.objects[id].clone();
        let Some(var) = object.var else { return Ok(()) };
        self.scopes.file = object.file;
        self.scopes.blocks.clear();
        let lowered = self.vars[var.index()].ty.clone();
        let mut ty = object.ty.clone();
        if let (Ty::Array(elem, None), true) = (&ty.ty, object.defined) {
            ty.ty = Ty::Array(elem.clone(), Some(1));
        }
        let place = Place { lv: Lvalue::var(var, lowered), ty, bit_field: false };
        if object.defined {
            return self.static_init(id, &place, object.init, object.span);
        }
        self.extern_object(id, &place, &object)
    }

    /// An object that is declared and never defined holds anything. Globals do so before their initialisers
    /// run; pointers are havocked all the same, which tells the alias analysis that they come from outside.
    fn extern_object(&mut self, id: ObjId, place: &Place, object: &Object<'a>) -> Res<()> {
        let kind = HavocKind::Extern(Arc::from(object.name.as_str()));
        let leaves = match self.leaves(&place.lv, &place.ty.ty, true) {
            Some(leaves) => leaves,
            None => {
                let mut pointers = vec![];
                if self.pointer_leaves(place.lv.clone(), &place.ty.ty, &mut pointers).is_none() {
                    let message = format!("`{}` holds pointers and is defined nowhere", object.name);
                    return self.unsupported(object.span, message);
                }
                pointers
            }
        };
        let ops = leaves.into_iter().map(|(lv, _)| (Op::Havoc(lv, kind.clone()), object.span)).collect();
        self.static_inits.push(StaticInit { order: id, ops });
        Ok(())
    }

    /// The pointers inside an object; `None` when they cannot be listed.
    fn pointer_leaves(&self, lv: Lvalue, ty: &Ty, out: &mut Vec<(Lvalue, Ty)>) -> Option<()> {
        if !has_pointers(self, ty) {
            return Some(());
        }
        match ty {
            Ty::Record(r) if self.records[*r].is_union => None,
            Ty::Record(r) => {
                for (n, member) in self.members[r.index()].iter().enumerate() {
                    let field = self.records[*r].fields[n].ty.clone();
                    self.pointer_leaves(
                        lv.clone().step(Access::Field(*r, n as u32), field),
                        &member.ty.ty,
                        out,
                    )?;
                }
                Some(())
            }
            Ty::Array(elem, Some(n)) if *n <= MAX_LEAVES as u64 => {
                for i in 0..*n {
                    let step = Access::Index(Expr::int(i128::from(i)));
                    self.pointer_leaves(lv.clone().step(step, elem.ty.lower()), &elem.ty, out)?;
                }
                Some(())
            }
            Ty::Array(..) => None,
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

    /// Formals of a procedure by its C type: the hidden result pointer, then the parameters.
    fn extern_formals(&mut self, f: FnId, proc: ProcId) {
        let function = self.functions[f].clone();
        let lowered = function.ty.lower();
        let mut used = rustc_hash::FxHashSet::default();
        for ty in &lowered.params {
            let name = self.names.local("arg__", &mut used);
            let v = self.new_var(name, ty.clone(), VarKind::Formal(proc), function.span);
            self.procs[proc].formals.push(v);
        }
        if lowered.ret != Type::Void {
            let name = self.names.local("ret__", &mut used);
            let v = self.new_var(name, lowered.ret.clone(), VarKind::Formal(proc), function.span);
            self.vars[v.index()].kind = VarKind::Return(proc);
            self.procs[proc].ret = Some(v);
            self.procs[proc].locals.push(v);
        }
    }

    fn lower_function(&mut self, f: FnId) -> Res<()> {
        let function = self.functions[f].clone();
        let proc = function.proc.expect("functions on the list have a procedure");
        let Some(def) = function.def else {
            self.extern_formals(f, proc);
            return Ok(());
        };
        self.scopes.file = function.file;
        self.scopes.blocks.clear();
        self.scopes.blocks.push(Scope::default());
        self.fun = Fun::new(proc, &function.name);
        self.fun.addressed = addressed_names(&def.node.statement);
        self.fun.repeats = u32::from(has_labels(def));
        self.fun.ret_ty = function.ty.ret.ty.clone();
        self.formals(def, &function, proc)?;
        let ast::Statement::Compound(items) = &def.node.statement.node else {
            return self.type_error(function.span, "a function needs a block as its body");
        };
        items.iter().try_for_each(|i| self.block_item(i))?;
        let end = self.span(&def.node.statement);
        let end = Span { start: end.end, ..end };
        if function.name == "main"
            && let (Some(ret), Ty::Int(_)) = (self.fun.ret, &function.ty.ret.ty)
        {
            let lowered = function.ty.ret.ty.lower();
            self.internal(Op::Assign(Lvalue::var(ret, lowered.clone()), Expr::Const(0, lowered)), end);
        }
        let exit = self.fun.exit;
        self.fun.enter(exit, end);
        if let Some(label) = self.fun.labels.iter().find(|l| !l.defined) {
            return self.type_error(label.span, format!("the label `{}` is not defined", label.name));
        }
        let done = std::mem::replace(&mut self.fun, Fun::new(proc, ""));
        self.install(proc, done, function.span);
        Ok(())
    }

    /// Puts a finished graph into its procedure.
    fn install(&mut self, proc: ProcId, fun: Fun, span: Span) {
        let p = &mut self.procs[proc];
        p.locals = fun.locals.clone();
        p.ret = fun.ret;
        let graph = fun.finish(span);
        let p = &mut self.procs[proc];
        p.locations = graph.locations;
        p.edges = graph.edges;
        p.entry = graph.entry;
        p.exit = graph.exit;
    }

    fn formals(
        &mut self,
        def: &'a Node<ast::FunctionDefinition>,
        function: &Function<'a>,
        proc: ProcId,
    ) -> Res<()> {
        let params = match function_part(&def.node.declarator) {
            Some(ast::DerivedDeclarator::Function(f)) => {
                let list: Res<Vec<Declared>> =
                    f.node.parameters.iter().map(|p| self.parameter(&p.node)).collect();
                let mut list = list?;
                list.retain(|p| p.ty.ty != Ty::Void);
                list
            }
            Some(ast::DerivedDeclarator::KRFunction(names)) => self.old_style_parameters(def, names)?,
            _ => return self.unsupported(function.span, "a function whose parameters come from a typedef"),
        };
        let ret = function.ty.ret.ty.clone();
        match &ret {
            Ty::Void => {}
            Ty::Record(_) => {
                self.size_of(&ret, function.span)?;
                let name = self.names.local("ret__ptr", &mut self.fun.used_names);
                let v = self.new_var(name, ret.lower().ptr_to(), VarKind::Formal(proc), function.span);
                self.fun.ret_ptr = Some(v);
                self.procs[proc].formals.push(v);
            }
            Ty::Refused(what) => return self.unsupported(function.span, format!("{what} are not supported")),
            _ => {
                let name = self.names.local("ret__", &mut self.fun.used_names);
                self.fun.ret = Some(self.new_var(name, ret.lower(), VarKind::Return(proc), function.span));
            }
        }
        for p in params {
            if p.name.is_empty() {
                let name = self.names.local("arg__", &mut self.fun.used_names);
                let ty =
                    if matches!(p.ty.ty, Ty::Record(_)) { p.ty.ty.lower().ptr_to() } else { p.ty.ty.lower() };
                let v = self.new_var(name, ty, VarKind::Formal(proc), p.span);
                self.procs[proc].formals.push(v);
                continue;
            }
            self.formal(p, proc)?;
        }
        Ok(())
    }

    /// A named parameter; a struct or union is copied from where the caller's pointer says.
    fn formal(&mut self, p: Declared, proc: ProcId) -> Res<()> {
        self.size_of(&p.ty.ty, p.span)?;
        let lowered = p.ty.ty.lower();
        let var = if matches!(p.ty.ty, Ty::Record(_)) {
            let name = self.names.local(&format!("{}__ptr", p.name), &mut self.fun.used_names);
            let pointer = self.new_var(name, lowered.clone().ptr_to(), VarKind::Formal(proc), p.span);
            self.procs[proc].formals.push(pointer);
            let var = self.new_local(&p.name, &p.ty.ty, p.span);
            let source = Lvalue::deref(Expr::var(pointer, lowered.clone().ptr_to()));
            self.copy_record(&Lvalue::var(var, lowered), &source, &p.ty.ty, p.span);
            var
        } else {
            let name = self.names.local(&p.name, &mut self.fun.used_names);
            let var = self.new_var(name, lowered, VarKind::Formal(proc), p.span);
            self.procs[proc].formals.push(var);
            var
        };
        self.scopes.innermost().names.insert(p.name, Entity::Local(var, p.ty));
        Ok(())
    }

    /// The start procedure: initialisers in the order of declaration, then the call of the entry function with
    /// arbitrary arguments.
    fn finish_start(&mut self, start: ProcId, entry: FnId) -> Res<()> {
        let mut fun = self.start.take().expect("the start procedure was begun");
        fun.cur = fun.entry;
        self.fun = fun;
        let mut inits = std::mem::take(&mut self.static_inits);
        inits.sort_by_key(|i| i.order);
        for (op, span) in inits.into_iter().flat_map(|i| i.ops) {
            self.internal(op, span);
        }
        let function = self.functions[entry].clone();
        let span = function.span;
        let ty = function.ty.clone();
        let mut args = vec![];
        for (n, param) in ty.params.iter().enumerate() {
            if !param.ty.is_scalar() {
                return self.unsupported(span, "the entry function has a parameter that is no scalar");
            }
            let kind = HavocKind::Extern(Arc::from(format!("argument {} of {}", n + 1, function.name)));
            let e = self.havoc_temp(param.ty.lower(), kind, span);
            if n == 0 && function.name == "main" && param.ty == Ty::Int(IntTy::INT) {
                self.internal(Op::Assume(Expr::binary(BinOp::Ge, e.clone(), Expr::int(0))), span);
            }
            args.push(e);
        }
        if ty.returns_record() {
            args.insert(0, self.temp(ty.ret.ty.lower(), span).addr());
        }
        let callee = Callee::Direct(self.proc_of(entry));
        self.fun.emit(Op::Call { dest: None, callee, args }, span, EdgeKind::Internal);
        let exit = self.fun.exit;
        self.fun.enter(exit, span);
        let done = std::mem::replace(&mut self.fun, Fun::new(start, ""));
        self.install(start, done, span);
        Ok(())
    }

    fn assemble(&mut self, start: ProcId) -> Res<Lowered> {
        if self.checks.is_empty() && !self.dead_checks() {
            let file = self.parsed[0].source.file;
            let message = "the program has nothing to check: no assertion, error call or label ERROR";
            return Err(Stop::new(FailureKind::NoChecks, Diagnostic::error(Span::at(file, 1, 1), message)));
        }
        let externs = self.procs.iter().filter(|p| !p.has_body).map(|p| p.name.clone()).collect();
        let program = Program {
            model: self.model,
            records: std::mem::take(&mut self.records),
            vars: IndexVec::from_vec(std::mem::take(&mut self.vars)),
            globals: std::mem::take(&mut self.globals),
            procs: std::mem::take(&mut self.procs),
            checks: IndexVec::from_vec(std::mem::take(&mut self.checks)),
            entry: start,
            signed_wrap: self.opts.signed_wrap,
        };
        Ok(Lowered { program, warnings: std::mem::take(&mut self.warnings), externs })
    }

    /// Whether a function that was not lowered has a check: then there is something to check, and it holds.
    fn dead_checks(&mut self) -> bool {
        let dead: Vec<&'a Node<ast::FunctionDefinition>> =
            self.functions.iter().filter(|f| f.proc.is_none()).filter_map(|f| f.def).collect();
        let mut names = CalledNames::default();
        for def in dead {
            names.visit_statement(&def.node.statement.node, &def.node.statement.span);
        }
        let called = names.called.iter().any(|name| {
            let f = self.functions.iter().position(|f| f.name == *name);
            matches!(self.special(name, f), Some(Special::Error | Special::AssertFailed(_) | Special::Assert))
        });
        called || names.error_label
    }
}

/// Names that are called, and whether there is a label `ERROR`.
#[derive(Default)]
struct CalledNames {
    called: Vec<String>,
    error_label: bool,
}

impl<'ast> Visit<'ast> for CalledNames {
    fn visit_call_expression(&mut self, c: &'ast ast::CallExpression, span: &'ast lang_c::span::Span) {
        if let ast::Expression::Identifier(id) = &c.callee.node {
            self.called.push(id.node.name.clone());
        }
        visit::visit_call_expression(self, c, span);
    }

    fn visit_label(&mut self, label: &'ast ast::Label, span: &'ast lang_c::span::Span) {
        self.error_label |= matches!(label, ast::Label::Identifier(id) if id.node.name == "ERROR");
        visit::visit_label(self, label, span);
    }
}

/// Whether a function has labels that a `goto` could reach again.
fn has_labels(def: &Node<ast::FunctionDefinition>) -> bool {
    struct Labels(bool);
    impl<'ast> Visit<'ast> for Labels {
        fn visit_label(&mut self, label: &'ast ast::Label, _: &'ast lang_c::span::Span) {
            self.0 |= matches!(label, ast::Label::Identifier(_));
        }
    }
    let mut labels = Labels(false);
    labels.visit_statement(&def.node.statement.node, &def.node.statement.span);
    labels.0
}

/// The part of a definition's declarator that lists its parameters.
fn function_part(d: &Node<ast::Declarator>) -> Option<&ast::DerivedDeclarator> {
    let here =
        d.node.derived.iter().map(|p| &p.node).find(|p| {
            matches!(p, ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_))
        });
    match &d.node.kind.node {
        ast::DeclaratorKind::Declarator(inner) => function_part(inner).or(here),
        _ => here,
    }
}

/// Whether values of the type contain pointers.
fn has_pointers(cx: &Cx<'_>, ty: &Ty) -> bool {
    match ty {
        Ty::Ptr(_) => true,
        Ty::Array(elem, _) => has_pointers(cx, &elem.ty),
        Ty::Record(r) => cx.members[r.index()].iter().any(|m| has_pointers(cx, &m.ty.ty)),
        _ => false,
    }
}
