//! Preprocessors, compilers and repeated programs that have no end, or that start more and more processes: limits and
//! signals end them, and nothing of them is left, no process and no file.
//!
//! `KILLS` is the number of moments at which they are killed.

#![cfg(target_os = "linux")]

use crate::kills::{fresh, signal, wait_until};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A script that does nothing but start processes, some of which leave their parents.
const FORKING: &str =
    "trap '' HUP INT TERM\nwhile :; do (sleep 600 &) ; sh -c 'sleep 600' & sleep 0.02; done\n";

/// A compiler that preprocesses like any other.
const PREPROCESSES: &str = "#!/bin/sh\ncase \" $* \" in *\" -E \"*) exec CC \"$@\";; esac\n";

/// A compiler that links some program instead of what it is asked for, which is last but the name behind `-o`.
const LINKS: &str = "case \" $* \" in *wrap=malloc*) ;; *) exec CC \"$@\";; esac\n\
    while [ \"$1\" != -o ]; do shift; done\ncp \"${0%/*}/program\" \"$2\"\n";

/// What keeps the run busy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Work {
    /// Preprocessing a pipe that nobody writes to.
    Pipe,
    /// Preprocessing a file without an end.
    Endless,
    /// A preprocessor that forks.
    Forking,
    /// A compiler that forks, for a replay.
    Compiler,
    /// A compiled program that forks.
    Program,
}

const PREPROCESSING: [Work; 3] = [Work::Pipe, Work::Endless, Work::Forking];
const REPLAYING: [Work; 2] = [Work::Compiler, Work::Program];

/// A script that can be run.
fn script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).expect("a scratch file can be written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

/// A folder with a program that gives this work, and the command line.
fn prepare(folder: &Path, work: Work) -> Command {
    std::fs::create_dir(folder.join("tmp")).expect("a scratch folder can be made");
    std::fs::create_dir(folder.join("bin")).expect("a scratch folder can be made");
    let first = match work {
        Work::Pipe => "#include \"pipe.h\"",
        Work::Endless | Work::Forking => "#include \"/dev/zero\"",
        Work::Compiler | Work::Program => "void reach_error(void);",
    };
    let last = if REPLAYING.contains(&work) { "reach_error();" } else { "return 0;" };
    let text = format!("int x;\n  {first}\nint main(void) {{ {last} }}\n");
    std::fs::write(folder.join("a.c"), text).expect("a scratch file can be written");
    let path = std::env::var("PATH").expect("there is a path");
    let mut command = Command::new(env!("CARGO_BIN_EXE_slam"));
    command.current_dir(folder).env("TMPDIR", folder.join("tmp"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if REPLAYING.contains(&work) {
        let mut check = Command::new(env!("CARGO_BIN_EXE_slam"));
        let checked = check.args(["check", "--json", "r.json", "a.c"]).current_dir(folder).output();
        let checked = checked.expect("the binary runs");
        assert_eq!(checked.status.code(), Some(10), "{}", String::from_utf8_lossy(&checked.stderr));
        command.args(["replay", "--memory-limit", "1GB", "a.c", "r.json"]);
    } else {
        // The other data model has a temporary folder beside.
        command.args(["check", "--data-model", "ILP32", "--json", "r.json", "--memory-limit", "1GB", "a.c"]);
    }
    let is_cc = |folder: &PathBuf| folder.join("cc").is_file();
    let real = std::env::split_paths(&path).find(is_cc).expect("there is a compiler").join("cc");
    let bin = folder.join("bin");
    let preprocesses = PREPROCESSES.replace("CC", &real.display().to_string());
    match work {
        Work::Pipe => {
            let made = Command::new("mkfifo").arg(folder.join("pipe.h")).status();
            assert!(made.expect("there is mkfifo").success());
        }
        Work::Endless => {}
        Work::Forking => script(&bin.join("cc"), &format!("#!/bin/sh\n{FORKING}")),
        Work::Compiler => script(&bin.join("cc"), &format!("{preprocesses}{FORKING}")),
        Work::Program => {
            let links = LINKS.replace("CC", &real.display().to_string());
            script(&bin.join("cc"), &format!("{preprocesses}{links}"));
            // The program is run without an environment.
            let mark = format!("#!/bin/sh\nexport KILLS_MARK='{}' PATH=/usr/bin:/bin\n", folder.display());
            script(&bin.join("program"), &format!("{mark}{FORKING}"));
        }
    }
    command.env("KILLS_MARK", folder).env("PATH", format!("{}:{path}", bin.display()));
    command
}

/// The processes that a run has left: they have its mark in their environment, or its number on a guard's command line.
fn left(folder: &Path, run: u32) -> Vec<String> {
    let mark = format!("KILLS_MARK={}", folder.display());
    let run = run.to_string();
    let processes = std::fs::read_dir("/proc").expect("there is /proc").flatten();
    let one = |path: PathBuf| {
        let words = |name: &str| -> Vec<String> {
            let text = std::fs::read(path.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&text).split('\0').map(str::to_owned).collect()
        };
        let line = words("cmdline");
        let guard = line.contains(&"guard".to_owned()) && line.contains(&run);
        (guard || words("environ").contains(&mark)).then(|| format!("{}: {}", path.display(), line.join(" ")))
    };
    processes.filter_map(|entry| one(entry.path())).collect()
}

fn assert_nothing_left(folder: &Path, run: u32, what: &str) {
    let start = Instant::now();
    let temporary = || std::fs::read_dir(folder.join("tmp")).expect("it is there").count();
    while !left(folder, run).is_empty() || temporary() > 0 {
        let processes = left(folder, run);
        assert!(start.elapsed() < Duration::from_secs(10), "{what}: {processes:?}, {} files", temporary());
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("it is there")
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    names.retain(|name| !["a.c", "bin", "pipe.h", "r.json", "tmp"].contains(&name.as_str()));
    assert!(names.is_empty(), "{what}: {names:?}");
}

fn end(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().expect("it ends");
    let Output { status, stdout, stderr } = output;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the binary writes UTF-8");
    (status.code(), text(stdout), text(stderr))
}

/// Whether a child is at work, beside the run itself and two guards.
fn at_work(folder: &Path, run: u32) -> bool {
    left(folder, run).len() > 3
}

#[test]
fn kills_leave_no_process_and_no_file() {
    let number: u64 = testing::number("KILLS", 10);
    for k in 0..number {
        let work = [&PREPROCESSING[..], &REPLAYING].concat()[(k % 5) as usize];
        let name = ["-TERM", "-KILL", "-INT", "-HUP", "-KILL"][((k + k / 5) % 5) as usize];
        let folder = fresh(&format!("children-{k}"));
        let child = prepare(&folder, work).spawn().expect("the binary runs");
        let run = child.id();
        // Half of them at any moment, the others when there is something to leave behind.
        let moment = k * 7919 % 400;
        if k % 2 == 0 {
            wait_until(|| at_work(&folder, run));
        }
        std::thread::sleep(Duration::from_millis(moment));
        signal(&child, name);
        let (code, out, err) = end(child);
        let what = format!("{work:?}, {name} after {moment} ms: {out}{err}");
        if code.is_some() {
            // Endless work may have reached a limit before.
            let ends: &[(i32, &str)] = match work {
                Work::Pipe => &[(5, "UNKNOWN(interrupted)")],
                Work::Endless => {
                    &[(5, "UNKNOWN(interrupted)"), (5, "UNKNOWN(memory)"), (2, "ERROR(preprocess)")]
                }
                _ => &[(5, "UNKNOWN(interrupted)"), (5, "UNKNOWN(memory)")],
            };
            let verdict = out.lines().last().and_then(|line| line.strip_prefix("VERDICT: "));
            assert!(ends.iter().any(|end| (code, verdict) == (Some(end.0), Some(end.1))), "{code:?}, {what}");
        } else {
            // A signal that comes before `main` has run is the system's affair.
            assert!(name == "-KILL" || (k % 2 == 1 && moment < 150), "{what}");
        }
        assert_nothing_left(&folder, run, &what);
    }
}

#[test]
fn limits_end_preprocessors_with_a_message() {
    for (k, work) in PREPROCESSING.into_iter().enumerate() {
        let folder = fresh(&format!("children-limit-{k}"));
        let start = Instant::now();
        let child = prepare(&folder, work).arg("--time-limit=1s").spawn().expect("the binary runs");
        let run = child.id();
        let (code, out, err) = end(child);
        let refused = "VERDICT: ERROR(preprocess)\n";
        let memory = work == Work::Endless && ["VERDICT: UNKNOWN(memory)\n", refused].contains(&out.as_str());
        assert!(memory || out.ends_with("VERDICT: UNKNOWN(time)\n"), "{work:?}: {out}{err}");
        assert_eq!(code, Some(if out == refused { 2 } else { 5 }), "{work:?}");
        // On a busy machine it takes its time until hundreds of processes are killed.
        let told = err.contains("a.c:2:3: error: the preprocessor ");
        assert!(
            told || (work == Work::Forking && out.contains("stopped (time) in the front end")),
            "{work:?}: {err}"
        );
        // The limit and some tenths of it, and what a busy machine takes for starting and reporting.
        assert!(start.elapsed() < Duration::from_secs(6), "{work:?}: {:?}", start.elapsed());
        assert_nothing_left(&folder, run, &format!("{work:?}"));
    }
}

#[test]
fn limits_end_a_replay() {
    for work in REPLAYING {
        let folder = fresh(&format!("children-limit-{work:?}"));
        let start = Instant::now();
        let child = prepare(&folder, work).arg("--time-limit=2s").spawn().expect("the binary runs");
        let run = child.id();
        let (code, out, err) = end(child);
        assert!(out.ends_with("VERDICT: UNKNOWN(time)\n"), "{work:?}: {out}{err}");
        // On a busy machine it may take longer to end the processes than the wait for a run that has reached its limit.
        let where_it_was = ["not replayed: ", "stopped (time) in the native run\n"];
        assert!(where_it_was.iter().any(|place| out.contains(place)), "{work:?}: {out}{err}");
        assert_eq!(code, Some(5), "{work:?}");
        assert!(start.elapsed() < Duration::from_secs(8), "{work:?}: {:?}", start.elapsed());
        assert_nothing_left(&folder, run, &format!("{work:?}"));
    }
}
