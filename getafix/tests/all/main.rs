//! Tests of the calculus, the translator, the algorithms and the command.

mod calculus;
mod oracle;
mod sequential;
