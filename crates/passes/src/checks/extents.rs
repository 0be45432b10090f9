//! The condition that memory lies inside of its object: by [`UnOp::Left`] and [`UnOp::Before`] of the pointer
//! that the address is computed from.

use alias::{AliasOracle, Object, PointsTo};
use ir::edit::{Graph, Step};
use ir::expr::{BinOp, Expr, UnOp};
use ir::extent::{self, Moved, Root, extent_type, moved, simplified};
use ir::program::{EdgeId, ObjectQuery, Op, Output, Proc, ProcId, Program};
use ir::types::{IntType, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The condition that these bytes behind the pointer are inside of its object; `None` where the two operators do not say
/// it.
pub(crate) fn holds(program: &Program, pointer: &Expr, bytes: Range<u64>) -> Option<Expr> {
    let (unit, end) = (unit(program, pointer)?, bytes.end);
    let mut start = starts_inside(program, pointer, unit)?;
    if bytes.start > 0 {
        // The pointer itself may be before the object, such as one from a list's head to a record that does not
        // contain it.
        let before = at_root(program, UnOp::Before(1), pointer)?;
        let least = Expr::Const(-i128::from(bytes.start), before.ty());
        start = start.or(Expr::binary(BinOp::Ge, before, least));
    }
    let enough = |unit: u64| {
        let left = at_root(program, UnOp::Left(unit), pointer)?;
        let least = Expr::Const(i128::from(end.div_ceil(unit)), left.ty());
        Some(Expr::binary(BinOp::Ge, left, least))
    };
    let room = match end % unit {
        0 => enough(unit)?,
        // The last element need not be there as a whole.
        _ => enough(unit)?.or(enough(1)?),
    };
    Some(all(near(program, pointer)?.into_iter().chain([start, room])))
}

/// The condition that `len` bytes at the pointer are inside of its object, for an unsigned `len`.
pub(crate) fn holds_bytes(program: &Program, pointer: &Expr, len: &Expr) -> Option<Expr> {
    let Type::Int(IntType { signed: false, .. }) = len.ty() else { return None };
    let fits = |unit: u64, count: &Expr| {
        let left = at_root(program, UnOp::Left(unit), pointer)?;
        let zero = Expr::Const(0, left.ty());
        let not_behind = Expr::binary(BinOp::Ge, left.clone(), zero);
        let narrow = count.ty().as_int().is_some_and(|t| t.bits < 64);
        let enough = match narrow {
            true => Expr::binary(BinOp::Le, count.clone().cast(left.ty()), left),
            false => Expr::binary(BinOp::Le, count.clone(), left.cast(count.ty())),
        };
        Some(not_behind.and(enough))
    };
    let bytes = fits(1, len)?;
    let elements = factor(len).and_then(|(count, unit)| fits(unit, count));
    let room = elements.into_iter().chain([bytes]).reduce(Expr::or).expect("there is one");
    let start = starts_inside(program, pointer, unit(program, pointer)?)?;
    Some(all(near(program, pointer)?.into_iter().chain([start, room])))
}

/// The condition that at least `bytes` bytes are left at the pointer, which is inside of its object.
pub(crate) fn leaves_bytes(program: &Program, pointer: &Expr, bytes: u64) -> Option<Expr> {
    let left = at_root(program, UnOp::Left(1), pointer)?;
    let least = Expr::Const(i128::from(bytes), left.ty());
    Some(Expr::binary(BinOp::Ge, left, least))
}

/// `count * unit`.
fn factor(len: &Expr) -> Option<(&Expr, u64)> {
    let Expr::Binary(BinOp::Mul, l, r, _) = len else { return None };
    let (count, unit) = if r.as_const().is_some() { (l, r) } else { (r, l) };
    let unit = u64::try_from(unit.as_const()?).ok().filter(|n| *n > 1)?;
    count.as_const().is_none().then_some((count, unit))
}

fn all(conditions: impl Iterator<Item = Expr>) -> Expr {
    conditions.reduce(Expr::and).expect("there is one")
}

fn own(v: ir::program::VarId) -> ir::program::VarId {
    v
}

/// The operator at the root of the address, in C's arithmetic; see [`near`] for when that is exact.
fn at_root(program: &Program, op: UnOp, pointer: &Expr) -> Option<Expr> {
    simplified(program, op, pointer, &own)
}

fn starts_inside(program: &Program, pointer: &Expr, unit: u64) -> Option<Expr> {
    let before = at_root(program, UnOp::Before(unit), pointer)?;
    let zero = Expr::Const(0, before.ty());
    Some(Expr::binary(BinOp::Ge, before, zero))
}

/// In elements of what size the pointer moves: of its own type, if that divides all distances.
fn unit(program: &Program, pointer: &Expr) -> Option<u64> {
    let from = moved(program, pointer, &own).filter(|m| m.root != Root::Nothing)?;
    let own = extent::element_size(program, &pointer.ty()).unwrap_or(1);
    Some(match from.unit() {
        Some(moves) if moves % own != 0 => moves,
        _ => own,
    })
}

/// Conditions under which sums of indices do not overflow. Outside of them no object reaches.
fn near(program: &Program, pointer: &Expr) -> Option<Vec<Expr>> {
    let Moved { steps, .. } = moved(program, pointer, &own)?;
    let wide = extent_type().as_int()?;
    let mut out = vec![];
    for (i, size) in steps {
        let t = i.ty().as_int()?;
        let most = (1i128 << (wide.bits - 3)) / i128::from(size.max(1));
        if t.max() > most {
            out.extend(super::arithmetic::within(&i, -most, most));
        }
    }
    Some(out)
}

/// Whether the procedure frees what the pointer points to, so that this is an allocated object.
pub(crate) fn gives_up(proc: &Proc, pointer: &Expr) -> bool {
    let frees = |op: &Op| matches!(op, Op::Free(freed) if freed.uncast() == pointer.uncast());
    proc.edges.iter().any(|edge| frees(&edge.op))
}

/// Computes the answers of queries about sizes, so that the abstraction knows them: all where bounds are
/// checked (`all`), else those about objects that are freed there, as `realloc` does. Returns whether there is
/// an answer at all.
pub(crate) fn answer_questions(out: &mut Program, all: bool) -> bool {
    let mut answered = false;
    for p in out.procs.ids() {
        for e in out.procs[p].edges.ids() {
            let proc = &out.procs[p];
            let (dest, query, ptr) = match &proc.edges[e].op {
                Op::Inspect { dest, query, ptr }
                    if all && *query == ObjectQuery::Offset
                        || *query == ObjectQuery::Size && (all || gives_up(proc, ptr)) =>
                {
                    (dest.clone(), *query, ptr)
                }
                _ => continue,
            };
            let bytes = |op| Expr::Unary(op, Box::new(ptr.clone()), extent_type());
            let answer = match query {
                ObjectQuery::Offset => bytes(UnOp::Before(1)),
                _ => Expr::binary(BinOp::Add, bytes(UnOp::Left(1)), bytes(UnOp::Before(1))),
            };
            let ty = dest.ty.clone();
            out.procs[p].edges[e].op = Op::Assign(dest, answer.cast(ty));
            answered = true;
        }
    }
    answered
}

/// Assumes behind every allocation the size of the object, in the sizes of elements that the program queries;
/// in bytes for these `objects`.
pub(crate) fn tell_sizes(out: &mut Program, oracle: &AliasOracle, objects: Vec<Object>) {
    let mut asked = Asked::new(out, oracle);
    objects.iter().for_each(|o| _ = asked.by_object.entry(*o).or_default().insert(1));
    asked.starts.add(PointsTo { objects, unknown: false });
    if asked.is_empty() {
        return;
    }
    let mut resized = PointsTo::default();
    for (_, _, edge) in out.edges() {
        if let Op::Output { output: Output::Resizes, args } = &edge.op {
            args.first().into_iter().for_each(|block| resized.add(oracle.points_to(block)));
        }
    }
    let procs: Vec<ProcId> = out.procs.ids().collect();
    for p in procs {
        for e in out.procs[p].edges.ids().collect::<Vec<_>>() {
            if let Some(condition) = size_told(out, oracle, &asked, &resized, (p, e)) {
                Graph::new(out, p).after(e, &[Step::Op(Op::Assume(condition))]);
            }
        }
    }
}

/// The sizes of elements that are queried, by object.
struct Asked {
    by_object: BTreeMap<Object, BTreeSet<u64>>,
    anywhere: BTreeSet<u64>,
    /// The objects whose start is queried.
    starts: PointsTo,
}

impl Asked {
    fn new(program: &Program, oracle: &AliasOracle) -> Asked {
        let mut asked =
            Asked { by_object: BTreeMap::new(), anywhere: BTreeSet::new(), starts: PointsTo::default() };
        for (_, _, edge) in program.edges() {
            for operand in edge.op.operands() {
                operand.walk(&mut |node| match node {
                    Expr::Unary(UnOp::Left(unit) | UnOp::Before(unit), pointer, _) => {
                        asked.note(oracle, pointer, *unit);
                    }
                    Expr::Unary(UnOp::Start, pointer, _) => {
                        asked.starts.add(oracle.points_to(pointer));
                    }
                    _ => {}
                });
            }
        }
        asked
    }

    fn note(&mut self, oracle: &AliasOracle, pointer: &Expr, unit: u64) {
        let targets = oracle.points_to(pointer);
        if targets.unknown {
            self.anywhere.insert(unit);
        }
        for object in targets.objects {
            self.by_object.entry(object).or_default().insert(unit);
        }
    }

    fn is_empty(&self) -> bool {
        let Asked { by_object, anywhere, starts } = self;
        by_object.is_empty() && anywhere.is_empty() && !starts.unknown && starts.objects.is_empty()
    }

    fn start_of(&self, object: Object) -> bool {
        self.starts.unknown || self.starts.objects.contains(&object)
    }

    /// Which object a pointer into the middle is in depends on how far it reaches.
    fn of(&self, object: Object) -> BTreeSet<u64> {
        let bytes = self.start_of(object).then_some(1);
        self.by_object
            .get(&object)
            .into_iter()
            .flatten()
            .chain(&self.anywhere)
            .copied()
            .chain(bytes)
            .collect()
    }
}

/// Facts about the size behind an allocation. For one that may be `resized` in place the only lasting one is
/// that it is not negative.
fn size_told(
    program: &Program,
    oracle: &AliasOracle,
    asked: &Asked,
    resized: &PointsTo,
    (p, e): (ProcId, EdgeId),
) -> Option<Expr> {
    let Op::Alloc { dest, size, may_fail, .. } = &program.procs[p].edges[e].op else { return None };
    let object = Object::Heap(p, e);
    let (starts, units) = (asked.start_of(object), asked.of(object));
    let mut depends = false;
    dest.clone().addr().loads(&mut |lv| depends |= oracle.may_alias(dest, lv));
    if units.is_empty() || depends {
        return None;
    }
    let wide = extent_type();
    let pointer = dest.clone().load();
    let is = |op, value: Expr| {
        let asked = Expr::Unary(op, Box::new(pointer.clone()), wide.clone());
        Expr::binary(BinOp::Eq, asked, value)
    };
    let zero = || Expr::Const(0, wide.clone());
    let keeps_size = !resized.unknown && !resized.objects.contains(&object);
    let mut conditions = vec![];
    let mut add = |unit: u64, count: Expr| {
        let asked = Expr::Unary(UnOp::Left(unit), Box::new(pointer.clone()), wide.clone());
        if !keeps_size || count.as_const().is_none() {
            conditions.push(Expr::binary(BinOp::Ge, asked, zero()));
        }
        if keeps_size {
            conditions.push(is(UnOp::Left(unit), count.cast(wide.clone())));
        }
    };
    units.iter().for_each(|unit| add(*unit, count(size, *unit)));
    conditions.extend(units.into_iter().map(|unit| is(UnOp::Before(unit), zero())));
    if starts {
        let itself = pointer.clone().cast(Type::Void.ptr_to());
        let start = Expr::Unary(UnOp::Start, Box::new(pointer.clone()), itself.ty());
        conditions.push(Expr::binary(BinOp::Eq, start, itself));
    }
    let known = all(conditions.into_iter());
    let null = Expr::binary(BinOp::Eq, pointer.clone(), Expr::Const(0, pointer.ty()));
    Some(if *may_fail { null.or(known) } else { known })
}

/// How many whole elements `size` bytes are: the size is not more than an object can have.
fn count(size: &Expr, unit: u64) -> Expr {
    let unit = i128::from(unit);
    if unit == 1 {
        return size.clone();
    }
    if let Some(n) = size.as_const() {
        return Expr::Const(n.div_euclid(unit), size.ty());
    }
    // The product of a number that was converted from 32 bits is exact, or more than any object has.
    let narrow = |n: &Expr| match n {
        Expr::Cast(n, Type::Int(to)) => n.ty().as_int().is_some_and(|from| from.bits <= 32 && to.bits >= 64),
        _ => false,
    };
    match factor(size) {
        Some((count, each)) if i128::from(each) == unit && unit < 1 << 31 && narrow(count) => count.clone(),
        _ => Expr::binary(BinOp::Div, size.clone(), Expr::Const(unit, size.ty())),
    }
}
