//! Executions that build on each other: they find errors behind several conditions on inputs, again and again the same
//! ones, with few inputs.

use alias::{AliasMode, AliasOracle};
use executions::Search;
use interp::{Outcome, Value};
use ir::Program;
use passes::resolve_indirect;
use std::sync::atomic::AtomicBool;

const STEPS: u64 = 20_000_000;

fn program(body: &str) -> Program {
    let text = format!(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern char __VERIFIER_nondet_char(void);\n\
         int main(void) {{\n{body}\nreturn 0; }}\n"
    );
    let front = cfront::load(&[testing::file("a.c", text).into()], &cfront::Options::default())
        .expect("C that is taken");
    let oracle = AliasOracle::new(&front.program, AliasMode::Das);
    resolve_indirect(&front.program, &oracle).expect("no pointer to a function is called")
}

fn search(body: &str) -> executions::random::Probed {
    Search::default().advance(&program(body), STEPS, &AtomicBool::new(false))
}

/// The numbers that the execution was given.
fn inputs(body: &str) -> Vec<i128> {
    let found = search(body);
    let witness = found.failing.unwrap_or_else(|| panic!("after {} executions: {body}", found.runs));
    assert!(matches!(witness.run.outcome, Outcome::CheckFailed(check) if check == witness.check));
    let number = |value: &Value| match value {
        Value::Int(n) => *n,
        other => panic!("{other:?} is no number"),
    };
    witness.run.inputs.iter().map(|input| number(&input.value)).collect()
}

const WORD: &str = "int at = 0; const char *word = \"solve\";
    while (word[at]) { if (__VERIFIER_nondet_char() != word[at]) return 1; at++; }
    reach_error();";

#[test]
fn a_word_is_found_letter_by_letter() {
    assert_eq!(inputs(WORD), "solve".bytes().map(i128::from).collect::<Vec<_>>());
}

const STEPS_OF_A_MACHINE: &str = "int state = 0;
    while (state < 5) {
        int key = __VERIFIER_nondet_int();
        switch (state) {
        case 0: state = key == 17 ? 1 : 0; break;
        case 1: state = key == 117 ? 2 : 0; break;
        case 2: state = key == -217 ? 3 : 1; break;
        case 3: state = key == 317 ? 4 : 1; break;
        default: state = key == 417 ? 5 : 2; break;
        }
        if (key == 99) return 1;
    }
    reach_error();";

#[test]
fn a_machine_goes_through_its_states() {
    assert_eq!(inputs(STEPS_OF_A_MACHINE), [17, 117, -217, 317, 417]);
}

#[test]
fn many_inputs_are_made_few() {
    // Some executions have many turns; one of two numbers is enough.
    let given = inputs(
        "int sum = 0; while (__VERIFIER_nondet_int()) sum += __VERIFIER_nondet_int() == 9; if (sum) reach_error();",
    );
    assert!(given.len() <= 4, "{given:?}");
}

#[test]
fn the_same_work_gives_the_same() {
    let once = || {
        let found = search(WORD);
        (found.runs, found.steps, found.failing.map(|w| w.run.inputs))
    };
    assert_eq!(once(), once());
    let mut search = Search::default();
    let stop = AtomicBool::new(false);
    // What is kept of another program does not count.
    search.advance(&program(STEPS_OF_A_MACHINE), 50_000, &stop);
    let found = search.advance(&program(WORD), STEPS, &stop);
    assert_eq!((found.runs, found.steps, found.failing.map(|w| w.run.inputs)), once());
}

#[test]
fn it_ends_where_nothing_new_is_to_be_found() {
    let mut search = Search::default();
    let program = program("int x = __VERIFIER_nondet_int(); if (x > 3 && x < 3) reach_error();");
    let found = search.advance(&program, u64::MAX, &AtomicBool::new(false));
    assert!(found.failing.is_none() && !search.is_open(), "{} executions", found.runs);
    assert_eq!(search.advance(&program, u64::MAX, &AtomicBool::new(false)).runs, 0);
}

/// Each turn takes edges that others take, too: only the values of `door` and `count` tell how far it is.
const TURNS_IN_ORDER: &str = "int door = 0, count = 0;
    while (1) {
        int key = __VERIFIER_nondet_int();
        if (door == 0 && key == 3) { door = 1; count++; }
        else if (door == 1 && key == 5) { door = 2; count++; }
        else if (door == 2 && key == 6) { door = 0; count++; }
        else if (key != 7) { door = 0; count = 0; }
        if (count > 48) reach_error();
    }";

#[test]
fn turns_in_the_right_order_are_found_by_the_states_that_they_lead_to() {
    let given = inputs(TURNS_IN_ORDER);
    let keys: Vec<i128> = given.into_iter().filter(|key| *key != 7).collect();
    let turns: Vec<i128> = [3, 5, 6].into_iter().cycle().take(49).collect();
    assert!(keys.ends_with(&turns), "{keys:?}");
}
