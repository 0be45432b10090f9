//! The soundness theorem on C: runs of the examples in the interpreter, on random inputs and mapped through
//! predicates, are runs of the boolean program.
//!
//! The predicates are those that the loop needed (`slam check --tune without=executions --dump-predicates`), kept in
//! `tests/examples/`, and those beside the classics; an example without any is followed with none.

use crate::common::follow::{Follower, Known, Text};
#[allow(dead_code, reason = "each test uses a part of what is shared")]
use base::SourceMap;
use c2bp::{Abstraction, Cache, Options};
use clap::Parser;
use encoding::IntMode;
use interp::{Inputs, Interpreter, Limits, Outcome, State, UninitRead, Value};
use ir::{EdgeId, Expr, HavocKind, LocId, Op, PathStep, ProcId, Program, Type};
use predicates::{Precision, predicates_file};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use testing::programs::calls::Dice;

/// The front end's options as the tools have them.
#[derive(clap::Parser)]
struct Arguments {
    #[command(flatten)]
    front_end: cli::FrontEnd,
    #[command(flatten)]
    limits: cli::Limits,
}

/// An open call.
struct Frame {
    proc: ProcId,
    /// The values at the entry of what stands under `old`, as constants; only those that are numbers or NULL.
    old: Vec<(Expr, Expr)>,
    /// The values of the predicates at the last observation.
    last: Known,
}

/// Random inputs, and the boolean program beside the run.
struct Beside<'a, 't> {
    program: &'a Program,
    text: &'t Text<'a>,
    follower: Follower<'a, 't>,
    dice: Dice,
    frames: Vec<Frame>,
    /// Where the innermost frame stands.
    at: LocId,
}

impl Beside<'_, '_> {
    fn number(&mut self) -> i128 {
        match self.dice.below(8) {
            0 => self.dice.below(200) as i128 - 100,
            1 => self.dice.below(1 << 30) as i128,
            n => n as i128 - 3,
        }
    }

    fn value(&mut self, ty: &Type) -> Value {
        if ty.is_ptr() { Value::Null } else { Value::Int(self.number()) }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the entry procedure is active")
    }

    /// The values of the predicates that the innermost frame sees.
    fn alpha(&mut self, state: &mut State<'_, '_>) -> Known {
        let text = self.text;
        let frame = self.frame();
        let mut out = Known::new();
        for (name, e) in text.seen(frame.proc) {
            let value = state.value(&with(e, &frame.old)).ok();
            let holds = value.and_then(|v| match v {
                Value::Int(n) => Some(n != 0),
                _ => None,
            });
            out.insert(name, holds);
        }
        out
    }

    fn enter(&mut self, state: &mut State<'_, '_>, proc: ProcId) {
        let mut old = vec![];
        for (_, e) in self.text.seen(proc) {
            e.walk(&mut |part| {
                let Expr::Old(inner) = part else { return };
                let known = match state.value(inner) {
                    Ok(Value::Int(n)) if !inner.ty().is_ptr() => n,
                    Ok(Value::Null) => 0,
                    _ => return,
                };
                old.push((part.clone(), Expr::Const(known, inner.ty())));
            });
        }
        self.frames.push(Frame { proc, old, last: Known::new() });
    }

    /// The check that ended the run, in the boolean program.
    fn fail(&mut self, failed: ir::CheckId) {
        let frame = self.frames.last().expect("the entry procedure is active");
        let edges = self.program.procs[frame.proc].edges.iter_enumerated();
        let mut checks =
            edges.filter(|(_, e)| matches!(&e.op, Op::Check(c, _) if *c == failed && e.src == self.at));
        let Some((e, _)) = checks.next() else { return };
        let last = frame.last.clone();
        self.follower.edge(e, &last, &last, true);
    }
}

/// The expression with its `old` parts replaced where their values are known.
fn with(e: &Expr, old: &[(Expr, Expr)]) -> Expr {
    let boxed = |e: &Expr| Box::new(with(e, old));
    match e {
        Expr::Old(_) => old.iter().find(|(o, _)| o == e).map_or_else(|| e.clone(), |(_, v)| v.clone()),
        Expr::Unary(op, e, t) => Expr::Unary(*op, boxed(e), t.clone()),
        Expr::Cast(e, t) => Expr::Cast(boxed(e), t.clone()),
        Expr::Binary(op, l, r, t) => Expr::Binary(*op, boxed(l), boxed(r), t.clone()),
        Expr::Cond(c, a, b) => Expr::Cond(boxed(c), boxed(a), boxed(b)),
        // Under a read `old` is a pointer, which has no constant.
        other => other.clone(),
    }
}

impl Inputs for Beside<'_, '_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        self.value(ty)
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.dice.below(enabled.len())
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        self.value(ty)
    }

    fn alloc_fails(&mut self, _: ProcId, _: EdgeId) -> bool {
        self.dice.below(4) == 0
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        match step {
            PathStep::Edge(_, e) => {
                let before = self.frame().last.clone();
                let after = self.alpha(state);
                self.follower.edge(e, &before, &after, false);
                self.frame().last = after;
            }
            PathStep::Enter(_, e, q) => {
                let before = self.frame().last.clone();
                self.enter(state, q);
                let inside = self.alpha(state);
                self.follower.enter(e, q, before, &inside);
                self.frame().last = inside;
            }
            PathStep::Leave(..) => {
                let exit = self.frames.pop().expect("the callee is active").last;
                let after = self.alpha(state);
                self.follower.leave(&exit, &after);
                self.frame().last = after;
            }
        }
        self.at = state.location();
    }
}

struct Example {
    name: String,
    program: Program,
    precision: Precision,
    abstraction: Abstraction,
}

fn example(path: &Path, predicates: &Path) -> Example {
    let arguments = Arguments::parse_from(["examples"]);
    let mut messages = vec![];
    let session = cli::Session::start(cli::Host::Library, &arguments.limits, false, vec![]);
    let whole = passes::Settings { slice: false, propagate: false, ..passes::Settings::default() };
    let loaded = cli::front::load_prepared(
        &[path.to_path_buf()],
        &arguments.front_end,
        whole,
        &session,
        &mut messages,
    );
    let cli::front::Loaded { program, oracle, .. } = loaded.unwrap_or_else(|(text, _)| panic!("{text}"));
    let text = std::fs::read_to_string(predicates).unwrap_or_default();
    let file = SourceMap::new().add(predicates.display().to_string(), Some(text.as_str().into()));
    let read = |text: &str, scope| ir::parse::expr(text, &program, scope);
    let read = predicates_file::parse(&text, file, &program, IntMode::Math, &read);
    let (precision, _) = read.unwrap_or_else(|d| panic!("{}: {}", predicates.display(), d.message));
    let (stop, interrupt) = (AtomicBool::new(false), smt::Interrupt::new());
    let options = Options::new(&stop, &interrupt);
    let abstraction = c2bp::abstract_program(&program, &oracle, &precision, &options, &mut Cache::new());
    let abstraction = abstraction.expect("nobody stops it");
    let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    Example { name, program, precision, abstraction }
}

/// Follows some runs; returns how many conditions were checked.
fn follow(example: &Example) -> usize {
    let text = Text::new(&example.program, &example.precision, &example.abstraction);
    let interpreter = Interpreter::new(&example.program);
    let entry = &example.program.procs[example.program.entry];
    let limits = Limits { steps: 1_000, ..Limits::default() };
    let mut checked = 0;
    for round in 0..12 {
        let frame = Frame { proc: example.program.entry, old: vec![], last: Known::new() };
        let mut beside = Beside {
            program: &example.program,
            text: &text,
            follower: Follower::new(&text),
            dice: Dice::new((round + 1u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            frames: vec![frame],
            at: entry.entry,
        };
        // Before the first step nothing has been observed.
        let unknown = text.seen(example.program.entry).map(|(name, _)| (name, None)).collect();
        beside.frame().last = unknown;
        let run = interpreter.run(&mut beside, &limits, &AtomicBool::new(false));
        if let Outcome::CheckFailed(check) = run.outcome {
            beside.fail(check);
        }
        checked += beside.follower.checked;
    }
    checked
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of examples is there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("the examples can be listed").path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

fn all_are_followed(examples: impl Iterator<Item = (PathBuf, PathBuf)>) {
    let mut checked = BTreeMap::new();
    for (path, predicates) in examples {
        let example = example(&path, &predicates);
        checked.insert(example.name.clone(), follow(&example));
    }
    let steps: usize = checked.values().sum();
    assert!(steps > 100 * checked.len(), "too few conditions were looked at: {checked:?}");
}

#[test]
fn examples_are_simulated() {
    let with_predicates = |path: PathBuf| {
        let name = path.with_extension("preds");
        let name = name.file_name().expect("a file has a name");
        let predicates = folder("c2bp/tests/examples").join(name);
        (path, predicates)
    };
    all_are_followed(c_files(&folder("examples")).into_iter().map(with_predicates));
}

#[test]
fn classics_are_simulated() {
    let with_predicates = |path: PathBuf| {
        let predicates = path.with_extension("preds");
        (path, predicates)
    };
    all_are_followed(c_files(&folder("examples/classics")).into_iter().map(with_predicates));
}
