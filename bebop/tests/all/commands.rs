//! The binary: `fmt`, `check`, and what it says about input that it refuses.

use expect_test::{Expect, expect};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use testing::file;

/// Runs `bebop` in the folder of scratch files; exit code, standard output and standard error as text.
fn run(args: &[&str], input: &[u8]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bebop"))
        .args(args)
        .current_dir(testing::folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary can be run");
    // It may end before it has read everything.
    let _ = child.stdin.take().expect("the input is piped").write_all(input);
    let output = child.wait_with_output().expect("the binary ends");
    let mut text = format!("exit code {}\n", output.status.code().unwrap_or(-1));
    for (name, bytes) in [("output", &output.stdout), ("errors", &output.stderr)] {
        if !bytes.is_empty() {
            let _ = write!(text, "--- {name}\n{}", String::from_utf8_lossy(bytes));
        }
    }
    text
}

fn check(args: &[&str], expected: Expect) {
    expected.assert_eq(&run(args, b""));
}

const MESSY: &[u8] = b"decl x; main() begin if x then skip else x:=~x && ?; fi; // flip\nend";

#[test]
fn fmt_prints() {
    file("messy.bp", MESSY);
    check(
        &["fmt", "messy.bp"],
        expect![[r#"
        exit code 0
        --- output
        decl x;

        void main() begin
          if (x) then
            skip;
          else
            x := !x & *;
          fi
        end
        // flip
    "#]],
    );
    expect![[r#"
        exit code 0
        --- output
        void main() begin
        end
        --- errors
        -:1:1: warning: `dfs` is ignored
            1 | dfs void main() begin end
              | ^^^
    "#]]
    .assert_eq(&run(&["fmt", "-"], b"dfs void main() begin end"));
    file("mixed.bp", b"decl a, b; void main() begin assert(a = !b | b = a); end");
    check(
        &["fmt", "mixed.bp"],
        expect![[r#"
        exit code 2
        --- errors
        mixed.bp:1:44: error: `|` beside `=` needs parentheses
            1 | decl a, b; void main() begin assert(a = !b | b = a); end
              |                                            ^
        note: tools disagree about which binds more tightly; --dialect says whose rules hold
    "#]],
    );
    check(
        &["fmt", "--dialect", "boppo", "mixed.bp"],
        expect![[r#"
            exit code 0
            --- output
            decl a, b;

            void main() begin
              assert(a = ((!b | b) = a));
            end
        "#]],
    );
}

#[test]
fn fmt_writes_files_that_pass_its_check() {
    file("messy2.bp", MESSY);
    check(
        &["fmt", "messy2.bp", "-o", "tidy.bp"],
        expect![[r#"
        exit code 0
    "#]],
    );
    check(
        &["fmt", "--check", "messy2.bp"],
        expect![[r#"
        exit code 10
        --- errors
        messy2.bp:1: not in canonical form
    "#]],
    );
    check(
        &["fmt", "--check", "tidy.bp"],
        expect![[r#"
        exit code 0
    "#]],
    );
    check(
        &["fmt", "messy2.bp", "-o", "no/such/folder.bp"],
        expect![[r#"
        exit code 7
        --- errors
        error: cannot write no/such/folder.bp: No such file or directory (os error 2)
    "#]],
    );
    if cfg!(target_os = "linux") {
        for command in [&["fmt", "/dev/zero"][..], &["check", "/dev/zero"]] {
            check(
                command,
                expect![[r#"
                    exit code 2
                    --- errors
                    error: /dev/zero: it is larger than 256 MB
                "#]],
            );
        }
    }
    check(
        &["fmt", "tidy.bp", "--check", "-o", "x.bp"],
        expect![[r#"
        exit code 1
        --- errors
        error: the argument '--check' cannot be used with '--output <OUT>'

        Usage: bebop fmt --check <FILE>

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn check_prints_what_is_wrong() {
    file(
        "wrong.bp",
        b"decl g;\nvoid main() begin decl g;\n  h := f(g);\n  goto L;\nend\nvoid f() begin return 1; end\n",
    );
    file("warned.bp", b"decl g;\nvoid main() begin decl g;\n  skip;\nend\n");
    file("threads.bp", b"decl g;\nvoid main() begin\n  start_thread goto L;\n  L: g := g$;\nend\n");
    check(
        &["check", "wrong.bp"],
        expect![[r#"
            exit code 2
            --- errors
            wrong.bp:3:3: error: variable `h` is not declared
                3 |   h := f(g);
                  |   ^
            wrong.bp:3:8: error: a call of `f` with 1 argument, it takes 0
                3 |   h := f(g);
                  |        ^
            wrong.bp:3:8: error: a call of `f` that sets 1 variable, it returns 0 values
                3 |   h := f(g);
                  |        ^
            wrong.bp:4:8: error: there is no label `L` in `main`
                4 |   goto L;
                  |        ^
            wrong.bp:6:16: error: a return of 1 value from `f`, which returns 0
                6 | void f() begin return 1; end
                  |                ^^^^^^^^^
        "#]],
    );
    check(
        &["check", "warned.bp"],
        expect![[r#"
        exit code 0
        --- errors
        warned.bp:2:24: warning: `g` shadows the global variable of the same name
            2 | void main() begin decl g;
              |                        ^
    "#]],
    );
    check(
        &["check", "-q", "warned.bp"],
        expect![[r#"
        exit code 0
    "#]],
    );
    check(
        &["check", "threads.bp"],
        expect![[r#"
        exit code 0
    "#]],
    );
    check(
        &["check", "warned.bp", "--entry", "start"],
        expect![[r#"
        exit code 2
        --- errors
        warned.bp:2:6: error: there is no procedure `start` to start with
            2 | void main() begin decl g;
              |      ^^^^
    "#]],
    );
}

#[test]
fn input_that_is_refused() {
    file("threads2.bp", b"decl g;\nvoid main() begin\n  start_thread goto L;\n  L: g := g$;\nend\n");
    file("binary.bp", b"void main() begin\n  \xff\xfe\x00\x01\nend\n");
    let deep = format!("void main() begin assume({}1); end", "(".repeat(100_000));
    file("deep.bp", deep.as_bytes());
    check(
        &["threads2.bp"],
        expect![[r#"
        exit code 2
        --- output
        VERDICT: ERROR(check)
        --- errors
        threads2.bp:3:3: error: `start_thread` belongs to a concurrent program; only sequential ones can be decided
            3 |   start_thread goto L;
              |   ^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
    check(
        &["binary.bp"],
        expect![[r#"
        exit code 2
        --- output
        VERDICT: ERROR(parse)
        --- errors
        binary.bp:2:3: error: the text is not UTF-8
            2 |   ��  
              |   ^
    "#]],
    );
    check(
        &["check", "binary.bp"],
        expect![[r#"
        exit code 2
        --- errors
        binary.bp:2:3: error: the text is not UTF-8
            2 |   ��  
              |   ^
    "#]],
    );
    check(
        &["check", "deep.bp"],
        expect![[r#"
        exit code 2
        --- errors
        deep.bp:1:4024: error: nested more than 4000 levels deep
    "#]],
    );
    check(
        &["fmt", "no-such-file.bp"],
        expect![[r#"
        exit code 2
        --- errors
        error: no-such-file.bp: No such file or directory (os error 2)
    "#]],
    );
    check(
        &["no-such-file.bp"],
        expect![[r#"
        exit code 2
        --- output
        VERDICT: ERROR(cannot read)
        --- errors
        error: no-such-file.bp: No such file or directory (os error 2)
    "#]],
    );
    check(
        &["fmt", "."],
        expect![[r#"
        exit code 2
        --- errors
        error: .: Is a directory (os error 21)
    "#]],
    );
    expect![[r#"
        exit code 2
        --- output
        VERDICT: ERROR(parse)
        --- errors
        -:1:1: error: expected a procedure, found the end of the file
    "#]]
    .assert_eq(&run(&["-"], b""));
}

#[test]
fn usage() {
    assert!(run(&["--help"], b"").contains("bebop fmt lock.bp"));
    assert!(run(&["fmt", "--help"], b"").contains("10 not in canonical form"));
    assert!(run(&["check", "--help"], b"").contains("0 nothing is wrong"));
    check(
        &[],
        expect![[r#"
        exit code 1
        --- errors
        error: the following required arguments were not provided:
          <FILE>

        Usage: bebop <FILE>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["fmt"],
        expect![[r#"
        exit code 1
        --- errors
        error: the following required arguments were not provided:
          <FILE>

        Usage: bebop fmt <FILE>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["check", "a.bp", "--states"],
        expect![[r#"
        exit code 1
        --- errors
        error: unexpected argument '--states' found

          tip: to pass '--states' as a value, use '-- --states'

        Usage: bebop check <FILE>

        For more information, try '--help'.
    "#]],
    );
}

/// Initial values hold once: not again where the program calls its own start.
#[test]
fn what_runs_first() {
    let text = b"decl g := 1, h;\ninit begin\n  h := g;\n  assert(h);\nend\n\
        void main() begin\n  assert(g & h);\n  g := 0;\n  AGAIN: main();\nend\n";
    file("init.bp", text);
    check(
        &["init.bp"],
        expect![[r#"
        exit code 10
        --- output
        assertion at init.bp:7 can fail; a shortest trace:
           1  g := 1;
           3  h := g;               g=1
           4  assert(h);            g=1 h=1
           7  assert(g & h);        g=1 h=1
           8  g := 0;               g=1 h=1
           9  AGAIN: main();        g=0 h=1
           7    assert(g & h);      g=0 h=1   <-- fails
        VERDICT: REACHABLE(assertion at init.bp:7)
    "#]],
    );
    check(
        &["init.bp", "--label", "AGAIN"],
        expect![[r#"
        exit code 10
        --- output
        AGAIN is reachable; a shortest trace:
           1  g := 1;
           3  h := g;               g=1
           4  assert(h);            g=1 h=1
           7  assert(g & h);        g=1 h=1
           8  g := 0;               g=1 h=1
           9  AGAIN: main();        g=0 h=1
        VERDICT: REACHABLE(AGAIN)
    "#]],
    );
}
