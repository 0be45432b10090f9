//! No concrete run of the examples contradicts what `slam nullness` says of their dereferences. `NULLNESS_FILES` (paths,
//! one a line) and `NULLNESS_RUNS` (runs of each) ask for other programs; the figures are printed then.

#[path = "../../../crates/dataflow/tests/all/common/mod.rs"]
mod common;

use self::common::Subject;
use alias::AliasMode;
use std::path::{Path, PathBuf};

struct Figures {
    files: usize,
    runs: usize,
    dereferences: usize,
    compared: usize,
}

/// The programs of a folder.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the examples are there");
    let paths = entries.map(|e| e.expect("a folder can be listed").path());
    let mut found: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    found.sort();
    found
}

fn try_file(path: &Path, runs: u64, steps: u64, figures: &mut Figures) {
    let options = cfront::Options { need_checks: false, ..cfront::Options::default() };
    let Ok(front) = cfront::load(std::slice::from_ref(&path.to_path_buf()), &options) else { return };
    let Some(subject) = Subject::new(&front.program, AliasMode::Das) else { return };
    if subject.nullness.dereferences.is_empty() {
        return;
    }
    figures.files += 1;
    figures.dereferences += subject.nullness.dereferences.len();
    for run in 0..runs {
        let (complaints, compared) = subject.run((run + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15), steps);
        assert!(complaints.is_empty(), "{}: {complaints:#?}", path.display());
        figures.runs += 1;
        figures.compared += compared;
    }
}

#[test]
fn no_run_contradicts_the_analysis() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let named = std::env::var("NULLNESS_FILES").ok();
    let files: Vec<PathBuf> = match &named {
        Some(list) => list.lines().map(PathBuf::from).collect(),
        None => [root.clone(), root.join("checks"), root.join("dataflow")]
            .iter()
            .flat_map(|f| programs(f))
            .collect(),
    };
    let runs = testing::number("NULLNESS_RUNS", 3);
    let mut figures = Figures { files: 0, runs: 0, dereferences: 0, compared: 0 };
    let steps = if named.is_some() { 20_000 } else { 1_000 };
    for file in &files {
        try_file(file, runs, steps, &mut figures);
    }
    let Figures { files, runs, dereferences, compared } = figures;
    let text = format!("{files} files, {dereferences} dereferences, {runs} runs, {compared} comparisons");
    if named.is_some() {
        // The figures are asked for.
        panic!("done: {text}");
    }
    assert!(15 < files && 400 < compared, "{text}");
}
