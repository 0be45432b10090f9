//! Golden tests: constructs of C and their C-- form.

use crate::common::{edges, edges_of, load, load_with};
use cfront::{EvaluationOrder, Options};
use expect_test::{Expect, expect};

fn check_proc(text: &str, procs: &[&str], expect: &Expect) {
    expect.assert_eq(&edges(text, procs));
}

/// The body as `main`, behind declarations that most bodies use.
fn check(body: &str, expect: &Expect) {
    check_proc(&program(body), &["main"], expect);
}

/// The same with operands from left to right.
fn check_left(body: &str, expect: &Expect) {
    let options = Options { evaluation_order: EvaluationOrder::Left, ..Options::default() };
    expect.assert_eq(&edges_of(&load_with(&program(body), &options).program, &["main"]));
}

fn program(body: &str) -> String {
    format!(
        "void reach_error(void); int __VERIFIER_nondet_int(void); int g; int *gp; \
         struct s {{ int a; char b; struct s *next; }}; struct s gs; int f(int x) {{ g = x; return x; }} \
         static void dead(void) {{ reach_error(); }} int main(void) {{ {body} }}"
    )
}

#[test]
fn loops_and_branches() {
    check(
        "int i, n = 0; for (i = 0; i < 3; i++) { if (i == 1) continue; n += i; } while (n) n--; do n++; while (n < 2 || i); return n;",
        &expect![[r#"
            L0 -> L1: havoc(i, uninit);
            L1 -> L2: n = 0;
            L2 -> L3: i = 0;
            L3* -> L4: assume(i < 3);
            L3* -> L5: assume(i >= 3);
            L4 -> L6: assume(i == 1);
            L4 -> L7: assume(i != 1);
            L7 -> L6: n = n + i;
            L6 -> L3: i = i + 1;
            L5* -> L8: assume(n != 0);
            L5* -> L9: assume(n == 0);
            L8 -> L5: n = n - 1;
            L9* -> L10: n = n + 1;
            L10 -> L9: assume(n < 2);
            L10 -> L11: assume(n >= 2);
            L11 -> L9: assume(i != 0);
            L11 -> L12: assume(i == 0);
            L12 -> L13: ret__ = n;
        "#]],
    );
}

#[test]
fn short_circuit_in_conditions_and_values() {
    check(
        "int x = g, *p = gp; if (!(p && *p > 1) || x) x = 1; x = p && *p; x = g && x; return x ? g : f(2);",
        &expect![[r#"
            L0 -> L1: x = g;
            L1 -> L2: p = gp;
            L2 -> L3: assume(p != NULL);
            L2 -> L4: assume(p == NULL);
            L3 -> L5: assume(*p > 1);
            L3 -> L4: assume(*p <= 1);
            L5 -> L4: assume(x != 0);
            L5 -> L6: assume(x == 0);
            L4 -> L6: x = 1;
            L6 -> L7: assume(p != NULL);
            L6 -> L8: assume(p == NULL);
            L7 -> L9: assume(*p != 0);
            L7 -> L8: assume(*p == 0);
            L9 -> L10: x = 1;
            L8 -> L10: x = 0;
            L10 -> L11: x = g != 0 && x != 0;
            L11 -> L12: assume(x != 0);
            L11 -> L13: assume(x == 0);
            L13 -> L14: tmp__1 = f(2);
            L12 -> L15: ret__ = g;
            L14 -> L15: ret__ = tmp__1;
        "#]],
    );
}

#[test]
fn side_effects_become_statements() {
    check_left(
        "int a[3], i = 0; a[i++] = 5; a[i] += f(i--); i = g + f(1); i = (g = 3, g) + f(2); return i;",
        &expect![[r#"
            L0 -> L1: i = 0;
            L1 -> L2: tmp__1 = i;
            L2 -> L3: i = i + 1;
            L3 -> L4: a[tmp__1] = 5;
            L4 -> L5: tmp__2 = i;
            L5 -> L6: tmp__3 = i;
            L6 -> L7: i = i - 1;
            L7 -> L8: tmp__4 = f(tmp__3);
            L8 -> L9: a[tmp__2] = a[tmp__2] + tmp__4;
            L9 -> L10: tmp__5 = g;
            L10 -> L11: tmp__6 = f(1);
            L11 -> L12: i = tmp__5 + tmp__6;
            L12 -> L13: g = 3;
            L13 -> L14: tmp__7 = g;
            L14 -> L15: tmp__8 = f(2);
            L15 -> L16: i = tmp__7 + tmp__8;
            L16 -> L17: ret__ = i;
        "#]],
    );
}

#[test]
fn calls_and_inputs_need_no_temporaries() {
    check(
        "int x = __VERIFIER_nondet_int(); int y = f(x); y = f(f(1)); char c = f(2); f(3); return f(y);",
        &expect![[r#"
            L0 -> L1: havoc(x, input "__VERIFIER_nondet_int");
            L1 -> L2: y = f(x);
            L2 -> L3: tmp__1 = f(1);
            L3 -> L4: y = f(tmp__1);
            L4 -> L5: tmp__2 = f(2);
            L5 -> L6: c = (char) tmp__2;
            L6 -> L7: f(3);
            L7 -> L8: ret__ = f(y);
        "#]],
    );
}

#[test]
fn switch_falls_through() {
    check(
        "int x = g; switch (x) { case 1: x = 2; case 4 ... 6: x = 3; break; default: x = 9; case 7:; } return x;",
        &expect![[r#"
            L0 -> L1: x = g;
            L2 -> L3: x = 2;
            L3 -> L4: x = 3;
            L5 -> L4: x = 9;
            L1 -> L2: assume(x == 1);
            L1 -> L3: assume(x >= 4 && x <= 6);
            L1 -> L4: assume(x == 7);
            L1 -> L6: assume(x != 1);
            L6 -> L7: assume(x < 4 || x > 6);
            L7 -> L5: assume(x != 7);
            L4 -> L8: ret__ = x;
        "#]],
    );
}

#[test]
fn goto_in_and_out_of_loops() {
    check(
        "int x = g; if (x) goto in; while (x < 5) { in: x++; if (x == 3) goto out; } out: return x;",
        &expect![[r#"
            L0 -> L1: x = g;
            L1 -> L2: assume(x != 0);
            L1 -> L3: assume(x == 0);
            L3* -> L2: assume(x < 5);
            L3* -> L4: assume(x >= 5);
            L2 -> L5: x = x + 1;
            L5 -> L4: assume(x == 3);
            L5 -> L3: assume(x != 3);
            L4 -> L6: ret__ = x;
        "#]],
    );
}

#[test]
fn structs_travel_by_address() {
    check_proc(
        "void reach_error(void); struct p { int x, y; }; struct p mk(int a) { struct p r = {a, 1}; return r; } \
         int sum(struct p q) { return q.x + q.y; } \
         int main(void) { struct p a = mk(2), b; b = a; b = mk(3); if (sum(b) != 4) reach_error(); return sum(mk(1)); }",
        &["main", "mk", "sum"],
        &expect![[r#"
            L0 -> L1: mk(&a, 2);
            L1 -> L2: b.x = a.x;
            L2 -> L3: b.y = a.y;
            L3 -> L4: mk(&tmp__1, 3);
            L4 -> L5: b.x = tmp__1.x;
            L5 -> L6: b.y = tmp__1.y;
            L6 -> L7: tmp__2 = sum(&b);
            L7 -> L8: assume(tmp__2 != 4);
            L7 -> L9: assume(tmp__2 == 4);
            L8 -> L10: check(c0, 0);
            L10 -> L11: assume(0);
            L9 -> L12: mk(&tmp__3, 1);
            L12 -> L13: ret__ = sum(&tmp__3);
            L0 -> L1: r.x = a;
            L1 -> L2: r.y = 1;
            L2 -> L3: ret__ptr->x = r.x;
            L3 -> L4: ret__ptr->y = r.y;
            L0 -> L1: q.x = q__ptr->x;
            L1 -> L2: q.y = q__ptr->y;
            L2 -> L3: ret__ = q.x + q.y;
        "#]],
    );
}

#[test]
fn checks_of_every_kind() {
    check_proc(
        "void reach_error(void) { } void assert(int); void __CPROVER_assert(int, const char *); void abort(void); \
         void __VERIFIER_assume(int); \
         void __VERIFIER_assert(int c) { if (!c) { ERROR: { reach_error(); abort(); } } } \
         int main(void) { int x; __VERIFIER_assume(x > 0); assert(x > 0); assert(x && x < 5); __CPROVER_assert(x, \"m\"); \
         __VERIFIER_assert(x == 1); if (x) goto ERROR; return 0; ERROR: return 1; }",
        &["main", "__VERIFIER_assert"],
        &expect![[r#"
            L0 -> L1: havoc(x, uninit);
            L1 -> L2: assume(x > 0);
            L2 -> L3: check(c0, x > 0);
            L3 -> L4: assume(x != 0);
            L3 -> L5: assume(x == 0);
            L4 -> L6: assume(x < 5);
            L4 -> L5: assume(x >= 5);
            L5 -> L7: check(c1, 0);
            L7 -> L8: assume(0);
            L6 -> L9: check(c2, x != 0);
            L9 -> L10: __VERIFIER_assert(x == 1);
            L10 -> L11: assume(x != 0);
            L10 -> L12: assume(x == 0);
            L12 -> L13: ret__ = 0;
            L11 -> L14: check(c3, 0);
            L14 -> L15: assume(0);
            L0 -> L1: assume(c != 0);
            L0 -> L2: assume(c == 0);
            L2 -> L3: check(c4, 0);
            L3 -> L4: assume(0);
        "#]],
    );
}

#[test]
fn memory_functions() {
    check(
        "extern void *malloc(unsigned long); extern void free(void *); void *calloc(unsigned long, unsigned long); \
         void *memcpy(void *, const void *, unsigned long); \
         struct s *p = malloc(sizeof *p), *q = (struct s *) calloc(2, sizeof *q); memcpy(q, p, sizeof *q); \
         __builtin_memset(p, 0, 16); free(q); return p->next->a;",
        &expect![[r#"
            L0 -> L1: p = alloc(16ul, may_fail);
            L1 -> L2: q = alloc(32ul, zeroed, may_fail);
            L2 -> L3: memmove(q, p, 16ul);
            L3 -> L4: memset(p, 0, 16ul);
            L4 -> L5: free(q);
            L5 -> L6: ret__ = p->next->a;
        "#]],
    );
}

#[test]
fn initialisers() {
    check(
        "int a[3] = {1, [2] = 3}; struct s x = { .b = 'c', .next = &gs }; char t[] = \"hi\"; int z[100] = {[7] = 1}; \
         struct { int u; union { int i; char c[4]; } v; } w = { 1, { .c = { 2 } } }; return a[0] + t[1] + z[7] + w.v.i;",
        &expect![[r#"
            L0 -> L1: a[1] = 0;
            L1 -> L2: a[0] = 1;
            L2 -> L3: a[2] = 3;
            L3 -> L4: x.a = 0;
            L4 -> L5: x.b = 99;
            L5 -> L6: x.next = &gs;
            L6 -> L7: t[0] = 104;
            L7 -> L8: t[1] = 105;
            L8 -> L9: t[2] = 0;
            L9 -> L10: memset(&z, 0, 400ul);
            L10 -> L11: z[7] = 1;
            L11 -> L12: memset(&w, 0, 8ul);
            L12 -> L13: w.u = 1;
            L13 -> L14: w.v.c[0] = 2;
            L14 -> L15: ret__ = a[0] + t[1] + z[7] + w.v.i;
        "#]],
    );
}

#[test]
fn globals_are_initialised_by_the_start_procedure() {
    check_proc(
        "void assert(int); int a = 3, b[2], c; extern int e; static int *p = &b[1]; int (*fp)(int); int id(int x) { return x; } \
         struct { char n[2]; int (*f)(int); } t = { \"x\", id }; int counter(void) { static int n = 7; return n++; } \
         int main(int argc, char **argv) { assert(a + b[0] + e + *p + t.f(1) + counter()); return argc; }",
        &["start__", "counter"],
        &expect![[r#"
            L0 -> L1: a = 3;
            L1 -> L2: b[0] = 0;
            L2 -> L3: b[1] = 0;
            L3 -> L4: havoc(e, extern "e");
            L4 -> L5: p = &b[1];
            L5 -> L6: t.n[0] = 120;
            L6 -> L7: t.n[1] = 0;
            L7 -> L8: t.f = &id;
            L8 -> L9: counter__n = 7;
            L9 -> L10: havoc(tmp__1, argument 1);
            L10 -> L11: assume(tmp__1 >= 0);
            L11 -> L12: havoc(tmp__2, argument 2);
            L12 -> L13: main(tmp__1, tmp__2);
            L0 -> L1: tmp__1 = counter__n;
            L1 -> L2: counter__n = counter__n + 1;
            L2 -> L3: ret__ = tmp__1;
        "#]],
    );
}

#[test]
fn conversions() {
    check(
        "unsigned char c = 300; _Bool b = 4; unsigned u = -1; long l = u + 1; short s = c << 3; u += l; c = -c; b = gp; \
         return u < l && s == 'a';",
        &expect![[r#"
            L0 -> L1: c = 44;
            L1 -> L2: b = 1;
            L2 -> L3: u = 4294967295;
            L3 -> L4: l = (long) (u + 1);
            L4 -> L5: s = (short) (c << 3);
            L5 -> L6: u = (unsigned int) (u + l);
            L6 -> L7: c = (unsigned char) -c;
            L7 -> L8: b = (_Bool) (gp != NULL);
            L8 -> L9: ret__ = u < l && s == 97;
        "#]],
    );
}

#[test]
fn bit_fields_and_increments() {
    check(
        "struct { unsigned a : 3; int b : 5; _Bool c : 1; } f = { 1, -2, 1 }; f.a++; f.b -= 2; f.c = 6; return f.a + f.b++;",
        &expect![[r#"
            L0 -> L1: f.a = 1;
            L1 -> L2: f.b = -2;
            L2 -> L3: f.c = 1;
            L3 -> L4: f.a = (unsigned _BitInt(3)) (f.a + 1);
            L4 -> L5: f.b = (_BitInt(5)) (f.b - 2);
            L5 -> L6: f.c = 1;
            L6 -> L7: tmp__1 = f.a;
            L7 -> L8: tmp__2 = f.b;
            L8 -> L9: f.b = (_BitInt(5)) (f.b + 1);
            L9 -> L10: ret__ = tmp__1 + tmp__2;
        "#]],
    );
}

#[test]
fn gnu_expressions() {
    check(
        "int x = ({ int t = f(1); t + 1; }); x = x ?: 7; typeof(x) y = __builtin_expect(x == 1, 0); \
         if (__builtin_expect(!!(y), 1)) x = 2; int v[x]; v[1] = sizeof v; return v[1];",
        &expect![[r#"
            L0 -> L1: t = f(1);
            L1 -> L2: x = t + 1;
            L2 -> L3: tmp__1 = x;
            L3 -> L4: assume(tmp__1 != 0);
            L3 -> L5: assume(tmp__1 == 0);
            L4 -> L6: x = tmp__1;
            L5 -> L6: x = 7;
            L6 -> L7: y = x == 1;
            L7 -> L8: assume(y != 0);
            L7 -> L9: assume(y == 0);
            L8 -> L9: x = 2;
            L9 -> L10: tmp__2 = (long) x;
            L10 -> L11: assume(tmp__2 >= 0);
            L11 -> L12: v = alloc((unsigned long) tmp__2 * 4);
            L12 -> L13: v[1] = (int) ((unsigned long) tmp__2 * 4);
            L13 -> L14: ret__ = v[1];
        "#]],
    );
}

#[test]
fn pointers() {
    check(
        "int a[4], *p = a, *q = &a[2]; p++; p = p - 1; *p = q - p; struct s *r = &gs; r->next->a = p[1]; (*r).a = *(a + 3); \
         int m[2][3]; m[1][2] = *m[1]; return &r->b == 0 || !p;",
        &expect![[r#"
            L0 -> L1: p = a;
            L1 -> L2: q = &a[2];
            L2 -> L3: p = p + 1;
            L3 -> L4: p = p - 1;
            L4 -> L5: *p = (int) (q - p);
            L5 -> L6: r = &gs;
            L6 -> L7: r->next->a = p[1];
            L7 -> L8: r->a = a[3];
            L8 -> L9: m[1][2] = m[1][0];
            L9 -> L10: ret__ = &r->b == NULL || p == NULL;
        "#]],
    );
}

#[test]
fn spans_are_the_users() {
    let text = "void assert(int);\nint main(void) {\n  int x = 1;\n  while (x < 3) x = x + 1; /* c */\n  assert(x == 3);\n  return x;\n}\n";
    let frontend = load(text);
    let main = &frontend.program.procs[frontend.program.find_proc("main").expect("there is a main")];
    let mut out = String::new();
    for e in &main.edges {
        out.push_str(&format!("{:?}: {}\n", e.kind, frontend.sources.snippet(e.span).unwrap_or_default()));
    }
    for l in main.locations.iter().filter(|l| l.loop_head) {
        out.push_str(&format!("loop: {}\n", frontend.sources.snippet(l.span).unwrap_or_default()));
    }
    for c in &frontend.program.checks {
        out.push_str(&c.message);
    }
    expect![[r#"
        Statement: x = 1
        Branch { taken: true }: x < 3
        Branch { taken: false }: x < 3
        Statement: x = x + 1
        Statement: assert(x == 3)
        Statement: return x
        loop: while
        assertion `x == 3` fails"#]]
    .assert_eq(&out);
}

#[test]
fn several_files_are_one_program() {
    let scratch = testing::Scratch::new();
    let a = scratch.file("a.i", "struct s { int x; }; extern int n; static int h(void) { return 1; } int get(struct s *); void assert(int); int main(void) { struct s v = { 2 }; assert(get(&v) == n + h()); return 0; }");
    let b = scratch.file("b.i", "struct s { int x; }; int n = 1; static int h(void) { return 0; } int get(struct s *p) { return p->x + h(); }");
    let frontend = cfront::load(&[a, b], &cfront::Options::default())
        .unwrap_or_else(|f| panic!("{}", crate::common::render(&f)));
    assert_eq!(ir::check::check(&frontend.program), Vec::<String>::new());
    let names: Vec<&str> = frontend.program.procs.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["start__", "main", "get", "h", "h__2"]);
    assert_eq!(frontend.program.records.len(), 1);
    assert!(frontend.externs.is_empty());
}

#[test]
fn undefined_functions_are_listed() {
    let frontend = load(
        "void assert(int); int outside(int *); int main(void) { int x; assert(outside(&x) + other(x)); return 0; }",
    );
    assert_eq!(frontend.externs, ["outside", "other"]);
    assert_eq!(frontend.warnings.len(), 1);
}

#[test]
fn predicates_are_read_with_c_rules() {
    let program = load("void assert(int); struct s { int a; struct s *n; } *p; unsigned u; int main(void) { int x[2]; assert(p->a == u + x[1]); return 0; }").program;
    let main = program.find_proc("main");
    let show = |text: &str| match ir::parse::expr(text, &program, main) {
        Ok(e) => ir::print::expr(&program, &e),
        Err(d) => d.message,
    };
    assert_eq!(show("p->n != NULL && !(x[0] >= 0x10)"), "p->n != NULL && !(x[0] >= 16)");
    assert_eq!(show("old(u) + 1 == (mathint) x[1]"), "(mathint) (old(u) + 1) == x[1]");
    assert_eq!(show("x[0] < u ? 1 : u == 'a'"), "x[0] < u ? 1 : u == 97");
    assert!(ir::parse::expr("y == 1", &program, main).is_err());
    assert!(ir::parse::expr("x[0] = 1", &program, main).is_err());
}

#[test]
fn tags_that_parameters_are_the_first_to_name() {
    let text = "void assert(int); static int f(struct t *p, struct u { int a; } *q, enum e { A = 2 } x) { return p == 0 && q->a == x; } \
        struct t { int b; }; int main(void) { struct { int a; } v = { 2 }; assert(f(0, (void *) &v, 2)); return 0; }";
    assert_eq!(load(text).program.checks.len(), 1);
}

#[test]
fn operands_whose_order_may_show() {
    check(
        "int i = 0; i = g + f(1); i = (g = 3, g) + i; i = gs.a + (i ? g : 2); return i;",
        &expect![[r#"
            L0 -> L1: i = 0;
            L1 -> L2: havoc(tmp__1, choice "the order of evaluation");
            L2 -> L3: assume(tmp__1 == 0);
            L2 -> L4: assume(tmp__1 != 0);
            L3 -> L5: tmp__2 = g;
            L4 -> L6: tmp__3 = f(1);
            L6 -> L7: tmp__4 = tmp__3;
            L5 -> L8: tmp__5 = f(1);
            L8 -> L9: tmp__4 = tmp__5;
            L7 -> L9: tmp__2 = g;
            L9 -> L10: i = tmp__2 + tmp__4;
            L10 -> L11: g = 3;
            L11 -> L12: i = g + i;
            L12 -> L13: assume(i != 0);
            L12 -> L14: assume(i == 0);
            L13 -> L15: tmp__6 = g;
            L14 -> L15: tmp__6 = 2;
            L15 -> L16: i = gs.a + tmp__6;
            L16 -> L17: ret__ = i;
        "#]],
    );
}
