//! No concrete run of the examples contradicts the bounds of integers that are computed of them, with all checks added.
//! `BOUNDS_FILES` (paths, one a line) and `BOUNDS_RUNS` (runs of each) ask for other programs; the figures are printed then.

#[path = "../../../crates/executions/tests/all/common/mod.rs"]
mod common;

use self::common::{Figures, Subject};
use alias::AliasMode;
use ir::CheckKind;
use std::path::{Path, PathBuf};

/// The programs of a folder.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the examples are there");
    let paths = entries.map(|e| e.expect("a folder can be listed").path());
    let mut found: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    found.sort();
    found
}

/// False when nothing is computed of the program.
fn try_file(path: &Path, runs: u64, figures: &mut Figures) -> bool {
    let checks = CheckKind::ALL.into_iter().filter(|kind| *kind != CheckKind::Unmodelled).collect();
    let options = cfront::Options { need_checks: false, checks, ..cfront::Options::default() };
    let Ok(front) = cfront::load(std::slice::from_ref(&path.to_path_buf()), &options) else { return false };
    let Some(subject) = Subject::new(&front.program, AliasMode::Das) else { return false };
    for run in 0..runs {
        let complaints = subject.run((run + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15), 5_000, figures);
        assert!(complaints.is_empty(), "{}: {complaints:#?}", path.display());
    }
    true
}

#[test]
fn no_run_contradicts_the_bounds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let named = std::env::var("BOUNDS_FILES").ok();
    let files: Vec<PathBuf> = match &named {
        Some(list) => list.lines().map(PathBuf::from).collect(),
        None => [root.clone(), root.join("checks"), root.join("everyday")]
            .iter()
            .flat_map(|f| programs(f))
            .collect(),
    };
    let runs = testing::number("BOUNDS_RUNS", 3);
    let mut figures = Figures::default();
    let computed = files.iter().filter(|file| try_file(file, runs, &mut figures)).count();
    if named.is_some() {
        // The figures are asked for.
        panic!("done: {computed} files, {figures:?}");
    }
    assert!(
        100 < computed && 100_000 < figures.facts && 3_000 < figures.checks,
        "{computed} files, {figures:?}"
    );
}
