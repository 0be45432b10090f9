//! Harnesses of entry functions: their text, whether compilers accept them, and the errors for programs without
//! `main`.

use cfront::{FailureKind, Globals, Options};
use expect_test::expect;
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::Scratch;

const PROGRAM: &str = "
#include <stdlib.h>
struct node { int value; struct node *next; };
typedef struct { unsigned char data[4]; const char *name; union { int i; void *p; } u; int flag : 2; } record;
enum color { RED, GREEN };
static int counter; const int limit = 3; static struct node *first;
int length(const struct node *list) { int n = 0; while (list) { n++; list = list->next; } return n; }
int plain(int x, double y, enum color c) { return x + (int)y + c; }
static int inside(record *r, record by_value, int (*f)(const record *, ...)) { return f(r) + by_value.u.i; }
int matrix(int m[3][4], char **words, int) { return m[2][3] + (words != 0); }
int old(a, b) int a; long *b; { return a + *b; }
int nothing(void) { return counter + limit + (first != 0); }
";

fn written(entry: &str, options: Options, text: &str) -> String {
    let scratch = Scratch::new();
    let file = scratch.path().join("program.c");
    std::fs::write(&file, text).expect("a file in it");
    let options = Options { entry: entry.into(), need_checks: false, ..options };
    let front = cfront::load(std::slice::from_ref(&file), &options);
    let front = front.unwrap_or_else(|f| panic!("{:?}", f.diagnostics));
    let Some(harness) = front.harness else { return "none".into() };
    let alone = harness.as_file(std::slice::from_ref(&file), entry).expect("its name can be included");
    compiles(&scratch.path().join("harness.c"), &alone);
    harness.as_file(&[PathBuf::from("program.c")], entry).expect("its name can be included")
}

/// gcc takes the text too.
fn compiles(file: &Path, text: &str) {
    std::fs::write(file, text).expect("a file");
    let output = Command::new("cc").args(["-w", "-fsyntax-only"]).arg(file).output().expect("a compiler");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn lists_are_made_by_functions_that_call_themselves() {
    expect![[r#"
        /* Calls length with any arguments: each pointer is NULL or points to objects of its own.
           Check it with: slam check --entry slam_harness FILE */
        #include "program.c"
        extern _Bool __VERIFIER_nondet_bool(void);
        extern int __VERIFIER_nondet_int(void);
        static struct node *slam_harness_struct_node(void);
        static struct node *slam_harness_struct_node(void) {
          struct node *object;
          if (__VERIFIER_nondet_bool())
            return 0;
          object = __builtin_malloc(sizeof *object);
          if (!object) __builtin_abort();
          (*object).value = __VERIFIER_nondet_int();
          (*object).next = slam_harness_struct_node();
          return object;
        }
        void slam_harness(void) {
          const struct node *list;
          list = slam_harness_struct_node();
          length(list);
        }
    "#]]
    .assert_eq(&written("length", Options::default(), PROGRAM));
}

#[test]
fn records_arrays_and_functions_are_arguments() {
    let options = Options { array_size: 2, ..Options::default() };
    expect![[r#"
        /* Calls inside with any arguments: each pointer is NULL or points to objects of its own.
           Check it with: slam check --entry slam_harness FILE */
        #include "program.c"
        extern _Bool __VERIFIER_nondet_bool(void);
        extern char __VERIFIER_nondet_char(void);
        extern int __VERIFIER_nondet_int(void);
        extern void *__VERIFIER_nondet_pointer(void);
        extern signed char __VERIFIER_nondet_schar(void);
        extern unsigned char __VERIFIER_nondet_uchar(void);
        extern unsigned long __VERIFIER_nondet_ulong(void);
        extern int slam_harness_callback_8(const record *, ...);
        static char *slam_harness_string(void);
        static char *slam_harness_string(void) {
          char *text;
          __typeof__(sizeof(0)) length, i;
          if (__VERIFIER_nondet_bool())
            return 0;
          length = __VERIFIER_nondet_ulong();
          if (length > (__typeof__(sizeof(0)))-1 / 4)
            length = 0;
          text = __builtin_malloc(length + 1);
          if (!text) __builtin_abort();
          for (i = 0; i < length; i++) {
            text[i] = __VERIFIER_nondet_char();
            if (!text[i])
              text[i] = ' ';
          }
          text[length] = 0;
          return text;
        }
        void slam_harness(void) {
          record *r;
          record r_objects[2];
          __typeof__(sizeof(0)) i;
          __typeof__(sizeof(0)) i_2;
          record by_value;
          __typeof__(sizeof(0)) i_3;
          int (*f)(const record *, ...);
          if (__VERIFIER_nondet_bool())
            r = 0;
          else {
            r = r_objects;
            for (i = 0; i < 2; i++) {
              for (i_2 = 0; i_2 < 4; i_2++) {
                r_objects[i].data[i_2] = __VERIFIER_nondet_uchar();
              }
              r_objects[i].name = slam_harness_string();
              r_objects[i].u.p = __VERIFIER_nondet_pointer();
              if (__VERIFIER_nondet_bool()) {
                r_objects[i].u.i = __VERIFIER_nondet_int();
              }
              r_objects[i].flag = __VERIFIER_nondet_schar();
            }
          }
          for (i_3 = 0; i_3 < 4; i_3++) {
            by_value.data[i_3] = __VERIFIER_nondet_uchar();
          }
          by_value.name = slam_harness_string();
          by_value.u.p = __VERIFIER_nondet_pointer();
          if (__VERIFIER_nondet_bool()) {
            by_value.u.i = __VERIFIER_nondet_int();
          }
          by_value.flag = __VERIFIER_nondet_schar();
          f = &slam_harness_callback_8;
          inside(r, by_value, f);
        }
    "#]]
    .assert_eq(&written("inside", options, PROGRAM));
}

#[test]
fn scalars_are_inputs() {
    expect![[r#"
        /* Calls plain with any arguments: each pointer is NULL or points to objects of its own.
           Check it with: slam check --entry slam_harness FILE */
        #include "program.c"
        extern double __VERIFIER_nondet_double(void);
        extern int __VERIFIER_nondet_int(void);
        extern unsigned int __VERIFIER_nondet_uint(void);
        void slam_harness(void) {
          int x;
          double y;
          unsigned int c;
          x = __VERIFIER_nondet_int();
          y = __VERIFIER_nondet_double();
          c = __VERIFIER_nondet_uint();
          plain(x, y, c);
        }
    "#]]
    .assert_eq(&written("plain", Options::default(), PROGRAM));
}

#[test]
fn globals_may_hold_anything_but_constants() {
    let options = Options { globals: Globals::Any, ..Options::default() };
    expect![[r#"
        /* Calls nothing with any arguments: each pointer is NULL or points to objects of its own.
           Check it with: slam check --entry slam_harness FILE */
        #include "program.c"
        extern _Bool __VERIFIER_nondet_bool(void);
        extern int __VERIFIER_nondet_int(void);
        static struct node *slam_harness_struct_node(void);
        static struct node *slam_harness_struct_node(void) {
          struct node *object;
          if (__VERIFIER_nondet_bool())
            return 0;
          object = __builtin_malloc(sizeof *object);
          if (!object) __builtin_abort();
          (*object).value = __VERIFIER_nondet_int();
          (*object).next = slam_harness_struct_node();
          return object;
        }
        void slam_harness_globals(void) {
          counter = __VERIFIER_nondet_int();
          first = slam_harness_struct_node();
        }
        void slam_harness_globals(void);
        void slam_harness(void) {
          slam_harness_globals();
          nothing();
        }
    "#]]
    .assert_eq(&written("nothing", options, PROGRAM));
    assert_eq!(written("nothing", Options::default(), PROGRAM), "none");
}

#[test]
fn compilers_take_all_of_them() {
    for entry in ["length", "plain", "inside", "matrix", "old"] {
        for (array_size, globals) in [(1, Globals::Initial), (3, Globals::Any)] {
            let options = || Options { array_size, globals, ..Options::default() };
            written(entry, options(), PROGRAM);
            // A program that frees gets objects that it may free.
            written(entry, options(), &format!("{PROGRAM}\nvoid other(void *p) {{ free(p); }}"));
        }
    }
}

#[test]
fn a_program_without_main_is_told_what_can_be_entered() {
    let scratch = Scratch::new();
    let file = scratch.path().join("program.c");
    std::fs::write(&file, PROGRAM).expect("a file in it");
    let failure =
        cfront::load(std::slice::from_ref(&file), &Options::default()).expect_err("there is no main");
    assert_eq!(failure.kind, FailureKind::NoEntry);
    let text: String = failure.diagnostics.iter().map(|d| d.render(&failure.sources)).collect();
    let text = text.replace(&file.display().to_string(), "program.c");
    expect![[r#"
        program.c:1:1: error: there is no function `main` to start with
        note: --entry NAME starts with another function, with any arguments; --each-function checks each of length, plain, inside, matrix, old, nothing
    "#]].assert_eq(&text);
}
