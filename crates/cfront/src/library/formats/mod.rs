//! Formats of `printf`, `scanf` and their relatives.

pub(crate) mod check;
pub(crate) mod conversions;
pub(crate) mod made_text;
pub(crate) mod scan;
pub(crate) mod scan_format;
pub(crate) mod text_length;
