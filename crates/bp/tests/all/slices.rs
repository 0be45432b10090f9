//! Questions in parts: what matters for each disjunct of the condition before a goal.

use base::SourceMap;
use bp::cfg::{Op, slices};
use bp::{Cfg, Dialect, VarId, parse};
use expect_test::{Expect, expect};

/// The variables that matter in each part, its goals, and its edges that are not as in the program.
fn told(text: &str, labels: &[&str]) -> String {
    let (program, _) = parse(text, SourceMap::new().add("p.bp", None), Dialect::Strict).expect("well-formed");
    let (cfg, _) = Cfg::build(&program, None).expect("well-formed");
    let goals: Vec<_> = labels.iter().flat_map(|label| cfg.find_label(label)).collect();
    let mut out = String::new();
    for slice in slices(&cfg, &goals) {
        let name = |v: &VarId| cfg.vars[*v].name.as_str();
        let names: Vec<&str> = slice.variables.iter().map(name).collect();
        let goals: Vec<&str> = slice.goals.iter().map(|v| cfg.vertices[*v].labels[0].as_str()).collect();
        out.push_str(&format!("{}: {}\n", goals.join(" "), names.join(" ")));
        for (edge, was) in slice.cfg.edges.iter().zip(&cfg.edges) {
            if edge.op != was.op {
                let op = match &edge.op {
                    Op::Skip => "skip".to_owned(),
                    Op::Assume { cond, .. } => format!("assume {cond:?}"),
                    Op::Assign { targets, .. } => {
                        format!("sets {}", targets.iter().map(name).collect::<Vec<_>>().join(" "))
                    }
                    Op::Call { args, results, .. } => format!("call {args:?} {results:?}"),
                    Op::Return(values) => format!("return {values:?}"),
                };
                out.push_str(&format!("  {op}\n"));
            }
        }
    }
    out
}

fn check(text: &str, labels: &[&str], expected: &Expect) {
    expected.assert_eq(&told(text, labels));
}

#[test]
fn disjuncts_are_parts() {
    check(
        "decl a, b, c, d; void main() begin
            a, b, c, d := 0, 0, 0, 0; c := b; d := a;
            if (a => (b | !(c & d))) then GOAL: skip; fi
        end",
        &["GOAL"],
        &expect![[r#"
            GOAL: a d
              sets a d
              skip
              assume Or([Not(Var(v3)), Not(Var(v0))])
              assume Const(false)
              assume Const(false)
            GOAL: b c
              sets b c
              skip
              assume Or([Not(Var(v2)), Var(v1)])
              assume Const(false)
              assume Const(false)
        "#]],
    );
}

#[test]
fn what_is_computed_from_matters() {
    check(
        "decl a, b, c, d, e, f; void main() begin
            a, c, e := *, 0, f; b := f(a, c); d := d & c;
            if (b) then GOAL: skip; fi if (e) then skip; fi
        end
        bool f(x, y) begin decl z; z := y; if (f) then return x; fi return !x; end",
        &["GOAL"],
        &expect![[r#"
            GOAL: a b f x
              sets a
              call [Var(v0), Const(false)] [Some(v1)]
              skip
              assume Const(false)
              assume Const(false)
              assume Const(false)
              assume Const(false)
              assume Const(false)
              skip
        "#]],
    );
}

#[test]
fn what_is_constrained_matters() {
    check(
        "decl a, b, c, d, e, f, g; void main() begin
            a, b := *, * constrain ('a => !c); c := d; e := f; f, g := b, c;
            if (e) then GOAL: skip; fi
        end",
        &["GOAL"],
        &expect![[r#"
            GOAL: a b c d e f
              sets f
              assume Const(false)
              assume Const(false)
        "#]],
    );
}

#[test]
fn parts_about_as_much_are_not_told_apart() {
    // Each part has one variable less, and there are two.
    check(
        "decl a, b, c; void main() begin a, b, c := c, c, *; if (a | b) then GOAL: skip; fi end",
        &["GOAL"],
        &expect![[""]],
    );
    // The question of one disjunct is covered by that of the other.
    check(
        "decl a, b, c, d; void main() begin a, b, c := b, *, *; if (a | b) then GOAL: skip; fi d := 0; end",
        &["GOAL"],
        &expect![[r#"
            GOAL: a b
              sets a b
              assume Const(false)
              assume Const(false)
              assume Const(false)
        "#]],
    );
}
