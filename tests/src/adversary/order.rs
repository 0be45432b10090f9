//! Programs whose result depends on the order in which operands are evaluated, which C leaves open.
//!
//! Compiled runs have the orders spelt out and choose one with `slam_order()`. Calls are sequenced against the rest of
//! their expression, in an order that is open, so all of these are defined.

use super::program::Draft;
use super::scenario::{Guard, guard};

/// An expression with two operands of which one changes what the other reads.
pub(super) fn order(draft: &mut Draft) -> Vec<i64> {
    let guard = guard(draft);
    draft.global("g@", "int g@");
    draft.global("t@", "int t@[4]");
    draft.global("k@", "int k@");
    match draft.dice.below(7) {
        0 | 1 => sum(draft, &guard),
        2 => compound(draft, &guard),
        3 => element(draft, &guard),
        4 => arguments(draft, &guard),
        5 => comparison(draft, &guard),
        _ => by_pointer(draft, &guard),
    }
    let assertion = guard.assertion(draft, "r");
    draft.body(assertion);
    guard.failing()
}

/// A function that changes `g` under the guard, and gives what it is given.
fn changes(draft: &mut Draft) {
    draft.top("static int set@(int f, int v) { if (f) g@ = v; return 0; }");
}

/// Two operands in either order: the text of both.
fn either(left: &str, right: &str, joined: &str) -> String {
    format!(
        "({{ int l_, r_; if (slam_order()) {{ r_ = {right}; l_ = {left}; }} else {{ l_ = {left}; r_ = {right}; }} {joined}; }})"
    )
}

/// `g + set()`: 0 or `x` under the guard.
fn sum(draft: &mut Draft, guard: &Guard) {
    changes(draft);
    let condition = &guard.condition;
    let op = *draft.dice.of(&["+", "-", "|"]);
    let call = format!("set@({condition}, x)");
    let kept = format!("set@({condition}, 0)");
    let swapped = draft.dice.one_in(2) && op != "-";
    let text = |call: &str| {
        if swapped { format!("int r = {call} {op} g@;") } else { format!("int r = g@ {op} {call};") }
    };
    let native = |call: &str| format!("int r = {};", either("g@", call, &format!("l_ {op} r_")));
    draft.body("g@ = 0;");
    draft.ordered([text(&kept), text(&call)], [native(&kept), native(&call)], 1);
}

/// `g += add()`, where `add` changes `g`.
fn compound(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("static int add@(int f, int v) { if (f) g@ += v; return 1; }");
    // With the call first the change is kept, otherwise it is lost: 1 + x or 1.
    let text = |v: &str| format!("g@ = 0; g@ += add@({condition}, {v}); int r = g@ - 1;");
    let native = |v: &str| {
        let call = format!("add@({condition}, {v})");
        format!("g@ = 0; g@ = {}; int r = g@ - 1;", either("g@", &call, "l_ + r_"))
    };
    draft.ordered([text("0"), text("x")], [native("0"), native("x")], 1);
}

/// `t[k] = next(&k)`: the index before or after the call.
fn element(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("static int next@(int *i, int f, int v) { if (f) *i += 1; return v; }");
    draft.body("k@ = 1; t@[1] = 0; t@[2] = 0;");
    let seen = 1 + draft.dice.below(2);
    let holding = *draft.dice.of(&["0 * x", "1"]);
    let text = |v: &str| format!("t@[k@] = next@(&k@, {condition}, {v});");
    let native = |v: &str| {
        let call = format!("next@(&k@, {condition}, {v})");
        format!("{};", either("k@", &call, "t@[l_] = r_"))
    };
    draft.ordered([text(holding), text("x")], [native(holding), native("x")], 1);
    // Element 1 has `x` also when nothing moves, so that it is significant only under the guard.
    draft.body(format!("int r = {condition} ? t@[{seen}] : 0;"));
}

/// Arguments of a call.
fn arguments(draft: &mut Draft, guard: &Guard) {
    changes(draft);
    let condition = &guard.condition;
    draft.top("static int first@(int a, int b) { return a + b; }");
    let swapped = draft.dice.one_in(2);
    let text = |v: &str| {
        let call = format!("set@({condition}, {v})");
        let (a, b) = if swapped { (call.as_str(), "g@") } else { ("g@", call.as_str()) };
        format!("int r = first@({a}, {b});")
    };
    let native = |v: &str| {
        let call = format!("set@({condition}, {v})");
        format!("int r = {};", either("g@", &call, "first@(l_, r_)"))
    };
    draft.body("g@ = 0;");
    draft.ordered([text("1"), text("x")], [native("1"), native("x")], 1);
}

/// A comparison of what two calls give.
fn comparison(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("static int put@(int f, int v) { if (f) g@ = v; return 3; }");
    draft.top("static int get@(int d) { return g@ + d; }");
    let d = draft.dice.within(0, 2);
    // `get() > 2 + bad` only when it comes second and `g` is more than what is excluded.
    let limit = guard.bad + d;
    let swapped = draft.dice.one_in(2);
    let text = |v: &str| {
        let (put, get) = (format!("put@({condition}, {v}) + {}", limit - 3), format!("get@({d})"));
        if swapped { format!("int e = {put} == {get};") } else { format!("int e = {get} == {put};") }
    };
    let native = |v: &str| {
        let put = format!("put@({condition}, {v}) + {}", limit - 3);
        format!("int e = {};", either(&put, &format!("get@({d})"), "l_ == r_"))
    };
    draft.body("g@ = 0;");
    draft.ordered([text("1"), text("x")], [native("1"), native("x")], 1);
    draft.body(format!("int r = e ? {} : 0;", guard.bad));
}

/// What is changed is a local, by its address.
fn by_pointer(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("static int through@(int *p, int f, int v) { if (f) *p = v; return 0; }");
    draft.body("int n = 0;");
    let swapped = draft.dice.one_in(2);
    let text = |v: &str| {
        let call = format!("through@(&n, {condition}, {v})");
        if swapped { format!("int r = {call} + n * 1;") } else { format!("int r = n + {call};") }
    };
    let native =
        |v: &str| format!("int r = {};", either("n", &format!("through@(&n, {condition}, {v})"), "l_ + r_"));
    draft.ordered([text("1"), text("x")], [native("1"), native("x")], 1);
}
