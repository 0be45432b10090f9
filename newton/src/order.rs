//! The order in which the refiners are tried on a path, and on how many paths, for the loop of `slam check` and the
//! `newton` command.

use crate::{Refiner, Refuted};
use std::collections::BTreeMap;

/// What is known of the program of a path (see [`crate::identity`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// One of its paths was refuted by itself.
    Met,
    /// Invariants of its loops were looked for.
    Tried,
}

/// The refiners to try on a path, in order. A path that differs from an earlier one in how often it goes round its loops
/// is refuted by invariants of these, so that it does not come back with one more turn. Recursion is refuted by
/// summaries at once: what a path says of one depth is of no use for the next.
pub fn in_order(refuted: &Refuted<'_>, refiners: &[Refiner], seen: &mut BTreeMap<u64, Seen>) -> Vec<Refiner> {
    let mut refiners = refiners.to_vec();
    let id = refuted.identity();
    let before = id.and_then(|id| seen.get(&id).copied());
    let due = before == Some(Seen::Met) || before.is_none() && refuted.is_recursive();
    let next = if before.is_none() && !due { Seen::Met } else { Seen::Tried };
    if let Some(id) = id {
        seen.insert(id, next);
    }
    if due {
        refiners.insert(0, Refiner::Loops);
    }
    refiners
}

/// How many paths besides the first are analysed in the first iteration.
pub const FIRST_PATHS: usize = 2;

/// The most paths besides the first.
const MOST_PATHS: usize = 1_024;

/// How many paths besides the first are analysed the next time: more if all of them gave something new, fewer if some
/// (`idle`) did not.
pub fn next_paths(paths: usize, idle: usize) -> usize {
    if idle == 0 { (2 * paths).min(MOST_PATHS) } else { (paths / 2).max(1) }
}

#[cfg(test)]
mod tests {
    use super::next_paths;

    /// A loop of a hundred iterations, each of which gives something new, does not run out of numbers.
    #[test]
    fn paths_do_not_grow_for_ever() {
        let paths = (0..100).fold(2, |paths, _| next_paths(paths, 0));
        assert_eq!(paths, super::MOST_PATHS);
        assert_eq!((next_paths(paths, 1), next_paths(1, 1)), (paths / 2, 1));
    }
}
