//! The order of steps, in states of runs: what comes next, and with which effort.

use super::*;
use expect_test::{Expect, expect};
use std::fmt::Write;

/// The steps at a point of a run in this state.
fn steps(at: Point, state: &State, methods: &BTreeSet<Method>) -> String {
    let (mut out, mut from) = (String::new(), 0);
    while let Some((position, step)) = next(at, state, methods, from) {
        let effort = step.budget.effort(state);
        writeln!(out, "{} {:?} {}", step.method.name(), step.variant, effort.as_questions())
            .expect("a string takes all text");
        from = position + 1;
    }
    out
}

fn check(at: Point, state: &State, expected: &Expect) {
    expected.assert_eq(&steps(at, state, &all()));
}

/// A run that has asked this many questions before this iteration, about a program of a hundred edges.
fn before(iteration: usize, questions: u64) -> State {
    State {
        iteration,
        questions,
        due: FIRST_QUESTIONS,
        early: Some(EARLY_QUESTIONS),
        edges: 100,
        ..State::default()
    }
}

#[test]
fn before_the_loop() {
    check(
        Point::Program,
        &State::default(),
        &expect![[r#"
            executions Usual 400
            single-execution Usual 0
            bounds Usual 1000
        "#]],
    );
}

#[test]
fn the_first_iterations_are_the_abstraction_s() {
    let usual = expect![[r#"
        induction Given 12500
        abstraction Usual 0
    "#]];
    check(Point::Iteration, &before(1, 0), &usual);
    check(Point::Iteration, &before(2, 20), &usual);
    check(
        Point::Iteration,
        &before(3, 40),
        &expect![[r#"
            induction Given 12500
            executions Usual 1600
            abstraction Usual 0
        "#]],
    );
    check(
        Point::Iteration,
        &before(4, 60),
        &expect![[r#"
            induction Given 12500
            executions Longer 0
            executions Usual 1200
            induction Early 250
            abstraction Usual 0
        "#]],
    );
}

#[test]
fn values_that_predicates_do_not_capture_are_unrolled_early() {
    check(
        Point::Iteration,
        &State { hard_values: true, ..before(2, 20) },
        &expect![[r#"
            induction Given 12500
            induction Usual 2500
            unrolling Usual 1250
            abstraction Usual 0
        "#]],
    );
}

#[test]
fn an_expensive_abstraction_gives_other_methods_as_much() {
    check(
        Point::Iteration,
        &before(5, 900),
        &expect![[r#"
            induction Given 12500
            induction Usual 2500
            unrolling Usual 900
            abstraction Usual 0
        "#]],
    );
    // Induction over one iteration was tried before, and the next turn comes at twice the questions.
    check(
        Point::Iteration,
        &State { due: 1_800, early: None, ..before(6, 1_000) },
        &expect![[r#"
            induction Given 12500
            abstraction Usual 0
        "#]],
    );
}

#[test]
fn large_programs_get_less() {
    check(
        Point::Iteration,
        &State { edges: 4_000, unrolling_given_up: true, ..before(8, 600) },
        &expect![[r#"
            induction Given 12500
            executions Usual 2400
            induction Usual 625
            abstraction Usual 0
        "#]],
    );
}

#[test]
fn at_the_end_of_the_loop() {
    check(
        Point::Open,
        &before(9, 300),
        &expect![[r#"
            induction Last 12500
            unrolling Last 2500
        "#]],
    );
    check(
        Point::Open,
        &State { not_replayed: true, ..before(9, 3_000) },
        &expect![[r#"
            unrolling Suspected 3000
            induction Last 12500
            unrolling Last 3000
        "#]],
    );
}

/// Each method can be left out, and nothing else goes with it.
#[test]
fn methods_are_independent() {
    let states = [before(2, 0), before(3, 0), before(4, 300), before(8, 900)];
    for method in Method::ALL {
        let others = Method::ALL.into_iter().filter(|m| *m != method).collect();
        for at in [Point::Program, Point::Iteration, Point::Open] {
            for state in &states {
                let all = steps(at, state, &all());
                let kept = all.lines().filter(|line| line.split(' ').next() != Some(method.name()));
                assert_eq!(steps(at, state, &others).lines().collect::<Vec<_>>(), kept.collect::<Vec<_>>());
            }
        }
    }
}

/// Each method stands in the plan, and says why.
#[test]
fn the_plan_is_complete() {
    for method in Method::ALL {
        let mut steps = PLAN.iter().filter(|step| step.method == method).peekable();
        assert!(steps.peek().is_some(), "{} is not in the plan", method.name());
        assert!(steps.all(|step| step.why.ends_with('.') && !step.when.is_empty()));
    }
}
