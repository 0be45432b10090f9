//! The product with C programs: what it looks like, that it is well-formed and reads back, and what does not fit.

use base::SourceMap;
use expect_test::{Expect, expect};
use slic::{Called, Source};

fn source(text: &str) -> Source {
    Source { name: "rule".into(), file: "rule.slic".into(), text: text.into(), may_be_unused: false }
}

/// The program with the rule, as text; or what does not fit.
fn product(c: &str, rule: &str) -> String {
    let scratch = testing::Scratch::new();
    let file = scratch.file("program.c", c);
    let mut sources = SourceMap::new();
    let read = source(rule).read(&mut sources).expect("the rule is well-formed");
    let marked = read.functions().into_iter().map(|n| n.text.clone()).collect();
    let options = cfront::Options { need_checks: false, marked: Some(marked), ..cfront::Options::default() };
    let front = cfront::load(&[file], &options).expect("the program is taken");
    let mut sources = front.sources;
    let read = source(rule).read(&mut sources).expect("the rule is well-formed");
    let functions = front.marked.iter().filter_map(|m| Some((m.proc?, m.name.clone()))).collect();
    let edges_before = front.program.procs.iter().map(|p| p.edges.len()).collect();
    let called = Called { functions, edges_before };
    let oracle = alias::AliasOracle::new(&front.program, Default::default());
    let resolved = passes::resolve_indirect(&front.program, &oracle).expect("pointers are known");
    match slic::product(&resolved, &called, &read, "rule") {
        Ok(product) => {
            assert_eq!(ir::check::check(&product.program), <[String; 0]>::default());
            let text = ir::print::program(&product.program, None);
            let again = ir::parse::program(&text).unwrap_or_else(|d| panic!("{}\n{text}", d.message));
            assert_eq!(ir::print::program(&again, None), text);
            text
        }
        Err(found) => {
            let text: String = found.iter().map(|d| d.render(&sources)).collect();
            testing::without_folders(&text)
        }
    }
}

fn check(c: &str, rule: &str, expected: &Expect) {
    expected.assert_eq(&product(c, rule));
}

const LOCK: &str = "\
state { bool held = 0; }
watch lock($1), unlock($1);
lock.entry { if (held) abort \"locked twice\"; held = 1; }
unlock.entry { held = 0; }
program.end { if (held) abort \"still locked\"; }
";

#[test]
fn handlers_stand_at_calls() {
    check(
        "void lock(int *); void unlock(int *); int a;\nint main(void) { lock(&a); return 0; }",
        LOCK,
        &expect![[r#"
            model LP64;
            entry start__;
            global int a #1;
            global _Bool rule$held #3;
            global void *rule$watched;
            check c0 rule "rule" in main "locked twice";
            check c1 rule "rule" in start__ "still locked";

            proc void start__(void) {
              entry L8; exit L3;
              L0:
                e0 internal: a = 0; goto L1;
              L1:
                e1 internal: main(); goto L2;
              L2:
                e2 internal: assume(rule$held != (_Bool) 0); goto L4;
                e3 internal: assume(rule$held == (_Bool) 0); goto L5;
              L3:
              L4:
                e4 internal: check(c1, 0); goto L6;
              L5:
                e5 internal: skip; goto L7;
              L6:
              L7:
                e6 internal: skip; goto L3;
              L8:
                e7 internal: rule$held = 0; goto L9;
              L9:
                e8 internal: havoc(rule$watched, followed); goto L10;
              L10:
                e9 internal: assume(rule$watched != NULL); goto L11;
              L11:
                e10 internal: skip; goto L0;
            }

            proc int main(void) {
              return int ret__ #0;
              entry L0; exit L4;
              L0:
                e0 internal: output("slam_entry lock", &a); goto L5;
              L1:
                e1: lock(&a); goto L2;
              L2:
                e2 internal: output("slam_exit lock", 1, &a); goto L13;
              L3:
                e3: ret__ = 0; goto L4;
              L4:
              L5:
                e4 internal: assume((void *) &a == rule$watched); goto L7;
                e5 internal: assume((void *) &a != rule$watched); goto L6;
              L6:
                e12 internal: skip; goto L1;
              L7:
                e6 internal: assume(rule$held != (_Bool) 0); goto L8;
                e7 internal: assume(rule$held == (_Bool) 0); goto L9;
              L8:
                e8 internal: check(c0, 0); goto L10;
              L9:
                e9 internal: skip; goto L11;
              L10:
              L11:
                e10 internal: rule$held = 1; goto L12;
              L12:
                e11 internal: skip; goto L6;
              L13:
                e13 internal: skip; goto L3;
            }

            extern void lock(int *arg__ #2);
        "#]],
    );
}

#[test]
fn models_and_allocations_are_seen() {
    let text = product(
        "#include <stdlib.h>\n#include <string.h>\nint main(void) { int *p = malloc(4); char *s = strdup(\"a\"); free(p); return !s; }",
        "state { int n = 0; }\nmalloc.exit, strdup.exit { n++; }\nfree.entry { n--; }",
    );
    // One for each call of the program, none for what the model of strdup does.
    assert_eq!(text.matches("rule$n = rule$n + 1;").count(), 2, "{text}");
    assert_eq!(text.matches("rule$n = rule$n - 1;").count(), 1, "{text}");
}

#[test]
fn calls_through_pointers_count() {
    let text = product(
        "void lock(int *); void unlock(int *); int a;\nint main(int c, char **v) { void (*f)(int *) = c > 1 ? lock : unlock; f(&a); (*lock)(&a); return 0; }",
        LOCK,
    );
    assert_eq!(text.matches("check(c").count(), 3, "{text}");
}

#[test]
fn what_does_not_fit_a_call_has_a_place() {
    check(
        "void lock(); int open(int); void shut(int); int *p;\nint main(void) { lock(1); open(2); shut(3); (*shut)(4); return 0; }",
        "state { int x = 0; void *p = 0; }\nlock.entry { x = $2; }\nopen.exit { if ($return == p) x = 1; p = $1; x = p + 1; }\nshut.exit { x = $return; }",
        &expect![[r#"
            rule.slic:2:18: error: there is no argument $2: `lock` is called with 1 argument
                2 | lock.entry { x = $2; }
                  |                  ^^
            program.c:2:18: note: in this call
                2 | int main(void) { lock(1); open(2); shut(3); (*shut)(4); return 0; }
                  |                  ^^^^^^^
            rule.slic:3:17: error: a pointer is compared with a number: a conversion such as (unsigned long)$1 makes it one
                3 | open.exit { if ($return == p) x = 1; p = $1; x = p + 1; }
                  |                 ^^^^^^^^^^^^
            program.c:2:27: note: in this call
                2 | int main(void) { lock(1); open(2); shut(3); (*shut)(4); return 0; }
                  |                           ^^^^^^^
            rule.slic:3:38: error: a pointer and a number are not assigned to each other without a conversion
                3 | open.exit { if ($return == p) x = 1; p = $1; x = p + 1; }
                  |                                      ^^^^^^^
            program.c:2:27: note: in this call
                2 | int main(void) { lock(1); open(2); shut(3); (*shut)(4); return 0; }
                  |                           ^^^^^^^
            rule.slic:4:17: error: `shut` has no result
                4 | shut.exit { x = $return; }
                  |                 ^^^^^^^
            program.c:2:36: note: in this call
                2 | int main(void) { lock(1); open(2); shut(3); (*shut)(4); return 0; }
                  |                                    ^^^^^^^
        "#]],
    );
}

#[test]
fn arithmetic_is_that_of_c() {
    let text = product(
        "void tell(unsigned char, long, double); int main(void) { tell(1, 2, 3); return 0; }",
        "state { unsigned u = 1; bool b = 1; long l = -1; }\n\
         tell.entry { l = $1 + $2; b = $1 & 2; u = u << 1; if (!$3 && -1 < u) b = l; if ((unsigned char)$2 > 0xffffffff) halt; }",
    );
    let kept = text.lines().filter(|l| l.contains("rule$") && l.contains("goto"));
    let kept: Vec<&str> = kept.map(str::trim).collect();
    expect![[r#"
            e1 internal: rule$u = 1; goto L3;
            e2 internal: rule$b = 1; goto L4;
            e3 internal: rule$l = -1; goto L5;
            e4 internal: rule$l = (long) (1 + 2); goto L7;
            e5 internal: rule$b = (_Bool) ((1 & 2) != 0); goto L8;
            e6 internal: rule$u = rule$u << 1; goto L9;
            e11 internal: rule$b = (_Bool) (rule$l != 0); goto L13;
            e9 internal: assume(-(1) < rule$u); goto L10;
            e10 internal: assume(-(1) >= rule$u); goto L11;
    "#]]
    .assert_eq(&(kept.join("\n") + "\n"));
}
