//! The `newton` binary: can this path of a C program be executed, and if not, which predicates show it?

use base::SourceMap;
use clap::builder::TypedValueParser;
use cli::front::{self, Failed};
use cli::options::{Integers, choice};
use cli::process::Sink;
use cli::verdict::{EXIT_INPUT, EXIT_USAGE};
use cli::{FrontEnd, Host, Limits, Session, Verdict};
use cmm::{Path, Program};
use newton::{Options, Outcome, Refiner, Replay, path_text};
use pred::{IntMode, Precision};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;

/// Feasibility of a path of a C program, and predicates that refute it.
#[derive(clap::Parser)]
#[command(
    name = "newton",
    version,
    after_help = "\
Examples:
  slam check lock.c --save out                    saves the paths of all iterations
  newton lock.c out/iter-1/trace.txt              why the first one cannot be executed
  newton lock.c out/iter-1/trace.txt --refiner sp the same by strongest postconditions
Exit codes: 10 the path can be executed, 0 it cannot, 5 not known, 2 bad input, 1 usage, 7 result not written."
)]
struct Arguments {
    /// The C file (`.i`: already preprocessed; `-`: standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The path: one step a line, as `slam check --save` writes it
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// How predicates are found
    #[arg(long, default_value = "wp", value_parser = refiners())]
    refiner: Refiner,
    /// How integers are modelled
    #[arg(long, value_enum, default_value_t)]
    integers: Integers,
    #[command(flatten)]
    front_end: FrontEnd,
    #[command(flatten)]
    limits: Limits,
}

fn refiners() -> impl TypedValueParser<Value = Refiner> {
    choice(Refiner::ALL.map(|refiner| (refiner.short_name(), refiner.description(), refiner)))
}

fn integers(asked: Integers, program: &Program, sources: &SourceMap) -> Result<IntMode, Failed> {
    let chosen = pred::integers::choose(program, asked.wish(IntMode::Math, IntMode::Bits));
    chosen.map(|(mode, _)| mode).map_err(|needs| (needs.refusal().render(sources), EXIT_INPUT))
}

fn main() {
    cli::process::main(|args, stdout, stderr| run(args, stdout, stderr));
}

fn run(args: &[OsString], stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let parsed = cli::front::compiler::understand(args).and_then(|understood| cli::parse(&understood.words));
    let arguments: Arguments = match parsed {
        Ok(arguments) => arguments,
        Err(usage) => return usage.tell(stdout, stderr),
    };
    let interrupt = smt::Interrupt::new();
    let session = Session::start(Host::Process, &arguments.limits, false, vec![interrupt.stopper()]);
    match answer(&arguments, &session, &interrupt, stderr) {
        Ok((body, verdict)) => session.finish(stdout, &body, &verdict),
        Err((message, EXIT_USAGE)) => {
            let _ = stderr.write_all(message.as_bytes());
            EXIT_USAGE
        }
        Err((message, code)) => {
            let _ = stderr.write_all(message.as_bytes());
            let verdict = if code == EXIT_INPUT {
                Verdict::Error("input".into())
            } else {
                Verdict::Unknown("function pointer".into())
            };
            session.finish(stdout, "", &verdict)
        }
    }
}

fn answer(
    arguments: &Arguments,
    session: &Session,
    interrupt: &smt::Interrupt,
    stderr: &mut Sink<'_>,
) -> Result<(String, Verdict), Failed> {
    let files = [arguments.file.clone()];
    let front::Loaded { program, oracle, sources } =
        front::load_resolved(&files, &arguments.front_end, session, stderr)?;
    let path = path(arguments, &program)?;
    let options = Options {
        mode: integers(arguments.integers, &program, &sources)?,
        rlimit: newton::RLIMIT,
        max_steps: path.steps.len(),
        interrupt,
    };
    let outcome = newton::decide(&program, &oracle, &path, &options);
    if session.stopped() {
        return Ok((String::new(), session.stopped_verdict()));
    }
    Ok(match outcome {
        Outcome::GaveUp(why) => (format!("not known: {why}\n"), Verdict::Unknown("gave up".into())),
        Outcome::Refuted(found) => {
            let newton::Refinement { core, predicates } = found.refine(arguments.refiner, &Precision::new());
            let mut precision = Precision::new();
            for d in predicates {
                precision.add(d.predicate);
            }
            (refuted(&program, &path, &core, &precision), Verdict::Unreachable)
        }
        Outcome::Feasible { inputs, inexact } => {
            feasible(&program, &sources, &path, &inputs, &inexact, session)
        }
    })
}

fn path(arguments: &Arguments, program: &Program) -> Result<Path, Failed> {
    let name = arguments.trace.display();
    let text = std::fs::read_to_string(&arguments.trace)
        .map_err(|e| (format!("error: {name}: {e}\n"), EXIT_INPUT))?;
    path_text::parse(program, &text)
        .map_err(|(line, why)| (format!("{name}:{line}:1: error: {why}\n"), EXIT_INPUT))
}

fn refuted(program: &Program, path: &Path, core: &[usize], precision: &Precision) -> String {
    let mut out = format!(
        "the path cannot be executed: the {} marked of {} steps contradict each other\n\n",
        core.len(),
        path.steps.len()
    );
    out.push_str(&path_text::print(program, path, core));
    out.push_str("\npredicates that refute it:\n");
    for (_, p) in precision.iter() {
        let scope = match p.scope {
            pred::Scope::Global => "global",
            pred::Scope::Proc(p) => &program.procs[p].name,
        };
        let _ = writeln!(out, "{scope} {{ {} }}", p.text(program));
    }
    out
}

fn feasible(
    program: &Program,
    sources: &SourceMap,
    path: &Path,
    inputs: &newton::Inputs,
    inexact: &[pred::Inexact],
    session: &Session,
) -> (String, Verdict) {
    let mut out = String::from("the path can be executed, says the prover, with these inputs:\n");
    for input in &inputs.values {
        let span = program.procs[input.proc].edges[input.edge].span;
        let _ = writeln!(out, "  {}: {:?}", sources.short(span), input.value);
    }
    for read in &inputs.memory {
        let (p, e) = path.steps[read.step].edge();
        let place = sources.short(program.procs[p].edges[e].span);
        let _ = writeln!(out, "  {place}: found in memory at offset {}: {:?}", read.offset, read.value);
    }
    if !inexact.is_empty() {
        let _ = writeln!(out, "over-approximated: {}", pred::Inexact::listed(inexact));
    }
    let limits = cmm::interp::Limits::default();
    match newton::replay(program, inputs, path, &limits, session.stop()) {
        Replay::Reached(check, _) => {
            let place = sources.short(program.checks[check].span);
            let _ = writeln!(out, "replayed: the interpreter reaches {place} with them");
            (out, Verdict::Reachable(place))
        }
        Replay::Diverged(why) => {
            let _ = writeln!(out, "but the interpreter does not get there: {why}");
            (out, Verdict::Unknown("not replayed".into()))
        }
    }
}
