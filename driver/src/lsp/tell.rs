//! A result as seen by editors: diagnostics with the execution as related places, and notes for a line.

use super::text::{self, Encoding, Files};
use crate::html;
use crate::sarif::{Failing, beside};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range, Uri,
};
use results::check::{Answer, Check, Verdict};
use results::{Outcome, Severity, check};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines of an execution that are shown at most: the last ones.
const LINES: usize = 100;

/// Diagnostics by the URIs of files.
pub(super) type Told = BTreeMap<String, Vec<Diagnostic>>;

/// What the result says; `file` is the one that was checked.
pub(super) fn diagnostics(result: &Outcome, file: &Path, encoding: Encoding) -> Told {
    let mut teller = Teller { file, files: Files::new(encoding), told: Told::new() };
    for said in &result.diagnostics {
        let severity = match said.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        };
        teller.add(said.location.as_ref(), severity, None, said.text.clone(), vec![]);
    }
    for check in result.checks() {
        teller.check(result, check);
    }
    let nothing = matches!(result.verdict, Verdict::Unknown | Verdict::Error);
    if nothing && teller.told.is_empty() {
        let why = result.detail.as_ref().unwrap_or(&result.verdict_line);
        teller.add(None, DiagnosticSeverity::INFORMATION, None, why.clone(), vec![]);
    }
    teller.told
}

struct Teller<'a> {
    file: &'a Path,
    files: Files,
    told: Told,
}

impl Teller<'_> {
    fn check(&mut self, result: &Outcome, check: &Check) {
        let severity = match check.verdict {
            Some(Answer::Unsafe) => DiagnosticSeverity::ERROR,
            Some(Answer::Safe | Answer::Unreachable) => return,
            Some(Answer::Unknown) | None => DiagnosticSeverity::INFORMATION,
        };
        let error = Failing::of(result, check);
        let is_error = severity == DiagnosticSeverity::ERROR;
        let trace = error.trace.filter(|_| is_error).unwrap_or_default();
        let steps = &trace[trace.len().saturating_sub(LINES)..];
        let related = steps.iter().filter_map(|line| {
            let location = self.location(&line.at)?;
            Some(DiagnosticRelatedInformation { location, message: beside(line) })
        });
        let related = related.collect();
        let (_, message) = error.told(result, check);
        self.add(Some(error.place(check)), severity, Some(check.kind.clone()), message, related);
    }

    /// The file of a place, and its range; the first line of the checked file where there is no place.
    fn place(&mut self, at: Option<&check::Location>) -> (Option<Uri>, Range) {
        match at {
            Some(at) => {
                let file = Path::new(&at.file);
                let (start, end) = ((at.line, at.column), (at.end_line, at.end_column));
                (text::uri(file), self.files.range(file, start, end))
            }
            None => (text::uri(self.file), self.files.range(self.file, (1, 1), (0, 0))),
        }
    }

    fn location(&mut self, at: &check::Location) -> Option<Location> {
        let (uri, range) = self.place(Some(at));
        Some(Location { uri: uri?, range })
    }

    fn add(
        &mut self,
        at: Option<&check::Location>,
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
pub(super) fn notes(result: &Outcome, file: &Path, line: u32) -> Option<String> {
    let name = file.to_str()?;
    let mut out: Vec<String> = vec![];
    for check in result.checks().iter().filter(|check| check.at.file == name && check.at.line == line) {
        let verdict = check.verdict.map_or("not decided".to_owned(), |answer| answer.to_string());
        out.push(format!("**{verdict}** {}", code(&check.message)));
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
