//! The folder in which a program is built and run, and the process that works there at the moment. When it ends, by
//! itself or since the whole command is stopped, the process group is killed and the folder is removed.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest run of a compiler or linker.
const TOOL: Duration = Duration::from_secs(120);

/// How often a process is looked at.
const POLL: Duration = Duration::from_millis(5);

/// A place to build and run one program.
#[derive(Default)]
pub(super) struct Workshop {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    folder: Option<PathBuf>,
    /// The leader of the process group that works in it.
    running: Option<Pid>,
    ended: bool,
}

impl Workshop {
    /// Makes the folder, under a name that nobody can know before.
    ///
    /// # Errors
    /// When it cannot be made, or the work is over.
    pub(super) fn open(&self, name: &str) -> Result<PathBuf, String> {
        let folder = std::env::temp_dir().join(format!("slam-replay-{name}"));
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        let mut state = self.state();
        if state.ended {
            return Err("it was stopped".into());
        }
        make(&folder).map_err(|e| format!("no temporary folder: {e}"))?;
        state.folder = Some(folder.clone());
        Ok(folder)
    }

    /// Starts a process as the leader of a group of its own.
    ///
    /// # Errors
    /// When it cannot be started, or the work is over.
    pub(super) fn start(&self, command: &mut Command) -> std::io::Result<Child> {
        let mut state = self.state();
        if state.ended {
            return Err(std::io::Error::other("it was stopped"));
        }
        let child = command.process_group(0).spawn()?;
        state.running = pid(&child);
        Ok(child)
    }

    /// Waits for a process that was started here, and ends it and its group at the limit, or when the work is over;
    /// nothing then.
    pub(super) fn wait(&self, child: &mut Child, limit: Duration) -> Option<ExitStatus> {
        let started = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if started.elapsed() < limit && !self.state().ended => std::thread::sleep(POLL),
                _ => break None,
            }
        };
        self.state().kill();
        let _ = child.wait();
        status
    }

    /// Runs a tool that is quiet when all is well.
    ///
    /// # Errors
    /// The first thing that it complains of.
    pub(super) fn tool(&self, command: &mut Command, name: &str) -> Result<String, String> {
        let folder = self.state().folder.clone().ok_or("there is no folder to work in")?;
        let (said, told) = (folder.join("tool.out"), folder.join("tool.err"));
        let file = |path: &Path| std::fs::File::create(path).map_err(|e| format!("{name}: {e}"));
        // Compilers keep files of their own while they work.
        command.env("TMPDIR", &folder);
        command.stdin(Stdio::null()).stdout(file(&said)?).stderr(file(&told)?);
        let mut child = self.start(command).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => format!("{name} is not found: it is needed to build the program"),
            _ => format!("{name}: {e}"),
        })?;
        let text = |path: &Path| {
            std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
        };
        match self.wait(&mut child, TOOL) {
            Some(status) if status.success() => return Ok(text(&said)),
            Some(_) => {}
            None => return Err(format!("{name} does not end")),
        }
        let text = text(&told);
        let shown = text.lines().find(|l| l.contains("error")).or(text.lines().next()).unwrap_or_default();
        Err(format!("{name} fails: {shown}"))
    }

    /// Ends whatever runs and removes the folder.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.ended = true;
        state.kill();
        if let Some(folder) = state.folder.take() {
            kill_strays(&folder);
            let _ = std::fs::remove_dir_all(&folder);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn kill(&mut self) {
        if let Some(leader) = self.running.take() {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

/// Makes a folder that nobody else can look into.
///
/// # Errors
/// When it cannot be made, or is there already.
pub(super) fn make(folder: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(folder)
}

/// The number of a child.
pub(super) fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Kills what left its process group and still works in the folder, where the system tells of it (Linux).
fn kill_strays(folder: &Path) {
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let number = process.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(pid) = number.and_then(Pid::from_raw) else { continue };
        let inside = |link: &str| {
            std::fs::read_link(process.path().join(link)).is_ok_and(|target| target.starts_with(folder))
        };
        if inside("cwd") || inside("exe") {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left() {
        let workshop = Workshop::default();
        let folder =
            workshop.open(&super::super::guard::secret().expect("random numbers")).expect("a folder");
        assert!(folder.is_dir());
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & sleep 600"]).current_dir(&folder);
        let mut child = workshop.start(&mut command).expect("a shell");
        assert_eq!(workshop.wait(&mut child, Duration::from_millis(100)), None);
        assert!(workshop.tool(Command::new("sh").args(["-c", "echo error: no >&2; exit 1"]), "sh").is_err());
        workshop.end();
        assert!(!folder.exists());
        assert!(workshop.start(&mut Command::new("true")).is_err());
    }
}
