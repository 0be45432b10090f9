//! `slam batch`: many tasks, each checked by a process of its own, with one table at the end.
//!
//! A process for each task keeps memory limits, crashes and the prover's state apart. Results are appended to the file
//! of `--out` line by line, each whole; a batch that was ended, however it was, goes on where it stopped. Invariant:
//! what is in that file for a task is what a check with these options on these files said.

mod child;
mod results;
mod table;
mod tasks;

use crate::commands::Console;
use crate::options::{Batch, options_for_check};
use child::Spawner;
use cli::process::Sink;
use cli::{Host, Session, Usage, Verdict, outputs};
use results::{Keeper, Record};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use tasks::Task;

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(
    Console { host, stdout, stderr }: Console<'_>,
    options: &Batch,
    args: &[OsString],
) -> Result<i32, Usage> {
    refuse(host, options)?;
    let outputs = [
        ("--out", options.out.as_deref()),
        ("--query-cache", options.check.refinement.query_cache.as_deref()),
    ];
    let inputs = options.check.files.iter().map(PathBuf::as_path);
    outputs::refuse(&outputs, inputs.chain(options.check.front_end.inputs()))?;
    let mut spawner = Spawner::new(options, options_for_check(args)?).map_err(Usage::mistake)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(spawner.jobs).build();
    let pool = pool.map_err(|e| Usage::mistake(format!("cannot start the worker threads: {e}")))?;
    let session = Session::start(host, &cli::Limits::default(), options.check.output.stats, vec![]);
    let (tasks, keeper) = match begin(options, &spawner) {
        Ok(ready) => ready,
        Err(message) => {
            let _ = writeln!(stderr, "error: {message}");
            return Ok(session.finish(stdout, "", &Verdict::Error("batch".into())));
        }
    };
    spawner.stop = Some(session.stop().clone());
    session.doing(format!("a batch of {} tasks", tasks.len()));
    let shared = Mutex::new(Shared { done: vec![None; tasks.len()], keeper, stderr, broken: None });
    let progress = Progress { tasks: &tasks, spawner: &spawner, options, shared: &shared };
    pool.scope_fifo(|scope| {
        for k in 0..tasks.len() {
            let progress = &progress;
            scope.spawn_fifo(move |_| progress.one(k));
        }
    });
    let shared = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(message) = shared.broken {
        let _ = writeln!(shared.stderr, "error: {message}");
        return Ok(session.finish(stdout, "", &Verdict::NotWritten));
    }
    let table = table::Table::new(&shared.done);
    session.set_stats(table.stats());
    let verdict = if session.stopped() { session.stopped_verdict() } else { table.verdict() };
    let body = if options.check.output.quiet { String::new() } else { table.text() };
    Ok(session.finish(stdout, &body, &verdict))
}

/// What a batch does not take.
fn refuse(host: Host, options: &Batch) -> Result<(), Usage> {
    if host == Host::Library {
        return Err(Usage::mistake("a batch starts processes of the program `slam`, which this is not"));
    }
    let one_file = [
        ("--json", options.check.json.is_some()),
        ("--save", options.check.save.is_some()),
        ("--dump-predicates", options.check.dump_predicates.is_some()),
    ];
    match one_file.iter().find(|(_, given)| *given) {
        Some((name, _)) => {
            Err(Usage::mistake(format!("{name} is for one task; the results of a batch go to --out")))
        }
        None => Ok(()),
    }
}

/// The tasks, and the file of results.
fn begin(options: &Batch, spawner: &Spawner) -> Result<(Vec<Task>, Option<Keeper>), String> {
    let tasks = tasks::find(&options.check.files, &options.check.front_end, &spawner.identity())?;
    let keeper = options.out.as_ref().map(|file| Keeper::open(file, options.fresh)).transpose()?;
    Ok((tasks, keeper))
}

/// What the workers share.
struct Shared<'e> {
    done: Vec<Option<Record>>,
    keeper: Option<Keeper>,
    stderr: &'e mut Sink<'e>,
    /// Why results cannot be kept.
    broken: Option<String>,
}

/// A batch at work.
struct Progress<'b, 'e> {
    tasks: &'b [Task],
    spawner: &'b Spawner,
    options: &'b Batch,
    shared: &'b Mutex<Shared<'e>>,
}

impl Progress<'_, '_> {
    /// Checks one task, unless its result is there or the batch ends.
    fn one(&self, k: usize) {
        let task = &self.tasks[k];
        let lock = || self.shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let kept = {
            let shared = lock();
            if shared.broken.is_some() || self.spawner.stopped() {
                return;
            }
            shared.keeper.as_ref().and_then(|keeper| keeper.find(task))
        };
        let is_new = kept.is_none();
        let Some(record) = kept.or_else(|| self.spawner.check(task)) else { return };
        let mut guard = lock();
        let shared = &mut *guard;
        if is_new
            && let Some(keeper) = &mut shared.keeper
            && let Err(message) = keeper.add(&record)
        {
            shared.broken = Some(message);
        }
        if !self.options.check.output.quiet {
            let number = 1 + shared.done.iter().flatten().count();
            let line = table::progress(&record, number, self.tasks.len());
            let _ = shared.stderr.write_all(line.as_bytes());
        }
        if self.options.check.output.verbose > 0 {
            let _ = shared.stderr.write_all(record.log.as_bytes());
        }
        shared.done[k] = Some(record);
    }
}
