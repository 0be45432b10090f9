//! Printing and parsing are inverse to each other; the checker accepts what the generator makes.

use crate::common::on_large_stack;
use base::{FileId, Id};
use bp::random::{Choices, Shape, concurrent, program, template};
use bp::{Cfg, Dialect, Expr, Program, Stmt, StmtId, StmtKind, check, parse, print};
use proptest::prelude::*;

fn file() -> FileId {
    FileId::from_index(0)
}

fn reparse(p: &Program) -> Program {
    let text = print(p);
    match parse(&text, file(), Dialect::Strict) {
        Ok((q, warnings)) => {
            assert_eq!(warnings, []);
            q
        }
        Err(errors) => panic!("{errors:?}\n{text}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn random_programs(numbers in prop::collection::vec(any::<u16>(), 0..300)) {
        let mut p = program(&mut Choices::new(&numbers), Shape { stmts: 6, depth: 3, ..Shape::default() });
        if numbers.len() % 3 == 0 {
            p.header = vec!["made at random".into(), String::new(), "end".into()];
            p.procs[0].comment = Some("int main() {".into());
            p.procs[0].origin = Some("f.c:1".into());
        }
        prop_assert_eq!(&reparse(&p), &p);
        let built = Cfg::build(&p, None);
        prop_assert!(built.is_ok(), "{:?}\n{}", built.err(), print(&p));
    }

    #[test]
    fn random_concurrent_programs(numbers in prop::collection::vec(any::<u16>(), 0..300)) {
        let p = concurrent(&mut Choices::new(&numbers), Shape { stmts: 6, depth: 3, ..Shape::default() });
        prop_assert_eq!(&reparse(&p), &p);
        let checked = check(&p, None);
        prop_assert!(checked.is_ok(), "{:?}\n{}", checked.err(), print(&p));
        if p.concurrent().is_some() {
            prop_assert_eq!(Cfg::build(&p, None).map(|_| ()).unwrap_err().len(), 1);
        }
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "[a-c01{}()!&|^=*?:;,'\\[\\]<> \n/-]{0,40}", head in 0..4usize) {
        let heads = ["", "void main() begin ", "void main() begin a := ", "void main() begin if "];
        if let Ok((p, _)) = parse(&format!("{}{text}", heads[head]), file(), Dialect::Strict) {
            prop_assert_eq!(&reparse(&p), &p);
        }
    }
}

#[test]
fn the_template_of_the_paper() {
    let p = template(3);
    assert_eq!(reparse(&p), p);
    Cfg::build(&p, None).expect("the template is well-formed");
}

#[test]
fn long_programs() {
    let mut p = template(0);
    p.procs[0].body.clear();
    for i in 0..120_000 {
        let kind = StmtKind::assign([("g".into(), Expr::not(Expr::var("g")))]);
        let stmt = Stmt::new(StmtId::from_index(i), kind).with_comment("g = !g;").with_origin("f.c:1 e1");
        p.procs[0].body.push(if i % 7 == 0 { stmt.with_label(format!("L{i}")) } else { stmt });
    }
    assert_eq!(reparse(&p), p);
    let (cfg, _) = Cfg::build(&p, None).expect("it is well-formed");
    assert_eq!(cfg.vertices.len(), 120_001);
}

#[test]
fn wide_expressions_are_not_deep() {
    let operands: Vec<Expr> =
        (0..50_000).map(|i| Expr::var(if i % 2 == 0 { "g" } else { "{x == y}" })).collect();
    let mut p = template(0);
    p.globals.push(bp::Name::predicate("x == y").into());
    p.procs[0].body[0].kind = StmtKind::assume(Expr::or(operands));
    assert_eq!(reparse(&p), p);
}

#[test]
fn nesting_is_bounded() {
    on_large_stack(|| {
        for (open, close) in [("(", ")"), ("!", ""), ("1 ? 1 : ", ""), ("1 => (", ")"), ("choose[0,", "]")] {
            for (depth, fits) in [(1000, true), (100_000, false)] {
                let (open, close) = (open.repeat(depth), close.repeat(depth));
                let text = format!("void main() begin assume({open}1{close}); end");
                assert_eq!(parse(&text, file(), Dialect::Strict).is_ok(), fits, "{open:.8} {depth}");
            }
        }
        for depth in [3000, 100_000] {
            let text = format!(
                "void main() begin {} skip; {} end",
                "if (*) then ".repeat(depth),
                "fi ".repeat(depth)
            );
            let parsed = parse(&text, file(), Dialect::Strict);
            assert_eq!(parsed.is_ok(), depth == 3000);
            if let Ok((p, _)) = parsed {
                assert_eq!(reparse(&p), p);
                Cfg::build(&p, None).expect("it is well-formed");
            }
        }
        let text = format!("void main() begin assume(1{}); end", " ^ 1".repeat(100_000));
        assert!(parse(&text, file(), Dialect::Strict).is_err());
    });
}
