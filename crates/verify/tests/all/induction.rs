//! Induction is attacked: facts that are almost inductive, and programs in which something else than the loop's own
//! statements changes what an invariant is about. Beside each stands a program in which the same proof goes through.

use crate::common::program;
use alias::{AliasMode, AliasOracle};
use bmc::Bounds;
use bmc::k_induction::{Candidate, prove};
use encoding::IntMode;
use ir::loop_nesting::{heads, nesting};
use ir::{CheckKind, Expr, ForAll, IntType, Type, VarId};
use std::sync::atomic::AtomicBool;

/// Whether induction over `k` turns shows the program's error calls not to be reached, with these candidates for each
/// loop of the procedure they name, or for its entry and exit if it has none; in both kinds of integers.
fn holds(text: &str, k: usize, candidates: &[(&str, &str)]) -> bool {
    let [math, bits] = shown(text, k, candidates);
    assert_eq!(math, bits, "both kinds of integers agree");
    math
}

/// The same in mathematical integers and in bit-vectors.
fn shown(text: &str, k: usize, candidates: &[(&str, &str)]) -> [bool; 2] {
    let program = program(text);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let mut all = vec![];
    for (name, condition) in candidates {
        let p = program.find_proc(name).expect("the procedure is there");
        let parse = |text: &str| ir::parse::expr(text, &program, Some(p)).expect("this is an expression");
        // "forall j in [0, n): CONDITION"
        let (range, condition) = match condition.strip_prefix("forall ") {
            Some(rest) => rest.split_once("): ").map(|(range, condition)| (Some(range), condition)),
            None => Some((None, *condition)),
        }
        .expect("a range ends");
        let range = range.and_then(|range| range.split_once(" in ["));
        let range = range.and_then(|(v, ends)| Some((v, ends.split_once(", ")?)));
        let range = range.map(|(v, (from, to))| {
            let Expr::Load(variable) = parse(v) else { panic!("{v} is no variable") };
            (variable.as_var().expect("a variable is bound"), parse(from), parse(to))
        });
        let condition = parse(condition);
        let proc = &program.procs[p];
        let mut places = heads(&nesting(proc, 20).expect("loops are not nested that deep"));
        if places.is_empty() {
            places = vec![proc.entry, proc.exit];
        }
        all.extend(places.into_iter().map(|l| (range.clone(), (p, l), condition.clone())));
    }
    let shown = |mode| {
        let wide = |e: &Expr| match mode {
            IntMode::Math => e.clone().cast(Type::Math),
            IntMode::Bits => e.clone().cast(Type::Int(IntType { bits: 64, signed: true })),
        };
        let in_mode = |(range, at, condition): &(Option<(VarId, Expr, Expr)>, _, Expr)| Candidate {
            at: *at,
            for_all: range.as_ref().map(|(v, from, to)| ForAll {
                variable: *v,
                from: wide(from),
                to: wide(to),
            }),
            condition: condition.clone(),
        };
        let all: Vec<Candidate> = all.iter().map(in_mode).collect();
        let (stop, interrupt) = (AtomicBool::new(false), smt::Interrupt::new());
        let bounds = Bounds {
            mode,
            turns: 20,
            steps: 20_000,
            rlimit: 200_000_000,
            total: 200_000_000,
            stop: &stop,
            interrupt: &interrupt,
        };
        let (proved, _) = prove(&program, &oracle, &bounds, k, &all, 0);
        let own = |c: &ir::CheckId| program.checks[*c].kind == CheckKind::Reach;
        proved.is_some_and(|p| program.checks.ids().filter(own).all(|c| p.checks.contains(&c)))
    };
    [IntMode::Math, IntMode::Bits].map(shown)
}

#[test]
fn a_bound_that_is_off_by_one_is_refused() {
    let text = |bound: &str| {
        format!(
            "int main(void) {{ int i = 0, n = input(); while (i < n) i++; assert(n < 0 || i {bound}); return 0; }}"
        )
    };
    let candidates = [
        ("main", "i <= n || n < 0"),
        ("main", "i < n || n < 0"),
        ("main", "i >= 0"),
        ("main", "i == 0 || i <= n"),
    ];
    assert!(holds(&text("<= n"), 1, &candidates));
    assert!(!holds(&text("< n"), 1, &candidates));
    assert!(!holds(&text("< n"), 3, &candidates));
}

#[test]
fn an_overflow_at_the_border_is_no_step() {
    // Unsigned numbers come back to 0.
    let text = |from: &str| {
        format!("int main(void) {{ unsigned x = {from}; while (input()) x++; assert(x >= 5u); return 0; }}")
    };
    assert!(!holds(&text("5"), 1, &[("main", "x >= 5u"), ("main", "x != 0u")]));
    assert!(!holds(&text("5"), 3, &[("main", "x >= 5u"), ("main", "x != 0u")]));
    let steps = "int main(void) { unsigned x = 5; while (input()) { if (x < 4000000000u) x++; } assert(x >= 5u); return 0; }";
    assert!(holds(steps, 1, &[("main", "x >= 5u")]));
}

#[test]
fn what_goes_wrong_after_many_turns_is_refused() {
    let text = |most: &str| {
        format!(
            "int main(void) {{ int i = 0, ok = 1; while (input()) {{ if (i == 70000) ok = {most}; if (i < 100000) i++; }}
             assert(ok == 1); return 0; }}"
        )
    };
    let candidates = [
        ("main", "ok == 1"),
        ("main", "i >= 0"),
        ("main", "i <= 100000"),
        ("main", "i <= 70000"),
        ("main", "i < 70000"),
    ];
    for k in 1..=4 {
        assert!(!holds(&text("0"), k, &candidates));
        assert!(holds(&text("1"), k, &candidates));
    }
}

#[test]
fn the_first_turns_count() {
    // From the second turn on it holds, whatever was before.
    let text = |first: &str| {
        format!(
            "int main(void) {{ int a = {first}, b = 1; while (input()) {{ assert(a == 1); a = b; }} return 0; }}"
        )
    };
    for k in 1..=3 {
        assert!(!holds(&text("0"), k, &[("main", "b == 1"), ("main", "a == 1")]));
        assert!(holds(&text("1"), k, &[("main", "b == 1"), ("main", "a == 1")]));
    }
    // Error in the third turn only: the turns before the last one are those of an execution.
    let third = "int main(void) { int n = 0; while (input()) { n++; assert(n != 3); } return 0; }";
    for k in 1..=4 {
        assert!(!holds(third, k, &[("main", "n != 3"), ("main", "n >= 0")]));
    }
}

#[test]
fn few_turns_leave_the_loop_too() {
    let text = |wrong: &str| {
        format!(
            "int main(void) {{ int n = 0, k = input(); while (n < k && n < 9) n++; assert(n != {wrong} || k < 0); return 0; }}"
        )
    };
    for k in 1..=4 {
        for wrong in ["0", "1", "2", "3", "9"] {
            assert!(!holds(&text(wrong), k, &[("main", "n >= 0"), ("main", "n <= 9")]), "{wrong} turns, {k}");
        }
        assert!(holds(&text("10"), k, &[("main", "n >= 0"), ("main", "n <= 9")]));
    }
}

#[test]
fn two_turns_at_once_show_what_one_does_not() {
    let text = "int main(void) { int a = 1, b = 1, c = 1; while (input()) { assert(a == 1); a = b; b = c; c = 1; } return 0; }";
    assert!(!holds(text, 1, &[]));
    assert!(holds(text, 4, &[]));
}

#[test]
fn callees_and_pointers_change_what_loops_read() {
    let alias = |step: &str| {
        format!(
            "static int g; static void f(int *p) {{ {step} }}
             int main(void) {{ int x = 1, y = 1; int *p = input() ? &x : &y; g = 1;
               while (input()) {{ f(p); assert(x == 1); assert(g == 1); }} return 0; }}"
        )
    };
    let candidates = [("main", "x == 1"), ("main", "g == 1"), ("main", "y == 1")];
    assert!(holds(&alias("*p = 1;"), 1, &candidates));
    for step in
        ["*p = 2;", "g = g + 1;", "static int n; n++; if (n == 5) *p = 7;", "int *q = p; *q = *p + 1;"]
    {
        for k in 1..=3 {
            assert!(!holds(&alias(step), k, &candidates), "{step}");
        }
    }
}

#[test]
fn recursion_is_any_depth() {
    let text = |step: &str| {
        format!(
            "static int depth; static int f(int n) {{ int r; if (n <= 0) return 0; depth = depth + {step}; r = f(n - 1); depth = depth - 1; return r + 1; }}
             int main(void) {{ int n = input(), r; if (n < 0 || n > 1000) return 0; depth = 0; r = f(n); assert(depth == 0); assert(r >= 0); return 0; }}"
        )
    };
    let candidates =
        [("f", "depth == old(depth)"), ("f", "ret__ >= 0"), ("f", "ret__ <= n"), ("f", "n <= 1000")];
    assert!(holds(&text("1"), 1, &candidates[..1]) || holds(&text("1"), 1, &candidates));
    assert!(!holds(&text("2"), 1, &candidates));
    assert!(!holds(&text("2"), 2, &candidates));
    // What a caller's variable gets through a pointer.
    let through = |step: &str| {
        format!(
            "static void f(int *p, int n) {{ if (n > 0) {{ f(p, n - 1); *p = {step}; }} }}
             int main(void) {{ int x = 0; f(&x, input()); assert(x == 0); return 0; }}"
        )
    };
    assert!(holds(&through("0"), 1, &[("f", "*p == 0")]));
    assert!(!holds(&through("n == 3"), 1, &[("f", "*p == 0")]));
}

#[test]
fn objects_of_earlier_turns_are_others() {
    let text = |which: &str| {
        format!(
            "int main(void) {{ int *first = malloc(4), *last = first; if (!first) return 0; *first = 1;
               while (input()) {{ last = malloc(4); if (!last) return 0; *{which} = 2; assert(*first == 1); }} return 0; }}"
        )
    };
    let candidates = [("main", "*first == 1"), ("main", "first != NULL"), ("main", "last != NULL")];
    assert!(holds(&text("last"), 1, &candidates));
    assert!(!holds(&text("first"), 1, &candidates));
    let kept = "int main(void) { int *p = malloc(4), *old; if (!p) return 0; *p = 1; old = p;
        while (input()) { *p = 1; assert(*old == 1); *p = 2; old = p; p = malloc(4); if (!p) return 0; } return 0; }";
    assert!(!holds(kept, 1, &[("main", "*old == 1")]));
    assert!(!holds(kept, 2, &[("main", "*old == 1")]));
}

#[test]
fn inner_loops_change_what_outer_ones_read() {
    let text = |inner: &str| {
        format!(
            "int main(void) {{ int i = 0, j, s = 0; while (input()) {{ for (j = 0; j < i; j++) {{ {inner} }} assert(s <= 0); if (i < 100) i++; }} return 0; }}"
        )
    };
    let candidates = [("main", "s <= 0"), ("main", "i >= 0"), ("main", "i <= 100"), ("main", "s == 0")];
    for k in 1..=3 {
        assert!(holds(&text("if (s > -5) s--;"), k, &candidates));
        assert!(!holds(&text("if (j == 60) s++;"), k, &candidates));
        assert!(!holds(&text("if (j == 1) s++;"), k, &candidates));
    }
}

#[test]
fn a_loop_that_is_entered_in_its_middle() {
    let text = |to: &str| {
        format!(
            "int main(void) {{ int x = 0; if (input()) goto inside; x = 1; while (input()) {{ x = 1; inside: assert(x == {to} || x == 1); }} return 0; }}"
        )
    };
    assert!(!holds(&text("1"), 1, &[("main", "x == 1")]));
    assert!(!holds(&text("1"), 2, &[("main", "x == 1")]));
}

#[test]
fn constant_turns_need_no_invariant() {
    let text = |n: u32| {
        format!(
            "int main(void) {{ int a[8], i, s = 0; for (i = 0; i < 8; i++) a[i] = i; for (i = 0; i < 8; i++) s += a[i]; assert(s == {n}); return 0; }}"
        )
    };
    assert!(holds(&text(28), 1, &[]));
    assert!(!holds(&text(27), 1, &[]));
    // The candidate is false in the second turn, and is not kept where the loop is summarised.
    let twice = "static int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s++; return s; }
        int main(void) { int x = f(3), y = f(input()); assert(x == 3); assert(y <= 2); return 0; }";
    assert!(!holds(twice, 1, &[("f", "s <= 2"), ("f", "s == i")]));
}

#[test]
fn deep_calls_are_not_left_out() {
    let text = |depth: usize| {
        let calls: String =
            (1..=depth).map(|n| format!("static void f{n}(int x) {{ f{}(x); }}\n", n - 1)).collect();
        format!(
            "static void f0(int x) {{ assert(x != 3); }}\n{calls}int main(void) {{ f{depth}(input()); return 0; }}"
        )
    };
    assert!(!holds(&text(3), 1, &[]));
    assert!(!holds(&text(40), 1, &[]));
}

#[test]
fn all_elements_of_an_array_are_as_the_loop_leaves_them() {
    let text = |fill: &str, after: &str| {
        format!(
            "int main(void) {{ int a[1000], n = input(), k = input(), j = 0; if (n < 1 || n > 1000 || k < 0 || k >= n) return 0;
             for (int i = 0; i < n; i++) {{ {fill} }} {after} assert(a[k] == 0); return j; }}"
        )
    };
    let candidates = [
        ("main", "i >= 0"),
        ("main", "i <= n"),
        ("main", "forall j in [0, i): a[j] == 0"),
        ("main", "forall j in [0, i + 1): a[j] == 0"),
        ("main", "forall j in [1, i): a[j] == 0"),
        ("main", "forall j in [0, n): a[j] == 0"),
    ];
    assert!(holds(&text("a[i] = 0;", ""), 1, &candidates));
    assert!(holds(&text("a[i] = 1; a[i]--;", "a[k] = a[0];"), 1, &candidates));
    let broken = [
        ("if (i > 0) a[i] = 0;", ""),
        ("a[i] = 0; if (i == 900) a[5] = 1;", ""),
        ("a[i] = i == 900;", ""),
        ("a[i] = 0;", "a[n - 1] = 1;"),
        ("a[i] = 0;", "int *p = a; if (input()) p += k; *p = 7;"),
        ("a[i] = 0; i++;", ""),
        ("a[n - i] = 0;", ""),
    ];
    for (fill, after) in broken {
        for k in 1..=2 {
            assert!(!holds(&text(fill, after), k, &candidates), "{fill} {after}");
        }
    }
}

#[test]
fn elements_in_order_stay_so_only_where_they_do() {
    let text = |body: &str| {
        format!(
            "int main(void) {{ int a[1000], n = input(), k = input(), j = 0; if (n < 2 || n > 1000 || k < 1 || k >= n) return 0;
             a[0] = input(); for (int i = 1; i < n; i++) {{ {body} }} assert(a[k - 1] <= a[k]); return j; }}"
        )
    };
    let candidates =
        [("main", "i >= 1"), ("main", "i <= n"), ("main", "forall j in [1, i): a[j - 1] <= a[j]")];
    // With bit-vectors it is too much work.
    assert!(shown(&text("a[i] = input(); if (a[i] < a[i - 1]) a[i] = a[i - 1];"), 1, &candidates)[0]);
    assert!(!holds(&text("a[i] = input(); if (a[i] < a[0]) a[i] = a[i - 1];"), 1, &candidates));
    assert!(!holds(&text("a[i] = a[i - 1] + 1; if (i == 990) a[0] = 50;"), 2, &candidates));
}

#[test]
fn a_number_that_the_bound_variable_cannot_have_is_in_no_range() {
    // The range says nothing of negative numbers, since the variable has none.
    let text = |type_name: &str| {
        format!(
            "int main(void) {{ int a[8], *p = a + 4; {type_name} u = 0; a[3] = input(); while (input()) u = 0;
             assert(p[-1] == 7); return u; }}"
        )
    };
    for name in ["unsigned", "unsigned char", "int", "long"] {
        assert!(!holds(&text(name), 1, &[("main", "forall u in [-3, 0): p[u] == 7")]), "{name}");
    }
}

/// A program with two arrays of a thousand numbers, and an index `k` below `n`; the loop makes it one with an induction.
fn with_blocks(body: &str, check: &str) -> String {
    format!(
        "void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);
         int main(void) {{ int a[1000], b[1000], n = input(), k = input(); if (n < 1 || n > 1000 || k < 0 || k >= n) return 0;
         for (int i = 0; i < 1000; i++) {{ a[i] = 5; b[i] = 6; }} {body} while (input()) n--; assert({check}); return 0; }}"
    )
}

#[test]
fn large_blocks_hold_what_was_written() {
    let known = [
        ("main", "i >= 0"),
        ("main", "forall n in [0, i): a[n] == 5"),
        ("main", "forall n in [0, i): b[n] == 6"),
        ("main", "forall i in [0, 1000): a[i] == 5"),
        ("main", "forall i in [0, 1000): b[i] == 6"),
    ];
    let holds = |body: &str, check: &str| shown(&with_blocks(body, check), 1, &known)[0];
    for (body, check) in [
        ("memset(a, 0, sizeof a);", "a[k] == 0"),
        ("memset(a, 0, n * sizeof(int));", "a[k] == 0"),
        ("memset(a, 0, k * sizeof(int));", "a[k] == 5"),
        ("memset(a, 0, sizeof a);", "b[k] == 6"),
    ] {
        assert!(holds(body, check), "{body} {check}");
    }
    for (body, check) in [
        ("memset(a, 0, (n - 1) * sizeof(int));", "a[k] == 0"),
        ("memset(a, 0, n * sizeof(int) - 1);", "a[k] == 0"),
        ("memset(a, 0, n * sizeof(int));", "a[k] == 5"),
        ("memset(a + k, 0, sizeof(int) * (1000 - k));", "a[k] == 5"),
        ("memset(a + 1, 0, sizeof a - sizeof(int));", "a[k] == 0"),
        ("memset(a, 1, sizeof a);", "a[k] == 0"),
        ("memset((char *)a + 2, 0, 2000);", "a[0] == 5"),
        ("memset((char *)a + 2, 0, 2000);", "a[500] == 5 || a[500] == 0"),
        ("memcpy(a, b, (n - 1) * sizeof(int));", "a[k] == 6"),
        ("memcpy(a, b + 1, 999 * sizeof(int)); a[0] = 1;", "a[k] == 6"),
        ("b[7] = 0; memcpy(a, b + 3, 990 * sizeof(int));", "a[4] == 6"),
        ("memcpy(a, b, sizeof a); a[k] = 0;", "a[k] == 6"),
    ] {
        assert!(!holds(body, check), "{body} {check}");
    }
}

/// What a turn allocates is nothing that an earlier one has kept, but a number may be its address.
#[test]
fn what_is_allocated_is_new() {
    let text = |first: &str, claim: &str| {
        format!(
            "int main(void) {{ int *kept = {first}, *last = 0; while (input()) {{ int *p = malloc(4); if (!p) return 0;
                assert({claim}); last = p; if (input()) kept = p; }} return 0; }}"
        )
    };
    let about = [("main", "kept == NULL || kept != NULL"), ("main", "last == NULL || last != NULL")];
    assert!(holds(&text("0", "p != kept && p != last"), 1, &about));
    assert!(!holds(&text("0", "kept == 0 || kept != last"), 1, &about));
    assert!(!holds(&text("(int *)(unsigned long)input()", "p != kept"), 1, &about));
}
