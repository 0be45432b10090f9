//! Random C programs about the numbers of addresses: objects of many types, with attributes for larger or
//! smaller alignment, in all kinds of storage, and allocated ones. The remainder of an address follows from the
//! rules of C and of the compiler's layout, which compiled programs confirm.

use crate::Dice;
use std::fmt::Write;

/// The truth of a comparison of the remainder of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// It is the one that the program expects, wherever the object is.
    Known,
    /// It is another one, wherever the object is.
    Other,
    /// It depends on where the object is.
    Open,
}

/// A type with its layout, as compilers for x86-64 have it.
#[derive(Clone, Debug)]
struct Shape {
    /// The declarations in front, and that of an object of the type.
    declaration: String,
    name: String,
    size: u64,
    align: u64,
    /// Paths to parts, with their offsets.
    parts: Vec<(String, u64)>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Alignments {
    shape: Shape,
    object: Storage,
    /// The object's own alignment, in the attribute's words.
    own: String,
    align: u64,
    /// How many elements; none: no array.
    elements: Option<u64>,
    /// The part whose address is taken, behind the object's name, and its distance from the start.
    part: (String, u64),
    /// Bytes that the pointer is moved by.
    moved: u64,
    modulus: u64,
    expected: u64,
    by_mask: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Storage {
    Global,
    Static,
    Local,
    Inner,
    Malloc,
    Calloc,
    AlignedAlloc(u64),
    Memalign(u64),
    Posix(u64),
    Valloc,
}

const SCALARS: [(&str, u64); 7] =
    [("char", 1), ("short", 2), ("int", 4), ("long", 8), ("double", 8), ("void *", 8), ("_Bool", 1)];

fn scalar(dice: &mut Dice, seed: u64) -> Shape {
    let (name, size) = *dice.of(&SCALARS);
    let mut shape = Shape {
        declaration: String::new(),
        name: name.to_owned(),
        size,
        align: size,
        parts: vec![(String::new(), 0)],
    };
    if dice.one_in(5) {
        shape.align = 1 << dice.below(5);
        shape.name = format!("ty{seed}");
        shape.declaration = format!("typedef {name} ty{seed} __attribute__((aligned({})));\n", shape.align);
    }
    shape
}

fn record(dice: &mut Dice, seed: u64) -> Shape {
    let is_packed = dice.one_in(3);
    let (mut size, mut align) = (0u64, 1);
    let (mut members, mut parts) = (String::new(), vec![(String::new(), 0)]);
    for n in 0..1 + dice.below(3) {
        let (name, natural) = *dice.of(&SCALARS);
        let wanted = dice.one_in(4).then(|| 1u64 << dice.below(6));
        let own = wanted.unwrap_or(1).max(if is_packed { 1 } else { natural });
        let count = if dice.one_in(4) { 3 } else { 1 };
        size = size.next_multiple_of(own);
        parts
            .push((format!(".m{n}{}", if count > 1 { "[1]" } else { "" }), size + (count - 1) / 2 * natural));
        size += natural * count;
        align = align.max(own);
        let array = if count > 1 { "[3]" } else { "" };
        let attribute = wanted.map_or(String::new(), |w| format!(" __attribute__((aligned({w})))"));
        _ = write!(members, " {name} m{n}{array}{attribute};");
    }
    let wanted = dice.one_in(4).then(|| 1u64 << dice.below(7));
    align = align.max(wanted.unwrap_or(1));
    let attributes = match (is_packed, wanted) {
        (true, None) => " __attribute__((packed))".to_owned(),
        (true, Some(wanted)) => format!(" __attribute__((packed, aligned({wanted})))"),
        (false, Some(wanted)) => format!(" __attribute__((aligned({wanted})))"),
        (false, None) => String::new(),
    };
    let name = format!("struct s{seed}");
    Shape {
        declaration: format!("struct{attributes} s{seed} {{{members} }};\n"),
        name,
        size: size.next_multiple_of(align),
        align,
        parts,
    }
}

impl Alignments {
    /// The program of the seed.
    pub fn new(seed: u64) -> Alignments {
        let mut dice = Dice::new(seed ^ 0xa11);
        let shape = if dice.one_in(3) { scalar(&mut dice, seed) } else { record(&mut dice, seed) };
        let power = |dice: &mut Dice, from: u32, to: u32| 1u64 << dice.within(from.into(), to.into());
        let object = match dice.below(12) {
            0..=2 => Storage::Global,
            3 => Storage::Static,
            4 | 5 => Storage::Local,
            6 => Storage::Inner,
            7 => Storage::Malloc,
            8 => Storage::Calloc,
            9 => Storage::AlignedAlloc(power(&mut dice, 3, 9)),
            10 => Storage::Memalign(power(&mut dice, 3, 9)),
            _ if dice.one_in(4) => Storage::Valloc,
            _ => Storage::Posix(power(&mut dice, 3, 9)),
        };
        // Elements of a type whose size is not a multiple of its alignment are refused.
        let fits = shape.size.is_multiple_of(shape.align);
        let elements = (fits && dice.one_in(3)).then(|| 2 + dice.below(3) as u64);
        let (mut own, mut align) = (String::new(), shape.align);
        let is_named = matches!(object, Storage::Global | Storage::Static | Storage::Local | Storage::Inner);
        match object {
            Storage::AlignedAlloc(a) | Storage::Memalign(a) | Storage::Posix(a) => align = a.max(16),
            Storage::Valloc => align = 4096,
            Storage::Malloc | Storage::Calloc => align = 16,
            _ if dice.one_in(3) => {
                let wanted = power(&mut dice, 0, 7);
                let by_word = wanted >= shape.align && dice.one_in(2);
                align = wanted;
                own = match by_word {
                    true => format!("_Alignas({wanted}) "),
                    false => format!("__attribute__((aligned({wanted}))) "),
                };
            }
            _ => {}
        }
        let (path, offset) = dice.of(&shape.parts).clone();
        let index = elements.map(|n| dice.below(n as usize) as u64);
        let at = offset + index.unwrap_or(0) * shape.size;
        let part = match index {
            Some(i) => (format!("[{i}]{path}"), at),
            None if !is_named => (format!("[0]{path}"), at),
            None => (path, at),
        };
        let whole = shape.size * elements.unwrap_or(1);
        let moved = if dice.one_in(4) { dice.below((whole - at) as usize + 1) as u64 } else { 0 };
        let most = align.trailing_zeros();
        let modulus = power(&mut dice, most.saturating_sub(2), most + 1).max(2);
        let place = (at + moved) % modulus;
        let expected = if dice.one_in(3) { dice.below(modulus as usize) as u64 } else { place };
        let by_mask = dice.one_in(2);
        Alignments { shape, object, own, align, elements, part, moved, modulus, expected, by_mask }
    }

    /// The truth of the comparison.
    pub fn truth(&self) -> Address {
        let at = self.part.1 + self.moved;
        let known = self.align.min(self.modulus);
        if at % known != self.expected % known {
            Address::Other
        } else if self.align >= self.modulus {
            Address::Known
        } else {
            Address::Open
        }
    }

    /// Declarations, and the text of a function `void NAME(void)` that runs the statement `asked` about the
    /// address, where `ADDRESS` stands for the number and `EXPECTED` for the condition.
    pub fn function(&self, name: &str, asked: &str) -> String {
        let Alignments { shape, own, elements, .. } = self;
        let (mut out, array) =
            (shape.declaration.clone(), elements.map_or(String::new(), |n| format!("[{n}]")));
        let ty = &shape.name;
        let object = format!("{own}{ty} x{name}{array};");
        let bytes = shape.size * elements.unwrap_or(1);
        let (mut before, mut behind) = (String::new(), String::new());
        let allocated = |call: String| format!("{ty} *x{name} = {call};\n    if (!x{name}) return;");
        match self.object {
            Storage::Global => _ = writeln!(out, "{object}"),
            Storage::Static => before = format!("static {object}"),
            Storage::Local => before = object,
            Storage::Inner => (before, behind) = (format!("{{ {object}"), " }".to_owned()),
            Storage::Malloc => before = allocated(format!("malloc({bytes})")),
            Storage::Calloc => {
                before = allocated(format!("calloc({}, {})", elements.unwrap_or(1), shape.size))
            }
            Storage::AlignedAlloc(a) => before = allocated(format!("aligned_alloc({a}, {bytes})")),
            Storage::Memalign(a) => before = allocated(format!("memalign({a}, {bytes})")),
            Storage::Valloc => before = allocated(format!("valloc({bytes})")),
            Storage::Posix(a) => {
                before = format!(
                    "void *v{name};\n    if (posix_memalign(&v{name}, {a}, {bytes})) return;\n    {ty} *x{name} = v{name};"
                );
            }
        }
        let moved = if self.moved > 0 { format!(" + {}", self.moved) } else { String::new() };
        let remainder = match self.by_mask {
            true => format!("(a & {}u)", self.modulus - 1),
            false => format!("a % {}", self.modulus),
        };
        let asked =
            asked.replace("ADDRESS", "a").replace("EXPECTED", &format!("{remainder} == {}", self.expected));
        _ = writeln!(
            out,
            "void {name}(void) {{\n    {before}\n    char *p = (char *)&x{name}{}{moved};\n    uintptr_t a = (uintptr_t)p;\n    {asked}{behind}\n}}",
            self.part.0
        );
        out
    }

    /// Assertions for compilers, as a declaration behind the function; nothing for objects of functions.
    pub fn agreed(&self, name: &str) -> String {
        let Alignments { shape, .. } = self;
        let mut out = format!("_Static_assert(sizeof({}) == {}, \"size\");\n", shape.name, shape.size);
        _ = writeln!(out, "_Static_assert(__alignof__({}) == {}, \"alignment\");", shape.name, shape.align);
        if self.object == Storage::Global {
            _ = writeln!(out, "_Static_assert(__alignof__(x{name}) == {}, \"object\");", self.align);
        }
        out
    }
}
