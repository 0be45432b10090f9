//! The options of `slam rules`.

use clap::Subcommand;
use std::path::PathBuf;

/// `slam rules`.
#[derive(Subcommand, Clone, Debug)]
pub(crate) enum Rules {
    /// List the rules of the library, each with its summary
    #[command(after_help = "Examples:
  slam rules list
  slam rules list linux

Exit codes: 0 done, 1 usage.")]
    List {
        /// List only rules whose names contain this word
        #[arg(value_name = "WORD")]
        word: Option<String>,
    },
    /// Print the text of a rule of the library
    #[command(after_help = "Examples:
  slam rules show linux/mutex
  slam rules show linux/mutex > mine.slic && slam check --rule mine.slic driver.c

Exit codes: 0 done, 1 usage.")]
    Show {
        /// Name of the rule
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Check that files of rules are well-formed
    #[command(after_help = "Examples:
  slam rules check mine.slic

Whether a rule fits a program, such as the number of arguments of a function, is told by slam check --rule.

Exit codes: 0 all are, 2 some is not, 1 usage.")]
    Check {
        /// Rule files
        #[arg(value_name = "FILE.slic", required = true)]
        files: Vec<PathBuf>,
    },
}
