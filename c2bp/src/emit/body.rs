//! The statements of one procedure: structured where the control flow is, with labels and jumps for the rest.
//!
//! A branch becomes `if`, a loop that is left at its head `while`; the locations where branches meet follow behind
//! the location that dominates them (\[Ramsey22\]). Of several arms the one that goes on stands behind the `fi` when the
//! others end in jumps. A run of the text passes the same edges as one of the control-flow graph, in the same order.
//!
//! Nothing here calls itself, however long the procedure is; what would be nested deeper than [`Depth`] says is
//! written with labels instead.

use crate::emit::layout::Layout;
use crate::emit::origin::{Role, StmtOrigin};
use crate::emit::{EdgeText, Emitter};
use base::IndexVec;
use bp::{Expr, Ident, Name, Stmt, StmtId, StmtKind};
use ir::{EdgeId, LocId, Proc, ProcId};
use std::collections::{BTreeMap, BTreeSet};

/// How deep statements may stand inside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Depth(pub(crate) usize);

/// A list of statements.
#[derive(Default)]
struct Text {
    stmts: Vec<Stmt>,
    /// How deep they are nested.
    depth: usize,
}

impl Text {
    /// Whether control can reach the end of the text.
    fn goes_on(&self) -> bool {
        let Some(last) = self.stmts.last() else { return true };
        match &last.kind {
            StmtKind::Goto(_) | StmtKind::Return(_) => false,
            StmtKind::Assume { cond, .. } => *cond != Expr::zero(),
            _ => true,
        }
    }

    fn append(&mut self, mut other: Text) {
        self.stmts.append(&mut other.stmts);
        self.depth = self.depth.max(other.depth);
    }
}

/// What is still to be written.
#[derive(Clone)]
enum Task {
    /// The location and everything that it dominates; `next` is the location whose text follows.
    Location { at: LocId, next: Option<LocId> },
    /// The edge's statements, and control to its end.
    Edge { edge: EdgeId, next: Option<LocId> },
    /// What follows is an arm of a branch, or a loop's body.
    Open,
    /// The arms of these edges are written.
    Branch { stmt: StmtId, edges: Vec<EdgeId>, next: Option<LocId> },
    /// The body of the loop is written, into which and out of which these edges lead.
    Loop { stmt: StmtId, head: LocId, edges: [EdgeId; 2] },
}

/// Writes the statements of one procedure.
pub(crate) struct Body<'a, 'w> {
    emitter: &'a mut Emitter<'w>,
    p: ProcId,
    proc: &'w Proc,
    texts: &'a IndexVec<EdgeId, Option<EdgeText>>,
    layout: Layout<'w>,
    depth: Depth,
    /// The labels of the C text.
    taken: BTreeSet<&'w str>,
    tasks: Vec<Task>,
    /// The lists that are being written, the innermost last.
    lists: Vec<Text>,
    /// The location whose first statement comes next.
    starting: Option<LocId>,
    /// The edge out of a loop whose first statement comes next, when a jump goes there.
    leaving: Option<EdgeId>,
    /// The first statement of each location.
    first: BTreeMap<LocId, StmtId>,
    /// Locations to which a jump goes.
    targets: BTreeSet<LocId>,
    /// Edges to which a jump goes, by their first statements.
    arms: BTreeMap<StmtId, EdgeId>,
}

impl<'a, 'w> Body<'a, 'w> {
    pub(crate) fn new(
        emitter: &'a mut Emitter<'w>,
        p: ProcId,
        texts: &'a IndexVec<EdgeId, Option<EdgeText>>,
        depth: Depth,
    ) -> Self {
        let proc = &emitter.world.base.program.procs[p];
        Body {
            emitter,
            p,
            proc,
            texts,
            layout: Layout::new(proc),
            depth,
            taken: proc.locations.iter().flat_map(|l| l.labels.iter().map(String::as_str)).collect(),
            tasks: vec![Task::Location { at: proc.entry, next: None }],
            lists: vec![Text::default()],
            starting: None,
            leaving: None,
            first: BTreeMap::new(),
            targets: BTreeSet::new(),
            arms: BTreeMap::new(),
        }
    }

    pub(crate) fn write(mut self) -> Vec<Stmt> {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Location { at, next } => self.location(at, next),
                Task::Edge { edge, next } => self.edge(edge, next),
                Task::Open => self.lists.push(Text::default()),
                Task::Branch { stmt, edges, next } => self.branch(stmt, &edges, next),
                Task::Loop { stmt, head, edges } => self.finish_loop(stmt, head, edges),
            }
        }
        let mut stmts = self.lists.pop().expect("the outermost list is never closed").stmts;
        self.put_labels(&mut stmts);
        stmts
    }

    /// Adds the tasks, the first of them to be done first.
    fn later(&mut self, tasks: Vec<Task>) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// The tasks for the locations, each followed by the one after it, the last by `next`.
    fn chain(joins: &[LocId], next: Option<LocId>) -> Vec<Task> {
        let follows = joins.iter().skip(1).copied().map(Some).chain([next]);
        joins.iter().zip(follows).map(|(at, next)| Task::Location { at: *at, next }).collect()
    }

    fn location(&mut self, at: LocId, next: Option<LocId>) {
        self.starting = Some(at);
        if at == self.proc.exit {
            return self.exit();
        }
        let joins = self.layout.joins_behind(at).to_vec();
        let edges = self.layout.leaving(at).to_vec();
        match (edges.as_slice(), self.layout.while_edges(at)) {
            ([], _) => self.push(None, Role::Stop, StmtKind::assume(Expr::zero())),
            (_, Some((into, out))) => {
                let stmt = self.head(None, Role::Branch(edges));
                let (inside, outside): (Vec<LocId>, Vec<LocId>) =
                    joins.iter().partition(|l| self.layout.in_loop(at, **l));
                let first = |list: &[LocId], then: Option<LocId>| list.first().copied().or(then);
                let mut tasks = vec![Task::Open, Task::Edge { edge: into, next: first(&inside, Some(at)) }];
                tasks.extend(Self::chain(&inside, Some(at)));
                tasks.push(Task::Loop { stmt, head: at, edges: [into, out] });
                tasks.push(Task::Edge { edge: out, next: first(&outside, next) });
                tasks.extend(Self::chain(&outside, next));
                self.later(tasks);
            }
            (edges, None) => {
                let then = joins.first().copied().or(next);
                let mut tasks = vec![];
                if let [single] = edges {
                    tasks.push(Task::Edge { edge: *single, next: then });
                } else {
                    let stmt = self.head(None, Role::Branch(edges.to_vec()));
                    for edge in edges {
                        tasks.extend([Task::Open, Task::Edge { edge: *edge, next: then }]);
                    }
                    tasks.push(Task::Branch { stmt, edges: edges.to_vec(), next: then });
                }
                tasks.extend(Self::chain(&joins, next));
                self.later(tasks);
            }
        }
    }

    fn exit(&mut self) {
        let signature = self.emitter.world.signature(self.p);
        let value = |id: &predicates::PredId| Expr::Var(self.emitter.world.preds[*id].now.var.clone());
        let values = signature.returns.iter().map(value).collect();
        self.push(None, Role::Return, StmtKind::Return(values));
    }

    fn edge(&mut self, edge: EdgeId, next: Option<LocId>) {
        let texts = self.texts;
        let text = texts[edge].as_ref().expect("every edge that is written was abstracted");
        for (role, kind) in text {
            self.push(Some(edge), role.clone(), kind.clone());
        }
        let (src, dst) = (self.proc.edges[edge].src, self.proc.edges[edge].dst);
        if !self.layout.is_target(src, dst) {
            self.tasks.push(Task::Location { at: dst, next });
        } else if next != Some(dst) {
            self.jump(dst);
        }
    }

    fn jump(&mut self, to: LocId) {
        let goto = StmtKind::goto([self.label(to)]);
        self.targets.insert(to);
        self.push(None, Role::Jump, goto);
    }

    /// Takes the innermost `n` lists that are being written, in the order of the text.
    fn close(&mut self, n: usize) -> Vec<Text> {
        self.lists.split_off(self.lists.len() - n)
    }

    fn branch(&mut self, stmt: StmtId, edges: &[EdgeId], next: Option<LocId>) {
        let mut arms = self.close(edges.len());
        if self.is_too_deep(&arms) {
            return self.jump_to_arms(stmt, edges, arms, next);
        }
        let mut ongoing = arms.iter().enumerate().filter(|(_, arm)| arm.goes_on()).map(|(i, _)| i);
        let behind = match (ongoing.next(), ongoing.next()) {
            (Some(_), Some(_)) => None,
            (Some(only), None) => Some(arms.remove(only)),
            (None, _) => arms.pop(),
        };
        let otherwise = if behind.is_none() { arms.pop() } else { None };
        let depth = arms.iter().chain(&otherwise).map(|arm| arm.depth + 1).max().unwrap_or(0);
        let arms = arms.into_iter().map(|arm| (Expr::Star, arm.stmts)).collect();
        let otherwise = otherwise.map_or_else(Vec::new, |arm| arm.stmts);
        self.put(Stmt::new(stmt, StmtKind::If { arms, otherwise }), depth);
        if let Some(behind) = behind {
            self.list().append(behind);
        }
    }

    fn jump_to_arms(&mut self, stmt: StmtId, edges: &[EdgeId], arms: Vec<Text>, next: Option<LocId>) {
        let labels: Vec<Name> = edges.iter().map(|e| self.edge_label(*e)).collect();
        self.put(Stmt::new(stmt, StmtKind::goto(labels)), 0);
        let last = arms.len() - 1;
        for (i, (edge, arm)) in edges.iter().zip(arms).enumerate() {
            self.arms.insert(arm.stmts[0].id, *edge);
            let goes_on = arm.goes_on();
            self.list().append(arm);
            if goes_on && i < last {
                self.jump(next.expect("control comes to the end of a text only where another follows"));
            }
        }
    }

    fn finish_loop(&mut self, stmt: StmtId, head: LocId, edges: [EdgeId; 2]) {
        let body = self.close(1);
        if self.is_too_deep(&body) {
            let labels = edges.map(|e| self.edge_label(e));
            self.put(Stmt::new(stmt, StmtKind::goto(labels)), 0);
            for body in body {
                self.arms.insert(body.stmts[0].id, edges[0]);
                let goes_on = body.goes_on();
                self.list().append(body);
                if goes_on {
                    self.jump(head);
                }
            }
            self.leaving = Some(edges[1]);
            return;
        }
        for body in body {
            let depth = body.depth + 1;
            self.put(Stmt::new(stmt, StmtKind::While { cond: Expr::Star, body: body.stmts }), depth);
        }
    }

    fn is_too_deep(&self, lists: &[Text]) -> bool {
        lists.iter().any(|list| self.depth.0 <= list.depth)
    }

    fn list(&mut self) -> &mut Text {
        self.lists.last_mut().expect("the outermost list is never closed")
    }

    fn put(&mut self, stmt: Stmt, depth: usize) {
        let list = self.list();
        list.depth = list.depth.max(depth);
        list.stmts.push(stmt);
    }

    /// The id of a statement of this role, which has only to be put into its list.
    fn head(&mut self, edge: Option<EdgeId>, role: Role) -> StmtId {
        let original = |e: EdgeId| self.emitter.world.blocks.original(self.p, e);
        let role = match role {
            Role::Branch(edges) => Role::Branch(edges.into_iter().map(original).collect()),
            role => role,
        };
        let origin = StmtOrigin { proc: self.p, edge: edge.map(original), unfolded: edge, role };
        let id = self.emitter.origin.stmts.push(origin);
        if let Some(l) = self.starting.take() {
            self.first.insert(l, id);
        }
        if let Some(e) = self.leaving.take() {
            self.arms.insert(id, e);
        }
        id
    }

    fn push(&mut self, edge: Option<EdgeId>, role: Role, kind: StmtKind) {
        let main = matches!(role, Role::Edge | Role::Call { .. });
        let id = self.head(edge, role);
        let mut stmt = Stmt::new(id, kind);
        if let Some(e) = edge.filter(|_| main) {
            let c_edge = &self.proc.edges[e];
            let original = self.emitter.world.blocks.original(self.p, e);
            stmt.notes.comment = Some(ir::print::edge(&self.emitter.world.base.program, self.p, e));
            stmt.notes.origin =
                bp::origin::text(self.emitter.place(c_edge.span), Some(&original.to_string()));
            if stmt.kind == StmtKind::Skip && c_edge.kind.is_internal() && c_edge.op == ir::Op::Skip {
                stmt.notes.comment = None;
            }
        }
        self.put(stmt, 0);
    }

    /// The label by which jumps name the location: that of the C text, if it has one.
    fn label(&self, l: LocId) -> Name {
        match self.proc.locations[l].labels.first() {
            Some(label) => Name::word(label),
            None => self.unused(format!("{l}")),
        }
    }

    fn edge_label(&self, e: EdgeId) -> Name {
        self.unused(format!("{e}"))
    }

    fn unused(&self, mut name: String) -> Name {
        while self.taken.contains(name.as_str()) {
            name.push('_');
        }
        Name::word(name)
    }

    fn put_labels(&self, stmts: &mut [Stmt]) {
        let mut labels: BTreeMap<StmtId, Vec<Name>> = BTreeMap::new();
        for (stmt, e) in &self.arms {
            labels.entry(*stmt).or_default().push(self.edge_label(*e));
        }
        for (l, stmt) in &self.first {
            let at = labels.entry(*stmt).or_default();
            at.extend(self.proc.locations[*l].labels.iter().map(Name::word));
            if self.targets.contains(l) && self.proc.locations[*l].labels.is_empty() {
                at.push(self.label(*l));
            }
        }
        let mut pending: Vec<&mut Stmt> = stmts.iter_mut().collect();
        while let Some(stmt) = pending.pop() {
            if let Some(labels) = labels.remove(&stmt.id) {
                stmt.labels = labels.into_iter().map(Ident::from).collect();
            }
            pending.extend(stmt.children_mut());
        }
    }
}
