//! The soundness theorem as a test: each run of a random C-- program with pointers, arrays and recursive calls,
//! mapped through random predicates, is a run of the boolean program.

#[allow(dead_code, reason = "each test uses a part of what is shared")]
mod common;

use base::IndexVec;
use bp::{Cfg, Expr, Name, Stmt, StmtId, StmtKind, VertexId};
use c2bp::{Abstraction, Role};
use cmm::{Callee, EdgeId, Op, ProcId, Program};
use common::boolean::values;
use common::machine::{Choose, Machine};
use common::programs::{Dice, random_predicates, random_program};
use pred::{Precision, PredId, Scope};
use std::collections::{BTreeMap, BTreeSet};

impl Choose for Dice {
    fn below(&mut self, n: usize) -> usize {
        Dice::below(self, n)
    }
}

/// What is known of variables; `None`: any value (the predicate means nothing in this state).
type Known = BTreeMap<Name, Option<bool>>;

/// Whether a valuation is admitted.
type Admits<'a> = dyn Fn(&dyn Fn(&Name) -> bool) -> bool + 'a;

struct Simulation<'a> {
    program: &'a Program,
    precision: &'a Precision,
    abstraction: &'a Abstraction,
    machine: Machine<'a>,
    cfg: &'a Cfg,
    stmts: &'a IndexVec<StmtId, Option<&'a Stmt>>,
    /// For each frame: where the boolean program stands.
    positions: Vec<VertexId>,
    /// For each open call: the caller's variables before it.
    before: Vec<(EdgeId, Known)>,
    checked: usize,
}

impl<'a> Simulation<'a> {
    fn text(&self, p: ProcId) -> &'a bp::Proc {
        &self.abstraction.program.procs[self.index(p)]
    }

    /// The number of the procedure's text.
    fn index(&self, p: ProcId) -> usize {
        let of = |q: &bp::Proc| self.abstraction.origin.proc(&q.name.name) == Some(p);
        self.abstraction.program.procs.iter().position(of).expect("the procedure is there")
    }

    fn entry(&self, p: ProcId) -> VertexId {
        self.cfg.procs[base::Id::from_index(self.index(p))].entry
    }

    fn name(&self, id: PredId) -> Name {
        Name::predicate(self.precision.get(id).text(self.program))
    }

    /// The values of the predicates that the innermost frame sees.
    fn alpha(&self) -> Known {
        let p = self.machine.frame().proc;
        let seen = self.precision.iter().filter(|(id, pred)| {
            (pred.scope == Scope::Global || pred.scope == Scope::Proc(p))
                && !self.abstraction.ignored.contains(id)
        });
        seen.map(|(id, pred)| (self.name(id), self.machine.holds(&pred.expr).ok())).collect()
    }

    fn is_global(&self, name: &Name) -> bool {
        self.abstraction.program.globals.iter().any(|g| g.name == *name)
    }

    /// Goes to the first statement of the edge, along jumps and heads of branches and loops.
    fn find(&mut self, e: EdgeId) {
        let start = *self.positions.last().expect("a frame is active");
        let (mut pending, mut seen) = (vec![start], BTreeSet::new());
        while let Some(at) = pending.pop() {
            if !seen.insert(at) {
                continue;
            }
            let stmt = self.stmt(at);
            let origin = self.abstraction.origin.stmt(stmt.id).expect("every statement has an origin");
            if origin.edge == Some(e) {
                *self.positions.last_mut().expect("a frame is active") = at;
                return;
            }
            if matches!(origin.role, Role::Jump | Role::Branch(_)) {
                pending.extend(self.cfg.vertices[at].out.iter().map(|e| self.cfg.edges[*e].to));
            }
        }
        panic!("{e} is not found behind {}", bp::head(self.stmt(start)));
    }

    fn stmt(&self, at: VertexId) -> &'a Stmt {
        let id = self.cfg.vertices[at].kind.stmt().expect("the exit is behind a return");
        self.stmts[id].expect("every statement is in the text")
    }

    fn here(&self) -> &'a Stmt {
        self.stmt(*self.positions.last().expect("a frame is active"))
    }

    fn advance(&mut self) {
        let at = self.positions.last_mut().expect("a frame is active");
        let mut next = self.cfg.vertices[*at].out.iter().map(|e| self.cfg.edges[*e].to);
        *at = next.find(|v| !self.cfg.vertices[*v].kind.is_failure()).expect("execution goes on");
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
        assert!(found, "{what} is not allowed from {known:?}\n{}", bp::print(&self.abstraction.program));
    }

    /// The procedure's `enforce` admits the state.
    fn check_enforce(&mut self) {
        let p = self.machine.frame().proc;
        if let Some(e) = &self.text(p).enforce {
            let known = self.alpha();
            self.require(&known, "enforce", &|v| values(e, v).one);
        }
    }

    /// A parallel assignment leads from `before` to `after`; variables not assigned keep their values.
    fn check_assignment(&mut self, pairs: &[(Name, Expr)], before: &Known, after: &Known, what: &str) {
        self.require(before, what, &|v| {
            after.iter().all(|(name, new)| match (new, pairs.iter().find(|(n, _)| n == name)) {
                (None, _) => true,
                (Some(b), Some((_, e))) => values(e, v).admit(*b),
                (Some(b), None) => v(name) == *b,
            })
        });
    }

    fn step(&mut self, e: EdgeId, dice: &mut Dice) -> bool {
        let before = self.alpha();
        let p = self.machine.frame().proc;
        let edge = &self.program.procs[p].edges[e];
        let what = format!("{} {e} `{}`", self.program.procs[p].name, cmm::print::edge(self.program, p, e));
        if let Op::Call { callee: Callee::Direct(q), .. } = &edge.op {
            let next = self.machine.clone();
            if self.machine.call(e, dice).is_err() {
                self.machine = next;
                return false;
            }
            self.machine = {
                let entered = self.machine.clone();
                self.machine = next;
                self.find(e);
                entered
            };
            // `find` must look at the caller's text.
            return self.enter(e, *q, before, &what);
        }
        let holds = match &edge.op {
            Op::Check(_, c) => match self.machine.test(c) {
                Ok(b) => Some(b),
                Err(_) => return false,
            },
            _ => None,
        };
        if self.machine.execute(e, dice).is_err() {
            return false;
        }
        self.find(e);
        let after = self.alpha();
        let stmt = self.here();
        match &stmt.kind {
            StmtKind::Skip => self.check_assignment(&[], &before, &after, &what),
            StmtKind::Assign { targets, values, .. } => {
                let pairs: Vec<_> =
                    targets.iter().map(|t| t.name.clone()).zip(values.iter().cloned()).collect();
                self.check_assignment(&pairs, &before, &after, &what);
            }
            StmtKind::Assume { cond, .. } => {
                self.require(&before, &what, &|v| values(cond, v).one);
                self.check_assignment(&[], &before, &after, &what);
            }
            StmtKind::Assert(cond) => {
                if holds == Some(false) {
                    self.require(&before, &what, &|v| values(cond, v).zero);
                }
            }
            other => panic!("{what} became {other:?}"),
        }
        self.advance();
        self.check_enforce();
        // Execution goes on after a check that fails only in the C-- program; one run decides about one.
        holds != Some(false)
    }

    /// The machine has entered the callee; the boolean program stands before the call's statements.
    fn enter(&mut self, e: EdgeId, q: ProcId, mut before: Known, what: &str) -> bool {
        let stmt = self.here();
        if let (StmtKind::Assign { targets, values, .. }, Some(Role::Save)) =
            (&stmt.kind, self.abstraction.origin.stmt(stmt.id).map(|o| o.role.clone()))
        {
            for (saved, value) in targets.iter().zip(values) {
                let Expr::Var(v) = value else { panic!("{what}: a saved value is a variable's") };
                before.insert(saved.name.clone(), before[&v.name]);
            }
            self.advance();
        }
        let StmtKind::Call { args, .. } = &self.here().kind else { panic!("{what} has no call") };
        let callee = self.text(q);
        assert_eq!(callee.formals.len(), args.len());
        let inside = self.alpha();
        let pairs: Vec<(Name, Expr)> =
            callee.formals.iter().map(|f| f.name.clone()).zip(args.iter().cloned()).collect();
        self.require(&before, what, &|v| {
            pairs.iter().all(|(name, e)| inside[name].is_none_or(|b| values(e, v).admit(b)))
        });
        self.before.push((e, before));
        self.positions.push(self.entry(q));
        self.check_enforce();
        true
    }

    /// The innermost frame has reached its exit.
    fn leave(&mut self) -> bool {
        let Some((e, before)) = self.before.pop() else { return false };
        let exit = self.alpha();
        let q = self.machine.frame().proc;
        let callee = self.text(q);
        let mut returned = None;
        self.abstraction.program.for_each_stmt(|s| {
            let origin = self.abstraction.origin.stmt(s.id).expect("every statement has an origin");
            if let (true, StmtKind::Return(values)) = (origin.proc == q, &s.kind) {
                returned = Some(values.clone());
            }
        });
        let returned: Vec<Option<bool>> = returned
            .expect("the exit returns")
            .iter()
            .map(|e| match e {
                Expr::Var(v) => exit[&v.name],
                other => panic!("{other} is returned"),
            })
            .collect();
        assert_eq!(returned.len(), callee.returns);
        self.positions.pop();
        if self.machine.leave(e).is_err() {
            return false;
        }
        let what = format!("return from {} at {e}", self.program.procs[q].name);
        let StmtKind::Call { results, .. } = &self.here().kind else { panic!("{what}: no call") };
        let mut known = before;
        for (name, value) in &exit {
            if self.is_global(name) {
                known.insert(name.clone(), *value);
            }
        }
        for (var, value) in results.iter().zip(&returned) {
            if let Some(var) = var {
                known.insert(var.name.clone(), *value);
            }
        }
        self.advance();
        let after = self.alpha();
        let mut pairs = vec![];
        let stmt = self.here();
        if self.abstraction.origin.stmt(stmt.id).map(|o| &o.role) == Some(&Role::AfterCall) {
            let condition = match &stmt.kind {
                StmtKind::Assign { targets, values, constrain } => {
                    pairs = targets.iter().map(|t| t.name.clone()).zip(values.iter().cloned()).collect();
                    constrain.as_ref()
                }
                StmtKind::Assume { cond, .. } => Some(cond),
                other => panic!("{what}: {other:?} after the call"),
            };
            if let Some(condition) = condition {
                self.require(&known, &what, &|v| values(condition, v).one);
            }
            self.advance();
        }
        self.check_assignment(&pairs, &known, &after, &what);
        self.check_enforce();
        true
    }

    fn run(&mut self, steps: usize, dice: &mut Dice) {
        self.check_enforce();
        for _ in 0..steps {
            let frame = self.machine.frame();
            let proc = &self.program.procs[frame.proc];
            if frame.at == proc.exit {
                if !self.leave() {
                    return;
                }
                continue;
            }
            let ready = |e: &EdgeId| match &proc.edges[*e].op {
                Op::Assume(c) => self.machine.test(c).unwrap_or(false),
                _ => true,
            };
            let edges = proc.edges.iter_enumerated().filter(|(_, edge)| edge.src == frame.at).map(|(e, _)| e);
            let ready: Vec<EdgeId> = edges.filter(ready).collect();
            if ready.is_empty() || self.machine.frames.len() > 5 {
                return;
            }
            let e = ready[dice.below(ready.len())];
            if !self.step(e, dice) {
                return;
            }
        }
    }
}

fn simulate(seed: u64) -> usize {
    let mut dice = Dice::new(seed);
    let text = random_program(&mut dice);
    let program = common::program(&text);
    let texts = random_predicates(&mut dice);
    let precision = common::precision(&program, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let abstraction = common::abstraction(&program, &texts, |o| {
        o.max_cube = 2;
        o.goto = seed.is_multiple_of(2);
    });
    let (cfg, _) = Cfg::build(&abstraction.program, None).expect("the text is a boolean program");
    let stmts = abstraction.program.stmts_by_id();
    let mut checked = 0;
    for _ in 0..12 {
        let machine = Machine::new(&program, &mut dice);
        let mut simulation = Simulation {
            program: &program,
            precision: &precision,
            abstraction: &abstraction,
            machine,
            cfg: &cfg,
            stmts: &stmts,
            positions: vec![],
            before: vec![],
            checked: 0,
        };
        simulation.positions.push(simulation.entry(program.entry));
        simulation.run(120, &mut dice);
        checked += simulation.checked;
    }
    checked
}

/// Fixed seeds, so that every run of the tests is the same; `SEEDS=1000..2000` asks for a longer campaign.
#[test]
fn runs_are_simulated() {
    let range = std::env::var("SEEDS").unwrap_or_else(|_| "0..30".to_owned());
    let (from, to) = range.split_once("..").expect("a range such as 0..30");
    let (from, to): (u64, u64) = (from.parse().expect("a number"), to.parse().expect("a number"));
    let checked: usize =
        (from..to).map(|seed| simulate((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))).sum();
    assert!(checked > 100, "only {checked} steps were checked");
}
