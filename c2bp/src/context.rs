//! What all parts of an abstraction share: the program, its predicates as terms, and the signature of every
//! procedure ([BMMR01 §4.5.1]; 002 slides 31 and 40-44).

use crate::question::{Literal, Value};
use crate::scope::GlobalPredicates;
use crate::signatures::Signature;
use alias::{AliasOracle, CellKind, CellSet};
use base::{Id, IndexVec};
use bp::{Ident, Name};
use encoding::{Addresses, Encoder, IntMode, SideConditions, State, Vocabulary};
use ir::{Edge, Expr, FloatOp, LocId, Op, ProcId, Program, Type, UnOp};
use passes::{Blocks, Partition, Unfolded};
use predicates::{Precision, PredId, Predicate, Scope, normal};
use smt::Term;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The program and how its expressions are read.
pub(crate) struct Base<'a> {
    /// The program, its blocks unfolded.
    pub(crate) program: Cow<'a, Program>,
    pub(crate) oracle: &'a AliasOracle,
    pub(crate) addresses: Addresses,
    pub(crate) mode: IntMode,
}

impl Base<'_> {
    pub(crate) fn encoder(&self) -> Encoder<'_> {
        Encoder { program: &self.program, oracle: self.oracle, addresses: &self.addresses, mode: self.mode }
    }

    pub(crate) fn wp(&self) -> predicates::weakest_precondition::Context<'_> {
        predicates::weakest_precondition::Context {
            program: &self.program,
            oracle: self.oracle,
            mode: self.mode,
        }
    }

    /// The condition in normal form.
    pub(crate) fn normal(&self, e: Expr) -> Expr {
        normal::condition(&normal::normalise(e, self.mode, self.program.signed_wrap))
    }

    /// The state with this prefix before its constants.
    pub(crate) fn vocabulary(&self, prefix: &str) -> Vocabulary<'_> {
        Vocabulary::new(&self.program, &self.addresses, self.mode, prefix)
    }

    /// The condition as a formula. Predicates are total: what would have to hold for C to define them is left out.
    pub(crate) fn condition(&self, e: &Expr, state: &mut dyn State, facts: &mut SideConditions) -> Term {
        facts.total(|facts| self.encoder().cond(e, state, facts))
    }

    /// Whether the cell is a local variable, or a member of one, that no pointer reaches: only the activation
    /// that owns it changes it.
    pub(crate) fn is_private(&self, cell: alias::CellId) -> bool {
        match self.oracle.cell_kind(cell) {
            CellKind::Scalar { var, .. } => self.program.vars[*var].proc().is_some(),
            _ => false,
        }
    }
}

/// A predicate of the precision, prepared.
pub(crate) struct Pred {
    pub(crate) expr: Expr,
    /// Its boolean variable and its meaning before a statement.
    pub(crate) now: Literal,
    /// The variable for its value before a call, when it is a global predicate.
    pub(crate) saved: Ident,
    /// The cells that it reads outside `old`.
    pub(crate) cells: CellSet,
    /// Whether it mentions globals alone.
    pub(crate) is_global: bool,
    /// The locations of its procedure where it is tracked; `None`: all.
    locations: Option<BTreeSet<LocId>>,
    /// It reads memory that has no model, or numbers of the other integer mode: it is left out.
    pub(crate) usable: bool,
}

impl Pred {
    /// Whether it is tracked at the location of its procedure.
    pub(crate) fn is_tracked(&self, l: LocId) -> bool {
        self.locations.as_ref().is_none_or(|all| all.contains(&l))
    }

    /// Whether it is tracked at all locations.
    pub(crate) fn is_tracked_everywhere(&self) -> bool {
        self.locations.is_none()
    }
}

/// Everything that the abstraction of a statement can ask for.
pub(crate) struct World<'a> {
    pub(crate) base: Base<'a>,
    pub(crate) preds: IndexVec<PredId, Pred>,
    /// Usable predicates over globals alone.
    pub(crate) globals: Vec<PredId>,
    /// Procedures with a body that can be called, the entry first, then in id order.
    pub(crate) procs: Vec<ProcId>,
    pub(crate) signatures: IndexVec<ProcId, Option<Signature>>,
    /// What is abstracted as one.
    pub(crate) partition: Partition,
    pub(crate) blocks: Unfolded,
}

impl<'a> World<'a> {
    pub(crate) fn new(
        program: &'a Program,
        oracle: &'a AliasOracle,
        precision: &Precision,
        mode: IntMode,
        blocks: Blocks,
    ) -> World<'a> {
        // Inside of blocks nothing could be tracked.
        let is_located = precision.iter().any(|(id, _)| precision.locations(id).is_some());
        let partition = Partition::new(program, oracle, if is_located { Blocks::Statement } else { blocks });
        let (unfolded, blocks) = partition.unfold(program);
        let base = Base { program: unfolded, oracle, addresses: Addresses::new(program), mode };
        let mut used = BTreeSet::new();
        let preds = precision.iter().map(|(id, p)| {
            let mut name = p.text(program);
            // Different trees may print alike.
            while !used.insert((p.scope, name.clone())) {
                name.push('\'');
            }
            prepare(&base, p, name, precision.locations(id))
        });
        let preds: IndexVec<PredId, Pred> = preds.collect();
        let usable =
            |ids: Vec<PredId>| -> Vec<PredId> { ids.into_iter().filter(|p| preds[*p].usable).collect() };
        let globals = usable(precision.global());
        let procs = reachable(program);
        let names = names(program, &procs);
        let by_group = GlobalPredicates::new(&preds, &globals);
        let mut signatures: IndexVec<ProcId, Option<Signature>> =
            (0..program.procs.len()).map(|_| None).collect();
        for (p, name) in procs.iter().zip(names) {
            let own: Vec<PredId> = usable(
                precision.iter().filter(|(_, q)| q.scope == Scope::Proc(*p)).map(|(id, _)| id).collect(),
            );
            let mut scope = by_group.in_scope(&base, *p, &own);
            scope.extend(&own);
            signatures[*p] = Some(Signature::new((&base, &preds), *p, name, &own, scope));
        }
        World { base, preds, globals, procs, signatures, partition, blocks }
    }

    /// The signature of a procedure that is abstracted.
    pub(crate) fn signature(&self, p: ProcId) -> &Signature {
        self.signatures[p].as_ref().expect("every procedure that can be called has a signature")
    }

    /// Whether a call of this procedure runs a body.
    pub(crate) fn has_body(&self, p: ProcId) -> bool {
        self.base.program.procs[p].has_body
    }

    /// The predicates that are tracked at a location.
    pub(crate) fn tracked(&self, p: ProcId, l: LocId) -> impl Iterator<Item = PredId> + '_ {
        self.signature(p).scope.iter().copied().filter(move |id| self.preds[*id].is_tracked(l))
    }

    /// The literals of the predicates that are tracked at a location.
    pub(crate) fn literals(&self, p: ProcId, l: LocId) -> Vec<Literal> {
        self.tracked(p, l).map(|id| self.preds[id].now.clone()).collect()
    }

    /// Arbitrary values for the predicates that are tracked before the edge and not behind it.
    pub(crate) fn forgotten(&self, p: ProcId, edge: &Edge) -> impl Iterator<Item = (Ident, Value)> + '_ {
        let dst = edge.dst;
        let ids = self.tracked(p, edge.src).filter(move |id| !self.preds[*id].is_tracked(dst));
        ids.map(|id| (self.preds[id].now.var.clone(), Value::Known(bp::Expr::Star)))
    }

    /// The literals of the predicates that are tracked in all of a procedure.
    pub(crate) fn literals_everywhere(&self, p: ProcId) -> Vec<Literal> {
        let everywhere = |id: &&PredId| self.preds[**id].locations.is_none();
        self.signature(p).scope.iter().filter(everywhere).map(|id| self.preds[*id].now.clone()).collect()
    }
}

fn prepare(
    base: &Base<'_>,
    predicate: &Predicate,
    name: String,
    locations: Option<&BTreeSet<LocId>>,
) -> Pred {
    let expr = &predicate.expr;
    let is_global = predicate.scope == Scope::Global;
    let saved = crate::calls::saved_variable(&name);
    let mut cells = CellSet::new();
    ir::visit::walk_reads(expr, &mut |lv| _ = cells.insert(base.oracle.cell(lv)));
    let usable = is_usable(base, expr);
    let mut facts = SideConditions::new("p");
    let term =
        if usable { base.condition(expr, &mut base.vocabulary(""), &mut facts) } else { Term::bool(false) };
    let now = Literal::new(Ident::from(Name::predicate(name)), term, facts.axioms);
    Pred { expr: expr.clone(), now, saved, cells, is_global, locations: locations.cloned(), usable }
}

/// Whether the predicate has one value in each state, as the encoding sees it.
fn is_usable(base: &Base<'_>, expr: &Expr) -> bool {
    let mut usable = true;
    expr.walk(&mut |e| {
        usable &= match (e, e.ty()) {
            (Expr::Unary(UnOp::Float(FloatOp::SignBit | FloatOp::ToBits), ..), _) => false,
            (_, ty @ Type::Float(_)) => encoding::float_width(&ty, base.mode).is_some(),
            (_, Type::Math) => base.mode == IntMode::Math,
            (Expr::Load(lv), _) => *base.oracle.cell_kind(base.oracle.cell(lv)) != CellKind::Opaque,
            _ => true,
        };
    });
    usable && !expr.nests_old()
}

/// Procedures with body that calls reach from the entry.
pub(crate) fn reachable(program: &Program) -> Vec<ProcId> {
    let mut seen = vec![false; program.procs.len()];
    let mut pending = vec![program.entry];
    seen[program.entry.index()] = true;
    while let Some(p) = pending.pop() {
        for edge in &program.procs[p].edges {
            if let Op::Call { callee: ir::Callee::Direct(q), .. } = edge.op
                && program.procs[q].has_body
                && !std::mem::replace(&mut seen[q.index()], true)
            {
                pending.push(q);
            }
        }
    }
    let others = program.procs.ids().filter(|p| seen[p.index()] && *p != program.entry);
    std::iter::once(program.entry).chain(others).collect()
}

/// Names in the boolean program: the entry procedure is `main`, as model checkers expect, so a C function of that
/// name becomes `c_main`.
fn names(program: &Program, procs: &[ProcId]) -> Vec<Name> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut out = vec![];
    for p in procs {
        let c_name = program.procs[*p].name.as_str();
        let mut name = match c_name {
            _ if *p == program.entry => "main".to_owned(),
            "main" => "c_main".to_owned(),
            other => other.to_owned(),
        };
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        out.push(Name::word(name));
    }
    out
}
