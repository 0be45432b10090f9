//! `slam replay` executes a program that it need not trust: what the program does counts for nothing but the error, and
//! nothing of it is left.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What the preprocessor of the check sees, and what the compiled program is: the one fails, the other does something
/// else instead.
fn two_faced(other: &str) -> String {
    format!(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n{}\nint main(void) {{\n  \
         if (__VERIFIER_nondet_int() == 5) {{\n#if __STDC_VERSION__ > 201112L\n    reach_error();\n#else\n    {other}\n#endif\n  \
         }}\n  return 0;\n}}\n",
        "extern int system(const char *), raise(int), getpid(void), puts(const char *), setsid(void), fork(void);\n\
         extern void exit(int), _exit(int), slam_reached(void); extern unsigned sleep(unsigned); extern void *malloc(unsigned long);\n\
         extern long write(int, const void *, unsigned long);"
    )
}

/// A folder with this program, the result of checking it and a folder for temporary files.
fn checked(name: &str, program: &str, check: &str) -> PathBuf {
    let folder = testing::folder().join(name);
    std::fs::create_dir_all(folder.join("tmp")).expect("a scratch folder can be made");
    std::fs::write(folder.join("p.c"), program).expect("a program can be written");
    let output =
        slam(&folder, &["check", "--json", "r.json", check, "p.c"]).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(10), "{}", shown(&output));
    folder
}

fn slam(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slam"));
    command.args(args).current_dir(folder).env("TMPDIR", folder.join("tmp"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn shown(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Nothing is left: no file, and no process that works in the folder.
fn assert_clean(folder: &Path) {
    let left = std::fs::read_dir(folder.join("tmp")).expect("the folder is there").count();
    assert_eq!(left, 0, "files are left in {}", folder.display());
    assert!(!folder.join("pwned").exists());
    // A process that was killed needs a moment to go.
    let started = Instant::now();
    while let Some(process) = working_in(&folder.join("tmp")) {
        assert!(started.elapsed() < Duration::from_secs(5), "a process is left: {}", process.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A process that works in the folder.
fn working_in(folder: &Path) -> Option<PathBuf> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|process| process.path());
    let works =
        |process: &PathBuf| std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
    processes.into_iter().find(works)
}

fn replayed(folder: &Path, more: &[&str]) -> Output {
    let args = [&["replay"][..], more, &["p.c", "r.json"]].concat();
    let output = slam(folder, &args).output().expect("the binary runs");
    assert_clean(folder);
    output
}

#[test]
fn an_error_is_repeated_and_the_user_is_told_before() {
    let folder = checked("twice", &two_faced("reach_error();"), "--check=reach");
    let output = replayed(&folder, &[]);
    assert_eq!(output.status.code(), Some(10), "{}", shown(&output));
    assert!(shown(&output).contains("note: the program is compiled and executed on this machine"));
    assert!(shown(&output).contains("VERDICT: UNSAFE(reach) at p.c:9\n"), "{}", shown(&output));
}

/// Exit codes, output, signals and names of an earlier harness.
#[test]
fn a_program_cannot_pretend() {
    let faces = [
        ("exit", "exit(107);", "--check=reach"),
        ("name", "slam_reached();", "--check=reach"),
        (
            "words",
            "for (int i = 0; i < 64; i++) write(i, \"00000000000000000000000000000000\", 32);",
            "--check=reach",
        ),
    ];
    for (name, face, check) in faces {
        let folder = checked(name, &two_faced(face), check);
        let output = replayed(&folder, &[]);
        assert_eq!(output.status.code(), Some(5), "{name}: {}", shown(&output));
        assert!(output.stdout.ends_with(b"VERDICT: UNKNOWN(not replayed)\n"), "{name}: {}", shown(&output));
    }
    let null = "extern int raise(int);\nint main(void) {\n#if __STDC_VERSION__ > 201112L\n  int *p = 0;\n  *p = 1;\n#else\n  \
        raise(11);\n#endif\n  return 0;\n}\n";
    let folder = checked("signal", null, "--check=null");
    let output = replayed(&folder, &[]);
    assert_eq!(output.status.code(), Some(5), "{}", shown(&output));
}

#[test]
fn a_program_has_limits_and_leaves_nothing() {
    let faces = [
        ("loop", "for (;;) ;"),
        ("files", "for (;;) system(\"echo x >> file\");"),
        ("memory", "for (;;) { char *p = malloc(1 << 20); if (!p) exit(3); *p = 1; }"),
        ("stray", "if (!fork()) { setsid(); sleep(600); } exit(0);"),
        ("group", "system(\"sleep 600 &\"); exit(0);"),
        (
            "environment",
            "exit(system(\"test -n \\\"$HOME$TMPDIR\\\" || test -n \\\"$(ls -A)\\\"\") ? 1 : 2);",
        ),
    ];
    for (name, face) in faces {
        let folder = checked(name, &two_faced(face), "--check=reach");
        let started = Instant::now();
        let output = replayed(&folder, &["--time-limit", "3s"]);
        assert_eq!(output.status.code(), Some(5), "{name}: {}", shown(&output));
        assert!(started.elapsed() < Duration::from_secs(60), "{name}");
        let ran_out = shown(&output).contains("exit code 3") || shown(&output).contains("UNKNOWN(time)");
        assert!(name != "memory" || ran_out, "{}", shown(&output));
        assert!(name != "environment" || !shown(&output).contains("exit code 2"), "{}", shown(&output));
    }
}

#[test]
fn an_interrupt_leaves_nothing() {
    let folder = checked("interrupt", &two_faced("for (;;) ;"), "--check=reach");
    for moment in [50, 150, 400, 900, 2000] {
        let child = slam(&folder, &["replay", "p.c", "r.json"]).spawn().expect("the binary runs");
        std::thread::sleep(Duration::from_millis(moment));
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.is_ok(), "kill runs");
        let output = child.wait_with_output().expect("it ends");
        let code = output.status.code();
        assert!(code == Some(5) || code.is_none(), "{moment} ms: {}", shown(&output));
        assert_clean(&folder);
    }
}

#[test]
fn a_result_about_another_text_is_refused() {
    let folder = checked("other", &two_faced("reach_error();"), "--check=reach");
    let text = std::fs::read_to_string(folder.join("p.c")).expect("it is there").replace("== 5", "== 6");
    std::fs::write(folder.join("p.c"), text).expect("a program can be written");
    let output = replayed(&folder, &[]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(
        shown(&output).contains("r.json: /replay/program: it is about another program"),
        "{}",
        shown(&output)
    );
}

/// The program is a file of the user's, whatever it is called.
#[test]
fn names_that_look_like_options_are_names() {
    let folder = checked("names", &two_faced("reach_error();"), "--check=reach");
    std::fs::write(folder.join("@list"), "-wrapper\ntouch,pwned\n").expect("a file can be written");
    std::fs::create_dir_all(folder.join("@dir")).expect("a folder can be made");
    let program = "#include \"own.h\"\n".to_owned() + &two_faced("reach_error();");
    std::fs::write(folder.join("own.h"), "").expect("a file can be written");
    for name in ["-fplugin=x.c", "@list.c", "@dir/p.c", "-.c"] {
        std::fs::write(folder.join(name), &program).expect("a program can be written");
        let args = ["check", "-I", "@list", "--include", "@list.h", "-I.", "--json", "r.json", "--", name];
        std::fs::write(folder.join("@list.h"), "").expect("a file can be written");
        let output = slam(&folder, &args).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(10), "{name}: {}", shown(&output));
        let output = slam(&folder, &["replay", "--", name, "r.json"]).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(10), "{name}: {}", shown(&output));
        assert_clean(&folder);
    }
    for wrong in [["-D", "@list"], ["-D", "-wrapper"], ["-U", "A=1"], ["-D", "A\nB"]] {
        let output =
            slam(&folder, &[&["check"][..], &wrong, &["p.c"]].concat()).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(1), "{wrong:?}: {}", shown(&output));
    }
}
