//! The abstraction of calls is the Cartesian one: what is passed, and what the caller knows afterwards from what it knew
//! before and what was returned, compared with all states of programs whose variables have few values.

use crate::common::boolean::{Values, values};
use crate::common::integers::{State, VARS, condition, eval, states, term};
#[allow(dead_code, reason = "each test uses a part of what is shared")]
use bp::{Name, StmtKind};
use c2bp::Role;
use ir::{Expr, Op, Program};
use predicates::{Precision, Scope};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Truth values by the names of variables.
type Valuation = BTreeMap<Name, bool>;

fn truth(predicates: &[(Name, Expr)], state: &State) -> Valuation {
    let value = |e: &Expr| eval(e, state).expect("predicates are total here") != 0;
    predicates.iter().map(|(name, e)| (name.clone(), value(e))).collect()
}

fn own(program: &Program, precision: &Precision, scope: Scope) -> Vec<(Name, Expr)> {
    let of = precision.iter().filter(|(_, p)| p.scope == scope);
    of.map(|(_, p)| (Name::predicate(p.text(program)), p.expr.clone())).collect()
}

/// Notes that a value occurs.
fn note(values: &mut Values, value: bool) {
    values.one |= value;
    values.zero |= !value;
}

const NONE: Values = Values { zero: false, one: false };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn calls_are_cartesian(
        args in (term(), term(), term()),
        caller in prop::collection::vec(condition(), 1..4),
        formal in prop::collection::vec(condition(), 0..3),
        returned in prop::collection::vec(condition(), 0..3),
    ) {
        let program = crate::common::program(&format!(
            "entry start__; proc signed _BitInt(3) g(signed _BitInt(3) x, signed _BitInt(3) y, unsigned _BitInt(2) u) {{
             return signed _BitInt(3) ret__; entry L0; exit L1; L0: havoc(ret__, input \"r\"); goto L1; L1: }}
             proc void start__(void) {{ {VARS} entry L0; exit L4;
             L0: e0: x = g((signed _BitInt(3)) ({}), (signed _BitInt(3)) ({}), (unsigned _BitInt(2)) ({})); goto L1;
             L1: e1: havoc(x, uninit); goto L2; L2: e2: havoc(y, uninit); goto L3; L3: e3: havoc(u, uninit); goto L4; L4: }}",
            args.0, args.1, args.2
        ));
        let result = |p: &String| {
            let words = p.chars().map(|c| match c {
                'x' => "ret__".to_owned(),
                'y' | 'u' => format!("old({c})"),
                c => c.to_string(),
            });
            format!("g: {}", words.collect::<String>())
        };
        let mut texts: Vec<String> = caller.iter().map(|p| format!("start__: {p}")).collect();
        texts.extend(formal.iter().map(|p| format!("g: {p}")).chain(returned.iter().map(result)));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let precision = crate::common::precision(&program, &texts);
        let made = crate::common::abstraction_with(&program, &precision, |o| {
            o.max_cube = 8;
            o.rlimit = 0;
        });
        prop_assert!(made.ignored.is_empty());
        let callee = program.find_proc("g").expect("it is there");
        let Op::Call { args, .. } = &program.procs[program.entry].edges.as_slice()[0].op else { unreachable!() };
        let (here, there) = (
            own(&program, &precision, Scope::Proc(program.entry)),
            own(&program, &precision, Scope::Proc(callee)),
        );
        let main = &made.program.procs[0].body;
        let text = || bp::print(&made.program);
        let StmtKind::Call { results, args: passed, .. } = &main[0].kind else { panic!("{}", text()) };
        let g = made.program.proc("g").expect("it is called");
        let returns = g.body.iter().find_map(|s| match &s.kind {
            StmtKind::Return(values) => Some(values.clone()),
            _ => None,
        }).expect("it returns");
        let after = main.get(1).filter(|s| made.origin.stmt(s.id).map(|o| &o.role) == Some(&Role::AfterCall));

        let x = program.procs[program.entry].locals[0];
        let ret = program.procs[callee].ret.expect("it has a result");
        let results_of = states(&program, &[ret]);
        let mut entry: BTreeMap<Valuation, BTreeMap<Name, Values>> = BTreeMap::new();
        let mut behind: BTreeMap<Valuation, BTreeMap<Name, Values>> = BTreeMap::new();
        for s in states(&program, program.procs[program.entry].locals.as_slice()) {
            let Some(values) = args.iter().map(|e| eval(e, &s)).collect::<Option<Vec<_>>>() else { continue };
            let before = truth(&here, &s);
            for result in &results_of {
                let formals = program.procs[callee].formals.iter().copied().zip(values.iter().copied());
                let inside: State = formals.chain([(ret, result[&ret])]).collect();
                let known = truth(&there, &inside);
                for formal in &g.formals {
                    note(entry.entry(before.clone()).or_default().entry(formal.name.clone()).or_insert(NONE), known[&formal.name]);
                }
                let mut seen = before.clone();
                for (var, value) in results.iter().zip(&returns) {
                    let bp::Expr::Var(v) = value else { panic!("{}", text()) };
                    if let Some(var) = var {
                        seen.insert(var.name.clone(), known[&v.name]);
                    }
                }
                let mut next = s.clone();
                next.insert(x, result[&ret]);
                let exact = behind.entry(seen).or_default();
                for (name, value) in truth(&here, &next) {
                    note(exact.entry(name).or_insert(NONE), value);
                }
            }
        }
        for (before, exact) in entry {
            for (formal, value) in g.formals.iter().zip(passed) {
                prop_assert_eq!(values(value, &|n| before[n]), exact[&formal.name], "{} from {:?} in\n{}", formal, before, text());
            }
        }
        for (before, exact) in behind {
            for (name, exact) in exact {
                let found = match after.map(|s| &s.kind) {
                    Some(StmtKind::Assign { targets, values: right, .. }) => {
                        match targets.iter().position(|t| t.name == name) {
                            Some(k) => values(&right[k], &|n| before[n]),
                            None => Values::just(before[&name]),
                        }
                    }
                    None => Values::just(before[&name]),
                    other => panic!("{other:?}"),
                };
                prop_assert_eq!(found, exact, "{} from {:?} in\n{}", name, before, text());
            }
        }
    }
}
