//! Same input and options, same output, whatever the number of threads: answers, logs and saved files, times aside.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tests::{Run, slam, without_times};

/// Every file below `folder` with its content, times masked, by its path below it.
fn contents(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a saved folder can be listed") {
            let path = entry.expect("a saved folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name =
                path.strip_prefix(folder).expect("the path lies below the folder").display().to_string();
            // cegar.csv and cegar.jsonl are tables of times.
            if !name.starts_with("cegar.") {
                let text = fs::read_to_string(&path).expect("saved files are text");
                found.insert(name, without_times(&text));
            }
        }
    }
    found
}

/// One run with this many threads; log times masked; with the saved files.
fn run(name: &str, threads: &str, round: u32) -> (Run, BTreeMap<String, String>) {
    let folder = testing::folder().join(format!("{threads}-{round}"));
    let save = testing::text(&folder);
    let file = format!("examples/{name}.c");
    let mut run = slam(&[
        "check",
        &file,
        "--tune",
        "without=executions",
        "-v",
        "--threads",
        threads,
        "--time-limit",
        "60s",
        "--save",
        save,
    ]);
    run.stderr = without_times(&run.stderr).replace(save, "SAVED");
    (run, contents(&folder))
}

fn same_for_all_threads(name: &str) {
    let (first, saved) = run(name, "1", 0);
    assert!(!saved.is_empty(), "--save writes files");
    for (threads, round) in [("1", 1), ("2", 0)] {
        let (again, saved_again) = run(name, threads, round);
        assert_eq!(first, again, "{threads} threads");
        assert_eq!(saved, saved_again, "{threads} threads");
    }
}

#[test]
fn spinlock_safe() {
    same_for_all_threads("spinlock_safe");
}

#[test]
fn spinlock_unsafe() {
    same_for_all_threads("spinlock_unsafe");
}

#[test]
fn swap_pointers() {
    same_for_all_threads("swap_pointers");
}

#[test]
fn state_machine_12() {
    same_for_all_threads("state_machine_12");
}
