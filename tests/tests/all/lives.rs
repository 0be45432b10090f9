//! Pointers to variables of blocks that were left (C11 6.2.4): each iteration of a loop has its own.

/// The verdicts with `--check free` and without.
fn verdicts(name: &str, text: &str) -> [String; 2] {
    let start = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";
    let path = testing::file(&format!("{name}.c"), format!("{start}{text}\n"));
    ["reach,free", "reach"].map(|kinds| {
        let run = tests::slam(&["check", "--time-limit", "60s", "--check", kinds, &path]);
        run.verdict().split(" at ").next().unwrap_or_default().to_owned()
    })
}

fn freed(name: &str, body: &str) -> String {
    verdicts(name, &format!("int main(void) {{ int *p = 0; {body} }}"))[0].clone()
}

#[test]
fn a_variable_ends_with_its_block() {
    assert_eq!(freed("block", "{ int x = 1; p = &x; } return *p;"), "UNSAFE(free)");
    assert_eq!(freed("static", "{ static int x = 1; p = &x; } return *p;"), "SAFE");
    assert_eq!(freed("inside", "int r; { int x = 1; p = &x; r = *p; } return r;"), "UNKNOWN(not replayed)");
    assert_eq!(freed("holder", "int r; { int x = 1; int *q = &x; r = *q; } return r;"), "SAFE");
    assert_eq!(
        freed(
            "turns",
            "int r = 0; for (int i = 0; i < 2; i++) { int x = i; if (p) r = *p; p = &x; } return r;"
        ),
        "UNSAFE(free)"
    );
}

#[test]
fn jumps_leave_blocks() {
    assert_eq!(freed("break", "while (1) { int x = 1; p = &x; break; } return *p;"), "UNSAFE(free)");
    let next = "for (int i = 0; i < 2; i++) { if (p) return *p; { int x = 1; p = &x; continue; } } return 0;";
    assert_eq!(freed("continue", next), "UNSAFE(free)");
    assert_eq!(freed("goto", "{ int x = 1; p = &x; goto out; } out: return *p;"), "UNSAFE(free)");
    let stays = "int n = 0; { int x = 1; p = &x; again: n++; if (n < 3) goto again; if (*p != 1) reach_error(); } return 0;";
    assert_eq!(verdicts("goto_inside", &format!("int main(void) {{ int *p; {stays} }}"))[1], "SAFE");
}

#[test]
fn what_a_call_takes_lives() {
    let text = "void set(int *p) { *p = 4; } int main(void) { int r = 4; \
                for (int i = 0; i < 3; i++) { int x; set(&x); r = x; } if (r != 4) reach_error(); return 0; }";
    assert_eq!(verdicts("call", text), ["SAFE", "SAFE"]);
    let text = "int *f(void) { int x = 1, *q = &x; return q; } int main(void) { return *f(); }";
    assert_eq!(verdicts("function", text)[0], "UNSAFE(free)");
}

#[test]
fn what_a_call_returns_lives_as_long_as_its_owner() {
    let same = "int *same(int *p) { return p; }";
    let safe = |name: &str, text: &str| assert_eq!(verdicts(name, text)[0], "SAFE", "{text}");
    safe(
        "given_back",
        &format!("{same} int main(void) {{ int x = 1; int *p = same(&x); return *p + *same(p); }}"),
    );
    safe(
        "skipped",
        "static const char names[] = \"ab\"; const char *skip(const char *s, char c) { while (*s == c) s++; return s; } \
         int main(void) { char t[3] = { 'a', 'b', 0 }; t[0] = names[t[1] == 'b']; return *skip(t, 'a'); }",
    );
    safe(
        "deeper",
        "int *f(int n, int *p) { if (n == 0) return p; return f(n - 1, p); } int main(void) { int x = 1; return *f(3, &x); }",
    );
    let ended = |name: &str, text: &str| assert_eq!(verdicts(name, text)[0], "UNSAFE(free)", "{text}");
    ended(
        "through",
        &format!("{same} int *g(void) {{ int x = 1; return same(&x); }} int main(void) {{ return *g(); }}"),
    );
    ended(
        "global",
        &format!(
            "{same} int *kept; void g(void) {{ int x = 1; kept = same(&x); }} int main(void) {{ g(); return *kept; }}"
        ),
    );
    ended(
        "stored",
        &format!(
            "{same} void g(int **o) {{ int x = 1; *o = same(&x); }} int main(void) {{ int *q; g(&q); return *q; }}"
        ),
    );
    ended(
        "member",
        &format!(
            "struct s {{ int *p; }}; {same} struct s g(void) {{ int x = 1; struct s r; r.p = same(&x); return r; }} \
             int main(void) {{ struct s r = g(); return *r.p; }}"
        ),
    );
    ended(
        "recursive",
        "int *f(int n) { int x = n; int *r = &x; if (n > 0) r = f(n - 1); return r; } int main(void) { return *f(1); }",
    );
    ended(
        "table",
        &format!(
            "int *other(int *p) {{ return p + 0; }} {same} int *(*table[2])(int *) = {{ same, other }}; \
             int *g(int i) {{ int x = 1; return table[i & 1](&x); }} int main(void) {{ return *g(__VERIFIER_nondet_int()); }}"
        ),
    );
}

#[test]
fn addresses_of_other_turns_are_open() {
    let turns = |condition: &str| {
        format!(
            "int main(void) {{ int *p = 0; for (int i = 0; i < 2; i++) {{ int x = i; if (p && {condition}) reach_error(); p = &x; }} return 0; }}"
        )
    };
    assert_eq!(verdicts("turn_equal", &turns("p == &x"))[1], "UNSAFE(reach)");
    assert_eq!(verdicts("turn_other", &turns("p != &x"))[1], "UNSAFE(reach)");
}

#[test]
fn pointers_into_blocks_die_with_them() {
    let head = "#include <stdlib.h>\n#include <string.h>\n";
    let both = |name: &str, text: &str, (alive, dead): (&str, &str)| {
        let verdict = |twin: &str, end: &str| {
            let text = format!("{head}{}", text.replace("END", end));
            verdicts(&format!("{name}_{twin}"), &text)[0].clone()
        };
        assert_eq!([verdict("safe", alive), verdict("broken", dead)], ["SAFE", "UNSAFE(free)"], "{text}");
    };
    both(
        "walked",
        "int main(void) { char *s = malloc(10); if (!s) return 0; strcpy(s, \"abc\"); char *p = s; \
         while (*p) p++; int n = p - s; free(s); return END; }",
        ("n", "*p"),
    );
    both(
        "member",
        "struct b { int len; char data[16]; }; static void fill(char *p, int n) { for (int i = 0; i < n; i++) p[i] = 'x'; } \
         int main(void) { struct b *b = malloc(sizeof *b), *c = malloc(sizeof *c); if (!b || !c) return 0; \
         fill(b->data + 1, 3); free(b); fill(END->data, 2); free(c); return 0; }",
        ("c", "b"),
    );
    both(
        "found",
        "char *copy(const char *s) { char *d = malloc(strlen(s) + 1); if (d) strcpy(d, s); return d; } \
         int main(void) { char *a = copy(\"hello\"); if (!a) return 1; char *e = strchr(a, 'l'); int k = 0; END return k; }",
        ("if (e) k = *e; free(a);", "free(a); if (e) k = *e;"),
    );
}

/// Memory of an array of variable length ends with its block, or with its function for `alloca`; whoever has its address no longer
/// than that may use it.
#[test]
fn arrays_of_variable_length_live_in_their_blocks() {
    let with = |name: &str, helper: &str, body: &str| {
        let head = "int n = __VERIFIER_nondet_int(); if (n < 1 || n > 10) return 0;";
        verdicts(name, &format!("{helper} int main(void) {{ {head} {body} }}"))[0].clone()
    };
    let fill = "void fill(int *p, int n) { int *q = p; for (int i = 0; i < n; i++) q[i] = i; }";
    assert_eq!(with("vla", fill, "int a[n]; fill(a, n); return a[0];"), "SAFE");
    assert_eq!(with("vla_block", "", "int r; { int a[n]; a[0] = 1; r = a[0]; } return r;"), "SAFE");
    let kept = with("vla_kept", "", "int *p; { int a[n]; a[0] = 1; p = a; } return *p;");
    assert_ne!(kept, "SAFE", "the pointer outlives the array");
    let stored = "int *kept; void keep(int *p) { kept = p; }";
    assert_ne!(with("vla_stored", stored, "{ int a[n]; a[0] = 1; keep(a); } return *kept;"), "SAFE");
    let global = "char *kept; void keep(void) { kept = __builtin_alloca(4); kept[0] = 1; }";
    assert_eq!(with("alloca_global", global, "keep(); return *kept;"), "UNSAFE(free)");
    let member = "struct { char *p; } kept; void keep(void) { kept.p = __builtin_alloca(4); kept.p[0] = 1; }";
    assert_eq!(with("alloca_member", member, "keep(); return *kept.p;"), "UNSAFE(free)");
    let behind = "void keep(char **to) { *to = __builtin_alloca(4); **to = 1; }";
    assert_eq!(with("alloca_behind", behind, "char *p; keep(&p); return *p;"), "UNSAFE(free)");
    let result = "char *keep(void) { return __builtin_alloca(4); }";
    assert_eq!(with("alloca_result", result, "char *p = keep(); return *p;"), "UNSAFE(free)");
    let unused = "int *kept; void keep(int n) { int a[n]; a[0] = 1; kept = a; }";
    assert_eq!(with("vla_unused", unused, "keep(n); return 0;"), "SAFE");
    let returned = "int *make(int n) { int a[n]; a[0] = 1; return a; }";
    assert_eq!(with("vla_returned", returned, "return *make(n);"), "UNSAFE(free)");
}

/// The programs are checked for `free` and their assertions: each has the verdict that stands with it.
fn all(head: &str, programs: &[(&str, &str, &str)]) {
    for (name, text, verdict) in programs {
        assert_eq!(verdicts(name, &format!("{head}{text}"))[0], *verdict, "{text}");
    }
}

const DEAD: &str = "UNSAFE(free)";

/// C11 6.5.2.5p5; `if` and loops are blocks, and so are the statements in them (6.8.4p3, 6.8.5p5).
#[test]
fn compound_literals_end_with_their_block() {
    let programs = [
        ("literal_block", "int main(void) { int *p; { p = (int[]){ 1, 2 }; } return p[0]; }", DEAD),
        ("literal_address", "int main(void) { int *p; { p = &(int){ 3 }; } return *p; }", DEAD),
        (
            "literal_member",
            "struct s { int m; }; int main(void) { int *p; { p = &(struct s){ 3 }.m; } return *p; }",
            DEAD,
        ),
        (
            "literal_turn",
            "int main(void) { int *p = 0, r = 0; for (int i = 0; i < 2; i++) { if (p) r = *p; p = (int[]){ i }; } return r; }",
            DEAD,
        ),
        (
            "literal_turn_alone",
            "int main(void) { int *p = 0; for (int i = 0; i < 2; i++) p = (int[]){ i }; return *p; }",
            DEAD,
        ),
        (
            "literal_own",
            "int main(void) { int r = 0; for (int i = 0; i < 2; i++) { int *p = (int[]){ i }; r += *p; } if (r != 1) reach_error(); return 0; }",
            "SAFE",
        ),
        (
            "literal_if",
            "int main(void) { int *p; if (__VERIFIER_nondet_int()) p = (int[]){ 1 }; else p = 0; return p ? *p : 0; }",
            DEAD,
        ),
        (
            "literal_condition",
            "int main(void) { int *p; if ((p = (int[]){ 1 })[0]) { if (*p != 1) reach_error(); } return *p; }",
            DEAD,
        ),
        (
            "literal_switch",
            "int main(void) { int *p; switch (*(p = (int[]){ 1 })) case 1: break; return *p; }",
            DEAD,
        ),
        (
            "literal_function",
            "int *kept; int main(void) { kept = (int[]){ 1, 2 }; if (kept[1] != 2) reach_error(); return 0; }",
            "SAFE",
        ),
    ];
    all("", &programs);
}

/// C11 6.2.4p8.
#[test]
fn what_calls_return_ends_with_the_expression() {
    let head = "struct s { char n[4]; }; struct s make(void) { struct s r = { \"abc\" }; return r; } \
                int length(const char *p) { int n = 0; while (p[n]) n++; return n; } ";
    let programs = [
        ("returned", "int main(void) { char *p = make().n; return p[0]; }", DEAD),
        (
            "returned_at_once",
            "int main(void) { if (make().n[1] != 'b') reach_error(); if (length(make().n) != 3) reach_error(); return 0; }",
            "SAFE",
        ),
        (
            "returned_in_conditions",
            "int main(void) { int k = 0; while (make().n[k] != 0) k++; switch (make().n[0]) { case 'a': break; default: k = 0; } \
             for (int i = make().n[3]; make().n[i] && i < 5; i++) k++; if (k != 6) reach_error(); return make().n[3]; }",
            "SAFE",
        ),
        (
            "returned_condition",
            "int main(void) { char *p; if ((p = make().n)[0] == 'a') return *p; return 0; }",
            DEAD,
        ),
        (
            "assigned_value",
            "int main(void) { struct s a = { \"abc\" }, b; char *p = (b = a).n; return p[0]; }",
            DEAD,
        ),
        (
            "chosen_value",
            "int main(void) { struct s a = { \"abc\" }, b = a; char *p = (__VERIFIER_nondet_int() ? a : b).n; return p[0]; }",
            DEAD,
        ),
    ];
    all(head, &programs);
}

#[test]
fn statement_expressions_are_blocks() {
    let head = "struct s { char n[4]; }; struct s make(void) { struct s r = { \"abc\" }; return r; } char *kept; \
                int use(char *p, int n) { return p[0] + n; } ";
    let programs = [
        ("inner_local", "int main(void) { int *p = ({ int x = 3; &x; }); return *p; }", DEAD),
        ("inner_array", "int main(void) { char *p = ({ char x[2] = { 1 }; x; }); return *p; }", DEAD),
        (
            "inner_values",
            "int main(void) { int r = ({ int x = 3, *q = &x; *q + 1; }); if (r != 4) reach_error(); \
             struct { int a[2], b; } v; v = ({ __typeof__(v) t = { { 1, 2 }, 3 }; int *q = &t.b; *q = 4; t; }); \
             if (v.b != 4 || v.a[1] != 2) reach_error(); return 0; }",
            "SAFE",
        ),
        (
            "inner_break",
            "int main(void) { while (1) { use(kept = make().n, ({ break; 1; })); } return *kept; }",
            DEAD,
        ),
        (
            "inner_loop",
            "int main(void) { int r = ({ int k = 0; while (1) { k += make().n[k]; break; } k; }); if (r != 'a') reach_error(); return 0; }",
            "SAFE",
        ),
    ];
    all(head, &programs);
}
