//! The static order of variables: what belongs together stands together, also where no statement says that it does.

use base::SourceMap;
use bp::analysis::VariableOrder;
use bp::{Cfg, Dialect, parse};
use std::collections::BTreeMap;

/// Where the variables of a program stand.
fn places(text: &str) -> BTreeMap<String, u32> {
    let file = SourceMap::new().add("p.bp", None);
    let (program, _) = parse(text, file, Dialect::Strict).expect("well-formed");
    let (cfg, _) = Cfg::build(&program, None).expect("well-formed");
    let order = VariableOrder::new(&cfg);
    cfg.vars.iter_enumerated().map(|(var, v)| (v.name.to_string(), order.var(var))).collect()
}

/// Processes that are "started" and "ran", one procedure each; all are set up together and asked about together, first the one
/// and then the other. The two variables of a process depend on each other, and the line has to weave them.
#[test]
fn variables_of_one_process_stand_side_by_side() {
    let count = 12;
    let list = |name: &str| (0..count).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ");
    let each = |text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<String>();
    let text = format!(
        "decl {}, {};\nvoid main() begin\n{}{}while (*) do\n{}od;\n{}end\n{}",
        list("ran"),
        list("started"),
        each(&|i| format!("  ran{i} := 0;\n")),
        each(&|i| format!("  started{i} := 0;\n")),
        each(&|i| format!("  if (started{i}) then if (*) then started{i} := 0; step{i}(); fi fi\n")),
        each(&|i| format!("  if (!started{i}) then skip; fi\n")),
        each(&|i| format!(
            "void step{i}() begin\n  if (ran{i}) then skip; fi\n  ran{i} := 1;\n  started{i} := 1;\nend\n"
        )),
    );
    let places = places(&text);
    for i in 0..count {
        let (ran, started) = (places[&format!("ran{i}")], places[&format!("started{i}")]);
        assert_eq!(ran.abs_diff(started), 1, "ran{i} at {ran}, started{i} at {started}");
    }
}

/// Processes in a ring that hand on a token: a step moves it by one statement about all of its places, wakes the next process, and
/// sets what is its own. Who waits is asked of all in turn, and so is who was woken, by functions. All of these pull the variables
/// of one kind together; what belongs to one process stands together all the same.
#[test]
fn variables_of_one_step_stand_together() {
    let count = 12;
    let list = |name: &str| (0..count).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ");
    let each = |text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<String>();
    let shifted = (0..count).map(|i| format!("token{}", (i + 1) % count)).collect::<Vec<_>>().join(", ");
    let text = [
        format!("decl {}, {}, {}, {};\n", list("at"), list("waits"), list("event"), list("token")),
        format!("void main() begin\n{}", each(&|i| format!("  at{i} := 0;\n"))),
        each(&|i| format!("  waits{i} := 0;\n")),
        "while (*) do run(); wake(); od;\nend\nvoid run() begin\n".into(),
        each(&|i| format!("  if (!waits{i}) then skip; fi\n")),
        each(&|i| format!("  if (!waits{i}) then if (*) then waits{i} := 1; step{i}(); fi fi\n")),
        "end\nvoid wake() begin\n  decl woken;\n".into(),
        each(&|i| format!("  woken := woken{i}();\n  if (woken) then waits{i} := 0; fi\n")),
        each(&|i| format!("  event{i} := 0;\n")),
        "end\n".into(),
        each(&|i| format!("bool woken{i}() begin\n  if (at{i}) then if (event{i}) then return 1; fi fi\n  return 0;\nend\n")),
        each(&|i| {
            let (tokens, next) = (list("token"), (i + 1) % count);
            format!("void step{i}() begin\n  if (at{i}) then {tokens} := {shifted}; event{next} := 1; fi\n")
                + &format!("  at{i} := 1;\n  waits{i} := 1;\nend\n")
        }),
    ]
    .concat();
    let places = places(&text);
    let apart = |i: usize| places[&format!("at{i}")].abs_diff(places[&format!("waits{i}")]);
    let all: Vec<u32> = (0..count).map(apart).collect();
    // Without regard to procedures it is three times as much.
    assert!(all.iter().sum::<u32>() <= 40, "{all:?}");
}
