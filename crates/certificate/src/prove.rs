//! One obligation at a time: the sets as formulas, one step of the program between them, and the question whether it
//! leads out of the set behind it.

use super::graph::{FALSE, TRUE};
use super::{Certificate, Flaw, Obligation, Sets};
use alias::CellKind;
use encoding::symbolic::path_state::PathState;
use encoding::symbolic::walk::Walk;
use encoding::{Encoder, SideConditions, State};
use ir::{BinOp, Callee, Edge, EdgeId, Expr, LocId, Lvalue, Op, ProcId, UnOp};
use smt::RLIMIT;
use smt::{Answer, Interrupt, Prover, Scope, Term, Z3Prover};
use std::collections::{BTreeMap, BTreeSet};

/// What became of an obligation.
pub(super) enum Outcome {
    /// It follows from the decision graphs.
    ByGraph,
    /// The prover showed it.
    ByProver,
    /// It is not shown.
    Flaw(Flaw),
}

/// Checks obligations.
pub(super) struct Checker<'a, 'e> {
    pub(super) enc: &'e Encoder<'a>,
    pub(super) certificate: &'e Certificate,
    pub(super) interrupt: &'e Interrupt,
}

/// Literals as formulas in some pair of states.
type Values = BTreeMap<usize, Term>;

impl<'a> Checker<'a, '_> {
    /// What becomes of it; the prover is made when it is first needed.
    pub(super) fn outcome(&self, obligation: Obligation, prover: &mut Option<Z3Prover>) -> Outcome {
        match obligation {
            Obligation::Start => self.start(prover),
            Obligation::Check(p, e) => self.check(p, e, prover),
            Obligation::Edge(p, e) => self.edge(p, e, prover),
            Obligation::Enter(p, e) => self.enter(p, e, prover),
        }
    }

    /// The flaw, which is not a refutation where the sets before the step say less than was known.
    pub(super) fn excused(&self, obligation: Obligation, flaw: Flaw) -> Flaw {
        let (Obligation::Check(p, e) | Obligation::Edge(p, e) | Obligation::Enter(p, e)) = obligation else {
            return flaw;
        };
        let is_partial = |p, l: &LocId| self.sets(p).is_some_and(|sets| sets.partial.contains(l));
        let edge = &self.enc.program.procs[p].edges[e];
        let in_block =
            self.sets(p).is_some_and(|sets| sets.passed.contains(&edge.src) && !sets.partial.is_empty());
        let behind = match (&edge.op, obligation) {
            (Op::Call { callee: Callee::Direct(q), .. }, Obligation::Edge(..)) => {
                is_partial(*q, &self.enc.program.procs[*q].exit)
            }
            _ => false,
        };
        match flaw {
            Flaw::Refuted if is_partial(p, &edge.src) || in_block || behind => {
                Flaw::Open("more was known here than a condition says".into())
            }
            Flaw::Refuted if self.moves_in_objects(p) => Flaw::Open(
                "over-approximated: how far moved pointers are from the ends of their objects".into(),
            ),
            flaw => flaw,
        }
    }

    /// Whether sets of the procedure say how far pointers are from the ends of their objects, and the procedure moves some: the
    /// encoding knows it of those that stay inside.
    fn moves_in_objects(&self, p: ProcId) -> bool {
        let is_extent = |e: &Expr| matches!(e, Expr::Unary(UnOp::Left(_) | UnOp::Before(_), ..));
        let is_move = |e: &Expr| matches!(e, Expr::Binary(BinOp::PtrAdd, ..));
        let says = self.sets(p).is_some_and(|sets| sets.literals.iter().any(|l| l.expr.has(is_extent)));
        let moves = |edge: &Edge| matches!(&edge.op, Op::Assign(_, value) if value.has(is_move));
        says && self.enc.program.procs[p].edges.iter().any(moves)
    }

    fn sets(&self, p: ProcId) -> Option<&Sets> {
        self.certificate.procs.get(&p)
    }

    /// The set at a location, which must be the procedure's.
    fn at(&self, p: ProcId, l: LocId) -> Option<(&Sets, usize)> {
        self.sets(p).map(|sets| (sets, sets.root(l))).filter(|(_, root)| *root != FALSE)
    }

    /// Any state in an activation of the procedure, after what it may write has changed.
    fn inside(&self, p: ProcId) -> PathState<'a> {
        let mut state = PathState::new(self.enc, p);
        state.at_entry();
        for cell in self.enc.oracle.mods(p).iter() {
            state.havoc(cell);
        }
        state
    }

    fn start(&self, prover: &mut Option<Z3Prover>) -> Outcome {
        let p = self.enc.program.entry;
        let Some((sets, root)) = self.at(p, self.enc.program.procs[p].entry) else {
            return Outcome::Flaw(Flaw::Refuted);
        };
        let mut state = PathState::new(self.enc, p);
        state.at_entry();
        let mut walk = Walk::new(self.enc, state);
        let values = self.values(sets, sets.nodes.support(root), &mut walk);
        self.ask(&walk, vec![], &sets.nodes.formula(root, &values), prover)
    }

    fn check(&self, p: ProcId, e: EdgeId, prover: &mut Option<Z3Prover>) -> Outcome {
        let Some(sets) = self.sets(p) else { return Outcome::ByGraph };
        let Some(paths) = self.paths_to(sets, p, e) else { return Outcome::Flaw(Flaw::Refuted) };
        together(paths.iter().map(|path| self.check_behind(sets, p, path, e, prover)))
    }

    /// That the check does not fail behind these edges of its block.
    fn check_behind(
        &self,
        sets: &Sets,
        p: ProcId,
        path: &[EdgeId],
        e: EdgeId,
        prover: &mut Option<Z3Prover>,
    ) -> Outcome {
        let edges = &self.enc.program.procs[p].edges;
        let Op::Check(_, condition) = &edges[e].op else { panic!("the obligation is about a check") };
        let root = sets.root(edges[*path.first().unwrap_or(&e)].src);
        if root == FALSE {
            return Outcome::ByGraph;
        }
        let mut walk = Walk::new(self.enc, self.inside(p));
        let before = self.set(sets, root, &mut walk);
        self.pass(sets, p, path, &mut walk);
        let holds = self.enc.cond(condition, &mut walk.state, &mut walk.out.facts);
        walk.is_defined(0);
        self.ask(&walk, before, &holds, prover)
    }

    fn edge(&self, p: ProcId, e: EdgeId, prover: &mut Option<Z3Prover>) -> Outcome {
        let edge = &self.enc.program.procs[p].edges[e];
        let Some((sets, root)) = self.at(p, edge.src) else { return Outcome::ByGraph };
        let Some(paths) = self.paths_from(sets, p, e) else { return Outcome::Flaw(Flaw::Refuted) };
        together(paths.iter().map(|path| self.path(sets, root, p, path, prover)))
    }

    /// That a path of a block leads into the set at its end.
    fn path(
        &self,
        sets: &Sets,
        root: usize,
        p: ProcId,
        path: &[EdgeId],
        prover: &mut Option<Z3Prover>,
    ) -> Outcome {
        let procedure = &self.enc.program.procs[p];
        let (first, end) = (path[0], procedure.edges[path[path.len() - 1]].dst);
        // Edges that are blocks by themselves give no obligation if the execution ends for good behind them.
        if 1 < path.len() && end != procedure.exit && procedure.edges.iter().all(|edge| edge.src != end) {
            return Outcome::ByGraph;
        }
        let target = sets.root(end);
        let by_graph = || sets.nodes.implies(root, target);
        let does_nothing = path.iter().all(|e| procedure.edges[*e].op == Op::Skip);
        if target == TRUE && sets.unchanged.is_empty() || does_nothing && by_graph() {
            return Outcome::ByGraph;
        }
        let mut walk = Walk::new(self.enc, self.inside(p));
        let mut given = self.set(sets, root, &mut walk);
        let asked = sets.nodes.support(target);
        let before = self.values(sets, asked.clone(), &mut walk);
        let kept = self.kept(sets, &mut walk);
        match &procedure.edges[first].op {
            Op::Call { dest, callee: Callee::Direct(q), .. } if self.enc.program.procs[*q].has_body => {
                let exit = self.enc.program.procs[*q].exit;
                let Some((callee, root)) = self.at(*q, exit) else { return Outcome::ByGraph };
                walk.enter(p, first, *q);
                walk.is_defined(0);
                walk.state.at_entry();
                for cell in self.enc.oracle.mods(*q).iter() {
                    walk.state.havoc(cell);
                }
                given.extend(self.set(callee, root, &mut walk));
                match dest {
                    None => walk.state.leave(),
                    Some(lv) => {
                        walk.leave(p, first, *q);
                        self.places(sets, lv, &mut walk);
                    }
                }
            }
            _ => self.pass(sets, p, path, &mut walk),
        }
        walk.is_defined(0);
        let after = self.values(sets, asked, &mut walk);
        let kept_after = self.kept(sets, &mut walk);
        if before == after && kept == kept_after && by_graph() {
            return Outcome::ByGraph;
        }
        let goal = Term::and([sets.nodes.formula(target, &after)].into_iter().chain(kept_after));
        self.ask(&walk, given, &goal, prover)
    }

    /// Executes the edges; checks among them hold.
    fn pass(&self, sets: &Sets, p: ProcId, path: &[EdgeId], walk: &mut Walk<'_, '_>) {
        for e in path {
            self.apart(sets, &self.enc.program.procs[p].edges[*e].op, walk);
            walk.edge(0, p, *e, false);
        }
    }

    /// The paths that begin with the edge and go on as long as they are at passed locations; `None` where these do
    /// not form a block: there are too many paths, a call of a procedure with body, an allocation, or no end.
    fn paths_from(&self, sets: &Sets, p: ProcId, first: EdgeId) -> Option<Vec<Vec<EdgeId>>> {
        self.paths(sets, p, first, |edge| (edge.src, edge.dst))
    }

    /// The paths that lead to the edge from where there is a set, through passed locations, without the edge itself; `None` as for
    /// [`Self::paths_from`].
    fn paths_to(&self, sets: &Sets, p: ProcId, last: EdgeId) -> Option<Vec<Vec<EdgeId>>> {
        let mut paths = self.paths(sets, p, last, |edge| (edge.dst, edge.src))?;
        for path in &mut paths {
            path.remove(0);
            path.reverse();
        }
        Some(paths)
    }

    /// The paths of a block that begin with the edge, each edge of which leads from the first of its `ends` to the second.
    fn paths(
        &self,
        sets: &Sets,
        p: ProcId,
        first: EdgeId,
        ends: fn(&Edge) -> (LocId, LocId),
    ) -> Option<Vec<Vec<EdgeId>>> {
        let procedure = &self.enc.program.procs[p];
        let (mut out, mut pending) = (vec![], vec![vec![first]]);
        while let Some(path) = pending.pop() {
            let (_, at) = ends(&procedure.edges[path[path.len() - 1]]);
            if !sets.passed.contains(&at) {
                out.push(path);
                continue;
            }
            // Nothing is passed where the procedure begins or ends.
            if at == procedure.entry || at == procedure.exit || !is_simple(&procedure.edges[first].op) {
                return None;
            }
            for (next, edge) in procedure.edges.iter_enumerated().filter(|(_, edge)| ends(edge).0 == at) {
                if path.contains(&next) || !is_simple(&edge.op) || MOST_PATHS < out.len() + pending.len() {
                    return None;
                }
                pending.push(path.iter().copied().chain([next]).collect());
            }
        }
        Some(out)
    }

    fn enter(&self, p: ProcId, e: EdgeId, prover: &mut Option<Z3Prover>) -> Outcome {
        let edge = &self.enc.program.procs[p].edges[e];
        let Op::Call { callee: Callee::Direct(q), .. } = &edge.op else {
            panic!("the obligation is about a direct call");
        };
        let Some((sets, root)) = self.at(p, edge.src) else { return Outcome::ByGraph };
        let mut walk = Walk::new(self.enc, self.inside(p));
        let given = self.set(sets, root, &mut walk);
        walk.enter(p, e, *q);
        walk.is_defined(0);
        walk.state.at_entry();
        let goal = match self.at(*q, self.enc.program.procs[*q].entry) {
            None => Term::bool(false),
            Some((_, TRUE)) => return Outcome::ByGraph,
            Some((callee, root)) => {
                let values = self.values(callee, callee.nodes.support(root), &mut walk);
                callee.nodes.formula(root, &values)
            }
        };
        self.ask(&walk, given, &goal, prover)
    }

    /// The set and what is unchanged, as formulas in the present state.
    fn set(&self, sets: &Sets, root: usize, walk: &mut Walk<'_, '_>) -> Vec<Term> {
        let values = self.values(sets, sets.nodes.support(root), walk);
        let mut out = vec![sets.nodes.formula(root, &values)];
        out.extend(self.kept(sets, walk));
        out
    }

    /// These literals in the present state.
    fn values(&self, sets: &Sets, literals: BTreeSet<usize>, walk: &mut Walk<'_, '_>) -> Values {
        let value = |k: usize| {
            let literal = &sets.literals[k];
            (k, self.holds(&literal.expr, walk, literal.at_entry))
        };
        literals.into_iter().map(value).collect()
    }

    /// What is unchanged since the entry.
    fn kept(&self, sets: &Sets, walk: &mut Walk<'_, '_>) -> Vec<Term> {
        sets.unchanged.iter().map(|e| self.holds(e, walk, false).equal(&self.holds(e, walk, true))).collect()
    }

    /// The predicate, in the present state or at the entry.
    fn holds(&self, e: &Expr, walk: &mut Walk<'_, '_>, at_entry: bool) -> Term {
        match at_entry {
            true => total(walk, true, |state, facts| self.enc.cond(&without_old(e), state, facts)),
            false => total(walk, false, |state, facts| self.enc.cond(e, state, facts)),
        }
    }

    /// Adds what is known about addresses before the edge: a new object lies where no pointer of the predicates
    /// points, and the oracle distinguishes some locations from the one that is written.
    fn apart(&self, sets: &Sets, op: &Op, walk: &mut Walk<'_, '_>) {
        let exprs = || sets.literals.iter().map(|l| &l.expr).chain(&sets.unchanged);
        match op {
            Op::Alloc { .. } => {
                let start = self.enc.literal(walk.state.next_object(), &ir::Type::Void.ptr_to());
                let pointers: BTreeSet<Expr> = exprs().flat_map(pointer_reads).collect();
                for read in pointers.into_iter().filter(|read| !self.enc.oracle.follows(read)) {
                    for at_entry in [false, true] {
                        let at = total(walk, at_entry, |state, facts| self.enc.value(&read, state, facts));
                        walk.out.facts.axioms.push(at.different(&start));
                    }
                }
            }
            Op::Assign(lv, value) => {
                self.places(sets, lv, walk);
                self.not_to_null(value, walk);
            }
            Op::Havoc(lv, _) => self.places(sets, lv, walk),
            _ => {}
        }
    }

    /// A pointer that is moved does not become NULL (C17 6.5.6p8), which addresses as numbers do not tell.
    fn not_to_null(&self, value: &Expr, walk: &mut Walk<'_, '_>) {
        let from = value.unmoved();
        if from == value || !value.ty().is_ptr() {
            return;
        }
        let mut is_null = |e: &Expr| {
            let null = self.enc.literal(0, &e.ty());
            total(walk, false, |state, facts| self.enc.value(e, state, facts)).equal(&null)
        };
        let moved = is_null(value).implies(&is_null(from));
        walk.out.facts.axioms.push(moved);
    }

    /// What the oracle knows about the place of a location that is written, and those that the predicates read: in one
    /// state they are the same, or apart.
    fn places(&self, sets: &Sets, lv: &Lvalue, walk: &mut Walk<'_, '_>) {
        let oracle = self.enc.oracle;
        let cell = oracle.cell(lv);
        if !matches!(oracle.cell_kind(cell), CellKind::Map { .. }) {
            return;
        }
        let mut others: BTreeMap<Lvalue, bool> = BTreeMap::new();
        for e in sets.literals.iter().map(|l| &l.expr).chain(&sets.unchanged) {
            ir::visit::walk_reads(e, &mut |read| {
                let same = oracle.must_alias(lv, read);
                if oracle.cell(read) == cell && (same || !oracle.may_alias(lv, read)) {
                    others.insert(read.clone(), same);
                }
            });
        }
        for (read, same) in others {
            let here = total(walk, false, |state, facts| self.enc.address(lv, state, facts));
            let there = total(walk, false, |state, facts| self.enc.address(&read, state, facts));
            let apart = if same { here.equal(&there) } else { here.different(&there) };
            walk.out.facts.axioms.push(apart);
        }
    }

    /// Whether what is given and what the walk assumes imply the goal.
    fn ask(
        &self,
        walk: &Walk<'_, '_>,
        given: Vec<Term>,
        goal: &Term,
        prover: &mut Option<Z3Prover>,
    ) -> Outcome {
        let prover = prover.get_or_insert_with(|| smt::prover(RLIMIT, self.interrupt));
        let mut prover = Scope::open(prover);
        let assumed = walk.out.assumptions.iter().map(|a| a.formula.clone());
        for fact in walk.out.facts.axioms.iter().cloned().chain(assumed).chain(given) {
            prover.assert(&fact);
        }
        prover.assert(&goal.not());
        match prover.check(&[]) {
            Answer::Unsat => Outcome::ByProver,
            Answer::Unknown(why) => Outcome::Flaw(Flaw::Open(format!("the prover gave up ({why})"))),
            Answer::Sat => {
                let lost = walk.state.lost_block.then(|| "a large block of memory".to_owned());
                let inexact: Vec<String> =
                    walk.out.facts.inexact.iter().map(ToString::to_string).chain(lost).collect();
                Outcome::Flaw(if inexact.is_empty() {
                    Flaw::Refuted
                } else {
                    Flaw::Open(format!("over-approximated: {}", inexact.join(", ")))
                })
            }
        }
    }
}

/// Most paths of one block.
const MOST_PATHS: usize = 1_000;

/// Whether the operation may stand in a block with others.
fn is_simple(op: &Op) -> bool {
    !matches!(op, Op::Call { .. } | Op::Alloc { .. })
}

/// What becomes of an obligation that has these parts, of which none are asked behind the first flaw.
fn together(parts: impl Iterator<Item = Outcome>) -> Outcome {
    let mut whole = Outcome::ByGraph;
    for part in parts {
        match part {
            Outcome::ByGraph => {}
            Outcome::ByProver => whole = Outcome::ByProver,
            Outcome::Flaw(flaw) => return Outcome::Flaw(flaw),
        }
    }
    whole
}

/// What is evaluated in the present state or at the entry. It is total: what would have to hold for C to define it is left
/// out.
fn total(
    walk: &mut Walk<'_, '_>,
    at_entry: bool,
    term: impl FnOnce(&mut dyn State, &mut SideConditions) -> Term,
) -> Term {
    let state: &mut dyn State = if at_entry { walk.state.entry() } else { &mut walk.state };
    walk.out.facts.total(|facts| term(state, facts))
}

/// The expression with `old(e)` read as `e`.
fn without_old(e: &Expr) -> Expr {
    e.clone().map(&mut |node| match node {
        Expr::Old(inner) => *inner,
        other => other,
    })
}

/// The pointers that are read in an expression, `old` left out.
fn pointer_reads(e: &Expr) -> Vec<Expr> {
    let mut out = vec![];
    without_old(e).walk(&mut |node| {
        if matches!(node, Expr::Load(_)) && node.ty().is_ptr() {
            out.push(node.clone());
        }
    });
    out
}
