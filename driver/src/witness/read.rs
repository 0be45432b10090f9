//! Reads witnesses of format 2.0, also those of other tools.
//!
//! Invariant: parts that are not understood are never ignored, as a witness without them has another meaning.

use super::{Branch, Content, Invariant, Place, Relation, Segment, Waypoint};
use std::path::Path;
use yaml_rust2::{Yaml, YamlLoader};

/// A part of a witness that stands for itself.
#[derive(Debug)]
pub(crate) struct Entry {
    /// What it says.
    pub content: Content,
    /// The SHA-256 of the files that it is about.
    pub hashes: Vec<String>,
    /// `ILP32` or `LP64`.
    pub data_model: String,
    /// The properties that it is about, as property files have them.
    pub specification: String,
}

/// Why a witness cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mistake {
    /// It is none: a message with its place.
    Malformed(String),
    /// It has something that is not supported.
    Unsupported(String),
}

type Parsed<T> = Result<T, Mistake>;

/// The entries of a witness.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn entries(path: &Path) -> Parsed<Vec<Entry>> {
    let name = path.display().to_string();
    let name = base::shown(&name).into_owned();
    let malformed = |at: &str, what: String| Mistake::Malformed(format!("{name}{at}: error: {what}\n"));
    let text = cli::inputs::text(path).map_err(|e| malformed(":1:1", e.to_string()))?;
    parse(&text).map_err(|mistake| match mistake {
        Wrong::Yaml(line, column, what) => malformed(&format!(":{line}:{column}"), what),
        Wrong::At(at, what) => malformed(":1:1", format!("{at}: {what}")),
        Wrong::Unsupported(at, what) => Mistake::Unsupported(format!("{name}: {at}: {what}")),
    })
}

/// What is wrong, and where.
#[derive(Debug)]
pub(super) enum Wrong {
    /// No YAML.
    Yaml(usize, usize, String),
    /// A member that is missing or of another form, by its path.
    At(String, String),
    /// Something that is not supported.
    Unsupported(String, String),
}

/// A value of the document, with its path.
struct Field<'a> {
    value: &'a Yaml,
    path: String,
}

type Found<T> = Result<T, Wrong>;

impl<'a> Field<'a> {
    fn wrong<T>(&self, what: impl Into<String>) -> Found<T> {
        Err(Wrong::At(self.path.clone(), what.into()))
    }

    fn unsupported<T>(&self, what: impl Into<String>) -> Found<T> {
        Err(Wrong::Unsupported(self.path.clone(), what.into()))
    }

    fn optional(&self, name: &str) -> Option<Field<'a>> {
        let value = &self.value[name];
        (!value.is_badvalue()).then(|| Field { value, path: format!("{}/{name}", self.path) })
    }

    fn member(&self, name: &str) -> Found<Field<'a>> {
        self.optional(name).map_or_else(|| self.wrong(format!("`{name}` is missing")), Ok)
    }

    fn list(&self) -> Found<Vec<Field<'a>>> {
        let Some(list) = self.value.as_vec() else { return self.wrong("this is no list") };
        let one = |(n, value)| Field { value, path: format!("{}/{n}", self.path) };
        Ok(list.iter().enumerate().map(one).collect())
    }

    fn text(&self) -> Found<&'a str> {
        self.value.as_str().map_or_else(|| self.wrong("this is no text"), Ok)
    }

    /// A text, or a number or a truth value as one.
    fn word(&self) -> Found<String> {
        match self.value {
            Yaml::String(text) | Yaml::Real(text) => Ok(text.clone()),
            Yaml::Integer(n) => Ok(n.to_string()),
            Yaml::Boolean(b) => Ok(b.to_string()),
            _ => self.wrong("this is no text"),
        }
    }

    fn number(&self) -> Found<u32> {
        let number = self.value.as_i64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
        number.map_or_else(|| self.wrong("this is no number from 1 on"), Ok)
    }
}

/// The entries of a text.
pub(super) fn parse(text: &str) -> Found<Vec<Entry>> {
    if text.trim_start().starts_with('<') {
        return Err(Wrong::Unsupported("/".into(), "witnesses of format 1.0 (GraphML)".into()));
    }
    let docs = YamlLoader::load_from_str(text).map_err(|e| {
        let marker = e.marker();
        Wrong::Yaml(marker.line(), marker.col() + 1, e.info().to_owned())
    })?;
    let [doc] = &docs[..] else {
        return Err(Wrong::At("/".into(), "a witness is one YAML document".into()));
    };
    let entries = Field { value: doc, path: String::new() }.list()?;
    if entries.is_empty() {
        return Err(Wrong::At("/".into(), "there is no entry".into()));
    }
    entries.iter().map(entry).collect()
}

fn entry(field: &Field<'_>) -> Found<Entry> {
    let metadata = field.member("metadata")?;
    let version = metadata.member("format_version")?;
    match version.word()?.as_str() {
        "2.0" | "2.1" => {}
        other => {
            return version
                .unsupported(format!("witnesses of format {other}, only 2.0 and what 2.1 has of it"));
        }
    }
    let task = metadata.member("task")?;
    let hashes = task.member("input_file_hashes")?;
    let Some(by_name) = hashes.value.as_hash() else { return hashes.wrong("this is no map") };
    let hashes = by_name.values().filter_map(|hash| hash.as_str().map(str::to_owned)).collect();
    let data_model = task.member("data_model")?.text()?.to_owned();
    let specification = task.member("specification")?.text()?.to_owned();
    let (ty, content) = (field.member("entry_type")?, field.member("content")?);
    let content = match ty.text()? {
        "violation_sequence" => violation(&content)?,
        "invariant_set" => Content::Correctness(content.list()?.iter().map(invariant).collect::<Found<_>>()?),
        other => return ty.unsupported(format!("entries of type {other}")),
    };
    Ok(Entry { content, hashes, data_model, specification })
}

fn violation(content: &Field<'_>) -> Found<Content> {
    let mut out = vec![];
    for segment in content.list()? {
        let waypoints = segment.member("segment")?.list()?;
        let Some((last, avoided)) = waypoints.split_last() else {
            return segment.wrong("a segment has waypoints");
        };
        let one = |field: &Field<'_>| {
            let field = field.member("waypoint")?;
            match waypoint(&field, "avoid", "waypoints before the last one of a segment are avoided")? {
                (_, Waypoint::Target) => field.wrong("the target is not avoided"),
                other => Ok(other),
            }
        };
        let avoided = avoided.iter().map(one).collect::<Found<_>>()?;
        let last = last.member("waypoint")?;
        let followed = waypoint(&last, "follow", "the last waypoint of a segment is followed")?;
        out.push(Segment { avoided, followed });
    }
    match out.iter().position(|segment| segment.followed.1 == Waypoint::Target) {
        Some(n) if n + 1 == out.len() => Ok(Content::Violation(out)),
        _ => content.wrong("the last waypoint, and no other, is the target"),
    }
}

fn waypoint(field: &Field<'_>, wanted: &str, or_else: &str) -> Found<(Place, Waypoint)> {
    let action = field.member("action")?;
    if action.text()? == "cycle" {
        return action.unsupported("executions without an end");
    }
    if action.text()? != wanted {
        return action.wrong(or_else);
    }
    let place = place(&field.member("location")?)?;
    let value = || field.member("constraint")?.member("value");
    let ty = field.member("type")?;
    let waypoint = match ty.text()? {
        "target" => Waypoint::Target,
        "function_enter" => Waypoint::Enter,
        "assumption" => Waypoint::Assumption(value()?.word()?),
        "branching" => Waypoint::Branching(branch(&value()?)?),
        "function_return" => {
            let value = value()?;
            match result(&value.word()?) {
                Some((relation, n)) => Waypoint::Return(relation, n),
                None => return value.unsupported("other than `\\result`, a comparison and an integer"),
            }
        }
        other => return ty.unsupported(format!("waypoints of type {other}")),
    };
    Ok((place, waypoint))
}

fn branch(value: &Field<'_>) -> Found<Branch> {
    Ok(match value.word()?.as_str() {
        "true" => Branch::True,
        "false" => Branch::False,
        "default" => Branch::Case(None),
        other => match other.parse() {
            Ok(n) => Branch::Case(Some(n)),
            Err(_) => return value.wrong("this is no way of a branch"),
        },
    })
}

/// `\result == 3`, with the suffixes of C's numbers.
fn result(text: &str) -> Option<(Relation, i128)> {
    let rest = text.trim().strip_prefix("\\result")?.trim_start();
    let operators = [
        ("==", Relation::Equal, 0),
        ("!=", Relation::Different, 0),
        ("<=", Relation::AtMost, 0),
        (">=", Relation::AtLeast, 0),
        ("<", Relation::AtMost, -1),
        (">", Relation::AtLeast, 1),
    ];
    let (word, relation, more) = operators.into_iter().find(|(word, ..)| rest.starts_with(word))?;
    let number = rest[word.len()..].trim().trim_start_matches('(').trim_end_matches(')');
    let digits = number.trim_end_matches(['u', 'U', 'l', 'L']);
    let n: i128 = digits.replace(' ', "").parse().ok()?;
    Some((relation, n.checked_add(more)?))
}

fn invariant(field: &Field<'_>) -> Found<Invariant> {
    let invariant = field.member("invariant")?;
    let ty = invariant.member("type")?;
    let at_loop = match ty.text()? {
        "loop_invariant" => true,
        "location_invariant" => false,
        other => return ty.unsupported(format!("invariants of type {other}")),
    };
    let format = invariant.member("format")?;
    if format.text()? != "c_expression" {
        return format.unsupported("conditions that are no c_expression");
    }
    let place = place(&invariant.member("location")?)?;
    Ok(Invariant { place, at_loop, condition: invariant.member("value")?.word()? })
}

fn place(field: &Field<'_>) -> Found<Place> {
    let optional = |name: &str| field.optional(name);
    Ok(Place {
        file: field.member("file_name")?.text()?.to_owned(),
        line: field.member("line")?.number()?,
        column: optional("column").map(|column| column.number()).transpose()?,
        function: optional("function").map(|f| f.text().map(str::to_owned)).transpose()?,
    })
}
