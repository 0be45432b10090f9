//! The files of the program, and the meaning of the names in them.

use super::Settings;
use crate::lower::scope::{FnId, Function, ObjId, Object, Scope, Scopes};
use crate::syntax::parse::Parsed;
use crate::types::table::Key;
use crate::types::ty::QTy;
use base::{SourceMap, Span};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The translation units, their scopes, functions and objects with static storage.
///
/// Invariant: places of nodes are those of the file that `scopes.file` names; each function or object that was used is
/// in one of the two queues until it is lowered.
pub(crate) struct Symbols<'a> {
    pub(crate) settings: Settings<'a>,
    pub(crate) parsed: &'a [Parsed],
    pub(crate) sources: &'a SourceMap,
    pub(crate) scopes: Scopes,
    pub(crate) objects: Vec<Object<'a>>,
    pub(crate) functions: Vec<Function<'a>>,
    /// Functions and objects with external linkage.
    pub(crate) extern_functions: FxHashMap<String, FnId>,
    pub(crate) extern_objects: FxHashMap<String, ObjId>,
    /// The files from this number on are stubs of the user's, or models of the library.
    pub(crate) stubs_from: usize,
    /// The files from this number on are models of the library.
    pub(crate) models_from: usize,
    /// The functions that they define for others.
    pub(crate) models: FxHashMap<String, FnId>,
    /// Functions that are defined nowhere, in order of first use.
    pub(crate) undefined: Vec<String>,
    /// Names of variables and members whose alignment is not that of their type.
    pub(crate) aligned_names: FxHashSet<String>,
    /// Functions that are used and not lowered yet.
    pub(crate) todo_functions: VecDeque<FnId>,
    /// Objects that are used and not lowered yet.
    pub(crate) todo_objects: VecDeque<ObjId>,
}

impl<'a> Symbols<'a> {
    /// Files of which nothing is declared yet; see [`Context::new`](super::Context::new).
    pub(crate) fn new(
        settings: Settings<'a>,
        parsed: &'a [Parsed],
        (own, without_models): (usize, usize),
        sources: &'a SourceMap,
    ) -> Symbols<'a> {
        Symbols {
            settings,
            parsed,
            sources,
            scopes: Scopes { files: vec![Scope::default(); parsed.len()], ..Scopes::default() },
            objects: vec![],
            functions: vec![],
            extern_functions: FxHashMap::default(),
            extern_objects: FxHashMap::default(),
            stubs_from: own,
            models_from: without_models,
            models: FxHashMap::default(),
            undefined: vec![],
            aligned_names: FxHashSet::default(),
            todo_functions: VecDeque::new(),
            todo_objects: VecDeque::new(),
        }
    }
}

impl Symbols<'_> {
    /// The user's place of a node.
    pub(crate) fn span<T>(&self, node: &Node<T>) -> Span {
        self.at(node.span)
    }

    /// The key of an expression in [`Known`](super::evaluation::Known).
    pub(crate) fn key<T>(&self, node: &Node<T>) -> Key {
        (self.scopes.file, node.span.start, node.span.end)
    }

    pub(crate) fn at(&self, span: lang_c::span::Span) -> Span {
        self.parsed[self.scopes.file].span(span)
    }

    /// The start of a list of specifiers.
    pub(crate) fn span_of_first<T>(&self, list: &[Node<T>]) -> Span {
        self.at(list.first().map_or(lang_c::span::Span::none(), |s| s.span))
    }

    /// The user's text at a place.
    pub(crate) fn snippet(&self, span: Span) -> String {
        self.sources.snippet(span).unwrap_or_default()
    }

    /// The type of a variable, as the source declared it.
    pub(crate) fn qty_of_object(&self, object: ObjId) -> QTy {
        self.objects[object].ty.clone()
    }
}
