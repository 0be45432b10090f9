//! C's types: their conversions, constants of them, the table of records, and layouts. Nothing is lowered here, and no
//! scope is known.

pub(crate) mod constants;
pub(crate) mod layout;
pub(crate) mod name_set;
pub(crate) mod parts;
pub(crate) mod table;
pub(crate) mod ty;
pub(crate) mod vector_types;
