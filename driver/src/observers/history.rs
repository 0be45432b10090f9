//! The iterations in results: their figures, and for pages their details.

use super::refuted;
use bp::Program;
use results::history::{Iteration, Refuted};

/// Longest text that is kept of one iteration, and of all together.
const LONGEST: usize = 300_000;
const ROOM: usize = 4 << 20;

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct History {
    iterations: Vec<Iteration>,
    /// Texts are wanted.
    full: bool,
    /// Those of the iteration at work: the boolean program, what has changed in it, the path, and why it cannot be
    /// executed.
    abstraction: Option<String>,
    changes: Option<String>,
    path: Option<String>,
    why: Option<Refuted>,
    kept: usize,
}

impl History {
    /// The history of a run, with texts where they are wanted.
    pub(crate) fn new(full: bool) -> History {
        History { full, ..History::default() }
    }

    /// The iterations.
    pub(crate) fn into_iterations(self) -> Vec<Iteration> {
        self.iterations
    }

    /// A boolean program was made, after this one.
    pub(super) fn abstracted(&mut self, before: Option<&Program>, program: &Program) {
        if self.full {
            (self.path, self.why) = (None, None);
            self.abstraction = short(bp::print(program));
            self.changes = before.and_then(|before| short(c2bp::diff::diff(before, program)));
        }
    }

    /// A path was refuted, and why.
    pub(super) fn refuted(&mut self, path: impl FnOnce() -> String, why: impl FnOnce() -> Refuted) {
        if self.full {
            self.path = short(path());
            self.why = Some(why());
        }
    }

    /// An iteration has ended, with these figures; `found` are the predicates of the path, each with the step that needs it.
    pub(super) fn iteration(&mut self, mut figures: Iteration, found: &[(usize, String)]) {
        if let Some(mut why) = self.why.take() {
            refuted::add_predicates(&mut why, found);
            let size = results::line(&why).len();
            figures.refuted = self.room(size).then_some(why);
        }
        figures.abstraction = self.abstraction.take().filter(|text| self.room(text.len()));
        figures.changes = self.changes.take().filter(|text| self.room(text.len()));
        figures.path = self.path.take().filter(|text| self.room(text.len()));
        self.iterations.push(figures);
    }

    /// Takes so much of the room, if it is there.
    fn room(&mut self, size: usize) -> bool {
        let is_there = self.kept + size <= ROOM;
        self.kept += if is_there { size } else { 0 };
        is_there
    }
}

/// A text that is not too long to be kept.
fn short(text: String) -> Option<String> {
    (text.len() <= LONGEST).then_some(text)
}
