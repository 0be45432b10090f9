//! The abstraction of single statements is the Cartesian one (002 slide 34), no less and no more: compared with all
//! states of programs whose variables have few values.

use crate::common::boolean::{Values, values, values_of_step};
use crate::common::integers::{self, State, VARS, condition, eval, term};
#[allow(dead_code, reason = "each test uses a part of what is shared")]
use bp::{Name, StmtKind};
use ir::{Op, Program};
use predicates::Precision;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// All states of the program's variables.
fn states(program: &Program) -> Vec<State> {
    integers::states(program, &program.vars.ids().collect::<Vec<_>>())
}

type Abstract = Vec<bool>;

struct Setting {
    program: Program,
    precision: Precision,
    names: Vec<Name>,
}

impl Setting {
    fn alpha(&self, state: &State) -> Abstract {
        self.precision
            .iter()
            .map(|(_, p)| eval(&p.expr, state).expect("predicates are total here") != 0)
            .collect()
    }

    fn value(&self, e: &bp::Expr, a: &Abstract) -> Values {
        let valuation = |n: &Name| a[self.names.iter().position(|m| m == n).expect("only predicates occur")];
        values(e, &valuation)
    }

    /// For each abstract state that some state has, those that the first edge leads to.
    fn image(&self) -> BTreeMap<Abstract, BTreeSet<Abstract>> {
        let edge = &self.program.procs[self.program.entry].edges.as_slice()[0];
        let mut out: BTreeMap<Abstract, BTreeSet<Abstract>> = BTreeMap::new();
        for s in states(&self.program) {
            let after = match &edge.op {
                Op::Assign(lv, e) => eval(e, &s).map(|v| {
                    let mut t = s.clone();
                    t.insert(lv.as_var().expect("whole variables are assigned"), v);
                    t
                }),
                Op::Assume(c) => eval(c, &s).filter(|v| *v != 0).map(|_| s.clone()),
                op => panic!("{op:?} leads nowhere"),
            };
            out.entry(self.alpha(&s)).or_default().extend(after.map(|t| self.alpha(&t)));
        }
        out
    }

    /// Those that the statement admits, and `enforce` behind it.
    fn admitted(&self, kind: &StmtKind, enforce: Option<&bp::Expr>, before: &Abstract) -> BTreeSet<Abstract> {
        let place = |n: &Name| self.names.iter().position(|m| m == n).expect("only predicates occur");
        let all = (0..1u32 << self.names.len())
            .map(|bits| (0..self.names.len()).map(|i| bits >> i & 1 == 1).collect::<Abstract>());
        all.filter(|after| {
            let constrained = |c: &Option<Box<bp::Expr>>| {
                c.as_ref().is_none_or(|c| {
                    values_of_step(c, &|n| before[place(n)], &|n| after[place(n)]) == Values::just(true)
                })
            };
            let admitted = match kind {
                StmtKind::Skip => after == before,
                StmtKind::Assume { cond, constrain } => {
                    after == before && self.value(cond, before).one && constrained(constrain)
                }
                StmtKind::Assign { targets, values, constrain } => {
                    let right = |i: usize| match targets.iter().position(|t| place(&t.name) == i) {
                        Some(k) => self.value(&values[k], before).admit(after[i]),
                        None => after[i] == before[i],
                    };
                    (0..after.len()).all(right) && constrained(constrain)
                }
                other => panic!("a statement became {other:?}"),
            };
            admitted && enforce.is_none_or(|e| self.value(e, after) == Values::just(true))
        })
        .collect()
    }

    /// Compares the statement of the first edge with all states.
    fn check(&self, kind: &StmtKind) {
        let edge = &self.program.procs[self.program.entry].edges.as_slice()[0];
        let mut by_abstract: BTreeMap<Abstract, Vec<State>> = BTreeMap::new();
        for s in states(&self.program) {
            by_abstract.entry(self.alpha(&s)).or_default().push(s);
        }
        for (a, states) in by_abstract {
            match (&edge.op, kind) {
                (Op::Assign(lv, e), kind) => {
                    let target = lv.as_var().expect("whole variables are assigned");
                    let after = states.iter().filter_map(|s| {
                        let mut t = s.clone();
                        t.insert(target, eval(e, s)?);
                        Some(self.alpha(&t))
                    });
                    let after: Vec<Abstract> = after.collect();
                    if after.is_empty() {
                        continue;
                    }
                    for (i, name) in self.names.iter().enumerate() {
                        let exact =
                            Values { zero: after.iter().any(|b| !b[i]), one: after.iter().any(|b| b[i]) };
                        let found = match kind {
                            StmtKind::Assign { targets, values, .. } => {
                                match targets.iter().position(|t| t.name == *name) {
                                    Some(k) => self.value(&values[k], &a),
                                    None => Values::just(a[i]),
                                }
                            }
                            StmtKind::Skip => Values::just(a[i]),
                            other => panic!("an assignment became {other:?}"),
                        };
                        assert_eq!(found, exact, "{name} in {a:?}");
                    }
                }
                (Op::Assume(c), StmtKind::Assume { cond, .. }) => {
                    let outcomes: Vec<bool> = states.iter().filter_map(|s| Some(eval(c, s)? != 0)).collect();
                    if !outcomes.is_empty() {
                        let taken = outcomes.contains(&true);
                        assert_eq!(self.value(cond, &a), Values::just(taken), "{c:?} in {a:?}");
                    }
                }
                (Op::Check(_, c), StmtKind::Assert(cond)) => {
                    let outcomes: Vec<bool> = states.iter().filter_map(|s| Some(eval(c, s)? != 0)).collect();
                    if !outcomes.is_empty() {
                        let holds = !outcomes.contains(&false);
                        assert_eq!(self.value(cond, &a), Values::just(holds), "{c:?} in {a:?}");
                    }
                }
                (op, kind) => panic!("{op:?} became {kind:?}"),
            }
        }
    }
}

fn statement() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (prop_oneof![Just("x"), Just("y"), Just("u")], term()).prop_map(|(v, e)| format!("{v} = {e};")),
        1 => condition().prop_map(|c| format!("assume({c});")),
        1 => condition().prop_map(|c| format!("check(c0, {c});")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]
    #[test]
    fn exact_images_are_exact(
        s in prop_oneof![
            4 => (prop_oneof![Just("x"), Just("y"), Just("u")], term()).prop_map(|(v, e)| format!("{v} = {e};")),
            1 => condition().prop_map(|c| format!("assume({c});")),
        ],
        predicates in prop::collection::vec(condition(), 1..5),
        enforce: bool,
    ) {
        let text = format!(
            "entry start__; proc void start__(void) {{ {VARS} entry L0; exit L4;
             L0: e0: {s} goto L1; L1: e1: havoc(x, uninit); goto L2; L2: e2: havoc(y, uninit); goto L3;
             L3: e3: havoc(u, uninit); goto L4; L4: }}"
        );
        let program = crate::common::program(&text);
        let texts: Vec<String> = predicates.iter().map(|p| format!("start__: {p}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let made = crate::common::abstraction(&program, &texts, |o| {
            o.exact = c2bp::Exact::Everything;
            o.rlimit = 0;
            o.enforce = enforce;
        });
        let precision = crate::common::precision(&program, &texts);
        let names = precision.iter().map(|(_, p)| Name::predicate(p.text(&program))).collect();
        let setting = Setting { program, precision, names };
        let main = &made.program.procs[0];
        for (before, image) in setting.image() {
            let admitted = setting.admitted(&main.body[0].kind, main.enforce.as_ref(), &before);
            prop_assert_eq!(admitted, image, "from {:?}\n{}", before, bp::print(&made.program));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]
    #[test]
    fn statements_are_cartesian(s in statement(), predicates in prop::collection::vec(condition(), 1..5)) {
        let text = format!(
            "entry start__; check c0 reach in start__ \"c\"; proc void start__(void) {{ {VARS} entry L0; exit L4;
             L0: e0: {s} goto L1; L1: e1: havoc(x, uninit); goto L2; L2: e2: havoc(y, uninit); goto L3;
             L3: e3: havoc(u, uninit); goto L4; L4: }}"
        );
        let program = crate::common::program(&text);
        let texts: Vec<String> = predicates.iter().map(|p| format!("start__: {p}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let precision = crate::common::precision(&program, &texts);
        let oracle = alias::AliasOracle::new(&program, alias::AliasMode::Das);
        let stop = std::sync::atomic::AtomicBool::new(false);
        let interrupt = smt::Interrupt::new();
        let options = c2bp::Options { max_cube: 8, rlimit: 0, ..c2bp::Options::new(&stop, &interrupt) };
        let result = c2bp::abstract_program(&program, &oracle, &precision, &options, &mut c2bp::Cache::new()).expect("nobody stops it");
        prop_assert!(result.ignored.is_empty());
        let names = precision.iter().map(|(_, p)| Name::predicate(p.text(&program))).collect();
        let setting = Setting { program, precision, names };
        let main = &result.program.procs[0];
        if let Some(e) = &main.enforce {
            for s in states(&setting.program) {
                let a = setting.alpha(&s);
                prop_assert_eq!(setting.value(e, &a), Values::just(true), "enforce {} cuts {:?}", e, s);
            }
        }
        setting.check(&main.body[0].kind);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn impossible_states_are_recognised(predicates in prop::collection::vec(condition(), 1..5)) {
        let text = format!(
            "entry start__; check c0 reach in start__ \"c\"; proc void start__(void) {{ {VARS} entry L0; exit L4;
             L0: e0: check(c0, 1); goto L1; L1: e1: havoc(x, uninit); goto L2; L2: e2: havoc(y, uninit); goto L3;
             L3: e3: havoc(u, uninit); goto L4; L4: }}"
        );
        let program = crate::common::program(&text);
        let texts: Vec<String> = predicates.iter().map(|p| format!("start__: {p}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let precision = crate::common::precision(&program, &texts);
        let oracle = alias::AliasOracle::new(&program, alias::AliasMode::Das);
        let interrupt = smt::Interrupt::new();
        let how = (encoding::IntMode::Math, passes::Blocks::Statement);
        let mut asked = c2bp::States::new(&program, &oracle, &precision, how, 0, &interrupt);
        let setting = Setting { program: program.clone(), precision: precision.clone(), names: vec![] };
        let possible: BTreeSet<Abstract> =
            states(&program).iter().map(|s| setting.alpha(s)).collect();
        let ids: Vec<predicates::PredId> = precision.iter().map(|(id, _)| id).collect();
        for n in 0..1u32 << ids.len() {
            let state: c2bp::Combination =
                ids.iter().enumerate().map(|(i, id)| (*id, n >> i & 1 == 1)).collect();
            let exists = |part: &[(predicates::PredId, bool)]| {
                possible.iter().any(|a| part.iter().all(|(id, v)| a[base::Id::index(*id)] == *v))
            };
            match asked.contradiction(&state) {
                None => prop_assert!(exists(&state), "{state:?} is impossible"),
                Some(part) => {
                    prop_assert!(part.iter().all(|l| state.contains(l)));
                    prop_assert!(!exists(&part), "{part:?} is possible");
                    // Minimal: without any literal it is possible.
                    for i in 0..part.len() {
                        let rest: Vec<_> = (0..part.len()).filter(|k| *k != i).map(|k| part[k]).collect();
                        prop_assert!(exists(&rest), "{part:?} is not minimal");
                    }
                }
            }
        }
    }
}
