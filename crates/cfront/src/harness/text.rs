//! Writes the text that a harness adds to one file.

use super::environment::tells_failure;
use super::spell;
use crate::error::{Res, unsupported};
use crate::lower::constant_memory::is_const;
use crate::lower::context::Symbols;
use crate::lower::scope::{Entity, Function};
use crate::options::Environment;
use crate::types::table::Types;
use crate::types::ty::{IntTy, QTy, Rank, Ty};
use base::{Id, Span};
use ir::RecordId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Records that pointers lead to are made by a function of their own from this depth on.
pub(super) const DEPTH: usize = 3;

/// The text for one file.
pub(super) struct Writer<'c, 'a> {
    pub(super) types: &'c Types,
    pub(super) symbols: &'c Symbols<'a>,
    pub(super) file: usize,
    /// The beginning of the names that are made up.
    pub(super) prefix: &'c str,
    /// The program frees objects: those that it is given are allocated.
    pub(super) frees: bool,
    /// Functions that give inputs, by name, with their declarations.
    pub(super) inputs: BTreeMap<String, String>,
    /// Functions that make something, by name; empty while they are being written.
    pub(super) makers: BTreeMap<String, String>,
    /// The function that is being written.
    pub(super) body: Body,
    /// The finished functions.
    pub(super) out: String,
}

/// A function that is being written.
#[derive(Default)]
pub(super) struct Body {
    pub(super) declarations: String,
    pub(super) statements: String,
    pub(super) names: BTreeSet<String>,
    /// How deep the statements are nested.
    pub(super) indent: usize,
    /// Number of open loops: in them a variable would be the same object in each iteration.
    pub(super) loops: usize,
    /// Records that are being filled.
    pub(super) open: Vec<RecordId>,
    /// Its objects outlive it.
    pub(super) outlived: bool,
}

impl<'c, 'a> Writer<'c, 'a> {
    /// Nothing yet.
    pub(super) fn new(
        types: &'c Types,
        symbols: &'c Symbols<'a>,
        file: usize,
        prefix: &'c str,
        frees: bool,
    ) -> Writer<'c, 'a> {
        Writer {
            types,
            symbols,
            file,
            prefix,
            frees,
            inputs: BTreeMap::new(),
            makers: BTreeMap::new(),
            body: Body::default(),
            out: String::new(),
        }
    }

    /// The whole text.
    pub(super) fn finish(self) -> String {
        let mut text = String::new();
        self.inputs.values().for_each(|line| text.push_str(line));
        for maker in self.makers.values() {
            let head = maker.lines().next().unwrap_or_default().trim_end_matches(" {");
            let _ = writeln!(text, "{head};");
        }
        self.makers.values().for_each(|maker| text.push_str(maker));
        text + &self.out
    }

    /// The function that starts the program: it gives globals their values and calls the entry function.
    pub(super) fn entry(&mut self, entry: &Function<'_>, names: &[String], fillers: &[String]) -> Res<()> {
        self.body.names.insert(entry.name.clone());
        for filler in fillers {
            self.line(&format!("{filler}();"));
        }
        let args = self.arguments(entry, names)?;
        self.line(&format!("{}({});", entry.name, args.join(", ")));
        let declarations: String = fillers.iter().map(|f| format!("void {f}(void);\n")).collect();
        let body = self.close();
        let _ = write!(self.out, "{declarations}void {}(void) {{\n{body}}}\n", self.prefix);
        Ok(())
    }

    /// A function that calls another one with any arguments, which may be kept. Returns whether the result of
    /// that is an integer; the function then returns whether it is not 0.
    pub(super) fn caller(&mut self, called: &Function<'_>, names: &[String], name: &str) -> Res<bool> {
        self.body.names.insert(called.name.clone());
        self.body.outlived = true;
        let args = self.arguments(called, names)?.join(", ");
        let tells = tells_failure(&called.ty.ret.ty);
        let call = format!("{}({args})", called.name);
        self.line(&if tells { format!("return {call} != 0;") } else { format!("{call};") });
        let (body, ret) = (self.close(), if tells { "int" } else { "void" });
        let _ = write!(self.out, "{ret} {name}(void) {{\n{body}}}\n");
        Ok(tells)
    }

    /// The function that starts the program: it calls the callers in the order of the environment.
    pub(super) fn program(
        &mut self,
        environment: &Environment,
        fillers: &[String],
        results: &BTreeMap<String, bool>,
        caller: impl Fn(&str) -> String,
    ) {
        let mut declarations: String = fillers.iter().map(|f| format!("void {f}(void);\n")).collect();
        for (function, tells) in results {
            let ret = if *tells { "int" } else { "void" };
            let _ = writeln!(declarations, "{ret} {}(void);", caller(function));
        }
        fillers.iter().for_each(|filler| self.line(&format!("{filler}();")));
        for function in &environment.init {
            match results.get(function) {
                Some(true) => self.line(&format!("if ({}()) return;", caller(function))),
                _ => self.line(&format!("{}();", caller(function))),
            }
        }
        if let Some((last, others)) = environment.any.split_last() {
            let choice = self.choice();
            self.line(&format!("while ({choice}) {{"));
            self.body.indent += 1;
            for function in others {
                self.line(&format!("if ({choice}) {}(); else", caller(function)));
            }
            self.line(&format!("{}();", caller(last)));
            self.body.indent -= 1;
            self.line("}");
        }
        environment.exit.iter().for_each(|function| self.line(&format!("{}();", caller(function))));
        let body = self.close();
        let _ = write!(self.out, "{declarations}void {}(void) {{\n{body}}}\n", self.prefix);
    }

    /// Variables with any values for the arguments of a function: their names.
    fn arguments(&mut self, entry: &Function<'_>, names: &[String]) -> Res<Vec<String>> {
        let mut args = vec![];
        for (n, param) in entry.ty.params.iter().enumerate() {
            let wish = names.get(n).filter(|name| !name.is_empty()).cloned();
            let name = self.fresh(&wish.unwrap_or_else(|| format!("argument_{}", n + 1)));
            let Some(declared) = self.symbols.declared_as(self.types, self.file, &param.ty, &name) else {
                let message = format!("no value can be made for argument {} of `{}`", n + 1, entry.name);
                return unsupported(entry.span, message);
            };
            self.declare(&declared);
            self.fill(&name, &QTy { konst: false, ..param.clone() }, entry.span)?;
            args.push(name);
        }
        Ok(args)
    }

    /// A function that gives all variables of the file that may change any values; false when there are none.
    pub(super) fn globals(&mut self, name: &str) -> Res<bool> {
        let own =
            |o: &&crate::lower::scope::Object<'_>| o.file == self.file && o.defined && o.refused.is_none();
        let objects: Vec<_> = self.symbols.objects.iter().filter(own).filter(|o| !is_const(&o.ty)).collect();
        self.body.outlived = true;
        for object in &objects {
            self.body.names.insert(object.name.clone());
        }
        for object in &objects {
            // Objects defined in system headers are not the program's.
            if !matches!(
                self.symbols.scopes.files[self.file].names.get(&object.name),
                Some(Entity::Object(_))
            ) {
                continue;
            }
            self.fill(&object.name, &object.ty, object.span)?;
        }
        let body = self.close();
        if body.is_empty() {
            return Ok(false);
        }
        let _ = write!(self.out, "void {name}(void) {{\n{body}}}\n");
        Ok(true)
    }

    /// Ends a function: its body.
    pub(super) fn close(&mut self) -> String {
        let body = std::mem::take(&mut self.body);
        body.declarations + &body.statements
    }

    pub(super) fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.body.indent + 1);
        let _ = writeln!(self.body.statements, "{indent}{text}");
    }

    pub(super) fn declare(&mut self, text: &str) {
        let _ = writeln!(self.body.declarations, "  {text};");
    }

    pub(super) fn fresh(&mut self, wish: &str) -> String {
        let word: String = wish.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let word = word.trim_matches('_').to_owned();
        let mut name = word.clone();
        let mut n = 2;
        while !self.body.names.insert(name.clone()) {
            name = format!("{word}_{n}");
            n += 1;
        }
        name
    }

    /// The call that gives an input of this type.
    pub(super) fn input(&mut self, ty: &Ty) -> Option<String> {
        let (word, c) = match ty {
            Ty::Int(i) => (spell::input_word(spell::integer(*i)?), spell::integer(*i)?),
            Ty::Float(bits) => (spell::input_word(spell::floating(*bits)?), spell::floating(*bits)?),
            Ty::Ptr(_) => ("pointer".into(), "void *"),
            _ => return None,
        };
        let mut name = format!("__VERIFIER_nondet_{word}");
        if let Some(Entity::Function(f)) = self.symbols.scopes.files[self.file].names.get(&name) {
            let declared = &self.symbols.functions[*f];
            if declared.def.is_none() && declared.ty.params.is_empty() && declared.ty.ret.ty == *ty {
                return Some(format!("{name}()"));
            }
            name = format!("__VERIFIER_nondet_any_{word}");
        }
        let space = if c.ends_with('*') { "" } else { " " };
        self.inputs.insert(name.clone(), format!("extern {c}{space}{name}(void);\n"));
        Some(format!("{name}()"))
    }

    pub(super) fn choice(&mut self) -> String {
        self.input(&Ty::Int(IntTy::BOOL)).unwrap_or_default()
    }

    /// Gives the location any value of its type.
    pub(super) fn fill(&mut self, place: &str, ty: &QTy, span: Span) -> Res<()> {
        let konst = ty.konst;
        match &ty.ty {
            Ty::Int(IntTy { rank: Rank::Bits, signed, .. }) => {
                let long = IntTy::LLONG.with_sign(*signed);
                let value = self.input(&Ty::Int(long)).unwrap_or_default();
                self.line(&format!("{place} = {value};"));
            }
            Ty::Int(_) | Ty::Float(_) => match self.input(&ty.ty) {
                Some(value) => self.assign(place, &ty.ty, konst, &value),
                None => return self.refuse(&ty.ty, span),
            },
            Ty::Ptr(to) => self.fill_pointer(place, &ty.ty, to, konst, span)?,
            Ty::Array(of, length) => {
                self.fill_array(place, of, &length.unwrap_or(0).to_string(), konst, span)?
            }
            Ty::Record(r) => self.fill_record(place, *r, konst, span)?,
            Ty::Void | Ty::Vla(..) | Ty::Func(_) | Ty::Refused(_) => return self.refuse(&ty.ty, span),
        }
        Ok(())
    }

    fn refuse(&self, ty: &Ty, span: Span) -> Res<()> {
        unsupported(span, format!("no value of type {} can be made", ty.describe()))
    }

    /// An assignment, through a pointer where the location is constant.
    fn assign(&mut self, place: &str, ty: &Ty, konst: bool, value: &str) {
        let cast = if konst {
            self.symbols.declared_as(self.types, self.file, &Ty::ptr_to(ty.clone()), "")
        } else {
            None
        };
        match cast {
            Some(pointer) => self.line(&format!("*({pointer})&{place} = {value};")),
            None => self.line(&format!("{place} = {value};")),
        }
    }

    fn fill_array(&mut self, place: &str, of: &QTy, length: &str, konst: bool, span: Span) -> Res<()> {
        if length == "0" {
            return Ok(());
        }
        let index = self.fresh("i");
        self.declare(&format!("__typeof__(sizeof(0)) {index}"));
        self.line(&format!("for ({index} = 0; {index} < {length}; {index}++) {{"));
        self.body.indent += 1;
        self.body.loops += 1;
        let element = format!("{place}[{index}]");
        let result = self.fill(&element, &QTy { konst: konst || of.konst, ..of.clone() }, span);
        self.body.indent -= 1;
        self.body.loops -= 1;
        self.line("}");
        result
    }

    fn fill_record(&mut self, place: &str, record: RecordId, konst: bool, span: Span) -> Res<()> {
        let members = self.types.members[record.index()].clone();
        let is_union = self.types.records[record].is_union;
        let size = |n: &usize| {
            members[*n].ty.ty.lower().size(&self.types.records, self.symbols.settings.model).unwrap_or(0)
        };
        let largest = (0..members.len()).filter(|_| is_union).max_by_key(size);
        self.body.open.push(record);
        let order = largest.into_iter().chain((0..members.len()).filter(|n| Some(*n) != largest));
        for n in order {
            let member = &members[n];
            if member.bits.is_some() && (member.name.is_empty() || konst || member.ty.konst) {
                continue;
            }
            let path =
                if member.name.is_empty() { place.to_owned() } else { format!("{place}.{}", member.name) };
            let ty = QTy { konst: konst || member.ty.konst, ..member.ty.clone() };
            // Members of a union share its bytes: the largest one is there, and perhaps another one in its place.
            if is_union && Some(n) != largest {
                let choice = self.choice();
                self.line(&format!("if ({choice}) {{"));
                self.body.indent += 1;
                self.fill(&path, &ty, span)?;
                self.body.indent -= 1;
                self.line("}");
            } else {
                self.fill(&path, &ty, span)?;
            }
        }
        self.body.open.pop();
        Ok(())
    }

    fn fill_pointer(&mut self, place: &str, ty: &Ty, to: &QTy, konst: bool, span: Span) -> Res<()> {
        match &to.ty {
            Ty::Func(_) => {
                let name = format!("{}_callback_{}", self.prefix, self.inputs.len() + 1);
                let Some(declared) = self.symbols.declared_as(self.types, self.file, &to.ty, &name) else {
                    return self.refuse(ty, span);
                };
                self.inputs.insert(name.clone(), format!("extern {declared};\n"));
                self.assign(place, ty, konst, &format!("&{name}"));
            }
            Ty::Int(i) if i.rank == Rank::Char => {
                let maker = self.string_maker();
                self.assign(place, ty, konst, &format!("{maker}()"));
            }
            Ty::Void | Ty::Refused(_) | Ty::Vla(..) => self.unknown_object(place, ty, konst),
            Ty::Record(r) if !self.types.records[*r].complete => self.unknown_object(place, ty, konst),
            Ty::Record(r) if self.by_maker(*r) => match self.record_maker(*r, span)? {
                Some(maker) => self.assign(place, ty, konst, &format!("{maker}()")),
                None => self.unknown_object(place, ty, konst),
            },
            _ => self.fresh_object(place, ty, to, konst, span)?,
        }
        Ok(())
    }

    /// A pointer about which nothing is known.
    fn unknown_object(&mut self, place: &str, ty: &Ty, konst: bool) {
        let value = self.input(&Ty::void_ptr()).unwrap_or_default();
        self.assign(place, ty, konst, &value);
    }

    /// NULL, or the address of a new array of `--array-size` elements.
    fn fresh_object(&mut self, place: &str, ty: &Ty, to: &QTy, konst: bool, span: Span) -> Res<()> {
        let count = self.symbols.settings.options.array_size;
        let choice = self.choice();
        self.line(&format!("if ({choice})"));
        self.body.indent += 1;
        self.assign(place, ty, konst, "0");
        self.body.indent -= 1;
        self.line("else {");
        self.body.indent += 1;
        let variable = !self.frees && !self.body.outlived && self.body.loops == 0;
        let element = QTy { konst: false, ..to.clone() };
        let name = self.fresh(&format!("{place}_{}", if count == 1 { "object" } else { "objects" }));
        let pointer = self.symbols.declared_as(self.types, self.file, &Ty::ptr_to(element.ty.clone()), &name);
        let sized = Ty::Array(std::rc::Rc::new(element.clone()), Some(count));
        let plain = if count == 1 { &element.ty } else { &sized };
        match (variable, self.symbols.declared_as(self.types, self.file, plain, &name), pointer) {
            (true, Some(declared), _) => {
                self.declare(&declared);
                let address = if count == 1 { format!("&{name}") } else { name.clone() };
                self.assign(place, ty, konst, &address);
                if count == 1 {
                    self.fill(&name, &element, span)?;
                } else {
                    self.fill_array(&name, &element, &count.to_string(), false, span)?;
                }
            }
            (_, _, Some(declared)) => {
                self.declare(&declared);
                self.line(&format!("{name} = __builtin_malloc({count} * sizeof *{name});"));
                self.line(&format!("if (!{name}) __builtin_abort();"));
                self.assign(place, ty, konst, &name);
                if count == 1 {
                    self.fill(&format!("(*{name})"), &element, span)?;
                } else {
                    self.fill_array(&name, &element, &count.to_string(), false, span)?;
                }
            }
            _ => self.unknown_object(place, ty, konst),
        }
        self.body.indent -= 1;
        self.line("}");
        Ok(())
    }
}
