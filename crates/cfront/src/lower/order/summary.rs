//! Summaries of what calls may read and write: facts about each function by the names in its body, joined over
//! the call graph.
//!
//! Names are not resolved exactly: one that a function declares for itself counts for the object of that name outside
//! as well, which only makes the sets larger.

use super::reader::Reader;
use super::touch::Touch;
use crate::library::primitives::Primitive;
use crate::lower::context::{Emitter, Settings, Symbols};
use crate::lower::order::Order;
use crate::syntax::names::{Declared, Mentions};
use crate::types::table::Types;

use crate::library::intrinsics::Intrinsic;
use crate::lower::scope::{Entity, FnId};
use crate::types::ty::Ty;
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

impl Order {
    /// Reads and writes of a call of the function by this name; its arguments are not part of it.
    pub(super) fn touch_of_call(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        emitter: &Emitter<'_>,
        name: &str,
        f: Option<FnId>,
    ) -> Touch {
        match symbols.callee(types, name, f) {
            Callee::Known(touch) => touch,
            Callee::Defined(f) => self.touch_of_function(types, symbols, emitter, f),
        }
    }

    /// Reads and writes of a call through a pointer.
    pub(super) fn touch_of_pointer(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        emitter: &Emitter<'_>,
    ) -> Touch {
        let pointed = self.pointed(types, symbols);
        let mut touch = if pointed.unknown { Touch::anything() } else { Touch::default() };
        for f in pointed.defined {
            let called = self.touch_of_function(types, symbols, emitter, f);
            touch.join(&called);
        }
        touch
    }

    /// The functions that pointers may lead to.
    fn pointed(&mut self, types: &Types, symbols: &Symbols<'_>) -> Pointed {
        if let Some(known) = &self.summaries.pointed {
            return known.clone();
        }
        let mut pointed = Pointed::default();
        for (file, parsed) in symbols.parsed.iter().enumerate() {
            let mut names = Mentions::default();
            names.visit_translation_unit(&parsed.unit);
            let function = |name: &String| match symbols.scopes.files[file].names.get(name) {
                Some(Entity::Function(f)) => Some(*f),
                _ => symbols.extern_functions.get(name).copied(),
            };
            for f in names.values.iter().filter_map(function) {
                match symbols.model(types, &symbols.functions[f].name, Some(f)).unwrap_or(f) {
                    f if symbols.functions[f].def.is_some() => pointed.defined.push(f),
                    _ => pointed.unknown = true,
                }
            }
            // Functions other than the program's may give out pointers to functions that are not either.
            pointed.unknown |= names.called.iter().any(|name| {
                let f = function(name);
                let undefined =
                    matches!(symbols.callee(types, name, f), Callee::Known(touch) if touch.is_anything());
                undefined && f.is_none_or(|f| !symbols.functions[f].ty.ret.ty.is_arithmetic())
            });
        }
        pointed.defined.sort_unstable();
        pointed.defined.dedup();
        self.summaries.pointed = Some(pointed.clone());
        pointed
    }

    fn touch_of_function(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        emitter: &Emitter<'_>,
        f: FnId,
    ) -> Touch {
        if let Some(known) = self.summaries.whole.get(&f) {
            return known.clone();
        }
        let mut touch = Touch::default();
        let mut seen = FxHashSet::default();
        let mut todo = vec![f];
        while let Some(g) = todo.pop() {
            if !seen.insert(g) {
                continue;
            }
            let facts = self.facts(types, symbols, emitter, g);
            touch.join(&facts.touch);
            // Recursion may go on for ever.
            touch.stops |= self.calls_itself(types, symbols, emitter, g);
            todo.extend(facts.calls);
            if facts.indirect {
                let pointed = self.pointed(types, symbols);
                touch.join(&if pointed.unknown { Touch::anything() } else { Touch::default() });
                touch.stops = true;
                todo.extend(pointed.defined);
            }
        }
        touch.fails |= emitter.settings.checks_operations();
        self.summaries.whole.insert(f, touch.clone());
        touch
    }

    fn calls_itself(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        emitter: &Emitter<'_>,
        f: FnId,
    ) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = self.facts(types, symbols, emitter, f).calls;
        while let Some(g) = todo.pop() {
            if g == f {
                return true;
            }
            if seen.insert(g) {
                todo.extend(self.facts(types, symbols, emitter, g).calls);
            }
        }
        false
    }

    fn facts(&mut self, types: &Types, symbols: &mut Symbols<'_>, emitter: &Emitter<'_>, f: FnId) -> Facts {
        if let Some(known) = self.summaries.own.get(&f) {
            return known.clone();
        }
        let function = symbols.functions[f].clone();
        let Some(def) = function.def else { return Facts { touch: Touch::anything(), ..Facts::default() } };
        // Names in the body are those of its own file.
        let file = std::mem::replace(&mut symbols.scopes.file, function.file);
        self.find_addressed(symbols);
        let mut declared = Declared::default();
        declared.visit_function_definition(&def.node, &def.span);
        let mut reader = Reader {
            types,
            symbols,
            emitter,
            order: self,
            declared: &declared,
            inside: Some(&function.name),
            facts: Facts::default(),
        };
        reader.visit_statement(&def.node.statement.node, &def.node.statement.span);
        let facts = reader.facts;
        symbols.scopes.file = file;
        self.summaries.own.insert(f, facts.clone());
        facts
    }

    /// Reads and writes of a block inside of an expression.
    pub(super) fn touch_of_block(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        emitter: &Emitter<'_>,
        block: &Node<ast::Statement>,
    ) -> Touch {
        self.find_addressed(symbols);
        let mut declared = Declared::default();
        declared.visit_statement(&block.node, &block.span);
        let mut reader = Reader {
            types,
            symbols,
            emitter,
            order: self,
            declared: &declared,
            inside: None,
            facts: Facts::default(),
        };
        reader.visit_statement(&block.node, &block.span);
        let Facts { mut touch, calls, indirect } = reader.facts;
        if indirect {
            let called = self.touch_of_pointer(types, symbols, emitter);
            touch.join(&called);
        }
        for f in calls {
            let called = self.touch_of_function(types, symbols, emitter, f);
            touch.join(&called);
        }
        touch.fails |= emitter.settings.checks_operations();
        touch
    }

    /// Finds the names whose address is taken in any file.
    pub(super) fn find_addressed(&mut self, symbols: &Symbols<'_>) {
        if self.summaries.addressed.is_some() {
            return;
        }
        let mut names = FxHashSet::default();
        for parsed in symbols.parsed {
            names.extend(crate::syntax::names::addressed_in(&parsed.unit));
        }
        self.summaries.addressed = Some(names);
    }

    /// Whether pointers may lead to the object.
    pub(super) fn is_open(&self, types: &Types, name: &str, ty: &Ty) -> bool {
        let addressed = self.summaries.addressed.as_ref();
        types.has_array(ty) || addressed.is_none_or(|names| names.contains(name))
    }
}

impl Symbols<'_> {
    /// A call of the function that a name stands for in the current file.
    pub(super) fn callee(&self, types: &Types, name: &str, f: Option<FnId>) -> Callee {
        if name.starts_with("__ctype_") && name.ends_with("_loc") {
            return Callee::Known(Touch::default());
        }
        if let Some(intrinsic) = self.intrinsic(types, name, f) {
            return Callee::Known(self.settings.touch_of_intrinsic(&intrinsic, name));
        }
        match self.model(types, name, f).or(f) {
            Some(f) if self.functions[f].def.is_some() => Callee::Defined(f),
            Some(f) if self.functions[f].noreturn => Callee::Known(Touch::anything()),
            _ => Callee::Known(Touch { stops: false, ..Touch::anything() }),
        }
    }
}

impl Settings<'_> {
    fn touch_of_intrinsic(&self, intrinsic: &Intrinsic, name: &str) -> Touch {
        let nothing = Touch::default();
        match intrinsic {
            Intrinsic::Error | Intrinsic::AssertFailed(_) => Touch { fails: true, stops: true, ..nothing },
            Intrinsic::Assert => Touch { fails: true, ..nothing },
            Intrinsic::Assume | Intrinsic::Stop => Touch { stops: true, ..nothing },
            Intrinsic::Exit | Intrinsic::QuickExit | Intrinsic::Refused(_) => Touch::anything(),
            Intrinsic::Input(_) | Intrinsic::Alloc(_) => Touch { fails: self.checks_operations(), ..nothing },
            Intrinsic::Free | Intrinsic::MemSet | Intrinsic::MemCopy => {
                Touch { fails: self.checks_operations(), ..Touch::memory() }
            }
            Intrinsic::Pure(_) => {
                let mut touch = Touch::memory();
                let writes = self.uses.errno || self.options.wants(ir::CheckKind::File);
                touch.writes = if writes { touch.writes } else { nothing.writes };
                touch
            }
            Intrinsic::Builtin if name.ends_with("_overflow") => Touch::memory(),
            Intrinsic::Builtin if matches!(name, "__builtin_unreachable" | "__builtin_trap") => {
                Touch { stops: true, ..nothing }
            }
            Intrinsic::Atomic(_) if self.uses.threads => Touch::anything(),
            Intrinsic::Atomic(_) => Touch::memory(),
            Intrinsic::Builtin | Intrinsic::Errno => nothing,
            Intrinsic::Primitive(p) => match p {
                Primitive::Environment => Touch::anything(),
                Primitive::Opened | Primitive::Reopened | Primitive::Resize => Touch::memory(),
                Primitive::SetErrno | Primitive::MayFail if self.uses.errno => Touch::memory(),
                Primitive::Unmodelled => Touch { fails: true, stops: true, ..nothing },
                Primitive::Access(_) => Touch { fails: true, ..nothing },
                Primitive::Thread(ThreadOp::Wait) if !self.uses.threads => Touch { stops: true, ..nothing },
                Primitive::Thread(ThreadOp::Begin | ThreadOp::End) if !self.uses.threads => nothing,
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
        !self.options.only_reach()
    }
}

/// The meaning of a call by name.
pub(super) enum Callee {
    Known(Touch),
    Defined(FnId),
}
