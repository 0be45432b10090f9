//! Remarks on a step of a path, beside its text.

use base::Span;

/// What stands beside a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remark {
    /// What functions gave on the way, in order.
    pub given: Vec<String>,
    /// The outcome of a condition.
    pub outcome: Option<bool>,
    /// Locations and their values.
    pub values: Vec<(String, String)>,
    /// Further text for the right column, in order.
    pub notes: Vec<String>,
    /// A sign in front of the line.
    pub mark: bool,
    /// The error is here.
    pub here: bool,
    /// The line is shown where a long path is shortened, too.
    pub keep: bool,
    /// What a rule does at this place of the program, which is not a line of its own.
    pub of_rule: Option<Span>,
    /// The variables of rules that are set: the rule, the variable, the value.
    pub rule_state: Vec<[String; 3]>,
}

impl Remark {
    /// Nothing but this text.
    pub(crate) fn note(text: String) -> Remark {
        Remark { notes: vec![text], ..Remark::default() }
    }

    /// Takes what is known of a further step of the same line.
    pub(super) fn join(&mut self, other: Remark) {
        self.given.extend(other.given);
        self.outcome = other.outcome.or(self.outcome);
        for (name, value) in other.values {
            match self.values.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => self.values.push((name, value)),
            }
        }
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self.rule_state.extend(other.rule_state);
        self.mark |= other.mark;
        self.here |= other.here;
        self.keep |= other.keep;
    }
}
