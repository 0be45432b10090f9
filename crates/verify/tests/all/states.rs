//! Which variables of a program are states of machines, and what is learned of them at once.

use crate::precision::precision;
use alias::{AliasMode, AliasOracle};
use encoding::IntMode;
use expect_test::expect;
use ir::Program;
use newton::generalise::states::StateVariables;
use passes::resolve_indirect;

/// Three machines that call each other on, a flag that is an input, a counter, and what a function says.
const MACHINES: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int first, second, third, flag, count, big;
unsigned char narrow, slim, thin;
int done(void) { int result; if (third == 2) result = 1; else result = 0; return result; }
int main(void) {
    flag = __VERIFIER_nondet_int();
    first = 0; second = 0; third = 1;
    narrow = 1; slim = 0; thin = 0;
    int wide = narrow;
    if (narrow == 1) slim = 1;
    if (slim == 1) thin = 1;
    if (thin == 1 && wide == 300) return 1;
    while (count < 10) {
        int was = second;
        int over;
        if (first == 0) first = 1; else if (first == 2) first = 0;
        if (was == 0) second = 2;
        if (second == 2) third = 2;
        if (third == 0) first = 2;
        over = done();
        if (over) break;
        if (flag == 1) count = count + 1;
        if (flag == 2) big = count;
        if (big == 3) reach_error();
    }
    return 0;
}
";

fn program() -> Program {
    let front = cfront::load(&[testing::file("a.c", MACHINES).into()], &cfront::Options::default())
        .expect("C that is taken");
    let oracle = AliasOracle::new(&front.program, AliasMode::Das);
    resolve_indirect(&front.program, &oracle).expect("no pointer to a function is called")
}

/// What is learned where these are known: each predicate with its procedure.
fn missing(known: &[(&str, Option<&str>)]) -> String {
    let program = program();
    let precision = precision(&program, known);
    let all = StateVariables::new(&program, IntMode::Math).missing(&program, IntMode::Math, &precision);
    all.iter().map(|value| value.predicate.text(&program) + "\n").collect()
}

/// Values of one machine say nothing of the others.
#[test]
fn one_machine_is_not_enough() {
    assert_eq!(missing(&[("first == 0", None), ("first == 2", None), ("flag == 1", None)]), "");
}

/// `second` is compared with 0 by its copy `was`. The flag is an input, and the counters are computed.
#[test]
fn two_machines_are() {
    expect![[r#"
        first == 2
        second == 2
        third == 0
        third == 2
    "#]]
    .assert_eq(&missing(&[("first == 0", None), ("second == 0", None)]));
}

/// Local variables are another kind than global ones; what a function returns is compared where it is called.
#[test]
fn results_of_functions_are_states() {
    expect![[r#"
        was == 0
        over == 0
    "#]]
    .assert_eq(&missing(&[("result == 0", Some("done")), ("ret__ == 0", Some("done"))]));
}

/// `narrow` is copied to `wide`, which is compared with 300: no value of a byte.
#[test]
fn values_are_those_of_the_type() {
    expect![[r#"
        thin == (unsigned char) 1
    "#]]
    .assert_eq(&missing(&[("narrow == 1", None), ("slim == 1", None)]));
}
