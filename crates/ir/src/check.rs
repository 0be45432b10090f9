//! Well-formedness of C-- programs. Every stage may rely on these rules, and every pass that makes or rewrites
//! a program keeps them. The code follows the list.
//!
//! 1. Names. Records, procedures and globals have unique names; a procedure's variables differ from each other
//!    and from the globals. Names are C identifiers (record members may be unnamed).
//! 2. Tables. `globals`, `formals` and `locals` list each variable once, and the list fits its kind.
//! 3. Variables have types with a size; only globals have `data`, as many bytes as the type has.
//! 4. Records. A member lies inside its record; bit-fields are integers inside it; union members start at 0; no
//!    record contains itself.
//! 5. The entry procedure has a body and no formals. Each check is on an edge of its procedure, on no other's.
//! 6. Procedures. Formals and return variable are scalar and have the types of the procedure's type; without a
//!    body there is no graph, and no variable but formals and result; with one, entry, exit and the ends of
//!    edges exist, and the exit has no edges.
//! 7. Operations. Assigned, havocked, passed and returned values are scalar and have exactly the type of where
//!    they go; conditions are scalar; addresses are pointers, sizes and bytes are integers; a call has an
//!    argument for each parameter, and more only when the callee is variadic.
//! 8. Lvalues. The variable is a global or the procedure's own; only pointers to something with a type are
//!    dereferenced; fields are members of the record at hand, indices integers into the array at hand; the
//!    lvalue's type is the one that its path leads to.
//! 9. Expressions. Constants are in range. Arithmetic has operands of its own type, no narrower than `int`
//!    (shift amounts, and comparisons, may be of any integer type); comparisons have operands of one type or
//!    two pointers; truth values have type `int`; a pointer sum has the pointer's type, a difference the
//!    model's `ptrdiff_t`; casts are between scalars, not between pointers and floats. A bit-field has no
//!    address. `Math`, `Cond` and `Old` occur in predicates only.

mod expr;

use crate::expr::{Expr, Lvalue};
use crate::print;
use crate::program::{Callee, Op, Proc, ProcId, Program, VarId, VarKind};
use crate::types::{FuncType, RecordDef, RecordId, Type};
use base::{Id, IndexVec};
use std::collections::BTreeSet;
use std::sync::Arc;

/// All violations of the rules, each with the procedure and edge where it is; empty for a good program.
pub fn check(program: &Program) -> Vec<String> {
    let mut checker = Checker { program, proc: None, place: String::new(), violations: vec![] };
    checker.names();
    checker.tables();
    checker.variables();
    program.records.iter().for_each(|r| checker.record(r));
    if let Some(r) = self_containing(&program.records) {
        checker.fail(format!("record {} contains itself", program.records[r].name));
    }
    checker.entry_and_checks();
    for (id, proc) in program.procs.iter_enumerated() {
        checker.proc(id, proc);
    }
    checker.violations
}

struct Checker<'a> {
    program: &'a Program,
    proc: Option<ProcId>,
    place: String,
    violations: Vec<String>,
}

fn is_identifier(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

impl Checker<'_> {
    fn fail(&mut self, message: impl AsRef<str>) {
        self.violations.push(format!("{}{}", self.place, message.as_ref()));
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.fail(message());
        }
    }

    fn type_text(&self, ty: &Type) -> String {
        print::ty(self.program, ty)
    }

    fn names(&mut self) {
        let p = self.program;
        let records: Vec<&str> = p.records.iter().map(|r| r.name.as_str()).collect();
        let procs: Vec<&str> = p.procs.iter().map(|f| f.name.as_str()).collect();
        let globals: Vec<&str> = p.globals.iter().map(|v| p.vars[*v].name.as_str()).collect();
        self.distinct("record", &records);
        self.distinct("procedure", &procs);
        self.distinct("global", &globals);
        for proc in &p.procs {
            let own = proc.formals.iter().chain(&proc.locals);
            let mut visible: Vec<&str> = own.map(|v| p.vars[*v].name.as_str()).collect();
            self.place = format!("{}: ", proc.name);
            self.distinct("variable", &visible);
            visible.retain(|n| globals.contains(n));
            for name in visible {
                self.fail(format!("variable '{name}' has the name of a global"));
            }
        }
        self.place.clear();
    }

    fn distinct(&mut self, what: &str, names: &[&str]) {
        let mut seen = BTreeSet::new();
        for name in names {
            self.require(is_identifier(name), || format!("{what} name '{name}' is no identifier"));
            self.require(seen.insert(*name), || format!("two {what}s are called '{name}'"));
        }
    }

    fn tables(&mut self) {
        let p = self.program;
        let mut listed = BTreeSet::new();
        let mut list = |checker: &mut Self, v: VarId, fits: bool| {
            checker.require(listed.insert(v), || format!("variable {v} is listed twice"));
            checker.require(fits, || format!("variable {v} is in the wrong list"));
        };
        for v in &p.globals {
            list(self, *v, p.vars[*v].kind == VarKind::Global);
        }
        for (id, proc) in p.procs.iter_enumerated() {
            for v in &proc.formals {
                list(self, *v, p.vars[*v].kind == VarKind::Formal(id));
            }
            for v in &proc.locals {
                let kind = p.vars[*v].kind;
                let fits = [VarKind::Local(id), VarKind::Temp(id), VarKind::Return(id)].contains(&kind);
                list(self, *v, fits);
            }
        }
        for v in p.vars.ids().filter(|v| !listed.contains(v)) {
            self.fail(format!("variable {v} ({}) is in no list", p.vars[v].name));
        }
    }

    fn variables(&mut self) {
        let p = self.program;
        for (v, var) in p.vars.iter_enumerated() {
            let size = p.size_of(&var.ty);
            self.require(size.is_some() && !contains_math(&var.ty), || {
                format!("variable {v} ({}) has type '{}', which has no size", var.name, print::ty(p, &var.ty))
            });
            self.require(var.align == 0 || var.align.is_power_of_two() && var.align <= 1 << 32, || {
                format!("the alignment of variable {v} ({}) is no power of two, or too large", var.name)
            });
            if let Some(data) = &var.data {
                self.require(var.kind == VarKind::Global && size == Some(data.len() as u64), || {
                    format!("variable {v} ({}) has data that does not fit it", var.name)
                });
            }
        }
    }

    fn record(&mut self, record: &RecordDef) {
        self.place = format!("record {}: ", record.name);
        self.require(record.align.is_power_of_two(), || "the alignment is no power of two".into());
        for (n, field) in record.fields.iter().enumerate() {
            let size = self.program.size_of(&field.ty);
            let name = || if field.name.is_empty() { format!("${n}") } else { field.name.clone() };
            self.require(field.name.is_empty() || is_identifier(&field.name), || {
                format!("member name '{}' is no identifier", field.name)
            });
            let end_bits = match (field.bit_offset, &field.ty) {
                (Some(bit), Type::Int(i)) => {
                    field.offset.saturating_mul(8).saturating_add(u64::from(bit) + u64::from(i.bits))
                }
                (Some(_), _) => {
                    self.fail(format!("bit-field {} is no integer", name()));
                    continue;
                }
                (None, Type::Array(_, None)) => field.offset.saturating_mul(8),
                (None, _) => match size {
                    Some(size) => field.offset.saturating_add(size).saturating_mul(8),
                    None => {
                        self.fail(format!("member {} has a type without a size", name()));
                        continue;
                    }
                },
            };
            self.require(end_bits <= record.size.saturating_mul(8), || {
                format!("member {} ends behind the record", name())
            });
            self.require(!record.is_union || field.offset == 0, || {
                format!("union member {} does not start at 0", name())
            });
        }
        self.place.clear();
    }

    fn entry_and_checks(&mut self) {
        let p = self.program;
        match p.procs.get(p.entry) {
            Some(entry) => self.require(entry.has_body && entry.formals.is_empty(), || {
                format!("the entry procedure {} has formals or no body", entry.name)
            }),
            None => self.fail("the entry procedure does not exist"),
        }
        let mut carried = BTreeSet::new();
        for (id, proc) in p.procs.iter_enumerated() {
            for (e, edge) in proc.edges.iter_enumerated() {
                let Op::Check(check, _) = edge.op else { continue };
                carried.insert(check);
                let right = p.checks.get(check).is_some_and(|c| c.proc == id);
                self.require(right, || format!("{} {e}: {check} belongs to another procedure", proc.name));
            }
        }
        for check in p.checks.ids().filter(|c| !carried.contains(c)) {
            self.fail(format!("no edge carries {check}"));
        }
    }

    fn proc(&mut self, id: ProcId, proc: &Proc) {
        self.proc = Some(id);
        self.place = format!("{}: ", proc.name);
        let p = self.program;
        let formals: Vec<&Type> = proc.formals.iter().map(|v| &p.vars[*v].ty).collect();
        let expected: Vec<&Type> = proc.ty.params.iter().collect();
        let unnamed = !proc.has_body && formals.is_empty();
        self.require(unnamed || formals == expected, || "the formals do not fit the procedure's type".into());
        for ty in expected {
            self.require(ty.is_scalar(), || format!("a parameter has type '{}'", print::ty(p, ty)));
        }
        match (proc.ty.ret.clone(), proc.ret) {
            (Type::Void, None) => {}
            (_, None) => self.require(!proc.has_body, || "there is no return variable".into()),
            (ty, Some(v)) => self.require(
                p.vars[v].ty == ty && p.vars[v].kind == VarKind::Return(id) && ty.is_scalar(),
                || "the return variable does not fit the procedure's type".into(),
            ),
        }
        if !proc.has_body {
            let only_result = proc.locals.iter().all(|v| Some(*v) == proc.ret);
            let empty = proc.locations.is_empty() && proc.edges.is_empty() && only_result;
            return self.require(empty, || "there is a graph but no body".into());
        }
        for (what, l) in [("entry", proc.entry), ("exit", proc.exit)] {
            self.require(proc.locations.get(l).is_some(), || format!("the {what} {l} does not exist"));
        }
        for (e, edge) in proc.edges.iter_enumerated() {
            self.place = format!("{} {e}: ", proc.name);
            let ends = proc.locations.get(edge.src).is_some() && proc.locations.get(edge.dst).is_some();
            self.require(ends, || "an end of the edge does not exist".into());
            self.require(edge.src != proc.exit, || "the edge leaves the exit".into());
            self.op(&edge.op);
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip => {}
            Op::Assign(lv, e) => {
                self.scalar_lvalue(lv);
                self.expr(e);
                self.fits(&e.ty(), &lv.ty, "the assigned value");
            }
            Op::Havoc(lv, _) => self.scalar_lvalue(lv),
            Op::Assume(e) | Op::Check(_, e) => self.scalar(e),
            Op::Call { dest, callee, args } => self.call(dest.as_ref(), callee, args),
            Op::Alloc { dest, size, .. } => {
                self.scalar_lvalue(dest);
                self.require(dest.ty.is_ptr(), || "the address goes to no pointer".into());
                self.integer(size);
            }
            Op::Free(e) => self.pointer(e),
            Op::Inspect { dest, ptr, .. } => {
                self.scalar_lvalue(dest);
                self.require(matches!(dest.ty, Type::Int(_)), || "the answer goes to no integer".into());
                self.pointer(ptr);
            }
            Op::Output { args, .. } => args.iter().for_each(|a| self.scalar(a)),
            Op::MemSet { ptr, byte, len } => {
                self.pointer(ptr);
                self.integer(byte);
                self.integer(len);
            }
            Op::MemCopy { dst, src, len } => {
                self.pointer(dst);
                self.pointer(src);
                self.integer(len);
            }
        }
    }

    fn call(&mut self, dest: Option<&Lvalue>, callee: &Callee, args: &[Expr]) {
        let ty: Arc<FuncType> = match callee {
            Callee::Direct(p) => match self.program.procs.get(*p) {
                Some(proc) => proc.ty.clone(),
                None => return self.fail(format!("there is no procedure {}", p.index())),
            },
            Callee::Indirect(e) => {
                self.scalar(e);
                match e.ty().pointee() {
                    Some(Type::Func(ty)) => ty.clone(),
                    _ => return self.fail("the callee is no function pointer"),
                }
            }
        };
        let count = args.len() == ty.params.len() || ty.variadic && args.len() > ty.params.len();
        self.require(count, || format!("{} arguments for {} parameters", args.len(), ty.params.len()));
        for (i, arg) in args.iter().enumerate() {
            self.scalar(arg);
            if let Some(param) = ty.params.get(i) {
                self.fits(&arg.ty(), param, "an argument");
            }
        }
        if let Some(dest) = dest {
            self.scalar_lvalue(dest);
            self.fits(&ty.ret, &dest.ty, "the result");
        }
    }

    fn fits(&mut self, from: &Type, to: &Type, what: &str) {
        if from != to {
            let (from, to) = (self.type_text(from), self.type_text(to));
            self.fail(format!("{what} has type '{from}', not '{to}'"));
        }
    }
}

/// A record that has itself as a member, or as a member of a member.
pub(crate) fn self_containing(records: &IndexVec<RecordId, RecordDef>) -> Option<RecordId> {
    let members = |r: RecordId| {
        records[r].fields.iter().filter_map(|f| {
            let mut ty = &f.ty;
            while let Type::Array(elem, _) = ty {
                ty = elem;
            }
            if let Type::Record(inner) = ty { Some(*inner) } else { None }
        })
    };
    // Records without members that are still there are taken away until none is left, or a cycle is.
    let mut inside: IndexVec<RecordId, usize> = records.ids().map(|r| members(r).count()).collect();
    let mut containers = IndexVec::from_elem(vec![], records.len());
    for r in records.ids() {
        members(r).for_each(|m| containers[m].push(r));
    }
    let mut free: Vec<RecordId> = records.ids().filter(|r| inside[*r] == 0).collect();
    while let Some(r) = free.pop() {
        for container in &containers[r] {
            inside[*container] -= 1;
            if inside[*container] == 0 {
                free.push(*container);
            }
        }
    }
    records.ids().find(|r| inside[*r] > 0)
}

fn contains_math(ty: &Type) -> bool {
    match ty {
        Type::Math => true,
        Type::Array(elem, _) => contains_math(elem),
        Type::Ptr(to) => contains_math(to),
        _ => false,
    }
}
