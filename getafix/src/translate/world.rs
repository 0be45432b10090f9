//! States of all threads at once, for programs whose threads do not recurse: each thread has a node, which encodes its
//! program counter and open calls, a frame of locals for each depth of calls, and its own globals.
//!
//! The steps are those of the translation, each in its frame. Invariant: the frames of an absent thread are
//! unconstrained; frames deeper than a thread's calls may have any value.

use super::layout::Layout;
use super::relations::{quiet, world};
use super::{GLOBAL, OWN, PC, Place, Translation};
use crate::prelude::{Class, Input, Model, Part, Prelude, Range};
use bdd::Engine;
use bp::Code;
use bp::{EdgeId, Op, ProcId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Most calls that are open at once, and most nodes of a thread.
const MOST_DEPTH: usize = 24;
const MOST_NODES: usize = 1 << 16;

/// A call that may be open, or the procedure in which a thread begins.
pub(crate) struct Frame {
    pub(crate) proc: ProcId,
    pub(crate) depth: usize,
    /// The frame of the caller, and the call.
    pub(crate) caller: Option<(usize, EdgeId)>,
    /// Whether no other thread runs while it is open.
    quiet: bool,
}

/// What there is of a thread.
pub(crate) struct Stacks {
    pub(crate) code: usize,
    pub(crate) frames: Vec<Frame>,
    /// The frame that a call opens.
    pub(crate) callees: BTreeMap<(usize, EdgeId), usize>,
    /// Frames with program counters.
    pub(crate) nodes: Vec<(usize, u32)>,
    numbers: BTreeMap<(usize, u32), u32>,
    /// The positions of its bits: of its node, of the frames of each depth, and of its own globals.
    pub(crate) node: Vec<usize>,
    pub(crate) locals: Vec<BTreeMap<usize, usize>>,
    pub(crate) own: BTreeMap<usize, usize>,
}

impl Stacks {
    /// The number of a node.
    pub(crate) fn number(&self, frame: usize, pc: u32) -> u32 {
        self.numbers[&(frame, pc)]
    }

    /// All its bits.
    pub(crate) fn bits(&self) -> impl Iterator<Item = usize> {
        let locals = self.locals.iter().flat_map(|bits| bits.values().copied());
        self.node.iter().copied().chain(locals).chain(self.own.values().copied())
    }
}

/// A translation of a concurrent program into relations over states of all threads.
pub struct World<'t> {
    pub(crate) translation: &'t Translation<'t>,
    pub(crate) threads: Vec<Stacks>,
    /// The variables of a thread that other threads mention, which are locals of the procedure that all threads run.
    pub(crate) exposed: Vec<VarId>,
    /// The positions of the bits of shared globals.
    pub(crate) globals: Vec<usize>,
    /// How many bits a state has.
    bits: usize,
}

impl World<'_> {
    /// The type of formulas whose values are such states.
    pub const TYPE: &'static str = "World";
}

impl<'t> World<'t> {
    /// The states of all threads; `None` when a thread recurses, when calls are open too deep or in too many ways, or when
    /// one has a `constrain`, which would mention shared variables as they were before it.
    pub fn new(translation: &'t Translation<'t>) -> Option<World<'t>> {
        let quiet: BTreeSet<u32> = quiet(translation).into_iter().collect();
        let count = translation.system.threads.len();
        let exposed = translation.system.codes.iter().flat_map(bp::Code::exposed).collect();
        let threads: Option<Vec<Stacks>> = (0..count).map(|i| stacks(translation, i, &quiet)).collect();
        let mut world = World { translation, threads: threads?, exposed, globals: vec![], bits: 0 };
        world.line_up();
        Some(world)
    }

    /// Gives each bit its place: nodes first, then what belongs together as the translation has it.
    fn line_up(&mut self) {
        let layout = &self.translation.layout;
        self.globals = vec![0; layout.bits[GLOBAL - 1]];
        let mut next = 0;
        let mut take = || {
            next += 1;
            next - 1
        };
        for thread in &mut self.threads {
            let bits = usize::BITS - (thread.nodes.len().max(2) - 1).leading_zeros();
            thread.node = (0..bits).map(|_| take()).collect();
            // The highest bit says most.
            thread.node.reverse();
        }
        for (part, bit) in &layout.order {
            match *part {
                PC => {}
                GLOBAL => self.globals[*bit] = take(),
                OWN => {
                    let own = self.threads.iter_mut().filter_map(|thread| thread.own.get_mut(bit));
                    own.for_each(|place| *place = take());
                }
                _ => {
                    for locals in self.threads.iter_mut().flat_map(|thread| &mut thread.locals) {
                        locals.get_mut(bit).into_iter().for_each(|place| *place = take());
                    }
                }
            }
        }
        self.bits = next;
    }

    /// Where a thread is whose node has this number.
    pub(crate) fn place(&self, thread: usize, node: u32) -> Option<Place> {
        self.translation.place(self.threads[thread].nodes.get(node as usize)?.1)
    }

    /// The numbers of the nodes at which others may not run.
    pub(crate) fn quiet_nodes(&self, thread: usize) -> Vec<u32> {
        let quiet: BTreeSet<u32> = quiet(self.translation).into_iter().collect();
        let thread = &self.threads[thread];
        let nodes = thread.nodes.iter().enumerate();
        let found = nodes.filter(|(_, (frame, pc))| thread.frames[*frame].quiet || quiet.contains(pc));
        found.map(|(number, _)| number as u32).collect()
    }
}

impl Stacks {
    /// Whether a call of the procedure is open in the frame.
    fn is_open(&self, frame: usize, proc: ProcId) -> bool {
        let caller = |frame: &usize| self.frames[*frame].caller.map(|(frame, _)| frame);
        std::iter::successors(Some(frame), caller).any(|frame| self.frames[frame].proc == proc)
    }
}

/// The frames and nodes of a thread.
fn stacks(t: &Translation<'_>, number: usize, quiet: &BTreeSet<u32>) -> Option<Stacks> {
    let (code, home) = Layout::home(t.system, number);
    let Code { cfg, .. } = &t.system.codes[code];
    let mut out = Stacks {
        code,
        frames: vec![Frame { proc: home, depth: 0, caller: None, quiet: false }],
        callees: BTreeMap::new(),
        nodes: t.layout.begins[number].iter().map(|pc| (0, *pc)).collect(),
        numbers: BTreeMap::new(),
        node: vec![],
        locals: vec![],
        own: BTreeMap::new(),
    };
    let own = cfg.globals[t.system.shared..].iter().map(|v| t.layout.slot(code, *v));
    out.own.extend(own.chain(t.layout.atomic).map(|slot| (slot.bit, 0)));
    let mut at = 0;
    while at < out.frames.len() {
        let Frame { proc, depth, quiet: all_quiet, .. } = out.frames[at];
        if depth >= MOST_DEPTH || out.nodes.len() > MOST_NODES {
            return None;
        }
        let own = &cfg.procs[proc];
        let pcs = own.vertices().filter(|v| t.plan.keeps(code, *v)).map(|v| t.layout.vertex(code, v));
        out.nodes.extend(std::iter::once(t.layout.entries[code][proc]).chain(pcs).map(|pc| (at, pc)));
        if out.locals.len() == depth {
            out.locals.push(BTreeMap::new());
        }
        let locals = own.formals.iter().chain(&own.locals).map(|v| t.layout.slot(code, *v));
        let slots = locals.chain(t.layout.results(code, proc).iter().copied());
        out.locals[depth].extend(slots.map(|slot| (slot.bit, 0)));
        for (id, edge) in cfg.edges.iter_enumerated() {
            let Op::Call { callee, constrain, .. } = &edge.op else { continue };
            if cfg.vertices[edge.from].proc != proc {
                continue;
            }
            if constrain.is_some() || out.is_open(at, *callee) {
                return None;
            }
            let quiet = all_quiet || quiet.contains(&t.layout.vertex(code, edge.from));
            out.callees.insert((at, id), out.frames.len());
            out.frames.push(Frame { proc: *callee, depth: depth + 1, caller: Some((at, id)), quiet });
        }
        at += 1;
    }
    out.numbers = out.nodes.iter().enumerate().map(|(i, node)| (*node, i as u32)).collect();
    Some(out)
}

const RELATIONS: [(&str, &[&str]); 5] = [
    ("Start", &["Thread", World::TYPE]),
    ("Step", &["Thread", World::TYPE, World::TYPE]),
    ("Pauses", &["Thread", World::TYPE]),
    ("Started", &["Thread", World::TYPE]),
    ("Target", &["Thread", World::TYPE]),
];

impl Model for World<'_> {
    fn prelude(&self) -> Prelude {
        let switches = self.translation.question.switches;
        Prelude {
            constants: vec![("K", switches)],
            classes: vec![Class { name: World::TYPE, bits: self.bits }],
            ranges: vec![
                Range { name: "Thread", low: 1, high: self.threads.len().max(1) as u32 },
                Range { name: "Context", low: 0, high: switches },
            ],
            inputs: RELATIONS.iter().map(|(name, params)| Input { name, params: params.to_vec() }).collect(),
            order: (0..self.bits).map(|bit| (0, bit)).collect(),
            ..Prelude::default()
        }
    }

    fn relation<E: Engine>(&self, engine: &mut E, relation: usize, parts: &[Part]) -> E::Bdd {
        world::build(self, engine, RELATIONS[relation].0, parts)
    }
}
