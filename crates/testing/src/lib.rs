//! Shared parts of the tests and benches of all packages (a dev-dependency only): files that are removed afterwards,
//! also when a test fails, a notice for tests that are skipped, random numbers, random programs and broken ones.
//!
//! It must not know any other crate of the workspace.
//!
//! ```
//! use testing::{Dice, Scratch};
//!
//! let scratch = Scratch::new();
//! let file = scratch.file("empty.c", "int main(void) { return 0; }\n");
//! assert!(file.exists());
//! drop(scratch);
//! assert!(!file.exists());
//!
//! // The same seed gives the same numbers.
//! assert_eq!(Dice::new(7).bits(), Dice::new(7).bits());
//! ```

mod alignments;
mod arrays;
mod blocks;
mod bytes;
mod dice;
mod floats;
mod lives;
mod mutants;
pub mod programs;
pub mod threads;

pub use alignments::{Address, Alignments};
pub use arrays::{Arrays, ELEMENTS, VALUES};
pub use blocks::{Blocks, Wrong};
pub use bytes::Bytes;
pub use dice::Dice;
pub use floats::{FloatForms, Floats};
pub use lives::{INPUTS, Life, Lives};
pub use mutants::{Mutator, files_below};

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// How the names of all scratch folders begin.
const PREFIX: &str = "slam-test-";

/// A folder that is removed when the value is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Default for Scratch {
    fn default() -> Self {
        Scratch::new()
    }
}

impl Scratch {
    /// A new folder.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{PREFIX}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Scratch(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file in it.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        write(&self.0.join(name), content)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(path: &Path, content: impl AsRef<[u8]>) -> PathBuf {
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, content))
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    path.to_owned()
}

/// The scratch folder of this thread, which is that of one test: it goes away with the thread.
pub fn folder() -> PathBuf {
    thread_local!(static FOLDER: Scratch = Scratch::new());
    FOLDER.with(|folder| folder.0.clone())
}

/// Writes a file in the [`folder`] of this test; its path as a command gets it.
///
/// # Panics
/// If it cannot be written, or its path is not UTF-8.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    text(&write(&folder().join(name), content)).to_owned()
}

/// A path as a command gets it.
///
/// # Panics
/// If it is not UTF-8.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("scratch paths are UTF-8")
}

/// The text without the names of scratch folders.
pub fn without_folders(text: &str) -> String {
    let prefix = std::env::temp_dir().join(PREFIX).display().to_string();
    let mut parts = text.split(&prefix);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('/').map_or("", |(_, rest)| rest))
}

/// The number that a variable of the environment has: how many cases a test tries, where it begins; else the usual one.
///
/// # Panics
/// If what the variable has is no number.
pub fn number<N: std::str::FromStr>(name: &str, usual: N) -> N {
    let given = std::env::var(name).ok();
    given.map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// Whether all cases are wanted (`make test-long` sets `LONG_TESTS`), and not the sample with which each change is tested.
pub fn is_long() -> bool {
    std::env::var_os("LONG_TESTS").is_some()
}

/// The items of a list that are tried: one in `every`, beginning with the first, and all of them in a long run.
pub fn sample<T>(items: Vec<T>, every: usize) -> Vec<T> {
    let every = if is_long() { 1 } else { every };
    items.into_iter().step_by(every).collect()
}

/// Whether this compiler links programs of 32 bits (`-m32`) here; says what is missing if not.
pub fn links_32_bits(cc: &str) -> bool {
    let scratch = Scratch::new();
    let file = scratch.file("links.c", "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n");
    let mut command = std::process::Command::new(cc);
    let links = command.args(["-m32", "-o"]).arg(scratch.path().join("links")).arg(&file).output();
    let links = links.is_ok_and(|output| output.status.success());
    if !links {
        skipped("a 32-bit C library to link with");
    }
    links
}

/// Says that the running test is skipped, since this is not there: on standard error, which is not captured, and as a
/// line of the file that `SKIPPED_TESTS` names (`make test` shows it at the end).
pub fn skipped(needs: &str) {
    let thread = std::thread::current();
    let line = format!("skipped: needs {needs} ({})\n", thread.name().unwrap_or("a test"));
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(list) = std::env::var_os("SKIPPED_TESTS")
        && let Ok(mut list) = fs::OpenOptions::new().append(true).create(true).open(list)
    {
        let _ = list.write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_away_when_a_test_fails() {
        let failing = std::thread::spawn(|| {
            let (own, shared) = (Scratch::new(), PathBuf::from(file("a.c", "int x;")));
            let own = (own.file("b.c", "int y;"), own);
            assert!(own.0.exists() && shared.exists());
            std::panic::panic_any([own.0, shared]);
        });
        let files = failing.join().expect_err("it fails");
        let files = files.downcast::<[PathBuf; 2]>().expect("the paths are the payload");
        assert!(files.iter().all(|f| !f.exists() && !f.parent().is_some_and(Path::exists)));
    }

    #[test]
    fn names_of_folders_are_left_out() {
        let (a, b) = (Scratch::new(), folder());
        let shown = format!("{}/x.c:1: and {}/y.c\n", a.path().display(), b.display());
        assert_eq!(without_folders(&shown), "x.c:1: and y.c\n");
    }
}
