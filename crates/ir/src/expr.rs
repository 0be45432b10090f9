//! Expressions and lvalues. They have no side effects and no calls; every node knows its type.
//!
//! In a program, arithmetic has C's meaning at the node's type. In predicates three more forms occur:
//! arithmetic at type [`Type::Math`], [`Expr::Cond`] (from Morris' rule), and [`Expr::Old`].

mod floats;
mod parts;

pub use floats::FloatOp;

use crate::program::{ProcId, VarId};
use crate::types::{RecordId, Type};
use ieee::{Arithmetic, Rounding};

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnOp {
    /// Arithmetic negation.
    Neg,
    /// Bitwise complement.
    BitNot,
    /// Logical not: 1 if the operand (any scalar) is zero, else 0.
    Not,
    /// How many whole elements of this many bytes (at least 1) its object has from a pointer on, rounded down;
    /// negative where the pointer is behind the end. Pointers into no object are in one of size 0 at NULL. The
    /// type is that of pointer differences. It is undefined when the object does not live any more, and
    /// executions end there.
    Left(u64),
    /// The same before the pointer.
    Before(u64),
    /// The first byte of the object that a pointer points into, as a `void *`: which object it is. It stays defined when the object does
    /// not live any more; of a pointer into no object it is NULL.
    Start,
    /// An operation on a floating-point number.
    Float(FloatOp),
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinOp {
    /// `+` on numbers.
    Add,
    /// `-` on numbers.
    Sub,
    /// `*`.
    Mul,
    /// `/`, truncating for integers.
    Div,
    /// `%`, with the sign of the left operand.
    Rem,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
    /// `<<`; the right operand may have another integer type.
    Shl,
    /// `>>`, arithmetic on signed left operands; the right operand may have another integer type.
    Shr,
    /// `==`; operands have the same type (or are both pointers); the result is `int`, as for all comparisons.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// Logical and of two scalars, without evaluation order (operands have no effects); result `int`.
    And,
    /// Logical or of two scalars; result `int`.
    Or,
    /// Pointer plus an integer, counted in elements of the pointee; the result has the pointer's type.
    PtrAdd,
    /// Difference of two pointers in elements of the pointee.
    PtrDiff,
    /// Arithmetic on floating-point numbers of one type that is not rounded to nearest, as the other operators are.
    Rounded(Arithmetic, Rounding),
}

impl BinOp {
    /// One of the six comparisons.
    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
    }

    /// The outcome of the comparison; `None` for other operators.
    pub fn compare<T: PartialOrd>(self, l: &T, r: &T) -> Option<bool> {
        Some(match self {
            BinOp::Eq => l == r,
            BinOp::Ne => l != r,
            BinOp::Lt => l < r,
            BinOp::Le => l <= r,
            BinOp::Gt => l > r,
            BinOp::Ge => l >= r,
            _ => return None,
        })
    }

    /// The comparison that holds exactly when this one does not (not for floating point, except `==`, `!=`).
    pub fn negated(self) -> Option<BinOp> {
        Some(match self {
            BinOp::Eq => BinOp::Ne,
            BinOp::Ne => BinOp::Eq,
            BinOp::Lt => BinOp::Ge,
            BinOp::Ge => BinOp::Lt,
            BinOp::Gt => BinOp::Le,
            BinOp::Le => BinOp::Gt,
            _ => return None,
        })
    }

    /// The comparison with its sides exchanged.
    pub fn swapped(self) -> Option<BinOp> {
        Some(match self {
            BinOp::Eq | BinOp::Ne => self,
            BinOp::Lt => BinOp::Gt,
            BinOp::Gt => BinOp::Lt,
            BinOp::Le => BinOp::Ge,
            BinOp::Ge => BinOp::Le,
            _ => return None,
        })
    }

    /// How C writes it; `PtrAdd` and `PtrDiff` as `+` and `-`, and what is rounded otherwise as a function.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Add | BinOp::PtrAdd => "+",
            BinOp::Sub | BinOp::PtrDiff => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::BitAnd => "&",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::And => "&&",
            BinOp::Or => "||",
            BinOp::Rounded(op, rounding) => floats::name(op, rounding),
        }
    }
}

/// The start of an lvalue.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// A variable.
    Var(VarId),
    /// The target of a pointer-valued expression; the pointer's pointee type is the type of the base.
    Deref(Box<Expr>),
}

/// One step into an aggregate.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    /// Member number of a record.
    Field(RecordId, u32),
    /// Element of an array; any integer type.
    Index(Expr),
}

/// A location: a variable or dereference, and a path of fields and indices from there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lvalue {
    /// Its start.
    pub base: Base,
    /// Steps into the object, outermost first.
    pub path: Vec<Access>,
    /// Type of the location.
    pub ty: Type,
}

impl Lvalue {
    /// A whole variable.
    pub fn var(v: VarId, ty: Type) -> Lvalue {
        Lvalue { base: Base::Var(v), path: vec![], ty }
    }

    /// The target of `pointer`. Panics when that is not a pointer.
    pub fn deref(pointer: Expr) -> Lvalue {
        let ty = pointer.ty();
        let ty = ty.pointee().expect("only pointers are dereferenced").clone();
        Lvalue { base: Base::Deref(Box::new(pointer)), path: vec![], ty }
    }

    /// One step further in; `ty` is the type of the member or element.
    #[must_use]
    pub fn step(mut self, access: Access, ty: Type) -> Lvalue {
        self.path.push(access);
        self.ty = ty;
        self
    }

    /// The variable, when the lvalue is one, whole.
    pub fn as_var(&self) -> Option<VarId> {
        match self.base {
            Base::Var(v) if self.path.is_empty() => Some(v),
            _ => None,
        }
    }

    /// Whether it is a variable or a member of one, which needs no evaluation to be found.
    pub fn is_fixed(&self) -> bool {
        matches!(self.base, Base::Var(_)) && self.path.iter().all(|a| matches!(a, Access::Field(..)))
    }

    /// Its value (for scalar types).
    pub fn load(self) -> Expr {
        Expr::Load(Box::new(self))
    }

    /// Its address.
    pub fn addr(self) -> Expr {
        Expr::AddrOf(Box::new(self))
    }
}

/// An expression.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Expr {
    /// A constant of an integer type, `Math`, or a pointer type (0 is NULL).
    Const(i128, Type),
    /// A floating-point constant: the bits of the `f64` that the source text denotes.
    Float(u64, Type),
    /// The value of a scalar location.
    Load(Box<Lvalue>),
    /// The address of a location (an array decays to the address of its first element). The node's type is a
    /// pointer to the lvalue's type.
    AddrOf(Box<Lvalue>),
    /// The address of a procedure, with its pointer type.
    Func(ProcId, Type),
    /// A unary operation with its result type.
    Unary(UnOp, Box<Expr>, Type),
    /// A binary operation with its result type.
    Binary(BinOp, Box<Expr>, Box<Expr>, Type),
    /// A conversion between scalar types (integers: modulo 2^bits; to `Math`: the value).
    Cast(Box<Expr>, Type),
    /// Predicates only: the second operand if the first is nonzero, else the third.
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Predicates only: the value at the entry of the procedure.
    Old(Box<Expr>),
}

impl Expr {
    /// An `int` constant.
    pub fn int(v: i128) -> Expr {
        Expr::Const(v, Type::INT)
    }

    /// The constant 1 or 0 of type `int`.
    pub fn truth(b: bool) -> Expr {
        Expr::int(i128::from(b))
    }

    /// The type of the value.
    pub fn ty(&self) -> Type {
        match self {
            Expr::Const(_, t)
            | Expr::Float(_, t)
            | Expr::Func(_, t)
            | Expr::Unary(_, _, t)
            | Expr::Binary(_, _, _, t)
            | Expr::Cast(_, t) => t.clone(),
            Expr::Load(lv) => lv.ty.clone(),
            Expr::AddrOf(lv) => lv.ty.clone().ptr_to(),
            Expr::Cond(_, a, _) => a.ty(),
            Expr::Old(e) => e.ty(),
        }
    }

    /// The value of a variable.
    pub fn var(v: VarId, ty: Type) -> Expr {
        Lvalue::var(v, ty).load()
    }

    /// A binary operation; comparisons and logical operators get type `int`, the others the left operand's.
    ///
    /// # Panics
    /// A difference of pointers has the data model's type.
    pub fn binary(op: BinOp, l: Expr, r: Expr) -> Expr {
        let ty = match op {
            _ if op.is_comparison() => Type::INT,
            BinOp::And | BinOp::Or => Type::INT,
            BinOp::PtrDiff => panic!("the data model says which type a difference of pointers has"),
            _ => l.ty(),
        };
        Expr::Binary(op, Box::new(l), Box::new(r), ty)
    }

    /// Both conditions.
    #[must_use]
    pub fn and(self, other: Expr) -> Expr {
        Expr::binary(BinOp::And, self, other)
    }

    /// The conditions that the condition joins with `&&`, from left to right.
    pub fn conjuncts(&self) -> Vec<&Expr> {
        match self {
            Expr::Binary(BinOp::And, l, r, _) => [l.conjuncts(), r.conjuncts()].concat(),
            other => vec![other],
        }
    }

    /// One of the conditions.
    #[must_use]
    pub fn or(self, other: Expr) -> Expr {
        Expr::binary(BinOp::Or, self, other)
    }

    /// A conversion, left out when the type is already `ty`; integer constants are converted at once.
    #[must_use]
    pub fn cast(self, ty: Type) -> Expr {
        match (&self, &ty) {
            _ if self.ty() == ty => self,
            (Expr::Const(v, Type::Int(_)), Type::Int(to)) => Expr::Const(to.wrap(*v), ty),
            (Expr::Const(0, _), Type::Ptr(_)) => Expr::Const(0, ty),
            (Expr::Const(v, Type::Int(_)), Type::Math) => Expr::Const(*v, ty),
            _ => Expr::Cast(Box::new(self), ty),
        }
    }

    /// Whether it is a truth value: a comparison, a logical operation, or the constant 0 or 1.
    pub fn is_condition(&self) -> bool {
        match self {
            Expr::Binary(op, ..) => op.is_comparison() || matches!(op, BinOp::And | BinOp::Or),
            Expr::Unary(UnOp::Not, ..) => true,
            Expr::Const(v, Type::Int(_)) => *v == 0 || *v == 1,
            Expr::Cond(_, a, b) => a.is_condition() && b.is_condition(),
            Expr::Old(e) => e.is_condition(),
            _ => false,
        }
    }

    /// The condition that the scalar is not zero.
    #[must_use]
    pub fn truthy(self) -> Expr {
        if self.is_condition() {
            return self;
        }
        let zero = match self.ty() {
            t @ Type::Float(_) => Expr::Float(0f64.to_bits(), t),
            t => Expr::Const(0, t),
        };
        Expr::binary(BinOp::Ne, self, zero)
    }

    /// The condition that the scalar is zero, with the negation pushed to the comparisons.
    #[must_use]
    pub fn negated(self) -> Expr {
        match self.truthy() {
            Expr::Const(v, t) => Expr::Const(i128::from(v == 0), t),
            Expr::Unary(UnOp::Not, e, _) => e.truthy(),
            Expr::Binary(BinOp::And, l, r, t) => {
                Expr::Binary(BinOp::Or, Box::new(l.negated()), Box::new(r.negated()), t)
            }
            Expr::Binary(BinOp::Or, l, r, t) => {
                Expr::Binary(BinOp::And, Box::new(l.negated()), Box::new(r.negated()), t)
            }
            Expr::Binary(op, l, r, t) if negates_exactly(op, &l) => {
                let op = op.negated().expect("negates_exactly admits only comparisons");
                Expr::Binary(op, l, r, t)
            }
            Expr::Cond(c, a, b) => Expr::Cond(c, Box::new(a.negated()), Box::new(b.negated())),
            Expr::Old(e) => Expr::Old(Box::new(e.negated())),
            other => Expr::Unary(UnOp::Not, Box::new(other), Type::INT),
        }
    }

    /// Whether one of the conditions is the negation of the other, as [`negated`](Expr::negated) makes it.
    pub fn is_opposite_of(&self, other: &Expr) -> bool {
        self.clone().negated() == *other || other.clone().negated() == *self
    }

    /// The number, when the expression is a constant; NULL is 0.
    pub fn as_const(&self) -> Option<i128> {
        if let Expr::Const(v, _) = self { Some(*v) } else { None }
    }

    /// The value of an expression made of constants; what overflows is wrapped.
    pub fn constant(&self) -> Option<i128> {
        match self {
            Expr::Const(v, _) => Some(*v),
            Expr::Cast(x, Type::Int(i)) => Some(i.wrap(x.constant()?)),
            Expr::Unary(UnOp::Neg, x, Type::Int(i)) => Some(i.wrap(x.constant()?.checked_neg()?)),
            Expr::Binary(op, l, r, Type::Int(i)) => {
                let (l, r) = (l.constant()?, r.constant()?);
                let v = match op {
                    BinOp::Add => l.checked_add(r)?,
                    BinOp::Sub => l.checked_sub(r)?,
                    BinOp::Mul => l.checked_mul(r)?,
                    _ => return None,
                };
                Some(i.wrap(v))
            }
            _ => None,
        }
    }

    /// Whether it is the constant 0 or NULL.
    pub fn is_zero(&self) -> bool {
        self.as_const() == Some(0)
    }

    /// The pointer that a pointer expression moves away from.
    pub fn unmoved(&self) -> &Expr {
        let mut e = self;
        loop {
            e = match e {
                Expr::Cast(inner, Type::Ptr(_)) if inner.ty().is_ptr() => inner,
                Expr::Binary(BinOp::PtrAdd, pointer, ..) => pointer,
                _ => return e,
            };
        }
    }

    /// The expression inside of all conversions around it.
    pub fn uncast(&self) -> &Expr {
        if let Expr::Cast(inner, _) = self { inner.uncast() } else { self }
    }
}

/// Whether the negation of the comparison is the opposite comparison: not so for ordered floats (NaN).
fn negates_exactly(op: BinOp, left: &Expr) -> bool {
    op.is_comparison() && (matches!(op, BinOp::Eq | BinOp::Ne) || !matches!(left.ty(), Type::Float(_)))
}
