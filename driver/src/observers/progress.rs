//! Progress: one line on a terminal with the current stage and its time; nothing in pipes and files.
//!
//! Invariant: the line is standard error's last one or none at all: all other output goes through [`Progress::aside`],
//! and the line is gone before the verdict is printed.

use cli::Host;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// How often the line is drawn anew.
const TICK: Duration = Duration::from_millis(200);

/// See the module's documentation.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    width: Option<usize>,
}

impl Progress {
    /// A line, if standard error is a terminal of this process that can move its cursor, and the user wants to see
    /// anything. `behind` stands behind the time ([`limit`]).
    pub(crate) fn new(host: Host, quiet: bool, behind: String) -> Progress {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let is_terminal = host == Host::Process && std::io::stderr().is_terminal();
        let width = if is_terminal { terminal_size::terminal_size_of(std::io::stderr()) } else { None };
        Progress {
            bar: (is_terminal && !quiet && !is_dumb).then(|| bar(behind)),
            width: width.map(|(terminal_size::Width(n), _)| usize::from(n)),
        }
    }

    /// How many characters a line of the terminal has; `None` where lines go elsewhere.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Shows what is being done.
    pub(crate) fn tell(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
        }
    }

    /// Writes something else; the line comes back below it.
    pub(crate) fn aside(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the line away for good.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The time limit as it stands behind the time, or that there is none.
pub(crate) fn limit(limit: Option<Duration>) -> String {
    match limit {
        Some(limit) => format!(" of {}s", limit.as_secs_f64()),
        None => " (no time limit, Ctrl-C ends the run)".to_owned(),
    }
}

fn bar(behind: String) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{spinner} {elapsed}{prefix}  {wide_msg}");
    bar.set_style(style.expect("the template of the progress line is well-formed"));
    bar.set_prefix(behind);
    bar.enable_steady_tick(TICK);
    bar
}
