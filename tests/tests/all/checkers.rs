//! All checkers of boolean programs behind their one interface: they agree with the explicit-state twin and with each
//! other, and what they say of how a goal is reached is so.

use bp::random::{Choices, Shape, program};
use bp::{Cfg, Dialect, System, VertexId};
use check::explicit::{Explicit, check_trace};
use check::{Answer, Asked, Budget, Checker, Execution, Question, Unknown, targets};
use std::sync::atomic::AtomicBool;
use testing::Dice;

static RUN: AtomicBool = AtomicBool::new(false);
const ALL: [&dyn Checker; 4] = [&bebop::Bebop, &getafix::Formulae, &interleave::StateByState, &zing::Zing];

fn random(seed: u64) -> Cfg {
    let mut dice = Dice::new(seed);
    let numbers: Vec<u16> = (0..400).map(|_| dice.bits() as u16).collect();
    let program = program(&mut Choices::new(&numbers), Shape::default());
    Cfg::build(&program, None).expect("random programs are well-formed").0
}

#[test]
fn sequential_programs() {
    let mut answers = [0; ALL.len()];
    let mut traces = 0;
    for seed in 0..200 {
        let cfg = random(seed);
        let twin = Explicit::new(&cfg);
        let system = System::sequential(cfg.clone());
        let everything: Vec<VertexId> = cfg.vertices.ids().collect();
        let mut asked = vec![cfg.failures()];
        asked.extend(everything.iter().rev().step_by(17).map(|v| vec![*v]));
        for goals in asked {
            let expected = goals.iter().any(|v| twin.is_reached(*v));
            let goals: Vec<_> = goals.into_iter().map(|v| (0, v)).collect();
            let question = Question { goals: goals.clone(), ..Question::assertions(&system) };
            for (i, checker) in ALL.into_iter().enumerate() {
                let name = checker.name();
                match checker.check(&question, Budget { stop: &RUN, effort: None }).answer {
                    Answer::Reachable { goal, execution } => {
                        assert!(expected, "{name}, program {seed}: {goals:?} cannot be reached");
                        assert!(goal.is_none_or(|goal| goals.contains(&goal)), "{name}: {goal:?}");
                        answers[i] += 1;
                        if let Execution::Trace(trace) = execution {
                            check_trace(&cfg, &trace).unwrap_or_else(|e| panic!("{name}, {seed}: {e}"));
                            assert!(goals.contains(&(0, trace.target)));
                            traces += 1;
                        }
                    }
                    Answer::Unreachable => {
                        assert!(!expected, "{name}, program {seed}: {goals:?} can be reached");
                        answers[i] += 1;
                    }
                    Answer::Unknown(Unknown::Unsupported(_)) if name == "interleave" => {}
                    other => panic!("{name}, program {seed}: {other:?}"),
                }
            }
        }
    }
    assert!(answers[0] > 500 && traces > 300, "{answers:?} {traces}");
    assert!(answers[0] == answers[1] && answers[0] == answers[3], "{answers:?}");
    assert!(answers[2] > 100, "{answers:?}");
}

#[test]
fn budgets_and_stop_flags() {
    // A counter of three bits: its end is several steps away for every checker.
    let text = "decl a, b, c; void flip() begin a := !a; if (a) then b := !b; if (b) then c := !c; fi fi end
        void main() begin a, b, c := 0, 0, 0; while (!(a & b & c)) do flip(); od flip(); end";
    let mut sources = base::SourceMap::new();
    let file = sources.add("counter.bp", Some(text.into()));
    let (program, _) = bp::parse(text, file, Dialect::Strict).expect("the program parses");
    let cfg = Cfg::build(&program, None).expect("it is well-formed").0;
    let system = System::sequential(cfg.clone());
    let exit = vec![(0, cfg.procs[cfg.entry].exit)];
    let question = Question { goals: exit, ..Question::assertions(&system) };
    let stopped = AtomicBool::new(true);
    for checker in ALL {
        let none = checker.check(&question, Budget { stop: &RUN, effort: Some(0) });
        let effort = matches!(none.answer, Answer::Unknown(Unknown::Effort | Unknown::Unsupported(_)));
        assert!(effort, "{}: {:?}", checker.name(), none.answer);
        let none = checker.check(&question, Budget { stop: &stopped, effort: None });
        let interrupted =
            matches!(none.answer, Answer::Unknown(Unknown::Interrupted | Unknown::Unsupported(_)));
        assert!(interrupted, "{}: {:?}", checker.name(), none.answer);
    }
}

/// The bluetooth driver (examples/bluetooth): the same least number of context switches by formulae and state by state, and other
/// checkers say that threads are not theirs.
#[test]
fn concurrent_programs() {
    for (name, switches) in
        [("1adder_1stopper", None), ("2adders_1stopper", Some(4)), ("1adder_2stoppers", Some(3))]
    {
        let path = format!("{}/../examples/bluetooth/{name}.bp", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the example is there");
        let mut sources = base::SourceMap::new();
        let file = sources.add(name, Some(text.as_str().into()));
        let (program, _) = bp::parse(&text, file, Dialect::Strict).expect("the example parses");
        let (system, _) = bp::threads::system(&program, "main", 4).expect("it is well-formed");
        let graphs: Vec<&Cfg> = system.codes.iter().map(|code| &code.cfg).collect();
        let labels = ["error".to_owned()];
        let asked = Asked { labels: &labels, all_labels: false, assertions: false };
        let target = targets(asked, &sources, &graphs).expect("it has the label").remove(0);
        let question = Question { system: &system, goals: target.goals, switches: Some(4), execution: true };
        for checker in ALL {
            match (checker.name(), checker.check(&question, Budget { stop: &RUN, effort: None }).answer) {
                (
                    "interleave" | "getafix",
                    Answer::Reachable { execution: Execution::Contexts(contexts), .. },
                ) => {
                    assert_eq!(Some(contexts.switches.len() as u32), switches, "{}, {name}", checker.name());
                }
                ("interleave" | "getafix", Answer::WithinBound(4) | Answer::Unreachable) => {
                    assert_eq!(switches, None, "{}, {name}", checker.name());
                }
                ("bebop" | "zing", Answer::Unknown(Unknown::Unsupported(_))) => {}
                (checker, other) => panic!("{checker}, {name}: {other:?}"),
            }
        }
    }
}
