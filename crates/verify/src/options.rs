//! How checks are decided.

use crate::cegar::{self, Knowledge};
use base::FileId;
use passes::Settings;

/// See the module's documentation. The default is what `slam check` does.
#[derive(Clone)]
pub struct Options<'a> {
    /// How the loop works, and which methods may be used. Limits that depend on the checks are set for each run of the loop:
    /// `all_candidates`, `is_answered`, `patience` and `hurried` are not read.
    pub in_loop: cegar::Options,
    /// Length of the longest cubes.
    pub max_cube: usize,
    /// The text of a file of predicates with which the loop begins, and the file.
    pub predicates: Option<(FileId, &'a str)>,
    /// The work ends where another variant of the program may help, with its objects as bytes, if the methods have that.
    pub until_bytes: bool,
    /// What the passes behind [`Stage::Whole`](passes::Stage::Whole) do with programs that are made from this one.
    pub settings: Settings,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            in_loop: cegar::Options::default(),
            max_cube: Knowledge::MAX_CUBE,
            predicates: None,
            until_bytes: false,
            settings: Settings::default(),
        }
    }
}
