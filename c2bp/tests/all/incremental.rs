//! What a new predicate costs: only the statements in its cone are abstracted anew.

use alias::{AliasMode, AliasOracle};
#[allow(dead_code, reason = "each test uses a part of what is shared")]
use c2bp::{Abstraction, Cache, Options};
use ir::Program;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use testing::programs::calls::Dice;

const PROCS: usize = 10;
const VARS: usize = 8;
const STATEMENTS: usize = 200;

/// What a statement does to a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Constant,
    Increment,
    Test,
    Call,
}

/// For each procedure its statements, each about one variable.
fn statements(dice: &mut Dice) -> Vec<Vec<(Does, usize)>> {
    let one = |dice: &mut Dice| {
        let does = [Does::Constant, Does::Increment, Does::Increment, Does::Test, Does::Call];
        (does[dice.below(does.len())], dice.below(VARS))
    };
    (0..PROCS).map(|_| (0..STATEMENTS).map(|_| one(dice)).collect()).collect()
}

/// The procedures, which all call `next`, and an entry that calls them.
fn text(statements: &[Vec<(Does, usize)>]) -> String {
    let mut out = String::from(
        "entry start__; global int lock; check c0 reach in start__ \"c\";
         proc int next(int a) { return int ret__; entry L0; exit L1; L0: ret__ = a + 1; goto L1; L1: }\n",
    );
    for (p, list) in statements.iter().enumerate() {
        let vars: String = (0..VARS).map(|v| format!("local int v{v}; ")).collect();
        let _ = writeln!(out, "proc void f{p}(void) {{ {vars} entry L0; exit L{};", list.len());
        for (i, (does, v)) in list.iter().enumerate() {
            let op = match does {
                Does::Constant => format!("v{v} = {};", i % 5),
                Does::Increment => format!("v{v} = v{v} + 1;"),
                Does::Test => format!("assume(v{v} < {});", i % 5),
                Does::Call => format!("v{v} = next(v{v});"),
            };
            let _ = writeln!(out, "L{i}: {op} goto L{};", i + 1);
        }
        let _ = writeln!(out, "L{}: }}", list.len());
    }
    out.push_str("proc void start__(void) { entry L0; exit L10;\n");
    for p in 0..PROCS {
        let _ = writeln!(out, "L{p}: f{p}(); goto L{};", p + 1);
    }
    out + "L10: }"
}

fn abstracted(program: &Program, predicates: &[String], cache: &mut Cache) -> Abstraction {
    let oracle = AliasOracle::new(program, AliasMode::Das);
    let (stop, interrupt) = (AtomicBool::new(false), smt::Interrupt::new());
    let texts: Vec<&str> = predicates.iter().map(String::as_str).collect();
    let precision = crate::common::precision(program, &texts);
    let options = Options::new(&stop, &interrupt);
    c2bp::abstract_program(program, &oracle, &precision, &options, cache).expect("nobody stops it")
}

#[test]
fn a_new_predicate_costs_its_cone() {
    let statements = statements(&mut Dice::new(7));
    let program = crate::common::program(&text(&statements));
    let mut predicates = vec!["next: ret__ == old(a) + 1".to_owned(), "next: a == old(a)".to_owned()];
    for p in 0..PROCS {
        predicates.extend((0..VARS).map(|v| format!("f{p}: v{v} == {}", (p + v) % 4)));
    }
    let mut cache = Cache::new();
    let first = abstracted(&program, &predicates, &mut cache).stats;
    assert_eq!(first.reused + first.abstracted, PROCS * STATEMENTS + PROCS + 1);
    let again = abstracted(&program, &predicates, &mut cache).stats;
    assert_eq!((again.abstracted, again.prover_calls, again.by_syntax), (0, 0, 0));
    assert_eq!(again.questions, first.questions);

    // A second predicate of one variable: statements with other variables, and constant ones, are not in its cone.
    predicates.push("f3: v5 == 7".to_owned());
    let cone = statements[3].iter().filter(|(does, v)| *v == 5 && *does != Does::Constant).count();
    let third = abstracted(&program, &predicates, &mut cache).stats;
    assert_eq!((third.abstracted, cone > 10), (cone, true));

    // A predicate that connects two variables has both in its cone.
    predicates.push("f4: v1 == v2".to_owned());
    // (`v1 = 2` makes it what `v2 == 2` is, a predicate: there is nothing to ask; `v2 = 1` alike.)
    let asks = |(i, (does, v)): &(usize, &(Does, usize))| {
        let is_copy = *does == Does::Constant && matches!((*v, i % 5), (1, 2) | (2, 1));
        (*v == 1 || *v == 2) && !is_copy
    };
    let cone = statements[4].iter().enumerate().filter(asks).count();
    assert_eq!(abstracted(&program, &predicates, &mut cache).stats.abstracted, cone);

    // A global one is in no question about locals.
    predicates.push("lock == 0".to_owned());
    assert_eq!(abstracted(&program, &predicates, &mut cache).stats.abstracted, 0);

    // One of the procedure called concerns its statements and the calls that can say it.
    predicates.push("next: ret__ > old(a)".to_owned());
    let calls = statements.iter().flatten().filter(|(does, _)| *does == Does::Call).count();
    let last = abstracted(&program, &predicates, &mut cache);
    assert_eq!(last.stats.abstracted, calls + 1);
    let fresh = abstracted(&program, &predicates, &mut Cache::new());
    assert_eq!(bp::print(&last.program), bp::print(&fresh.program));
}
