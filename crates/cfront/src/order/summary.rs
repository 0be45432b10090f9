//! Summaries of what calls may read and write: facts about each function by the names in its body, joined over
//! the call graph.
//!
//! Names are not resolved exactly: one that a function declares for itself counts for the object of that name outside
//! as well, which only makes the sets larger.

use super::reader::{Declared, Mentions, Reader};
use super::touch::Touch;
use crate::cx::Cx;
use crate::primitives::Primitive;

use crate::scope::{Entity, FnId};
use crate::special::Special;
use crate::ty::Ty;
use base::Id;
use ir::ThreadOp;
use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::Visit;
use rustc_hash::{FxHashMap, FxHashSet};

/// Facts about functions.
#[derive(Debug, Default)]
pub(crate) struct Summaries {
    own: FxHashMap<FnId, Facts>,
    whole: FxHashMap<FnId, Touch>,
    /// Names whose address is taken anywhere.
    addressed: Option<FxHashSet<String>>,
    pointed: Option<Pointed>,
}

/// The functions that a pointer may lead to: those that are named other than in calls.
#[derive(Clone, Debug, Default)]
struct Pointed {
    defined: Vec<FnId>,
    /// Functions of other programs as well.
    unknown: bool,
}

/// Reads and writes of a function itself, and its callees.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) touch: Touch,
    pub(super) calls: Vec<FnId>,
    /// It calls through pointers.
    pub(super) indirect: bool,
}

impl Cx<'_> {
    /// Reads and writes of a call of the function by this name; its arguments are not part of it.
    pub(super) fn touch_of_call(&mut self, name: &str, f: Option<FnId>) -> Touch {
        match self.callee(name, f) {
            Callee::Known(touch) => touch,
            Callee::Defined(f) => self.touch_of_function(f),
        }
    }

    /// Reads and writes of a call through a pointer.
    pub(super) fn touch_of_pointer(&mut self) -> Touch {
        let pointed = self.pointed();
        let mut touch = if pointed.unknown { Touch::anything() } else { Touch::default() };
        for f in pointed.defined {
            let called = self.touch_of_function(f);
            touch.join(&called);
        }
        touch
    }

    /// The functions that pointers may lead to.
    fn pointed(&mut self) -> Pointed {
        if let Some(known) = &self.order.summaries.pointed {
            return known.clone();
        }
        let mut pointed = Pointed::default();
        for (file, parsed) in self.parsed.iter().enumerate() {
            let mut names = Mentions::default();
            names.visit_translation_unit(&parsed.unit);
            let function = |name: &String| match self.scopes.files[file].names.get(name) {
                Some(Entity::Function(f)) => Some(*f),
                _ => self.extern_functions.get(name).copied(),
            };
            for f in names.values.iter().filter_map(function) {
                match self.model(&self.functions[f].name, Some(f)).unwrap_or(f) {
                    f if self.functions[f].def.is_some() => pointed.defined.push(f),
                    _ => pointed.unknown = true,
                }
            }
            // Functions other than the program's may give out pointers to functions that are not either.
            pointed.unknown |= names.called.iter().any(|name| {
                let f = function(name);
                let undefined = matches!(self.callee(name, f), Callee::Known(touch) if touch.is_anything());
                undefined && f.is_none_or(|f| !self.functions[f].ty.ret.ty.is_arithmetic())
            });
        }
        pointed.defined.sort_unstable();
        pointed.defined.dedup();
        self.order.summaries.pointed = Some(pointed.clone());
        pointed
    }

    /// A call of the function that a name stands for in the current file.
    pub(super) fn callee(&self, name: &str, f: Option<FnId>) -> Callee {
        if name.starts_with("__ctype_") && name.ends_with("_loc") {
            return Callee::Known(Touch::default());
        }
        if let Some(special) = self.special(name, f) {
            return Callee::Known(self.touch_of_special(&special, name));
        }
        match self.model(name, f).or(f) {
            Some(f) if self.functions[f].def.is_some() => Callee::Defined(f),
            Some(f) if self.functions[f].noreturn => Callee::Known(Touch::anything()),
            _ => Callee::Known(Touch { stops: false, ..Touch::anything() }),
        }
    }

    fn touch_of_special(&self, special: &Special, name: &str) -> Touch {
        let nothing = Touch::default();
        match special {
            Special::Error | Special::AssertFailed(_) => Touch { fails: true, stops: true, ..nothing },
            Special::Assert => Touch { fails: true, ..nothing },
            Special::Assume | Special::Stop => Touch { stops: true, ..nothing },
            Special::Exit | Special::QuickExit | Special::Refused(_) => Touch::anything(),
            Special::Input(_) | Special::Alloc(_) => Touch { fails: self.checks_operations(), ..nothing },
            Special::Free | Special::MemSet | Special::MemCopy => {
                Touch { fails: self.checks_operations(), ..Touch::memory() }
            }
            Special::Quiet(_) => {
                let mut touch = Touch::memory();
                let writes = self.uses_errno || self.opts.wants(ir::CheckKind::File);
                touch.writes = if writes { touch.writes } else { nothing.writes };
                touch
            }
            Special::Builtin if name.ends_with("_overflow") => Touch::memory(),
            Special::Builtin if matches!(name, "__builtin_unreachable" | "__builtin_trap") => {
                Touch { stops: true, ..nothing }
            }
            Special::Atomic(_) if self.starts_threads => Touch::anything(),
            Special::Atomic(_) => Touch::memory(),
            Special::Builtin | Special::Errno => nothing,
            Special::Primitive(p) => match p {
                Primitive::Environment => Touch::anything(),
                Primitive::Opened | Primitive::Reopened | Primitive::Resize => Touch::memory(),
                Primitive::SetErrno | Primitive::MayFail if self.uses_errno => Touch::memory(),
                Primitive::Unmodelled => Touch { fails: true, stops: true, ..nothing },
                Primitive::Access(_) => Touch { fails: true, ..nothing },
                Primitive::Thread(ThreadOp::Wait) if !self.starts_threads => Touch { stops: true, ..nothing },
                Primitive::Thread(ThreadOp::Begin | ThreadOp::End) if !self.starts_threads => nothing,
                Primitive::Is(_)
                | Primitive::Inspect(_)
                | Primitive::Float(_)
                | Primitive::SetErrno
                | Primitive::MayFail
                | Primitive::Arbitrary
                | Primitive::Made(_)
                | Primitive::Input
                | Primitive::Choice
                | Primitive::Start(_)
                | Primitive::Thread(ThreadOp::Wait | ThreadOp::Current) => nothing,
                Primitive::Thread(_) => Touch::anything(),
            },
        }
    }

    /// Whether operations, and not only assertions, are checked.
    pub(super) fn checks_operations(&self) -> bool {
        !self.opts.only_reach()
    }

    fn touch_of_function(&mut self, f: FnId) -> Touch {
        if let Some(known) = self.order.summaries.whole.get(&f) {
            return known.clone();
        }
        let mut touch = Touch::default();
        let mut seen = FxHashSet::default();
        let mut todo = vec![f];
        while let Some(g) = todo.pop() {
            if !seen.insert(g) {
                continue;
            }
            let facts = self.facts(g);
            touch.join(&facts.touch);
            // Recursion may go on for ever.
            touch.stops |= self.calls_itself(g);
            todo.extend(facts.calls);
            if facts.indirect {
                let pointed = self.pointed();
                touch.join(&if pointed.unknown { Touch::anything() } else { Touch::default() });
                touch.stops = true;
                todo.extend(pointed.defined);
            }
        }
        touch.fails |= self.checks_operations();
        self.order.summaries.whole.insert(f, touch.clone());
        touch
    }

    fn calls_itself(&mut self, f: FnId) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = self.facts(f).calls;
        while let Some(g) = todo.pop() {
            if g == f {
                return true;
            }
            if seen.insert(g) {
                todo.extend(self.facts(g).calls);
            }
        }
        false
    }

    fn facts(&mut self, f: FnId) -> Facts {
        if let Some(known) = self.order.summaries.own.get(&f) {
            return known.clone();
        }
        let function = self.functions[f].clone();
        let Some(def) = function.def else { return Facts { touch: Touch::anything(), ..Facts::default() } };
        // Names in the body are those of its own file.
        let file = std::mem::replace(&mut self.scopes.file, function.file);
        self.find_addressed();
        let mut declared = Declared::default();
        declared.visit_function_definition(&def.node, &def.span);
        let mut reader =
            Reader { cx: self, declared: &declared, inside: Some(&function.name), facts: Facts::default() };
        reader.visit_statement(&def.node.statement.node, &def.node.statement.span);
        let facts = reader.facts;
        self.scopes.file = file;
        self.order.summaries.own.insert(f, facts.clone());
        facts
    }

    /// Reads and writes of a block inside of an expression.
    pub(super) fn touch_of_block(&mut self, block: &Node<ast::Statement>) -> Touch {
        self.find_addressed();
        let mut declared = Declared::default();
        declared.visit_statement(&block.node, &block.span);
        let mut reader = Reader { cx: self, declared: &declared, inside: None, facts: Facts::default() };
        reader.visit_statement(&block.node, &block.span);
        let Facts { mut touch, calls, indirect } = reader.facts;
        if indirect {
            let called = self.touch_of_pointer();
            touch.join(&called);
        }
        for f in calls {
            let called = self.touch_of_function(f);
            touch.join(&called);
        }
        touch.fails |= self.checks_operations();
        touch
    }

    /// Finds the names whose address is taken in any file.
    pub(super) fn find_addressed(&mut self) {
        if self.order.summaries.addressed.is_some() {
            return;
        }
        let mut names = FxHashSet::default();
        for parsed in self.parsed {
            names.extend(crate::expr::addressed_in(&parsed.unit));
        }
        self.order.summaries.addressed = Some(names);
    }

    /// Whether pointers may lead to the object.
    pub(super) fn is_open(&self, name: &str, ty: &Ty) -> bool {
        let addressed = self.order.summaries.addressed.as_ref();
        self.has_array(ty) || addressed.is_none_or(|names| names.contains(name))
    }

    /// Whether the object is an array or has one, whose address an expression takes without `&`.
    pub(crate) fn has_array(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Array(..) | Ty::Vla(..) => true,
            Ty::Record(r) => self.members[r.index()].iter().any(|m| self.has_array(&m.ty.ty)),
            _ => false,
        }
    }
}

/// The meaning of a call by name.
pub(super) enum Callee {
    Known(Touch),
    Defined(FnId),
}
