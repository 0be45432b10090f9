//! What is asked: labels and assertions, each with its name and the vertices that it stands for, in all threads' codes.

use crate::Question;
use base::SourceMap;
use bp::{StmtId, VertexId};
use cli::models::Asserts;
use interleave::System;
use std::collections::BTreeMap;

/// A label or an assertion.
pub(crate) struct Target {
    /// `L`, `f:L`, or `assertion at FILE:LINE`.
    pub(crate) name: String,
    /// Whether it is an assertion.
    pub(crate) is_assertion: bool,
    /// Vertices, each with the number of its code.
    pub(crate) vertices: Vec<(usize, VertexId)>,
}

/// What the command line asks, in the order of the text.
///
/// # Errors
/// A label that is nowhere.
pub(crate) fn targets(
    question: &Question,
    sources: &SourceMap,
    system: &System,
) -> Result<Vec<Target>, String> {
    let codes = || system.codes.iter().enumerate();
    let mut out: Vec<Target> = vec![];
    for label in &question.labels {
        let found = codes().flat_map(|(c, code)| code.cfg.find_label(label).into_iter().map(move |v| (c, v)));
        let vertices: Vec<(usize, VertexId)> = found.collect();
        if vertices.is_empty() {
            return Err(bebop::Stopped::NoSuchLabel(label.clone()).to_string());
        }
        out.push(Target { name: label.clone(), is_assertion: false, vertices });
    }
    if !question.labels.is_empty() || question.asserts == Asserts::Assume {
        return Ok(out);
    }
    // A statement may be in several codes.
    let mut assertions: BTreeMap<StmtId, Vec<(usize, VertexId)>> = BTreeMap::new();
    for (c, code) in codes() {
        for vertex in code.cfg.failures() {
            let stmt = code.cfg.vertices[vertex].kind.stmt().expect("a failure belongs to a statement");
            assertions.entry(stmt).or_default().push((c, vertex));
        }
    }
    for vertices in assertions.into_values() {
        let (code, vertex) = vertices[0];
        let name = match system.codes[code].cfg.vertices[vertex].loc.0 {
            Some(span) => format!("assertion at {}", sources.short(span)),
            None => "assertion".to_owned(),
        };
        out.push(Target { name, is_assertion: true, vertices });
    }
    Ok(out)
}
