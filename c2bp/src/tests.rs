//! Shortcuts change nothing but the cost: random problems, with them and without.

use crate::Options;
use crate::cube_search::decide::Effort;
use crate::cube_search::earlier::Earlier;
use crate::cube_search::problem::{Answers, Goal, Problem};
use crate::cube_search::stored::Stored;
use crate::cube_search::{self as cubes, Task};
use crate::formula::Lit;
use crate::theory_shortcuts::syntax::Syntax;
use proptest::prelude::*;
use smt::{Model, Sort, Term};
use std::sync::atomic::AtomicBool;

/// A formula over three constants; `bits` chooses between integers and bit-vectors of four bits.
fn formula(bits: bool) -> BoxedStrategy<Term> {
    let atom = if bits { bits_atom().boxed() } else { int_atom().boxed() };
    let leaf = prop_oneof![12 => atom, 1 => Just(Term::constant("flag", Sort::Bool))];
    leaf.prop_recursive(2, 5, 3, |inner| {
        let (a, b, c) = (inner.clone(), inner.clone(), inner);
        (a, b, c, 0..6).prop_map(|(a, b, c, how)| match how {
            0 => a.not(),
            1 => Term::and([a, b]),
            2 => Term::or([a, b]),
            3 => Term::ite(&a, &b, &c),
            4 => a.equal(&b),
            _ => Term::or([Term::and([a, b]), c]),
        })
    })
    .boxed()
}

fn name() -> impl Strategy<Value = &'static str> {
    prop_oneof![3 => Just("x"), 2 => Just("y"), 1 => Just("z")]
}

fn int_atom() -> impl Strategy<Value = Term> {
    let int = |n: &str| Term::constant(n, Sort::Int);
    (name(), name(), -2i128..4, 0..7).prop_map(move |(x, y, k, how)| {
        let (x, y, k) = (int(x), int(y), Term::int(k));
        match how {
            0 => x.equal(&k),
            1 => x.int_le(&k),
            2 => k.int_lt(&x),
            3 => x.equal(&y),
            4 => x.int_le(&y),
            5 => x.int_add(&k).int_lt(&y),
            _ => x.int_add(&y).int_le(&k),
        }
    })
}

fn bits_atom() -> impl Strategy<Value = Term> {
    let bits = |n: &str| Term::constant(n, Sort::BitVec(4));
    (name(), name(), 0u128..16, 0..11).prop_map(move |(x, y, k, how)| {
        let (x, y, k4) = (bits(x), bits(y), Term::bv(4, k));
        match how {
            0 => x.equal(&k4),
            1 => x.bv_ule(&k4),
            2 => x.bv_sle(&k4),
            3 => k4.bv_slt(&x),
            4 => k4.bv_ule(&x),
            5 => x.equal(&y),
            6 => x.bv_ule(&y),
            7 => x.bv_slt(&y),
            8 => x.bv_add(&k4).bv_sle(&Term::bv(4, k * 7)),
            9 => x.bv_sign_extend(2).bv_sle(&Term::bv(6, k * 5)),
            _ => x.bv_zero_extend(2).bv_sle(&Term::bv(6, k * 5)),
        }
    })
}

fn problem(bits: bool) -> impl Strategy<Value = Problem> {
    let formulas = |n| prop::collection::vec(formula(bits), n);
    // Goals that are true or false as they stand are answered without a search.
    let goal = formula(bits).prop_filter("a goal is no literal", |term| !term.is_literal());
    let goals = prop::collection::vec(goal, 1..3);
    (formulas(0..3), formulas(1..5), goals, 1usize..4, any::<bool>()).prop_map(
        |(mut hypotheses, predicates, goals, max_cube, contradictions)| {
            hypotheses.sort();
            hypotheses.dedup();
            let mut goals: Vec<Goal> =
                goals.into_iter().map(|term| Goal { term, positive: true, negative: true }).collect();
            if contradictions {
                goals = vec![Goal { term: Term::bool(false), positive: true, negative: false }];
            }
            Problem { hypotheses, predicates, goals, max_cube }
        },
    )
}

fn solve(problem: &Problem, shortcuts: bool) -> Answers {
    solve_after(problem, shortcuts, &Earlier::default(), &mut vec![])
}

/// With what earlier searches have found, and their models, which are replaced by those of this search.
fn solve_after(problem: &Problem, shortcuts: bool, earlier: &Earlier, models: &mut Vec<Model>) -> Answers {
    let (stop, interrupt) = (AtomicBool::new(false), smt::Interrupt::new());
    let limits = Options { rlimit: 0, max_calls: u64::MAX / 2, shortcuts, ..Options::new(&stop, &interrupt) };
    let task = Task { problem, contradictions: vec![], settled: earlier.settled(problem) };
    let (mut answers, found) = cubes::solve(&[task], models, &limits).expect("nobody stops it");
    *models = found;
    answers.pop().expect("one problem has one answer")
}

fn compare(problem: &Problem) {
    let (with, without) = (solve(problem, true), solve(problem, false));
    assert_eq!(with.sides, without.sides, "{problem:?}");
    // Other names of the constants and the way through a file change nothing either.
    assert_eq!(solve(&problem.canonical(), true).sides, with.sides, "{problem:?}");
    let mut stored = Stored::default();
    stored.add(problem, (1, 2), &with);
    let text = stored.text().expect("something was added");
    let (read, remark) = Stored::read(&text).expect("it is such a file");
    assert_eq!(remark, None);
    assert_eq!(read.answers(problem, (1, 2)).map(|a| a.sides), Some(with.sides.clone()), "{problem:?}");
    assert!(read.answers(problem, (1, 3)).is_none());
    let longer = Problem { max_cube: problem.max_cube + 1, ..problem.clone() };
    assert!(read.answers(&longer, (1, 2)).is_none());
    // What was found of some of the predicates, or where less was known, changes nothing of what is found of all.
    for left_out in 0..problem.predicates.len() + problem.hypotheses.len() {
        let mut fewer = problem.clone();
        match left_out.checked_sub(problem.predicates.len()) {
            None => _ = fewer.predicates.remove(left_out),
            Some(fact) => _ = fewer.hypotheses.remove(fact),
        }
        let (mut earlier, mut models) = (Earlier::default(), vec![]);
        earlier.keep(&fewer, &solve_after(&fewer, true, &Earlier::default(), &mut models));
        let after = solve_after(problem, true, &earlier, &mut models);
        assert_eq!(after.sides, with.sides, "{problem:?} after {fewer:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn shortcuts_on_integers(p in problem(false)) {
        compare(&p);
    }

    #[test]
    fn shortcuts_on_bit_vectors(p in problem(true)) {
        compare(&p);
    }
}

/// A problem over comparisons of integers, with what it takes.
fn effort(predicates: &[Term], goal: Term, max_cube: usize) -> Effort {
    let goals = vec![Goal { term: goal, positive: true, negative: true }];
    solve(&Problem { hypotheses: vec![], predicates: predicates.to_vec(), goals, max_cube }, true).total()
}

/// Comparisons of one constant with numerals never reach the prover, also beside others.
#[test]
fn comparisons_with_numerals_need_no_prover() {
    let int = |n: &str| Term::constant(n, Sort::Int);
    let (x, y, k) = (int("x"), int("y"), Term::int);
    let points = [x.equal(&k(1)), x.equal(&k(2)), x.int_lt(&k(3)), x.int_le(&k(5))];
    assert_eq!(effort(&points, x.int_le(&k(4)), 3).prover_calls, 0);
    let two = [x.equal(&k(1)), y.equal(&k(2))];
    assert_eq!(effort(&two, Term::or([x.equal(&k(1)), y.int_le(&k(7))]), 2).prover_calls, 0);
    let bits = |n: &str| Term::constant(n, Sort::BitVec(32));
    let (a, n) = (bits("a"), |v| Term::bv_signed(32, v));
    let signs = [a.bv_slt(&n(0)), a.bv_ule(&n(7)), a.equal(&n(-1)), a.bv_sle(&n(9))];
    assert_eq!(effort(&signs, a.bv_sle(&n(7)), 3).prover_calls, 0);
}

/// Pairs that cannot be are known beforehand, whatever else there is to ask.
#[test]
fn impossible_pairs_need_no_prover() {
    let int = |n: &str| Term::constant(n, Sort::Int);
    let (d, k) = (int("x").int_sub(&int("y")), Term::int);
    let values: Vec<Term> = (0..6).map(|v| d.equal(&k(v))).collect();
    let goals = vec![Goal { term: Term::bool(false), positive: true, negative: false }];
    let problem = Problem { hypotheses: vec![], predicates: values, goals, max_cube: 2 };
    let answers = solve(&problem, true);
    assert_eq!(answers.sides[0].positive.cubes.len(), 15);
    let total = answers.total();
    assert_eq!(total.by_syntax, 15);
    assert!(total.prover_calls <= 8, "{total:?}");
}

/// Orders that go round contradict each other, and what is not needed for that is left out.
#[test]
fn orders_that_go_round() {
    let [x, y, z] = ["x", "y", "z"].map(|n| Term::constant(n, Sort::Int));
    let goals = vec![Goal { term: x.int_add(&Term::int(1)).int_lt(&z), positive: true, negative: true }];
    let predicates = vec![x.int_lt(&y), x.int_le(&Term::int(3)), y.int_lt(&z)];
    let problem = Problem { hypotheses: vec![], predicates, goals, max_cube: 3 };
    let syntax = Syntax::new(&problem);
    let all: Vec<Lit> = (0..3).map(|p| Lit::new(p, true)).collect();
    assert_eq!(syntax.refutes(&all, Some((0, false))), Some(vec![all[0], all[2]]));
    assert_eq!(syntax.refutes(&all, Some((0, true))), None);
    assert_eq!(syntax.refutes(&all[..2], Some((0, false))), None);
    assert!(
        syntax.covers(&[vec![all[0], all[2]], vec![Lit::new(0, false)], vec![Lit::new(2, false)]], (0, true))
    );
}

#[test]
fn files_that_cannot_be_used() {
    let problem = Problem {
        hypotheses: vec![],
        predicates: vec![Term::constant("x", Sort::Bool)],
        goals: vec![Goal { term: Term::constant("x", Sort::Bool), positive: true, negative: true }],
        max_cube: 1,
    };
    let mut stored = Stored::default();
    assert_eq!(stored.text(), None);
    stored.add(&problem, (0, 0), &solve(&problem, true));
    let text = stored.text().expect("something was added");
    let why = |text: &str| Stored::read(text).map(|(_, remark)| remark.unwrap_or_default());
    assert_eq!(why(&text), Ok(String::new()));
    assert_eq!(why(""), Ok(String::new()));
    assert!(why("int main() {}").is_err());
    assert_eq!(why(&text.replacen("c(+0)", "c(-0)", 1)), Ok("it is damaged".into()));
    assert_eq!(why(&text[..text.len() - 9]), Ok("it is damaged".into()));
    assert_eq!(why(&text.replacen("format 1", "format 0", 1)), Ok("it has another format".into()));
    let mut prover = smt::Z3Prover::new(smt::Config::default());
    assert!(solve(&problem, true).hold(&problem, &mut prover));
    for (forged, holds) in
        [("c()/c", false), ("c/c()", false), ("c(+0)/c(+0)", false), ("c/c(-0)", true), ("i/i", true)]
    {
        let body = text.replacen("c(+0)/c(-0)", forged, 1);
        assert_ne!(body, text.replacen("c(+0)/c(-0)", "", 1));
        let body = &body[..body.rfind("checksum").expect("it has one")];
        let whole = format!("{body}{}\n", crate::cube_search::stored::checksum(body));
        let (stored, remark) = Stored::read(&whole).expect("a cache");
        assert_eq!(remark, None);
        let answers = stored.answers(&problem, (0, 0)).expect("it is there");
        assert_eq!(answers.hold(&problem, &mut prover), holds, "{forged}");
    }
    let gave_up =
        Answers { effort: vec![Effort { gave_up: 1, ..Effort::default() }], ..solve(&problem, true) };
    let mut stored = Stored::default();
    stored.add(&problem, (0, 0), &gave_up);
    assert_eq!(stored.text(), None);
}
