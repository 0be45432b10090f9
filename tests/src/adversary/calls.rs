//! Functions that are called through pointers, tables and parameters, the ones that have a meaning for the checker
//! among them.

use super::program::Draft;
use super::scenario::{Guard, guard};

/// What is reached through a pointer.
pub(super) fn calls(draft: &mut Draft) -> Vec<i64> {
    let guard = guard(draft);
    match draft.dice.below(7) {
        0 | 1 => writer(draft, &guard),
        2 => error(draft, &guard),
        3 => assumption(draft, &guard),
        4 => block(draft, &guard),
        5 => table(draft, &guard),
        _ => callback(draft, &guard),
    }
    guard.failing()
}

fn finish(draft: &mut Draft, guard: &Guard) {
    let assertion = guard.assertion(draft, "r");
    draft.body(assertion);
}

const WRITERS: &str =
    "static void put@(int *p, int v) { *p = v; }\nstatic void skip@(int *p, int v) { (void)p; (void)v; }";

/// One of two functions, chosen by the guard.
fn writer(draft: &mut Draft, guard: &Guard) {
    draft.top(WRITERS);
    let local = draft.dice.one_in(2);
    if !local {
        draft.global("g@", "int g@");
    }
    let place = if local { "g0" } else { "g@" };
    draft.body(if local { "int g0 = 0;" } else { "g@ = 0;" });
    let condition = &guard.condition;
    let choice = |chosen: &str| format!("void (*fn)(int *, int) = skip@; if ({condition}) fn = {chosen};");
    let held = *draft.dice.of(&["skip@", "other@"]);
    if held == "other@" {
        draft.top("static void other@(int *p, int v) { *p = v > 0 ? -v : v; }");
    }
    draft.twins(choice(held), choice("put@"));
    let call = match draft.dice.below(3) {
        0 => format!("fn(&{place}, x);"),
        1 => format!("(*fn)(&{place}, x);"),
        _ => {
            draft.top("struct F@ { int id; void (*run)(int *, int); };");
            format!("struct F@ f0 = {{ 1, fn }}; f0.run(&{place}, x);")
        }
    };
    draft.body(format!("{call} int r = {place};"));
    finish(draft, guard);
}

/// `reach_error` itself.
fn error(draft: &mut Draft, guard: &Guard) {
    draft.top("static void nothing@(void) {}");
    // A program that names no error has nothing to check.
    draft.body("if (x > 100) reach_error();");
    let condition = format!("{} && x == {}", guard.condition, guard.bad);
    match draft.dice.below(4) {
        0 => {
            let text = |f: &str| format!("void (*fn)(void) = nothing@; if ({condition}) fn = {f}; fn();");
            draft.twins(text("nothing@"), text("reach_error"));
        }
        1 => {
            draft.top_twins(
                "static void (*const table@[2])(void) = { nothing@, nothing@ };",
                "static void (*const table@[2])(void) = { nothing@, reach_error };",
            );
            draft.body(format!("int k = {condition}; table@[k]();"));
        }
        2 => {
            draft.top("static void call@(void (*f)(void), int when) { if (when) f(); }");
            draft
                .twins(format!("call@(nothing@, {condition});"), format!("call@(reach_error, {condition});"));
        }
        _ => {
            draft.top("struct H@ { int n; void (*f)(void); };");
            let text =
                |f: &str| format!("struct H@ h = {{ 1, nothing@ }}; if ({condition}) h.f = {f}; h.f();");
            draft.twins(text("nothing@"), text("reach_error"));
        }
    }
}

/// `__VERIFIER_assume` through a pointer leaves executions out.
fn assumption(draft: &mut Draft, guard: &Guard) {
    let (condition, bad) = (&guard.condition, guard.bad);
    draft.top("static void pass@(int holds) { (void)holds; }");
    let text = |other: &str| {
        format!("void (*fn)(int) = __VERIFIER_assume; if ({condition}) fn = {other}; fn(x != {bad});")
    };
    draft.twins(text("__VERIFIER_assume"), text("pass@"));
    draft.body("int r = x;");
    finish(draft, guard);
}

/// `memset` and `memcpy` through pointers.
fn block(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.global("s@", "struct { char n[3]; char t; } s@");
    if draft.dice.one_in(2) {
        draft.body("void *(*fn)(void *, int, size_t) = memset; s@.t = x;");
        draft.top("static size_t pick@(int f) { return f ? 3 : 4; }");
        draft.twins("fn(&s@, 0, 4);", format!("fn(&s@, 0, pick@({condition}));"));
    } else {
        draft.body("char b[4] = { 1, 2, 3, 0 }; void *(*fn)(void *, const void *, size_t) = memcpy; s@.t = 0; b[3] = x;");
        let text = |n: i64| format!("if ({condition}) fn(&s@, b, {n});");
        draft.twins(text(3), text(4));
    }
    draft.body("int r = s@.t;");
    finish(draft, guard);
}

/// A table of functions at an index.
fn table(draft: &mut Draft, guard: &Guard) {
    draft.top(WRITERS);
    let condition = &guard.condition;
    draft.global("g@", "int g@");
    let constant = if draft.dice.one_in(2) { "const " } else { "" };
    draft.top_twins(
        format!("static void (*{constant}t@[3])(int *, int) = {{ skip@, skip@, put@ }};"),
        format!("static void (*{constant}t@[3])(int *, int) = {{ skip@, put@, skip@ }};"),
    );
    draft.body(format!("int k = 0; if ({condition}) k = 1; t@[k](&g@, x); int r = g@;"));
    finish(draft, guard);
}

/// A function that gets a function and data for it.
fn callback(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    draft.top("static void each@(char *b, int n, void (*f)(char *, int), int v) { for (int i = 0; i < n; i++) f(b + i, v); }");
    draft.top("static void put@(char *p, int v) { *p = v; }");
    draft.global("s@", "struct { char n[2]; char t; } s@");
    draft.body("s@.t = 0;");
    let text = |n: i64| format!("if ({condition}) each@((char *)&s@, {n}, put@, x);");
    draft.twins(text(2), text(3));
    draft.body("int r = s@.t;");
    finish(draft, guard);
}
