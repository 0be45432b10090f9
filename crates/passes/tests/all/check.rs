use base::Id;
use expect_test::{Expect, expect};
use ir::check::check;
use ir::expr::{BinOp, Expr, Lvalue};
use ir::parse;
use ir::program::{Op, Program};
use ir::types::{IntType, Type};

const GOOD: &str = "
entry main;
struct s { int a; unsigned _BitInt(3) bits @4:0; struct s *next @8; };
global struct s g; global char c; global int x; global int arr[4];
check c0 reach in main \"m\";
extern int ext(int, ...);
proc int f(int n) {
  return int ret__;
  L0: ret__ = n; goto L1;
  L1:
}
proc void main(void) {
  local int i; local int (*fp)(int);
  L0: x = f(1); goto L1;
      (*fp)(i); goto L1;
      ext(1, 2.0); goto L1;
      g.next = alloc(sizeof_); goto L1;
  L1: check(c0, i < 3 && g.next == NULL); goto L2;
      c = (char) (c + 1); goto L2;
      g.bits = (unsigned _BitInt(3)) arr[i]; goto L2;
      arr[c] = *(arr + i) << g.bits; goto L2;
  L2:
}
";

fn good() -> Program {
    parse::program(&GOOD.replace("sizeof_", "16ul")).unwrap_or_else(|e| panic!("{e:?}"))
}

fn check_broken(break_it: impl FnOnce(&mut Program), expected: Expect) {
    let mut program = good();
    break_it(&mut program);
    expected.assert_eq(&check(&program).join("\n"));
}

fn set_op(program: &mut Program, op: Op) {
    let main = program.entry;
    program.procs[main].edges[Id::from_index(0)].op = op;
}

#[test]
fn a_good_program_has_no_violations() {
    check_broken(|_| {}, expect![[""]]);
}

#[test]
fn names_and_tables() {
    check_broken(|p| p.vars[Id::from_index(1)].name = "x".into(), expect!["two globals are called 'x'"]);
    check_broken(
        |p| p.vars[Id::from_index(4)].name = "x".into(),
        expect!["f: variable 'x' has the name of a global"],
    );
    check_broken(|p| p.globals.truncate(3), expect!["variable v3 (arr) is in no list"]);
    check_broken(
        |p| p.vars[Id::from_index(0)].data = Some([1u8].into()),
        expect!["variable v0 (g) has data that does not fit it"],
    );
    check_broken(
        |p| p.records[Id::from_index(0)].size = 8,
        expect!["record s: member next ends behind the record"],
    );
    check_broken(|p| p.entry = Id::from_index(1), expect!["the entry procedure f has formals or no body"]);
}

#[test]
fn graphs_and_operations() {
    let var = |p: &Program, n: usize| p.lvalue(Id::from_index(n));
    check_broken(
        |p| p.procs[p.entry].exit = Id::from_index(1),
        expect![[r#"
        main e4: the edge leaves the exit
        main e5: the edge leaves the exit
        main e6: the edge leaves the exit
        main e7: the edge leaves the exit"#]],
    );
    check_broken(|p| p.procs[p.entry].exit = Id::from_index(7), expect!["main: the exit L7 does not exist"]);
    check_broken(
        |p| set_op(p, Op::Assign(var(p, 2), Expr::int(1).cast(Type::Int(IntType::UINT)))),
        expect!["main e0: the assigned value has type 'unsigned int', not 'int'"],
    );
    check_broken(
        |p| set_op(p, Op::Assign(var(p, 0), Expr::int(1))),
        expect![[r#"
        main e0: the location is not scalar
        main e0: the assigned value has type 'int', not 'struct s'"#]],
    );
    check_broken(
        |p| set_op(p, Op::Assume(p.read(Id::from_index(4)))),
        expect!["main e0: v4 (n) belongs to another procedure"],
    );
    check_broken(|p| set_op(p, Op::Free(Expr::int(0))), expect!["main e0: the expression is no pointer"]);
    check_broken(
        |p| {
            let main = p.entry;
            let Op::Call { args, .. } = &mut p.procs[main].edges[Id::from_index(0)].op else {
                unreachable!()
            };
            args.push(Expr::Const(300, Type::Int(IntType { bits: 8, signed: true })));
        },
        expect![[r#"
            main e0: 2 arguments for 1 parameters
            main e0: the constant 300 is out of range"#]],
    );
}

#[test]
fn expressions() {
    let c = |p: &Program| p.read(Id::from_index(1));
    let x = |p: &Program| p.read(Id::from_index(2));
    let assume = |p: &mut Program, e| set_op(p, Op::Assume(e));
    check_broken(
        |p| assume(p, Expr::binary(BinOp::Add, c(p), c(p))),
        expect!["main e0: arithmetic at type 'char'"],
    );
    check_broken(
        |p| assume(p, Expr::binary(BinOp::Lt, c(p), x(p))),
        expect!["main e0: the compared values have different types"],
    );
    check_broken(
        |p| assume(p, Expr::Old(Box::new(x(p)))),
        expect!["main e0: the expression is a form of predicates"],
    );
    check_broken(|p| assume(p, x(p).cast(Type::Math)), expect!["main e0: the cast is not possible"]);
    check_broken(
        |p| assume(p, Lvalue::var(Id::from_index(2), Type::Int(IntType::UINT)).load()),
        expect!["main e0: the lvalue has type 'int', not 'unsigned int'"],
    );
}
