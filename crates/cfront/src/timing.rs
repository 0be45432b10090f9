//! Times of the stages of the front end, for its bench. Results never depend on time.

use crate::error::{Failure, Res};
use crate::load;
use crate::options::Options;
use crate::syntax::parse;
use crate::text::{input, repair};
use base::SourceMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Times and sizes of one run of the front end.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Reading, preprocessing and the line tables.
    pub read: Duration,
    /// The repairs of tokens.
    pub repair: Duration,
    /// lang-c.
    pub parse: Duration,
    /// Types and lowering, with the models of the library that are used.
    pub lower: Duration,
    /// Bytes of preprocessed text.
    pub bytes: usize,
    /// Lines of preprocessed text.
    pub lines: usize,
    /// Tokens of the text.
    pub tokens: usize,
    /// Procedures with a body in the result.
    pub procedures: usize,
    /// Edges in the result.
    pub edges: usize,
}

/// Runs the front end as [`crate::load`] does and measures the time of each stage.
///
/// # Errors
/// Those of [`crate::load`].
pub fn profile(files: &[PathBuf], options: &Options) -> Result<Profile, Failure> {
    let mut sources = SourceMap::new();
    stages(files, options, &mut sources).map_err(|stop| Failure {
        kind: stop.kind,
        diagnostics: stop.diagnostics,
        sources,
    })
}

fn stages(files: &[PathBuf], options: &Options, sources: &mut SourceMap) -> Res<Profile> {
    let mut out = Profile::default();
    let mut parsed = vec![];
    for file in files.iter().chain(&options.models) {
        let start = Instant::now();
        let text = input::read(file, options, sources)?;
        out.read += start.elapsed();
        out.bytes += text.text.len();
        out.lines += text.text.lines().count();
        out.tokens += crate::text::lex::lex(&text.text).tokens.len();
        let start = Instant::now();
        let repaired = repair::repair(&text)?;
        out.repair += start.elapsed();
        let start = Instant::now();
        parsed.push(parse::parse(text, repaired)?);
        out.parse += start.elapsed();
    }
    let start = Instant::now();
    let lowered = load::lower(parsed, files.len(), options, sources)?;
    out.lower = start.elapsed();
    let procs = lowered.program.procs.iter().filter(|p| p.has_body);
    (out.procedures, out.edges) = procs.fold((0, 0), |(n, e), p| (n + 1, e + p.edges.len()));
    Ok(out)
}
