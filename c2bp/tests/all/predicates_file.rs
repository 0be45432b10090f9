//! Files of predicates: what is printed reads back; mistakes are found at their places.

use base::{FileId, Id};
use encoding::IntMode;
use expect_test::{Expect, expect};
use ir::Program;
use predicates::predicates_file::{parse, print};

fn program() -> Program {
    let text = "entry start__; struct pair { int first; int second; };
        global int lock; global int n; global struct pair both; global int table[4];
        proc void f(int a) { local int i; local int count; local int *p; entry L0; exit L0; L0: }
        proc void start__(void) { local int x; entry L0; exit L2;
        L0: x = 1; goto L1;
        L1: x = 2; goto L2; L2: }";
    ir::parse::program(text).expect("the text is a program")
}

fn check(text: &str, expected: Expect) {
    let program = program();
    let read = |text: &str, scope| ir::parse::expr(text, &program, scope);
    let place = |d: &base::Diagnostic| {
        let at = d.span.expect("messages have places").start;
        format!("{}:{}: {}: {}\n", at.line, at.col, d.severity.word(), d.message)
    };
    let result = match parse(text, FileId::from_index(3), &program, IntMode::Math, &read) {
        Err(d) => place(&d),
        Ok((precision, warnings)) => {
            let printed = print(&program, &precision);
            let again = parse(&printed, FileId::from_index(0), &program, IntMode::Math, &read);
            let (again, notes) = again.expect("what is printed reads back");
            assert!(notes.is_empty(), "{notes:?}");
            assert_eq!(print(&program, &again), printed);
            warnings.iter().map(place).collect::<String>() + &printed
        }
    };
    expected.assert_eq(&result);
}

/// Notes for the next path are read, and are not predicates.
#[test]
fn notes_are_no_predicates() {
    use predicates::predicates_file::{Note, notes};
    let all = [Note::Paths(4), Note::Met(0x1f), Note::Tried(u64::MAX)];
    let text: String = all.iter().map(|note| format!("{note}\n")).collect();
    assert_eq!(notes(&text), all);
    check(
        &format!("n == 3; {text}"),
        expect![[r#"
        global {
          n == 3;
        }
    "#]],
    );
    check(
        "@paths none;",
        expect![[r#"
        1:1: error: `@paths none` is no note; there are `@paths NUMBER`, `@met HEX` and `@tried HEX`
    "#]],
    );
    check(
        "f { @paths 2 }",
        expect![[r#"
        1:5: error: `@paths 2` is no note; there are `@paths NUMBER`, `@met HEX` and `@tried HEX`
    "#]],
    );
}

#[test]
fn all_forms() {
    check(
        "// the lock\nglobal { lock == 1; lock != 0 } n > 3\nn == 2;\nf\n{\n a == old(a); i <\n a; // both\n}\nstart__:5 { x > 2; n > 0; 1 == 1 }\nstart__:5-6 { x > 2; x == 7 }\n",
        expect![[r#"
            9:20: note: `n > 0` names globals only and is tracked everywhere
            9:27: warning: `1 == 1` is always true and says nothing
            global {
              lock == 1;
              lock == 0;
              n <= 3;
              n == 2;
              n <= 0;
            }
            f {
              a == old(a);
              a <= i;
            }
            start__:5 {
              x <= 2;
              x == 7;
            }
            start__:6 {
              x <= 2;
              x == 7;
            }
        "#]],
    );
}

/// The first mistake as users see it, line and mark included.
fn mistake(text: &str) -> String {
    let program = program();
    let mut sources = base::SourceMap::new();
    let file = sources.add("a.preds", Some(text.into()));
    let read = |text: &str, scope| ir::parse::expr(text, &program, scope);
    match parse(text, file, &program, IntMode::Math, &read) {
        Err(d) => d.render(&sources),
        Ok((precision, _)) => format!("taken: {}", print(&program, &precision)),
    }
}

fn check_mistakes(texts: &[&str], expected: Expect) {
    let all: Vec<String> = texts.iter().map(|t| mistake(t)).collect();
    expected.assert_eq(&all.join("\n"));
}

#[test]
fn mistakes_of_form() {
    let texts = [
        "f { a == ; }",
        "f {\n  i < 2;\n  x == 1;\n}",
        "g { n == 1; }",
        "glboal { n == 1; }",
        "f { n == 1;",
        "n == 1 }",
        "f { { n == 1 } }",
        "old(n) == n",
        "f:x { n == 1 }",
        "start__:42 { x == 1 }",
    ];
    check_mistakes(
        &texts,
        expect![[r#"
            a.preds:1:9: error: expected an expression
                1 | f { a == ; }
                  |         ^

            a.preds:3:3: error: `x` is a variable of `start__`, and not known in `f`
                3 |   x == 1;
                  |   ^

            a.preds:1:1: error: there is no function `g` in the program
                1 | g { n == 1; }
                  | ^

            a.preds:1:1: error: there is no function `glboal` in the program; did you mean `global`?
                1 | glboal { n == 1; }
                  | ^^^^^^

            a.preds:1:12: error: a closing brace is missing
                1 | f { n == 1;
                  |            ^

            a.preds:1:8: error: there is no open brace
                1 | n == 1 }
                  |        ^

            a.preds:1:5: error: braces are not nested
                1 | f { { n == 1 } }
                  |     ^

            a.preds:1:1: error: `old` needs a function: `name { … }`
                1 | old(n) == n
                  | ^^^^^^^^^^^

            a.preds:1:1: error: `x` is no line number, and no range such as 12-20
                1 | f:x { n == 1 }
                  | ^^^

            a.preds:1:1: error: no statement of `start__` begins in line 42; its statements stand in lines 5 to 6
                1 | start__:42 { x == 1 }
                  | ^^^^^^^^^^
        "#]],
    );
}

#[test]
fn unknown_names() {
    let texts = [
        "lokc == 1",
        "f { cuont > 0 }",
        "f { whatever > 0 }",
        "f { n == 1 &&\n      coutn > 0; }",
        "i < 2",
        "f { both.frist == 1 }",
        "f { both.third == 1 }",
    ];
    check_mistakes(
        &texts,
        expect![[r#"
        a.preds:1:1: error: there is no `lokc` globally; did you mean `lock`?
            1 | lokc == 1
              | ^^^^

        a.preds:1:5: error: there is no `cuont` in `f`; did you mean `count`?
            1 | f { cuont > 0 }
              |     ^^^^^

        a.preds:1:5: error: there is no `whatever` in `f`
            1 | f { whatever > 0 }
              |     ^^^^^^^^

        a.preds:2:7: error: there is no `coutn` in `f`; did you mean `count`?
            2 |       coutn > 0; }
              |       ^^^^^

        a.preds:1:1: error: `i` is a variable of `f`: write `f { … }` around the predicate
            1 | i < 2
              | ^

        a.preds:1:10: error: 'struct pair' has no member 'frist'; did you mean `first`?
            1 | f { both.frist == 1 }
              |          ^^^^^

        a.preds:1:10: error: 'struct pair' has no member 'third'
            1 | f { both.third == 1 }
              |          ^^^^^
    "#]],
    );
}

#[test]
fn side_effects() {
    let texts = [
        "f { a = 1 }",
        "f { a <= 1; ++a < 2 }",
        "f { i-- > 0 }",
        "f { (i += 2) > 0 }",
        "f { (i <<= 2) > 0 }",
        "f { f(1) == 2 }",
    ];
    check_mistakes(
        &texts,
        expect![[r#"
        a.preds:1:7: error: `=` assigns, and predicates have no side effects; `==` compares
            1 | f { a = 1 }
              |       ^

        a.preds:1:13: error: `++` changes a variable, and predicates have no side effects
            1 | f { a <= 1; ++a < 2 }
              |             ^^

        a.preds:1:6: error: `--` changes a variable, and predicates have no side effects
            1 | f { i-- > 0 }
              |      ^^

        a.preds:1:8: error: `+=` assigns, and predicates have no side effects
            1 | f { (i += 2) > 0 }
              |        ^^

        a.preds:1:8: error: `<<=` assigns, and predicates have no side effects
            1 | f { (i <<= 2) > 0 }
              |        ^^^

        a.preds:1:5: error: `f(…)` is a call, and predicates have no side effects
            1 | f { f(1) == 2 }
              |     ^
    "#]],
    );
}

#[test]
fn mistakes_of_type() {
    let texts = [
        "f { p == 1 }",
        "f { p < i }",
        "f { *i == 1 }",
        "f { both == 1 }",
        "f { both }",
        "f { i->first == 1 }",
        "f { i[2] == 1 }",
        "f { a b }",
        "f { (a == 1 }",
        "f { table[0] == \"x\" }",
    ];
    check_mistakes(
        &texts,
        expect![[r#"
        a.preds:1:7: error: '==' cannot be applied to 'int *' and 'int'
            1 | f { p == 1 }
              |       ^^

        a.preds:1:7: error: '<' cannot be applied to 'int *' and 'int'
            1 | f { p < i }
              |       ^

        a.preds:1:8: error: only pointers can be dereferenced
            1 | f { *i == 1 }
              |        ^^

        a.preds:1:13: error: 'struct pair' is not a scalar type
            1 | f { both == 1 }
              |             ^

        a.preds:1:5: error: 'struct pair' is not a scalar type
            1 | f { both }
              |     ^^^^

        a.preds:1:8: error: '->' needs a pointer
            1 | f { i->first == 1 }
              |        ^^^^^

        a.preds:1:10: error: only arrays and pointers can be indexed
            1 | f { i[2] == 1 }
              |          ^^

        a.preds:1:7: error: unexpected text after the expression
            1 | f { a b }
              |       ^

        a.preds:1:12: error: expected ')'
            1 | f { (a == 1 }
              |            ^

        a.preds:1:17: error: expected an expression
            1 | f { table[0] == "x" }
              |                 ^^^
    "#]],
    );
}
