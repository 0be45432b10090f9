//! A search that is stopped at any moment says so, and nothing else: results of a stopped decision-diagram
//! engine are meaningless, and no conclusion, not even "this cannot be", may be drawn from them.

use bdd::{Cube, Renaming, Var, VarSet};
use bebop::{Answer, Biodivine, Engine, Options, Progress, Stopped, check, check_with};
use bp::Cfg;
use bp::random::{Choices, Shape, program};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Another thread stops searches that begin again and again, later and later. Whatever it stops says so, and what
/// ends before has the answer of an undisturbed search: when the stop comes is left to the machine.
#[test]
fn a_search_may_be_stopped_at_any_moment() {
    static RUN: AtomicBool = AtomicBool::new(false);
    let program = bp::random::template(30);
    let (cfg, _) = Cfg::build(&program, None).expect("the template is well-formed");
    let end = vec![cfg.procs[cfg.entry].exit];
    let expected = check(&cfg, &Options::new(end.clone(), &RUN)).expect("nothing stops it").answer;
    for round in 0..100u32 {
        let stop = AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                for turn in 0..round * 2000 {
                    std::hint::black_box(turn);
                }
                stop.store(true, Ordering::Release);
            });
            loop {
                let stopped_before = stop.load(Ordering::Acquire);
                match check(&cfg, &Options::new(end.clone(), &stop)) {
                    Err(Stopped::Interrupted) => break,
                    Err(other) => panic!("{other}"),
                    Ok(outcome) => {
                        assert!(!stopped_before, "a search that is stopped from the start ends");
                        let reachable = |answer: &Answer| matches!(answer, Answer::Reachable { .. });
                        assert_eq!(reachable(&outcome.answer), reachable(&expected));
                    }
                }
            }
        });
    }
}

/// A package that is stopped after some number of operations, and gives constants from then on.
struct Stopping<'a> {
    inner: Biodivine<'a>,
    left: Cell<u32>,
    afterwards: bool,
}

impl Stopping<'_> {
    fn stopped(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left == 0
    }
}

type Diagram<'a> = <Biodivine<'a> as Engine>::Bdd;

/// Operations that a stop makes meaningless.
macro_rules! operations {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        $(fn $name(&mut self, $($arg: $ty),*) -> Self::Bdd {
            if self.stopped() { self.inner.constant(self.afterwards) } else { self.inner.$name($($arg),*) }
        })*
    };
}

impl<'a> Engine for Stopping<'a> {
    type Bdd = Diagram<'a>;

    operations! {
        not(f: &Self::Bdd);
        and(f: &Self::Bdd, g: &Self::Bdd);
        or(f: &Self::Bdd, g: &Self::Bdd);
        xor(f: &Self::Bdd, g: &Self::Bdd);
        and_not(f: &Self::Bdd, g: &Self::Bdd);
        exists(f: &Self::Bdd, set: VarSet);
        and_exists(f: &Self::Bdd, g: &Self::Bdd, set: VarSet);
        rename(f: &Self::Bdd, renaming: Renaming);
        restrict(f: &Self::Bdd, values: &[(Var, bool)]);
    }

    fn constant(&self, value: bool) -> Self::Bdd {
        self.inner.constant(value)
    }
    fn var(&mut self, var: Var) -> Self::Bdd {
        self.inner.var(var)
    }
    fn var_set(&mut self, vars: &[Var]) -> VarSet {
        self.inner.var_set(vars)
    }
    fn renaming(&mut self, pairs: &[(Var, Var)]) -> Renaming {
        self.inner.renaming(pairs)
    }
    fn is_constant(&self, f: &Self::Bdd) -> Option<bool> {
        self.inner.is_constant(f)
    }
    fn size(&self, f: &Self::Bdd) -> usize {
        self.inner.size(f)
    }
    fn witness(&self, f: &Self::Bdd) -> Option<Cube> {
        self.inner.witness(f)
    }
    fn support(&self, f: &Self::Bdd) -> Vec<Var> {
        self.inner.support(f)
    }
    fn models(&self, f: &Self::Bdd) -> f64 {
        self.inner.models(f)
    }
    fn graph(&self, f: &Self::Bdd) -> bdd::Graph {
        self.inner.graph(f)
    }
    fn interrupted(&self) -> bool {
        self.left.get() == 0
    }
    fn nodes_made(&self) -> u64 {
        self.inner.nodes_made()
    }
}

/// Stops it after every number of operations, in searches and in traces; nothing panics, nothing is concluded.
#[test]
fn a_stop_after_any_operation_is_orderly() {
    static RUN: AtomicBool = AtomicBool::new(false);
    let mut stops = 0;
    for seed in 0..12u16 {
        let numbers: Vec<u16> = (0..200u16).map(|i| (i + 1).wrapping_mul(2 * seed + 40_503) >> 3).collect();
        let p = program(&mut Choices::new(&numbers), Shape::default());
        let (cfg, _) = Cfg::build(&p, None).expect("random programs are well-formed");
        let mut questions = vec![cfg.failures(), vec![cfg.procs[cfg.entry].exit]];
        questions.extend(cfg.vertices.ids().step_by(7).map(|v| vec![v]));
        for goals in questions {
            let options = Options::new(goals, &RUN);
            let expected = check(&cfg, &options).expect("nothing stops it").answer;
            let mut operations = 0;
            loop {
                let engine = |vars| {
                    let inner = Biodivine::new(vars, &RUN)?;
                    Ok(Stopping { inner, left: Cell::new(operations), afterwards: operations % 2 == 0 })
                };
                match check_with(&cfg, &options, &mut Progress::default(), engine) {
                    Err(Stopped::Interrupted) => stops += 1,
                    Err(other) => panic!("{other}"),
                    Ok(outcome) => {
                        let reachable = |answer: &Answer| matches!(answer, Answer::Reachable { .. });
                        assert_eq!(reachable(&outcome.answer), reachable(&expected));
                        break;
                    }
                }
                // All of the first operations, then some.
                operations += 1 + operations / 50;
            }
        }
    }
    assert!(stops > 1000, "{stops} are few");
}
