//! Programs about one object and its parts: structures, matrices, unions, allocated blocks, other views of them.

use super::access::{Object, Style};
use super::program::Draft;
use super::scenario::{guard, play};
use super::types::{CHAR, INT, Record, Shape, Ty, records};
use std::rc::Rc;

const PLAIN: Shape = Shape { unions: 0, matrices: 0, plain: true };

/// Structures in structures.
pub(super) fn parts(draft: &mut Draft) -> Vec<i64> {
    let shape = Shape { plain: draft.dice.one_in(2), ..PLAIN };
    use Style::{Bytes, Copied, Direct, Elements, Function, Offset, Pointer, Sibling};
    let styles =
        [Direct, Pointer, Bytes, Bytes, Elements, Elements, Offset, Sibling, Sibling, Function, Copied];
    about(draft, shape, &styles)
}

/// Matrices, alone and as members.
pub(super) fn matrices(draft: &mut Draft) -> Vec<i64> {
    use Style::{Elements, Function, Sibling};
    let styles = [Elements, Sibling, Sibling, Function];
    if draft.dice.one_in(2) {
        return about(draft, Shape { matrices: 2, ..PLAIN }, &styles);
    }
    let scalar = *draft.dice.of(&[INT, INT, CHAR]);
    let rows = 2 + draft.dice.below(2);
    let mut ty = Ty::Array(Box::new(Ty::Scalar(scalar)), 2 + draft.dice.below(3));
    if draft.dice.one_in(4) {
        ty = Ty::Array(Box::new(ty), 2);
    }
    let guard = guard(draft);
    let object = named(draft, &Ty::Array(Box::new(ty), rows));
    play(draft, &object, &styles, &guard);
    guard.failing()
}

/// Unions.
pub(super) fn unions(draft: &mut Draft) -> Vec<i64> {
    use Style::{Bytes, Direct, Elements, Function, LowByte, Pointer, Sibling};
    let styles = [Direct, Direct, Direct, Pointer, Pointer, Bytes, Elements, Function, LowByte, Sibling];
    if draft.dice.one_in(2) {
        return about(draft, Shape { unions: 2, ..PLAIN }, &styles);
    }
    let guard = guard(draft);
    let record = views_of_one_type(draft);
    let object = placed(draft, &record);
    play(draft, &object, &styles, &guard);
    guard.failing()
}

/// A union whose members are one scalar, arrays and structures of such, alone or between others.
fn views_of_one_type(draft: &mut Draft) -> Rc<Record> {
    let scalar = Ty::Scalar(*draft.dice.of(&[INT, INT, CHAR]));
    let pair = Rc::new(Record::new("P", false, vec![scalar.clone(), scalar.clone()]));
    draft.top(pair.define());
    let array = Ty::Array(Box::new(scalar.clone()), 1 + draft.dice.below(3));
    let members = [scalar.clone(), scalar.clone(), array, Ty::Record(pair)];
    let n = 2 + draft.dice.below(2);
    let types = (0..n).map(|_| draft.dice.of(&members).clone()).collect();
    let union = Rc::new(Record::new("U", true, types));
    draft.top(union.define());
    if draft.dice.one_in(2) {
        return union;
    }
    let around = Rc::new(Record::new("W", false, vec![scalar.clone(), Ty::Record(union), scalar]));
    draft.top(around.define());
    around
}

/// From members back to structures.
pub(super) fn containers(draft: &mut Draft) -> Vec<i64> {
    use Style::{Container, Offset, Pointer};
    about(draft, PLAIN, &[Pointer, Offset, Container, Container, Container])
}

/// Structures seen through other structures.
pub(super) fn views(draft: &mut Draft) -> Vec<i64> {
    use Style::{Elements, Pointer, View};
    about(draft, Shape { matrices: 4, ..PLAIN }, &[Pointer, View, View, View, Elements])
}

fn about(draft: &mut Draft, shape: Shape, styles: &[Style]) -> Vec<i64> {
    let known = declared(draft, shape);
    let guard = guard(draft);
    let record = if draft.dice.one_in(3) { draft.dice.of(&known) } else { &known[known.len() - 1] };
    let object = placed(draft, record);
    play(draft, &object, styles, &guard);
    guard.failing()
}

/// One object of this type, or several in a row.
fn placed(draft: &mut Draft, record: &Rc<Record>) -> Object {
    let ty = Ty::Record(Rc::clone(record));
    match draft.dice.below(4) {
        0 => allocated(draft, record),
        1 => {
            let n = 2 + draft.dice.below(2);
            named(draft, &Ty::Array(Box::new(ty), n))
        }
        _ => named(draft, &ty),
    }
}

fn declared(draft: &mut Draft, shape: Shape) -> Vec<Rc<Record>> {
    let known = records(&mut draft.dice, shape);
    known.iter().for_each(|record| draft.top(record.define()));
    known
}

/// A variable of this type: global, or local, or global and reached through a pointer.
fn named(draft: &mut Draft, ty: &Ty) -> Object {
    match draft.dice.below(5) {
        0 | 1 => {
            draft.global("s@", &ty.declare("s@"));
            Object::new("s@", "&s@", ty)
        }
        2 => {
            // Such an initialiser leaves parts of a union alone.
            let has_union =
                Object::new("s", "&s", ty).parts.iter().any(|p| p.record().is_some_and(|r| r.is_union));
            let set = if has_union { " memset(&s, 0, sizeof s);" } else { "" };
            draft.body(format!("{} = {{0}};{set}", ty.declare("s")));
            Object::new("s", "&s", ty)
        }
        3 => {
            draft.body(format!("{}; memset(&s, 0, sizeof s);", ty.declare("s")));
            Object::new("s", "&s", ty)
        }
        _ => match ty {
            Ty::Record(record) => {
                draft.global("s@", &ty.declare("s@"));
                draft.top(format!("static {0} *same@({0} *p) {{ return p; }}", record.name));
                draft.body(format!("{} *h = same@(&s@);", record.name));
                Object::new("(*h)", "h", ty)
            }
            _ => {
                draft.global("s@", &ty.declare("s@"));
                Object::new("s@", "&s@", ty)
            }
        },
    }
}

/// A block for one or more of this type.
fn allocated(draft: &mut Draft, record: &Rc<Record>) -> Object {
    let name = &record.name;
    let ty = Ty::Record(Rc::clone(record));
    let n = 1 + draft.dice.below(3);
    let block = match draft.dice.below(3) {
        0 => format!("{name} *h = malloc({n} * sizeof *h); if (!h) return 0; memset(h, 0, {n} * sizeof *h);"),
        1 | 2 => {
            draft.top(format!(
                "static {name} *make@(int n) {{ {name} *p = calloc(n, sizeof *p); if (!p) exit(0); return p; }}"
            ));
            format!("{name} *h = make@({n});")
        }
        _ => format!("{name} *h = calloc({n}, sizeof *h); if (!h) return 0;"),
    };
    draft.body(block);
    if n == 1 { Object::new("(*h)", "h", &ty) } else { Object::new("h", "h", &Ty::Array(Box::new(ty), n)) }
}

/// Allocated blocks: longer than their structure, several at one place, with a flexible array member.
pub(super) fn blocks(draft: &mut Draft) -> Vec<i64> {
    use Style::{Bytes, Elements, Function, Offset, Pointer, Sibling};
    let styles = [Pointer, Bytes, Elements, Elements, Function, Sibling, Offset];
    if draft.dice.one_in(2) {
        return flexible(draft, &styles);
    }
    let known = declared(draft, PLAIN);
    let guard = guard(draft);
    let record = draft.dice.of(&known).clone();
    let object = allocated(draft, &record);
    if draft.dice.one_in(3) {
        draft.extra(format!("{0} *o = malloc(sizeof({0})); if (o) memset(o, 5, sizeof *o);", record.name));
    }
    play(draft, &object, &styles, &guard);
    guard.failing()
}

fn flexible(draft: &mut Draft, styles: &[Style]) -> Vec<i64> {
    let element = *draft.dice.of(&[INT, INT, CHAR]);
    let head = if draft.dice.one_in(2) { INT } else { element };
    let n = 2 + draft.dice.below(3);
    let heads = 1 + draft.dice.below(2);
    let mut types: Vec<Ty> = (0..heads).map(|_| Ty::Scalar(head)).collect();
    let fixed: usize = heads * head.size;
    types.push(Ty::Array(Box::new(Ty::Scalar(element)), n));
    let record = Record::new("F", false, types);
    // The last member is written without its size.
    let text = record.define().replace(&format!("[{n}];"), "[];");
    draft.top(text);
    let guard = guard(draft);
    let bytes = n * element.size;
    let name = record.name.clone();
    let size = match draft.dice.below(3) {
        0 => format!("sizeof({name}) + {bytes}"),
        1 => format!("sizeof({name}) + {n} * sizeof({})", element.name),
        _ => format!("{}", fixed + bytes + draft.dice.below(2) * 4),
    };
    if draft.dice.one_in(2) {
        draft.body(format!("{name} *h = calloc(1, {size}); if (!h) return 0;"));
    } else {
        draft.body(format!("{name} *h = malloc({size}); if (!h) return 0; memset(h, 0, {size});"));
    }
    let object = Object::new("(*h)", "h", &Ty::Record(Rc::new(record)));
    play(draft, &object, styles, &guard);
    guard.failing()
}
