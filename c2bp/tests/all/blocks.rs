//! Blocks with branches, joins, inputs and checks inside against all states of programs whose variables have few values: the exact
//! abstraction of a block (\[BPR01\]) leads from each abstract state to those that executions of the whole block lead to, and fails where one
//! of them fails.

use crate::common::boolean::{values, values_of_step};
use crate::common::integers::{State, VARS, condition, eval, states, term};
use alias::{AliasMode, AliasOracle};
#[allow(dead_code, reason = "each test uses a part of what is shared")]
use bp::{Cfg, Name, StmtKind, VertexId, VertexKind};
use c2bp::Abstraction;
use ir::{EdgeId, LocId, Op, Program};
use passes::{Blocks, Partition};
use predicates::Precision;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Abstract = Vec<bool>;

/// What a block leads to: states at its end, and whether a check fails.
type Image = (BTreeSet<Abstract>, bool);

/// Never executed: all variables occur.
const NEVER: &str = "L8: e8: havoc(x, uninit); goto L9; L9: e9: havoc(y, uninit); goto L10; L10: e10: havoc(u, uninit); goto L7;";

/// One statement.
fn statement() -> impl Strategy<Value = String> {
    let var = || prop_oneof![Just("x"), Just("y"), Just("u")];
    prop_oneof![
        4 => (var(), term()).prop_map(|(v, e)| format!("{v} = {e};")),
        2 => var().prop_map(|v| format!("havoc({v}, uninit);")),
        1 => condition().prop_map(|c| format!("assume({c});")),
        1 => condition().prop_map(|c| format!("check(c0, {c});")),
        1 => Just("skip;".to_owned()),
    ]
}

/// The abstract image of each abstract state that some state has. A block is exact, what follows another knows of its states only what
/// the predicates say.
fn concrete(program: &Program, precision: &Precision, partition: &Partition) -> BTreeMap<Abstract, Image> {
    let proc = &program.procs[program.entry];
    let vars: Vec<_> = program.vars.ids().collect();
    let alpha = |s: &State| -> Abstract {
        precision.iter().map(|(_, p)| eval(&p.expr, s).expect("predicates are total here") != 0).collect()
    };
    let mut meaning: BTreeMap<Abstract, Vec<State>> = BTreeMap::new();
    for s in states(program, &vars) {
        meaning.entry(alpha(&s)).or_default().push(s);
    }
    let image = |start: &Abstract| -> Image {
        let (mut ends, mut fails) = (BTreeSet::new(), false);
        let mut seen: BTreeSet<(LocId, State)> = BTreeSet::new();
        let mut pending: Vec<(LocId, State)> =
            meaning[start].iter().map(|s| (proc.entry, s.clone())).collect();
        while let Some((at, s)) = pending.pop() {
            if !seen.insert((at, s.clone())) {
                continue;
            }
            if at == proc.exit {
                ends.insert(alpha(&s));
            }
            if !partition.is_inside(program.entry, at) {
                pending.extend(meaning[&alpha(&s)].iter().map(|s| (at, s.clone())));
            }
            for edge in proc.edges.iter().filter(|edge| edge.src == at) {
                let mut next = vec![];
                match &edge.op {
                    Op::Skip => next.push(s.clone()),
                    Op::Assume(c) => next.extend(eval(c, &s).filter(|v| *v != 0).map(|_| s.clone())),
                    Op::Check(_, c) => match eval(c, &s) {
                        Some(0) => fails = true,
                        Some(_) => next.push(s.clone()),
                        None => {}
                    },
                    Op::Assign(lv, e) => {
                        let target = lv.as_var().expect("whole variables are assigned");
                        next.extend(eval(e, &s).map(|v| {
                            let mut t = s.clone();
                            t.insert(target, v);
                            t
                        }));
                    }
                    Op::Havoc(lv, _) => {
                        let target = lv.as_var().expect("whole variables are assigned");
                        next.extend(states(program, &[target]).into_iter().map(|chosen| {
                            let mut t = s.clone();
                            t.extend(chosen);
                            t
                        }));
                    }
                    other => panic!("{other:?} is not generated"),
                }
                pending.extend(next.into_iter().map(|s| (edge.dst, s)));
            }
        }
        (ends, fails)
    };
    meaning.keys().map(|start| (start.clone(), image(start))).collect()
}

/// What the boolean program leads to. Where a check may fail, executions that pass it go on: the loop lets them.
fn abstracted(made: &Abstraction, names: &[Name], start: &Abstract) -> Image {
    let (cfg, _) = Cfg::build(&made.program, None).expect("the text is a boolean program");
    let stmts = made.program.stmts_by_id();
    let place = |n: &Name| names.iter().position(|m| m == n).expect("only predicates occur");
    let all: Vec<Abstract> =
        (0..1u32 << names.len()).map(|bits| (0..names.len()).map(|i| bits >> i & 1 == 1).collect()).collect();
    let (mut ends, mut fails) = (BTreeSet::new(), false);
    let mut seen: BTreeSet<(VertexId, Abstract)> = BTreeSet::new();
    let mut pending = vec![(cfg.procs[cfg.entry].entry, start.clone())];
    while let Some((at, state)) = pending.pop() {
        if !seen.insert((at, state.clone())) {
            continue;
        }
        let VertexKind::Stmt(id) = cfg.vertices[at].kind else { continue };
        let value = |e: &bp::Expr| values(e, &|n| state[place(n)]);
        let allowed = |c: &Option<Box<bp::Expr>>, after: &Abstract| {
            c.as_ref().is_none_or(|c| values_of_step(c, &|n| state[place(n)], &|n| after[place(n)]).one)
        };
        let next: Vec<Abstract> = match &stmts[id].expect("every statement is in the text").kind {
            StmtKind::Return(_) => {
                ends.insert(state.clone());
                vec![]
            }
            StmtKind::Assume { cond, constrain } => {
                let passes = value(cond).one && allowed(constrain, &state);
                passes.then(|| state.clone()).into_iter().collect()
            }
            StmtKind::Assert(cond) => {
                fails |= value(cond).zero;
                vec![state.clone()]
            }
            StmtKind::Assign { targets, values: given, constrain } => {
                let fits = |after: &&Abstract| {
                    let fits = |i: usize| match targets.iter().position(|t| place(&t.name) == i) {
                        Some(k) => value(&given[k]).admit(after[i]),
                        None => after[i] == state[i],
                    };
                    (0..after.len()).all(fits) && allowed(constrain, after)
                };
                all.iter().filter(fits).cloned().collect()
            }
            StmtKind::Skip | StmtKind::Goto(_) | StmtKind::If { .. } => vec![state.clone()],
            other => panic!("a statement became {other:?}"),
        };
        let out = cfg.vertices[at].out.iter().map(|e| cfg.edges[*e].to);
        for to in out.filter(|v| !cfg.vertices[*v].kind.is_failure()) {
            pending.extend(next.iter().map(|s| (to, s.clone())));
        }
    }
    (ends, fails)
}

/// Two statements, a branch with one on each side, one behind, against all states.
fn is_exact(parts: &[String], branch: &str, predicates: &[String]) -> Result<(), TestCaseError> {
    let [first, second, left, right, last] = parts else { panic!("there are five") };
    let text = format!(
        "entry start__; check c0 reach in start__ \"c\"; proc void start__(void) {{ {VARS} entry L0; exit L7;
         L0: e0: {first} goto L1; L1: e1: {second} goto L2;
         L2: e2: assume({branch}); goto L3; e3: assume(!({branch})); goto L4;
         L3: e4: {left} goto L5; L4: e5: {right} goto L5;
         L5: e6: {last} goto L6; L6: e7: skip; goto L7; L7: {NEVER} }}"
    );
    let program = crate::common::program(&text);
    let texts: Vec<String> = predicates.iter().map(|p| format!("start__: {p}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let made = crate::common::abstraction(&program, &texts, |o| {
        o.exact = c2bp::Exact::Everything;
        o.blocks = Blocks::Loops;
        o.rlimit = 0;
        o.enforce = false;
    });
    prop_assert!(made.ignored.is_empty());
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let partition = Partition::new(&program, &oracle, Blocks::Loops);
    let precision = crate::common::precision(&program, &texts);
    let names: Vec<Name> = precision.iter().map(|(_, p)| Name::predicate(p.text(&program))).collect();
    for (before, image) in concrete(&program, &precision, &partition) {
        let found = abstracted(&made, &names, &before);
        let printed = || bp::print(&made.program);
        prop_assert_eq!(found.1, image.1, "from {:?}\n{}", before, printed());
        // Behind a check that fails more may be reached: it is an error all the same.
        let is_exact = if image.1 { image.0.is_subset(&found.0) } else { image.0 == found.0 };
        prop_assert!(is_exact, "from {:?}: {:?} and {:?}\n{}", before, found.0, image.0, printed());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn exact_images_of_blocks_are_exact(
        parts in prop::collection::vec(statement(), 5..6),
        branch in condition(),
        predicates in prop::collection::vec(condition(), 1..4),
    ) {
        is_exact(&parts, &branch, &predicates)?;
    }
}

/// With nine quotients the blocks are basic ones, each of them exact: what `y` is behind the first two conditions is forgotten between them.
#[test]
fn exact_images_of_smaller_blocks_are_exact() {
    let parts = [
        "assume(((3) + (y)) + (x) <= x);",
        "assume((u == ((y) / 1)) && (((x) % 1) == ((x) + ((x) % 1))));",
        "x = x;",
        "check(c0, (((x) % 1) + (x)) == x);",
        "x = ((x) + (x)) % 1;",
    ];
    let branch = "((x) % 1) == ((x) + ((x) % 1))";
    is_exact(&parts.map(str::to_owned), branch, &["y == 0".to_owned()]).expect("each block is exact");
}

/// One predicate at a time loses what a choice has to do with two of them; what no choice gives is excluded.
#[test]
fn what_an_input_has_to_do_with_several_predicates_is_kept() {
    let text = format!(
        "entry start__; proc void start__(void) {{ {VARS} entry L0; exit L2;
         L0: e0: havoc(x, uninit); goto L1; L1: e1: y = x; goto L2; L2: }}"
    );
    let program = crate::common::program(&text);
    let texts = ["start__: x == 0", "start__: y == 0"];
    let made = crate::common::abstraction(&program, &texts, |o| o.blocks = Blocks::Loops);
    let precision = crate::common::precision(&program, &texts);
    let names: Vec<Name> = precision.iter().map(|(_, p)| Name::predicate(p.text(&program))).collect();
    let both = BTreeSet::from([vec![false, false], vec![true, true]]);
    for before in [vec![false, false], vec![false, true], vec![true, false], vec![true, true]] {
        assert_eq!(abstracted(&made, &names, &before), (both.clone(), false));
    }
}

/// Paths that meet again are followed one by one, up to eight of them; what is behind a loop, a call or more paths begins a new block.
#[test]
fn blocks_end_where_paths_become_many() {
    let diamonds = |n: usize| {
        let diamond = |i: usize| {
            let (a, b) = (4 * i, 5 * i);
            format!(
                "L{a}: e{b}: assume(x == {i}); goto L{}; e{}: assume(x != {i}); goto L{};
                 L{}: e{}: y = {i}; goto L{}; L{}: e{}: u = 1; goto L{}; ",
                a + 1,
                b + 1,
                a + 2,
                a + 1,
                b + 2,
                a + 3,
                a + 2,
                b + 3,
                a + 3
            ) + &format!("L{}: e{}: skip; goto L{}; ", a + 3, b + 4, a + 4)
        };
        let body: String = (0..n).map(diamond).collect();
        let exit = 4 * n;
        format!("entry start__; proc void start__(void) {{ {VARS} entry L0; exit L{exit}; {body} L{exit}: }}")
    };
    let ends = |n: usize| -> Vec<usize> {
        let program = crate::common::program(&diamonds(n));
        let oracle = AliasOracle::new(&program, AliasMode::Das);
        let partition = Partition::new(&program, &oracle, Blocks::Loops);
        let all = program.procs[program.entry].locations.ids();
        all.filter(|l| !partition.is_inside(program.entry, *l)).map(base::Id::index).collect()
    };
    // The last edge of all does nothing: it is left out.
    assert_eq!(ends(1), [0, 3, 4]);
    assert_eq!(ends(3), [0, 11, 12]);
    // Sixteen paths would meet behind the fourth.
    assert_eq!(ends(4), [0, 15, 16]);
    assert_eq!(ends(5), [0, 15, 16, 19, 20]);
    let program = crate::common::program(&diamonds(2));
    let made = crate::common::abstraction(&program, &[], |o| o.blocks = Blocks::Loops);
    let copies = |e: usize| {
        let edge: EdgeId = base::Id::from_index(e);
        let mut number = 0;
        made.program.for_each_stmt(|s| {
            number += usize::from(made.origin.stmt(s.id).is_some_and(|o| o.edge == Some(edge)))
        });
        number
    };
    assert_eq!([copies(0), copies(5), copies(7), copies(9)], [1, 2, 2, 1]);
}

/// Where questions about several quotients would be asked together, a procedure has basic blocks.
#[test]
fn many_quotients_keep_blocks_small() {
    let divided = |quotients: usize| {
        let quotient = |i: usize| format!("L{i}: e{i}: y = x / 3; goto L{}; ", i + 1);
        let body: String = (0..quotients).map(quotient).collect();
        let (a, b) = (quotients, quotients + 1);
        let text = format!(
            "entry start__; check c0 reach in start__ \"c\"; proc void start__(void) {{ {VARS} entry L0; exit L{}; {body}
             L{a}: e{a}: check(c0, y == 1); goto L{b}; L{b}: e{b}: y = 2; goto L{}; L{}: }}",
            b + 1, b + 1, b + 1
        );
        let program = crate::common::program(&text);
        let oracle = AliasOracle::new(&program, AliasMode::Das);
        let partition = |what: Blocks| Partition::new(&program, &oracle, what);
        partition(Blocks::Loops) == partition(Blocks::Basic)
    };
    assert!(!divided(8));
    assert!(divided(9));
}
