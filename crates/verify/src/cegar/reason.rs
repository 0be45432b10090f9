//! The reasons of UNKNOWN.

use crate::cegar::facts::NotShown;
use crate::cegar::history::History;
use base::Span;
use encoding::Inexact;
use executions::Diverged;
use ir::CheckId;
use newton::GaveUp;
use predicates::Precision;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A check, or a program, that is not decided.
#[derive(Clone)]
pub struct Failure {
    /// Why.
    pub reason: Reason,
    /// The check; `None` where the whole run has ended.
    pub check: Option<CheckId>,
    /// Where, if there is a place.
    pub place: Option<Span>,
    /// Iterations of the loop.
    pub iterations: usize,
    /// The predicates at its end.
    pub precision: Precision,
    /// The last iterations.
    pub history: History,
    /// The longest conjunctions that the abstraction tried.
    pub max_cube: usize,
    /// The candidates for invariants that were not shown, and why.
    pub candidates: Arc<Vec<NotShown>>,
    /// How long each stage has taken.
    pub times: [(&'static str, Duration); 3],
}

/// Behaviour that an analysis leaves out.
#[derive(Clone, PartialEq, Debug)]
pub struct LeftOut {
    /// Why.
    pub reason: Reason,
    /// Where.
    pub span: Span,
}

/// Why bit-vectors are to be tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SwitchReason {
    /// The counterexample depends on what mathematical integers over-approximate.
    Inexact(Vec<Inexact>),
    /// The prover gave up on a path.
    GaveUp(GaveUp),
}

impl fmt::Display for SwitchReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SwitchReason::Inexact(what) => f.write_str(&Inexact::listed(what)),
            SwitchReason::GaveUp(why) => why.fmt(f),
        }
    }
}

/// Why a check, or the program, is not decided.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// The run was stopped, by a limit or a signal.
    Stopped,
    /// The iterations that a run may have are over.
    Iterations,
    /// A path has more steps than this.
    PathLength(usize),
    /// The model checker cannot deal with the abstraction, in its words.
    Size(String),
    /// The analysis of a path has no answer.
    GaveUp(GaveUp),
    /// A path is feasible, says the encoding, and its execution does not fail the check.
    NotReplayed {
        /// How the execution ends; `None` where the check holds in it.
        end: Option<Diverged>,
        /// How many steps of the path the execution takes before it leaves it.
        followed: usize,
        /// What the encoding over-approximates on the path.
        inexact: Vec<Inexact>,
    },
    /// A path is infeasible, and nothing keeps it from coming back.
    NoProgress,
    /// The same path has come again over the same abstraction, which must not happen.
    StandsStill,
    /// It depends on what this computes or does, which has no model.
    NoModel(Arc<str>),
    /// Something that is not modelled is reached, by its description.
    NotModelled(String),
    /// An undefined function may call these procedures.
    Callback(Vec<String>),
}

impl Reason {
    /// Whether it is about the check at which it was met, and others may well be decided.
    pub fn is_about_one_check(&self) -> bool {
        match self {
            Reason::PathLength(_)
            | Reason::GaveUp(_)
            | Reason::NotReplayed { .. }
            | Reason::NoProgress
            | Reason::StandsStill
            | Reason::NoModel(_)
            | Reason::NotModelled(_) => true,
            Reason::Stopped | Reason::Iterations | Reason::Size(_) | Reason::Callback(_) => false,
        }
    }

    /// What the verdict line has in parentheses.
    pub fn word(&self) -> String {
        match self {
            Reason::Stopped => "interrupted".into(),
            Reason::Iterations => "iterations".into(),
            Reason::PathLength(_) | Reason::GaveUp(GaveUp::PathLength { .. }) => "path length".into(),
            Reason::Size(_) => "size".into(),
            Reason::GaveUp(GaveUp::Prover(_)) => "the prover gave up on a path".into(),
            Reason::NotReplayed { .. } => "not replayed".into(),
            Reason::NoProgress | Reason::StandsStill => "no progress".into(),
            Reason::NoModel(name) => format!("no model: {name}"),
            Reason::NotModelled(_) => "not modelled".into(),
            Reason::Callback(_) => "callback".into(),
        }
    }

    /// A sentence without its full stop.
    pub fn detail(&self) -> String {
        let text = match self {
            Reason::Stopped => "the run was stopped".into(),
            Reason::Iterations => "the iteration limit is reached".into(),
            Reason::PathLength(most) => format!("the path to a check has more than {most} steps"),
            Reason::Size(why) => format!("the model checker gave up: {why}"),
            Reason::GaveUp(why) => return why.to_string(),
            Reason::NotReplayed { end, inexact, .. } => {
                let end = end.map_or("the check holds in the execution".to_owned(), |end| end.to_string());
                let text =
                    format!("there may be an error here, but the interpreter does not confirm it: {end}");
                match inexact[..] {
                    [] => text,
                    _ => format!("{text} (over-approximated on the way: {})", Inexact::listed(inexact)),
                }
            }
            Reason::NoProgress => "the path to here is infeasible, but no new predicate refutes it".into(),
            Reason::StandsStill => {
                "the same path has come again though nothing was learned from it: a mistake of slam \
                                    that is worth a report, with what --save writes"
                    .into()
            }
            Reason::NoModel(name) => format!(
                "whether there is an error here depends on what `{name}` really computes or does, which is not modelled"
            ),
            Reason::NotModelled(what) => what.clone(),
            Reason::Callback(names) => {
                format!("the undefined function called here may call {}", names.join(", "))
            }
        };
        base::wording(&text).into_owned()
    }
}
