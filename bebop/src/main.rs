//! The `bebop` binary: a boolean program and a question, answered with a trace.

mod input;

use base::{Diagnostic, SourceMap};
use bebop::{Answer, Options, Outcome, Query, Stopped, render};
use bp::{Cfg, Program, VertexId, VertexKind};
use cli::process::Sink;
use cli::verdict::EXIT_INPUT;
use cli::{Host, Limits, Session, Verdict};
use input::{Reading, Refused, rendered};
use std::ffi::OsString;
use std::fmt::Write;
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::time::Duration;

/// Most lines of a trace.
const TRACE_LINES: usize = 10_000;
/// Most cubes of a set of states.
const CUBES: usize = 64;

/// Reachability in boolean programs.
///
/// Tells whether an assertion can fail, or a label can be reached, and how: by a shortest trace, in which a call
/// that returns counts as one step.
#[derive(clap::Parser)]
#[command(
    name = "bebop",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  bebop lock.bp                 can an assertion fail?
  bebop fig1.bp --label R       can the statement labelled R be reached?
  bebop lock.bp --states        and in which states are loops and labels?
  bebop check lock.bp           is the program well-formed?
  bebop fmt lock.bp             print it in canonical form
A file called fmt or check is written ./fmt or ./check.
Exit codes: 0 unreachable, 10 reachable, 5 not known, 2 bad input, 1 usage."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The boolean program (`-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    file: Option<PathBuf>,
    /// Ask for this label, L or PROCEDURE:L, and not for assertions
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    /// Ask for assertions as well as for the label
    #[arg(long, requires = "label")]
    assertions: bool,
    /// The procedure where execution starts
    #[arg(long, value_name = "NAME", default_value = "main")]
    entry: String,
    #[command(flatten)]
    reading: Reading,
    /// Give the answer only, and stop when it is known
    #[arg(long)]
    no_trace: bool,
    /// Print the reachable states at labels, loops and ends of procedures
    #[arg(long)]
    states: bool,
    /// Keep the values of variables that are not read any more
    #[arg(long)]
    no_live: bool,
    /// Print STAT lines before the verdict
    #[arg(long)]
    stats: bool,
    /// Print the verdict line only
    #[arg(short = 'q', long)]
    quiet: bool,
    #[command(flatten)]
    limits: Limits,
}

#[derive(clap::Subcommand)]
enum Command {
    Fmt(input::Format),
    Check(input::Check),
}

fn main() {
    cli::process::main(|args, stdout, stderr| run(args, stdout, stderr));
}

fn run(args: &[OsString], stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let arguments: Arguments = match cli::parse(args) {
        Ok(arguments) => arguments,
        Err(usage) => return usage.tell(stdout, stderr),
    };
    match &arguments.command {
        Some(Command::Fmt(command)) => return input::format(command, stdout, stderr),
        Some(Command::Check(command)) => return input::check(command, stderr),
        None => {}
    }
    let session = Session::start(Host::Process, &arguments.limits, arguments.stats, vec![]);
    let mut sources = SourceMap::new();
    let (body, verdict) = match read(&arguments, &mut sources) {
        Err((messages, reason)) => {
            let _ = stderr.write_all(messages.as_bytes());
            (String::new(), Verdict::Error(reason.into()))
        }
        Ok((program, cfg, warnings)) => {
            // The process ends soon: to take large graphs apart would only take time.
            let (program, cfg) = (ManuallyDrop::new(program), ManuallyDrop::new(cfg));
            let _ = stderr.write_all(rendered(&warnings, &sources).as_bytes());
            answer(&arguments, &session, &sources, &program, &cfg)
        }
    };
    let code = session.finish(stdout, if arguments.quiet { "" } else { &body }, &verdict);
    debug_assert!(code != EXIT_INPUT || body.is_empty(), "a refused input gets no report");
    code
}

type Loaded = (Program, Cfg, Vec<Diagnostic>);

/// The program and its graph.
fn read(arguments: &Arguments, sources: &mut SourceMap) -> Result<Loaded, Refused> {
    let path = arguments.file.as_ref().expect("without a subcommand a file is required");
    let parsed = input::parse(path, &arguments.reading, sources)?;
    let (program, mut warnings) = (parsed.program, parsed.warnings);
    let built = Cfg::build(&program, Some(&arguments.entry));
    let (cfg, more) = built.map_err(|errors| (rendered(&errors, sources), "check"))?;
    warnings.extend(more);
    Ok((program, cfg, warnings))
}

fn answer(
    arguments: &Arguments,
    session: &Session,
    sources: &SourceMap,
    program: &Program,
    cfg: &Cfg,
) -> (String, Verdict) {
    session.doing("bebop");
    let mut goals = vec![];
    if let Some(label) = &arguments.label {
        goals = cfg.find_label(label);
        if goals.is_empty() {
            let message = Stopped::NoSuchLabel(label.clone()).to_string();
            return (String::new(), Verdict::Error(message));
        }
    }
    if arguments.label.is_none() || arguments.assertions {
        goals.extend(cfg.failures());
    }
    let options = Options {
        live: !arguments.no_live && !arguments.states,
        exhaustive: !arguments.no_trace || arguments.states,
        trace: !arguments.no_trace,
        // A trace with more steps is written without what happens in calls.
        max_trace_steps: if arguments.quiet { 0 } else { TRACE_LINES },
        max_flat_steps: TRACE_LINES,
        ..Options::new(Query::Vertices(goals), session.stop())
    };
    let read = session.elapsed();
    let mut outcome = match bebop::check(cfg, &options) {
        Ok(outcome) => ManuallyDrop::new(outcome),
        Err(Stopped::Interrupted) => return (String::new(), session.stopped_verdict()),
        Err(other) => return (String::new(), Verdict::Unknown(other.to_string())),
    };
    if arguments.stats {
        session.set_stats(stats(&mut outcome, read));
    }
    let mut body = String::new();
    let verdict = match &outcome.answer {
        Answer::Unreachable => {
            let _ = writeln!(body, "{}", unreachable_text(arguments, cfg));
            Verdict::Unreachable
        }
        Answer::Reachable { target, trace } => {
            let what = target_name(arguments, sources, cfg, *target);
            let verb = if cfg.vertices[*target].kind.is_failure() { "can fail" } else { "is reachable" };
            match trace {
                None => {
                    let _ = writeln!(body, "{what} {verb}.");
                }
                Some(trace) => {
                    let _ = writeln!(body, "{what} {verb}; a shortest trace:");
                    body.push_str(&render::text(program, cfg, trace, TRACE_LINES));
                }
            }
            Verdict::Reachable(what)
        }
    };
    if arguments.states
        && (states(&mut body, sources, program, cfg, &mut outcome).is_err() || session.stopped())
    {
        return (String::new(), session.stopped_verdict());
    }
    (body, verdict)
}

fn unreachable_text(arguments: &Arguments, cfg: &Cfg) -> String {
    let asked_for_assertions = arguments.label.is_none() || arguments.assertions;
    let assertions = match cfg.failures().len() {
        _ if !asked_for_assertions => None,
        0 => Some("there is no assertion".to_owned()),
        1 => Some("the assertion cannot fail".to_owned()),
        n => Some(format!("none of the {n} assertions can fail")),
    };
    let label = arguments.label.as_ref().map(|label| format!("{label} is unreachable"));
    let parts: Vec<String> = label.into_iter().chain(assertions).collect();
    parts.join("; ") + "."
}

fn target_name(arguments: &Arguments, sources: &SourceMap, cfg: &Cfg, target: VertexId) -> String {
    let vertex = &cfg.vertices[target];
    match (&arguments.label, vertex.kind.is_failure()) {
        (Some(label), false) => label.clone(),
        _ => match vertex.loc.0 {
            Some(span) => format!("assertion at {}", sources.short(span)),
            None => "assertion".into(),
        },
    }
}

fn stats(outcome: &mut Outcome<'_>, read: Duration) -> Vec<(String, String)> {
    let (stats, times) = (outcome.stats, outcome.times);
    let ms = |d: Duration| format!("{:.1}", d.as_secs_f64() * 1e3);
    let mut out = vec![
        ("path-edges".to_owned(), count(outcome.reached.path_edges())),
        ("reachable-vertices".to_owned(), stats.vertices.to_string()),
        ("rounds".to_owned(), stats.rounds.to_string()),
        ("summaries".to_owned(), stats.summaries.to_string()),
        ("bdd-variables".to_owned(), stats.diagram_vars.to_string()),
        ("bdd-nodes".to_owned(), stats.nodes.to_string()),
        ("bdd-nodes-made".to_owned(), stats.nodes_made.to_string()),
    ];
    if let Answer::Reachable { trace: Some(trace), .. } = &outcome.answer {
        out.push(("trace-length".to_owned(), trace.length().to_string()));
    }
    out.push(("read-ms".to_owned(), ms(read)));
    out.push(("prepare-ms".to_owned(), ms(times.preparing)));
    out.push(("search-ms".to_owned(), ms(times.searching)));
    out.push(("trace-ms".to_owned(), ms(times.tracing)));
    if let Some(bytes) = cli::process::peak_memory() {
        out.push(("peak-memory-mb".to_owned(), format!("{:.1}", bytes as f64 / 1e6)));
    }
    out
}

/// A whole number as long as it is exact.
fn count(n: f64) -> String {
    if n < 1e15 { format!("{n:.0}") } else { format!("{n:.3e}") }
}

/// The reachable states at labelled statements, loops and exits.
fn states(
    body: &mut String,
    sources: &SourceMap,
    program: &Program,
    cfg: &Cfg,
    outcome: &mut Outcome<'_>,
) -> Result<(), bebop::Stopped> {
    let stmts = program.stmts_by_id();
    body.push_str("reachable states:\n");
    for (id, vertex) in cfg.vertices.iter_enumerated() {
        let stmt = vertex.kind.stmt().and_then(|id| stmts[id]);
        let what = match (vertex.kind, stmt) {
            (VertexKind::Exit, _) => format!("end of {}", cfg.procs[vertex.proc].name),
            (VertexKind::Stmt(_), Some(stmt))
                if !stmt.labels.is_empty() || matches!(stmt.kind, bp::StmtKind::While { .. }) =>
            {
                bp::head(stmt)
            }
            _ => continue,
        };
        let place = vertex.loc.0.map_or(String::new(), |span| format!("{}: ", sources.short(span)));
        let sum = outcome.reached.states(id, CUBES)?;
        let _ = writeln!(body, "  {place}{what}  {}", render::sum_text(cfg, &sum));
    }
    Ok(())
}
