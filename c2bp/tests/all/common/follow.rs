//! Follows an execution of a C-- program in its boolean program: each step, mapped through the predicates, must be a
//! step there. Who executes is left open; this file sees the predicates' values only.

use super::boolean::{values, values_of_step};
use base::IndexVec;
use bp::{Cfg, Expr, Name, Stmt, StmtId, StmtKind, VertexId};
use c2bp::{Abstraction, Role};
use ir::{EdgeId, LocId, ProcId, Program};
use predicates::{Precision, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of variables; `None`: any value (the predicate means nothing in this state).
pub(crate) type Known = BTreeMap<Name, Option<bool>>;

/// Whether a valuation is admitted.
type Admits<'a> = dyn Fn(&dyn Fn(&Name) -> bool) -> bool + 'a;

/// A boolean program, made ready to be followed.
pub(crate) struct Text<'a> {
    program: &'a Program,
    abstraction: &'a Abstraction,
    /// The predicates that each procedure sees, with the names of their variables.
    seen: IndexVec<ProcId, Vec<(Name, &'a ir::Expr)>>,
    /// Where predicates of a procedure are tracked that are not tracked everywhere.
    tracked: IndexVec<ProcId, BTreeMap<Name, &'a BTreeSet<LocId>>>,
    cfg: Cfg,
    stmts: IndexVec<StmtId, Option<&'a Stmt>>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(
        program: &'a Program,
        precision: &'a Precision,
        abstraction: &'a Abstraction,
    ) -> Text<'a> {
        let (cfg, _) = Cfg::build(&abstraction.program, None).expect("the text is a boolean program");
        let seen = |p: ProcId| {
            let seen = precision.iter().filter(|(id, pred)| {
                (pred.scope == Scope::Global || pred.scope == Scope::Proc(p))
                    && !abstraction.ignored.contains(id)
            });
            seen.map(|(_, pred)| (Name::predicate(pred.text(program)), &pred.expr)).collect()
        };
        let seen = program.procs.ids().map(seen).collect();
        let tracked = |p: ProcId| {
            let own = precision.iter().filter(|(_, pred)| pred.scope == Scope::Proc(p));
            own.filter_map(|(id, pred)| Some((Name::predicate(pred.text(program)), precision.locations(id)?)))
                .collect()
        };
        let tracked: IndexVec<ProcId, BTreeMap<Name, &BTreeSet<LocId>>> =
            program.procs.ids().map(tracked).collect();
        for proc in &abstraction.program.procs {
            let p = abstraction.origin.proc(&proc.name.name).expect("it is a procedure of the program");
            if let Some(e) = &proc.enforce {
                e.for_each_var(&mut |v, _| {
                    assert!(!tracked[p].contains_key(&v.name), "{v} is not always tracked")
                });
            }
        }
        Text { program, abstraction, seen, tracked, cfg, stmts: abstraction.program.stmts_by_id() }
    }

    /// The predicates that the procedure sees, with the names of their variables.
    pub(crate) fn seen(&self, p: ProcId) -> impl Iterator<Item = (Name, &'a ir::Expr)> {
        self.seen[p].iter().map(|(name, e)| (name.clone(), *e))
    }

    /// Whether the procedure's predicate is tracked at the location.
    pub(crate) fn is_tracked(&self, p: ProcId, name: &Name, at: LocId) -> bool {
        self.tracked[p].get(name).is_none_or(|all| all.contains(&at))
    }

    /// The number of the procedure's text.
    fn index(&self, p: ProcId) -> usize {
        let of = |q: &bp::Proc| self.abstraction.origin.proc(&q.name.name) == Some(p);
        self.abstraction.program.procs.iter().position(of).expect("the procedure is there")
    }

    fn proc(&self, p: ProcId) -> &'a bp::Proc {
        &self.abstraction.program.procs[self.index(p)]
    }

    fn stmt(&self, at: VertexId) -> &'a Stmt {
        let id = self.cfg.vertices[at].kind.stmt().expect("the exit is behind a return");
        self.stmts[id].expect("every statement is in the text")
    }

    fn role(&self, stmt: &Stmt) -> &'a Role {
        &self.abstraction.origin.stmt(stmt.id).expect("every statement has an origin").role
    }

    fn is_global(&self, name: &Name) -> bool {
        self.abstraction.program.globals.iter().any(|g| g.name == *name)
    }
}

/// An open call.
struct Frame {
    proc: ProcId,
    /// Where the boolean program stands.
    at: VertexId,
    /// Of the call that waits: its edge, and the variables before it.
    before: Option<(EdgeId, Known)>,
}

/// One execution in the boolean program.
pub(crate) struct Follower<'a, 't> {
    text: &'t Text<'a>,
    frames: Vec<Frame>,
    /// How many conditions were checked.
    pub(crate) checked: usize,
}

impl<'a, 't> Follower<'a, 't> {
    /// Stands at the entry of the program.
    pub(crate) fn new(text: &'t Text<'a>) -> Follower<'a, 't> {
        let mut follower = Follower { text, frames: vec![], checked: 0 };
        follower.push(text.program.entry);
        follower
    }

    fn push(&mut self, proc: ProcId) {
        let at = self.text.cfg.procs[base::Id::from_index(self.text.index(proc))].entry;
        self.frames.push(Frame { proc, at, before: None });
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a frame is active")
    }

    fn what(&mut self, e: EdgeId) -> String {
        let p = self.frame().proc;
        let program = self.text.program;
        format!("{} {e} `{}`", program.procs[p].name, ir::print::edge(program, p, e))
    }

    /// Goes to the first statement of the edge, along jumps and heads of branches and loops.
    fn find(&mut self, e: EdgeId) {
        let start = self.frame().at;
        let (mut pending, mut seen) = (vec![start], BTreeSet::new());
        while let Some(at) = pending.pop() {
            if !seen.insert(at) {
                continue;
            }
            let stmt = self.text.stmt(at);
            let origin = self.text.abstraction.origin.stmt(stmt.id).expect("every statement has an origin");
            if origin.edge == Some(e) {
                self.frame().at = at;
                return;
            }
            if matches!(origin.role, Role::Jump | Role::Branch(_)) {
                let out = &self.text.cfg.vertices[at].out;
                pending.extend(out.iter().map(|e| self.text.cfg.edges[*e].to));
            }
        }
        panic!("{e} is not found behind {}", bp::head(self.text.stmt(start)));
    }

    fn here(&mut self) -> &'a Stmt {
        let at = self.frame().at;
        self.text.stmt(at)
    }

    fn advance(&mut self) {
        let cfg = &self.text.cfg;
        let at = self.frame().at;
        let mut next = cfg.vertices[at].out.iter().map(|e| cfg.edges[*e].to);
        let next = next.find(|v| !cfg.vertices[*v].kind.is_failure()).expect("execution goes on");
        self.frame().at = next;
    }

    /// Checks that for some completion of what is known before, `admits` allows it.
    fn require(&mut self, known: &Known, what: &str, admits: &Admits<'_>) {
        let open: Vec<&Name> = known.iter().filter(|(_, v)| v.is_none()).map(|(n, _)| n).collect();
        if open.len() > 10 {
            return;
        }
        self.checked += 1;
        let found = (0..1usize << open.len()).any(|bits| {
            let valuation = |n: &Name| match known.get(n) {
                Some(Some(b)) => *b,
                Some(None) => bits >> open.iter().position(|m| *m == n).expect("it is open") & 1 == 1,
                None => panic!("{n} is not in scope"),
            };
            admits(&valuation)
        });
        let text = || bp::print(&self.text.abstraction.program);
        assert!(found, "{what} is not allowed from {known:?}\n{}", text());
    }

    /// The procedure's `enforce` admits the state.
    pub(crate) fn check_enforce(&mut self, known: &Known) {
        let p = self.frame().proc;
        if let Some(e) = &self.text.proc(p).enforce {
            self.require(known, "enforce", &|v| values(e, v).one);
        }
    }

    /// A parallel assignment leads from `before` to `after`; variables not assigned keep their values.
    fn assign(
        &mut self,
        pairs: &[(Name, Expr)],
        constrain: Option<&Expr>,
        (before, after): (&Known, &Known),
        what: &str,
    ) {
        // A condition on both states needs all values of the second one.
        let open: Vec<&Name> = match constrain {
            Some(_) => after.iter().filter(|(_, v)| v.is_none()).map(|(n, _)| n).collect(),
            None => vec![],
        };
        if open.len() > 6 {
            return;
        }
        self.require(before, what, &|v| {
            (0..1usize << open.len()).any(|bits| {
                let next = |name: &Name| match after.get(name) {
                    Some(Some(b)) => Some(*b),
                    Some(None) => open.iter().position(|n| *n == name).map(|i| bits >> i & 1 == 1),
                    // What a call needs is not seen outside, and is not written here.
                    None => Some(v(name)),
                };
                let constrained = constrain
                    .is_none_or(|c| values_of_step(c, v, &|n| next(n).expect("all values are chosen")).one);
                constrained
                    && after.keys().all(|name| match (next(name), pairs.iter().find(|(n, _)| n == name)) {
                        (None, _) => true,
                        (Some(b), Some((_, e))) => values(e, v).admit(b),
                        (Some(b), None) => v(name) == b,
                    })
            })
        });
    }

    /// The execution takes an edge that is not a call of a procedure with body. `failed`: it is a check, and fails.
    pub(crate) fn edge(&mut self, e: EdgeId, before: &Known, after: &Known, failed: bool) {
        let what = self.what(e);
        self.find(e);
        // Behind a condition predicates that are tracked from there on get their values in a statement of their own.
        let at = self.frame().at;
        self.advance();
        let tracks = *self.text.role(self.here()) == Role::Track;
        self.frame().at = at;
        let step = (before, if tracks { before } else { after });
        match &self.here().kind {
            StmtKind::Skip => self.assign(&[], None, step, &what),
            StmtKind::Assign { targets, values, constrain } => {
                let pairs = paired(targets, values);
                self.assign(&pairs, constrain.as_deref(), step, &what);
            }
            StmtKind::Assume { cond, constrain } => {
                self.require(before, &what, &|v| values(cond, v).one);
                self.assign(&[], constrain.as_deref(), step, &what);
            }
            StmtKind::Assert(cond) => {
                if failed {
                    self.require(before, &what, &|v| values(cond, v).zero);
                }
            }
            other => panic!("{what} became {other:?}"),
        }
        if failed {
            return;
        }
        self.advance();
        if tracks {
            let StmtKind::Assign { targets, values, constrain } = &self.here().kind else {
                panic!("{what}: no values")
            };
            self.assign(&paired(targets, values), constrain.as_deref(), (before, after), &what);
            self.advance();
        }
        self.check_enforce(after);
    }

    /// The execution calls a procedure with body: `inside` is the state at its entry.
    pub(crate) fn enter(&mut self, e: EdgeId, q: ProcId, mut before: Known, inside: &Known) {
        let what = self.what(e);
        self.find(e);
        let stmt = self.here();
        if let (StmtKind::Assign { targets, values, .. }, Role::Save) = (&stmt.kind, self.text.role(stmt)) {
            for (saved, value) in targets.iter().zip(values) {
                let Expr::Var(v) = value else { panic!("{what}: a saved value is a variable's") };
                before.insert(saved.name.clone(), before[&v.name]);
            }
            self.advance();
        }
        let StmtKind::Call { args, .. } = &self.here().kind else { panic!("{what} has no call") };
        let callee = self.text.proc(q);
        assert_eq!(callee.formals.len(), args.len());
        let pairs = paired(&callee.formals, args);
        self.require(&before, &what, &|v| {
            pairs.iter().all(|(name, e)| inside[name].is_none_or(|b| values(e, v).admit(b)))
        });
        self.frame().before = Some((e, before));
        self.push(q);
        self.check_enforce(inside);
    }

    /// The innermost procedure returns: `exit` is the state at its exit, `after` the caller's behind the call.
    pub(crate) fn leave(&mut self, exit: &Known, after: &Known) {
        let q = self.frames.pop().expect("a frame is active").proc;
        let (e, mut known) = self.frame().before.take().expect("the caller waits");
        let returned: Vec<Option<bool>> = self.returned(q).iter().map(|name| exit[name]).collect();
        assert_eq!(returned.len(), self.text.proc(q).returns);
        let what = format!("return from {} at {e}", self.text.program.procs[q].name);
        let StmtKind::Call { results, .. } = &self.here().kind else { panic!("{what}: no call") };
        for (name, value) in exit {
            if self.text.is_global(name) {
                known.insert(name.clone(), *value);
            }
        }
        for (var, value) in results.iter().zip(&returned) {
            if let Some(var) = var {
                known.insert(var.name.clone(), *value);
            }
        }
        self.advance();
        let (mut pairs, mut condition) = (vec![], None);
        let stmt = self.here();
        if *self.text.role(stmt) == Role::AfterCall {
            condition = match &stmt.kind {
                StmtKind::Assign { targets, values, constrain } => {
                    pairs = paired(targets, values);
                    constrain.as_deref()
                }
                StmtKind::Assume { cond, .. } => Some(cond),
                other => panic!("{what}: {other:?} after the call"),
            };
            self.advance();
        }
        self.assign(&pairs, condition, (&known, after), &what);
        self.check_enforce(after);
    }

    /// The variables that the procedure returns.
    fn returned(&self, q: ProcId) -> Vec<Name> {
        let abstraction = self.text.abstraction;
        let mut returned = vec![];
        abstraction.program.for_each_stmt(|s| {
            let origin = abstraction.origin.stmt(s.id).expect("every statement has an origin");
            if let (true, StmtKind::Return(values)) = (origin.proc == q, &s.kind) {
                let variable = |e: &Expr| match e {
                    Expr::Var(v) => v.name.clone(),
                    other => panic!("{other} is returned"),
                };
                returned = values.iter().map(variable).collect();
            }
        });
        returned
    }
}

fn paired(targets: &[bp::Ident], values: &[Expr]) -> Vec<(Name, Expr)> {
    targets.iter().map(|t| t.name.clone()).zip(values.iter().cloned()).collect()
}
