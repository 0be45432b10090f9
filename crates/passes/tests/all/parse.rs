//! The printed form is read back as the same program, and expressions as the same trees.

use crate::expressions::{Forms, scope, tree};
use expect_test::{Expect, expect};
use ir::parse::*;
use ir::print;
use ir::types::{DataModel, Type};
use proptest::prelude::*;

/// All of the program form, as the printer writes it.
const EVERYTHING: &str = r#"model LP64;
signed_wrap;
entry start__;
struct list {
  int value @0;
  struct list *next @8;
  unsigned _BitInt(3) flags @16:2;
  union u @20;
  int (*table[3])(struct list *, ...) @24;
} size 48 align 8;
union u {
  char bytes[4] @0;
  unsigned int word @0;
} size 4 align 4;
struct opaque;
struct other {
} size 1 align 1 elsewhere;
global int x;
global char str__0[4] #2 = "a\"\n\000";
global struct list head #1;
global long long_one #3;
global __int128 wide;
check c0 reach in main "assertion `x > 0` fails";

library extern int printf(char *, ...);

foreign extern int raise(int);

extern void (*signal(int, void (*)(int)))(int);

extern int named(int code) {
  return int ret__;
}

proc int free(int n #8, double d #7) {
  return int ret__ #9;
  entry L0; exit L1;
  L0:
    e0: ret__ = n; goto L1;
  L1:
}

proc void start__(void) {
  local struct list *p;
  local struct list **pp;
  local int (*f)(int, double);
  temp _Bool tmp__0;
  local char c;
  local float d;
  entry L0; exit L7;
  L0:
    e0 internal: skip; goto L1;
  L1 label again label top loop:
    e1 true: assume(x < 10 && p != NULL); goto L2;
    e3 false: assume(!(x < 10 && p != NULL)); goto L7;
  L2:
    e2: p = alloc(48ul, zeroed, may_fail); goto L3;
    e4: p->next->value = x + 1; goto L3;
    e5: (*pp)[2].next = NULL; goto L3;
    e6: p->bytes[x] = (char) x; goto L3;
    e7: head.table[1] = (int (*)(struct list *, ...)) &f; goto L3;
  L3:
    e8: x = call free(1, 2.5); goto L4;
    e9: (*f)(x, -0.0); goto L4;
    e10: x = (*f)(1, 1e300); goto L4;
    e11: printf(str__0, p, &head.value, c); goto L4;
    e12: f = &free; goto L4;
  L4:
    e13: havoc(x, input "__VERIFIER_nondet_int"); goto L5;
    e14: havoc(p, uninit); goto L5;
    e15: havoc(d, extern "sin"); goto L5;
    e16: havoc(c, unmodelled "asm \"nop\""); goto L5;
    e31: havoc(x, choice "the order"); goto L5;
    e32: havoc(x, analysis "the place that is watched"); goto L5;
  L5:
    e17: check(c0, x > 0); goto L6;
    e18: free(p); goto L6;
    e19: memset(&head, 0, 48ul); goto L6;
    e20: memmove(&head, p, 48l); goto L6;
    e28: inspect(x, size, p); goto L6;
    e29: inspect(x, freeable, &head); goto L6;
    e30: output("printf", str__0, x + 1, c); goto L6;
  L6:
    e21: p->flags = 5; goto L1;
    e22: tmp__0 = (_Bool) (x != 0); goto L1;
    e23: tmp__0 = 1; goto L1;
    e24: d = 0.1f; goto L1;
    e25: long_one = 5; goto L1;
    e26: wide = (__int128) long_one << 100; goto L1;
    e27: assume(p->word == 0 && &p->$3 != NULL); goto L1;
  L7:
}

proc int main(void) {
  return int ret__;
  entry L0; exit L0;
  L0:
}
"#;

#[test]
fn the_program_form_round_trips() {
    let mut first = program(EVERYTHING).unwrap_or_else(|e| panic!("{e:?}"));
    let text = print::program(&first, None);
    assert_eq!(text, EVERYTHING);
    let mut second = program(&text).unwrap_or_else(|e| panic!("{e:?}"));
    erase_spans(&mut first);
    erase_spans(&mut second);
    assert_eq!(first, second);
}

#[test]
fn records_without_offsets_are_laid_out_as_in_c() {
    let text = "struct s { char c; long l; struct t *p; short a[3]; } ; struct t { struct s s; char z; };";
    let p = program(text).unwrap_or_else(|e| panic!("{e:?}"));
    let offsets = |r: usize| p.records.as_slice()[r].fields.iter().map(|f| f.offset).collect::<Vec<_>>();
    assert_eq!((offsets(0), p.records.as_slice()[0].size), (vec![0, 8, 16, 24], 32));
    assert_eq!((offsets(1), p.records.as_slice()[1].size), (vec![0, 32], 40));
}

#[test]
fn programs_with_errors_are_refused_at_the_place() {
    let check = |text: &str, expected: Expect| {
        let e = program(text).expect_err("the program is wrong");
        let at = e.span.map_or(String::new(), |s| format!("{}:{}", s.start.line, s.start.col));
        expected.assert_eq(&format!("{at} {}", e.message));
    };
    check(
        "struct s { int a; struct t t; }; struct t { struct s x[2]; };",
        expect!["1:62 record 's' contains itself"],
    );
    check("global int x; global int x;", expect!["1:26 the variable is declared twice"]);
    check(
        "global int x #900000000;",
        expect!["1:12 the number of the variable is already taken or too large"],
    );
    check("proc int f(void) { L0: skip; goto L1; }", expect!["1:20 L1 of the body is missing"]);
    check(
        "proc int f(void) { L0: skip; goto L0; L9000000: }",
        expect!["1:39 location L9000000 stands here twice or is too large"],
    );
    check("proc int f(void) { L0: g(); goto L0; }", expect!["1:24 no procedure is called 'g'"]);
    check("proc int f(int) { L0: }", expect!["1:10 a procedure with a body names its parameters"]);
    check("entry f;", expect!["1:7 no procedure is called 'f'"]);
    check("global struct s x;", expect!["1:17 no record is called 's'"]);
    check("proc void f(void) {\n L0: check(c0, 1); goto L0; }", expect!["2:14 check c0 is not declared"]);
}

#[test]
fn nesting_is_bounded() {
    let deep = |f: fn(usize) -> String| {
        let text = f(100_000);
        let body = move || expr(&text, &scope(), None).map(|_| ()).map_err(|e| e.message);
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(body);
        thread.expect("the system has threads").join().expect("the parser does not overflow")
    };
    assert!(deep(|n| "(".repeat(n)).is_err());
    assert!(deep(|n| "- ".repeat(n) + "x").is_err());
    assert!(deep(|n| "x + ".repeat(n) + "x").is_err());
    assert!(deep(|n| "n->".to_owned() + &"next->".repeat(n) + "value").is_err());
    assert!(deep(|n| format!("(int {}) x", "*".repeat(n))).is_err());
    assert!(deep(|n| format!("{}x{}", "(".repeat(n / 30), ")".repeat(n / 30))).is_ok());
}

const ALL: Forms = Forms::Predicates;

fn check_expr(text: &str, expected: Expect) {
    let p = scope();
    let printed = match expr(text, &p, None) {
        Ok(e) => {
            let printed = print::expr(&p, &e);
            let again = expr(&printed, &p, None).unwrap_or_else(|e| panic!("{printed}: {e:?}"));
            assert_eq!(again, e, "{printed}");
            format!("{printed}  : {}", print::ty(&p, &e.ty()))
        }
        Err(e) => format!("{}: {}", e.span.map_or(0, |s| s.start.col), e.message),
    };
    expected.assert_eq(&printed);
}

#[test]
fn casts_are_written_only_where_c_needs_them() {
    check_expr("(int) c + 1", expect!["c + 1  : int"]);
    check_expr("(long) x + l", expect!["x + l  : long"]);
    check_expr("(unsigned) x < u && (long)u < l", expect!["x < u && u < l  : int"]);
    check_expr("(char)(c + 1) == c", expect!["(char) (c + 1) == c  : int"]);
    check_expr(
        "(mathint) x + (mathint) 1 <= (mathint) u * 2",
        expect!["(mathint) x + 1 <= (mathint) u * 2  : int"],
    );
    check_expr("(mathint) (x + 1) == 3", expect!["(mathint) (x + 1) == 3  : int"]);
    check_expr("u - 1 > 4294967295u", expect!["u - 1 > 4294967295u  : int"]);
    check_expr("x == -2147483648", expect!["x == -2147483648  : int"]);
    check_expr("x == (int) -2147483648", expect!["x == (int) -2147483648  : int"]);
    check_expr("(_Bool) x == b", expect!["(_Bool) (x != 0) == b  : int"]);
    check_expr("n->flags + 1", expect!["n->flags + 1  : int"]);
    check_expr("-c + ~(int) s", expect!["-c + ~s  : int"]);
    check_expr("f + x", expect!["f + x  : float"]);
    check_expr("f + 0.5 < d", expect!["f + 0.5 < d  : int"]);
    check_expr("(long)(5) + (long)5", expect!["(long) (5) + 5  : long"]);
}

#[test]
fn parentheses_are_minimal() {
    check_expr("((x + 1) * (x - (1 - x)))", expect!["(x + 1) * (x - (1 - x))  : int"]);
    check_expr("(x & 1) == 0 || !(x == 1) && (x < 2)", expect!["(x & 1) == 0 || !(x == 1) && x < 2  : int"]);
    check_expr("x - -5 - -(5) - -x", expect!["x - -5 - -(5) - -x  : int"]);
    check_expr("x ? x : (b ? 1 : 2)", expect!["x ? x : b ? 1 : 2  : int"]);
    check_expr("(x ? 1 : 2) + 1", expect!["(x ? 1 : 2) + 1  : int"]);
    check_expr("1 << (x + 1) >> 2", expect!["1 << x + 1 >> 2  : int"]);
}

#[test]
fn pointers_and_places() {
    check_expr("n->next->value == st.value", expect!["n->next->value == st.value  : int"]);
    check_expr("(*n).next == NULL", expect!["n->next == NULL  : int"]);
    check_expr("NULL == p", expect!["NULL == p  : int"]);
    check_expr("p == 0 || v == p", expect!["p == NULL || v == p  : int"]);
    check_expr("p == (int *) v", expect!["p == (int *) v  : int"]);
    check_expr(
        "*p + p[1] + *(p + 2) + *(a + 3) + a[4]",
        expect!["*p + p[1] + p[2] + *(a + 3) + a[4]  : int"],
    );
    check_expr("&a[0] == a && p + 1 == p - 1", expect!["a == a && p + 1 == p - 1  : int"]);
    check_expr("m[1][2] + *m[1] + **m", expect!["m[1][2] + *m[1] + **m  : int"]);
    check_expr(
        "&n->word == &n->$3.word && n->byte == n->name[0]",
        expect!["&n->word == &n->word && n->byte == n->name[0]  : int"],
    );
    check_expr(
        "&*p == &p[x] && (&st)->value == (&a[1])[2]",
        expect!["&*p == &p[x] && (&st)->value == (&a[1])[2]  : int"],
    );
    check_expr(
        "fp == fun || fp == &fun || fp == (int (*)(int)) 7",
        expect!["fp == &fun || fp == &fun || fp == (int (*)(int)) 7  : int"],
    );
    check_expr("p - a < 3 && p - x < a", expect!["p - a < 3 && p + -(long) x < a  : int"]);
    check_expr("old(n->value) + 1 == n->value", expect!["old(n->value) + 1 == n->value  : int"]);
    check_expr("(unsigned long) p % 4 == 0", expect!["(unsigned long) p % 4 == 0  : int"]);
}

#[test]
fn errors_say_what_is_wrong() {
    check_expr("x + nothing", expect!["5: 'nothing' is not declared"]);
    check_expr("x + ", expect!["5: expected an expression"]);
    check_expr("st == st", expect!["9: 'struct node' is not a scalar type"]);
    check_expr("p == d", expect!["7: '==' cannot be applied to 'int *' and 'double'"]);
    check_expr("n->nothing", expect!["11: 'struct node' has no member 'nothing'"]);
    check_expr("*x", expect!["3: only pointers can be dereferenced"]);
    check_expr("x = 1", expect!["3: unexpected text after the expression"]);
    check_expr("(struct none) x", expect!["13: no record is called 'none'"]);
    check_expr("'ab'", expect!["5: a character literal has one ASCII character"]);
    check_expr("f % 2", expect!["6: '%' cannot be applied to 'float'"]);
    check_expr("-p", expect!["3: pointers have no sign"]);
    check_expr("p * p", expect!["6: '*' cannot be applied to pointers"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn trees_round_trip(e in prop_oneof![tree(Type::INT, 3, ALL), tree(Type::Math, 2, ALL), tree(Type::INT.ptr_to(), 2, ALL)],
                        ilp32: bool) {
        let mut p = scope();
        if ilp32 {
            p.model = DataModel::Ilp32;
        }
        let text = print::expr(&p, &e);
        let again = expr(&text, &p, None);
        prop_assert_eq!(again.as_ref(), Ok(&e), "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in r#"[a-z0-9_+*&!<=()?:,.;#@\[\]{}" -]{0,60}"#) {
        _ = program(&text);
        _ = expr(&text, &scope(), None);
    }
}
