//! Constrained Horn clauses: solutions are checked clause by clause with the ordinary prover.

use smt::horn::{Atom, Clause, Horn, Solution};
use smt::{Answer, Config, Interrupt, Prover, Sort, Term, Z3Prover};

fn int(name: &str) -> Term {
    Term::constant(name, Sort::Int)
}

/// `x := 0; y := 0; while (x < n) { x := x + 1; y := y + step }` and then false if `bad`.
fn counter(step: i128, bad: impl Fn(&Term, &Term, &Term) -> Term) -> Horn {
    let [x, y, n] = ["x", "y", "n"].map(int);
    let at = |x: &Term, y: &Term| Atom { relation: 0, args: vec![x.clone(), y.clone(), n.clone()] };
    let zero = Term::int(0);
    let next = (x.int_add(&Term::int(1)), y.int_add(&Term::int(step)));
    let clauses = vec![
        Clause { body: vec![], constraint: zero.int_le(&n), head: Some(at(&zero, &zero)) },
        Clause { body: vec![at(&x, &y)], constraint: x.int_lt(&n), head: Some(at(&next.0, &next.1)) },
        Clause { body: vec![at(&x, &y)], constraint: Term::and([n.int_le(&x), bad(&x, &y, &n)]), head: None },
    ];
    Horn { relations: vec![vec![x, y, n.clone()]], clauses }
}

/// Whether the formulas make every clause true.
fn is_solution(horn: &Horn, formulas: &[Term]) -> bool {
    let holds = |atom: &Atom| {
        let values = horn.relations[atom.relation].iter().cloned().zip(atom.args.iter().cloned()).collect();
        formulas[atom.relation].substitute(&values)
    };
    horn.clauses.iter().all(|clause| {
        let mut prover = Z3Prover::new(Config::default());
        prover.assert(&clause.constraint);
        clause.body.iter().for_each(|atom| prover.assert(&holds(atom)));
        clause.head.iter().for_each(|atom| prover.assert(&holds(atom).not()));
        prover.check(&[]) == Answer::Unsat
    })
}

#[test]
fn invariants_of_a_loop_are_found() {
    let horn = counter(2, |x, y, _| y.different(&x.int_add(x)));
    let Solution::Solved(formulas) = horn.solve(0, &Interrupt::new()) else {
        panic!("there is an invariant")
    };
    assert!(is_solution(&horn, &formulas), "{formulas:?}");
    let horn = counter(1, |_, y, n| y.different(n));
    let Solution::Solved(formulas) = horn.solve(0, &Interrupt::new()) else {
        panic!("there is an invariant")
    };
    assert!(is_solution(&horn, &formulas), "{formulas:?}");
}

#[test]
fn derivations_of_false_are_found() {
    let horn = counter(1, |_, y, _| y.equal(&Term::int(7)));
    assert_eq!(horn.solve(0, &Interrupt::new()), Solution::Derivable);
}

#[test]
fn limits_and_interruptions_end_the_search() {
    let horn = counter(3, |x, y, _| y.int_mul(y).different(&x.int_mul(x).int_mul(&Term::int(9))));
    let Solution::Unknown(why) = horn.solve(2000, &Interrupt::new()) else {
        panic!("two thousand are too few")
    };
    assert_eq!(why, smt::RESOURCE_LIMIT);
    let interrupt = Interrupt::new();
    interrupt.interrupt_all();
    assert_eq!(horn.solve(0, &interrupt), Solution::Unknown(smt::INTERRUPTED.to_owned()));
}

/// Limits of many sizes end searches in the midst of all kinds of work, where Z3's own assertions may fail.
fn sweep() {
    for rlimit in (1..41).step_by(5).map(|n| n * n * 100) {
        for step in [1, 3] {
            let wrong = counter(step, |x, y, _| y.equal(&x.int_mul(&Term::int(step)).int_add(&Term::int(1))));
            let right = counter(step, |_, y, _| y.equal(&Term::int(step * 9)));
            match wrong.solve(rlimit, &Interrupt::new()) {
                Solution::Solved(formulas) => assert!(is_solution(&wrong, &formulas), "{formulas:?}"),
                Solution::Derivable => panic!("nothing derives false"),
                Solution::Unknown(_) => {}
            }
            let found = right.solve(rlimit, &Interrupt::new());
            assert!(matches!(found, Solution::Derivable | Solution::Unknown(_)), "{found:?}");
        }
    }
}

#[test]
fn searches_that_are_cut_off_are_never_wrong() {
    sweep();
}

/// Runs by itself, in the process that the next test starts.
#[test]
#[ignore = "its standard error is looked at by another test"]
fn cut_off_alone() {
    sweep();
}

#[test]
fn complaints_of_the_prover_are_not_shown() {
    let me = std::env::current_exe().expect("a test has a file");
    let run = std::process::Command::new(me)
        .args(["--exact", "cut_off_alone", "--ignored", "--nocapture"])
        .output()
        .expect("the test runs once more");
    assert!(run.status.success());
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
}
