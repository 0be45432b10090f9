//! What is asked: labels and assertions, each with its name, its place and the vertices that it stands for.
//!
//! A label may stand twice in a procedure, and the procedure that starts may be in the graph twice: what has one name
//! is one target.

use crate::Question;
use base::{SourceMap, Span};
use bp::{Cfg, StmtId, VertexId};
use cli::models::Asserts;
use std::collections::BTreeMap;

/// A label or an assertion.
pub(crate) struct Target {
    /// `L`, `f:L`, or `assertion at FILE:LINE`.
    pub(crate) name: String,
    /// The label, if it is one.
    pub(crate) label: Option<String>,
    /// The name of its procedure, unless a label stands in several.
    pub(crate) procedure: Option<String>,
    pub(crate) place: Option<Span>,
    /// The statement of an assertion.
    pub(crate) stmt: Option<StmtId>,
    pub(crate) vertices: Vec<VertexId>,
}

impl Target {
    pub(crate) fn is_assertion(&self) -> bool {
        self.stmt.is_some()
    }
}

/// What the command line asks, in the order of the text.
///
/// # Errors
/// A label that is nowhere.
pub(crate) fn targets(question: &Question, sources: &SourceMap, cfg: &Cfg) -> Result<Vec<Target>, String> {
    let mut targets = vec![];
    for label in &question.labels {
        let vertices = cfg.find_label(label);
        if vertices.is_empty() {
            return Err(bebop::Stopped::NoSuchLabel(label.clone()).to_string());
        }
        if !targets.iter().any(|t: &Target| t.name == *label) {
            targets.push(of_label(cfg, label.clone(), label.clone(), vertices));
        }
    }
    if question.all && question.labels.is_empty() {
        targets.extend(labels(cfg));
    }
    if question.asserts == Asserts::Check && (question.labels.is_empty() || question.assertions) {
        targets.extend(assertions(sources, cfg));
    }
    targets.sort_by_key(|t| (t.place, t.vertices[0]));
    Ok(targets)
}

fn of_label(cfg: &Cfg, name: String, label: String, vertices: Vec<VertexId>) -> Target {
    let procedures = vertices.iter().map(|v| &cfg.procs[cfg.vertices[*v].proc].name);
    let first = procedures.clone().next();
    let one = first.filter(|first| procedures.clone().all(|p| p == *first));
    let procedure = one.map(ToString::to_string);
    Target {
        name,
        label: Some(label),
        procedure,
        place: cfg.vertices[vertices[0]].loc.0,
        stmt: None,
        vertices,
    }
}

/// All labels, each in its procedure.
fn labels(cfg: &Cfg) -> Vec<Target> {
    let mut places: BTreeMap<(&str, &str), Vec<VertexId>> = BTreeMap::new();
    for (id, vertex) in cfg.vertices.iter_enumerated() {
        for label in &vertex.labels {
            let procedure = cfg.procs[vertex.proc].name.as_str();
            places.entry((label.as_str(), procedure)).or_default().push(id);
        }
    }
    let mut procedures: BTreeMap<&str, usize> = BTreeMap::new();
    for (label, _) in places.keys() {
        *procedures.entry(label).or_default() += 1;
    }
    let target = |((label, procedure), vertices): (&(&str, &str), &Vec<VertexId>)| {
        let name = if procedures[label] == 1 { (*label).to_owned() } else { format!("{procedure}:{label}") };
        of_label(cfg, name, (*label).to_owned(), vertices.clone())
    };
    places.iter().map(target).collect()
}

fn assertions(sources: &SourceMap, cfg: &Cfg) -> Vec<Target> {
    let mut places: BTreeMap<StmtId, Vec<VertexId>> = BTreeMap::new();
    for id in cfg.failures() {
        places
            .entry(cfg.vertices[id].kind.stmt().expect("a failure belongs to a statement"))
            .or_default()
            .push(id);
    }
    let mut on_line: BTreeMap<_, usize> = BTreeMap::new();
    let place = |vertices: &Vec<VertexId>| cfg.vertices[vertices[0]].loc.0;
    for span in places.values().filter_map(place) {
        *on_line.entry((span.file, span.start.line)).or_default() += 1;
    }
    let target = |(stmt, vertices): (&StmtId, &Vec<VertexId>)| {
        let span = place(vertices);
        let name = match span {
            None => "assertion".to_owned(),
            Some(span) if on_line[&(span.file, span.start.line)] > 1 => {
                format!("assertion at {}", sources.long(span))
            }
            Some(span) => format!("assertion at {}", sources.short(span)),
        };
        let procedure = Some(cfg.procs[cfg.vertices[vertices[0]].proc].name.to_string());
        Target { name, label: None, procedure, place: span, stmt: Some(*stmt), vertices: vertices.clone() }
    };
    places.iter().map(target).collect()
}
