//! What the tests share.

use base::SourceMap;
use std::sync::atomic::AtomicBool;
use zing::code::Code;
use zing::{Answer, Answers, Options, Outcome, Overrides, compile, parse};

pub(crate) static RUN: AtomicBool = AtomicBool::new(false);

pub(crate) const MODES: [Answers; 3] = [Answers::None, Answers::Visible, Answers::Patterns];

/// The compiled form of a text, or the messages about it.
pub(crate) fn compiled(text: &str, overrides: &Overrides) -> Result<Code, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("test.zn", Some(text.into()));
    let program = parse(text, file).map_err(|e| e.render(&sources))?;
    compile(&program, overrides).map_err(|es| es.iter().map(|e| e.render(&sources)).collect())
}

pub(crate) fn code(text: &str) -> Code {
    compiled(text, &Overrides::new()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// An example of the repository.
pub(crate) fn example(name: &str) -> String {
    let path = format!("{}/../examples/references/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

pub(crate) fn run(code: &Code, summaries: Answers) -> Outcome {
    zing::check(code, &Options { summaries, max_states: 2_000_000, ..Options::new(&RUN) })
}

pub(crate) fn fails(outcome: &Outcome) -> Option<bool> {
    outcome.answer.as_ref().ok().map(|a| matches!(a, Answer::Fails { .. }))
}
