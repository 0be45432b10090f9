//! What one thread executes: the graph of its procedure, with the procedures that it calls in the place of the calls.

use base::Span;
use ir::components as graph;
use ir::expr::{Expr, Lvalue};
use ir::program::{EdgeKind, Op, ProcId, VarId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The effect of a step.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// An operation; no call of a procedure with body, and no thread operation.
    Op(Op),
    /// A thread is started, with this procedure.
    Start { dest: Option<Lvalue>, root: ProcId, arg: Expr },
    /// The end of a thread is awaited.
    Join { dest: Option<Lvalue>, id: Expr },
    /// An atomic section begins.
    Begin,
    /// It ends.
    End,
    /// Blocks while the condition is zero.
    Wait(Expr),
    /// Locals begin their life again, with any value.
    Reset(Arc<[VarId]>),
    /// Something that is not modelled, by its description.
    Unmodelled(Arc<str>),
}

/// A step between two nodes.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) src: usize,
    pub(super) dst: usize,
    pub(super) action: Action,
    pub(super) span: Span,
    pub(super) kind: EdgeKind,
    /// The procedure of the source that it is in.
    pub(super) proc: ProcId,
}

/// A place in the graph.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) out: Vec<usize>,
    /// The node of the split form, with one access in each step; `None` if no step has more than one anyway.
    pub(super) split: Option<usize>,
    /// It has more, and cannot be split.
    pub(super) whole: bool,
    pub(super) span: Span,
    pub(super) labels: Vec<String>,
    /// Every cycle of the graph has such a node.
    pub(super) head: bool,
}

impl Node {
    pub(super) fn new(span: Span) -> Node {
        Node { out: vec![], split: None, whole: false, span, labels: vec![], head: false }
    }
}

/// A call in the program, and the procedure that it is in.
pub(super) type Site = (Span, ProcId);

/// The graph of a thread.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) nodes: Vec<Node>,
    pub(super) steps: Vec<Step>,
    pub(super) entry: usize,
    pub(super) exit: usize,
    /// The node where the first thread ends and the program goes on.
    pub(super) quit: Option<usize>,
    /// For each step in a model the call of the model in the program, and the procedure that contains it.
    pub(super) sites: Vec<Option<Site>>,
    /// The site of steps that are added.
    pub(super) site: Option<Site>,
    /// The parameter, unless the argument stands in its place.
    pub(super) formal: Option<VarId>,
    /// The variable that its procedure returns.
    pub(super) ret: Option<VarId>,
    /// Its variables.
    pub(super) own: BTreeSet<VarId>,
    /// For each node its variables that may be read from there on.
    pub(super) live: Vec<BTreeSet<VarId>>,
}

impl Instance {
    pub(super) fn node(&mut self, span: Span) -> usize {
        self.nodes.push(Node::new(span));
        self.nodes.len() - 1
    }

    pub(super) fn step(&mut self, step: Step) -> usize {
        let n = self.steps.len();
        self.nodes[step.src].out.push(n);
        self.steps.push(step);
        self.sites.push(self.site);
        n
    }

    /// The place of the step in the program.
    pub(super) fn site_of(&self, step: usize) -> Site {
        self.sites[step].unwrap_or((self.steps[step].span, self.steps[step].proc))
    }

    /// Marks the nodes to which a depth-first walk comes back.
    pub(super) fn mark_heads(&mut self) {
        // 0: not seen, 1: on the way, 2: done.
        let mut state = vec![0u8; self.nodes.len()];
        let mut stack = vec![(self.entry, 0)];
        state[self.entry] = 1;
        while let Some((node, at)) = stack.last_mut() {
            let split = self.nodes[*node].split;
            let next = match self.nodes[*node].out.get(*at) {
                Some(n) => Some(self.steps[*n].dst),
                None if *at == self.nodes[*node].out.len() => split,
                None => None,
            };
            let all = *at >= self.nodes[*node].out.len() + usize::from(split.is_some());
            *at += 1;
            match next {
                Some(next) if state[next] == 0 => {
                    state[next] = 1;
                    stack.push((next, 0));
                }
                Some(next) if state[next] == 1 => self.nodes[next].head = true,
                Some(_) => {}
                None if all => {
                    state[*node] = 2;
                    stack.pop();
                }
                None => {}
            }
        }
    }

    /// For each node the steps that lead to it.
    pub(super) fn entering(&self) -> Vec<Vec<usize>> {
        let mut into = vec![vec![]; self.nodes.len()];
        self.steps.iter().enumerate().for_each(|(n, step)| into[step.dst].push(n));
        into
    }

    /// For each node whether it lies on a cycle.
    pub(super) fn cyclic(&self) -> Vec<bool> {
        let ways = |node: &Node| node.out.iter().map(|n| self.steps[*n].dst).chain(node.split).collect();
        graph::cyclic(&self.nodes.iter().map(ways).collect::<Vec<_>>())
    }

    /// For each node whether the thread may reach it outside of atomic sections.
    pub(super) fn outside(&self) -> Vec<bool> {
        let mut depths: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let mut work = vec![(self.entry, 0u32)];
        while let Some((node, depth)) = work.pop() {
            if depths[node].is_some_and(|least| least <= depth) {
                continue;
            }
            depths[node] = Some(depth);
            work.extend(self.nodes[node].split.map(|split| (split, depth)));
            for n in &self.nodes[node].out {
                let step = &self.steps[*n];
                let behind = match step.action {
                    Action::Begin => depth + 1,
                    Action::End => depth.saturating_sub(1),
                    _ => depth,
                };
                work.push((step.dst, behind));
            }
        }
        depths.into_iter().map(|depth| depth == Some(0)).collect()
    }

    /// Computes which variables are live.
    pub(super) fn find_live(&mut self) {
        self.live = self.read_later(false);
    }

    /// For each node the variables that may be read from there on; if `wanted`, for more than to compute others that are not.
    pub(super) fn read_later(&self, wanted: bool) -> Vec<BTreeSet<VarId>> {
        let into = self.entering();
        let mut live = vec![BTreeSet::new(); self.nodes.len()];
        for end in [Some(self.exit), self.quit].into_iter().flatten() {
            live[end].extend(self.ret);
        }
        let mut work: Vec<usize> = (0..self.steps.len()).collect();
        while let Some(n) = work.pop() {
            let step = &self.steps[n];
            let mut before = live[step.dst].clone();
            let mut counts = true;
            if let Some(v) = step.action.kills() {
                let later = before.remove(&v);
                counts = later || !wanted || !step.action.computes(v) || !self.own.contains(&v);
            }
            step.action.reads(&mut |v| {
                if counts && self.own.contains(&v) {
                    before.insert(v);
                }
            });
            let size = live[step.src].len();
            live[step.src].extend(before);
            if live[step.src].len() > size {
                work.extend(&into[step.src]);
            }
        }
        // Where the split form begins, the same is live.
        live
    }
}

impl Action {
    /// The variable that has another value behind it, whatever it had.
    fn kills(&self) -> Option<VarId> {
        self.destination()?.as_var()
    }

    /// Whether the action has no effect but the value of the variable.
    fn computes(&self, v: VarId) -> bool {
        matches!(self, Action::Op(Op::Assign(lv, _)) if lv.as_var() == Some(v))
    }

    /// The scalar location that the action assigns.
    pub(super) fn destination(&self) -> Option<&Lvalue> {
        match self {
            Action::Op(op) => op.destination(),
            Action::Start { dest, .. } | Action::Join { dest, .. } => dest.as_ref(),
            Action::Begin | Action::End | Action::Wait(_) | Action::Reset(_) | Action::Unmodelled(_) => None,
        }
    }

    /// Calls `f` on every node of every expression that the action evaluates.
    pub(super) fn nodes<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        match self {
            Action::Op(op) => ir::visit::nodes(op, f),
            Action::Start { arg: e, .. } | Action::Join { id: e, .. } | Action::Wait(e) => e.walk(f),
            Action::Begin | Action::End | Action::Reset(_) | Action::Unmodelled(_) => {}
        }
        if let Action::Start { dest: Some(lv), .. } | Action::Join { dest: Some(lv), .. } = self {
            lv.walk(f);
        }
    }

    /// Calls `f` on the variables that are read, or whose address is taken.
    pub(super) fn reads(&self, f: &mut impl FnMut(VarId)) {
        self.nodes(&mut |e| {
            if let Expr::Load(lv) | Expr::AddrOf(lv) = e
                && let ir::expr::Base::Var(v) = lv.base
            {
                f(v);
            }
        });
    }
}
