//! Soundness of the oracle on random programs. They run concretely, and in every state all lvalues, the
//! program's and others, must denote what the oracle allows; a finer mode must not allow what a coarser one
//! excludes; slices and resolved calls must fail the checks that the program fails.

mod order;
mod propagation;
mod watch;

use alias::*;
use interp::{self, Outcome};
use ir::expr::{Expr, Lvalue};
use ir::parse;
use ir::program::{ProcId, Program, VarKind};
use passes::{resolve_indirect, slice::slice};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use testing::programs::pointers::{INT_PTRS, INTS, LISTS, generate};
use watch::Keyed;

/// Lvalues that a procedure's text can mention: every one of the generator's lists that has a meaning there.
fn lvalues(program: &Program, p: ProcId) -> Vec<Lvalue> {
    let extra = [
        "*c",
        "*gp",
        "l->next->next",
        "m->arr[1]",
        "k->p",
        "*(p + 1)",
        "buf[3]",
        "nm.name[1]",
        "nm.name[i & 3]",
        "nm.t",
        "c[1]",
        "c[4]",
        "o->l",
        "ml.l",
        "u.n",
        "pp[1]",
        "z",
        "n",
        "fp",
        "c",
        "m",
    ];
    let texts = INTS.iter().chain(INT_PTRS).chain(LISTS).chain(&extra);
    let parsed = texts.filter_map(|t| match parse::expr(t, program, Some(p)) {
        Ok(Expr::Load(lv)) => Some(*lv),
        _ => None,
    });
    parsed.collect()
}

fn run_keyed(program: &Program, seed: u64) -> Outcome {
    let limits = interp::Limits { steps: 400, ..interp::Limits::default() };
    interp::run(program, &mut Keyed { seed, seen: BTreeMap::new() }, &limits, &AtomicBool::new(false)).outcome
}

/// The number of programs that are tried; `CMM_RANDOM_CASES` sets another one.
fn cases() -> u32 {
    testing::number("CMM_RANDOM_CASES", 60)
}

fn parsed(text: &str) -> Program {
    parse::program(text).unwrap_or_else(|d| panic!("{} at {:?} in\n{text}", d.message, d.span))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn states_are_as_the_oracle_says(bytes in proptest::collection::vec(any::<u8>(), 60..160), seed: u64) {
        let text = generate(&bytes);
        let program = parsed(&text);
        let lvalues: Vec<_> = program.procs.ids().map(|p| lvalues(&program, p)).collect();
        let complaints = watch::complaints(&program, &lvalues, seed, 120);
        prop_assert!(complaints.is_empty(), "{text}\n{complaints:#?}");
    }

    #[test]
    fn slices_fail_the_same_checks(bytes in proptest::collection::vec(any::<u8>(), 60..160), seed: u64) {
        let program = parsed(&generate(&bytes));
        let oracle = AliasOracle::new(&program, AliasMode::Das);
        let Ok(resolved) = resolve_indirect(&program, &oracle) else { return Ok(()) };
        let outcome = run_keyed(&program, seed);
        if matches!(outcome, Outcome::CheckFailed(_)) {
            prop_assert_eq!(&outcome, &run_keyed(&resolved, seed));
            let oracle = AliasOracle::new(&resolved, AliasMode::Das);
            let sliced = slice(&resolved, &oracle).program;
            prop_assert_eq!(ir::check::check(&sliced), Vec::<String>::new());
            prop_assert_eq!(outcome, run_keyed(&sliced, seed));
        }
    }

    #[test]
    fn finer_modes_allow_less(bytes in proptest::collection::vec(any::<u8>(), 60..160)) {
        let text = generate(&bytes);
        let violations = order::violations(&parsed(&text));
        prop_assert!(violations.is_empty(), "{text}\n{violations:#?}");
    }
}

#[test]
fn generated_programs_are_well_formed() {
    for seed in 0..50u8 {
        let bytes: Vec<u8> =
            (0..160).map(|i| seed.wrapping_mul(37).wrapping_add((i as u8).wrapping_mul(91))).collect();
        let program = parsed(&generate(&bytes));
        assert_eq!(ir::check::check(&program), Vec::<String>::new());
        assert!(program.vars.iter().any(|v| matches!(v.kind, VarKind::Formal(_))));
    }
}

#[test]
fn what_lies_outside_comes_inside_once_the_object_is_moved_along() {
    // The store is two pointers behind where `r` points: at first that is `gp` only, later also two before it.
    let program = parsed(
        "model LP64; entry main; struct list { int v; struct list *next; int *p; };
global int y; global int *gp;
proc void main() { local struct list *r; local int **a; local int **b; local int **c;
entry L0; exit L5;
L0: r = (struct list *)&gp; goto L1; r->p = &y; goto L5;
L1: a = &gp; goto L2;
L2: b = a; goto L3;
L3: c = b + -2; goto L4;
L4: r = (struct list *)c; goto L0;
L5: }",
    );
    let gp = parse::expr("gp", &program, Some(program.entry)).expect("it is a global");
    for mode in order::MODES {
        let held = AliasOracle::new(&program, mode).points_to(&gp);
        assert!(
            held.unknown
                || held.objects.iter().any(|o| matches!(o, Object::Var(v) if program.vars[*v].name == "y")),
            "{mode:?}: {held:?}"
        );
    }
}

#[test]
fn rules_are_applied_in_the_final_layouts() {
    // `&gp - 16` is outside of `gp` until the program is known to move through `gp` in steps of its type (the copy
    // that `rec` makes); from then on `l` can lead to `gp`, and `l->next` to what `gp` holds.
    let program = parsed(
        "model LP64; entry main; struct list { int v; struct list *next; int *p; };
global int y; global int *gp; global int **pp; global struct list s; global struct list t; global char buf[24];
proc void rec() { entry L0; exit L1; L0: memmove(&s, pp, 4L); goto L1; L1: }
proc void main() { local struct list *l; local char *c;
entry L0; exit L8;
L0: l = &s; goto L1;
L1: s.next = &t; goto L2;
L2: t.p = &y; goto L3;
L3: pp = &gp; goto L4;
L4: gp = (int *)c; goto L5;
L5: l->next->p = (int *)l; goto L6;
L6: c = (char *)pp - 8L; goto L7;
L7: l = (struct list *)((char *)pp - 16L); goto L8;
L8: }",
    );
    let lvalues: Vec<_> = program.procs.ids().map(|p| lvalues(&program, p)).collect();
    assert_eq!(watch::complaints(&program, &lvalues, 0, 120), Vec::<String>::new());
}

#[test]
fn arguments_that_do_not_matter_are_not_computed() {
    // In the slice `pp` keeps its first value, 16 bytes before which there is nothing.
    let program = parsed(
        "model LP64; entry main; global int x; global int *gp; global int **pp;
check c0 reach in main \"m\";
proc int id(int *a, int b, int n) { return int ret__; entry L0; exit L1; L0: ret__ = n; goto L1; L1: }
proc void main() { local int k; entry L0; exit L4;
L0: pp = &gp; goto L1;
L1: k = 8; goto L2;
L2: x = id((int *)((char *)(pp + 2) - 16L), 8 / k, 1); goto L3;
L3: check(c0, x != 1); goto L4;
L4: }",
    );
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let sliced = slice(&program, &oracle).program;
    assert_eq!(ir::check::check(&sliced), Vec::<String>::new());
    let outcome = run_keyed(&program, 0);
    assert!(matches!(outcome, Outcome::CheckFailed(_)), "{outcome:?}");
    assert_eq!(outcome, run_keyed(&sliced, 0));
}
