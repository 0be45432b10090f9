//! Where results go, and who can have a say in them: links, devices, files that are inputs, and texts of the program that
//! look like results.

use crate::kills::fresh;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SAFE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
    int main(void) { int x = __VERIFIER_nondet_int(), y = x; if (x != y) reach_error(); return 0; }\n";

const UNSAFE: &str = "extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n";

fn slam(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slam"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, args: &[&str]) -> (String, String, i32) {
    shown(slam(folder, args).output().expect("the binary runs"))
}

fn shown(output: Output) -> (String, String, i32) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the binary writes UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code().expect("it ends by itself"))
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = fresh(name);
    std::fs::write(folder.join("a.c"), SAFE).expect("a scratch file can be written");
    folder
}

#[test]
fn inputs_are_not_written_over() {
    let folder = folder("files-inputs");
    std::fs::write(folder.join("p.preds"), "main { x == y; }\n").expect("a scratch file can be written");
    for line in [
        "check --json a.c a.c",
        "check --harness ./a.c a.c",
        "check --dump-predicates a.c a.c",
        "check --query-cache a.c a.c",
        "check --include p.preds --json p.preds a.c",
        "check --predicates p.preds --dump-predicates p.preds a.c",
        "check --json r --dump-predicates r a.c",
        "nullness --json a.c a.c",
        "nullness -o a.c a.c",
        "replay --harness p.preds a.c p.preds",
        "batch --out a.c a.c",
    ] {
        let (out, err, code) = run(&folder, &line.split(' ').collect::<Vec<_>>());
        assert_eq!((out.as_str(), code), ("", 1), "{line}: {err}");
        assert!(
            err.contains("this file is read") || err.contains("this is also the file of --json"),
            "{line}: {err}"
        );
    }
    assert_eq!(std::fs::read_to_string(folder.join("a.c")).expect("it is there"), SAFE);
    assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 2, "nothing was written");
}

#[test]
fn results_that_cannot_be_written_have_an_exit_code() {
    let folder = folder("files-lost");
    for option in ["--json", "--dump-predicates", "--save"] {
        let (out, err, code) =
            run(&folder, &["check", "--tune", "without=executions", option, "no/such/a.c/file", "a.c"]);
        if option != "--save" {
            assert_eq!((out.as_str(), code), ("VERDICT: ERROR(cannot write)\n", 7), "{option}: {err}");
            assert!(err.starts_with("error: cannot write no/such/a.c/file: "), "{option}: {err}");
        }
    }
    let (out, err, code) = run(&folder, &["check", "--save", "a.c/below", "a.c"]);
    assert_eq!((out.as_str(), code), ("VERDICT: ERROR(cannot write)\n", 7), "{err}");
    if cfg!(target_os = "linux") {
        for option in ["--json", "--dump-predicates"] {
            let (out, err, code) =
                run(&folder, &["check", "--tune", "without=executions", option, "/dev/full", "a.c"]);
            assert!(out.ends_with("\nVERDICT: ERROR(cannot write)\n") && code == 7, "{option}: {out}");
            assert!(err.contains("error: cannot write /dev/full: No space left"), "{option}: {err}");
        }
        for args in [&["check", "a.c"][..], &["cmm", "a.c"]] {
            let full = std::fs::File::options().write(true).open("/dev/full").expect("there is /dev/full");
            let mut command = slam(&folder, args);
            let (_, err, code) = shown(command.stdout(full).output().expect("the binary runs"));
            assert!(
                err.contains("error: cannot write the result: No space left") && code == 7,
                "{args:?}: {err}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn links_and_streams_are_written_through() {
    let folder = folder("files-links");
    std::fs::create_dir(folder.join("there")).expect("a scratch folder can be made");
    std::os::unix::fs::symlink("there/p.preds", folder.join("p.preds")).expect("a link can be made");
    let arguments =
        ["check", "--tune", "without=executions,blocks=basic", "--dump-predicates", "p.preds", "a.c"];
    let (out, err, code) = run(&folder, &arguments);
    assert_eq!(code, 0, "{out}{err}");
    assert!(folder.join("p.preds").is_symlink());
    assert!(std::fs::read_to_string(folder.join("there/p.preds")).expect("written").contains('{'));
    for stream in ["-", "/dev/stdout"] {
        let (out, err, code) = run(&folder, &["check", "-q", "--json", stream, "a.c"]);
        let json = out.strip_suffix("VERDICT: SAFE\n").unwrap_or_else(|| panic!("{out}{err}"));
        let json: serde_json::Value = serde_json::from_str(json).expect("the rest is JSON");
        assert_eq!((json["verdict"].as_str(), code), (Some("SAFE"), 0));
    }
    // A file that standard output goes to as well gets both.
    let file = std::fs::File::create(folder.join("out")).expect("a scratch file can be made");
    let mut command = slam(&folder, &["check", "-q", "--json", "out", "a.c"]);
    command.stdout(file).status().expect("the binary runs");
    let text = std::fs::read_to_string(folder.join("out")).expect("it is there");
    assert!(text.starts_with('{') && text.ends_with("}\nVERDICT: SAFE\n"), "{text}");
}

#[test]
fn nothing_in_a_program_passes_for_a_verdict() {
    let folder = fresh("files-forged");
    let forged = "x\nVERDICT: SAFE\n.c";
    let texts = [
        (forged, UNSAFE, "UNSAFE"),
        ("error.c", "#error VERDICT: SAFE\n", "ERROR"),
        ("message.c", &format!("#pragma message \"x\\nVERDICT: SAFE\"\n{UNSAFE}"), "UNSAFE"),
        ("line.c", &format!("#line 1 \"x\\nVERDICT: SAFE\"\n{UNSAFE}"), "UNSAFE"),
        ("included.c", &format!("#include \"b\\nVERDICT: SAFE\"\n{UNSAFE}"), "ERROR"),
        ("header.c", "#include \"h.h\"\nint main(void) { f(); return 0; }\n", "UNSAFE"),
    ];
    let header = "#line 1 \"x\\nVERDICT: SAFE\\nSTAT cpu-ms: 1\"\nextern void reach_error(void);\nvoid f(void) { reach_error(); }\n";
    std::fs::write(folder.join("h.h"), header).expect("a scratch file can be written");
    for (name, text, word) in &texts {
        std::fs::write(folder.join(name), text).expect("a scratch file can be written");
        let (out, err, code) = run(&folder, &["check", name]);
        let lines: Vec<&str> = out.lines().filter(|line| line.starts_with("VERDICT")).collect();
        assert!(
            matches!(lines[..], [line] if line.starts_with(&format!("VERDICT: {word}("))),
            "{name:?}: {out}{err}"
        );
        assert_ne!(code, 0, "{name:?}");
        let (out, err, code) = run(&folder, &["batch", "--jobs", "1", name]);
        let lines: Vec<&str> = out.lines().filter(|line| line.starts_with("VERDICT")).collect();
        assert!(
            matches!(lines[..], [line] if line.starts_with(&format!("VERDICT: {word}("))),
            "{name:?}: {out}{err}"
        );
        assert!(out.contains("1 of 1 tasks: 0 SAFE") && code != 0, "{name:?}: {out}");
    }
}
