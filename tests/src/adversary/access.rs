//! The many ways in which C reaches one scalar of an object: by name, by casts and offsets, from other members.

use super::program::Draft;
use super::types::{CHAR, Part, Record, Scalar, Ty, parts};
use std::rc::Rc;

/// An object with its parts.
pub(super) struct Object {
    /// What paths are appended to: `s@`, `(*h)`, `h`.
    pub(super) name: String,
    /// Its address: `&s@`, `h`.
    pub(super) address: String,
    pub(super) parts: Vec<Part>,
}

/// How a scalar is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// By name.
    Direct,
    /// A pointer to a part that it lies in, and the path from there.
    Pointer,
    /// `(char *)&s`, and an offset in bytes.
    Bytes,
    /// `(int *)&s`, and an index.
    Elements,
    /// `offsetof`.
    Offset,
    /// A pointer to another scalar of the same type, and an index, which may be negative.
    Sibling,
    /// From a pointer to another member back to the structure.
    Container,
    /// In a function that gets a pointer.
    Function,
    /// By `memcpy`.
    Copied,
    /// The lowest byte.
    LowByte,
    /// A structure of another layout that has the scalar in the same place.
    View,
}

/// How to read and write a scalar.
pub(super) struct Way {
    /// Declarations.
    before: String,
    /// An expression.
    load: String,
    /// A statement, with `$` for the value.
    store: String,
}

impl Way {
    fn of(before: impl Into<String>, lvalue: &str) -> Way {
        Way { before: before.into(), load: lvalue.to_owned(), store: format!("{lvalue} = $;") }
    }

    /// A statement that stores the value.
    pub(super) fn stores(&self, value: &str) -> String {
        let store = self.store.replace('$', value);
        if self.before.is_empty() { store } else { format!("{{ {} {store} }}", self.before) }
    }

    /// Statements that declare `name` with what is read.
    pub(super) fn loads(&self, name: &str) -> String {
        format!("int {name}; {{ {} {name} = {}; }}", self.before, self.load)
    }
}

/// A pointer and the index at which a scalar lies from there.
pub(super) struct Indexed {
    pub(super) before: String,
    pub(super) pointer: String,
    pub(super) indices: Vec<i64>,
}

impl Object {
    pub(super) fn new(name: &str, address: &str, ty: &Ty) -> Object {
        Object { name: name.to_owned(), address: address.to_owned(), parts: parts(ty) }
    }

    pub(super) fn scalars(&self) -> impl Iterator<Item = (usize, Scalar)> + '_ {
        self.parts.iter().enumerate().filter_map(|(k, p)| p.scalar().map(|s| (k, s)))
    }

    /// The address of a part.
    pub(super) fn address_of(&self, part: &Part) -> String {
        if part.path.is_empty() { self.address.clone() } else { format!("&{}{}", self.name, part.path) }
    }

    /// A way to reach the scalar, in one of the styles if it can be had.
    pub(super) fn way(&self, draft: &mut Draft, target: usize, styles: &[Style]) -> Way {
        let style = *draft.dice.of(styles);
        self.styled(draft, target, style).unwrap_or_else(|| self.fallback(draft, target))
    }

    fn fallback(&self, draft: &mut Draft, target: usize) -> Way {
        let style = if draft.dice.one_in(2) { Style::Bytes } else { Style::Direct };
        self.styled(draft, target, style).expect("every scalar has a name and an offset")
    }

    fn styled(&self, draft: &mut Draft, target: usize, style: Style) -> Option<Way> {
        let part = &self.parts[target];
        let scalar = part.scalar().expect("scalars are reached");
        match style {
            Style::Direct => {
                Some(Way::of("", &format!("{}{}", self.name, self.synonym(draft, part, scalar))))
            }
            Style::Pointer => self.by_pointer(draft, part),
            Style::Bytes => Some(self.by_bytes(draft, part, scalar)),
            Style::Elements => {
                let indexed = self.elements(draft, &[target])?;
                Some(subscripted(draft, &indexed))
            }
            Style::Offset => self.by_offset(draft, part, scalar),
            Style::Sibling => {
                let indexed = self.beside_sibling(draft, &[target])?;
                Some(subscripted(draft, &indexed))
            }
            Style::Container => self.by_container(draft, part),
            Style::Function => Some(self.by_function(draft, part, scalar)),
            Style::Copied => Some(self.by_copy(draft, part, scalar)),
            Style::LowByte => Some(self.low_byte(draft, part)),
            Style::View => self.by_view(draft, part),
        }
    }

    /// The path of the part, or of another one at the same bytes with the same type (in a union).
    fn synonym<'a>(&'a self, draft: &mut Draft, part: &'a Part, scalar: Scalar) -> &'a str {
        let same = |p: &&Part| p.offset == part.offset && p.scalar() == Some(scalar);
        let paths: Vec<&str> = self.parts.iter().filter(same).map(|p| p.path.as_str()).collect();
        paths[draft.dice.below(paths.len())]
    }

    fn by_pointer(&self, draft: &mut Draft, part: &Part) -> Option<Way> {
        let holders: Vec<&Part> = part.within.iter().map(|k| &self.parts[*k]).collect();
        let records: Vec<&Part> = holders.into_iter().filter(|p| p.record().is_some()).collect();
        let p = draft.name("p");
        if records.is_empty() || draft.dice.one_in(5) {
            let scalar = part.scalar()?;
            return Some(Way::of(
                format!("{} *{p} = {};", scalar.name, self.address_of(part)),
                &format!("*{p}"),
            ));
        }
        let holder = draft.dice.of(&records);
        let before = format!("{} *{p} = {};", holder.record()?.name, self.address_of(holder));
        Some(Way::of(before, &format!("{p}->{}", &part.path[holder.path.len() + 1..])))
    }

    fn by_bytes(&self, draft: &mut Draft, part: &Part, scalar: Scalar) -> Way {
        let p = draft.name("p");
        let holder = self.holder(draft, part);
        let offset = part.offset - holder.offset;
        let start = format!("char *{p} = (char *){};", self.address_of(holder));
        match draft.dice.below(4) {
            0 => Way::of(format!("{start} {p} += {offset};"), &format!("*({} *){p}", scalar.name)),
            1 => {
                let step = draft.dice.below(offset + 1);
                let before = format!("{start} {p} = {p} + {step}; {p} += {};", offset - step);
                Way::of(before, &format!("*({} *){p}", scalar.name))
            }
            2 if scalar == CHAR => Way::of(start, &format!("{p}[{offset}]")),
            _ => Way::of(start, &format!("*({} *)({p} + {offset})", scalar.name)),
        }
    }

    fn holder<'a>(&'a self, draft: &mut Draft, part: &Part) -> &'a Part {
        if part.within.is_empty() || draft.dice.one_in(2) {
            &self.parts[0]
        } else {
            &self.parts[*draft.dice.of(&part.within)]
        }
    }

    fn by_offset(&self, draft: &mut Draft, part: &Part, scalar: Scalar) -> Option<Way> {
        let holders: Vec<&Part> = part.within.iter().map(|k| &self.parts[*k]).collect();
        let records: Vec<&Part> = holders.into_iter().filter(|p| p.record().is_some()).collect();
        if records.is_empty() {
            return None;
        }
        let holder = draft.dice.of(&records);
        let (record, inner) = (&holder.record()?.name, &part.path[holder.path.len() + 1..]);
        let (p, address) = (draft.name("p"), self.address_of(holder));
        let lvalue = format!("*({} *)((char *){p} + offsetof({record}, {inner}))", scalar.name);
        let ty = *draft.dice.of(&["void", "char"]);
        Some(Way::of(format!("{ty} *{p} = ({ty} *){address};"), &lvalue))
    }

    /// A pointer to the start of the object or of a part, in elements of the targets' common type.
    pub(super) fn elements(&self, draft: &mut Draft, targets: &[usize]) -> Option<Indexed> {
        let scalar = self.parts[*targets.first()?].scalar()?;
        let start = self.holder(draft, &self.parts[targets[0]]).offset;
        let from = self.parts.iter().find(|p| p.offset == start)?;
        self.indexed(draft, from, scalar, targets)
    }

    /// A pointer to another scalar of the targets' type.
    pub(super) fn beside_sibling(&self, draft: &mut Draft, targets: &[usize]) -> Option<Indexed> {
        let scalar = self.parts[*targets.first()?].scalar()?;
        let same = |p: &&Part| p.scalar() == Some(scalar) && p.offset != self.parts[targets[0]].offset;
        let siblings: Vec<&Part> = self.parts.iter().filter(same).collect();
        if siblings.is_empty() {
            return None;
        }
        let from = draft.dice.of(&siblings);
        self.indexed(draft, from, scalar, targets)
    }

    fn indexed(&self, draft: &mut Draft, from: &Part, scalar: Scalar, targets: &[usize]) -> Option<Indexed> {
        let size = scalar.size as i64;
        let mut indices = vec![];
        for target in targets {
            let part = &self.parts[*target];
            let distance = part.offset as i64 - from.offset as i64;
            if part.scalar() != Some(scalar) || distance % size != 0 {
                return None;
            }
            indices.push(distance / size);
        }
        let pointer = draft.name("p");
        let cast = if from.scalar() == Some(scalar) { String::new() } else { format!("({} *)", scalar.name) };
        let before = format!("{} *{pointer} = {cast}{};", scalar.name, self.address_of(from));
        Some(Indexed { before, pointer, indices })
    }

    fn by_container(&self, draft: &mut Draft, part: &Part) -> Option<Way> {
        let mut choices = vec![];
        for k in &part.within {
            let Some(record) = self.parts[*k].record() else { continue };
            for member in record.fields.iter().filter(|f| f.offset > 0) {
                choices.push((*k, member));
            }
        }
        if choices.is_empty() {
            return None;
        }
        let (k, member) = *draft.dice.of(&choices);
        let (holder, q) = (&self.parts[k], draft.name("q"));
        let (record, field) = (&holder.record()?.name, &member.name);
        let (at, how) = match &member.ty {
            Ty::Array(element, _) => (element.declare("*"), "[0]"),
            other => (other.declare("*"), ""),
        };
        // Rows of a matrix have no name for their pointer's type.
        let at = if at.contains('[') { "void *".to_owned() } else { at };
        let m = draft.name("m");
        let address = format!("&{}{}.{field}{how}", self.name, holder.path);
        let before = format!(
            "{at}{m} = {address}; {record} *{q} = ({record} *)((char *){m} - offsetof({record}, {field}));"
        );
        Some(Way::of(before, &format!("{q}->{}", &part.path[holder.path.len() + 1..])))
    }

    fn by_function(&self, draft: &mut Draft, part: &Part, scalar: Scalar) -> Way {
        let ty = scalar.name;
        let word = ty.replace(' ', "_");
        let holder = self.holder(draft, part);
        let address = self.address_of(holder);
        let offset = part.offset - holder.offset;
        if draft.dice.one_in(3) {
            draft.top(format!("static {ty} *{word}_at@(char *b, int o) {{ return ({ty} *)(b + o); }}"));
            return Way::of("", &format!("*{word}_at@((char *){address}, {offset})"));
        }
        let (argument, index) = if offset.is_multiple_of(scalar.size) && draft.dice.one_in(2) {
            (format!("({ty} *){address}"), offset / scalar.size)
        } else {
            (format!("({ty} *)((char *){address} + {offset})"), 0)
        };
        draft.top(format!("static void set_{word}@({ty} *p, int k, int v) {{ p[k] = v; }}"));
        draft.top(format!("static int get_{word}@({ty} *p, int k) {{ return p[k]; }}"));
        Way {
            before: String::new(),
            load: format!("get_{word}@({argument}, {index})"),
            store: format!("set_{word}@({argument}, {index}, $);"),
        }
    }

    fn by_copy(&self, draft: &mut Draft, part: &Part, scalar: Scalar) -> Way {
        let w = draft.name("w");
        let copy = *draft.dice.of(&["memcpy", "memmove"]);
        let at = if draft.dice.one_in(2) {
            self.address_of(part)
        } else {
            format!("(char *){} + {}", self.address, part.offset)
        };
        let ty = scalar.name;
        Way {
            before: format!("{ty} {w};"),
            load: format!("({copy}(&{w}, {at}, sizeof {w}), {w})"),
            store: format!("{w} = $; {copy}({at}, &{w}, sizeof {w});"),
        }
    }

    fn by_view(&self, draft: &mut Draft, part: &Part) -> Option<Way> {
        let records: Vec<usize> =
            part.within.iter().copied().filter(|k| self.parts[*k].record().is_some()).collect();
        let within = if records.is_empty() { 0 } else { *draft.dice.of(&records) };
        let holder = &self.parts[within];
        let record = match holder.record() {
            Some(record) if draft.dice.one_in(2) => similar(draft, record),
            _ => {
                let inside = |p: &&Part| p.scalar().is_some() && p.within.contains(&within);
                let mut scalars: Vec<&Part> = self.parts.iter().filter(inside).collect();
                scalars.dedup_by_key(|p| p.offset);
                regrouped(draft, &scalars)?
            }
        };
        let all = parts(&Ty::Record(Rc::clone(&record)));
        let offset = part.offset - holder.offset;
        let seen = all.iter().find(|p| p.offset == offset && p.scalar() == part.scalar())?;
        draft.top(record.define());
        let v = draft.name("v");
        let before = format!("{0} *{v} = ({0} *){1};", record.name, self.address_of(holder));
        Some(Way::of(before, &format!("{v}->{}", &seen.path[1..])))
    }

    fn low_byte(&self, draft: &mut Draft, part: &Part) -> Way {
        let p = draft.name("p");
        Way::of(format!("char *{p} = (char *){};", self.address_of(part)), &format!("*{p}"))
    }
}

/// A structure that has these scalars in order, some of them as arrays or in structures of their own.
fn regrouped(draft: &mut Draft, scalars: &[&Part]) -> Option<Rc<Record>> {
    let mut types = vec![];
    let mut rest = scalars;
    while let Some(first) = rest.first() {
        let scalar = first.scalar()?;
        let run = rest
            .iter()
            .enumerate()
            .take_while(|(k, p)| p.scalar() == Some(scalar) && p.offset == first.offset + k * scalar.size);
        let taken = 1 + draft.dice.below(run.count());
        let element = Box::new(Ty::Scalar(scalar));
        types.push(match taken {
            1 if draft.dice.one_in(2) => Ty::Scalar(scalar),
            2 | 4 if draft.dice.one_in(3) => Ty::Array(Box::new(Ty::Array(element, taken / 2)), 2),
            _ => Ty::Array(element, taken),
        });
        rest = &rest[taken..];
    }
    let tag = draft.name("V");
    Some(Rc::new(Record::new(&tag, false, types)))
}

/// A structure that begins as the other one does, and is shorter or longer.
fn similar(draft: &mut Draft, record: &Record) -> Rc<Record> {
    let mut types: Vec<Ty> = record.fields.iter().map(|f| f.ty.clone()).collect();
    if draft.dice.one_in(3) {
        types.push(Ty::Scalar(CHAR));
    } else {
        types.truncate(1 + draft.dice.below(types.len()));
    }
    let tag = draft.name("V");
    Rc::new(Record::new(&tag, record.is_union, types))
}

fn subscripted(draft: &mut Draft, indexed: &Indexed) -> Way {
    let Indexed { before, pointer, indices } = indexed;
    let k = indices[0];
    if draft.dice.one_in(3) {
        return Way::of(before.clone(), &format!("*({pointer} + {k})"));
    }
    Way::of(before.clone(), &format!("{pointer}[{k}]"))
}
