//! Partial order reduction. The transitions of one thread suffice where they are a persistent set [God96]: nothing that the others
//! can do before this thread moves interferes with them. A thread that waits for the end of this one can do
//! nothing. A thread that waits for a condition on shared memory which does not hold now does not get past it,
//! unless one of the others can change it before: so the holder of a lock keeps the others from everything that
//! they do with the lock.

use super::access::{self, Accesses, Sharing};
use super::build::{Build, Graph, Moment, Place, Thread};
use super::instance::Action;
use super::values::Values;
use indexmap::IndexSet;
use ir::expr::{Base, Expr};
use ir::program::{Op, VarId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Most steps on the way to a wait for the end of a thread.
const LONGEST: usize = 200;

/// For each node the accesses from there on.
type Region = Rc<Vec<Accesses>>;

/// The conditions on shared memory that threads wait for.
#[derive(Default)]
pub(super) struct Waits {
    conditions: IndexSet<Expr>,
    /// The accesses of each condition.
    reads: Vec<Accesses>,
    /// The steps of each graph that wait for them, with the numbers of the conditions.
    steps: Vec<FxHashMap<usize, usize>>,
    /// The accesses of a graph without passing those conditions.
    regions: RefCell<FxHashMap<(usize, Vec<usize>), Region>>,
}

impl Waits {
    pub(super) fn of(graphs: &[Graph], addressed: &BTreeSet<VarId>) -> Waits {
        let mut out = Waits::default();
        let own = BTreeSet::new();
        for graph in graphs {
            let mut steps = FxHashMap::default();
            for (n, step) in graph.instance.steps.iter().enumerate() {
                let Action::Wait(e) = &step.action else { continue };
                let (mut any, mut all) = (false, true);
                e.loads(&mut |lv| {
                    any = true;
                    all &=
                        lv.is_fixed() && matches!(lv.base, Base::Var(v) if !graph.instance.own.contains(&v));
                });
                // In another form each place is read by itself.
                if any && all && graph.instance.nodes[step.src].split.is_none() {
                    let (condition, new) = out.conditions.insert_full(e.clone());
                    if new {
                        out.reads.push(access::of(&step.action, Sharing { addressed, own: &own }));
                    }
                    steps.insert(n, condition);
                }
            }
            out.steps.push(steps);
        }
        out
    }
}

impl Build {
    /// Whether other live threads may do something that interferes with one of these steps of a thread, or the
    /// other way round, before the thread moves.
    pub(super) fn conflicts(&self, moment: &Moment, thread: usize, steps: &[usize]) -> bool {
        let own = &self.graphs[moment.threads[thread].instance];
        let accesses: Vec<Accesses> = steps.iter().map(|s| self.accesses(moment, own, *s)).collect();
        let is_open =
            |graph: usize, future: &Accesses| future.starts && !self.has_crowds(moment, &self.graphs[graph]);
        let matters = |graph: usize, future: &Accesses| match is_open(graph, future) {
            true => accesses.iter().any(|a| a.conflicts(future)),
            false => accesses.iter().any(|a| a.meets(future)),
        };
        let may_matter = |graph: usize, node: usize| matters(graph, &self.graphs[graph].futures[node]);
        // The accesses of the threads that wait later for the end of this one, and the places of the others.
        let (mut before, mut others) = (vec![], vec![]);
        let mut any = false;
        for (t, graph, node) in moment.live().filter(|(t, ..)| *t != thread) {
            if self.awaits(moment, t, thread) {
                continue;
            }
            let conflicting = may_matter(graph, node);
            match conflicting.then(|| self.before_end(moment, t, thread)).flatten() {
                Some(accesses) if matters(graph, &accesses) => return true,
                Some(accesses) => before.push(accesses),
                None => {
                    any |= conflicting;
                    others.push((graph, node));
                }
            }
        }
        for (graph, node) in self.anywhere(moment) {
            any |= may_matter(graph, node);
            others.push((graph, node));
        }
        any && self.conflicts_by_waits(moment, &others, &before, &matters)
    }

    /// Whether the threads at these places do something that `matters` without passing conditions that do not
    /// hold now; the accesses `before` were checked already.
    fn conflicts_by_waits(
        &self,
        moment: &Moment,
        others: &[(usize, usize)],
        before: &[Accesses],
        matters: &dyn Fn(usize, &Accesses) -> bool,
    ) -> bool {
        let mut closed: Vec<usize> = self.closed_waits(moment);
        while !closed.is_empty() {
            let regions: Vec<(usize, usize, Region)> =
                others.iter().map(|(graph, node)| (*graph, *node, self.region(*graph, &closed))).collect();
            // A thread that is started there may do anything.
            let is_open = |(graph, node, region): &(usize, usize, Region)| {
                region[*node].starts && !self.has_crowds(moment, &self.graphs[*graph])
            };
            if regions.iter().any(is_open) {
                return true;
            }
            let number = closed.len();
            closed.retain(|c| {
                let reads = &self.waits.reads[*c];
                let opens = |(_, node, region): &(usize, usize, Region)| region[*node].changes(reads);
                !regions.iter().any(opens) && !before.iter().any(|accesses| accesses.changes(reads))
            });
            if closed.len() == number {
                return regions.iter().any(|(graph, node, region)| matters(*graph, &region[*node]));
            }
        }
        true
    }

    /// The accesses of a thread before another one has ended, if it surely waits for that: its way is known
    /// from its own variables alone.
    fn before_end(&self, moment: &Moment, thread: usize, other: usize) -> Option<Accesses> {
        let Thread { instance, place: Place::At(from), .. } = moment.threads[thread] else { return None };
        let graph = &self.graphs[instance];
        if !graph.joins || graph.crowd {
            return None;
        }
        let mut then = moment.clone();
        let (mut out, mut at) = (Accesses::default(), from);
        for _ in 0..LONGEST {
            // Variables that others may change are not known.
            let own = then.values.known(&graph.own);
            then.values = Values::default();
            then.values.restore(&own);
            let can = |n: &&usize| match &graph.instance.steps[**n].action {
                Action::Op(Op::Assume(e)) => self.truth(&then, e) != Some(false),
                _ => true,
            };
            let ways: Vec<usize> = graph.instance.nodes[at].out.iter().filter(can).copied().collect();
            let n = match ways[..] {
                [] => return Some(out),
                [n] => n,
                _ => return None,
            };
            let step = &graph.instance.steps[n];
            match &step.action {
                Action::Join { id, dest } => {
                    if self.eval(&then, id)? == other as i128 + 1 {
                        return Some(out);
                    }
                    dest.iter().for_each(|dest| self.assign(&mut then.values, dest, None));
                }
                Action::Start { .. } | Action::Unmodelled(_) => return None,
                Action::Op(op) => self.effect(&mut then, op),
                Action::Reset(vars) => vars.iter().for_each(|v| then.values.forget(&self.tracked.of(*v))),
                Action::Wait(_) | Action::Begin | Action::End => {}
            }
            out.join(&graph.accesses[n]);
            at = step.dst;
        }
        None
    }

    /// The conditions that are known not to hold now.
    fn closed_waits(&self, moment: &Moment) -> Vec<usize> {
        let all = self.waits.conditions.iter().enumerate();
        all.filter(|(_, e)| self.truth(moment, e) == Some(false)).map(|(n, _)| n).collect()
    }

    fn region(&self, graph: usize, closed: &[usize]) -> Region {
        let key = (graph, closed.to_vec());
        if let Some(region) = self.waits.regions.borrow().get(&key) {
            return region.clone();
        }
        let instance = &self.graphs[graph].instance;
        let sharing = Sharing { addressed: &self.addressed, own: &instance.own };
        let steps = &self.waits.steps[graph];
        let is_closed = |n: usize| steps.get(&n).is_some_and(|condition| closed.contains(condition));
        let region = Rc::new(access::futures(instance, sharing, &is_closed));
        self.waits.regions.borrow_mut().insert(key, region.clone());
        region
    }

    /// Whether a thread cannot move before another one has moved: it waits for the end of that one, or of one
    /// that does, or of one that has halted.
    fn awaits(&self, moment: &Moment, mut thread: usize, other: usize) -> bool {
        for _ in 0..moment.threads.len() {
            match self.awaited(moment, thread) {
                Some(next) if next == other => return true,
                Some(next) => thread = next,
                None => return moment.threads[thread].place == Place::Halted,
            }
        }
        // Some wait for each other.
        true
    }

    /// The thread for whose end a thread waits, where others cannot make that another one.
    fn awaited(&self, moment: &Moment, thread: usize) -> Option<usize> {
        let Thread { instance, place: Place::At(at), .. } = moment.threads[thread] else { return None };
        let graph = &self.graphs[instance];
        let [n] = graph.instance.nodes[at].out[..] else { return None };
        let Action::Join { id, .. } = &graph.instance.steps[n].action else { return None };
        let sharing = Sharing { addressed: &self.addressed, own: &graph.instance.own };
        if access::of(&Action::Wait(id.clone()), sharing).is_shared() {
            return None;
        }
        let next = usize::try_from(self.eval(moment, id)?).ok()?.checked_sub(1)?;
        let place = moment.threads.get(next)?.place;
        matches!(place, Place::At(_) | Place::Halted).then_some(next)
    }
}
