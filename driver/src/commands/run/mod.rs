//! `slam run`: one concrete execution. What the program prints goes to the standard streams as it would, the exit
//! code is the program's, and `--json` reports which checks were reached and which inputs were drawn.
//!
//! Invariant: the same input, options and seed give the same output; nothing depends on time except where
//! `--time-limit` stops the execution.

mod supply;

use crate::commands::Console;
use crate::options::Run as Options;
use base::{Diagnostic, SourceMap, Span};
use cli::front;
use cli::process::Sink;
use cli::verdict::{EXIT_UNKNOWN, EXIT_UNSAFE};
use cli::{Host, Session, Usage, Verdict};
use interp::{Exit, Limits, Outcome, Reason, Run, Value};
use ir::{CheckKind, Program};
use results::others;
use supply::{Arguments, Given, Supply};
pub(crate) use supply::{parse, text};

/// Exit code of an execution that does what C leaves undefined.
const EXIT_UNDEFINED: i32 = 11;

/// Exit code of a program that calls `abort`, as a shell reports it.
const EXIT_ABORT: i32 = 134;

/// How an execution ended.
struct Ending {
    /// A word for `--json`.
    outcome: &'static str,
    /// Why, when it did not end by itself.
    message: Option<String>,
    /// Where.
    place: Option<Span>,
    code: i32,
}

/// Executes the program.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { host, stdout, stderr }: Console<'_>, options: &Options) -> Result<i32, Usage> {
    options.show.front_end.without_rules()?;
    if options.show.front_end.environment.is_some() {
        return Err(Usage::mistake("--environment: `slam harness` writes a program that can be executed"));
    }
    let front_options = cfront::Options {
        malloc_may_fail: false,
        need_checks: false,
        ..front::options(&options.show.front_end)?
    };
    let given = match &options.inputs {
        Some(file) => Given::read(file).map_err(Usage::mistake)?,
        None => Given::default(),
    };
    let session = Session::start(host, &options.show.limits, false, vec![]);
    // The program's output passes unchanged: its bytes are not text of ours.
    let mut raw = std::io::stdout();
    let written: &mut Sink<'_> = if host == Host::Process { &mut raw } else { &mut *stdout };
    let ended = cli::process::catching(|| {
        execute(options, &front_options, given, &session, written, stderr).unwrap_or_else(|v| v.exit_code())
    });
    let code = ended.unwrap_or_else(|message| {
        if host == Host::Library {
            let _ = writeln!(stderr, "internal error: {message}");
        }
        Verdict::Internal.exit_code()
    });
    // The exit code is the program's, unless something else went wrong.
    Ok(match session.finish_plain(stdout, "") {
        0 => code,
        lost => lost,
    })
}

fn execute(
    options: &Options,
    front_options: &cfront::Options,
    given: Given,
    session: &Session,
    stdout: &mut Sink<'_>,
    stderr: &mut Sink<'_>,
) -> Result<i32, Verdict> {
    let front = front::load(&options.show.files, front_options, session, stderr)?;
    let (program, sources) = (&front.program, &front.sources);
    let violations = ir::check::check(program);
    assert!(violations.is_empty(), "the program breaks the rules of C--: {}", violations.join("; "));
    let name = options.show.files.first().and_then(|file| file.file_stem()).unwrap_or_default();
    let name = name.to_string_lossy();
    let arguments = options.arguments.as_ref().map(|words| Arguments::new(&name, words));
    let mut supply = Supply::new(program, given, arguments, options.seed, stdout, stderr);
    let limits = Limits { steps: options.step_limit, ..Limits::default() };
    let run = interp::run(program, &mut supply, &limits, session.stop());
    let drawn = supply.finish();
    let ending = ending(program, &run);
    tell(&ending, sources, stderr);
    for remark in drawn.remarks() {
        let _ = writeln!(stderr, "{remark}");
    }
    if let Some(file) = &options.json {
        let result = others::Run {
            outcome: ending.outcome.into(),
            message: ending.message,
            place: ending.place.map(|s| sources.short(s)),
            exit_code: ending.code,
            steps: run.steps,
            checks: drawn.checks(program, sources),
            inputs: drawn.inputs(sources),
        };
        session.write_file(file, results::text(&result).as_bytes(), stderr);
    }
    Ok(ending.code)
}

fn tell(ending: &Ending, sources: &SourceMap, stderr: &mut Sink<'_>) {
    if let Some(message) = &ending.message {
        let _ = stderr.write_all(Diagnostic::error(ending.place, message).styled(sources).as_bytes());
    }
}

fn ending(program: &Program, run: &Run) -> Ending {
    let limit = |outcome, message: &str| Ending {
        outcome,
        message: Some(message.into()),
        place: None,
        code: EXIT_UNKNOWN,
    };
    match (&run.outcome, run.exit) {
        (Outcome::CheckFailed(check), _) => {
            let check = &program.checks[*check];
            let (outcome, code) = match check.kind {
                CheckKind::Unmodelled => ("unsupported", EXIT_UNKNOWN),
                _ => ("check", EXIT_UNSAFE),
            };
            Ending { outcome, message: Some(check.message.clone()), place: Some(check.span), code }
        }
        (Outcome::Finished(value), _) => {
            let status = if let Some(Value::Int(v)) = value { (*v & 0xff) as i32 } else { 0 };
            Ending { outcome: "finished", message: None, place: None, code: status }
        }
        (Outcome::Stuck { reason: Reason::AssumeFalse, .. }, Some(Exit::Status(status))) => {
            Ending { outcome: "finished", message: None, place: None, code: status.into() }
        }
        (Outcome::Stuck { reason: Reason::AssumeFalse, .. }, Some(Exit::Abort)) => {
            Ending { outcome: "aborted", message: None, place: None, code: EXIT_ABORT }
        }
        (Outcome::Stuck { reason, proc, edge }, _) => {
            let proc = &program.procs[*proc];
            let (outcome, message, code) = match reason {
                Reason::AssumeFalse => {
                    ("assumption", "the execution ends: an assumption does not hold".to_owned(), EXIT_UNKNOWN)
                }
                Reason::Undefined(what) => {
                    ("undefined", format!("undefined behaviour: {what}"), EXIT_UNDEFINED)
                }
                Reason::Unsupported(what) => {
                    ("unsupported", format!("not supported by the interpreter: {what}"), EXIT_UNKNOWN)
                }
            };
            let place = Some(edge.map_or(proc.span, |e| proc.edges[e].span));
            Ending { outcome, message: Some(message), place, code }
        }
        (Outcome::StepLimit, _) => limit("step limit", "the step limit is reached"),
        (Outcome::Interrupted, _) => limit("interrupted", "the execution was interrupted"),
    }
}
