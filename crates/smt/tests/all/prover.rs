//! The prover interface on small questions: answers, models, cores, levels, limits, interruption.

use std::slice;
use std::thread;
use std::time::Duration;

use smt::{Answer, Config, Function, Interrupt, Model, Prover, Scope, Sort, Term, Value, Z3Prover};

fn int(name: &str) -> Term {
    Term::constant(name, Sort::Int)
}

fn boolean(name: &str) -> Term {
    Term::constant(name, Sort::Bool)
}

fn prover() -> Z3Prover {
    Z3Prover::new(Config::default())
}

#[track_caller]
fn model_of(prover: &mut dyn Prover) -> Model {
    prover.model().expect("the last answer was sat")
}

#[test]
fn levels_hide_their_assertions() {
    let mut prover = prover();
    let x = int("x");
    prover.assert(&x.int_le(&Term::int(3)));
    let five = Term::int(5).int_le(&x);
    {
        let mut level = Scope::open(&mut prover);
        level.assert(&five);
        assert_eq!(level.check(&[]), Answer::Unsat);
        assert_eq!(level.core(), Vec::<usize>::new());
    }
    assert_eq!(prover.check(&[]), Answer::Sat);
    assert_eq!(prover.check(slice::from_ref(&five)), Answer::Unsat);
    assert_eq!(prover.core(), [0]);
    assert!(prover.entails(&five.not()));
}

#[test]
fn cores_name_assumptions() {
    let mut prover = prover();
    let (x, y, z) = (int("x"), int("y"), int("z"));
    let (p, q) = (boolean("p"), boolean("q"));
    prover.assert(&p.implies(&x.int_lt(&y)));
    let assumptions =
        [q.clone(), z.equal(&Term::int(7)), p.clone(), Term::bool(true), y.int_lt(&x), p.clone()];
    assert_eq!(prover.check(&assumptions), Answer::Unsat);
    assert_eq!(prover.core(), [2, 4]);
    assert_eq!(prover.check(&assumptions[..4]), Answer::Sat);
    assert_eq!(prover.core(), Vec::<usize>::new());
    assert_eq!(prover.check(&[q, Term::bool(false)]), Answer::Unsat);
    assert_eq!(prover.core(), [1]);
    assert!(prover.model().is_none());
}

#[test]
fn named_assumptions_end_with_their_level() {
    let mut prover = prover();
    let x = int("x");
    let negative = x.int_lt(&Term::int(0));
    let positive = Term::int(0).int_lt(&x);
    for _ in 0..3 {
        let mut level = Scope::open(&mut prover);
        level.assert(&positive);
        assert_eq!(level.check(slice::from_ref(&negative)), Answer::Unsat);
        assert_eq!(level.check(&[negative.not()]), Answer::Sat);
        drop(level);
        assert_eq!(prover.check(slice::from_ref(&negative)), Answer::Sat);
        let x = model_of(&mut prover).eval(&x).and_then(|x| x.as_int());
        assert!(x.is_some_and(|x| x < 0));
    }
}

#[test]
fn models_survive_their_level_and_thread() {
    let mut prover = prover();
    let memory = Term::constant("m", Sort::array(Sort::Int, Sort::Int));
    let p = int("p");
    let f = Function::new("f", vec![Sort::Int], Sort::BitVec(8));
    let seven = Term::int(7);
    let fact = Term::and([
        memory.store(&p, &seven).select(&p.int_add(&Term::int(1))).equal(&Term::int(3)),
        memory.select(&p).equal(&Term::int(-4)),
        Term::apply(&f, [p.clone()]).equal(&Term::bv(8, 200)),
        Term::int(1i128 << 70).int_lt(&p),
    ]);
    let mut level = Scope::open(&mut prover);
    level.assert(&fact);
    assert_eq!(level.check(&[]), Answer::Sat);
    let model = model_of(&mut *level);
    drop(level);
    let evaluated = thread::spawn(move || {
        let f_of_p = model.eval(&Term::apply(&f, [p.clone()]));
        assert_eq!(f_of_p, Some(Value::BitVec { width: 8, value: 200 }));
        assert_eq!(model.eval(&memory.select(&p)), Some(Value::Int(-4)));
        let elsewhere = boolean("nothing is known about this");
        assert_eq!(model.eval(&elsewhere), None);
        assert_eq!(model.eval_completed(&elsewhere), Some(Value::Bool(false)));
        model.holds(&fact)
    });
    assert_eq!(evaluated.join().expect("the thread does not panic"), Some(true));
}

/// Factoring a product of two primes: hard enough for the limits to be reached.
fn hard_question() -> Term {
    let width = 96;
    let (a, b) = (Term::constant("a", Sort::BitVec(width)), Term::constant("b", Sort::BitVec(width)));
    let product = Term::bv(width, 2_147_483_647 * 4_294_967_291 * 1_000_000_007);
    let proper = |x: &Term| Term::and([Term::bv(width, 1).bv_ult(x), x.bv_ult(&Term::bv(width, 1 << 48))]);
    Term::and([a.bv_mul(&b).equal(&product), proper(&a), proper(&b), a.bv_ule(&b)])
}

#[test]
fn the_resource_limit_gives_unknown_and_holds_for_each_check() {
    let mut prover = Z3Prover::new(Config { rlimit: 100_000, ..Config::default() });
    let mut level = Scope::open(&mut prover);
    level.assert(&hard_question());
    let limited = Answer::Unknown(smt::RESOURCE_LIMIT.to_owned());
    assert_eq!(level.check(&[]), limited);
    assert_eq!(level.check(&[]), limited);
    drop(level);
    assert_eq!(prover.check(&[]), Answer::Sat);
}

#[test]
fn interruption_ends_running_and_later_checks() {
    let interrupt = Interrupt::new();
    let interrupted = Answer::Unknown(smt::INTERRUPTED.to_owned());
    let workers: Vec<_> = (0..2)
        .map(|seed| {
            let interrupt = interrupt.clone();
            thread::spawn(move || {
                let mut prover = Z3Prover::new(Config { seed, interrupt, ..Config::default() });
                prover.assert(&hard_question());
                (prover.check(&[]), prover.check(&[boolean("p")]))
            })
        })
        .collect();
    thread::sleep(Duration::from_millis(300));
    interrupt.interrupt_all();
    for worker in workers {
        let answers = worker.join().expect("the worker does not panic");
        assert_eq!(answers, (interrupted.clone(), interrupted.clone()));
    }
    let mut other = prover();
    assert_eq!(other.check(&[]), Answer::Sat);
}

#[test]
fn the_shared_flag_stops_checks_that_have_not_begun() {
    let interrupt = Interrupt::new();
    interrupt.flag().store(true, std::sync::atomic::Ordering::SeqCst);
    let mut prover = Z3Prover::new(Config { interrupt, ..Config::default() });
    assert!(matches!(prover.check(&[]), Answer::Unknown(_)));
}

#[test]
fn answers_do_not_depend_on_other_provers() {
    let questions: Vec<Term> = (0..20).map(|i| int("x").int_add(&int("y")).equal(&Term::int(i))).collect();
    let run = |noise: bool| -> Vec<String> {
        let mut other = prover();
        let mut here = prover();
        let mut results = Vec::new();
        for question in &questions {
            if noise {
                other.assert(&question.not());
                other.check(&[int("z").equal(&int("x"))]);
            }
            here.check(slice::from_ref(question));
            results.push(model_of(&mut here).to_string());
        }
        results
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn deep_terms_fit_a_small_stack() {
    let depth = 20_000;
    let build_and_check = move || {
        let memory = Term::constant("m", Sort::array(Sort::Int, Sort::Int));
        let mut writes = memory.clone();
        let mut choice = int("x0");
        for i in 0..depth {
            let condition = boolean(&format!("c{i}"));
            writes = writes.store(&int(&format!("p{i}")), &Term::int(i));
            choice = Term::ite(&condition, &choice.int_add(&Term::int(1)), &choice);
        }
        assert!(choice.to_string().len() > depth as usize);
        let fact = Term::and([writes.select(&int("p0")).equal(&choice), int("x0").int_lt(&choice)]);
        let renamed = fact.substitute(&[(int("x0"), Term::int(5))].into_iter().collect());
        let model = Model::new();
        assert_eq!(model.holds(&renamed), Some(false));
        let mut prover = Z3Prover::new(Config { rlimit: 1_000_000, ..Config::default() });
        prover.assert(&renamed);
        prover.check(&[])
    };
    let worker = thread::Builder::new().stack_size(8 << 20).spawn(build_and_check);
    let answer = worker.expect("there is a thread").join();
    assert!(answer.is_ok());
}

/// A prover that counts its questions.
struct Counting(Z3Prover, usize);

impl Prover for Counting {
    fn push(&mut self) {
        self.0.push();
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn assert(&mut self, fact: &Term) {
        self.0.assert(fact);
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.1 += 1;
        self.0.check(assumptions)
    }

    fn model(&mut self) -> Option<Model> {
        self.0.model()
    }

    fn core(&mut self) -> Vec<usize> {
        self.0.core()
    }
}

/// A core loses what it does not need; whether what is asserted has a model is not asked: that can cost more than all else.
#[test]
fn cores_shrink_to_what_they_need_and_no_further() {
    let (x, y) = (int("x"), int("y"));
    let mut prover = Counting(prover(), 0);
    prover.assert(&x.int_le(&y));
    let assumptions = [y.int_le(&Term::int(9)), y.int_lt(&Term::int(0)), x.equal(&Term::int(1))];
    assert_eq!(smt::shrink_core(&mut prover, &assumptions, vec![2, 0, 1]), [1, 2]);
    assert_eq!(prover.1, 3, "one without each of them");
    assert_eq!(smt::shrink_core(&mut prover, &[x.int_lt(&x)], vec![0]), [0]);
    assert_eq!(prover.1, 3, "a core of one is not tried without it");
}
