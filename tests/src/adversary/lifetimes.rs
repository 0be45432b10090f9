//! Objects that come and go: locals of blocks and of recursive functions, freed blocks, several blocks of one place.
//! Nothing is touched that is gone.

use super::program::Draft;
use super::scenario::{Guard, guard};

/// A pointer to something that has had, or shares its name with, other instances.
pub(super) fn lifetimes(draft: &mut Draft) -> Vec<i64> {
    let guard = guard(draft);
    match draft.dice.below(8) {
        0 => inner_block(draft, &guard),
        1 => recursion(draft, &guard),
        2 => global_pointer(draft, &guard),
        3 => freed(draft, &guard),
        4 => iterations(draft, &guard),
        5 => one_place(draft, &guard),
        6 => static_local(draft, &guard),
        _ => frames(draft, &guard),
    }
    let assertion = guard.assertion(draft, "r");
    draft.body(assertion);
    guard.failing()
}

fn inner_block(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.body("int v = 0; int *p = &v; int r = 0;");
    draft.body("{ int v = 1; int *q = &v; *q = x; p = x > 2 ? q : p; r = v == x ? 0 : 4; }");
    let (one, other) = ("p = &v;", "{ int v = 0; p = &v; *p = x; r = r + v - v; } p = &v;");
    let set = if draft.dice.one_in(2) { one } else { other };
    draft.body(set);
    draft.twins(
        format!("if ({condition}) {{ int v = 0; p = &v; *p = x; p = 0; }}"),
        format!("if ({condition}) *p = x;"),
    );
    draft.body("r += v;");
}

fn recursion(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top(
        "static int rec@(int n, int *up, int v) { int own = 0; if (n == 0) { *up = v; return own; } rec@(n - 1, &own, v); return own; }",
    );
    draft.body("int top = 0; int r = 0;");
    let holds = *draft.dice.of(&["0", "2"]);
    let call = |n: &str| format!("if ({condition}) r = rec@({n}, &top, x);");
    draft.twins(call(holds), call("1"));
}

fn frames(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.global("g@", "int *g@");
    // The first activation's local is written by the second one, which has one of its own.
    draft.top_twins(
        "static int frame@(int n, int v) { int own = 0; if (n == 0) { int *q = &own; *q = v; return 0; } g@ = &own; frame@(n - 1, v); return own; }",
        "static int frame@(int n, int v) { int own = 0; if (n == 0) { own = 1; *g@ = v; return 0; } g@ = &own; frame@(n - 1, v); return own; }",
    );
    draft.body(format!("int r = 0; if ({condition}) r = frame@(1, x);"));
}

fn global_pointer(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.global("g@", "int *g@");
    draft.top("static void inner@(int v) { if (g@) *g@ = v; }");
    draft.top_twins(
        "static int outer@(int v) { int own = 0; int *old = g@; g@ = 0; inner@(v); g@ = old; return own; }",
        "static int outer@(int v) { int own = 0; int *old = g@; g@ = &own; inner@(v); g@ = old; return own; }",
    );
    draft.body("g@ = 0; int r = 0;");
    draft.extra("r = outer@(1); inner@(4);");
    draft.body(format!("r = 0; if ({condition}) r = outer@(x);"));
}

fn freed(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("static int *make@(int v) { int *p = malloc(sizeof *p); if (!p) exit(0); *p = v; return p; }");
    draft.body("int *p = make@(x); int *q = make@(1);");
    let early = draft.dice.one_in(2);
    draft.body(if early { "free(p); p = make@(0);" } else { "int *o = p; p = make@(0); free(o);" });
    draft.twins(format!("if ({condition}) *q = x;"), format!("if ({condition}) *p = x;"));
    draft.body("int r = *p;");
}

fn iterations(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.body("int r = 0; int *last = 0;");
    let text = |first: &str| {
        format!(
            "for (int k = 0; k < 3; k++) {{ int v = 0; int *p = &v; if ({first}) *p = x; if (k == 2) r = v; last = p; }}"
        )
    };
    draft.twins(text(&format!("{condition} && k < 2")), text(&format!("{condition} && k > 1")));
}

fn one_place(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    let ty = *draft.dice.of(&["int v;", "char n[3]; int v;", "int w[2]; int v;"]);
    draft.top(format!("struct B@ {{ {ty} }};"));
    draft.top(
        "static struct B@ *make@(void) { struct B@ *p = calloc(1, sizeof *p); if (!p) exit(0); return p; }",
    );
    draft.body("struct B@ *p = make@(); struct B@ *q = make@();");
    match draft.dice.below(3) {
        0 => draft
            .twins(format!("if ({condition}) q->v = x;"), format!("if ({condition}) {{ q = p; q->v = x; }}")),
        1 => {
            draft.body("struct B@ *t[2]; t[0] = p; t[1] = q;");
            draft.twins(format!("if ({condition}) t[1]->v = x;"), format!("if ({condition}) t[0]->v = x;"));
        }
        _ => {
            // What is written through one pointer is not undone through the other, unless they are one.
            draft.body("p->v = x;");
            draft.body("struct B@ *o = p;");
            draft.twins(
                format!("if ({condition} && x != {}) o = q;", guard.bad),
                format!("if ({condition}) o = q;"),
            );
            draft.body("o->v = 0;");
        }
    }
    draft.body("int r = p->v;");
}

fn static_local(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.global("n@", "int n@");
    draft.top("static int *cell@(int k) { static int s[2]; if (n@++ == 0) s[0] = s[1] = 0; return &s[k]; }");
    draft.body("*cell@(0) = 0; *cell@(1) = 0;");
    draft.twins(format!("if ({condition}) *cell@(1) = x;"), format!("if ({condition}) *cell@(0) = x;"));
    draft.body("int r = *cell@(0);");
}
