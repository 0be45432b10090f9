//! The abstraction statement by statement, as a page shows it.

use super::{Page, diagram};
use results::walkthrough::{Asked, Assigned, How, Statement, States};

impl Page<'_> {
    /// Whether there is anything of it to show.
    pub(super) fn has_walkthrough(&self) -> bool {
        self.result
            .walkthrough
            .as_ref()
            .is_some_and(|all| !all.statements.is_empty() || !all.states.is_empty())
    }

    /// A statement in the source, or else as C--.
    pub(super) fn source<'s>(&self, statement: &'s Statement) -> &'s str {
        statement.source.as_ref().unwrap_or(&statement.statement)
    }

    /// How a value was found.
    pub(super) fn remark(&self, of: &Assigned) -> String {
        let Asked { cubes, by_syntax, by_models, prover_calls, gave_up } = of.asked.unwrap_or_default();
        match of.how {
            How::Kept => "keeps its value".to_owned(),
            How::Folded => "without a search".to_owned(),
            How::Searched if cubes == 0 => "known from an earlier statement".to_owned(),
            How::Searched => {
                let parts = [
                    (cubes, "cubes asked about"),
                    (by_syntax, "answered by their look"),
                    (by_models, "by models"),
                    (prover_calls, "calls of the prover"),
                    (gave_up, "given up"),
                ];
                let told = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
                told.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// States as conjunctions; an empty list stands for all states where it is complete.
    pub(super) fn cubes(&self, states: &States) -> Vec<String> {
        let cube = |literals: &Vec<String>| match literals.is_empty() {
            true => "any".to_owned(),
            false => literals.join(" & "),
        };
        states.cubes.iter().flatten().map(cube).collect()
    }

    /// States as a decision diagram in SVG; empty where it is not drawn.
    pub(super) fn diagram(&self, states: &States) -> String {
        diagram::diagram(states.diagram.iter().flatten().next())
    }
}
