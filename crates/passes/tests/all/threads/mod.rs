//! Random programs with threads: the sequential program can fail its check exactly if some schedule of the threads does, found
//! by trying all of them, one access at a time.

mod text;

use self::text::{OPERATIONS, looping, program};
use alias::AliasMode;
use base::{Id, IndexVec};
use ir::expr::{Access, Expr, Lvalue};
use ir::program::{CheckId, CheckKind, HavocKind, LocId, Op, Program};
use ir::types::{IntType, Type};
use ir::{check, parse};
use passes::threads::{Bounds, Build, Extent, Faults, Known, Reader, interleaved, pointed};
use std::collections::{BTreeMap, BTreeSet};
use testing::Dice;
use testing::threads::{
    Ending, Features, Generator, LARGEST, Place, Pointer, Statement, joins, outcome, threads,
};

/// Whether an execution of the sequential program fails a check of this kind, by trying all.
fn can_fail(program: &Program, kind: CheckKind) -> bool {
    fails_within(program, kind, usize::MAX).expect("all are tried")
}

/// The same; `None` if that needs more than `most` states.
fn fails_within(program: &Program, kind: CheckKind, most: usize) -> Option<bool> {
    let is_asked = |check: CheckId| program.checks[check].kind == kind;
    let call = program.procs[program.entry].edges.iter().find_map(|e| e.op.calls());
    let proc = &program.procs[call.expect("the entry calls what takes the turns")];
    let out: IndexVec<LocId, _> = proc.successors();
    type Values = BTreeMap<Lvalue, Known>;
    let first: (LocId, Values) = (proc.entry, Values::new());
    let (mut seen, mut work) = (BTreeSet::from([(first.0.index(), first.1.clone())]), vec![first]);
    while let Some((at, values)) = work.pop() {
        if seen.len() > most {
            return None;
        }
        for e in &out[at] {
            let edge = &proc.edges[*e];
            let holds = |lv: &Lvalue| values.get(lv).cloned();
            let reader = Reader { program, vars: &program.vars, holds: &holds };
            let mut next = values.clone();
            match &edge.op {
                // A member of a crowd moves.
                Op::Havoc(lv, HavocKind::Unmodelled(_))
                    if !matches!(lv.ty, Type::Int(IntType { bits: 64, .. })) =>
                {
                    for value in anything(program, &lv.ty) {
                        let next = values.clone().into_iter().chain([(lv.clone(), value)]).collect();
                        if seen.insert((edge.dst.index(), Values::clone(&next))) {
                            work.push((edge.dst, next));
                        }
                    }
                    continue;
                }
                Op::Skip | Op::Havoc(..) => {}
                // Where a pointer leads nowhere the execution ends.
                Op::Assume(c) if reader.truth(c) != Some(true) => continue,
                Op::Assume(_) => {}
                Op::Check(check, c) if reader.truth(c) == Some(false) && is_asked(*check) => {
                    return Some(true);
                }
                Op::Check(_, c) if reader.truth(c) != Some(true) => continue,
                Op::Check(..) => {}
                Op::Assign(lv, e) => {
                    let (Some(place), Some(value)) = (reader.place(lv), reader.value(e)) else { continue };
                    if matches!(value, Known::Number(n) if n > LARGEST) {
                        continue;
                    }
                    next.insert(place, value);
                }
                op => panic!("{op:?} is not expected"),
            }
            if seen.insert((edge.dst.index(), next.clone())) {
                work.push((edge.dst, next));
            }
        }
    }
    Some(false)
}

/// All numbers that are not too large; addresses of all that is shared, and NULL.
fn anything(program: &Program, ty: &Type) -> Vec<Known> {
    if !ty.is_ptr() {
        return (0..=LARGEST).map(Known::Number).collect();
    }
    let shared = |name: &str| {
        let v = program.globals.iter().find(|v| program.vars[**v].name == name).expect("it is shared");
        Lvalue::var(*v, program.vars[*v].ty.clone())
    };
    let element = |n| shared("a").step(Access::Index(Expr::Const(n, Type::INT)), Type::INT);
    let places = [shared("x"), shared("y"), element(0), element(1)];
    places.map(|lv| Known::Address(lv.addr())).into_iter().chain([Known::Number(0)]).collect()
}

/// Neither pointers nor locks.
const PLAIN: Features = Features { pointers: false, locks: false, waits: true };

fn cases() -> u64 {
    testing::number("THREADS_RANDOM_CASES", 100)
}

/// Counts of cases.
#[derive(Default)]
struct Counts {
    failing: u64,
    racing: u64,
    deadlocked: u64,
    unclear: u64,
    told: u64,
    found: u64,
}

/// The kinds of checks that are compared, in the order of the results.
const KINDS: [CheckKind; 3] = [CheckKind::Reach, CheckKind::Race, CheckKind::Deadlock];

/// Compares the products of one program, whole and in parts.
fn agrees(
    (seed, dice): (u64, &mut Dice),
    (threads, ending): (&[Vec<Statement>], &Ending),
    faults: Faults,
    counts: &mut Counts,
) {
    let found = outcome(threads, ending);
    let expected = [found.fails, found.races && faults.race, found.deadlocks && faults.deadlock];
    counts.failing += u64::from(found.fails);
    counts.racing += u64::from(found.races);
    counts.deadlocked += u64::from(found.deadlocks);
    let program = program(threads, ending);
    let judged = |made: Program| {
        assert_eq!(check::check(&made), Vec::<String>::new(), "seed {seed}");
        let fails = KINDS.map(|kind| can_fail(&made, kind));
        (fails, can_fail(&made, CheckKind::Unmodelled), made.edges().count())
    };
    let product = |extent, bounds, in_part| {
        let mut build = Build::new(
            program.clone(),
            (pointed(&program, AliasMode::Das), BTreeSet::new()),
            (bounds, faults),
            extent,
        );
        let found = build.search().expect("the threads are small");
        let made = if in_part { build.part(&found).map(Some) } else { build.whole(&found) };
        made.expect("the threads are small").map(judged)
    };
    let all = Bounds { edges: usize::MAX, moments: usize::MAX, ..Bounds::default() };
    let extents = [Extent::Counting, Extent::Whole, Extent::Coarse];
    // Every failure that is found is real, and what is left out is reported.
    let is_right = |(fails, left, _): &([bool; 3], bool, usize)| {
        fails
            .iter()
            .zip(expected)
            .all(|(fails, expected)| *fails <= expected && expected <= (*fails || *left))
    };
    let mut size = 0;
    for extent in extents {
        let made = product(extent, all, false).expect("nothing bounds it");
        assert!(is_right(&made), "seed {seed}, {extent:?}: {expected:?} and not {made:?}: {threads:?}");
        // Only of races it may be unclear whether they are.
        assert!(!made.1 || faults.race, "seed {seed}, {extent:?}: {threads:?}");
        counts.unclear += u64::from(made.1);
        size = made.2;
    }
    let edges = Bounds { edges: dice.below(size), ..all };
    let moments = Bounds { part: dice.below(size), moments: dice.below(size), ..edges };
    let mut parts: Vec<_> = extents.into_iter().filter_map(|extent| product(extent, edges, false)).collect();
    parts.extend(product(Extent::Counting, moments, false));
    parts.extend(extents.into_iter().filter_map(|extent| product(extent, moments, true)));
    for part in &parts {
        assert!(is_right(part), "seed {seed}: {expected:?} and not {part:?}: {threads:?}");
    }
    let (fails, left, _) = parts.pop().expect("a part is always written");
    counts.told += u64::from(!fails.contains(&true) && left);
    counts.found += u64::from(fails.contains(&true));
}

fn law(features: Features, faults: Faults) -> Counts {
    let (mut counts, cases) = (Counts::default(), cases());
    for seed in 0..cases {
        let dice = &mut Dice::new(seed);
        let threads = threads(dice, features);
        let ending = if faults.deadlock || seed.is_multiple_of(2) {
            joins(dice, features, threads.len())
        } else {
            Ending::Returns
        };
        agrees((seed, dice), (&threads, &ending), faults, &mut counts);
    }
    let Counts { failing, told, found, .. } = counts;
    assert!(
        told * 20 > cases && found * 20 > cases,
        "of {cases}, {found} parts fail, {told} leave something out"
    );
    assert!(failing * 8 > cases && failing * 5 < cases * 4, "{failing} of {cases} fail");
    counts
}

#[test]
fn schedules_are_those_of_threads() {
    law(Features { pointers: false, ..PLAIN }, Faults::default());
}

#[test]
fn schedules_with_pointers_are_those_of_threads() {
    law(Features { pointers: true, ..PLAIN }, Faults::default());
}

/// States of a sequential program that are tried where members of a crowd have any values.
const STATES: usize = 20_000;

/// Any number of a thread that a loop starts, beside another one: where the product with a crowd fails no
/// check, none is failed by up to three of them.
#[test]
fn crowds_do_what_any_number_of_threads_does() {
    let (mut tried, mut proved, mut failing, mut number, cases) = (0, 0, 0, 0, cases() / 16);
    for seed in 0.. {
        let dice = &mut Dice::new(seed);
        let (pointers, locks) = (seed.is_multiple_of(3), seed.is_multiple_of(2));
        let mut generator = Generator { dice, features: Features { pointers, locks, waits: true } };
        let threads = [generator.statements(2, true), generator.statements(2, true)];
        let fails = (1..=3).any(|number| {
            let many = std::iter::repeat_n(threads[0].clone(), number).chain([threads[1].clone()]);
            outcome(&many.collect::<Vec<_>>(), &Ending::Returns).fails
        });
        let program = looping(&threads);
        if program.checks.is_empty() {
            continue;
        }
        number += 1;
        if number > cases {
            break;
        }
        failing += u64::from(fails);
        for extent in [Extent::Counting, Extent::Whole, Extent::Coarse] {
            // Larger ones take long to execute in all ways.
            let bounds =
                Bounds { threads: 4, edges: usize::MAX, moments: 3000, any: true, ..Bounds::default() };
            let known = (pointed(&program, AliasMode::Das), BTreeSet::new());
            let mut build = Build::new(program.clone(), known, (bounds, Faults::default()), extent);
            let found = build.search().expect("the threads are small");
            // What is left out is reported.
            let part = build.part(&found).expect("the threads are small");
            let told = fails_within(&part, CheckKind::Unmodelled, STATES);
            assert!(told != Some(false) || !fails, "seed {seed}, a part of {extent:?}: {threads:?}");
            let Some(made) = build.whole(&found).expect("the threads are small") else { continue };
            assert_eq!(check::check(&made), Vec::<String>::new(), "seed {seed}");
            let Some(shown) = fails_within(&made, CheckKind::Reach, STATES) else { continue };
            assert!(!shown, "seed {seed}: a crowd shows no error");
            let Some(open) = fails_within(&made, CheckKind::Unmodelled, STATES) else { continue };
            assert!(open || !fails, "seed {seed}, {extent:?}: {threads:?}");
            tried += 1;
            proved += u64::from(!open);
        }
    }
    let counts = format!("of {cases} programs {failing} fail, {proved} of {tried} products are proved");
    assert!(failing * 8 > cases && failing * 5 < cases * 4, "{counts}");
    assert!(tried * 2 > cases * 3 && proved * 4 > tried && (tried - proved) * 8 > tried, "{counts}");
}

/// Where not everything is explored, what only members of crowds could do is reported as well.
#[test]
fn what_members_come_to_is_not_left_out() {
    let text = format!(
        "entry main;\nglobal int x;\nglobal int y;\nglobal int a[2];\ncheck c0 reach in u \"c\";\n\
         proc void main(void) {{\nlocal unsigned long id;\nentry L0; exit L2;\n\
         L0:\n e0: x = 0; goto L1;\nL1:\n e1: id = slam_start(&t, 0); goto L1;\n e2: skip; goto L2;\nL2:\n}}\n\
         proc void *t(void *a) {{\nreturn void *ret__;\nlocal unsigned long id;\nentry L0; exit L2;\n\
         L0:\n e0: x = 1; goto L1;\nL1:\n e1: id = slam_start(&u, 0); goto L2;\nL2:\n}}\n\
         proc void *u(void *a) {{\nreturn void *ret__;\nentry L0; exit L1;\n\
         L0:\n e0: check(c0, x == 0); goto L1;\nL1:\n}}\n{OPERATIONS}"
    );
    let program = parse::program(&text).unwrap_or_else(|e| panic!("{e:?}"));
    for moments in 0..60 {
        let bounds = Bounds { threads: 6, moments, any: true, ..Bounds::default() };
        let known = (pointed(&program, AliasMode::Das), BTreeSet::new());
        let mut build = Build::new(program.clone(), known, (bounds, Faults::default()), Extent::Counting);
        let found = build.search().expect("the threads are small");
        for part in 0..40 {
            build.bounds.part = part;
            let made = build.part(&found).expect("the threads are small");
            assert!(can_fail(&made, CheckKind::Unmodelled), "of {moments} moments {part} edges");
        }
    }
}

/// A thread writes through a pointer that is known, and another one changes the pointer and nothing else.
#[test]
fn pointers_that_are_followed_are_read() {
    let features = Features { pointers: true, ..PLAIN };
    let (seed, dice) = (1866, &mut Dice::new(1866));
    let threads = threads(dice, features);
    let writes = |s: &Statement| matches!(s, Statement::Set(Place::At(Pointer::Shared), _));
    let changes = |s: &Statement| matches!(s, Statement::Copy(Pointer::Shared));
    assert!(threads[1].iter().any(writes) && threads[2].iter().all(changes));
    agrees((seed, dice), (&threads, &Ending::Returns), Faults::default(), &mut Counts::default());
}

#[test]
fn deadlocks_are_those_of_threads() {
    let faults = Faults { deadlock: true, race: false };
    for pointers in [false, true] {
        let counts = law(Features { pointers, locks: true, waits: true }, faults);
        let (deadlocked, cases) = (counts.deadlocked, cases());
        assert!(deadlocked * 12 > cases && deadlocked * 8 < cases * 7, "{deadlocked} of {cases} deadlock");
    }
}

#[test]
fn races_are_those_of_threads() {
    let faults = Faults { deadlock: false, race: true };
    for pointers in [false, true] {
        let counts = law(Features { pointers, locks: true, waits: true }, faults);
        let (racing, unclear, cases) = (counts.racing, counts.unclear, cases());
        assert!(racing * 8 > cases && racing * 20 < cases * 19, "{racing} of {cases} race");
        assert!(unclear * 3 < cases, "of 3 products of {cases} {unclear} are unclear");
    }
}

#[test]
fn arguments_arrive() {
    let text = format!(
        "entry main;\nglobal int x;\ncheck c0 reach in main \"c\";\n\
         proc void main(void) {{\nlocal unsigned long id;\nlocal void *p;\nentry L0; exit L3;\n\
         L0:\n e0: havoc(p, uninit); goto L1;\nL1:\n e1: id = slam_start(&t, p); goto L2;\n\
         L2:\n e2: check(c0, x == 0); goto L3;\nL3:\n}}\n\
         proc void *t(void *a) {{\nreturn void *ret__;\nentry L0; exit L1;\n\
         L0:\n e0: ret__ = a; goto L1;\nL1:\n}}\n{OPERATIONS}"
    );
    let program = parse::program(&text).unwrap_or_else(|e| panic!("{e:?}"));
    let sequential =
        interleaved(&program, &BTreeSet::new(), Bounds::default(), Faults::default(), AliasMode::Das)
            .expect("it is small")
            .program;
    assert_eq!(check::check(&sequential), Vec::<String>::new());
    assert!(ir::print::program(&sequential, None).contains("a__t2 = p;"));
}
