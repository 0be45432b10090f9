//! Scratch directories.

use crate::group::{guard, kill_process};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;

/// Ends what works in the directory or comes from there, in whatever process group, and removes it. A program may go on writing until then,
/// or have taken its own rights away, so this is tried more than once.
const GUARD: &str = "read -r line; n=0; while [ -e \"$1\" ] && [ $n -lt 100 ]; do \
    for p in /proc/[0-9]*; do for l in cwd exe; do \
    case \"$(readlink \"$p/$l\")\" in \"$1\"|\"$1\"/*) kill -s KILL \"${p#/proc/}\";; esac; done; done; \
    chmod -R u+rwx -- \"$1\"; rm -rf -- \"$1\"; [ -e \"$1\" ] && sleep 0.05; n=$((n + 1)); done";

/// A directory for temporary files. Its name cannot be foreseen, only this user can look into it, and it is removed
/// when the value is dropped, or when this process ends; what still works in it is killed.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    guard: Child,
}

impl Scratch {
    /// A new directory whose name begins with this word.
    ///
    /// # Errors
    /// When it cannot be made, or nobody would remove it.
    pub fn new(word: &str) -> io::Result<Scratch> {
        let path = std::path::absolute(std::env::temp_dir())?.join(random_name(word));
        // The guard comes first: the directory never exists without something that will remove it.
        let mut guard = guard(GUARD, Some(&path)).spawn()?;
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&path) {
            Ok(()) => Ok(Scratch { path, guard }),
            Err(e) => {
                // Whatever stands there is not ours.
                let _ = guard.kill();
                let _ = guard.wait();
                Err(e)
            }
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        kill_strays(&self.path);
        if std::fs::remove_dir_all(&self.path).is_ok() {
            let _ = self.guard.kill();
        }
        // Otherwise the guard goes on: its input ends here.
        let _ = self.guard.wait();
    }
}

/// Kills processes that work in the directory, or whose program is there, where the system lists them (Linux).
fn kill_strays(path: &Path) {
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let process = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let inside = |link| std::fs::read_link(entry.path().join(link)).is_ok_and(|at| at.starts_with(path));
        if let Some(process) = process
            && (inside("cwd") || inside("exe"))
        {
            kill_process(process);
        }
    }
}

/// A file name that begins with this word and that nobody can foresee.
pub fn random_name(word: &str) -> String {
    // The keys of the standard library's hash tables come from the system's source of random numbers.
    let part = || RandomState::new().hash_one(std::process::id());
    format!("{word}-{:016x}{:016x}", part(), part())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_is_private_and_goes_away() {
        let scratch = Scratch::new("children-test").expect("a directory");
        let path = scratch.path().to_owned();
        std::fs::write(path.join("file"), "text").expect("it can be written to");
        let mode = path.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        drop(scratch);
        assert!(!path.exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_guard_removes_it_and_kills_what_works_there() {
        let mut scratch = Scratch::new("children-test").expect("a directory");
        let (path, inner) = (scratch.path().to_owned(), scratch.path().join("inner"));
        std::fs::create_dir(&inner).expect("it can be written to");
        let mut stray = std::process::Command::new("/bin/sh");
        stray.args(["-c", "sleep 600 & sleep 600"]).current_dir(&inner).stdin(std::process::Stdio::null());
        let mut stray = stray.spawn().expect("there is a shell");
        std::fs::copy("/bin/sleep", path.join("sleep")).expect("it can be copied");
        let mut program = std::process::Command::new(path.join("sleep"));
        let mut program = program.arg("600").current_dir("/").spawn().expect("it can be started");
        std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o000)).expect("it is ours");
        // The effect of the end of this process.
        drop(scratch.guard.stdin.take());
        scratch.guard.wait().expect("the guard ends");
        assert!(!path.exists());
        assert_eq!(stray.wait().expect("it is ours").code(), None);
        assert_eq!(program.wait().expect("it is ours").code(), None);
    }

    #[test]
    fn names_differ() {
        assert_ne!(random_name("x"), random_name("x"));
        assert!(random_name("x").starts_with("x-") && random_name("x").len() == 34);
    }
}
