//! Reports of undefined behaviour that a concrete execution has shown, where its checks are not enabled.

use super::speech::Speech;
use executions::random::{self as probe, Undefined};
use interp::Seen;
use ir::{CheckKind, Program};
use passes::checks::{ProgramEnds, Wanted};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use verify::Task;

/// What happens: as the check would say it that reports it, with the values in it, where the same executions with that check
/// come there.
pub(super) fn detail(task: &Task, undefined: &Undefined, stop: &AtomicBool) -> String {
    with_check(task, undefined, stop).unwrap_or_else(|| undefined.what.to_string())
}

fn with_check(task: &Task, undefined: &Undefined, stop: &AtomicBool) -> Option<String> {
    let kinds = BTreeSet::from([CheckKind::Reach, undefined.what.check()?]);
    let models = task.whole.procs.iter_enumerated().filter(|(_, p)| p.is_model()).map(|(p, _)| p).collect();
    let describe = |program: &Program, v| task.words.variable(program, &task.sources, v);
    let wanted = Wanted {
        kinds: &kinds,
        leaks_at: ProgramEnds::Return,
        covered: &models,
        strings: &BTreeSet::new(),
        describe: &describe,
        place: &|_, _| None,
    };
    let program = passes::checks::added(task.subject().whole, &wanted);
    let witness = probe::search(&program, stop).failing?;
    let check = &program.checks[witness.check];
    if check.span.start.line != undefined.place.start.line || check.span.file != undefined.place.file {
        return None;
    }
    let last = witness.run.trace.last()?;
    let mut speech = Speech::of_run(task, &program, &witness.run.trace);
    // What the checks keep for themselves is not the program's.
    let own = |seen: &&Seen| seen.place.as_var().is_none_or(|v| task.whole.vars.ids().any(|own| own == v));
    let shown = |seen: &Seen| Some(format!("{} = {}", speech.place(&seen.place)?, speech.value(seen)));
    let values: Vec<String> = last.values.iter().filter(own).filter_map(shown).collect();
    Some(match values[..] {
        [] => check.message.clone(),
        _ => format!("{} ({})", check.message, values.join(", ")),
    })
}

/// Which option makes it an error.
pub(super) fn advice(undefined: &Undefined) -> String {
    match undefined.what.check() {
        Some(kind) => format!("; --check {} reports this place as an error", kind.name()),
        None => String::new(),
    }
}

/// A line about executions that end with undefined behaviour, and so are left out of an answer.
pub(super) fn remark(task: &Task, undefined: &Undefined) -> String {
    format!(
        "  left out: executions with undefined behaviour, as in {}: {}{}\n",
        task.sources.short(undefined.place),
        undefined.what,
        advice(undefined)
    )
}
