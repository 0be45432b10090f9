//! Candidates for invariants of loops, guessed from executions of C programs.

use crate::common::program;
use executions::likely_invariants::Kind;
use executions::observe;
use ir::{Expr, print};
use std::sync::atomic::AtomicBool;

/// The candidates at each loop of a procedure, without conversions to mathematical integers.
fn candidates_of(text: &str, name: &str) -> Vec<Vec<(Kind, String)>> {
    let program = program(text);
    let found = observe::candidates(&program, &AtomicBool::new(false));
    let text = |e: &Expr| print::expr(&program, e).replace("(mathint) ", "");
    let in_proc = found.iter().filter(|((p, _), _)| program.procs[*p].name == name);
    let about = |c: &executions::likely_invariants::Candidate| match &c.for_all {
        Some(range) => range.text(&program, &text(&c.condition), text),
        None => text(&c.condition),
    };
    in_proc.map(|(_, list)| list.iter().map(|c| (c.kind, about(c))).collect()).collect()
}

/// Each of these is a candidate at the only loop of the procedure.
fn has(text: &str, name: &str, wanted: &[(Kind, &str)]) {
    let all = candidates_of(text, name);
    let [list] = &all[..] else { panic!("{} loops", all.len()) };
    assert!(list.len() <= 60);
    for (kind, condition) in wanted {
        assert!(list.iter().any(|(k, c)| k == kind && c == condition), "no {condition} among {list:#?}");
    }
}

#[test]
fn places_depend_on_each_other() {
    let text =
        "int main(void) { int x = 0, y = 0; while (input()) { x++; y += 2; } assert(y == 2 * x); return 0; }";
    has(text, "main", &[(Kind::Equality(1), "y == 2 * x"), (Kind::Bound, "x >= 0")]);
}

#[test]
fn sums_are_polynomials() {
    let text = "int main(void) { int n = input(), i = 0, s = 0; while (i < n) { s += i; i++; }
        assert(n < 0 || 2 * s == n * (n - 1)); return 0; }";
    let wanted = [(Kind::Equality(2), "i * i == i + 2 * s"), (Kind::Guarded, "i <= n || i == 0")];
    has(text, "main", &wanted);
    let text = "int main(void) { long a = input(), n = 0, x = 0, y = 1, z = 6;
        while (n <= a) { n = n + 1; x = x + y; y = y + z; z = z + 6; assert(x == n * n * n); } return 0; }";
    let wanted = [
        (Kind::Equality(1), "z == 6 * n + 6"),
        (Kind::Equality(2), "y == 3 * n + 3 * n * n + 1"),
        (Kind::Equality(3), "n * n * n == x"),
    ];
    has(text, "main", &wanted);
}

#[test]
fn loops_have_phases() {
    let text = "int main(void) { unsigned x = 0; while (x < 100000) { if (x < 65520) x++; else x += 2; }
        assert(x % 2 == 0); return 0; }";
    has(text, "main", &[(Kind::Phase, "x < 65520 || x % 2 == 0")]);
    let text = "int main(void) { int x = 0, y = 50; while (x < 100) { if (x >= 50) y++; x++; } assert(y == x); return 0; }";
    has(text, "main", &[(Kind::Phase, "x >= 50 || y == 50"), (Kind::Phase, "x < 50 || y == x")]);
}

#[test]
fn division_by_subtraction() {
    let text = "int main(void) { int a = input(), b = input(), q = 0, r; if (a < 0 || b < 1) return 0;
        r = a; while (r >= b) { r -= b; q++; } assert(a == q * b + r); return 0; }";
    has(text, "main", &[(Kind::Equality(2), "a == r + b * q"), (Kind::Bound, "r >= 0")]);
}

#[test]
fn values_at_the_entry_of_a_procedure() {
    let text = "int count(int n) { int c = 0; while (n > 0) { n--; c++; } return c; }
        int main(void) { int n = input(); if (n > 0) assert(count(n) == n); return 0; }";
    has(text, "count", &[(Kind::Equality(1), "old(n) == n + c"), (Kind::Bound, "n >= 0")]);
}

#[test]
fn members_behind_pointers() {
    let text = "struct list { int len; int cap; };
        void fill(struct list *p, int n) { int i = 0; p->len = 0; p->cap = n;
            while (i < n) { if (p->len < p->cap) p->len++; i++; } assert(p->len == n); }
        int main(void) { struct list l; int n = input(); if (n > 0) fill(&l, n); return 0; }";
    let wanted = [
        (Kind::Equality(1), "i == p->len"),
        (Kind::Equality(1), "p->cap == n"),
        (Kind::Pointer, "p != NULL"),
        (Kind::Difference, "i <= n"),
    ];
    has(text, "fill", &wanted);
}

#[test]
fn few_values_and_rests() {
    let text = "int main(void) { int lock = 0, e = 0; while (input()) {
            if (input()) { lock = 3 - lock; } e += 4; }
        assert(e % 4 == 0 && lock != 1); return 0; }";
    has(text, "main", &[(Kind::Values, "lock == 0 || lock == 3"), (Kind::Congruence, "e % 4 == 0")]);
}

#[test]
fn elements_of_small_arrays() {
    let text = "int a[2]; int main(void) { int i = 0; while (input()) { a[i & 1] += 1; i++; }
        assert(a[0] - a[1] <= 1); return 0; }";
    has(text, "main", &[(Kind::Difference, "a[1] <= a[0]"), (Kind::Equality(1), "i == a[0] + a[1]")]);
}

#[test]
fn the_same_each_time() {
    let text = "int main(void) { int x = input(), y = input(), n = 0; while (x != y && n < 50) {
            if (x > y) x -= y; else y -= x; n++; } assert(n < 50); return 0; }";
    assert_eq!(candidates_of(text, "main"), candidates_of(text, "main"));
}

#[test]
fn nothing_without_loops_or_when_stopped() {
    let program = program("int main(void) { int i = 0; while (input()) i++; assert(i >= 0); return 0; }");
    assert!(observe::candidates(&program, &AtomicBool::new(true)).is_empty());
    assert!(candidates_of("int main(void) { assert(input() != 7); return 0; }", "main").is_empty());
}

#[test]
fn elements_in_a_range_have_something_in_common() {
    let text = "static int a[100], b[100];
        static int find(int n) { int most = a[0], m = 0; for (int i = 1; i < n; i++) if (a[i] > most) { most = a[i]; m = i; } return m; }
        int main(void) { int n = input(), k = 0; if (n < 1 || n > 100) return 0; for (k = 0; k < n; k++) a[k] = input() % 50;
            k = find(n); for (int i = 0; i < n; i++) assert(a[i] <= a[k]); return 0; }";
    has(text, "find", &[(Kind::Range, "forall n in [0, i): a[n] <= most")]);
    let text = "static int a[100], b[100];
        static void copy(int n) { for (int i = 0; i < n; i++) b[i] = a[n - 1 - i]; }
        int main(void) { int n = input(); if (n < 1 || n > 100) return 0; for (int k = 0; k < n; k++) a[k] = input();
            copy(n); assert(b[0] == a[n - 1]); return 0; }";
    has(text, "copy", &[(Kind::Range, "forall i in [0, i): b[i] == a[n - 1 - i]")]);
    let text = "static int a[50];
        static void shift(int n) { for (int i = 0; i + 1 < n; i++) a[i] = a[i + 1]; }
        int main(void) { int n = input(); if (n < 2 || n > 50) return 0; for (int k = 0; k < n; k++) a[k] = 2 * k;
            shift(n); assert(a[0] == 2); return 0; }";
    let moved = [
        (Kind::Range, "forall n in [0, i): a[n] == 2 * n + 2"),
        (Kind::Range, "forall n in [i, n): a[n] == 2 * n"),
    ];
    has(text, "shift", &moved);
    let text = "static int a[50];
        static int find(int n) { int i = 0; while (i < n && a[i] != 7) i++; return i; }
        int main(void) { int n = input(); if (n < 1 || n > 50) return 0; for (int k = 0; k < n; k++) a[k] = input() % 10;
            assert(find(n) <= n); return 0; }";
    has(text, "find", &[(Kind::Range, "forall n in [0, i): a[n] != 7")]);
    let text = "static int a[30];
        static void select(int n) { for (int i = 0; i < n - 1; i++) { int least = i;
            for (int j = i; j < n; j++) if (a[j] < a[least]) least = j;
            int t = a[i]; a[i] = a[least]; a[least] = t; } }
        int main(void) { int n = input(); if (n < 2 || n > 30) return 0; for (int k = 0; k < n; k++) a[k] = input();
            select(n); assert(a[0] <= a[n - 1]); return 0; }";
    let all = candidates_of(text, "select");
    let outer = &all[0];
    let wanted = "forall least in [i, n): i - 1 < 0 || a[least] >= a[i - 1]";
    assert!(outer.iter().any(|(_, c)| c == wanted), "{outer:#?}");
}

#[test]
fn bits_that_were_looked_at_are_zero() {
    let text = "int main(void) { unsigned x = input(); int n = 0; while (x) { x &= x - 1; n++; } assert(n <= 32); return 0; }";
    has(text, "main", &[(Kind::Shift, "x >> n << n == x"), (Kind::Shift, "n <= 32")]);
    let text = "int main(void) { unsigned x = input(); int n = 0; while (x) { x >>= 1; n++; } assert(n <= 32); return 0; }";
    has(text, "main", &[(Kind::Shift, "x <= 4294967295u >> n"), (Kind::Shift, "n <= 32")]);
}
