//! Witnesses as YAML.

use super::{About, Branch, Content, Place, Segment, Waypoint, hashes};
use crate::content::sha256;
use std::time::{Duration, SystemTime};
use yaml_rust2::yaml::Hash;
use yaml_rust2::{Yaml, YamlEmitter};

/// The witness as text.
pub(super) fn text(content: &Content, about: &About<'_>) -> String {
    let (entry_type, list) = match content {
        Content::Violation(waypoints) => {
            let one = |(place, waypoint): &(Place, Waypoint), action| {
                map([("waypoint", self::waypoint(place, waypoint, action))])
            };
            let segment = |Segment { avoided, followed }: &Segment| {
                let avoided = avoided.iter().map(|waypoint| one(waypoint, "avoid"));
                let all = avoided.chain([one(followed, "follow")]);
                map([("segment", Yaml::Array(all.collect()))])
            };
            ("violation_sequence", waypoints.iter().map(segment).collect())
        }
        Content::Correctness(invariants) => {
            let one = |invariant: &super::Invariant| {
                let ty = if invariant.at_loop { "loop_invariant" } else { "location_invariant" };
                let fields = [
                    ("type", string(ty)),
                    ("location", location(&invariant.place)),
                    ("value", string(&invariant.condition)),
                    ("format", string("c_expression")),
                ];
                map([("invariant", map(fields))])
            };
            ("invariant_set", invariants.iter().map(one).collect())
        }
    };
    let list = Yaml::Array(list);
    let id = sha256(format!("{}{:?}{list:?}", about.specification, hashes(about.files)).as_bytes());
    let entry =
        map([("entry_type", string(entry_type)), ("metadata", metadata(about, &id)), ("content", list)]);
    let mut out = String::new();
    YamlEmitter::new(&mut out).dump(&Yaml::Array(vec![entry])).expect("a string takes everything");
    out.strip_prefix("---\n").unwrap_or(&out).to_owned() + "\n"
}

fn metadata(about: &About<'_>, id: &str) -> Yaml {
    let hashes = hashes(about.files);
    let names = hashes.iter().map(|(name, _)| string(name)).collect();
    let by_name = hashes.iter().map(|(name, hash)| (string(name), string(hash))).collect();
    let task = [
        ("input_files", Yaml::Array(names)),
        ("input_file_hashes", Yaml::Hash(by_name)),
        ("specification", string(&about.specification)),
        ("data_model", string(about.data_model)),
        ("language", string("C")),
    ];
    // A number by content (version 8), so that the same witness has the same.
    let uuid = format!("{}-{}-8{}-8{}-{}", &id[..8], &id[8..12], &id[12..15], &id[15..18], &id[18..30]);
    let producer = [("name", string("slam")), ("version", string(env!("CARGO_PKG_VERSION")))];
    map([
        ("format_version", string("2.0")),
        ("uuid", string(&uuid)),
        ("creation_time", string(&now())),
        ("producer", map(producer)),
        ("task", map(task)),
    ])
}

/// The seconds of the year 10000, which has no text.
const END_OF_TIME: u64 = 253_402_300_800;

/// The time, or that of the variable `SOURCE_DATE_EPOCH`.
pub(super) fn now() -> String {
    let given =
        std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse().ok()).filter(|s| *s < END_OF_TIME);
    let time = given.map_or_else(SystemTime::now, |s| SystemTime::UNIX_EPOCH + Duration::from_secs(s));
    humantime::format_rfc3339_seconds(time).to_string()
}

fn waypoint(place: &Place, waypoint: &Waypoint, action: &str) -> Yaml {
    let (ty, constraint) = match waypoint {
        Waypoint::Assumption(condition) => ("assumption", Some((string(condition), Some("c_expression")))),
        Waypoint::Branching(branch) => ("branching", Some((word(*branch), None))),
        Waypoint::Enter => ("function_enter", None),
        Waypoint::Return(relation, value) => {
            let value = format!("\\result {} {value}", relation.text());
            ("function_return", Some((string(&value), Some("acsl_expression"))))
        }
        Waypoint::Target => ("target", None),
    };
    let mut fields = vec![("type", string(ty)), ("action", string(action))];
    if let Some((value, format)) = constraint {
        let mut constraint = vec![("value", value)];
        constraint.extend(format.map(|format| ("format", string(format))));
        fields.push(("constraint", map(constraint)));
    }
    fields.push(("location", location(place)));
    map(fields)
}

fn word(branch: Branch) -> Yaml {
    match branch {
        Branch::True => string("true"),
        Branch::False => string("false"),
        Branch::Case(Some(value)) => {
            i64::try_from(value).map_or_else(|_| string(&value.to_string()), Yaml::Integer)
        }
        Branch::Case(None) => string("default"),
    }
}

fn location(place: &Place) -> Yaml {
    let mut fields = vec![("file_name", string(&place.file)), ("line", Yaml::Integer(place.line.into()))];
    fields.extend(place.column.map(|column| ("column", Yaml::Integer(column.into()))));
    fields.extend(place.function.as_ref().map(|function| ("function", string(function))));
    map(fields)
}

fn string(text: &str) -> Yaml {
    Yaml::String(text.to_owned())
}

fn map(fields: impl IntoIterator<Item = (&'static str, Yaml)>) -> Yaml {
    Yaml::Hash(fields.into_iter().map(|(name, value)| (string(name), value)).collect::<Hash>())
}
