//! `--only`: the checks on some lines.

use ir::CheckId;
use std::collections::BTreeSet;
use std::path::Path;
use verify::Task;

/// Most lines that a message names.
const SHOWN: usize = 12;

/// Those of the checks that the words choose: all of them when there are no words.
///
/// # Errors
/// When a word is not a line, or a line has no check.
pub(super) fn chosen(task: &Task, checks: &[CheckId], words: &[String]) -> Result<BTreeSet<CheckId>, String> {
    if words.is_empty() {
        return Ok(checks.iter().copied().collect());
    }
    let mut chosen = BTreeSet::new();
    for word in words {
        let (file, line) = match word.rsplit_once(':') {
            Some((file, line)) => (Some(file), line),
            None => (None, word.as_str()),
        };
        let Ok(line) = line.parse::<u32>() else {
            return Err(format!("--only {word}: a line is asked for, as 12 or list.c:12"));
        };
        let fits = |c: &&CheckId| {
            let span = task.whole.checks[**c].span;
            let name = Path::new(&task.sources.file(span.file).name);
            span.start.line == line && file.is_none_or(|f| name.ends_with(f))
        };
        let before = chosen.len();
        chosen.extend(checks.iter().filter(fits));
        if chosen.len() == before && !checks.iter().any(|c| fits(&c)) {
            return Err(format!("--only {word}: there is no check; {}", lines(task, checks)));
        }
    }
    Ok(chosen)
}

fn lines(task: &Task, checks: &[CheckId]) -> String {
    let mut places: Vec<String> =
        checks.iter().map(|c| task.sources.short(task.whole.checks[*c].span)).collect();
    places.dedup();
    if places.is_empty() {
        return "the program has none".to_owned();
    }
    let more = places.len().saturating_sub(SHOWN);
    places.truncate(SHOWN);
    if more > 0 {
        places.push(format!("and {more} more lines"));
    }
    format!("there are checks at {}", places.join(", "))
}
