//! The output of `slam nullness`.

use bebop::Stats;
use cli::Verdict;
use results::others::{Dereference, Nullness};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What is known of the pointer of a dereference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Value {
    /// No execution comes there.
    Unreached,
    /// It is not NULL in any execution.
    Never,
    /// It is NULL in some, it may be, or nothing is known.
    Possibly,
    /// It is NULL in every execution that comes there.
    Always,
    /// It is not a tracked pointer.
    Untracked,
}

impl Value {
    const ALL: [Value; 5] =
        [Value::Never, Value::Always, Value::Possibly, Value::Untracked, Value::Unreached];

    fn words(self) -> &'static str {
        match self {
            Value::Unreached => "not reached",
            Value::Never => "never NULL",
            Value::Possibly => "possibly NULL",
            Value::Always => "always NULL",
            Value::Untracked => "not tracked",
        }
    }

    /// What holds of two dereferences together that are one in the source.
    fn join(self, other: Value) -> Value {
        match (self, other) {
            (Value::Unreached, v) | (v, Value::Unreached) => v,
            (Value::Untracked, _) | (_, Value::Untracked) => Value::Untracked,
            (a, b) if a == b => a,
            _ => Value::Possibly,
        }
    }
}

/// A dereference with what is known of it.
pub(super) struct Finding {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) text: String,
    pub(super) procedure: String,
    /// As asked for.
    pub(super) value: Value,
    /// Path-sensitively.
    pub(super) precise: Value,
    /// A path on which it is NULL.
    pub(super) path: Option<String>,
}

/// The whole result.
pub(super) struct Report {
    findings: Vec<Finding>,
    pointers: usize,
    compares: bool,
    /// Behaviour that the analysis leaves out.
    pub(super) left_out: Vec<String>,
    pub(super) figures: Stats,
}

impl Report {
    /// In the order of the source; what is one dereference there is one.
    pub(super) fn new(findings: Vec<Finding>, pointers: usize, compares: bool) -> Report {
        let mut all: BTreeMap<(String, u32, u32, String, String), Finding> = BTreeMap::new();
        for new in findings {
            let key = (new.file.clone(), new.line, new.column, new.text.clone(), new.procedure.clone());
            match all.get_mut(&key) {
                None => _ = all.insert(key, new),
                Some(old) => {
                    old.value = old.value.join(new.value);
                    old.precise = old.precise.join(new.precise);
                    old.path = old.path.take().or(new.path);
                }
            }
        }
        let findings = all.into_values().collect();
        Report { findings, pointers, compares, left_out: vec![], figures: Stats::default() }
    }

    fn number(&self, value: Value, of: impl Fn(&Finding) -> Value) -> usize {
        self.findings.iter().filter(|f| of(f) == value).count()
    }

    pub(super) fn verdict(&self) -> Verdict {
        let proved = self.number(Value::Never, |f| f.value) + self.number(Value::Unreached, |f| f.value);
        let open = self.findings.len() - proved;
        match (open, self.left_out.is_empty()) {
            (0, true) => Verdict::Safe,
            (0, false) => Verdict::Unknown("not modelled".into()),
            (n, _) => Verdict::Unknown(format!("{n} of {} dereferences not proved", self.findings.len())),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for f in &self.findings {
            let more = if self.compares && f.value != f.precise {
                format!("  (path-sensitive: {})", f.precise.words())
            } else {
                String::new()
            };
            let Finding { file, line, column, text, procedure, value, .. } = f;
            let _ = writeln!(out, "{file}:{line}:{column}: {}: {text} in {procedure}{more}", value.words());
            out.push_str(f.path.as_deref().unwrap_or_default());
        }
        let summary = self.summary(|f| f.value);
        if self.compares {
            let _ = writeln!(out, "flow-sensitive: {summary}");
            let _ = writeln!(out, "path-sensitive: {}", self.summary(|f| f.precise));
        } else {
            let _ = writeln!(out, "{summary}");
        }
        for what in &self.left_out {
            let _ = writeln!(out, "not modelled: {what}");
        }
        out
    }

    fn summary(&self, of: impl Fn(&Finding) -> Value + Copy) -> String {
        let each = Value::ALL.into_iter().map(|v| (self.number(v, of), v.words()));
        let each: Vec<String> =
            each.filter(|(n, _)| 0 < *n).map(|(n, words)| format!("{n} {words}")).collect();
        let all = match self.findings.len() {
            1 => "1 dereference".to_owned(),
            n => format!("{n} dereferences"),
        };
        if each.is_empty() { all } else { format!("{all}: {}", each.join(", ")) }
    }

    pub(super) fn stats(&self) -> Vec<(String, String)> {
        let mut out = vec![
            ("dereferences".to_owned(), self.findings.len().to_string()),
            ("pointers-tracked".to_owned(), self.pointers.to_string()),
            ("reachable-vertices".to_owned(), self.figures.vertices.to_string()),
            ("bdd-variables".to_owned(), self.figures.diagram_vars.to_string()),
            ("bdd-nodes".to_owned(), self.figures.nodes.to_string()),
        ];
        for value in Value::ALL {
            let name = value.words().to_lowercase().replace(' ', "-");
            out.push((name, self.number(value, |f| f.value).to_string()));
        }
        out
    }

    pub(super) fn whole(&self) -> Nullness {
        let one = |f: &Finding| Dereference {
            file: f.file.clone(),
            line: f.line,
            column: f.column,
            text: f.text.clone(),
            procedure: f.procedure.clone(),
            answer: f.value.words().into(),
            path_sensitive: f.precise.words().into(),
            path: f.path.as_ref().map(|p| p.lines().map(|line| line.trim().to_owned()).collect()),
        };
        Nullness {
            dereferences: self.findings.iter().map(one).collect(),
            flow_sensitive: self.compares,
            not_modelled: self.left_out.clone(),
        }
    }
}
