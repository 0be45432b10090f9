//! Candidates for invariants hold in every state that they were guessed from: random programs are executed twice in the
//! same way, for the recorder and for its candidates.

use crate::common::any;
use crate::loops;
use alias::{AliasMode, AliasOracle};
use executions::likely_invariants::{Candidate, Recorder};
use interp::{Inputs, Limits, State, UninitRead, Value, run};
use ir::{EdgeId, HavocKind, LocId, PathStep, ProcId, Program, Type};
use passes::resolve_indirect;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use testing::programs::calls::Dice;
use testing::programs::pointers::generate;

/// Executions of each program. They are short, so that all states at heads of loops are kept.
const RUNS: u64 = 6;
const STEPS: u64 = 150;

type Found = BTreeMap<(ProcId, LocId), Vec<Candidate>>;

/// What an execution is shown to.
enum Watcher<'a> {
    Recorder(&'a mut Recorder),
    Candidates {
        found: &'a Found,
        visits: BTreeMap<(ProcId, LocId), u32>,
        held: &'a mut usize,
        wrong: Vec<String>,
    },
}

struct Watched<'a> {
    program: &'a Program,
    dice: Dice,
    watcher: Watcher<'a>,
}

impl Inputs for Watched<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        any(&mut self.dice, ty)
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.dice.below(enabled.len())
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        any(&mut self.dice, ty)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        match &mut self.watcher {
            Watcher::Recorder(recorder) => recorder.observe(state, step),
            Watcher::Candidates { found, visits, held, wrong } => {
                let at = (state.proc(), state.location());
                let Some(list) = found.get(&at) else { return };
                let visit = visits.entry(at).or_default();
                *visit += 1;
                // Of later visits only some are recorded.
                for candidate in list.iter().filter(|_| *visit < 16) {
                    match state.value(&candidate.condition) {
                        Ok(Value::Int(0)) => wrong.push(ir::print::expr(self.program, &candidate.condition)),
                        Ok(_) => **held += 1,
                        // Values at the entry are not known here.
                        Err(_) => {}
                    }
                }
            }
        }
    }
}

/// How many candidates were evaluated.
fn candidates_hold(text: &str, seed: u64) -> usize {
    let program = ir::parse::program(text).unwrap_or_else(|d| panic!("{} in\n{text}", d.message));
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let Ok(program) = resolve_indirect(&program, &oracle) else { return 0 };
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let stop = AtomicBool::new(false);
    let mut recorder = Recorder::new(&program);
    // Of two seeds that differ in their last bits alone the numbers are the same.
    let dice = |n: u64| Dice::new((seed * RUNS + n) << 1);
    for n in 0..RUNS {
        recorder.begin();
        let watcher = Watcher::Recorder(&mut recorder);
        let mut inputs = Watched { program: &program, dice: dice(n), watcher };
        run(&program, &mut inputs, &limits, &stop);
    }
    let (found, mut held) = (recorder.candidates(), 0);
    for n in 0..RUNS {
        let watcher =
            Watcher::Candidates { found: &found, visits: BTreeMap::new(), held: &mut held, wrong: vec![] };
        let mut inputs = Watched { program: &program, dice: dice(n), watcher };
        run(&program, &mut inputs, &limits, &stop);
        if let Watcher::Candidates { wrong, .. } = inputs.watcher {
            assert!(wrong.is_empty(), "{text}\n{wrong:#?}");
        }
    }
    held
}

#[test]
fn candidates_hold_in_the_states_they_come_from() {
    let mut held = 0;
    for seed in 1..=200_u64 {
        let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        held += candidates_hold(&loops::random_program(&mut dice), seed);
        let bytes: Vec<u8> = (0..60 + dice.below(100)).map(|_| dice.below(256) as u8).collect();
        held += candidates_hold(&generate(&bytes), seed);
    }
    assert!(held > 20_000, "{held}");
}
