//! From the tree to the graph. Vertices are made in the order of the text, then edges; both walk nested
//! statements with a stack of their own.

use super::check::{self, Report, Scope};
use super::{Cfg, Edge, EdgeId, Op, ProcCfg, ProcId, Var, VarId, Vertex, VertexId, VertexKind};
use crate::ast::{Proc, Program, Stmt, StmtId, StmtKind};
use crate::expr::Expr;
use crate::name::{Ident, Loc, Name};
use base::{Diagnostic, Id, IndexVec};
use rustc_hash::FxHashMap;

pub(super) fn build(
    program: &Program,
    entry: Option<&str>,
) -> Result<(Cfg, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut report = Report::default();
    let procs = check::procedures(program, &mut report);
    let entry_name = entry.unwrap_or("main");
    let entry = procs.get(&Name::new(entry_name)).copied();
    if entry.is_none() {
        report.error(Loc(None), format!("there is no procedure `{entry_name}` to start with"));
    }
    let mut lower = Lower {
        program,
        procs,
        globals: FxHashMap::default(),
        cfg: Cfg {
            vars: IndexVec::new(),
            globals: vec![],
            procs: IndexVec::new(),
            vertices: IndexVec::new(),
            edges: IndexVec::new(),
            entry: entry.unwrap_or(ProcId::from_index(0)),
        },
    };
    for ident in &program.globals {
        let id = lower.variable(ident, None);
        check::declare(&mut lower.globals, ident, id, &mut report);
        lower.cfg.globals.push(id);
    }
    for index in 0..program.procs.len() {
        lower.proc(ProcId::from_index(index), &mut report);
    }
    if !report.errors.is_empty() {
        return Err(report.errors);
    }
    lower.finish();
    Ok((lower.cfg, report.warnings))
}

struct Lower<'a> {
    program: &'a Program,
    procs: FxHashMap<Name, ProcId>,
    globals: FxHashMap<Name, VarId>,
    cfg: Cfg,
}

/// Where the statements of one procedure begin and its labels lead.
struct Places {
    start: FxHashMap<StmtId, VertexId>,
    failure: FxHashMap<StmtId, VertexId>,
    labels: FxHashMap<Name, VertexId>,
    exit: VertexId,
}

impl<'a> Lower<'a> {
    fn variable(&mut self, ident: &Ident, owner: Option<ProcId>) -> VarId {
        self.cfg.vars.push(Var { name: ident.name.clone(), owner, loc: ident.loc })
    }

    fn vertex(&mut self, proc: ProcId, kind: VertexKind, loc: Loc) -> VertexId {
        self.cfg.vertices.push(Vertex {
            proc,
            kind,
            loc,
            labels: vec![],
            return_point: false,
            out: vec![],
            into: vec![],
        })
    }

    fn edge(&mut self, from: VertexId, to: VertexId, stmt: StmtId, op: Op) {
        let id = self.cfg.edges.push(Edge { from, to, op, stmt });
        self.cfg.vertices[from].out.push(id);
    }

    fn proc(&mut self, id: ProcId, report: &mut Report) {
        let program = self.program;
        let proc = &program.procs[id.index()];
        let mut locals = FxHashMap::default();
        let mut declare = |lower: &mut Self, ident: &Ident| {
            let var = lower.variable(ident, Some(id));
            check::declare(&mut locals, ident, var, report);
            if lower.globals.contains_key(&ident.name) {
                let message = format!("`{ident}` shadows the global variable of the same name");
                report.warnings.push(Diagnostic::warning(ident.loc.0, message));
            }
            var
        };
        let formals = proc.formals.iter().map(|ident| declare(self, ident)).collect();
        let local_ids = proc.locals.iter().map(|ident| declare(self, ident)).collect();
        let first = self.cfg.vertices.len();
        let places = self.places(id, proc, report);
        let entry = proc.body.first().map_or(places.exit, |stmt| places.start[&stmt.id]);
        let end = self.cfg.vertices.len();
        let globals = std::mem::take(&mut self.globals);
        let mut scope = Scope { globals: &globals, locals, report };
        let enforce = proc.enforce.as_ref().map(|e| scope.expr(e, proc.name.loc));
        self.edges(proc, &places, &mut scope);
        self.globals = globals;
        self.cfg.procs.push(ProcCfg {
            name: proc.name.name.clone(),
            returns: proc.returns,
            formals,
            locals: local_ids,
            enforce,
            entry,
            exit: places.exit,
            first,
            end,
        });
    }

    /// Makes the vertices.
    fn places(&mut self, id: ProcId, proc: &'a Proc, report: &mut Report) -> Places {
        let mut start = FxHashMap::default();
        let mut labels = FxHashMap::default();
        let mut asserts = Vec::new();
        let mut stack: Vec<&Stmt> = proc.body.iter().rev().collect();
        while let Some(stmt) = stack.pop() {
            let vertex = self.vertex(id, VertexKind::Stmt(stmt.id), stmt.loc);
            start.insert(stmt.id, vertex);
            for label in &stmt.labels {
                check::well_formed(label, "label", report);
                if labels.insert(label.name.clone(), vertex).is_some() {
                    report.error(label.loc, format!("label `{label}` stands twice in `{}`", proc.name));
                }
                self.cfg.vertices[vertex].labels.push(label.name.clone());
            }
            if let StmtKind::If { arms, .. } = &stmt.kind {
                // The further arms follow directly, so `vertex + n` is the arm with the number n.
                for n in 1..arms.len() {
                    self.vertex(id, VertexKind::Arm(stmt.id, n), stmt.loc);
                }
            }
            if let StmtKind::Assert(_) = &stmt.kind {
                asserts.push(stmt);
            }
            stack.extend(stmt.children().rev());
        }
        let mut failure = FxHashMap::default();
        for stmt in asserts {
            failure.insert(stmt.id, self.vertex(id, VertexKind::Failure(stmt.id), stmt.loc));
        }
        let exit = self.vertex(id, VertexKind::Exit, proc.name.loc);
        Places { start, failure, labels, exit }
    }

    /// Makes the edges.
    fn edges(&mut self, proc: &'a Proc, places: &Places, scope: &mut Scope<'_>) {
        // Lists of statements still to do, each with the vertex that follows it.
        let mut lists: Vec<(&[Stmt], VertexId)> = vec![(&proc.body, places.exit)];
        while let Some((list, after)) = lists.pop() {
            for (i, stmt) in list.iter().enumerate() {
                let next = list.get(i + 1).map_or(after, |stmt| places.start[&stmt.id]);
                match &stmt.kind {
                    StmtKind::If { arms, otherwise } => {
                        self.arms(stmt, arms, otherwise, next, places, scope);
                        lists.extend(arms.iter().map(|(_, body)| (body.as_slice(), next)));
                        lists.push((otherwise, next));
                    }
                    StmtKind::While { cond, body } => {
                        let head = places.start[&stmt.id];
                        let cond = scope.expr(cond, stmt.loc);
                        let inside = body.first().map_or(head, |stmt| places.start[&stmt.id]);
                        self.branch(stmt.id, head, cond, inside, next);
                        lists.push((body, head));
                    }
                    _ => self.simple(proc, stmt, next, places, scope),
                }
            }
        }
    }

    fn branch(&mut self, stmt: StmtId, from: VertexId, cond: Expr<VarId>, yes: VertexId, no: VertexId) {
        let assume = |cond, value| Op::Assume { cond, value, constrain: None };
        self.edge(from, yes, stmt, assume(cond.clone(), true));
        self.edge(from, no, stmt, assume(cond, false));
    }

    fn arms(
        &mut self,
        stmt: &Stmt,
        arms: &[(Expr, Vec<Stmt>)],
        otherwise: &[Stmt],
        next: VertexId,
        places: &Places,
        scope: &mut Scope<'_>,
    ) {
        let head = places.start[&stmt.id];
        let first_of = |list: &[Stmt]| list.first().map_or(next, |stmt| places.start[&stmt.id]);
        if arms.is_empty() {
            self.edge(head, first_of(otherwise), stmt.id, Op::Skip);
        }
        for (n, (cond, body)) in arms.iter().enumerate() {
            let from = VertexId::from_index(head.index() + n);
            let cond = scope.expr(cond, stmt.loc);
            let no = if n + 1 < arms.len() {
                VertexId::from_index(head.index() + n + 1)
            } else {
                first_of(otherwise)
            };
            self.branch(stmt.id, from, cond, first_of(body), no);
        }
    }

    /// A statement without statements inside.
    fn simple(&mut self, proc: &Proc, stmt: &Stmt, next: VertexId, places: &Places, scope: &mut Scope<'_>) {
        let from = places.start[&stmt.id];
        let loc = stmt.loc;
        let op = match &stmt.kind {
            StmtKind::If { .. } | StmtKind::While { .. } => {
                unreachable!("statements with statements inside are lowered by their own functions")
            }
            StmtKind::Skip => Op::Skip,
            StmtKind::Print(values) => {
                for e in values {
                    scope.expr(e, loc);
                }
                Op::Skip
            }
            StmtKind::Assign { targets, values, constrain } => {
                if targets.len() != values.len() {
                    let (n, m) = (targets.len(), values.len());
                    scope.report.error(loc, format!("{n} variables are set to {m} values"));
                }
                let constrain = scope.constrain(constrain.as_ref(), loc);
                let targets = scope.targets(targets.iter().map(Some), loc).into_iter().flatten().collect();
                Op::Assign { targets, values: values.iter().map(|e| scope.expr(e, loc)).collect(), constrain }
            }
            StmtKind::Dead(names) => {
                let targets: Vec<VarId> =
                    scope.targets(names.iter().map(Some), loc).into_iter().flatten().collect();
                Op::Assign { values: vec![Expr::Star; targets.len()], targets, constrain: None }
            }
            StmtKind::Call { results, callee, args, constrain } => {
                self.call(results, callee, args, constrain.as_ref(), loc, scope)
            }
            StmtKind::Goto(labels) => {
                for label in labels {
                    match places.labels.get(&label.name) {
                        Some(to) => self.edge(from, *to, stmt.id, Op::Skip),
                        None => scope
                            .report
                            .error(label.loc, format!("there is no label `{label}` in `{}`", proc.name)),
                    }
                }
                return;
            }
            StmtKind::Assume { cond, constrain } => {
                let cond = scope.expr(cond, loc);
                let constrain = scope.constrain(constrain.as_ref(), loc).map(|e| without_next(&e));
                Op::Assume { cond, value: true, constrain }
            }
            StmtKind::Assert(cond) => {
                let cond = scope.expr(cond, loc);
                self.branch(stmt.id, from, cond, next, places.failure[&stmt.id]);
                return;
            }
            StmtKind::Return(values) => {
                if values.len() != proc.returns {
                    let (n, m) = (values.len(), proc.returns);
                    scope
                        .report
                        .error(loc, format!("{n} values are returned by `{}`, which returns {m}", proc.name));
                }
                let values = values.iter().map(|e| scope.expr(e, loc)).collect();
                self.edge(from, places.exit, stmt.id, Op::Return(values));
                return;
            }
        };
        self.edge(from, next, stmt.id, op);
    }

    fn call(
        &mut self,
        results: &[Option<Ident>],
        callee: &Ident,
        args: &[Expr],
        constrain: Option<&Expr>,
        loc: Loc,
        scope: &mut Scope<'_>,
    ) -> Op {
        let constrain = scope.constrain(constrain, loc);
        let args: Vec<Expr<VarId>> = args.iter().map(|e| scope.expr(e, loc)).collect();
        let results = scope.targets(results.iter().map(Option::as_ref), loc);
        let at = if callee.loc.0.is_some() { callee.loc } else { loc };
        let Some(id) = self.procs.get(&callee.name).copied() else {
            scope.report.error(at, format!("procedure `{callee}` is not defined"));
            return Op::Skip;
        };
        let proc = &self.program.procs[id.index()];
        if args.len() != proc.formals.len() {
            let (n, m) = (args.len(), proc.formals.len());
            scope.report.error(at, format!("`{callee}` is called with {n} arguments, it has {m} formals"));
        }
        if !results.is_empty() && results.len() != proc.returns {
            let (n, m) = (results.len(), proc.returns);
            scope.report.error(at, format!("{n} variables are set by `{callee}`, which returns {m} values"));
        }
        Op::Call { callee: id, args, results, constrain }
    }

    /// Incoming edges and return points, once all edges are there.
    fn finish(&mut self) {
        let Cfg { vertices, edges, .. } = &mut self.cfg;
        let ids: Vec<EdgeId> = edges.ids().collect();
        for id in ids {
            let edge = &edges[id];
            vertices[edge.to].into.push(id);
            if let Op::Call { .. } = edge.op {
                vertices[edge.to].return_point = true;
            }
        }
    }
}

/// An `assume` changes no variable, so the next value is the value.
fn without_next(e: &Expr<VarId>) -> Expr<VarId> {
    let mapped = e.try_map(&mut |v: &VarId, _| Ok::<_, std::convert::Infallible>(*v));
    let Ok(mut e) = mapped;
    let mut stack = vec![&mut e];
    while let Some(e) = stack.pop() {
        match e {
            Expr::Next(v) => *e = Expr::Var(*v),
            Expr::Const(_) | Expr::Star | Expr::Var(_) => {}
            Expr::Not(a) => stack.push(a),
            Expr::And(es) | Expr::Or(es) => stack.extend(es),
            Expr::Binary(_, a, b) | Expr::Choose(a, b) => stack.extend([&mut **a, &mut **b]),
            Expr::Ite(c, a, b) => stack.extend([&mut **c, &mut **a, &mut **b]),
        }
    }
    e
}
