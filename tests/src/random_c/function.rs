//! What a program has so far, what a function sees, and how a function is put together.

use super::Probe;
use super::expr::{INT, Int, Place, Words, any_type};
use std::fmt::Write as _;
use testing::Dice;

/// A parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Param {
    /// An integer.
    Value(Int),
    /// A pointer to an integer.
    Pointer(Int),
    /// A pointer to the program's struct.
    Struct,
}

/// A function that others may call.
#[derive(Clone)]
pub(super) struct Callee {
    pub name: String,
    pub params: Vec<Param>,
    /// The first parameter bounds its depth.
    pub recursive: bool,
}

/// An array with its number of elements.
#[derive(Clone)]
pub(super) struct Array {
    pub name: String,
    pub ty: Int,
    pub len: usize,
}

/// What is declared so far.
pub(super) struct World {
    pub dice: Dice,
    pub bits: bool,
    /// The members of the struct: name, type, and whether it is a bit-field.
    pub members: Vec<(String, Int, bool)>,
    pub callees: Vec<Callee>,
    /// Functions from `int` to `int`.
    pub unary: Vec<String>,
    pub globals: Names,
    pub probes: Vec<Probe>,
    pub labels: usize,
}

/// What statements can name.
#[derive(Clone, Default)]
pub(super) struct Names {
    pub places: Vec<Place>,
    pub arrays: Vec<Array>,
    /// Variables that are pointers to an integer, and whether they may be made to point to locals.
    pub pointers: Vec<(String, Int, bool)>,
    pub structs: Vec<String>,
    pub struct_pointers: Vec<String>,
    /// Pointers to functions.
    pub handlers: Vec<String>,
}

impl Names {
    /// A variable of an integer type.
    pub(super) fn add_variable(&mut self, name: &str, ty: Int) {
        let place = Place { text: name.into(), ty, writable: true, fixed: true, addressable: true };
        self.places.push(place);
    }

    /// A pointer to an integer, with what it points to.
    pub(super) fn add_pointer(&mut self, name: &str, ty: Int, to_locals: bool) {
        self.pointers.push((name.into(), ty, to_locals));
        let text = format!("*{name}");
        self.places.push(Place { text, ty, writable: true, fixed: false, addressable: false });
    }

    /// A struct, or what a pointer points to, whose members are named by `prefix`.
    pub(super) fn add_members(&mut self, prefix: &str, members: &[(String, Int, bool)], fixed: bool) {
        for (name, ty, bit_field) in members {
            let text = format!("{prefix}{name}");
            let addressable = fixed && !bit_field;
            self.places.push(Place { text, ty: *ty, writable: true, fixed, addressable });
        }
        self.arrays.push(Array { name: format!("{prefix}v"), ty: INT, len: 3 });
    }
}

/// A function being written.
pub(super) struct Fun<'w> {
    pub world: &'w mut World,
    pub names: Names,
    /// Itself, where it may call itself, and how often it still may.
    pub own: Option<(Callee, usize)>,
    pub declared: String,
    pub body: String,
    pub indent: usize,
    pub loops: usize,
    /// How many loops a `break` could leave.
    pub breakable: usize,
    pub budget: usize,
    pub locals: usize,
}

impl<'w> Fun<'w> {
    /// A function that sees the globals.
    pub(super) fn new(world: &'w mut World, budget: usize) -> Fun<'w> {
        let names = world.globals.clone();
        Fun {
            world,
            names,
            own: None,
            declared: String::new(),
            body: String::new(),
            indent: 1,
            loops: 0,
            breakable: 0,
            budget,
            locals: 0,
        }
    }

    pub(super) fn words(&mut self) -> Words<'_> {
        Words { dice: &mut self.world.dice, places: &self.names.places, bits: self.world.bits }
    }

    pub(super) fn dice(&mut self) -> &mut Dice {
        &mut self.world.dice
    }

    /// Writes a line of the body.
    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{:1$}{text}", "", 4 * self.indent);
    }

    /// Declares a local at the head of the function.
    pub(super) fn declare(&mut self, text: &str) {
        let _ = writeln!(self.declared, "    {text}");
    }

    /// A new name.
    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.locals += 1;
        format!("{stem}{}", self.locals)
    }

    /// A new label.
    pub(super) fn label(&mut self, stem: &str) -> String {
        self.world.labels += 1;
        format!("{stem}{}", self.world.labels)
    }

    /// A few locals of several kinds, each initialised.
    pub(super) fn some_locals(&mut self) {
        for _ in 0..1 + self.dice().below(3) {
            let ty = any_type(self.dice());
            let value = self.dice().below(10);
            self.variable(ty, &value.to_string());
        }
        if self.dice().one_in(3) {
            let (ty, name) = (any_type(self.dice()), self.fresh("a"));
            let len = 2 + self.dice().below(3);
            self.declare(&format!("{} {name}[{len}] = {{ 1, 2 }};", ty.name));
            self.names.arrays.push(Array { name, ty, len });
        }
        if self.dice().one_in(3) {
            let name = self.fresh("s");
            self.declare(&format!("struct S {name} = {{ 1, 0 }};"));
            let members = self.world.members.clone();
            self.names.add_members(&format!("{name}."), &members, true);
            self.names.structs.push(name);
        }
        if self.dice().one_in(4) {
            let (ty, name) = (any_type(self.dice()), self.fresh("t"));
            let value = self.dice().below(5);
            self.declare(&format!("static {} {name} = {value};", ty.name));
            self.names.add_variable(&name, ty);
        }
        self.some_pointers();
    }

    fn some_pointers(&mut self) {
        if self.dice().one_in(2) {
            let candidates: Vec<Place> =
                self.names.places.iter().filter(|p| p.addressable).cloned().collect();
            let target = self.dice().of(&candidates).clone();
            let name = self.fresh("p");
            self.declare(&format!("{} *{name} = &{};", target.ty.name, target.text));
            self.names.add_pointer(&name, target.ty, true);
        }
        if !self.names.structs.is_empty() && self.dice().one_in(2) {
            let structs = self.names.structs.clone();
            let target = self.dice().of(&structs).clone();
            let name = self.fresh("q");
            self.declare(&format!("struct S *{name} = &{target};"));
            let members = self.world.members.clone();
            self.names.add_members(&format!("{name}->"), &members, false);
            self.names.struct_pointers.push(name);
        }
        if !self.world.unary.is_empty() && self.dice().one_in(3) {
            let name = self.fresh("h");
            let functions = self.world.unary.clone();
            let target = self.dice().of(&functions).clone();
            self.declare(&format!("int (*{name})(int) = {target};"));
            self.names.handlers.push(name);
        }
    }

    /// A local of an integer type.
    pub(super) fn variable(&mut self, ty: Int, value: &str) -> String {
        let name = self.fresh("x");
        self.declare(&format!("{} {name} = {value};", ty.name));
        self.names.add_variable(&name, ty);
        name
    }

    /// A place for assertions: an expression of which runs collect the values.
    pub(super) fn probe(&mut self) {
        let k = self.world.probes.len();
        let small = self.names.places.iter().filter(|p| p.ty.small).cloned().collect::<Vec<Place>>();
        let probe = match self.dice().below(5) {
            0..=2 if !small.is_empty() => Probe { text: self.dice().of(&small).text.clone(), small: true },
            3 => Probe { text: self.words().condition(1), small: true },
            _ => Probe { text: self.words().expr(2), small: false },
        };
        self.world.probes.push(probe);
        self.line(&format!("{0}{k}{0}", super::MARK));
    }
}
