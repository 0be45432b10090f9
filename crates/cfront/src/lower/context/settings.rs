//! What is fixed before the lowering begins.

use crate::library::environment::Environment;
use crate::library::models::Used;
use crate::options::Options;
use crate::types::ty::IntTy;
use ir::DataModel;

/// The options, and what the text of the program uses.
///
/// Invariant: nothing of it changes while a program is lowered, so each part of the context has a copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings<'a> {
    pub(crate) options: &'a Options,
    /// Widths of C's types, as in the options.
    pub(crate) model: DataModel,
    pub(crate) uses: Uses,
}

/// Functions and objects of the library that the program uses, by the words of its text; more than it uses when
/// in doubt.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Uses {
    /// The program reads or writes `errno`.
    pub(crate) errno: bool,
    /// The program prints lists of arguments.
    pub(crate) printed_lists: bool,
    /// The program may set a locale.
    pub(crate) locale: bool,
    /// The program may call `atexit`.
    pub(crate) atexit: bool,
    /// The program starts threads.
    pub(crate) threads: bool,
    /// How the program uses the environment.
    pub(crate) environment: Environment,
}

impl Uses {
    /// What the program uses whose names these are.
    pub(crate) fn of(used: &Used) -> Uses {
        Uses {
            errno: used.in_bodies("__errno_location"),
            printed_lists: crate::library::formats::check::LIST_PRINTERS
                .iter()
                .any(|name| used.in_bodies(name)),
            locale: ["setlocale", "uselocale"].iter().any(|name| used.in_bodies(name)),
            atexit: used.in_bodies("atexit"),
            threads: crate::library::threads::starts_threads(used),
            environment: Environment::of(used),
        }
    }
}

impl<'a> Settings<'a> {
    /// The settings for a program with these uses.
    pub(crate) fn new(options: &'a Options, uses: Uses) -> Settings<'a> {
        Settings { options, model: options.data_model, uses }
    }

    /// The type of sizes.
    pub(crate) fn size_ty(&self) -> IntTy {
        IntTy::size(self.model)
    }
}
