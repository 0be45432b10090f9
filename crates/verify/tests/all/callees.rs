//! What callees have to know of memory where a caller and one of them do.

use crate::common::program;
use crate::precision::precision;
use alias::{AliasMode, AliasOracle};
use encoding::IntMode;
use expect_test::expect;
use newton::generalise::callees::Callees;
use predicates::{Predicate, Scope};

/// A request goes through a dispatcher to one of several handlers, and these finish it by one function.
const HANDLERS: &str = "struct request { int done; int length; };
int handled;
void finish(struct request *r) { assert(!r->done); r->done = 1; }
void read(struct request *r) { finish(r); }
void write(struct request *w) { if (w->length) finish(w); }
void flush(struct request *f) { f->done = 1; }
void count(struct request *c) { handled = handled + 1; }
void other(struct request *o) { o->done = 0; }
void dispatch(struct request *q, struct request *second, int kind) {
    if (kind == 1) read(q);
    else if (kind == 2) write(q);
    else if (kind == 3) flush(q);
    else count(q);
    other(second);
}
int main(void) {
    struct request one, two;
    one.done = 0; two.done = 0;
    dispatch(&one, &two, input());
    assert(one.done || handled);
    return 0;
}
";

/// What is learned where these are known: each predicate with its procedure.
fn missing(known: &[(&str, &str)]) -> String {
    let program = program(HANDLERS);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let known: Vec<_> = known.iter().map(|(text, name)| (*text, Some(*name))).collect();
    let precision = precision(&program, &known);
    let found = Callees::new(&program).missing(&program, &oracle, IntMode::Math, &precision);
    let line = |predicate: &Predicate| match predicate.scope {
        Scope::Proc(p) => format!("{} {{ {} }}\n", program.procs[p].name, predicate.text(&program)),
        Scope::Global => panic!("it is about what a formal leads to"),
    };
    found.iter().map(|one| line(&one.predicate)).collect()
}

/// The other handlers that read or change the member, not the one that only counts; what `write` hands on is known in `finish`.
#[test]
fn one_callee_stands_for_the_others() {
    expect![[r#"
        write { w->done == 0 }
        flush { f->done == 0 }
    "#]]
    .assert_eq(&missing(&[
        ("q->done == 0", "dispatch"),
        ("r->done == 0", "read"),
        ("r->done == 0", "finish"),
    ]));
}

/// Paths have not needed it in a callee, or not in the caller: it may not matter there.
#[test]
fn one_side_is_not_enough() {
    assert_eq!(missing(&[("q->done == 0", "dispatch")]), "");
    assert_eq!(missing(&[("r->done == 0", "read")]), "");
    assert_eq!(missing(&[("q->length == 0", "dispatch"), ("r->done == 0", "read")]), "");
}

/// Callees do not know what the caller keeps in variables of its own.
#[test]
fn callers_have_words_of_their_own() {
    assert_eq!(missing(&[("q->done == kind", "dispatch"), ("r->done == 0", "read")]), "");
}
