//! The control-flow graph of the procedure that is being lowered, and the pass that simplifies it: trivial
//! chains of `Skip` are merged, unreachable code is removed (but for its checks), ids become dense.

use base::{Id, IndexVec, Span, UnionFind};
use ir::{Edge, EdgeId, EdgeKind, LocId, Location, Op, ProcId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::types::name_set::NameSet;
use crate::types::ty::Ty;

/// A location under construction; its span comes with the first edge that leaves it.
#[derive(Clone, Debug, Default)]
struct Draft {
    span: Option<Span>,
    labels: Vec<String>,
    loop_head: bool,
}

/// A C label.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) name: String,
    pub(crate) loc: LocId,
    pub(crate) defined: bool,
    pub(crate) span: Span,
}

/// A `switch` that is open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Switch {
    /// Low, high, target, place of the label.
    pub(crate) cases: Vec<(i128, i128, LocId, Span)>,
    pub(crate) default: Option<(LocId, Span)>,
    /// The type that labels are converted to.
    pub(crate) ty: Option<crate::types::ty::IntTy>,
}

/// The procedure that is being lowered.
#[derive(Clone, Debug)]
pub(crate) struct Fun {
    pub(crate) proc: ProcId,
    pub(crate) name: String,
    locs: Vec<Draft>,
    edges: Vec<Edge>,
    /// The location where the next edge starts.
    pub(crate) cur: LocId,
    pub(crate) entry: LocId,
    pub(crate) exit: LocId,
    /// The return variable.
    pub(crate) ret: Option<VarId>,
    /// The parameter with the address for a struct result.
    pub(crate) ret_ptr: Option<VarId>,
    pub(crate) ret_ty: Ty,
    /// The function is declared not to return, and that is checked.
    pub(crate) noreturn: bool,
    pub(crate) locals: Vec<VarId>,
    pub(crate) used_names: NameSet,
    pub(crate) temps: u32,
    pub(crate) labels: Vec<Label>,
    /// The target of `break`, and how many blocks are open there.
    pub(crate) breaks: Vec<(LocId, usize)>,
    pub(crate) continues: Vec<(LocId, usize)>,
    /// The places of labels in the file.
    pub(crate) label_places: FxHashMap<String, usize>,
    pub(crate) switches: Vec<Switch>,
    /// How many loops are open: declarations inside are reached again.
    pub(crate) repeats: u32,
    /// Ranges of the source, as offsets, that a backward `goto` runs again.
    pub(crate) repeated: Vec<(usize, usize)>,
    /// Names whose address is taken in the function; only these locals can change behind its back.
    pub(crate) addressed: FxHashSet<String>,
}

impl Fun {
    /// An empty procedure.
    pub(crate) fn new(proc: ProcId, name: &str) -> Fun {
        let (entry, exit) = (LocId::from_index(0), LocId::from_index(1));
        Fun {
            proc,
            name: name.to_owned(),
            locs: vec![Draft::default(), Draft::default()],
            edges: vec![],
            cur: entry,
            entry,
            exit,
            ret: None,
            ret_ptr: None,
            ret_ty: Ty::Void,
            noreturn: false,
            locals: vec![],
            used_names: NameSet::default(),
            temps: 0,
            labels: vec![],
            breaks: vec![],
            continues: vec![],
            label_places: FxHashMap::default(),
            switches: vec![],
            repeats: 0,
            repeated: vec![],
            addressed: FxHashSet::default(),
        }
    }

    pub(crate) fn new_loc(&mut self) -> LocId {
        self.locs.push(Draft::default());
        LocId::from_index(self.locs.len() - 1)
    }

    pub(crate) fn mark_loop_head(&mut self, loc: LocId, span: Span) {
        let draft = &mut self.locs[loc.index()];
        draft.loop_head = true;
        draft.span = Some(span);
    }

    pub(crate) fn set_label(&mut self, loc: LocId, name: &str, span: Span) {
        let draft = &mut self.locs[loc.index()];
        draft.labels.push(name.to_owned());
        draft.span = Some(span);
    }

    /// An edge between two locations.
    pub(crate) fn edge(&mut self, src: LocId, dst: LocId, op: Op, span: Span, kind: EdgeKind) {
        self.locs[src.index()].span.get_or_insert(span);
        self.edges.push(Edge { src, dst, op, span, kind });
    }

    /// An edge from the current location to a new one, which becomes the current.
    pub(crate) fn emit(&mut self, op: Op, span: Span, kind: EdgeKind) {
        let next = self.new_loc();
        self.edge(self.cur, next, op, span, kind);
        self.cur = next;
    }

    /// Control goes to `target`; what follows is unreachable until a location is entered.
    pub(crate) fn goto(&mut self, target: LocId, span: Span) {
        self.edge(self.cur, target, Op::Skip, span, EdgeKind::Internal);
        self.cur = self.new_loc();
    }

    /// Control falls from here into `target`, which becomes current.
    pub(crate) fn enter(&mut self, target: LocId, span: Span) {
        self.edge(self.cur, target, Op::Skip, span, EdgeKind::Internal);
        self.cur = target;
    }

    /// Number of edges so far: a mark for [`Fun::edges_since`].
    pub(crate) fn mark(&self) -> usize {
        self.edges.len()
    }

    /// Takes the edges since a mark away (of straight code that is to run elsewhere).
    pub(crate) fn edges_since(&mut self, mark: usize) -> Vec<Edge> {
        self.edges.split_off(mark)
    }

    /// The edges since a mark that lead to `from` lead to `to`.
    pub(crate) fn redirect(&mut self, mark: usize, from: LocId, to: LocId) {
        self.edges[mark..].iter_mut().filter(|edge| edge.dst == from).for_each(|edge| edge.dst = to);
    }

    /// Forgets what the statements of a body opened, for a body that is given up.
    pub(crate) fn forget_statements(&mut self) {
        self.labels.clear();
        self.breaks.clear();
        self.continues.clear();
        self.switches.clear();
        self.repeats = 0;
    }

    /// The location of a label, made at its first mention.
    pub(crate) fn label(&mut self, name: &str, span: Span) -> &mut Label {
        if let Some(at) = self.labels.iter().position(|l| l.name == name) {
            return &mut self.labels[at];
        }
        let loc = self.new_loc();
        self.labels.push(Label { name: name.to_owned(), loc, defined: false, span });
        self.labels.last_mut().expect("it was pushed just now")
    }

    /// The finished graph.
    pub(crate) fn finish(self, span: Span) -> Graph {
        Simplifier::new(self, span).run()
    }
}

/// A finished control-flow graph.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) locations: IndexVec<LocId, Location>,
    pub(crate) edges: IndexVec<EdgeId, Edge>,
    pub(crate) entry: LocId,
    pub(crate) exit: LocId,
}

/// Merging by union-find over locations.
struct Simplifier {
    locs: Vec<Draft>,
    edges: Vec<Option<Edge>>,
    merged: UnionFind<usize>,
    ins: Vec<u32>,
    outs: Vec<u32>,
    entry: usize,
    exit: usize,
    span: Span,
}

impl Simplifier {
    fn new(fun: Fun, span: Span) -> Simplifier {
        let count = fun.locs.len();
        let reached = keep(&fun);
        let (mut ins, mut outs) = (vec![0; count], vec![0; count]);
        let edges: Vec<Option<Edge>> = fun
            .edges
            .into_iter()
            .map(|e| {
                let check = matches!(e.op, Op::Check(..));
                (reached[e.src.index()] || check).then_some(e)
            })
            .collect();
        for e in edges.iter().flatten() {
            outs[e.src.index()] += 1;
            ins[e.dst.index()] += 1;
        }
        let (entry, exit) = (fun.entry.index(), fun.exit.index());
        Simplifier { locs: fun.locs, edges, merged: UnionFind::new(count), ins, outs, entry, exit, span }
    }

    fn run(mut self) -> Graph {
        for n in 0..self.edges.len() {
            let Some(edge) = &self.edges[n] else { continue };
            if edge.op != Op::Skip || edge.kind != EdgeKind::Internal {
                continue;
            }
            let (src, dst) = (edge.src.index(), edge.dst.index());
            let (src, dst) = (self.merged.find(src), self.merged.find(dst));
            if src != dst && self.may_merge(src, dst) {
                self.merge(src, dst);
                self.edges[n] = None;
            }
        }
        self.number()
    }

    /// A `Skip` may go when nothing else leaves its source or nothing else enters its target.
    fn may_merge(&self, src: usize, dst: usize) -> bool {
        if (self.locs[src].loop_head && self.locs[dst].loop_head) || (src == self.entry && dst == self.exit) {
            return false;
        }
        let into_target = self.outs[src] == 1 && (src != self.entry || self.ins[dst] == 1);
        let into_source = self.ins[dst] == 1 && dst != self.exit;
        // A loop head keeps its own incoming edges only: nothing that runs before it may join it, or a path
        // through the merged location would count as an iteration.
        let head_ok = !self.locs[src].loop_head || into_source;
        (into_target || into_source) && head_ok
    }

    fn merge(&mut self, src: usize, dst: usize) {
        self.merged.merge(src, dst);
        self.ins[dst] = self.ins[dst] + self.ins[src] - 1;
        self.outs[dst] = self.outs[dst] + self.outs[src] - 1;
        if src == self.entry {
            self.entry = dst;
        }
        let from = std::mem::take(&mut self.locs[src]);
        let into = &mut self.locs[dst];
        let labels = std::mem::replace(&mut into.labels, from.labels);
        into.labels.extend(labels);
        if from.loop_head || (into.span.is_none()) {
            into.span = from.span.or(into.span);
        }
        into.loop_head |= from.loop_head;
    }

    fn number(mut self) -> Graph {
        let mut ids: Vec<Option<LocId>> = vec![None; self.locs.len()];
        let mut locations = IndexVec::new();
        let mut edges = IndexVec::new();
        let mut used = vec![self.entry];
        let kept: Vec<Edge> = self.edges.iter_mut().filter_map(Option::take).collect();
        for e in &kept {
            used.push(e.src.index());
            used.push(e.dst.index());
        }
        used.push(self.exit);
        for at in used {
            let root = self.merged.find(at);
            if ids[root].is_none() {
                let draft = &self.locs[root];
                let location = Location {
                    span: draft.span.unwrap_or(self.span),
                    labels: draft.labels.clone(),
                    loop_head: draft.loop_head,
                };
                ids[root] = Some(locations.push(location));
            }
        }
        let id = |s: &mut Simplifier, at: usize| {
            let root = s.merged.find(at);
            ids[root].expect("every endpoint of a kept edge was numbered")
        };
        for mut e in kept {
            e.src = id(&mut self, e.src.index());
            e.dst = id(&mut self, e.dst.index());
            edges.push(e);
        }
        let (entry, exit) = (self.entry, self.exit);
        let (entry, exit) = (id(&mut self, entry), id(&mut self, exit));
        Graph { locations, edges, entry, exit }
    }
}

/// Which locations the entry reaches.
fn keep(fun: &Fun) -> Vec<bool> {
    let mut successors: Vec<Vec<usize>> = vec![vec![]; fun.locs.len()];
    for e in &fun.edges {
        successors[e.src.index()].push(e.dst.index());
    }
    let mut seen = vec![false; fun.locs.len()];
    let mut work = vec![fun.entry.index()];
    seen[fun.entry.index()] = true;
    while let Some(at) = work.pop() {
        for next in &successors[at] {
            if !seen[*next] {
                seen[*next] = true;
                work.push(*next);
            }
        }
    }
    seen
}
