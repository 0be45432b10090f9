//! Building and running: the program's files, the harness and the guard, in a folder of their own that goes away
//! afterwards.
//!
//! Invariant: the error counts as reached only if the secret of this run comes back. Names and macros are data: none
//! becomes an option of a tool ([`cfront::arguments`]).

use super::guard;
use super::text::{self, Names};
use super::workshop::{ToolFailure, Workshop};
use super::{Plan, Sign};
use cfront::arguments::{compiler_options, file_argument};
use cli::children::{Children, Failure, Limits};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The most memory of the program, unless a limit is given.
const MEMORY: u64 = 2 << 30;

/// The largest file that it can write.
const FILE: u64 = 1 << 20;

/// The most files that it can have open.
const OPEN_FILES: u64 = 64;

/// What is read from the program before it is left alone.
const TALK: usize = 1 << 16;

/// What a native run showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// It ran into the error.
    Reached,
    /// It did not, for this reason.
    Not(String),
    /// It was not run, for this reason.
    NotRun(String),
}

/// How it is done.
pub(crate) struct Setting<'a> {
    /// How the files were read.
    pub front: &'a cfront::Options,
    /// The longest run.
    pub limit: Duration,
    /// The most memory.
    pub memory: Option<u64>,
    /// Those of the run, which its end takes along.
    pub children: &'a Children,
}

/// Builds and runs; the second part are remarks about how it was done.
pub(crate) fn replay(plan: &Plan, files: &[PathBuf], setting: &Setting<'_>) -> (Outcome, Vec<String>) {
    let mut remarks = vec![];
    let outcome = match plan.sign {
        Sign::None => Err(format!("a compiled program does not show an error of kind {}", plan.kind.name())),
        _ => build_and_run(plan, files, setting, &mut remarks),
    };
    (outcome.unwrap_or_else(Outcome::NotRun), remarks)
}

fn build_and_run(
    plan: &Plan,
    files: &[PathBuf],
    setting: &Setting<'_>,
    remarks: &mut Vec<String>,
) -> Result<Outcome, String> {
    let no_secret = |e: std::io::Error| format!("there are no random numbers: {e}");
    let secret = guard::secret().map_err(no_secret)?;
    let workshop = Workshop::new(setting.children)?;
    let width = width(&workshop, setting, remarks)?;
    let prefix = format!("slam_{}_", guard::secret().map_err(no_secret)?);
    let names = Names { prefix, guarded: true, taken: vec![] };
    let program = Build { plan, front: setting.front, workshop: &workshop, names, width }.program(files)?;
    run(&program, &secret, &workshop, setting)
}

/// What the compiled program is made from.
struct Build<'a> {
    plan: &'a Plan,
    front: &'a cfront::Options,
    workshop: &'a Workshop<'a>,
    names: Names,
    /// The compiler's options for the widths of C's types.
    width: Vec<OsString>,
}

impl Build<'_> {
    /// Compiles the program and links it with the harness and the guard.
    fn program(mut self, files: &[PathBuf]) -> Result<PathBuf, String> {
        let mut objects = vec![];
        for (i, file) in files.iter().chain(&self.front.models).enumerate() {
            let object = self.workshop.path().join(format!("program{i}.o"));
            self.compile(i, file, &object)?;
            objects.push(object);
        }
        self.names.taken = self.taken(&objects)?;
        for object in &objects {
            let mut objcopy = Command::new("objcopy");
            for name in ["main"].into_iter().chain(self.names.taken.iter().map(String::as_str)) {
                objcopy.arg("--redefine-sym").arg(format!("{name}={}", self.names.of(name)));
            }
            let weakened = text::weakened(&self.plan.sign);
            weakened.iter().for_each(|f| _ = objcopy.arg(format!("--weaken-symbol={f}")));
            self.workshop.tool(objcopy.arg(object), "objcopy")?;
        }
        self.link(&objects)
    }

    /// The functions of the C library that the guard uses and that the program, or the harness, has itself.
    fn taken(&self, objects: &[PathBuf]) -> Result<Vec<String>, String> {
        let mut nm = Command::new("nm");
        let listed = self.workshop.tool(nm.args(["-P", "-g", "--defined-only"]).args(objects), "nm")?;
        let defined = |name: &str| listed.lines().any(|line| line.split(' ').next() == Some(name));
        let drawn = |name: &str| self.plan.results.iter().chain(&self.plan.objects).any(|d| d.name == name);
        let taken = guard::USED.into_iter().filter(|name| defined(name) || drawn(name));
        Ok(taken.map(str::to_owned).collect())
    }

    /// Compiles harness and guard, and links them with the program.
    fn link(&self, objects: &[PathBuf]) -> Result<PathBuf, String> {
        let Build { plan, front, workshop, names, .. } = self;
        let kind = (plan.sign == Sign::Trap).then_some(plan.kind);
        let sources = [("guard", guard::text(&names.prefix, kind)), ("harness", text::text(plan, names))];
        let program = workshop.path().join("program");
        let mut link = Command::new(&front.cc);
        link.args(&self.width).args(["-w", "-g", "-fno-builtin", "-no-pie"]);
        link.args([
            "-Wl,--wrap=malloc",
            "-Wl,--wrap=calloc",
            "-Wl,--wrap=realloc",
            "-Wl,--unresolved-symbols=ignore-all",
        ]);
        link.args(["-Wl,-z,noexecstack", "-o"]).arg(&program);
        for (name, text) in sources {
            let source = workshop.path().join(format!("{name}.c"));
            std::fs::write(&source, text).map_err(|e| format!("cannot write the {name}: {e}"))?;
            link.arg(source);
        }
        workshop.tool(link.args(objects).arg("-lm"), &front.cc)?;
        Ok(program)
    }

    /// Compiles one file of the program.
    fn compile(&self, number: usize, file: &Path, object: &Path) -> Result<(), String> {
        let front = self.front;
        let mut cc = Command::new(&front.cc);
        cc.args(&self.width).args(["-w", "-std=gnu11", "-O0", "-g", "-fno-inline", "-fno-builtin"]);
        cc.args(["-no-pie", "-fcommon", "-ftrivial-auto-var-init=zero"]);
        // The program may set the mode of rounding, and no multiplication is fused with an addition.
        cc.args(["-frounding-math", "-ffp-contract=off"]);
        if front.signed_wrap {
            cc.arg("-fwrapv");
        }
        if self.plan.sign == Sign::Trap
            && let Some(checks) = guard::trap(self.plan.kind).map(|trap| trap.sanitizer)
        {
            cc.arg(format!("-fsanitize={checks}")).arg("-fno-sanitize-recover=all");
        }
        cc.args(compiler_options(front)?);
        let source = marked(self.plan, &self.names, file, object)?;
        let source = self.with_caller(number, source, object)?;
        if let Some(dir) = file.parent() {
            let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
            cc.arg("-iquote").arg(file_argument(dir));
        }
        let preprocessed = front.no_preprocess || file.extension().is_some_and(|e| e == "i");
        cc.arg("-x").arg(if preprocessed { "cpp-output" } else { "c" });
        cc.arg("-c").arg("-o").arg(object).arg(file_argument(&source));
        self.workshop.tool(&mut cc, &front.cc)?;
        Ok(())
    }

    /// The source with what the front end has added to the file with this number, to call the entry function.
    fn with_caller(&self, number: usize, source: PathBuf, object: &Path) -> Result<PathBuf, String> {
        let added = self.plan.caller.iter().flat_map(|caller| &caller.parts).find(|(n, _)| *n == number);
        let Some((_, added)) = added else { return Ok(source) };
        let mut text = std::fs::read(&source).map_err(|e| format!("{}: {e}", source.display()))?;
        text.extend(format!("\n{added}").bytes());
        let whole = object.with_extension("c");
        std::fs::write(&whole, text).map_err(|e| e.to_string())?;
        Ok(whole)
    }
}

/// The options for the widths of C's types, when the compiler can link such programs.
fn width(
    workshop: &Workshop<'_>,
    setting: &Setting<'_>,
    remarks: &mut Vec<String>,
) -> Result<Vec<OsString>, String> {
    let cc = setting.front.cc.as_str();
    let option = if setting.front.data_model.pointer_bits() == 32 { "-m32" } else { "-m64" };
    let probe = workshop.path().join("probe.c");
    std::fs::write(&probe, "int main(void) { return 0; }\n").map_err(|e| e.to_string())?;
    let mut link = Command::new(cc);
    link.arg(option).arg(&probe).arg("-o").arg(workshop.path().join("probe"));
    match workshop.tool(&mut link, cc) {
        Ok(_) => Ok(vec![option.into()]),
        Err(why @ (ToolFailure::Missing(_) | ToolFailure::Stopped)) => Err(why.into()),
        Err(ToolFailure::Other(_)) => {
            remarks.push(format!("{cc} does not link with {option}: built for its own widths of types"));
            Ok(vec![])
        }
    }
}

/// The file to compile: with a call behind the label, if the error is to reach one in this file.
fn marked(plan: &Plan, names: &Names, file: &Path, object: &Path) -> Result<PathBuf, String> {
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
            text.insert_str(end, &format!(" {}();", names.reached()));
            let source = object.with_extension("c");
            let all = format!("void {}();\n{}", names.reached(), lines.concat());
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

/// Runs the program in an empty folder, without an environment, under limits.
fn run(
    program: &Path,
    secret: &str,
    workshop: &Workshop<'_>,
    setting: &Setting<'_>,
) -> Result<Outcome, String> {
    let room = workshop.path().join("room");
    std::fs::create_dir(&room).map_err(|e| format!("no empty folder: {e}"))?;
    let mut command = Command::new(program);
    command.current_dir(room).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let limits = Limits {
        memory: Some(setting.memory.unwrap_or(MEMORY)),
        cpu: Some(setting.limit + Duration::from_secs(1)),
        file: Some(FILE),
        files: Some(OPEN_FILES),
        processes: Some(0),
    };
    let mut running = workshop.start(&mut command, &limits).map_err(|why| match why {
        Failure::Start(e) | Failure::Wait(e) => format!("cannot start the program: {e}"),
        Failure::Stopped | Failure::TooMuch => "it was stopped".into(),
    })?;
    let heard = listen(running.child(), secret);
    // The guard waits for the secret: nothing of the program runs without limits.
    if !running.limited() {
        return Err("the program cannot be limited on this system".into());
    }
    if let Some(mut stdin) = running.child().stdin.take() {
        let _ = stdin.write_all(secret.as_bytes());
    }
    let status = running.wait_for(setting.limit).map_err(|e| format!("the program is lost: {e}"))?;
    running.kill();
    if setting.children.stopped() {
        return Err("it was stopped".into());
    }
    if heard.recv_timeout(Duration::from_secs(1)) == Ok(true) {
        return Ok(Outcome::Reached);
    }
    let seconds = setting.limit.as_secs();
    Ok(Outcome::Not(status.map_or_else(|| format!("it did not end within {seconds} s"), ended)))
}

/// Listens to the program, in a thread: true when the secret comes, false when nothing comes any more.
fn listen(child: &mut Child, secret: &str) -> mpsc::Receiver<bool> {
    let (tell, heard) = mpsc::channel();
    let secret = secret.as_bytes().to_vec();
    if let Some(mut stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let (mut talk, mut part) = (vec![], [0; 4096]);
            let said = loop {
                match stdout.read(&mut part) {
                    Ok(n) if n > 0 && talk.len() < TALK => talk.extend_from_slice(&part[..n]),
                    _ => break false,
                }
                if talk.windows(secret.len()).any(|window| window == secret) {
                    break true;
                }
            };
            let _ = tell.send(said);
        });
    }
    heard
}

/// How a program ended that did not reach the error.
fn ended(status: ExitStatus) -> String {
    match (status.code(), std::os::unix::process::ExitStatusExt::signal(&status)) {
        (Some(text::EXHAUSTED), _) => "it asked for more inputs than were recorded".into(),
        (Some(text::ASSUMPTION), _) => "an assumption did not hold".into(),
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended without an exit code".into(),
    }
}
