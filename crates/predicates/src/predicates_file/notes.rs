//! What newton notes beside the predicates, for the next path: `@paths 2;`, `@met 1f03ab22c4d5e6f7;`. Nothing else
//! depends on it.

use super::{Mark, pieces, without_comments};
use std::fmt;

/// A note.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// How many paths besides the first are analysed.
    Paths(usize),
    /// A path with this program was refuted by itself.
    Met(u64),
    /// Invariants of the loops of this program were looked for.
    Tried(u64),
}

/// What a note looks like, for messages.
pub(super) const FORMS: &str = "`@paths NUMBER`, `@met HEX` and `@tried HEX`";

impl Note {
    /// Reads a note; `None` when it is none.
    pub(super) fn parse(text: &str) -> Option<Note> {
        let (name, value) = text.strip_prefix('@')?.split_once(' ')?;
        let id = || u64::from_str_radix(value.trim(), 16).ok();
        match name {
            "paths" => value.trim().parse().ok().filter(|n| 0 < *n).map(Note::Paths),
            "met" => id().map(Note::Met),
            "tried" => id().map(Note::Tried),
            _ => None,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Paths(n) => write!(f, "@paths {n};"),
            Note::Met(id) => write!(f, "@met {id:016x};"),
            Note::Tried(id) => write!(f, "@tried {id:016x};"),
        }
    }
}

/// The notes of a text that [`super::parse`] has taken, in order.
pub fn notes(text: &str) -> Vec<Note> {
    let text = without_comments(text);
    let (mut inside, mut out) = (false, vec![]);
    for piece in pieces(&text) {
        out.extend(Note::parse(piece.text).filter(|_| !inside));
        match piece.mark {
            Mark::Open => inside = true,
            Mark::Close => inside = false,
            Mark::Semicolon | Mark::Line | Mark::End => {}
        }
    }
    out
}
