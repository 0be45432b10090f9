//! A result as seen by editors: diagnostics with the execution as related places, and notes for a line.

use super::text::{self, Encoding, Files};
use crate::html;
use crate::sarif::{beside, number, text, told_of};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range, Uri,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Lines of an execution that are shown at most: the last ones.
const LINES: usize = 100;

/// Diagnostics by the URIs of files.
pub(super) type Told = BTreeMap<String, Vec<Diagnostic>>;

/// What the result says; `file` is the one that was checked.
pub(super) fn diagnostics(result: &Value, file: &Path, encoding: Encoding) -> Told {
    let mut teller = Teller { file, files: Files::new(encoding), told: Told::new() };
    let list = |field: &str| result[field].as_array().map(Vec::as_slice).unwrap_or_default();
    for said in list("diagnostics") {
        let severity = match text(said, "severity") {
            "error" => DiagnosticSeverity::ERROR,
            "warning" => DiagnosticSeverity::WARNING,
            _ => DiagnosticSeverity::INFORMATION,
        };
        teller.add(&said["location"], severity, None, text(said, "text").to_owned(), vec![]);
    }
    for check in list("checks") {
        teller.check(result, check);
    }
    let nothing = result["verdict"] == "UNKNOWN" || result["verdict"] == "ERROR";
    if nothing && teller.told.is_empty() {
        let why = result["detail"].as_str().unwrap_or(text(result, "verdict_line"));
        teller.add(&Value::Null, DiagnosticSeverity::INFORMATION, None, why.to_owned(), vec![]);
    }
    teller.told
}

struct Teller<'a> {
    file: &'a Path,
    files: Files,
    told: Told,
}

impl Teller<'_> {
    fn check(&mut self, result: &Value, check: &Value) {
        let severity = match check["verdict"].as_str() {
            Some("UNSAFE") => DiagnosticSeverity::ERROR,
            Some("SAFE" | "UNREACHABLE") => return,
            _ => DiagnosticSeverity::INFORMATION,
        };
        // A run that ends with the first error reports it at the top.
        let error = if check["trace"].is_array() { check } else { result };
        let failing = severity == DiagnosticSeverity::ERROR;
        let at = match (failing, check["calls"].get(0)) {
            (true, _) if error["location"].is_object() => &error["location"],
            (_, Some(call)) => call,
            _ => check,
        };
        let trace = error["trace"].as_array().filter(|_| failing).map(Vec::as_slice).unwrap_or_default();
        let steps = &trace[trace.len().saturating_sub(LINES)..];
        let related = steps.iter().filter_map(|line| {
            let location = self.location(line)?;
            Some(DiagnosticRelatedInformation { location, message: beside(line) })
        });
        let related = related.collect();
        let (_, message) = told_of(result, check, error);
        self.add(at, severity, Some(text(check, "kind").to_owned()), message, related);
    }

    /// The file of a place, and its range; the first line of the checked file where there is no place.
    fn place(&mut self, at: &Value) -> (Option<Uri>, Range) {
        match at["file"].as_str() {
            Some(name) => {
                let file = Path::new(name);
                let end = (number(at, "end_line"), number(at, "end_column"));
                (text::uri(file), self.files.range(file, (number(at, "line"), number(at, "column")), end))
            }
            None => (text::uri(self.file), self.files.range(self.file, (1, 1), (0, 0))),
        }
    }

    fn location(&mut self, at: &Value) -> Option<Location> {
        let (uri, range) = self.place(at);
        Some(Location { uri: uri?, range })
    }

    fn add(
        &mut self,
        at: &Value,
        severity: DiagnosticSeverity,
        kind: Option<String>,
        message: String,
        related: Vec<DiagnosticRelatedInformation>,
    ) {
        let (Some(uri), range) = self.place(at) else { return };
        self.told.entry(uri.as_str().to_owned()).or_default().push(Diagnostic {
            range,
            severity: Some(severity),
            code: kind.map(NumberOrString::String),
            source: Some("slam".into()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        });
    }
}

/// What is known of a line (from 1) of a file, in Markdown.
pub(super) fn notes(result: &Value, file: &Path, line: i64) -> Option<String> {
    let name = file.to_str()?;
    let mut out: Vec<String> = vec![];
    for check in result["checks"].as_array().into_iter().flatten() {
        if text(check, "file") == name && number(check, "line") == line {
            let verdict = check["verdict"].as_str().unwrap_or("not decided");
            out.push(format!("**{verdict}** {}", code(text(check, "message"))));
        }
    }
    for note in html::notes(result).get(&(name, line)).into_iter().flatten() {
        out.push(code(note));
    }
    (!out.is_empty()).then(|| out.join("\n\n"))
}

/// A text as code, whatever is in it.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let quotes = "`".repeat(longest + 1);
    format!("{quotes} {text} {quotes}")
}
