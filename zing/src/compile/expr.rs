//! Expressions and places, with their types.

use super::scope::{Meaning, Scope};
use crate::ast::{self, At, BinOp, ExprKind, UnOp};
use crate::code::{Expr, Place, Ty};
use crate::value::Value;

/// An expression in which something was wrong, which has been reported.
fn broken() -> (Expr, Ty) {
    (Expr::Const(Value::Null), Ty::Null)
}

impl Scope<'_> {
    /// An expression of any type.
    pub(super) fn expr(&mut self, e: &ast::Expr) -> (Expr, Ty) {
        match &e.kind {
            ExprKind::Null => (Expr::Const(Value::Null), Ty::Null),
            ExprKind::Bool(b) => (Expr::Const(Value::Bool(*b)), Ty::Bool),
            ExprKind::Int(n) => (Expr::Const(Value::Int(*n)), Ty::Range(*n, *n)),
            ExprKind::This => {
                if self.is_static {
                    self.env.error(e.at, "there is no `this` in a static procedure");
                }
                (Expr::Local(0), self.this())
            }
            ExprKind::Name(name) => match self.lookup(name, e.at) {
                Some(Meaning::Const(n)) => (Expr::Const(Value::Int(n)), Ty::Range(n, n)),
                Some(Meaning::Place(place, ty)) => (read(place), ty),
                None => {
                    self.env.error(e.at, format!("there is no variable or constant `{name}`"));
                    broken()
                }
            },
            ExprKind::Field(object, name) => match self.member(object, name, e.at) {
                Some((place, ty)) => (read(place), ty),
                None => broken(),
            },
            ExprKind::Unary(UnOp::Not, a) => (Expr::Not(Box::new(self.truth(a))), Ty::Bool),
            ExprKind::Unary(UnOp::Neg, a) => (Expr::Neg(Box::new(self.number(a))), Ty::Int),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.at),
        }
    }

    fn binary(&mut self, op: BinOp, a: &ast::Expr, b: &ast::Expr, at: At) -> (Expr, Ty) {
        let (a, b, ty) = match op {
            BinOp::Or | BinOp::And => (self.truth(a), self.truth(b), Ty::Bool),
            BinOp::Eq | BinOp::Ne => {
                let ((a, left), (b, right)) = (self.expr(a), self.expr(b));
                if !self.fits(left, right) && !self.fits(right, left) {
                    let (left, right) = (self.env.type_name(left), self.env.type_name(right));
                    self.env.error(at, format!("`{left}` and `{right}` are never equal"));
                }
                (a, b, Ty::Bool)
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => (self.number(a), self.number(b), Ty::Bool),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => {
                (self.number(a), self.number(b), Ty::Int)
            }
        };
        (Expr::Binary(op, Box::new(a), Box::new(b)), ty)
    }

    /// An expression that is a truth value.
    pub(super) fn truth(&mut self, e: &ast::Expr) -> Expr {
        self.of_type(e, Ty::Bool)
    }

    fn number(&mut self, e: &ast::Expr) -> Expr {
        self.of_type(e, Ty::Int)
    }

    /// An expression that can be stored in a place of the type.
    pub(super) fn of_type(&mut self, e: &ast::Expr, ty: Ty) -> Expr {
        let (value, found) = self.expr(e);
        self.fitted(value, found, ty, e.at)
    }

    /// A value of type `found`, made to fit `wanted`, or a message.
    pub(super) fn fitted(&mut self, value: Expr, found: Ty, wanted: Ty, at: At) -> Expr {
        if !self.fits(found, wanted) {
            let (wanted, found) = (self.env.type_name(wanted), self.env.type_name(found));
            self.env.error(at, format!("expected `{wanted}`, found `{found}`"));
        }
        match (found, wanted) {
            (Ty::Range(a, b), Ty::Range(lo, hi)) if lo <= a && b <= hi => value,
            (Ty::Int | Ty::Range(..), Ty::Range(lo, hi)) => Expr::Check(Box::new(value), lo, hi),
            _ => value,
        }
    }

    /// Whether a value of the first type can be stored in a place of the second, perhaps after a check.
    fn fits(&self, found: Ty, wanted: Ty) -> bool {
        match (found, wanted) {
            (Ty::Bool, Ty::Bool) | (Ty::Int | Ty::Range(..), Ty::Int | Ty::Range(..)) => true,
            (Ty::Null, Ty::Class(_) | Ty::Null) => true,
            (Ty::Class(a), Ty::Class(b)) => a == b,
            _ => false,
        }
    }

    /// What can be assigned to.
    pub(super) fn place(&mut self, e: &ast::Expr) -> Option<(Place, Ty)> {
        match &e.kind {
            ExprKind::Name(name) => match self.lookup(name, e.at) {
                Some(Meaning::Place(place, ty)) => Some((place, ty)),
                Some(Meaning::Const(_)) => {
                    self.env.error(e.at, format!("`{name}` is a constant"));
                    None
                }
                None => {
                    self.env.error(e.at, format!("there is no variable `{name}`"));
                    None
                }
            },
            ExprKind::Field(object, name) => self.member(object, name, e.at),
            _ => {
                self.env.error(e.at, "this cannot be assigned to");
                None
            }
        }
    }

    /// A field of an object, or a static field of a class.
    fn member(&mut self, object: &ast::Expr, name: &str, at: At) -> Option<(Place, Ty)> {
        if let ExprKind::Name(class) = &object.kind
            && let Some(id) = self.class_named(class)
        {
            if let Some(Meaning::Place(place, ty)) = self.static_of(id, name) {
                return Some((place, ty));
            }
            self.env.error(at, format!("class `{class}` has no static field `{name}`"));
            return None;
        }
        let (object, ty) = self.expr(object);
        let Ty::Class(class) = ty else {
            let message = format!("`{}` has no fields", self.env.type_name(ty));
            // A broken expression has been reported already.
            if object != broken().0 {
                self.env.error(at, message);
            } else if self.env.errors.is_empty() {
                self.env.error(at, "`null` has no fields");
            }
            return None;
        };
        match self.field_of(class, name) {
            Some((field, ty)) => Some((Place::Field(object, field), ty)),
            None => {
                let class = self.env.type_name(ty);
                self.env.error(at, format!("class `{class}` has no field `{name}`"));
                None
            }
        }
    }
}

/// The value of a place.
pub(super) fn read(place: Place) -> Expr {
    match place {
        Place::Local(slot) => Expr::Local(slot),
        Place::Static(i) => Expr::Static(i),
        Place::Field(object, field) => Expr::Field(Box::new(object), field),
    }
}
