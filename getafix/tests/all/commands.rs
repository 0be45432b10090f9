//! The binary: verdict lines, exit codes, messages.

use expect_test::{Expect, expect};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the binary with the program on standard input; standard output, standard error and the exit code as one text.
pub(crate) fn run(args: &[&str], program: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_getafix"))
        .args(args)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary is there");
    child.stdin.take().expect("piped").write_all(program.as_bytes()).expect("the binary reads it");
    let out = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}exit {}\n", text(&out.stderr), text(&out.stdout), out.status.code().unwrap_or(-1))
}

fn check(args: &[&str], program: &str, expected: &Expect) {
    expected.assert_eq(&run(args, program));
}

const LOCK: &str = "decl l;\nvoid main() begin\n  l := 0;\n  f();\n  if (l) then\n    R: skip;\n  fi\n  assert(l);\nend\nvoid f() begin\n  l := *;\nend\n";

#[test]
fn an_algorithm_for_other_programs_is_refused_for_what_it_is() {
    let threads =
        "decl g; thread p void main() begin g := 1; end end thread q void main() begin assert(!g); end end";
    for (algorithm, args) in
        [("ef-split", &[][..]), ("summary", &[]), ("ef", &[]), ("ef-opt", &["--context-switches", "2"])]
    {
        let got = run(&[&["-", "--algorithm", algorithm][..], args].concat(), LOCK);
        let wanted = args.is_empty();
        assert_eq!(!got.contains("ERROR"), wanted, "{algorithm}: {got}");
        let got = run(&[&["-", "--algorithm", algorithm][..], args].concat(), threads);
        let message =
            format!("-: error: --algorithm {algorithm} is for programs without threads and context switches");
        assert!(got.starts_with(&message) && got.ends_with("VERDICT: ERROR(algorithm)\nexit 2\n"), "{got}");
    }
    check(
        &["-", "--algorithm", "bounded-context-switch"],
        LOCK,
        &expect![[r#"
            -: error: --algorithm bounded-context-switch is for programs with threads; with --context-switches others are taken as one thread
            VERDICT: ERROR(algorithm)
            exit 2
        "#]],
    );
}

#[test]
fn sequential_programs() {
    for algorithm in ["summary", "ef", "ef-split", "ef-opt"] {
        let args = ["-", "--label", "R", "--no-trace", "--algorithm", algorithm];
        check(
            &args,
            LOCK,
            &expect![[r#"
            R is reachable.
            VERDICT: REACHABLE(R)
            exit 10
        "#]],
        );
    }
    // Without a trace, too, it is known which one is reached.
    check(
        &["-", "-q", "--no-trace"],
        "void main() begin decl x; x := 1; assert(x);\nassert(!x); assert(x); end",
        &expect![[r#"
            VERDICT: REACHABLE(assertion at -:2:1)
            exit 10
        "#]],
    );
    check(
        &["-", "-q"],
        "void main() begin decl x; x := 1; assert(x); end",
        &expect![[r#"
        VERDICT: UNREACHABLE
        exit 0
    "#]],
    );
    check(
        &["-", "--label", "S"],
        LOCK,
        &expect![[r#"
        VERDICT: ERROR(there is no label `S`)
        exit 2
    "#]],
    );
}

#[test]
fn concurrent_programs() {
    let file = "examples/bluetooth/1adder_1stopper.bp";
    check(
        &[file, "--label", "error", "--context-switches", "2"],
        "",
        &expect![[r#"
        error is unreachable within 2 context switches; with more it is not known.
        VERDICT: UNKNOWN(context bound 2)
        exit 5
    "#]],
    );
    let file = "examples/bluetooth/1adder_2stoppers.bp";
    check(
        &[file, "--label", "error", "--context-switches", "6"],
        "",
        &expect![[r#"
            error is reachable with 3 context switches; a trace:
            context 0: adder
               5  p0, p1, p2, stoppingFlag, stoppingEvent, stopped := 1, 0, 0, 0, 0, 0;  p0=0 p1=0 p2=0 stoppingFlag=0 stoppingEvent=0 stopped=0 running=0
              30  running := increment();                                   p0=1 p1=0 p2=0 stoppingFlag=0 stoppingEvent=0 stopped=0 running=0
              11    p0, p1, p2 := !p0, p1 ^ p0, p2 ^ (p1 & p0);             p0=1 p1=0 p2=0 stoppingFlag=0 stoppingEvent=0 stopped=0
              12    if (stoppingFlag) then                                  p0=0 p1=1 p2=0 stoppingFlag=0 stoppingEvent=0 stopped=0
              16    return 1;                                               p0=0 p1=1 p2=0 stoppingFlag=0 stoppingEvent=0 stopped=0
              31  if (running) then                                         p0=0 p1=1 p2=0 stoppingFlag=0 stoppingEvent=0 stopped=0 running=1
            context 1: stopper1  p0=0 p1=1 p2=0 stoppingFlag=0 stoppingEvent=0 stopped=0
              50  stoppingFlag := 1;                                        p0=0 p1=1 p2=0 stoppingFlag=0 stoppingEvent=0 stopped=0
              51  decrement();                                              p0=0 p1=1 p2=0 stoppingFlag=1 stoppingEvent=0 stopped=0
              43    p0, p1, p2, last := !p0, p1 ^ !p0, p2 ^ (!p1 & !p0), (p0 & !p1) & !p2;  p0=0 p1=1 p2=0 stoppingFlag=1 stoppingEvent=0 stopped=0 last=0
              44    if (last) then                                          p0=1 p1=0 p2=0 stoppingFlag=1 stoppingEvent=0 stopped=0 last=0
            context 2: stopper2  p0=1 p1=0 p2=0 stoppingFlag=1 stoppingEvent=0 stopped=0
              67  stoppingFlag := 1;                                        p0=1 p1=0 p2=0 stoppingFlag=1 stoppingEvent=0 stopped=0
              68  decrement();                                              p0=1 p1=0 p2=0 stoppingFlag=1 stoppingEvent=0 stopped=0
              60    p0, p1, p2, last := !p0, p1 ^ !p0, p2 ^ (!p1 & !p0), (p0 & !p1) & !p2;  p0=1 p1=0 p2=0 stoppingFlag=1 stoppingEvent=0 stopped=0 last=0
              61    if (last) then                                          p0=0 p1=0 p2=0 stoppingFlag=1 stoppingEvent=0 stopped=0 last=1
              62    stoppingEvent := 1;                                     p0=0 p1=0 p2=0 stoppingFlag=1 stoppingEvent=0 stopped=0 last=1
              69  assume(stoppingEvent);                                    p0=0 p1=0 p2=0 stoppingFlag=1 stoppingEvent=1 stopped=0
              70  stopped := 1;                                             p0=0 p1=0 p2=0 stoppingFlag=1 stoppingEvent=1 stopped=0
            context 3: adder     p0=0 p1=0 p2=0 stoppingFlag=1 stoppingEvent=1 stopped=1
              32  if (stopped) then     p0=0 p1=0 p2=0 stoppingFlag=1 stoppingEvent=1 stopped=1 running=1
              33  error: skip;          p0=0 p1=0 p2=0 stoppingFlag=1 stoppingEvent=1 stopped=1 running=1
            VERDICT: REACHABLE(error)
            exit 10
        "#]],
    );
}

#[test]
fn any_number_of_context_switches() {
    let file = "examples/bluetooth/1adder_1stopper.bp";
    let unreachable = expect![[r#"
        error is unreachable, with any number of context switches.
        VERDICT: UNREACHABLE
        exit 0
    "#]];
    check(&[file, "--label", "error"], "", &unreachable);
    check(&[file, "--label", "error", "--context-switches", "any"], "", &unreachable);
    // The same within a bound by a formula.
    let file = "examples/bluetooth/1adder_2stoppers.bp";
    for algorithm in ["explicit", "all-threads"] {
        let args = ["--label", "error", "--context-switches", "2", "--algorithm", algorithm];
        check(
            &[&[file], &args[..]].concat(),
            "",
            &expect![[r#"
                error is unreachable within 2 context switches; with more it is not known.
                VERDICT: UNKNOWN(context bound 2)
                exit 5
            "#]],
        );
        let args = ["--label", "error", "--context-switches", "3", "--no-trace", "--algorithm", algorithm];
        check(
            &[&[file], &args[..]].concat(),
            "",
            &expect![[r#"
                error is reachable with 3 context switches.
                VERDICT: REACHABLE(error)
                exit 10
            "#]],
        );
    }
    let recursive = "decl g; thread p void main() begin f(); end void f() begin f(); g := 1; end end
        thread q void main() begin if (g) then L: skip; fi end end";
    check(
        &["-", "--label", "L", "--context-switches", "any"],
        recursive,
        &expect![[r#"
            error: states cannot be examined one by one: a thread recurses
            VERDICT: ERROR(not supported)
            exit 2
        "#]],
    );
    // Nothing bounds how many threads are started.
    let starts = "decl g; void main() begin g := 0; while (*) do start_thread w(); od end
        void w() begin assert(!g); end";
    check(
        &["-", "--context-switches", "any"],
        starts,
        &expect![[r#"
            The assertion cannot fail when there are at most 3 threads.
            VERDICT: UNKNOWN(thread bound)
            exit 5
        "#]],
    );
    check(
        &["-"],
        starts,
        &expect![[r#"
            The assertion cannot fail within 2 context switches; with more it is not known.
            VERDICT: UNKNOWN(context bound 2)
            exit 5
        "#]],
    );
}

#[test]
fn what_is_refused() {
    check(
        &["-"],
        "decl g; void main() begin decl x; start_thread goto A; x, x$ := 0, 1; A: assert(x); end",
        &expect![[r#"
            assertion at -:1 can fail with 0 context switches; the threads that run, with the shared variables when each takes over:
               0  main
            VERDICT: REACHABLE(assertion at -:1)
            exit 10
        "#]],
    );
    check(
        &["-"],
        "decl g; void main() begin start_thread f(); g, g := 0, 1; end void f() begin skip; end",
        &expect![[r#"
            -:1:48: error: `g` is set twice by one statement: which value it gets is not defined
                1 | decl g; void main() begin start_thread f(); g, g := 0, 1; end void f() begin skip; end
                  |                                                ^
            VERDICT: ERROR(check)
            exit 2
        "#]],
    );
}

#[test]
fn bad_formulas() {
    let formula = |name: &str, text: &str| {
        testing::without_folders(&run(&["-", "--label", "R", "--formula", &testing::file(name, text)], LOCK))
    };
    expect![[r#"
        a.fp:1:37: error: relation `Reach` is not defined
            1 | query exists State u. (Init(u.pc) & Reach(u));
              |                                     ^^^^^
        VERDICT: ERROR(formula)
        exit 2
    "#]]
    .assert_eq(&formula("a.fp", "query exists State u. (Init(u.pc) & Reach(u));"));
    expect![[r#"
        b.fp:1:9: error: `R` never stays the same: in round 4 an earlier value came back
            1 | mu bool R(State u) = !R(u); query exists State u. R(u);
              |         ^
        VERDICT: ERROR(formula)
        exit 2
    "#]]
    .assert_eq(&formula("b.fp", "mu bool R(State u) = !R(u); query exists State u. R(u);"));
    expect![[r#"
        VERDICT: UNREACHABLE
        exit 0
    "#]]
    .assert_eq(
        formula("c.fp", "query exists State u. (Init(u.pc) & Exit(u.pc));")
            .trim_start_matches("R is unreachable.\n"),
    );
}

/// Only types show that a formula is about states of all threads: a comment or a name does not.
#[test]
fn what_a_formula_speaks_of() {
    let said = |text: &str, args: &[&str], program: &str| {
        let path = testing::file("world.fp", text);
        let out = run(&[&["-", "--no-trace", "--formula", &path], args].concat(), program);
        out.lines().find(|line| line.starts_with("VERDICT")).expect("there is a verdict").to_owned()
    };
    let reach = "mu bool World(State u) = Init(u.pc) | (exists State x. (World(x) & ProgramInt(x, u)));
        query exists State u. (World(u) & Target(u.pc));";
    let own = "// The World of states.\nenum World { one };
        query exists State u, World w. (Init(u.pc) & w = one & Target(u.pc));";
    let program = "decl g; void main() begin if (g) then R: skip; fi end";
    assert_eq!(said(reach, &["--label", "R"], program), "VERDICT: REACHABLE(R)");
    assert_eq!(said(own, &["--label", "R"], program), "VERDICT: UNREACHABLE");
    // A type of the model, in an equation or behind a name.
    let start = "query exists Thread t, World w. (Start(t, w) & Started(t, w));";
    let alias = "type All = World; query exists Thread t, All w. (Start(t, w) & Started(t, w));";
    for text in [start, alias] {
        assert_eq!(
            said(text, &["--label", "R", "--context-switches", "0"], program),
            "VERDICT: REACHABLE(R)"
        );
    }
}

/// A trace is read off the parameters with roles, whatever their names and their order.
#[test]
fn roles_of_variables() {
    let said = |text: &str| {
        let path = testing::file("roles.fp", text);
        let file = "examples/bluetooth/1adder_2stoppers.bp";
        run(&[file, "--label", "error", "--context-switches", "3", "--formula", &path], "")
    };
    let plain = std::fs::read_to_string("formulae/all-threads.fp").expect("the formula is there");
    let renamed =
        plain.replace("Context cs @context, Thread t @thread", "Thread t @thread, Context n @context");
    let renamed = renamed.replace("cs = ", "n = ").replace("Reach(cs, t,", "Reach(t, n,");
    let renamed = renamed
        .replace("Reach(cs', t',", "Reach(t', cs',")
        .replace("query exists Context cs", "query exists Context n");
    assert!(said(&renamed).contains("context 3: adder"), "{}", said(&renamed));
    assert_eq!(said(&renamed), said(&plain));
    // Without a role there is an answer, and no trace.
    let out = said(&plain.replace(" @before", ""));
    assert_eq!(out, "error is reachable with 3 context switches.\nVERDICT: REACHABLE(error)\nexit 10\n");
}
