//! Lowers the tree to the graph without its vertices, and reports all errors of the tree. The vertices are
//! known before [`vertices`](super::vertices) makes them: here they are counted. Nested statements are walked
//! with a stack.

use super::groups::{Body, Group, is_called};
use super::rules::{self, Labels, Report, Scope, Vars};
use super::vertices::heads;
use super::{Cfg, Edge, Op, ProcCfg, ProcId, Var, VarId, VertexId};
use crate::ast::{Proc, Program, Stmt, StmtId, StmtKind, preorder};
use crate::expr::Expr;
use crate::name::{Ident, Name};
use base::{Diagnostic, Id, IndexVec};
use rustc_hash::FxHashMap;

pub(super) fn check(program: &Program, entry: &str) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let report = lower(program, entry, usize::MAX).report;
    if report.errors.is_empty() { Ok(report.warnings) } else { Err(report.errors) }
}

pub(super) fn passive(program: &Program, entry: &str) -> Option<crate::Concurrent> {
    lower(program, entry, usize::MAX).report.passive
}

/// How many variables the procedures have.
fn variables(procs: &[Proc]) -> usize {
    procs.iter().map(|proc| proc.formals.len() + proc.locals.len()).sum()
}

/// Most statements for which there is room from the beginning.
const MOST_RESERVED: usize = 1 << 20;

/// How many statements there are, mostly: ids are numbers from 0 in order then.
pub(super) fn about(program: &Program) -> usize {
    let last = program.procs.iter().filter_map(|proc| proc.body.last()).map(|stmt| stmt.id.index()).max();
    last.map_or(0, |last| last + 1).min(MOST_RESERVED)
}

/// The lowered program. Its graph has no vertices.
pub(super) struct Lowered {
    pub(super) cfg: Cfg,
    pub(super) report: Report,
    /// The statements that there were.
    seen: Vec<bool>,
}

impl Lowered {
    /// With the procedures that follow. Nothing if they have statements with the same ids: then messages are those of one go
    /// only.
    pub(super) fn with(mut self, rest: Lowered) -> Option<Lowered> {
        if self.seen.iter().zip(&rest.seen).any(|(here, there)| *here && *there) {
            return None;
        }
        self.report.append(rest.report);
        self.cfg.vars.append(rest.cfg.vars);
        self.cfg.procs.append(rest.cfg.procs);
        self.cfg.edges.append(rest.cfg.edges);
        Some(self)
    }
}

/// Checks and lowers everything but the procedures from number `cut` on, outside of threads. The procedures of
/// threads are checked, but are not part of the graph.
pub(super) fn lower(program: &Program, entry: &str, cut: usize) -> Lowered {
    let threads = !program.threads.is_empty() || program.getafix_init().is_some();
    let mut report = Report { threads, ..Report::default() };
    rules::entries(program, entry, &mut report);
    if let Some(init) = program.proc("init").filter(|_| entry != "init" && program.getafix_init().is_none())
        && !is_called(&program.procs, &program.init, init)
    {
        let message = format!("procedure `init` is never called; nothing runs it before `{entry}`");
        report.warning(init.name.loc, message);
    }
    let none = Proc::new("init");
    let group = Group::new(program, entry, &none);
    let mut lower = Lower::new(about(program));
    lower.globals(&program.globals, &mut report);
    lower.reserve(&program.procs, about(program));
    lower.procedures(group.procs, &mut report);
    group.bodies().take(cut).for_each(|body| lower.proc(body, &mut report));
    let again = group.again.map(|_| ProcId::from_index(group.procs.len()));
    lower.cfg.entry = again.or(group.entry).unwrap_or(lower.cfg.entry);
    let shared = lower.globals.clone();
    for thread in &program.threads {
        lower.globals.clone_from(&shared);
        lower.thread_globals(&thread.globals, &mut report);
        lower.procedures(&thread.procs, &mut report);
        let group = Group { procs: &thread.procs, entry: None, init: &[], again: None };
        group.bodies().for_each(|body| lower.proc(body, &mut report));
    }
    Lowered { cfg: lower.cfg, report, seen: lower.seen }
}

/// Checks and lowers the procedures from number `cut` on; `vertices` is the number of vertices before theirs.
pub(super) fn rest(program: &Program, entry: &str, cut: usize, vertices: usize) -> Lowered {
    let none = Proc::new("init");
    let mut lower = Lower::new(about(program));
    // All messages about declarations come from `lower`.
    let mut said = Report::default();
    lower.globals(&program.globals, &mut said);
    lower.procedures(&program.procs, &mut said);
    lower.cfg.vars = IndexVec::new();
    lower.reserve(&program.procs[cut..], about(program) / 3);
    lower.variables += variables(&program.procs[..cut]);
    lower.vertices = vertices;
    let mut report = Report::default();
    Group::new(program, entry, &none).bodies().skip(cut).for_each(|body| lower.proc(body, &mut report));
    Lowered { cfg: lower.cfg, report, seen: lower.seen }
}

pub(super) struct Lower<'a> {
    /// The procedures that see each other, also by name.
    group: &'a [Proc],
    procs: FxHashMap<Name, ProcId>,
    globals: Vars,
    /// Where the statements of the procedure at work begin.
    places: IndexVec<StmtId, VertexId>,
    /// The statements that there were so far; as many as `places`.
    seen: Vec<bool>,
    /// How many variables and vertices there are so far.
    variables: usize,
    vertices: usize,
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
    /// An empty graph, with room for `statements` statements.
    fn new(statements: usize) -> Lower<'a> {
        Lower {
            group: &[],
            procs: FxHashMap::default(),
            globals: Vars::default(),
            places: IndexVec::from_elem(VertexId::from_index(0), statements),
            seen: vec![false; statements],
            variables: 0,
            vertices: 0,
            cfg: Cfg {
                vars: IndexVec::new(),
                globals: vec![],
                procs: IndexVec::new(),
                vertices: IndexVec::new(),
                edges: IndexVec::new(),
                entry: ProcId::from_index(0),
            },
        }
    }

    /// Reserves space for the procedures, with about `statements` statements.
    fn reserve(&mut self, procs: &[Proc], statements: usize) {
        self.cfg.vars.reserve(variables(procs));
        self.cfg.procs.reserve(procs.len());
        // One or two edges a statement.
        self.cfg.edges.reserve(statements * 3 / 2);
    }

    fn variable(&mut self, ident: &Ident, owner: Option<ProcId>) -> VarId {
        self.cfg.vars.push(Var { name: ident.name.clone(), owner, loc: ident.loc });
        self.variables += 1;
        VarId::from_index(self.variables - 1)
    }

    /// Allocates `count` vertices and returns the first.
    fn vertices(&mut self, count: usize) -> VertexId {
        let first = VertexId::from_index(self.vertices);
        self.vertices += count;
        first
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
        self.cfg.edges.push(Edge { from, to, op, stmt, threads: vec![] });
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

    fn procedures(&mut self, procs: &'a [Proc], report: &mut Report) {
        self.group = procs;
        self.procs = rules::procedures(procs, report);
    }

    fn proc(&mut self, body: Body<'_>, report: &mut Report) {
        let Body { id, proc, init, .. } = body;
        let mut locals = Vars::default();
        let mut declare = |lower: &mut Self, ident: &Ident| {
            let var = lower.variable(ident, Some(id));
            rules::declare(&mut locals, ident, var, report);
            shadows(&lower.globals, ident, report);
            var
        };
        let formals = proc.formals.iter().map(|ident| declare(self, ident)).collect();
        let local_ids = proc.locals.iter().map(|ident| declare(self, ident)).collect();
        let first = self.vertices;
        let places = self.places(body, report);
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
            end: self.vertices,
        });
    }

    /// Counts the vertices.
    fn places(&mut self, Body { proc, init, again, .. }: Body<'_>, report: &mut Report) -> Places {
        let mut places = Places {
            failure: FxHashMap::default(),
            init_labels: Labels::default(),
            labels: Labels::default(),
            exit: VertexId::from_index(0),
        };
        let mut asserts = Vec::new();
        for (list, is_init) in [(init, true), (&proc.body, false)] {
            for stmt in preorder(list) {
                // The further arms follow directly, so `vertex + n` is the arm with the number n.
                let vertex = self.vertices(heads(stmt));
                self.place(stmt, vertex, again && !is_init, report);
                let labels = if is_init { &mut places.init_labels } else { &mut places.labels };
                let owner = if is_init { "init" } else { proc.name.name.as_str() };
                for label in &stmt.labels {
                    rules::label(labels, label, vertex, owner, report);
                }
                if let StmtKind::Assert(_) = &stmt.kind {
                    asserts.push(stmt.id);
                }
            }
        }
        for stmt in asserts {
            let failure = self.vertices(1);
            places.failure.insert(stmt, failure);
        }
        places.exit = self.vertices(1);
        places
    }

    /// Notes where the statement begins, and the part of rule 1 about statements.
    fn place(&mut self, stmt: &Stmt, vertex: VertexId, again: bool, report: &mut Report) {
        let index = stmt.id.index();
        if self.places.len() <= index {
            self.places.resize(index + 1, vertex);
            self.seen.resize(index + 1, false);
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
}

/// A warning when the variable hides one of the outer scope.
fn shadows(outer: &Vars, ident: &Ident, report: &mut Report) {
    if outer.contains_key(&ident.name) {
        report.warning(ident.loc, format!("`{ident}` shadows the global variable of the same name"));
    }
}
