//! `slam batch merge`: the table of a batch from the results of its shards.

use super::results::Record;
use super::shard::shard_of;
use super::table::{Table, What};
use crate::commands::Console;
use crate::options::Merge;
use ::results::batch::Place;
use base::styles::{ERROR, WARNING};
use cli::{Limits, Session, Usage, Verdict, outputs};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { host, stdout, stderr }: Console<'_>, options: &Merge) -> Result<i32, Usage> {
    outputs::refuse(&[("--out", options.out.as_deref())], options.files.iter().map(PathBuf::as_path))?;
    let session = Session::start(host, &Limits::default(), options.output.stats, vec![]);
    let merged = match merged(&options.files) {
        Ok(merged) => merged,
        Err(message) => {
            let _ = writeln!(stderr, "{message}");
            return Ok(session.finish(stdout, "", &Verdict::Error("batch".into())));
        }
    };
    for warning in merged.warnings.iter().filter(|_| !options.output.quiet) {
        let _ = writeln!(stderr, "{WARNING} {warning}");
    }
    if let Some(file) = &options.out {
        let lines: String = merged
            .done
            .iter()
            .flatten()
            .map(|record| format!("{}\n", ::results::line(&record.row)))
            .collect();
        session.write_file(file, lines.as_bytes(), stderr);
    }
    let table = Table::new(&merged.done, What::Tasks);
    session.set_stats(table.stats());
    let missing = merged.done.iter().filter(|record| record.is_none()).count();
    let verdict = match table.verdict() {
        Verdict::Safe | Verdict::Unknown(_) if missing > 0 => {
            Verdict::Unknown(format!("{missing} of {} tasks missing", merged.done.len()))
        }
        verdict => verdict,
    };
    let body = if options.output.quiet { String::new() } else { table.text() };
    Ok(session.finish(stdout, &body, &verdict))
}

/// The results of all tasks.
#[derive(Default)]
struct Merged {
    /// By their numbers; nothing where a task has no result.
    done: Vec<Option<Record>>,
    /// What is missing, and what is there twice.
    warnings: Vec<String>,
}

/// Puts the files together.
///
/// # Errors
/// A message with its place: a file that cannot be read, holds something else, or is of another batch.
fn merged(files: &[PathBuf]) -> Result<Merged, String> {
    let (mut out, mut batch) = (Merged::default(), None::<Place>);
    let mut shards: BTreeMap<usize, Vec<&Path>> = BTreeMap::new();
    for file in files {
        let records = records(file)?;
        // A file may hold the results of an earlier batch as well.
        let Some((_, last)) = records.last() else { continue };
        let first = batch.get_or_insert_with(|| last.clone());
        let same = |place: &Place| {
            (place.shards, place.tasks, &place.batch) == (first.shards, first.tasks, &first.batch)
        };
        if !same(last) {
            let what = "these results are of another batch than those before: the same tasks and options, and the same \
                        program, are wanted";
            return Err(format!("{}:{}:1: {ERROR} {what}", file.display(), records.len()));
        }
        out.done.resize(first.tasks, None);
        for (record, place) in records.iter().filter(|(_, place)| same(place)) {
            let known = shards.entry(place.shard).or_default();
            if !known.contains(&file.as_path()) {
                known.push(file);
            }
            // Of a shard that is there twice the first file counts, as far as it goes; in a file, the last line.
            let own = known.first() == Some(&file.as_path());
            if own || out.done[place.task].is_none() {
                out.done[place.task] = Some(record.clone().alone());
            }
        }
    }
    let Some(batch) = batch else {
        return Err(format!("{ERROR} there are no results of shards in these files"));
    };
    out.warnings = warnings(&batch, &shards, &out.done);
    Ok(out)
}

/// Shards that are missing are named up to this number.
const NAMED: usize = 20;

fn warnings(batch: &Place, shards: &BTreeMap<usize, Vec<&Path>>, done: &[Option<Record>]) -> Vec<String> {
    // Of each shard that has any tasks, how many there are, and how many of them have no result.
    let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (k, record) in done.iter().enumerate() {
        let (all, missing) = counts.entry(shard_of(k, batch.shards)).or_default();
        *all += 1;
        *missing += usize::from(record.is_none());
    }
    let (mut out, mut absent) = (vec![], 0);
    for (shard, (all, missing)) in counts {
        let name = format!("shard {shard} of {}", batch.shards);
        let files = shards.get(&shard).map_or(&[][..], Vec::as_slice);
        if files.is_empty() {
            absent += 1;
            if absent <= NAMED {
                out.push(format!("{name} is missing: {missing} tasks"));
            }
            continue;
        }
        if let [first, _, ..] = files {
            let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
            let (names, first) = (names.join(", "), first.display());
            out.push(format!("{name} is there more than once ({names}): the results in {first} count"));
        }
        if missing > 0 {
            out.push(format!("{name} has {} of {all} tasks", all - missing));
        }
    }
    if absent > NAMED {
        out.push(format!("{} more shards are missing", absent - NAMED));
    }
    out
}

/// The results in a file, with their places.
fn records(file: &Path) -> Result<Vec<(Record, Place)>, String> {
    let name = file.display();
    let text = cli::inputs::text(file).map_err(|e| format!("{name}:1:1: {ERROR} {e}"))?;
    // What a kill has left of a line is not a result.
    let whole = text.rfind('\n').map_or(0, |last| last + 1);
    let one = |(n, line): (usize, &str)| {
        let complain = |what: &str| format!("{name}:{}:1: {ERROR} {what}", n + 1);
        let record = Record::read(line).ok_or_else(|| complain("this is no result of a batch"))?;
        let place = record.row.place.clone();
        let place = place.ok_or_else(|| complain("this result is of no shard (slam batch --shard I/N)"))?;
        Ok((record, place))
    };
    text[..whole].lines().enumerate().map(one).collect()
}
