//! What the tests of this crate share: C text to a loaded program.

#![allow(dead_code, reason = "each test file uses a part of this module")]
#![allow(unreachable_pub, reason = "test files are crates of their own")]

use cfront::{Failure, Frontend, Options};
use interp::{Exit, Inputs, Limits, Outcome, Reason, Stream, Value};
use ir::{CheckKind, EdgeId, HavocKind, ProcId, Type};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use testing::Scratch;

/// Loads text as one file of the given name (`.i` needs no preprocessor).
pub fn load_named(name: &str, text: &str, options: &Options) -> Result<Frontend, Failure> {
    let scratch = Scratch::new();
    let path = scratch.file(name, text);
    cfront::load(&[path], options)
}

/// Loads preprocessed text, which must be fine and give a well-formed program.
pub fn load(text: &str) -> Frontend {
    load_with(text, &Options::default())
}

pub fn load_with(text: &str, options: &Options) -> Frontend {
    let loaded = load_named("a.i", text, options);
    let frontend = loaded.unwrap_or_else(|f| panic!("{}", render(&f)));
    assert_eq!(ir::check::check(&frontend.program), Vec::<String>::new());
    frontend
}

/// All diagnostics of a failure behind its verdict; the temporary folder's name is left out.
pub fn render(failure: &Failure) -> String {
    let mut out = format!("{}\n", failure.kind.verdict());
    for d in &failure.diagnostics {
        out.push_str(&d.render(&failure.sources));
    }
    testing::without_folders(&out)
}

/// The output of a run: standard output and the exit code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    pub stdout: String,
    pub code: i32,
}

/// Inputs that are all zero; output is kept. Volatile objects hold what was stored.
#[derive(Default)]
struct Quiet(Vec<u8>);

impl Inputs for Quiet {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        if ty.is_ptr() { Value::Null } else { Value::Int(0) }
    }

    fn wants_output(&self) -> bool {
        true
    }

    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Out {
            self.0.extend_from_slice(bytes);
        }
    }
}

/// Why the interpreter gives no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gap {
    /// The front end refuses the program.
    Refused(String),
    /// The step limit was reached.
    Limit,
    /// Something else, which is an error in a test of meaning.
    Stuck(String),
}

/// The C program executed by the interpreter of C--.
pub fn interpret(file: &Path, options: &Options, steps: u64) -> Result<Shown, Gap> {
    interpret_as(file, options, steps, |program| program)
}

/// As [`interpret`], of what is made of the program.
pub fn interpret_as(
    file: &Path,
    options: &Options,
    steps: u64,
    make: impl FnOnce(ir::Program) -> ir::Program,
) -> Result<Shown, Gap> {
    let options = Options { need_checks: false, ..options.clone() };
    let mut front = cfront::load(&[file.to_owned()], &options).map_err(|f| Gap::Refused(render(&f)))?;
    front.program = make(front.program);
    assert_eq!(ir::check::check(&front.program), Vec::<String>::new());
    let mut inputs = Quiet::default();
    let limits = Limits { steps, ..Limits::default() };
    let run = interp::run(&front.program, &mut inputs, &limits, &AtomicBool::new(false));
    let code = match (run.outcome, run.exit) {
        (Outcome::Finished(Some(Value::Int(v))), _) => (v & 0xff) as i32,
        (Outcome::Finished(_), _) => 0,
        (Outcome::Stuck { reason: Reason::AssumeFalse, .. }, Some(Exit::Status(status))) => status.into(),
        (Outcome::Stuck { reason: Reason::AssumeFalse, .. }, Some(Exit::Abort)) => 134,
        (Outcome::StepLimit, _) => return Err(Gap::Limit),
        (Outcome::CheckFailed(c), _) if front.program.checks[c].kind == CheckKind::Unmodelled => {
            return Err(Gap::Refused(front.program.checks[c].message.clone()));
        }
        (Outcome::Stuck { reason, proc, edge }, _) => {
            let proc = &front.program.procs[proc];
            let place = edge.map_or(proc.span, |e| proc.edges[e].span);
            return Err(Gap::Stuck(format!("{}: {reason:?}", front.sources.short(place))));
        }
        (other, _) => return Err(Gap::Stuck(format!("{other:?}"))),
    };
    Ok(Shown { stdout: String::from_utf8_lossy(&inputs.0).into_owned(), code })
}

/// The same program compiled by `cc` with these further arguments, and run; `None` when it does not end in ten
/// seconds. Panics when it cannot be compiled.
pub fn compiled(file: &Path, arguments: &[&str]) -> Option<Shown> {
    compiled_by("cc", file, arguments)
}

/// As [`compiled`], by another compiler.
pub fn compiled_by(compiler: &str, file: &Path, arguments: &[&str]) -> Option<Shown> {
    let scratch = Scratch::new();
    let program = scratch.path().join("program");
    let made =
        Command::new(compiler).args(["-w", "-O0", "-o"]).arg(&program).arg(file).args(arguments).output();
    let made = made.expect("the compiler can be run");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let run = Command::new("timeout").arg("10").arg(&program).output().expect("the program can be run");
    let code = run.status.code().unwrap_or_else(|| 128 + run.status.signal().unwrap_or(0));
    (code != 124).then(|| Shown { stdout: String::from_utf8_lossy(&run.stdout).into_owned(), code })
}

/// Compiles a program with gcc so that undefined behaviour ends it with an error; what gcc gave.
fn with_sanitizers(file: &Path, program: &Path) -> std::io::Result<std::process::Output> {
    let flags =
        ["-w", "-O0", "-std=gnu11", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-o"];
    Command::new("gcc").args(flags).arg(program).arg(file).output()
}

/// Whether gcc is there and has sanitizers.
pub fn has_sanitizers() -> bool {
    let scratch = Scratch::new();
    let probe = scratch.file("probe.c", "int main(void) { return 0; }\n");
    with_sanitizers(&probe, &scratch.path().join("probe")).is_ok_and(|made| made.status.success())
}

/// As [`with_sanitizers`]; panics when the program cannot be compiled.
pub fn sanitized(file: &Path, program: &Path) {
    let made = with_sanitizers(file, program).expect("gcc can be run");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// The edges of the named procedures, one a line, locations numbered from 0.
pub fn edges(text: &str, procs: &[&str]) -> String {
    edges_of(&load(text).program, procs)
}

/// The same of a program.
pub fn edges_of(program: &ir::Program, procs: &[&str]) -> String {
    let mut out = String::new();
    for (id, proc) in program.procs.iter_enumerated() {
        if !procs.contains(&proc.name.as_str()) {
            continue;
        }
        for (edge, e) in proc.edges.iter_enumerated() {
            let head = if proc.locations[e.src].loop_head { "*" } else { "" };
            let line = ir::print::edge(program, id, edge);
            let line = line.split_once(": ").map_or(line.as_str(), |(_, rest)| rest);
            out.push_str(&format!("{}{head} -> {}: {line}\n", e.src, e.dst));
        }
    }
    out
}
