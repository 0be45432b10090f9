//! Copies of allocators: their purpose, and that executions are unchanged.

use crate::analysis::program;
use crate::passes::in_unit;
use alias::{AliasMode, AliasOracle, Object};
use base::Span;
use interp::Value;
use interp::{self, Inputs, Limits, Outcome};
use ir::check;
use ir::program::{CheckId, EdgeId, HavocKind};
use ir::types::Type;
use ir::{ProcId, Program};
use passes::{copy_allocators, copy_per_call};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;
use testing::programs::pointers::generate;

/// Two types from one allocator, which clears what it gives, by way of another one.
const TWO_TYPES: &str = "model LP64; entry main;
struct dev { int lock; struct item *first; }; struct item { struct item *next; int id; };
proc void *get(unsigned long n) { return void *ret__; entry L0; exit L1;
L0: ret__ = alloc(n); goto L1;
L1: }
proc void *kzalloc(unsigned long n) { return void *ret__; local void *p; entry L0; exit L4;
L0: p = get(n); goto L1;
L1: assume(p != NULL); goto L2; assume(p == NULL); goto L3;
L2: memset(p, 0, n); goto L3;
L3: ret__ = p; goto L4;
L4: }
proc void main() { local struct dev *d; local struct item *i; local void *a; local void *b; entry L0; exit L9;
L0: a = kzalloc(16ul); goto L1;
L1: d = (struct dev *)a; goto L2;
L2: assume(d != NULL); goto L3;
L3: b = kzalloc(16ul); goto L4;
L4: i = (struct item *)b; goto L5;
L5: assume(i != NULL); goto L6;
L6: i->id = 1; goto L7;
L7: d->lock = 0; goto L8;
L8: d->first = i; goto L9;
L9: }";

fn blobs(program: &Program) -> usize {
    AliasOracle::new(program, AliasMode::Das).objects().iter().filter(|o| o.is_blob).count()
}

#[test]
fn an_allocator_of_several_types_is_one_for_each_call() {
    let mut p = program(TWO_TYPES);
    assert_eq!(blobs(&p), 1);
    let copies = in_unit(&mut p, copy_allocators);
    assert_eq!(check::check(&p), Vec::<String>::new());
    assert_eq!(blobs(&p), 0, "{}", ir::print::program(&p, None));
    let names: Vec<&str> = p.procs.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["get", "kzalloc", "main", "kzalloc__2", "get__2"]);
    assert!(copies.iter().all(|(copy, of)| p.vars[*copy].name == p.vars[*of].name));
    // The sizes are known where they are needed.
    let sizes = AliasOracle::new(&p, AliasMode::Das).objects().into_iter().filter_map(|o| match o.object {
        Object::Heap(..) => Some(o.size),
        _ => None,
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [Some(16), Some(16)]);
}

#[test]
fn an_allocator_of_one_type_stays() {
    let mut p = program(
        &TWO_TYPES
            .replace("L6: i->id = 1;", "L6: d = (struct dev *)b;")
            .replace("d->first = i", "d->lock = 1"),
    );
    let before = p.clone();
    assert_eq!(in_unit(&mut p, copy_allocators), vec![]);
    assert_eq!(p, before);
}

#[test]
fn allocators_that_call_themselves_stay() {
    let mut p = program(&TWO_TYPES.replace(
        "L0: ret__ = alloc(n); goto L1;",
        "L0: ret__ = alloc(n); goto L1; ret__ = kzalloc(n); goto L1;",
    ));
    let before = p.clone();
    assert_eq!(in_unit(&mut p, copy_allocators), vec![]);
    assert_eq!(p, before);
}

/// Draws by how often a value was requested, whatever the procedure is called.
struct Drawn {
    seed: u64,
    count: u64,
}

impl Drawn {
    fn draw(&mut self) -> u64 {
        self.count += 1;
        let mut h = self.seed ^ (self.count << 40);
        for _ in 0..3 {
            h = (h ^ (h >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        h >> 32
    }
}

impl Inputs for Drawn {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        match (self.draw(), ty) {
            (draw, Type::Ptr(_)) if draw.is_multiple_of(2) => Value::Null,
            (_, Type::Ptr(_)) => Value::FreshObject(64),
            (draw, _) => Value::Int(i128::from(draw % 3)),
        }
    }

    fn choose_edge(&mut self, _: ProcId, _: ir::program::LocId, enabled: &[EdgeId]) -> usize {
        self.draw() as usize % enabled.len()
    }
}

/// How a run ends: the check that fails, or whether it ends otherwise. Checks of copies are those of what they are copies of.
pub(super) fn outcome(program: &Program, seed: u64) -> Result<(Span, String), String> {
    let limits = Limits { steps: 600, ..Limits::default() };
    let run = interp::run(program, &mut Drawn { seed, count: 0 }, &limits, &AtomicBool::new(false));
    let about = |c: CheckId| (program.checks[c].span, program.checks[c].message.clone());
    match run.outcome {
        Outcome::CheckFailed(c) => Ok(about(c)),
        Outcome::Stuck { reason, .. } => Err(format!("{reason:?}")),
        other => Err(format!("{other:?}").split(['{', '(']).next().unwrap_or_default().to_owned()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn copies_do_what_the_procedures_do(bytes in proptest::collection::vec(any::<u8>(), 60..160), seed: u64) {
        let before = program(&generate(&bytes));
        let wanted = before.procs.ids().filter(|p| before.procs[*p].has_body && *p != before.entry).collect();
        let mut after = before.clone();
        copy_per_call(&mut after, &wanted);
        prop_assert_eq!(check::check(&after), Vec::<String>::new());
        prop_assert_eq!(outcome(&before, seed), outcome(&after, seed));
    }
}
