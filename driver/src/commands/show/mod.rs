//! The commands that show an intermediate result: `slam cmm`, `slam cfg`, `slam points-to`.

mod cfg;
mod points_to;
#[cfg(test)]
mod tests;

use crate::commands::Console;
use crate::options::{Graph, PointsTo, Show, Text};
use base::styles::ERROR;
use cfront::Frontend;
use cli::front;
use cli::{Session, Usage, Verdict, outputs};
use passes::{Pipeline, Settings, Stage};
use std::path::{Path, PathBuf};
use verify::{Preparation, Task};

/// What `slam cmm` prints.
///
/// # Errors
/// Why nothing can be made.
pub(crate) fn cmm(front: Frontend, options: &Text, rules: &[slic::Source]) -> Result<String, String> {
    let (program, sources) = shown(front, options, rules)?;
    Ok(ir::print::program(&program, Some(&sources)))
}

/// What `slam harness` prints.
///
/// # Errors
/// Why there is none.
pub(crate) fn harness(front: &Frontend, options: &Show) -> Result<String, String> {
    let front_end = &options.front_end;
    let entry = match &front_end.environment {
        Some(file) => &format!("the functions of {}", file.display()),
        None => &front_end.entry,
    };
    let none = || format!("{ERROR} `{entry}` needs no harness: execution can start there\n");
    let harness = front.harness.as_ref().ok_or_else(none)?;
    harness.as_file(&options.files, entry).map_err(|why| format!("{ERROR} {why}\n"))
}

/// What `slam cfg` prints.
///
/// # Errors
/// Why nothing can be made.
pub(crate) fn cfg(front: Frontend, options: &Graph, rules: &[slic::Source]) -> Result<String, String> {
    let (program, sources) = shown(front, &options.text, rules)?;
    Ok(if options.dot { cfg::dot(&program) } else { cfg::text(&program, &sources) })
}

/// What `slam points-to` prints.
pub(crate) fn points_to(front: &Frontend, options: &PointsTo) -> String {
    let settings = Settings { alias: options.alias, ..Settings::default() };
    let mut passes = Pipeline::at(Stage::Checked, front.program.clone(), settings);
    // No pass up to this stage refuses a program.
    let _ = passes.run(Stage::Copied);
    let oracle = passes.oracle();
    match options.dot {
        true => points_to::dot(passes.program(), &oracle),
        false => points_to::text(passes.program(), &oracle, &front.sources),
    }
}

/// The front end's program, or what the loop would work on.
fn shown(
    front: Frontend,
    options: &Text,
    rules: &[slic::Source],
) -> Result<(ir::Program, base::SourceMap), String> {
    if !options.sliced && rules.is_empty() {
        return Ok((front.program, front.sources));
    }
    let options = front::Preparation {
        no_slice: !options.sliced,
        no_propagate: !options.sliced,
        ..front::Preparation::default()
    };
    // What is assumed of undefined functions is of no interest here.
    let policy = cfront::ExternPolicy::default();
    let preparation = Preparation {
        settings: options.settings(policy),
        extern_policy: policy,
        rules,
        ..Preparation::default()
    };
    let task = Task::new(front, &preparation);
    task.map(|task| (task.program, task.sources)).map_err(|refusal| refusal.text())
}

/// Reads a program and prints what is made from it; a message instead says why nothing can be made.
///
/// # Errors
/// A usage error.
pub(crate) fn run(
    console: Console<'_>,
    options: &Show,
    text: impl FnOnce(Frontend, &[slic::Source]) -> Result<String, String>,
) -> Result<i32, Usage> {
    run_into(console, options, None, text)
}

/// The same; the text goes into the file, if there is one.
///
/// # Errors
/// A usage error.
pub(crate) fn run_into(
    Console { host, stdout, stderr }: Console<'_>,
    options: &Show,
    output: Option<&Path>,
    text: impl FnOnce(Frontend, &[slic::Source]) -> Result<String, String>,
) -> Result<i32, Usage> {
    let mut request = match front::request(&options.files, &options.front_end) {
        Ok(request) => request,
        Err(refused) => return Ok(refused.tell(stderr)?.exit_code()),
    };
    if let Err(verdict) = front::rules::mark(&mut request, stderr) {
        return Ok(verdict.exit_code());
    }
    if let Some(file) = output {
        let inputs = options.files.iter().map(PathBuf::as_path).chain(options.front_end.inputs());
        outputs::refuse(&[("--output", Some(file))], inputs)?;
    }
    let front_options = cfront::Options { need_checks: false, ..request.options };
    let session = Session::start(host, &options.limits, false, vec![]);
    let made = cli::process::catching(|| {
        let front = front::load(&request.files, &front_options, &session, stderr)?;
        Ok::<_, Verdict>(text(front, &request.rules))
    });
    Ok(match made {
        Ok(Ok(Ok(text))) => match output {
            Some(file) => {
                session.write_file(file, text.as_bytes(), stderr);
                session.finish_plain(stdout, "")
            }
            None => session.finish_plain(stdout, &text),
        },
        Ok(Ok(Err(message))) => {
            let _ = stderr.write_all(message.as_bytes());
            Verdict::Error("not modelled".into()).exit_code()
        }
        Ok(Err(verdict)) => verdict.exit_code(),
        Err(_) => Verdict::Internal.exit_code(),
    })
}
