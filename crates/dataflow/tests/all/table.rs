//! The rows of the table, one procedure each: C-- and the boolean program that it becomes.

use alias::{AliasMode, AliasOracle};
use expect_test::{Expect, expect};

/// The statements of `main` (and what it declares), without what they were translated from.
fn check(text: &str, expected: &Expect) {
    let program = ir::parse::program(text).unwrap_or_else(|d| panic!("{} in\n{text}", d.message));
    let oracle = AliasOracle::new(&program, AliasMode::Andersen);
    let made = dataflow::nullness(&program, &oracle, &|_| "x.c:1".into()).expect("calls are resolved");
    let text = bp::print(&made.program);
    let plain = |line: &str| line.split("//").next().unwrap_or_default().trim_end().to_owned() + "\n";
    let text: String = text.lines().skip(2).map(plain).collect();
    expected.assert_eq(&text);
}

fn body(declarations: &str, statements: &[&str]) -> String {
    let mut text = format!(
        "entry main; {declarations} proc void main(void) {{ local int x; local int *p; local int *q; local int *r; local int **pp;"
    );
    text += &format!("entry L0; exit L{};\n", statements.len());
    for (n, statement) in statements.iter().enumerate() {
        text += &format!("L{n}: {statement} goto L{};\n", n + 1);
    }
    text + &format!("L{}: }}\n", statements.len())
}

#[test]
fn assignments_to_variables() {
    check(
        &body(
            "",
            &[
                "p = NULL;",
                "p = &x;",
                "p = q;",
                "p = q + 1;",
                "p = q + x;",
                "p = (int *)8L;",
                "havoc(p, uninit);",
            ],
        ),
        &expect![[r#"
            void main() begin
              decl {p == NULL}, {q == NULL};
              {p == NULL} := 1;
              {p == NULL} := 0;
              {p == NULL} := {q == NULL};
              {p == NULL} := 0;
              {p == NULL} := {q == NULL} & *;
              {p == NULL} := 0;
              {p == NULL} := *;
              return;
            end
        "#]],
    );
}

#[test]
fn assignments_through_pointers() {
    check(
        &body("", &["pp = &p;", "*pp = q;", "q = *pp;", "*q = 1;"]),
        &expect![[r#"
        void main() begin
          decl {p == NULL}, {q == NULL}, {pp == NULL};
          {pp == NULL} := 0;
          D0: assert(!{pp == NULL});
          {p == NULL} := {q == NULL};
          D1: assert(!{pp == NULL});
          {q == NULL} := {p == NULL};
          D2: assert(!{q == NULL});
          skip;
          return;
        end
    "#]],
    );
    check(
        &body("", &["pp = &p;", "pp = &q;", "*pp = r;", "r = *pp;", "*pp = NULL;"]),
        &expect![[r#"
        void main() begin
          decl {p == NULL}, {q == NULL}, {r == NULL}, {pp == NULL};
          {pp == NULL} := 0;
          {pp == NULL} := 0;
          D0: assert(!{pp == NULL});
          {p == NULL}, {q == NULL} := * ? {r == NULL} : {p == NULL}, * ? {r == NULL} : {q == NULL};
          D1: assert(!{pp == NULL});
          {r == NULL} := *;
          D2: assert(!{pp == NULL});
          {p == NULL}, {q == NULL} := * ? 1 : {p == NULL}, * ? 1 : {q == NULL};
          return;
        end
    "#]],
    );
}

/// One tracked pointer may be meant, but so may memory that is not tracked: it keeps its value, perhaps.
#[test]
fn writes_that_may_go_elsewhere() {
    check(
        &body("global int *a[2];", &["pp = &p;", "pp = &a[1];", "*pp = NULL;", "*pp = r;"]),
        &expect![[r#"
            void main() begin
              decl {p == NULL}, {r == NULL}, {pp == NULL};
              {pp == NULL} := 0;
              {pp == NULL} := 0;
              D0: assert(!{pp == NULL});
              {p == NULL} := * ? 1 : {p == NULL};
              D1: assert(!{pp == NULL});
              {p == NULL} := * ? {r == NULL} : {p == NULL};
              return;
            end
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        &body(
            "",
            &[
                "assume(p != NULL);",
                "assume(!(p == NULL) && q == NULL);",
                "assume(p == q);",
                "assume(p != NULL && *p == 1);",
                "assume(x == 1);",
            ],
        ),
        &expect![[r#"
            void main() begin
              decl {p == NULL}, {q == NULL};
              assume(!{p == NULL});
              assume(!{p == NULL} & {q == NULL});
              assume(({p == NULL} & {q == NULL}) | (!{p == NULL} & !{q == NULL} & *));
              if (!{p == NULL}) then
                D0: assert(!{p == NULL});
              fi
              assume(!{p == NULL} & *);
              skip;
              return;
            end
        "#]],
    );
}

#[test]
fn calls() {
    let callee = "global int *g; extern int *outside(int *); proc int *pick(int *a, int b, int **c) { return int *ret__; entry L0; exit L2;
        L0: *c = NULL; goto L1; L1: ret__ = a; goto L2; L2: }";
    check(
        &body(
            callee,
            &["g = NULL;", "p = pick(q, x, &r);", "pp = &g;", "*pp = pick(NULL, 1, &g);", "p = outside(r);"],
        ),
        &expect![[r#"

            bool pick({a == NULL}, {c == NULL}) begin
              decl {ret__ == NULL};
              D0: assert(!{c == NULL});
              {g == NULL} := * ? 1 : {g == NULL};
              {ret__ == NULL} := {a == NULL};
              return {ret__ == NULL};
            end

            void main() begin
              decl {p == NULL}, {q == NULL}, {r == NULL}, {pp == NULL}, returned__;
              {g == NULL} := 1;
              {p == NULL} := pick({q == NULL}, 0);
              {r == NULL} := *;
              {pp == NULL} := 0;
              returned__ := pick(1, 0);
              {r == NULL} := *;
              D1: assert(!{pp == NULL});
              {g == NULL} := returned__;
              {p == NULL} := *;
              {p == NULL} := *;
              return;
            end
        "#]],
    );
}

#[test]
fn records_and_allocation() {
    let records = "struct pair { int *a; int v; int *b; }; global struct pair s; global struct pair t; global int *array[3];";
    check(
        &body(
            records,
            &[
                "memset(&s, 0, 24L);",
                "s.b = &x;",
                "memmove(&t, &s, 24L);",
                "*t.b = 1;",
                "array[1] = t.a;",
                "*array[1] = 1;",
                "p = alloc(8);",
                "q = alloc(8, may_fail);",
                "free(q);",
                "memmove(p, q, 4L);",
            ],
        ),
        &expect![[r#"

            void main() begin
              decl {p == NULL}, {q == NULL};
              {s.b == NULL} := 1;
              {s.b == NULL} := 0;
              {t.a == NULL}, {t.b == NULL} := *, {s.b == NULL};
              D0: assert(!{t.b == NULL});
              skip;
              skip;
              D1: skip;
              skip;
              {p == NULL} := 0;
              {q == NULL} := *;
              skip;
              D2: assert(!{q == NULL});
              D3: assert(!{p == NULL});
              skip;
              return;
            end
        "#]],
    );
}
