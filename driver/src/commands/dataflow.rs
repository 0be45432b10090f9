//! `slam dataflow`: the solution of a dataflow problem that is written as a boolean program.

use crate::commands::Console;
use crate::options::Dataflow as Options;
use base::styles::ERROR;
use base::{Diagnostic, SourceMap, Span};
use bebop::Stopped;
use bp::{Cfg, Dialect, Program, Stmt, StmtId, StmtKind, VertexId, VertexKind};
use cli::models;
use cli::process::Sink;
use cli::verdict::EXIT_INPUT;
use cli::{Session, Usage, Verdict};
use results::others::{AtPlace, Dataflow};
use std::fmt::Write;

/// Most products in a sum.
const CUBES: usize = 64;

/// Why there is no answer: the messages and the exit code.
type Failed = (String, i32);

/// Runs the command.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { host, stdout, stderr }: Console<'_>, options: &Options) -> Result<i32, Usage> {
    let session = Session::start(host, &options.limits, false, vec![]);
    let made = cli::process::catching(|| lines(options, &session, stderr));
    let lines = match made {
        Ok(Ok(lines)) => lines,
        Ok(Err((message, code))) => {
            let _ = stderr.write_all(message.as_bytes());
            return Ok(code);
        }
        Err(_) if session.stopped() => return Ok(session.stopped_verdict().exit_code()),
        Err(_) => return Ok(Verdict::Internal.exit_code()),
    };
    if let Some(file) = &options.json {
        let result = Dataflow { flow_sensitive: options.flow_sensitive, states: lines.clone() };
        session.write_file(file, results::text(&result).as_bytes(), stderr);
    }
    Ok(session.finish_plain(stdout, &text(&lines)))
}

/// The lines in columns.
fn text(lines: &[AtPlace]) -> String {
    let places = lines.iter().map(|r| r.place.chars().count()).max().unwrap_or(0);
    let names = lines.iter().map(|r| r.statement.chars().count()).max().unwrap_or(0).min(40);
    let mut out = String::new();
    for AtPlace { place, statement, states, .. } in lines {
        let _ = writeln!(out, "{place:<places$}  {statement:<names$}  {states}");
    }
    out
}

fn read(options: &Options, stderr: &mut Sink<'_>) -> Result<(Program, Cfg, SourceMap), Failed> {
    let mut sources = SourceMap::new();
    let (text, file) =
        models::text(&options.file, &mut sources).map_err(|(message, _)| (message, EXIT_INPUT))?;
    let rendered = |all: &[Diagnostic]| models::rendered(all, &sources);
    let (program, mut warnings) =
        bp::parse(&text, file, Dialect::Strict).map_err(|errors| (rendered(&errors), EXIT_INPUT))?;
    let (cfg, more) =
        Cfg::build(&program, Some(&options.entry)).map_err(|errors| (rendered(&errors), EXIT_INPUT))?;
    warnings.extend(more);
    let _ = stderr.write_all(rendered(&warnings).as_bytes());
    Ok((program, cfg, sources))
}

fn lines(options: &Options, session: &Session, stderr: &mut Sink<'_>) -> Result<Vec<AtPlace>, Failed> {
    let (program, cfg, sources) = read(options, stderr)?;
    let wanted = wanted(options, &program, &cfg)?;
    let mut lines = vec![];
    let states = states(options, session, &cfg, &wanted).map_err(|why| match why {
        Stopped::Interrupted => {
            let verdict = session.stopped_verdict();
            (format!("{ERROR} stopped: {verdict}\n"), verdict.exit_code())
        }
        other => (format!("{ERROR} {other}\n"), Verdict::Unknown(String::new()).exit_code()),
    })?;
    for ((vertex, what, span), states) in wanted.into_iter().zip(states) {
        let place = span.map_or(String::new(), |span| sources.short(span));
        let procedure = cfg.procs[cfg.vertices[vertex].proc].name.to_string();
        lines.push(AtPlace { place, statement: what, procedure, states });
    }
    Ok(lines)
}

type Wanted = (VertexId, String, Option<Span>);

/// The vertices that are shown, each with what it is.
fn wanted(options: &Options, program: &Program, cfg: &Cfg) -> Result<Vec<Wanted>, Failed> {
    let stmts = program.stmts_by_id();
    let mut chosen: Vec<VertexId> = vec![];
    for label in &options.label {
        let found = cfg.find_label(label);
        if found.is_empty() {
            return Err((format!("{ERROR} there is no label `{label}`\n"), EXIT_INPUT));
        }
        chosen.extend(found);
    }
    let stmt = |id: StmtId| -> Option<&Stmt> { stmts.get(id).copied().flatten() };
    let mut out = vec![];
    for (v, vertex) in cfg.vertices.iter_enumerated() {
        if !options.label.is_empty() && !chosen.contains(&v) {
            continue;
        }
        let what = match vertex.kind {
            VertexKind::Exit => format!("end of {}", cfg.procs[vertex.proc].name),
            VertexKind::Stmt(id) => match stmt(id) {
                Some(s) if !s.labels.is_empty() || matches!(s.kind, StmtKind::Assert(_)) => bp::head(s),
                _ => continue,
            },
            VertexKind::Arm(..) | VertexKind::Failure(_) => continue,
        };
        out.push((v, what, vertex.loc.0));
    }
    Ok(out)
}

/// The states at the vertices.
fn states(
    options: &Options,
    session: &Session,
    cfg: &Cfg,
    wanted: &[Wanted],
) -> Result<Vec<String>, Stopped> {
    if options.flow_sensitive {
        let flow = bebop::flow_sensitive(cfg, session.stop())?;
        return Ok(wanted.iter().map(|(v, ..)| tri(cfg, flow.values(*v))).collect());
    }
    let question =
        bebop::Options { live: false, trace: false, ..bebop::Options::new(vec![], session.stop()) };
    let mut outcome = bebop::check(cfg, &question)?;
    let mut out = vec![];
    for (v, ..) in wanted {
        out.push(if outcome.reached.is_reached(*v) {
            let sum = outcome.reached.states(*v, CUBES)?;
            bebop::render::sum_text(cfg, &sum)
        } else {
            "not reached".to_owned()
        });
    }
    Ok(out)
}

/// `a=1 b=*`: each variable by itself.
fn tri(cfg: &Cfg, values: Option<bebop::ValueList>) -> String {
    let Some(values) = values else { return "not reached".to_owned() };
    let one = |(v, value): &(bp::VarId, Option<bool>)| {
        let value = match value {
            None => "*",
            Some(true) => "1",
            Some(false) => "0",
        };
        format!("{}={value}", cfg.vars[*v].name)
    };
    values.iter().map(one).collect::<Vec<_>>().join(" ")
}
