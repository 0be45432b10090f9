//! Expressions and lvalues as C text, with as few parentheses and casts as C's rules allow.
//!
//! Invariant: the text of an expression, read with C's typing rules ([`convert`]), has the type of the tree. A
//! cast is left out only where those rules put the same one back; a tree that C cannot write (arithmetic at a
//! type narrower than `int`) is written as C arithmetic converted to the narrow type.

mod path;

use super::forms::{bare_literal, is_decayed, literal_is, strip_cast, suffix_text, suffixes, without_decay};
use super::types;
use crate::convert;
use crate::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use crate::extent;
use crate::program::Program;
use crate::types::Type;
use std::fmt::Write;

/// The expression as C text, such that parsing it gives an expression of the same meaning and type.
pub fn expr(program: &Program, e: &Expr) -> String {
    let mut printer = Printer { program, out: String::new() };
    printer.expr(e, CONDITIONAL);
    printer.out
}

/// The lvalue as C text.
pub fn lvalue(program: &Program, lv: &Lvalue) -> String {
    let mut printer = Printer { program, out: String::new() };
    printer.lvalue(lv, CONDITIONAL);
    printer.out
}

/// The expression as the right side of an assignment to a location of type `ty`, where C converts: constants
/// are written without suffix, everything else as [`expr`] does.
pub(super) fn converted(program: &Program, e: &Expr, ty: &Type) -> String {
    let mut printer = Printer { program, out: String::new() };
    match e {
        Expr::Const(0, Type::Ptr(_)) if e.ty() == *ty => printer.out.push_str("NULL"),
        Expr::Const(v, Type::Int(_)) if e.ty() == *ty && bare_literal(program, e).is_some() => {
            _ = write!(printer.out, "{v}");
        }
        _ => printer.expr(e, CONDITIONAL),
    }
    printer.out
}

const CONDITIONAL: u8 = 3;
const UNARY: u8 = 14;
const POSTFIX: u8 = 15;

/// C's precedence of a binary operator: higher binds closer.
pub(crate) fn precedence(op: BinOp) -> u8 {
    match op {
        BinOp::Mul | BinOp::Div | BinOp::Rem => 13,
        BinOp::Add | BinOp::Sub | BinOp::PtrAdd | BinOp::PtrDiff => 12,
        BinOp::Shl | BinOp::Shr => 11,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => 10,
        BinOp::Eq | BinOp::Ne => 9,
        BinOp::BitAnd => 8,
        BinOp::BitXor => 7,
        BinOp::BitOr => 6,
        BinOp::And => 5,
        BinOp::Or => 4,
        BinOp::Rounded(..) => POSTFIX,
    }
}

/// How an operand is written.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Without its outermost cast, or as a literal without suffix: the operator converts it.
    Bare,
    /// With its own type.
    Full,
}

struct Printer<'a> {
    program: &'a Program,
    out: String,
}

impl Printer<'_> {
    /// Appends `e` with its own type, in parentheses if it binds less than `least`.
    fn expr(&mut self, e: &Expr, least: u8) {
        match e {
            Expr::Const(v, ty) => self.constant(*v, ty, least),
            Expr::Float(bits, ty) => self.float(f64::from_bits(*bits), ty, least),
            Expr::Load(lv) => self.lvalue(lv, least),
            Expr::AddrOf(lv) => match without_decay(lv) {
                Some(array) => self.lvalue(&array, least),
                None => self.grouped(UNARY, least, |p| {
                    p.out.push('&');
                    p.lvalue(lv, UNARY);
                }),
            },
            Expr::Func(f, ty) => {
                let own = Type::Func(self.program.procs[*f].ty.clone()).ptr_to();
                if *ty == own {
                    self.grouped(UNARY, least, |p| _ = write!(p.out, "&{}", p.program.procs[*f].name));
                } else {
                    self.cast(&Expr::Func(*f, own), ty, least);
                }
            }
            Expr::Unary(op, operand, ty) => self.unary(*op, operand, ty, least),
            Expr::Binary(op, l, r, ty) => self.binary(*op, l, r, ty, least),
            Expr::Cast(operand, ty) => self.cast(operand, ty, least),
            Expr::Cond(c, a, b) => self.conditional(c, a, b, least),
            Expr::Old(operand) => {
                self.out.push_str("old(");
                self.expr(operand, CONDITIONAL);
                self.out.push(')');
            }
        }
    }

    fn grouped(&mut self, own: u8, least: u8, body: impl FnOnce(&mut Self)) {
        if own < least {
            self.out.push('(');
        }
        body(self);
        if own < least {
            self.out.push(')');
        }
    }

    fn constant(&mut self, v: i128, ty: &Type, least: u8) {
        let model = self.program.model;
        let own = if v < 0 { UNARY } else { POSTFIX };
        match ty {
            Type::Ptr(to) if v == 0 && **to == Type::Void => self.out.push_str("NULL"),
            Type::Ptr(_) if v == 0 => {
                self.grouped(UNARY, least, |p| _ = write!(p.out, "({}) NULL", types::ty(p.program, ty)));
            }
            Type::Int(i) => match suffixes()
                .find(|s| convert::literal_type(v.unsigned_abs(), *s, model) == *i && (v >= 0 || !s.unsigned))
            {
                Some(s) => self.grouped(own, least, |p| _ = write!(p.out, "{v}{}", suffix_text(s))),
                None => self.cast_text(ty, v, least),
            },
            _ => self.cast_text(ty, v, least),
        }
    }

    fn cast_text(&mut self, ty: &Type, v: i128, least: u8) {
        let name = match ty {
            Type::Int(i) if i.bits == 1 && v & !1 != 0 => types::exact_width(*i),
            _ => types::ty(self.program, ty),
        };
        self.grouped(UNARY, least, |p| _ = write!(p.out, "({name}) {v}"));
    }

    fn float(&mut self, v: f64, ty: &Type, least: u8) {
        let bits = if let Type::Float(f) = ty { f.bits } else { 64 };
        let suffix = match bits {
            32 => "f",
            80 => "l",
            128 => "q",
            _ => "",
        };
        let own = if v.is_sign_negative() { UNARY } else { POSTFIX };
        let digits = match v {
            v if v.is_nan() => "NAN".to_owned(),
            v if v.is_infinite() => "INFINITY".to_owned(),
            v => format!("{:?}{suffix}", v.abs()),
        };
        if v.is_finite() || bits == 64 {
            let sign = if v.is_sign_negative() { "-" } else { "" };
            self.grouped(own, least, |p| _ = write!(p.out, "{sign}{digits}"));
        } else {
            let sign = if v.is_sign_negative() { "-" } else { "" };
            self.grouped(UNARY, least, |p| {
                _ = write!(p.out, "({}) {sign}{digits}", types::ty(p.program, ty));
            });
        }
    }

    /// `(T) operand`. A literal operand is put in parentheses: without them the text means the converted
    /// constant.
    fn cast(&mut self, operand: &Expr, ty: &Type, least: u8) {
        let name = match ty {
            Type::Int(i) if i.bits == 1 && !i.signed && !operand.is_condition() => types::exact_width(*i),
            _ => types::ty(self.program, ty),
        };
        self.grouped(UNARY, least, |p| {
            _ = write!(p.out, "({name}) ");
            p.operand_of_sign_or_cast(operand, false);
        });
    }

    fn operand_of_sign_or_cast(&mut self, operand: &Expr, sign: bool) {
        let literal = matches!(operand, Expr::Const(..) | Expr::Float(..));
        let signs = sign && matches!(operand, Expr::Unary(UnOp::Neg, ..));
        if literal || signs {
            self.out.push('(');
            self.expr(operand, CONDITIONAL);
            self.out.push(')');
        } else {
            self.expr(operand, UNARY);
        }
    }

    /// `left(p)`, with the size of an element where it is not that of the pointer's type.
    fn extent(&mut self, name: &str, unit: u64, pointer: &Expr) {
        _ = write!(self.out, "{name}(");
        self.expr(pointer, CONDITIONAL);
        if extent::element_size(self.program, &pointer.ty()) != Some(unit) {
            _ = write!(self.out, ", {unit}");
        }
        self.out.push(')');
    }

    fn function(&mut self, name: &str, operands: &[&Expr]) {
        _ = write!(self.out, "{name}(");
        for (n, operand) in operands.iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            self.expr(operand, CONDITIONAL);
        }
        self.out.push(')');
    }

    fn unary(&mut self, op: UnOp, operand: &Expr, ty: &Type, least: u8) {
        let symbol = match op {
            UnOp::Neg => '-',
            UnOp::BitNot => '~',
            UnOp::Not => '!',
            UnOp::Left(unit) => return self.extent("left", unit, operand),
            UnOp::Before(unit) => return self.extent("before", unit, operand),
            UnOp::Start => return self.function("object", &[operand]),
            UnOp::Float(op) => return self.function(op.name(), &[operand]),
        };
        let natural = if op == UnOp::Not { Type::INT } else { convert::promoted(&operand.ty()) };
        let bare = strip_cast(operand).filter(|i| op != UnOp::Not && convert::promoted(&i.ty()) == *ty);
        self.grouped(UNARY, least, |p| {
            if natural != *ty {
                _ = write!(p.out, "({}) ", types::ty(p.program, ty));
            }
            p.out.push(symbol);
            p.operand_of_sign_or_cast(bare.unwrap_or(operand), op == UnOp::Neg);
        });
    }

    fn conditional(&mut self, c: &Expr, a: &Expr, b: &Expr, least: u8) {
        self.grouped(CONDITIONAL, least, |p| {
            p.expr(c, CONDITIONAL + 1);
            p.out.push_str(" ? ");
            p.expr(a, CONDITIONAL);
            p.out.push_str(" : ");
            p.expr(b, CONDITIONAL);
        });
    }

    fn binary(&mut self, op: BinOp, l: &Expr, r: &Expr, ty: &Type, least: u8) {
        let (lt, rt) = (l.ty(), r.ty());
        let natural = match op {
            _ if op.is_comparison() => Type::INT,
            BinOp::And | BinOp::Or => Type::INT,
            BinOp::PtrAdd => lt.clone(),
            BinOp::PtrDiff => convert::difference_type(self.program.model),
            BinOp::Shl | BinOp::Shr => convert::promoted(&lt),
            _ => convert::common(&lt, &rt).unwrap_or(lt.clone()),
        };
        if natural != *ty {
            return self.grouped(UNARY, least, |p| {
                _ = write!(p.out, "({}) ", types::ty(p.program, ty));
                p.binary(op, l, r, &natural, UNARY);
            });
        }
        if let BinOp::Rounded(..) = op {
            return self.function(op.symbol(), &[l, r]);
        }
        let own = precedence(op);
        self.grouped(own, least, |p| match op {
            BinOp::PtrAdd => p.pointer_sum(l, r),
            BinOp::And | BinOp::Or | BinOp::PtrDiff => p.operands(op, (l, Form::Full), (r, Form::Full)),
            BinOp::Shl | BinOp::Shr => {
                let bare = strip_cast(l).filter(|i| convert::promoted(&i.ty()) == lt);
                p.operands(op, (bare.unwrap_or(l), Form::Full), (r, Form::Full));
            }
            _ if lt.is_ptr() && rt.is_ptr() => p.compared_pointers(op, l, r),
            _ => {
                let (lf, rf) = p.forms(op, l, r);
                p.operands(op, (l, lf), (r, rf));
            }
        });
    }

    fn operands(&mut self, op: BinOp, l: (&Expr, Form), r: (&Expr, Form)) {
        let own = precedence(op);
        self.operand(l.0, l.1, own);
        _ = write!(self.out, " {} ", op.symbol());
        self.operand(r.0, r.1, own + 1);
    }

    fn operand(&mut self, e: &Expr, form: Form, least: u8) {
        match (form, e) {
            (Form::Full, _) => self.expr(e, least),
            (Form::Bare, Expr::Const(v, _)) => {
                let own = if *v < 0 { UNARY } else { POSTFIX };
                self.grouped(own, least, |p| _ = write!(p.out, "{v}"));
            }
            (Form::Bare, _) => self.expr(strip_cast(e).unwrap_or(e), least),
        }
    }

    /// The shortest forms of the operands from which C's conversions make both again.
    fn forms(&self, op: BinOp, l: &Expr, r: &Expr) -> (Form, Form) {
        let (lt, rt) = (l.ty(), r.ty());
        let join = if op.is_comparison() { convert::compared } else { convert::common };
        let bare_type = |e: &Expr| match e {
            Expr::Const(..) => bare_literal(self.program, e),
            _ => strip_cast(e).map(Expr::ty),
        };
        let (lb, rb) = (bare_type(l), bare_type(r));
        let gives = |x: &Type, y: &Type| {
            let joined = join(x, y);
            joined.as_ref() == Some(&lt) && joined.as_ref() == Some(&rt)
        };
        match (&lb, &rb) {
            (Some(x), Some(y)) if gives(x, y) => (Form::Bare, Form::Bare),
            (_, Some(y)) if gives(&lt, y) => (Form::Full, Form::Bare),
            (Some(x), _) if gives(x, &rt) => (Form::Bare, Form::Full),
            _ => (Form::Full, Form::Full),
        }
    }

    /// NULL takes the type of the pointer that it is compared with.
    fn compared_pointers(&mut self, op: BinOp, l: &Expr, r: &Expr) {
        let own = precedence(op);
        self.pointer_operand(l, r, own);
        _ = write!(self.out, " {} ", op.symbol());
        self.pointer_operand(r, l, own + 1);
    }

    fn pointer_operand(&mut self, e: &Expr, other: &Expr, least: u8) {
        match e {
            Expr::Const(0, _) if other.is_zero() => self.expr(e, least),
            Expr::Const(0, ty) if other.ty() == *ty => self.out.push_str("NULL"),
            Expr::Const(0, ty) => {
                self.grouped(UNARY, least, |p| _ = write!(p.out, "({}) NULL", types::ty(p.program, ty)));
            }
            _ => self.expr(e, least),
        }
    }

    fn pointer_sum(&mut self, pointer: &Expr, index: &Expr) {
        let own = precedence(BinOp::PtrAdd);
        self.expr(pointer, own);
        match index {
            Expr::Const(v, ty) if *v < 0 && *v != i128::MIN && literal_is(self.program, -*v, ty) => {
                self.out.push_str(" - ");
                self.expr(&Expr::Const(-*v, ty.clone()), own + 1);
            }
            _ => {
                self.out.push_str(" + ");
                self.expr(index, own + 1);
            }
        }
    }

    fn lvalue(&mut self, lv: &Lvalue, least: u8) {
        match &lv.base {
            Base::Var(v) => {
                self.out.push_str(&self.program.vars[*v].name);
                self.path(&lv.path);
            }
            Base::Deref(p) => match (&**p, lv.path.first()) {
                (Expr::Binary(BinOp::PtrAdd, pointer, index, ty), _)
                    if *ty == pointer.ty() && !is_decayed(pointer) =>
                {
                    self.expr(pointer, POSTFIX);
                    self.index(index);
                    self.path(&lv.path);
                }
                (_, Some(Access::Field(record, n))) => {
                    self.expr(p, POSTFIX);
                    self.out.push_str("->");
                    let next = self.field(*record, *n, &lv.path[1..]);
                    self.path(&lv.path[1 + next..]);
                }
                (_, None) => self.grouped(UNARY, least, |printer| {
                    printer.out.push('*');
                    printer.expr(p, UNARY);
                }),
                (_, Some(Access::Index(_))) => {
                    self.out.push_str("(*");
                    self.expr(p, UNARY);
                    self.out.push(')');
                    self.path(&lv.path);
                }
            },
        }
    }
}
