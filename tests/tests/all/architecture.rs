//! The picture of the crates in docs/design/architecture.md is that of the manifests, and no crate's folders know each other in
//! a circle that crosses concepts.

use crate::documents::read;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The root of the project.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the project")
}

/// The names of the packages and the packages that each library depends on directly, in the order of the workspace.
fn manifests() -> Vec<(String, BTreeSet<String>)> {
    let workspace = read(&root().join("Cargo.toml"));
    let list = workspace.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let members: Vec<&str> = list.expect("members").split('"').skip(1).step_by(2).collect();
    let manifest = |member: &&str| {
        let text = read(&root().join(member).join("Cargo.toml"));
        let name = text.split("name = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name");
        let section = text.split("\n[dependencies]\n").nth(1).unwrap_or_default();
        let lines = section.lines().take_while(|line| !line.starts_with('['));
        let own = lines.filter(|line| !line.contains("optional = true"));
        let used = own.filter_map(|line| Some(line.split_once(" = ")?.0.to_owned())).collect();
        (name.to_owned(), used)
    };
    let all: Vec<(String, BTreeSet<String>)> = members.iter().map(manifest).collect();
    let names: BTreeSet<String> = all.iter().map(|(name, _)| name.clone()).collect();
    all.into_iter().map(|(name, used)| (name, used.intersection(&names).cloned().collect())).collect()
}

/// One line for each package: what it depends on, without what follows.
fn picture() -> String {
    let all = manifests();
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut out = String::new();
    for (name, used) in &all {
        let behind = |other: &str| reached.get(other).cloned().unwrap_or_default();
        let follows: BTreeSet<&str> = used.iter().flat_map(|other| behind(other)).collect();
        let direct: Vec<&str> =
            used.iter().map(String::as_str).filter(|other| !follows.contains(other)).collect();
        out += format!("{name:<12}{}", direct.join(" ")).trim_end();
        out.push('\n');
        let all = follows.into_iter().chain(used.iter().map(String::as_str)).collect();
        reached.insert(name, all);
    }
    out
}

#[test]
fn the_picture_of_the_crates_is_that_of_the_manifests() {
    let page = read(&root().join("docs/design/architecture.md"));
    let section = page.split("without command lines:").nth(1).expect("the picture has a sentence before it");
    let shown = section.split("```").nth(1).expect("it is a block").trim_start_matches('\n');
    assert_eq!(shown, picture());
}

#[test]
fn packages_depend_on_those_above_them() {
    let mut above: BTreeSet<String> = BTreeSet::new();
    for (name, used) in manifests() {
        for other in used {
            assert!(above.contains(&other), "{name} stands above {other} in Cargo.toml");
        }
        above.insert(name);
    }
}
