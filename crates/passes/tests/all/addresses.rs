//! Addresses that are computed in integers: their rewritten form, and that executions are unchanged.

use crate::allocators::outcome;
use crate::analysis::program;
use expect_test::{Expect, expect};
use ir::{check, print};
use passes::as_pointers;
use proptest::prelude::*;
use std::fmt::Write;
use testing::programs::pointers::generate;

/// The statements of a procedure with these variables become the ones expected.
fn becomes(statements: &[&str], expected: &Expect) {
    let mut text = "model LP64; entry main;\nstruct in { int x; int y[4]; }; struct s { long a; int b; struct in in; struct s *next; };\n\
        union both { long n; char *c; }; global struct s g; global void *kept; global union both both;\n\
        proc void main() { local struct s *p; local int i; local unsigned long t; local unsigned long u; local long l; local int *q; \
        local struct s *r; local char *c; local int *array; local char *minus; entry L0; "
        .to_owned();
    writeln!(text, "exit L{};", statements.len()).unwrap();
    for (n, statement) in statements.iter().enumerate() {
        writeln!(text, "L{n}: {statement} goto L{};", n + 1).unwrap();
    }
    writeln!(text, "L{}: }}", statements.len()).unwrap();
    let mut after = program(&text);
    crate::passes::in_unit(&mut after, as_pointers);
    assert_eq!(check::check(&after), Vec::<String>::new());
    let text = print::program(&after, None);
    let edges = text.lines().filter(|l| l.trim_start().starts_with('e') && l.contains(": "));
    let mut shown = String::new();
    for edge in edges {
        writeln!(shown, "{}", edge.trim().split("  //").next().unwrap()).unwrap();
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_member_at_a_distance_is_that_member() {
    becomes(
        &[
            "t = (unsigned long)p;",
            "u = t + 12ul;",
            "q = (int *)u;",
            "t = u + 16ul;",
            "r = *(struct s **)(t + 4ul);",
        ],
        &expect![[r#"
            e0: t = (unsigned long) p; goto L1;
            e1: u = t + 12; goto L2;
            e2: q = &p->in.x; goto L3;
            e3: t = u + 16; goto L4;
            e4: r = p->next; goto L5;
        "#]],
    );
}

#[test]
fn elements_are_those_of_the_pointer() {
    becomes(
        &[
            "t = (unsigned long)array;",
            "u = (unsigned long)i * 4ul;",
            "q = (int *)(t + u);",
            "u = (unsigned long)i * 12ul;",
            "q = (int *)(8ul + (u + t));",
        ],
        &expect![[r#"
            e0: t = (unsigned long) array; goto L1;
            e1: u = (unsigned long) i * 4; goto L2;
            e2 internal: skip; goto L6;
            e3: u = (unsigned long) i * 12; goto L4;
            e4 internal: skip; goto L9;
            e5 internal: assume(array != NULL); goto L7;
            e6 internal: assume(array == NULL); goto L8;
            e7: q = array + i; goto L3;
            e8: q = (int *) (t + u); goto L3;
            e9 internal: assume(array != NULL); goto L10;
            e10 internal: assume(array == NULL); goto L11;
            e11: q = (int *) ((char *) array + (long) i * 12 + 8l); goto L5;
            e12: q = (int *) (8 + (u + t)); goto L5;
        "#]],
    );
}

#[test]
fn what_is_subtracted_from_null_stays() {
    becomes(
        &[
            "l = (long)q;",
            "r = (struct s *)(l - 12l);",
            "r = (struct s *)((unsigned long)&g.in - 12ul);",
            "r = (struct s *)((unsigned long)&p->in - 40ul);",
        ],
        &expect![[r#"
            e0: l = (long) q; goto L1;
            e1 internal: skip; goto L5;
            e2: r = (struct s *) ((char *) &g.in - 12l); goto L3;
            e3 internal: skip; goto L8;
            e4 internal: assume(q != NULL); goto L6;
            e5 internal: assume(q == NULL); goto L7;
            e6: r = (struct s *) ((char *) q - 12l); goto L2;
            e7: r = (struct s *) (l - 12); goto L2;
            e8 internal: assume(p != NULL); goto L9;
            e9 internal: assume(p == NULL); goto L10;
            e10: r = (struct s *) ((char *) &p->in - 40l); goto L4;
            e11: r = (struct s *) ((unsigned long) &p->in - 40); goto L4;
        "#]],
    );
}

#[test]
fn numbers_stay() {
    becomes(
        &[
            "minus = (char *)-1l;",
            "c = (char *)((unsigned long)minus + 1ul);",
            "minus = c;",
            "c = (char *)((unsigned long)c + 1ul);",
            "q = (int *)((unsigned long)array + 4ul);",
            "both.n = -1l;",
            "c = both.c;",
            "c = (char *)((unsigned long)c + 1ul);",
        ],
        &expect![[r#"
            e0: minus = (char *) -1; goto L1;
            e1: c = (char *) ((unsigned long) minus + 1); goto L2;
            e2: minus = c; goto L3;
            e3: c = (char *) ((unsigned long) c + 1); goto L4;
            e4: q = (int *) ((char *) array + 4l); goto L5;
            e5: both.n = -1; goto L6;
            e6: c = both.c; goto L7;
            e7: c = (char *) ((unsigned long) c + 1); goto L8;
        "#]],
    );
}

#[test]
fn what_was_assigned_again_is_not_known() {
    becomes(
        &[
            "t = (unsigned long)p;",
            "p = p->next;",
            "r = (struct s *)t;",
            "t = (unsigned long)p;",
            "havoc(t, uninit);",
            "r = (struct s *)(t + 8ul);",
        ],
        &expect![[r#"
            e0: t = (unsigned long) p; goto L1;
            e1: p = p->next; goto L2;
            e2: r = (struct s *) t; goto L3;
            e3: t = (unsigned long) p; goto L4;
            e4: havoc(t, uninit); goto L5;
            e5: r = (struct s *) (t + 8); goto L6;
        "#]],
    );
}

#[test]
fn null_is_compared_as_a_pointer() {
    becomes(
        &[
            "t = (unsigned long)p;",
            "u = (unsigned long)(void *)0;",
            "assume(t != u);",
            "assume(t + 8ul == 0ul);",
        ],
        &expect![[r#"
            e0: t = (unsigned long) p; goto L1;
            e1: u = (unsigned long) (NULL); goto L2;
            e2: assume(p != NULL); goto L3;
            e3: assume(t + 8 == 0); goto L4;
        "#]],
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn executions_do_what_they_did(bytes in proptest::collection::vec(any::<u8>(), 60..160), seed: u64) {
        let before = program(&generate(&bytes));
        let mut after = before.clone();
        crate::passes::in_unit(&mut after, as_pointers);
        prop_assert_eq!(check::check(&after), Vec::<String>::new());
        prop_assert_eq!(outcome(&before, seed), outcome(&after, seed), "{}", print::program(&after, None));
    }
}
