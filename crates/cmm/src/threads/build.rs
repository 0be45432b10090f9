//! The sequential program: its locations are what the threads' places can be at once.

use super::access::{self, Accesses};
use super::emit::Emitter;
use super::inline::Inliner;
use super::instance::{Action, Instance};
use super::values::{self, Tracked, Values};
use super::{Bounds, Refused, ThreadOp};
use crate::expr::{Expr, Lvalue};
use crate::program::{Op, ProcId, Program, Var, VarId};
use base::IndexVec;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Place {
    /// At this node of its graph.
    At(usize),
    /// Its procedure has ended.
    Ended,
    /// It has no turn any more.
    Halted,
}

/// A thread at one moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Thread {
    /// Its graph.
    pub(super) instance: usize,
    pub(super) place: Place,
}

/// A moment, but for the values of most variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Moment {
    pub(super) threads: Vec<Thread>,
    /// The thread in an atomic section, and how many it is in.
    pub(super) atomic: Option<(usize, u32)>,
    pub(super) values: Values,
}

impl Moment {
    pub(super) fn live(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.threads.iter().enumerate().filter_map(|(t, thread)| match thread.place {
            Place::At(node) => Some((t, thread.instance, node)),
            Place::Ended | Place::Halted => None,
        })
    }
}

/// A thread's graph, with what is computed of it.
pub(super) struct Graph {
    pub(super) instance: Instance,
    /// What each node's steps and those behind it access.
    pub(super) futures: Vec<Accesses>,
    /// What each step accesses; of one that begins an atomic section what that does.
    pub(super) accesses: Vec<Accesses>,
}

/// The number of the thread, its procedure, and the argument if that stands for the parameter.
type GraphKey = (usize, ProcId, Option<Expr>);

pub(super) struct Build {
    pub(super) program: Program,
    pub(super) bounds: Bounds,
    pub(super) vars: IndexVec<VarId, Var>,
    pub(super) graphs: Vec<Graph>,
    named: BTreeMap<GraphKey, usize>,
    addressed: BTreeSet<VarId>,
    pub(super) tracked: Tracked,
    /// What the graphs made so far say about all others has changed.
    stale: bool,
}

impl Build {
    pub(super) fn new(program: Program, bounds: Bounds) -> Build {
        let vars = program.vars.clone();
        Build {
            program,
            bounds,
            vars,
            graphs: vec![],
            named: BTreeMap::new(),
            addressed: BTreeSet::new(),
            tracked: Tracked::default(),
            stale: false,
        }
    }

    pub(super) fn run(mut self) -> Result<Program, Refused> {
        // A graph that is made on the way may tell that more is shared than was thought: then all begins again.
        loop {
            self.stale = false;
            self.graph((0, self.program.entry, None))?;
            self.stale = false;
            self.compute_accesses();
            let mut emitter = Emitter::new(&self.program);
            let first = self.first();
            emitter.location(first.clone());
            let mut work = VecDeque::from([first]);
            while let Some(moment) = work.pop_front() {
                let turns = self.turns(&moment)?;
                if self.stale {
                    break;
                }
                work.extend(emitter.add(&self, &moment, turns)?);
            }
            if !self.stale {
                return Ok(emitter.finish(self));
            }
        }
    }

    fn first(&self) -> Moment {
        let entry = self.graphs[0].instance.entry;
        let thread = Thread { instance: 0, place: Place::At(entry) };
        Moment { threads: vec![thread], atomic: None, values: Values::new() }
    }

    /// The graph of a thread.
    pub(super) fn graph(&mut self, key: GraphKey) -> Result<usize, Refused> {
        if let Some(n) = self.named.get(&key) {
            return Ok(*n);
        }
        let (number, root, argument) = &key;
        let inliner = Inliner::new(&self.program, &mut self.vars, (self.program.procs.next_id(), *number));
        let instance = inliner.root(*root, argument.as_ref())?;
        let n = self.graphs.len();
        self.learn(&instance);
        self.graphs.push(Graph { instance, futures: vec![], accesses: vec![] });
        self.named.insert(key, n);
        self.stale = true;
        Ok(n)
    }

    /// What the argument stands for, where it may stand for the parameter of a thread's procedure.
    pub(super) fn argument(&mut self, number: usize, root: ProcId, arg: &Expr) -> Option<Expr> {
        let formal = *self.program.procs[root].formals.first()?;
        let inliner = Inliner::new(&self.program, &mut self.vars, (self.program.procs.next_id(), number));
        inliner.is_substituted(root, formal, arg).then(|| arg.clone())
    }

    /// Notes whose address is taken, and what is no constant.
    fn learn(&mut self, instance: &Instance) {
        for step in &instance.steps {
            access::addresses(&step.action, &mut |v| {
                self.addressed.insert(v);
                self.tracked.drop(v);
            });
            self.track(&step.action, instance);
        }
    }

    fn track(&mut self, action: &Action, instance: &Instance) {
        let (program, tracked) = (&self.program, &mut self.tracked);
        let mut read = |e: &Expr| e.loads(&mut |lv| _ = tracked.add(program, lv));
        match action {
            Action::Op(op) => crate::analysis::visit::evaluated(op, &mut read),
            Action::Start { arg: e, .. } | Action::Join { id: e, .. } | Action::Wait(e) => read(e),
            _ => {}
        }
        if let Action::Op(op) = action
            && let Some(dest) = op.destination()
        {
            let constant = matches!(op, Op::Assign(_, e) if is_finite(e, instance, dest));
            self.destination(dest, constant);
        }
        if let Action::Start { dest: Some(dest), .. } = action {
            self.destination(dest, true);
        }
        if let Action::Join { dest: Some(dest), .. } = action {
            self.destination(dest, false);
        }
    }

    fn destination(&mut self, dest: &Lvalue, constant: bool) {
        let crate::expr::Base::Var(v) = dest.base else { return };
        if constant {
            self.tracked.add(&self.program, dest);
        } else {
            self.tracked.drop(v);
        }
    }

    fn compute_accesses(&mut self) {
        for graph in &mut self.graphs {
            let sharing = access::Sharing { addressed: &self.addressed, own: &graph.instance.own };
            graph.futures = access::futures(&graph.instance, sharing);
            let of = |step: &super::instance::Step| match step.action {
                Action::Begin => access::section(&graph.instance, step.dst, sharing),
                _ => access::of(&step.action, sharing),
            };
            graph.accesses = graph.instance.steps.iter().map(of).collect();
        }
    }

    /// Whether others that live may do something that matters to one of these steps of a thread, or the other way round.
    pub(super) fn conflicts(&self, moment: &Moment, thread: usize, steps: &[usize]) -> bool {
        let own = &self.graphs[moment.threads[thread].instance];
        let mut others = moment.live().filter(|(t, ..)| *t != thread);
        others.any(|(_, instance, node)| {
            let future = &self.graphs[instance].futures[node];
            steps.iter().any(|s| own.accesses[*s].conflicts(future))
        })
    }

    /// What an expression is known to be.
    pub(super) fn eval(&self, moment: &Moment, e: &Expr) -> Option<i128> {
        values::eval(&self.program, &moment.values, e)
    }

    pub(super) fn is_foreign(&self, op: &Op) -> bool {
        op.calls().is_some_and(|q| ThreadOp::of(&self.program, q).is_none())
    }

    /// The result may have so many edges.
    pub(super) fn limit(&self, edges: usize) -> Result<(), Refused> {
        if edges <= self.bounds.edges {
            return Ok(());
        }
        let span = self.program.procs[self.program.entry].span;
        let message = format!(
            "the interleavings of the program's threads need more than {} statements",
            self.bounds.edges
        );
        Err(Refused { span, message })
    }
}

/// Whether the values that the expression can have are few: constants, and what is made of such without counting.
fn is_finite(e: &Expr, instance: &Instance, dest: &Lvalue) -> bool {
    let own = |v: &VarId| instance.own.contains(v);
    let counts = dest.as_var().as_ref().is_some_and(own);
    let mut finite = true;
    e.walk(&mut |node| {
        finite &= match node {
            Expr::Const(..) => true,
            Expr::Load(lv) => lv.is_fixed(),
            Expr::Cast(..) => true,
            Expr::Unary(op, ..) => matches!(op, crate::expr::UnOp::Not) || counts,
            Expr::Binary(op, ..) => {
                op.is_comparison()
                    || matches!(op, crate::expr::BinOp::And | crate::expr::BinOp::Or)
                    || counts && matches!(op, crate::expr::BinOp::Add | crate::expr::BinOp::Sub)
            }
            _ => false,
        }
    });
    finite
}
