//! Predicates of procedures that are the same but for the names of their variables.

use crate::common::program;
use crate::precision::precision;
use encoding::IntMode;
use expect_test::expect;
use newton::generalise::isomorphic::Isomorphic;
use predicates::{Predicate, Scope};

/// Three workers with a counter each, and one that is like them but for a constant; three that call one of these each; and one that
/// calls the other.
const WORKERS: &str = "int first, second, third, fourth, shared;
void one(int n) { int old = n; if (input()) { first = n; n = n + 1; } assert(first <= n || n == old || shared); }
void two(int k) { int was = k; if (input()) { second = k; k = k + 1; } assert(second <= k || k == was || shared); }
void three(int m) { int b = m; if (input()) { third = m; m = m + 1; } assert(third <= m || m == b || shared); }
void four(int m) { int b = m; if (input()) { fourth = m; m = m + 2; } assert(fourth <= m || m == b || shared); }
void a(int x) { one(x); shared = x; }
void b(int x) { three(x); shared = x; }
void c(int x) { two(x); shared = x; }
void d(int x) { four(x); shared = x; }
int main(void) {
    a(input()); b(input()); c(input()); d(input());
    return 0;
}
";

/// What is learned where these are known: each predicate with its scope.
fn missing(known: &[(&str, &str)]) -> String {
    let program = program(WORKERS);
    let known: Vec<_> = known.iter().map(|(text, name)| (*text, Some(*name))).collect();
    let precision = precision(&program, &known);
    let found = Isomorphic::new(&program).missing(&program, IntMode::Math, &precision);
    let line = |predicate: &Predicate| {
        let scope = match predicate.scope {
            Scope::Proc(p) => &program.procs[p].name,
            Scope::Global => "global",
        };
        format!("{scope} {{ {} }}\n", predicate.text(&program))
    };
    found.iter().map(|one| line(&one.predicate)).collect()
}

/// Of locals, of globals, and of both; not in `four`, which adds another number.
#[test]
fn two_stand_for_the_others() {
    expect![[r#"
        three { m == b }
    "#]]
    .assert_eq(&missing(&[("n == old", "one"), ("k == was", "two")]));
    expect![[r#"
        global { second == 0 }
    "#]]
    .assert_eq(&missing(&[("first == 0", "one"), ("third == 0", "three")]));
    expect![[r#"
        one { n < first }
    "#]]
    .assert_eq(&missing(&[("second <= k", "two"), ("third <= m", "three")]));
}

/// What is called may be isomorphic, too: `d` calls a procedure that is not.
#[test]
fn callees_may_be_isomorphic() {
    expect![[r#"
        c { x == 1 }
    "#]]
    .assert_eq(&missing(&[("x == 1", "a"), ("x == 1", "b")]));
    assert_eq!(missing(&[("x == 1", "a"), ("x == 1", "d")]), "");
}

/// One procedure may be a special case; two that differ do not stand for each other; what all share is known already.
#[test]
fn one_is_not_enough() {
    assert_eq!(missing(&[("n == old", "one")]), "");
    assert_eq!(missing(&[("n == old", "one"), ("k == was + 1", "two")]), "");
    assert_eq!(missing(&[("n == old", "one"), ("m == b", "four")]), "");
    assert_eq!(missing(&[("shared == 0", "one")]), "");
    assert_eq!(missing(&[("n == shared", "one"), ("k == first", "two")]), "");
}
