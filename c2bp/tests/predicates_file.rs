//! Files of predicates: what is printed reads back; mistakes are found at their places.

use base::{FileId, Id};
use c2bp::predicates_file::{parse, print};
use cmm::Program;
use expect_test::{Expect, expect};
use pred::IntMode;

fn program() -> Program {
    let text = "entry start__; global int lock; global int n;
        proc void f(int a) { local int i; entry L0; exit L0; L0: }
        proc void start__(void) { local int x; entry L0; exit L0; L0: }";
    cmm::parse::program(text).expect("the text is a program")
}

fn check(text: &str, expected: Expect) {
    let program = program();
    let read = |text: &str, scope| cmm::parse::expr(text, &program, scope);
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

#[test]
fn all_forms() {
    check(
        "// the lock\nglobal { lock == 1; lock != 0 } n > 3\nn == 2;\nf\n{\n a == old(a); i <\n a; // both\n}\nstart__:42 { x > 2; n > 0; 1 == 1 }\n",
        expect![[r#"
            9:1: warning: predicates of line 42 are tracked in all of `start__`
            9:21: note: `n > 0` names globals only and is tracked everywhere
            9:28: warning: `1 == 1` is always true and says nothing
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
            start__ {
              x <= 2;
            }
        "#]],
    );
}

#[test]
fn mistakes() {
    check(
        "f { a == ; }",
        expect![[r#"
        1:9: error: expected an expression
    "#]],
    );
    check(
        "f {\n  i < 2;\n  x == 1;\n}",
        expect![[r#"
        3:3: error: 'x' is not declared
    "#]],
    );
    check(
        "g { n == 1; }",
        expect![[r#"
        1:1: error: there is no function `g` in the program
    "#]],
    );
    check(
        "f { n == 1;",
        expect![[r#"
        1:12: error: a closing brace is missing
    "#]],
    );
    check(
        "n == 1 }",
        expect![[r#"
            1:8: error: there is no open brace
        "#]],
    );
    check(
        "old(n) == n",
        expect![[r#"
        1:1: error: `old` needs a function: `name { … }`
    "#]],
    );
    check(
        "f:x { n == 1 }",
        expect![[r#"
        1:1: error: `x` is no line number
    "#]],
    );
}
