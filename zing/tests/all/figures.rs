//! The figures of the paper, with the numbers that it gives.

use crate::support::{MODES, RUN, code, compiled, example, fails, run};
use zing::{Answer, Answers, Options, Overrides};

fn summaries_of(outcome: &zing::Outcome, proc: &str) -> (usize, usize) {
    let found = outcome.per_procedure.iter().find(|(name, ..)| name == proc);
    found.map(|(_, summaries, effects)| (*summaries, *effects)).expect("the procedure has summaries")
}

#[test]
fn figure_1_is_proved_although_it_allocates_without_bound() {
    let code = code(&example("fig1.zn"));
    assert!(code.terminates());
    let patterns = run(&code, Answers::Patterns);
    assert_eq!(fails(&patterns), Some(false));
    assert_eq!(summaries_of(&patterns, "Main.M"), (1, 2), "one pattern with its two effects");
    let visible = run(&code, Answers::Visible);
    assert_eq!(fails(&visible), Some(false));
    assert_eq!(summaries_of(&visible, "Main.M"), (2, 4), "four pairs of a state and an effect");
    let none =
        zing::check(&code, &Options { summaries: Answers::None, max_states: 5_000, ..Options::new(&RUN) });
    assert_eq!(none.answer, Err(zing::Limit::States(5_000)), "without summaries the search does not end");
}

#[test]
fn figure_2_fails() {
    let code = code(&example("fig2.zn"));
    for mode in MODES {
        let outcome = run(&code, mode);
        let Ok(Answer::Fails { pc, trace: Some(trace), .. }) = outcome.answer.clone() else {
            panic!("{outcome:?}")
        };
        assert_eq!(code.node(pc).labels, ["L5"]);
        let calls = trace.steps.iter().filter(|s| code.node(s.pc).labels == ["L1"]);
        assert_eq!(calls.count(), 2, "the second call fails");
    }
}

fn figure_10(n: i32) -> zing::code::Code {
    compiled(&example("fig10.zn"), &Overrides::from([("N".to_owned(), n)]))
        .expect("the example is well-formed")
}

#[test]
fn figure_10_has_two_summaries_a_level() {
    for n in [1, 5, 20] {
        let outcome = run(&figure_10(n), Answers::Patterns);
        assert_eq!(fails(&outcome), Some(false));
        assert_eq!(summaries_of(&outcome, "Main.M").0, 2 * n as usize);
    }
    let states = |n, mode| run(&figure_10(n), mode).stats.states;
    let (five, ten, twenty) =
        (states(5, Answers::Patterns), states(10, Answers::Patterns), states(20, Answers::Patterns));
    assert_eq!(twenty - ten, 2 * (ten - five), "the work grows linearly");
    assert!(states(6, Answers::None) > 2 * states(5, Answers::None) - 20, "it doubles without summaries");
}
