//! How the control flow of a procedure is written: structured where it is, with labels and jumps elsewhere or when
//! asked for.

#[allow(dead_code, reason = "each test uses a part of what is shared")]
use base::IndexVec;
use bp::{Cfg, StmtKind};
use c2bp::{Abstraction, Role};
use expect_test::{Expect, expect};
use ir::{EdgeId, Op, ProcId, Program};
use std::collections::BTreeSet;
use testing::programs::calls::Dice;

fn read(text: &str) -> bp::Program {
    let file = base::SourceMap::new().add("text.bp", Some(text.into()));
    bp::parse(text, file, bp::Dialect::C).expect("what is printed can be read").0
}

/// The text of procedure `main` with these locations.
fn body(text: &str, goto: bool) -> String {
    let program = crate::common::program(&format!(
        "model LP64; entry start__; global int x;
         proc void start__() {{ entry L0; exit L1; L0: main(); goto L1; L1: }}
         proc void main() {{ {text} }}"
    ));
    let made = crate::common::abstraction(&program, &["x == 0"], |o| o.goto = goto);
    let text = bp::print(&made.program);
    text[text.find("void c_main").expect("it is there")..].to_owned()
}

fn check(text: &str, structured: Expect, goto: Expect) {
    structured.assert_eq(&body(text, false));
    goto.assert_eq(&body(text, true));
}

#[test]
fn slide_13_branches_and_loops() {
    check(
        "entry L0; exit L5;
         L0: assume(x == 0); goto L1; assume(x != 0); goto L2;
         L1: x = 1; goto L3;
         L2: x = 2; goto L3;
         L3: assume(x < 9); goto L4; assume(x >= 9); goto L5;
         L4: x = x + 1; goto L3;
         L5: ",
        expect![[r#"
            void c_main() begin                             // @ main
              if (*) then
                assume({x == 0});                           // assume(x == 0);  // @ e0
                {x == 0} := 0;                              // x = 1;  // @ e2
              else
                assume(!{x == 0});                          // assume(x != 0);  // @ e1
                {x == 0} := 0;                              // x = 2;  // @ e3
              fi
              while (*) do
                assume(1);                                  // assume(x < 9);  // @ e4
                {x == 0} := choose[0, {x == 0}];            // x = x + 1;  // @ e6
              od
              assume(!{x == 0});                            // assume(x >= 9);  // @ e5
              return;
            end
        "#]],
        expect![[r#"
            void c_main() begin                             // @ main
              goto e0, e1;
              e0: assume({x == 0});                         // assume(x == 0);  // @ e0
              {x == 0} := 0;                                // x = 1;  // @ e2
              goto L3;
              e1: assume(!{x == 0});                        // assume(x != 0);  // @ e1
              {x == 0} := 0;                                // x = 2;  // @ e3
              L3: goto e4, e5;
              e4: assume(1);                                // assume(x < 9);  // @ e4
              {x == 0} := choose[0, {x == 0}];              // x = x + 1;  // @ e6
              goto L3;
              e5: assume(!{x == 0});                        // assume(x >= 9);  // @ e5
              return;
            end
        "#]],
    );
}

#[test]
fn loops_that_are_left_behind_and_in_the_middle() {
    check(
        "entry L0; exit L7;
         L0: x = 1; goto L1;
         L1: assume(x == 5); goto L2; assume(x != 5); goto L3;
         L2: x = 7; goto L7;
         L3: assume(x == 6); goto L4; assume(x != 6); goto L5;
         L4: x = 8; goto L1;
         L5: assume(x == 7); goto L1; assume(x != 7); goto L6;
         L6: x = 0; goto L7;
         L7: ",
        expect![[r#"
            void c_main() begin                             // @ main
              {x == 0} := 0;                                // x = 1;  // @ e0
              while (*) do
                assume(1);                                  // assume(x != 5);  // @ e2
                if (*) then
                  assume(!{x == 0});                        // assume(x == 6);  // @ e4
                  {x == 0} := 0;                            // x = 8;  // @ e6
                else
                  assume(1);                                // assume(x != 6);  // @ e5
                  if (*) then
                    assume(1);                              // assume(x != 7);  // @ e8
                    {x == 0} := 1;                          // x = 0;  // @ e9
                    goto L7;
                  fi
                  assume(!{x == 0});                        // assume(x == 7);  // @ e7
                fi
              od
              assume(!{x == 0});                            // assume(x == 5);  // @ e1
              {x == 0} := 0;                                // x = 7;  // @ e3
              L7: return;
            end
        "#]],
        expect![[r#"
            void c_main() begin                             // @ main
              {x == 0} := 0;                                // x = 1;  // @ e0
              L1: goto e2, e1;
              e2: assume(1);                                // assume(x != 5);  // @ e2
              goto e4, e5;
              e4: assume(!{x == 0});                        // assume(x == 6);  // @ e4
              {x == 0} := 0;                                // x = 8;  // @ e6
              goto L1;
              e5: assume(1);                                // assume(x != 6);  // @ e5
              goto e7, e8;
              e7: assume(!{x == 0});                        // assume(x == 7);  // @ e7
              goto L1;
              e8: assume(1);                                // assume(x != 7);  // @ e8
              {x == 0} := 1;                                // x = 0;  // @ e9
              goto L7;
              e1: assume(!{x == 0});                        // assume(x == 5);  // @ e1
              {x == 0} := 0;                                // x = 7;  // @ e3
              L7: return;
            end
        "#]],
    );
}

#[test]
fn switches_and_jumps_into_loops() {
    check(
        "entry L0; exit L6;
         L0: assume(x == 1); goto L1; assume(x == 2); goto L2; assume(x == 3); goto L3; assume(x > 3); goto L5;
         L1: x = 1; goto L2;
         L2: x = 2; goto L4;
         L3: assume(x > 0); goto L2; assume(x <= 0); goto L4;
         L4: assume(x > 7); goto L3; assume(x <= 7); goto L6;
         L5 label fail: x = -1; goto L6;
         L6: ",
        expect![[r#"
            void c_main() begin                             // @ main
              if (*) then
                assume(!{x == 0});                          // assume(x == 1);  // @ e0
                {x == 0} := 0;                              // x = 1;  // @ e4
                goto L2;
              elsif (*) then
                assume(!{x == 0});                          // assume(x == 2);  // @ e1
                goto L2;
              elsif (*) then
                assume(!{x == 0});                          // assume(x > 3);  // @ e3
                fail: {x == 0} := 0;                        // x = -1;  // @ e10
                goto L6;
              fi
              assume(!{x == 0});                            // assume(x == 3);  // @ e2
              L3: if (*) then
                assume(1);                                  // assume(x <= 0);  // @ e7
                goto L4;
              fi
              assume(!{x == 0});                            // assume(x > 0);  // @ e6
              L2: {x == 0} := 0;                            // x = 2;  // @ e5
              L4: if (*) then
                assume(!{x == 0});                          // assume(x > 7);  // @ e8
                goto L3;
              fi
              assume(1);                                    // assume(x <= 7);  // @ e9
              L6: return;
            end
        "#]],
        expect![[r#"
            void c_main() begin                             // @ main
              goto e0, e1, e2, e3;
              e0: assume(!{x == 0});                        // assume(x == 1);  // @ e0
              {x == 0} := 0;                                // x = 1;  // @ e4
              goto L2;
              e1: assume(!{x == 0});                        // assume(x == 2);  // @ e1
              goto L2;
              e2: assume(!{x == 0});                        // assume(x == 3);  // @ e2
              goto L3;
              e3: assume(!{x == 0});                        // assume(x > 3);  // @ e3
              fail: {x == 0} := 0;                          // x = -1;  // @ e10
              goto L6;
              L3: goto e6, e7;
              e6: assume(!{x == 0});                        // assume(x > 0);  // @ e6
              goto L2;
              e7: assume(1);                                // assume(x <= 0);  // @ e7
              goto L4;
              L2: {x == 0} := 0;                            // x = 2;  // @ e5
              L4: goto e8, e9;
              e8: assume(!{x == 0});                        // assume(x > 7);  // @ e8
              goto L3;
              e9: assume(1);                                // assume(x <= 7);  // @ e9
              L6: return;
            end
        "#]],
    );
}

/// Predicates of some lines have arbitrary values elsewhere: they get one where they begin to be tracked, and lose it
/// where they end.
#[test]
fn predicates_of_some_lines() {
    let program = crate::common::program(
        "model LP64; entry start__; global int g; proc void f() { entry L0; exit L1; L0: g = 0; goto L1; L1: }
         proc void start__() { local int x; local int y; entry L0; exit L7;
         L0: x = 1; goto L1;
         L1: y = x; goto L2;
         L2: assume(y < 5); goto L3;
         L3: skip; goto L4;
         L4: f(); goto L5;
         L5: y = 2; goto L6;
         L6: skip; goto L7;
         L7: }",
    );
    let read = |text: &str, scope| ir::parse::expr(text, &program, scope);
    let text =
        "start__:4-6 { x == 1; } start__:5-6 { y == 1; } start__:6 { y < 3; x == y; } start__:8 { g == y; }";
    let file = base::SourceMap::new().add("text.preds", Some(text.into()));
    let (precision, warnings) =
        predicates::predicates_file::parse(text, file, &program, encoding::IntMode::Math, &read)
            .expect("they are predicates");
    assert!(warnings.is_empty());
    let made = crate::common::abstraction_with(&program, &precision, |_| {});
    expect![[r#"
        // 0 global, 5 local predicates

        void main() begin                               // @ start__
          decl {x == 1}, {y == 1}, {y <= 2}, {x == y}, {g == y};
          {x == 1} := 1;                                // x = 1;  // @ e0
          {y == 1} := {x == 1};                         // y = x;  // @ e1
          assume(1);                                    // assume(y < 5);  // @ e2
          {y <= 2}, {x == y} := choose[{y == 1}, 0], choose[{x == 1} & {y == 1}, ({x == 1} & !{y == 1}) | (!{x == 1} & {y == 1})];
          {x == 1}, {y == 1}, {y <= 2}, {x == y} := *, *, *, *;  // skip;  // @ e3
          f();                                          // f();  // @ e4
          {g == y} := *;
          {g == y} := *;                                // y = 2;  // @ e5
          skip;                                         // skip;  // @ e6
          return;
        end

        void f() begin
          skip;                                         // g = 0;  // @ e0
          return;
        end
    "#]].assert_eq(&bp::print(&made.program));
}

/// A procedure whose edges lead anywhere.
fn random_flow(dice: &mut Dice, locations: usize) -> String {
    let mut text = format!("entry L0; exit L{};\n", locations - 1);
    for l in 0..locations {
        text += &format!("L{l}: ");
        let edges = if l + 1 == locations { 0 } else { [0, 1, 1, 1, 2, 2, 2, 3][dice.below(8)] };
        for i in 0..edges {
            let to = if dice.below(3) == 0 { (l + 1).min(locations - 1) } else { dice.below(locations) };
            text += &format!("assume(x != {i}); goto L{to};\n");
        }
    }
    text
}

/// What a run can meet next: edges, the end, or a stop.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Next {
    Edge(EdgeId),
    Return,
    Stop,
}

/// What can follow each edge, in the text (first: what can come first of all).
fn text_flow(made: &Abstraction, p: ProcId) -> BTreeSet<(Option<EdgeId>, BTreeSet<Next>)> {
    let (cfg, _) = Cfg::build(&made.program, None).expect("the text is a boolean program");
    let proc = made.program.procs.iter().position(|q| made.origin.proc(&q.name.name) == Some(p));
    let proc = &cfg.procs[base::Id::from_index(proc.expect("it is called"))];
    let stmts: IndexVec<_, _> = made.program.stmts_by_id();
    let behind = |start: bp::VertexId| -> BTreeSet<Next> {
        let (mut out, mut seen, mut pending) = (BTreeSet::new(), BTreeSet::new(), vec![start]);
        while let Some(at) = pending.pop() {
            if !seen.insert(at) {
                continue;
            }
            let id = cfg.vertices[at].kind.stmt().expect("texts end in `return`");
            let origin = made.origin.stmt(id).expect("every statement has an origin");
            match &origin.role {
                Role::Edge => _ = out.insert(Next::Edge(origin.edge.expect("it is an edge's"))),
                Role::Return => _ = out.insert(Next::Return),
                Role::Stop => _ = out.insert(Next::Stop),
                Role::Jump | Role::Branch(_) => {
                    pending.extend(cfg.vertices[at].out.iter().map(|e| cfg.edges[*e].to));
                }
                other => panic!("{other:?} is not in these programs"),
            }
        }
        out
    };
    let mut flow = BTreeSet::from([(None, behind(proc.entry))]);
    for v in proc.vertices() {
        let Some(id) = cfg.vertices[v].kind.stmt() else { continue };
        let origin = made.origin.stmt(id).expect("every statement has an origin");
        if origin.role == Role::Edge {
            assert!(matches!(stmts[id].expect("it is written").kind, StmtKind::Assume { .. }));
            let [out] = cfg.vertices[v].out.as_slice() else { panic!("assumptions have one end") };
            assert!(flow.insert((origin.edge, behind(cfg.edges[*out].to))), "an edge is written once");
        }
    }
    flow
}

/// The same in the C-- program, for what can be reached.
fn program_flow(program: &Program, p: ProcId) -> BTreeSet<(Option<EdgeId>, BTreeSet<Next>)> {
    let proc = &program.procs[p];
    let successors = proc.successors();
    let at = |l: ir::LocId| -> BTreeSet<Next> {
        if l == proc.exit {
            BTreeSet::from([Next::Return])
        } else if successors[l].is_empty() {
            BTreeSet::from([Next::Stop])
        } else {
            successors[l].iter().map(|e| Next::Edge(*e)).collect()
        }
    };
    let (mut flow, mut pending) = (BTreeSet::from([(None, at(proc.entry))]), vec![proc.entry]);
    let mut seen = BTreeSet::new();
    while let Some(l) = pending.pop() {
        if l != proc.exit && seen.insert(l) {
            for e in &successors[l] {
                let dst = proc.edges[*e].dst;
                assert!(matches!(proc.edges[*e].op, Op::Assume(_)));
                flow.insert((Some(*e), at(dst)));
                pending.push(dst);
            }
        }
    }
    flow
}

/// The text, structured or not, allows the same sequences of edges as the program, and reads back as it is.
#[test]
fn texts_have_the_control_flow_of_the_program() {
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let size = 3 + dice.below(14);
        let text = random_flow(&mut dice, size);
        let program = crate::common::program(&format!(
            "model LP64; entry main; global int x; proc void main() {{ {text} }}"
        ));
        for goto in [false, true] {
            let made = crate::common::abstraction(&program, &[], |o| o.goto = goto);
            assert_eq!(
                text_flow(&made, program.entry),
                program_flow(&program, program.entry),
                "{text}\n{}",
                bp::print(&made.program)
            );
            let again = read(&bp::print(&made.program));
            let structured =
                bp::print(&made.program).contains("fi\n") || bp::print(&made.program).contains("od\n");
            assert!(!(goto && structured));
            assert_eq!(bp::print(&again), bp::print(&made.program));
        }
    }
}

/// Neither long nor deep procedures take stack, and nothing is nested deeper than people can read.
#[test]
fn long_and_deep_procedures() {
    let mut text = String::from("entry L0; exit L6000;\n");
    for l in 0..3000 {
        text += &format!("L{l}: assume(x == {l}); goto L{}; assume(x != {l}); goto L{};\n", l + 1, 5999 - l);
    }
    for l in 3000..6000 {
        text += &format!("L{l}: x = 1; goto L{};\n", l + 1);
    }
    text += "L6000: ";
    let program = crate::common::program(&format!(
        "model LP64; entry main; global int x; proc void main() {{ {text} }}"
    ));
    let made = crate::common::abstraction(&program, &[], |_| {});
    let printed = bp::print(&made.program);
    let deepest = printed.lines().map(|l| l.len() - l.trim_start().len()).max();
    assert!(deepest < Some(100), "{deepest:?}");
    read(&printed);
}
