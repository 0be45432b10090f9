//! The command line of `slam`.

mod batch;
mod check;
mod rules;
mod show;
mod tune;

pub(crate) use batch::{Batch, BatchCommand, Kept, Merge};
pub(crate) use check::{Check, Refiner, Selection};
pub(crate) use cli::front::{ALIASES, Bytes, Preparation};
pub(crate) use cli::options::Integers;
pub(crate) use rules::Rules;
pub(crate) use show::{Dataflow, Graph, Harness, Nullness, PointsTo, Run, Show, Text};
pub(crate) use tune::expanded;

use clap::parser::ValueSource;
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand};
use cli::front::options::DECIDED;
use cli::{Limits, Output, Usage};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Checks safety of C files by predicate abstraction and refinement.
#[derive(Parser, Clone, Debug)]
#[command(
    name = "slam",
    disable_version_flag = true,
    subcommand_required = false,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 safe, 10 unsafe, 5 unknown, 1 usage, 2 input refused, 6 internal error, 7 result not written."
)]
pub(crate) struct Slam {
    /// Print the version; with --verbose also the prover's
    #[arg(short = 'V', long)]
    pub version: bool,
    /// With --version: more
    #[arg(short = 'v', long, requires = "version")]
    pub verbose: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What `slam` can do.
#[derive(Subcommand, Clone, Debug)]
pub(crate) enum Command {
    /// Decide whether any execution of the program fails a check
    Check(Box<Check>),
    /// Check many tasks, each in a process of its own, and show one table
    Batch(Box<Batch>),
    /// Check the certificate that `slam check --json` wrote for a safe program
    Certify(Box<Certify>),
    /// Reproduce the error that `slam check --json` wrote, by a compiled program
    Replay(Box<Replay>),
    /// Make an HTML page from the result that `slam check --json` wrote
    Report(Report),
    /// Run a language server (LSP) on standard input and output, for editors
    Lsp(Lsp),
    /// Print the program in C--, the intermediate form
    Cmm(Text),
    /// Print C text that calls the function of --entry, or those of --environment, with any arguments
    Harness(Harness),
    /// Print the control-flow graphs
    Cfg(Graph),
    /// Print the points-to sets of pointers
    PointsTo(PointsTo),
    /// Report for each dereference whether its pointer is NULL: never, always or possibly
    Nullness(Box<Nullness>),
    /// Solve a dataflow problem written as a boolean program
    Dataflow(Dataflow),
    /// Execute the program in the interpreter
    Run(Run),
    /// Show rules of interface use, and check files of rules
    #[command(subcommand)]
    Rules(Rules),
}

/// The command line with `check` in it where it begins with a file or an option, as in `slam FILE.c`.
pub(crate) fn with_command(args: &[OsString]) -> Vec<OsString> {
    let is_program = |word: &OsString| {
        let extension = Path::new(word).extension().and_then(|e| e.to_str());
        matches!(extension, Some("c" | "i" | "yml" | "yaml"))
    };
    let own = ["-h", "--help", "-V", "--version", "--"];
    let command = args.get(1).and_then(|word| word.to_str());
    let file_first = args.get(1).is_some_and(is_program);
    let option_first = command.is_some_and(|word| word.starts_with('-') && !own.contains(&word));
    let mut out = args.to_vec();
    if file_first || option_first && args.iter().skip(2).any(is_program) {
        out.insert(1, "check".into());
    }
    out
}

/// Refuses a first word that is a file or a folder and no command, and C++, with what to write instead.
///
/// # Errors
/// That it is one.
pub(crate) fn refuse_other_files(args: &[OsString]) -> Result<(), Usage> {
    let words = || args.iter().skip(1).map(|word| (Path::new(word), word.to_string_lossy()));
    let is_cpp = |path: &Path| {
        let extension = path.extension().and_then(|e| e.to_str());
        matches!(extension, Some("cc" | "cpp" | "cxx" | "c++" | "C" | "hh" | "hpp" | "hxx"))
    };
    if let Some((_, word)) = words().find(|(path, _)| is_cpp(path) && path.is_file()) {
        return Err(Usage::mistake(format!(
            "{word}: this is C++; C is checked (files that end with .c or .i)"
        )));
    }
    let is_command = |word: &str| Slam::command().get_subcommands().any(|command| command.get_name() == word);
    let (path, word) = match words().next() {
        Some((path, word)) if path.exists() && !word.starts_with('-') && !is_command(&word) => (path, word),
        _ => return Ok(()),
    };
    Err(Usage::mistake(match path.is_dir() {
        true => format!(
            "{word} is a folder: `slam batch {word}` checks each C file in it, `slam check A.c B.c` checks files as one program"
        ),
        false => format!("{word} is a file, and no command: `slam check {word}` checks it"),
    }))
}

/// Options that belong to a whole batch, or that name one file for one result.
const NOT_PASSED: [&str; 15] = [
    "html",
    "html_full",
    "files",
    "json",
    "sarif",
    "save",
    "dump_predicates",
    "dump_invariants",
    "harness",
    "write_witness",
    "witness_format",
    "validate_witness",
    "stats",
    "quiet",
    "each_function",
];

/// The options of a command line of `slam batch` or `slam check`, as `slam check` takes them for each task; those of these ids
/// stay away.
///
/// # Errors
/// What is wrong with the command line.
pub(crate) fn options_for_check(args: &[OsString], without: &[&str]) -> Result<Vec<OsString>, Usage> {
    let matches = cli::options::matches(Slam::command(), args)?;
    let Some(("batch" | "check", given)) = matches.subcommand() else { return Ok(vec![]) };
    let check = Check::augment_args(clap::Command::new("check"));
    let mut passed = vec![];
    for arg in check.get_arguments() {
        let id = arg.get_id().as_str();
        if NOT_PASSED.contains(&id)
            || without.contains(&id)
            || given.value_source(id) != Some(ValueSource::CommandLine)
        {
            continue;
        }
        let name = match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, short) => short.map(|c| format!("-{c}")).unwrap_or_default(),
        };
        if let Some(option) = arg.get_long().filter(|long| tune::is_tuned(long)) {
            let values = given.get_raw(id).into_iter().flatten();
            let values: Vec<String> = values.map(|value| value.to_string_lossy().into_owned()).collect();
            passed.extend(tune::word(option, &values.join(",")).map(OsString::from));
            continue;
        }
        match arg.get_action() {
            ArgAction::Count => {
                passed.extend((0..given.get_count(id)).map(|_| OsString::from(&name)));
            }
            ArgAction::SetTrue => passed.push(name.into()),
            _ => {
                for value in given.get_raw(id).into_iter().flatten() {
                    let mut word = OsString::from(&name);
                    word.push(if arg.get_long().is_some() { "=" } else { "" });
                    word.push(value);
                    passed.push(word);
                }
            }
        }
    }
    Ok(passed)
}

/// `slam certify`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam check --json result.json lock.c
  slam certify lock.c result.json

How the program is read and prepared is taken from the result; paths in it are meant from the present directory. The
verdict is SAFE for the program as it stands, and SAFE(assuming ...) where options of the run that wrote the result made
it, or what was asked, another one.

Exit codes: 0 certified, 5 some obligation is not shown, 6 the certificate is refuted, 1 usage, 2 input refused,
7 result not written.")]
pub(crate) struct Certify {
    /// The C files that were checked, followed by the result
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
    /// How much may be spent.
    #[command(flatten)]
    pub limits: Limits,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
    /// Write the outcome as JSON to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
}

/// `slam report`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam check --json result.json lock.c
  slam report result.json -o result.html
  slam batch --keep json --into kept src
  slam report kept -o pages

Of a folder, a page is made of each result below it, and index.html leads to them. A page needs nothing else. The text of the program is read now: names in the result are meant from the present
directory. What iterations looked like in detail is on the page of `slam check --html` alone.

Exit codes: 0 written, 1 usage, 2 input refused, 6 internal error, 7 result not written.")]
pub(crate) struct Report {
    /// The result, or a folder of results
    #[arg(value_name = "RESULT.json|DIR")]
    pub result: PathBuf,
    /// Write the page to this file (`-`: standard output), or the pages into this folder
    #[arg(short = 'o', long, value_name = "FILE.html|DIR", default_value = "-")]
    pub output: PathBuf,
}

/// `slam lsp`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam lsp
  slam lsp --check all --time-limit 10s -I include

Editors start this themselves. Files are checked when they are opened and saved, with --keep-going and 20 s for each unless
the options say otherwise; functions are checked on their own when the user asks for it. Failing checks are errors, with
the execution as related places; checks that are not decided are information.

Exit codes: 0 the client said goodbye, 1 usage, or it left without a word, 2 it broke the protocol, 6 internal error.")]
pub(crate) struct Lsp {
    /// Options of `slam check`, for each check
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    pub options: Vec<OsString>,
}

/// `slam replay`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  slam check --json result.json lock.c
  slam replay lock.c result.json
  slam replay --harness harness.c lock.c result.json

The program is compiled (with cc, nm and objcopy), with functions that return the recorded inputs, and EXECUTED: in an
empty folder, for at most 10 s or what --time-limit says, with limits on memory, processes and files.

Exit codes: 10 the compiled program runs into the error, 5 it does not, or cannot be built, 1 usage, 2 input refused,
6 internal error, 7 result not written.")]
pub(crate) struct Replay {
    /// The C files that were checked, followed by the result
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
    /// Also write the C file with the recorded inputs to this file
    #[arg(long, value_name = "FILE.c", help_heading = "Output")]
    pub harness: Option<PathBuf>,
    /// How much may be spent.
    #[command(flatten)]
    pub limits: Limits,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_batch_are_passed_on() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let line = "slam batch -Iinc -D A=1 -include pre.h --check null,div0 -vv -q --jobs 3 --out o --no-slice \
            --without observed,computed --time-limit 3s a.c b.c";
        let passed = options_for_check(&words(line), &[]).expect("well-formed");
        let expected = "--check=null --check=div0 -Iinc -DA=1 --include=pre.h --tune=slice=off --tune=without=observed,computed --time-limit=3s --verbose \
            --verbose";
        assert_eq!(passed, words(expected));
        assert!(options_for_check(&words("slam batch --jobs x a.c"), &[]).is_err());
    }

    #[test]
    fn a_file_alone_is_checked() {
        let read = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            with_command(&words)
                .into_iter()
                .map(|w| w.into_string().expect("a text"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(read("slam a.c"), "slam check a.c");
        assert_eq!(read("slam --check all a.c"), "slam check --check all a.c");
        for unchanged in
            ["slam", "slam check a.c", "slam run a.c", "slam --version", "slam -h", "slam chekc a.c"]
        {
            assert_eq!(read(unchanged), unchanged);
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Slam::command().debug_assert();
    }
}
