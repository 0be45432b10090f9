//! The product of the threads: a location of the sequential program stands for the places at which they can be
//! together.

use super::access::{self, Accesses};
use super::counting::{self as crowd, Member, Number};
use super::explore::Explored;
use super::inline::Inliner;
use super::instance::{Action, Instance, Step};
use super::known::{Known, Reader};
use super::persistent::Waits;
use super::pointed::Pointed;
use super::values::{Tracked, Values};
use super::{Bounds, Faults, Refused, simplify};
use base::IndexVec;
use ir::ThreadOp;
use ir::expr::{Base, BinOp, Expr, Lvalue, UnOp};
use ir::program::{HavocKind, Op, ProcId, Program, Var, VarId};
use ir::types::{IntType, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The place of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    /// At this node of its graph.
    At(usize),
    /// Its procedure has ended.
    Ended,
    /// It is the first thread and has ended, but not the program.
    Quit,
    /// It never moves again.
    Halted,
    /// It stands for a crowd, no member of which moves now.
    Idle,
}

/// A thread in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Thread {
    /// Its graph.
    pub(super) instance: usize,
    pub(super) place: Place,
    /// It is the one thread of its kind that is not part of a crowd.
    pub(super) chosen: bool,
}

/// A state of the product, without the values of most variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Moment {
    pub(super) threads: Vec<Thread>,
    /// The thread in an atomic section, and how many it is in.
    pub(super) atomic: Option<(usize, u32)>,
    pub(super) values: Values,
    /// A thread that has assigned an unknown truth value to the location; the next transition splits on it.
    pub(super) split: Option<Box<(usize, Lvalue)>>,
    /// Members of crowds, sorted, with their numbers.
    pub(super) crowd: Vec<(Member, Number)>,
    /// The thread that must move next.
    pub(super) forced: Option<usize>,
}

impl Moment {
    pub(super) fn live(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.threads.iter().enumerate().filter_map(|(t, thread)| match thread.place {
            Place::At(node) => Some((t, thread.instance, node)),
            Place::Ended | Place::Quit | Place::Halted | Place::Idle => None,
        })
    }
}

/// A thread's graph, with the results of analyses of it.
pub(super) struct Graph {
    pub(super) instance: Instance,
    /// For each node the accesses of its steps and of those reachable from it.
    pub(super) futures: Vec<Accesses>,
    /// The accesses of each step; for one that begins an atomic section, those of the section.
    pub(super) accesses: Vec<Accesses>,
    /// The slots of its variables.
    pub(super) own: Vec<usize>,
    /// For each node the slots of its variables that are not read from there on.
    pub(super) dead: Vec<Vec<usize>>,
    /// Its procedure.
    pub(super) root: ProcId,
    /// It is the graph of a crowd.
    pub(super) crowd: bool,
    /// For each node whether it lies on a cycle.
    pub(super) cyclic: Vec<bool>,
    /// The procedures of the threads that it starts, and whether it starts them in loops.
    pub(super) starts: Vec<(ProcId, bool)>,
    /// It waits for the ends of threads.
    pub(super) joins: bool,
    /// For each node whether the thread holds a lock there.
    pub(super) holds: Vec<bool>,
    /// The other nodes at which it does something that concerns other threads.
    pub(super) free: Vec<usize>,
}

impl Graph {
    fn find_free(&mut self) {
        let Graph { instance, accesses, holds, .. } = self;
        let concerns = |n: &usize| match instance.steps[*n].action {
            Action::Begin | Action::Start { .. } => true,
            _ => accesses[*n].is_shared(),
        };
        let outside = instance.outside();
        let is_free = |n: &usize| !holds[*n] && outside[*n] && instance.nodes[*n].out.iter().any(concerns);
        self.free = (0..instance.nodes.len()).filter(is_free).collect();
    }
}

/// The number of the thread, its procedure, the argument if it replaces the parameter, and whether it is a crowd.
type GraphKey = (usize, ProcId, Option<Expr>, bool);

/// The precision of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All states, distinguished by all known values, those of counters included.
    Counting,
    /// All states; shared counters are not known.
    Whole,
    /// All states; of shared variables, only those that threads wait for are distinguished by value.
    Coarse,
}

impl Extent {
    /// Whether the values of all shared variables may be known.
    fn is_fine(self) -> bool {
        self != Extent::Coarse
    }

    /// The largest counter value that is tracked.
    pub(super) fn largest(self) -> i128 {
        match self {
            Extent::Counting => 100_000,
            Extent::Whole | Extent::Coarse => 12,
        }
    }
}

/// The product of the threads, as far as it has been made.
pub struct Build {
    pub(super) program: Program,
    /// The bounds of the product.
    pub bounds: Bounds,
    pub(super) extent: Extent,
    pub(super) faults: Faults,
    pointed: Pointed,
    /// The thread-local globals.
    apart: BTreeSet<VarId>,
    pub(super) vars: IndexVec<VarId, Var>,
    pub(super) graphs: Vec<Graph>,
    named: BTreeMap<GraphKey, usize>,
    pub(super) addressed: BTreeSet<VarId>,
    pub(super) tracked: Tracked,
    /// The slots of variables to which pointers may lead.
    pub(super) pointed_slots: Vec<usize>,
    /// The shared variables that no pointer leads to: the number of each as a place, and its slots.
    pub(super) shared: Vec<(usize, Vec<usize>)>,
    /// The conditions that threads wait for.
    pub(super) waits: Waits,
    /// A loop starts more threads than the bound.
    pub(super) more: bool,
    /// A new graph has changed the facts about all others.
    stale: bool,
}

impl Build {
    /// Begins a product. `pointed` are the procedures that indirect calls may reach ([`pointed`](super::pointed::pointed)),
    /// of the globals `apart` each thread has its own.
    pub fn new(
        program: Program,
        (pointed, apart): (Pointed, BTreeSet<VarId>),
        (bounds, faults): (Bounds, Faults),
        extent: Extent,
    ) -> Build {
        let vars = program.vars.clone();
        Build {
            program,
            bounds,
            extent,
            faults,
            pointed,
            apart,
            vars,
            graphs: vec![],
            named: BTreeMap::new(),
            addressed: BTreeSet::new(),
            tracked: Tracked::default(),
            pointed_slots: vec![],
            shared: vec![],
            waits: Waits::default(),
            more: false,
            stale: false,
        }
    }

    /// Explores the states within the bounds, those first that need the fewest preemptive context switches \[MQ07\].
    ///
    /// # Errors
    /// An operation of a thread that has no sequential counterpart, at its place.
    pub fn search(&mut self) -> Result<Explored, Refused> {
        // A new graph may show that more is shared than was assumed: then the search starts anew.
        loop {
            self.stale = false;
            self.graph((0, self.program.entry, None, false))?;
            self.stale = false;
            self.compute_accesses();
            if let Some(found) = self.explore()? {
                return Ok(found);
            }
        }
    }

    pub(super) fn is_stale(&self) -> bool {
        self.stale
    }

    pub(super) fn first(&self) -> Moment {
        let entry = self.graphs[0].instance.entry;
        let thread = Thread { instance: 0, place: Place::At(entry), chosen: false };
        Moment {
            threads: vec![thread],
            atomic: None,
            values: Values::default(),
            split: None,
            crowd: vec![],
            forced: None,
        }
    }

    /// The graph of a thread.
    pub(super) fn graph(&mut self, key: GraphKey) -> Result<usize, Refused> {
        if let Some(n) = self.named.get(&key) {
            return Ok(*n);
        }
        let (number, root, argument, many) = &key;
        let known = (&self.pointed, &self.apart);
        let mut inliner = Inliner::new(&self.program, known, &mut self.vars, *number);
        inliner.crowd = *many;
        let instance = inliner.root(*root, argument.as_ref())?;
        let n = self.graphs.len();
        self.learn(&instance);
        let cyclic = instance.cyclic();
        let start = |step: &Step| match step.action {
            Action::Start { root, .. } => Some((root, *many || cyclic[step.src])),
            _ => None,
        };
        let starts = instance.steps.iter().filter_map(start).collect();
        let joins = instance.steps.iter().any(|step| matches!(step.action, Action::Join { .. }));
        let holds = if *many { crowd::holds(&instance) } else { vec![] };
        self.graphs.push(Graph {
            instance,
            futures: vec![],
            accesses: vec![],
            own: vec![],
            dead: vec![],
            root: *root,
            crowd: *many,
            cyclic,
            starts,
            joins,
            holds,
            free: vec![],
        });
        self.named.insert(key, n);
        self.stale = true;
        Ok(n)
    }

    /// The expression of the argument, if it may replace the parameter of a thread's procedure.
    pub(super) fn argument(&mut self, number: usize, root: ProcId, arg: &Expr) -> Option<Expr> {
        let formal = *self.program.procs[root].formals.first()?;
        let inliner = Inliner::new(&self.program, (&self.pointed, &self.apart), &mut self.vars, number);
        inliner.is_substituted(root, formal, arg).then(|| arg.clone())
    }

    /// Records the variables whose address is taken, and the locations that get values other than constants.
    fn learn(&mut self, instance: &Instance) {
        for step in &instance.steps {
            access::addresses(&step.action, &mut |v| _ = self.addressed.insert(v));
            self.track(&step.action, instance);
        }
        if self.extent.is_fine() {
            self.track_starts(instance);
        }
    }

    /// Scalars at the start of objects whose address is taken, of the types that pointers are followed at: locks.
    fn track_starts(&mut self, instance: &Instance) {
        let (mut types, mut taken) = (BTreeSet::new(), BTreeSet::new());
        for step in &instance.steps {
            step.action.nodes(&mut |e| match e {
                Expr::Load(lv) if lv.path.is_empty() && matches!(lv.base, Base::Deref(_)) => {
                    types.insert(lv.ty.clone());
                }
                Expr::AddrOf(_) => _ = taken.insert(e.clone()),
                _ => {}
            });
        }
        for (address, ty) in taken.iter().flat_map(|address| types.iter().map(move |ty| (address, ty))) {
            if let Some(start) = simplify::start(&self.program, address, ty) {
                self.tracked.add(&self.program, &self.vars, &start);
            }
        }
    }

    fn track(&mut self, action: &Action, instance: &Instance) {
        let (program, vars, tracked) = (&self.program, &self.vars, &mut self.tracked);
        let whole = self.extent.is_fine();
        let mut read = |e: &Expr, waits: bool| {
            e.walk(&mut |e| {
                if let Expr::Load(lv) | Expr::AddrOf(lv) = e
                    && (waits || whole || is_own(instance, lv))
                {
                    tracked.add(program, vars, lv);
                }
            });
        };
        match action {
            Action::Op(op) => ir::visit::evaluated(op, &mut |e| read(e, false)),
            Action::Start { arg: e, .. } => read(e, false),
            Action::Join { id: e, .. } | Action::Wait(e) => read(e, true),
            _ => {}
        }
        if let Action::Op(op) = action
            && let Some(dest) = op.destination()
        {
            let counts = self.extent == Extent::Counting || is_own(instance, dest);
            let constant = match op {
                Op::Assign(_, e) => is_finite(e, counts),
                Op::Alloc { .. } => true,
                // One value, that is not known.
                Op::Havoc(_, HavocKind::Uninit) => true,
                Op::Havoc(..) => self.extent == Extent::Counting || self.is_split(op),
                _ => false,
            };
            self.destination(dest, constant, whole || is_own(instance, dest));
        }
        if let Action::Start { dest: Some(dest), .. } = action {
            self.destination(dest, true, true);
        }
        if let Action::Join { dest: Some(dest), .. } = action {
            self.destination(dest, false, false);
        }
    }

    /// Records a write to the location: `constant` if it has few possible values, `wanted` if they are to be
    /// tracked.
    fn destination(&mut self, dest: &Lvalue, constant: bool, wanted: bool) {
        if !constant {
            self.tracked.refuse(&self.program, &self.vars, dest);
        } else if wanted {
            self.tracked.add(&self.program, &self.vars, dest);
        }
    }

    /// Whether states are split on the unknown truth value that the operation assigns.
    pub(super) fn is_split(&self, op: &Op) -> bool {
        let truth = |lv: &Lvalue| lv.ty == Type::Int(IntType::BOOL);
        matches!(op, Op::Havoc(lv, kind) if truth(lv) && *kind != HavocKind::Uninit) && self.extent.is_fine()
    }

    fn compute_accesses(&mut self) {
        for graph in &mut self.graphs {
            let sharing = access::Sharing { addressed: &self.addressed, own: &graph.instance.own };
            graph.futures = access::futures(&graph.instance, sharing, &|_| false);
            let of = |step: &Step| match step.action {
                Action::Begin => access::section(&graph.instance, step.dst, sharing),
                _ => access::of(&step.action, sharing),
            };
            graph.accesses = graph.instance.steps.iter().map(of).collect();
            if graph.crowd {
                graph.find_free();
            }
            // Pointers may be read through where a variable is not named any more.
            let named = graph.instance.own.iter().filter(|v| !self.addressed.contains(v));
            let own: Vec<(VarId, Vec<usize>)> = named.map(|v| (*v, self.tracked.of(*v))).collect();
            let dead = |live: &BTreeSet<VarId>| {
                own.iter().filter(|(v, _)| !live.contains(v)).flat_map(|(_, slots)| slots).copied().collect()
            };
            graph.dead = graph.instance.read_later(true).iter().map(dead).collect();
            graph.own = own.into_iter().flat_map(|(_, slots)| slots).collect();
        }
        let is_shared = |v: &VarId| {
            let own = |graph: &Graph| graph.instance.own.contains(v);
            !self.addressed.contains(v) && !self.graphs.iter().any(own)
        };
        self.pointed_slots = self.addressed.iter().flat_map(|v| self.tracked.of(*v)).collect();
        let shared = self.tracked.variables().filter(is_shared);
        self.shared = shared.map(|v| (access::place(v), self.tracked.of(v))).collect();
        self.waits = Waits::of(&self.graphs, &self.addressed);
    }

    /// The accesses of a step, with what is known about pointers.
    pub(super) fn accesses(&self, moment: &Moment, graph: &Graph, step: usize) -> Accesses {
        let action = &graph.instance.steps[step].action;
        if !graph.accesses[step].follows() || matches!(action, Action::Begin) {
            return graph.accesses[step].clone();
        }
        let sharing = access::Sharing { addressed: &self.addressed, own: &graph.instance.own };
        let mut out = access::of(&self.named(moment, action), sharing);
        // Where the pointers are is read all the same.
        out.join(&graph.accesses[step].clone().without_pointed());
        out
    }

    /// The action with known pointers replaced by what they lead to.
    pub(super) fn named(&self, moment: &Moment, action: &Action) -> Action {
        self.read(&moment.values, |reader| match action {
            Action::Op(op) => Action::Op(reader.named_op(op)),
            Action::Start { dest, root, arg } => Action::Start {
                dest: dest.clone().map(|lv| reader.named_place(lv)),
                root: *root,
                arg: reader
                    .value(arg)
                    .map_or(arg.clone(), |known| known.expression(&self.program, &arg.ty())),
            },
            Action::Join { dest, id } => Action::Join {
                dest: dest.clone().map(|lv| reader.named_place(lv)),
                id: reader.named(id.clone()),
            },
            Action::Wait(e) => Action::Wait(reader.named(e.clone())),
            Action::Begin | Action::End | Action::Reset(_) | Action::Unmodelled(_) => action.clone(),
        })
    }

    /// Evaluates something with the known values.
    pub(super) fn read<T>(&self, values: &Values, f: impl FnOnce(&Reader<'_>) -> T) -> T {
        let holds = |lv: &Lvalue| self.tracked.get(values, lv);
        f(&Reader { program: &self.program, vars: &self.vars, holds: &holds })
    }

    /// The number that an expression is known to be.
    pub(super) fn eval(&self, moment: &Moment, e: &Expr) -> Option<i128> {
        self.read(&moment.values, |reader| reader.number(e))
    }

    /// Whether a condition is known to hold, or not to hold.
    pub(super) fn truth(&self, moment: &Moment, e: &Expr) -> Option<bool> {
        self.read(&moment.values, |reader| reader.truth(e))
    }

    /// Records that the location has got a value, or an unknown one.
    pub(super) fn assign(&self, values: &mut Values, lv: &Lvalue, value: Option<Known>) {
        let place = self.read(values, |reader| reader.place(lv));
        match (place, &lv.base) {
            (Some(place), _) => self.store(values, &place, value),
            (None, Base::Var(_)) => self.store(values, lv, None),
            (None, Base::Deref(_)) => values.forget(&self.pointed_slots),
        }
    }

    fn store(&self, values: &mut Values, lv: &Lvalue, value: Option<Known>) {
        self.tracked.assign((&self.program, &self.vars), values, lv, value);
    }

    pub(super) fn is_foreign(&self, op: &Op) -> bool {
        op.calls().is_some_and(|q| ThreadOp::of(&self.program, q).is_none())
    }
}

/// Whether the location is in a variable of the thread.
fn is_own(instance: &Instance, lv: &Lvalue) -> bool {
    matches!(lv.base, Base::Var(v) if instance.own.contains(&v))
}

/// Whether the values that the expression can have are few: constants, and what is made of such, by counting too if that
/// `counts`.
fn is_finite(e: &Expr, counts: bool) -> bool {
    let mut finite = true;
    e.walk(&mut |node| {
        finite &= match node {
            Expr::Const(..) | Expr::Cast(..) | Expr::AddrOf(_) | Expr::Func(..) => true,
            Expr::Load(lv) => counts || matches!(lv.base, Base::Var(_)),
            Expr::Unary(op, ..) => matches!(op, UnOp::Not) || counts,
            Expr::Binary(op, ..) => counts || op.is_comparison() || matches!(op, BinOp::And | BinOp::Or),
            _ => false,
        }
    });
    finite
}
