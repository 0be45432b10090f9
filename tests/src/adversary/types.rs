//! Random C types with their layout on a machine with 64-bit pointers: where each scalar lies, by which path.

use crate::random_c::Dice;
use std::fmt::Write as _;
use std::rc::Rc;

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scalar {
    pub(super) name: &'static str,
    pub(super) size: usize,
}

pub(super) const CHAR: Scalar = Scalar { name: "char", size: 1 };
pub(super) const INT: Scalar = Scalar { name: "int", size: 4 };
const SCALARS: [Scalar; 4] = [
    Scalar { name: "unsigned char", size: 1 },
    Scalar { name: "short", size: 2 },
    INT,
    Scalar { name: "long", size: 8 },
];

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Ty {
    Scalar(Scalar),
    Array(Box<Ty>, usize),
    Record(Rc<Record>),
}

/// A structure or union.
#[derive(Debug)]
pub(super) struct Record {
    /// With its keyword: `struct S0@`.
    pub(super) name: String,
    pub(super) is_union: bool,
    pub(super) fields: Vec<Field>,
    size: usize,
    align: usize,
}

/// A member.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) offset: usize,
}

/// A part of an object: where it lies and how it is named.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// What stands behind the object's name: `.f0[1]`.
    pub(super) path: String,
    pub(super) offset: usize,
    pub(super) ty: Ty,
    /// The parts that it lies in, outermost first, as numbers of [`parts`].
    pub(super) within: Vec<usize>,
}

impl Part {
    pub(super) fn scalar(&self) -> Option<Scalar> {
        if let Ty::Scalar(scalar) = &self.ty { Some(*scalar) } else { None }
    }

    pub(super) fn record(&self) -> Option<&Record> {
        if let Ty::Record(record) = &self.ty { Some(record) } else { None }
    }

    /// Whether the two share a byte.
    pub(super) fn overlaps(&self, other: &Part) -> bool {
        self.offset < other.offset + other.ty.size() && other.offset < self.offset + self.ty.size()
    }
}

impl Ty {
    pub(super) fn size(&self) -> usize {
        match self {
            Ty::Scalar(scalar) => scalar.size,
            Ty::Array(element, n) => element.size() * n,
            Ty::Record(record) => record.size,
        }
    }

    fn align(&self) -> usize {
        match self {
            Ty::Scalar(scalar) => scalar.size,
            Ty::Array(element, _) => element.align(),
            Ty::Record(record) => record.align,
        }
    }

    /// A declaration of `name` with this type.
    pub(super) fn declare(&self, name: &str) -> String {
        match self {
            Ty::Scalar(scalar) => format!("{} {name}", scalar.name),
            Ty::Array(element, n) => element.declare(&format!("{name}[{n}]")),
            Ty::Record(record) => format!("{} {name}", record.name),
        }
    }
}

impl Record {
    pub(super) fn new(tag: &str, is_union: bool, types: Vec<Ty>) -> Record {
        let (mut at, mut size, mut align) = (0, 0, 1);
        let mut fields = vec![];
        for (k, ty) in types.into_iter().enumerate() {
            align = align.max(ty.align());
            at = if is_union { 0 } else { usize::next_multiple_of(at, ty.align()) };
            let offset = at;
            at += ty.size();
            size = size.max(at);
            fields.push(Field { name: format!("f{k}"), ty, offset });
        }
        let name = format!("{} {tag}@", if is_union { "union" } else { "struct" });
        Record { name, is_union, fields, size: size.next_multiple_of(align), align }
    }

    /// Its definition.
    pub(super) fn define(&self) -> String {
        let mut text = format!("{} {{", self.name);
        for field in &self.fields {
            let _ = write!(text, " {};", field.ty.declare(&field.name));
        }
        text + " };"
    }
}

/// The distribution from which types are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// One record in this many is a union; 0: none.
    pub(super) unions: usize,
    /// One member in this many is a matrix; 0: none.
    pub(super) matrices: usize,
    /// Only `char` and `int`.
    pub(super) plain: bool,
}

fn scalar(dice: &mut Dice, shape: Shape) -> Scalar {
    match dice.below(10) {
        0..5 => CHAR,
        5..8 => INT,
        _ if shape.plain => CHAR,
        _ => *dice.of(&SCALARS),
    }
}

fn member(dice: &mut Dice, shape: Shape, known: &[Rc<Record>]) -> Ty {
    if shape.matrices > 0 && dice.one_in(shape.matrices) {
        let row = Ty::Array(Box::new(Ty::Scalar(scalar(dice, shape))), 2 + dice.below(2));
        return Ty::Array(Box::new(row), 2);
    }
    let record = (!known.is_empty() && dice.one_in(2)).then(|| Ty::Record(Rc::clone(dice.of(known))));
    let ty = record.unwrap_or_else(|| Ty::Scalar(scalar(dice, shape)));
    if dice.one_in(2) { Ty::Array(Box::new(ty), 1 + dice.below(4)) } else { ty }
}

/// Up to three records, of which later ones have earlier ones as members.
pub(super) fn records(dice: &mut Dice, shape: Shape) -> Vec<Rc<Record>> {
    let mut known: Vec<Rc<Record>> = vec![];
    for k in 0..1 + dice.below(3) {
        let is_union = shape.unions > 0 && dice.one_in(shape.unions);
        let mut types: Vec<Ty> = (0..2 + dice.below(3)).map(|_| member(dice, shape, &known)).collect();
        if is_union && dice.one_in(2) {
            types[1] = types[0].clone();
        }
        let tag = format!("{}{k}", if is_union { "U" } else { "S" });
        let record = Record::new(&tag, is_union, types);
        if record.size <= 160 {
            known.push(Rc::new(record));
        }
    }
    if known.is_empty() { records(dice, shape) } else { known }
}

/// All parts of an object of this type, itself first.
pub(super) fn parts(ty: &Ty) -> Vec<Part> {
    let mut all = vec![];
    collect(ty, String::new(), 0, &[], &mut all);
    all
}

fn collect(ty: &Ty, path: String, offset: usize, within: &[usize], all: &mut Vec<Part>) {
    let own = all.len();
    all.push(Part { path: path.clone(), offset, ty: ty.clone(), within: within.to_vec() });
    let inside = [within, &[own]].concat();
    match ty {
        Ty::Scalar(_) => {}
        Ty::Array(element, n) => {
            for k in 0..*n {
                collect(element, format!("{path}[{k}]"), offset + k * element.size(), &inside, all);
            }
        }
        Ty::Record(record) => {
            for field in &record.fields {
                collect(&field.ty, format!("{path}.{}", field.name), offset + field.offset, &inside, all);
            }
        }
    }
}
