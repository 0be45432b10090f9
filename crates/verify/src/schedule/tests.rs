use super::*;
use base::Id;
use interp::{Outcome, Run};
use predicates::Precision;

fn check(n: usize) -> CheckId {
    CheckId::from_index(n)
}

/// A schedule of `asked` checks, and one more that stands for something not modelled.
fn schedule(asked: usize, all: bool) -> Schedule {
    Schedule::new((0..asked).map(check).collect(), BTreeSet::from([check(9)]), all)
}

fn fails(n: usize) -> Conclusion {
    let outcome = Outcome::CheckFailed(check(n));
    let run =
        Run { outcome, inputs: vec![], located: vec![], trace: vec![], steps: 1, rests_on: None, exit: None };
    Conclusion::Unsafe(Box::new(Witness { check: check(n), run }))
}

fn failure(n: Option<usize>) -> Failure {
    Failure {
        reason: Reason::NoProgress,
        check: n.map(check),
        place: None,
        iterations: 1,
        precision: Precision::new(),
        history: crate::cegar::History::default(),
        max_cube: 3,
        candidates: std::sync::Arc::default(),
        times: crate::cegar::Totals::default().times(),
    }
}

fn unknown(n: usize) -> Conclusion {
    Conclusion::Unknown(failure(Some(n)))
}

fn safe() -> Conclusion {
    Conclusion::Safe(Proof {
        unreached: BTreeMap::from([(check(1), Unreached::NoWay)]),
        reached: BTreeSet::new(),
        invariants: vec![],
        facts: std::sync::Arc::default(),
        complete: true,
        evidence: crate::cegar::Evidence::Abstraction(None),
        iterations: 1,
        predicates: 0,
    })
}

/// What is done next, in a word and with the checks that it is about.
fn next(schedule: &mut Schedule, conclusion: Conclusion) -> (&'static str, Vec<usize>) {
    let (word, checks) = match schedule.next(conclusion, false) {
        Next::LeaveOutUnmodelled { check, reached: true } => ("reached", vec![check]),
        Next::LeaveOutUnmodelled { check, reached: false } => ("perhaps reached", vec![check]),
        Next::LeaveOut(check, _) => ("leave out", vec![check]),
        Next::Bits(_) => ("bits", vec![]),
        Next::Proved { ask, .. } => ("proved", ask),
        Next::Wait { check, ask } => ("wait", [vec![check], ask].concat()),
        Next::Failed(check) => ("failed", vec![check]),
        Next::NotDecided(check, _) => ("not decided", vec![check]),
        Next::Stop => ("stop", vec![]),
        Next::Answer(_) => ("answer", vec![]),
        Next::Undefined { others: true } => ("undefined", vec![]),
        Next::Undefined { others: false } => ("undefined, others open", vec![]),
        Next::SingleExecution(_) => ("single", vec![]),
    };
    (word, checks.into_iter().map(Id::index).collect())
}

fn words(schedule: &Schedule) -> Vec<&'static str> {
    let word = |decision: Option<&Decision>| match decision {
        Some(Decision::Safe) => "safe",
        Some(Decision::Unreachable(_)) => "unreachable",
        Some(Decision::Unsafe(_)) => "unsafe",
        Some(Decision::Unknown(_)) => "unknown",
        None => "open",
    };
    schedule.list().map(|(_, decision)| word(decision)).collect()
}

#[test]
fn the_first_answer_ends_a_run_that_asks_whether_one_fails() {
    assert_eq!(next(&mut schedule(2, false), fails(0)), ("answer", vec![]));
    assert_eq!(next(&mut schedule(1, false), unknown(0)), ("answer", vec![]));
    let mut proved = schedule(2, false);
    assert_eq!(proved.bounds(100), (None, 100));
    assert_eq!(next(&mut proved, safe()), ("proved", vec![]));
    assert!(proved.is_done());
    assert_eq!(words(&proved), ["safe", "unreachable"]);
}

#[test]
fn every_check_gets_its_decision() {
    let mut all = schedule(4, true);
    assert_eq!(next(&mut all, fails(2)), ("failed", vec![2]));
    assert_eq!(next(&mut all, unknown(3)), ("not decided", vec![3]));
    assert_eq!(words(&all), ["open", "open", "unsafe", "unknown"]);
    assert!(!all.is_done());
    assert_eq!(next(&mut all, safe()), ("proved", vec![]));
    assert_eq!(words(&all), ["safe", "unreachable", "unsafe", "unknown"]);
    assert!(all.is_done());
}

#[test]
fn a_check_that_waits_gets_more_iterations_when_its_turn_comes() {
    let mut all = schedule(3, true);
    assert_eq!(all.bounds(100), (Some(PATIENCE), 100));
    assert_eq!(next(&mut all, Conclusion::Deferred(check(0))), ("wait", vec![0]));
    assert_eq!(next(&mut all, fails(1)), ("failed", vec![1]));
    // A proof is about the checks that do not wait.
    assert_eq!(next(&mut all, safe()), ("proved", vec![0]));
    assert_eq!(words(&all), ["open", "unsafe", "safe"]);
    assert_eq!(all.bounds(100), (None, 100), "the last check waits for nobody");
    let mut stuck = schedule(2, true);
    assert_eq!(next(&mut stuck, Conclusion::Deferred(check(1))), ("wait", vec![1]));
    assert_eq!(next(&mut stuck, Conclusion::Deferred(check(0))), ("wait", vec![0, 0, 1]));
    assert_eq!(stuck.bounds(100), (Some(PATIENCE * MORE_PATIENCE), 100));
}

#[test]
fn what_is_not_modelled_is_left_out_and_no_check_of_its_own() {
    for all in [false, true] {
        assert_eq!(next(&mut schedule(2, all), fails(9)), ("reached", vec![9]));
    }
    assert_eq!(next(&mut schedule(2, true), unknown(9)), ("perhaps reached", vec![9]));
    let no_model = || Conclusion::NoModel(failure(Some(0)));
    assert_eq!(next(&mut schedule(2, false), no_model()), ("leave out", vec![0]));
    assert_eq!(next(&mut schedule(2, true), no_model()), ("not decided", vec![0]));
    let no_check = Conclusion::NoModel(failure(None));
    assert_eq!(next(&mut schedule(2, false), no_check), ("answer", vec![]));
}

#[test]
fn a_stop_leaves_the_open_checks_undecided() {
    let mut all = schedule(3, true);
    assert_eq!(next(&mut all, fails(0)), ("failed", vec![0]));
    assert!(matches!(all.next(unknown(1), true), Next::Stop));
    assert_eq!(words(&all), ["unsafe", "unknown", "unknown"]);
    let mut limit = schedule(2, true);
    assert_eq!(next(&mut limit, Conclusion::Unknown(failure(None))), ("stop", vec![]));
    assert!(limit.is_done());
}

#[test]
fn undefined_behaviour_and_single_executions_count_when_the_loop_ends() {
    let mut undefined = schedule(1, false);
    undefined.note(Concrete { undefined: true, single: false });
    assert_eq!(next(&mut undefined, safe()), ("undefined", vec![]));
    assert_eq!(next(&mut undefined, fails(0)), ("answer", vec![]));
    let mut single = schedule(1, false);
    single.note(Concrete { undefined: false, single: true });
    assert_eq!(single.bounds(100), (None, SINGLE_EXECUTION));
    assert_eq!(single.bounds(5), (None, 5));
    assert!(single.is_answered() && !undefined.is_answered());
    assert_eq!(next(&mut single, unknown(0)), ("single", vec![]));
    assert_eq!(next(&mut single, safe()), ("proved", vec![]));
}

#[test]
fn without_checks_a_proof_is_needed_all_the_same() {
    for all in [false, true] {
        let mut none = schedule(0, all);
        assert!(!none.is_done());
        assert_eq!(next(&mut none, unknown(9)), ("answer", vec![]));
        assert_eq!(next(&mut none, safe()), ("proved", vec![]));
        assert!(none.is_done());
    }
}

#[test]
fn errors_are_looked_for_behind_a_check_that_is_not_decided() {
    let mut schedule = schedule(3, false);
    assert_eq!(next(&mut schedule, unknown(1)), ("leave out", vec![1]));
    assert_eq!(schedule.bounds(1000), (None, ITERATIONS_FOR_ERRORS));
    assert!(schedule.undecided().is_some_and(|first| first.check == Some(check(1))));
    assert_eq!(next(&mut schedule, fails(0)), ("answer", vec![]));
}

#[test]
fn the_first_check_that_is_not_decided_is_the_answer_when_no_other_one_fails() {
    let answer = |schedule: &mut Schedule, last: Conclusion, stopped| match schedule.next(last, stopped) {
        Next::Answer(conclusion) => match *conclusion {
            Conclusion::Unknown(failure) => failure.check.map(Id::index),
            _ => panic!("nothing is known"),
        },
        _ => panic!("the run ends"),
    };
    let mut one = schedule(3, false);
    assert_eq!(next(&mut one, unknown(1)), ("leave out", vec![1]));
    assert_eq!(next(&mut one, unknown(0)), ("leave out", vec![0]));
    assert_eq!(answer(&mut one, unknown(2), false), Some(1));
    let mut stopped = schedule(3, false);
    assert_eq!(next(&mut stopped, unknown(2)), ("leave out", vec![2]));
    assert_eq!(answer(&mut stopped, unknown(1), true), Some(2));
    let mut alone = schedule(1, false);
    assert_eq!(answer(&mut alone, unknown(0), false), Some(0));
}
