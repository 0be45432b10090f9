//! Values, objects, and the parts of a state; and the one renumbering of objects that makes equal what differs in
//! addresses only.

use crate::code::{ClassId, Code, Pc, ProcId};
use base::Id;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// Either truth value, decided when it is first read. Only boolean programs have it.
    Open,
    /// No object.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i32),
    /// The object with this number.
    Ref(u32),
}

/// An object: its class, and where its fields stand among the values of the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// Its class.
    pub class: ClassId,
    /// How many fields are kept; none of an object that must not be examined.
    pub len: u16,
    /// Where the first one stands.
    pub at: u32,
}

/// Objects, numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Heap {
    /// The objects.
    pub cells: Vec<Cell>,
    /// Their fields, one object after the other.
    pub values: Vec<Value>,
}

impl Heap {
    /// A new object, with initial values; its number.
    pub fn allocate(&mut self, code: &Code, class: ClassId) -> u32 {
        let fields = &code.classes[class].fields;
        self.push(class, fields.iter().map(|f| f.initial))
    }

    fn push(&mut self, class: ClassId, fields: impl Iterator<Item = Value>) -> u32 {
        let at = self.values.len();
        self.values.extend(fields);
        let len = (self.values.len() - at) as u16;
        self.cells.push(Cell { class, len, at: at as u32 });
        self.cells.len() as u32 - 1
    }

    /// The fields of an object.
    pub fn fields(&self, address: u32) -> &[Value] {
        let cell = self.cells[address as usize];
        &self.values[cell.at as usize..][..cell.len as usize]
    }

    /// Where a field stands among the values.
    pub fn position(&self, address: u32, field: u16) -> usize {
        self.cells[address as usize].at as usize + field as usize
    }

    /// Which objects can be reached from these values; nothing behind those that `stop` holds for.
    pub fn reachable(&self, roots: impl Iterator<Item = Value>, stop: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.cells.len()];
        let mut work: Vec<u32> = vec![];
        let visit = |v: Value, seen: &mut Vec<bool>, work: &mut Vec<u32>| {
            if let Value::Ref(a) = v
                && !std::mem::replace(&mut seen[a as usize], true)
                && !stop(a)
            {
                work.push(a);
            }
        };
        roots.for_each(|v| visit(v, &mut seen, &mut work));
        while let Some(a) = work.pop() {
            self.fields(a).iter().for_each(|v| visit(*v, &mut seen, &mut work));
        }
        seen
    }
}

/// Static fields and objects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Store {
    /// The static fields.
    pub statics: Vec<Value>,
    /// The objects.
    pub heap: Heap,
}

/// An active procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// What is executed next; in a caller, the call.
    pub pc: Pc,
    /// The slots.
    pub locals: Vec<Value>,
}

impl Frame {
    /// The start of a procedure.
    pub fn enter(code: &Code, proc: ProcId, args: &[Value]) -> Frame {
        let info = &code.procs[proc];
        let rest = info.locals[info.formals..].iter().map(|v| v.initial);
        Frame { pc: info.entry, locals: args.iter().copied().chain(rest).collect() }
    }
}

/// Depth-first renumbering \[QR05 §4\]: objects get new numbers in the order in which a depth-first walk from the
/// roots meets them; those that it does not meet are dropped.
pub struct Renumbering<'h> {
    old: &'h Heap,
    /// Objects behind which the walk does not look, and whose fields are left out; short where there are none.
    opaque: &'h [bool],
    /// New numbers by old ones; `NONE` where the walk has not been.
    map: Vec<u32>,
    /// Old numbers by new ones.
    order: Vec<u32>,
    stack: Vec<(u32, u32)>,
}

/// No new number.
const NONE: u32 = u32::MAX;

impl<'h> Renumbering<'h> {
    /// The first `keep` objects keep their numbers, and are not walked through yet.
    pub fn new(old: &'h Heap, keep: usize, opaque: &'h [bool]) -> Renumbering<'h> {
        let mut map = vec![NONE; old.cells.len()];
        map.iter_mut().enumerate().take(keep).for_each(|(i, new)| *new = i as u32);
        Renumbering { old, opaque, map, order: (0..keep as u32).collect(), stack: vec![] }
    }

    /// Walks from a root.
    pub fn root(&mut self, v: Value) {
        self.meet(v);
        while let Some((next, end)) = self.stack.pop() {
            if next < end {
                self.stack.push((next + 1, end));
                self.meet(self.old.values[next as usize]);
            }
        }
    }

    fn is_opaque(&self, old: u32) -> bool {
        self.opaque.get(old as usize).copied().unwrap_or(false)
    }

    fn meet(&mut self, v: Value) {
        let Value::Ref(a) = v else { return };
        if self.map[a as usize] == NONE {
            self.map[a as usize] = self.order.len() as u32;
            self.order.push(a);
            if !self.is_opaque(a) {
                let cell = self.old.cells[a as usize];
                self.stack.push((cell.at, cell.at + u32::from(cell.len)));
            }
        }
    }

    /// A value with the new number of the object, which the walk met.
    pub fn value(&self, v: Value) -> Value {
        match v {
            Value::Ref(a) => {
                debug_assert_ne!(self.map[a as usize], NONE, "only what the walk met has a new number");
                Value::Ref(self.map[a as usize])
            }
            other => other,
        }
    }

    /// Values with new numbers.
    pub fn values(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.value(*v)).collect()
    }

    /// Old numbers by new ones.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The heap with new numbers.
    pub fn heap(&self) -> Heap {
        let mut heap = Heap {
            cells: Vec::with_capacity(self.order.len()),
            values: Vec::with_capacity(self.old.values.len()),
        };
        for old in &self.order {
            let fields = if self.is_opaque(*old) { &[] } else { self.old.fields(*old) };
            heap.push(self.old.cells[*old as usize].class, fields.iter().map(|v| self.value(*v)));
        }
        heap
    }
}

/// Writes values as bytes: equal keys mean equal values, in a fixed order.
pub struct Key(pub Vec<u8>);

impl Default for Key {
    fn default() -> Key {
        Key(Vec::with_capacity(256))
    }
}

impl Key {
    /// A number; small ones take one byte.
    pub fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    /// Writes a value. Its first byte gives its kind, and the whole value for truth values and small numbers.
    pub fn value(&mut self, v: Value) {
        match v {
            Value::Open => self.0.push(0),
            Value::Null => self.0.push(1),
            Value::Bool(b) => self.0.push(2 + u8::from(b)),
            Value::Int(n @ 0..=31) => self.0.push(4 + n as u8),
            Value::Int(n) => {
                self.0.push(36);
                self.0.extend(n.to_le_bytes());
            }
            Value::Ref(a @ 0..=99) => self.0.push(37 + a as u8),
            Value::Ref(a) => {
                self.0.push(137);
                self.number(u64::from(a));
            }
        }
    }

    /// Values, with their count.
    pub fn values(&mut self, values: &[Value]) {
        self.number(values.len() as u64);
        values.iter().for_each(|v| self.value(*v));
    }

    /// The objects from number `from` on.
    pub fn heap(&mut self, heap: &Heap, from: usize) {
        self.number(heap.cells.len() as u64);
        for cell in &heap.cells[from..] {
            self.number((cell.class.index() as u64) << 1 | u64::from(cell.len > 0));
        }
        let start = heap.cells.get(from).map_or(heap.values.len(), |c| c.at as usize);
        heap.values[start..].iter().for_each(|v| self.value(*v));
    }

    /// A frame.
    pub fn frame(&mut self, frame: &Frame) {
        self.number(frame.pc.index() as u64);
        frame.locals.iter().for_each(|v| self.value(*v));
    }
}
