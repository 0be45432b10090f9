//! Option groups that several binaries take, and the parsing of command lines.

use crate::{terminal, units};
use base::styles::{BAD, styled};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum};
use std::ffi::OsString;
use std::io::Write;
use std::time::Duration;

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
    /// Stop when the process uses more memory than this: 512MB, 4GB
    ///
    /// Default: most of the machine's memory
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory_limit: Option<u64>,
    /// Number of worker threads; 0 means one per processor
    ///
    /// At most four per processor. Results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
}

/// What is printed besides the result.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Report progress on standard error; twice for more
    #[arg(short = 'v', long, action = ArgAction::Count)]
    pub verbose: u8,
    /// Print the verdict line only
    #[arg(short = 'q', long)]
    pub quiet: bool,
    /// Print STAT lines before the verdict
    #[arg(long, hide_short_help = true)]
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
            text: format!(
                "{} {}\n\nFor more information, try '--help'.\n",
                styled(BAD, "error:"),
                text.into()
            ),
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
    let command = terminal::augmented(T::command());
    terminal::asked(&command, long_include(args))?;
    let matches = command.clone().try_get_matches_from(long_include(args)).map_err(usage)?;
    T::from_arg_matches(&matches).map_err(|e| usage(e.format(&mut command.clone())))
}

/// The same, with the parts of the command line by their names.
///
/// # Errors
/// As above.
pub fn matches(command: clap::Command, args: &[OsString]) -> Result<clap::ArgMatches, Usage> {
    terminal::augmented(command).try_get_matches_from(long_include(args)).map_err(usage)
}

/// A value of an option: its word, what it means, and what it stands for.
pub type Choice<T> = (&'static str, &'static str, T);

/// The parser of an option that takes one of these values.
pub fn choice<T: Clone + Send + Sync + 'static>(
    all: impl IntoIterator<Item = Choice<T>>,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<_> = all.into_iter().collect();
    let words = all.iter().map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(words).map(move |given| {
        let chosen = all.iter().find(|(word, ..)| word.eq_ignore_ascii_case(&given));
        chosen.expect("no other word is let through").2.clone()
    })
}

/// A parser of any text, for which completions offer these words.
pub fn words(offered: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = String> {
    Words(offered.into_iter().collect())
}

#[derive(Clone)]
struct Words(Vec<&'static str>);

impl TypedValueParser for Words {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

/// `-include` as the compilers write it is a long option.
fn long_include(args: &[OsString]) -> impl Iterator<Item = OsString> {
    args.iter().map(|a| if a == "-include" { "--include".into() } else { a.clone() })
}

fn usage(e: clap::Error) -> Usage {
    Usage { text: e.render().ansi().to_string(), mistake: e.use_stderr() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Everything {
        #[command(flatten)]
        limits: Limits,
        #[command(flatten)]
        output: Output,
    }

    fn read(line: &str) -> Result<Everything, Usage> {
        parse(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn mistakes_have_exit_code_1_and_help_has_0() {
        let got = read("x --time-limit 2s --memory-limit 1GB -vv --stats").expect("well-formed");
        assert_eq!(got.limits.time_limit, Some(Duration::from_secs(2)));
        assert_eq!((got.output.verbose, got.output.stats), (2, true));
        let mistake = read("x --no-such-thing").err().expect("refused");
        assert_eq!((mistake.exit_code(), mistake.mistake), (1, true));
        assert_eq!(read("x --time-limit soon").err().expect("refused").exit_code(), 1);
        let help = read("x --help").err().expect("help");
        assert_eq!((help.exit_code(), help.text.contains("--time-limit")), (0, true));
    }
}
