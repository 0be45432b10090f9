//! A path as one straight line: every activation of a procedure on it gets variables of its own, so that
//! recursion cannot mix frames, calls become assignments to formals, returns assignments from the return
//! variable. Weakest preconditions are computed on this form.
//!
//! Variables of activations are numbered above the program's own ids; [`Unfolding::origin`] leads back.

use alias::{AliasOracle, CellId, CellKind};
use base::Id;
use ir::{Base, Callee, EdgeId, Expr, Lvalue, Op, Path, PathStep, ProcId, Program, VarId};
use predicates::weakest_precondition::Aliasing;
use rustc_hash::FxHashMap;

/// What a step does to the state, over unfolded variables.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// A location gets a value.
    Assign(Lvalue, Expr),
    /// A location gets an arbitrary value.
    Havoc(Lvalue),
    /// A pointer location gets the address of a new object, or perhaps NULL.
    Fresh {
        /// Where the address goes.
        dest: Lvalue,
        /// NULL is possible.
        may_fail: bool,
    },
    /// Every location of these cells gets an arbitrary value.
    HavocCells(Vec<CellId>),
    /// The condition holds.
    Assume(Expr),
}

/// A step of the path.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The activation that the state before the step belongs to.
    pub activation: usize,
    /// What happens, in order.
    pub actions: Vec<Action>,
    /// The activation that begins with it.
    pub enters: Option<usize>,
}

/// One activation of a procedure on the path.
#[derive(Clone, Debug)]
pub(crate) struct Activation {
    /// The procedure.
    pub proc: ProcId,
    /// The caller's activation; `None` for the first.
    pub parent: Option<usize>,
    /// Formals of the procedure (the program's ids) and the caller's expressions for them, unfolded.
    pub actuals: Vec<(VarId, Expr)>,
    /// The index of the step that enters it; 0 for the first.
    pub entered: usize,
}

/// The unfolded path.
pub(crate) struct Unfolding<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    /// Its steps, one for every step of the path.
    pub steps: Vec<Step>,
    /// Its activations, in order of entry.
    pub activations: Vec<Activation>,
    origins: Vec<(VarId, usize)>,
    ids: FxHashMap<(VarId, usize), VarId>,
}

impl<'a> Unfolding<'a> {
    /// Unfolds a path. The last step's check fails; earlier ones hold.
    pub(crate) fn new(program: &'a Program, oracle: &'a AliasOracle, path: &Path) -> Unfolding<'a> {
        let mut u = Unfolding {
            program,
            oracle,
            steps: vec![],
            activations: vec![Activation { proc: program.entry, parent: None, actuals: vec![], entered: 0 }],
            origins: vec![],
            ids: FxHashMap::default(),
        };
        let mut stack = vec![0];
        for (i, step) in path.steps.iter().enumerate() {
            let current = *stack.last().expect("returns are matched, so the first activation stays open");
            let last = i + 1 == path.steps.len();
            let mut enters = None;
            let actions = match *step {
                PathStep::Edge(p, e) => u.edge(current, p, e, last),
                PathStep::Enter(p, e, callee) => {
                    let (entered, actions) = u.enter(current, p, e, callee, i);
                    stack.push(entered);
                    enters = Some(entered);
                    actions
                }
                PathStep::Leave(p, e, callee) => {
                    stack.pop();
                    let caller = *stack.last().expect("returns are matched");
                    u.leave(caller, current, p, e, callee)
                }
            };
            u.steps.push(Step { activation: current, actions, enters });
        }
        u
    }

    /// The program's variable behind an unfolded one, and its activation; `None` for globals.
    pub(crate) fn origin(&self, v: VarId) -> Option<(VarId, usize)> {
        self.origins.get(v.index().checked_sub(self.program.vars.len())?).copied()
    }

    /// The unfolded variable of an activation, if the path mentions it.
    pub(crate) fn local(&self, v: VarId, activation: usize) -> Option<VarId> {
        self.ids.get(&(v, activation)).copied()
    }

    /// The variable of an activation.
    fn variable(&mut self, v: VarId, activation: usize) -> VarId {
        if self.program.vars[v].proc().is_none() {
            return v;
        }
        if let Some(id) = self.ids.get(&(v, activation)) {
            return *id;
        }
        let id = VarId::from_index(self.program.vars.len() + self.origins.len());
        self.origins.push((v, activation));
        self.ids.insert((v, activation), id);
        id
    }

    fn expr(&mut self, e: &Expr, activation: usize) -> Expr {
        e.clone().map(&mut |node| with_variables(node, |v| self.variable(v, activation)))
    }

    fn lvalue(&mut self, lv: &Lvalue, activation: usize) -> Lvalue {
        let lv = lv.clone().map(&mut |node| with_variables(node, |v| self.variable(v, activation)));
        with_base(lv, |v| self.variable(v, activation))
    }

    fn edge(&mut self, at: usize, p: ProcId, e: EdgeId, last: bool) -> Vec<Action> {
        let cells = || self.oracle.edge_mods(p, e).iter().collect::<Vec<_>>();
        match &self.program.procs[p].edges[e].op {
            Op::Skip | Op::Free(_) | Op::Output { .. } => vec![],
            Op::Assign(lv, value) => {
                let value = self.expr(value, at);
                vec![Action::Assign(self.lvalue(lv, at), value)]
            }
            Op::Havoc(lv, _) | Op::Inspect { dest: lv, .. } => vec![Action::Havoc(self.lvalue(lv, at))],
            Op::Assume(c) => vec![Action::Assume(self.expr(c, at))],
            Op::Check(_, c) => {
                let c = self.expr(c, at);
                vec![Action::Assume(if last { c.negated() } else { c })]
            }
            Op::Call { dest, .. } => {
                let mut actions = vec![Action::HavocCells(cells())];
                actions.extend(dest.as_ref().map(|d| Action::Havoc(self.lvalue(d, at))));
                actions
            }
            Op::Alloc { dest, may_fail, .. } => {
                vec![Action::Fresh { dest: self.lvalue(dest, at), may_fail: *may_fail }]
            }
            Op::MemSet { .. } | Op::MemCopy { .. } => vec![Action::HavocCells(cells())],
        }
    }

    fn enter(
        &mut self,
        at: usize,
        p: ProcId,
        e: EdgeId,
        callee: ProcId,
        index: usize,
    ) -> (usize, Vec<Action>) {
        let Op::Call { args, callee: Callee::Direct(_), .. } = &self.program.procs[p].edges[e].op else {
            panic!("a path enters procedures at direct calls only");
        };
        let formals = &self.program.procs[callee].formals;
        let actuals: Vec<_> = formals.iter().zip(args).map(|(f, a)| (*f, self.expr(a, at))).collect();
        let entered = self.activations.len();
        let actions = actuals
            .iter()
            .map(|(f, a)| {
                let ty = self.program.vars[*f].ty.clone();
                Action::Assign(Lvalue::var(self.variable(*f, entered), ty), a.clone())
            })
            .collect();
        self.activations.push(Activation { proc: callee, parent: Some(at), actuals, entered: index });
        (entered, actions)
    }

    fn leave(&mut self, caller: usize, at: usize, p: ProcId, e: EdgeId, callee: ProcId) -> Vec<Action> {
        let Op::Call { dest: Some(dest), .. } = &self.program.procs[p].edges[e].op else { return vec![] };
        let dest = self.lvalue(dest, caller);
        match self.program.procs[callee].ret {
            Some(ret) => {
                let value = Expr::var(self.variable(ret, at), self.program.vars[ret].ty.clone());
                vec![Action::Assign(dest.clone(), value.cast(dest.ty))]
            }
            None => vec![Action::Havoc(dest)],
        }
    }

    fn original(&self, v: VarId) -> VarId {
        self.origin(v).map_or(v, |(original, _)| original)
    }

    /// The expression over the program's own variables, whatever activation they belong to.
    pub(crate) fn folded(&self, e: &Expr) -> Expr {
        e.clone().map(&mut |node| with_variables(node, |v| self.original(v)))
    }

    fn folded_lvalue(&self, lv: &Lvalue) -> Lvalue {
        let lv = lv.clone().map(&mut |node| with_variables(node, |v| self.original(v)));
        with_base(lv, |v| self.original(v))
    }

    /// The cell of an unfolded lvalue.
    pub(crate) fn cell(&self, lv: &Lvalue) -> CellId {
        self.oracle.cell(&self.folded_lvalue(lv))
    }

    /// Whether predicates may mention the location.
    pub(crate) fn trackable(&self, lv: &Lvalue) -> bool {
        !matches!(self.oracle.cell_kind(self.cell(lv)), CellKind::Opaque)
    }
}

/// The lvalue with another variable as its base, if it has one.
fn with_base(lv: Lvalue, of: impl FnOnce(VarId) -> VarId) -> Lvalue {
    match lv.base {
        Base::Var(v) => Lvalue { base: Base::Var(of(v)), ..lv },
        Base::Deref(_) => lv,
    }
}

/// The node with other variables; the nodes inside have them already.
fn with_variables(node: Expr, of: impl FnOnce(VarId) -> VarId) -> Expr {
    match node {
        Expr::Load(lv) => Expr::Load(Box::new(with_base(*lv, of))),
        Expr::AddrOf(lv) => Expr::AddrOf(Box::new(with_base(*lv, of))),
        other => other,
    }
}

impl Aliasing for Unfolding<'_> {
    fn may_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        if let (Base::Var(x), Base::Var(y)) = (&a.base, &b.base)
            && x != y
        {
            return false;
        }
        self.oracle.may_alias(&self.folded_lvalue(a), &self.folded_lvalue(b))
    }

    fn must_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        a == b
    }

    fn same_cell(&self, a: &Lvalue, b: &Lvalue) -> bool {
        self.oracle.same_cell(&self.folded_lvalue(a), &self.folded_lvalue(b))
    }

    fn agree_by_steps(&self, target: &Lvalue, read: &Lvalue) -> bool {
        target.base == read.base
            && self.oracle.agree_by_steps(&self.folded_lvalue(target), &self.folded_lvalue(read))
    }

    fn declared(&self, v: VarId) -> VarId {
        self.original(v)
    }
}
