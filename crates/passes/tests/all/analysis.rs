//! Tests of the oracle on small programs in the printed form.

use alias::*;
use expect_test::{Expect, expect};
use ir::expr::{Expr, Lvalue};
use ir::parse;
use ir::program::{Op, ProcId, Program};
use passes::{resolve_indirect, slice::slice};
use std::fmt::Write;

pub(crate) fn program(text: &str) -> Program {
    parse::program(text).unwrap_or_else(|d| panic!("{} at {:?}", d.message, d.span))
}

fn expr(program: &Program, text: &str) -> Expr {
    let main = program.find_proc("main");
    parse::expr(text, program, main).unwrap_or_else(|d| panic!("{text}: {}", d.message))
}

fn lvalue(program: &Program, text: &str) -> Lvalue {
    match expr(program, text) {
        Expr::Load(lv) => *lv,
        other => panic!("{text} is no lvalue but {other:?}"),
    }
}

fn object(program: &Program, object: Object) -> String {
    let name = |p: ProcId| program.procs[p].name.clone();
    match object {
        Object::Var(v) => program.vars[v].name.clone(),
        Object::Heap(p, e) => format!("heap {} {e}", name(p)),
        Object::Func(p) => name(p),
        Object::External => "external".to_string(),
    }
}

/// The cells of lvalues and the targets of pointers, one a line; `main` is the scope.
fn describe(program: &Program, oracle: &AliasOracle, texts: &[&str]) -> String {
    let mut out = String::new();
    for text in texts {
        let e = expr(program, text);
        write!(out, "{text}:").unwrap();
        if let Expr::Load(lv) = &e {
            let cell = oracle.cell(lv);
            let kind = match oracle.cell_kind(cell) {
                CellKind::Scalar { .. } => "scalar",
                CellKind::Map { .. } => "map",
                CellKind::Opaque => "opaque",
            };
            write!(out, " {kind} {cell}").unwrap();
        }
        if e.ty().is_ptr() {
            let PointsTo { objects, unknown } = oracle.points_to(&e);
            let names: Vec<String> = objects.into_iter().map(|o| object(program, o)).collect();
            write!(out, " -> {{{}}}{}", names.join(", "), if unknown { " or unknown" } else { "" }).unwrap();
        }
        out.push('\n');
    }
    out
}

fn check(text: &str, texts: &[&str], expect: Expect) {
    let program = program(text);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    expect.assert_eq(&describe(&program, &oracle, texts));
}

/// A program with one straight-line `main` and the given declarations before it.
fn straight(declarations: &str, locals: &str, ops: &[&str]) -> String {
    let mut out = format!("model LP64; entry main;\n{declarations}\nproc void main() {{\n{locals}\n");
    writeln!(out, "entry L0; exit L{};", ops.len()).unwrap();
    for (i, op) in ops.iter().enumerate() {
        writeln!(out, "L{i}:\n {op} goto L{};", i + 1).unwrap();
    }
    writeln!(out, "L{}:\n}}", ops.len()).unwrap();
    out
}

#[test]
fn flow_is_directional_at_the_top() {
    let text = straight(
        "global int x; global int y; global int z;",
        "local int *p; local int *q; local int *r;",
        &["p = &x;", "q = &y;", "r = p;", "r = q;", "*r = 1;", "*p = 2;", "z = 3;"],
    );
    check(
        &text,
        &["p", "q", "r", "*p", "*r", "x", "z"],
        expect![[r#"
        p: scalar m2 -> {x}
        q: scalar m3 -> {y}
        r: scalar m4 -> {x, y}
        *p: map m1
        *r: map m1
        x: map m1
        z: scalar m5
    "#]],
    );
}

#[test]
fn fields_are_apart() {
    let text = straight(
        "struct s { int a; int b; struct s *next; };\nglobal struct s x; global struct s y;",
        "local struct s *p; local int *q;",
        &["p = &x;", "p = &y;", "q = &p->a;", "*q = 1;", "p->b = 2;", "x.next = &y;", "p = p->next;"],
    );
    check(
        &text,
        &["p", "q", "x.a", "x.b", "y.b", "p->b", "*q", "p->next", "p->next->next"],
        expect![[r#"
            p: scalar m1 -> {x, y}
            q: scalar m2 -> {x, y}
            x.a: map m4
            x.b: map m5
            y.b: map m5
            p->b: map m5
            *q: map m4
            p->next: map m3 -> {y}
            p->next->next: map m3 -> {y}
        "#]],
    );
}

#[test]
fn casts_to_other_layouts_collapse() {
    let text = straight(
        "struct s { int a; long b; };\nglobal struct s x; global struct s y; global int z; global unsigned int u;",
        "local long *p; local char *c; local struct s *s; local unsigned int *q;",
        &[
            "p = (long *)&x;",
            "*p = 1L;",
            "s = (struct s *)(void *)&y;",
            "s->a = 1;",
            "s->b = 2L;",
            "q = (unsigned int *)&z;",
            "*q = 1U;",
            "z = 0;",
        ],
    );
    check(
        &text,
        &["*p", "x.a", "x.b", "y.a", "s->a", "s->b", "*q", "z"],
        expect![[r#"
        *p: opaque m0
        x.a: opaque m0
        x.b: opaque m0
        y.a: map m4
        s->a: map m4
        s->b: map m5
        *q: opaque m0
        z: opaque m0
    "#]],
    );
}

const LIST: &str = "struct link { struct link *next; };\nstruct item { int data; struct link link; };
global struct link head; extern void *unknown();";

#[test]
fn containers_of_list_links_are_found() {
    let text = straight(
        LIST,
        "local struct item *new; local struct item *pos; local struct link *l;",
        &[
            "new = alloc(16L);",
            "new->data = 1;",
            "new->link.next = head.next;",
            "head.next = &new->link;",
            "l = &head;",
            "l = l->next;",
            "pos = (struct item *)((char *)l - 8L);",
            "pos->data = 2;",
            "l = &pos->link;",
            "l = l->next;",
        ],
    );
    check(
        &text,
        &["new", "l", "pos", "pos->data", "new->data", "head.next", "l->next"],
        expect![[r#"
        new: scalar m1 -> {heap main e0}
        l: scalar m3 -> {head, heap main e0}
        pos: scalar m4 -> {head, heap main e0}
        pos->data: map m5
        new->data: map m5
        head.next: map m2 -> {heap main e0}
        l->next: map m2 -> {heap main e0}
    "#]],
    );
}

#[test]
fn unions_with_one_view_are_plain() {
    let text = straight(
        "union u { int i; float f; };\nstruct s { union u u; int after; };\nglobal union u one; global struct s two;",
        "local int x;",
        &["one.i = 1;", "x = one.i;", "two.u.i = 1;", "two.u.f = 1.0F;", "two.after = 1;"],
    );
    check(
        &text,
        &["one.i", "one.f", "two.u.i", "two.u.f", "two.after"],
        expect![[r#"
        one.i: scalar m1
        one.f: opaque m0
        two.u.i: opaque m0
        two.u.f: opaque m0
        two.after: scalar m3
    "#]],
    );
}

#[test]
fn escaped_memory_and_unknown_pointers() {
    let text = straight(
        "struct s { int a; struct s *p; };\nglobal struct s x; global struct s y; global struct s z;\nextern struct s *get(struct s *);",
        "local struct s *r; local struct s *q; local int i;",
        &["x.p = &y;", "r = get(&x);", "q = x.p;", "q->a = 3;", "i = r->a;", "z.a = 0;", "q = y.p;"],
    );
    check(
        &text,
        &["r", "q", "x.p", "x.a", "y.a", "q->a", "r->a", "z.a"],
        expect![[r#"
        r: scalar m1 -> {external} or unknown
        q: scalar m2 -> {y, external} or unknown
        x.p: opaque m0 -> {y, external} or unknown
        x.a: opaque m0
        y.a: opaque m0
        q->a: opaque m0
        r->a: opaque m0
        z.a: scalar m4
    "#]],
    );
    let text = text.replace("i = r->a;", "r->a = i;");
    check(
        &text,
        &["y.a", "x.p", "z.a", "i"],
        expect![[r#"
        y.a: opaque m0
        x.p: opaque m0 -> {y, external} or unknown
        z.a: scalar m4
        i: scalar m3
    "#]],
    );
}

#[test]
fn addresses_in_integers() {
    let text = straight(
        "global int x; global int y;",
        "local int *p; local int *q; local long i; local long j;",
        &["i = (long)&x;", "j = i + 4L;", "p = (int *)j;", "q = (int *)(long)&y;", "*q = 1;", "i = 0L;"],
    );
    check(
        &text,
        &["p", "q", "*q", "*p", "x", "y", "(int *)0", "(int *)-1L"],
        expect![[r#"
            p: scalar m3 -> {x, y}
            q: scalar m5 -> {y}
            *q: map m4
            *p: opaque m0
            x: opaque m0
            y: map m4
            (int *)0: -> {}
            (int *)-1L: -> {}
        "#]],
    );
}

#[test]
fn arrays_keep_their_indices() {
    let text = straight(
        "global int a[10]; global int b[10]; struct s { int n; int v[4]; };\nglobal struct s t;",
        "local int *p; local int i; local int c[3];",
        &["a[i] = 1;", "p = &b[0];", "*(p + i) = 2;", "c[i] = 3;", "t.v[i] = 4;", "t.n = 5;", "p = p + 1;"],
    );
    let program = program(&text);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    expect![[r#"
        a[i]: map m2
        b[3]: map m7
        p[i]: map m7
        *p: map m7
        c[0]: map m4
        t.v[1]: map m5
        t.n: scalar m6
        p: scalar m3 -> {b}
    "#]]
    .assert_eq(&describe(&program, &oracle, &["a[i]", "b[3]", "p[i]", "*p", "c[0]", "t.v[1]", "t.n", "p"]));
    let may = |a: &str, b: &str| oracle.may_alias(&lvalue(&program, a), &lvalue(&program, b));
    let must = |a: &str, b: &str| oracle.must_alias(&lvalue(&program, a), &lvalue(&program, b));
    assert!(may("a[i]", "a[1]") && !may("a[2]", "a[1]") && !may("a[i]", "b[i]"));
    assert!(may("p[i]", "b[1]") && !may("*p", "a[1]") && !may("p[1]", "p[2]") && may("p[i]", "p[2]"));
    assert!(must("a[i]", "a[i]") && !must("a[i]", "a[1]") && !must("p[i]", "b[1]") && must("*p", "*p"));
}

#[test]
fn one_target_is_a_must_alias() {
    let text = straight(
        "global int x; global int y;",
        "local int *p; local int *q;",
        &["p = &x;", "q = &x;", "q = &y;", "*p = 1;", "*q = 2;"],
    );
    let program = program(&text);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let must = |a: &str, b: &str| oracle.must_alias(&lvalue(&program, a), &lvalue(&program, b));
    assert!(must("*p", "x") && must("x", "*p") && !must("*q", "x") && must("*&x", "x"));
}

#[test]
fn copies_of_blocks_move_pointers() {
    let text = straight(
        "struct s { int a; int *p; };\nglobal struct s x; global struct s y; global int v; global int w;\nglobal char buf[16];",
        "local int *q; local void *t; local struct s *z; local int *r; local struct s *k;",
        &[
            "x.p = &v;",
            "memmove(&y, &x, 16L);",
            "q = y.p;",
            "t = alloc(16L);",
            "memmove(t, &y, 16L);",
            "z = (struct s *)t;",
            "r = z->p;",
            "*r = 1;",
        ],
    );
    check(
        &text,
        &["q", "r", "z", "*r", "y.p", "z->p", "x.p"],
        expect![[r#"
        q: scalar m4 -> {v}
        r: scalar m7 -> {v}
        z: scalar m6 -> {heap main e3}
        *r: map m1
        y.p: scalar m3 -> {v}
        z->p: map m8 -> {v}
        x.p: scalar m2 -> {v}
    "#]],
    );
    let bytes = text.replace("memmove(t, &y, 16L)", "memmove(t, &y.p, 8L)");
    check(
        &bytes,
        &["q", "r", "z", "y.p", "z->p", "x.p"],
        expect![[r#"
        q: scalar m3 -> {v}
        r: scalar m6 -> {v}
        z: scalar m5 -> {heap main e3}
        y.p: opaque m0 -> {v}
        z->p: opaque m0 -> {v}
        x.p: scalar m2 -> {v}
    "#]],
    );
}

#[test]
fn heap_objects_take_their_first_type() {
    let text = straight(
        "struct base { int kind; };\nstruct derived { struct base base; int more; };",
        "local struct base *b; local struct derived *d; local void *raw; local char *c; local int *i;",
        &[
            "raw = alloc(8L);",
            "b = (struct base *)raw;",
            "b->kind = 1;",
            "d = (struct derived *)b;",
            "d->more = 2;",
            "raw = alloc(8L);",
            "i = (int *)raw;",
            "*(i + 1) = 7;",
        ],
    );
    check(
        &text,
        &["b->kind", "d->base.kind", "d->more", "*i", "i[1]"],
        expect![[r#"
        b->kind: map m5
        d->base.kind: map m5
        d->more: map m6
        *i: map m5
        i[1]: map m6
    "#]],
    );
    let mixed = text
        .replace("*(i + 1) = 7;", "c = (char *)b;")
        .replace("L8:", "L8:\n *c = 'x'; goto L9;\nL9:")
        .replace("exit L8", "exit L9");
    check(
        &mixed,
        &["b->kind", "d->more", "*c", "*i"],
        expect![[r#"
        b->kind: opaque m0
        d->more: opaque m0
        *c: opaque m0
        *i: opaque m0
    "#]],
    );
}

const CALLBACKS: &str = "model LP64; entry main;
global int x; global int (*table[2])(int); global int g;
proc int inc(int n) { return int ret__; entry L0; exit L1; L0: ret__ = n + 1; goto L1; L1: }
proc int dec(int n) { return int ret__; entry L0; exit L1; L0: g = n; goto L1; L1: }
proc void odd(int n, long m) { entry L0; exit L1; L0: x = n; goto L1; L1: }
proc void main() {
  local int i; local int (*f)(int);
  entry L0; exit L7;
  L0: table[0] = &inc; goto L1;
  L1: table[1] = &dec; goto L2;
  L2: table[0] = (int (*)(int))&odd; goto L3;
  L3: f = table[i]; goto L4;
  L4: i = (*f)(3); goto L5;
  L5: f = NULL; goto L6;
  L6: check(c0, i); goto L7;
  L7: }
check c0 reach in main \"m\";
";

#[test]
fn function_pointers_become_branches() {
    let program = program(CALLBACKS);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let resolved = resolve_indirect(&program, &oracle).expect("all targets are known");
    assert_eq!(ir::check::check(&resolved), Vec::<String>::new());
    let main = resolved.find_proc("main").unwrap();
    let edges: Vec<String> = resolved.procs[main]
        .edges
        .iter_enumerated()
        .map(|(e, edge)| format!("{} -> {}: {}", edge.src, edge.dst, ir::print::edge(&resolved, main, e)))
        .collect();
    expect![[r#"
        L0 -> L1: table[0] = &inc;
        L1 -> L2: table[1] = &dec;
        L2 -> L3: table[0] = (int (*)(int)) &odd;
        L3 -> L4: f = table[i];
        L4 -> L8: assume(f == &inc);
        L5 -> L6: f = NULL;
        L6 -> L7: check(c0, i);
        L8 -> L5: i = inc(3);
        L4 -> L9: assume(f == &dec);
        L9 -> L5: i = dec(3);
        L4 -> L10: assume(f == &odd);
        L10 -> L11: havoc(lost__11, unmodelled "an argument of another type");
        L11 -> L12: odd(3, lost__11);
        L12 -> L5: havoc(i, unmodelled "a result of another type");"#]]
    .assert_eq(&edges.join("\n"));
    assert!(oracle.callbacks().is_empty());
}

const EFFECTS: &str = "model LP64; entry main;
global int g; global int h; global int *gp;
extern int input(int *);
proc void set(int *p, int v) { entry L0; exit L1; L0: *p = v; goto L1; L1: }
proc int down(int n) {
  local int x; local int a[2]; return int ret__;
  entry L0; exit L6;
  L0: x = n; goto L1;
  L1: a[0] = n; goto L2;
  L2: assume(n > 0); goto L3;
    assume(n <= 0); goto L5;
  L3: ret__ = down(n - 1); goto L4;
  L4: h = x; goto L5;
  L5: ret__ = a[0]; goto L6;
  L6: }
proc void main() {
  local int y; local int z; local int dead;
  entry L0; exit L7;
  L0: set(&y, 3); goto L1;
  L1: set(&g, 4); goto L2;
  L2: z = down(2); goto L3;
  L3: dead = z; goto L4;
  L4: gp = &y; goto L5;
  L5: z = input(gp); goto L6;
  L6: check(c0, y == 3); goto L7;
  L7: }
check c0 reach in main \"m\";
";

fn cell_names(program: &Program, oracle: &AliasOracle, cells: &CellSet) -> String {
    let name = |c: CellId| match oracle.cell_kind(c) {
        CellKind::Scalar { var, .. } => program.vars[*var].name.clone(),
        CellKind::Map { .. } => format!("map {c}"),
        CellKind::Opaque => "opaque".to_string(),
    };
    cells.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[test]
fn effects_of_calls() {
    let program = program(EFFECTS);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let mut out = describe(&program, &oracle, &["y", "g", "h", "gp", "z"]);
    for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
        let recursive = if oracle.is_recursive(p) { " (recursive)" } else { "" };
        let sets = [oracle.mods(p), oracle.refs(p)].map(|s| cell_names(&program, &oracle, s));
        writeln!(out, "{}{recursive}: writes {}; reads {}", proc.name, sets[0], sets[1]).unwrap();
        for (e, edge) in proc.edges.iter_enumerated() {
            if matches!(edge.op, ir::program::Op::Call { .. }) {
                let mods = cell_names(&program, &oracle, oracle.edge_mods(p, e));
                writeln!(out, "  {} changes {mods}", ir::print::edge(&program, p, e)).unwrap();
            }
        }
    }
    expect![[r#"
        y: map m8
        g: map m8
        h: scalar m7
        gp: scalar m11 -> {y}
        z: scalar m9
        set: writes map m8; reads p, v
        down (recursive): writes x, map m5, ret__, h; reads n, x, map m5
          ret__ = down(n - 1); changes ret__, h
        main: writes opaque, h, map m8, z, dead, gp; reads opaque, map m8, z, gp
          set(&y, 3); changes map m8
          set(&g, 4); changes map m8
          z = down(2); changes h, z
          z = input(gp); changes opaque, map m8, z
    "#]]
    .assert_eq(&out);
}

#[test]
fn liveness_and_slices() {
    let program = program(EFFECTS);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let down = program.find_proc("down").unwrap();
    let live: Vec<String> = live_cells(&program, &oracle, down)
        .iter_enumerated()
        .map(|(l, cells)| format!("{l}: {}", cell_names(&program, &oracle, cells)))
        .collect();
    expect![[r#"
        L0: opaque, n, map m5, h, map m8, gp
        L1: opaque, n, x, map m5, h, map m8, gp
        L2: opaque, n, x, map m5, h, map m8, gp
        L3: opaque, n, x, map m5, map m8, gp
        L4: opaque, x, map m5, map m8, gp
        L5: opaque, map m5, h, map m8, gp
        L6: opaque, ret__, h, map m8, gp"#]]
    .assert_eq(&live.join("\n"));
    let sliced = slice(&program, &oracle);
    let gone: Vec<String> = program
        .procs
        .ids()
        .flat_map(|p| program.procs[p].edges.ids().map(move |e| (p, e)))
        .filter(|(p, e)| program.procs[*p].edges[*e] != sliced.program.procs[*p].edges[*e])
        .map(|(p, e)| ir::print::edge(&program, p, e))
        .collect();
    expect![[r#"
        x = n;
        a[0] = n;
        assume(n > 0);
        assume(n <= 0);
        ret__ = down(n - 1);
        h = x;
        ret__ = a[0];
        z = down(2);
        dead = z;"#]]
    .assert_eq(&gone.join("\n"));
    assert_eq!((sliced.skipped, sliced.unreachable), (gone.len(), vec![down]));
}

/// The slice of `main` in a program of these edges, with a check and an undefined function.
fn left_of(body: &str) -> String {
    let program = program(&format!(
        "model LP64; entry main; global int g; global int h; check c0 reach in main \"m\";
proc int quiet(int n) {{ return int ret__; entry L0; exit L3;
L0: assume(n > 3); goto L1; assume(n <= 3); goto L2;
L1: h = n; goto L2;
L2: ret__ = h; goto L3;
L3: }}
proc void stops(int n) {{ entry L0; exit L1; L0: assume(n > 3); goto L1; L1: }}
proc void main() {{ local int i; local int k; entry L0; exit L9;
{body}
L8: check(c0, g == 0); goto L9;
L9: }}"
    ));
    assert_eq!(ir::check::check(&program), Vec::<String>::new());
    let sliced = slice(&program, &AliasOracle::new(&program, AliasMode::Das)).program;
    assert_eq!(ir::check::check(&sliced), Vec::<String>::new());
    let main = &sliced.procs[sliced.entry];
    let shown = main.edges.iter_enumerated().filter(|(_, edge)| edge.op != Op::Skip);
    let lines = shown.map(|(e, edge)| format!("{}: {}", edge.src, ir::print::edge(&sliced, sliced.entry, e)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn branches_that_decide_nothing_are_passed_over() {
    // A loop that ends anyhow, a switch, and a function in which nothing matters.
    let text = "L0: i = 0; goto L1;
L1: assume(i < 10); goto L2; assume(i >= 10); goto L3;
L2: i = i + 1; goto L1;
L3: assume(h == 1); goto L4; assume(h == 2); goto L5; assume(h != 1); goto L6;
L4: k = 1; goto L7;
L5: k = 2; goto L7;
L6: assume(h != 2); goto L7;
L7: k = quiet(i / k); goto L8;";
    expect![[r#"
        L1: assume(0);
        L3: assume(0);
        L3: assume(0);
        L8: check(c0, g == 0);"#]]
    .assert_eq(&left_of(text));
}

#[test]
fn branches_stay_that_decide_what_is_written_or_whether_an_execution_goes_on() {
    // The first decides a write, with the default of a switch; the second leads into a loop without end, and so does what the
    // third calls; the last is no branch: nothing says that one of its assumptions holds.
    let text = "L0: assume(h == 1); goto L1; assume(h == 2); goto L2; assume(h != 1); goto L3;
L1: g = 1; goto L4;
L2: k = 2; goto L4;
L3: assume(h != 2); goto L4;
L4: assume(i > 0); goto L5; assume(i <= 0); goto L6;
L5: k = 3; goto L5;
L6: stops(k); goto L7;
L7: assume(k == 4); goto L8; assume(k == 5); goto L8;";
    expect![[r#"
        L0: assume(h == 1);
        L0: assume(h == 2);
        L0: assume(h != 1);
        L1: g = 1;
        L2: k = 2;
        L3: assume(h != 2);
        L4: assume(i > 0);
        L4: assume(i <= 0);
        L5: k = 3;
        L6: stops(k);
        L7: assume(k == 4);
        L7: assume(k == 5);
        L8: check(c0, g == 0);"#]]
    .assert_eq(&left_of(text));
}

#[test]
fn undefined_functions_may_call_back() {
    let text = "model LP64; entry main; global int g;
extern void register_handler(void (*)(void));
extern void run();
proc void handler() { entry L0; exit L1; L0: g = 1; goto L1; L1: }
proc void main() {
  entry L0; exit L2;
  L0: register_handler(&handler); goto L1;
  L1: run(); goto L2;
  L2: }
";
    let program = program(text);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let (main, handler) = (program.find_proc("main").unwrap(), program.find_proc("handler").unwrap());
    let callbacks: Vec<_> =
        oracle.callbacks().iter().map(|(p, e, t)| (*p, e.to_string(), t.clone())).collect();
    assert_eq!(callbacks, [(main, "e0".into(), vec![handler]), (main, "e1".into(), vec![handler])]);
    assert!(oracle.mods(main).contains(oracle.cell(&lvalue(&program, "g"))));
    assert!(reachable(&program, &oracle)[handler]);
}

#[test]
fn members_of_unions_inside_structs() {
    let text = straight(
        "union u { int i; float f; };\nstruct s { int tag; union u u; int after; };\nglobal struct s x; global struct s y;",
        "local int *p; local struct s *s; local float *f;",
        &[
            "p = &x.u.i;",
            "f = &x.u.f;",
            "s = (struct s *)((char *)f - 4L);",
            "s->after = 1;",
            "s->tag = 2;",
            "*p = 3;",
            "y.after = 0;",
        ],
    );
    check(
        &text,
        &["*p", "*f", "x.u.i", "x.after", "s->after", "s->tag", "s->u.i"],
        expect![[r#"
        *p: opaque m0
        *f: opaque m0
        x.u.i: opaque m0
        x.after: map m5
        s->after: map m5
        s->tag: map m6
        s->u.i: opaque m0
    "#]],
    );
}
