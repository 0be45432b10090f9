//! The predicates that are known already, and the file to which new ones are added.
//!
//! Invariant: the contents of the file stay as they are; only lines that it does not have are appended.

use base::SourceMap;
use cli::Session;
use cli::front::{self, Failed};
use cli::process::Sink;
use cli::verdict::EXIT_INPUT;
use encoding::IntMode;
use ir::{PathStep, Program};
use newton::{Discovered, FIRST_PATHS, Seen, Suggested};
use predicates::predicates_file::{self, FOUND, Note};
use predicates::{Precision, Predicate, Scope};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::Path;

/// See the module's documentation.
pub(crate) struct Known {
    pub(crate) precision: Precision,
    /// What is known of the programs of paths.
    pub(crate) seen: BTreeMap<u64, Seen>,
    /// How many paths besides the first are analysed.
    pub(crate) paths: usize,
    text: String,
    added: String,
    /// What the text says of paths.
    noted: (BTreeMap<u64, Seen>, usize),
}

/// The text of the file, nothing without one, or where one `may_be_absent` that is to be made.
pub(crate) fn text(file: Option<&Path>, may_be_absent: bool) -> Result<String, Failed> {
    let Some(path) = file else { return Ok(String::new()) };
    match cli::inputs::text(path) {
        Err(e) if may_be_absent && e.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|e| (format!("error: {}: {e}\n", path.display()), EXIT_INPUT)),
    }
}

impl Known {
    /// Reads the text of the file; warnings go to standard error.
    pub(crate) fn read(
        text: String,
        file: Option<&Path>,
        program: &Program,
        mode: IntMode,
        sources: &mut SourceMap,
        stderr: &mut Sink<'_>,
    ) -> Result<Known, Failed> {
        let mut known = Known {
            precision: Precision::new(),
            seen: BTreeMap::new(),
            paths: FIRST_PATHS,
            text: String::new(),
            added: String::new(),
            noted: (BTreeMap::new(), FIRST_PATHS),
        };
        let Some(path) = file else { return Ok(known) };
        let id = sources.add(path.display().to_string(), Some(text.as_str().into()));
        let read = |text: &str, scope| ir::parse::expr(text, program, scope);
        let parsed = predicates_file::parse(&text, id, program, mode, &read);
        let (precision, warnings) = parsed.map_err(|d| (d.styled(sources), EXIT_INPUT))?;
        front::tell(stderr, &warnings, sources);
        known.precision = precision;
        for note in predicates_file::notes(&text) {
            match note {
                Note::Paths(n) => known.paths = n,
                Note::Met(id) => _ = known.seen.insert(id, Seen::Met),
                Note::Tried(id) => _ = known.seen.insert(id, Seen::Tried),
            }
        }
        known.noted = (known.seen.clone(), known.paths);
        known.text = text;
        Ok(known)
    }

    /// Adds those that are new, and gives them as lines; `place` says where a predicate is needed.
    pub(crate) fn add(
        &mut self,
        program: &Program,
        found: Vec<Discovered>,
        place: &dyn Fn(usize) -> String,
    ) -> Vec<String> {
        let mut lines = vec![];
        for d in found {
            let by = || format!("{}, {}", d.refiner.short_name(), place(d.step));
            lines.extend(self.add_one(program, d.predicate, by));
        }
        lines
    }

    /// Adds those that were suggested by what has this name.
    pub(crate) fn add_suggested(
        &mut self,
        program: &Program,
        name: &str,
        all: Vec<Suggested>,
        place: &dyn Fn(PathStep) -> String,
    ) -> Vec<String> {
        let add = |Suggested { predicate, step }| {
            self.add_one(program, predicate, || format!("{name}, {}", place(step)))
        };
        all.into_iter().filter_map(add).collect()
    }

    /// Adds a predicate, and gives it as a line if it is new; `by` says where it comes from.
    fn add_one(
        &mut self,
        program: &Program,
        predicate: Predicate,
        by: impl Fn() -> String,
    ) -> Option<String> {
        let (id, is_new) = self.precision.add(predicate);
        if !is_new {
            return None;
        }
        let predicate = self.precision.get(id);
        let scope = match predicate.scope {
            Scope::Global => "global",
            Scope::Proc(p) => &program.procs[p].name,
        };
        let line = format!("{scope} {{ {} }}", predicate.text(program));
        let _ = writeln!(self.added, "{line:<48}  // {}", by());
        Some(line)
    }

    /// Writes the file anew, with what was added at its end.
    pub(crate) fn write(&self, file: &Path, session: &Session, stderr: &mut Sink<'_>) {
        let notes = self.notes();
        if self.added.is_empty() && notes.is_empty() {
            return;
        }
        let mut text = if self.text.trim().is_empty() { FOUND.to_owned() } else { self.text.clone() };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        session.write_file(file, (text + &self.added + &notes).as_bytes(), stderr);
    }

    /// What the next path has to know, as far as the file does not say it.
    fn notes(&self) -> String {
        let (seen, paths) = &self.noted;
        let mut out = String::new();
        if *paths != self.paths {
            let _ = writeln!(out, "{}", Note::Paths(self.paths));
        }
        for (id, state) in self.seen.iter().filter(|(id, state)| seen.get(id) != Some(state)) {
            let note = match state {
                Seen::Met => Note::Met(*id),
                Seen::Tried => Note::Tried(*id),
            };
            let _ = writeln!(out, "{note}");
        }
        out
    }
}
