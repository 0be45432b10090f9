//! The oracle against the interpreter: in every state of a run, the oracle must allow the places of all lvalues
//! and the values of all pointers.

use super::order::MODES;
use alias::{AliasOracle, CellId, CellKind, Object, PointsTo};
use base::Id;
use interp::{self, Inputs, ObjectId, ObjectKind, State, UninitRead, Value};
use ir::print;
use ir::program::{EdgeId, HavocKind, LocId, PathStep, ProcId, Program};
use ir::{Access, Expr, Lvalue, Type};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Nondeterminism that depends on the place and on how often it was reached, not on other requests.
pub(super) struct Keyed {
    pub(super) seed: u64,
    pub(super) seen: BTreeMap<(u32, u32, u32), u64>,
}

impl Keyed {
    fn draw(&mut self, kind: u32, a: usize, b: usize) -> u64 {
        let count = self.seen.entry((kind, a as u32, b as u32)).or_default();
        *count += 1;
        let mut h = self.seed ^ (*count << 40) ^ ((a as u64) << 20) ^ (b as u64) ^ (u64::from(kind) << 60);
        for _ in 0..3 {
            h = (h ^ (h >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        h >> 32
    }
}

impl Inputs for Keyed {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        let draw = self.draw(0, proc.index(), edge.index());
        match ty {
            // A pointer without a value points nowhere.
            Type::Ptr(_) if *kind == HavocKind::Uninit => Value::Null,
            Type::Ptr(_) if draw.is_multiple_of(2) => Value::Null,
            Type::Ptr(_) => Value::FreshObject(64),
            _ => Value::Int(i128::from(draw % 3)),
        }
    }

    fn choose_edge(&mut self, proc: ProcId, loc: LocId, enabled: &[EdgeId]) -> usize {
        (self.draw(1, proc.index(), loc.index()) as usize) % enabled.len()
    }
}

/// Compares every state with the oracle.
struct Watcher<'a> {
    inputs: Keyed,
    program: &'a Program,
    oracle: &'a AliasOracle,
    lvalues: &'a [Vec<Lvalue>],
    /// For each procedure the pointers in its variables and in the global ones.
    holders: &'a [Vec<Lvalue>],
    /// For each open frame the locations and values before the step that is under way.
    before: Vec<Snapshot>,
    /// For each byte of each object the cell that it was seen under.
    bytes: BTreeMap<(ObjectId, i64), CellId>,
    /// The oracle's answers about two lvalues of a procedure: may, must.
    pairs: BTreeMap<(ProcId, usize, usize), (bool, bool)>,
    complaints: Vec<String>,
}

type Snapshot = Vec<Option<((ObjectId, i64), Value)>>;

fn object_matches(kind: ObjectKind, object: Object) -> bool {
    match (kind, object) {
        (ObjectKind::Var(a), Object::Var(b)) => a == b,
        (ObjectKind::Heap(p, e), Object::Heap(q, f)) => (p, e) == (q, f),
        (ObjectKind::Fresh, Object::External) => true,
        _ => false,
    }
}

impl Watcher<'_> {
    fn snapshot(&mut self, state: &mut State<'_, '_>) -> Snapshot {
        let lvalues = self.lvalues;
        lvalues[state.proc().index()].iter().map(|lv| self.look(state, lv)).collect()
    }

    /// The place and the value of the lvalue; checks both.
    fn look(&mut self, state: &mut State<'_, '_>, lv: &Lvalue) -> Option<((ObjectId, i64), Value)> {
        let Ok(Value::Ptr { kind, object, offset }) = state.value(&lv.clone().addr()) else { return None };
        let value = state.value(&lv.clone().load()).ok()?;
        let cell = self.oracle.cell(lv);
        let opaque = *self.oracle.cell_kind(cell) == CellKind::Opaque;
        let size = self.program.size_of(&lv.ty).expect("scalars have sizes") as i64;
        for byte in offset..offset + size {
            if opaque {
                break;
            }
            let known = *self.bytes.entry((object, byte)).or_insert(cell);
            if known != cell {
                let text = print::lvalue(self.program, lv);
                self.complaints.push(format!("{text}: {cell} is also {known}"));
            }
        }
        self.aim(&lv.clone().addr(), kind, None);
        if lv.ty.is_ptr() {
            self.holds(lv, value);
        }
        Some(((object, offset), value))
    }

    /// The pointer at this location is that value.
    fn holds(&mut self, lv: &Lvalue, value: Value) {
        match value {
            Value::Ptr { kind, offset, .. } => self.aim(&lv.clone().load(), kind, Some(offset)),
            Value::Func(p) => {
                let (procs, unknown) = self.oracle.callees(&lv.clone().load());
                if !unknown && !procs.contains(&p) {
                    self.complaints.push(format!("{} misses a function", print::lvalue(self.program, lv)));
                }
            }
            _ => {}
        }
    }

    fn aim(&mut self, pointer: &Expr, kind: ObjectKind, offset: Option<i64>) {
        let PointsTo { objects, unknown } = self.oracle.points_to(pointer);
        if unknown || objects.iter().any(|o| object_matches(kind, *o)) {
            return;
        }
        // One past the end, or further outside, nothing is accessed.
        let size = match kind {
            ObjectKind::Var(v) => self.program.size_of(&self.program.vars[v].ty).map(|s| s as i64),
            _ => None,
        };
        if let (Some(offset), Some(size)) = (offset, size)
            && !(0..size).contains(&offset)
        {
            return;
        }
        let text = print::expr(self.program, pointer);
        self.complaints.push(format!("{text} points to {kind:?}, not only to {objects:?}"));
    }

    fn pairs(&mut self, p: ProcId, now: &Snapshot) {
        for (i, a) in now.iter().enumerate() {
            for (j, b) in now.iter().enumerate().skip(i + 1) {
                let (Some((x, _)), Some((y, _))) = (a, b) else { continue };
                let (one, other) = (&self.lvalues[p.index()][i], &self.lvalues[p.index()][j]);
                let size = |lv: &Lvalue| self.program.size_of(&lv.ty).unwrap_or(0) as i64;
                let overlap = x.0 == y.0 && x.1 < y.1 + size(other) && y.1 < x.1 + size(one);
                let (may, must) = *self.pairs.entry((p, i, j)).or_insert_with(|| {
                    (self.oracle.may_alias(one, other), self.oracle.must_alias(one, other))
                });
                let text =
                    || format!("{} {}", print::lvalue(self.program, one), print::lvalue(self.program, other));
                if overlap && !may {
                    self.complaints.push(format!("no may alias: {}", text()));
                }
                if x != y && must {
                    self.complaints.push(format!("wrong must alias: {}", text()));
                }
            }
        }
    }

    fn compare(&mut self, p: ProcId, e: EdgeId, before: &Snapshot, now: &Snapshot) {
        for (k, (a, b)) in before.iter().zip(now).enumerate() {
            let (Some((at, old)), Some((at2, new))) = (a, b) else { continue };
            if at != at2 || old == new {
                continue;
            }
            let lv = &self.lvalues[p.index()][k];
            let cell = self.oracle.cell(lv);
            if !self.oracle.edge_mods(p, e).contains(cell) && *self.oracle.cell_kind(cell) != CellKind::Opaque
            {
                let text = print::lvalue(self.program, lv);
                let edge = print::edge(self.program, p, e);
                self.complaints.push(format!("`{edge}` changes {text} in {cell}"));
            }
        }
    }
}

impl Inputs for Watcher<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        self.inputs.havoc(proc, edge, kind, ty)
    }

    fn choose_edge(&mut self, proc: ProcId, loc: LocId, enabled: &[EdgeId]) -> usize {
        self.inputs.choose_edge(proc, loc, enabled)
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        self.inputs.uninit(read, ty)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        let p = state.proc();
        for lv in &self.holders[p.index()] {
            if let Ok(value) = state.value(&lv.clone().load()) {
                self.holds(lv, value);
            }
        }
        let now = self.snapshot(state);
        self.pairs(p, &now);
        match step {
            PathStep::Enter(..) => self.before.push(now),
            PathStep::Edge(q, e) => {
                let before = self.before.pop().unwrap_or_default();
                self.compare(q, e, &before, &now);
                self.before.push(now);
            }
            PathStep::Leave(q, e, _) => {
                self.before.pop();
                let before = self.before.pop().unwrap_or_default();
                self.compare(q, e, &before, &now);
                self.before.push(now);
            }
        }
    }
}

/// All pointers in variables that the procedure can name, by constant paths; the first elements of long arrays.
fn holders(program: &Program, p: ProcId) -> Vec<Lvalue> {
    let proc = &program.procs[p];
    let mut out = vec![];
    let vars = program.globals.iter().chain(&proc.formals).chain(&proc.locals);
    let mut open: Vec<Lvalue> = vars.map(|v| Lvalue::var(*v, program.vars[*v].ty.clone())).collect();
    while let Some(lv) = open.pop() {
        match lv.ty.clone() {
            Type::Ptr(_) => out.push(lv),
            Type::Array(elem, len) => open.extend((0..len.unwrap_or(0).min(8)).map(|i| {
                let index = Expr::int(i.into()).cast(Type::INT);
                lv.clone().step(Access::Index(index), (*elem).clone())
            })),
            Type::Record(r) => {
                let fields = program.records[r].fields.iter().enumerate();
                let members = fields.filter(|(_, f)| f.bit_offset.is_none());
                open.extend(members.map(|(i, f)| lv.clone().step(Access::Field(r, i as u32), f.ty.clone())));
            }
            _ => {}
        }
    }
    out
}

/// Runs the program and compares every state with the oracles of all modes; `lvalues` are those to be compared
/// in each procedure.
pub(super) fn complaints(program: &Program, lvalues: &[Vec<Lvalue>], seed: u64, steps: u64) -> Vec<String> {
    let holders: Vec<_> = program.procs.ids().map(|p| holders(program, p)).collect();
    let mut out = vec![];
    for mode in MODES {
        let oracle = AliasOracle::new(program, mode);
        let inputs = Keyed { seed, seen: BTreeMap::new() };
        let mut watcher = Watcher {
            inputs,
            program,
            oracle: &oracle,
            lvalues,
            holders: &holders,
            before: vec![],
            bytes: BTreeMap::new(),
            pairs: BTreeMap::new(),
            complaints: vec![],
        };
        let limits = interp::Limits { steps, ..interp::Limits::default() };
        interp::run(program, &mut watcher, &limits, &AtomicBool::new(false));
        watcher.complaints.sort();
        watcher.complaints.dedup();
        out.extend(watcher.complaints.into_iter().map(|text| format!("{mode:?}: {text}")));
    }
    out
}
