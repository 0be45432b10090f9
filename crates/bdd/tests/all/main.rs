//! Every operation against truth tables: all pairs of functions of two variables, and random functions of six.

#[cfg(feature = "oxidd")]
mod oxidd_engine;

use bdd::{Biodivine, Cube, Engine, Var, cubes};
#[cfg(feature = "oxidd")]
use oxidd_engine::Oxidd;
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

static RUN: AtomicBool = AtomicBool::new(false);

/// Bit `i` of a table is the value where bit `k` of `i` is variable `k`.
fn diagram<E: Engine>(e: &mut E, vars: &[Var], table: u64) -> E::Bdd {
    let mut f = e.constant(false);
    for i in 0..1usize << vars.len() {
        if table >> i & 1 == 1 {
            let mut minterm = e.constant(true);
            for (k, var) in vars.iter().enumerate() {
                let literal = e.var(*var);
                minterm =
                    if i >> k & 1 == 1 { e.and(&minterm, &literal) } else { e.and_not(&minterm, &literal) };
            }
            f = e.or(&f, &minterm);
        }
    }
    f
}

fn table<E: Engine>(e: &mut E, vars: &[Var], f: &E::Bdd) -> u64 {
    (0..1usize << vars.len())
        .map(|i| {
            let values: Cube = vars.iter().enumerate().map(|(k, var)| (*var, i >> k & 1 == 1)).collect();
            let value = e.restrict(f, &values);
            let value = e.is_constant(&value).expect("all variables are fixed");
            u64::from(value) << i
        })
        .sum()
}

fn exists(table: u64, bits: usize, set: usize) -> u64 {
    (0..1usize << bits)
        .map(|i| u64::from((0..1usize << bits).any(|j| (i ^ j) & !set == 0 && table >> j & 1 == 1)) << i)
        .sum()
}

fn check_pair(bits: usize, a: u64, b: u64, set: usize) {
    let stop = AtomicBool::new(false);
    pair(&mut Biodivine::new(bits, &stop).expect("few variables"), bits, a, b, set);
    #[cfg(feature = "oxidd")]
    pair(&mut Oxidd::with_capacity(bits, &stop, 4096, 256).expect("few variables"), bits, a, b, set);
}

fn pair<E: Engine>(e: &mut E, bits: usize, a: u64, b: u64, set: usize) {
    let vars: Vec<Var> = (0..bits as u16).map(Var).collect();
    let mask = if bits == 6 { u64::MAX } else { (1 << (1 << bits)) - 1 };
    let (f, g) = (diagram(e, &vars, a), diagram(e, &vars, b));
    assert_eq!(table(e, &vars, &f), a);
    let results = [e.not(&f), e.and(&f, &g), e.or(&f, &g), e.xor(&f, &g), e.and_not(&f, &g), e.iff(&f, &g)];
    let expected = [!a, a & b, a | b, a ^ b, a & !b, !(a ^ b)];
    for (result, expected) in results.iter().zip(expected) {
        assert_eq!(table(e, &vars, result), expected & mask);
    }
    let graph = e.graph(&f);
    let at = |i: usize| u64::from(graph.value(|var| i >> var.0 & 1 == 1)) << i;
    assert_eq!((0..1usize << bits).map(at).sum::<u64>(), a);
    for (k, node) in graph.nodes.iter().enumerate() {
        assert!(node.low != node.high && node.low.max(node.high) < k + 2, "{graph:?}");
    }
    assert_eq!(e.implies(&f, &g), a & !b == 0);
    let free = bits - e.support(&f).len();
    assert_eq!(e.models(&f), f64::from(a.count_ones()) / f64::from(1 << free));
    let chosen: Vec<Var> = vars.iter().copied().filter(|v| set >> v.0 & 1 == 1).collect();
    let s = e.var_set(&chosen);
    let result = e.exists(&f, s);
    assert_eq!(table(e, &vars, &result), exists(a, bits, set));
    let result = e.and_exists(&f, &g, s);
    assert_eq!(table(e, &vars, &result), exists(a & b, bits, set));
    let support: Vec<Var> = vars
        .iter()
        .copied()
        .filter(|v| exists(a, bits, 1 << v.0) != !exists(!a & mask, bits, 1 << v.0) & mask)
        .collect();
    assert_eq!(e.support(&f), support);
    match e.witness(&f) {
        None => assert_eq!(a, 0),
        Some(cube) => {
            let left = e.restrict(&f, &cube);
            assert_eq!(e.is_constant(&left), Some(true));
        }
    }
    check_cubes(e, &vars, a, &f);
}

fn check_cubes<E: Engine>(e: &mut E, vars: &[Var], a: u64, f: &E::Bdd) {
    let sum = cubes(e, f, 1000);
    assert!(sum.complete);
    let covered = |cube: &Cube| -> u64 {
        (0..1usize << vars.len())
            .filter(|i| cube.iter().all(|(v, value)| (i >> v.0 & 1 == 1) == *value))
            .map(|i| 1 << i)
            .sum()
    };
    assert_eq!(sum.list.iter().map(covered).fold(0, |a, b| a | b), a);
    for cube in &sum.list {
        // In whatever order, and more than once.
        let mut values: Cube = cube.iter().rev().chain(cube).copied().collect();
        let made = e.cube(&values);
        assert_eq!(table(e, vars, &made), covered(cube));
        if let Some((var, value)) = cube.first() {
            values.push((*var, !*value));
            let made = e.cube(&values);
            assert!(e.is_zero(&made));
        }
    }
    for i in 0..sum.list.len() {
        let others =
            sum.list.iter().enumerate().filter(|(j, _)| *j != i).fold(0, |acc, (_, c)| acc | covered(c));
        assert_ne!(others, a, "no cube can be left out");
        for k in 0..sum.list[i].len() {
            let mut wider = sum.list[i].clone();
            wider.remove(k);
            assert_ne!(covered(&wider) & !a, 0, "no literal can be left out");
        }
    }
    if sum.list.len() > 1 {
        let part = cubes(e, f, sum.list.len() - 1);
        assert!(!part.complete && part.list.iter().all(|c| covered(c) & !a == 0));
    }
}

#[test]
fn all_functions_of_two_variables() {
    for a in 0..16 {
        for b in 0..16 {
            for set in 0..4 {
                check_pair(2, a, b, set);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_functions_of_six_variables(a: u64, b: u64, c: u64, set in 0..64usize) {
        check_pair(6, a, b, set);
        check_pair(6, a & b & c, b & c, set);
    }

    #[test]
    fn renaming_moves_variables(t: u64, up in 1..4u16) {
        renaming(&mut Biodivine::new(24, &RUN).expect("few variables"), t, up);
            #[cfg(feature = "oxidd")]
            renaming(&mut Oxidd::with_capacity(24, &RUN, 4096, 256).expect("few variables"), t, up);
    }
}

fn renaming<E: Engine>(e: &mut E, t: u64, up: u16) {
    let from: Vec<Var> = (0..6).map(|k| Var(4 * k)).collect();
    let to: Vec<Var> = (0..6).map(|k| Var(4 * k + up)).collect();
    let f = diagram(e, &from, t);
    let pairs: Vec<(Var, Var)> = from.iter().copied().zip(to.iter().copied()).collect();
    let r = e.renaming(&pairs);
    let g = e.rename(&f, r);
    assert_eq!(table(e, &to, &g), t);
}

/// Without room for more nodes the engine says so.
#[test]
#[cfg(feature = "oxidd")]
fn a_full_store_is_told() {
    let stop = AtomicBool::new(false);
    let mut engine = Oxidd::with_capacity(40, &stop, 1024, 256).expect("few variables");
    let mut f = engine.constant(true);
    for k in 0..20 {
        let (x, y) = (engine.var(Var(k)), engine.var(Var(k + 20)));
        let same = engine.iff(&x, &y);
        f = engine.and(&f, &same);
    }
    assert!(engine.interrupted() && engine.exhausted());
}

#[test]
fn large_diagrams_are_not_interned_but_right() {
    // x0 = y0, x1 = y1, … with all x before all y has 2^n nodes.
    let mut engine = Biodivine::new(24, &RUN).expect("few variables");
    let e = &mut engine;
    let mut f = e.constant(true);
    for k in 0..12 {
        let (x, y) = (e.var(Var(k)), e.var(Var(k + 12)));
        let same = e.iff(&x, &y);
        f = e.and(&f, &same);
    }
    assert!(e.size(&f) > 4096);
    let not = e.not(&f);
    let both = e.and(&f, &not);
    assert!(e.is_zero(&both));
    let set = e.var_set(&(12..24).map(Var).collect::<Vec<_>>());
    let all = e.exists(&f, set);
    assert_eq!(e.is_constant(&all), Some(true));
}

#[test]
#[should_panic(expected = "keeps the order")]
fn renaming_across_another_variable_is_a_broken_invariant() {
    let mut engine = Biodivine::new(3, &RUN).expect("few variables");
    let (x, y) = (engine.var(Var(0)), engine.var(Var(1)));
    let f = engine.and(&x, &y);
    let r = engine.renaming(&[(Var(0), Var(2))]);
    engine.rename(&f, r);
}

#[test]
fn the_stop_flag_ends_an_operation() {
    let stop = AtomicBool::new(false);
    let mut engine = Biodivine::new(60, &stop).expect("few variables");
    let mut f = engine.constant(true);
    // Without the flag this would build a diagram of 2^30 nodes.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
        });
        for k in 0..30 {
            let (x, y) = (engine.var(Var(k)), engine.var(Var(k + 30)));
            let same = engine.iff(&x, &y);
            f = engine.and(&f, &same);
        }
    });
    assert!(engine.interrupted());
}

#[test]
fn too_many_variables() {
    assert!(Biodivine::new(70_000, &RUN).is_err());
}
