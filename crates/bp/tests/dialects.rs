//! What other tools write is read; what is refused is refused with its place and reason.

use base::SourceMap;
use bp::{Cfg, Dialect, parse, print};
use expect_test::{Expect, expect};

/// The canonical form and the warnings, or the errors of the parser or of the checker.
fn read(text: &str, dialect: Dialect) -> String {
    let mut map = SourceMap::new();
    let file = map.add("in.bp", Some(text.into()));
    let render = |list: Vec<base::Diagnostic>| list.iter().map(|d| d.render(&map)).collect::<String>();
    match parse(text, file, dialect) {
        Err(errors) => render(errors),
        Ok((program, mut warnings)) => match Cfg::build(&program, None) {
            Err(errors) => render(errors),
            Ok((_, more)) => {
                warnings.extend(more);
                print(&program) + &render(warnings)
            }
        },
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text, Dialect::Strict));
}

#[test]
fn figure_1_of_bebop_2000() {
    check(
        "decl g;\nmain()\nbegin\ndecl h;\nh := !g; A(g,h); skip;\nif (g) then R: skip; else skip; fi\nend\n\
         A(a1,a2)\nbegin\nif (a1) then A(a2,a1); skip; else g := a2; fi\nend",
        expect![[r#"
            decl g;

            void main() begin
              decl h;
              h := !g;
              A(g, h);
              skip;
              if (g) then
                R: skip;
              else
                skip;
              fi
            end

            void A(a1, a2) begin
              if (a1) then
                A(a2, a1);
                skip;
              else
                g := a2;
              fi
            end
        "#]],
    );
}

#[test]
fn words_operators_and_constants_of_other_tools() {
    check(
        "decl a, b, {x == y}, a$1#f-o;\n\
         bool<2> f(x) begin enforce T; return x, schoose[x, ~x]; end\n\
         g(x) begin if (*) return 1; else return 0; fi end\n\
         main() begin\n\
         11: L2: a := ? ; ;\n\
         if a and not b or T then skip; fi; while a do skip; od;\n\
         a, _ := call f(a == b);\n\
         call g(F)\n\
         L3: b := g(a <-> b) constrain 'a = b;\n\
         abortif(a); constrain(b => a); dfs; dead {x==y}, a$1#f-o;\n\
         assume(a ? * : b) constrain a; goto 11, L2; // jump // @ f.c:3 e1\n\
         print(a,b); L9:\n\
         end"
        .replace("{x==y}", "{x  == y}")
        .as_str(),
        expect![[r#"
            decl a, b, {x == y}, a$1#f-o;

            bool<2> f(x) enforce 1; begin
              return x, choose[x, !x];
            end

            bool g(x) begin
              if (*) then
                return 1;
              else
                return 0;
              fi
            end

            void main() begin
              11: L2: a := *;
              if ((a & !b) | 1) then
                skip;
              fi
              while (a) do
                skip;
              od
              a, _ := f(a = b);
              g(0);
              L3: b := g(a = b) constrain 'a = b;
              assume(!a);
              assume(b => a);
              dead {x == y}, a$1#f-o;
              assume(a ? * : b) constrain a;
              goto 11, L2;                                  // jump  // @ f.c:3 e1
              print(a, b);
              L9: skip;
            end
            in.bp:10:32: warning: `dfs` is ignored
               10 | abortif(a); constrain(b => a); dfs; dead {x  == y}, a$1#f-o;
                  |                                ^^^
        "#]],
    );
}

#[test]
fn precedence() {
    let text = "decl a, b, c; void main() begin a := a = b & c; end";
    check(
        text,
        expect![[r#"
            in.bp:1:44: error: a mix of `=` or `!=` with `&`, `|` or `^` needs parentheses
                1 | decl a, b, c; void main() begin a := a = b & c; end
                  |                                            ^
            note: tools that write boolean programs disagree about which binds more tightly
        "#]],
    );
    let canonical = |e: &str| {
        let e = bp::parse_expr(e, base::Id::from_index(0)).expect("it is an expression");
        e.to_string()
    };
    expect![[r#"
        (a = b) & c
        a | (b & c)
        (a | b) & c
        a => (b => (c ? a : b))
        (!a = b) != c
        ((a & b) & c) | (a ^ b)
        (a => b) = c
    "#]]
    .assert_eq(
        &[
            "a = b & c",
            "a | b & c",
            "a | b && c",
            "a => b => (c ? a : b)",
            "!a = b != c",
            "(a & b) & c | a ^ b",
            "a -> b <-> c",
        ]
        .map(|e| canonical(e) + "\n")
        .concat(),
    );
}

#[test]
fn errors_have_places() {
    check(
        "void main() begin x := 1\nend",
        expect![[r#"
            in.bp:2:1: error: expected `;`, found `end`
                2 | end
                  | ^^^
        "#]],
    );
    check(
        "decl g, g; void main() begin\n  decl a;\n  x := 'a; a, a := 1; L: L: f(1); goto M;\n  b := h(1, 0);\n  return 1; end\n\
         bool h(y) enforce 'y; begin return; end void h() begin a := 1; end",
        expect![[r#"
            in.bp:6:46: error: procedure `h` is defined twice
                6 | bool h(y) enforce 'y; begin return; end void h() begin a := 1; end
                  |                                              ^
            in.bp:1:9: error: variable `g` is declared twice
                1 | decl g, g; void main() begin
                  |         ^
            in.bp:3:26: error: label `L` stands twice in `main`
                3 |   x := 'a; a, a := 1; L: L: f(1); goto M;
                  |                          ^
            in.bp:3:3: error: variable `x` is not declared
                3 |   x := 'a; a, a := 1; L: L: f(1); goto M;
                  |   ^
            in.bp:3:9: error: `'a` stands for a next value, outside of `constrain`
                3 |   x := 'a; a, a := 1; L: L: f(1); goto M;
                  |         ^
            in.bp:3:12: error: 2 variables are set to 1 values
                3 |   x := 'a; a, a := 1; L: L: f(1); goto M;
                  |            ^^^^^^^^^^
            in.bp:3:15: error: `a` is set twice by one statement
                3 |   x := 'a; a, a := 1; L: L: f(1); goto M;
                  |               ^
            in.bp:3:29: error: procedure `f` is not defined
                3 |   x := 'a; a, a := 1; L: L: f(1); goto M;
                  |                             ^
            in.bp:3:40: error: there is no label `M` in `main`
                3 |   x := 'a; a, a := 1; L: L: f(1); goto M;
                  |                                        ^
            in.bp:4:3: error: variable `b` is not declared
                4 |   b := h(1, 0);
                  |   ^
            in.bp:4:8: error: `h` is called with 2 arguments, it has 0 formals
                4 |   b := h(1, 0);
                  |        ^
            in.bp:4:8: error: 1 variables are set by `h`, which returns 0 values
                4 |   b := h(1, 0);
                  |        ^
            in.bp:5:3: error: 1 values are returned by `main`, which returns 0
                5 |   return 1; end
                  |   ^^^^^^^^^
            in.bp:6:20: error: `'y` stands for a next value, outside of `constrain`
                6 | bool h(y) enforce 'y; begin return; end void h() begin a := 1; end
                  |                    ^
            in.bp:6:29: error: 0 values are returned by `h`, which returns 1
                6 | bool h(y) enforce 'y; begin return; end void h() begin a := 1; end
                  |                             ^^^^^^^
            in.bp:6:56: error: variable `a` is not declared
                6 | bool h(y) enforce 'y; begin return; end void h() begin a := 1; end
                  |                                                        ^
        "#]],
    );
    check(
        "decl x; void f(x) begin _ := 1; end",
        expect![[r#"
            in.bp:1:25: error: `_` stands only for a result of a call
                1 | decl x; void f(x) begin _ := 1; end
                  |                         ^
        "#]],
    );
    check(
        "decl x; void f(x) begin end",
        expect![[r#"
            error: there is no procedure `main` to start with
        "#]],
    );
    check(
        "void main() begin {a; end",
        expect![[r#"
            in.bp:1:19: error: `{` is not closed
                1 | void main() begin {a; end
                  |                   ^
        "#]],
    );
}

#[test]
fn concurrent_programs_are_refused() {
    for text in ["void main() begin start_thread goto L; end", "decl g; thread a void main() begin end end"] {
        assert!(read(text, Dialect::Strict).contains("belongs to a concurrent program"), "{text}");
    }
}

#[test]
fn warnings() {
    check(
        "decl x; void main() begin decl x; x := 1; end",
        expect![[r#"
            decl x;

            void main() begin
              decl x;
              x := 1;
            end
            in.bp:1:32: warning: `x` shadows the global variable of the same name
                1 | decl x; void main() begin decl x; x := 1; end
                  |                                ^
        "#]],
    );
}
