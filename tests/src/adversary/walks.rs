//! Loops over the elements or bytes of an object, in functions that get a pointer to its start.

use super::program::Draft;
use super::scenario::guard;
use super::types::{CHAR, INT, Scalar};

/// Two members, where the walk begins in the first and reaches the second; or an array of such.
struct Walked {
    /// Definitions and the object's declaration.
    object: String,
    /// Its start as a pointer to scalars.
    start: String,
    /// The target that the walk may reach, and at which step.
    target: String,
    step: i64,
    /// Number of steps up to the object's end.
    steps: i64,
    scalar: Scalar,
}

fn walked(draft: &mut Draft) -> Walked {
    let scalar = *draft.dice.of(&[CHAR, INT]);
    let (ty, n) = (scalar.name, draft.dice.within(1, 3));
    match draft.dice.below(4) {
        0 => {
            let start = draft.dice.of(&["s@.a", "&s@.a[0]", "(TYPE *)&s@"]).replace("TYPE", ty);
            draft.top(format!("struct W@ {{ {ty} a[{n}]; {ty} b; {ty} c; }};"));
            let object = "struct W@ s@".into();
            let (target, step) = if draft.dice.one_in(2) { ("s@.b", n) } else { ("s@.c", n + 1) };
            Walked { object, start, target: target.into(), step, steps: n + 2, scalar }
        }
        1 => {
            draft.top(format!("struct W@ {{ {ty} a[{n}]; {ty} b; }};"));
            let object = "struct W@ s@[2]".into();
            let start = draft.dice.of(&["(TYPE *)s@", "s@[0].a", "&s@[0].a[0]"]).replace("TYPE", ty);
            let (target, step) = match draft.dice.below(3) {
                0 => ("s@[0].b", n),
                1 => ("s@[1].a[0]", n + 1),
                _ => ("s@[1].b", 2 * n + 1),
            };
            Walked { object, start, target: target.into(), step, steps: 2 * n + 2, scalar }
        }
        2 => {
            let object = format!("{ty} s@[2][{}]", n + 1);
            let start = (*draft.dice.of(&["&s@[0][0]", "s@[0]", "*s@"])).to_owned();
            let k = draft.dice.within(0, n);
            Walked { object, start, target: format!("s@[1][{k}]"), step: n + 1 + k, steps: 2 * n + 2, scalar }
        }
        _ => {
            draft.top(format!("struct I@ {{ {ty} a[{n}]; {ty} b; }};"));
            draft.top(format!("struct W@ {{ {ty} h; struct I@ i; {ty} z; }};"));
            let object = "struct W@ s@".into();
            let start = draft.dice.of(&["(TYPE *)&s@", "&s@.h"]).replace("TYPE", ty);
            let (target, step) = if draft.dice.one_in(2) { ("s@.i.b", n + 1) } else { ("s@.z", n + 2) };
            Walked { object, start, target: target.into(), step, steps: n + 3, scalar }
        }
    }
}

/// A function walks over the object and changes one element.
pub(super) fn walks(draft: &mut Draft) -> Vec<i64> {
    let Walked { object, start, target, step, steps, scalar } = walked(draft);
    let guard = guard(draft);
    draft.global("s@", &object);
    let (ty, condition) = (scalar.name, &guard.condition);
    let function = match draft.dice.below(6) {
        0 => "for (int i = 0; i < n; i++) if (i == k) p[i] = v;",
        1 => "for (int i = 0; i < n; i++, p++) if (i == k) *p = v;",
        2 => "TYPE *e = p + n; while (p != e) { if (k-- == 0) *p = v; p++; }",
        3 => "while (k-- > 0) p++; *p = v;",
        4 => "p += k; *p = v;",
        _ => "for (int i = n - 1; i >= 0; i--) if (i == k) p[i] = v;",
    };
    let function = function.replace("TYPE", ty);
    draft.top(format!("static void walk@({ty} *p, int n, int k, {ty} v) {{ {function} }}"));
    let other = if step + 1 < steps && draft.dice.one_in(2) { step + 1 } else { step - 1 };
    if draft.dice.one_in(2) {
        draft.body(format!("{target} = 0;"));
        let call = |k: i64| format!("if ({condition}) walk@({start}, {steps}, {k}, x);");
        draft.twins(call(other), call(step));
    } else {
        // Everything becomes 0 up to an end that the guard moves.
        draft.top(format!("static void zero@({ty} *p, int n) {{ for (int i = 0; i < n; i++) p[i] = 0; }}"));
        draft.body(format!("{target} = x;"));
        let call = |n: i64| format!("zero@({start}, {condition} ? {n} : {steps});");
        let holds = if step + 1 < steps { call(step + 1) } else { format!("zero@({start}, {steps});") };
        draft.twins(holds, call(step));
    }
    let read = if draft.dice.one_in(3) {
        draft.top(format!("static int read@({ty} *p, int k) {{ return p[k]; }}"));
        format!("int r = read@({start}, {step});")
    } else {
        format!("int r = {target};")
    };
    draft.body(read);
    let assertion = guard.assertion(draft, "r");
    draft.body(assertion);
    guard.failing()
}
