//! Compiled runs: programs are compiled with `cc` against a harness that gives the inputs and sees how runs end.
//!
//! What C leaves undefined traps (`-fsanitize=undefined`), so that such a run never reaches an error. Each run is a
//! process of its own.

use ir::DataModel;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a probe saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The least and the greatest value, if it was reached.
    pub range: Option<(i64, i64)>,
}

/// How many runs ended how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Returned from `main`.
    pub finished: u64,
    /// An assumption did not hold.
    pub assumed: u64,
    /// Did what C leaves undefined, or took too long.
    pub trapped: u64,
    /// The inputs of the first run that reached the error, as the harness drew them.
    pub failing: Option<Vec<String>>,
}

/// How one run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Reached the error.
    Error,
    /// Otherwise, with this exit code; -1 stands for a trap.
    Other(i32),
}

/// A folder with the compiled harness.
pub struct Native {
    folder: PathBuf,
    harness: PathBuf,
    /// What the compiler is given for the data model.
    model: &'static [&'static str],
}

/// A compiled program.
pub struct Compiled(PathBuf);

impl Native {
    /// Compiles the harness for a data model.
    ///
    /// # Panics
    /// If there is no `cc`, or the folder cannot be written.
    pub fn new(folder: &Path, model: DataModel) -> Native {
        let model: &[&str] = match model {
            DataModel::Lp64 => &[],
            DataModel::Ilp32 => &["-m32"],
        };
        std::fs::create_dir_all(folder).expect("a scratch folder can be made");
        let (source, harness) = (folder.join("harness.c"), folder.join("harness.o"));
        std::fs::write(&source, HARNESS).expect("a scratch file can be written");
        compile(&[&["-O1", "-c"], model].concat(), &[&source], &harness);
        Native { folder: folder.to_owned(), harness, model }
    }

    /// Compiles a program; `name` is that of its files.
    ///
    /// # Panics
    /// If the compiler refuses it.
    pub fn compile(&self, name: &str, text: &str, wraps: bool) -> Compiled {
        let (source, binary) = (self.folder.join(format!("{name}.c")), self.folder.join(name));
        std::fs::write(&source, text).expect("a scratch file can be written");
        let sanitize =
            ["-O0", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-Dmain=program_main"];
        let flags = [&sanitize[..], self.model, if wraps { &["-fwrapv"] } else { &[] }].concat();
        compile(&flags, &[&source, &self.harness], &binary);
        Compiled(binary)
    }
}

fn compile(flags: &[&str], inputs: &[&Path], output: &Path) {
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-w"]).args(flags).args(inputs).arg("-o").arg(output);
    let made = cc.output().expect("the C compiler can be started");
    let told = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{}: the compiler refuses it:\n{told}", inputs[0].display());
}

impl Compiled {
    /// What the probes see in `runs` runs with random inputs.
    pub fn probe(&self, probes: usize, runs: u64) -> Vec<Seen> {
        let (told, _) = self.run(&["probe", &runs.to_string(), &probes.to_string()]);
        let number = |word: Option<&str>| word.and_then(|w| w.parse::<i64>().ok());
        let seen: Vec<Seen> = told
            .lines()
            .map(|line| {
                let mut words = line.split(' ');
                Seen { range: number(words.next()).zip(number(words.next())) }
            })
            .collect();
        assert_eq!(seen.len(), probes, "the harness tells of each probe: {told}");
        seen
    }

    /// How `runs` runs with random inputs end, up to the first that reaches the error.
    pub fn search(&self, runs: u64) -> Ends {
        let (told, _) = self.run(&["search", &runs.to_string()]);
        let mut lines = told.lines();
        let counts: Vec<u64> =
            lines.next().unwrap_or_default().split(' ').filter_map(|w| w.parse().ok()).collect();
        let [finished, assumed, trapped] = counts[..] else {
            panic!("the harness tells how runs end: {told}")
        };
        let failing = lines.next().map(|line| line.split_whitespace().map(str::to_owned).collect());
        Ends { finished, assumed, trapped, failing }
    }

    /// One run with these inputs; zeros follow.
    pub fn replay(&self, inputs: &[String]) -> End {
        let mut arguments = vec!["replay"];
        arguments.extend(inputs.iter().map(String::as_str));
        match self.run(&arguments).1 {
            Some(107) => End::Error,
            code => End::Other(code.unwrap_or(-1)),
        }
    }

    fn run(&self, arguments: &[&str]) -> (String, Option<i32>) {
        let output =
            Command::new(&self.0).args(arguments).output().expect("a compiled program can be started");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    }
}

/// The inputs that a result file of `slam check --json` lists, in order.
///
/// # Errors
/// A sentence about what is not as expected.
pub fn listed_inputs(json: &str) -> Result<Vec<String>, String> {
    let parsed: serde_json::Value = serde_json::from_str(json).map_err(|e| format!("no JSON: {e}"))?;
    let inputs = parsed["inputs"].as_array().ok_or("there are no inputs in the result")?;
    let mut values = vec![];
    for input in inputs {
        let (what, value) = (input["input"].as_str().unwrap_or(""), input["value"].as_str().unwrap_or(""));
        // The bits beside a bit-field are read and written back with it; no program sees them.
        if what.starts_with("uninitialised memory") {
            continue;
        }
        if !what.starts_with("__VERIFIER_nondet_") {
            return Err(format!("an input that no program asks for: {what} is {value}"));
        }
        values.push(value.to_owned());
    }
    Ok(values)
}

/// Gives inputs, catches ends. Runs 0 to 4 have one value everywhere; later ones draw from small values, or from
/// small, boundary and any values.
const HARNESS: &str = include_str!("harness.c");
