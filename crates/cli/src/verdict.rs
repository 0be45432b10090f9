//! The verdict line and the exit codes (CBMC's numbers).

use base::styles::{self, Style};
use std::fmt;

/// Exit code of a verdict that nothing is wrong.
pub const EXIT_SAFE: i32 = 0;
/// Exit code of a usage error.
pub const EXIT_USAGE: i32 = 1;
/// Exit code of an input that cannot be read, preprocessed, parsed or typed, or that uses something refused.
pub const EXIT_INPUT: i32 = 2;
/// Exit code of `bebop --path` when there is no path to write.
pub const EXIT_NO_PATH: i32 = 3;
/// Exit code of a verdict that is not known: limits, not modelled, no progress.
pub const EXIT_UNKNOWN: i32 = 5;
/// Exit code of an internal error: a bug of ours.
pub const EXIT_INTERNAL: i32 = 6;
/// Exit code of a run whose result cannot be written.
pub const EXIT_WRITE: i32 = 7;
/// Exit code of an error found.
pub const EXIT_UNSAFE: i32 = 10;

/// What a command concludes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No execution fails a check.
    Safe,
    /// The same, under these assumptions: options that make the program, or what is asked of it, another one.
    SafeAssuming(Vec<String>),
    /// An execution fails a check of this kind at this place (`file.c:12`).
    Unsafe {
        /// Kind of the check, as `--check` names it.
        kind: String,
        /// Place of the check.
        place: String,
    },
    /// The same, under these assumptions.
    UnsafeAssuming {
        /// Kind of the check, as `--check` names it.
        kind: String,
        /// Place of the check.
        place: String,
        /// The assumptions.
        assumed: Vec<String>,
    },
    /// What a witness says is so.
    Confirmed,
    /// What a witness says is not so, for this reason.
    Refuted(String),
    /// Not decided, for this reason.
    Unknown(String),
    /// The input was refused, for this reason.
    Error(String),
    /// A bug of ours showed itself.
    Internal,
    /// A result cannot be written, whatever it is.
    NotWritten,
    /// Of models: the label or assertion is reachable.
    Reachable(String),
    /// Of models: what was asked for is unreachable.
    Unreachable,
}

impl Verdict {
    /// The exit code that goes with it.
    pub fn exit_code(&self) -> i32 {
        match self {
            Verdict::Safe | Verdict::SafeAssuming(_) | Verdict::Confirmed | Verdict::Unreachable => EXIT_SAFE,
            Verdict::Unsafe { .. }
            | Verdict::UnsafeAssuming { .. }
            | Verdict::Refuted(_)
            | Verdict::Reachable(_) => EXIT_UNSAFE,
            Verdict::Unknown(_) => EXIT_UNKNOWN,
            Verdict::Error(_) => EXIT_INPUT,
            Verdict::Internal => EXIT_INTERNAL,
            Verdict::NotWritten => EXIT_WRITE,
        }
    }

    /// How its line is shown.
    pub fn style(&self) -> Style {
        match self.exit_code() {
            EXIT_SAFE => styles::GOOD,
            EXIT_UNKNOWN => styles::OPEN,
            _ => styles::BAD,
        }
    }

    /// `SAFE`, `UNSAFE`, `CONFIRMED`, `REFUTED`, `UNKNOWN`, `ERROR`, `REACHABLE` or `UNREACHABLE`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Safe | Verdict::SafeAssuming(_) => "SAFE",
            Verdict::Unsafe { .. } | Verdict::UnsafeAssuming { .. } => "UNSAFE",
            Verdict::Confirmed => "CONFIRMED",
            Verdict::Refuted(_) => "REFUTED",
            Verdict::Unknown(_) => "UNKNOWN",
            Verdict::Error(_) | Verdict::Internal | Verdict::NotWritten => "ERROR",
            Verdict::Reachable(_) => "REACHABLE",
            Verdict::Unreachable => "UNREACHABLE",
        }
    }

    /// The verdict line without its first word: `UNSAFE(reach) at lock.c:12`.
    pub fn text(&self) -> String {
        self.to_string()[MARK.len()..].to_owned()
    }
}

/// What a verdict line begins with.
const MARK: &str = "VERDICT: ";

impl fmt::Display for Verdict {
    /// The verdict line, without its line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}{}", self.word())?;
        match self {
            Verdict::Safe | Verdict::Confirmed | Verdict::Unreachable => Ok(()),
            Verdict::SafeAssuming(what) => write!(f, "(assuming {})", one_line(&what.join(", "))),
            Verdict::Unsafe { kind, place } => write!(f, "({kind}) at {}", one_line(place)),
            Verdict::UnsafeAssuming { kind, place, assumed } => {
                write!(f, "({kind}) at {} (assuming {})", one_line(place), one_line(&assumed.join(", ")))
            }
            Verdict::Unknown(reason)
            | Verdict::Refuted(reason)
            | Verdict::Error(reason)
            | Verdict::Reachable(reason) => {
                write!(f, "({})", one_line(reason))
            }
            Verdict::Internal => write!(f, "(internal)"),
            Verdict::NotWritten => write!(f, "(cannot write)"),
        }
    }
}

/// A text in one line: nothing behind a line break of it can be taken for a line of ours.
pub(crate) fn one_line(text: &str) -> String {
    let words: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_codes() {
        let found = Verdict::Unsafe { kind: "reach".into(), place: "a.c:3".into() };
        let assuming = Verdict::SafeAssuming(vec!["--entry f".into(), "-D A".into()]);
        let under = Verdict::UnsafeAssuming {
            kind: "reach".into(),
            place: "a.c:3".into(),
            assumed: vec!["--entry f".into()],
        };
        let table = [
            (Verdict::Safe, "VERDICT: SAFE", 0),
            (assuming, "VERDICT: SAFE(assuming --entry f, -D A)", 0),
            (found, "VERDICT: UNSAFE(reach) at a.c:3", 10),
            (under, "VERDICT: UNSAFE(reach) at a.c:3 (assuming --entry f)", 10),
            (Verdict::Unknown("no\nprogress".into()), "VERDICT: UNKNOWN(no progress)", 5),
            (Verdict::Confirmed, "VERDICT: CONFIRMED", 0),
            (Verdict::Refuted("error".into()), "VERDICT: REFUTED(error)", 10),
            (Verdict::Error("parse".into()), "VERDICT: ERROR(parse)", 2),
            (Verdict::Internal, "VERDICT: ERROR(internal)", 6),
            (Verdict::NotWritten, "VERDICT: ERROR(cannot write)", 7),
            (Verdict::Reachable("R".into()), "VERDICT: REACHABLE(R)", 10),
            (Verdict::Unreachable, "VERDICT: UNREACHABLE", 0),
        ];
        for (verdict, line, code) in table {
            assert_eq!((verdict.to_string().as_str(), verdict.exit_code()), (line, code));
        }
    }
}
