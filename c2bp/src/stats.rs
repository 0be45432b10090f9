//! What an abstraction took.

use std::fmt;
use std::ops::AddAssign;

/// What an abstraction took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Edges whose questions were answered anew.
    pub abstracted: usize,
    /// Edges whose questions had all been answered before.
    pub reused: usize,
    /// Values of boolean variables and conditions that were asked for: folded, or answered in one of the next ways.
    pub questions: u64,
    /// Values found without a search: constants, and copies of predicates.
    pub folded: u64,
    /// Questions that were answered before: for another statement, in an earlier abstraction, in an earlier run.
    pub cached: u64,
    /// Questions answered by a search that needed no prover.
    pub by_syntax: u64,
    /// Questions answered by a search that called the prover.
    pub by_prover: u64,
    /// Answers taken over from earlier runs.
    pub recalled: u64,
    /// Problems (questions with the same predicates) for which the prover was called.
    pub prover_problems: u64,
    /// Calls of the prover.
    pub prover_calls: u64,
    /// Calls in which the prover gave up, and searches that were ended since they made too many.
    pub gave_up: u64,
    /// Cubes examined.
    pub cubes: u64,
    /// Questions about cubes that were answered syntactically.
    pub cubes_by_syntax: u64,
    /// Questions about cubes that a model answered which the prover had given before.
    pub cubes_by_models: u64,
    /// Predicates left out, since they read memory or numbers that have no model.
    pub ignored: usize,
}

impl AddAssign for Stats {
    /// Sums, of the predicates left out the last count.
    fn add_assign(&mut self, other: Stats) {
        macro_rules! add {
            ($($count:ident)*) => { $(self.$count += other.$count;)* };
        }
        add!(abstracted reused questions folded cached by_syntax by_prover recalled);
        add!(prover_problems prover_calls gave_up cubes cubes_by_syntax cubes_by_models);
        self.ignored = other.ignored;
    }
}

impl fmt::Display for Stats {
    /// A line for the statements, one for the questions, one for the cubes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats { abstracted, reused, questions, folded, cached, by_syntax, by_prover, .. } = self;
        writeln!(f, "statements  {abstracted} abstracted, {reused} with nothing new to ask")?;
        write!(f, "questions   {questions}: {folded} folded, {cached} cached, {by_syntax} by syntax, ")?;
        writeln!(f, "{by_prover} by the prover")?;
        write!(f, "cubes       {}: {} checks by syntax, ", self.cubes, self.cubes_by_syntax)?;
        write!(f, "{} by models, {} by calls of the prover", self.cubes_by_models, self.prover_calls)?;
        writeln!(f, " (in {} problems; it gave up {} times)", self.prover_problems, self.gave_up)?;
        if self.recalled > 0 {
            writeln!(f, "recalled    {} answers of earlier runs", self.recalled)?;
        }
        Ok(())
    }
}
