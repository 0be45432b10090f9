//! Building and running: the program's files and the harness, in a directory of their own that goes away afterwards.

use super::text::{self, MARK, RENAMED};
use super::{Plan, Sign};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a native run showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It ran into the error.
    Reached,
    /// It did not, for this reason.
    Not(String),
    /// It was not run, for this reason.
    NotRun(String),
}

/// How it is done.
pub(super) struct Setting<'a> {
    /// How the files were read.
    pub front: &'a cfront::Options,
    /// The longest run.
    pub limit: Duration,
    /// Whether to give up.
    pub stopped: &'a dyn Fn() -> bool,
}

/// A directory that is removed in the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> std::io::Result<Temporary> {
        let base = std::env::temp_dir();
        let mut last = None;
        for n in 0..100 {
            let path = base.join(format!("slam-replay-{}-{n}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Temporary(path)),
                Err(e) => last = Some(e),
            }
        }
        Err(last.expect("it was tried"))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Builds and runs; the second part are remarks about how it was done.
pub(super) fn replay(plan: &Plan, files: &[PathBuf], setting: &Setting<'_>) -> (Outcome, Vec<String>) {
    let mut remarks = vec![];
    let outcome = build_and_run(plan, files, setting, &mut remarks).unwrap_or_else(Outcome::NotRun);
    (outcome, remarks)
}

fn build_and_run(
    plan: &Plan,
    files: &[PathBuf],
    setting: &Setting<'_>,
    remarks: &mut Vec<String>,
) -> Result<Outcome, String> {
    if plan.sign == Sign::None {
        return Err(format!("a compiled program does not show an error of kind {}", plan.kind));
    }
    let dir = Temporary::new().map_err(|e| format!("no temporary directory: {e}"))?;
    let cc = setting.front.cc.as_str();
    let width = width(cc, setting.front.data_model, &dir.0, remarks)?;
    let mut objects = vec![];
    for (i, file) in files.iter().chain(&setting.front.models).enumerate() {
        let object = dir.0.join(format!("program{i}.o"));
        compile(plan, file, &object, setting, &width)?;
        let mut objcopy = Command::new("objcopy");
        objcopy.arg("--redefine-sym").arg(format!("main={RENAMED}"));
        text::weakened(&plan.sign).iter().for_each(|f| _ = objcopy.arg(format!("--weaken-symbol={f}")));
        run_tool(objcopy.arg(&object), "objcopy")?;
        objects.push(object);
    }
    let harness = dir.0.join("harness.c");
    std::fs::write(&harness, text::text(plan)).map_err(|e| format!("cannot write the harness: {e}"))?;
    let program = dir.0.join("program");
    let mut link = Command::new(cc);
    link.args(&width).args(["-w", "-g", "-fno-builtin", "-no-pie", "-Wl,--wrap=malloc", "-Wl,--wrap=calloc"]);
    link.args(["-Wl,--unresolved-symbols=ignore-all", "-Wl,-z,noexecstack", "-o"]).arg(&program);
    run_tool(link.arg(&harness).args(&objects).arg("-lm"), cc)?;
    run(plan, &program, &dir.0, setting)
}

/// The options for the widths of C's types, when the compiler can link such programs.
fn width(
    cc: &str,
    model: cmm::DataModel,
    dir: &Path,
    remarks: &mut Vec<String>,
) -> Result<Vec<OsString>, String> {
    let option = if model.pointer_bits() == 32 { "-m32" } else { "-m64" };
    let probe = dir.join("probe.c");
    std::fs::write(&probe, "int main(void) { return 0; }\n").map_err(|e| e.to_string())?;
    let mut link = Command::new(cc);
    link.arg(option).arg(&probe).arg("-o").arg(dir.join("probe"));
    match run_tool(&mut link, cc) {
        Ok(()) => Ok(vec![option.into()]),
        Err(why) if why.contains("not found") => Err(why),
        Err(_) => {
            remarks.push(format!("{cc} does not link with {option}: built for its own widths of types"));
            Ok(vec![])
        }
    }
}

fn compile(
    plan: &Plan,
    file: &Path,
    object: &Path,
    setting: &Setting<'_>,
    width: &[OsString],
) -> Result<(), String> {
    let front = setting.front;
    let mut cc = Command::new(&front.cc);
    cc.args(width).args([
        "-w",
        "-std=gnu11",
        "-O0",
        "-g",
        "-fno-inline",
        "-fno-builtin",
        "-no-pie",
        "-fcommon",
    ]);
    cc.arg("-ftrivial-auto-var-init=zero");
    if front.signed_wrap {
        cc.arg("-fwrapv");
    }
    if plan.sign == Sign::Trap {
        cc.args(["-fsanitize=signed-integer-overflow,integer-divide-by-zero,null,bounds,shift,alignment"]);
        cc.arg("-fsanitize-undefined-trap-on-error");
    }
    let option = |flag: &str, value: &dyn AsRef<std::ffi::OsStr>| {
        let mut text = OsString::from(flag);
        text.push(value);
        text
    };
    cc.args(front.include_dirs.iter().map(|d| option("-I", d)));
    cc.args(front.defines.iter().map(|d| option("-D", d)));
    cc.args(front.undefs.iter().map(|d| option("-U", d)));
    front.includes.iter().for_each(|f| _ = cc.arg("-include").arg(f));
    let source = marked(plan, file, object)?;
    if let Some(dir) = file.parent() {
        cc.arg("-iquote").arg(if dir.as_os_str().is_empty() { Path::new(".") } else { dir });
    }
    let preprocessed = front.no_preprocess || file.extension().is_some_and(|e| e == "i");
    cc.arg("-x").arg(if preprocessed { "cpp-output" } else { "c" });
    run_tool(cc.arg("-c").arg("-o").arg(object).arg(&source), &front.cc)
}

/// The file to compile: with a call behind the label, if the error is to come to one in this file.
fn marked(plan: &Plan, file: &Path, object: &Path) -> Result<PathBuf, String> {
    let Sign::Label(label, place, line) = &plan.sign else { return Ok(file.to_owned()) };
    if Path::new(place) != file {
        return Ok(file.to_owned());
    }
    let text = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let text = String::from_utf8_lossy(&text);
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let first = (*line as usize).saturating_sub(1);
    // The statement behind the label may begin lines below it.
    for at in (first.saturating_sub(3)..=first).rev() {
        let Some(text) = lines.get_mut(at) else { continue };
        if let Some(end) = behind_label(text, label) {
            text.insert_str(end, &format!(" {MARK}();"));
            let source = object.with_extension("c");
            let all = format!("void {MARK}();\n# 1 \"{place}\"\n{}", lines.concat());
            std::fs::write(&source, all).map_err(|e| e.to_string())?;
            return Ok(source);
        }
    }
    Err(format!("the label {label} is not found in {place}:{line}"))
}

/// The place behind `label:`.
fn behind_label(text: &str, label: &str) -> Option<usize> {
    text.match_indices(label).find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let end = at + label.len();
        let rest = text[end..].trim_start();
        let whole = !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        (whole && rest.starts_with(':')).then(|| text.len() - rest.len() + 1)
    })
}

/// Runs a tool that is quiet when all is well.
fn run_tool(command: &mut Command, name: &str) -> Result<(), String> {
    let done = command.stdin(Stdio::null()).output().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => format!("{name} is not found: it is needed to build the program"),
        _ => format!("{name}: {e}"),
    })?;
    if done.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&done.stderr);
    let shown = text.lines().find(|l| l.contains("error")).or(text.lines().next()).unwrap_or_default();
    Err(format!("{name} fails: {shown}"))
}

fn run(plan: &Plan, program: &Path, dir: &Path, setting: &Setting<'_>) -> Result<Outcome, String> {
    let mut command = Command::new(program);
    command.current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| format!("cannot start the program: {e}"))?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(ended(plan, status)),
            Ok(None) if started.elapsed() < setting.limit && !(setting.stopped)() => {
                std::thread::sleep(Duration::from_millis(5));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                let seconds = setting.limit.as_secs();
                return Ok(Outcome::Not(format!("it did not end within {seconds} s")));
            }
        }
    }
}

fn ended(plan: &Plan, status: std::process::ExitStatus) -> Outcome {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    match (status.code(), signal) {
        (Some(text::REACHED), _) => Outcome::Reached,
        // Illegal instruction, trap, floating-point exception, invalid access.
        (_, Some(4 | 5 | 7 | 8 | 11)) if plan.sign == Sign::Trap => Outcome::Reached,
        (Some(text::EXHAUSTED), _) => Outcome::Not("it asked for more inputs than were recorded".into()),
        (Some(text::ASSUMPTION), _) => Outcome::Not("an assumption did not hold".into()),
        (Some(code), _) => Outcome::Not(format!("it ended with exit code {code}")),
        (None, Some(signal)) => Outcome::Not(format!("it was ended by signal {signal}")),
        (None, None) => Outcome::Not("it ended without an exit code".into()),
    }
}
