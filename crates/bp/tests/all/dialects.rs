//! What other tools write is read; what is refused is refused with its place and reason.

use base::SourceMap;
use bp::{Cfg, Dialect, StmtKind, parse, print};
use expect_test::{Expect, expect};
use std::fmt::Write;

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
            in.bp:1:44: error: `&` beside `=` needs parentheses
                1 | decl a, b, c; void main() begin a := a = b & c; end
                  |                                            ^
            note: tools disagree about which binds more tightly; --dialect says whose rules hold
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
    let mut out = String::new();
    for text in
        ["a = b & c", "a ^ b | c", "a | b && c", "a => b => c", "a = b => c", "a => b | c", "a <=> b => c"]
    {
        let text = format!("decl a, b, c; void main() begin assume {text}; end");
        for dialect in [Dialect::C, Dialect::Boppo, Dialect::Getafix, Dialect::Wali] {
            let (program, _) = parse(&text, base::Id::from_index(0), dialect).expect("it parses");
            let StmtKind::Assume { cond, .. } = &program.procs[0].body[0].kind else { panic!("an assume") };
            let _ = write!(out, "{:28}", cond.to_string());
        }
        let file = SourceMap::new().add("in.bp", None);
        out.push_str(if parse(&text, file, Dialect::Strict).is_ok() { "agreed\n" } else { "disputed\n" });
    }
    expect![[r#"
        (a = b) & c                 a = (b & c)                 (a = b) & c                 (a = b) & c                 disputed
        (a ^ b) | c                 a ^ (b | c)                 (a ^ b) | c                 (a ^ b) | c                 disputed
        (a | b) & c                 a | (b & c)                 a | (b & c)                 a | (b & c)                 disputed
        a => (b => c)               a => (b => c)               (a => b) => c               (a => b) => c               disputed
        (a = b) => c                a = (b => c)                (a = b) => c                (a = b) => c                disputed
        a => (b | c)                a => (b | c)                a => (b | c)                (a => b) | c                agreed
        a = (b => c)                (a = b) => c                a = (b => c)                a = (b => c)                disputed
    "#]].assert_eq(&out);
}

#[test]
fn statements_end_where_it_is_clear() {
    check(
        "decl x; void main() begin if (x) then goto L fi; while x do x := 0 od L: f() M: N: return end\n\
         bool f() begin if x then return 1 else assume x; fi ; ; end",
        expect![[r#"
            decl x;

            void main() begin
              if (x) then
                goto L;
              fi
              while (x) do
                x := 0;
              od
              L: f();
              M: N: return;
            end

            bool f() begin
              if (x) then
                return 1;
              else
                assume(x);
              fi
            end
        "#]],
    );
}

#[test]
fn initial_values_and_init() {
    check(
        "decl g := 1, h; /* above main */ void main() begin decl l := !0, m := *; decl n := 0; L: l := g; goto L; end\n\
         init begin f(); L: goto L; end void f() begin decl a := 1 /* about a */; end decl k := 0;",
        expect![[r#"
            decl g, h, k;

            init begin
              g := 1;
              k := 0;
              f();
              L: goto L;
            end

            // above main
            void main() begin
              decl l, m, n;
              l := !0;
              n := 0;
              L: l := g;
              goto L;
            end

            void f() begin
              decl a;
              a := 1;
            end
            // about a
        "#]],
    );
}

#[test]
fn comments_stay() {
    check(
        "// the header\n// of the file\n\n\
         decl b0; // 1 == x\n/* above f */ void f() begin // @ f.c:1\n  decl a, // first\n b // second\n;\n\
         // lost its decl\nL:\n// between\nM: skip; /* beside */\n if (a) then // when a\n skip;\n else // otherwise\n \
         skip;\n fi // after\nend\n/* above\n * main */ void main() begin end // the\n// end",
        expect![[r#"
            // the header
            // of the file
            decl b0;                                        // 1 == x

            // above f
            void f() begin                                  // @ f.c:1
              decl a;                                       // first
              decl b;                                       // second
              // lost its decl
              // between
              L: M: skip;                                   // beside
              if (a) then                                   // when a
                skip;
              else
                // otherwise
                skip;
              fi
            end

            // after
            // above
            // main
            void main() begin
            end
            // the
            // end
        "#]],
    );
}

/// The canonical form of a program that may be concurrent, and what the two checks say.
fn concurrent(text: &str, expected: Expect) {
    let mut map = SourceMap::new();
    let file = map.add("in.bp", Some(text.into()));
    let (program, _) = parse(text, file, Dialect::Strict).expect("it parses");
    let render = |list: &[base::Diagnostic]| list.iter().map(|d| d.render(&map)).collect::<String>();
    let checked = bp::check(&program, None);
    let built = Cfg::build(&program, None).expect_err("it is concurrent");
    let warnings = checked.unwrap_or_else(|errors| panic!("{}", render(&errors)));
    expected.assert_eq(&(print(&program) + &render(&warnings) + &render(&built)));
}

#[test]
fn threads_of_satabs_and_boom() {
    concurrent(
        "decl s;\nvoid c$$main() begin end\nvoid main() begin decl l;\n\
         11: start_thread goto 13; start_thread f(l);\n12: goto 13;\n13: skip; atomic_begin; s, l$ := l$, * constrain 'l$ = s; atomic_end;\n\
         L: ASYNC_1: M: f(0); end_thread; end\nvoid f(x) begin end",
        expect![[r#"
            decl s;

            void c$$main() begin
            end

            void main() begin
              decl l;
              11: start_thread goto 13;
              start_thread f(l);
              12: goto 13;
              13: skip;
              atomic_begin;
              s, l$ := l$, * constrain 'l$ = s;
              atomic_end;
              L: ASYNC_1: M: start_thread f(0);
              end_thread;
            end

            void f(x) begin
            end
            in.bp:4:5: error: `start_thread` belongs to a concurrent program; only sequential ones can be decided
                4 | 11: start_thread goto 13; start_thread f(l);
                  |     ^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
    concurrent(
        "void main() begin decl l; l := l$; end",
        expect![[r#"
        void main() begin
          decl l;
          l := l$;
        end
        in.bp:1:32: error: `l$`, another thread's `l`, belongs to a concurrent program; only sequential ones can be decided
            1 | void main() begin decl l; l := l$; end
              |                                ^^
    "#]],
    );
}

#[test]
fn threads_with_parts_of_their_own() {
    concurrent(
        "decl s; init begin s := 0; end\n\
         thread one decl g; void main() begin atomic begin s := !s; if s then return; fi end f(); end void f() begin g := s; end end\n\
         thread two void main() begin atomic begin end assert(!s); end end",
        expect![[r#"
            decl s;

            init begin
              s := 0;
            end

            thread one
              decl g;

              void main() begin
                atomic begin
                  s := !s;
                  if (s) then
                    return;
                  fi
                end
                f();
              end

              void f() begin
                g := s;
              end
            end

            thread two
              void main() begin
                atomic begin
                end
                assert(!s);
              end
            end
            in.bp:2:8: error: a thread belongs to a concurrent program; only sequential ones can be decided
                2 | thread one decl g; void main() begin atomic begin s := !s; if s then return; fi end f(); end void f() begin g := s; end end
                  |        ^^^
        "#]],
    );
}

#[test]
fn threads_of_getafix() {
    concurrent(
        "decl atomic, a;\nvoid init ()\nbegin\ndecl at;\n  atomic, at := F, F;\n  endinit: skip;\nend\n\
         void thread0 ()\nbegin\ndecl at;\n  atomic, at := T, T;\n  if (!a) then SLIC_ERROR: skip; fi\n  SLIC_ERROR: skip;\nend",
        expect![[r#"
            decl atomic, a;

            void init() begin
              decl at;
              atomic, at := 0, 0;
              endinit: skip;
            end

            void thread0() begin
              decl at;
              atomic, at := 1, 1;
              if (!a) then
                SLIC_ERROR: skip;
              fi
              SLIC_ERROR: skip;
            end
            in.bp:13:3: warning: label `SLIC_ERROR` stands twice in `thread0`
               13 |   SLIC_ERROR: skip;
                  |   ^^^^^^^^^^
            in.bp:2:6: error: the procedure `init` with its label `endinit` belongs to a concurrent program; only sequential ones can be decided
                2 | void init ()
                  |      ^^^^
        "#]],
    );
}

#[test]
fn warnings() {
    check(
        "decl x; void main() begin decl x; x := 1; L: L: f(); end void f() enforce x; begin dead x; end void init() begin end",
        expect![[r#"
            decl x;

            void main() begin
              decl x;
              x := 1;
              L: L: f();
            end

            void f() enforce x; begin
              dead x;
            end

            void init() begin
            end
            in.bp:1:101: warning: procedure `init` is never called; nothing runs it before `main`
                1 | decl x; void main() begin decl x; x := 1; L: L: f(); end void f() enforce x; begin dead x; end void init() begin end
                  |                                                                                                     ^^^^
            in.bp:1:32: warning: `x` shadows the global variable of the same name
                1 | decl x; void main() begin decl x; x := 1; L: L: f(); end void f() enforce x; begin dead x; end void init() begin end
                  |                                ^
            in.bp:1:46: warning: label `L` stands twice in `main`
                1 | decl x; void main() begin decl x; x := 1; L: L: f(); end void f() enforce x; begin dead x; end void init() begin end
                  |                                              ^
            in.bp:1:89: warning: `x` is not dead: the `enforce` of `f` reads it everywhere
                1 | decl x; void main() begin decl x; x := 1; L: L: f(); end void f() enforce x; begin dead x; end void init() begin end
                  |                                                                                         ^
        "#]],
    );
}

#[test]
fn a_variable_that_is_set_twice() {
    // In Boppo's rules the last value counts; others do not say, so it is refused when the graph is built.
    let text = "decl a, b; void main() begin a, b, a, a := 1, a, 0, b; end";
    let file = SourceMap::new().add("in.bp", None);
    let (program, warnings) = parse(text, file, Dialect::Boppo).expect("it parses");
    expect!["b, a := a, b;"].assert_eq(print(&program).lines().nth(3).unwrap_or_default().trim());
    let messages: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    let message = "`a` is set twice by one statement: the last value counts";
    assert_eq!(messages, [message, message]);
    let (program, warnings) = parse(text, file, Dialect::Getafix).expect("it parses");
    assert!(warnings.is_empty() && Cfg::build(&program, None).is_err());
}
