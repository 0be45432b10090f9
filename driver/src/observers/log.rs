//! The log on standard error: silent by default, iterations with `-v`, paths with `-vv`.

use crate::observers::progress::Progress;
use crate::observers::record::count;
use base::styles::{ERROR, NOTE, WARNING};
use base::{Diagnostic, SourceMap};
use cli::process::Sink;
use std::borrow::Cow;
use std::path::PathBuf;
use verify::Task;

/// Where log lines go, and how many are wanted.
pub(crate) struct Log<'a> {
    verbosity: u8,
    progress: &'a Progress,
    sink: &'a mut Sink<'a>,
}

impl<'a> Log<'a> {
    /// A log with a verbosity of 0, 1 or more; the progress line gives way to what it writes.
    pub(crate) fn new(verbosity: u8, progress: &'a Progress, sink: &'a mut Sink<'a>) -> Log<'a> {
        Log { verbosity, progress, sink }
    }

    /// Whether paths are wanted.
    pub(crate) fn paths(&self) -> bool {
        self.verbosity >= 2
    }

    /// The head: what is checked.
    pub(crate) fn task(&mut self, task: &Task, files: &[PathBuf]) {
        let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        let bodies = task.program.procs.iter().filter(|p| p.has_body).count();
        let mut text = format!(
            "{}: {}, {}, {}, integers: {}",
            names.join(" "),
            crate::report::kinds(&task.program.checks),
            count(bodies, "procedure"),
            count(c2bp::edges(&task.program), "C-- edge"),
            task.mode.name()
        );
        if let Some(reason) = &task.mode_reason {
            text.push_str(&format!(" ({} at {})", reason.what, task.sources.short(reason.span)));
        }
        self.note(&text);
        if let Some(r) = &task.reduction {
            self.note(&format!(
                "sliced away: {}, {}, {}; propagated: {}, {}",
                count(r.procedures, "procedure"),
                count(r.globals, "global"),
                count(r.statements, "statement"),
                count(r.constants, "constant"),
                if r.copies == 1 { "1 copy".into() } else { format!("{} copies", r.copies) },
            ));
        }
    }

    /// One line (`-v`).
    pub(crate) fn note(&mut self, text: &str) {
        if self.verbosity >= 1 {
            self.write(&cut(&format!("{text}\n"), self.progress.width()));
        }
    }

    /// The block of an iteration (`-v`), with a blank line before it.
    pub(crate) fn iteration(&mut self, block: impl FnOnce() -> String) {
        if self.verbosity >= 1 {
            self.write(&cut(&format!("\n{}", block()), self.progress.width()));
        }
    }

    /// Something that a user would miss, whatever is wanted.
    pub(crate) fn remark(&mut self, text: &str) {
        self.write(&format!("{NOTE} {text}\n"));
    }

    /// A problem that does not change the answer.
    pub(crate) fn warning(&mut self, text: &str) {
        self.write(&format!("{WARNING} {text}\n"));
    }

    /// A problem that ends the work.
    pub(crate) fn error(&mut self, text: &str) {
        self.write(&format!("{ERROR} {text}\n"));
    }

    /// A message about a place in a file.
    pub(crate) fn diagnostic(&mut self, diagnostic: &Diagnostic, sources: &SourceMap) {
        self.write(&diagnostic.styled(sources));
    }

    fn write(&mut self, text: &str) {
        self.progress.aside(|| {
            let _ = self.sink.write_all(text.as_bytes());
            let _ = self.sink.flush();
        });
    }
}

/// The text with its lines no longer than `width` characters; what goes is marked.
fn cut(text: &str, width: Option<usize>) -> Cow<'_, str> {
    const MARK: &str = "...";
    let Some(width) = width.filter(|n| *n > 20) else { return text.into() };
    let fits = |line: &str| line.trim_end().chars().count() <= width;
    if text.lines().all(fits) {
        return text.into();
    }
    let shortened = |line: &str| match fits(line) {
        true => format!("{line}\n"),
        false => line.chars().take(width - MARK.len()).chain(MARK.chars()).chain(['\n']).collect(),
    };
    text.lines().map(shortened).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn lines_end_at_the_terminals_width() {
        let text = "short\n\n  a line of thirty characters..\n";
        assert_eq!(cut(text, None), text);
        assert_eq!(cut(text, Some(31)), text);
        assert_eq!(cut(text, Some(25)), "short\n\n  a line of thirty cha...\n");
        assert_eq!(cut("\u{e9}".repeat(30).as_str(), Some(21)), format!("{}...\n", "\u{e9}".repeat(18)));
    }
}
