//! The abstraction statement by statement, as a page shows it.

use super::diagram;
use super::source::Anchors;
use super::words::{shown, text, texts};
use serde_json::Value;

/// All of it.
#[derive(Default)]
pub(super) struct Walkthrough {
    pub statements: Vec<Statement>,
    pub states: Vec<States>,
    /// Statements that are left out.
    pub left_out: u64,
}

impl Walkthrough {
    /// Whether there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.statements.is_empty() && self.states.is_empty()
    }
}

/// A statement.
pub(super) struct Statement {
    pub anchor: String,
    pub line: i64,
    pub function: String,
    pub text: String,
    /// Of the boolean program.
    pub written: String,
    pub values: Vec<Row>,
}

/// How a variable of the boolean program gets its value.
pub(super) struct Row {
    pub about: String,
    pub label: String,
    pub before: String,
    pub value: String,
    pub positive: Option<Found>,
    pub negative: Option<Found>,
    pub remark: String,
}

/// Cubes that imply something.
pub(super) struct Found {
    pub cubes: Vec<String>,
    pub complete: bool,
}

/// The states at a place.
pub(super) struct States {
    pub anchor: String,
    pub line: i64,
    pub function: String,
    pub reached: bool,
    /// Conjunctions; an empty list stands for all states where it is complete.
    pub cubes: Vec<String>,
    pub complete: bool,
    /// The decision diagram in SVG; empty where it is not drawn.
    pub diagram: String,
}

/// What the result says of it.
pub(super) fn walkthrough(result: &Value, anchors: &Anchors) -> Walkthrough {
    let all = &result["walkthrough"];
    let list = |field: &str| all[field].as_array().map(Vec::as_slice).unwrap_or_default();
    Walkthrough {
        statements: list("statements").iter().map(|s| statement(s, anchors)).collect(),
        states: list("states").iter().map(|s| states(s, anchors)).collect(),
        left_out: all["left_out"].as_u64().unwrap_or(0),
    }
}

fn at(of: &Value, anchors: &Anchors) -> (String, i64, String) {
    let line = of["line"].as_i64().unwrap_or(0);
    (anchors.anchor(text(of, "file"), line), line, shown(text(of, "function")))
}

fn statement(of: &Value, anchors: &Anchors) -> Statement {
    let (anchor, line, function) = at(of, anchors);
    let source = of["source"].as_str().unwrap_or(text(of, "statement"));
    let values = of["values"].as_array().into_iter().flatten();
    Statement {
        anchor,
        line,
        function,
        text: shown(source),
        written: texts(of, "written").join("\n"),
        values: values.map(row).collect(),
    }
}

fn row(of: &Value) -> Row {
    let found = |field: &str| {
        of[field]
            .is_object()
            .then(|| Found { cubes: texts(&of[field], "cubes"), complete: of[field]["complete"] == true })
    };
    let asked = |name: &str| of["asked"][name].as_u64().unwrap_or(0);
    let remark = match text(of, "how") {
        "kept" => "keeps its value".to_owned(),
        "folded" => "without a search".to_owned(),
        _ if asked("cubes") == 0 => "known from an earlier statement".to_owned(),
        _ => {
            let parts = [
                (asked("cubes"), "cubes asked about"),
                (asked("by_syntax"), "answered by their look"),
                (asked("by_models"), "by models"),
                (asked("prover_calls"), "calls of the prover"),
                (asked("gave_up"), "given up"),
            ];
            let told = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
            told.collect::<Vec<_>>().join(", ")
        }
    };
    Row {
        about: shown(text(of, "about")),
        label: shown(text(of, "label")),
        before: shown(of["before"].as_str().unwrap_or("anything")),
        value: shown(text(of, "value")),
        positive: found("positive"),
        negative: found("negative"),
        remark,
    }
}

fn states(of: &Value, anchors: &Anchors) -> States {
    let (anchor, line, function) = at(of, anchors);
    let cubes = of["cubes"].as_array().into_iter().flatten();
    let cube = |cube: &Value| {
        let literals = cube.as_array().into_iter().flatten().filter_map(Value::as_str);
        let literals: Vec<String> = literals.map(shown).collect();
        if literals.is_empty() { "any".to_owned() } else { literals.join(" & ") }
    };
    States {
        anchor,
        line,
        function,
        reached: of["reached"] == true,
        cubes: cubes.map(cube).collect(),
        complete: of["complete"] != false,
        diagram: diagram::diagram(&of["diagram"]),
    }
}
