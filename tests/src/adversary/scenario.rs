//! What happens in most programs: a scalar has a value, something misleading may happen to it, it is read and compared.

use super::access::{Indexed, Object, Style};
use super::program::Draft;

/// When the misleading thing happens, and with which inputs the assertion then fails.
pub(super) struct Guard {
    pub(super) condition: String,
    /// Values of the inputs behind `x`.
    pub(super) chosen: Vec<i64>,
    /// The value of `x` that the assertion excludes.
    pub(super) bad: i64,
}

/// Draws `x` and the choice.
pub(super) fn guard(draft: &mut Draft) -> Guard {
    let bad = *draft.dice.of(&[3, 5, 6, 7]);
    guard_over(draft, -2, 8, bad)
}

/// As [`guard`], where `x` has these values.
pub(super) fn guard_over(draft: &mut Draft, low: i64, high: i64, bad: i64) -> Guard {
    draft.input("x", low, high);
    if draft.dice.one_in(4) {
        draft.input("y", 2, 6);
        draft.input("z", 2, 6);
        let (y, z) = (draft.dice.within(2, 5), draft.dice.within(2, 5));
        return Guard { condition: format!("y == {y} && z == {z}"), chosen: vec![y, z], bad };
    }
    draft.input("c", 1700, 1732);
    let k = draft.dice.within(1700, 1731);
    let condition = match draft.dice.below(4) {
        0 => {
            draft.body(format!("int f = c == {k};"));
            "f".into()
        }
        1 => format!("c - {} == {}", k - 40, 40),
        _ => format!("c == {k}"),
    };
    Guard { condition, chosen: vec![k], bad }
}

impl Guard {
    /// The inputs for which the broken program fails.
    pub(super) fn failing(&self) -> Vec<i64> {
        [&[self.bad], &self.chosen[..]].concat()
    }

    /// A statement that fails when `name` has the excluded value.
    pub(super) fn assertion(&self, draft: &mut Draft, name: &str) -> String {
        let bad = self.bad;
        match draft.dice.below(3) {
            0 => format!("if (!({name} != {bad})) reach_error();"),
            1 => {
                draft.top("static void check@(int holds) { if (!holds) reach_error(); }");
                format!("check@({name} != {bad});")
            }
            _ => format!("if ({name} == {bad}) reach_error();"),
        }
    }
}

/// Adds what happens to a scalar of the object.
pub(super) fn play(draft: &mut Draft, object: &Object, styles: &[Style], guard: &Guard) {
    // Programs with few ways each leave less to be lost in what is not modelled exactly.
    let strange: Vec<Style> = (0..1 + draft.dice.below(2)).map(|_| *draft.dice.of(styles)).collect();
    let (strange, direct) = (&strange[..], &[Style::Direct][..]);
    let [first, attack, read] = match draft.dice.below(5) {
        0 | 1 => [direct, strange, direct],
        2 => [direct, direct, strange],
        3 => [strange, direct, strange],
        _ => [strange, strange, strange],
    };
    let scalars: Vec<usize> = object.scalars().map(|(k, _)| k).collect();
    let target = *draft.dice.of(&scalars);
    let apart = |k: &usize| !object.parts[*k].overlaps(&object.parts[target]);
    let mut others: Vec<usize> = scalars.iter().copied().filter(apart).collect();
    others.sort_by_key(|k| object.parts[*k].offset.abs_diff(object.parts[target].offset));
    let moved = draft.dice.one_in(4) && variable(draft, object, target, &others, guard);
    if !moved {
        plain(draft, object, [first, attack], target, &others, guard);
    }
    distract(draft, object, strange, &others);
    let load = object.way(draft, target, read).loads("r");
    draft.body(load);
    let assertion = guard.assertion(draft, "r");
    draft.body(assertion);
}

/// The scalar is 0, and under the guard `x` is written, in another way.
fn plain(
    draft: &mut Draft,
    object: &Object,
    [first, strange]: [&[Style]; 2],
    target: usize,
    others: &[usize],
    guard: &Guard,
) {
    let zero = object.way(draft, target, first).stores("0");
    draft.body(zero);
    distract(draft, object, first, others);
    let attack = object.way(draft, target, strange).stores("x");
    let condition = &guard.condition;
    let broken = format!("if ({condition}) {attack}");
    let holds = match draft.dice.below(6) {
        0..3 if !others.is_empty() => {
            let near = others[draft.dice.below(others.len().min(4))];
            format!("if ({condition}) {}", object.way(draft, near, strange).stores("x"))
        }
        0..4 => format!("if ({condition} && x != {}) {attack}", guard.bad),
        _ => format!("{broken} {}", object.way(draft, target, first).stores("0")),
    };
    draft.twins(holds, broken);
}

/// An index or a pointer leads to the scalar or beside it.
fn variable(draft: &mut Draft, object: &Object, target: usize, others: &[usize], guard: &Guard) -> bool {
    let same = |k: &&usize| object.parts[**k].scalar() == object.parts[target].scalar();
    let near: Vec<usize> = others.iter().filter(same).copied().take(4).collect();
    if near.is_empty() {
        return false;
    }
    let other = *draft.dice.of(&near);
    let third = *draft.dice.of(&near);
    let both = [target, other, third];
    let beside_sibling = draft.dice.one_in(2);
    let indexed =
        if beside_sibling { object.beside_sibling(draft, &both) } else { object.elements(draft, &both) };
    let Some(Indexed { before, pointer, indices }) = indexed else { return false };
    let (hit, beside, third) = (indices[0], indices[1], indices[2]);
    let condition = &guard.condition;
    let i = draft.name("i");
    draft.body(before);
    if draft.dice.one_in(2) {
        // The scalar is 0; `x` is written beside it, except under the guard.
        draft.body(format!("{pointer}[{hit}] = 0; int {i} = {beside};"));
        let holds = format!("if ({condition}) {i} = {third};");
        draft.twins(holds, format!("if ({condition}) {i} = {hit};"));
        draft.body(format!("{pointer}[{i}] = x;"));
    } else {
        // The scalar is `x`, which is overwritten, except under the guard.
        draft.body(format!("{pointer}[{hit}] = x; int {i} = {hit};"));
        let holds = format!("if ({condition} && x != {}) {i} = {beside};", guard.bad);
        draft.twins(holds, format!("if ({condition}) {i} = {beside};"));
        draft.body(format!("{pointer}[{i}] = 0;"));
    }
    true
}

/// Writes beside the scalar.
pub(super) fn distract(draft: &mut Draft, object: &Object, styles: &[Style], others: &[usize]) {
    if others.is_empty() {
        return;
    }
    for _ in 0..draft.dice.below(4) / 2 {
        let other = *draft.dice.of(others);
        let value = *draft.dice.of(&["3", "x", "7", "5"]);
        let store = object.way(draft, other, styles).stores(value);
        let guarded =
            if draft.dice.one_in(2) { format!("if (x > {}) {store}", draft.dice.below(5)) } else { store };
        draft.extra(guarded);
    }
}
