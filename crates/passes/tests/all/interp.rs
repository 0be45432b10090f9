//! The interpreter against Rust's arithmetic, against compiled C, and on small programs.

use crate::expressions::{Forms, scope, tree};
use expect_test::{Expect, expect};
use interp::*;
use ir::expr::{BinOp, Expr, UnOp};
use ir::parse;
use ir::print;
use ir::program::*;
use ir::types::{FloatType, IntType, Type};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// Inputs from a list; zero when it is exhausted.
#[derive(Default)]
struct Listed {
    values: Vec<Value>,
    next: usize,
    choices: Vec<usize>,
    uninit: i128,
    fail_alloc: bool,
}

impl Inputs for Listed {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, _: &Type) -> Value {
        self.next += 1;
        self.values.get(self.next - 1).copied().unwrap_or(Value::Int(0))
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, _: &[EdgeId]) -> usize {
        self.choices.pop().unwrap_or(0)
    }

    fn uninit(&mut self, _: &UninitRead, _: &Type) -> Value {
        self.uninit += 1;
        Value::Int(self.uninit)
    }

    fn alloc_fails(&mut self, _: ProcId, _: EdgeId) -> bool {
        self.fail_alloc
    }
}

fn parsed(text: &str) -> Program {
    let program = parse::program(text).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(ir::check::check(&program), Vec::<String>::new());
    program
}

fn run_with(program: &Program, inputs: &mut dyn Inputs, limits: &Limits) -> Run {
    run(program, inputs, limits, &AtomicBool::new(false))
}

/// Runs straight-line code over the declarations; the last edge leads to a check of 0, so that "fails" means
/// that everything before it was executed and each `assume` was satisfied.
fn outcome(declarations: &str, lines: &[&str], inputs: &mut Listed) -> String {
    let mut text =
        format!("entry main; check c0 reach in main \"m\";\n{declarations}\nproc void main(void) {{\n");
    let (locals, code): (Vec<&str>, Vec<&str>) = lines.iter().partition(|l| l.starts_with("local"));
    locals.iter().for_each(|l| _ = writeln!(text, "{l};"));
    for (i, line) in code.iter().enumerate() {
        _ = writeln!(text, "L{i}: {line}; goto L{};", i + 1);
    }
    _ = writeln!(
        text,
        "L{n}: check(c0, 0); goto L{}; L{}: }}",
        code.len() + 1,
        code.len() + 1,
        n = code.len()
    );
    let limits = Limits { memory: 1 << 20, ..Limits::default() };
    match run_with(&parsed(&text), inputs, &limits).outcome {
        Outcome::CheckFailed(_) => "reached the end".into(),
        Outcome::Stuck { reason, edge, .. } => {
            let line = edge.map_or("", |e| code[base::Id::index(e)]);
            match reason {
                Reason::AssumeFalse => format!("false: {line}"),
                Reason::Undefined(what) => format!("undefined: {line}: {what}"),
                Reason::Unsupported(what) => format!("unsupported: {line}: {what}"),
            }
        }
        other => format!("{other:?}"),
    }
}

const DECLARATIONS: &str = "
struct s { int a; char b; struct s *next; short arr[3]; unsigned _BitInt(3) f @24:0; _BitInt(7) g @24:3; };
union u { int i; float f; unsigned char bytes[4]; int *p; };
global int g; global struct s st; global union u un; global char text[4] = \"abc\\000\";
extern int ext(int); extern int *extp(void);
";

fn check_run(lines: &[&str], expected: Expect) {
    expected.assert_eq(&outcome(DECLARATIONS, lines, &mut Listed::default()));
}

fn runs_through(lines: &[&str]) {
    assert_eq!(outcome(DECLARATIONS, lines, &mut Listed::default()), "reached the end");
}

#[test]
fn aggregates_are_bytes() {
    runs_through(&[
        "local struct s t",
        "local struct s *p",
        "p = &t",
        "t.a = 7",
        "p->b = (char) -1",
        "p->next = p",
        "p->next->next->arr[2] = 5",
        "memmove(&st, p, 32)",
        "assume(st.a == 7 && st.b == -1 && st.next == p && st.arr[2] == 5)",
        "memset(&st, 255, 8)",
        "assume(st.a == -1 && st.next == p)",
        "assume((char *) &st.arr[1] - (char *) &st == 18)",
        "assume(*((char *) p + 4) == -1)",
    ]);
    runs_through(&[
        "un.f = 1.0f",
        "assume(un.i == 1065353216)",
        "un.i = 16909060",
        "assume(un.bytes[0] == 4 && un.bytes[3] == 1)",
        "un.p = &g",
        "*un.p = 3",
        "assume(g == 3)",
    ]);
    runs_through(&["assume(text[1] == 98 && text[3] == 0)"]);
}

#[test]
fn bit_fields_share_bytes() {
    runs_through(&[
        "memset(&st, 0, 32)",
        "st.f = 5",
        "st.g = -3",
        "assume(st.f == 5 && st.g == -3)",
        // 5 | (0b1111101 << 3) = 1005
        "assume(*(unsigned short *) ((char *) &st + 24) == 1005)",
        "st.g = 63",
        "assume(st.f == 5 && st.g == 63)",
    ]);
}

#[test]
fn objects_can_be_inspected() {
    let p = ["local struct s *p", "local int x", "p = alloc(64)"];
    let with = |lines: &[&'static str]| [&p[..], lines].concat();
    runs_through(&with(&["inspect(x, size, p + 1)", "assume(x == 64)"]));
    runs_through(&with(&["inspect(x, offset, p - 1)", "assume(x == -32)"]));
    runs_through(&with(&["inspect(x, freeable, p)", "assume(x == 1)"]));
    runs_through(&with(&["inspect(x, freeable, p + 1)", "assume(x == 0)"]));
    runs_through(&with(&["inspect(x, live, p)", "free(p)", "assume(x == 1)"]));
    runs_through(&with(&["free(p)", "inspect(x, live, p)", "assume(x == 0)"]));
    runs_through(&with(&["free(p)", "inspect(x, freeable, p)", "assume(x == 0)"]));
    runs_through(&["local int x", "inspect(x, freeable, (char *) 0)", "assume(x == 1)"]);
    runs_through(&["local int x", "inspect(x, live, (char *) 8)", "assume(x == 1)"]);
    runs_through(&["local int x", "inspect(x, freeable, (char *) 8)", "assume(x == 0)"]);
    runs_through(&["local int x", "inspect(x, freeable, &g)", "assume(x == 0)"]);
    runs_through(&["local int x", "inspect(x, size, &st)", "assume(x == 32)"]);
}

/// Constants are addresses of memory that is there, and so are sums with them that are large enough.
#[test]
fn fixed_addresses_are_memory() {
    runs_through(&["local int *p", "p = (int *) 8", "*p = 5", "assume(*p == 5)"]);
    let sum = ["local long x", "local long y", "local int *p", "y = 8", "x = 65536 + y", "p = (int *) x"];
    runs_through(&[&sum[..], &["p[1] = 5", "assume(p[1] == 5)"]].concat());
}

#[test]
fn undefined_accesses_end_the_run() {
    check_run(
        &["local int *p", "p = NULL", "g = *p"],
        expect!["undefined: g = *p: access through a null pointer"],
    );
    check_run(
        &["local int *p", "local long x", "x = 8", "p = (int *) x", "*p = 1"],
        expect!["undefined: *p = 1: access through an invalid pointer"],
    );
    check_run(
        &["local int a[3]", "local int i", "i = 3", "a[i] = 1"],
        expect!["undefined: a[i] = 1: index outside of an array"],
    );
    check_run(
        &["local int a[3]", "local int *p", "p = a + 3", "g = p[-1]", "g = *p"],
        expect!["undefined: g = *p: access outside of an object"],
    );
    check_run(
        &["local int *p", "p = alloc(4)", "free(p)", "*p = 1"],
        expect!["undefined: *p = 1: access to an object whose life has ended"],
    );
    check_run(
        &["local int *p", "p = alloc(4)", "free(p)", "free(p)"],
        expect!["undefined: free(p): free of an object whose life has ended"],
    );
    check_run(
        &["local int *p", "p = alloc(8)", "free(p + 1)"],
        expect!["undefined: free(p + 1): free of something that is no allocated object"],
    );
    check_run(&["free(&g)"], expect!["undefined: free(&g): free of something that is no allocated object"]);
    check_run(&["text[0] = 1"], expect!["undefined: text[0] = 1: write to a string literal"]);
    check_run(
        &["local int *p", "p = &g", "assume(p < &st.a)"],
        expect!["undefined: assume(p < &st.a): order of pointers into different objects"],
    );
    check_run(&["memset(&st, 0, 33)"], expect!["undefined: memset(&st, 0, 33): access outside of an object"]);
    check_run(&["st.arr[3] = 1"], expect!["undefined: st.arr[3] = 1: index outside of an array"]);
    check_run(&["g = 1", "g = 1 / (g - 1)"], expect!["undefined: g = 1 / (g - 1): division by zero"]);
    check_run(&["g = 2147483647", "g = g + 1"], expect!["undefined: g = g + 1: signed overflow"]);
    check_run(&["g = -1 - 2147483647", "g = -g"], expect!["undefined: g = -g: signed overflow"]);
    check_run(
        &["g = 32", "g = 1 << g"],
        expect!["undefined: g = 1 << g: shift by a negative amount or by the width or more"],
    );
}

#[test]
fn what_is_not_modelled_is_said() {
    check_run(
        &["local int *p", "p = &g", "g = *(char *) &p"],
        expect!["unsupported: g = *(char *) &p: arithmetic with the number of an address"],
    );
    check_run(
        &["local int *p", "p = alloc(9223372036854775808u)"],
        expect!["unsupported: p = alloc(9223372036854775808u): more memory than the limit"],
    );
}

#[test]
fn pointers_survive_integers_and_copies() {
    runs_through(&[
        "local int *p",
        "local unsigned long n",
        "local int *q",
        "p = &st.a",
        "n = (unsigned long) p + 4",
        "assume(n != 0 && n - (unsigned long) p == 4)",
        "q = (int *) (n - 4)",
        "*q = 12",
        "assume(st.a == 12 && q == p)",
        "memmove(&q, &p, 8)",
        "assume(*q == 12)",
    ]);
    runs_through(&[
        "local char *p",
        "p = alloc(3)",
        "assume(((unsigned long) (p + 5) & 15) == 5 && (unsigned long) p % 8 == 0)",
        "assume((unsigned long) p < 18446744073709547520u && (long) p > 0)",
    ]);
    // Objects get numbers where these are needed, odd multiples of what they are aligned to.
    runs_through(&[
        "local char *p",
        "local int x",
        "p = alloc(3)",
        "assume((unsigned long) p < 70368744177664 && (unsigned long) p % 32 == 16)",
        "assume((long) &x < (long) &g && (unsigned long) &x % 8 == 4)",
        "*(int *)(2 * (unsigned long) &x - (unsigned long) &x) = 5",
        "assume(x == 5)",
    ]);
}

#[test]
fn large_objects_cost_what_is_written() {
    runs_through(&[
        "local char *p",
        "local char **q",
        "p = alloc(9000000000000, zeroed)",
        "p[8999999999999] = 7",
        "*(long *) (p + 4092) = 81985529216486895",
        "assume(p[8999999999999] == 7 && p[5] == 0 && *(long *) (p + 4092) == 81985529216486895)",
        "assume(*(int *) (p + 4096) == 19088743)",
        "memset(p, 3, 9000000000000)",
        "assume(p[17] == 3 && p[8999999999999] == 3)",
        "memset(p + 4000, 4, 10000)",
        "memmove(p + 4001, p + 3999, 9000)",
        "assume(p[4000] == 4 && p[4001] == 3 && p[4002] == 4 && p[13000] == 4 && p[14000] == 3)",
        "q = alloc(5000000)",
        "q[600000] = p",
        "assume(*q[600000] == 3)",
        "assume(*(char *) q == 1 && *(char *) q == 1)",
    ]);
    check_run(
        &["local char *p", "p = alloc(8000000)", "memset(p, 1, 7000000)"],
        expect!["unsupported: memset(p, 1, 7000000): more memory than the limit"],
    );
    check_run(
        &["local char *p", "p = alloc(8000000)", "memmove(p + 4000000, p, 4000000)"],
        expect!["unsupported: memmove(p + 4000000, p, 4000000): more inputs than the memory limit"],
    );
}

#[test]
fn function_pointers_and_calls() {
    let declarations = format!(
        "{DECLARATIONS} proc int twice(int n) {{ return int ret__; L0: ret__ = n * 2; goto L1; L1: }}
         proc int fact(int n) {{ local int r; return int ret__;
           L0: true: assume(n > 1); goto L1; false: assume(n <= 1); goto L2;
           L1: r = fact(n - 1); goto L3; L2: ret__ = 1; goto L4; L3: ret__ = n * r; goto L4; L4: }}
         proc int *dangling(void) {{ local int x; return int *ret__;
           L0: x = 1; goto L1; L1: ret__ = &x; goto L2; L2: }}"
    );
    let check = |lines: &[&str], inputs: &mut Listed, expected: Expect| {
        expected.assert_eq(&outcome(&declarations, lines, inputs));
    };
    let none = &mut Listed::default();
    let lines = [
        "local int (*f)(int)",
        "f = &twice",
        "g = (*f)(21)",
        "assume(g == 42)",
        "f = &fact",
        "g = (*f)(5)",
        "assume(g == 120)",
    ];
    check(&lines, none, expect!["reached the end"]);
    check(
        &["local int *p", "p = dangling()", "g = *p"],
        none,
        expect!["undefined: g = *p: access to an object whose life has ended"],
    );
    check(
        &["local int (*f)(int)", "f = NULL", "g = (*f)(1)"],
        none,
        expect!["undefined: g = (*f)(1): call through a pointer to no function"],
    );
    check(
        &["local int (*f)(char *)", "f = (int (*)(char *)) &twice", "g = (*f)(NULL)"],
        none,
        expect!["undefined: g = (*f)(NULL): call of a function of another type"],
    );
    let inputs =
        &mut Listed { values: vec![Value::Int(5), Value::FreshObject(8), Value::Null], ..Listed::default() };
    let lines = [
        "local int *p",
        "g = ext(1)",
        "assume(g == 5)",
        "p = extp()",
        "p[1] = p[0] + 1",
        "assume(p[1] == 1)",
        "p = extp()",
        "assume(p == NULL)",
        "ext(2)",
    ];
    check(&lines, inputs, expect!["reached the end"]);
}

#[test]
fn uninitialised_memory_has_a_value_that_stays() {
    runs_through(&[
        "local int x",
        "local int *p",
        "assume(x == 1 && x == 1)",
        "p = alloc(8)",
        "assume(p[1] == 2 && p[1] == 2)",
        "memmove(&st, p, 4)",
        "assume(st.a == *p)",
        "p = alloc(8, zeroed)",
        "assume(p[1] == 0)",
        "*(char *) &st.b = 3",
        "assume(st.b == 3)",
    ]);
    let inputs = &mut Listed { fail_alloc: true, ..Listed::default() };
    let lines =
        ["local int *p", "p = alloc(8, may_fail)", "assume(p == NULL)", "p = alloc(8)", "assume(p != NULL)"];
    assert_eq!(outcome("", &lines, inputs), "reached the end");
}

const LOOP: &str = "
entry start; check c0 reach in main \"i is 5\"; global int g;
proc void start(void) { local int r; L0: internal: g = 0; goto L1; L1: r = main(3); goto L2; L2: }
proc int main(int n) { local int i; return int ret__; entry L0; exit L6;
  L0: i = 0; goto L1;
  L1 loop: true: assume(i < n + g); goto L2; false: assume(i >= n + g); goto L4;
  L2: havoc(g, input \"nondet\"); goto L3;
  L3: i = i + 1; goto L5;
  L5: check(c0, i != 5); goto L1;
  L4: ret__ = i; goto L6;
  L6: }
";

#[test]
fn runs_record_inputs_and_traces() {
    let program = parsed(LOOP);
    let describe = |run: &Run| {
        let mut text = format!("{:?}, {} steps\n", run.outcome, run.steps);
        for r in &run.inputs {
            _ = writeln!(
                text,
                "input at {} {}: {}",
                program.procs[r.proc].name,
                r.edge,
                r.value.text(&program)
            );
        }
        for t in &run.trace {
            let values: Vec<String> = t
                .values
                .iter()
                .map(|s| format!("{} = {}", ir::print::lvalue(&program, &s.place), s.value.text(&program)))
                .collect();
            _ = writeln!(text, "{:?} {}", t.step, values.join(", "));
        }
        text
    };
    let mut inputs = Listed { values: vec![Value::Int(-1), Value::Int(1 << 32)], ..Listed::default() };
    let limits = Limits { trace: 100, ..Limits::default() };
    expect![[r#"
        Finished(Some(Int(3))), 17 steps
        input at main e3: -1
        input at main e3: 0
        input at main e3: 0
        Edge(p0, e0) g = 0
        Enter(p0, e1, p1) n = 3
        Edge(p1, e0) i = 0
        Edge(p1, e1) i = 0, n = 3, g = 0
        Edge(p1, e3) g = -1
        Edge(p1, e4) i = 1
        Edge(p1, e5) i = 1
        Edge(p1, e1) i = 1, n = 3, g = -1
        Edge(p1, e3) g = 0
        Edge(p1, e4) i = 2
        Edge(p1, e5) i = 2
        Edge(p1, e1) i = 2, n = 3, g = 0
        Edge(p1, e3) g = 0
        Edge(p1, e4) i = 3
        Edge(p1, e5) i = 3
        Edge(p1, e2) i = 3, n = 3, g = 0
        Edge(p1, e6) ret__ = 3
        Leave(p0, e1, p1) r = 3
    "#]]
    .assert_eq(&describe(&run_with(&program, &mut inputs, &limits)));
    let mut inputs = Listed { values: vec![Value::Int(9); 9], ..Listed::default() };
    let limits = Limits { trace: 4, ..Limits::default() };
    expect![[r#"
        CheckFailed(c0), 23 steps
        input at main e3: 9
        input at main e3: 9
        input at main e3: 9
        input at main e3: 9
        input at main e3: 9
        Edge(p0, e0) g = 0
        Enter(p0, e1, p1) n = 3
        Edge(p1, e0) i = 0
        Edge(p1, e1) i = 0, n = 3, g = 0
    "#]]
    .assert_eq(&describe(&run_with(&program, &mut inputs, &limits)));
    let limits = Limits { steps: 3, ..Limits::default() };
    expect![[r#"
        StepLimit, 3 steps
    "#]]
    .assert_eq(&describe(&run_with(&program, &mut ZeroInputs, &limits)));
    let stopped = run(&program, &mut ZeroInputs, &Limits::default(), &AtomicBool::new(true));
    assert_eq!(stopped.outcome, Outcome::Interrupted);
}

#[test]
fn several_enabled_edges_are_a_choice() {
    let text = "entry main; check c0 reach in main \"m\"; global int x;
      proc void main(void) { entry L0; exit L2;
        L0: skip; goto L1; assume(x == 1); goto L2; skip; goto L0; L1: check(c0, 0); goto L2; L2: }";
    let program = parsed(text);
    // x is 1, so that three edges are enabled: once round, then to the exit.
    let mut inputs = Listed { choices: vec![1, 2], ..Listed::default() };
    let done = run_with(&program, &mut inputs, &Limits::default());
    assert_eq!((done.outcome, done.steps), (Outcome::Finished(None), 2));
    let mut inputs = Listed { choices: vec![0], ..Listed::default() };
    assert!(matches!(run_with(&program, &mut inputs, &Limits::default()).outcome, Outcome::CheckFailed(_)));
}

/// Goes on behind checks that fail.
struct GoesPast(Vec<CheckId>);

impl Inputs for GoesPast {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, _: &Type) -> Value {
        Value::Int(0)
    }

    fn goes_past(&self, failing: CheckId) -> bool {
        self.0.contains(&failing)
    }
}

#[test]
fn an_execution_goes_past_the_checks_that_it_is_told_to() {
    let text = "entry main; check c0 reach in main \"m\"; check c1 reach in main \"m\"; global int x;
      proc void main(void) { entry L0; exit L2; L0: check(c0, x == 1); goto L1; L1: check(c1, x == 1); goto L2; L2: }";
    let program = parsed(text);
    let checks: Vec<CheckId> = program.checks.ids().collect();
    let outcome =
        |past: &[CheckId]| run_with(&program, &mut GoesPast(past.to_vec()), &Limits::default()).outcome;
    assert_eq!(outcome(&[]), Outcome::CheckFailed(checks[0]));
    assert_eq!(outcome(&checks[..1]), Outcome::CheckFailed(checks[1]));
    assert_eq!(outcome(&checks), Outcome::Finished(None));
}

#[test]
fn deep_recursion_is_a_limit_not_an_overflow() {
    let text = "entry main; proc void main(void) { local int a[4]; L0: main(); goto L1; L1: }";
    let program = parsed(text);
    let done = run_with(&program, &mut ZeroInputs, &Limits::default());
    assert!(
        matches!(done.outcome, Outcome::Stuck { reason: Reason::Unsupported(_), .. }),
        "{:?}",
        done.outcome
    );
}

/// Sees whether the predicate holds after each step.
struct Watch {
    predicate: Expr,
    seen: Vec<Result<Value, Halt>>,
}

impl Inputs for Watch {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, _: &Type) -> Value {
        Value::Int(2)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, _: PathStep) {
        if state.depth() == 2 {
            self.seen.push(state.value(&self.predicate));
        }
    }
}

#[test]
fn observers_evaluate_predicates() {
    let program = parsed(LOOP);
    let main = program.find_proc("main");
    let predicate = parse::expr("(mathint) i + 1 <= n", &program, main).unwrap_or_else(|e| panic!("{e:?}"));
    let mut watch = Watch { predicate, seen: vec![] };
    run_with(&program, &mut watch, &Limits { steps: 16, ..Limits::default() });
    let seen: Vec<i128> =
        watch.seen.iter().map(|v| if let Ok(Value::Int(v)) = v { *v } else { -1 }).collect();
    assert_eq!(seen, [-1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]);
}

/// Checks every operator on one pair of values against Rust's checked arithmetic.
macro_rules! check_operators {
    ($t:ty, $l:expr, $r:expr) => {{
        let ty = IntType { bits: <$t>::BITS as u16, signed: <$t>::MIN != 0 };
        let (l, r): ($t, $t) = ($l, $r);
        let ours = |op, wraps| int_binary(op, l as i128, r as i128, ty, wraps).ok();
        let theirs = |v: Option<$t>| v.map(|v| v as i128);
        let exact = |v: Option<$t>, wrapped: $t| theirs(if ty.signed { v } else { Some(wrapped) });
        prop_assert_eq!(ours(BinOp::Add, false), exact(l.checked_add(r), l.wrapping_add(r)));
        prop_assert_eq!(ours(BinOp::Sub, false), exact(l.checked_sub(r), l.wrapping_sub(r)));
        prop_assert_eq!(ours(BinOp::Mul, false), exact(l.checked_mul(r), l.wrapping_mul(r)));
        prop_assert_eq!(ours(BinOp::Add, true), theirs(Some(l.wrapping_add(r))));
        prop_assert_eq!(ours(BinOp::Sub, true), theirs(Some(l.wrapping_sub(r))));
        prop_assert_eq!(ours(BinOp::Mul, true), theirs(Some(l.wrapping_mul(r))));
        prop_assert_eq!(ours(BinOp::Div, false), theirs(l.checked_div(r)));
        prop_assert_eq!(ours(BinOp::Rem, true), theirs(l.checked_rem(r)));
        prop_assert_eq!(ours(BinOp::BitAnd, false), theirs(Some(l & r)));
        prop_assert_eq!(ours(BinOp::BitOr, false), theirs(Some(l | r)));
        prop_assert_eq!(ours(BinOp::BitXor, false), theirs(Some(l ^ r)));
        let amount = u32::try_from(r).ok();
        prop_assert_eq!(ours(BinOp::Shl, false), theirs(amount.and_then(|n| l.checked_shl(n))));
        prop_assert_eq!(ours(BinOp::Shr, false), theirs(amount.and_then(|n| l.checked_shr(n))));
        prop_assert_eq!(ours(BinOp::Lt, false), Some((l < r) as i128));
        prop_assert_eq!(ours(BinOp::Ge, false), Some((l >= r) as i128));
        let unary = |op, wraps| int_unary(op, l as i128, ty, wraps).ok();
        prop_assert_eq!(unary(UnOp::Neg, false), exact(l.checked_neg(), l.wrapping_neg()));
        prop_assert_eq!(unary(UnOp::BitNot, false), theirs(Some(!l)));
    }};
}

fn edgy() -> impl Strategy<Value = i128> {
    let special = [0, 1, -1, 31, 32, 63, 64, 127, 128, i32::MIN.into(), i32::MAX.into(), i64::MIN.into()];
    let special = special.into_iter().chain([i128::MIN, i128::MAX, i64::MAX.into(), u32::MAX.into()]);
    prop_oneof![proptest::sample::select(special.collect::<Vec<i128>>()), -5i128..70, any::<i128>()]
}

proptest! {
    #[test]
    fn integers_agree_with_rust(l in edgy(), r in edgy()) {
        check_operators!(i8, l as i8, r as i8);
        check_operators!(i32, l as i32, r as i32);
        check_operators!(u32, l as u32, r as u32);
        check_operators!(i64, l as i64, r as i64);
        check_operators!(u64, l as u64, r as u64);
        check_operators!(i128, l, r);
        check_operators!(u128, l as u128, r as u128);
    }

    #[test]
    fn floats_agree_with_rust(a in any::<f32>(), b in any::<f32>(), v in edgy()) {
        let (float, double) = (FloatType { bits: 32 }, FloatType { bits: 64 });
        let ours = |op| float_binary(op, a.into(), b.into(), float).unwrap_or(0.5) as f32;
        for (op, theirs) in [(BinOp::Add, a + b), (BinOp::Sub, a - b), (BinOp::Mul, a * b), (BinOp::Div, a / b)] {
            prop_assert!(ours(op).to_bits() == theirs.to_bits() || ours(op).is_nan() && theirs.is_nan());
        }
        let int = |bits, signed| IntType { bits, signed };
        prop_assert_eq!(int_to_float(v as i64 as i128, int(64, true), float), Ok(f64::from(v as i64 as f32)));
        prop_assert_eq!(int_to_float(v as u64 as i128, int(64, false), double), Ok(v as u64 as f64));
        prop_assert_eq!(int_to_float(v, int(128, false), double), Ok(v as u128 as f64));
        let whole = f64::from(a).trunc();
        let inside = whole >= f64::from(i32::MIN) && whole <= f64::from(i32::MAX);
        prop_assert_eq!(float_to_int(a.into(), int(32, true)).ok(), inside.then_some(whole as i128));
    }
}

/// Random expressions over random variables: the interpreter's values are those of the printed text, compiled.
#[test]
fn expressions_agree_with_compiled_c() {
    let trees = ["x", "u", "l", "ul", "d"].map(|n| tree(global(n).1, 3, Forms::Compilable));
    let leaves = VARIABLES.map(|n| tree(global(n).1, 0, Forms::Compilable));
    let mut runner = TestRunner::deterministic();
    let mut c_text = String::from(PRELUDE);
    let mut expected = String::new();
    for n in 0..600 {
        let mut some =
            |s: &BoxedStrategy<Expr>| s.new_tree(&mut runner).unwrap_or_else(|e| panic!("{e}")).current();
        let assignments: Vec<(&str, Expr)> = VARIABLES
            .into_iter()
            .zip(&leaves)
            .map(|(name, leaf)| (name, some(leaf)))
            .filter(|(_, e)| matches!(e, Expr::Const(..) | Expr::Float(..)))
            .collect();
        let e = some(&trees[n % trees.len()]);
        let Some(value) = value_after(&assignments, &e) else { continue };
        let sets: String =
            assignments.iter().map(|(name, e)| format!("{name} = {}; ", print::expr(&scope(), e))).collect();
        let text = print::expr(&scope(), &e);
        let show = if matches!(e.ty(), Type::Float(_)) { "show_double" } else { "show_int" };
        _ = writeln!(c_text, "x = u = l = ul = c = s = b = f = d = 0; {sets}\n{show}({text});");
        _ = writeln!(expected, "{value}");
    }
    c_text += "return 0; }";
    assert!(expected.lines().count() > 150, "most expressions are defined");
    for (i, (ours, theirs)) in expected.lines().zip(compile_and_run(&c_text).lines()).enumerate() {
        let text = c_text.lines().filter(|l| l.starts_with("show_")).nth(i).unwrap_or("");
        assert_eq!(ours, theirs, "{text}");
    }
}

const VARIABLES: [&str; 9] = ["x", "u", "l", "ul", "c", "s", "b", "f", "d"];

const PRELUDE: &str = "#include <stdio.h>
#include <string.h>
int x; unsigned int u; long l; unsigned long ul; char c; short s; _Bool b; float f; double d;
static void show_int(long v) { printf(\"%ld\\n\", v); }
static void show_double(double v) {
  unsigned long bits; memcpy(&bits, &v, 8);
  if (v != v) printf(\"nan\\n\"); else printf(\"%lx\\n\", bits);
}
int main(void) {
";

fn global(name: &str) -> (VarId, Type) {
    let program = scope();
    let v = program.globals.iter().find(|v| program.vars[**v].name == name).expect("the scope has the name");
    (*v, program.vars[*v].ty.clone())
}

/// The value as the compiled program shows it; `None` when it is undefined.
fn value_after(assignments: &[(&str, Expr)], e: &Expr) -> Option<String> {
    struct Last<'e>(&'e Expr, Option<Value>);
    impl Inputs for Last<'_> {
        fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, _: &Type) -> Value {
            Value::Int(0)
        }
        fn uninit(&mut self, _: &UninitRead, _: &Type) -> Value {
            Value::Int(0)
        }
        fn observe(&mut self, state: &mut State<'_, '_>, _: PathStep) {
            self.1 = state.value(self.0).ok();
        }
    }
    let zero = VARIABLES.map(|name| (name, Expr::int(0)));
    let sets = zero.iter().chain(assignments);
    let mut text = format!("{}\nproc void main(void) {{ entry L0; exit L99;\n", crate::expressions::SCOPE);
    let mut n = 0;
    for (name, e) in sets {
        _ = writeln!(text, "L{n}: {name} = {}; goto L{};", print::expr(&scope(), e), n + 1);
        n += 1;
    }
    text = text.replace("exit L99", &format!("exit L{n}")) + &format!("L{n}: }} entry main;");
    let mut last = Last(e, None);
    run_with(&parsed(&text), &mut last, &Limits::default());
    Some(match last.1? {
        Value::Int(v) => (v as i64).to_string(),
        Value::Float(v) if v.is_nan() => "nan".into(),
        Value::Float(v) => format!("{:x}", v.to_bits()),
        other => panic!("{other:?} is no number"),
    })
}

fn compile_and_run(text: &str) -> String {
    let (source, binary) = (testing::file("t.c", text), testing::folder().join("t"));
    let compiler = std::process::Command::new("cc")
        .args(["-w", "-O0", "-std=gnu11", "-ffp-contract=off", "-o"])
        .args([testing::text(&binary), &source])
        .status();
    assert!(compiler.is_ok_and(|s| s.success()), "cc compiles the printed expressions");
    let output = std::process::Command::new(&binary).output().unwrap_or_else(|e| panic!("{e}"));
    assert!(output.status.success(), "the compiled program runs to its end: {:?}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The name that the failure of the last edge's check depends on. `f` is the library's and has no body, `own`
/// is the program's.
fn rests_on(lines: &str) -> Option<String> {
    let other = if lines.contains("c1") { "check c1 reach in main \"n\";" } else { "" };
    let text = format!(
        "entry main; check c0 reach in main \"m\"; {other} struct s {{ int a; int b; }};\n\
         library extern int f(void *, ...); extern int own(void *); foreign extern void raise(int);\n\
         global int g; global struct s o; global int a[4]; global int *q;\n\
         proc int same(int n) {{ return int ret__; entry L0; exit L1; L0: ret__ = n; goto L1; L1: }}\n\
         library proc int model(int *p) {{ local int n; return int ret__; entry L0; exit L4;\n\
           L0: havoc(n, unmodelled \"n\"); goto L1;\n\
           L1: true: assume(n != 0); goto L2; false: assume(n == 0); goto L3;\n\
           L2: *p = 1; goto L3;  L3: ret__ = 2; goto L4; L4: }}\n\
         proc void main(void) {{ local int x; local int y; local int *p; local struct s t;\n{lines} }}"
    );
    let limits = Limits { trace: 100, ..Limits::default() };
    let run = run_with(&parsed(&text), &mut Listed::default(), &limits);
    assert!(matches!(run.outcome, Outcome::CheckFailed(_)), "{:?}\n{text}", run.outcome);
    run.rests_on.map(|name| name.to_string())
}

/// Straight-line code before a check of this condition.
fn straight(code: &[&str], condition: &str) -> Option<String> {
    let mut lines = String::new();
    for (i, line) in code.iter().enumerate() {
        _ = writeln!(lines, "L{i}: {line}; goto L{};", i + 1);
    }
    let n = code.len();
    _ = write!(lines, "L{n}: check(c0, {condition}); goto L{}; L{}:", n + 1, n + 1);
    rests_on(&lines)
}

#[test]
fn results_without_model_are_followed_as_data() {
    let f = Some("f".to_owned());
    assert_eq!(straight(&["x = f(NULL)"], "x"), f);
    assert_eq!(straight(&["x = f(NULL)", "y = 2 + x", "g = same(y)", "g = g - 2"], "g"), f);
    assert_eq!(straight(&["x = f(NULL)", "x = 0"], "x"), None, "it was written over");
    assert_eq!(straight(&["x = f(NULL)"], "0"), None, "nothing looks at it");
    assert_eq!(straight(&["x = own(NULL)"], "x"), None, "an input");
    assert_eq!(straight(&["havoc(x, input \"nondet\")"], "x"), None, "an input");
    assert_eq!(straight(&["havoc(x, unmodelled \"fabs\")"], "x"), Some("fabs".into()));
    assert_eq!(straight(&["t.a = f(NULL)", "memmove(&o, &t, 8ul)"], "o.a"), f, "through a copy");
    assert_eq!(straight(&["t.b = 0", "t.a = f(NULL)", "memmove(&o, &t, 8ul)"], "o.b"), None, "beside it");
    assert_eq!(straight(&["x = f(NULL)", "memset(&o, x, 8ul)"], "o.b"), f);
}

#[test]
fn places_and_choices_that_rest_on_them_are_followed() {
    let f = Some("f".to_owned());
    assert_eq!(straight(&["x = f(NULL)", "a[x] = 1", "y = 0"], "y"), f, "it might be another place, or none");
    assert_eq!(straight(&["x = f(NULL)", "y = a[x]", "y = 0"], "y"), f);
    assert_eq!(straight(&["x = f(NULL)", "assume(x == 0)"], "0"), f, "the program assumes it");
    assert_eq!(straight(&["x = f(NULL)", "check(c1, x + 1)"], "0"), f, "the program might end there");
    assert_eq!(straight(&["x = f(NULL)", "x = x && g"], "x"), f);
    assert_eq!(
        straight(&["g = 0", "x = f(NULL)", "y = g && x"], "y"),
        None,
        "the right operand is not evaluated"
    );
    let branch = "L0: x = f(NULL); goto L1; L1: true: assume(x == 0); goto L2; false: assume(x != 0); goto L3;\n\
                  L2: y = 0; goto L4; L3: y = 1; goto L4; L4: check(c0, y); goto L5; L5:";
    assert_eq!(rests_on(branch), f);
    let range =
        "L0: x = f(NULL); goto L1; L1: internal: assume(x >= 0); goto L2; L2: check(c0, 0); goto L3; L3:";
    assert_eq!(rests_on(range), None, "a bound that holds for what it really returns");
}

#[test]
fn what_functions_without_model_may_write_or_do_is_followed() {
    let f = Some("f".to_owned());
    assert_eq!(straight(&["y = 0", "f(&y)"], "y"), f);
    assert_eq!(straight(&["g = 0", "q = &g", "p = (int *) &q", "f(p)"], "g"), f, "what its argument reaches");
    assert_eq!(straight(&["g = 0", "y = 0", "f(&g)"], "y"), None);
    assert_eq!(straight(&["y = 0", "own(&y)"], "y"), None, "the policy says that it may leave it");
    assert_eq!(straight(&["f(&same)"], "0"), f, "it may call what it gets");
    assert_eq!(straight(&["raise(6)"], "0"), Some("raise".into()));
}

#[test]
fn a_choice_inside_of_a_model_ends_with_it() {
    let model = Some("model".to_owned());
    assert_eq!(straight(&["y = 0", "x = model(&y)"], "y"), model, "what it writes on the other side");
    assert_eq!(straight(&["y = 0", "x = model(&y)"], "x - 2"), model);
    assert_eq!(straight(&["y = 0", "g = 0", "x = model(&y)"], "g"), None, "it returns in any case");
}
