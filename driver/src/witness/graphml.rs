//! Witnesses as GraphML, format 1.0: an automaton whose edges match what executions do.
//!
//! An error is a chain of edges to the violation node. A proof is a hub with a node for each loop: entering the loop's head leads
//! to its node, where the invariant stands, and anything else leads back, so that nothing is claimed of other places.

use super::{About, Branch, Content, Invariant, Place, Texts, Waypoint, hashes, yaml};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use std::collections::BTreeMap;
use std::io;

/// The keys of the format that are used: id, name, type, what they are of, default.
const KEYS: [(&str, &str, &str, &str, Option<&str>); 20] = [
    ("witness-type", "witness-type", "string", "graph", None),
    ("sourcecodelang", "sourcecodeLanguage", "string", "graph", None),
    ("producer", "producer", "string", "graph", None),
    ("specification", "specification", "string", "graph", None),
    ("programfile", "programFile", "string", "graph", None),
    ("programhash", "programHash", "string", "graph", None),
    ("architecture", "architecture", "string", "graph", None),
    ("creationtime", "creationTime", "string", "graph", None),
    ("entry", "isEntryNode", "boolean", "node", Some("false")),
    ("violation", "isViolationNode", "boolean", "node", Some("false")),
    ("invariant", "invariant", "string", "node", None),
    ("invariant.scope", "invariant.scope", "string", "node", None),
    ("startline", "startline", "int", "edge", None),
    ("endline", "endline", "int", "edge", None),
    ("control", "control", "string", "edge", None),
    ("assumption", "assumption", "string", "edge", None),
    ("assumption.scope", "assumption.scope", "string", "edge", None),
    ("assumption.resultfunction", "assumption.resultfunction", "string", "edge", None),
    ("enterFunction", "enterFunction", "string", "edge", None),
    ("enterLoopHead", "enterLoopHead", "boolean", "edge", Some("false")),
];

/// The namespaces of the root.
const GRAPHML: &str = "http://graphml.graphdrawing.org/xmlns";
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// What stands below a node or an edge: keys and values.
type Data = Vec<(&'static str, String)>;

/// An edge between two nodes.
struct Arrow {
    from: usize,
    to: usize,
    data: Data,
}

/// The witness as text.
///
/// # Errors
/// What this format cannot say.
pub(super) fn text(content: &Content, about: &About<'_>, texts: &Texts) -> Result<String, String> {
    let hashes = hashes(about.files);
    let [(file, hash)] = &hashes[..] else {
        return Err("a witness of format 1.0 is about one file".into());
    };
    let (kind, nodes, arrows) = match content {
        Content::Violation(segments) => {
            if segments.iter().any(|segment| !segment.avoided.is_empty()) {
                return Err("format 1.0 cannot say what is avoided".into());
            }
            // It has no ways of a switch; without them the witness says less.
            let is_case = |waypoint: &Waypoint| matches!(waypoint, Waypoint::Branching(Branch::Case(_)));
            let passed: Vec<_> =
                segments.iter().map(|segment| &segment.followed).filter(|(_, w)| !is_case(w)).collect();
            let (nodes, arrows) = chain(&passed, texts)?;
            ("violation_witness", nodes, arrows)
        }
        Content::Correctness(invariants) => {
            let (nodes, arrows) = star(invariants);
            ("correctness_witness", nodes, arrows)
        }
    };
    let graph: Data = vec![
        ("witness-type", kind.into()),
        ("sourcecodelang", "C".into()),
        ("producer", format!("slam {}", env!("CARGO_PKG_VERSION"))),
        ("specification", about.specification.clone()),
        ("programfile", file.clone()),
        ("programhash", hash.clone()),
        ("architecture", if about.data_model == "ILP32" { "32bit" } else { "64bit" }.into()),
        ("creationtime", yaml::now()),
    ];
    let written = written(&graph, &nodes, &arrows).expect("a vector takes everything");
    Ok(String::from_utf8(written).expect("what is written is text"))
}

/// The nodes and edges of an error.
fn chain(passed: &[&(Place, Waypoint)], texts: &Texts) -> Result<(Vec<Data>, Vec<Arrow>), String> {
    let mut nodes: Vec<Data> = vec![vec![]; passed.len() + 1];
    nodes[0].push(("entry", "true".into()));
    nodes[passed.len()].push(("violation", "true".into()));
    let called = texts.called();
    let arrow = |(n, (place, waypoint)): (usize, &&(Place, Waypoint))| {
        let data = edge(place, waypoint, &called)?;
        Ok(Arrow { from: n, to: n + 1, data })
    };
    let arrows = passed.iter().enumerate().map(arrow).collect::<Result<_, String>>()?;
    Ok((nodes, arrows))
}

fn edge(place: &Place, waypoint: &Waypoint, called: &BTreeMap<Place, String>) -> Result<Data, String> {
    let line = place.line.to_string();
    let mut data: Data = vec![("startline", line.clone()), ("endline", line)];
    let scope = place.function.clone().map(|function| ("assumption.scope", function));
    match waypoint {
        Waypoint::Assumption(condition) => {
            data.push(("assumption", format!("{condition};")));
            data.extend(scope);
        }
        Waypoint::Branching(Branch::True) => data.push(("control", "condition-true".into())),
        Waypoint::Branching(Branch::False) => data.push(("control", "condition-false".into())),
        Waypoint::Branching(Branch::Case(_)) => {}
        Waypoint::Return(relation, n) => {
            let function = called.get(&Place { function: None, ..place.clone() });
            let function = function.ok_or("the function whose result is an input has no name there")?;
            data.push(("assumption", format!("\\result {} {n};", relation.text())));
            data.extend(scope);
            data.push(("assumption.resultfunction", function.clone()));
        }
        Waypoint::Enter => {
            let function = called.get(&Place { function: None, ..place.clone() });
            data.extend(function.map(|function| ("enterFunction", function.clone())));
        }
        Waypoint::Target => {}
    }
    Ok(data)
}

/// The nodes and edges of a proof.
fn star(invariants: &[Invariant]) -> (Vec<Data>, Vec<Arrow>) {
    let mut nodes: Vec<Data> = vec![vec![("entry", "true".into())]];
    let mut arrows = vec![];
    let heads: Vec<&Invariant> = invariants.iter().filter(|invariant| invariant.at_loop).collect();
    for invariant in &heads {
        let mut node: Data = vec![("invariant", invariant.condition.clone())];
        node.extend(invariant.place.function.clone().map(|function| ("invariant.scope", function)));
        nodes.push(node);
    }
    for from in 0..nodes.len() {
        for (n, head) in heads.iter().enumerate() {
            let line = head.place.line.to_string();
            let data = vec![("enterLoopHead", "true".into()), ("startline", line.clone()), ("endline", line)];
            arrows.push(Arrow { from, to: n + 1, data });
        }
        if from > 0 {
            arrows.push(Arrow { from, to: 0, data: vec![] });
        }
    }
    (nodes, arrows)
}

/// The document.
fn written(graph: &Data, nodes: &[Data], arrows: &[Arrow]) -> io::Result<Vec<u8>> {
    let mut out = Writer::new_with_indent(vec![], b' ', 1);
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), Some("no"))))?;
    let root = BytesStart::new("graphml").with_attributes([("xmlns", GRAPHML), ("xmlns:xsi", INSTANCE)]);
    out.write_event(Event::Start(root))?;
    for (id, name, ty, of, default) in KEYS {
        let attributes = [("attr.name", name), ("attr.type", ty), ("for", of), ("id", id)];
        let key = out.create_element("key").with_attributes(attributes);
        match default {
            None => key.write_empty()?,
            Some(default) => key.write_inner_content(|out| {
                out.create_element("default").write_text_content(BytesText::new(default))?;
                Ok(())
            })?,
        };
    }
    out.write_event(Event::Start(BytesStart::new("graph").with_attributes([("edgedefault", "directed")])))?;
    data(&mut out, graph)?;
    for (n, node) in nodes.iter().enumerate() {
        let id = format!("N{n}");
        element(&mut out, BytesStart::new("node").with_attributes([("id", id.as_str())]), node)?;
    }
    for Arrow { from, to, data } in arrows {
        let (from, to) = (format!("N{from}"), format!("N{to}"));
        let attributes = [("source", from.as_str()), ("target", to.as_str())];
        element(&mut out, BytesStart::new("edge").with_attributes(attributes), data)?;
    }
    out.write_event(Event::End(BytesEnd::new("graph")))?;
    out.write_event(Event::End(BytesEnd::new("graphml")))?;
    let mut bytes = out.into_inner();
    bytes.push(b'\n');
    Ok(bytes)
}

fn element(out: &mut Writer<Vec<u8>>, start: BytesStart<'_>, below: &Data) -> io::Result<()> {
    if below.is_empty() {
        return out.write_event(Event::Empty(start));
    }
    let end = start.to_end().into_owned();
    out.write_event(Event::Start(start.borrow()))?;
    data(out, below)?;
    out.write_event(Event::End(end))
}

fn data(out: &mut Writer<Vec<u8>>, all: &Data) -> io::Result<()> {
    for (key, value) in all {
        let element = out.create_element("data").with_attribute(("key", *key));
        element.write_text_content(BytesText::new(value))?;
    }
    Ok(())
}
