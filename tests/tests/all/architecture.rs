//! The picture of the crates in docs/design/architecture.md is that of the manifests, and no crate's folders know each other in
//! a circle that crosses concepts. Each library shows its main use by an example.

use crate::documents::read;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The root of the project.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the project")
}

/// The folders of the packages, in the order of the workspace.
fn members() -> Vec<PathBuf> {
    let workspace = read(&root().join("Cargo.toml"));
    let list = workspace.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    list.expect("members").split('"').skip(1).step_by(2).map(|member| root().join(member)).collect()
}

/// The name of the package with this manifest.
fn name_in(manifest: &str) -> &str {
    manifest.split("name = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name")
}

/// The names of the packages and the packages that each library depends on directly, in the order of the workspace.
fn manifests() -> Vec<(String, BTreeSet<String>)> {
    let manifest = |member: &PathBuf| {
        let text = read(&member.join("Cargo.toml"));
        let section = text.split("\n[dependencies]\n").nth(1).unwrap_or_default();
        let lines = section.lines().take_while(|line| !line.starts_with('['));
        let own = lines.filter(|line| !line.contains("optional = true"));
        let used = own.filter_map(|line| Some(line.split_once(" = ")?.0.to_owned())).collect();
        (name_in(&text).to_owned(), used)
    };
    let all: Vec<(String, BTreeSet<String>)> = members().iter().map(manifest).collect();
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

/// Packages whose heads need no example.
const WITHOUT_EXAMPLE: [&str; 2] = ["slam", "tests"];

/// The lines of the examples at the head of a source file that are compiled and run.
fn example(source: &str) -> Vec<&str> {
    let (mut kind, mut lines) = (None, vec![]);
    for line in source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim_start) {
        match (line.strip_prefix("```"), kind) {
            (Some(word), None) => kind = Some(word),
            (Some(_), Some(_)) => kind = None,
            (None, Some("")) => lines.push(line),
            (None, _) => {}
        }
    }
    lines
}

#[test]
fn every_library_shows_its_main_use_by_an_example() {
    let mut names = BTreeSet::new();
    let mut missing = vec![];
    for member in members() {
        let manifest = read(&member.join("Cargo.toml"));
        let name = name_in(&manifest).to_owned();
        if !WITHOUT_EXAMPLE.contains(&name.as_str()) {
            if !example(&read(&member.join("src/lib.rs"))).iter().any(|line| line.starts_with("assert")) {
                missing.push(format!("{name}: the head of lib.rs has no example with an assertion"));
            }
            if manifest.lines().any(|line| line.replace(' ', "") == "doctest=false") {
                missing.push(format!("{name}: the manifest switches examples off"));
            }
        }
        names.insert(name);
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(WITHOUT_EXAMPLE.iter().all(|name| names.contains(*name)), "an exception is no package");
}

#[test]
fn examples_are_found_in_heads_only() {
    assert_eq!(example("//! a\n//!\n//! ```\n//! assert!(true);\n//! ```\n"), ["assert!(true);"]);
    assert_eq!(example("//! ```text\n//! a\n//! ```\n//! b\n//! ```\n//! c\n//! ```\n"), ["c"]);
    assert_eq!(example("//! ```no_run\n//! a\n//! ```\n"), [""; 0]);
    assert_eq!(example("//! a\n\n/// ```\n/// assert!(true);\n/// ```\nfn f() {}"), [""; 0]);
}

/// The rows of the table behind a sentence of a page.
fn table(page: &str, sentence: &str) -> String {
    let text = read(&root().join(page));
    let rest = text.split(sentence).nth(1).expect("the table has a sentence before it");
    let rows = rest.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    rows.take_while(|line| line.starts_with('|')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_page_lists_the_passes() {
    let row =
        |pass: &passes::pipeline::Pass| format!("| {} | {:?} | {} |\n", pass.name, pass.stage, pass.why);
    let rows: String = passes::pipeline::PASSES.iter().map(row).collect();
    assert_eq!(table("docs/design/architecture.md", "the passes, in their order"), rows);
}

#[test]
fn the_page_shows_the_plan() {
    let row = |step: &verify::plan::Step| {
        let when: Vec<String> = step.when.iter().map(ToString::to_string).collect();
        let (method, variant) = (step.method.name(), step.variant);
        format!(
            "| {method}{variant} | {:?} | {} | {} | {} |\n",
            step.at,
            when.join("; "),
            step.budget,
            step.why
        )
    };
    let rows: String = verify::plan::PLAN.iter().map(row).collect();
    assert_eq!(table("docs/design/loop.md", "all steps of the plan"), rows);
}

/// What a pass needs is given by one before it.
#[test]
fn passes_stand_behind_what_they_need() {
    let mut given: BTreeSet<passes::pipeline::Property> = BTreeSet::new();
    let mut stage = passes::Stage::Checked;
    for pass in passes::pipeline::PASSES {
        assert!(pass.needs.iter().all(|need| given.contains(need)), "`{}` stands too early", pass.name);
        assert!(stage <= pass.stage, "`{}` stands in another stage", pass.name);
        given.extend(pass.gives);
        stage = pass.stage;
    }
}
