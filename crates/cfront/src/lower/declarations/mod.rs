//! Declarations: specifiers and declarators, records and enumerations, linkage.

pub(crate) mod declarator;
pub(crate) mod linkage;
pub(crate) mod records;
pub(crate) mod specifiers;
