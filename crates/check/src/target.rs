//! Targets of questions: labels and assertions, each with its name, its place and the vertices that it stands for.
//!
//! A label may stand twice in a procedure, and the procedure that starts may be in a graph twice, or in the
//! graphs of several threads: all places of one name are one target.

use base::{SourceMap, Span};
use bp::{Cfg, StmtId, VertexId};
use std::collections::BTreeMap;
use std::fmt;

/// A vertex, with the number of the graph that it belongs to ([`bp::System::codes`]; 0 in sequential programs).
pub type Goal = (usize, VertexId);

/// A label or an assertion.
#[derive(Clone, Debug)]
pub struct Target {
    /// `L`, `f:L`, or `assertion at FILE:LINE`.
    pub name: String,
    /// The label, if it is one.
    pub label: Option<String>,
    /// The name of its procedure, unless a label stands in several.
    pub procedure: Option<String>,
    /// Its place.
    pub place: Option<Span>,
    /// The statement of an assertion.
    pub stmt: Option<StmtId>,
    /// The vertices.
    pub goals: Vec<Goal>,
}

/// The targets of a question.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// These labels, L or PROCEDURE:L.
    pub labels: &'a [String],
    /// All labels, each in its procedure.
    pub all_labels: bool,
    /// All assertions.
    pub assertions: bool,
}

/// No statement has the label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSuchLabel(pub String);

impl fmt::Display for NoSuchLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no label `{}`", self.0)
    }
}

impl Target {
    /// Whether it is an assertion.
    pub fn is_assertion(&self) -> bool {
        self.stmt.is_some()
    }

    fn label(graphs: &[&Cfg], name: String, label: String, goals: Vec<Goal>) -> Target {
        let procedures = goals.iter().map(|(g, v)| &graphs[*g].procs[graphs[*g].vertices[*v].proc].name);
        let first = procedures.clone().next();
        let one = first.filter(|first| procedures.clone().all(|p| p == *first));
        let procedure = one.map(ToString::to_string);
        Target { name, label: Some(label), procedure, place: place(graphs, &goals), stmt: None, goals }
    }
}

/// The place of the first of the vertices.
fn place(graphs: &[&Cfg], goals: &[Goal]) -> Option<Span> {
    let (graph, vertex) = goals[0];
    graphs[graph].vertices[vertex].loc.0
}

/// The targets in these graphs, in the order of the text.
///
/// # Errors
/// A label that is nowhere.
pub fn targets(asked: Asked<'_>, sources: &SourceMap, graphs: &[&Cfg]) -> Result<Vec<Target>, NoSuchLabel> {
    let mut targets: Vec<Target> = vec![];
    for label in asked.labels {
        let found = graphs.iter().enumerate().flat_map(|(g, cfg)| with_graph(g, cfg.find_label(label)));
        let goals: Vec<Goal> = found.collect();
        if goals.is_empty() {
            return Err(NoSuchLabel(label.clone()));
        }
        if !targets.iter().any(|t| t.name == *label) {
            targets.push(Target::label(graphs, label.clone(), label.clone(), goals));
        }
    }
    if asked.all_labels {
        targets.extend(labels(graphs));
    }
    if asked.assertions {
        targets.extend(assertions(sources, graphs));
    }
    targets.sort_by_key(|t| (t.place, t.goals[0]));
    Ok(targets)
}

fn with_graph(graph: usize, vertices: Vec<VertexId>) -> impl Iterator<Item = Goal> {
    vertices.into_iter().map(move |v| (graph, v))
}

fn labels(graphs: &[&Cfg]) -> Vec<Target> {
    let mut places: BTreeMap<(&str, &str), Vec<Goal>> = BTreeMap::new();
    for (g, cfg) in graphs.iter().enumerate() {
        for (id, vertex) in cfg.vertices.iter_enumerated() {
            for label in &vertex.labels {
                let procedure = cfg.procs[vertex.proc].name.as_str();
                places.entry((label.as_str(), procedure)).or_default().push((g, id));
            }
        }
    }
    let mut procedures: BTreeMap<&str, usize> = BTreeMap::new();
    for (label, _) in places.keys() {
        *procedures.entry(label).or_default() += 1;
    }
    let target = |((label, procedure), goals): (&(&str, &str), &Vec<Goal>)| {
        let name = if procedures[label] == 1 { (*label).to_owned() } else { format!("{procedure}:{label}") };
        Target::label(graphs, name, (*label).to_owned(), goals.clone())
    };
    places.iter().map(target).collect()
}

fn assertions(sources: &SourceMap, graphs: &[&Cfg]) -> Vec<Target> {
    let mut places: BTreeMap<StmtId, Vec<Goal>> = BTreeMap::new();
    for (g, cfg) in graphs.iter().enumerate() {
        for (graph, v) in with_graph(g, cfg.failures()) {
            let stmt = cfg.vertices[v].kind.stmt().expect("a failure belongs to a statement");
            places.entry(stmt).or_default().push((graph, v));
        }
    }
    let mut on_line: BTreeMap<_, usize> = BTreeMap::new();
    for span in places.values().filter_map(|goals| place(graphs, goals)) {
        *on_line.entry((span.file, span.start.line)).or_default() += 1;
    }
    let target = |(stmt, goals): (&StmtId, &Vec<Goal>)| {
        let span = place(graphs, goals);
        let name = match span {
            None => "assertion".to_owned(),
            Some(span) if on_line[&(span.file, span.start.line)] > 1 => {
                format!("assertion at {}", sources.long(span))
            }
            Some(span) => format!("assertion at {}", sources.short(span)),
        };
        let (graph, vertex) = goals[0];
        let procedure = graphs[graph].procs[graphs[graph].vertices[vertex].proc].name.to_string();
        let procedure = Some(procedure);
        Target { name, label: None, procedure, place: span, stmt: Some(*stmt), goals: goals.clone() }
    };
    places.iter().map(target).collect()
}
