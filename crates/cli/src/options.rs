//! Option groups that several binaries take, and the parsing of command lines.

use crate::units;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// How C files are read.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "C front end")]
pub struct FrontEnd {
    /// Search this directory for included files
    #[arg(short = 'I', value_name = "DIR", action = ArgAction::Append)]
    pub include_dirs: Vec<PathBuf>,
    /// Define a macro, as NAME or NAME=VALUE
    #[arg(short = 'D', value_name = "NAME[=VALUE]", action = ArgAction::Append)]
    pub defines: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", action = ArgAction::Append)]
    pub undefs: Vec<String>,
    /// Read this file before the input (written -include FILE, as for cc)
    #[arg(long = "include", value_name = "FILE", action = ArgAction::Append)]
    pub includes: Vec<PathBuf>,
    /// Take the input as already preprocessed
    #[arg(long)]
    pub no_preprocess: bool,
    /// Widths of C's types
    #[arg(long, value_name = "MODEL", value_enum, default_value_t, ignore_case = true)]
    pub data_model: DataModel,
    /// The function where execution starts
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// The least number of arguments that main gets, the program's name among them
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=i64::from(i32::MAX)))]
    pub argc_min: u32,
    /// What is checked besides assertions, error calls and ERROR labels (reach), comma separated: overflow (signed),
    /// div0, null, bounds, shift, uninit, free, leak, or all; only:LIST leaves the assertions out
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "reach")]
    pub check: Vec<String>,
    /// Check what this property file asks, in place of --check
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,
    /// What signed overflow means
    #[arg(long, value_name = "MEANING", value_enum, default_value_t)]
    pub signed_overflow: SignedOverflow,
    /// Whether malloc and calloc may answer NULL
    #[arg(long, value_name = "yes|no", value_enum, default_value_t)]
    pub malloc_may_fail: MayFail,
    /// What a read of a volatile object gives that is no local variable
    #[arg(long = "volatile", value_name = "MEANING", value_enum, default_value_t)]
    pub volatile: Volatile,
    /// What is assumed of functions that are defined nowhere
    #[arg(long = "extern", value_name = "POLICY", value_enum, default_value_t)]
    pub extern_policy: Extern,
    /// In which order operands are evaluated where C leaves it open
    #[arg(long, value_name = "ORDER", value_enum, default_value_t)]
    pub evaluation_order: Order,
    /// Take the definitions in this C file where the program has none; they win over the built-in models
    #[arg(long = "model", value_name = "FILE", action = ArgAction::Append)]
    pub models: Vec<PathBuf>,
}

/// In which order operands are evaluated where C leaves it open.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// In every order that C allows
    #[default]
    Any,
    /// From left to right
    Left,
    /// As gcc does on x86-64
    Gcc,
}

/// What is assumed of functions that are defined nowhere.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extern {
    /// Any result; they may write what their arguments reach and what has escaped
    #[default]
    Havoc,
    /// The same, and every global that other files can name
    HavocAll,
    /// Any result; they write nothing
    Pure,
    /// Calling one is an error
    Error,
}

/// What a read of a volatile object gives.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Volatile {
    /// What was stored last, unless the object is defined nowhere or stands at a fixed address
    #[default]
    Plain,
    /// Anything
    Havoc,
}

/// Whether an allocation may fail.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MayFail {
    /// NULL is a possible answer, as C has it
    #[default]
    Yes,
    /// Memory never runs out
    No,
}

/// The two common models of the widths of C's types.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// int, long and pointers have 32 bits
    #[value(name = "ILP32")]
    Ilp32,
    /// int has 32 bits, long and pointers have 64
    #[default]
    #[value(name = "LP64")]
    Lp64,
}

/// What signed overflow means.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SignedOverflow {
    /// The execution does not count (or is reported, where overflow is checked)
    #[default]
    Undefined,
    /// Two's complement, as with -fwrapv
    Wrap,
}

/// How integers are modelled.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Integers {
    /// Mathematical integers, unless the program works on bits
    #[default]
    Auto,
    /// Mathematical integers in their types' ranges
    Math,
    /// Bit-vectors
    Bits,
}

impl Integers {
    /// The mode that is asked for, one of these two; `None` when it is left to the tool.
    pub fn wish<T>(self, math: T, bits: T) -> Option<T> {
        match self {
            Integers::Auto => None,
            Integers::Math => Some(math),
            Integers::Bits => Some(bits),
        }
    }
}

/// How much may be spent.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Stop after this time: 500ms, 30s, 5min, 1h
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub time_limit: Option<Duration>,
    /// Stop when the process is larger than this: 512MB, 4GB (default: most of the machine's memory)
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory_limit: Option<u64>,
    /// Worker threads; 0 means one a processor. Results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
}

/// What is printed besides the result.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Tell what is done (on standard error); twice for more
    #[arg(short = 'v', long, action = ArgAction::Count)]
    pub verbose: u8,
    /// Print the verdict line only
    #[arg(short = 'q', long)]
    pub quiet: bool,
    /// Print STAT lines before the verdict
    #[arg(long)]
    pub stats: bool,
}

/// Why a command line was not taken: help or version asked for, or a mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Usage {
    /// What to print.
    pub text: String,
    /// To standard error (a mistake), not to standard output (help).
    pub mistake: bool,
}

impl Usage {
    /// A mistake in the user's words.
    pub fn mistake(text: impl Into<String>) -> Usage {
        Usage {
            text: format!("error: {}\n\nFor more information, try '--help'.\n", text.into()),
            mistake: true,
        }
    }

    /// 0 for help, 1 for a mistake.
    pub fn exit_code(&self) -> i32 {
        if self.mistake { crate::verdict::EXIT_USAGE } else { 0 }
    }

    /// Prints the text where it belongs and returns the exit code.
    pub fn tell(&self, stdout: &mut dyn Write, stderr: &mut dyn Write) -> i32 {
        let write = |to: &mut dyn Write| to.write_all(self.text.as_bytes()).and_then(|()| to.flush());
        // Nothing is left to do when the stream is closed.
        let _ = if self.mistake { write(stderr) } else { write(stdout) };
        self.exit_code()
    }
}

/// Parses a command line, program name first. `-include FILE` is read as `--include FILE`, as compilers do.
///
/// # Errors
/// The text to print when help was asked for or a mistake was made.
pub fn parse<T: clap::Parser>(args: &[OsString]) -> Result<T, Usage> {
    T::try_parse_from(long_include(args)).map_err(usage)
}

/// The same, with the parts of the command line by their names.
///
/// # Errors
/// As above.
pub fn matches(command: clap::Command, args: &[OsString]) -> Result<clap::ArgMatches, Usage> {
    command.try_get_matches_from(long_include(args)).map_err(usage)
}

/// The parser of an option whose values are these words, each with what it means and what it stands for.
pub fn choice<T: Clone + Send + Sync + 'static>(
    all: impl IntoIterator<Item = (&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<_> = all.into_iter().collect();
    let words = all.iter().map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(words).map(move |given| {
        let chosen = all.iter().find(|(word, ..)| *word == given);
        chosen.expect("no other word is let through").2.clone()
    })
}

/// `-include` as the compilers write it is a long option.
fn long_include(args: &[OsString]) -> impl Iterator<Item = OsString> {
    args.iter().map(|a| if a == "-include" { "--include".into() } else { a.clone() })
}

fn usage(e: clap::Error) -> Usage {
    Usage { text: e.render().to_string(), mistake: e.use_stderr() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Everything {
        #[command(flatten)]
        front_end: FrontEnd,
        #[command(flatten)]
        limits: Limits,
        #[command(flatten)]
        output: Output,
        file: Option<PathBuf>,
    }

    fn read(line: &str) -> Result<Everything, Usage> {
        parse(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn compiler_style_options() {
        let got = read("x -Iinc -DA=1 -D B -U C -include pre.h --data-model ilp32 f.c").expect("well-formed");
        assert_eq!(got.front_end.defines, ["A=1", "B"]);
        assert_eq!(got.front_end.includes, [PathBuf::from("pre.h")]);
        assert_eq!(got.front_end.data_model, DataModel::Ilp32);
        assert_eq!(got.front_end.check, ["reach"]);
        assert_eq!(got.file, Some(PathBuf::from("f.c")));
        let got = read("x --time-limit 2s --memory-limit 1GB -vv --stats -").expect("well-formed");
        assert_eq!(got.limits.time_limit, Some(Duration::from_secs(2)));
        assert_eq!((got.output.verbose, got.output.stats), (2, true));
    }

    #[test]
    fn mistakes_have_exit_code_1_and_help_has_0() {
        let mistake = read("x --no-such-thing").err().expect("refused");
        assert_eq!((mistake.exit_code(), mistake.mistake), (1, true));
        assert_eq!(read("x --time-limit soon").err().expect("refused").exit_code(), 1);
        let help = read("x --help").err().expect("help");
        assert_eq!((help.exit_code(), help.text.contains("--time-limit")), (0, true));
    }
}
