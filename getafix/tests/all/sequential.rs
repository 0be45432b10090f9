//! Every formula file against the explicit twin, on random programs.

#[cfg(feature = "oxidd")]
use crate::oxidd_engine::Oxidd;
use crate::support::holds;
use bdd::{Biodivine, Engine};
use bp::random::{Choices, Shape, program};
use bp::{Cfg, Op, VertexId, print};
use check::explicit::{self, Explicit, check_trace};
use getafix::formulae::{Algorithm, SEQUENTIAL};
use getafix::trace::trace;
use getafix::translate::{Question, System};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

fn reachable<E: Engine>(
    system: &System,
    goals: &[VertexId],
    algorithm: Algorithm,
    engine: impl FnOnce(usize) -> Result<E, bdd::TooManyVariables>,
) -> bool {
    let goals = goals.iter().map(|v| (0, *v)).collect();
    let question = Question { goals, moved: algorithm.moved, switches: 0 };
    holds(system, question, algorithm.text, engine)
}

fn compare(cfg: &Cfg) {
    let twin = Explicit::new(cfg);
    let system = System::sequential(cfg.clone());
    let mut questions = vec![cfg.failures()];
    let everything: Vec<VertexId> = cfg.vertices.ids().collect();
    questions.extend(everything.iter().rev().step_by(everything.len().div_ceil(3)).map(|v| vec![*v]));
    for goals in questions {
        let expected = goals.iter().any(|v| twin.is_reached(*v));
        let wanted = Question { goals: goals.iter().map(|v| (0, *v)).collect(), moved: false, switches: 0 };
        let found = trace(&system, &wanted, |vars| Biodivine::new(vars, &RUN)).expect("nothing stops it");
        assert_eq!(found.is_some(), expected, "a trace to {goals:?}");
        if let Some(trace) = found {
            check_trace(cfg, &trace).unwrap_or_else(|e| panic!("{e}\n{trace:#?}"));
            assert!(goals.contains(&trace.target));
        }
        for algorithm in SEQUENTIAL {
            let found = reachable(&system, &goals, algorithm, |vars| Biodivine::new(vars, &RUN));
            assert_eq!(found, expected, "{} {goals:?}", algorithm.name);
            #[cfg(feature = "oxidd")]
            if algorithm.name == SEQUENTIAL[goals.len() % 4].name {
                let small = |vars| Oxidd::with_capacity(vars, &RUN, 1 << 16, 1 << 10);
                assert_eq!(reachable(&system, &goals, algorithm, small), expected, "oxidd");
            }
        }
    }
}

/// All vertices of a program, by all algorithms.
fn compare_text(text: &str) {
    let file = base::SourceMap::new().add("p.bp", None);
    let (p, _) = bp::parse(text, file, bp::Dialect::Strict).expect("well-formed");
    let (cfg, _) = Cfg::build(&p, None).expect("well-formed");
    compare(&cfg);
}

#[test]
fn goals_in_calls_that_never_return_and_traces_to_exits() {
    // The goal is moved out of a call that no run returns from.
    compare_text("decl g; void main() begin decl l; f() constrain l != l; end void f() begin L: skip; end");
    compare_text(
        "decl g; void main() begin f(); end void f() enforce g; begin g := 1; L: skip; assume(0); end",
    );
    // The last step before an exit sets locals.
    compare_text("void main(a) begin decl l; l := f(a); end bool f(x) begin x := !x; return x; end");
    compare_text("void main(a, b) begin a, b := b, a | b; end");
}

/// More variables than the twin can have: assignments are followed by their expressions.
#[test]
fn traces_with_many_variables() {
    let names: Vec<String> = (0..90).map(|i| format!("x{i}")).collect();
    let next: Vec<String> = (0..90).map(|i| format!("x{} ^ (x{} & *)", i, (i + 1) % 90)).collect();
    let text = format!(
        "decl g; void main() begin decl {0}; {0} := {1}; x0 := f(x1, x89); assume(x0 & !x50);
        {0} := {2}; if (!x0) then L: skip; fi {0} := {2}; end
        bool f(a, b) begin decl {3}; g := a; {3} := {1}; return a & !b; end",
        names.join(", "),
        names.iter().map(|x| if x == "x1" { "1" } else { "0" }).collect::<Vec<_>>().join(", "),
        next.join(", "),
        names.iter().map(|x| format!("y{x}")).collect::<Vec<_>>().join(", "),
    );
    let file = base::SourceMap::new().add("p.bp", None);
    let (p, _) = bp::parse(&text, file, bp::Dialect::Strict).expect("well-formed");
    let (cfg, _) = Cfg::build(&p, None).expect("well-formed");
    let system = System::sequential(cfg.clone());
    for goal in cfg.find_label("L").into_iter().chain([cfg.procs[cfg.entry].exit]) {
        let wanted = Question { goals: vec![(0, goal)], moved: false, switches: 0 };
        let trace = trace(&system, &wanted, |vars| Biodivine::new(vars, &RUN)).expect("nothing stops it");
        let trace = trace.expect("it can be reached");
        for segment in trace.segments.iter() {
            let after = segment.steps.iter().skip(1).map(|step| &step.before).chain([&segment.after]);
            for (step, after) in segment.steps.iter().zip(after) {
                let before = |v, _: bool| step.before.get(v).expect("in scope");
                let Op::Assign { targets, values, .. } = &cfg.edges[step.edge].op else { continue };
                for (v, value) in after.iter() {
                    match targets.iter().position(|t| *t == v) {
                        Some(i) => assert!(explicit::values(&values[i], &before).contains(&value)),
                        None => assert_eq!(before(v, false), value),
                    }
                }
            }
        }
    }
}

/// How many programs; `GETAFIX_RANDOM_CASES=3000` for a thorough run.
pub(crate) fn cases(usual: u32) -> u32 {
    testing::number("GETAFIX_RANDOM_CASES", usual)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100)))]

    #[test]
    fn formulae_and_twin_agree(numbers in prop::collection::vec(any::<u16>(), 0..250)) {
        let p = program(&mut Choices::new(&numbers), Shape::default());
        let (cfg, _) = Cfg::build(&p, None).expect("random programs are well-formed");
        let result = std::panic::catch_unwind(|| compare(&cfg));
        prop_assert!(result.is_ok(), "{}", print(&p));
    }
}
