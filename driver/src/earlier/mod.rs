//! Results of `slam check --json` as inputs of other commands.

mod assumptions;
mod parts;
pub(crate) mod recorded;

pub(crate) use assumptions::shown;

use crate::options::Integers;
use crate::report::Answer;
use cli::front::{self, Refused};
use cli::process::Sink;
use cli::{Session, Verdict};
use recorded::Recorded;
use results::again::{Again, Head};
use results::{At, Read, Wrong, check};
use std::path::{Path, PathBuf};
use verify::Task;

/// A result, and the program that it is about.
pub(crate) struct Earlier {
    /// What the answer can be repeated from.
    pub again: Again,
    /// How the program was read.
    pub recorded: Recorded,
    /// The program's files, those of a task definition included.
    pub programs: Vec<PathBuf>,
}

impl Earlier {
    /// Reads a result whose verdict is `wanted`; `instead` is what to say of another verdict.
    ///
    /// # Errors
    /// Why the command can't work with it.
    pub(crate) fn read(
        result: &Path,
        programs: &[PathBuf],
        wanted: check::Verdict,
        instead: impl FnOnce(check::Verdict) -> &'static str,
    ) -> Result<Earlier, String> {
        let text = cli::inputs::text(result).map_err(|e| e.to_string())?;
        let Head { verdict } = results::read(&text).map_err(|e| e.to_string())?;
        if verdict != wanted {
            return Err(Wrong::new(instead(verdict))).at("verdict").map_err(|e| e.to_string());
        }
        let again: Again = results::read(&text).map_err(|e| e.to_string())?;
        let recorded = Recorded::read(&again.options).at("options").map_err(|e| e.to_string())?;
        let programs = front::programs(programs).map_err(|refused| match refused {
            Refused::Usage(usage) => usage.text,
            Refused::Input(_, message) => message,
        })?;
        Ok(Earlier { again, recorded, programs })
    }

    /// The program as the run that wrote the result worked on it; the answer when it is refused.
    pub(crate) fn task(
        &self,
        session: &Session,
        integers: Integers,
        stderr: &mut Sink<'_>,
    ) -> Result<Task, Box<Answer>> {
        session.doing("the front end");
        let front = front::load(&self.programs, &self.recorded.front, session, stderr)
            .map_err(|verdict| Box::new(Answer::refused(verdict)))?;
        self.recorded.task(front, integers)
    }
}

/// The answer when a result can't be worked with.
pub(crate) fn refused(result: &Path, why: &str, stderr: &mut Sink<'_>) -> Answer {
    let _ = writeln!(stderr, "error: {}: {why}", result.display());
    Answer::refused(Verdict::Error("result".into()))
}

/// A text of one line, without characters that only control a terminal.
///
/// # Errors
/// When it is none.
pub(crate) fn one_line(text: &str) -> Read<&str> {
    match text.chars().any(char::is_control) {
        true => Err(Wrong::new("this is no text of one line")),
        false => Ok(text),
    }
}
