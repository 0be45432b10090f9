//! Property files (`.prp`) and task definitions (`.yml`), as the competition on software verification writes them.
//!
//! Invariant: a property that is not understood whole is refused with its place; a task's own words about data model
//! and files count like options.

use base::styles::ERROR;
use ir::{CheckKind, DataModel};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use yaml_rust2::{Yaml, YamlLoader};

/// What a property file asks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Property {
    /// The function where execution starts.
    pub entry: String,
    /// The kinds of checks.
    pub checks: BTreeSet<CheckKind>,
    /// The function that must not be called.
    pub error_function: Option<String>,
    /// Memory that is not freed may still be pointed to: a leak at the end decides nothing.
    pub only_tracked: bool,
}

/// Reads a property file's text. Errors have the place: `FILE:LINE:COLUMN: error: …`.
///
/// # Errors
/// When a line is not a property that is supported.
pub fn parse_property(name: &str, text: &str) -> Result<Property, String> {
    let mut property = Property::default();
    for (n, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let col = line.len() - line.trim_start().len() + 1;
        let complain = |what: String| format!("{name}:{}:{col}: {ERROR} {what}\n", n + 1);
        let words: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        let parts = words
            .strip_prefix("CHECK(init(")
            .and_then(|rest| rest.split_once("()),LTL("))
            .and_then(|(entry, rest)| Some((entry, rest.strip_suffix("))")?)));
        let Some((entry, formula)) = parts else {
            return Err(complain("a property is written CHECK( init(main()), LTL(...) )".into()));
        };
        if !property.entry.is_empty() && property.entry != entry {
            return Err(complain("the properties start at different functions".into()));
        }
        property.entry = entry.to_owned();
        if !add(&mut property, formula) {
            return Err(complain(format!("the property {} is not supported", line.trim())));
        }
    }
    if property.checks.is_empty() {
        return Err(format!("{name}:1:1: {ERROR} there is no property in this file\n"));
    }
    Ok(property)
}

/// Adds what a formula (without blanks) asks; false when it is not known.
fn add(property: &mut Property, formula: &str) -> bool {
    use CheckKind::{Bounds, Deadlock, Div0, Free, Leak, Null, Overflow, Race, Reach, Shift, Uninit};
    let kinds: &[CheckKind] = match formula {
        "G!overflow" => &[Overflow],
        "Gvalid-deref" => &[Null, Bounds, Free],
        "Gvalid-free" => &[Free],
        "Gvalid-memtrack" => {
            property.only_tracked = true;
            &[Leak]
        }
        "Gvalid-memcleanup" => &[Leak],
        "Gdef-behavior" => &[Overflow, Div0, Null, Bounds, Shift, Uninit, Free],
        "G!data-race" => &[Race],
        "G!deadlock" => &[Deadlock],
        "Gassert" => &[Reach],
        other => {
            let function = other.strip_prefix("G!call(").and_then(|rest| rest.strip_suffix("())"));
            let is_name = |f: &str| f.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !f.is_empty();
            match function.filter(|f| is_name(f)) {
                Some(f) if property.error_function.as_deref().is_none_or(|other| other == f) => {
                    property.error_function = Some(f.to_owned());
                    &[Reach]
                }
                _ => return false,
            }
        }
    };
    property.checks.extend(kinds);
    true
}

/// A task definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskFile {
    /// The programs' files.
    pub files: Vec<PathBuf>,
    /// The property files and the verdict that is expected for each.
    pub properties: Vec<(PathBuf, Option<bool>)>,
    /// Widths of C's types.
    pub data_model: Option<DataModel>,
}

/// Reads a task definition's text; names in it are relative to the folder of `path`.
///
/// # Errors
/// When it is not a task definition of format 2 for C, with the place.
pub fn parse_task(path: &Path, text: &str) -> Result<TaskFile, String> {
    let name = path.display();
    let complain = |what: &str| format!("{name}:1:1: {ERROR} {what}\n");
    let docs = YamlLoader::load_from_str(text).map_err(|e| {
        format!("{name}:{}:{}: {ERROR} {}\n", e.marker().line(), e.marker().col() + 1, e.info())
    })?;
    let [doc] = &docs[..] else { return Err(complain("a task definition is one YAML document")) };
    let version = match &doc["format_version"] {
        Yaml::String(v) | Yaml::Real(v) => v.clone(),
        Yaml::Integer(v) => v.to_string(),
        _ => return Err(complain("`format_version` is missing")),
    };
    if version.split('.').next() != Some("2") {
        return Err(complain(&format!("task definitions of format {version} are not supported, only 2")));
    }
    if doc["options"]["language"].as_str().is_some_and(|l| l != "C") {
        return Err(complain("the task's language is not C"));
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let files = match &doc["input_files"] {
        Yaml::String(one) => vec![folder.join(one)],
        Yaml::Array(many) => many.iter().filter_map(|f| Some(folder.join(f.as_str()?))).collect(),
        _ => vec![],
    };
    if files.is_empty() {
        return Err(complain("`input_files` names no file"));
    }
    let mut properties = vec![];
    for p in doc["properties"].as_vec().into_iter().flatten() {
        let Some(file) = p["property_file"].as_str() else {
            return Err(complain("an entry of `properties` has no `property_file`"));
        };
        properties.push((folder.join(file), p["expected_verdict"].as_bool()));
    }
    let data_model = match doc["options"]["data_model"].as_str() {
        None => None,
        Some("ILP32") => Some(DataModel::Ilp32),
        Some("LP64") => Some(DataModel::Lp64),
        Some(other) => return Err(complain(&format!("the data model {other} is not known"))),
    };
    Ok(TaskFile { files, properties, data_model })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_choose_checks() {
        let p = |text: &str| parse_property("p.prp", text);
        let reach = p("CHECK( init(start()), LTL(G ! call(oops())) )\n").expect("well-formed");
        assert_eq!((reach.entry.as_str(), reach.error_function.as_deref()), ("start", Some("oops")));
        let safety = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()), LTL(G valid-memtrack) )\n\n";
        let safety = p(safety).expect("well-formed");
        assert_eq!(safety.checks.len(), 4);
        assert!(safety.only_tracked);
        let refused = p("\n  CHECK( init(main()), LTL(F end) )").expect_err("termination is refused");
        let refused = anstream::adapter::strip_str(&refused).to_string();
        assert!(refused.starts_with("p.prp:2:3: error: "), "{refused}");
        assert!(p("COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )").is_err());
        assert!(p("").is_err());
    }

    #[test]
    fn tasks_name_files_and_verdicts() {
        let text = "format_version: '2.0'\ninput_files: 'a.i'\nproperties:\n  - property_file: ../p/x.prp\n    \
                    expected_verdict: false\noptions:\n  language: C\n  data_model: ILP32\n";
        let task = parse_task(Path::new("d/t.yml"), text).expect("well-formed");
        assert_eq!(task.files, [PathBuf::from("d/a.i")]);
        assert_eq!(task.properties, [(PathBuf::from("d/../p/x.prp"), Some(false))]);
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        assert!(parse_task(Path::new("t.yml"), "format_version: '1.0'\ninput_files: a.c\n").is_err());
        assert!(parse_task(Path::new("t.yml"), "a: [1").expect_err("no YAML").starts_with("t.yml:"));
    }
}
