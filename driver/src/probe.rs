//! Concrete executions: a few before the loop, which find shallow errors at once, and `slam run`.
//!
//! Invariant: the inputs are drawn from fixed seeds and the work is bounded in steps, not in time, so that the
//! outcome is the same on every machine.

use crate::draw::Draw;
use crate::prepare;
use crate::prepare::Task;
use crate::replay::confirmed;
use crate::report::Witness;
use cli::front;
use cli::process::Sink;
use cli::slam::{Integers, Run as RunOptions};
use cli::verdict::{EXIT_SAFE, EXIT_UNKNOWN, EXIT_UNSAFE};
use cli::{Host, Session, Usage, Verdict};
use cmm::interp::{Inputs, Limits, Outcome, Reason, Run, UninitRead, Value};
use cmm::{CheckKind, EdgeId, HavocKind, LocId, ProcId, Program, Type};
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

/// Most executions.
const RUNS: u64 = 200;

/// Most steps of one execution.
const STEPS: u64 = 20_000;

/// Most steps of all executions together.
const ALL_STEPS: u64 = 600_000;

/// What the executions gave.
pub(crate) struct Probed {
    /// For the log.
    pub summary: String,
    /// An execution that fails a check.
    pub failing: Option<Witness>,
}

/// Executes the program with a few inputs.
pub(crate) fn search(task: &Task, stop: &AtomicBool) -> Probed {
    let limits = Limits { steps: STEPS, memory: 16 << 20, call_depth: 10_000, trace: 0 };
    let (mut steps, mut runs) = (0, 0);
    for seed in 0..RUNS {
        let run = execute(&task.whole, seed, &limits, stop);
        runs += 1;
        steps += run.steps;
        if let Outcome::CheckFailed(check) = run.outcome
            && task.whole.checks[check].kind != CheckKind::Unmodelled
        {
            let traced = Limits { trace: STEPS as usize, ..limits };
            let run = execute(&task.whole, seed, &traced, stop);
            if let Some(witness) = confirmed(&task.whole, run, stop) {
                let summary = format!("probe: execution {runs} of {RUNS} fails a check");
                return Probed { summary, failing: Some(witness) };
            }
        }
        let settled = run.inputs.is_empty() && !matches!(run.outcome, Outcome::StepLimit);
        if settled || steps >= ALL_STEPS || run.outcome == Outcome::Interrupted {
            break;
        }
    }
    Probed { summary: format!("probe: {runs} executions, {steps} steps, no check fails"), failing: None }
}

fn execute(program: &Program, seed: u64, limits: &Limits, stop: &AtomicBool) -> Run {
    let mut inputs = Drawn { program, draw: Draw::new(seed) };
    cmm::interp::run(program, &mut inputs, limits, stop)
}

/// Inputs from a seed.
struct Drawn<'a> {
    program: &'a Program,
    draw: Draw,
}

impl Drawn<'_> {
    fn value(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Int(t) => Value::Int(self.draw.int(*t)),
            Type::Ptr(_) => Value::Null,
            _ => Value::Int(self.draw.below(16).into()),
        }
    }
}

impl Inputs for Drawn<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        // What an undefined function returns may well point to something.
        if let (Type::Ptr(to), HavocKind::Extern(_)) = (ty, kind)
            && self.draw.below(2) == 1
        {
            return Value::FreshObject(self.program.size_of(to).unwrap_or(64).max(1));
        }
        self.value(ty)
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.draw.below(enabled.len() as u64) as usize
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        self.value(ty)
    }
}

/// `slam run`: one execution; what happened goes to standard output.
///
/// # Errors
/// A usage error.
pub(crate) fn command(
    host: Host,
    options: &RunOptions,
    stdout: &mut Sink<'_>,
    stderr: &mut Sink<'_>,
) -> Result<i32, Usage> {
    let mut front_options = front::options(&options.show.front_end)?;
    front_options.malloc_may_fail = false;
    let session = Session::start(host, &options.show.limits, false, vec![]);
    let work = || -> Result<(String, i32), Verdict> {
        let front = front::load(&options.show.files, &front_options, stderr)?;
        let sources = front.sources.clone();
        let program = match prepare::prepare(front, Integers::Bits) {
            Ok(task) => task.whole,
            Err(prepare::Refusal::Unknown { diagnostic, .. }) => {
                return Ok((diagnostic.render(&sources), EXIT_UNKNOWN));
            }
            Err(prepare::Refusal::Internal(message)) => panic!("{message}"),
        };
        let limits = Limits { steps: options.step_limit, ..Limits::default() };
        let run = execute(&program, options.seed, &limits, session.stop());
        Ok(told(&program, &sources, &run))
    };
    Ok(match cli::process::catching(work) {
        Ok(Ok((text, code))) => {
            session.finish_plain(stdout, &text);
            code
        }
        Ok(Err(verdict)) => verdict.exit_code(),
        Err(message) => {
            if host == Host::Library {
                let _ = writeln!(stderr, "internal error: {message}");
            }
            Verdict::Internal.exit_code()
        }
    })
}

fn told(program: &Program, sources: &base::SourceMap, run: &Run) -> (String, i32) {
    let mut out = String::new();
    let code = match &run.outcome {
        Outcome::CheckFailed(check) => {
            let check = &program.checks[*check];
            let _ = writeln!(out, "{}: {}", sources.short(check.span), check.message);
            if check.kind == CheckKind::Unmodelled { EXIT_UNKNOWN } else { EXIT_UNSAFE }
        }
        Outcome::Finished(value) => {
            let value = value.map_or(String::new(), |v| format!(" with {}", v.text(program)));
            let _ = writeln!(out, "finished{value}");
            EXIT_SAFE
        }
        Outcome::Stuck { reason, proc, edge } => {
            let place = edge.map_or(program.procs[*proc].span, |e| program.procs[*proc].edges[e].span);
            let why = match reason {
                Reason::AssumeFalse => "an assumption does not hold".to_owned(),
                Reason::Undefined(what) => format!("undefined: {what}"),
                Reason::Unsupported(what) => format!("not supported by the interpreter: {what}"),
            };
            let _ = writeln!(out, "{}: the execution ends: {why}", sources.short(place));
            EXIT_UNKNOWN
        }
        Outcome::StepLimit => {
            out.push_str("the step limit is reached\n");
            EXIT_UNKNOWN
        }
        Outcome::Interrupted => {
            out.push_str("interrupted\n");
            EXIT_UNKNOWN
        }
    };
    let _ = writeln!(out, "{} steps, {} inputs", run.steps, run.inputs.len());
    (out, code)
}
