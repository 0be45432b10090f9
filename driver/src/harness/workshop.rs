//! The environment in which a program is built and run: a directory of its own, and the children of the whole run, so
//! that limits, signals and the end of this process end them, too.

use cli::children::{Children, Failure, Limits, Running, Scratch};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The most processor time of a compiler or linker.
const TOOL: Duration = Duration::from_secs(120);

/// The most that a tool prints, in bytes.
const PRINTED: usize = 64 << 20;

/// A place to build and run one program. Its directory is removed when it is dropped.
pub(super) struct Workshop<'a> {
    children: &'a Children,
    scratch: Scratch,
}

impl<'a> Workshop<'a> {
    /// A new one.
    ///
    /// # Errors
    /// When its directory cannot be made.
    pub(super) fn new(children: &'a Children) -> Result<Workshop<'a>, String> {
        let scratch = Scratch::new("slam-replay").map_err(|e| format!("no temporary folder: {e}"))?;
        Ok(Workshop { children, scratch })
    }

    /// Its directory, which is empty at first.
    pub(super) fn path(&self) -> &Path {
        self.scratch.path()
    }

    /// Starts a process.
    ///
    /// # Errors
    /// When it cannot be started, or the run is over.
    pub(super) fn start(&self, command: &mut Command, limits: &Limits) -> Result<Running, Failure> {
        self.children.start(command, limits)
    }

    /// Runs a tool that is quiet when all is well: what it prints.
    ///
    /// # Errors
    /// The first thing that it complains of.
    pub(super) fn tool(&self, command: &mut Command, name: &str) -> Result<String, ToolFailure> {
        // Compilers keep files of their own while they work.
        command.env("TMPDIR", self.path());
        let limits = Limits { cpu: Some(TOOL), ..Limits::default() };
        let output = self.children.output(command, vec![], PRINTED, &limits).map_err(|why| match why {
            Failure::Start(e) if e.kind() == ErrorKind::NotFound => ToolFailure::Missing(name.into()),
            Failure::Start(e) | Failure::Wait(e) => ToolFailure::Other(format!("{name}: {e}")),
            Failure::Stopped => ToolFailure::Stopped,
            Failure::TooMuch => ToolFailure::Other(format!("{name} prints without end")),
        })?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let shown = text.lines().find(|l| l.contains("error")).or(text.lines().next()).unwrap_or_default();
        Err(ToolFailure::Other(format!("{name} fails: {shown}")))
    }
}

/// Why a tool did not do its work.
#[derive(Debug)]
pub(super) enum ToolFailure {
    /// There is no such program.
    Missing(String),
    /// The run is over.
    Stopped,
    /// Another reason.
    Other(String),
}

impl From<ToolFailure> for String {
    fn from(failure: ToolFailure) -> String {
        match failure {
            ToolFailure::Missing(name) => format!("{name} is not found: it is needed to build the program"),
            ToolFailure::Stopped => "it was stopped".into(),
            ToolFailure::Other(why) => why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn tools_print_or_complain() {
        let children = Children::default();
        let workshop = Workshop::new(&children).expect("a folder");
        assert_eq!(
            workshop.tool(&mut sh("echo text; echo a warning >&2"), "sh").expect("it ends well"),
            "text\n"
        );
        let told = |failure: Result<String, ToolFailure>| String::from(failure.expect_err("it fails"));
        let failing = workshop.tool(&mut sh("echo text >&2; echo an error >&2; exit 1"), "sh");
        assert_eq!(told(failing), "sh fails: an error");
        let missing = workshop.tool(&mut Command::new("/no/such/tool"), "tool");
        assert_eq!(told(missing), "tool is not found: it is needed to build the program");
        children.stop();
        assert_eq!(told(workshop.tool(&mut sh("exit"), "sh")), "it was stopped");
    }
}
