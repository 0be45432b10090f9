//! From the tree to the graph. Vertices are made in the order of the text, then edges; both walk nested
//! statements with a stack of their own.

use super::rules::{self, Labels, Report, Scope, Vars};
use super::{Cfg, Edge, EdgeId, EdgeList, Op, ProcCfg, ProcId, Var, VarId, Vertex, VertexId, VertexKind};
use crate::ast::{Proc, Program, Stmt, StmtId, StmtKind, preorder};
use crate::expr::Expr;
use crate::name::{Ident, Loc, Name};
use base::{Diagnostic, Id, IndexVec};
use rustc_hash::FxHashMap;

pub(super) fn build(
    program: &Program,
    entry: Option<&str>,
) -> Result<(Cfg, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (mut lower, report) = lower(program, entry);
    if report.threads
        && let Some(concurrent) = program.concurrent()
    {
        return Err(vec![concurrent.refusal()]);
    }
    if !report.errors.is_empty() {
        return Err(report.errors);
    }
    if let Some(concurrent) = report.passive {
        return Err(vec![concurrent.refusal()]);
    }
    lower.finish();
    Ok((lower.cfg, report.warnings))
}

pub(super) fn check(program: &Program, entry: Option<&str>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let report = lower(program, entry).1;
    if report.errors.is_empty() { Ok(report.warnings) } else { Err(report.errors) }
}

pub(super) fn passive(program: &Program, entry: Option<&str>) -> Option<crate::Concurrent> {
    lower(program, entry).1.passive
}

/// Checks and lowers everything. What threads become is no graph of the program.
fn lower<'a>(program: &'a Program, entry: Option<&str>) -> (Lower<'a>, Report) {
    let threads = !program.threads.is_empty() || program.getafix_init().is_some();
    let mut report = Report { threads, ..Report::default() };
    let entry = entry.unwrap_or("main");
    rules::entries(program, entry, &mut report);
    let mut lower = Lower {
        group: &program.procs,
        procs: FxHashMap::default(),
        globals: Vars::default(),
        places: IndexVec::new(),
        seen: vec![],
        cfg: Cfg {
            vars: IndexVec::new(),
            globals: vec![],
            procs: IndexVec::new(),
            vertices: IndexVec::new(),
            edges: IndexVec::new(),
            entry: ProcId::from_index(0),
        },
    };
    // One vertex a statement and one a procedure, more for arms and assertions only, and one or two edges a statement;
    // mostly the ids are numbers from 0 in order. Large arrays are not to be moved for the last vertex.
    let last = program.procs.iter().filter_map(|proc| proc.body.last()).map(|stmt| stmt.id.index()).max();
    let statements = last.map_or(0, |last| last + 1).min(MOST_RESERVED);
    lower.cfg.vertices.reserve(statements + program.procs.len());
    lower.cfg.edges.reserve(statements + statements / 2);
    if let Some(init) = program.proc("init").filter(|_| entry != "init" && program.getafix_init().is_none())
        && !is_called(&program.procs, &program.init, init)
    {
        let message = format!("procedure `init` is never called; nothing runs it before `{entry}`");
        report.warning(init.name.loc, message);
    }
    lower.globals(&program.globals, &mut report);
    lower.group(&program.procs, Some((entry, &program.init)), &mut report);
    let shared = lower.globals.clone();
    for thread in &program.threads {
        lower.globals.clone_from(&shared);
        lower.thread_globals(&thread.globals, &mut report);
        lower.group(&thread.procs, None, &mut report);
    }
    (lower, report)
}

/// Most statements for which there is room from the beginning.
const MOST_RESERVED: usize = 1 << 20;

pub(super) struct Lower<'a> {
    /// The procedures that see each other, also by name.
    group: &'a [Proc],
    procs: FxHashMap<Name, ProcId>,
    globals: Vars,
    /// Where the statements of the procedure at work begin.
    places: IndexVec<StmtId, VertexId>,
    /// The statements that there were so far; as many as `places`.
    seen: Vec<bool>,
    cfg: Cfg,
}

/// Where assertions of one procedure fail, where its labels and those of `init` lead.
pub(super) struct Places {
    pub(super) failure: FxHashMap<StmtId, VertexId>,
    init_labels: Labels,
    labels: Labels,
    pub(super) exit: VertexId,
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
            out: EdgeList::new(),
            into: EdgeList::new(),
        })
    }

    /// Where the statement begins.
    pub(super) fn start(&self, stmt: &Stmt) -> VertexId {
        self.places[stmt.id]
    }

    /// Where the statements begin, which lead to `after`.
    fn first_of(&self, list: &[Stmt], after: VertexId) -> VertexId {
        list.first().map_or(after, |stmt| self.start(stmt))
    }

    pub(super) fn edge(&mut self, from: VertexId, to: VertexId, stmt: StmtId, op: Op) {
        let id = self.cfg.edges.push(Edge { from, to, op, stmt });
        self.cfg.vertices[from].out.push(id);
    }

    fn globals(&mut self, idents: &[Ident], report: &mut Report) {
        for ident in idents {
            let id = self.variable(ident, None);
            rules::declare(&mut self.globals, ident, id, report);
            self.cfg.globals.push(id);
        }
    }

    /// The variables of a thread, beside those that all threads share.
    fn thread_globals(&mut self, idents: &[Ident], report: &mut Report) {
        let mut own = Vars::default();
        for ident in idents {
            let id = self.variable(ident, None);
            rules::declare(&mut own, ident, id, report);
            shadows(&self.globals, ident, report);
        }
        self.globals.extend(own);
    }

    /// Procedures that see each other, and the one that starts after `init`.
    fn group(&mut self, procs: &'a [Proc], start: Option<(&str, &'a [Stmt])>, report: &mut Report) {
        self.group = procs;
        self.procs = rules::procedures(procs, report);
        let (entry, init) = start.unwrap_or(("", &[]));
        let entry = self.procs.get(&Name::new(entry)).copied();
        let again =
            !init.is_empty() && entry.is_none_or(|entry| is_called(procs, init, &procs[entry.index()]));
        for (index, proc) in procs.iter().enumerate() {
            let id = ProcId::from_index(index);
            let init = if entry == Some(id) && !again { init } else { &[] };
            self.proc(id, proc, init, false, report);
        }
        self.cfg.entry = entry.unwrap_or(self.cfg.entry);
        if again {
            let none = Proc::new("init");
            let id = ProcId::from_index(procs.len());
            match entry {
                Some(entry) => self.proc(id, &procs[entry.index()], init, true, report),
                None => self.proc(id, &none, init, true, report),
            }
            self.cfg.entry = id;
        }
    }

    /// `again` tells that the procedure was lowered before, without `init`.
    fn proc(&mut self, id: ProcId, proc: &Proc, init: &[Stmt], again: bool, report: &mut Report) {
        let mut locals = Vars::default();
        let mut declare = |lower: &mut Self, ident: &Ident| {
            let var = lower.variable(ident, Some(id));
            rules::declare(&mut locals, ident, var, report);
            shadows(&lower.globals, ident, report);
            var
        };
        let formals = proc.formals.iter().map(|ident| declare(self, ident)).collect();
        let local_ids = proc.locals.iter().map(|ident| declare(self, ident)).collect();
        let first = self.cfg.vertices.len();
        let places = self.places(id, proc, init, again, report);
        let end = self.cfg.vertices.len();
        let body = self.first_of(&proc.body, places.exit);
        let globals = std::mem::take(&mut self.globals);
        let none = Vars::default();
        let mut scope = Scope {
            globals: &globals,
            locals: &none,
            labels: &places.init_labels,
            owner: "init",
            returns: None,
            enforce: None,
            report,
        };
        self.edges(init, body, &places, &mut scope);
        scope.locals = &locals;
        scope.labels = &places.labels;
        scope.owner = proc.name.name.as_str();
        scope.returns = Some(proc.returns);
        scope.enforce = proc.enforce.as_ref();
        let enforce = proc.enforce.as_ref().map(|e| scope.expr(e, proc.name.loc));
        self.edges(&proc.body, places.exit, &places, &mut scope);
        self.globals = globals;
        self.cfg.procs.push(ProcCfg {
            name: proc.name.name.clone(),
            returns: proc.returns,
            formals,
            locals: local_ids,
            enforce,
            enforced_at_entry_only: false,
            entry: self.first_of(init, body),
            exit: places.exit,
            first,
            end,
        });
    }

    /// Makes the vertices.
    fn places(&mut self, id: ProcId, proc: &Proc, init: &[Stmt], again: bool, report: &mut Report) -> Places {
        let mut places = Places {
            failure: FxHashMap::default(),
            init_labels: Labels::default(),
            labels: Labels::default(),
            exit: VertexId::from_index(0),
        };
        let mut asserts = Vec::new();
        for (list, is_init) in [(init, true), (&proc.body, false)] {
            for stmt in preorder(list) {
                let vertex = self.vertex(id, VertexKind::Stmt(stmt.id), stmt.loc);
                self.cfg.vertices[vertex].return_point = is_init;
                self.place(stmt, vertex, again && !is_init, report);
                let labels = if is_init { &mut places.init_labels } else { &mut places.labels };
                let owner = if is_init { "init" } else { proc.name.name.as_str() };
                for label in &stmt.labels {
                    rules::label(labels, label, vertex, owner, report);
                    self.cfg.vertices[vertex].labels.push(label.name.clone());
                }
                if let StmtKind::If { arms, .. } = &stmt.kind {
                    // The further arms follow directly, so `vertex + n` is the arm with the number n.
                    for n in 1..arms.len() {
                        let arm = self.vertex(id, VertexKind::Arm(stmt.id, n), stmt.loc);
                        self.cfg.vertices[arm].return_point = is_init;
                    }
                }
                if let StmtKind::Assert(_) = &stmt.kind {
                    asserts.push((stmt, is_init));
                }
            }
        }
        for (stmt, is_init) in asserts {
            let failure = self.vertex(id, VertexKind::Failure(stmt.id), stmt.loc);
            self.cfg.vertices[failure].return_point = is_init;
            places.failure.insert(stmt.id, failure);
        }
        places.exit = self.vertex(id, VertexKind::Exit, proc.name.loc);
        places
    }

    /// Notes where the statement begins, and the part of rule 1 about statements.
    fn place(&mut self, stmt: &Stmt, vertex: VertexId, again: bool, report: &mut Report) {
        let index = stmt.id.index();
        while self.places.len() <= index {
            self.places.push(vertex);
            self.seen.push(false);
        }
        self.places[stmt.id] = vertex;
        if std::mem::replace(&mut self.seen[index], true) && !again {
            report.error(stmt.loc, format!("two statements have the id {}", stmt.id));
        }
        report.threads |= stmt.kind.about_threads().is_some();
    }

    /// Makes the edges of a list of statements that leads to `after`.
    fn edges(&mut self, list: &[Stmt], after: VertexId, places: &Places, scope: &mut Scope<'_>) {
        // Lists of statements still to do, each with the vertex that follows it.
        let mut lists: Vec<(&[Stmt], VertexId)> = vec![(list, after)];
        while let Some((list, after)) = lists.pop() {
            for (i, stmt) in list.iter().enumerate() {
                let next = self.first_of(&list[i + 1..], after);
                match &stmt.kind {
                    StmtKind::If { arms, otherwise } => {
                        self.arms(stmt, arms, otherwise, next, scope);
                        lists.extend(arms.iter().map(|(_, body)| (body.as_slice(), next)));
                        lists.push((otherwise, next));
                    }
                    StmtKind::While { cond, body } => {
                        let head = self.start(stmt);
                        let cond = scope.expr(cond, stmt.loc);
                        let inside = self.first_of(body, head);
                        self.branch(stmt.id, head, cond, inside, next);
                        lists.push((body, head));
                    }
                    StmtKind::Atomic(body) => lists.push((body, next)),
                    _ => self.simple(stmt, next, places, scope),
                }
            }
        }
    }

    pub(super) fn callee(&self, name: &Name) -> Option<(ProcId, &'a Proc)> {
        let id = *self.procs.get(name)?;
        Some((id, &self.group[id.index()]))
    }

    pub(super) fn branch(
        &mut self,
        stmt: StmtId,
        from: VertexId,
        cond: Expr<VarId>,
        yes: VertexId,
        no: VertexId,
    ) {
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
        scope: &mut Scope<'_>,
    ) {
        let head = self.start(stmt);
        let last = self.first_of(otherwise, next);
        if arms.is_empty() {
            self.edge(head, last, stmt.id, Op::Skip);
        }
        for (n, (cond, body)) in arms.iter().enumerate() {
            let from = VertexId::from_index(head.index() + n);
            let cond = scope.expr(cond, stmt.loc);
            let no = if n + 1 < arms.len() { VertexId::from_index(from.index() + 1) } else { last };
            self.branch(stmt.id, from, cond, self.first_of(body, next), no);
        }
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

/// Whether some statement calls the procedure, of those that are told apart by names.
fn is_called(procs: &[Proc], init: &[Stmt], callee: &Proc) -> bool {
    let calls =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Call { callee: name, .. } if *name == callee.name);
    procs.iter().map(|proc| proc.body.as_slice()).chain([init]).any(|list| preorder(list).any(calls))
}

/// A warning when the variable hides one of the outer scope.
fn shadows(outer: &Vars, ident: &Ident, report: &mut Report) {
    if outer.contains_key(&ident.name) {
        report.warning(ident.loc, format!("`{ident}` shadows the global variable of the same name"));
    }
}
