//! The checks of one run: which are requested, their verdicts, and what these depend on.

mod order;
mod selection;

use crate::options::Selection;
use crate::prepare::Task;
use crate::report::Proved;
use cegar::{Decision, Schedule};
use executions::random::Undefined;
use ir::{CheckId, CheckKind};
use std::collections::BTreeMap;

/// See the module's documentation.
pub(crate) struct Checks {
    /// Those that are asked for, in the order of the source, and the decisions so far.
    pub schedule: Schedule,
    /// The others, which are assumed to hold.
    pub left_out: Vec<CheckId>,
    /// What holds at the loops when no check fails any more.
    pub proof: Option<Proved>,
    /// An execution that ends with undefined behaviour other than leaving its objects, which nobody has asked for.
    pub undefined: Option<Undefined>,
}

impl Checks {
    /// Chooses the checks, and assumes that the others hold.
    ///
    /// # Errors
    /// When a line has no check, in words.
    pub(crate) fn choose(task: &mut Task, selection: &Selection) -> Result<Checks, String> {
        let checks = &task.whole.checks;
        let (unmodelled, mut own): (Vec<_>, Vec<_>) =
            checks.ids().partition(|c| checks[*c].kind == CheckKind::Unmodelled);
        own.sort_by_key(|c| (checks[*c].span, *c));
        let chosen = selection::chosen(task, &own, &selection.only)?;
        let (asked, left_out): (Vec<_>, Vec<_>) = own.into_iter().partition(|c| chosen.contains(c));
        left_out.iter().for_each(|check| task.mask(*check));
        let schedule = Schedule::new(asked, unmodelled.into_iter().collect(), selection.check_all);
        Ok(Checks { schedule, left_out, proof: None, undefined: None })
    }

    /// Whether all are to be decided, not only whether one fails.
    pub(crate) fn all(&self) -> bool {
        self.schedule.all()
    }

    /// The checks that are asked for, in the order of the source, with their decisions.
    pub(crate) fn list(&self) -> impl Iterator<Item = (CheckId, Option<&Decision>)> {
        self.schedule.list()
    }

    /// The checks that are not decided and from which control may reach this one: what was found out about it holds
    /// as long as those do not fail.
    pub(crate) fn given(&self, task: &Task) -> BTreeMap<CheckId, Vec<CheckId>> {
        let mut out: BTreeMap<CheckId, Vec<CheckId>> = BTreeMap::new();
        for (unknown, _) in self.list().filter(|(_, d)| matches!(d, Some(Decision::Unknown(_)))) {
            let behind = order::behind(&task.program, unknown);
            for (check, _) in self.list().filter(|(c, _)| *c != unknown && behind.contains(c)) {
                out.entry(check).or_default().push(unknown);
            }
        }
        out
    }
}
