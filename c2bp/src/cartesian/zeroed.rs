//! Named objects that become zero: what is read from them afterwards.

use super::{Statement, Targets};
use ir::{Access, Base, BinOp, Expr, Lvalue, Type};

impl Statement<'_> {
    /// Zeroing a named object, or a member of one, gives zero to what is read directly from it; everything else
    /// that may be written is arbitrary.
    pub(super) fn memset(&mut self, ptr: &Expr, byte: &Expr, len: &Expr) -> Targets {
        let mods = self.mods();
        let program = &self.world.base.program;
        let area = match (byte.constant(), len.constant()) {
            (Some(0), Some(len)) => zeroed_area(program, ptr, len),
            _ => None,
        };
        match area {
            Some(area) => self.overwrite(&mods, &|e| Some(read_zero(program, &area, e.clone()))),
            None => self.overwrite(&mods, &|e| Some(e.clone())),
        }
    }
}

/// The named location that `len` bytes at `ptr` are exactly.
fn zeroed_area(program: &ir::Program, ptr: &Expr, len: i128) -> Option<Lvalue> {
    let mut ptr = ptr;
    while let Expr::Cast(inner, Type::Ptr(_)) = ptr {
        ptr = inner;
    }
    let Expr::AddrOf(lv) = ptr else { return None };
    let Base::Var(v) = lv.base else { return None };
    let mut area = (**lv).clone();
    while program.size_of(&area.ty).map(i128::from) != Some(len) {
        // The address of an array's first element, or of a record's first member, is that of the whole.
        match area.path.pop()? {
            Access::Index(i) if i.constant() == Some(0) => {}
            Access::Field(r, f) if program.field(r, f).offset == 0 => {}
            _ => return None,
        }
        area.ty = path_type(program, v, &area.path)?;
    }
    let fixed = |a: &Access| !matches!(a, Access::Index(i) if i.constant().is_none());
    area.path.iter().all(fixed).then_some(area)
}

fn path_type(program: &ir::Program, v: ir::VarId, path: &[Access]) -> Option<Type> {
    path.iter().try_fold(program.vars[v].ty.clone(), |ty, access| program.part_type(&ty, access))
}

/// The expression with zero for every read, outside `old`, of a location inside the area. An index that may lie
/// outside its array reads zero only when it does not.
fn read_zero(program: &ir::Program, area: &Lvalue, e: Expr) -> Expr {
    if matches!(e, Expr::Old(_)) {
        return e;
    }
    let inside = matches!(&e, Expr::Load(lv) if lv.base == area.base && lv.path.starts_with(&area.path));
    match e.rebuilt(&mut |e| read_zero(program, area, e)) {
        Expr::Load(read) if inside => match in_bounds(program, &read) {
            None | Some(Expr::Const(0, _)) => read.load(),
            Some(Expr::Const(..)) => Expr::Const(0, read.ty),
            Some(condition) => {
                let zero = Expr::Const(0, read.ty.clone());
                Expr::Cond(Box::new(condition), Box::new(zero), Box::new(read.load()))
            }
        },
        other => other,
    }
}

/// The condition that all indices of a path in a variable lie inside their arrays; a constant where it can be decided.
/// `None` when an array's length is not known.
fn in_bounds(program: &ir::Program, lv: &Lvalue) -> Option<Expr> {
    let Base::Var(v) = lv.base else { return None };
    let mut condition = Expr::truth(true);
    for (depth, access) in lv.path.iter().enumerate() {
        let Access::Index(i) = access else { continue };
        let Type::Array(_, Some(len)) = path_type(program, v, &lv.path[..depth])? else { return None };
        let len = i128::from(len);
        match i.constant() {
            Some(k) if (0..len).contains(&k) => {}
            Some(_) => return Some(Expr::truth(false)),
            None => {
                let fits = i.ty().as_int().is_none_or(|t| len <= t.max());
                let low = Expr::binary(BinOp::Ge, i.clone(), Expr::Const(0, i.ty()));
                let high = Expr::binary(BinOp::Lt, i.clone(), Expr::Const(len, i.ty()));
                let inside = if fits { Expr::and(low, high) } else { low };
                condition = match condition {
                    Expr::Const(..) => inside,
                    c => Expr::and(c, inside),
                };
            }
        }
    }
    Some(condition)
}
