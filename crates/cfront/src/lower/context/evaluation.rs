//! What is known of expressions while others around them are lowered.

use crate::types::table::Key;
use crate::types::ty::QTy;
use rustc_hash::FxHashMap;

/// Properties of expressions by their place. Operands that are examined for their type or constant value before
/// they are lowered nest; without this table each level would double the work.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) types: FxHashMap<Key, QTy>,
    pub(crate) ints: FxHashMap<Key, Option<i128>>,
    pub(crate) conditions: FxHashMap<Key, Option<i128>>,
}

/// What is known of the expression that is being lowered, and of others by their places.
///
/// Invariant: the counters are back at their values when the expression or declarator that raised them ends.
#[derive(Debug, Default)]
pub(crate) struct Evaluation {
    pub(crate) known: Known,
    /// How deep the expression that is being lowered lies in others.
    pub(crate) nesting: usize,
    /// How many parameter lists of prototypes are open: array lengths in them are not evaluated.
    pub(crate) prototypes: u32,
}
