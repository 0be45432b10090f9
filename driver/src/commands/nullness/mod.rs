//! `slam nullness`: which dereferences can be of NULL. The program becomes a boolean program over its pointers
//! (`dataflow`), the model checker finds its reachable states, and each dereference is looked up there.
//!
//! Invariant: "never" and "always" are said of all executions that the model covers; what is left out makes the verdict
//! UNKNOWN.

mod path;
mod place;
mod report;
mod solve;

use crate::commands::Console;
use crate::commands::ending::{Ending, Files};
use crate::options::Nullness as Options;
use crate::report::Answer;
use ::dataflow::Nullness;
use base::SourceMap;
use cli::front;
use cli::process::Sink;
use cli::{Session, Usage, Verdict, outputs};
use ir::Program;
use passes::{Refused, Settings};
use report::Report;
use results::Outcome;
use slic::Prepared;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What is analysed, and as what.
struct Task {
    program: Program,
    sources: SourceMap,
    nullness: Nullness,
    /// An undefined function may call procedures of the program: at which place.
    callback: Option<String>,
}

/// Why there is no report: messages, and the verdict.
struct Failed(String, Verdict);

/// Runs the command.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { host, stdout, stderr }: Console<'_>, options: &Options) -> Result<i32, Usage> {
    options.show.front_end.without_rules()?;
    let session = Session::start(host, &options.show.limits, options.output.stats, vec![]);
    let request = match front::request(&options.show.files, &options.show.front_end) {
        Ok(request) => request,
        Err(refused) => {
            let verdict = refused.tell(stderr)?;
            return Ok(session.finish(stdout, "", &verdict));
        }
    };
    let outputs = [("--json", options.json.as_deref()), ("-o", options.save.as_deref())];
    let inputs = options.show.files.iter().chain(&request.files).map(PathBuf::as_path);
    outputs::refuse(&outputs, inputs.chain(options.show.front_end.inputs()))?;
    if let Some(message) = outputs::unwritable(&outputs) {
        let _ = stderr.write_all(message.as_bytes());
        return Ok(session.finish(stdout, "", &Verdict::NotWritten));
    }
    let work = |stderr: &mut Sink<'_>| -> Result<Report, Failed> {
        session.doing("the front end");
        let front_options = cfront::Options { need_checks: false, ..request.options };
        let front = front::load(&request.files, &front_options, &session, stderr)
            .map_err(|verdict| Failed(String::new(), verdict))?;
        session.doing("points-to");
        let task = translated(front, options)?;
        let text = bp::print(&task.nullness.program);
        if let Some(file) = &options.save {
            session.write_file(file, text.as_bytes(), stderr);
        }
        session.doing("bebop");
        solve::solve(&task, options, &session)
    };
    let (json, quiet) = (options.json.as_deref(), options.output.quiet);
    let ending = Ending { host, session: &session, files: Files { json, ..Files::default() }, quiet };
    let answer = ending.answer(stderr, |stderr| match work(stderr) {
        Ok(report) => {
            session.set_stats(report.stats());
            let (body, verdict) = (report.text(), report.verdict());
            let outcome = Outcome { nullness: Some(report.whole()), ..Outcome::default() };
            Answer { verdict, body, outcome }
        }
        Err(Failed(message, verdict)) => {
            let _ = stderr.write_all(message.as_bytes());
            Answer::refused(verdict)
        }
    });
    Ok(ending.write(answer, stdout, stderr))
}

/// The program whose executions count, and its boolean program.
fn translated(front: cfront::Frontend, options: &Options) -> Result<Task, Failed> {
    let mut sources = front.sources;
    let settings = Settings { alias: options.alias, ..Settings::default() };
    let unit = (front.program, BTreeMap::new());
    let prepared = slic::prepared(unit, settings, &[], &mut sources, |_| BTreeSet::new());
    let Prepared { whole: program, whole_oracle: oracle, .. } = prepared.map_err(|e| {
        let verdict = match &e {
            Refused::Callee(_) => Verdict::Unknown("function pointer".into()),
            Refused::Unsupported(..) => Verdict::Unknown("not modelled".into()),
            Refused::Rules(_) => Verdict::Error("rule".into()),
        };
        Failed(e.diagnostics().iter().map(|d| d.styled(&sources)).collect(), verdict)
    })?;
    let nullness = ::dataflow::nullness(&program, &oracle, &|span| sources.short(span))
        .map_err(|d| Failed(d.styled(&sources), Verdict::Unknown("function pointer".into())))?;
    let callback = verify::callbacks(&program, &oracle)
        .map(|left_out| format!("{}: {}", sources.short(left_out.span), left_out.reason.detail()));
    Ok(Task { program, sources, nullness, callback })
}
