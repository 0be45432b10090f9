//! What the checker says about a call.

use super::{Call, Seen, Wanted};

/// The checker's answer about what was seen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Answer {
    /// The model allows it: an execution shows it.
    Allowed,
    /// Not decided, with the reason.
    Open(String),
    /// No execution of the model does what was seen.
    Contradicted,
    /// The program is refused, or the checker fails.
    Failed(String),
}

impl Answer {
    /// The answer without particulars.
    pub fn name(&self) -> &'static str {
        match self {
            Answer::Allowed => "allowed",
            Answer::Open(_) if self.is_decided() => "allowed, but no error rests on it",
            Answer::Open(_) => "open",
            Answer::Contradicted => "contradicted",
            Answer::Failed(_) => "failed",
        }
    }

    /// Whether an execution of the model with the observed behaviour is known, or known not to exist. The reason that
    /// an error depends on an unmodelled value is given only about an execution.
    pub fn is_decided(&self) -> bool {
        match self {
            Answer::Allowed | Answer::Contradicted => true,
            Answer::Open(verdict) => {
                verdict.starts_with("UNKNOWN(no model") || verdict == "UNKNOWN(not replayed)"
            }
            Answer::Failed(_) => false,
        }
    }
}

/// Runs the checker on a program: the text of the program, and further options; the verdict.
pub type Checker<'a> = &'a dyn Fn(&str, &[&str]) -> String;

fn ask(call: &Call, conditions: &[String], checker: Checker<'_>) -> Answer {
    let failing = ["--malloc-may-fail", "yes"];
    let verdict = checker(&call.program(conditions, Wanted::Same), &failing);
    if verdict == "SAFE" {
        Answer::Contradicted
    } else if verdict.starts_with("UNSAFE(reach)") {
        Answer::Allowed
    } else if verdict.starts_with("UNKNOWN") {
        Answer::Open(verdict)
    } else {
        Answer::Failed(verdict)
    }
}

/// Whether the model allows what was seen.
pub fn allows(call: &Call, seen: &[(usize, Seen)], checker: Checker<'_>) -> Answer {
    let answer = ask(call, &call.conditions(seen), checker);
    // The observed behaviour satisfies the remaining conditions as well.
    match (&answer, call.conditions_on_results(seen)) {
        (Answer::Open(_), Some(fewer)) if !answer.is_decided() => ask(call, &fewer, checker),
        _ => answer,
    }
}

/// Whether some execution of the model behaves differently, and that is reported as an error.
pub fn errs(call: &Call, seen: &[(usize, Seen)], checker: Checker<'_>) -> bool {
    let text = call.program(&call.conditions(seen), Wanted::Other);
    checker(&text, &["--malloc-may-fail", "no"]).starts_with("UNSAFE(reach)")
}

/// The program about something that the model does not allow, without the conditions that do not matter.
pub fn smallest(call: &Call, seen: &[(usize, Seen)], checker: Checker<'_>) -> String {
    let mut conditions = call.conditions(seen);
    if ask(call, &conditions, checker) != Answer::Contradicted {
        conditions = call.conditions_on_results(seen).unwrap_or(conditions);
    }
    let mut size = conditions.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < conditions.len() {
            let mut fewer = conditions.clone();
            fewer.drain(at..(at + size).min(fewer.len()));
            if ask(call, &fewer, checker) == Answer::Contradicted {
                conditions = fewer;
            } else {
                at += size;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    call.program(&conditions, Wanted::Same)
}

/// The program about an execution in which something is not as it was seen.
pub fn other(call: &Call, seen: &[(usize, Seen)]) -> String {
    call.program(&call.conditions(seen), Wanted::Other)
}

/// The program about everything that was seen.
pub fn program(call: &Call, seen: &[(usize, Seen)]) -> String {
    call.program(&call.conditions(seen), Wanted::Same)
}
