//! Pointers to pointers, lists, tables of pointers, structures that point into themselves.

use super::program::Draft;
use super::scenario::{Guard, guard};

/// A pointer is moved under the guard, and then written through.
pub(super) fn pointers(draft: &mut Draft) -> Vec<i64> {
    let guard = guard(draft);
    match draft.dice.below(7) {
        0 => twice(draft, &guard),
        1 => list(draft, &guard),
        2 => swapped(draft, &guard),
        3 => inward(draft, &guard),
        4 => table(draft, &guard),
        5 => returned(draft, &guard),
        _ => by_integer(draft, &guard),
    }
    let assertion = guard.assertion(draft, "r");
    draft.body(assertion);
    guard.failing()
}

fn twice(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.body("int v0 = 0, v1 = 0, v2 = 0; int *p = &v1, *q = &v2; int **pp = &p;");
    draft.twins(
        format!("if ({condition} && x != {}) pp = &q;", guard.bad),
        format!("if ({condition}) pp = &q;"),
    );
    draft.body("*pp = &v0; *q = x;");
    draft.body("int r = v0;");
}

fn list(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    let member =
        *draft.dice.of(&["int v; struct N@ *n;", "struct N@ *n; int v;", "char w[2]; int v; struct N@ *n;"]);
    draft.top(format!("struct N@ {{ {member} }};"));
    draft.body("struct N@ n0, n1, n2; n0.v = n1.v = n2.v = 0; n0.n = &n1; n1.n = &n2; n2.n = 0;");
    let step = draft.dice.within(0, 2);
    draft.top("static struct N@ *nth@(struct N@ *p, int k) { while (k-- > 0) p = p->n; return p; }");
    if draft.dice.one_in(2) {
        let walk = |k: i64| format!("if ({condition}) nth@(&n0, {k})->v = x;");
        draft.twins(walk((step + 1) % 3), walk(step));
        draft.body(format!("int r = n{step}.v;"));
    } else {
        // The third node is written, or the first one, when the list goes round.
        draft.twins(
            format!("if ({condition} && x != {}) n1.n = &n0;", guard.bad),
            format!("if ({condition}) n1.n = &n0;"),
        );
        draft.body("n0.n->n->v = x; int r = n0.v;");
    }
}

fn swapped(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("static void swap@(int **p, int **q) { int *t = *p; *p = *q; *q = t; }");
    draft.body("int v0 = 0, v1 = 0; int *p = &v0, *q = &v1;");
    let other = *draft.dice.of(&["&p, &p", "&q, &q"]);
    draft.twins(format!("if ({condition}) swap@({other});"), format!("if ({condition}) swap@(&p, &q);"));
    draft.body("*p = x; int r = v1;");
}

fn inward(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("struct T@ { int *p; int v; int w[2]; };");
    draft.global("s@", "struct T@ s@");
    draft.global("u@", "struct T@ u@");
    draft.body("s@.p = &s@.v; u@.p = &u@.v; s@.w[1] = 0; u@.v = 0;");
    match draft.dice.below(3) {
        0 => draft.twins(
            format!("if ({condition}) s@.p = &s@.w[0];"),
            format!("if ({condition}) s@.p = &s@.w[1];"),
        ),
        1 => draft.twins(format!("if ({condition}) s@.p++;"), format!("if ({condition}) s@.p += 2;")),
        _ => {
            // The copy points into what it was copied from.
            draft.twins(
                format!("u@ = s@; u@.p = {condition} ? &u@.v : s@.p;"),
                format!("u@ = s@; u@.p = {condition} ? u@.p + 2 : s@.p;"),
            );
            draft.body("*u@.p = x; int r = s@.w[1];");
            return;
        }
    }
    draft.body("*s@.p = x; int r = s@.w[1];");
}

fn table(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.body("int v0 = 0, v1 = 0, v2 = 0; int *t[3] = { &v0, &v1, &v2 }; int k = 0;");
    draft.twins(format!("if ({condition}) k = 1;"), format!("if ({condition}) k = 2;"));
    draft.extra("*t[k == 0] = 3;");
    draft.body("*t[k] = x; int r = v2;");
}

fn returned(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("static int *pick@(int *p, int *q, int f) { return f ? p : q; }");
    draft.body("int v0 = 0, v1 = 0;");
    draft.twins(
        format!("*pick@(&v0, &v1, {condition} && x != {}) = x;", guard.bad),
        format!("*pick@(&v0, &v1, {condition}) = x;"),
    );
    draft.body("int r = v0;");
}

fn by_integer(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("struct T@ { char n[4]; int v; int z; };");
    draft.body("struct T@ s; s.v = 0; s.z = 0; unsigned long a0 = (unsigned long)&s;");
    draft.twins(
        format!("if ({condition}) *(int *)(a0 + 8) = x;"),
        format!("if ({condition}) *(int *)(a0 + 4) = x;"),
    );
    draft.body("int r = s.v;");
}
