//! Styles of texts for terminals. The author of such a text puts the escape sequences of these styles into it;
//! the stream that it is written to removes them where colours are not wanted.

pub use anstyle::Style;

use anstyle::AnsiColor;
use std::fmt;

/// Errors.
pub const BAD: Style = AnsiColor::Red.on_default().bold();

/// A good result.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();

/// Warnings, and what is not decided.
pub const OPEN: Style = AnsiColor::Yellow.on_default().bold();

/// Remarks.
pub const REMARK: Style = AnsiColor::Cyan.on_default().bold();

/// Values that have changed.
pub const CHANGED: Style = AnsiColor::Cyan.on_default();

/// The text in a style.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The word that a message begins with, in its style: `error:`.
#[derive(Clone, Copy, Debug)]
pub struct Label(&'static str, Style);

/// `error:`
pub const ERROR: Label = Label("error:", BAD);

/// `warning:`
pub const WARNING: Label = Label("warning:", OPEN);

/// `note:`
pub const NOTE: Label = Label("note:", REMARK);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{1}{0}{1:#}", self.0, self.1)
    }
}
