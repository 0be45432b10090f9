//! From syntax trees to C--: declarations, expressions and statements are checked and lowered in one pass.
//!
//! [`context`] holds the state in parts. What a function of the C library means, where that is more than a call, is
//! in [`library`](crate::library), which is lowered by the same means.

pub(crate) mod cfg;
pub(crate) mod conditions;
pub(crate) mod constant_memory;
pub(crate) mod constructors;
pub(crate) mod context;
pub(crate) mod declarations;
pub(crate) mod entry_arguments;
pub(crate) mod expr;
pub(crate) mod init;
pub(crate) mod order;
pub(crate) mod procedures;
pub(crate) mod scope;
pub(crate) mod source_names;
pub(crate) mod source_parts;
pub(crate) mod static_objects;
pub(crate) mod stmt;
pub(crate) mod translation_unit;
pub(crate) mod variable_length;
