//! The binary's answers and reports on the examples: traces both ways, all labels and assertions, states, path edges,
//! the graph, JSON, limits.

use expect_test::{Expect, expect};
use serde_json::Value;
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use testing::file;

/// Runs `bebop` in the folder of examples; exit code, standard output and standard error as text.
fn run(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bebop"))
        .args(args)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/bp"))
        .output()
        .expect("the binary can be run");
    let mut text = format!("exit code {}\n", output.status.code().unwrap_or(-1));
    for (name, bytes) in [("", &output.stdout), ("--- errors\n", &output.stderr)] {
        if !bytes.is_empty() {
            let _ = write!(text, "{name}{}", String::from_utf8_lossy(bytes));
        }
    }
    text
}

fn check(args: &[&str], expected: Expect) {
    expected.assert_eq(&run(args));
}

/// What is written with `--json`.
fn json(name: &str, args: &[&str]) -> Value {
    let path = file(name, "");
    run(&[args, &["--json", &path]].concat());
    let text = std::fs::read_to_string(path).expect("the file was written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The same lines and states once more.
#[test]
fn figure_1_as_json() {
    let json = json("fig1.json", &["fig1.bp", "--label", "R"]);
    let mut text = String::new();
    for step in json["trace"]["steps"].as_array().expect("there is a trace") {
        let state = step["state"].as_object().expect("a step has a state");
        let state: Vec<String> = state.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let indent = 2 * step["depth"].as_u64().expect("a depth") as usize;
        let _ = writeln!(
            text,
            "{:>2} {:indent$}{} {} {} {}",
            step["place"]["line"],
            "",
            step["statement"].as_str().expect("a statement"),
            step["kind"].as_str().expect("a kind"),
            step["outcome"],
            state.join(" ")
        );
    }
    let _ = writeln!(text, "{} {}", json["trace"]["length"], json["trace"]["expanded"]);
    let _ = writeln!(text, "{}, exit code {}", json["verdict_line"], json["exit_code"]);
    let _ = writeln!(text, "{}", json["targets"]);
    expect![[r#"
        6 h := !g; step null g=true
        7 A(g, h); call null g=true h=false
        20   if (a1) then branch true a1=true a2=false g=true
        21   A(a2, a1); call null a1=true a2=false g=true
        20     if (a1) then branch false a1=false a2=true g=true
        24     g := a2; step null a1=false a2=true g=true
        22   skip; step null a1=true a2=false g=true
        8 skip; step null g=true h=false
        9 A(g, h); call null g=true h=false
        20   if (a1) then branch true a1=true a2=false g=true
        21   A(a2, a1); call null a1=true a2=false g=true
        20     if (a1) then branch false a1=false a2=true g=true
        24     g := a2; step null a1=false a2=true g=true
        22   skip; step null a1=true a2=false g=true
        10 skip; step null g=true h=false
        11 if (g) then branch true g=true h=false
        12 R: skip; target null g=true h=false
        6 true
        "VERDICT: REACHABLE(R)", exit code 10
        [{"kind":"label","label":"R","name":"R","place":{"column":8,"file":"fig1.bp","line":12},"procedure":"main","reachable":true}]
    "#]].assert_eq(&text);
}

#[test]
fn everything_at_once() {
    check(
        &["lock.bp", "--all"],
        expect![[r#"
        exit code 0
        UNREACHABLE  HANG                     lock.bp:15
        UNREACHABLE  assert(!{locked == 1});  lock.bp:24
        UNREACHABLE  assert({locked == 1});   lock.bp:29
        0 of 3 can be reached.
        VERDICT: UNREACHABLE
    "#]],
    );
    check(
        &["slide48.bp", "--all"],
        expect![[r#"
        exit code 10
        UNREACHABLE  assert(0);  slide48.bp:8
        REACHABLE    L1          slide48.bp:13
        REACHABLE    L2          slide48.bp:16
        REACHABLE    L3          slide48.bp:19
        3 of 4 can be reached.
        VERDICT: REACHABLE(L1)
    "#]],
    );
    check(
        &["fig1.bp", "--all", "--traces", "--reverse"],
        expect![[r#"
        exit code 10
        REACHABLE    R  fig1.bp:12
        1 of 1 can be reached.

        R is reachable; a shortest trace, backwards:
        Line 12  State g=1 h=0            R: skip;
        Line 11  State g=1 h=0            if (g) then
        Line 10  State g=1 h=0            skip;
          Line 22  State g=1 a1=1 a2=0    skip;
            Line 24  State g=1 a1=0 a2=1  g := a2;
            Line 20  State g=1 a1=0 a2=1  if (a1) then
          Line 21  State g=1 a1=1 a2=0    A(a2, a1);
          Line 20  State g=1 a1=1 a2=0    if (a1) then
        Line 9  State g=1 h=0             A(g, h);
        Line 8  State g=1 h=0             skip;
          Line 22  State g=1 a1=1 a2=0    skip;
            Line 24  State g=1 a1=0 a2=1  g := a2;
            Line 20  State g=1 a1=0 a2=1  if (a1) then
          Line 21  State g=1 a1=1 a2=0    A(a2, a1);
          Line 20  State g=1 a1=1 a2=0    if (a1) then
        Line 7  State g=1 h=0             A(g, h);
        Line 6  State g=1                 h := !g;
        VERDICT: REACHABLE(R)
    "#]],
    );
    check(
        &["slide48.bp", "--all", "--label", "L3", "--label", "cmp:L1"],
        expect![[r#"
        exit code 10
        REACHABLE    cmp:L1  slide48.bp:13
        REACHABLE    L3      slide48.bp:19
        2 of 2 can be reached.
        VERDICT: REACHABLE(cmp:L1)
    "#]],
    );
    let both =
        "void main() begin\n  L: assert(*); assert(1);\n  f();\nend\nvoid f() begin\n  L: L: M: skip;\nend\n";
    let name = file("both.bp", both);
    let text = run(&[&name, "--all", "--stats"]).replace(&name, "both.bp");
    let text: String = text.lines().filter(|l| !l.starts_with("STAT")).map(|l| format!("{l}\n")).collect();
    expect![[r#"
        exit code 10
        REACHABLE    main:L         both.bp:2
        REACHABLE    L: assert(*);  both.bp:2
        UNREACHABLE  assert(1);     both.bp:2
        REACHABLE    f:L            both.bp:6
        REACHABLE    M              both.bp:6
        4 of 5 can be reached.
        VERDICT: REACHABLE(assertion at both.bp:2:6)
        --- errors
        both.bp:6:6: warning: label `L` stands twice in `f`
            6 |   L: L: M: skip;
              |      ^
    "#]]
    .assert_eq(&text);
    check(
        &[&file("none.bp", "void main() begin skip; end"), "--all"],
        expect![[r#"
        exit code 0
        There is no label and no assertion.
        VERDICT: UNREACHABLE
    "#]],
    );
}

/// Several labels are one question, unless each is to be decided.
#[test]
fn several_labels() {
    check(
        &["fig1.bp", "--label", "R", "--label", "main:R"],
        expect![[r#"
        exit code 10
        R is reachable; a shortest trace:
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
        VERDICT: REACHABLE(R)
    "#]],
    );
    check(
        &["lock.bp", "--label", "HANG", "--label", "main:HANG", "--assertions"],
        expect![[r#"
        exit code 0
        HANG, main:HANG are unreachable; none of the 2 assertions can fail.
        VERDICT: UNREACHABLE
    "#]],
    );
    check(
        &["lock.bp", "--label", "HANG", "--label", "NOWHERE"],
        expect![[r#"
        exit code 2
        VERDICT: ERROR(there is no label `NOWHERE`)
    "#]],
    );
}

#[test]
fn assertions_may_be_assumed() {
    let text = "decl g;\nvoid main() begin\n  assert(g);\n  if (!g) then L: skip; fi\nend\n";
    let name = file("assumed.bp", text);
    check(
        &[&name, "--asserts=assume", "--label", "L", "-q"],
        expect![[r#"
        exit code 0
        VERDICT: UNREACHABLE
    "#]],
    );
    let all = run(&[&name, "--asserts=assume", "--all", "--tri=all"]).replace(&name, "assumed.bp");
    expect![[r#"
        exit code 0
        UNREACHABLE  L  assumed.bp:4
        0 of 1 can be reached.
        values (* is both):
           3  assert(g);    g=*
           4  if (!g) then  g=1
           4  L: skip;      unreachable
           2  end of main   g=1
        VERDICT: UNREACHABLE
    "#]]
    .assert_eq(&all);
    check(
        &["lock.bp", "--asserts=assume"],
        expect![[r#"
        exit code 1
        --- errors
        error: with --asserts=assume nothing is asked; --label or --all is needed

        For more information, try '--help'.
    "#]],
    );
    check(
        &["lock.bp", "--asserts=assume", "--label", "HANG", "--assertions"],
        expect![[r#"
        exit code 1
        --- errors
        error: --assertions asks for what --asserts=assume assumes

        For more information, try '--help'.
    "#]],
    );
}

/// The lecture's slides 45 to 48.
#[test]
fn path_edges_of_the_lecture() {
    check(
        &["slide48.bp", "--states=all"],
        expect![[r#"
            exit code 0
            the assertion cannot fail.
            reachable states:
               5  cmp(e);           1
               6  assume(gz);       !gz & !e | gz & e
               7  assume(!e);       gz & e
               8  assert(0);        unreachable
               4  end of main       unreachable
              12  goto L1, L2;      1
              13  L1: assume(e2);   1
              14  gz := 1;          e2
              15  goto L3;          gz & e2
              16  L2: assume(!e2);  1
              17  gz := 0;          !e2
              18  goto L3;          !gz & !e2
              19  L3: return;       !gz & !e2 | gz & e2
              11  end of cmp        !gz & !e2 | gz & e2
            VERDICT: UNREACHABLE
        "#]],
    );
    check(
        &["slide48.bp", "--path-edges=all"],
        expect![[r#"
            exit code 0
            the assertion cannot fail.
            path edges (old(x) is the value when the procedure was entered):
               5  cmp(e);           1
               6  assume(gz);       !gz & !e | gz & e
               7  assume(!e);       gz & e
               8  assert(0);        unreachable
               4  end of main       unreachable
              12  goto L1, L2;      !old(gz) & !gz | old(gz) & gz
              13  L1: assume(e2);   !old(gz) & !gz | old(gz) & gz
              14  gz := 1;          !old(gz) & !gz & e2 | old(gz) & gz & e2
              15  goto L3;          gz & e2
              16  L2: assume(!e2);  !old(gz) & !gz | old(gz) & gz
              17  gz := 0;          !old(gz) & !gz & !e2 | old(gz) & gz & !e2
              18  goto L3;          !gz & !e2
              19  L3: return;       !gz & !e2 | gz & e2
              11  end of cmp        !gz & !e2 | gz & e2
            VERDICT: UNREACHABLE
        "#]],
    );
    check(
        &["slide48.bp", "--dot"],
        expect![[r#"
        exit code 0
        digraph boolean_program {
          node [shape=box, fontsize=10];
          edge [fontsize=10];
          subgraph cluster_0 {
            label="main";
            n0 [label="5: cmp(e);\n1"];
            n1 [label="6: assume(gz);\n!gz & !e\ngz & e"];
            n2 [label="7: assume(!e);\ngz & e"];
            n3 [label="8: assert(0);", style=dashed, color=gray, fontcolor=gray];
            n4 [label="8: assert(0) fails", style=dashed, color=gray, fontcolor=gray];
            n5 [label="4: end of main", style=dashed, color=gray, fontcolor=gray];
          }
          subgraph cluster_1 {
            label="cmp";
            n6 [label="12: goto L1, L2;\n!old(gz) & !gz\nold(gz) & gz"];
            n7 [label="13: L1: assume(e2);\n!old(gz) & !gz\nold(gz) & gz"];
            n8 [label="14: gz := 1;\n!old(gz) & !gz & e2\nold(gz) & gz & e2"];
            n9 [label="15: goto L3;\ngz & e2"];
            n10 [label="16: L2: assume(!e2);\n!old(gz) & !gz\nold(gz) & gz"];
            n11 [label="17: gz := 0;\n!old(gz) & !gz & !e2\nold(gz) & gz & !e2"];
            n12 [label="18: goto L3;\n!gz & !e2"];
            n13 [label="19: L3: return;\n!gz & !e2\ngz & e2"];
            n14 [label="11: end of cmp\n!gz & !e2\ngz & e2"];
          }
          n0 -> n1;
          n0 -> n6 [style=dashed];
          n1 -> n2;
          n2 -> n3;
          n3 -> n5 [label=1, color=gray];
          n3 -> n4 [label=0, color=gray];
          n6 -> n7;
          n6 -> n10;
          n7 -> n8;
          n8 -> n9;
          n9 -> n13;
          n10 -> n11;
          n11 -> n12;
          n12 -> n13;
          n13 -> n14;
        }
        VERDICT: UNREACHABLE
    "#]],
    );
}

#[test]
fn states_and_values() {
    check(
        &["lock.bp", "--states", "--tri", "--no-trace"],
        expect![[r#"
            exit code 0
            none of the 2 assertions can fail.
            reachable states:
               7  while (*) do                              !{locked == 1}
              14  while ({old == new} & !{locked == 1}) do  !{locked == 1} & !{old == new} | {locked == 1} & {old == new}
              15  HANG: skip;                               unreachable
               4  end of main                               !{locked == 1}
              23  end of lock                               {locked == 1}
              28  end of unlock                             !{locked == 1}
            values (* is both):
               7  while (*) do                              {locked == 1}=0 {old == new}=*
              14  while ({old == new} & !{locked == 1}) do  {locked == 1}=* {old == new}=*
              15  HANG: skip;                               unreachable
               4  end of main                               {locked == 1}=0 {old == new}=*
              23  end of lock                               {locked == 1}=1
              28  end of unlock                             {locked == 1}=0
            VERDICT: UNREACHABLE
        "#]],
    );
    check(
        &["counter.bp", "--states", "--max-cubes", "2", "--no-trace"],
        expect![[r#"
            exit code 10
            assertion at counter.bp:10 can fail.
            reachable states:
               4  end of main  a | b | ...
               9  end of up    a | b | ...
            VERDICT: REACHABLE(assertion at counter.bp:10)
        "#]],
    );
}

#[test]
fn invariants() {
    check(
        &["lock.bp", "--invariants"],
        expect![[r#"
            exit code 0
            none of the 2 assertions can fail.
            invariants at loops:
               7  while (*) do                              !{locked == 1}
              14  while ({old == new} & !{locked == 1}) do  !{locked == 1} & !{old == new} | {locked == 1} & {old == new}
            what procedures do (old(x) is the value before):
              main()        !{locked == 1}
              lock()        !old({locked == 1}) & {locked == 1}
              unlock()      old({locked == 1}) & !{locked == 1}
            VERDICT: UNREACHABLE
        "#]],
    );
    check(
        &["results.bp", "--invariants"],
        expect![[r#"
            exit code 0
            none of the 2 assertions can fail.
            no loop can be reached.
            what procedures do (old(x) is the value before):
              main()        1
              pair(a, b)    !g & !a & b & result1 & !result2 | g & a & b & result1 & result2
            VERDICT: UNREACHABLE
        "#]],
    );
}

#[test]
fn reports_as_json() {
    let args = ["lock.bp", "--states", "--tri", "--path-edges", "--invariants", "--all"];
    let json = json("lock.json", &args);
    let mut text = String::new();
    for key in ["states", "tri", "path_edges"] {
        let at = |place: &&Value| place["at"]["labels"][0] == "HANG" || place["at"]["place"]["line"] == 7;
        for place in json[key].as_array().expect("a list of places").iter().filter(at) {
            let _ = writeln!(text, "{key}: {place}");
        }
    }
    let _ = writeln!(text, "{}", json["invariants"]["procedures"]);
    let _ = writeln!(text, "{}", json["targets"][0]);
    expect![[r#"
        states: {"at":{"labels":[],"place":{"column":3,"file":"lock.bp","line":7},"procedure":"main","text":"while (*) do"},"complete":true,"cubes":[{"{locked == 1}":false}],"reachable":true,"text":"!{locked == 1}"}
        states: {"at":{"labels":["HANG"],"place":{"column":13,"file":"lock.bp","line":15},"procedure":"main","text":"HANG: skip;"},"reachable":false,"text":"unreachable"}
        tri: {"at":{"labels":[],"place":{"column":3,"file":"lock.bp","line":7},"procedure":"main","text":"while (*) do"},"reachable":true,"text":"{locked == 1}=0 {old == new}=*","values":{"{locked == 1}":"0","{old == new}":"*"}}
        tri: {"at":{"labels":["HANG"],"place":{"column":13,"file":"lock.bp","line":15},"procedure":"main","text":"HANG: skip;"},"reachable":false,"text":"unreachable"}
        path_edges: {"at":{"labels":[],"place":{"column":3,"file":"lock.bp","line":7},"procedure":"main","text":"while (*) do"},"complete":true,"reachable":true,"text":"!{locked == 1}"}
        path_edges: {"at":{"labels":["HANG"],"place":{"column":13,"file":"lock.bp","line":15},"procedure":"main","text":"HANG: skip;"},"reachable":false,"text":"unreachable"}
        [{"procedure":"main","text":"!{locked == 1}"},{"procedure":"lock","text":"!old({locked == 1}) & {locked == 1}"},{"procedure":"unlock","text":"old({locked == 1}) & !{locked == 1}"}]
        {"kind":"label","label":"HANG","name":"HANG","place":{"column":13,"file":"lock.bp","line":15},"procedure":"main","reachable":false}
    "#]].assert_eq(&text);
    let missing = run(&["lock.bp", "--json", "no/such/folder.json"]);
    expect![[r#"
        exit code 7
        VERDICT: ERROR(cannot write)
        --- errors
        error: cannot write no/such/folder.json: No such file or directory (os error 2)
    "#]]
    .assert_eq(&missing);
}

/// What the trace passes is filled, what cannot be reached is grey.
#[test]
fn the_graph_in_a_file() {
    let path = testing::folder().join("fig1.dot");
    let option = format!("--dot={}", path.display());
    let text = run(&["fig1.bp", "--label", "R", &option, "-q"]);
    let graph = std::fs::read_to_string(path).expect("the graph was written");
    let names = file("names.bp", "decl {a[\"\\n\"] == \"q\"};\nvoid main() begin L: skip; end");
    let quoted = run(&[&names, "--dot"]);
    let quoted: Vec<&str> = quoted.lines().filter(|l| l.contains("skip")).collect();
    expect![[r#"
        exit code 10
        VERDICT: REACHABLE(R)
        digraph boolean_program {
          node [shape=box, fontsize=10];
          edge [fontsize=10];
          subgraph cluster_0 {
            label="main";
            n0 [label="6: h := !g;\n1", style=filled, fillcolor=lightyellow];
            n1 [label="7: A(g, h);\n!g & h\ng & !h", style=filled, fillcolor=lightyellow];
            n2 [label="8: skip;\ng", style=filled, fillcolor=lightyellow];
            n3 [label="9: A(g, h);\ng", style=filled, fillcolor=lightyellow];
            n4 [label="10: skip;\ng & !h", style=filled, fillcolor=lightyellow];
            n5 [label="11: if (g) then\ng & !h", style=filled, fillcolor=lightyellow];
            n6 [label="12: R: skip;\ng & !h", style=filled, fillcolor=lightyellow];
            n7 [label="14: skip;", style=dashed, color=gray, fontcolor=gray];
            n8 [label="3: end of main\ng & !h"];
          }
          subgraph cluster_1 {
            label="A";
            n9 [label="20: if (a1) then\n!old(g) & !g & !a1 & a2\nold(g) & g & a1\nold(g) & g & a2", style=filled, fillcolor=lightyellow];
            n10 [label="21: A(a2, a1);\nold(g) & g & a1", style=filled, fillcolor=lightyellow];
            n11 [label="22: skip;\nold(g) & g & a1 & !a2", style=filled, fillcolor=lightyellow];
            n12 [label="24: g := a2;\n!old(g) & !g & !a1 & a2\nold(g) & g & !a1 & a2", style=filled, fillcolor=lightyellow];
            n13 [label="18: end of A\nold(g) & g & a1 & !a2\ng & !a1 & a2", style=filled, fillcolor=lightyellow];
          }
          n0 -> n1;
          n1 -> n2;
          n1 -> n9 [style=dashed];
          n2 -> n3;
          n3 -> n4;
          n3 -> n9 [style=dashed];
          n4 -> n5;
          n5 -> n6 [label=1];
          n5 -> n7 [label=0];
          n7 -> n8 [color=gray];
          n6 -> n8;
          n9 -> n10 [label=1];
          n9 -> n12 [label=0];
          n12 -> n13;
          n10 -> n11;
          n10 -> n9 [style=dashed];
          n11 -> n13;
        }
            n0 [label="2: L: skip;\n1"];
    "#]]
    .assert_eq(&format!("{text}{graph}{}\n", quoted.join("\n")));
}

/// A counter of 60 bits: more rounds than anybody waits for.
fn endless(name: &str) -> String {
    let bits: Vec<String> = (0..60).map(|i| format!("b{i}")).collect();
    let next = (0..60)
        .map(|i| if i == 0 { "!b0".to_owned() } else { format!("b{i} ^ ({})", bits[..i].join(" & ")) });
    let next: Vec<String> = next.collect();
    let (names, zeros) = (bits.join(", "), vec!["0"; 60].join(", "));
    let text = format!(
        "decl {names};\nvoid main() begin\n  {names} := {zeros};\n  while (*) do\n    {names} := {};\n  od\n  L: assert(!({}));\nend\n",
        next.join(", "),
        bits.join(" & ")
    );
    file(name, &text)
}

/// At a limit the verdict line and the figures so far are printed all the same.
#[test]
fn limits() {
    let name = endless("endless.bp");
    for limit in [["--time-limit", "300ms"], ["--memory-limit", "64MB"]] {
        let json = testing::folder().join("endless.json");
        let text = run(&[&name, "--stats", limit[0], limit[1], "--json", json.to_str().expect("UTF-8")]);
        let names =
            text.lines().map(|l| if l.starts_with("STAT") { l.split(':').next().unwrap_or(l) } else { l });
        let names: Vec<&str> = names.collect();
        assert_eq!(names[0], "exit code 5");
        let word = if limit[0] == "--time-limit" { "time" } else { "memory" };
        assert_eq!(names.last(), Some(&format!("VERDICT: UNKNOWN({word})").as_str()), "{text}");
        assert!(names.contains(&"STAT rounds") && names.contains(&"STAT peak-memory-mb"), "{text}");
        let json = std::fs::read_to_string(json).expect("JSON is written, too");
        assert!(json.contains("\"verdict\": \"UNKNOWN\"") && json.contains("\"rounds\""), "{json}");
    }
}

/// So they are after Ctrl-C.
#[test]
#[cfg(target_os = "linux")]
fn signals() {
    let child = Command::new(env!("CARGO_BIN_EXE_bebop"))
        .args([&endless("signal.bp"), "--stats", "--time-limit", "60s"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary can be run");
    // Until the process takes the signal, it would die of it.
    let takes_it = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
        let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:"))?;
        Some(u64::from_str_radix(mask.trim(), 16).ok()? >> 1 & 1 == 1)
    };
    while takes_it() == Some(false) {
        std::thread::yield_now();
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().last(), Some("VERDICT: UNKNOWN(interrupted)"), "{text}");
    assert!(text.contains("STAT rounds: "), "{text}");
    assert_eq!(output.status.code(), Some(5));
}
