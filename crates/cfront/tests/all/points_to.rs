//! Points-to analysis on C programs: the examples, and those that other tests run. Finer modes allow no more than
//! coarser ones, and concrete runs agree with all of them.

#[path = "../../../passes/tests/all/soundness/order.rs"]
mod order;
#[path = "../../../passes/tests/all/soundness/watch.rs"]
mod watch;

use cfront::Options;
use ir::program::Program;
use ir::{Access, Lvalue};
use std::path::{Path, PathBuf};

fn programs() -> Vec<(PathBuf, Program)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![];
    for folder in ["../../examples", "../../examples/checks", "tests/programs/run"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the programs are there");
        files.extend(entries.map(|e| e.expect("the folder can be listed").path()));
    }
    files.retain(|file| file.extension().is_some_and(|e| e == "c"));
    files.sort();
    let options = Options { need_checks: false, ..Options::default() };
    let loaded = files.into_iter().map(|file| {
        let front = cfront::load(std::slice::from_ref(&file), &options)
            .unwrap_or_else(|f| panic!("{}: {:?}", file.display(), f.diagnostics));
        (file, front.program)
    });
    loaded.collect()
}

#[test]
fn finer_modes_allow_less() {
    for (file, program) in programs() {
        assert_eq!(order::violations(&program), Vec::<String>::new(), "{}", file.display());
    }
}

#[test]
fn runs_agree_with_all_modes() {
    for (file, program) in programs() {
        // Two bit-fields can share bytes, and a comparison of addresses does not tell them apart.
        let is_bit_field = |lv: &Lvalue| match lv.path.last() {
            Some(Access::Field(r, i)) => program.records[*r].fields[*i as usize].bit_offset.is_some(),
            _ => false,
        };
        let mentioned = program.procs.ids().map(|p| order::mentioned(&program, p).lvalues);
        let lvalues: Vec<Vec<_>> =
            mentioned.map(|all| all.into_iter().filter(|lv| !is_bit_field(lv)).collect()).collect();
        for seed in 0..2 {
            let complaints = watch::complaints(&program, &lvalues, seed, 200);
            assert_eq!(complaints, Vec::<String>::new(), "{}", file.display());
        }
    }
}
