//! From syntax tree to compiled form: names are resolved, types are checked, statements become nodes.
//!
//! Rules, in order: classes, members, parameters and labels are distinct; constants come before their use; a range is not
//! empty; every procedure that `activate` stands before is static and has no parameters, and there is one; a name is a
//! variable in scope, else a constant, else a field of the own class, else the only static field of that name; both
//! sides of `=` and `==` have one type, where a number fits every kind of numbers (and is checked when it is
//! stored); conditions are truth values; calls have as many arguments as parameters; `return` has a value just if the
//! procedure has a result.

mod expr;
mod scope;
mod stmt;

use crate::ast::{self, At, ExprKind, Program, UnOp};
use crate::code::{ClassId, ClassInfo, Code, Instr, Node, Pc, ProcId, ProcInfo, Ty, VarInfo};
use base::{Diagnostic, Id};
use std::collections::BTreeMap;

/// Most messages about one program.
const MOST_MESSAGES: usize = 50;

/// Values for constants that replace those in the text.
pub type Overrides = BTreeMap<String, i32>;

/// Compiles a program.
///
/// # Errors
/// Everything found, up to fifty messages.
pub fn compile(program: &Program, overrides: &Overrides) -> Result<Code, Vec<Diagnostic>> {
    let mut env = Env::default();
    env.consts(program, overrides);
    env.declare(program);
    if env.errors.is_empty() {
        env.bodies(program);
    }
    if env.errors.is_empty() {
        return Ok(env.code.without_jumps());
    }
    env.errors.truncate(MOST_MESSAGES);
    Err(env.errors)
}

/// A procedure as calls see it.
#[derive(Clone)]
struct Signature {
    class: ClassId,
    name: String,
    is_static: bool,
    constructor: bool,
    params: Vec<Ty>,
    result: Option<Ty>,
}

/// A static field as expressions see it.
struct StaticField {
    class: ClassId,
    name: String,
}

/// What is known of the whole program.
#[derive(Default)]
struct Env {
    consts: BTreeMap<String, i32>,
    classes: BTreeMap<String, ClassId>,
    statics: Vec<StaticField>,
    signatures: Vec<Signature>,
    code: Code,
    errors: Vec<Diagnostic>,
}

impl Env {
    fn error(&mut self, at: At, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(at.0, message));
    }

    fn consts(&mut self, program: &Program, overrides: &Overrides) {
        for c in &program.consts {
            let value = match overrides.get(&c.name) {
                Some(value) => Ok(*value),
                None => self.constant(&c.value),
            };
            match value {
                Ok(value) if !self.consts.contains_key(&c.name) => {
                    self.consts.insert(c.name.clone(), value);
                }
                Ok(_) => self.error(c.at, format!("there is a constant `{}` already", c.name)),
                Err(e) => self.errors.push(e),
            }
        }
        for name in overrides.keys().filter(|name| !program.consts.iter().any(|c| c.name == **name)) {
            self.errors.push(Diagnostic::error(None, format!("there is no constant `{name}`")));
        }
    }

    /// The value of an expression over constants.
    fn constant(&self, e: &ast::Expr) -> Result<i32, Diagnostic> {
        let error = |message: &str| Diagnostic::error(e.at.0, message);
        match &e.kind {
            ExprKind::Int(n) => Ok(*n),
            ExprKind::Name(name) => self
                .consts
                .get(name)
                .copied()
                .ok_or_else(|| error(&format!("there is no constant `{name}` before this place"))),
            ExprKind::Unary(UnOp::Neg, a) => {
                self.constant(a)?.checked_neg().ok_or_else(|| error("the number is too large"))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.constant(a)?, self.constant(b)?);
                let value = match op {
                    ast::BinOp::Add => a.checked_add(b),
                    ast::BinOp::Sub => a.checked_sub(b),
                    ast::BinOp::Mul => a.checked_mul(b),
                    ast::BinOp::Div => a.checked_div(b),
                    ast::BinOp::Rem => a.checked_rem(b),
                    _ => return Err(error("this is no number")),
                };
                value.ok_or_else(|| error("this number is too large, or a division by zero"))
            }
            _ => Err(error("this is no constant number")),
        }
    }

    fn ty(&mut self, ty: &ast::Type, at: At) -> Ty {
        match ty {
            ast::Type::Bool => Ty::Bool,
            ast::Type::Int => Ty::Int,
            ast::Type::Range(lo, hi) => match (self.constant(lo), self.constant(hi)) {
                (Ok(lo), Ok(hi)) if lo <= hi => Ty::Range(lo, hi),
                (Ok(_), Ok(_)) => {
                    self.error(at, "this range is empty");
                    Ty::Int
                }
                (lo, hi) => {
                    self.errors.extend(lo.err().into_iter().chain(hi.err()));
                    Ty::Int
                }
            },
            ast::Type::Class(name) => match self.classes.get(name) {
                Some(class) => Ty::Class(*class),
                None => {
                    self.error(at, format!("there is no class `{name}`"));
                    Ty::Null
                }
            },
        }
    }

    fn declare(&mut self, program: &Program) {
        for class in &program.classes {
            let info = ClassInfo { name: class.name.clone(), fields: vec![] };
            let id = self.code.classes.push(info);
            if self.classes.insert(class.name.clone(), id).is_some() {
                self.error(class.at, format!("there is a class `{}` already", class.name));
            }
        }
        for (class, id) in program.classes.iter().zip(self.code.classes.ids()) {
            self.fields(class, id);
            for proc in &class.procs {
                self.signature(class, id, proc);
            }
        }
        if self.code.threads.is_empty() {
            self.error(program.at, "no procedure is marked `activate`: nothing would run");
        }
    }

    fn fields(&mut self, class: &ast::Class, id: ClassId) {
        for (i, field) in class.fields.iter().enumerate() {
            if class.fields[..i].iter().any(|f| f.name == field.name) {
                self.error(field.at, format!("there is a field `{}` already", field.name));
            }
            let ty = self.ty(&field.ty, field.at);
            let info = VarInfo { name: field.name.clone(), ty, initial: ty.initial() };
            if field.is_static {
                let name = format!("{}.{}", class.name, field.name);
                self.statics.push(StaticField { class: id, name: field.name.clone() });
                self.code.statics.push(VarInfo { name, ..info });
            } else {
                self.code.classes[id].fields.push(info);
            }
            if self.code.classes[id].fields.len().max(self.statics.len()) > usize::from(u16::MAX) {
                return self.error(field.at, "there are too many fields");
            }
        }
    }

    fn signature(&mut self, class: &ast::Class, id: ClassId, proc: &ast::Proc) {
        if self.signatures.iter().any(|s| s.class == id && s.name == proc.name) {
            self.error(proc.at, format!("there is a procedure `{}` already", proc.name));
        }
        let params = proc.params.iter().map(|(ty, _)| self.ty(ty, proc.at)).collect();
        let result = proc.result.as_ref().map(|ty| self.ty(ty, proc.at));
        if proc.activate {
            if !proc.is_static || !proc.params.is_empty() {
                self.error(proc.at, "what is marked `activate` is static and has no parameters");
            }
            self.code.threads.push(ProcId::from_index(self.signatures.len()));
        }
        if proc.constructor && proc.is_static {
            self.error(proc.at, "a constructor is not static");
        }
        self.signatures.push(Signature {
            class: id,
            name: proc.name.clone(),
            is_static: proc.is_static,
            constructor: proc.constructor,
            params,
            result,
        });
        let name = format!("{}.{}", class.name, proc.name);
        let entry = Pc::from_index(0);
        let instance = !proc.is_static;
        self.code.procs.push(ProcInfo { name, entry, instance, formals: 0, locals: vec![] });
    }

    fn bodies(&mut self, program: &Program) {
        let mut next = 0;
        for class in &program.classes {
            for proc in &class.procs {
                let id = ProcId::from_index(next);
                next += 1;
                stmt::body(self, id, proc);
                if self.errors.len() >= MOST_MESSAGES {
                    return;
                }
            }
        }
    }

    /// Adds a node that leads to the one after it.
    fn emit(&mut self, proc: ProcId, instr: Instr, at: At) -> Pc {
        let pc = self.code.nodes.next_id();
        let last = matches!(instr, Instr::Return(_) | Instr::Fail(_));
        let next = if last { pc } else { Pc::from_index(pc.index() + 1) };
        self.code.nodes.push(Node { instr, next, proc, span: Some(at.0), labels: vec![] })
    }

    fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Bool => "bool".to_owned(),
            Ty::Int => "int".to_owned(),
            Ty::Range(lo, hi) => format!("int[{lo}..{hi}]"),
            Ty::Class(class) => self.code.classes[class].name.clone(),
            Ty::Null => "null".to_owned(),
        }
    }
}
