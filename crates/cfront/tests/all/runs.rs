//! Programs that print, run natively and by the interpreter of C--: the same output and exit code. Each file of
//! `programs/run` is one; what was once understood wrongly stands there.

use crate::common::{compiled, interpret};
use cfront::Options;
use std::path::Path;

#[test]
fn programs_that_print() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/run");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the programs are there")
        .map(|e| e.expect("the folder can be listed").path())
        .collect();
    files.sort();
    for file in files {
        let ours = interpret(&file, &Options::default(), 10_000_000)
            .unwrap_or_else(|e| panic!("{}: {e:?}", file.display()));
        let theirs = compiled(&file, &[]).expect("the program ends");
        for (n, (ours, theirs)) in ours.stdout.lines().zip(theirs.stdout.lines()).enumerate() {
            assert_eq!(ours, theirs, "line {} of the output of {}", n + 1, file.display());
        }
        assert_eq!(ours, theirs, "{}", file.display());
    }
}
