//! Checks of bounds against the interpreter, which finds accesses outside of objects by itself, on random programs with
//! all kinds of pointers.

use alias::{AliasMode, AliasOracle};
use base::Id;
use interp::{
    self, Inputs, Limits, ObjectKind, Outcome, Reason, State, UndefinedBehaviour, UninitRead, Value,
};
use ir::expr::{Base, Expr, UnOp};
use ir::extent::{extent_type, simplified};
use ir::program::{CheckKind, EdgeId, HavocKind, LocId, Op, PathStep, ProcId, Program};
use ir::types::Type;
use passes::checks::{ProgramEnds, Wanted, added};
use passes::resolve_indirect;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use testing::Dice;
use testing::programs::pointers::generate;

/// The number of programs that are tried; `CMM_RANDOM_CASES` sets another one.
fn cases() -> u64 {
    testing::number("CMM_RANDOM_CASES", 150)
}

fn random_program(seed: u64) -> (String, Program) {
    let mut dice = Dice::new(seed);
    let bytes: Vec<u8> = (0..60 + dice.below(100)).map(|_| dice.below(256) as u8).collect();
    let text = generate(&bytes);
    let program = ir::parse::program(&text).unwrap_or_else(|d| panic!("{} in\n{text}", d.message));
    let mut program = program;
    for proc in program.procs.iter_mut() {
        let chosen: Vec<LocId> = proc.edges.iter().map(|e| e.src).collect();
        for edge in proc.edges.iter_mut() {
            // Where a condition is one of several ways, an access in it is an error only where checks are added.
            if matches!(edge.op, Op::Assume(_)) && chosen.iter().filter(|at| **at == edge.src).count() > 1 {
                edge.op = Op::Skip;
            }
            // The front end gives results of calls to variables, because callees change what other places are.
            if let Op::Call { dest, .. } = &mut edge.op
                && dest.as_ref().is_some_and(|lv| !matches!(lv.base, Base::Var(_)))
            {
                *dest = None;
            }
        }
    }
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let program = resolve_indirect(&program, &oracle).expect("all calls can be resolved");
    (text, program)
}

/// Inputs that depend only on how many were requested before; uninitialised values depend on their place,
/// because checks read in an order of their own.
struct Random<'a> {
    plain: &'a Program,
    program: &'a Program,
    seed: u64,
    dice: Dice,
    seen: &'a mut dyn FnMut(&mut State<'_, '_>),
}

/// The edge of the plain program that the checks on this way stand before.
fn leads_to(plain: &Program, checked: &Program, p: ProcId, mut e: EdgeId) -> EdgeId {
    let edges = &checked.procs[p].edges;
    while e.index() >= plain.procs[p].edges.len() {
        e = edges.ids().find(|next| edges[*next].src == edges[e].dst).expect("checks stand before edges");
    }
    e
}

fn any(dice: &mut Dice, ty: &Type) -> Value {
    match ty {
        Type::Ptr(_) => *dice.of(&[Value::Null, Value::FreshObject(4), Value::FreshObject(64)]),
        Type::Int(int) => Value::Int(int.wrap(dice.within(-3, 12).into())),
        _ => Value::Int(0),
    }
}

impl Inputs for Random<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        any(&mut self.dice, ty)
    }

    fn choose_edge(&mut self, p: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        let mut own: Vec<(EdgeId, usize)> =
            enabled.iter().map(|e| leads_to(self.plain, self.program, p, *e)).zip(0..).collect();
        own.sort();
        own[self.dice.below(own.len())].1
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        if ty.is_ptr() {
            return Value::Null;
        }
        let place = match read.object {
            ObjectKind::Var(v) => v.index() as u64 + 1,
            _ => 0,
        };
        any(&mut Dice::new(self.seed ^ (place << 16 | read.offset).wrapping_mul(0x9e37_79b9_7f4a_7c15)), ty)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, _: PathStep) {
        (self.seen)(state);
    }
}

fn run(
    (plain, program): (&Program, &Program),
    seed: u64,
    steps: u64,
    seen: &mut dyn FnMut(&mut State<'_, '_>),
) -> Outcome {
    let mut inputs = Random { plain, program, seed, dice: Dice::new(seed), seen };
    let limits = Limits { steps, ..Limits::default() };
    interp::run(program, &mut inputs, &limits, &AtomicBool::new(false)).outcome
}

#[test]
fn a_check_of_bounds_fails_where_the_interpreter_finds_an_access_outside() {
    let kinds = BTreeSet::from([CheckKind::Bounds, CheckKind::Null, CheckKind::Reach]);
    let wanted = Wanted {
        strings: &BTreeSet::new(),
        kinds: &kinds,
        leaks_at: ProgramEnds::Return,
        covered: &BTreeSet::new(),
        describe: &|_, _| None,
        place: &|_, _| None,
    };
    let mut outside = 0;
    for seed in 1..=cases() {
        let (text, program) = random_program(seed);
        let checked = added(&program, &wanted);
        for n in 0..8 {
            let run = |of, steps| run((&program, of), seed << 3 | n, steps, &mut |_| ());
            // The checks are steps, too.
            let (plain, checked_run) = (run(&program, 3000), run(&checked, 100_000));
            let gives_up = |run: &Outcome| {
                matches!(run, Outcome::StepLimit | Outcome::Stuck { reason: Reason::Unsupported(_), .. })
            };
            if gives_up(&plain) || gives_up(&checked_run) {
                continue;
            }
            let fails = match &checked_run {
                Outcome::CheckFailed(check) => {
                    Some(&checked.checks[*check]).filter(|c| c.kind != CheckKind::Reach)
                }
                _ => None,
            };
            let undefined = match &plain {
                Outcome::Stuck { reason: Reason::Undefined(what), .. } => Some(*what),
                _ => None,
            };
            let leaves = undefined.is_some_and(|what| {
                matches!(what, UndefinedBehaviour::OutsideObject | UndefinedBehaviour::OutsideArray)
            });
            outside += usize::from(leaves);
            assert!(!leaves || fails.is_some(), "{seed} {n}: {plain:?} but {checked_run:?} in\n{text}");
            let bounds = fails.filter(|check| check.kind == CheckKind::Bounds);
            assert!(
                bounds.is_none() || undefined.is_some(),
                "{seed} {n}: {plain:?} but {bounds:?} in\n{text}"
            );
        }
    }
    assert!(outside * 20 > cases() as usize, "{outside}");
}

#[test]
fn sizes_behind_moved_pointers_follow_from_those_behind_their_roots() {
    let (mut compared, mut moved) = (0, 0);
    for seed in 1..=cases() {
        let (text, program) = random_program(seed);
        let ty = extent_type();
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
                            pairs[p.index()].push((asked, other));
                        }
                    }
                });
            }
        }
        run((&program, &program), seed, 3000, &mut |state| {
            for (asked, other) in &pairs[state.proc().index()] {
                if let (Ok(a), Ok(b)) = (state.value(asked), state.value(other)) {
                    let show = |e| ir::print::expr(&program, e);
                    assert_eq!(a, b, "{} and {} in\n{text}", show(asked), show(other));
                    compared += 1;
                    moved += usize::from(a != Value::Int(0));
                }
            }
        });
    }
    assert!(compared > 100 * cases() as usize && moved > 10 * cases() as usize, "{compared} {moved}");
}
