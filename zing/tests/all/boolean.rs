//! Boolean programs: zing agrees with the explicit twin on what can be reached. The number of programs is in `ZING_BOOLEAN_CASES`.

use crate::support::{MODES, RUN, fails};
use bp::random::{Choices, Shape, program};
use bp::{Cfg, VertexId};
use check::explicit::Explicit;
use testing::Dice;
use zing::{Answers, Options, from_boolean};

/// A program that looks random, the same for each seed.
fn random(seed: u64) -> Cfg {
    let mut dice = Dice::new(seed);
    let numbers: Vec<u16> = (0..400).map(|_| dice.bits() as u16).collect();
    let program = program(&mut Choices::new(&numbers), Shape::default());
    Cfg::build(&program, None).expect("random programs are well-formed").0
}

fn compare(cfg: &Cfg, twin: &Explicit<'_>, goals: &[VertexId], modes: &[Answers], seed: u64) -> bool {
    let expected = goals.iter().any(|v| twin.is_reached(*v));
    let code = from_boolean(cfg, goals).code;
    for summaries in modes {
        // With stacks, recursion need not end.
        let max_states = if *summaries == Answers::None { 300 } else { 200_000 };
        let outcome =
            zing::check(&code, &Options { summaries: *summaries, max_states, ..Options::new(&RUN) });
        match fails(&outcome) {
            Some(answer) => assert_eq!(answer, expected, "{summaries:?}: program {seed}, {goals:?}"),
            None => assert_eq!(*summaries, Answers::None, "program {seed}: {:?}", outcome.answer),
        }
    }
    expected
}

#[test]
fn zing_agrees_with_the_twin_on_random_boolean_programs() {
    let cases = testing::number("ZING_BOOLEAN_CASES", 200);
    let (mut reached, mut asked) = (0, 0);
    for seed in 0..cases {
        let cfg = random(seed);
        let twin = Explicit::new(&cfg);
        let everything: Vec<VertexId> = cfg.vertices.ids().collect();
        let mut questions = vec![cfg.failures()];
        questions.extend(everything.iter().rev().step_by(11).map(|v| vec![*v]));
        for goals in questions {
            reached += usize::from(compare(&cfg, &twin, &goals, &MODES, seed));
            asked += 1;
        }
    }
    assert!(reached * 10 > asked && (asked - reached) * 10 > asked, "{reached} of {asked} are reached");
}
