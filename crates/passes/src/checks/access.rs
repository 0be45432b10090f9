//! Checks of memory accesses: bounds, liveness, `free`, pointer arithmetic, blocks.
//!
//! Accesses that types and the flow of pointers decide ([`Shapes`](super::pointer_values::Shapes)) need no query; the
//! others query the object itself.

use super::demand::Demands;
use super::extents;
use super::lifetime::Life;
use super::members::{self, Extent};
use super::objects::{self, Length};
use super::places;
use alias::Object;
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{CheckKind, LibraryAccess, ObjectQuery, Op};
use ir::types::{IntType, Type};

fn is_null(p: &Expr) -> Expr {
    Expr::binary(BinOp::Eq, p.clone(), Expr::Const(0, p.ty()))
}

impl Demands<'_, '_> {
    /// The question about the object of a pointer, and the answer.
    pub(crate) fn ask(&mut self, query: ObjectQuery, ptr: &Expr) -> (Op, Expr) {
        let v = self.graph.answer(query);
        let dest = self.graph.program.lvalue(v);
        (Op::Inspect { dest: dest.clone(), query, ptr: ptr.clone() }, dest.load())
    }

    /// The same, with an answer that stays when the query is repeated.
    pub(crate) fn ask_again(&mut self, query: ObjectQuery, ptr: &Expr) -> (Op, Expr) {
        let ty = ir::convert::difference_type(self.cx.program.model);
        let span = self.cx.program.procs[self.proc].span;
        let v = self.graph.temp(&format!("{}__first", query.name()), ty, span);
        let dest = self.graph.program.lvalue(v);
        (Op::Inspect { dest: dest.clone(), query, ptr: ptr.clone() }, dest.load())
    }

    fn bytes(&self, count: &Expr, more: i128) -> Length {
        Length { count: count.clone(), more: self.long(more) }
    }

    fn long(&self, v: i128) -> Expr {
        Expr::Const(v, ir::convert::difference_type(self.cx.program.model))
    }

    /// The condition, or that another kind of check reports the pointer: kinds that are not requested are
    /// assumed to hold.
    fn unless_assumed(&mut self, condition: Expr, p: &Expr, questions: &mut Vec<Op>) -> Expr {
        let mut condition = condition;
        if !self.cx.wants(CheckKind::Null) {
            condition = Expr::or(is_null(p.unmoved()), condition);
        }
        self.unless_dead(condition, p, questions)
    }

    /// The condition, or that the object of the pointer does not live any more: `free` reports that, in the
    /// execution in which the object is the watched one, or that kind is not requested.
    pub(crate) fn unless_dead(&mut self, condition: Expr, p: &Expr, questions: &mut Vec<Op>) -> Expr {
        let free = self.cx.wants(CheckKind::Free);
        if free && !matches!(self.cx.lifetime.access(self.cx, p.unmoved()), Life::If(_)) {
            return condition;
        }
        let (question, live) = self.ask(ObjectQuery::Live, p);
        questions.push(question);
        Expr::or(Expr::binary(BinOp::Eq, live, self.long(0)), condition)
    }
}

/// Address-taking alone: members of NULL have no address.
pub(crate) fn address(d: &mut Demands<'_, '_>, lv: &Lvalue) {
    if let Base::Deref(p) = &lv.base
        && !lv.path.is_empty()
    {
        d.not_null(p, "dereference of NULL");
    }
    if d.cx.wants(CheckKind::Bounds) {
        indices(d, lv, true);
    }
}

/// Pointer arithmetic: NULL does not move.
pub(crate) fn moved(d: &mut Demands<'_, '_>, p: &Expr, i: &Expr) {
    if !d.cx.wants(CheckKind::Null) || i.is_zero() {
        return;
    }
    let root = p.unmoved();
    if d.is_present(root) {
        return;
    }
    let message = format!("arithmetic on NULL: {}", d.text(root));
    let stays = Expr::binary(BinOp::Eq, i.clone(), Expr::Const(0, i.ty()));
    let mut condition = Expr::binary(BinOp::Ne, root.clone(), Expr::Const(0, root.ty()));
    if i.as_const().is_none() {
        condition = Expr::or(condition, stays);
    }
    d.check(CheckKind::Null, condition, message, vec![]);
}

/// The access lies inside of its object.
pub(crate) fn bounds(d: &mut Demands<'_, '_>, lv: &Lvalue) {
    if !d.cx.wants(CheckKind::Bounds) {
        return;
    }
    let flexible = indices(d, lv, false);
    let pointer = match &lv.base {
        Base::Deref(p) => (**p).clone(),
        Base::Var(_) if !flexible => return,
        Base::Var(v) => Lvalue::var(*v, d.cx.program.vars[*v].ty.clone()).addr(),
    };
    let span = places::reach(d.cx.program, lv);
    let shape = d.cx.shapes.of(d.cx.program, d.cx.oracle, &pointer);
    if shape.fixed || span.is_some_and(|end| shape.bytes >= end) {
        return;
    }
    let (at, len) = places::first_byte(d.cx.program, lv);
    let message = match pointer.unmoved() {
        r if *r == pointer => format!("access outside of the object of {}", d.text(r)),
        _ => format!("access outside of the object: {}", d.place_text(lv)),
    };
    let near = span.and_then(|end| within_shape(d, &pointer, end));
    let told = match span.zip(places::offset(d.cx.program, lv).and_then(|start| u64::try_from(start).ok())) {
        Some((end, start)) => extents::holds(d.cx.program, &pointer, start..end),
        None => extents::holds(d.cx.program, &at, 0..len),
    };
    let (condition, questions) = match told {
        Some(condition) => (unless_null(d, condition, &pointer), vec![]),
        None => asked_room(d, &at, &pointer, &Expr::Const(i128::from(len), Type::Int(size_type(d)))),
    };
    let condition = near.into_iter().chain([condition]).reduce(Expr::or).expect("there is a condition");
    d.check(CheckKind::Bounds, condition, message, questions);
}

/// The condition that an index keeps the pointer, and the bytes behind it up to `end`, inside of the bytes that
/// exist wherever the pointer that it is added to comes from.
fn within_shape(d: &Demands<'_, '_>, pointer: &Expr, end: u64) -> Option<Expr> {
    let Expr::Binary(BinOp::PtrAdd, start, index, _) = pointer else { return None };
    let (program, oracle) = (d.cx.program, d.cx.oracle);
    let size = program.size_of(start.ty().pointee()?).filter(|size| *size > 0)?;
    let there = d.cx.shapes.of(program, oracle, start).bytes.checked_sub(end)?;
    index.ty().as_int()?;
    Some(super::arithmetic::within(index, 0, i128::from(there / size)).unwrap_or_else(|| Expr::truth(true)))
}

fn size_type(d: &Demands<'_, '_>) -> IntType {
    IntType { bits: d.cx.program.model.pointer_bits(), signed: false }
}

/// `len` bytes at `at` lie inside of its object.
fn inside(d: &mut Demands<'_, '_>, at: &Expr, pointer: &Expr, len: &Expr, message: String) {
    let (condition, questions) = room(d, at, pointer, len);
    d.check(CheckKind::Bounds, condition, message, questions);
}

/// The condition that `len` bytes at `at` lie inside of its object, and the questions in it.
fn room(d: &mut Demands<'_, '_>, at: &Expr, pointer: &Expr, len: &Expr) -> (Expr, Vec<Op>) {
    let Some(mut condition) = extents::holds_bytes(d.cx.program, at, len) else {
        return asked_room(d, at, pointer, len);
    };
    if len.as_const().is_none() {
        condition = Expr::or(Expr::binary(BinOp::Eq, len.clone(), Expr::Const(0, len.ty())), condition);
    }
    (unless_null(d, condition, pointer), vec![])
}

/// The condition, or that the pointer is NULL, where it is assumed not to be. Executions end where the size of
/// an object that does not live any more is queried, see [`UnOp::Left`](ir::expr::UnOp::Left): `free`
/// reports that, if it is requested.
fn unless_null(d: &Demands<'_, '_>, condition: Expr, pointer: &Expr) -> Expr {
    if d.cx.wants(CheckKind::Null) { condition } else { Expr::or(is_null(pointer.unmoved()), condition) }
}

/// The same by queries to the object, whose answers only executions know.
fn asked_room(d: &mut Demands<'_, '_>, at: &Expr, pointer: &Expr, len: &Expr) -> (Expr, Vec<Op>) {
    let (size_question, size) = d.ask(ObjectQuery::Size, at);
    let (offset_question, offset) = d.ask(ObjectQuery::Offset, at);
    let mut questions = vec![size_question, offset_question];
    let zero = d.long(0);
    let start = Expr::binary(BinOp::Ge, offset.clone(), zero.clone());
    let unsigned = Type::Int(size_type(d));
    // Neither side overflows: the offset is not behind the size, and the difference is compared without sign.
    let before_end = Expr::binary(BinOp::Le, offset.clone(), size.clone());
    let as_unsigned = |e: Expr| e.cast(unsigned.clone());
    let room = Expr::binary(BinOp::Sub, as_unsigned(size), as_unsigned(offset));
    let fits = Expr::binary(BinOp::Le, len.clone().cast(unsigned.clone()), room);
    let mut condition = Expr::and(Expr::and(start, before_end), fits);
    if len.as_const().is_none() {
        condition = Expr::or(Expr::binary(BinOp::Eq, len.clone(), Expr::Const(0, len.ty())), condition);
    }
    let condition = d.unless_assumed(condition, pointer, &mut questions);
    (condition, questions)
}

/// The indices into arrays of known length; true when there is one whose length is not known.
fn indices(d: &mut Demands<'_, '_>, lv: &Lvalue, address: bool) -> bool {
    let mut flexible = false;
    for (n, step) in lv.path.iter().enumerate() {
        let Access::Index(i) = step else { continue };
        let array = places::prefix(d.cx.program, lv, n);
        let Type::Array(_, len) = &array.ty else { panic!("an index is applied to an array") };
        let of_variable = matches!(array.base, Base::Var(_)) && array.path.is_empty();
        let Some(len) = len.filter(|n| *n > 1 || of_variable) else {
            // Arrays of no or one element at the end of a record have as many as there is memory for.
            flexible = true;
            continue;
        };
        let behind = address && n + 1 == lv.path.len();
        let last = i128::from(len) - i128::from(!behind);
        if let Some(condition) = super::arithmetic::within(i, 0, last) {
            let name = d.place_text(&array);
            let message = format!("index {} outside of {name}[{len}]", d.text(i));
            d.check(CheckKind::Bounds, condition, message, vec![]);
        }
    }
    flexible
}

/// The object of the pointer lives.
pub(crate) fn alive(d: &mut Demands<'_, '_>, p: &Expr) {
    if !d.cx.wants(CheckKind::Free) {
        return;
    }
    let from = p.unmoved();
    // An object that has a name here lives here.
    if matches!(from, Expr::AddrOf(lv) if matches!(lv.base, Base::Var(_))) || d.cx.lifetime.is_array(from) {
        return;
    }
    let message = format!("access to memory that is not there any more: {}", d.text(from));
    match d.cx.lifetime.access(d.cx, from) {
        Life::Lives => {}
        Life::If(condition) => d.check(CheckKind::Free, condition, message, vec![]),
        Life::Ask => {
            let (question, live) = d.ask(ObjectQuery::Live, p);
            let mut condition = Expr::binary(BinOp::Ne, live, d.long(0));
            if !d.cx.wants(CheckKind::Null) {
                condition = Expr::or(is_null(from), condition);
            }
            d.check(CheckKind::Free, condition, message, vec![question]);
        }
    }
}

/// `free(p)`.
pub(crate) fn free(d: &mut Demands<'_, '_>, p: &Expr) {
    may_be_freed(d, p);
    d.before.extend(d.cx.lifetime.freed(p));
}

/// The target of the pointer may be freed.
pub(crate) fn may_be_freed(d: &mut Demands<'_, '_>, p: &Expr) {
    if d.cx.wants(CheckKind::Free) {
        let name = d.text(p);
        if let Some(condition) = d.cx.lifetime.not_freed(p) {
            d.check(CheckKind::Free, condition, format!("double free: {name}"), vec![]);
        }
        if !d.cx.lifetime.is_allocation(d.cx, p) {
            let (condition, questions) = d.cx.lifetime.is_no_variable(d.cx, p).map_or_else(
                || {
                    let (question, yes) = d.ask(ObjectQuery::Freeable, p);
                    (Expr::binary(BinOp::Ne, yes, d.long(0)), vec![question])
                },
                |condition| (condition, vec![]),
            );
            let message = format!("free of something not allocated: {name}");
            d.check(CheckKind::Free, condition, message, questions);
        }
    }
}

/// A block of `len` bytes at a pointer.
pub(crate) fn block(d: &mut Demands<'_, '_>, p: &Expr, len: &Expr) {
    if !there(d, p, len) {
        return;
    }
    members::inside(d, p, &Extent::Count(len));
    if !d.cx.wants(CheckKind::Bounds) || fits(d, p, len) {
        return;
    }
    let message = format!("access outside of the object: {} bytes at {}", d.text(len), d.text(p));
    inside(d, p, p, len, message);
}

/// The pointer is not NULL and its object lives, unless the block is empty; false if it certainly is.
fn there(d: &mut Demands<'_, '_>, p: &Expr, len: &Expr) -> bool {
    if len.is_zero() {
        return false;
    }
    let from = p.unmoved();
    if d.cx.wants(CheckKind::Null) && !d.is_present(from) {
        let mut condition = Expr::binary(BinOp::Ne, from.clone(), Expr::Const(0, from.ty()));
        if len.as_const().is_none() {
            let empty = Expr::binary(BinOp::Eq, len.clone(), Expr::Const(0, len.ty()));
            condition = Expr::or(empty, condition);
        }
        let message = format!("access to memory at NULL: {}", d.text(from));
        d.check(CheckKind::Null, condition, message, vec![]);
    }
    alive(d, p);
    true
}

/// Whether the values that the pointer may have show that the block is inside of its object.
fn fits(d: &Demands<'_, '_>, p: &Expr, len: &Expr) -> bool {
    let known = len.as_const().and_then(|n| u64::try_from(n).ok());
    let shape = d.cx.shapes.of(d.cx.program, d.cx.oracle, p);
    shape.fixed || known.is_some_and(|n| n <= shape.bytes)
}

/// Demands of a function of the C library on memory.
pub(crate) fn library(d: &mut Demands<'_, '_>, access: LibraryAccess, args: &[Expr]) {
    match (access, args) {
        (LibraryAccess::Reads, [p, len]) => block(d, p, len),
        (LibraryAccess::Writes, [p, len]) => {
            block(d, p, len);
            objects::changed(d, p, len, true);
        }
        (LibraryAccess::Changes, [p, len]) => objects::changed(d, p, len, true),
        (LibraryAccess::MayTouch, [p, len]) => {
            if there(d, p, len) && d.cx.wants(CheckKind::Bounds) && !fits(d, p, len) {
                let (condition, questions) = room(d, p, p, len);
                let message = format!("no model: which bytes at {} are accessed", d.text(p));
                d.check(CheckKind::Unmodelled, condition, message, questions);
            }
        }
        (LibraryAccess::Text, [p]) => string(d, p),
        (LibraryAccess::Present, [p]) => d.not_null(p, "NULL is passed"),
        (LibraryAccess::Apart, [to, from, len]) if may_overlap(d, to, from) => {
            let len = d.bytes(len, 0);
            apart(d, to, vec![len.clone()], from, (vec![len], vec![]));
        }
        (LibraryAccess::ApartText, [to, from, most @ ..]) if may_overlap(d, to, from) => {
            let (question, length) = d.ask(ObjectQuery::TextLength, from);
            let text = d.bytes(&length, 1);
            let most = most.first().map(|n| d.bytes(n, 0));
            let written = match &most {
                Some(most) => vec![most.clone()],
                // The string ends in its object, or `bounds` reports it.
                None => vec![text.clone(), d.bytes(&objects::left(d.cx.program, from), 0)],
            };
            let read = most.into_iter().chain([text]).collect();
            apart(d, to, written, from, (read, vec![question]));
        }
        (LibraryAccess::ApartEnd, [to, from, most @ ..]) if may_overlap(d, to, from) => {
            appended(d, to, from, most)
        }
        (LibraryAccess::ApartMade, [to, from, most, written @ ..]) if may_overlap(d, to, from) => {
            let (question, length) = d.ask(ObjectQuery::TextLength, from);
            let text = d.bytes(&length, 1);
            let written = written.iter().map(|n| d.bytes(n, 0)).collect();
            apart(d, to, written, from, (vec![text, d.bytes(most, 0)], vec![question]));
        }
        (LibraryAccess::Apart | LibraryAccess::ApartText, [_, _, ..]) => {}
        (LibraryAccess::ApartEnd | LibraryAccess::ApartMade, [_, _, ..]) => {}
        _ => panic!("the front end gives each access its arguments"),
    }
}

/// A string at a pointer: every byte up to its NUL is read.
fn string(d: &mut Demands<'_, '_>, p: &Expr) {
    there(d, p, &d.long(1));
    members::inside(d, p, &Extent::Text);
    if is_literal_text(d, p) {
        return;
    }
    if d.cx.texts.hold(d.cx.oracle, p) && ends_in_object(d, p) {
        return;
    }
    let (bounds, uninit) = (d.cx.wants(CheckKind::Bounds), d.cx.wants(CheckKind::Uninit));
    if !bounds && !uninit {
        return;
    }
    let (question, end) = d.ask(ObjectQuery::Text, p);
    let mut questions = vec![question];
    let ends_not = |d: &Demands<'_, '_>, how| Expr::binary(BinOp::Ne, end.clone(), d.long(how));
    if bounds {
        let condition = ends_not(d, 1);
        let condition = d.unless_assumed(condition, p, &mut questions);
        let message = format!("access outside of the object: the string at {} has no end", d.text(p));
        d.check(CheckKind::Bounds, condition, message, questions.clone());
    }
    if uninit {
        let condition = ends_not(d, 2);
        super::uninit::reads::string(d, p, condition, questions);
    }
}

/// The check of a string in objects that end with a NUL, all of whose bytes are written: it ends if it begins
/// inside of its object. False where that is not known.
fn ends_in_object(d: &mut Demands<'_, '_>, p: &Expr) -> bool {
    if !d.cx.wants(CheckKind::Bounds) || d.cx.shapes.of(d.cx.program, d.cx.oracle, p).bytes >= 1 {
        return true;
    }
    let Some(inside) = extents::holds(d.cx.program, p, 0..1) else { return false };
    let message = format!("access outside of the object: the string at {} has no end", d.text(p));
    let condition = unless_null(d, inside, p);
    d.check(CheckKind::Bounds, condition, message, vec![]);
    true
}

/// Whether the pointer stands inside of a string literal, whatever its value, unless it is NULL.
fn is_literal_text(d: &Demands<'_, '_>, p: &Expr) -> bool {
    let targets = d.cx.oracle.points_to(p);
    let ends = |o: &Object| match o {
        Object::Var(v) => d.cx.program.vars[*v].data.as_ref().is_some_and(|data| data.last() == Some(&0)),
        _ => false,
    };
    !targets.unknown
        && !targets.objects.is_empty()
        && targets.objects.iter().all(ends)
        && d.cx.shapes.of(d.cx.program, d.cx.oracle, p).bytes >= 1
}

fn may_overlap(d: &Demands<'_, '_>, to: &Expr, from: &Expr) -> bool {
    d.cx.wants(CheckKind::Overlap) && objects::may_meet(d, to, from)
}

/// The demand that the bytes written and the bytes read do not overlap.
fn apart(
    d: &mut Demands<'_, '_>,
    to: &Expr,
    written: Vec<Length>,
    from: &Expr,
    (read, questions): (Vec<Length>, Vec<Op>),
) {
    objects::apart(d, objects::Copy { to, written, from, read, questions });
}

/// A string is copied behind another one, or at most `most` characters of it: the result, from the first byte
/// of the other one to the end of the sum, must not overlap the copied string.
fn appended(d: &mut Demands<'_, '_>, to: &Expr, from: &Expr, most: &[Expr]) {
    let (first, there) = d.ask_again(ObjectQuery::TextLength, to);
    let (second, length) = d.ask(ObjectQuery::TextLength, from);
    let more = Expr::binary(BinOp::Add, there, d.long(1));
    let written =
        [&length].into_iter().chain(most).map(|n| Length { count: n.clone(), more: more.clone() }).collect();
    let read = most.iter().map(|n| d.bytes(n, 0)).chain([d.bytes(&length, 1)]).collect();
    apart(d, to, written, from, (read, vec![first, second]));
}
