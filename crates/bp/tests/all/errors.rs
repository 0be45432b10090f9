//! Everything that the lexer, the parser and the checker refuse, with the message that is given: one snapshot a
//! mistake, so that a change of any of them is seen.

use base::SourceMap;
use bp::{Cfg, Dialect, parse};
use expect_test::{Expect, expect};

/// The errors of the first stage that has some.
fn check(text: &str, expected: Expect) {
    let mut map = SourceMap::new();
    let file = map.add("in.bp", Some(text.into()));
    let errors = match parse(text, file, Dialect::Strict) {
        Err(errors) => errors,
        Ok((program, _)) => match bp::check(&program, None) {
            Err(errors) => errors,
            Ok(_) => Cfg::build(&program, None).expect_err("something is wrong with it"),
        },
    };
    assert!(errors.iter().all(|e| e.span.is_some()), "every error has a place");
    expected.assert_eq(&errors.iter().map(|e| e.render(&map)).collect::<String>());
}

#[test]
fn tokens() {
    check(
        "void main() begin {a; end",
        expect![[r#"
        in.bp:1:19: error: `{` is not closed
            1 | void main() begin {a; end
              |                   ^
    "#]],
    );
    check(
        "/* void main() begin end",
        expect![[r#"
        in.bp:1:1: error: this comment is not closed
            1 | /* void main() begin end
              | ^^
    "#]],
    );
    check(
        "void main() begin x # 1; end",
        expect![[r#"
        in.bp:1:21: error: `#` does not belong in a boolean program
            1 | void main() begin x # 1; end
              |                     ^
    "#]],
    );
    check(
        " \u{0}\u{7f}é",
        expect![[r#"
            in.bp:1:2: error: `\u{0}` does not belong in a boolean program
                1 |    é
                  |  ^
            in.bp:1:3: error: `\u{7f}` does not belong in a boolean program
                1 |    é
                  |   ^
            in.bp:1:4: error: `\u{e9}` does not belong in a boolean program
                1 |    é
                  |    ^
        "#]],
    );
    check(
        "void main() begin goto 1x; end",
        expect![[r#"
        in.bp:1:25: error: expected `;`, found `x`
            1 | void main() begin goto 1x; end
              |                         ^
    "#]],
    );
}

#[test]
fn programs() {
    check(
        "",
        expect![[r#"
        in.bp:1:1: error: expected a procedure, found the end of the file
    "#]],
    );
    check(
        "decl a;",
        expect![[r#"
        in.bp:1:8: error: expected a procedure, found the end of the file
            1 | decl a;
              |        ^
    "#]],
    );
    check(
        "decl a",
        expect![[r#"
        in.bp:1:7: error: expected `;`, found the end of the file
            1 | decl a
              |       ^
    "#]],
    );
    check(
        "void",
        expect![[r#"
        in.bp:1:5: error: expected a procedure or `decl`, found the end of the file
            1 | void
              |     ^
    "#]],
    );
    check(
        "bool<x> f() begin end",
        expect![[r#"
        in.bp:1:6: error: expected a number of results, found `x`
            1 | bool<x> f() begin end
              |      ^
    "#]],
    );
    check(
        "bool<9999999> f() begin end",
        expect![[r#"
        in.bp:1:6: error: expected a number of results, found `9999999`
            1 | bool<9999999> f() begin end
              |      ^^^^^^^
    "#]],
    );
}

#[test]
fn parts_of_programs() {
    check(
        "init begin end init begin skip; end init begin end void main() begin end",
        expect![[r#"
        in.bp:1:37: error: there is a second `init`
            1 | init begin end init begin skip; end init begin end void main() begin end
              |                                     ^^^^
    "#]],
    );
    check(
        "thread t begin end",
        expect![[r#"
        in.bp:1:10: error: expected a procedure or `decl`, found `begin`
            1 | thread t begin end
              |          ^^^^^
    "#]],
    );
    check(
        "thread t end",
        expect![[r#"
        in.bp:1:10: error: expected a procedure or `decl`, found `end`
            1 | thread t end
              |          ^^^
    "#]],
    );
    check(
        "thread t decl g := 1; void main() begin end end",
        expect![[r#"
        in.bp:1:10: error: variables of a thread have no initial values; its `main` can set them
            1 | thread t decl g := 1; void main() begin end end
              |          ^^^^^^^^^^^^
    "#]],
    );
    check(
        "decl g := h; void main() begin end",
        expect![[r#"
        in.bp:1:11: error: an initial value cannot mention variables
            1 | decl g := h; void main() begin end
              |           ^
    "#]],
    );
    check(
        "decl end; void main() begin end",
        expect![[r#"
        in.bp:1:6: error: expected a variable, found `end`
            1 | decl end; void main() begin end
              |      ^^^
    "#]],
    );
    check(
        "void main() begin",
        expect![[r#"
        in.bp:1:18: error: expected `end`, found the end of the file
            1 | void main() begin
              |                  ^
    "#]],
    );
    check(
        "void main( begin end",
        expect![[r#"
        in.bp:1:12: error: expected a formal parameter, found `begin`
            1 | void main( begin end
              |            ^^^^^
    "#]],
    );
    check(
        "void main() skip; end",
        expect![[r#"
        in.bp:1:13: error: expected `begin`, found `skip`
            1 | void main() skip; end
              |             ^^^^
    "#]],
    );
}

#[test]
fn statements() {
    check(
        "void main() begin x := 1 L: skip; end",
        expect![[r#"
        in.bp:1:26: error: expected `;`, found `L`
            1 | void main() begin x := 1 L: skip; end
              |                          ^
    "#]],
    );
    check(
        "void main() begin skip; decl a; end",
        expect![[r#"
        in.bp:1:25: error: expected a statement (declarations stand at the head of a body), found `decl`
            1 | void main() begin skip; decl a; end
              |                         ^^^^
    "#]],
    );
    check(
        "void main() begin skip; enforce a; end",
        expect![[r#"
        in.bp:1:25: error: `enforce` stands in the header of a procedure or after its declarations
            1 | void main() begin skip; enforce a; end
              |                         ^^^^^^^
    "#]],
    );
    check(
        "void main() begin goto L constrain a; end",
        expect![[r#"
        in.bp:1:26: error: `constrain` belongs to an assignment, a call or an assumption
            1 | void main() begin goto L constrain a; end
              |                          ^^^^^^^^^
    "#]],
    );
    check(
        "void main() begin dead; end",
        expect![[r#"
        in.bp:1:23: error: expected a variable, found `;`
            1 | void main() begin dead; end
              |                       ^
    "#]],
    );
    check(
        "void main() begin x := ; end",
        expect![[r#"
        in.bp:1:24: error: expected an expression, found `;`
            1 | void main() begin x := ; end
              |                        ^
    "#]],
    );
    check(
        "void main() begin _ := 1; end",
        expect![[r#"
        in.bp:1:19: error: `_` stands only for a result of a call
            1 | void main() begin _ := 1; end
              |                   ^
    "#]],
    );
    check(
        "void main() begin _, x := 1, 0; end",
        expect![[r#"
        in.bp:1:19: error: `_` stands only for a result of a call
            1 | void main() begin _, x := 1, 0; end
              |                   ^
    "#]],
    );
}

#[test]
fn blocks_and_threads() {
    check(
        "void main() begin if a skip; fi end",
        expect![[r#"
        in.bp:1:24: error: expected `then`, found `skip`
            1 | void main() begin if a skip; fi end
              |                        ^^^^
    "#]],
    );
    check(
        "void main() begin while (a) do skip; fi end",
        expect![[r#"
        in.bp:1:38: error: expected `od`, found `fi`
            1 | void main() begin while (a) do skip; fi end
              |                                      ^^
    "#]],
    );
    check(
        "void main() begin if (a) then skip; end",
        expect![[r#"
        in.bp:1:37: error: expected `fi`, found `end`
            1 | void main() begin if (a) then skip; end
              |                                     ^^^
    "#]],
    );
    check(
        "void main() begin else end",
        expect![[r#"
        in.bp:1:19: error: expected `end`, found `else`
            1 | void main() begin else end
              |                   ^^^^
    "#]],
    );
    check(
        "void main() begin start_thread skip; end",
        expect![[r#"
        in.bp:1:32: error: expected `goto` or a procedure, found `skip`
            1 | void main() begin start_thread skip; end
              |                                ^^^^
    "#]],
    );
    check(
        "void main() begin ASYNC_1: x := f(); end",
        expect![[r#"
        in.bp:1:28: error: an asynchronous call has no results and no `constrain`
            1 | void main() begin ASYNC_1: x := f(); end
              |                            ^
    "#]],
    );
    check(
        "void main() begin sync e; end",
        expect![[r#"
        in.bp:1:19: error: `sync` (Boppo, WALi) is not supported
            1 | void main() begin sync e; end
              |                   ^^^^
    "#]],
    );
    check(
        "void main() begin goto; end",
        expect![[r#"
        in.bp:1:23: error: expected a label, found `;`
            1 | void main() begin goto; end
              |                       ^
    "#]],
    );
    check(
        "void main() begin 1 := x; end",
        expect![[r#"
        in.bp:1:19: error: expected a statement, found `1`
            1 | void main() begin 1 := x; end
              |                   ^
    "#]],
    );
    check(
        "void main() begin atomic begin skip; fi end",
        expect![[r#"
        in.bp:1:38: error: expected `end`, found `fi`
            1 | void main() begin atomic begin skip; fi end
              |                                      ^^
    "#]],
    );
}

#[test]
fn expressions() {
    check(
        "void main() begin assume(a = b & c); end",
        expect![[r#"
        in.bp:1:32: error: `&` beside `=` needs parentheses
            1 | void main() begin assume(a = b & c); end
              |                                ^
        note: tools disagree about which binds more tightly; --dialect says whose rules hold
    "#]],
    );
    check(
        "void main() begin assume(a ^ b | c); end",
        expect![[r#"
        in.bp:1:32: error: `|` beside `^` needs parentheses
            1 | void main() begin assume(a ^ b | c); end
              |                                ^
        note: tools disagree about which binds more tightly; --dialect says whose rules hold
    "#]],
    );
    check(
        "void main() begin assume(a => b => c); end",
        expect![[r#"
        in.bp:1:28: error: `=>` beside `=>` needs parentheses
            1 | void main() begin assume(a => b => c); end
              |                            ^^
        note: tools disagree about which binds more tightly; --dialect says whose rules hold
    "#]],
    );
    check(
        "void main() begin assume(2); end",
        expect![[r#"
        in.bp:1:26: error: expected an expression, found `2`
            1 | void main() begin assume(2); end
              |                          ^
    "#]],
    );
    check(
        "void main() begin assume((a); end",
        expect![[r#"
        in.bp:1:29: error: expected `)`, found `;`
            1 | void main() begin assume((a); end
              |                             ^
    "#]],
    );
    check(
        "void main() begin assume(choose[a]); end",
        expect![[r#"
        in.bp:1:34: error: expected `,`, found `]`
            1 | void main() begin assume(choose[a]); end
              |                                  ^
    "#]],
    );
    check(
        "void main() begin assume(a ? b); end",
        expect![[r#"
        in.bp:1:31: error: expected `:`, found `)`
            1 | void main() begin assume(a ? b); end
              |                               ^
    "#]],
    );
    check(
        "void main() begin assume('1); end",
        expect![[r#"
        in.bp:1:27: error: expected a variable, found `1`
            1 | void main() begin assume('1); end
              |                           ^
    "#]],
    );
    check(
        "void main() begin f(a,); end",
        expect![[r#"
        in.bp:1:23: error: expected an expression, found `)`
            1 | void main() begin f(a,); end
              |                       ^
    "#]],
    );
}

#[test]
fn declarations() {
    check(
        "decl g, g; void main() begin end",
        expect![[r#"
        in.bp:1:9: error: variable `g` is declared twice
            1 | decl g, g; void main() begin end
              |         ^
        in.bp:1:6: note: the first one is here
            1 | decl g, g; void main() begin end
              |      ^
    "#]],
    );
    check(
        "void main(a) begin decl a; end",
        expect![[r#"
        in.bp:1:25: error: variable `a` is declared twice
            1 | void main(a) begin decl a; end
              |                         ^
        in.bp:1:11: note: the first one is here
            1 | void main(a) begin decl a; end
              |           ^
    "#]],
    );
    check(
        "void main() begin end void main() begin end",
        expect![[r#"
        in.bp:1:28: error: procedure `main` is defined twice
            1 | void main() begin end void main() begin end
              |                            ^^^^
        in.bp:1:6: note: the first one is here
            1 | void main() begin end void main() begin end
              |      ^^^^
    "#]],
    );
    check(
        "void main() begin L: skip; goto L; L: skip; end",
        expect![[r#"
        in.bp:1:36: error: label `L` stands twice in `main`, and a jump leads to it
            1 | void main() begin L: skip; goto L; L: skip; end
              |                                    ^
        in.bp:1:19: note: the first one is here
            1 | void main() begin L: skip; goto L; L: skip; end
              |                   ^
    "#]],
    );
    check(
        "void f() begin end",
        expect![[r#"
        in.bp:1:6: error: there is no procedure `main` to start with
            1 | void f() begin end
              |      ^
    "#]],
    );
    check(
        "decl a; thread t void main() begin end end thread t void main() begin end end",
        expect![[r#"
        in.bp:1:51: error: thread `t` is defined twice
            1 | decl a; thread t void main() begin end end thread t void main() begin end end
              |                                                   ^
        in.bp:1:16: note: the first one is here
            1 | decl a; thread t void main() begin end end thread t void main() begin end end
              |                ^
    "#]],
    );
    check(
        "thread t void f() begin end end",
        expect![[r#"
        in.bp:1:8: error: thread `t` has no procedure `main` to start with
            1 | thread t void f() begin end end
              |        ^
    "#]],
    );
    check(
        "thread t void main() begin end end void f() begin end",
        expect![[r#"
        in.bp:1:41: error: procedure `f` stands outside of the threads
            1 | thread t void main() begin end end void f() begin end
              |                                         ^
    "#]],
    );
}

#[test]
fn names() {
    check(
        "void main() begin x := 1; end",
        expect![[r#"
        in.bp:1:19: error: variable `x` is not declared
            1 | void main() begin x := 1; end
              |                   ^
    "#]],
    );
    check(
        "void main() begin assert x; end",
        expect![[r#"
        in.bp:1:26: error: variable `x` is not declared
            1 | void main() begin assert x; end
              |                          ^
    "#]],
    );
    check(
        "void main() begin dead x; end",
        expect![[r#"
        in.bp:1:24: error: variable `x` is not declared
            1 | void main() begin dead x; end
              |                        ^
    "#]],
    );
    check(
        "void main() enforce x; begin end",
        expect![[r#"
        in.bp:1:21: error: variable `x` is not declared
            1 | void main() enforce x; begin end
              |                     ^
    "#]],
    );
    check(
        "void main() begin f(); end",
        expect![[r#"
        in.bp:1:19: error: procedure `f` is not defined
            1 | void main() begin f(); end
              |                   ^
    "#]],
    );
    check(
        "void main() begin goto L; end",
        expect![[r#"
        in.bp:1:24: error: there is no label `L` in `main`
            1 | void main() begin goto L; end
              |                        ^
    "#]],
    );
}

#[test]
fn names_in_threads_and_init() {
    check(
        "void main() begin start_thread goto L; end",
        expect![[r#"
        in.bp:1:37: error: there is no label `L` in `main`
            1 | void main() begin start_thread goto L; end
              |                                     ^
    "#]],
    );
    check(
        "void main() begin start_thread f(); end",
        expect![[r#"
        in.bp:1:32: error: procedure `f` is not defined
            1 | void main() begin start_thread f(); end
              |                                ^
    "#]],
    );
    check(
        "void main() begin x$ := 1; end",
        expect![[r#"
        in.bp:1:19: error: variable `x$` is not declared
            1 | void main() begin x$ := 1; end
              |                   ^^
    "#]],
    );
    check(
        "decl g; init begin l := 1; goto M; end void main() begin decl l; M: skip; end",
        expect![[r#"
        in.bp:1:20: error: variable `l` is not declared
            1 | decl g; init begin l := 1; goto M; end void main() begin decl l; M: skip; end
              |                    ^
        in.bp:1:33: error: there is no label `M` in `init`
            1 | decl g; init begin l := 1; goto M; end void main() begin decl l; M: skip; end
              |                                 ^
    "#]],
    );
    check(
        "void main() begin goto L; end void f() begin L: skip; end",
        expect![[r#"
        in.bp:1:24: error: there is no label `L` in `main`
            1 | void main() begin goto L; end void f() begin L: skip; end
              |                        ^
    "#]],
    );
    check(
        "thread t decl a; void main() begin end end thread u void main() begin a := 1; f(); end end",
        expect![[r#"
            in.bp:1:71: error: variable `a` is not declared
                1 | thread t decl a; void main() begin end end thread u void main() begin a := 1; f(); end end
                  |                                                                       ^
            in.bp:1:79: error: procedure `f` is not defined
                1 | thread t decl a; void main() begin end end thread u void main() begin a := 1; f(); end end
                  |                                                                               ^
        "#]],
    );
}

#[test]
fn counts() {
    check(
        "decl a, b; void main() begin a, b := 1; end",
        expect![[r#"
            in.bp:1:30: error: an assignment of 1 value to 2 targets
                1 | decl a, b; void main() begin a, b := 1; end
                  |                              ^^^^^^^^^^
        "#]],
    );
    check(
        "void main() begin f(1); end void f() begin end",
        expect![[r#"
            in.bp:1:19: error: a call of `f` with 1 argument, it takes 0
                1 | void main() begin f(1); end void f() begin end
                  |                   ^
        "#]],
    );
    check(
        "void main() begin f(); end void f(a, b) begin end",
        expect![[r#"
            in.bp:1:19: error: a call of `f` with 0 arguments, it takes 2
                1 | void main() begin f(); end void f(a, b) begin end
                  |                   ^
        "#]],
    );
    check(
        "decl a; void main() begin a := f(); end void f() begin end",
        expect![[r#"
            in.bp:1:32: error: a call of `f` that sets 1 variable, it returns 0 values
                1 | decl a; void main() begin a := f(); end void f() begin end
                  |                                ^
        "#]],
    );
    check(
        "decl a; void main() begin a := f(); end bool<2> f() begin end",
        expect![[r#"
            in.bp:1:32: error: a call of `f` that sets 1 variable, it returns 2 values
                1 | decl a; void main() begin a := f(); end bool<2> f() begin end
                  |                                ^
        "#]],
    );
    check(
        "bool main() begin return; end",
        expect![[r#"
            in.bp:1:19: error: a return of 0 values from `main`, which returns 1
                1 | bool main() begin return; end
                  |                   ^^^^^^^
        "#]],
    );
    check(
        "void main() begin return 1; end",
        expect![[r#"
            in.bp:1:19: error: a return of 1 value from `main`, which returns 0
                1 | void main() begin return 1; end
                  |                   ^^^^^^^^^
        "#]],
    );
    check(
        "void main() begin start_thread f(1); end void f() begin end",
        expect![[r#"
            in.bp:1:32: error: a call of `f` with 1 argument, it takes 0
                1 | void main() begin start_thread f(1); end void f() begin end
                  |                                ^
        "#]],
    );
}

#[test]
fn misuse() {
    check(
        "decl a; void main() begin a, a := 1, 0; end",
        expect![[r#"
        in.bp:1:30: error: `a` is set twice by one statement: which value it gets is not defined
            1 | decl a; void main() begin a, a := 1, 0; end
              |                              ^
    "#]],
    );
    check(
        "decl a; void main() begin a, a := f(); end bool<2> f() begin end",
        expect![[r#"
        in.bp:1:30: error: `a` is set twice by one statement: which value it gets is not defined
            1 | decl a; void main() begin a, a := f(); end bool<2> f() begin end
              |                              ^
    "#]],
    );
    check(
        "decl a; void main() begin dead a, a; end",
        expect![[r#"
        in.bp:1:35: error: `a` is dead twice by one statement
            1 | decl a; void main() begin dead a, a; end
              |                                   ^
    "#]],
    );
    check(
        "decl a; void main() begin a := 'a; end",
        expect![[r#"
        in.bp:1:33: error: `'a` stands for a next value, outside of `constrain`
            1 | decl a; void main() begin a := 'a; end
              |                                 ^
    "#]],
    );
    check(
        "decl a; void main() enforce 'a; begin end",
        expect![[r#"
        in.bp:1:30: error: `'a` stands for a next value, outside of `constrain`
            1 | decl a; void main() enforce 'a; begin end
              |                              ^
    "#]],
    );
    check(
        "decl a; void main() begin assert('a); end",
        expect![[r#"
        in.bp:1:35: error: `'a` stands for a next value, outside of `constrain`
            1 | decl a; void main() begin assert('a); end
              |                                   ^
    "#]],
    );
    check(
        "decl a; void main() begin f('a) constrain 'a; end void f(x) begin end",
        expect![[r#"
        in.bp:1:30: error: `'a` stands for a next value, outside of `constrain`
            1 | decl a; void main() begin f('a) constrain 'a; end void f(x) begin end
              |                              ^
    "#]],
    );
    check(
        "init begin return; end void main() begin end",
        expect![[r#"
        in.bp:1:12: error: `init` ends at its `end` and does not return
            1 | init begin return; end void main() begin end
              |            ^^^^^^^
    "#]],
    );
    check(
        "void main() begin assert(1) constrain 1; end",
        expect![[r#"
        in.bp:1:29: error: `constrain` belongs to an assignment, a call or an assumption
            1 | void main() begin assert(1) constrain 1; end
              |                             ^^^^^^^^^
    "#]],
    );
}

#[test]
fn concurrent_programs() {
    check(
        "void main() begin start_thread goto L; L: skip; end",
        expect![[r#"
        in.bp:1:19: error: `start_thread` belongs to a concurrent program; only sequential ones can be decided
            1 | void main() begin start_thread goto L; L: skip; end
              |                   ^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
    check(
        "void main() begin end_thread; end",
        expect![[r#"
        in.bp:1:19: error: `end_thread` belongs to a concurrent program; only sequential ones can be decided
            1 | void main() begin end_thread; end
              |                   ^^^^^^^^^^^
    "#]],
    );
    check(
        "void main() begin atomic_begin; atomic_end; end",
        expect![[r#"
        in.bp:1:19: error: `atomic_begin` belongs to a concurrent program; only sequential ones can be decided
            1 | void main() begin atomic_begin; atomic_end; end
              |                   ^^^^^^^^^^^^^
    "#]],
    );
    check(
        "void main() begin atomic begin end end",
        expect![[r#"
        in.bp:1:19: error: `atomic` belongs to a concurrent program; only sequential ones can be decided
            1 | void main() begin atomic begin end end
              |                   ^^^^^^^^^^^^
    "#]],
    );
    check(
        "void main() begin ASYNC_1: main(); end",
        expect![[r#"
        in.bp:1:28: error: `start_thread` belongs to a concurrent program; only sequential ones can be decided
            1 | void main() begin ASYNC_1: main(); end
              |                            ^^^^^^^
    "#]],
    );
    check(
        "decl x; void main() begin x := x$; end",
        expect![[r#"
        in.bp:1:32: error: `x$`, another thread's `x`, belongs to a concurrent program; only sequential ones can be decided
            1 | decl x; void main() begin x := x$; end
              |                                ^^
    "#]],
    );
    check(
        "thread t void main() begin end end",
        expect![[r#"
        in.bp:1:8: error: a thread belongs to a concurrent program; only sequential ones can be decided
            1 | thread t void main() begin end end
              |        ^
    "#]],
    );
    check(
        "void init() begin endinit: skip; end void main() begin end",
        expect![[r#"
        in.bp:1:6: error: the procedure `init` with its label `endinit` belongs to a concurrent program; only sequential ones can be decided
            1 | void init() begin endinit: skip; end void main() begin end
              |      ^^^^
    "#]],
    );
}

/// The parser cannot make them, other programs can. What stands in the graph twice is one statement.
#[test]
fn ids_of_statements_are_distinct() {
    let text = "init begin skip; end void main() begin if (*) then main(); fi end";
    let (mut program, _) =
        parse(text, SourceMap::new().add("in.bp", None), Dialect::Strict).expect("it is well-formed");
    assert_eq!(bp::check(&program, None), Ok(vec![]));
    program.init[0].id = program.procs[0].body[0].id;
    let errors = bp::check(&program, None).expect_err("two statements have one id");
    let messages: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(messages, ["two statements have the id s1"]);
}
