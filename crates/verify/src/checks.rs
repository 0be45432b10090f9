//! The checks of one run: which are asked for, the decisions, and what these depend on.

mod order;

use crate::cegar::Proof;
use crate::{Decision, Schedule, Task};
use executions::random::Undefined;
use ir::{CheckId, CheckKind};
use std::collections::{BTreeMap, BTreeSet};

/// See the module's documentation.
pub struct Checks {
    /// Those that are asked for, in the order of the source, and the decisions so far.
    pub schedule: Schedule,
    /// The others, which are assumed to hold.
    pub left_out: Vec<CheckId>,
    /// What holds at the loops when no check fails any more.
    pub proof: Option<Proof>,
    /// An execution that ends with undefined behaviour other than leaving its objects, which nobody has asked for.
    pub undefined: Option<Undefined>,
}

impl Checks {
    /// The checks that stand in the program, in the order of the source, without those for what is not modelled.
    pub fn own(task: &Task) -> Vec<CheckId> {
        let checks = &task.whole.checks;
        let mut own: Vec<CheckId> =
            checks.ids().filter(|c| checks[*c].kind != CheckKind::Unmodelled).collect();
        own.sort_by_key(|c| (checks[*c].span, *c));
        own
    }

    /// Asks for these checks: for the decision of each, or (not `all`) whether one fails. The others are assumed to hold.
    pub fn new(task: &mut Task, chosen: &BTreeSet<CheckId>, all: bool) -> Checks {
        let (asked, left_out): (Vec<_>, Vec<_>) =
            Checks::own(task).into_iter().partition(|c| chosen.contains(c));
        left_out.iter().for_each(|check| task.assume(*check));
        let checks = &task.whole.checks;
        let unmodelled = checks.ids().filter(|c| checks[*c].kind == CheckKind::Unmodelled).collect();
        let schedule = Schedule::new(asked, unmodelled, all);
        Checks { schedule, left_out, proof: None, undefined: None }
    }

    /// Whether all are to be decided, not only whether one fails.
    pub fn all(&self) -> bool {
        self.schedule.all()
    }

    /// The checks that are asked for, in the order of the source, with their decisions.
    pub fn list(&self) -> impl Iterator<Item = (CheckId, Option<&Decision>)> {
        self.schedule.list()
    }

    /// The checks that are not decided and from which control may reach this one: what was found out about it holds
    /// as long as those do not fail.
    pub fn given(&self, task: &Task) -> BTreeMap<CheckId, Vec<CheckId>> {
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
