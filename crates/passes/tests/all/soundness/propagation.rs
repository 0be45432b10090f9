//! Propagation: its results, and that random programs run step by step as before.

use super::watch::Keyed;
use alias::{AliasMode, AliasOracle};
use base::Id;
use expect_test::expect;
use interp::{self, Inputs, Outcome, Reason, State, UndefinedBehaviour};
use ir::program::{CheckId, EdgeId, HavocKind, LocId, PathStep, ProcId, Program, VarKind};
use ir::types::Type;
use ir::{parse, print};
use passes::{Propagated, propagate, resolve_indirect, slice};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use testing::programs::pointers::generate;

fn parsed(text: &str) -> Program {
    parse::program(text).unwrap_or_else(|d| panic!("{} at {:?} in\n{text}", d.message, d.span))
}

fn propagated(program: &Program) -> Propagated {
    propagate(program, &AliasOracle::new(program, AliasMode::Das), &BTreeSet::new())
}

/// Every step, every check and every value that a variable in scope has behind each step.
struct Recorder<'a> {
    program: &'a Program,
    inputs: Keyed,
    log: Vec<String>,
}

impl Inputs for Recorder<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> interp::Value {
        self.inputs.havoc(proc, edge, kind, ty)
    }

    fn choose_edge(&mut self, proc: ProcId, loc: LocId, enabled: &[EdgeId]) -> usize {
        self.inputs.choose_edge(proc, loc, enabled)
    }

    fn checked(&mut self, check: CheckId, holds: bool) {
        self.log.push(format!("{check} {holds}"));
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        let mut line = format!("{step:?}");
        let program = self.program;
        let proc = &program.procs[state.proc()];
        for v in program.globals.iter().chain(&proc.formals).chain(&proc.locals) {
            if program.vars[*v].ty.is_scalar() {
                write!(line, " {:?}", state.value(&program.read(*v))).unwrap();
            }
        }
        self.log.push(line);
    }
}

fn run(program: &Program, seed: u64) -> (Outcome, Vec<String>) {
    let mut recorder = Recorder { program, inputs: Keyed { seed, seen: BTreeMap::new() }, log: vec![] };
    let limits = interp::Limits { steps: 120, ..interp::Limits::default() };
    let outcome = interp::run(program, &mut recorder, &limits, &AtomicBool::new(false)).outcome;
    (outcome, recorder.log)
}

/// A random program about few variables: constants, copies, loops, calls, and a global that is never written.
fn small(bytes: &[u8]) -> String {
    let mut at = 0;
    let mut pick = |n: usize| {
        at += 1;
        usize::from(bytes.get(at - 1).copied().unwrap_or(0)) % n
    };
    let ints = ["a", "b", "t", "u", "g", "k", "f"];
    let written = ["a", "b", "t", "u", "t", "u", "g", "f"];
    let mut out = String::from("model LP64; entry start; global int g; global int k; global int arr[4];\n");
    for (name, len) in [("other", 6), ("main", 14)] {
        writeln!(out, "proc int {name}(int f) {{ return int ret__; local int a; local int b; temp int t; temp int u; local int *p; temp int *q; local int *n; temp char c;").unwrap();
        writeln!(out, "entry L0; exit L{};\nL0: n = &b; goto L1;\nL1: p = &a; goto L2;", len + 2).unwrap();
        for l in 2..len + 2 {
            let (to, x, y) = (written[pick(written.len())], ints[pick(ints.len())], ints[pick(ints.len())]);
            let op = match pick(19) {
                0..=2 => format!("{to} = {};", pick(3)),
                3..=5 => format!("{to} = {x};"),
                6 => format!("{to} = {x} + {y};"),
                7 => format!("{to} = {x} == {y} && {y} < 2 || !{x};"),
                8 => format!("arr[{x} & 3] = {y};"),
                9 => format!("{to} = arr[{x} & 3];"),
                10 => format!("{to} = other({x});"),
                11 => format!("havoc({to}, input \"in\");"),
                12 => format!("assume({x} <= {y});"),
                13 => ["p = (int *)0;", "q = p;", "p = q;", "q = n;", "p = n;"][pick(5)].into(),
                14 => format!("{to} = {};", ["*q", "*p", "p == q", "p != (int *)0", "!q"][pick(5)]),
                15 => format!("*{} = {x};", ["p", "q", "n"][pick(3)]),
                16 => format!("{to} = {x} / {y} - {y} % 2;"),
                17 => "c = (char)t;".into(),
                _ => format!("{to} = (int)c << {x};"),
            };
            writeln!(out, "L{l}: {op} goto L{};", l + 1).unwrap();
            if pick(3) == 0 {
                writeln!(out, " skip; goto L{};", 2 + pick(len + 1)).unwrap();
            }
        }
        writeln!(out, "L{}: }}", len + 2).unwrap();
    }
    out.push_str("proc void start() { entry L0; exit L4;\nL0: g = 1; goto L1;\nL1: k = 2; goto L2;\n");
    out.push_str("L2: memset(&arr[0], 0, 16L); goto L3;\nL3: main(k); goto L4;\nL4: }\n");
    out.push_str("check c0 reach in main \"m\";\n");
    let main = out.rfind("proc int main").unwrap();
    let hit = main + out[main..].find("L9: ").unwrap() + 4;
    let (x, y) = (ints[pick(ints.len())], ints[pick(ints.len())]);
    out.insert_str(hit, &format!("check(c0, {x} != {y}); goto L10;\n "));
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn runs_are_the_same_step_by_step(bytes in proptest::collection::vec(any::<u8>(), 100..160), seed: u64) {
        let text = small(&bytes);
        let program = parsed(&text);
        prop_assert_eq!(ir::check::check(&program), Vec::<String>::new());
        let kept = program.vars.ids().filter(|v| bytes[v.index() % bytes.len()] % 5 == 0).collect();
        let oracle = AliasOracle::new(&program, AliasMode::Das);
        let after = propagate(&program, &oracle, &kept).program;
        prop_assert_eq!(ir::check::check(&after), Vec::<String>::new());
        for seed in [seed, seed ^ 1, seed ^ 2] {
            prop_assert_eq!(run(&program, seed), run(&after, seed), "{}\n{}", text, print::program(&after, None));
        }
    }

    #[test]
    fn runs_with_pointers_are_the_same(bytes in proptest::collection::vec(any::<u8>(), 60..160), seed: u64) {
        let mut program = parsed(&generate(&bytes));
        // Half of the locals become temporaries, so that copies go further.
        for v in program.vars.ids().collect::<Vec<_>>() {
            if let VarKind::Local(p) = program.vars[v].kind
                && ["j", "q", "k", "f"].contains(&program.vars[v].name.as_str())
            {
                program.vars[v].kind = VarKind::Temp(p);
            }
        }
        let after = propagated(&program).program;
        prop_assert_eq!(ir::check::check(&after), Vec::<String>::new());
        prop_assert_eq!(run(&program, seed), run(&after, seed));
        // And the propagated program's oracle is right about it, slices included.
        let oracle = AliasOracle::new(&after, AliasMode::Das);
        let Ok(resolved) = resolve_indirect(&after, &oracle) else { return Ok(()) };
        let before = run(&resolved, seed).0;
        if matches!(before, Outcome::CheckFailed(_)) {
            // Values that only decide whether arithmetic on a pointer is defined are sliced away: the slice has
            // the execution with the pointer's value among many, and the run may draw another one.
            let drawn = |outcome: &Outcome| matches!(outcome,
                Outcome::Stuck { reason: Reason::Undefined(UndefinedBehaviour::PointerOverflow), .. });
            let sliced = slice(&resolved, &AliasOracle::new(&resolved, AliasMode::Das)).program;
            let after = propagated(&sliced).program;
            let outcome = run(&after, seed).0;
            prop_assert!(outcome == before || drawn(&outcome), "{outcome:?}");
            let twice = slice(&after, &AliasOracle::new(&after, AliasMode::Das)).program;
            prop_assert_eq!(ir::check::check(&twice), Vec::<String>::new());
            let outcome = run(&twice, seed).0;
            prop_assert!(outcome == before || drawn(&outcome), "{outcome:?}");
        }
    }

    #[test]
    fn three_times_are_as_good_as_more(bytes in proptest::collection::vec(any::<u8>(), 100..160)) {
        let mut program = parsed(&small(&bytes));
        let mut last = usize::MAX;
        // Each time the reads that could be replaced are gone; folding can show a few more constants.
        for _ in 0..3 {
            let next = propagated(&program);
            last = next.constants;
            program = next.program;
        }
        prop_assert_eq!(last, 0);
    }
}

#[test]
fn constants_and_copies_are_read_in_place() {
    let program = parsed(
        "model LP64; entry start; global int limit; global int g; global int arr[4]; extern void reach(int *);
check c0 reach in main \"m\";
proc int main(int f) { return int ret__; local int a; local int b; temp int t; local int *p; temp int *q; local int taken;
entry L0; exit L12;
L0: a = 3; goto L1;
L1: t = f; goto L2;
L2: b = t + a; goto L3;
L3: arr[a] = t; goto L4;
L4: f = 1; goto L5;
L5: b = t + f; goto L6;
L6: p = (int *)0; goto L7;
L7: q = p; goto L8;
L8: taken = 1; goto L9;
L9: reach(&taken); goto L10;
L10: check(c0, a < limit && taken == 1 && q == (int *)0); goto L11;
L11: g = a * 2 + limit; goto L12;
 a = a + 1; goto L11;
L12: }
proc void start() { local int r; entry L0; exit L2;
L0: limit = 10; goto L1;
L1: r = main(limit); goto L2;
L2: }
",
    );
    let out = propagated(&program);
    expect![[r#"
        model LP64;
        entry start;
        global int limit;
        global int g;
        global int arr[4];
        check c0 reach in main "m";

        extern void reach(int *);

        proc int main(int f) {
          return int ret__;
          local int a;
          local int b;
          temp int t;
          local int *p;
          temp int *q;
          local int taken;
          entry L0; exit L12;
          L0:
            e0: a = 3; goto L1;
          L1:
            e1: t = 10; goto L2;
          L2:
            e2: b = 13; goto L3;
          L3:
            e3: arr[3] = 10; goto L4;
          L4:
            e4: f = 1; goto L5;
          L5:
            e5: b = 11; goto L6;
          L6:
            e6: p = NULL; goto L7;
          L7:
            e7: q = NULL; goto L8;
          L8:
            e8: taken = 1; goto L9;
          L9:
            e9: reach(&taken); goto L10;
          L10:
            e10: check(c0, 1 && taken == 1 && 1); goto L11;
          L11:
            e11: g = a * 2 + 10; goto L12;
            e12: a = a + 1; goto L11;
          L12:
        }

        proc void start(void) {
          local int r;
          entry L0; exit L2;
          L0:
            e0: limit = 10; goto L1;
          L1:
            e1: r = main(10); goto L2;
          L2:
        }
    "#]]
    .assert_eq(&print::program(&out.program, None));
    expect!["13 constants, 0 copies"]
        .assert_eq(&format!("{} constants, {} copies", out.constants, out.copies));
}

#[test]
fn kept_variables_are_read_as_before() {
    let program = parsed(
        "model LP64; entry start; global int limit; global int g;
proc void main() { local int a; local int b; temp int t;
entry L0; exit L5;
L0: a = 3; goto L1;
L1: b = 4; goto L2;
L2: t = a; goto L3;
L3: g = a + b + limit; goto L4;
L4: g = t; goto L5;
L5: }
proc void start() { entry L0; exit L2;
L0: limit = 10; goto L1;
L1: main(); goto L2;
L2: }
",
    );
    let kept = ["a", "limit"].map(|name| program.vars.ids().find(|v| program.vars[*v].name == name).unwrap());
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let after = propagate(&program, &oracle, &BTreeSet::from(kept)).program;
    let main = after.find_proc("main").unwrap();
    let edges: Vec<String> = after.procs[main].edges.ids().map(|e| print::edge(&after, main, e)).collect();
    expect!["a = 3; b = 4; t = a; g = a + 4 + limit; g = a;"].assert_eq(&edges.join(" "));
}

/// The operations of a procedure once constants were propagated.
fn operations(program: &Program, proc: &str) -> String {
    let after = propagated(program).program;
    let p = after.find_proc(proc).unwrap();
    let edges: Vec<String> = after.procs[p].edges.ids().map(|e| print::edge(&after, p, e)).collect();
    edges.join(" ")
}

#[test]
fn constants_go_into_calls_and_come_out_of_them() {
    let text = "model LP64; entry start; global int ready; global int mode; global int n; global int other;
proc void init() { entry L0; exit L3;
L0: ready = 1; goto L1;
L1: mode = 7; goto L2;
L2: other = n; goto L3;
L3: }
proc int step(int same, int differs) { return int ret__; entry L0; exit L3;
L0: n = same + differs; goto L1;
L1: assume(mode == 7); goto L2;
 assume(mode != 7); goto L3;
L2: ret__ = 5; goto L3;
L3: }
proc void start() { local int r; local int s; entry L0; exit L9;
L0: ready = 0; goto L1;
L1: mode = 0; goto L2;
L2: n = 2; goto L3;
L3: init(); goto L4;
L4: r = step(3, ready); goto L5;
L5: s = step(3, n); goto L6;
L6: r = r + s + ready + mode; goto L7;
L7: other = other + n; goto L8;
L8: init(); goto L9;
L9: }
";
    let program = parsed(text);
    let shown = ["init", "step", "start"].map(|p| format!("{p}: {}", operations(&program, p)));
    // The branch on another mode is never taken, so 5 is all that `step` returns.
    expect![[r#"
        init: ready = 1; mode = 7; other = n;
        step: n = 3 + differs; assume(1); assume(0); ret__ = 5;
        start: ready = 0; mode = 0; n = 2; init(); r = step(3, 1); s = step(3, n); r = 18; other = other + n; init();"#]].assert_eq(&shown.join("\n"));
}

#[test]
fn nothing_goes_into_procedures_that_anything_may_call() {
    let text = "model LP64; entry start; global int g; extern void later(void (*)(int));
proc void back(int f) { entry L0; exit L1;
L0: g = f + g; goto L1;
L1: }
proc void start() { entry L0; exit L4;
L0: g = 1; goto L1;
L1: back(2); goto L2;
L2: later(back); goto L3;
L3: g = g + 1; goto L4;
L4: }
";
    let program = parsed(text);
    expect!["g = f + g;"].assert_eq(&operations(&program, "back"));
    expect!["g = 1; back(2); later(&back); g = g + 1;"].assert_eq(&operations(&program, "start"));
}
