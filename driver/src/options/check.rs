//! The options of `slam check`, by topic.

use super::tune::{Tune, is_tuned};
use super::{Integers, Preparation};
use crate::witness::Format;
use clap::builder::TypedValueParser;
use clap::{Arg, ArgAction, Args};
use cli::front::BLOCKS;
use cli::front::options::{BEGIN, CHECKED, DECIDED};
use cli::options::{Choice, choice};
use cli::{FrontEnd, Limits, Output};
use passes::Blocks;
use std::collections::BTreeSet;
use std::path::PathBuf;
use verify::Method;
use verify::cegar::{Paths, Source};

/// `slam check`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:
  slam check lock.c
  slam check --check all --keep-going parser.c
  slam check --rule linux/mutex --html result.html driver.c

More options and exit codes: slam check --help",
    after_long_help = "Examples:
  slam check lock.c
  slam check -v --time-limit 30s -I include driver.c
  slam check --save out --predicates known.preds driver.c
  slam check --keep-going --check all parser.c
  slam check --only 120 --only list.c:44 parser.c
  slam check --keep-going --sarif out.sarif parser.c
  slam check --html result.html lock.c
  slam check --html result.html --html-full lock.c
  slam check --write-witness witness.yml lock.c
  slam check --validate-witness witness.yml lock.c
  slam check --rule linux/mutex,linux/spinlock driver.c
  slam check --rule mine.slic --environment driver.env driver.c
  slam check --check all --entry push stack.c
  slam check --check all --each-function --time-limit 10s stack.c

Exit codes: 0 safe or confirmed, 10 unsafe or refuted, 5 unknown, 1 usage, 2 input refused, 6 internal error, 7 result not written."
)]
#[command(mut_args(without_tuned))]
pub(crate) struct Check {
    /// C files (`.i`: already preprocessed; `-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// How C files are read.
    #[command(flatten)]
    pub front_end: FrontEnd,
    /// Check each function by itself, with any arguments, and show a table
    ///
    /// Limits apply to each function
    #[arg(long, help_heading = BEGIN, conflicts_with_all = ["entry", "environment", "json", "save", "dump_predicates", "dump_invariants", "harness", "write_witness", "html"])]
    pub each_function: bool,
    /// Which checks are decided.
    #[command(flatten)]
    pub selection: Selection,
    /// What is done before the loop.
    #[command(flatten)]
    pub preparation: Preparation,
    /// The loop's options.
    #[command(flatten)]
    pub refinement: Refinement,
    /// Changes of how the answer is found.
    #[command(flatten)]
    pub tune: Tune,
    /// Check the proof of a safe program again
    #[arg(long, help_heading = DECIDED)]
    pub certify: bool,
    /// Check this verification witness (YAML, format 2.0): confirmed, refuted or unknown
    #[arg(long, value_name = "FILE.yml", help_heading = CHECKED, hide_short_help = true, conflicts_with_all = ["check_all", "write_witness", "each_function"])]
    pub validate_witness: Option<PathBuf>,
    /// How much may be spent.
    #[command(flatten)]
    pub limits: Limits,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
    /// Explain an UNKNOWN answer
    ///
    /// Shows what was tried, where it got stuck, and what to try next
    #[arg(long, help_heading = "Output")]
    pub explain_unknown: bool,
    /// Write the result as JSON to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write the result as an HTML page to this file
    ///
    /// The file is self-contained
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// With --html: also show the abstraction statement by statement (weakest preconditions, cubes, states), for
    /// teaching
    #[arg(long, requires = "html", help_heading = "Output", hide_short_help = true)]
    pub html_full: bool,
    /// Write the result as SARIF 2.1.0 to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,
    /// Write a verification witness of the error or the proof to this file
    #[arg(long, value_name = "FILE.yml", help_heading = "Output", hide_short_help = true)]
    pub write_witness: Option<PathBuf>,
    /// Format of --write-witness
    #[arg(long, value_name = "FORMAT", default_value = "yaml", value_parser = choice(Format::ALL), requires = "write_witness", help_heading = "Output", hide_short_help = true)]
    pub witness_format: Format,
    /// Write a C harness with the inputs of the error, to compile with the program, to this file
    #[arg(long, value_name = "FILE.c", help_heading = "Output", hide_short_help = true)]
    pub harness: Option<PathBuf>,
    /// Write each iteration's predicates, boolean program, trace and refinement below this directory
    #[arg(long, value_name = "DIR", help_heading = "Output", hide_short_help = true)]
    pub save: Option<PathBuf>,
    /// Write the final predicates to this file, in the form that --predicates reads
    #[arg(long, value_name = "FILE", help_heading = "Output", hide_short_help = true)]
    pub dump_predicates: Option<PathBuf>,
    /// Write the invariants proved at loops to this file, in the form that --invariants reads
    #[arg(long, value_name = "FILE", help_heading = "Output", hide_short_help = true)]
    pub dump_invariants: Option<PathBuf>,
}

/// Which checks are decided.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = CHECKED)]
pub(crate) struct Selection {
    /// Decide every check instead of stopping at the first that fails
    #[arg(long = "keep-going", alias = "check-all")]
    pub check_all: bool,
    /// Decide only the checks on this line (12, or list.c:12)
    ///
    /// The others are assumed to hold
    #[arg(long, value_name = "LINE", action = ArgAction::Append)]
    pub only: Vec<String>,
}

/// Options of the abstraction-refinement loop.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = DECIDED)]
pub(crate) struct Refinement {
    /// Start with the predicates in this file
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub predicates: Option<PathBuf>,
    /// Try to prove the invariants in this file first, one a line: sum.c:12: i <= n
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub invariants: Option<PathBuf>,
    /// Keep the prover's answers about the abstraction in this file, for later runs
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub query_cache: Option<PathBuf>,
    /// How predicates are found
    #[arg(long, default_value = "auto", value_parser = Refiner::parser())]
    pub refiner: Refiner,
    /// Length of the longest conjunctions of predicates in the abstraction
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub max_cube: usize,
    /// Stop after this many iterations
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_iterations: usize,
    /// How integers are modelled
    #[arg(long, value_enum, default_value_t)]
    pub integers: Integers,
    /// What is abstracted as one step
    #[arg(long, value_name = "WHAT", default_value = "loops", value_parser = choice(BLOCKS))]
    pub blocks: Blocks,
    /// Error paths that each iteration learns from
    #[arg(long, value_name = "WHICH", default_value = "around", value_parser = choice(PATHS))]
    pub paths: Paths,
    /// Methods, and sources of candidates for invariants, that are not used, comma separated
    #[arg(long, value_name = "LIST", default_value = "nothing", value_delimiter = ',', value_parser = choice(left_out()))]
    pub without: Vec<LeftOut>,
}

impl Refinement {
    /// What the options say.
    pub(crate) fn options(&self) -> verify::Options<'static> {
        let (refiners, loops_when_due) = match self.refiner {
            Refiner::Auto => (newton::Refiner::IN_TURN.to_vec(), true),
            Refiner::One(refiner) => (vec![refiner], false),
            Refiner::Off => (vec![], false),
        };
        let in_loop = verify::cegar::Options {
            methods: self.methods(),
            sources: self.sources(),
            refiners,
            loops_when_due,
            blocks: self.blocks,
            paths: self.paths,
            iterations: self.max_iterations,
            ..verify::cegar::Options::default()
        };
        verify::Options { in_loop, max_cube: self.max_cube, ..verify::Options::default() }
    }

    /// The methods that are used.
    pub(crate) fn methods(&self) -> BTreeSet<Method> {
        Method::ALL.into_iter().filter(|method| !self.without.contains(&LeftOut::Method(*method))).collect()
    }

    /// The sources of candidates that are used.
    fn sources(&self) -> BTreeSet<Source> {
        let is_used = |source: &Source| !self.without.contains(&LeftOut::Source(*source));
        Source::CANDIDATES.into_iter().filter(is_used).collect()
    }
}

/// A word of `--tune without=LIST`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LeftOut {
    /// Nothing.
    Nothing,
    /// A method.
    Method(Method),
    /// A source of candidates.
    Source(Source),
}

/// The words of `--tune without=LIST`. Without the abstraction there is no loop, and that a defined execution reaches a check is
/// part of the answer.
fn left_out() -> impl Iterator<Item = Choice<LeftOut>> {
    let method = |method: Method| (method.name(), method.description(), LeftOut::Method(method));
    let source = |source: Source| (source.name(), source.description(), LeftOut::Source(source));
    let methods =
        Method::ALL.into_iter().filter(|m| !matches!(m, Method::Abstraction | Method::Defined)).map(method);
    let nothing = ("nothing", "All are used", LeftOut::Nothing);
    [nothing].into_iter().chain(methods).chain(Source::CANDIDATES.into_iter().map(source))
}

/// Who finds predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refiner {
    /// Each in turn.
    Auto,
    /// This one.
    One(newton::Refiner),
    /// Nobody: the abstraction over the predicates given is made as precise as it needs to be.
    Off,
}

impl Refiner {
    fn parser() -> impl TypedValueParser<Value = Refiner> {
        let one = |r: newton::Refiner| (r.short_name(), r.description(), Refiner::One(r));
        let none =
            "None: only the predicates given; the abstraction over them is made as precise as it needs to be";
        let auto = ("auto", "Each of the others in turn", Refiner::Auto);
        choice([auto].into_iter().chain(newton::Refiner::ALL.map(one)).chain([("off", none, Refiner::Off)]))
    }
}

/// The words of --paths.
const PATHS: [Choice<Paths>; 3] = [
    ("first", "One path", Paths::First),
    ("checks", "One to each of some other checks as well", Paths::Checks),
    ("around", "Also paths that avoid the conflict that refuted the first ones", Paths::Around),
];

/// The option, hidden from help where a key of `--tune` stands for it.
fn without_tuned(arg: Arg) -> Arg {
    let is_tuned = arg.get_long().is_some_and(is_tuned);
    if is_tuned { arg.hide(true) } else { arg }
}
