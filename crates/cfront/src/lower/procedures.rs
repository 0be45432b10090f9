//! Procedures: the bodies of the functions that are used, the start procedure, and the assembled program.

use crate::error::{FailureKind, Res, Stop, type_error, unsupported};
use crate::library::intrinsics::Intrinsic;
use crate::lower::cfg::Fun;
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::declarations::specifiers::Declared;
use crate::lower::scope::{Entity, FnId, Function, ObjId, Object, Scope};
use crate::lower::translation_unit::Lowered;
use crate::options::{ExternPolicy, UnknownPointers};
use crate::syntax::declarators::function_part;
use crate::syntax::names::{CalledNames, addressed_names, backward_gotos, label_places};
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::{Diagnostic, Id, IndexVec, Span};
use ir::{Callee, CheckKind, Expr, HavocKind, Lvalue, Op, Origin, ProcId, Program, Type, VarId, VarKind};
use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::Visit;

impl<'a> Context<'a> {
    pub(crate) fn lower_function(&mut self, f: FnId) -> Res<()> {
        let function = self.symbols.functions[f].clone();
        let proc = function.proc.expect("functions on the list have a procedure");
        if let Some(intrinsic) = self.symbols.addressed_intrinsic(&self.types, f) {
            return self.intrinsic_body(f, proc, intrinsic);
        }
        let Some(def) = function.def else {
            self.emitter.extern_formals(&self.symbols, f, proc);
            self.symbols.undefined.push(self.emitter.procs[proc].name.clone());
            self.emitter.assumed_body(&self.symbols, f, proc);
            return Ok(());
        };
        self.symbols.scopes.file = function.file;
        self.symbols.scopes.blocks.clear();
        self.symbols.scopes.blocks.push(Scope::default());
        self.emitter.begin_function(def, &function, proc);
        self.formals(def, &function, proc)?;
        let ast::Statement::Compound(items) = &def.node.statement.node else {
            return type_error(function.span, "a function needs a block as its body");
        };
        self.or_unmodelled(|cx| {
            let result = items.iter().try_for_each(|i| cx.block_item(i));
            if result.is_err() {
                cx.emitter.fun.forget_statements();
            }
            result
        })?;
        let end = self.symbols.span(&def.node.statement);
        let end = Span { start: end.end, ..end };
        self.emitter.end_function(&function, proc, end)
    }

    pub(crate) fn formals(
        &mut self,
        def: &'a Node<ast::FunctionDefinition>,
        function: &Function<'a>,
        proc: ProcId,
    ) -> Res<()> {
        self.emitter.result_formal(&self.types, function, proc)?;
        match function_part(&def.node.declarator) {
            // One by one: the length of an array may name an earlier parameter.
            Some(ast::DerivedDeclarator::Function(f)) => {
                for p in &f.node.parameters {
                    let declared = self.parameter(&p.node)?;
                    if declared.ty.ty != Ty::Void {
                        self.emitter.any_formal(&self.types, &mut self.symbols, declared, proc)?;
                    }
                }
            }
            Some(ast::DerivedDeclarator::KRFunction(names)) => {
                for declared in self.old_style_parameters(def, names)? {
                    self.emitter.any_formal(&self.types, &mut self.symbols, declared, proc)?;
                }
            }
            _ => return unsupported(function.span, "a function whose parameters come from a typedef"),
        }
        Ok(())
    }
}

impl<'a> Emitter<'a> {
    /// Begins the procedure of a function with a body.
    fn begin_function(&mut self, def: &Node<ast::FunctionDefinition>, function: &Function<'_>, proc: ProcId) {
        self.fun = Fun::new(proc, &function.name);
        self.fun.addressed = addressed_names(&def.node.statement);
        self.fun.repeated = backward_gotos(def);
        self.fun.label_places = label_places(def);
        self.fun.ret_ty = function.ty.ret.ty.clone();
        self.fun.noreturn = function.noreturn && self.settings.options.wants(CheckKind::Noreturn);
    }

    /// Ends it: control leaves at `end`.
    fn end_function(&mut self, function: &Function<'_>, proc: ProcId, end: Span) -> Res<()> {
        if function.name == "main"
            && let (Some(ret), Ty::Int(_)) = (self.fun.ret, &function.ty.ret.ty)
        {
            let lowered = function.ty.ret.ty.lower();
            self.internal(Op::Assign(Lvalue::var(ret, lowered.clone()), Expr::Const(0, lowered)), end);
        }
        if let Some(label) = self.fun.labels.iter().find(|l| !l.defined) {
            return type_error(label.span, format!("the label `{}` is not defined", label.name));
        }
        self.returns(end);
        self.end_body(proc, end, function.span);
        Ok(())
    }

    /// The variable of the result, or the parameter with its address.
    fn result_formal(&mut self, types: &Types, function: &Function<'_>, proc: ProcId) -> Res<()> {
        let ret = function.ty.ret.ty.clone();
        match &ret {
            Ty::Void => {}
            Ty::Record(_) => {
                types.size_of(&ret, function.span)?;
                let name = self.names.local("ret__ptr", &mut self.fun.used_names);
                let v = self.new_var(name, ret.lower().ptr_to(), VarKind::Formal(proc), function.span);
                self.fun.ret_ptr = Some(v);
                self.procs[proc].formals.push(v);
            }
            Ty::Refused(what) => return unsupported(function.span, format!("{what} are not supported")),
            _ => {
                let name = self.names.local("ret__", &mut self.fun.used_names);
                self.fun.ret = Some(self.new_var(name, ret.lower(), VarKind::Return(proc), function.span));
            }
        }
        Ok(())
    }

    /// Formals of a procedure by its C type: the hidden result pointer, then the parameters.
    fn extern_formals(&mut self, symbols: &Symbols<'_>, f: FnId, proc: ProcId) {
        let function = symbols.functions[f].clone();
        let lowered = function.ty.lower();
        let mut used = crate::types::name_set::NameSet::default();
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

    /// The body of an undefined function under the policies that give it one.
    fn assumed_body(&mut self, symbols: &Symbols<'_>, f: FnId, proc: ProcId) {
        let function = symbols.functions[f].clone();
        let policy = self.settings.options.extern_policy;
        let is_pointer =
            matches!(function.ty.ret.ty, Ty::Ptr(_)) && self.procs[proc].origin == Origin::Program;
        let is_refused = is_pointer && self.settings.options.unknown_pointers == UnknownPointers::Refuse;
        if !is_refused && !matches!(policy, ExternPolicy::Pure | ExternPolicy::Error) {
            return;
        }
        let span = function.span;
        let (ret, locals) = (self.procs[proc].ret, self.procs[proc].locals.clone());
        self.fun = Fun::new(proc, &function.name);
        (self.fun.ret, self.fun.locals) = (ret, locals);
        if policy == ExternPolicy::Error {
            self.check(Expr::int(0), format!("the undefined function `{}` is called", function.name), span);
            self.end_path(span);
        } else if is_refused {
            self.unmodelled(format!("a pointer from the undefined function `{}`", function.name), span);
        } else if let Some(ret) = ret {
            let result = Lvalue::var(ret, self.vars[ret.index()].ty.clone());
            let name = function.name.as_str().into();
            let kind = match self.procs[proc].origin {
                Origin::Program => HavocKind::Extern(name),
                Origin::Library | Origin::Foreign | Origin::Thread(_) => HavocKind::Unmodelled(name),
            };
            self.internal(Op::Havoc(result, kind), span);
        } else if function.ty.returns_record()
            && let Some(to) = self.procs[proc].formals.first().copied()
        {
            let to = Expr::var(to, self.vars[to.index()].ty.clone());
            let result = self.outside("result__", Origin::Program, span);
            self.call_internally(result, vec![to], span);
        }
        self.procs[proc].has_body = true;
        self.end_body(proc, span, span);
    }

    /// The function that is being lowered returns here, which some are declared not to.
    pub(crate) fn returns(&mut self, span: Span) {
        if self.fun.noreturn {
            let message = format!("{}() returns, which is declared not to", self.fun.name);
            self.check_of(CheckKind::Noreturn, Expr::int(0), message, span);
            self.end_path(span);
        }
    }

    /// Ends the body that is being lowered and puts its graph into the procedure.
    pub(crate) fn end_body(&mut self, proc: ProcId, end: Span, span: Span) {
        let exit = self.fun.exit;
        self.fun.enter(exit, end);
        let fun = std::mem::replace(&mut self.fun, Fun::new(proc, ""));
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

    fn any_formal(&mut self, types: &Types, symbols: &mut Symbols<'_>, p: Declared, proc: ProcId) -> Res<()> {
        if !p.name.is_empty() {
            return self.formal(types, symbols, p, proc);
        }
        let name = self.names.local("arg__", &mut self.fun.used_names);
        let ty = if matches!(p.ty.ty, Ty::Record(_)) { p.ty.ty.lower().ptr_to() } else { p.ty.ty.lower() };
        let v = self.new_var(name, ty, VarKind::Formal(proc), p.span);
        self.procs[proc].formals.push(v);
        Ok(())
    }

    /// A named parameter; a struct or union is copied from the address that the caller passes.
    fn formal(&mut self, types: &Types, symbols: &mut Symbols<'_>, p: Declared, proc: ProcId) -> Res<()> {
        types.size_of(&p.ty.ty, p.span)?;
        let lowered = p.ty.ty.lower();
        let var = if matches!(p.ty.ty, Ty::Record(_)) {
            let name = self.names.local(&format!("{}__ptr", p.name), &mut self.fun.used_names);
            let pointer = self.new_var(name, lowered.clone().ptr_to(), VarKind::Formal(proc), p.span);
            self.procs[proc].formals.push(pointer);
            let var = self.new_local(&p.name, &p.ty.ty, p.span);
            let source = Lvalue::deref(Expr::var(pointer, lowered.clone().ptr_to()));
            self.copy_record(types, &Lvalue::var(var, lowered), &source, &p.ty.ty, p.span);
            var
        } else {
            let name = self.names.local(&p.name, &mut self.fun.used_names);
            let var = self.new_var(name, lowered, VarKind::Formal(proc), p.span);
            self.procs[proc].formals.push(var);
            var
        };
        self.note_name(var, &p.name, &p.ty);
        self.note_constant(types, var, &p.ty);
        symbols.scopes.innermost().names.insert(p.name, Entity::Local(var, p.ty));
        Ok(())
    }

    /// The start procedure: initialisers in the order of declaration, then the call of the entry function with
    /// arbitrary arguments.
    pub(crate) fn finish_start(&mut self, symbols: &mut Symbols<'_>, start: ProcId, entry: FnId) -> Res<()> {
        let mut fun = self.start.take().expect("the start procedure was begun");
        fun.cur = fun.entry;
        self.fun = fun;
        self.shared_objects(symbols, symbols.functions[entry].span);
        let mut inits = std::mem::take(&mut self.static_inits);
        inits.sort_by_key(|i| i.order);
        for (op, span) in inits.into_iter().flat_map(|i| i.ops) {
            self.internal(op, span);
        }
        let function = symbols.functions[entry].clone();
        let span = function.span;
        let ty = function.ty.clone();
        self.addressed_statically(span);
        self.run_constructors(symbols);
        let mut args = self.entry_arguments(symbols, &function)?;
        if ty.returns_record() {
            args.insert(0, self.temp(ty.ret.ty.lower(), span).addr());
        }
        let entry = self.proc_of(symbols, entry);
        self.call_internally(entry, args, span);
        self.exit_handlers(symbols, span);
        self.end_body(start, span, span);
        Ok(())
    }

    /// Other files may name the objects that are declared here and defined there, so undefined functions may
    /// change them.
    fn shared_objects(&mut self, symbols: &Symbols<'_>, span: Span) {
        if symbols.undefined.is_empty() && self.library.outside.is_empty() {
            return;
        }
        let all = self.settings.options.extern_policy == ExternPolicy::HavocAll;
        let named =
            |n: ObjId, o: &Object<'_>| !o.defined || all && symbols.extern_objects.get(&o.name) == Some(&n);
        let shared = symbols.objects.iter().enumerate().filter(|(n, o)| named(*n, o));
        let vars: Vec<VarId> = shared.filter_map(|(_, o)| o.var).chain(self.library.errno).collect();
        if vars.is_empty() {
            return;
        }
        let address = |v: &VarId| Lvalue::var(*v, self.vars[v.index()].ty.clone()).addr();
        let args = vars.iter().map(address).collect();
        let others = self.outside("others__", Origin::Program, span);
        self.call_internally(others, args, span);
    }

    pub(crate) fn assemble(
        &mut self,
        types: &mut Types,
        symbols: &mut Symbols<'_>,
        start: ProcId,
    ) -> Res<Lowered> {
        let asked = self.checks.iter().any(|c| c.kind != CheckKind::Unmodelled);
        if self.settings.options.need_checks
            && self.settings.options.only_reach()
            && !asked
            && !symbols.dead_checks(types)
        {
            // The checks may stand behind what is not modelled.
            if let Some(check) = self.checks.first() {
                let refused = Diagnostic::error(check.span, check.message.clone());
                return Err(Stop::new(FailureKind::Unsupported, refused));
            }
            let file = symbols.parsed[0].source.file;
            let message = "the program has nothing to check: no assertion, error call or label ERROR";
            let advice = "--check all looks for undefined behaviour: wrong accesses to memory, overflow, division by zero, \
                          what is read before it has a value, leaks";
            let diagnostic = Diagnostic::error(Span::at(file, 1, 1), message).with_note(None, advice);
            return Err(Stop::new(FailureKind::NoChecks, diagnostic));
        }
        let externs = std::mem::take(&mut symbols.undefined);
        let program = Program {
            model: self.settings.model,
            records: std::mem::take(&mut types.records),
            vars: IndexVec::from_vec(std::mem::take(&mut self.vars)),
            globals: std::mem::take(&mut self.globals),
            procs: std::mem::take(&mut self.procs),
            checks: IndexVec::from_vec(std::mem::take(&mut self.checks)),
            entry: start,
            signed_wrap: self.settings.options.signed_wrap,
            turns: ir::Turns::default(),
        };
        if let Some(check) = surely_reached(&program) {
            let message = check.message.clone();
            return Err(Stop::new(FailureKind::Unsupported, Diagnostic::error(check.span, message)));
        }
        let covered = symbols.covered();
        let strings = symbols.makers_of_strings();
        let warnings = std::mem::take(&mut self.report.warnings);
        let conditions = std::mem::take(&mut self.report.conditions);
        let mut words = self.take_words(types);
        words.unused = symbols.unused_bodies();
        let marked = self.marked_functions(symbols);
        Ok(Lowered {
            program,
            warnings,
            externs,
            not_checked: vec![],
            more_threads: false,
            conditions,
            words,
            marked,
            covered,
            strings,
        })
    }
}

impl<'a> Symbols<'a> {
    /// The bodies of the program's own functions that were not lowered.
    fn unused_bodies(&self) -> Vec<Span> {
        let unused = self.own_functions().filter(|f| f.proc.is_none());
        unused.filter_map(|f| Some(self.parsed[f.file].span(f.def?.node.statement.span))).collect()
    }

    /// Whether a function that was not lowered has a check: then there is something to check, and it holds.
    fn dead_checks(&self, types: &Types) -> bool {
        let dead: Vec<&'a Node<ast::FunctionDefinition>> =
            self.functions.iter().filter(|f| f.proc.is_none()).filter_map(|f| f.def).collect();
        let mut names = CalledNames::default();
        for def in dead {
            names.visit_statement(&def.node.statement.node, &def.node.statement.span);
        }
        let called = names.called.iter().any(|name| {
            let f = self.functions.iter().position(|f| f.name == *name);
            matches!(
                self.intrinsic(types, name, f),
                Some(Intrinsic::Error | Intrinsic::AssertFailed(_) | Intrinsic::Assert)
            )
        });
        called || names.error_label
    }
}

/// Something that is not modelled and that every execution reaches, before any branch, loop or check.
fn surely_reached(program: &Program) -> Option<&ir::Check> {
    let steps: usize = program.procs.iter().map(|p| p.edges.len() + 1).sum();
    let mut open = vec![];
    let mut here = &program.procs[program.entry];
    let (mut at, mut leaving) = (here.entry, here.successors());
    for _ in 0..steps {
        match leaving[at][..] {
            [] if at == here.exit => {
                (here, at) = open.pop()?;
                leaving = here.successors();
            }
            [edge] => match &here.edges[edge].op {
                Op::Check(id, Expr::Const(0, _)) => {
                    return Some(&program.checks[*id]).filter(|c| c.kind == CheckKind::Unmodelled);
                }
                Op::Check(..) | Op::Call { callee: Callee::Indirect(_), .. } => return None,
                // The start procedure's assumptions about `main`'s arguments can be satisfied.
                Op::Assume(_) if !open.is_empty() => return None,
                Op::Call { callee: Callee::Direct(q), .. } if program.procs[*q].has_body => {
                    open.push((here, here.edges[edge].dst));
                    here = &program.procs[*q];
                    (at, leaving) = (here.entry, here.successors());
                }
                _ => at = here.edges[edge].dst,
            },
            _ => return None,
        }
    }
    None
}
