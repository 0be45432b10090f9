//! C programs that try to mislead the checker, in pairs: in the first one the assertion holds for every input, in the
//! second one it fails for exactly one.
//!
//! How it turns out is known from how a program is made, and [`native`] sees it again in compiled runs with every
//! input. A program's meaning depends on nothing that C leaves undefined; where C leaves the order of evaluation open,
//! "holds" means in every order and "broken" in one.

mod access;
mod calls;
mod copies;
mod integers;
mod lifetimes;
pub mod native;
mod objects;
mod order;
mod pointers;
mod program;
mod scenario;
mod types;
mod walks;

use program::Draft;
pub use program::{Input, Program};

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $draw:path,)*) => {
        /// What a program is about.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        /// All of them.
        pub const KINDS: &[Kind] = &[$(Kind::$name,)*];

        fn draw(kind: Kind, draft: &mut Draft) -> Vec<i64> {
            match kind {
                $(Kind::$name => $draw(draft),)*
            }
        }
    };
}

kinds! {
    /// Members of structures.
    Parts = objects::parts,
    /// Rows of matrices.
    Matrices = objects::matrices,
    /// Unions.
    Unions = objects::unions,
    /// Members and the structures they are in.
    Containers = objects::containers,
    /// Structures of different layout over the same bytes.
    Views = objects::views,
    /// Allocated blocks.
    Blocks = objects::blocks,
    /// Loops over elements and bytes.
    Walks = walks::walks,
    /// Copied bytes.
    Copies = copies::copies,
    /// The order of evaluation.
    Order = order::order,
    /// Calls through pointers.
    Calls = calls::calls,
    /// Objects that come and go.
    Lifetimes = lifetimes::lifetimes,
    /// Conversions of integers.
    Integers = integers::integers,
    /// Pointers to pointers, lists and tables.
    Pointers = pointers::pointers,
}

/// Two programs: the one that holds, and the one that is broken. Kinds take turns.
pub fn pair(seed: u64) -> [Program; 2] {
    let kind = KINDS[(seed % KINDS.len() as u64) as usize];
    let mut draft = Draft::new(seed, kind);
    let failing = draw(kind, &mut draft);
    draft.finish(&failing)
}
