//! Starting children, waiting for them and ending them.

use crate::group::{Group, kill_group};
use crate::memory::members;
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Interval between polls of a child that has a time limit.
const POLL: Duration = Duration::from_millis(5);

/// Most bytes kept of a child's standard error.
const MOST_MESSAGES: usize = 1 << 20;

/// At most this many processes of a child are limited one by one; beyond that only the memory limit of the
/// whole applies.
const MOST_LIMITED: usize = 1000;

/// Limits of a child, for each of its processes, as the system counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Bytes of address space.
    pub memory: Option<u64>,
    /// Processor time.
    pub cpu: Option<Duration>,
    /// Bytes of each file that it writes.
    pub file: Option<u64>,
    /// Open files.
    pub files: Option<u64>,
    /// Processes of this user; the system does not count those of the superuser.
    pub processes: Option<u64>,
}

/// Why a child gave no output.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started.
    Start(io::Error),
    /// Waiting for it failed.
    Wait(io::Error),
    /// It was ended by [`Children::stop`].
    Stopped,
    /// It wrote more than the limit.
    TooMuch,
}

/// The children of one run. Clones are the same children.
#[derive(Clone, Debug, Default)]
pub struct Children(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    stopped: AtomicBool,
    /// Address space of each, in bytes.
    memory: Option<u64>,
    groups: Mutex<Vec<u32>>,
}

/// A child at work, in a process group of its own. Dropping it kills the group.
#[derive(Debug)]
pub struct Running {
    child: Child,
    group: Group,
    limited: bool,
    children: Children,
}

impl Children {
    /// Children with at most `memory` bytes of address space each.
    pub fn limited(memory: Option<u64>) -> Children {
        Children(Arc::new(Shared { memory, ..Shared::default() }))
    }

    /// Ends them all; none is started from now on.
    pub fn stop(&self) {
        let groups = self.groups();
        self.0.stopped.store(true, Ordering::SeqCst);
        groups.iter().for_each(|group| kill_group(*group));
    }

    /// Whether [`stop`](Self::stop) was called.
    pub fn stopped(&self) -> bool {
        self.0.stopped.load(Ordering::SeqCst)
    }

    /// The memory of all of them and of the processes they have started, in bytes; 0 where the system does not
    /// report it.
    pub fn resident_bytes(&self) -> u64 {
        let groups = self.groups().clone();
        members(&groups).iter().map(|(_, bytes)| bytes).sum()
    }

    /// Starts a child in a group of its own.
    ///
    /// # Errors
    /// When it cannot be started, or none is to be started any more.
    pub fn start(&self, command: &mut Command, limits: &Limits) -> Result<Running, Failure> {
        let group = Group::new().map_err(Failure::Start)?;
        group.adopt(command);
        // `stop` waits here, and then sees this group.
        let mut groups = self.groups();
        if self.stopped() {
            return Err(Failure::Stopped);
        }
        let child = command.spawn().map_err(Failure::Start)?;
        groups.push(group.id());
        drop(groups);
        let memory = limits.memory.into_iter().chain(self.0.memory).min();
        let limited = limit_group(group.id(), child.id(), &Limits { memory, ..*limits });
        Ok(Running { child, group, limited, children: self.clone() })
    }

    /// Starts a child, gives it this input, and waits for its output, of which there may be `most` bytes.
    ///
    /// # Errors
    /// When there is no whole output.
    pub fn output(
        &self,
        command: &mut Command,
        input: Vec<u8>,
        most: usize,
        limits: &Limits,
    ) -> Result<Output, Failure> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = self.start(command, limits)?;
        let (stdin, stdout) = (running.child.stdin.take(), running.child.stdout.take());
        let (stderr, group) = (running.child.stderr.take(), running.group.id());
        let ((status, out), err) = std::thread::scope(|scope| {
            scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(&input)));
            let err = scope.spawn(move || read(stderr, MOST_MESSAGES, || {}));
            let out = scope.spawn(move || read(stdout, most, || kill_group(group)));
            let status = running.wait();
            // Processes that the child has left behind may keep the pipes open.
            running.group.kill();
            ((status, out.join().unwrap_or_default()), err.join().unwrap_or_default())
        });
        if out.len() > most {
            return Err(Failure::TooMuch);
        }
        if self.stopped() {
            return Err(Failure::Stopped);
        }
        Ok(Output { status: status.map_err(Failure::Wait)?, stdout: out, stderr: err })
    }

    fn groups(&self) -> MutexGuard<'_, Vec<u32>> {
        self.0.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// The child: its pipes, and whether it has ended.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether the child works under its limits: some systems have no way to limit a process from outside.
    pub fn limited(&self) -> bool {
        self.limited
    }

    /// Waits for at most `longest` until the child has ended; `None` if it has not. Processes it has started
    /// may go on.
    ///
    /// # Errors
    /// When the system call fails.
    pub fn wait_for(&mut self, longest: Duration) -> io::Result<Option<ExitStatus>> {
        let start = Instant::now();
        loop {
            match self.child.try_wait()? {
                None if start.elapsed() < longest => std::thread::sleep(POLL),
                status => return Ok(status),
            }
        }
    }

    /// Waits until the child has ended; what it has started may go on.
    ///
    /// # Errors
    /// When the system call fails.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }

    /// Kills the child and all that it has started and that has made no process group of its own.
    pub fn kill(&self) {
        self.group.kill();
    }

    /// The number of processes that the child and those that it has started are now, and their size in memory.
    pub fn size(&self) -> (usize, u64) {
        let members = members(&[self.group.id()]);
        // The guard is none of them.
        (members.len().saturating_sub(1), members.iter().map(|(_, bytes)| bytes).sum())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.group.kill();
        let _ = self.child.wait();
        self.children.groups().retain(|group| *group != self.group.id());
    }
}

/// The text of a pipe. What exceeds `most` is counted as one byte more and read to its end, after `excess` was called.
fn read(pipe: Option<impl Read>, most: usize, excess: impl FnOnce()) -> Vec<u8> {
    let Some(mut pipe) = pipe else { return vec![] };
    let mut bytes = vec![];
    let _ = pipe.by_ref().take(most as u64 + 1).read_to_end(&mut bytes);
    if bytes.len() > most {
        excess();
        let _ = io::copy(&mut pipe, &mut io::sink());
    }
    bytes
}

/// Limits a process that was just started and its descendants. A child cannot limit itself before it becomes
/// another program, since that would take unsafe code: it may have started others already, which are found in
/// its group, and those may have started others in turn. Returns whether the child has its limits.
fn limit_group(group: u32, child: u32, limits: &Limits) -> bool {
    let mut limited = vec![group, child];
    let done = limit(child, limits);
    loop {
        let mut found: Vec<u32> = members(&[group]).into_iter().map(|(process, _)| process).collect();
        found.retain(|process| !limited.contains(process));
        found.iter().for_each(|process| _ = limit(*process, limits));
        // Processes started from now on are limited from their beginning.
        if found.is_empty() || limited.len() > MOST_LIMITED {
            return done;
        }
        limited.extend(found);
    }
}

/// Limits a process; false when it has not got all of its limits.
#[cfg(target_os = "linux")]
fn limit(process: u32, limits: &Limits) -> bool {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    let table = [
        (Resource::As, limits.memory),
        (Resource::Cpu, limits.cpu.map(|t| t.as_secs().max(1))),
        (Resource::Fsize, limits.file),
        (Resource::Nofile, limits.files),
        (Resource::Nproc, limits.processes),
        (Resource::Core, Some(0)),
    ];
    let set = |resource, most: u64| {
        // The child has this process's own limits, which can only be lowered.
        let most = Some(getrlimit(resource).maximum.map_or(most, |own| own.min(most)));
        prlimit(pid, resource, Rlimit { current: most, maximum: most }).is_ok()
    };
    let done = table.map(|(resource, most)| pid.is_some() && most.is_none_or(|most| set(resource, most)));
    done.iter().all(|done| *done)
}

/// Other systems have no way to limit a process from outside.
#[cfg(not(target_os = "linux"))]
fn limit(_: u32, _: &Limits) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::Instant;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    fn output(script: &str, most: usize) -> Result<Output, Failure> {
        Children::default().output(&mut sh(script), b"input\n".to_vec(), most, &Limits::default())
    }

    #[test]
    fn input_output_and_status_arrive() {
        let got = output("cat; echo message >&2; exit 3", 100).expect("it ends");
        assert_eq!((got.stdout.as_slice(), got.stderr.as_slice()), (&b"input\n"[..], &b"message\n"[..]));
        assert_eq!(got.status.code(), Some(3));
        let missing =
            Children::default().output(&mut Command::new("/no/such/program"), vec![], 1, &Limits::default());
        assert!(matches!(missing, Err(Failure::Start(_))));
    }

    #[test]
    fn endless_output_is_ended() {
        assert!(matches!(output("while :; do echo text; done", 1000), Err(Failure::TooMuch)));
        assert!(output("echo text", 5).is_ok());
        assert!(matches!(output("echo text", 4), Err(Failure::TooMuch)));
    }

    #[test]
    fn what_a_child_leaves_behind_holds_nobody_up() {
        let start = Instant::now();
        output("sleep 100 & exit 0", 100).expect("it ends");
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn stopping_ends_what_runs_and_what_would_start() {
        let children = Children::default();
        let clone = children.clone();
        let start = Instant::now();
        let waiting = std::thread::spawn(move || {
            clone.output(&mut sh("sleep 100 & sleep 100"), vec![], 1, &Limits::default())
        });
        while children.groups().is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        children.stop();
        assert!(matches!(waiting.join().expect("no panic"), Err(Failure::Stopped)));
        assert!(matches!(children.start(&mut sh("exit"), &Limits::default()), Err(Failure::Stopped)));
        assert!(start.elapsed() < Duration::from_secs(20) && children.groups().is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn children_are_counted_and_limited() {
        let children = Children::limited(Some(1 << 30));
        let limits = Limits { cpu: Some(Duration::from_secs(7)), ..Limits::default() };
        let mut running = children.start(&mut sh("sleep 100 & read line"), &limits).expect("it starts");
        let text =
            std::fs::read_to_string(format!("/proc/{}/limits", running.child().id())).expect("it is there");
        let limit = |name: &str| {
            let line = text.lines().find_map(|l| l.strip_prefix(name)).expect("there is such a limit");
            line.split_whitespace().next().expect("it has a value").to_owned()
        };
        assert_eq!(
            (limit("Max address space").as_str(), limit("Max cpu time").as_str()),
            ("1073741824", "7")
        );
        assert!(children.resident_bytes() > 0 && running.size().0 >= 1);
        running.kill();
        running.wait().expect("it ends");
        drop(running);
        assert_eq!(children.resident_bytes(), 0);
    }
}
