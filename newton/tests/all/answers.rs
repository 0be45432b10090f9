//! What each refiner alone finds for small paths whose refutation is known.

use crate::paths::{COUNTERS, ONCE_ROUND, POINTERS, RECURSION, copies, predicates_of};
use expect_test::{Expect, expect};
use newton::Refiner;

const REFINERS: [Refiner; 5] = [Refiner::Wp, Refiner::Sp, Refiner::WpAll, Refiner::Tree, Refiner::Loops];

/// The predicates of all refiners.
fn all(source: &str, steps: &str, expected: &Expect) {
    let of = |refiner: Refiner| {
        let found = predicates_of(source, steps, refiner);
        format!(
            "{}: {}\n",
            refiner.short_name(),
            if found.is_empty() { "-".into() } else { found.join("; ") }
        )
    };
    expected.assert_eq(&REFINERS.map(of).concat());
}

/// The lock of the SLAM papers: acquired, and released on the other branch of the same condition.
const LOCK: &str = r#"model LP64; entry start__;
check c0 reach in start__ "released twice";
proc void start__(void) {
  local int lock; local int n; local int old;
  entry L0; exit L7;
  L0: e0: lock = 0; goto L1;
  L1: e1: havoc(n, input "input"); goto L2;
  L2: e2: old = n; goto L3;
  L3: e3: lock = 1; goto L4;
  L4: e4: n = n + 1; goto L5;
  L5: e5: assume(n == old); goto L6; e6: assume(n != old); goto L7;
  L6: e7: check(c0, lock == 0); goto L7;
  L7:
}
"#;

#[test]
fn a_lock_needs_the_relation_that_tells_the_branches_apart() {
    let steps = "start__ e0\nstart__ e1\nstart__ e2\nstart__ e3\nstart__ e4\nstart__ e5\nstart__ e7";
    all(
        LOCK,
        steps,
        &expect![[r#"
        wp: start__: n == old; start__: n == (mathint) old - 1
        sp: start__: n == old; start__: n == (mathint) old + 1
        wp-all: start__: lock == 0; start__: n == old; start__: n == (mathint) old - 1
        tree: start__: n == old; start__: n == (mathint) old - 1
        loops: start__: n == old; start__: n == (mathint) old - 1
    "#]],
    );
}

/// `low <= x <= high` for an input `x` between others.
const BETWEEN: &str = r#"model LP64; entry start__;
check c0 reach in start__ "empty";
proc void start__(void) {
  local int low; local int high; local int x;
  entry L0; exit L4;
  L0: e0: havoc(x, input "input"); goto L1;
  L1: e1: assume(low <= x); goto L2;
  L2: e2: assume(x <= high); goto L3;
  L3: e3: check(c0, low <= high); goto L4;
  L4:
}
"#;

#[test]
fn a_havocked_variable_is_eliminated_by_its_bounds() {
    let steps = "start__ e0\nstart__ e1\nstart__ e2\nstart__ e3";
    all(
        BETWEEN,
        steps,
        &expect![[r#"
        wp: start__: low <= high; start__: high < x; start__: low <= x
        sp: start__: low <= x; start__: high < x
        wp-all: start__: low <= high; start__: high < x; start__: low <= x
        tree: start__: low <= high; start__: high < x; start__: low <= x
        loops: start__: low <= high; start__: high < x; start__: low <= x
    "#]],
    );
}

/// `*p` is set while `p` may be `&x` or `&y`.
const ALIASES: &str = r#"model LP64; entry start__;
check c0 reach in start__ "x is lost";
proc void start__(void) {
  local int x; local int y; local int *p;
  entry L0; exit L5;
  L0: e0: p = &x; goto L1; e1: p = &y; goto L1;
  L1: e2: x = 1; goto L2;
  L2: e3: *p = 2; goto L3;
  L3: e4: assume(p != &x); goto L4;
  L4: e5: check(c0, x == 1); goto L5;
  L5:
}
"#;

#[test]
fn a_pointer_that_points_elsewhere_is_told_apart() {
    let steps = "start__ e1\nstart__ e2\nstart__ e3\nstart__ e4\nstart__ e5";
    all(
        ALIASES,
        steps,
        &expect![[r#"
        wp: start__: x == 1; start__: p == &x
        sp: start__: p == &y; start__: x == 1
        wp-all: start__: x == 1; start__: p == &x
        tree: -
        loops: -
    "#]],
    );
}

/// One element of an array, by an index that does not change.
const ELEMENT: &str = r#"model LP64; entry start__;
global int a[10];
check c0 reach in start__ "the element is another";
proc void start__(void) {
  local int i; local int v;
  entry L0; exit L3;
  L0: e0: a[i] = v; goto L1;
  L1: e1: v = v + 1; goto L2;
  L2: e2: check(c0, a[i] == v - 1); goto L3;
  L3:
}
"#;

#[test]
fn an_element_is_named_by_its_index() {
    all(
        ELEMENT,
        "start__ e0\nstart__ e1\nstart__ e2",
        &expect![[r#"
        wp: start__: a[i] == (mathint) v - 1; start__: a[i] == v
        sp: start__: a[i] == v
        wp-all: start__: a[i] == (mathint) v - 1; start__: a[i] == v
        tree: -
        loops: -
    "#]],
    );
}

/// A global that a callee changes.
const GLOBAL: &str = r#"model LP64; entry start__;
global int count;
check c0 reach in start__ "not one more";
proc void more(void) {
  entry L0; exit L1;
  L0: e0: count = count + 1; goto L1;
  L1:
}
proc void start__(void) {
  local int before;
  entry L0; exit L3;
  L0: e0: before = count; goto L1;
  L1: e1: more(); goto L2;
  L2: e2: check(c0, count == before + 1); goto L3;
  L3:
}
"#;

#[test]
fn a_callee_is_related_to_its_entry() {
    all(
        GLOBAL,
        "start__ e0\nstart__ e1 -> more\nmore e0\nstart__ e1 <- more\nstart__ e2",
        &expect![[r#"
        wp: start__: count == (mathint) before + 1; more: count == (mathint) old(count) + 1; more: count == old(count); start__: count == before
        sp: start__: count == before; more: count == old(count); more: count == (mathint) old(count) + 1; start__: count == (mathint) before + 1
        wp-all: start__: count == (mathint) before + 1; more: count == (mathint) old(count) + 1; more: count == old(count); start__: count == before
        tree: start__: count == (mathint) before + 1; more: count == (mathint) old(count) + 1; more: count == old(count); start__: count == before
        loops: start__: count == (mathint) before + 1; more: count == (mathint) old(count) + 1; more: count == old(count); start__: count == before
    "#]],
    );
}

#[test]
fn two_counters_of_a_loop() {
    all(
        COUNTERS,
        &format!("{ONCE_ROUND}start__ e5"),
        &expect![[r#"
        wp: start__: x == y; start__: x == (mathint) y + 1; next: n == (mathint) ret__ - 1
        sp: start__: x == y; next: n == (mathint) ret__ - 1
        wp-all: start__: x == y; start__: x == (mathint) y + 1; next: n == (mathint) ret__ - 1
        tree: start__: x == y; start__: x == (mathint) y + 1; next: n == (mathint) ret__ - 1
        loops: start__: x == y; start__: x == (mathint) y + 1; next: n == (mathint) ret__ - 1
    "#]],
    );
}

#[test]
fn a_value_behind_a_pointer_that_was_passed() {
    let steps = "start__ e0\nstart__ e1\nstart__ e2 -> set\nset e0\nstart__ e2 <- set\nstart__ e3";
    all(
        POINTERS,
        steps,
        &expect![[r#"
        wp: start__: low <= high; set: v <= *p
        sp: set: *p == old(*p)
        wp-all: start__: low <= high; set: v <= *p
        tree: -
        loops: -
    "#]],
    );
}

#[test]
fn a_recursion_that_copies() {
    all(
        RECURSION,
        &copies(1),
        &expect![[r#"
        wp: start__: x == y; copy: n == ret__; copy: n == (mathint) rest + 1; start__: x == 1
        sp: copy: n == 0; copy: ret__ == 0; copy: rest == 0; copy: n == 1; copy: ret__ == 1; start__: y == 1
        wp-all: start__: x == y; copy: n == ret__; copy: n == (mathint) rest + 1; start__: x == 1; start__: x == 0
        tree: start__: x == y; copy: n == ret__; copy: n == (mathint) rest + 1; copy: n == 0
        loops: start__: x == y; copy: n == ret__; copy: n == (mathint) rest + 1; copy: n == 0
    "#]],
    );
}
