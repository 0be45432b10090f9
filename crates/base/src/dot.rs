//! Directed graphs in the language of Graphviz.

use std::fmt::{Display, Write};

/// A graph that is being written.
#[derive(Debug)]
pub struct Graph {
    text: String,
    /// How many clusters are open.
    depth: usize,
}

impl Graph {
    /// A graph without nodes; `defaults` are statements about all of it.
    pub fn new(name: &str, defaults: &[&str]) -> Graph {
        let mut graph = Graph { text: format!("digraph {name} {{\n"), depth: 0 };
        defaults.iter().for_each(|statement| graph.statement(statement));
        graph
    }

    fn statement(&mut self, statement: impl Display) {
        let _ = writeln!(self.text, "{:1$}{statement};", "", 2 + 2 * self.depth);
    }

    /// Opens a cluster: nodes and edges up to its [`end`](Graph::end) belong to it. The label is [`quoted`].
    pub fn cluster(&mut self, id: impl Display, label: &str) {
        let _ = writeln!(self.text, "{:1$}subgraph cluster_{id} {{", "", 2 + 2 * self.depth);
        self.depth += 1;
        self.statement(format_args!("label={label}"));
    }

    /// Closes the cluster that was opened last.
    pub fn end(&mut self) {
        let _ = writeln!(self.text, "{:1$}}}", "", 2 * self.depth);
        self.depth -= 1;
    }

    /// A node with these attributes, `name=value` or empty.
    pub fn node(&mut self, id: impl Display, attributes: &[&str]) {
        self.statement(format_args!("{id}{}", list(attributes)));
    }

    /// An edge with these attributes, `name=value` or empty.
    pub fn edge(&mut self, from: impl Display, to: impl Display, attributes: &[&str]) {
        self.statement(format_args!("{from} -> {to}{}", list(attributes)));
    }

    /// The text; ends with a line break.
    pub fn finish(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }
}

fn list(attributes: &[&str]) -> String {
    let present: Vec<&str> = attributes.iter().copied().filter(|a| !a.is_empty()).collect();
    if present.is_empty() { String::new() } else { format!(" [{}]", present.join(", ")) }
}

/// A quoted identifier: the text between double quotes. Graphviz treats a backslash as the start of an escape in
/// labels, so it is doubled; line ends become `\n`.
pub fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// The attribute `label` with this text.
pub fn label(text: &str) -> String {
    format!("label={}", quoted(text))
}
