//! Statements made in Rust.

use super::{Expr, Ident, Stmt, StmtKind};

impl StmtKind {
    /// `targets := values`.
    pub fn assign(pairs: impl IntoIterator<Item = (Ident, Expr)>) -> StmtKind {
        let (targets, values) = pairs.into_iter().unzip();
        StmtKind::Assign { targets, values, constrain: None }
    }

    /// `assume(cond)`.
    pub fn assume(cond: Expr) -> StmtKind {
        StmtKind::Assume { cond, constrain: None }
    }

    /// `results := callee(args)`.
    pub fn call(
        results: impl IntoIterator<Item = Ident>,
        callee: impl Into<Ident>,
        args: impl IntoIterator<Item = Expr>,
    ) -> StmtKind {
        StmtKind::Call {
            results: results.into_iter().map(Some).collect(),
            callee: callee.into(),
            args: args.into_iter().collect(),
            constrain: None,
        }
    }

    /// `if (cond) then then else otherwise fi`.
    pub fn branch(cond: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> StmtKind {
        StmtKind::If { arms: vec![(cond, then)], otherwise }
    }

    /// `goto` one of the labels.
    pub fn goto<T: Into<Ident>>(labels: impl IntoIterator<Item = T>) -> StmtKind {
        StmtKind::Goto(labels.into_iter().map(Into::into).collect())
    }
}
