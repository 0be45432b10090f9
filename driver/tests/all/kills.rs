//! Whatever ends `slam`, at whatever moment: the verdict line is there for all but SIGKILL, no file is ever half
//! written, and a batch goes on where it stopped.
//!
//! `KILLS` is the number of moments.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Keeps asking for one more unrolling, with new files in each iteration.
const HARD: &str = "extern void reach_error(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n\
    int main(void) {\n    unsigned x = 1, y = 1, n = __VERIFIER_nondet_uint();\n    \
    for (unsigned i = 0; i < n; i++) {\n        x = x * 3 + y;\n        y = y * 5 + x;\n    }\n    \
    if (x * x + y == 7777777)\n        reach_error();\n    return 0;\n}\n";

/// How a run is ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Kill,
    Terminate,
    Interrupt,
    Time,
    Memory,
}

const ENDS: [End; 5] = [End::Kill, End::Terminate, End::Interrupt, End::Time, End::Memory];

pub(crate) fn fresh(name: &str) -> PathBuf {
    let folder = testing::folder().join(name);
    std::fs::create_dir(&folder).expect("a scratch folder can be made");
    folder
}

fn start(folder: &Path, args: &[String]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slam"));
    command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary runs")
}

pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).stderr(Stdio::null()).status();
    sent.expect("kill runs");
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Whether SIGTERM is for the process to handle by now. One that comes before `main` has run is the system's affair.
fn handles_signals(child: &Child) -> bool {
    const SIGTERM: u32 = 15;
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|l| u64::from_str_radix(l.strip_prefix("SigCgt:")?.trim(), 16).ok());
    caught.is_some_and(|mask| mask >> (SIGTERM - 1) & 1 == 1)
}

/// One run that is ended at a moment, and whether it could have handled a signal then.
fn ended(folder: &Path, end: End, moment: u64) -> (Output, bool) {
    let mut args = words(
        "check -v --tune without=executions --json r.json --save save --dump-predicates d.preds --query-cache q.cache --threads 1",
    );
    match end {
        End::Time => args.push(format!("--time-limit={moment}ms")),
        // What the process is as large as when its work begins, and a bit more for later moments.
        End::Memory => args.push(format!("--memory-limit={}kB", 20_000 + 30 * moment)),
        _ => args.push("--time-limit=20s".into()),
    }
    if end == End::Memory {
        args.push("--time-limit=1s".into());
    }
    args.push("hard.c".into());
    let child = start(folder, &args);
    let name = match end {
        End::Kill => "-KILL",
        End::Terminate => "-TERM",
        End::Interrupt => "-INT",
        End::Time | End::Memory => return (child.wait_with_output().expect("it ends"), true),
    };
    std::thread::sleep(Duration::from_millis(moment));
    let handles = handles_signals(&child);
    signal(&child, name);
    (child.wait_with_output().expect("it ends"), handles)
}

/// The texts of the files below a folder, by name; those that a kill left under their temporary names are left out.
fn texts(folder: &Path) -> Vec<(String, String)> {
    let (mut folders, mut out) = (vec![folder.to_owned()], vec![]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder can be listed") {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|e| e != "tmp") {
                let text = std::fs::read_to_string(&path).expect("files are texts");
                out.push((path.strip_prefix(folder).expect("it lies there").display().to_string(), text));
            }
        }
    }
    out
}

/// Whether a file is as whole as its kind can show.
fn is_whole(name: &str, text: &str) -> bool {
    let json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
    if !text.is_empty() && !text.ends_with('\n') {
        return false;
    }
    match name.rsplit_once('.').map_or("", |(_, kind)| kind) {
        "json" => json(text),
        "jsonl" => text.lines().all(json),
        "csv" => {
            let columns = |l: &str| l.matches(',').count();
            text.lines().all(|l| columns(l) == text.lines().next().map_or(0, columns))
        }
        "bp" => {
            let file = base::SourceMap::default().add(name, Some(std::sync::Arc::from(text)));
            bp::parse(text, file, bp::Dialect::C).is_ok()
        }
        "preds" => text.matches('{').count() == text.matches('}').count(),
        _ => true,
    }
}

fn check_once(k: u64) {
    let folder = fresh(&format!("kills-{k}"));
    std::fs::write(folder.join("hard.c"), HARD).expect("a scratch file can be written");
    let end = ENDS[(k % ENDS.len() as u64) as usize];
    // Spread over the first six tenths of a second, in an order that mixes kinds and moments.
    let moment = k * 7919 % 600;
    let (output, handles) = ended(&folder, end, moment);
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let what = format!("{end:?} after {moment} ms in {}", folder.display());
    if end == End::Kill {
        assert!(output.status.code().is_none() || out.contains("VERDICT: "), "{what}: {out}");
    } else if output.status.code().is_some() || handles {
        let last = out.lines().last().unwrap_or_default();
        assert!(out.ends_with('\n') && last.starts_with("VERDICT: UNKNOWN("), "{what}: {out}");
        assert_eq!((out.matches("VERDICT: ").count(), output.status.code()), (1, Some(5)), "{what}");
    }
    for (name, text) in texts(&folder) {
        assert!(is_whole(&name, &text), "{what}: {name} is half written:\n{text}");
    }
    goes_on(&folder, &what);
}

/// What was written for later runs can be read by them.
fn goes_on(folder: &Path, what: &str) {
    let mut line =
        "check --tune without=executions,max-iterations=1 --time-limit 1s --query-cache q.cache".to_owned();
    if folder.join("d.preds").exists() {
        line.push_str(" --predicates d.preds");
    }
    let output = start(folder, &words(&format!("{line} hard.c"))).wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{what}");
    assert_eq!(output.status.code(), Some(5), "{what}");
}

#[test]
fn a_check_ends_with_its_verdict_and_whole_files() {
    let number = testing::number("KILLS", 10);
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= number {
                        break;
                    }
                    check_once(k);
                }
            });
        }
    });
}

/// A thread that cannot go on is no reason to say nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_crash_ends_with_a_verdict() {
    for name in ["-SEGV", "-ABRT"] {
        let folder = fresh(&format!("kills{name}"));
        std::fs::write(folder.join("hard.c"), HARD).expect("a scratch file can be written");
        let child = start(&folder, &words("check --tune without=executions --time-limit 60s hard.c"));
        wait_until(|| handles_signals(&child));
        // Deep in its work.
        std::thread::sleep(Duration::from_millis(500));
        signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            (out.lines().last(), output.status.code()),
            (Some("VERDICT: ERROR(internal)"), Some(6)),
            "{out}"
        );
        assert!(out.contains("internal error: a thread has crashed in "), "{out}");
    }
}

/// Programs of which every third but the first is unsafe.
fn tasks(folder: &Path, number: usize) {
    std::fs::create_dir_all(folder.join("tasks")).expect("a scratch folder can be made");
    for k in 0..number {
        let wrong = if k % 3 == 0 { " + (x == 12345)" } else { "" };
        let text = format!(
            "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint main(void) {{\n    \
             int x = __VERIFIER_nondet_int(), y = 0, i;\n    for (i = 0; i < {k}; i++) y = x;\n    \
             if (i > 0 && y != x{wrong}) reach_error();\n    return 0;\n}}\n"
        );
        std::fs::write(folder.join(format!("tasks/t{k:02}.c")), text).expect("a scratch file can be written");
    }
}

/// The whole lines of the file of results.
fn results(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("r.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{l}: {e}"))).collect()
}

#[test]
fn a_batch_goes_on_after_each_end() {
    let folder = fresh("kills-batch");
    let number = 12;
    tasks(&folder, number);
    let args = words("batch --jobs 2 --out r.jsonl --time-limit 20s tasks");
    let (mut rounds, mut had) = (0, 0);
    loop {
        assert!(rounds < 40, "a batch that goes on comes to its end");
        let child = start(&folder, &args);
        // Later and later, so that each round gets further than nothing.
        std::thread::sleep(Duration::from_millis(100 + 60 * rounds));
        let handles = handles_signals(&child);
        signal(&child, ["-KILL", "-TERM", "-INT"][(rounds % 3) as usize]);
        let output = child.wait_with_output().expect("it ends");
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let results = results(&folder);
        assert!(results.len() >= had, "no result is lost");
        had = results.len();
        rounds += 1;
        if output.status.code() == Some(10) {
            assert!(out.contains("12 of 12 tasks: 9 SAFE, 3 UNSAFE, 0 UNKNOWN, 0 ERROR"), "{out}");
            break;
        }
        if rounds % 3 != 1 && (handles || output.status.code().is_some()) {
            let last = out.lines().last().unwrap_or_default();
            assert_eq!(last, "VERDICT: UNKNOWN(interrupted)", "{out}");
            assert!(out.contains(" of 12 tasks: ") && output.status.code() == Some(5), "{out}");
        }
    }
    assert!(rounds > 1, "some rounds were ended");
    let mut names: Vec<String> = results(&folder).iter().map(|r| r["task"].to_string()).collect();
    names.sort();
    names.dedup();
    assert_eq!((names.len(), results(&folder).len()), (number, number), "each task was checked once");
}

#[cfg(target_os = "linux")]
#[test]
fn no_child_outlives_a_batch() {
    let folder = fresh("kills-children");
    let file = folder.join("outlives.c");
    std::fs::write(&file, HARD).expect("a scratch file can be written");
    let file = file.to_str().expect("scratch paths are UTF-8").to_owned();
    for name in ["-KILL", "-TERM"] {
        let child = start(&folder, &[words("batch --check reach"), vec![file.clone()]].concat());
        wait_until(|| children(&file) > 1);
        signal(&child, name);
        child.wait_with_output().expect("it ends");
        wait_until(|| children(&file) == 0);
    }
}

/// The number of processes that have this file on their command line.
#[cfg(target_os = "linux")]
fn children(file: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("there is /proc").flatten();
    let has = |path: PathBuf| {
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        line.split(|b| *b == 0).any(|word| word == file.as_bytes())
    };
    processes.filter(|p| has(p.path())).count()
}

#[cfg(target_os = "linux")]
pub(crate) fn wait_until(holds: impl Fn() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it happens within ten seconds");
}
