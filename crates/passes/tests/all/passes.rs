//! What each pass from C-- to C-- does, on a program of a few lines: the lines that go (`-`) and the lines that come (`+`). That
//! executions stay as they are is the matter of the other tests.

use crate::analysis::program;
use alias::{AliasMode, AliasOracle};
use expect_test::{Expect, expect};
use ir::program::CheckKind;
use ir::{Program, check, print};
use passes::checks::{ProgramEnds, Wanted, added};
use passes::pipeline::Source;
use passes::threads::{Bounds, Faults, interleaved};
use passes::{
    Blocks, Partition, Pipeline, Settings, Stage, Unit, as_pointers, copy_allocators, objects_as_bytes,
    propagate, resolve_indirect, slice, spell_out_literals, spell_out_members,
};
use std::collections::BTreeSet;

/// The program after the pass, compared with the one before. Lines are compared as sets, without their edges' names where these
/// are all that changes.
fn becomes(text: &str, pass: impl FnOnce(&Program, &AliasOracle) -> Program, expected: &Expect) {
    let before = program(text);
    let after = pass(&before, &AliasOracle::new(&before, AliasMode::Das));
    assert_eq!(check::check(&after), Vec::<String>::new());
    let lines = |program: &Program| -> Vec<String> {
        let text = print::program(program, None);
        text.lines().map(|line| line.split("  //").next().unwrap_or_default().trim_end().to_owned()).collect()
    };
    let (before, after) = (lines(&before), lines(&after));
    let gone = before.iter().filter(|line| !after.contains(line)).map(|line| format!("- {}", line.trim()));
    let new = after.iter().filter(|line| !before.contains(line)).map(|line| format!("+ {}", line.trim()));
    expected.assert_eq(&gone.chain(new).map(|line| line + "\n").collect::<String>());
}

/// Runs a pass that asks for the oracle itself.
pub(crate) fn in_unit<T>(program: &mut Program, pass: impl FnOnce(&mut Unit) -> T) -> T {
    let mut unit = Unit::new(program.clone(), AliasMode::Das);
    let result = pass(&mut unit);
    *program = unit.into_program();
    result
}

/// A copy of the program, changed by a pass that works in place.
fn edited(program: &Program, pass: impl FnOnce(&mut Program)) -> Program {
    let mut program = program.clone();
    pass(&mut program);
    program
}

#[test]
fn allocator_copies() {
    let text = "model LP64; entry main;
        struct a { int x; }; struct b { char *y; };
        proc void *get(unsigned long n) { return void *ret__; entry L0; exit L1; L0: ret__ = alloc(n); goto L1; L1: }
        proc void main() { local struct a *a; local struct b *b; local void *p; local void *q; entry L0; exit L6;
        L0: p = get(4ul); goto L1;
        L1: a = (struct a *)p; goto L2;
        L2: a->x = 1; goto L3;
        L3: q = get(8ul); goto L4;
        L4: b = (struct b *)q; goto L5;
        L5: b->y = NULL; goto L6;
        L6: }";
    let pass =
        |program: &Program, _: &AliasOracle| edited(program, |program| _ = in_unit(program, copy_allocators));
    becomes(
        text,
        pass,
        &expect![[r#"
        - e0: ret__ = alloc(n); goto L1;
        - e3: q = get(8); goto L4;
        + e0: ret__ = alloc(4ul); goto L1;
        + e3: q = get__2(8); goto L4;
        + proc void *get__2(unsigned long n) {
        + e0: ret__ = alloc(8ul); goto L1;
    "#]],
    );
}

#[test]
fn integer_addresses() {
    let text = "model LP64; entry main; struct s { int a; int b; };
        proc void main() { local struct s *p; local unsigned long t; local int *q; entry L0; exit L2;
        L0: t = (unsigned long)p; goto L1;
        L1: q = (int *)(t + 4ul); goto L2;
        L2: }";
    let pass =
        |program: &Program, _: &AliasOracle| edited(program, |program| _ = in_unit(program, as_pointers));
    becomes(
        text,
        pass,
        &expect![[r#"
        - e1: q = (int *) (t + 4); goto L2;
        + e1: q = &p->b; goto L2;
    "#]],
    );
}

#[test]
fn objects_that_are_bytes() {
    let text = "model LP64; entry main; union u { short n; unsigned char c[2]; }; global union u u;
        proc void main() { local int x; entry L0; exit L2;
        L0: u.n = (short)1; goto L1;
        L1: x = (int)u.c[1]; goto L2;
        L2: }";
    let pass = |program: &Program, oracle: &AliasOracle| {
        objects_as_bytes(program, oracle).expect("the union is accessed at two types")
    };
    becomes(
        text,
        pass,
        &expect![[r#"
        - global union u u;
        - e0: u.n = 1; goto L1;
        - e1: x = (int) u.c[1]; goto L2;
        + global unsigned char u[2] align 2;
        + temp short byte__;
        + temp unsigned int byte__2;
        + e0: byte__ = 1; goto L3;
        + e1: x = (int) (unsigned char) (unsigned int) u[1l]; goto L2;
        + L3:
        + e2 internal: byte__2 = (unsigned int) byte__; goto L4;
        + L4:
        + e3 internal: u[0l] = (unsigned char) byte__2; goto L5;
        + L5:
        + e4 internal: u[1l] = (unsigned char) (byte__2 >> 8); goto L6;
        + L6:
        + e5 internal: skip; goto L1;
    "#]],
    );
}

#[test]
fn block_members() {
    let text = "model LP64; entry main; struct s { int a; long b; }; global struct s g;
        proc void main() { local struct s t; local long n; entry L0; exit L3;
        L0: memset(&g, 0, 16l); goto L1;
        L1: memmove(&t, &g, 16l); goto L2;
        L2: n = t.b; goto L3;
        L3: }";
    let pass = |program: &Program, oracle: &AliasOracle| {
        edited(program, |program| _ = spell_out_members(program, oracle))
    };
    becomes(
        text,
        pass,
        &expect![[r#"
        - e0: memset(&g, 0, 16l); goto L1;
        - e1: memmove(&t, &g, 16l); goto L2;
        + e0: memset(&g, 0, 16l); goto L4;
        + e1: memmove(&t, &g, 16l); goto L6;
        + L4:
        + e3 implied: g.b = 0; goto L5;
        + L5:
        + e4 internal: skip; goto L1;
        + L6:
        + e5 implied: t.b = g.b; goto L7;
        + L7:
        + e6 internal: skip; goto L2;
    "#]],
    );
}

#[test]
fn string_literals() {
    let text = "model LP64; entry main; global char text[3] = \"ab\\000\";
        proc void main() { local int x; entry L0; exit L1;
        L0: x = (int)text[1]; goto L1;
        L1: }";
    let pass = |program: &Program, oracle: &AliasOracle| {
        edited(program, |program| spell_out_literals(program, oracle))
    };
    becomes(
        text,
        pass,
        &expect![[r#"
        - entry L0; exit L1;
        + entry L4; exit L1;
        + L2:
        + e1 internal: assume(text[2] == (char) 0); goto L0;
        + L3:
        + e2 internal: assume(text[1] == (char) 98); goto L2;
        + L4:
        + e3 internal: assume(text[0] == (char) 97); goto L3;
    "#]],
    );
}

#[test]
fn indirect_calls() {
    let text = "model LP64; entry main; global int g;
        proc void one() { entry L0; exit L1; L0: g = 1; goto L1; L1: }
        proc void two() { entry L0; exit L1; L0: g = 2; goto L1; L1: }
        proc void main() { local void (*f)(void); entry L0; exit L2;
        L0: f = &one; goto L1; f = &two; goto L1;
        L1: (*f)(); goto L2;
        L2: }";
    let pass = |program: &Program, oracle: &AliasOracle| {
        resolve_indirect(program, oracle).expect("the pointer leads to two procedures")
    };
    becomes(
        text,
        pass,
        &expect![[r#"
        - e2: (*f)(); goto L2;
        + e2 internal: assume(f == &one); goto L3;
        + e4 internal: assume(f == &two); goto L4;
        + L3:
        + e3: one(); goto L2;
        + L4:
        + e5: two(); goto L2;
    "#]],
    );
}

#[test]
fn checks() {
    let text = "model LP64; entry main;
        proc void main() { local int a; local int b; local int *p; entry L0; exit L2;
        L0: a = a / b; goto L1;
        L1: *p = a; goto L2;
        L2: }";
    let pass = |program: &Program, _: &AliasOracle| {
        let kinds = BTreeSet::from([CheckKind::Div0, CheckKind::Null]);
        let none = BTreeSet::new();
        let wanted = Wanted {
            kinds: &kinds,
            leaks_at: ProgramEnds::Return,
            covered: &none,
            strings: &none,
            describe: &|_, _| None,
            place: &|_, _| None,
        };
        added(program, &wanted)
    };
    becomes(
        text,
        pass,
        &expect![[r#"
        + check c0 div0 in main "division by zero: b is 0";
        + check c1 null in main "dereference of NULL: p";
        + e2 internal: check(c0, b != 0); goto L3;
        + e3 internal: check(c1, p != NULL); goto L4;
        + L3:
        + L4:
    "#]],
    );
}

#[test]
fn slices() {
    let text = "model LP64; entry main; check c0 reach in main \"x\"; global int g; global int h;
        proc void main() { local int x; entry L0; exit L4;
        L0: havoc(x, input \"input\"); goto L1;
        L1: g = x; goto L2;
        L2: h = x; goto L3;
        L3: check(c0, g < 3); goto L4;
        L4: }";
    becomes(
        text,
        |program, oracle| slice(program, oracle).program,
        &expect![[r#"
        - e2: h = x; goto L3;
        + e2: skip; goto L3;
    "#]],
    );
}

#[test]
fn constants_and_copies() {
    let text = "model LP64; entry main; check c0 reach in main \"x\";
        proc void main() { local int x; local int y; local int z; entry L0; exit L4;
        L0: x = 2; goto L1;
        L1: havoc(y, input \"input\"); goto L2;
        L2: z = y; goto L3;
        L3: check(c0, z < x); goto L4;
        L4: }";
    becomes(
        text,
        |program, oracle| propagate(program, oracle, &BTreeSet::new()).program,
        &expect![[r#"
        - e3: check(c0, z < x); goto L4;
        + e3: check(c0, z < 2); goto L4;
    "#]],
    );
}

#[test]
fn blocks() {
    let text = "model LP64; entry main;
        proc void main() { local int x; local int y; entry L0; exit L4;
        L0: assume(x < 3); goto L1; assume(x >= 3); goto L2;
        L1: y = 1; goto L3;
        L2: y = 2; goto L3;
        L3: x = y; goto L4;
        L4: }";
    let pass = |program: &Program, oracle: &AliasOracle| {
        Partition::new(program, oracle, Blocks::Loops).unfold(program).0.into_owned()
    };
    becomes(
        text,
        pass,
        &expect![[r#"
        - e2: y = 1; goto L3;
        + e2: y = 1; goto L5;
        + L5:
        + e5: x = y; goto L4;
    "#]],
    );
}

#[test]
fn threads() {
    let text = "model LP64; entry main; check c0 reach in main \"x\"; global int g;
        thread extern unsigned long slam_start(void *(*)(void *), void *);
        proc void *other(void *p) { return void *ret__; entry L0; exit L1; L0: g = 1; goto L1; L1: }
        proc void main() { local unsigned long id; entry L0; exit L2;
        L0: id = slam_start(&other, NULL); goto L1;
        L1: check(c0, g == 0); goto L2;
        L2: }";
    let pass = |program: &Program, _: &AliasOracle| {
        interleaved(program, &BTreeSet::new(), Bounds::default(), Faults::default(), AliasMode::Das)
            .expect("the threads are small")
            .program
    };
    becomes(
        text,
        pass,
        &expect![[r#"
        - check c0 reach in main "x";
        - proc void *other(void *p) {
        - return void *ret__;
        - entry L0; exit L1;
        - e0: g = 1; goto L1;
        - entry L0; exit L2;
        - e0: id = slam_start(&other, NULL); goto L1;
        - e1: check(c0, g == 0); goto L2;
        + check c0 reach in threads__ "x";
        + extern void *other(void *);
        + entry L1; exit L0;
        + e0 internal: threads__(); goto L0;
        + proc void threads__(void) {
        + local void *p;
        + temp void *ret__;
        + temp void *ret____t2;
        + entry L1; exit L0;
        + e0: id = 2; goto L2;
        + e1: check(c0, g == 0); goto L3;
        + e2: g = 1; goto L4;
        + L3:
        + e4: g = 1; goto L6;
        + e5 internal: skip; goto L0;
        + L4:
        + e3: check(c0, g == 0); goto L5;
        + L5:
        + L6:
        + e6 internal: skip; goto L0;
    "#]],
    );
}

/// Points-to sets are computed once for each version of the program that a pass asks about, and not where operations only
/// go.
#[test]
fn oracles_are_shared() {
    let text = "model LP64; entry main; check c0 reach in main \"x\";
        proc void main() { local int x; local int y; local int *p; entry L0; exit L4;
        L0: p = &x; goto L1;
        L1: *p = 1; goto L2;
        L2: y = 2; goto L3;
        L3: check(c0, x == 1); goto L4;
        L4: }";
    let mut passes = Pipeline::new(program(text), Settings::default(), Source::default());
    let mut counts = vec![];
    for stage in [Stage::Checked, Stage::Copied, Stage::Whole, Stage::Reduced] {
        assert!(passes.run(stage).is_ok());
        counts.push(passes.computed());
    }
    let before = passes.program().clone();
    let (after, _, _) = passes.finish();
    assert_eq!(before, after);
    expect!["[0, 0, 1, 1]"].assert_eq(&format!("{counts:?}"));
}
