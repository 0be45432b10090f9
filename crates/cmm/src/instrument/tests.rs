//! Checks of bounds against the interpreter, which finds accesses outside of objects by itself, on random programs with
//! all kinds of pointers.

use super::{Wanted, instrument};
use crate::analysis::{AliasMode, AliasOracle, resolve_indirect};
use crate::arbitrary::pointers::generate;
use crate::convert::difference_type;
use crate::expr::{Expr, UnOp};
use crate::extent::simplified;
use crate::interp::{self, Inputs, Limits, Outcome, Reason, State, UndefinedBehaviour, UninitRead, Value};
use crate::program::{CheckKind, EdgeId, HavocKind, LocId, PathStep, ProcId, Program};
use crate::types::Type;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use testing::Dice;

/// How many programs are tried; `CMM_RANDOM_CASES` asks for another number.
fn cases() -> u64 {
    std::env::var("CMM_RANDOM_CASES").map_or(300, |n| n.parse().expect("CMM_RANDOM_CASES is a number"))
}

fn random_program(seed: u64) -> (String, Program) {
    let mut dice = Dice::new(seed);
    let bytes: Vec<u8> = (0..60 + dice.below(100)).map(|_| dice.below(256) as u8).collect();
    let text = generate(&bytes);
    let program = crate::parse::program(&text).unwrap_or_else(|d| panic!("{} in\n{text}", d.message));
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let program = resolve_indirect(&program, &oracle).expect("all calls can be resolved");
    (text, program)
}

/// Inputs that depend on nothing but how many were asked for before.
struct Random<'a> {
    dice: Dice,
    seen: &'a mut dyn FnMut(&mut State<'_, '_>),
}

impl Random<'_> {
    fn any(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Ptr(_) => *self.dice.of(&[Value::Null, Value::FreshObject(4), Value::FreshObject(64)]),
            Type::Int(int) => Value::Int(int.wrap(self.dice.within(-3, 12).into())),
            _ => Value::Int(0),
        }
    }
}

impl Inputs for Random<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        self.any(ty)
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.dice.below(enabled.len())
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        self.any(ty)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, _: PathStep) {
        (self.seen)(state);
    }
}

fn run(program: &Program, seed: u64, steps: u64, seen: &mut dyn FnMut(&mut State<'_, '_>)) -> Outcome {
    let mut inputs = Random { dice: Dice::new(seed), seen };
    let limits = Limits { steps, ..Limits::default() };
    interp::run(program, &mut inputs, &limits, &AtomicBool::new(false)).outcome
}

#[test]
fn a_check_of_bounds_fails_where_the_interpreter_finds_an_access_outside() {
    let kinds = BTreeSet::from([CheckKind::Bounds, CheckKind::Reach]);
    let wanted = Wanted {
        kinds: &kinds,
        leaks_at_exit: false,
        covered: &BTreeSet::new(),
        describe: &|_| None,
        place: &|_, _| None,
    };
    let mut outside = 0;
    for seed in 1..=cases() {
        let (text, program) = random_program(seed);
        let checked = instrument(&program, &wanted);
        for n in 0..8 {
            let run = |program, steps| run(program, seed << 3 | n, steps, &mut |_| ());
            // The checks are steps, too.
            let (plain, checked_run) = (run(&program, 3000), run(&checked, 100_000));
            let fails = match &checked_run {
                Outcome::CheckFailed(check) => checked.checks[*check].kind == CheckKind::Bounds,
                _ => false,
            };
            let undefined = match &plain {
                Outcome::Stuck { reason: Reason::Undefined(what), .. } => Some(*what),
                _ => None,
            };
            let leaves = undefined.is_some_and(|what| what.check() == Some(CheckKind::Bounds));
            outside += usize::from(leaves);
            assert!(!leaves || fails, "{seed} {n}: {plain:?} but {checked_run:?} in\n{text}");
            assert!(!fails || undefined.is_some(), "{seed} {n}: {plain:?} but {checked_run:?} in\n{text}");
        }
    }
    assert!(outside * 20 > cases() as usize, "{outside}");
}

#[test]
fn sizes_behind_moved_pointers_follow_from_those_behind_their_roots() {
    let (mut compared, mut moved) = (0, 0);
    for seed in 1..=cases() {
        let (text, program) = random_program(seed);
        let ty = difference_type(program.model);
        let mut pairs: Vec<Vec<(Expr, Expr)>> = program.procs.ids().map(|_| vec![]).collect();
        for (p, _, edge) in program.edges() {
            for operand in edge.op.operands() {
                operand.walk(&mut |e| {
                    for op in [UnOp::Left(1), UnOp::Before(1), UnOp::Left(4), UnOp::Before(4), UnOp::Left(24)]
                    {
                        if !e.ty().is_ptr() {
                            continue;
                        }
                        let asked = Expr::Unary(op, Box::new(e.clone()), ty.clone());
                        let Some(other) = simplified(&program, op, e, &|v| v) else { continue };
                        if other != asked {
                            pairs[base::Idx::index(p)].push((asked, other));
                        }
                    }
                });
            }
        }
        run(&program, seed, 3000, &mut |state| {
            for (asked, other) in &pairs[base::Idx::index(state.proc())] {
                if let (Ok(a), Ok(b)) = (state.value(asked), state.value(other)) {
                    let show = |e| crate::print::expr(&program, e);
                    assert_eq!(a, b, "{} and {} in\n{text}", show(asked), show(other));
                    compared += 1;
                    moved += usize::from(a != Value::Int(0));
                }
            }
        });
    }
    assert!(compared > 100 * cases() as usize && moved > 10 * cases() as usize, "{compared} {moved}");
}
