//! Where program counters and variables stand: codes of program counters, bits of variables, and the order of bits
//! (\[LMP09 §6.1\]: what occurs together in statements stands together).
//!
//! The program counters of a procedure fill the beginning of an aligned block, so that their highest bits tell the
//! procedure. Globals stand on a line; the variables of each procedure stand in the gaps between them, where bebop's order
//! has them, and procedures share the bits of a gap.

use super::plan::Plan;
use super::{GLOBAL, LOCAL, OWN, PC, Question};
use base::IndexVec;
use bp::analysis::VariableOrder;
use bp::{Begin, Code, StartArguments, System, ThreadOp};
use bp::{ProcId, VarId, VertexId};

/// A bit of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slot {
    /// Which part of a state: 1 `Local`, 2 `Own`, 3 `Global`.
    pub part: usize,
    /// Which of its bits.
    pub bit: usize,
}

/// What a program counter stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// A vertex of a code.
    Vertex(usize, VertexId),
    /// The beginning of a procedure of a code.
    Entry(usize, ProcId),
    /// The beginning of a thread; whether `init` comes first.
    Begin(usize, bool),
    /// The goal, moved to the procedure that starts.
    Goal,
}

/// The block of a procedure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) first: u32,
    /// How many of the lowest bits differ inside.
    pub(crate) low_bits: u32,
}

pub(crate) struct Layout {
    pub(crate) pc_bits: usize,
    /// Bits of `Local`, `Own` and `Global`.
    pub(crate) bits: [usize; 3],
    pub(crate) order: Vec<(usize, usize)>,
    pub(crate) blocks: Vec<IndexVec<ProcId, Block>>,
    places: Vec<(u32, Place)>,
    vertex_codes: Vec<IndexVec<VertexId, u32>>,
    pub(crate) entries: Vec<IndexVec<ProcId, u32>>,
    /// For each thread the beginnings without and with `init`.
    pub(crate) begins: Vec<[u32; 2]>,
    pub(crate) goal: Option<u32>,
    slots: Vec<IndexVec<VarId, Slot>>,
    results: Vec<IndexVec<ProcId, Vec<Slot>>>,
    /// Set when the goal was reached, if it is moved.
    pub(crate) hit: Option<Slot>,
    /// Set while the thread is atomic, if some thread ever is.
    pub(crate) atomic: Option<Slot>,
    /// For each thread that has to be started: whether it was, and what was handed to it.
    pub(crate) starts: Vec<Option<StartSlots>>,
}

/// What is handed to a thread that is started.
#[derive(Clone, Debug)]
pub(crate) struct StartSlots {
    pub(crate) started: Slot,
    /// The variables that get the values, with the bits where these wait.
    pub(crate) values: Vec<(VarId, Slot)>,
}

impl StartSlots {
    /// All bits of it.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        std::iter::once(self.started).chain(self.values.iter().map(|(_, slot)| *slot)).collect()
    }
}

impl Layout {
    pub(crate) fn new(system: &System, question: &Question, plan: &Plan) -> Layout {
        let mut layout = Layout {
            pc_bits: 0,
            bits: [0; 3],
            order: vec![],
            blocks: vec![],
            places: vec![],
            vertex_codes: vec![],
            entries: vec![],
            begins: vec![],
            goal: None,
            slots: vec![],
            results: vec![],
            hit: None,
            atomic: None,
            starts: vec![],
        };
        layout.program_counters(system, question, plan);
        layout.variables(system, question);
        layout
    }

    pub(crate) fn slot(&self, code: usize, var: VarId) -> Slot {
        self.slots[code][var]
    }

    pub(crate) fn results(&self, code: usize, proc: ProcId) -> &[Slot] {
        &self.results[code][proc]
    }

    pub(crate) fn vertex(&self, code: usize, vertex: VertexId) -> u32 {
        self.vertex_codes[code][vertex]
    }

    pub(crate) fn place(&self, pc: u32) -> Option<Place> {
        let at = self.places.binary_search_by_key(&pc, |(code, _)| *code).ok()?;
        Some(self.places[at].1)
    }

    /// The procedure in which a thread begins.
    pub(crate) fn home(system: &System, thread: usize) -> (usize, ProcId) {
        let thread = &system.threads[thread];
        let proc = match thread.begin {
            Begin::Procedure(proc) | Begin::Called(proc) => proc,
            Begin::Vertex(vertex) => system.codes[thread.code].cfg.vertices[vertex].proc,
        };
        (thread.code, proc)
    }

    fn program_counters(&mut self, system: &System, question: &Question, plan: &Plan) {
        // The places of each procedure.
        let mut blocks: Vec<(usize, ProcId, Vec<Place>)> = vec![];
        for (code, Code { cfg, .. }) in system.codes.iter().enumerate() {
            for (id, proc) in cfg.procs.iter_enumerated() {
                let mut places = vec![Place::Entry(code, id)];
                let kept = proc.vertices().filter(|v| plan.keeps(code, *v));
                places.extend(kept.map(|v| Place::Vertex(code, v)));
                for thread in 0..system.threads.len() {
                    if Self::home(system, thread) == (code, id) {
                        places.extend([Place::Begin(thread, false), Place::Begin(thread, true)]);
                        places.extend(question.moved.then_some(Place::Goal));
                    }
                }
                blocks.push((code, id, places));
            }
        }
        let size = |places: &Vec<Place>| (places.len() as u32).next_power_of_two();
        let mut by_size: Vec<usize> = (0..blocks.len()).collect();
        by_size.sort_by_key(|i| std::cmp::Reverse(size(&blocks[*i].2)));
        for code in &system.codes {
            let none = Block { first: 0, low_bits: 0 };
            self.blocks.push(IndexVec::from_elem(none, code.cfg.procs.len()));
            self.vertex_codes.push(IndexVec::from_elem(0, code.cfg.vertices.len()));
            self.entries.push(IndexVec::from_elem(0, code.cfg.procs.len()));
        }
        self.begins = vec![[0; 2]; system.threads.len()];
        let mut next = 0u32;
        for (code, proc, places) in by_size.into_iter().map(|i| &blocks[i]) {
            self.blocks[*code][*proc] = Block { first: next, low_bits: size(places).trailing_zeros() };
            for (i, place) in places.iter().enumerate() {
                let pc = next + i as u32;
                match *place {
                    Place::Vertex(_, v) => self.vertex_codes[*code][v] = pc,
                    Place::Entry(_, p) => self.entries[*code][p] = pc,
                    Place::Begin(thread, init) => self.begins[thread][usize::from(init)] = pc,
                    Place::Goal => self.goal = Some(pc),
                }
                self.places.push((pc, *place));
            }
            next += size(places);
        }
        self.pc_bits = (u32::BITS - next.saturating_sub(1).leading_zeros()) as usize;
        self.order.extend((0..self.pc_bits).rev().map(|bit| (PC, bit)));
    }

    fn variables(&mut self, system: &System, question: &Question) {
        let lines: Vec<VariableOrder> =
            system.codes.iter().map(|code| VariableOrder::new(&code.cfg)).collect();
        let globals = shared_in_order(system, &lines);
        let gap = |code: usize, place: u32| {
            let cfg = &system.codes[code].cfg;
            globals.iter().filter(|g| lines[code].var(cfg.globals[**g]) < place).count()
        };
        let mut shares = Shares { counts: [vec![0; globals.len() + 1], vec![0; globals.len() + 1]] };
        // Bits are numbered inside their gaps first.
        let mut own_places: Vec<Vec<(VarId, (usize, usize))>> = vec![];
        let mut local_places: Vec<Vec<(ProcId, Node, InGap)>> = vec![];
        for (c, code) in system.codes.iter().enumerate() {
            let own = code.cfg.globals[system.shared..].iter().map(|v| (*v, lines[c].var(*v)));
            own_places.push(shares.fill(1, own.collect(), |place| gap(c, place)));
            let mut of_code = vec![];
            for (id, proc) in code.cfg.procs.iter_enumerated() {
                let vars = proc.formals.iter().chain(&proc.locals).map(|v| (Node::Var(*v), lines[c].var(*v)));
                let results = (0..proc.returns).map(|k| (Node::Result(k), lines[c].result(id, k)));
                let filled = shares.fill(0, vars.chain(results).collect(), |place| gap(c, place));
                of_code.extend(filled.into_iter().map(|(node, place)| (id, node, place)));
            }
            local_places.push(of_code);
        }
        let bit = self.line_up(&globals, &shares);
        for (c, code) in system.codes.iter().enumerate() {
            let mut slots = IndexVec::from_elem(Slot { part: 0, bit: 0 }, code.cfg.vars.len());
            let mut results: IndexVec<ProcId, Vec<Slot>> =
                code.cfg.procs.iter().map(|p| vec![Slot { part: LOCAL, bit: 0 }; p.returns]).collect();
            for (place, i) in globals.iter().enumerate() {
                slots[code.cfg.globals[*i]] = Slot { part: GLOBAL, bit: place };
            }
            for (var, (gap, k)) in &own_places[c] {
                slots[*var] = Slot { part: OWN, bit: bit[1][*gap] + k };
            }
            for (proc, node, (gap, k)) in &local_places[c] {
                let slot = Slot { part: LOCAL, bit: bit[0][*gap] + k };
                match node {
                    Node::Var(var) => slots[*var] = slot,
                    Node::Result(k) => results[*proc][*k] = slot,
                }
            }
            self.slots.push(slots);
            self.results.push(results);
        }
        self.flags(system, question);
    }

    /// Lays the gaps and globals out in order; for each gap the first bit of locals and of thread's globals in it.
    fn line_up(&mut self, globals: &[usize], shares: &Shares) -> [Vec<usize>; 2] {
        let mut bit = [vec![], vec![]];
        for gap in 0..=globals.len() {
            for (kind, part) in [(1, OWN), (0, LOCAL)] {
                bit[kind].push(self.bits[part - 1]);
                for _ in 0..shares.counts[kind][gap] {
                    self.order.push((part, self.bits[part - 1]));
                    self.bits[part - 1] += 1;
                }
            }
            if gap < globals.len() {
                self.order.push((GLOBAL, gap));
                self.bits[GLOBAL - 1] += 1;
            }
        }
        bit
    }

    /// Bits that are not variables of the program; they stand above those that are.
    fn flags(&mut self, system: &System, question: &Question) {
        let thread_ops = || system.codes.iter().flat_map(Code::thread_ops);
        if question.moved {
            self.hit = Some(self.flag(GLOBAL));
        }
        if thread_ops().any(|(_, op)| matches!(op, ThreadOp::Atomic(_) | ThreadOp::Nested(..))) {
            self.atomic = Some(self.flag(OWN));
        }
        for (number, thread) in system.threads.iter().enumerate() {
            let site = thread_ops().find_map(|(_, op)| match op {
                ThreadOp::Start(threads, arguments) if threads.contains(&number) => Some(arguments),
                _ => None,
            });
            let Some(arguments) = site else {
                self.starts.push(None);
                continue;
            };
            let cfg = &system.codes[thread.code].cfg;
            let (_, proc) = Self::home(system, number);
            let vars: Vec<VarId> = match arguments {
                StartArguments::Variables => {
                    cfg.procs[proc].formals.iter().chain(&cfg.procs[proc].locals).copied().collect()
                }
                StartArguments::Values(_) => cfg.procs[proc].formals.clone(),
            };
            let started = self.flag(GLOBAL);
            let values = vars.into_iter().map(|v| (v, self.flag(GLOBAL))).collect();
            self.starts.push(Some(StartSlots { started, values }));
        }
    }

    fn flag(&mut self, part: usize) -> Slot {
        let slot = Slot { part, bit: self.bits[part - 1] };
        self.bits[part - 1] += 1;
        let above = self.order.iter().position(|(class, _)| *class != PC).unwrap_or(self.order.len());
        self.order.insert(above, (part, slot.bit));
        slot
    }
}

/// The numbers of the shared globals, by the mean of their places on the lines.
fn shared_in_order(system: &System, lines: &[VariableOrder]) -> Vec<usize> {
    let length = |code: &Code| {
        let results: usize = code.cfg.procs.iter().map(|p| p.returns).sum();
        (code.cfg.vars.len() + results).max(1) as f64
    };
    let lengths: Vec<f64> = system.codes.iter().map(length).collect();
    let mean = |i: usize| -> f64 {
        let codes = system.codes.iter().enumerate();
        codes.map(|(c, code)| f64::from(lines[c].var(code.cfg.globals[i])) / lengths[c]).sum()
    };
    let mut out: Vec<usize> = (0..system.shared).collect();
    out.sort_by(|a, b| mean(*a).total_cmp(&mean(*b)).then(a.cmp(b)));
    out
}

/// A gap, and which of its bits.
type InGap = (usize, usize);

#[derive(Clone, Copy)]
enum Node {
    Var(VarId),
    Result(usize),
}

/// How many bits each gap has: of locals, and of threads' globals.
struct Shares {
    counts: [Vec<usize>; 2],
}

impl Shares {
    /// Puts what stands in each gap there, in order.
    fn fill<T>(
        &mut self,
        kind: usize,
        mut list: Vec<(T, u32)>,
        gap: impl Fn(u32) -> usize,
    ) -> Vec<(T, (usize, usize))> {
        list.sort_by_key(|(_, place)| *place);
        let mut used = vec![0; self.counts[kind].len()];
        let mut out = vec![];
        for (item, place) in list {
            let gap = gap(place);
            out.push((item, (gap, used[gap])));
            used[gap] += 1;
        }
        for (count, used) in self.counts[kind].iter_mut().zip(used) {
            *count = (*count).max(used);
        }
        out
    }
}
