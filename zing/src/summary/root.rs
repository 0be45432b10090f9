//! A root \[QR05 §6\]: a procedure with a state in which it is entered, the part of that state that it examines, and
//! the effects that it can have.
//!
//! DIVERGENCE: states of the search keep the numbers of the objects that were there at the entry; only newer
//! ones are renumbered. Otherwise swapping two objects that look alike would be taken for doing nothing. And the
//! locations written belong to a state: writing what is there already is an effect on other states that the pattern
//! fits.

use super::entry::{Effect, Entry, Pattern, Spot};
use crate::code::{Code, ProcId};
use crate::exec::{Event, Location, Watch};
use crate::value::{Frame, Key, Renumbering, Store, Value};
use rustc_hash::FxHashMap;

/// What a procedure may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Anything but to start threads: nobody else runs meanwhile.
    Free,
    /// Only what no other thread can see.
    Local,
}

/// A state of the search in a procedure.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) store: Store,
    pub(crate) frame: Frame,
    /// Which locations of the entry were written; empty where effects are differences.
    written: Vec<u64>,
}

impl View {
    fn mark(&mut self, entry: &Entry, spot: Spot) {
        mark(&mut self.written, entry.index(spot));
    }
}

fn mark(bits: &mut Vec<u64>, i: usize) {
    if bits.len() <= i / 64 {
        bits.resize(i / 64 + 1, 0);
    }
    bits[i / 64] |= 1 << (i % 64);
}

fn marked(bits: &[u64], i: usize) -> bool {
    bits.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
}

/// How a state was reached from its parent.
#[derive(Clone, Debug)]
pub(crate) enum Via {
    /// By statements, with these decisions.
    Steps(Vec<u32>),
    /// Over a call, by this effect of this root.
    Summary(u32, u32),
}

/// A state that was found.
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) via: Via,
    /// The state, until it is expanded; at calls, for good.
    pub(crate) view: Option<Box<View>>,
    pub(crate) call: Option<Call>,
    pub(crate) queued: bool,
}

/// A state at a call.
pub(crate) struct Call {
    pub(crate) proc: ProcId,
    pub(crate) args: Vec<Value>,
    /// The root whose effects are used.
    pub(crate) target: Option<usize>,
    /// The objects of the caller by the numbers of the root's entry.
    pub(crate) map: Vec<u32>,
    /// How much of its pattern was examined, and how many of its effects were used.
    pub(crate) imported: usize,
    pub(crate) applied: usize,
}

/// A procedure entered in some state.
pub(crate) struct Root {
    pub(crate) proc: ProcId,
    pub(crate) mode: Mode,
    pub(crate) entry: Entry,
    pub(crate) pattern: Pattern,
    pub(crate) effects: Vec<Effect>,
    /// For each effect a state and the decisions from there to the end.
    pub(crate) ends: Vec<(u32, Vec<u32>)>,
    known_effects: FxHashMap<Effect, ()>,
    pub(crate) nodes: Vec<Node>,
    known: FxHashMap<Box<[u8]>, ()>,
    /// Calls that use this root.
    pub(crate) users: Vec<(usize, usize)>,
    /// Whether it can reach something that its mode does not admit: then it is not a summary.
    pub(crate) leaves: bool,
    /// The call for which it was made, if another root made it.
    pub(crate) origin: Option<(usize, usize)>,
    /// Whether effects hold everything written, and not only what is different.
    pub(crate) patterns: bool,
}

impl Root {
    pub(crate) fn new(
        proc: ProcId,
        mode: Mode,
        entry: Entry,
        patterns: bool,
        origin: Option<(usize, usize)>,
    ) -> Root {
        Root {
            proc,
            mode,
            entry,
            pattern: Pattern::default(),
            effects: vec![],
            ends: vec![],
            known_effects: FxHashMap::default(),
            nodes: vec![],
            known: FxHashMap::default(),
            users: vec![],
            leaves: false,
            origin,
            patterns,
        }
    }

    /// The state at the entry.
    pub(crate) fn first(&self, frame: Frame) -> View {
        View { store: self.entry.store.clone(), frame, written: vec![] }
    }

    /// Adds the state unless it is known; its number if it is new.
    pub(crate) fn add(&mut self, mut view: View, parent: usize, via: Via) -> Option<usize> {
        self.renumber(&mut view);
        let mut key = Key::default();
        key.frame(&view.frame);
        key.values(&view.store.statics);
        view.store.heap.values[..self.entry.store.heap.values.len()].iter().for_each(|v| key.value(*v));
        key.heap(&view.store.heap, self.entry.cells());
        view.written.iter().for_each(|word| key.number(*word));
        if self.known.insert(key.0.into_boxed_slice(), ()).is_some() {
            return None;
        }
        let view = Some(Box::new(view));
        self.nodes.push(Node { parent: parent as u32, via, view, call: None, queued: false });
        Some(self.nodes.len() - 1)
    }

    /// New objects get canonical numbers; those that cannot be reached are dropped. What was there at the entry stays:
    /// a caller may hold it.
    fn renumber(&self, view: &mut View) {
        let kept = self.entry.cells();
        if view.store.heap.cells.len() == kept {
            return;
        }
        let View { store, frame, .. } = view;
        let mut walk = Renumbering::new(&store.heap, kept, &[]);
        frame.locals.iter().for_each(|v| walk.root(*v));
        store.statics.iter().for_each(|v| walk.root(*v));
        store.heap.values[..self.entry.store.heap.values.len()].iter().for_each(|v| walk.root(*v));
        let heap = walk.heap();
        frame.locals = walk.values(&frame.locals);
        store.statics = walk.values(&store.statics);
        store.heap = heap;
    }

    fn was_written(&self, view: &View, spot: Spot) -> bool {
        if self.patterns {
            return marked(&view.written, self.entry.index(spot));
        }
        let now = match spot {
            Spot::Static(i) => view.store.statics[usize::from(i)],
            Spot::Field(a, f) => view.store.heap.fields(a)[usize::from(f)],
            Spot::Formal(_) | Spot::Shared(_) => return false,
        };
        now != self.entry.value(spot)
    }

    /// Adds the effect of an execution that ends in this state with these results; returns whether it is new.
    pub(crate) fn finish(&mut self, view: &View, results: &[Value], node: usize, choices: Vec<u32>) -> bool {
        let kept = self.entry.cells();
        let spots: Vec<Spot> = self.entry.writable().filter(|spot| self.was_written(view, *spot)).collect();
        let now = |spot: Spot| match spot {
            Spot::Static(i) => view.store.statics[usize::from(i)],
            Spot::Field(a, f) => view.store.heap.fields(a)[usize::from(f)],
            Spot::Formal(_) | Spot::Shared(_) => unreachable!("effects are on static fields and objects"),
        };
        let mut walk = Renumbering::new(&view.store.heap, kept, &[]);
        results.iter().for_each(|v| walk.root(*v));
        spots.iter().for_each(|spot| walk.root(now(*spot)));
        let new = &walk.order()[kept..];
        let effect = Effect {
            classes: new
                .iter()
                .map(|a| view.store.heap.cells[*a as usize])
                .map(|c| (c.class, c.len))
                .collect(),
            contents: new.iter().flat_map(|a| walk.values(view.store.heap.fields(*a))).collect(),
            writes: spots.iter().map(|spot| (*spot, walk.value(now(*spot)))).collect(),
            results: walk.values(results),
        };
        if self.known_effects.insert(effect.clone(), ()).is_some() {
            return false;
        }
        self.effects.push(effect);
        self.ends.push((node as u32, choices));
        true
    }

    /// Notes that a location of the entry was examined by a callee.
    pub(crate) fn look(&mut self, view: &View, spot: Spot) {
        if self.patterns && !self.is_new(spot) && !marked(&view.written, self.entry.index(spot)) {
            self.pattern.add(&self.entry, spot);
        }
    }

    /// Notes that a location was written by a callee, or set by its result.
    pub(crate) fn note_write(&self, view: &mut View, spot: Spot) {
        if self.patterns && !self.is_new(spot) {
            view.mark(&self.entry, spot);
        }
    }

    /// Whether the location belongs to an object that was not there at the entry.
    fn is_new(&self, spot: Spot) -> bool {
        match spot {
            Spot::Field(a, _) | Spot::Shared(a) => a as usize >= self.entry.cells(),
            Spot::Static(_) => false,
            Spot::Formal(i) => usize::from(i) >= self.entry.formals.len(),
        }
    }
}

/// Notes what a step reads and writes.
pub(crate) struct Recorder<'r> {
    root: &'r mut Root,
    written: Vec<u64>,
}

impl Recorder<'_> {
    fn spot(at: Location) -> Spot {
        match at {
            Location::Local(slot) => Spot::Formal(slot),
            Location::Static(i) => Spot::Static(i),
            Location::Field(a, f) => Spot::Field(a, f),
        }
    }

    fn look(&mut self, spot: Spot) {
        let root = &mut *self.root;
        if root.patterns && !root.is_new(spot) && !marked(&self.written, root.entry.index(spot)) {
            root.pattern.add(&root.entry, spot);
        }
    }

    /// Whether the mode admits the access.
    fn admitted(&mut self, at: Location) -> bool {
        if self.root.mode == Mode::Free {
            return true;
        }
        match at {
            Location::Local(_) => true,
            Location::Static(_) => false,
            Location::Field(a, _) => {
                self.look(Spot::Shared(a));
                !self.root.entry.shared.get(a as usize).copied().unwrap_or(false)
            }
        }
    }
}

impl Watch for Recorder<'_> {
    fn read(&mut self, at: Location) -> bool {
        let admitted = self.admitted(at);
        if admitted {
            self.look(Recorder::spot(at));
        }
        admitted
    }

    fn write(&mut self, at: Location) -> bool {
        if !self.admitted(at) {
            return false;
        }
        let spot = Recorder::spot(at);
        if self.root.patterns && !self.root.is_new(spot) {
            let i = self.root.entry.index(spot);
            mark(&mut self.written, i);
        }
        true
    }

    fn event(&mut self, event: Event) -> bool {
        self.root.mode == Mode::Free && event != Event::Async
    }
}

impl Root {
    /// Executes a step of the procedure.
    pub(crate) fn step(&mut self, code: &Code, view: &mut View, choice: Option<usize>) -> crate::exec::Step {
        let mut recorder = Recorder { written: std::mem::take(&mut view.written), root: self };
        let step = crate::exec::step(code, &mut view.store, &mut view.frame, &mut recorder, choice);
        view.written = recorder.written;
        step
    }
}
