//! The options of `slam rules`.

use clap::Subcommand;
use std::path::PathBuf;

/// `slam rules`.
#[derive(Subcommand, Clone, Debug)]
pub(crate) enum Rules {
    /// List the rules of the library, each with its first sentence
    #[command(after_help = "Examples:
  slam rules list
  slam rules list linux

Exit codes: 0 done, 1 usage.")]
    List {
        /// Only those whose names contain this word
        #[arg(value_name = "WORD")]
        word: Option<String>,
    },
    /// Print the text of a rule of the library, to read or to change
    #[command(after_help = "Examples:
  slam rules show linux/mutex
  slam rules show linux/mutex > mine.slic && slam check --rule mine.slic driver.c

Exit codes: 0 done, 1 usage.")]
    Show {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Check that files of rules are well-formed
    #[command(after_help = "Examples:
  slam rules check mine.slic

Whether a rule fits a program, such as the number of arguments of a function, is told by slam check --rule.

Exit codes: 0 all are, 2 some is not, 1 usage.")]
    Check {
        /// Files of rules
        #[arg(value_name = "FILE.slic", required = true)]
        files: Vec<PathBuf>,
    },
}
