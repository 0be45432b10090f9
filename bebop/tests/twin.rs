//! The engine against the explicit twin on random programs: what is reached, in which states, how far away;
//! and every step of every trace.

use bebop::explicit::{Bits, Explicit, check_trace};
use bebop::{Answer, Options, Order, Query, Sum, check};
use bp::random::{Choices, Shape, program};
use bp::{Cfg, VarId, VertexId, print};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

/// Live ranges, all states, order of variables.
const WAYS: [(bool, bool, Order); 4] = [
    (true, true, Order::Affinity),
    (false, true, Order::Affinity),
    (true, false, Order::Affinity),
    (true, true, Order::Declared),
];

/// The valuations that a sum of cubes stands for.
fn expand(cfg: &Cfg, vertex: VertexId, sum: &Sum<VarId>) -> BTreeSet<Bits> {
    assert!(sum.complete);
    let scope: Vec<VarId> = cfg.scope(cfg.vertices[vertex].proc).collect();
    let holds = |bits: Bits, cube: &Vec<(VarId, bool)>| {
        cube.iter().all(|(v, value)| {
            let i = scope.iter().position(|s| s == v).expect("cubes speak of the scope");
            (bits >> i & 1 == 1) == *value
        })
    };
    (0..1 << scope.len()).filter(|bits| sum.cubes.iter().any(|cube| holds(*bits, cube))).collect()
}

fn compare(cfg: &Cfg) {
    let twin = Explicit::new(cfg);
    let everything: Vec<VertexId> = cfg.vertices.ids().collect();
    let mut goals = vec![cfg.failures()];
    goals.extend(everything.iter().rev().step_by(5).map(|v| vec![*v]));
    for (i, goals) in goals.into_iter().enumerate() {
        let expected = twin.shortest(&goals);
        for (live, exhaustive, order) in WAYS {
            let query = Query::Vertices(goals.clone());
            let options = Options { live, exhaustive, order, ..Options::new(query, &RUN) };
            let outcome = check(cfg, &options).expect("nothing stops it");
            match (&outcome.answer, expected) {
                (Answer::Unreachable, None) => {}
                (Answer::Reachable { trace: Some(trace), .. }, Some(length)) => {
                    check_trace(cfg, trace).unwrap_or_else(|e| panic!("{e}\n{trace:#?}"));
                    if exhaustive {
                        assert_eq!(trace.length(), length, "live {live}");
                    }
                    assert!(trace.length() >= length);
                    assert!(goals.contains(&trace.target));
                }
                (answer, expected) => panic!("{answer:?}, but the twin says {expected:?}"),
            }
            let mut outcome = outcome;
            if i > 0 || !exhaustive {
                continue;
            }
            for vertex in &everything {
                assert_eq!(outcome.reached.is_reached(*vertex), twin.is_reached(*vertex), "{vertex}");
                let sum = outcome.reached.states(*vertex, 10_000).expect("nothing stops it");
                let found = expand(cfg, *vertex, &sum);
                if live {
                    assert!(twin.states(*vertex).is_subset(&found));
                } else {
                    assert_eq!(found, twin.states(*vertex), "{vertex}");
                }
            }
        }
    }
}

/// How many programs; `BEBOP_TWIN_CASES=10000` for a thorough run.
fn cases() -> u32 {
    std::env::var("BEBOP_TWIN_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(500)
}

fn agree(numbers: &[u16], shape: Shape) -> Result<(), TestCaseError> {
    let p = program(&mut Choices::new(numbers), shape);
    let (cfg, _) = Cfg::build(&p, None).expect("random programs are well-formed");
    let result = std::panic::catch_unwind(|| compare(&cfg));
    prop_assert!(result.is_ok(), "{}", print(&p));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn engine_and_twin_agree(numbers in prop::collection::vec(any::<u16>(), 0..250)) {
        agree(&numbers, Shape::default())?;
    }

    /// More variables, so that their order matters, and more calls that pass them on.
    #[test]
    fn engine_and_twin_agree_in_large_scopes(numbers in prop::collection::vec(any::<u16>(), 100..300)) {
        agree(&numbers, Shape { globals: 2, procs: 3, locals: 3, stmts: 4, depth: 1 })?;
    }
}
