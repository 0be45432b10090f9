//! Syntax trees: parsing, syntax errors, and questions that a tree answers by itself. No name has a meaning here.

pub(crate) mod declarators;
pub(crate) mod errors;
pub(crate) mod expressions;
pub(crate) mod names;
pub(crate) mod parse;

/// An expression of the source.
pub(crate) type Ast = lang_c::span::Node<lang_c::ast::Expression>;
