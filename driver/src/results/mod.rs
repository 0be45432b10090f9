//! Results of `slam check --json` as inputs of other commands.

pub(crate) mod fields;
mod parts;
pub(crate) mod recorded;

use crate::options::Integers;
use crate::prepare::{self, Task};
use crate::report::Answer;
use cli::front::{self, Refused};
use cli::process::Sink;
use cli::{Session, Verdict};
use fields::Field;
use recorded::Recorded;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A result, and the program that it is about.
pub(crate) struct Earlier {
    /// The whole result, an object.
    pub json: Value,
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
        wanted: &str,
        instead: impl FnOnce(&str) -> &'static str,
    ) -> Result<Earlier, String> {
        let text = cli::inputs::text(result).map_err(|e| e.to_string())?;
        let json: Value = serde_json::from_str(&text).map_err(|e| format!("it is no JSON: {e}"))?;
        let whole = Field::whole(&json);
        if !json.is_object() {
            return Err("it is no result of `slam check --json`".into());
        }
        let verdict = whole.member("verdict")?;
        if verdict.text()? != wanted {
            return Err(verdict.wrong(instead(verdict.text()?)));
        }
        let recorded = Recorded::read(&whole.member("options")?)?;
        let programs = front::programs(programs).map_err(|refused| match refused {
            Refused::Usage(usage) => usage.text,
            Refused::Input(_, message) => message,
        })?;
        Ok(Earlier { recorded, programs, json })
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
        prepare::again(front, &self.recorded, integers)
    }
}

/// The answer when a result can't be worked with.
pub(crate) fn refused(result: &Path, why: &str, stderr: &mut Sink<'_>) -> Answer {
    let _ = writeln!(stderr, "error: {}: {why}", result.display());
    Answer::refused(Verdict::Error("result".into()))
}
