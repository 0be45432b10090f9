//! Names: the meaning of an identifier in the current scope, and the unique names that the C-- program uses.

use crate::types::name_set::NameSet;
use crate::types::ty::{FuncTy, IntTy, QTy};
use base::Span;
use ir::{ProcId, RecordId, VarId};
use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Index of a variable with static storage.
pub(crate) type ObjId = usize;
/// Index of a function.
pub(crate) type FnId = usize;

/// The meaning of an ordinary identifier.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Typedef(QTy),
    EnumConst(i128, IntTy),
    Object(ObjId),
    Function(FnId),
    Local(VarId, QTy),
    /// A variable length array: the pointer to its elements, and its type.
    Variable(VarId, QTy),
}

/// The meaning of a tag.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    Record(RecordId),
    /// Its integer type once it is defined.
    Enum(Option<IntTy>),
}

/// A variable with static storage.
#[derive(Clone, Debug)]
pub(crate) struct Object<'a> {
    pub(crate) name: String,
    pub(crate) ty: QTy,
    pub(crate) file: usize,
    pub(crate) span: Span,
    /// Has a definition, tentative ones included.
    pub(crate) defined: bool,
    pub(crate) init: Option<&'a Node<ast::Initializer>>,
    pub(crate) var: Option<VarId>,
    /// An attribute that is not modelled: using the object is refused.
    pub(crate) refused: Option<String>,
    /// Each thread has its own.
    pub(crate) apart: bool,
    /// The alignment given by its declarations.
    pub(crate) align: Option<u64>,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function<'a> {
    pub(crate) name: String,
    pub(crate) ty: Rc<FuncTy>,
    pub(crate) file: usize,
    pub(crate) span: Span,
    pub(crate) def: Option<&'a Node<ast::FunctionDefinition>>,
    /// Declared not to return; without a body, a call ends the run.
    pub(crate) noreturn: bool,
    /// If it is defined nowhere, its address is NULL.
    pub(crate) weak: bool,
    /// The priority with which it runs before the entry.
    pub(crate) constructor: Option<u64>,
    /// The priority with which it runs when the program ends.
    pub(crate) destructor: Option<u64>,
    /// Declared by its use alone.
    pub(crate) implicit: bool,
    pub(crate) proc: Option<ProcId>,
    /// An attribute that is not modelled: using the function is refused.
    pub(crate) refused: Option<String>,
}

impl Function<'_> {
    /// A function with nothing but its declaration.
    pub(crate) fn new(name: &str, ty: Rc<FuncTy>, file: usize, span: Span) -> Self {
        Function {
            name: name.to_owned(),
            ty,
            file,
            span,
            def: None,
            noreturn: false,
            weak: false,
            constructor: None,
            destructor: None,
            implicit: false,
            proc: None,
            refused: None,
        }
    }
}

/// One scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) names: FxHashMap<String, Entity>,
    pub(crate) tags: FxHashMap<String, Tag>,
    /// For an inner block, its place in its file, as offsets.
    pub(crate) range: Option<(usize, usize)>,
    /// Its variables to which pointers may lead, and which end with it.
    pub(crate) mortal: Vec<VarId>,
    /// The full expression of this block that is being lowered.
    pub(crate) expression: Option<Span>,
    /// The variables that end with that expression.
    pub(crate) passing: Vec<VarId>,
}

/// The scopes: one for each file, and the blocks that are open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scopes {
    pub(crate) files: Vec<Scope>,
    pub(crate) blocks: Vec<Scope>,
    pub(crate) file: usize,
}

impl Scopes {
    pub(crate) fn lookup(&self, name: &str) -> Option<&Entity> {
        let open = self.blocks.iter().rev().chain(std::iter::once(&self.files[self.file]));
        open.into_iter().find_map(|s| s.names.get(name))
    }

    pub(crate) fn lookup_tag(&self, name: &str) -> Option<Tag> {
        let open = self.blocks.iter().rev().chain(std::iter::once(&self.files[self.file]));
        open.into_iter().find_map(|s| s.tags.get(name).copied())
    }

    pub(crate) fn innermost(&mut self) -> &mut Scope {
        let file = &mut self.files[self.file];
        self.blocks.last_mut().unwrap_or(file)
    }

    pub(crate) fn at_file_scope(&self) -> bool {
        self.blocks.is_empty()
    }
}

/// Names that are taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// The names of globals, those of the source included that have no variable yet.
    globals: NameSet,
    /// The names of globals that exist.
    made: FxHashSet<String>,
    /// The names of variables of some procedure.
    locals: FxHashSet<String>,
    pub(crate) procs: NameSet,
}

impl Names {
    /// Keeps a name for a global of the source.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.globals.insert(name);
    }

    /// The name for the variable of a global of the source: its own, unless another one came first, or a local when
    /// the global is declared in a block only.
    pub(crate) fn reserved(&mut self, name: &str) -> String {
        let is_free = !self.locals.contains(name) && self.made.insert(name.to_owned());
        if is_free { name.to_owned() } else { self.global(name) }
    }

    /// A name for a global that no variable has.
    pub(crate) fn global(&mut self, wish: &str) -> String {
        let name = self.globals.fresh(wish, |n| self.locals.contains(n));
        self.made.insert(name.clone());
        name
    }

    /// A name for a variable of a procedure whose other variables are `used`.
    pub(crate) fn local(&mut self, wish: &str, used: &mut NameSet) -> String {
        let name = used.fresh(wish, |n| self.globals.contains(n));
        self.locals.insert(name.clone());
        name
    }
}
