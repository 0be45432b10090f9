//! The state of the lowering: the program so far, the scopes, and the procedure under construction. Its methods
//! are the small steps that all other modules use: errors with places, variables, temporaries, emission, dry
//! runs (for operands that C does not evaluate).

mod objects;

use crate::cfg::Fun;
use crate::environment::Environment;
use crate::layout::Member;
use crate::options::{FailureKind, Options, Res, Stop};
use crate::order::Order;
use crate::parse::Parsed;
use crate::parts::Parts;
use crate::scope::{FnId, Function, Names, ObjId, Object, Scope, Scopes};
use crate::ty::{IntTy, QTy, Ty};
use crate::words::Words;
use base::{Diagnostic, Id, IndexVec, SourceMap, Span};
use ir::{
    Callee, Check, CheckId, CheckKind, DataModel, EdgeKind, Expr, HavocKind, Lvalue, Op, Proc, ProcId,
    RecordDef, RecordId, Type, Var, VarId, VarKind,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The initialisation of an object with static storage, a part of the start procedure.
#[derive(Debug)]
pub(crate) struct StaticInit {
    /// Objects are initialised in this order.
    pub(crate) order: ObjId,
    pub(crate) ops: Vec<(Op, Span)>,
}

/// The position of an expression: file, and offsets of its start and end.
pub(crate) type Key = (usize, usize, usize);

/// Properties of expressions by their place. Operands that are examined for their type or constant value before
/// they are lowered nest; without this table each level would double the work.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) types: FxHashMap<Key, QTy>,
    pub(crate) ints: FxHashMap<Key, Option<i128>>,
    pub(crate) conditions: FxHashMap<Key, Option<i128>>,
}

/// File and tag, as [`Cx::shared_records`] has it, with the number of its meaning where that is not the first one.
pub(crate) type Variants = FxHashMap<(usize, String), u32>;

/// The state of the lowering.
pub(crate) struct Cx<'a> {
    pub(crate) opts: &'a Options,
    pub(crate) model: DataModel,
    pub(crate) parsed: &'a [Parsed],
    pub(crate) sources: &'a SourceMap,
    pub(crate) records: IndexVec<RecordId, RecordDef>,
    /// Members of the records as C sees them.
    pub(crate) members: Vec<Vec<Member>>,
    pub(crate) vars: Vec<Var>,
    pub(crate) globals: Vec<VarId>,
    pub(crate) procs: IndexVec<ProcId, Proc>,
    pub(crate) checks: Vec<Check>,
    pub(crate) objects: Vec<Object<'a>>,
    pub(crate) functions: Vec<Function<'a>>,
    pub(crate) scopes: Scopes,
    pub(crate) names: Names,
    pub(crate) fun: Fun,
    /// Above zero, nothing that is made is kept.
    pub(crate) dry: u32,
    /// How deep the expression that is being lowered lies in others.
    pub(crate) nesting: usize,
    pub(crate) warnings: Vec<Diagnostic>,
    /// See [`Frontend::conditions`](crate::Frontend::conditions).
    pub(crate) conditions: Vec<Span>,
    pub(crate) words: Words,
    /// The places of parts of statements.
    pub(crate) parts: Parts,
    pub(crate) todo_functions: VecDeque<FnId>,
    pub(crate) todo_objects: VecDeque<ObjId>,
    pub(crate) static_inits: Vec<StaticInit>,
    pub(crate) strings: u32,
    /// The procedure that runs the initialisers, while another one is under construction.
    pub(crate) start: Option<Fun>,
    /// An initialiser of a static object is being lowered.
    pub(crate) in_static_init: bool,
    /// Functions of the library whose addresses initialisers take, where memory is checked.
    pub(crate) addressed_at_start: BTreeSet<String>,
    /// The variable that stands for `errno`.
    pub(crate) errno: Option<VarId>,
    /// The stream that `--check file` watches.
    pub(crate) watched_stream: Option<crate::files::Watched>,
    pub(crate) known: Known,
    /// The value of an expression is computed that C wants to be constant; whether overflow wraps then.
    pub(crate) constant: Option<bool>,
    pub(crate) order: Order,
    /// How many parameter lists of prototypes are open: array lengths in them are not evaluated.
    pub(crate) prototypes: u32,
    pub(crate) va_tag: Option<RecordId>,
    /// The records of vectors and complex numbers, with the types of their parts.
    pub(crate) bundles: Vec<(Ty, crate::bundles::Bundle, RecordId)>,
    /// How many records without a tag there are.
    pub(crate) anonymous_records: u32,
    /// The file that completed a record.
    pub(crate) record_files: Vec<Option<usize>>,
    /// The records by the place of their definition.
    pub(crate) record_places: FxHashMap<Key, RecordId>,
    /// Tags of file scope that stand for other records in a file than in files before it, with their number.
    pub(crate) variants: Variants,
    /// The file and tag whose record fits none that the number stands for.
    pub(crate) clash: Option<(usize, String)>,
    /// Records of file scope by tag, or by place when they have none.
    pub(crate) shared_records: FxHashMap<String, RecordId>,
    /// The files from this number on are stubs of the user's, or models of the library.
    pub(crate) stubs_from: usize,
    /// Functions that are defined nowhere, in order of first use.
    pub(crate) undefined: Vec<String>,
    /// The files from this number on are models of the library.
    pub(crate) models_from: usize,
    /// The functions that they define for others.
    pub(crate) models: FxHashMap<String, FnId>,
    /// The program reads or writes `errno`.
    pub(crate) uses_errno: bool,
    /// The program prints lists of arguments.
    pub(crate) prints_lists: bool,
    /// The program may set a locale.
    pub(crate) sets_locale: bool,
    /// How the program uses the environment.
    pub(crate) environment: Environment,
    /// Functions whose calls were marked.
    pub(crate) called_by_name: std::collections::BTreeSet<String>,
    /// The program may call `atexit`.
    pub(crate) uses_atexit: bool,
    /// The program starts threads.
    pub(crate) starts_threads: bool,
    /// Procedures without body that the front end invented: what the outside of the program does.
    pub(crate) outside: BTreeMap<&'static str, ProcId>,
    /// The first record without a tag of its kind, by its members, with its file.
    pub(crate) untagged: FxHashMap<String, (usize, RecordId)>,
    /// How many records without a tag a file has at a place.
    pub(crate) untagged_places: FxHashMap<(usize, Span), u32>,
    /// Names of variables and members whose alignment is not that of their type.
    pub(crate) aligned_names: FxHashSet<String>,
    /// Functions and objects with external linkage.
    pub(crate) extern_functions: FxHashMap<String, FnId>,
    pub(crate) extern_objects: FxHashMap<String, ObjId>,
}

impl<'a> Cx<'a> {
    pub(crate) fn new(opts: &'a Options, parsed: &'a [Parsed], sources: &'a SourceMap) -> Cx<'a> {
        Cx {
            opts,
            model: opts.data_model,
            parsed,
            sources,
            records: IndexVec::new(),
            members: vec![],
            vars: vec![],
            globals: vec![],
            procs: IndexVec::new(),
            checks: vec![],
            objects: vec![],
            functions: vec![],
            scopes: Scopes { files: vec![Scope::default(); parsed.len()], ..Scopes::default() },
            names: Names::default(),
            fun: Fun::new(ProcId::from_index(0), "start__"),
            dry: 0,
            nesting: 0,
            warnings: vec![],
            conditions: vec![],
            words: Words::default(),
            parts: Parts::default(),
            todo_functions: VecDeque::new(),
            todo_objects: VecDeque::new(),
            static_inits: vec![],
            strings: 0,
            start: None,
            in_static_init: false,
            addressed_at_start: BTreeSet::new(),
            errno: None,
            watched_stream: None,
            known: Known::default(),
            constant: None,
            order: Order::default(),
            prototypes: 0,
            va_tag: None,
            bundles: vec![],
            anonymous_records: 0,
            record_files: vec![],
            record_places: FxHashMap::default(),
            variants: Variants::default(),
            clash: None,
            shared_records: FxHashMap::default(),
            untagged: FxHashMap::default(),
            untagged_places: FxHashMap::default(),
            stubs_from: parsed.len(),
            undefined: vec![],
            models_from: parsed.len(),
            models: FxHashMap::default(),
            uses_errno: false,
            prints_lists: false,
            sets_locale: false,
            environment: Environment::default(),
            uses_atexit: false,
            starts_threads: false,
            called_by_name: std::collections::BTreeSet::new(),
            aligned_names: FxHashSet::default(),
            outside: BTreeMap::new(),
            extern_functions: FxHashMap::default(),
            extern_objects: FxHashMap::default(),
        }
    }

    /// The user's place of a node.
    pub(crate) fn span<T>(&self, node: &Node<T>) -> Span {
        self.at(node.span)
    }

    /// The key of an expression in [`Known`].
    pub(crate) fn key<T>(&self, node: &Node<T>) -> Key {
        (self.scopes.file, node.span.start, node.span.end)
    }

    pub(crate) fn at(&self, span: lang_c::span::Span) -> Span {
        self.parsed[self.scopes.file].span(span)
    }

    pub(crate) fn type_error<T>(&self, span: Span, message: impl Into<String>) -> Res<T> {
        Err(Stop::new(FailureKind::Type, Diagnostic::error(span, message)))
    }

    pub(crate) fn unsupported<T>(&self, span: Span, message: impl Into<String>) -> Res<T> {
        Err(Stop::new(FailureKind::Unsupported, Diagnostic::error(span, message)))
    }

    /// A warning; of several equal ones at one place the first is kept.
    pub(crate) fn warn(&mut self, span: Span, message: impl Into<String>) {
        let warning = Diagnostic::warning(span, message);
        if self.dry == 0 && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// How operations on constants are computed here.
    pub(crate) fn rules(&self) -> crate::consts::Rules {
        let wrap = self.constant.unwrap_or(self.opts.signed_wrap);
        crate::consts::Rules { wrap, constant: self.constant.is_some() }
    }

    pub(crate) fn size_ty(&self) -> IntTy {
        IntTy::size(self.model)
    }

    /// The size of a type; an error when it has none.
    pub(crate) fn size_of(&self, ty: &Ty, span: Span) -> Res<u64> {
        match ty {
            // gcc gives void and functions the size 1.
            Ty::Void | Ty::Func(_) => Ok(1),
            Ty::Refused(what) => self.unsupported(span, format!("{what} are not supported")),
            Ty::Float(16) => Ok(2),
            Ty::Vla(..) => self.unsupported(span, "the size of this type is not constant"),
            _ => match ty.lower().size(&self.records, self.model) {
                Some(size) if size <= i64::MAX as u64 => Ok(size),
                Some(_) => self.type_error(span, "the object is too large"),
                None => self.type_error(span, "the type is incomplete here"),
            },
        }
    }

    /// A new variable of the procedure under construction.
    pub(crate) fn new_var(&mut self, name: String, ty: Type, kind: VarKind, span: Span) -> VarId {
        let id = VarId::from_index(self.vars.len());
        self.vars.push(Var { name, ty, kind, span, data: None, align: 0, constant: None });
        match kind {
            VarKind::Global => self.globals.push(id),
            VarKind::Local(_) | VarKind::Temp(_) | VarKind::Return(_) => self.fun.locals.push(id),
            VarKind::Formal(_) => {}
        }
        id
    }

    /// A new local variable with the C name `wish`.
    pub(crate) fn new_local(&mut self, wish: &str, ty: &Ty, span: Span) -> VarId {
        let name = self.names.local(wish, &mut self.fun.used_names);
        let kind = VarKind::Local(self.fun.proc);
        self.new_var(name, ty.lower(), kind, span)
    }

    /// A new temporary for the expression at `span`.
    pub(crate) fn temp(&mut self, ty: Type, span: Span) -> Lvalue {
        self.fun.temps += 1;
        let wish = format!("tmp__{}", self.fun.temps);
        let name = self.names.local(&wish, &mut self.fun.used_names);
        let id = self.new_var(name, ty.clone(), VarKind::Temp(self.fun.proc), span);
        Lvalue::var(id, ty)
    }

    /// A new global that the program text does not name, without initialiser.
    pub(crate) fn anonymous_global(&mut self, wish: &str, ty: Type, span: Span) -> VarId {
        let name = self.names.global(wish);
        self.new_var(name, ty, VarKind::Global, span)
    }

    pub(crate) fn internal(&mut self, op: Op, span: Span) {
        self.fun.emit(op, span, EdgeKind::Internal);
    }

    pub(crate) fn statement(&mut self, op: Op, span: Span) {
        self.fun.emit(op, span, EdgeKind::Statement);
    }

    /// Calls a procedure that the program itself does not call.
    pub(crate) fn call_internally(&mut self, proc: ProcId, args: Vec<Expr>, span: Span) {
        self.internal(Op::Call { dest: None, callee: Callee::Direct(proc), args }, span);
    }

    /// Puts a value into a temporary, unless it is a constant.
    pub(crate) fn spill(&mut self, e: Expr, span: Span) -> Expr {
        if matches!(e, Expr::Const(..) | Expr::Float(..) | Expr::Func(..)) {
            return e;
        }
        let t = self.temp(e.ty(), span);
        self.internal(Op::Assign(t.clone(), e), span);
        t.load()
    }

    /// An arbitrary value of a scalar type.
    pub(crate) fn havoc_temp(&mut self, ty: Type, kind: HavocKind, span: Span) -> Expr {
        let t = self.temp(ty, span);
        self.internal(Op::Havoc(t.clone(), kind), span);
        t.load()
    }

    /// Emits a check of the reachability kind.
    pub(crate) fn check(&mut self, condition: Expr, message: String, span: Span) {
        self.check_of(CheckKind::Reach, condition, message, span);
    }

    /// A check of this kind.
    pub(crate) fn check_of(&mut self, kind: CheckKind, condition: Expr, message: String, span: Span) {
        let id = CheckId::from_index(self.checks.len());
        let proc = self.fun.proc;
        self.checks.push(Check::new(kind, span, &message, proc));
        self.statement(Op::Check(id, condition), span);
    }

    /// Executions that get here are not modelled any further, for the reason in the message.
    pub(crate) fn unmodelled(&mut self, message: impl Into<String>, span: Span) {
        let id = CheckId::from_index(self.checks.len());
        let proc = self.fun.proc;
        self.checks.push(Check::new(CheckKind::Unmodelled, span, message.into().as_str(), proc));
        self.statement(Op::Check(id, Expr::int(0)), span);
        self.end_path(span);
    }

    /// Lowers a statement, or a part of one that is always run as a whole, in whose inside no label stands. When
    /// it is refused, what was emitted for it is taken back, and reaching it is not modelled.
    pub(crate) fn or_unmodelled(&mut self, lower: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        let (mark, checks, blocks) = (self.fun.mark(), self.checks.len(), self.scopes.blocks.len());
        let at = self.fun.cur;
        let Err(stop) = lower(self) else { return Ok(()) };
        let (FailureKind::Unsupported, 0) = (stop.kind, self.dry) else { return Err(stop) };
        let Some((message, span)) = stop.diagnostics.first().and_then(|d| Some((d.message.clone(), d.span?)))
        else {
            return Err(stop);
        };
        self.fun.edges_since(mark);
        self.fun.cur = at;
        self.checks.truncate(checks);
        self.scopes.blocks.truncate(blocks);
        self.unmodelled(message, span);
        Ok(())
    }

    /// The path ends here.
    pub(crate) fn end_path(&mut self, span: Span) {
        self.internal(Op::Assume(Expr::int(0)), span);
        self.fun.cur = self.fun.new_loc();
    }

    /// Runs `f` for its answer alone: whatever it emits and makes is thrown away.
    pub(crate) fn dry<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let mut scratch = Fun::new(self.fun.proc, &self.fun.name);
        scratch.ret_ty = self.fun.ret_ty.clone();
        let fun = std::mem::replace(&mut self.fun, scratch);
        let (vars, globals, checks) = (self.vars.len(), self.globals.len(), self.checks.len());
        let (strings, objects) = (self.strings, self.objects.len());
        self.dry += 1;
        let answer = f(self);
        self.dry -= 1;
        self.fun = fun;
        self.vars.truncate(vars);
        self.globals.truncate(globals);
        self.checks.truncate(checks);
        self.objects.truncate(objects);
        self.strings = strings;
        answer
    }

    /// The start of a list of specifiers.
    pub(crate) fn span_of_first<T>(&self, list: &[Node<T>]) -> Span {
        self.at(list.first().map_or(lang_c::span::Span::none(), |s| s.span))
    }

    /// The user's text at a place.
    pub(crate) fn snippet(&self, span: Span) -> String {
        self.sources.snippet(span).unwrap_or_default()
    }
}
