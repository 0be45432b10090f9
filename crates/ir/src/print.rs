//! Programs, edges and expressions of C-- as text.
//!
//! Expressions are C: [`expr`] keeps meaning and types (see its module), so that predicates can be written to
//! a file and read back. The program form is read back by [`parse`](crate::parse), whose head describes it.

mod expr;
mod forms;
mod members;
mod program;
mod types;

pub(crate) use expr::precedence;
pub use expr::{expr, lvalue};
pub use members::find_member;
pub use program::{edge, program};
pub use types::{declaration, float_name, integer_name, ty};
