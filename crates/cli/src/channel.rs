//! How a process that works for another one reports to it how it ended: in a file that only these two know.
//!
//! Standard output is for people. A program that is checked has a say in what stands there (file names, messages of the
//! preprocessor), so nobody takes a decision by reading it.

use crate::verdict::{Verdict, one_line};
use std::path::{Path, PathBuf};

/// The variable of the environment that names the file.
pub const RESULT: &str = "SLAM_RESULT";

/// How a process ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The verdict line without its first word: `UNSAFE(reach) at lock.c:12`.
    pub verdict: String,
    /// The exit code that belongs to it.
    pub code: i32,
    /// Statistics by name.
    pub stats: Vec<(String, String)>,
}

/// The file that this process was given.
pub(crate) fn file() -> Option<PathBuf> {
    std::env::var_os(RESULT).map(PathBuf::from)
}

impl Report {
    /// What there is to tell.
    pub(crate) fn new(verdict: &Verdict, stats: Vec<(String, String)>) -> Report {
        let line = verdict.to_string();
        let report = line.strip_prefix("VERDICT: ").unwrap_or(&line);
        Report { verdict: report.to_owned(), code: verdict.exit_code(), stats }
    }

    /// Writes it. Where that fails, the other process hears nothing, and knows what that means.
    pub(crate) fn write(&self, file: &Path) {
        let mut text = format!("{}\n{}\n", self.code, one_line(&self.verdict));
        for (name, value) in &self.stats {
            text.push_str(&format!("{}\t{}\n", one_line(name), one_line(value)));
        }
        let _ = std::fs::write(file, text);
    }

    /// Reads the report; `None` when the process has not ended by itself.
    pub fn read(file: &Path) -> Option<Report> {
        let text = std::fs::read_to_string(file).ok()?;
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let code = lines.next()?.parse().ok()?;
        let verdict = lines.next()?.to_owned();
        let stats = lines.filter_map(|line| line.split_once('\t'));
        Some(Report { verdict, code, stats: stats.map(|(n, v)| (n.to_owned(), v.to_owned())).collect() })
    }

    /// A number among the statistics.
    pub fn stat(&self, name: &str) -> Option<f64> {
        self.stats.iter().find(|(n, _)| n == name)?.1.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_heard() {
        let scratch = children::Scratch::new("channel").expect("a directory");
        let file = scratch.path().join("result");
        assert_eq!(Report::read(&file), None);
        let place = "a.c\n0\nSAFE\tcpu-ms\t7".to_owned();
        let verdict = Verdict::Unsafe { kind: "reach".into(), place };
        let report =
            Report::new(&verdict, vec![("cpu-ms".into(), "12".into()), ("x\ny".into(), "\t1\n2".into())]);
        report.write(&file);
        let heard = Report::read(&file).expect("it was told");
        assert_eq!(heard.verdict, "UNSAFE(reach) at a.c 0 SAFE cpu-ms 7");
        assert_eq!(
            (heard.code, heard.stat("cpu-ms"), heard.stat("x y"), heard.stats.len()),
            (10, Some(12.0), None, 2)
        );
    }
}
