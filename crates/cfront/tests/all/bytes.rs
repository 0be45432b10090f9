//! Random programs about objects that are accessed at several types do what compiled ones do: as the front end makes them,
//! and with these objects as bytes. `BYTES_PROGRAMS` is how many.

use crate::common::{compiled, interpret, interpret_as};
use cfront::Options;
use ir::Program;
use passes::{Pipeline, Settings, Stage};
use testing::{Bytes, Scratch};

const STEPS: u64 = 1_000_000;

/// The program with objects as bytes.
fn lowered(program: Program) -> Program {
    let settings = Settings { bytes: true, ..Settings::default() };
    let mut passes = Pipeline::at(Stage::Copied, program, settings);
    assert!(passes.run(Stage::Whole).is_ok(), "there are no function pointers");
    passes.into_program().0
}

#[test]
fn programs_of_bytes_do_what_compiled_ones_do() {
    let programs = testing::number("BYTES_PROGRAMS", 50);
    let mut changed = 0;
    for seed in 0..programs {
        let scratch = Scratch::new();
        let file = scratch.file("a.c", Bytes::new(seed).printing());
        let natively = compiled(&file, &["-fno-strict-aliasing"]).expect("it ends");
        let options = Options::default();
        assert_eq!(interpret(&file, &options, STEPS).as_ref(), Ok(&natively), "seed {seed}");
        let as_bytes = interpret_as(&file, &options, STEPS, |program| {
            let new = lowered(program.clone());
            changed += u64::from(new.vars.len() > program.vars.len());
            new
        });
        assert_eq!(
            as_bytes.as_ref(),
            Ok(&natively),
            "seed {seed}, as bytes\n{}",
            Bytes::new(seed).printing()
        );
    }
    assert!(changed * 2 > programs, "{changed} of {programs} have objects that become bytes");
}
