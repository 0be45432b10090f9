//! The text of a file before it is parsed: reading and preprocessing, tokens, places in the user's files, and the
//! repairs of what the parser does not accept. It knows the options, and nothing of types or of the lowering.

pub mod arguments;
pub(crate) mod input;
pub(crate) mod lex;
pub(crate) mod lines;
pub(crate) mod repair;
