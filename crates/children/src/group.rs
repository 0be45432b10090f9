//! Process groups that end with this process.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Waits for the end of its input, which is the end of who holds the other end, and takes its whole group along.
const GUARD: &str = "read -r line; kill -s KILL 0";

/// A process group whose leader is a guard. As the guard is waited for last, nobody else can get the group's number
/// while the group is known by it.
#[derive(Debug)]
pub struct Group {
    guard: Child,
}

impl Group {
    /// A group with nothing but its guard in it.
    ///
    /// # Errors
    /// When there is no shell, or no process can be started.
    pub fn new() -> io::Result<Group> {
        Ok(Group { guard: guard(GUARD, None).spawn()? })
    }

    /// The number of the group.
    pub fn id(&self) -> u32 {
        self.guard.id()
    }

    /// Has the command start in this group.
    pub fn adopt(&self, command: &mut Command) {
        own_group(command, i32::try_from(self.guard.id()).unwrap_or(0));
    }

    /// Kills every process of the group, its guard too.
    pub fn kill(&self) {
        kill_group(self.guard.id());
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        let _ = self.guard.wait();
    }
}

/// A shell, in a process group of its own, with a script that waits for the end of this process and then looks after
/// this path. The number of this process is on its command line, for people.
pub(crate) fn guard(script: &str, path: Option<&Path>) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script, "guard"]).args(path).arg(std::process::id().to_string());
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    own_group(&mut command, 0);
    command
}

/// Has the command start in this process group; 0 is a new one.
fn own_group(command: &mut Command, group: i32) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, group);
    #[cfg(not(unix))]
    let _ = (command, group);
}

/// Kills every process of a group that is known to exist.
pub(crate) fn kill_group(id: u32) {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = id;
}

/// Kills a process.
pub(crate) fn kill_process(id: u32) {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = id;
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_guard_takes_its_group_along() {
        let mut group = Group::new().expect("there is a shell");
        let mut command = Command::new("/bin/sh");
        group.adopt(command.args(["-c", "trap '' HUP INT TERM; sleep 600 & sleep 600"]));
        let mut child = command.spawn().expect("there is a shell");
        // The effect of the end of this process.
        drop(group.guard.stdin.take());
        assert_eq!(child.wait().expect("it is ours").code(), None);
    }
}
