//! Procedures: the bodies of the functions that are used, the start procedure, and the assembled program.

mod names;

use crate::cfg::Fun;
use crate::cx::Cx;
use crate::decl::Declared;
use crate::expr::addressed_names;
use crate::options::{ExternPolicy, FailureKind, Res, Stop, UnknownPointers};
use crate::scope::{Entity, FnId, Function, ObjId, Object, Scope};
use crate::special::Special;
use crate::ty::Ty;
use crate::unit::{Lowered, function_part};
use base::{Diagnostic, Id, IndexVec, Span};
use ir::{Callee, CheckKind, Expr, HavocKind, Lvalue, Op, Origin, ProcId, Program, Type, VarId, VarKind};
use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::Visit;
use names::{CalledNames, backward_gotos, label_places};

impl<'a> Cx<'a> {
    /// Formals of a procedure by its C type: the hidden result pointer, then the parameters.
    fn extern_formals(&mut self, f: FnId, proc: ProcId) {
        let function = self.functions[f].clone();
        let lowered = function.ty.lower();
        let mut used = crate::scope::NameSet::default();
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
    fn assumed_body(&mut self, f: FnId, proc: ProcId) {
        let function = self.functions[f].clone();
        let policy = self.opts.extern_policy;
        let is_pointer =
            matches!(function.ty.ret.ty, Ty::Ptr(_)) && self.procs[proc].origin == Origin::Program;
        let is_refused = is_pointer && self.opts.unknown_pointers == UnknownPointers::Refuse;
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
                Origin::Library | Origin::Foreign | Origin::Thread => HavocKind::Unmodelled(name),
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

    pub(crate) fn lower_function(&mut self, f: FnId) -> Res<()> {
        let function = self.functions[f].clone();
        let proc = function.proc.expect("functions on the list have a procedure");
        if let Some(special) = self.pointed_special(f) {
            return self.special_body(f, proc, special);
        }
        let Some(def) = function.def else {
            self.extern_formals(f, proc);
            self.undefined.push(self.procs[proc].name.clone());
            self.assumed_body(f, proc);
            return Ok(());
        };
        self.scopes.file = function.file;
        self.scopes.blocks.clear();
        self.scopes.blocks.push(Scope::default());
        self.fun = Fun::new(proc, &function.name);
        self.fun.addressed = addressed_names(&def.node.statement);
        self.fun.repeated = backward_gotos(def);
        self.fun.label_places = label_places(def);
        self.fun.ret_ty = function.ty.ret.ty.clone();
        self.fun.noreturn = function.noreturn && self.opts.wants(CheckKind::Noreturn);
        self.formals(def, &function, proc)?;
        let ast::Statement::Compound(items) = &def.node.statement.node else {
            return self.type_error(function.span, "a function needs a block as its body");
        };
        self.or_unmodelled(|cx| {
            let result = items.iter().try_for_each(|i| cx.block_item(i));
            if result.is_err() {
                cx.fun.forget_statements();
            }
            result
        })?;
        let end = self.span(&def.node.statement);
        let end = Span { start: end.end, ..end };
        if function.name == "main"
            && let (Some(ret), Ty::Int(_)) = (self.fun.ret, &function.ty.ret.ty)
        {
            let lowered = function.ty.ret.ty.lower();
            self.internal(Op::Assign(Lvalue::var(ret, lowered.clone()), Expr::Const(0, lowered)), end);
        }
        if let Some(label) = self.fun.labels.iter().find(|l| !l.defined) {
            return self.type_error(label.span, format!("the label `{}` is not defined", label.name));
        }
        self.returns(end);
        self.end_body(proc, end, function.span);
        Ok(())
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

    pub(crate) fn formals(
        &mut self,
        def: &'a Node<ast::FunctionDefinition>,
        function: &Function<'a>,
        proc: ProcId,
    ) -> Res<()> {
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
        match function_part(&def.node.declarator) {
            // One by one: the length of an array may name an earlier parameter.
            Some(ast::DerivedDeclarator::Function(f)) => {
                for p in &f.node.parameters {
                    let declared = self.parameter(&p.node)?;
                    if declared.ty.ty != Ty::Void {
                        self.any_formal(declared, proc)?;
                    }
                }
            }
            Some(ast::DerivedDeclarator::KRFunction(names)) => {
                for declared in self.old_style_parameters(def, names)? {
                    self.any_formal(declared, proc)?;
                }
            }
            _ => return self.unsupported(function.span, "a function whose parameters come from a typedef"),
        }
        Ok(())
    }

    fn any_formal(&mut self, p: Declared, proc: ProcId) -> Res<()> {
        if !p.name.is_empty() {
            return self.formal(p, proc);
        }
        let name = self.names.local("arg__", &mut self.fun.used_names);
        let ty = if matches!(p.ty.ty, Ty::Record(_)) { p.ty.ty.lower().ptr_to() } else { p.ty.ty.lower() };
        let v = self.new_var(name, ty, VarKind::Formal(proc), p.span);
        self.procs[proc].formals.push(v);
        Ok(())
    }

    /// A named parameter; a struct or union is copied from the address that the caller passes.
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
        self.speak(var, &p.name, &p.ty);
        self.note_constant(var, &p.ty);
        self.scopes.innermost().names.insert(p.name, Entity::Local(var, p.ty));
        Ok(())
    }

    /// The start procedure: initialisers in the order of declaration, then the call of the entry function with
    /// arbitrary arguments.
    pub(crate) fn finish_start(&mut self, start: ProcId, entry: FnId) -> Res<()> {
        let mut fun = self.start.take().expect("the start procedure was begun");
        fun.cur = fun.entry;
        self.fun = fun;
        self.shared_objects(self.functions[entry].span);
        let mut inits = std::mem::take(&mut self.static_inits);
        inits.sort_by_key(|i| i.order);
        for (op, span) in inits.into_iter().flat_map(|i| i.ops) {
            self.internal(op, span);
        }
        let function = self.functions[entry].clone();
        let span = function.span;
        let ty = function.ty.clone();
        self.addressed_statically(span);
        self.run_constructors();
        let mut args = self.entry_arguments(&function)?;
        if ty.returns_record() {
            args.insert(0, self.temp(ty.ret.ty.lower(), span).addr());
        }
        let entry = self.proc_of(entry);
        self.call_internally(entry, args, span);
        self.exit_handlers(span);
        self.end_body(start, span, span);
        Ok(())
    }

    /// Other files may name the objects that are declared here and defined there, so undefined functions may
    /// change them.
    fn shared_objects(&mut self, span: Span) {
        if self.undefined.is_empty() && self.outside.is_empty() {
            return;
        }
        let all = self.opts.extern_policy == ExternPolicy::HavocAll;
        let named =
            |n: ObjId, o: &Object<'a>| !o.defined || all && self.extern_objects.get(&o.name) == Some(&n);
        let shared = self.objects.iter().enumerate().filter(|(n, o)| named(*n, o));
        let vars: Vec<VarId> = shared.filter_map(|(_, o)| o.var).chain(self.errno).collect();
        if vars.is_empty() {
            return;
        }
        let address = |v: &VarId| Lvalue::var(*v, self.vars[v.index()].ty.clone()).addr();
        let args = vars.iter().map(address).collect();
        let others = self.outside("others__", Origin::Program, span);
        self.call_internally(others, args, span);
    }

    pub(crate) fn assemble(&mut self, start: ProcId) -> Res<Lowered> {
        let asked = self.checks.iter().any(|c| c.kind != CheckKind::Unmodelled);
        if self.opts.need_checks && self.opts.only_reach() && !asked && !self.dead_checks() {
            // The checks may stand behind what is not modelled.
            if let Some(check) = self.checks.first() {
                let refused = Diagnostic::error(check.span, check.message.clone());
                return Err(Stop::new(FailureKind::Unsupported, refused));
            }
            let file = self.parsed[0].source.file;
            let message = "the program has nothing to check: no assertion, error call or label ERROR";
            let advice = "--check all looks for undefined behaviour: wrong accesses to memory, overflow, division by zero, \
                          what is read before it has a value, leaks";
            let diagnostic = Diagnostic::error(Span::at(file, 1, 1), message).with_note(None, advice);
            return Err(Stop::new(FailureKind::NoChecks, diagnostic));
        }
        let externs = std::mem::take(&mut self.undefined);
        let program = Program {
            model: self.model,
            records: std::mem::take(&mut self.records),
            vars: IndexVec::from_vec(std::mem::take(&mut self.vars)),
            globals: std::mem::take(&mut self.globals),
            procs: std::mem::take(&mut self.procs),
            checks: IndexVec::from_vec(std::mem::take(&mut self.checks)),
            entry: start,
            signed_wrap: self.opts.signed_wrap,
            turns: ir::Turns::default(),
        };
        if let Some(check) = surely_reached(&program) {
            let message = check.message.clone();
            return Err(Stop::new(FailureKind::Unsupported, Diagnostic::error(check.span, message)));
        }
        let covered = self.covered();
        let strings = self.makers_of_strings();
        let warnings = std::mem::take(&mut self.warnings);
        let conditions = std::mem::take(&mut self.conditions);
        let mut words = self.take_words();
        words.unused = self.unused_bodies();
        let marked = self.marked_functions();
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
            harness: None,
        })
    }

    /// The bodies of the program's own functions that were not lowered.
    fn unused_bodies(&self) -> Vec<Span> {
        let unused = self.own_functions().filter(|f| f.proc.is_none());
        unused.filter_map(|f| Some(self.parsed[f.file].span(f.def?.node.statement.span))).collect()
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
