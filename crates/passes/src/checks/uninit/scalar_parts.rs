//! The scalar parts of local variables, numbered: members, and elements of short arrays.

use ir::expr::{Access, Base, Expr, Lvalue};
use ir::program::{Program, VarId, VarKind};
use ir::types::Type;
use rustc_hash::FxHashMap;

/// The number of a scalar part.
pub(crate) type Part = u32;

/// Variables with more parts than this are not taken apart.
const MOST: usize = 64;

/// All parts.
pub(crate) struct Parts {
    lvalues: Vec<Lvalue>,
    /// First part and number of parts.
    of: FxHashMap<VarId, (u32, u32)>,
}

impl Parts {
    pub(crate) fn new(program: &Program) -> Parts {
        let mut parts = Parts { lvalues: vec![], of: FxHashMap::default() };
        for (v, var) in program.vars.iter_enumerated() {
            let is_taken_apart = match var.kind {
                VarKind::Local(_) | VarKind::Return(_) => true,
                VarKind::Temp(_) => !var.ty.is_scalar(),
                VarKind::Global | VarKind::Formal(_) => false,
            };
            if !is_taken_apart {
                continue;
            }
            let mut leaves = vec![];
            if collect(program, program.lvalue(v), &mut leaves).is_some() {
                parts.of.insert(v, (parts.lvalues.len() as u32, leaves.len() as u32));
                parts.lvalues.extend(leaves);
            }
        }
        parts
    }

    /// The parts of a variable; none when it is not taken apart.
    pub(crate) fn of(&self, v: VarId) -> Vec<Part> {
        self.of.get(&v).map_or(vec![], |(first, count)| (*first..first + count).collect())
    }

    /// The location of a part.
    pub(crate) fn lvalue(&self, part: Part) -> &Lvalue {
        &self.lvalues[part as usize]
    }

    /// The part that the location is.
    pub(crate) fn exact(&self, lv: &Lvalue) -> Option<Part> {
        let Base::Var(v) = lv.base else { return None };
        self.of(v).into_iter().find(|part| same_path(&self.lvalue(*part).path, &lv.path, false))
    }

    /// The parts that a read of the location may read: several when an index is not constant.
    pub(crate) fn read(&self, lv: &Lvalue) -> Vec<Part> {
        let Base::Var(v) = lv.base else { return vec![] };
        let parts = self.of(v).into_iter();
        parts.filter(|part| same_path(&self.lvalue(*part).path, &lv.path, true)).collect()
    }
}

/// Whether the path leads to the part; with `some`, an index that is not a constant may lead anywhere.
fn same_path(part: &[Access], path: &[Access], some: bool) -> bool {
    part.len() == path.len()
        && part.iter().zip(path).all(|(a, b)| match (a, b) {
            (Access::Index(Expr::Const(i, _)), Access::Index(Expr::Const(j, _))) => i == j,
            (Access::Index(_), Access::Index(_)) => some,
            _ => a == b,
        })
}

fn collect(program: &Program, lv: Lvalue, out: &mut Vec<Lvalue>) -> Option<()> {
    match &lv.ty {
        Type::Record(r) => {
            if program.records[*r].is_union {
                return None;
            }
            program.members(&lv, *r).try_for_each(|inner| collect(program, inner, out))
        }
        Type::Array(elem, Some(n)) if *n <= MOST as u64 => {
            for i in 0..*n {
                let inner = lv.clone().step(Access::Index(Expr::int(i128::from(i))), (**elem).clone());
                collect(program, inner, out)?;
            }
            Some(())
        }
        ty if ty.is_scalar() => {
            out.push(lv);
            (out.len() <= MOST).then_some(())
        }
        _ => None,
    }
}
