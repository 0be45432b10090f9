//! Quantified conditions over a range of numbers, such as the indices of an array's elements (\[JM07\], \[LB04\]).

use crate::expr::Expr;
use crate::program::{Program, VarId};

/// "For all integers from one to below another": a variable of the procedure stands for them in the condition that
/// follows. The range is about the program's state, so the variable has its own value there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ForAll {
    /// The variable, an integer that is bound in the condition.
    pub variable: VarId,
    /// The least number, of type [`Type::Math`](crate::Type::Math) or an integer type.
    pub from: Expr,
    /// One more than the largest number, of the same type.
    pub to: Expr,
}

impl ForAll {
    /// `forall j in [0, n): CONDITION`, with what `show` makes of the ends.
    pub fn text(&self, program: &Program, condition: &str, show: impl Fn(&Expr) -> String) -> String {
        let [from, to] = [&self.from, &self.to].map(show);
        format!("forall {} in [{from}, {to}): {condition}", program.vars[self.variable].name)
    }
}
