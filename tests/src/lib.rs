//! The harness of the end-to-end tests: runs `slam` inside the test's process and other tools by their binaries,
//! reads what an example says about itself, and compares outputs with golden files.
//!
//! Invariant: a golden file is compared, never written, unless the environment has `BLESS=1` (or `UPDATE_EXPECT=1`, which
//! rewrites the snapshots in the tests as well). The tests run in the
//! root of the workspace, so that outputs name `examples/…` on every machine.

pub mod adversary;
pub mod console;
pub mod families;
pub mod library_law;
pub mod random_c;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

/// What one run of `slam` gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Everything on standard output.
    pub stdout: String,
    /// Everything on standard error.
    pub stderr: String,
    /// The exit code.
    pub code: i32,
}

impl Run {
    /// The text after `VERDICT: ` in the last line of standard output.
    ///
    /// # Panics
    /// If standard output does not end with a verdict line.
    pub fn verdict(&self) -> &str {
        let last = self.stdout.lines().last().unwrap_or_default();
        match last.strip_prefix("VERDICT: ") {
            Some(verdict) if self.stdout.ends_with('\n') => verdict,
            _ => {
                panic!("standard output ends with a verdict line, always:\n{}\n{}", self.stdout, self.stderr)
            }
        }
    }

    /// The number of verdict lines on standard output.
    pub fn verdict_lines(&self) -> usize {
        self.stdout.lines().filter(|l| l.starts_with("VERDICT:")).count()
    }
}

/// The root of the workspace, which also becomes the current directory.
pub fn root() -> PathBuf {
    static ENTER: Once = Once::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace");
    ENTER.call_once(|| std::env::set_current_dir(root).expect("the root of the workspace can be entered"));
    root.to_path_buf()
}

/// What is wrong with a value by a JSON Schema: nothing when it follows it.
///
/// # Panics
/// If it is not a schema.
pub fn mistakes(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).expect("a JSON Schema");
    validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

/// Runs `slam` with these arguments in the root of the workspace.
pub fn slam(args: &[&str]) -> Run {
    root();
    let args: Vec<String> = args.iter().map(|&a| a.to_owned()).collect();
    let (stdout, stderr, code) = slam::run(&args);
    Run { stdout, stderr, code }
}

/// Runs another tool of the workspace, by its binary, in the root of the workspace.
///
/// The binaries lie in the folder that `SLAM_BINARIES` names (`make test` sets it, after building them); without it
/// they are built first, in the profile of the tests.
///
/// # Panics
/// If there is no such binary, or it cannot be built.
pub fn binary(name: &str, args: &[&str]) -> Run {
    let program = program(name);
    let output = Command::new(&program).args(args).current_dir(root()).output();
    let output = output.unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    let text = |bytes| String::from_utf8(bytes).expect("the tools write UTF-8");
    Run { stdout: text(output.stdout), stderr: text(output.stderr), code: output.status.code().unwrap_or(-1) }
}

/// Where the binary is that [`binary`] runs, for scripts that run it themselves.
///
/// # Panics
/// If it cannot be built.
pub fn program(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let folder = BUILT.get_or_init(|| match std::env::var_os("SLAM_BINARIES") {
        Some(folder) => root().join(folder),
        None => built_binaries(),
    });
    folder.join(name)
}

/// The results of `work` for each of the numbers below `n`, computed by `threads` threads.
pub fn parallel<T: Send>(threads: usize, n: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < n);
    let worker = || {
        while let Some(at) = take() {
            let result = work(at);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(worker);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Builds the tools' binaries; the folder where they lie, which is above that of the running test.
fn built_binaries() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let folder = test.ancestors().nth(2).expect("a test lies two folders below its profile's").to_path_buf();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build", "--locked", "--quiet", "-p", "slam", "-p", "c2bp", "-p", "bebop", "-p", "newton", "-p",
        "getafix", "-p", "zing", "--bins",
    ]);
    if folder.file_name().is_some_and(|profile| profile == "release") {
        cargo.arg("--release");
    }
    let status = cargo.current_dir(root()).status().expect("cargo can be started");
    assert!(status.success(), "the tools can be built");
    folder
}

/// What an example says about itself in its first line: `SAFE` or `UNSAFE`, and the checks that are asked for.
///
/// # Panics
/// If the file cannot be read or its first two lines are not the verdict and a comment.
pub fn declared(path: &Path) -> (String, String) {
    let text = fs::read_to_string(path).expect("an example is a text file");
    let mut lines = text.lines();
    let first = lines.next().and_then(|l| l.strip_prefix("//@ verdict: ")).unwrap_or_default();
    let (verdict, checks) = first.split_once(" --check ").unwrap_or((first, "reach"));
    assert!(matches!(verdict, "SAFE" | "UNSAFE"), "{}: the first line gives the verdict", path.display());
    let shows = lines.next().unwrap_or_default();
    assert!(shows.starts_with("// "), "{}: the second line says what the file shows", path.display());
    (verdict.to_owned(), checks.to_owned())
}

/// The verdict an example declares: `SAFE` or `UNSAFE`.
///
/// # Panics
/// As [`declared`].
pub fn declared_verdict(path: &Path) -> String {
    declared(path).0
}

/// The file names (without `.c`) of all C programs in `examples/`, sorted.
pub fn example_names() -> Vec<String> {
    example_names_in("examples")
}

/// The file names (without `.c`) of all C programs in a folder, sorted.
///
/// # Panics
/// If the folder cannot be listed.
pub fn example_names_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder of examples is there");
    let mut names: Vec<String> = entries
        .map(|e| e.expect("examples/ can be listed").file_name().into_string().expect("names are UTF-8"))
        .filter_map(|n| n.strip_suffix(".c").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// The C files of all examples, folder by folder.
///
/// # Panics
/// If a folder cannot be listed.
pub fn example_files() -> Vec<PathBuf> {
    let (mut out, mut folders) = (vec![], vec![root().join("examples")]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).expect("the examples are there");
        for path in entries.map(|e| e.expect("examples/ can be listed").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "c") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// `text` without its durations: each number before ` ms` or ` s` becomes `_`, and so do the blanks before it.
pub fn without_times(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some((before, after)) = split_at_duration(rest) {
            let kept = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            out.push_str(kept.trim_end_matches(' '));
            out.push_str(" _");
            rest = after;
        }
        out.push_str(rest);
    }
    out
}

/// Splits before the unit of the first duration (`12 ms`, `1.5 s`).
fn split_at_duration(text: &str) -> Option<(&str, &str)> {
    let is_unit = |at: usize, unit: &str| {
        let tail = &text[at..];
        tail.starts_with(unit)
            && !tail[unit.len()..].starts_with(|c: char| c.is_alphanumeric())
            && text[..at].ends_with(|c: char| c.is_ascii_digit())
    };
    let at = text.match_indices(' ').map(|(at, _)| at).find(|&at| is_unit(at, " ms") || is_unit(at, " s"))?;
    Some(text.split_at(at))
}

/// Compares `text` with `tests/golden/NAME`, or writes it there when the environment has `BLESS=1` or `UPDATE_EXPECT=1`.
///
/// # Panics
/// If the file differs or is missing: with the first line that differs.
pub fn golden(name: &str, text: &str) {
    let path = root().join("tests/golden").join(name);
    let asked = |name| std::env::var_os(name).is_some_and(|v| v == "1");
    if asked("BLESS") || asked("UPDATE_EXPECT") {
        let folder = path.parent().expect("a golden file lies in a folder");
        fs::create_dir_all(folder).expect("the folder of the golden files can be made");
        fs::write(&path, text).expect("a golden file can be written");
        return;
    }
    let expected = fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("{}: {e}; BLESS=1 writes golden files", path.display()));
    if expected != text {
        let (line, was, is) = first_difference(&expected, text);
        panic!("{}:{line}: differs\n  golden: {was}\n  now:    {is}\nBLESS=1 rewrites it", path.display());
    }
}

/// The first line, counted from 1, in which two different texts differ, as both have it.
fn first_difference<'a>(a: &'a str, b: &'a str) -> (usize, &'a str, &'a str) {
    let mut left = a.split('\n');
    let mut right = b.split('\n');
    let mut line = 1;
    loop {
        match (left.next(), right.next()) {
            (Some(x), Some(y)) if x == y => line += 1,
            (x, y) => return (line, x.unwrap_or("(end)"), y.unwrap_or("(end)")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{first_difference, without_times};

    #[test]
    fn durations_are_masked_with_their_padding() {
        let log =
            "  c2bp     12 edges     1 ms    0 prover calls\n  bebop  17 edges  1.25 s\n 3 steps, 4 msx\n";
        let masked = "  c2bp     12 edges _ ms    0 prover calls\n  bebop  17 edges _ s\n 3 steps, 4 msx\n";
        assert_eq!(without_times(log), masked);
    }

    #[test]
    fn differences_are_found_by_line() {
        assert_eq!(first_difference("a\nb\nc", "a\nx\nc"), (2, "b", "x"));
        assert_eq!(first_difference("a", "a\n"), (2, "(end)", ""));
    }
}
