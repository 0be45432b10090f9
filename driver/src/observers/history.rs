//! The iterations in results: their figures, and for pages their details.

use super::refuted;
use bp::Program;
use serde_json::Value;

/// Longest text that is kept of one iteration, and of all together.
const LONGEST: usize = 300_000;
const ROOM: usize = 4 << 20;

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct History {
    iterations: Vec<Value>,
    /// Texts are wanted.
    full: bool,
    /// Those of the iteration at work, by the names that results give them.
    texts: Vec<(&'static str, String)>,
    /// Why the path of the iteration at work cannot be executed.
    why: Option<Value>,
    kept: usize,
}

impl History {
    /// The history of a run, with texts where they are wanted.
    pub(crate) fn new(full: bool) -> History {
        History { full, ..History::default() }
    }

    /// Whether there was no iteration.
    pub(crate) fn is_empty(&self) -> bool {
        self.iterations.is_empty()
    }

    /// As results have it.
    pub(crate) fn into_json(self) -> Value {
        Value::Array(self.iterations)
    }

    /// A boolean program was made, after this one.
    pub(super) fn abstracted(&mut self, before: Option<&Program>, program: &Program) {
        if self.full {
            self.texts.clear();
            self.why = None;
            self.keep("abstraction", bp::print(program));
            if let Some(before) = before {
                self.keep("changes", c2bp::diff::diff(before, program));
            }
        }
    }

    /// A path was refuted, and why.
    pub(super) fn refuted(&mut self, path: impl FnOnce() -> String, why: impl FnOnce() -> Value) {
        if self.full {
            self.texts.retain(|(name, _)| *name != "path");
            self.keep("path", path());
            self.why = Some(why());
        }
    }

    fn keep(&mut self, name: &'static str, text: String) {
        if text.len() <= LONGEST {
            self.texts.push((name, text));
        }
    }

    /// An iteration has ended, with these figures; `found` are the predicates of the path, each with the step that needs it.
    pub(super) fn iteration(&mut self, mut figures: Value, found: &[(usize, String)]) {
        if let Some(why) = self.why.take() {
            let why = refuted::with_predicates(why, found);
            let size = why.to_string().len();
            if self.kept + size <= ROOM {
                self.kept += size;
                figures["refuted"] = why;
            }
        }
        for (name, text) in self.texts.drain(..) {
            if self.kept + text.len() <= ROOM {
                self.kept += text.len();
                figures[name] = text.into();
            }
        }
        self.iterations.push(figures);
    }
}
