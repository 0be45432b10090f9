//! Procedures that are the same but for the names of their variables: handlers, processes and locks are often copies of each other.
//! Predicates that paths have needed in several of them will be needed in the others, by one path each;
//! [`Isomorphic::missing`] are all of them at once.
//!
//! Two procedures are isomorphic if a bijection between their variables, globals included, maps one graph to the other, edge by edge in
//! the order of the source; what they call is the same procedure, or isomorphic ones.
//!
//! Invariant: as for [`states`](crate::generalise::states): what is said here decides nothing, and costs time at most.

use crate::Suggested;
use base::Id;
use encoding::IntMode;
use ir::{Callee, CheckId, EdgeId, LocId, Op, PathStep, Proc, ProcId, Program, Type, VarId};
use predicates::normal::{Normal, normalise};
use predicates::predicate::variables;
use predicates::{Precision, Predicate, Scope};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A predicate has to be known in at least this many isomorphic procedures.
const SEVERAL: usize = 2;

/// More predicates than this are not learned at once.
const MOST: usize = 1_000;

/// The procedures of a program that are isomorphic to others.
pub struct Isomorphic {
    /// Classes of at least two, each in the order of the program.
    classes: Vec<Vec<Member>>,
    /// The class and the position of those in which a variable occurs.
    occurrences: BTreeMap<VarId, Vec<(usize, usize)>>,
}

/// A procedure with its variables, in the order in which they occur; those at the same place correspond to each other.
struct Member {
    proc: ProcId,
    variables: Vec<VarId>,
}

/// A procedure without the names of its variables.
#[derive(PartialEq, Eq, Hash)]
struct Form {
    edges: Vec<(LocId, LocId, Op)>,
    /// For each variable whether it is a global one, and its type.
    variables: Vec<(bool, Type)>,
}

/// Gives the variables of a procedure numbers.
#[derive(Default)]
struct Numbering {
    numbers: FxHashMap<VarId, VarId>,
    variables: Vec<VarId>,
}

impl Isomorphic {
    /// Finds them.
    pub fn new(program: &Program) -> Isomorphic {
        let mut sizes: FxHashMap<_, Vec<ProcId>> = FxHashMap::default();
        for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| !proc.edges.is_empty()) {
            let size = (proc.edges.len(), proc.locations.len(), proc.formals.len(), proc.locals.len());
            sizes.entry(size).or_default().push(p);
        }
        // What may be isomorphic to what: refined by what they call until nothing changes. The first of a class stands for all.
        let mut alike: BTreeMap<ProcId, ProcId> = BTreeMap::new();
        for group in sizes.into_values().filter(|group| 1 < group.len()) {
            alike.extend(group.iter().map(|p| (*p, group[0])));
        }
        let mut classes: Vec<Vec<Member>> = vec![];
        loop {
            let mut forms: FxHashMap<_, Vec<Member>> = FxHashMap::default();
            for (p, first) in &alike {
                let (form, variables) = form(program, &program.procs[*p], &alike);
                forms.entry((*first, form)).or_default().push(Member { proc: *p, variables });
            }
            let before = (alike.len(), classes.len());
            classes = forms.into_values().filter(|class| 1 < class.len()).collect();
            alike = classes.iter().flat_map(|class| class.iter().map(|m| (m.proc, class[0].proc))).collect();
            if before == (alike.len(), classes.len()) {
                break;
            }
        }
        classes.sort_by_key(|class| class[0].proc);
        let mut occurrences: BTreeMap<VarId, Vec<(usize, usize)>> = BTreeMap::new();
        for (c, class) in classes.iter().enumerate() {
            for (m, member) in class.iter().enumerate() {
                member.variables.iter().for_each(|v| occurrences.entry(*v).or_default().push((c, m)));
            }
        }
        Isomorphic { classes, occurrences }
    }

    /// The predicates that the precision has for several procedures that are isomorphic and not for the others, each with the first
    /// step of the procedure that mentions what it is about; a thousand at most.
    pub fn missing(&self, program: &Program, mode: IntMode, precision: &Precision) -> Vec<Suggested> {
        // In the words of the first procedure of the class.
        let mut known: BTreeMap<(usize, Predicate), BTreeSet<usize>> = BTreeMap::new();
        for (_, predicate) in precision.iter() {
            let own = variables(&predicate.expr);
            let Some(places) = own.first().and_then(|v| self.occurrences.get(v)) else { continue };
            for (c, m) in places {
                let (class, member) = (&self.classes[*c], &self.classes[*c][*m]);
                if matches!(predicate.scope, Scope::Proc(p) if p != member.proc) {
                    continue;
                }
                if let Some(first) = member.renamed(program, mode, predicate, &class[0]) {
                    known.entry((*c, first)).or_default().insert(*m);
                }
            }
        }
        let mut out: Vec<Suggested> = vec![];
        let mut new = BTreeSet::new();
        for ((c, predicate), members) in known.into_iter().filter(|(_, members)| SEVERAL <= members.len()) {
            let class = &self.classes[c];
            if MOST < out.len() + class.len() {
                break;
            }
            for (_, member) in class.iter().enumerate().filter(|(m, _)| !members.contains(m)) {
                if let Some(predicate) = class[0].renamed(program, mode, &predicate, member)
                    && !precision.contains(&predicate)
                    && new.insert(predicate.clone())
                {
                    let step = member.step(program, &predicate);
                    out.push(Suggested { predicate, step });
                }
            }
        }
        out
    }
}

impl Member {
    /// A predicate of this procedure in the words of another one that is isomorphic; `None` where it is also about something that does
    /// not occur in the procedure.
    fn renamed(
        &self,
        program: &Program,
        mode: IntMode,
        predicate: &Predicate,
        other: &Member,
    ) -> Option<Predicate> {
        let number = |v: VarId| self.variables.iter().position(|own| *own == v);
        let own = variables(&predicate.expr);
        let pairs: BTreeMap<VarId, VarId> =
            own.into_iter().map(|v| Some((v, other.variables[number(v)?]))).collect::<Option<_>>()?;
        let expr = predicate.expr.clone().renamed(&mut |v| pairs[&v]);
        match normalise(expr, mode, program.signed_wrap) {
            Normal::Atom { expr, .. } => Predicate::new(program, expr, Some(other.proc)).ok(),
            _ => None,
        }
    }

    /// The first step that decides something about all that the predicate is about, or else mentions some of it.
    fn step(&self, program: &Program, predicate: &Predicate) -> PathStep {
        let about = variables(&predicate.expr);
        let edges = &program.procs[self.proc].edges;
        let mentions = |op: &Op, v: VarId| {
            let in_operands = op.operands().into_iter().any(|e| variables(e).contains(&v));
            in_operands || op.destination().is_some_and(|lv| variables(&lv.clone().addr()).contains(&v))
        };
        let decides =
            |op: &Op| matches!(op, Op::Assume(_) | Op::Check(..)) && about.iter().all(|v| mentions(op, *v));
        let first = |is: &dyn Fn(&Op) -> bool| edges.iter_enumerated().find(|(_, edge)| is(&edge.op));
        let found = first(&decides).or_else(|| first(&|op| about.iter().any(|v| mentions(op, *v))));
        PathStep::Edge(self.proc, found.map_or(EdgeId::from_index(0), |(e, _)| e))
    }
}

/// A procedure without the names of its variables, and these.
fn form(program: &Program, proc: &Proc, alike: &BTreeMap<ProcId, ProcId>) -> (Form, Vec<VarId>) {
    let mut numbering = Numbering::default();
    proc.formals.iter().for_each(|v| _ = numbering.number(*v));
    let edges = proc.edges.iter().map(|edge| (edge.src, edge.dst, numbering.op(&edge.op, alike))).collect();
    let variables = numbering.variables;
    let look = |v: &VarId| (program.vars[*v].proc().is_none(), program.vars[*v].ty.clone());
    (Form { edges, variables: variables.iter().map(look).collect() }, variables)
}

impl Numbering {
    fn number(&mut self, v: VarId) -> VarId {
        *self.numbers.entry(v).or_insert_with(|| {
            self.variables.push(v);
            VarId::from_index(self.variables.len() - 1)
        })
    }

    fn op(&mut self, op: &Op, alike: &BTreeMap<ProcId, ProcId>) -> Op {
        let mut op = op.clone().renamed(&mut |v| self.number(v));
        match &mut op {
            Op::Check(check, _) => *check = CheckId::from_index(0),
            Op::Call { callee: Callee::Direct(q), .. } => *q = alike.get(q).copied().unwrap_or(*q),
            _ => {}
        }
        op
    }
}
