//! The added assignments change nothing in any run; and which ones are added.

use alias::{AliasMode, AliasOracle};
use expect_test::{Expect, expect};
use interp::{self, Inputs, Limits, State, UninitRead, Value};
use ir::program::{EdgeId, EdgeKind, HavocKind, LocId, Op, PathStep, ProcId, Program};
use ir::types::Type;
use passes::resolve_indirect;
use passes::spell_out_members as spell_out;
use std::sync::atomic::AtomicBool;
use testing::Dice;
use testing::programs::pointers::generate;

fn spelt_out(text: &str) -> Program {
    let mut program = ir::parse::program(text).unwrap_or_else(|d| panic!("{} in\n{text}", d.message));
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    spell_out(&mut program, &oracle);
    resolve_indirect(&program, &AliasOracle::new(&program, AliasMode::Das)).expect("calls can be resolved")
}

struct Watcher<'a> {
    program: &'a Program,
    dice: Dice,
    compared: &'a mut usize,
    text: &'a str,
}

impl Inputs for Watcher<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        self.any(ty)
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.dice.below(enabled.len())
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        self.any(ty)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        let PathStep::Edge(p, e) = step else { return };
        let edge = &self.program.procs[p].edges[e];
        let (EdgeKind::Implied, Op::Assign(dest, value)) = (edge.kind, &edge.op) else { return };
        if let (Ok(a), Ok(b)) = (state.value(&dest.clone().load()), state.value(value)) {
            assert_eq!(a, b, "{} in\n{}", ir::print::edge(self.program, p, e), self.text);
            *self.compared += 1;
        }
    }
}

impl Watcher<'_> {
    fn any(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Ptr(_) => *self.dice.of(&[Value::Null, Value::FreshObject(64)]),
            Type::Int(int) => Value::Int(int.wrap(self.dice.within(-3, 12).into())),
            _ => Value::Int(0),
        }
    }
}

#[test]
fn what_is_implied_is_done_already() {
    let cases = testing::number("CMM_RANDOM_CASES", 300);
    let mut compared = 0;
    for seed in 1..=cases {
        let mut dice = Dice::new(seed);
        let bytes: Vec<u8> = (0..60 + dice.below(100)).map(|_| dice.below(256) as u8).collect();
        let text = generate(&bytes);
        let program = spelt_out(&text);
        for _ in 0..4 {
            let dice = Dice::new(dice.bits());
            let mut watcher = Watcher { program: &program, dice, compared: &mut compared, text: &text };
            let limits = Limits { steps: 3000, ..Limits::default() };
            interp::run(&program, &mut watcher, &limits, &AtomicBool::new(false));
        }
    }
    assert!(compared * 30 > cases as usize, "{compared}");
}

/// The assignments of `main`.
fn check(body: &str, expected: Expect) {
    let text = format!(
        "model LP64; entry main;
        struct pair {{ int a; long b; }};
        union u {{ int i; float f; }};
        struct deep {{ char name[4]; struct pair in; union u last; }};
        global struct pair g; global struct deep d; global struct deep other; global int t[4];
        proc void main() {{ local struct pair *p; local struct pair *q; local long n; local char *c; local int s[4];
        entry L0; exit L1;
        L0: {body} goto L1;
        L1: }}"
    );
    let program = spelt_out(&text);
    let implied = program.edges().filter(|(_, _, edge)| edge.kind == EdgeKind::Implied);
    let shown: Vec<String> = implied.map(|(p, e, _)| ir::print::edge(&program, p, e)).collect();
    expected.assert_eq(&shown.join(" "));
}

#[test]
fn only_what_is_read_is_assigned() {
    check("memset(&g, 0, 16l); goto L2; L2: n = g.b;", expect!["g.b = 0;"]);
}

#[test]
fn bytes_fill_numbers() {
    check("memset(&t[1], 255, 8l); goto L2; L2: n = (long)t[0];", expect!["t[1] = -1; t[2] = -1;"]);
    check("memset(&t[1], n, 8l); goto L2; L2: n = (long)t[0];", expect![[""]]);
}

#[test]
fn what_is_copied_is_read_where_the_copy_is() {
    check(
        "memset(&other, 0, 32l); goto L2; L2: memmove(&d, &other, 32l); goto L3; L3: n = d.in.b;",
        expect!["other.in.b = 0; d.in.b = other.in.b;"],
    );
    check(
        "p = alloc(16l); goto L2; L2: memmove(p, (char *)&g, 16l); goto L3; L3: n = p->b;",
        expect!["block__->b = g.b;"],
    );
}

#[test]
fn blocks_that_may_overlap_are_left_alone() {
    check("memmove(&t[1], &t[0], 12l); goto L2; L2: n = (long)t[0];", expect![[""]]);
    check(
        "p = &g; goto L2; L2: q = &g; goto L3; L3: memmove(p, q, 16l); goto L4; L4: n = p->b;",
        expect![[""]],
    );
}

#[test]
fn unions_and_bytes_of_unknown_objects_are_left_alone() {
    check("memset(&d, 0, 32l); goto L2; L2: n = (long)d.last.i;", expect![[""]]);
    check("c = (char *)&g; goto L2; L2: memset(c, 0, 16l); goto L3; L3: n = g.b;", expect![[""]]);
}
