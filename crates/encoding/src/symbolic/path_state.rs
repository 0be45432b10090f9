//! The symbolic state along a path: scalar cells by activation, memory maps, fresh addresses. Values are terms over
//! the path's inputs; assignments substitute (single assignment without names), so only assumptions are checked.
//!
//! Invariants: a state is only ever asked about the activation on top of its stack, as C's scoping has it. A copy of a
//! state gives the same constants to what neither has written or havocked since.

mod block_operations;
mod reads;

pub use block_operations::{Block, Filling};

use crate::symbolic::join::rewritten;
use crate::symbolic::opaque::Opaque;
use crate::{Addresses, Encoder, IntMode, SideConditions, State};
use alias::{AliasOracle, CellId, CellKind};
use ir::{EdgeId, Lvalue, ProcId, Program, Type, VarId};
use rustc_hash::FxHashMap;
use smt::Term;
use std::cell::RefCell;
use std::rc::Rc;

/// A scalar location of one of the open activations, or a global one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The activation, from the first; `None` for globals.
    frame: Option<usize>,
    /// The cell.
    pub cell: CellId,
}

/// An arbitrary value on the path.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Where it came in.
    pub proc: ProcId,
    /// The edge.
    pub edge: EdgeId,
    /// Its type.
    pub ty: Type,
    /// The constant; `None` where the value has no representation (floats, opaque memory).
    pub term: Option<Term>,
}

#[derive(Clone)]
/// The variables of one activation.
pub struct Frame<'a> {
    proc: ProcId,
    /// Its number among all activations, from 1.
    number: usize,
    /// Values of its scalar cells.
    pub scalars: FxHashMap<CellId, Term>,
    /// How often each cell was given an arbitrary value.
    pub versions: FxHashMap<CellId, usize>,
    addresses: FxHashMap<VarId, i128>,
    /// The state in which it was entered, where somebody asks for it.
    entry: Option<Box<PathState<'a>>>,
}

/// The constants for what was found in a state and not computed: numbered in the order in which they are asked for.
#[derive(Default)]
struct Names {
    /// By cell, activation (0: none) and version.
    known: FxHashMap<(CellId, usize, usize), usize>,
    versions: usize,
    activations: usize,
    /// The blocks that were written, if they are kept.
    blocks: Option<Vec<Block>>,
}

/// See the module's documentation.
#[derive(Clone)]
pub struct PathState<'a> {
    program: &'a Program,
    /// What cells there are.
    pub oracle: &'a AliasOracle,
    addresses: &'a Addresses,
    mode: IntMode,
    /// Values of global scalar cells.
    pub globals: FxHashMap<CellId, Term>,
    /// Contents of map cells.
    pub maps: FxHashMap<CellId, Term>,
    /// How often each cell was given an arbitrary value.
    pub versions: FxHashMap<CellId, usize>,
    frames: Vec<Frame<'a>>,
    /// Where the next object lies.
    pub next_address: i128,
    /// Where the objects of the path begin.
    pub objects: Vec<i128>,
    /// What the path reads of memory, in order.
    pub reads: Vec<Read>,
    /// The step that is encoded.
    pub step: usize,
    /// The contents of some block became arbitrary that the program gives known ones.
    pub lost_block: bool,
    names: Rc<RefCell<Names>>,
    /// Memory that is accessed at several types, where it is followed.
    opaque: Option<Opaque>,
}

/// A value that the path reads from memory.
#[derive(Clone)]
pub struct Read {
    /// The step that reads.
    pub step: usize,
    /// Where it comes from.
    pub source: Source,
    /// The address.
    pub at: Term,
    /// The type of the value.
    pub ty: Type,
}

/// Where a value that is read comes from.
#[derive(Clone)]
pub enum Source {
    /// Memory as the step finds it.
    Map(Term),
    /// It is this value, if nothing on the path has written it.
    Value(Term),
}

/// More reads than this are not kept.
const READS: usize = 4000;

impl<'a> PathState<'a> {
    /// Any state in an activation of the procedure.
    pub fn new(encoder: &Encoder<'a>, proc: ProcId) -> PathState<'a> {
        let mut state = PathState {
            program: encoder.program,
            oracle: encoder.oracle,
            addresses: encoder.addresses,
            mode: encoder.mode,
            globals: FxHashMap::default(),
            maps: FxHashMap::default(),
            versions: FxHashMap::default(),
            frames: vec![],
            next_address: encoder.addresses.end(),
            objects: vec![],
            reads: vec![],
            step: 0,
            lost_block: false,
            names: Rc::default(),
            opaque: None,
        };
        state.enter(proc);
        state
    }

    /// An activation of the procedure begins.
    pub fn enter(&mut self, proc: ProcId) {
        let mut names = self.names.borrow_mut();
        names.activations += 1;
        self.frames.push(Frame {
            proc,
            number: names.activations,
            scalars: FxHashMap::default(),
            versions: FxHashMap::default(),
            addresses: FxHashMap::default(),
            entry: None,
        });
    }

    /// Any state in an activation of the procedure, with other callers or none.
    pub fn anywhere(&self, proc: ProcId) -> PathState<'a> {
        let mut state = self.clone();
        state.frames.clear();
        state.enter(proc);
        self.oracle.cell_ids().for_each(|cell| state.havoc(cell));
        state
    }

    /// From now on `old` means the present state.
    pub fn at_entry(&mut self) {
        self.settle();
        let now = Box::new(self.clone());
        self.frame().entry = Some(now);
    }

    /// Says where the variables of the activation are: copies must agree on it.
    pub fn settle(&mut self) {
        let proc = &self.program.procs[self.top().proc];
        for v in proc.formals.iter().chain(&proc.locals) {
            self.address(*v);
        }
    }

    /// Where the next object will lie.
    pub fn next_object(&self) -> i128 {
        self.next_address
    }

    /// The scalar locations that have a value, and whether it is a global or of the activation on top; in a fixed order.
    pub fn stored(&self) -> Vec<(Place, Term, bool)> {
        let top = self.frames.len() - 1;
        let tables = self.frames.iter().enumerate().map(|(n, frame)| (Some(n), &frame.scalars));
        let all = std::iter::once((None, &self.globals)).chain(tables);
        let mut out: Vec<(Place, Term, bool)> = vec![];
        for (frame, table) in all {
            let own = frame.is_none_or(|n| n == top);
            let mut found: Vec<_> = table
                .iter()
                .map(|(cell, value)| (Place { frame, cell: *cell }, value.clone(), own))
                .collect();
            found.sort_by_key(|(place, ..)| place.cell);
            out.append(&mut found);
        }
        out
    }

    /// The value of a location, if it has one.
    pub fn get(&self, place: Place) -> Option<Term> {
        let table = match place.frame {
            None => &self.globals,
            Some(n) => &self.frames.get(n)?.scalars,
        };
        table.get(&place.cell).cloned()
    }

    /// Gives a location a value.
    pub fn put(&mut self, place: Place, value: Term) {
        let table = match place.frame {
            None => Some(&mut self.globals),
            Some(n) => self.frames.get_mut(n).map(|frame| &mut frame.scalars),
        };
        table.map(|table| table.insert(place.cell, value));
    }

    /// The activation that executes.
    pub fn top(&self) -> &Frame<'a> {
        self.frames.last().expect("a state is always in some activation")
    }

    fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("a state is always in some activation")
    }

    /// The last activation ends.
    pub fn leave(&mut self) {
        self.frames.pop().expect("returns are matched");
    }

    /// The address of a new object; `size` in bytes, `None` when it is not a numeral.
    pub fn allocate(&mut self, size: Option<i128>) -> i128 {
        let start = self.next_address;
        let window = match self.mode {
            IntMode::Math => 1 << 40,
            IntMode::Bits => 1 << 20,
        };
        let size = size.filter(|s| (0..=window).contains(s)).unwrap_or(window);
        self.next_address = Addresses::after(start, size);
        self.objects.push(start);
        start
    }

    /// Writes a scalar location.
    pub fn write(&mut self, enc: &Encoder<'_>, lv: &Lvalue, value: Term, facts: &mut SideConditions) {
        let cell = self.oracle.cell(lv);
        match self.oracle.cell_kind(cell) {
            CellKind::Scalar { .. } => self.set_scalar(cell, value),
            CellKind::Map { .. } => {
                enc.access_defined(lv, self, facts);
                let at = enc.address(lv, self, facts);
                let map = self.map(cell, &lv.ty, facts);
                self.maps.insert(cell, rewritten(&map, &at, &value));
            }
            CellKind::Opaque => {
                enc.access_defined(lv, self, facts);
                if self.opaque.is_none() {
                    return;
                }
                let at = enc.address(lv, self, facts);
                let width = self.program.size_of(&lv.ty).filter(|_| !self.program.is_bit_field(lv));
                match (&mut self.opaque, width) {
                    (Some(opaque), Some(width)) => opaque.write(at, width.into(), &lv.ty, value),
                    _ => self.forget_opaque(),
                }
            }
        }
    }

    /// Gives every location of a cell an arbitrary value.
    pub fn havoc(&mut self, cell: CellId) {
        match self.oracle.cell_kind(cell) {
            CellKind::Scalar { var, .. } => {
                let local = self.program.vars[*var].proc();
                let version = self.new_version();
                if local.is_none() {
                    self.globals.remove(&cell);
                    self.versions.insert(cell, version);
                } else if local == self.frames.last().map(|f| f.proc) {
                    self.frame().scalars.remove(&cell);
                    self.frame().versions.insert(cell, version);
                }
            }
            CellKind::Map { .. } => {
                self.maps.remove(&cell);
                let version = self.new_version();
                self.versions.insert(cell, version);
            }
            CellKind::Opaque => self.forget_opaque(),
        }
    }

    fn new_version(&self) -> usize {
        let mut names = self.names.borrow_mut();
        names.versions += 1;
        names.versions
    }

    /// From now on memory that is accessed at several types is followed by its addresses; with the guess that it is as in executions
    /// of the interpreter, where objects from outside are apart and undefined functions write nothing, or without.
    pub fn follow_opaque(&mut self, guess: bool) {
        self.opaque = Some(Opaque::new(guess));
    }

    /// Whether what follows depends on that guess.
    pub fn guesses(&self) -> bool {
        self.opaque.as_ref().is_some_and(Opaque::guesses)
    }

    /// Something may have been written to memory that is accessed at several types.
    pub fn forget_opaque(&mut self) {
        if let Some(opaque) = &mut self.opaque {
            opaque.forget();
        }
    }

    /// What is known of such memory, in this state where `first` holds, and in the other elsewhere.
    pub fn join_opaque(&mut self, other: &Self, first: &Term, facts: &mut SideConditions) {
        let (mode, model) = (self.mode, self.program.model);
        match (&mut self.opaque, &other.opaque) {
            (Some(opaque), Some(other)) => {
                opaque.join(other, first, |ty| facts.fresh_value(ty, mode, model));
            }
            (opaque, _) => *opaque = None,
        }
    }

    /// Writes a scalar cell.
    pub fn set_scalar(&mut self, cell: CellId, value: Term) {
        let CellKind::Scalar { var, .. } = self.oracle.cell_kind(cell) else {
            panic!("only scalar cells are set directly");
        };
        let table = match self.program.vars[*var].proc() {
            None => &mut self.globals,
            Some(_) => &mut self.frame().scalars,
        };
        table.insert(cell, value);
    }

    /// A constant for a value that the path finds in the state.
    fn initial(&self, cell: CellId, local: bool) -> String {
        let frame = self.frames.last().filter(|_| local);
        let versions = frame.map_or(&self.versions, |f| &f.versions);
        let version = versions.get(&cell).copied().unwrap_or(0);
        let known = &mut self.names.borrow_mut().known;
        let next = known.len() + 1;
        let number = *known.entry((cell, frame.map_or(0, |f| f.number), version)).or_insert(next);
        format!("{cell}@{number}")
    }
}

/// The numeral that a term is, if it is one.
pub fn literal(term: &Term) -> Option<i128> {
    term.as_int().or_else(|| term.as_bits().and_then(|b| i128::try_from(b).ok()))
}
