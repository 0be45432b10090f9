//! Rules 8 and 9: lvalues and expressions.

use super::Checker;
use crate::convert;
use crate::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use crate::program::ProcId;
use crate::types::{IntType, Type};

impl Checker<'_> {
    pub(super) fn scalar(&mut self, e: &Expr) {
        self.expr(e);
        self.require(e.ty().is_scalar(), || "the expression is not scalar".into());
    }

    pub(super) fn integer(&mut self, e: &Expr) {
        self.expr(e);
        self.require(e.ty().as_int().is_some(), || "the expression is no integer".into());
    }

    pub(super) fn pointer(&mut self, e: &Expr) {
        self.expr(e);
        self.require(e.ty().is_ptr(), || "the expression is no pointer".into());
    }

    pub(super) fn scalar_lvalue(&mut self, lv: &Lvalue) {
        self.lvalue(lv);
        self.require(lv.ty.is_scalar(), || "the location is not scalar".into());
    }

    /// Checks the lvalue; returns whether it is a bit-field.
    fn lvalue(&mut self, lv: &Lvalue) -> bool {
        let p = self.program;
        let mut ty = match &lv.base {
            Base::Var(v) => match p.vars.get(*v) {
                Some(var) => {
                    let visible = var.proc().is_none_or(|owner| Some(owner) == self.proc);
                    self.require(visible, || format!("{v} ({}) belongs to another procedure", var.name));
                    var.ty.clone()
                }
                None => {
                    self.fail(format!("there is no variable {v}"));
                    return false;
                }
            },
            Base::Deref(e) => {
                self.expr(e);
                match e.ty().pointee() {
                    Some(to) => to.clone(),
                    None => {
                        self.fail("what is dereferenced is no pointer");
                        return false;
                    }
                }
            }
        };
        let mut bits = false;
        for access in &lv.path {
            bits = false;
            ty = match (access, &ty) {
                (Access::Field(r, n), Type::Record(at)) if r == at => {
                    match p.records[*r].fields.get(*n as usize) {
                        Some(field) => {
                            bits = field.bit_offset.is_some();
                            field.ty.clone()
                        }
                        None => {
                            self.fail(format!("record {} has no member {n}", p.records[*r].name));
                            return false;
                        }
                    }
                }
                (Access::Index(i), Type::Array(elem, _)) => {
                    self.integer(i);
                    (**elem).clone()
                }
                _ => {
                    let ty = self.type_text(&ty);
                    self.fail(format!("the path of the lvalue does not fit the type '{ty}'"));
                    return false;
                }
            };
        }
        self.fits(&ty, &lv.ty, "the lvalue");
        bits
    }

    pub(super) fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Const(v, ty) => match ty {
                Type::Int(i) => {
                    self.require(i.wrap(*v) == *v, || format!("the constant {v} is out of range"))
                }
                Type::Ptr(_) => {}
                _ => self.fail("an integer constant has another type"),
            },
            Expr::Float(_, ty) => {
                self.require(matches!(ty, Type::Float(_)), || "a float constant has another type".into());
            }
            Expr::Load(lv) => self.scalar_lvalue(lv),
            Expr::AddrOf(lv) => {
                let bits = self.lvalue(lv);
                self.require(!bits, || "a bit-field has no address".into());
            }
            Expr::Func(f, ty) => self.function(*f, ty),
            Expr::Unary(op, operand, ty) => {
                self.scalar(operand);
                if *op == UnOp::Not {
                    self.fits(ty, &Type::INT, "a truth value");
                } else if let UnOp::Left(unit) | UnOp::Before(unit) = op {
                    let own = crate::extent::extent_type();
                    self.fits(ty, &own, "the extent of an object");
                    self.require(operand.ty().is_ptr() && *unit > 0, || {
                        "the extent of an object is asked of a pointer, in elements of a size".into()
                    });
                } else if *op == UnOp::Start {
                    self.fits(ty, &Type::Void.ptr_to(), "the start of an object");
                    self.require(operand.ty().is_ptr(), || {
                        "the start of an object is asked of a pointer".into()
                    });
                } else if let UnOp::Float(op) = op {
                    let given = op.result(&operand.ty());
                    self.require(given.is_some(), || format!("{} has another operand", op.name()));
                    self.fits(ty, &given.unwrap_or(Type::INT), "the result");
                } else {
                    self.fits(&operand.ty(), ty, "the operand");
                    self.arithmetic(ty, *op == UnOp::BitNot);
                }
            }
            Expr::Binary(op, l, r, ty) => {
                self.scalar(l);
                self.scalar(r);
                self.binary(*op, &l.ty(), &r.ty(), ty);
            }
            Expr::Cast(operand, ty) => {
                self.scalar(operand);
                let from = operand.ty();
                let float = |t: &Type| matches!(t, Type::Float(_));
                let mixed = from.is_ptr() && float(ty) || ty.is_ptr() && float(&from);
                self.require(ty.is_scalar() && *ty != Type::Math && !mixed, || {
                    "the cast is not possible".into()
                });
            }
            Expr::Cond(..) | Expr::Old(_) => self.fail("the expression is a form of predicates"),
        }
    }

    fn function(&mut self, f: ProcId, ty: &Type) {
        let Some(proc) = self.program.procs.get(f) else {
            return self.fail("a function address names no procedure");
        };
        let own = Type::Func(proc.ty.clone()).ptr_to();
        self.fits(ty, &own, "a function address");
    }

    fn arithmetic(&mut self, ty: &Type, integers_only: bool) {
        let good = match ty {
            Type::Int(i) => i.bits >= IntType::INT.bits,
            Type::Float(_) => !integers_only,
            _ => false,
        };
        if !good {
            let ty = self.type_text(ty);
            self.fail(format!("arithmetic at type '{ty}'"));
        }
    }

    fn binary(&mut self, op: BinOp, lt: &Type, rt: &Type, ty: &Type) {
        match op {
            _ if op.is_comparison() => {
                let good = lt == rt && *lt != Type::Math || lt.is_ptr() && rt.is_ptr();
                self.require(good, || "the compared values have different types".into());
                self.fits(ty, &Type::INT, "a truth value");
            }
            BinOp::And | BinOp::Or => self.fits(ty, &Type::INT, "a truth value"),
            BinOp::PtrAdd => {
                self.fits(lt, ty, "the pointer");
                self.require(lt.is_ptr() && rt.as_int().is_some(), || "a pointer sum of other types".into());
                self.element(lt);
            }
            BinOp::PtrDiff => {
                self.fits(ty, &convert::difference_type(self.program.model), "a pointer difference");
                self.require(lt.is_ptr() && lt == rt, || "a pointer difference of other types".into());
                self.element(lt);
            }
            BinOp::Shl | BinOp::Shr => {
                self.fits(lt, ty, "the left operand");
                self.require(rt.as_int().is_some(), || "a shift by no integer".into());
                self.arithmetic(ty, true);
            }
            BinOp::Rounded(..) => {
                self.fits(lt, ty, "the left operand");
                self.fits(rt, ty, "the right operand");
                self.require(matches!(ty, Type::Float(_)), || {
                    "only floating-point numbers are rounded".into()
                });
            }
            _ => {
                self.fits(lt, ty, "the left operand");
                self.fits(rt, ty, "the right operand");
                self.arithmetic(ty, !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div));
            }
        }
    }

    /// Elements are counted in their size; `void` and functions count as one byte, as in gcc.
    fn element(&mut self, pointer: &Type) {
        let good = match pointer.pointee() {
            Some(Type::Void | Type::Func(_)) => true,
            Some(to) => self.program.size_of(to).is_some(),
            None => false,
        };
        self.require(good, || "pointer arithmetic on elements without a size".into());
    }
}
