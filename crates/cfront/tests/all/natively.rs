//! Every example, run natively with the inputs that the interpreter drew, reaches the same checks in the same order
//! and ends alike. `NATIVE_TASKS` names a file with further programs, one path and data model a line; `CC32` is the
//! compiler for those of ILP32.

use cfront::Options;
use interp::{Exit, Inputs, Limits, Outcome, Reason, UninitRead, Value};
use ir::{CheckId, CheckKind, DataModel, EdgeId, HavocKind, IntType, LocId, ProcId, Type};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use testing::Scratch;

/// Executions of each program.
const RUNS: u64 = 6;

/// Steps of one execution.
const STEPS: u64 = 200_000;

/// Inputs from a seed; what a native run cannot be given is noted.
struct Drawn {
    state: u64,
    seed: u64,
    inputs: Vec<String>,
    checks: Vec<bool>,
    other: Option<String>,
}

impl Drawn {
    fn bits(&mut self) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.state >> 33
    }

    fn int(&mut self, ty: IntType) -> i128 {
        let value = match (self.seed, self.bits() % 8) {
            (0, _) => 0,
            (1, _) => 1,
            (_, 0..=2) => self.bits() % 4,
            (_, 3..=4) => self.bits() % 100,
            (_, 5) => self.bits(),
            (_, 6) => u64::MAX - self.bits() % 3,
            _ => (1 << 31) - self.bits() % 3,
        };
        ty.wrap(i128::from(value))
    }
}

impl Inputs for Drawn {
    fn havoc(&mut self, _: ProcId, _: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        if !matches!(kind, HavocKind::Input(_)) {
            // Declarations without initialiser ask for a value that is mostly never read, and so do arguments.
            let silent = *kind == HavocKind::Uninit
                || matches!(kind, HavocKind::Extern(n) if n.starts_with("argument "));
            if !silent {
                self.other.get_or_insert(format!("{kind:?}"));
            }
            return if ty.is_ptr() { Value::Null } else { Value::Int(0) };
        }
        let (value, text) = match ty {
            Type::Int(t) => {
                let v = self.int(*t);
                (Value::Int(v), v.to_string())
            }
            Type::Float(_) => {
                let v = (self.bits() % 64) as f64 / 4.0 - 4.0;
                (Value::Float(v), v.to_string())
            }
            _ => (Value::Null, "NULL".into()),
        };
        self.inputs.push(text);
        value
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, _: &[EdgeId]) -> usize {
        self.other.get_or_insert("a choice".into());
        0
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        if !read.whole {
            self.other.get_or_insert("uninitialised memory".into());
        }
        if ty.is_ptr() { Value::Null } else { Value::Int(0) }
    }

    fn wants_output(&self) -> bool {
        true
    }

    fn checked(&mut self, _: CheckId, holds: bool) {
        self.checks.push(holds);
    }
}

/// How a run ends, as far as both sides can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Check,
    Code(i32),
    AnyCode,
    Assumption,
    Cut,
}

/// The compiled program.
struct Native {
    scratch: Scratch,
    program: PathBuf,
}

/// A compiler with its harness.
struct Tools {
    model: DataModel,
    compiler: String,
    harness: PathBuf,
    /// Owns the harness.
    _scratch: Scratch,
}

fn done(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| e.to_string())?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(messages) }
}

impl Tools {
    fn new(model: DataModel) -> Result<Tools, String> {
        let compiler = match model {
            DataModel::Lp64 => "cc".into(),
            DataModel::Ilp32 => std::env::var("CC32").unwrap_or_else(|_| "cc".into()),
        };
        let scratch = Scratch::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/harness.c");
        let tools = Tools { model, compiler, harness: scratch.path().join("harness.o"), _scratch: scratch };
        done(tools.cc().arg("-c").arg("-o").arg(&tools.harness).arg(&source))?;
        Ok(tools)
    }

    fn cc(&self) -> Command {
        let mut command = Command::new(&self.compiler);
        let width = if self.model == DataModel::Ilp32 { "-m32" } else { "-m64" };
        command.args(["-w", "-O0", "-std=gnu11", width]);
        command
    }

    /// Compiles and links with the harness; a message when that fails.
    fn build(&self, file: &Path) -> Result<Native, String> {
        let scratch = Scratch::new();
        let text = std::fs::read(file).map_err(|e| e.to_string())?;
        let name = if file.extension().is_some_and(|e| e == "i") { "task.i" } else { "task.c" };
        let source = scratch.file(name, mark_error_labels(&String::from_utf8_lossy(&text)));
        let (object, program) = (scratch.path().join("task.o"), scratch.path().join("task"));
        let folder = file.parent().expect("a file lies in a folder");
        done(self.cc().arg("-I").arg(folder).arg("-c").arg("-o").arg(&object).arg(&source))?;
        let weak =
            ["reach_error", "__VERIFIER_error", "__assert_fail"].map(|s| format!("--weaken-symbol={s}"));
        done(Command::new("objcopy").args(&weak).arg(&object))?;
        done(self.cc().arg("-o").arg(&program).args([&object, &self.harness]).arg("-lm"))?;
        Ok(Native { scratch, program })
    }
}

impl Native {
    fn run(&self, inputs: &[String]) -> (End, Vec<bool>) {
        let given = self.scratch.file("inputs", inputs.join("\n"));
        let told = self.scratch.file("checks", "");
        let output = Command::new("timeout")
            .arg("5")
            .arg(&self.program)
            .env("INPUTS", &given)
            .env("CHECKS", &told)
            .output()
            .expect("the program can be run");
        let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0));
        let told = std::fs::read_to_string(&told).expect("the harness wrote it");
        let checks = told.lines().filter(|l| matches!(*l, "holds" | "fails")).map(|l| l == "holds").collect();
        let end = match code {
            107 => End::Check,
            108 | 124 => End::Cut,
            109 => End::Assumption,
            code => End::Code(code),
        };
        (end, checks)
    }
}

/// The text with a call behind each label `ERROR`.
fn mark_error_labels(text: &str) -> String {
    let mut out = String::from("extern void native_error(void);\n");
    let mut rest = text;
    while let Some(at) = rest.find("ERROR") {
        let (before, after) = rest.split_at(at);
        let after = &after["ERROR".len()..];
        out.push_str(before);
        out.push_str("ERROR");
        let word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        rest = after;
        let trimmed = after.trim_start();
        if !word && trimmed.starts_with(':') {
            out.push_str(": native_error();");
            rest = &trimmed[1..];
        }
    }
    out + rest
}

/// Compares one execution; why it cannot be compared, or how they differ.
fn compare(front: &cfront::Frontend, native: &Native, seed: u64, branches: bool) -> Result<(), Failure> {
    let mut drawn = Drawn {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        seed,
        inputs: vec![],
        checks: vec![],
        other: None,
    };
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let run = interp::run(&front.program, &mut drawn, &limits, &AtomicBool::new(false));
    let end = match (&run.outcome, run.exit) {
        (Outcome::CheckFailed(c), _) if front.program.checks[*c].kind == CheckKind::Unmodelled => {
            return Err(Failure::Incomparable("unmodelled".into()));
        }
        (Outcome::CheckFailed(_), _) => End::Check,
        (Outcome::Finished(Some(Value::Int(v))), _) => End::Code((v & 0xff) as i32),
        // A `void` function leaves any exit code for the system.
        (Outcome::Finished(_), _) => End::AnyCode,
        (Outcome::Stuck { reason: Reason::AssumeFalse, .. }, Some(Exit::Status(s))) => End::Code(s.into()),
        (Outcome::Stuck { reason: Reason::AssumeFalse, .. }, Some(Exit::Abort)) => End::Code(134),
        (Outcome::Stuck { reason: Reason::AssumeFalse, .. }, None) => End::Assumption,
        (Outcome::Stuck { reason, .. }, _) => return Err(Failure::Incomparable(format!("{reason:?}"))),
        _ => End::Cut,
    };
    if let Some(other) = drawn.other {
        return Err(Failure::Incomparable(other));
    }
    let (their_end, mut theirs) = native.run(&drawn.inputs);
    let mut ours = drawn.checks;
    if branches {
        ours.retain(|holds| !holds);
        theirs.retain(|holds| !holds);
    }
    let same = match (end, their_end) {
        // Programs end a path by `abort` or an endless loop.
        (End::Cut, End::Cut) | (End::Assumption, End::Code(134) | End::Cut) => true,
        (End::AnyCode, End::Code(_)) => ours == theirs,
        // The interpreter was stopped earlier than the program.
        (End::Cut, _) => theirs.starts_with(&ours),
        (a, b) => a == b && ours == theirs,
    };
    if same {
        return Ok(());
    }
    let inputs = drawn.inputs.join(" ");
    Err(Failure::Differ(format!(
        "seed {seed}: {end:?} {ours:?}, natively {their_end:?} {theirs:?}, inputs {inputs}"
    )))
}

enum Failure {
    Incomparable(String),
    Differ(String),
}

/// Figures over all programs.
#[derive(Default)]
struct Tally {
    agree: u64,
    apart: BTreeMap<String, u64>,
    differ: Vec<String>,
}

fn check(file: &Path, tools: &Tools, tally: &mut Tally) {
    let mut apart = |why: String| *tally.apart.entry(why).or_default() += 1;
    let options = Options {
        need_checks: false,
        malloc_may_fail: false,
        data_model: tools.model,
        cc: tools.compiler.clone(),
        ..Options::default()
    };
    let front = match cfront::load(&[file.to_owned()], &options) {
        Ok(front) => front,
        Err(e) => return apart(format!("refused: {}", e.kind.words())),
    };
    let native = match tools.build(file) {
        Ok(native) => native,
        Err(e) => {
            let line = e.lines().find(|l| l.contains("error") || l.contains("undefined")).unwrap_or(&e);
            return apart(format!("not compiled: {}", line.rsplit(':').next().unwrap_or(line)));
        }
    };
    let text = String::from_utf8_lossy(&std::fs::read(file).expect("it was read before")).into_owned();
    // Passing conditions with branches are not checks.
    let branches = text.lines().any(|l| l.contains("assert") && (l.contains("&&") || l.contains("||")));
    for seed in 0..RUNS {
        match compare(&front, &native, seed, branches) {
            Ok(()) => tally.agree += 1,
            Err(Failure::Incomparable(why)) => *tally.apart.entry(why).or_default() += 1,
            Err(Failure::Differ(how)) => tally.differ.push(format!("{}: {how}", file.display())),
        }
    }
}

#[test]
fn examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the examples are there")
        .map(|e| e.expect("the folder can be listed").path())
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        // It is about memory that was never written, which two executions need not agree on.
        .filter(|p| p.file_stem().is_none_or(|n| n != "heap_contents_unsafe"))
        .collect();
    files.sort();
    let mut tally = Tally::default();
    let tools = Tools::new(DataModel::Lp64).unwrap_or_else(|e| panic!("{e}"));
    for file in &files {
        check(file, &tools, &mut tally);
    }
    assert!(tally.differ.is_empty(), "{}", tally.differ.join("\n"));
    assert!(tally.apart.is_empty(), "examples that cannot be compared: {:?}", tally.apart);
    assert_eq!(tally.agree, files.len() as u64 * RUNS);
}

#[test]
#[allow(clippy::print_stderr, reason = "a long test tells its figures")]
fn further_tasks() {
    let Some(list) = std::env::var_os("NATIVE_TASKS") else { return };
    let list = std::fs::read_to_string(list).expect("NATIVE_TASKS is a file");
    let mut tally = Tally::default();
    for line in list.lines() {
        let (file, model) = line.split_once(' ').expect("a path and a data model");
        let model = if model == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        let tools = Tools::new(model).unwrap_or_else(|e| panic!("{e}"));
        check(Path::new(file), &tools, &mut tally);
    }
    eprintln!("{} executions agree, {} differ", tally.agree, tally.differ.len());
    tally.apart.iter().for_each(|(why, n)| eprintln!("  {n} not compared: {why}"));
    assert!(tally.differ.is_empty(), "{}", tally.differ.join("\n"));
}
