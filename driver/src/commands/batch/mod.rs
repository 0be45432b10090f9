//! `slam batch`: many tasks, each checked by a process of its own, with one table at the end.
//!
//! A process for each task keeps memory limits, crashes and the prover's state apart. Results are appended to the file
//! of `--out` line by line, each whole; a batch that was ended, in whatever way, continues where it stopped. Invariant:
//! the result in that file for a task is the result of a check with these options on these files.

mod cache;
mod child;
mod keep;
mod keys;
mod merge;
mod results;
mod shard;
mod table;
mod tasks;

use crate::commands::Console;
use crate::observers::progress::Progress as Line;
use crate::options::{Batch, BatchCommand, Check, options_for_check};
use crate::sarif::{self, Outcome};
use base::styles::{ERROR, NOTE};
use cache::Cache;
use child::Spawner;
use cli::front;
use cli::process::Sink;
use cli::{Host, Session, Usage, Verdict, outputs};
use keep::Keep;
use keys::Keys;
use results::{Keeper, Record};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use table::What;
use tasks::Task;

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(console: Console<'_>, options: &Batch, args: &[OsString]) -> Result<i32, Usage> {
    if let Some(BatchCommand::Merge(merge)) = &options.command {
        return merge::run(console, merge);
    }
    refuse(console.host, options)?;
    let outputs = [
        ("--out", options.out.as_deref()),
        ("--sarif", options.check.sarif.as_deref()),
        ("--query-cache", options.check.refinement.query_cache.as_deref()),
    ];
    let inputs = options.check.files.iter().map(PathBuf::as_path);
    outputs::refuse(&outputs, inputs.chain(options.check.front_end.inputs()))?;
    work(console, (options, What::Tasks), options_for_check(args, &[])?, |spawner, _| {
        let find = || {
            let given = &options.check;
            let mut tasks = tasks::find(&given.files, &given.front_end)?;
            if let (Some(shard), Some(keys)) = (options.shard, &spawner.keys) {
                tasks = shard::part(tasks, shard, |task| keys.of(task));
            }
            let keeper = options.out.as_ref().map(|file| Keeper::open(file, options.fresh)).transpose()?;
            Ok((tasks, keeper))
        };
        find().map_err(|message: String| (format!("{ERROR} {message}\n"), Verdict::Error("batch".into())))
    })
}

/// Checks each function of a program by itself: `slam check --each-function`.
///
/// # Errors
/// A usage error.
pub(crate) fn functions(console: Console<'_>, check: &Check, args: &[OsString]) -> Result<i32, Usage> {
    let options = Batch::of(check);
    refuse(console.host, &options)?;
    let request = match front::request(&check.files, &check.front_end) {
        Ok(request) => request,
        Err(refused) => return Ok(refused.tell(console.stderr)?.exit_code()),
    };
    work(console, (&options, What::Functions), options_for_check(args, &[])?, |_, session| {
        let front_options = cfront::Options { children: session.children().clone(), ..request.options };
        match cfront::functions(&request.files, &front_options) {
            Ok(names) => Ok((names.iter().map(|name| Task::function(&check.files, name)).collect(), None)),
            Err(failure) => {
                let text = failure.diagnostics.iter().map(|d| d.styled(&failure.sources)).collect();
                Err((text, Verdict::Error(failure.kind.words().into())))
            }
        }
    })
}

/// Checks several rules, each by itself, side by side: `slam check --rule a,b`.
///
/// # Errors
/// A usage error.
pub(crate) fn rules(
    console: Console<'_>,
    check: &Check,
    words: &[String],
    args: &[OsString],
) -> Result<i32, Usage> {
    let options = Batch::of(check);
    refuse_files(&options.check, |name| format!("{name} is for one rule; there are {}", words.len()))?;
    refuse(console.host, &options)?;
    let mut request = match front::request(&check.files, &check.front_end) {
        Ok(request) => request,
        Err(refused) => return Ok(refused.tell(console.stderr)?.exit_code()),
    };
    // What is wrong with a rule is said once.
    let verdict = front::rules::mark(&mut request, console.stderr).err();
    let passed = options_for_check(args, &["rules", "rule_folders", "unused_rules"])?;
    work(console, (&options, What::Rules), passed, |_, _| match verdict {
        Some(verdict) => Err((String::new(), verdict)),
        None => {
            let named = words.iter().zip(&request.rules);
            Ok((named.map(|(word, rule)| Task::rule(&check.files, word, rule)).collect(), None))
        }
    })
}

/// What is to be done, or what to say and the verdict when it cannot be found out.
type Found = Result<(Vec<Task>, Option<Keeper>), (String, Verdict)>;

/// Checks the tasks that are found, and shows the table.
fn work(
    Console { host, stdout, stderr }: Console<'_>,
    (options, what): (&Batch, What),
    passed: Vec<OsString>,
    find: impl FnOnce(&Spawner, &Session) -> Found,
) -> Result<i32, Usage> {
    // Before anything that takes its time: the sums of the binary are of some megabytes.
    let session = Session::start(host, &cli::Limits::default(), options.check.output.stats, vec![]);
    let mut spawner = Spawner::new(options, passed).map_err(Usage::mistake)?;
    if options.cache.is_some() || options.out.is_some() || options.shard.is_some() {
        spawner.keys = Some(Keys::new(options, spawner.identity()));
    }
    let unwritable = outputs::unwritable(&[("--sarif", options.check.sarif.as_deref())]);
    let found = match unwritable {
        Some(message) => Err((message, Verdict::NotWritten)),
        None => find(&spawner, &session),
    };
    let (tasks, keeper) = match found {
        Ok(ready) => ready,
        Err((message, verdict)) => {
            let _ = stderr.write_all(message.as_bytes());
            return Ok(session.finish(stdout, "", &verdict));
        }
    };
    spawner.keep = match Keep::new(options) {
        Ok(keep) => keep,
        Err(e) => {
            let _ = writeln!(stderr, "{ERROR} --into: {e}");
            return Ok(session.finish(stdout, "", &Verdict::NotWritten));
        }
    };
    if let Some(folder) = &options.cache {
        match Cache::new(folder) {
            Ok(cache) => spawner.cache = Some(cache),
            Err(e) => {
                let _ = writeln!(stderr, "{ERROR} --cache: {e}");
                return Ok(session.finish(stdout, "", &Verdict::NotWritten));
            }
        }
    }
    let said = spawner.share(tasks.len()).filter(|_| !options.check.output.quiet);
    if let Some(said) = said {
        let _ = writeln!(stderr, "{NOTE} {said}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(spawner.jobs).build();
    let pool = pool.map_err(|e| Usage::mistake(format!("cannot start the worker threads: {e}")))?;
    spawner.whole = options.check.sarif.is_some();
    spawner.stop = Some(session.stop().clone());
    session.doing(format!("a batch of {} tasks", tasks.len()));
    let line = Line::new(host, options.check.output.quiet, String::new());
    let shared =
        Shared { done: vec![None; tasks.len()], running: BTreeSet::new(), keeper, stderr, broken: None };
    let shared = Mutex::new(shared);
    let progress = Progress { tasks: &tasks, spawner: &spawner, options, shared: &shared, line: &line };
    pool.scope_fifo(|scope| {
        for k in 0..tasks.len() {
            let progress = &progress;
            scope.spawn_fifo(move |_| progress.one(k));
        }
    });
    line.end();
    let shared = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(message) = shared.broken {
        let _ = writeln!(shared.stderr, "{ERROR} {message}");
        return Ok(session.finish(stdout, "", &Verdict::NotWritten));
    }
    let table = table::Table::new(&shared.done, what);
    session.set_stats(table.stats());
    let verdict = if session.stopped() { session.stopped_verdict() } else { table.verdict() };
    if let Some(file) = &options.check.sarif {
        let outcomes: Vec<Outcome<'_>> = shared.done.iter().flatten().map(Record::outcome).collect();
        let folder = std::env::current_dir().unwrap_or_default();
        let log = sarif::log(&outcomes, verdict.exit_code(), &folder);
        session.write_file(file, format!("{log:#}\n").as_bytes(), shared.stderr);
    }
    let body = if options.check.output.quiet { String::new() } else { table.text() };
    Ok(session.finish(stdout, &body, &verdict))
}

/// What a batch does not take.
fn refuse(host: Host, options: &Batch) -> Result<(), Usage> {
    if host == Host::Library {
        return Err(Usage::mistake("a batch starts processes of the program `slam`, which this is not"));
    }
    refuse_files(&options.check, |name| {
        format!(
            "{name} is for one task; the results of a batch go to --out, and files of each task to --into (--keep)"
        )
    })
}

/// Refuses files that are for one result.
pub(crate) fn refuse_files(check: &Check, message: impl Fn(&str) -> String) -> Result<(), Usage> {
    let one_file = [
        ("--json", check.json.is_some()),
        ("--save", check.save.is_some()),
        ("--harness", check.harness.is_some()),
        ("--html", check.html.is_some()),
        ("--write-witness", check.write_witness.is_some()),
        ("--validate-witness", check.validate_witness.is_some()),
        ("--dump-predicates", check.dump_predicates.is_some()),
        ("--dump-invariants", check.dump_invariants.is_some()),
    ];
    match one_file.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Usage::mistake(message(name))),
        None => Ok(()),
    }
}

/// What the workers share.
struct Shared<'e> {
    done: Vec<Option<Record>>,
    /// The tasks that are checked now.
    running: BTreeSet<usize>,
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
    /// The line on a terminal.
    line: &'b Line,
}

impl Progress<'_, '_> {
    /// Checks one task, unless its result is there or the batch ends.
    fn one(&self, k: usize) {
        // As the files are now that its turn comes.
        let key = self.spawner.keys.as_ref().map(|keys| keys.of(&self.tasks[k]));
        let task = &Task { key: key.unwrap_or_default(), ..self.tasks[k].clone() };
        let lock = || self.shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let kept = {
            let shared = lock();
            if shared.broken.is_some() || self.spawner.stopped() {
                return;
            }
            let has_files = self.spawner.keep.as_ref().is_none_or(|keep| keep.has(task));
            let found = shared.keeper.as_ref().filter(|_| has_files).and_then(|keeper| keeper.find(task));
            found.and_then(|record| self.spawner.kept(task, record))
        };
        let is_new = kept.is_none();
        if is_new {
            let mut shared = lock();
            shared.running.insert(k);
            self.tell(&shared);
        }
        let (cached, notice) = match &kept {
            Some(_) => (None, None),
            None => self.spawner.cached(task),
        };
        if let Some(notice) = notice {
            let mut shared = lock();
            self.line.aside(|| _ = writeln!(shared.stderr, "{NOTE} {notice}"));
        }
        let Some(record) = kept.or(cached).or_else(|| self.spawner.check(task)) else { return };
        let mut guard = lock();
        let shared = &mut *guard;
        shared.running.remove(&k);
        if is_new
            && let Some(keeper) = &mut shared.keeper
            && let Err(message) = keeper.add(&record)
        {
            shared.broken = Some(message);
        }
        if !self.options.check.output.quiet {
            let number = 1 + shared.done.iter().flatten().count();
            let line = table::progress(&record, number, self.tasks.len());
            self.line.aside(|| _ = shared.stderr.write_all(line.as_bytes()));
        }
        if self.options.check.output.verbose > 0 {
            self.line.aside(|| _ = shared.stderr.write_all(record.log.as_bytes()));
        }
        shared.done[k] = Some(record);
        self.tell(shared);
    }

    /// Says on the terminal's line what is being checked.
    fn tell(&self, shared: &Shared<'_>) {
        let done = shared.done.iter().flatten().count();
        let running: Vec<String> =
            shared.running.iter().map(|k| base::shown(&self.tasks[*k].name).to_string()).collect();
        self.line.tell(&format!("{done} of {} tasks; {}", self.tasks.len(), running.join(", ")));
    }
}
