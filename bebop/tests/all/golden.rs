//! The examples of the papers: traces, path edges, states.

use ::check::{Asked, NoSuchLabel, explicit, render, targets};
use base::SourceMap;
use bebop::{Answer, Options, Sum, When, check};
use bp::{Cfg, Dialect, Program, VarId, VertexId, parse};
use expect_test::{Expect, expect};
use std::fmt::Debug;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

fn load(name: &str) -> (Program, Cfg) {
    let path = format!("{}/../examples/bp/{name}.bp", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the example is there");
    let file = SourceMap::new().add(name, None);
    let (program, _) = parse(&text, file, Dialect::Strict).expect("the example parses");
    let (cfg, _) = Cfg::build(&program, None).expect("the example is well-formed");
    (program, cfg)
}

/// What is asked of an example.
type Goals<'a> = &'a dyn Fn(&Cfg) -> Vec<VertexId>;

fn show(name: &str, goals: Goals<'_>) -> String {
    let (program, cfg) = load(name);
    match check(&cfg, &Options::new(goals(&cfg), &RUN)).expect("nothing stops it").answer {
        Answer::Unreachable => "unreachable\n".into(),
        Answer::Reachable { trace, .. } => {
            let trace = trace.expect("a trace was asked for");
            explicit::check_trace(&cfg, &trace).expect("the trace is a run");
            format!("a shortest trace:\n{}", render::text(&program, &cfg, &trace, 1000))
        }
    }
}

fn check_trace(name: &str, goals: Goals<'_>, expected: Expect) {
    expected.assert_eq(&show(name, goals));
}

fn label(name: &str) -> impl Fn(&Cfg) -> Vec<VertexId> {
    move |cfg| cfg.find_label(name)
}

#[test]
fn figure_1() {
    check_trace(
        "fig1",
        &label("R"),
        expect![[r#"
        a shortest trace:
           6  h := !g;              g=1
           7  A(g, h);              g=1 h=0
          20    if (a1) then        g=1 a1=1 a2=0
          21    A(a2, a1);          g=1 a1=1 a2=0
          20      if (a1) then      g=1 a1=0 a2=1
          24      g := a2;          g=1 a1=0 a2=1
          22    skip;               g=1 a1=1 a2=0
           8  skip;                 g=1 h=0
           9  A(g, h);              g=1 h=0
          20    if (a1) then        g=1 a1=1 a2=0
          21    A(a2, a1);          g=1 a1=1 a2=0
          20      if (a1) then      g=1 a1=0 a2=1
          24      g := a2;          g=1 a1=0 a2=1
          22    skip;               g=1 a1=1 a2=0
          10  skip;                 g=1 h=0
          11  if (g) then           g=1 h=0
          12  R: skip;              g=1 h=0
    "#]],
    );
}

#[test]
fn several_results_and_constraints() {
    check_trace(
        "results",
        &label("BOTH"),
        expect![[r#"
        a shortest trace:
           6  x, y := pair(*, 1) constrain 'x = 'y;  g=0
          17    g := a & b;                          g=0 a=1 b=1
          18    return b, a;                         g=1 a=1 b=1
           7  assert(x = y);                         g=1 x=1 y=1
           8  _, y := pair(x, g);                    g=1 x=1 y=1
          17    g := a & b;                          g=1 a=1 b=1
          18    return b, a;                         g=1 a=1 b=1
           9  x, g := *, * constrain 'x ^ 'g;        g=1 x=1 y=1
          10  assert(x != g);                        g=0 x=1 y=1
          11  if (choose[x, g] & y) then             g=0 x=1 y=1
          12  BOTH: skip;                            g=0 x=1 y=1
    "#]],
    );
    check_trace(
        "results",
        &Cfg::failures,
        expect![[r#"
        unreachable
    "#]],
    );
}

#[test]
fn recursion_counts() {
    check_trace(
        "counter",
        &Cfg::failures,
        expect![[r#"
        a shortest trace:
           5  a, b, c, d := 0, 0, 0, 0;
           6  up();                                                     a=0 b=0 c=0 d=0
          10    assert(!(a & b & c & d));                               a=0 b=0 c=0 d=0
          11    a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=0 b=0 c=0 d=0
          12    if (*) then                                             a=1 b=0 c=0 d=0
          13    up();                                                   a=1 b=0 c=0 d=0
          10      assert(!(a & b & c & d));                             a=1 b=0 c=0 d=0
          11      a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=1 b=0 c=0 d=0
          12      if (*) then                                           a=0 b=1 c=0 d=0
          13      up();                                                 a=0 b=1 c=0 d=0
          10        assert(!(a & b & c & d));                           a=0 b=1 c=0 d=0
          11        a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=0 b=1 c=0 d=0
          12        if (*) then                                         a=1 b=1 c=0 d=0
          13        up();                                               a=1 b=1 c=0 d=0
          10          assert(!(a & b & c & d));                         a=1 b=1 c=0 d=0
          11          a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=1 b=1 c=0 d=0
          12          if (*) then                                       a=0 b=0 c=1 d=0
          13          up();                                             a=0 b=0 c=1 d=0
          10            assert(!(a & b & c & d));                       a=0 b=0 c=1 d=0
          11            a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=0 b=0 c=1 d=0
          12            if (*) then                                     a=1 b=0 c=1 d=0
          13            up();                                           a=1 b=0 c=1 d=0
          10              assert(!(a & b & c & d));                     a=1 b=0 c=1 d=0
          11              a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=1 b=0 c=1 d=0
          12              if (*) then                                   a=0 b=1 c=1 d=0
          13              up();                                         a=0 b=1 c=1 d=0
          10                assert(!(a & b & c & d));                   a=0 b=1 c=1 d=0
          11                a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=0 b=1 c=1 d=0
          12                if (*) then                                 a=1 b=1 c=1 d=0
          13                up();                                       a=1 b=1 c=1 d=0
          10                  assert(!(a & b & c & d));                 a=1 b=1 c=1 d=0
          11                  a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=1 b=1 c=1 d=0
          12                  if (*) then                               a=0 b=0 c=0 d=1
          13                  up();                                     a=0 b=0 c=0 d=1
          10                    assert(!(a & b & c & d));               a=0 b=0 c=0 d=1
          11                    a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=0 b=0 c=0 d=1
          12                    if (*) then                             a=1 b=0 c=0 d=1
          13                    up();                                   a=1 b=0 c=0 d=1
          10                      assert(!(a & b & c & d));             a=1 b=0 c=0 d=1
          11                      a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=1 b=0 c=0 d=1
          12                      if (*) then                           a=0 b=1 c=0 d=1
          13                      up();                                 a=0 b=1 c=0 d=1
          10                        assert(!(a & b & c & d));           a=0 b=1 c=0 d=1
          11                        a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=0 b=1 c=0 d=1
          12                        if (*) then                         a=1 b=1 c=0 d=1
          13                        up();                               a=1 b=1 c=0 d=1
          10                          assert(!(a & b & c & d));         a=1 b=1 c=0 d=1
          11                          a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=1 b=1 c=0 d=1
          12                          if (*) then                       a=0 b=0 c=1 d=1
          13                          up();                             a=0 b=0 c=1 d=1
          10                            assert(!(a & b & c & d));       a=0 b=0 c=1 d=1
          11                            a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=0 b=0 c=1 d=1
          12                            if (*) then                     a=1 b=0 c=1 d=1
          13                            up();                           a=1 b=0 c=1 d=1
          10                              assert(!(a & b & c & d));     a=1 b=0 c=1 d=1
          11                              a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=1 b=0 c=1 d=1
          12                              if (*) then                   a=0 b=1 c=1 d=1
          13                              up();                         a=0 b=1 c=1 d=1
          10                                assert(!(a & b & c & d));   a=0 b=1 c=1 d=1
          11                                a, b, c, d := !a, a ^ b, (a & b) ^ c, (a & b & c) ^ d;  a=0 b=1 c=1 d=1
          12                                if (*) then                 a=1 b=1 c=1 d=1
          13                                up();                       a=1 b=1 c=1 d=1
          10                                  assert(!(a & b & c & d));  a=1 b=1 c=1 d=1   <-- fails
    "#]],
    );
}

#[test]
fn a_summary_is_not_explained_by_itself() {
    check_trace(
        "self_explaining",
        &label("DONE"),
        expect![[r#"
        a shortest trace:
           5  P();                  g=0
          12    if (*) then         g=0
          15    skip;               g=0
          16    skip;               g=0
          17    skip;               g=0
          18    g := 1;             g=0
           6  if (g) then           g=1
           7  DONE: skip;           g=1
    "#]],
    );
}

#[test]
fn the_lock_is_taken_and_given_back_in_turn() {
    check_trace("lock", &Cfg::failures, expect![["unreachable\n"]]);
    check_trace("lock", &label("main:HANG"), expect![["unreachable\n"]]);
}

fn cube_text<V: Debug>(cfg: &Cfg, cubes: &[Vec<(V, bool)>], name: impl Fn(&Cfg, &V) -> String) -> String {
    let cube = |cube: &Vec<(V, bool)>| {
        let literal = |(v, value): &(V, bool)| format!("{}{}", if *value { "" } else { "!" }, name(cfg, v));
        if cube.is_empty() {
            "1".to_owned()
        } else {
            cube.iter().map(literal).collect::<Vec<_>>().join(" & ")
        }
    };
    if cubes.is_empty() { "0".to_owned() } else { cubes.iter().map(cube).collect::<Vec<_>>().join(" | ") }
}

/// The lecture's slide 48: the path edges at each vertex of both procedures, as relations between the values
/// at the entry (`'`: here written `old`) and now.
#[test]
fn path_edges_of_the_lecture() {
    let (program, cfg) = load("slide48");
    let options = Options { live: false, ..Options::new(cfg.failures(), &RUN) };
    let mut outcome = check(&cfg, &options).expect("nothing stops it");
    assert!(matches!(outcome.answer, Answer::Unreachable));
    let stmts = program.stmts_by_id();
    let mut out = String::new();
    let name = |cfg: &Cfg, (v, when): &(VarId, When)| {
        let name = cfg.vars[*v].name.as_str();
        if *when == When::Entry { format!("old({name})") } else { name.to_owned() }
    };
    let vertices: Vec<VertexId> = cfg.vertices.ids().collect();
    for vertex in vertices {
        let text = match cfg.vertices[vertex].kind {
            bp::VertexKind::Stmt(id) => bp::head(stmts[id].expect("statements have ids")),
            kind => format!("{kind:?}"),
        };
        let sum: Sum<(VarId, When)> = outcome.reached.relation(vertex, 100).expect("nothing stops it");
        out.push_str(&format!("{text:20} {}\n", cube_text(&cfg, &sum.cubes, name)));
    }
    expect![[r#"
        cmp(e);              1
        assume(gz);          !gz & !e | gz & e
        assume(!e);          gz & e
        assert(0);           0
        Failure(s3)          0
        Exit                 0
        goto L1, L2;         !old(gz) & !gz | old(gz) & gz
        L1: assume(e2);      !old(gz) & !gz | old(gz) & gz
        gz := 1;             !old(gz) & !gz & e2 | old(gz) & gz & e2
        goto L3;             gz & e2
        L2: assume(!e2);     !old(gz) & !gz | old(gz) & gz
        gz := 0;             !old(gz) & !gz & !e2 | old(gz) & gz & !e2
        goto L3;             !gz & !e2
        L3: return;          !gz & !e2 | gz & e2
        Exit                 !gz & !e2 | gz & e2
    "#]]
    .assert_eq(&out);
}

#[test]
fn states_and_values() {
    let (_, cfg) = load("lock");
    let mut outcome = check(&cfg, &Options::new(cfg.failures(), &RUN)).expect("nothing stops it");
    let exit = cfg.procs[cfg.entry].exit;
    let sum = outcome.reached.states(exit, 100).expect("nothing stops it");
    let name = |cfg: &Cfg, v: &VarId| cfg.vars[*v].name.to_string();
    let inner = cfg.vertices.ids().nth(1).expect("main has a loop");
    let at_loop = outcome.reached.states(inner, 100).expect("nothing stops it");
    let values = outcome.reached.values(inner).expect("nothing stops it").expect("it is reached");
    let values: Vec<String> = values.iter().map(|(v, b)| format!("{}={b:?}", cfg.vars[*v].name)).collect();
    expect![[r#"
        1
        !{locked == 1}
        {locked == 1}=Some(false) {old == new}=None
    "#]]
    .assert_eq(&format!(
        "{}\n{}\n{}\n",
        cube_text(&cfg, &sum.cubes, name),
        cube_text(&cfg, &at_loop.cubes, name),
        values.join(" ")
    ));
}

#[test]
fn the_template_grows_linearly() {
    let size = |n: usize| {
        let program = bp::random::template(n);
        let (cfg, _) = Cfg::build(&program, None).expect("the template is well-formed");
        let outcome = check(&cfg, &Options::new(cfg.failures(), &RUN)).expect("nothing stops it");
        outcome.stats
    };
    let (a, b) = (size(100), size(200));
    assert_eq!(a.diagram_vars, 16);
    assert_eq!(b.diagram_vars, 16);
    assert_eq!(b.rounds - a.rounds, size(300).rounds - b.rounds);
    expect![[r#"
        Stats { vertices: 1505, rounds: 3702, summaries: 199, nodes: 7210, nodes_made: 681, diagram_vars: 16 }
    "#]]
    .assert_eq(&format!("{a:?}\n"));
}

/// What nobody would read is not looked for.
#[test]
fn calls_stay_folded_where_the_whole_trace_is_too_long() {
    let program = bp::random::template(60);
    let (cfg, _) = Cfg::build(&program, None).expect("the template is well-formed");
    let end = vec![cfg.procs[cfg.entry].exit];
    let segments = |max_flat_steps: usize| {
        let options = Options { max_flat_steps, ..Options::new(end.clone(), &RUN) };
        let outcome = check(&cfg, &options).expect("nothing stops it");
        let Answer::Reachable { trace: Some(trace), .. } = outcome.answer else {
            panic!("the end is reachable")
        };
        assert!(trace.flatten(1_000).is_err());
        assert_eq!(trace.length(), 4);
        trace.segments.len()
    };
    assert_eq!(segments(usize::MAX), 121);
    assert!(segments(1_000) < 80);
}

#[test]
fn long_programs_and_long_traces() {
    let mut text = "decl a, b;\nvoid main() begin\na, b := 0, 0;\n".to_owned();
    text.push_str(&"a, b := b, !a;\n".repeat(20_000));
    text.push_str("L: skip;\nend\n");
    let file = SourceMap::new().add("long", None);
    let (program, _) = parse(&text, file, Dialect::Strict).expect("it parses");
    let (cfg, _) = Cfg::build(&program, None).expect("it is well-formed");
    let outcome = check(&cfg, &Options::new(cfg.find_label("L"), &RUN)).expect("nothing stops it");
    let Answer::Reachable { trace: Some(trace), .. } = outcome.answer else {
        panic!("the label is reachable")
    };
    assert_eq!(trace.length(), 20_001);
    assert_eq!(trace.flatten(30_000).expect("it fits").len(), 20_002);
    assert!(trace.flatten(100).is_err());
}

/// Each procedure calls the next one twice: the run is exponentially long, the trace is not.
#[test]
fn runs_that_cannot_be_written_down() {
    let mut text = "decl g;\nvoid main() begin\ng := 0; f0(); assert(!g);\nend\n".to_owned();
    for i in 0..40 {
        text.push_str(&format!("void f{i}() begin f{0}(); f{0}(); end\n", i + 1));
    }
    text.push_str("void f40() begin g := 1; end\n");
    let file = SourceMap::new().add("deep", None);
    let (program, _) = parse(&text, file, Dialect::Strict).expect("it parses");
    let (cfg, _) = Cfg::build(&program, None).expect("it is well-formed");
    let outcome = check(&cfg, &Options::new(cfg.failures(), &RUN)).expect("nothing stops it");
    let Answer::Reachable { trace: Some(trace), .. } = outcome.answer else { panic!("it fails") };
    explicit::check_trace(&cfg, &trace).expect("the trace is a run");
    assert!(trace.segments.len() < 100);
    assert_eq!(trace.length(), 3);
    assert!(trace.flatten(1_000_000).is_err());
}

#[test]
fn unknown_labels_and_the_stop_flag() {
    let (_, cfg) = load("fig1");
    let asked = Asked { labels: &["NOWHERE".to_owned()], all_labels: false, assertions: false };
    let missing = targets(asked, &SourceMap::new(), &[&cfg]);
    assert_eq!(missing.err(), Some(NoSuchLabel("NOWHERE".into())));
    let stop = AtomicBool::new(true);
    let stopped = check(&cfg, &Options::new(cfg.find_label("R"), &stop));
    assert_eq!(stopped.err(), Some(bebop::Stopped::Interrupted));
}
