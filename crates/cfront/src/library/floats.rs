//! Functions of `<math.h>` on `float` and `double` whose results C defines exactly, as expressions, and the
//! builtins behind its macros. Those on `long double` are left to the models of the library.

use crate::error::Res;
use crate::library::builtin::float_constant;
use crate::library::intrinsics::literal_text;
use crate::lower::context::{Context, Emitter};
use crate::lower::expr::{Ast, Ev, Val};
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::{BinOp, Expr, FloatOp, HavocKind, Op, Type};

/// The result of a function.
#[derive(Clone, Copy)]
enum Function {
    /// A number of the type of its one operand.
    Number(FloatOp),
    CopySign,
    Least,
    Greatest,
    /// 1 or 0 of one operand.
    IsNan,
    IsFinite,
    IsNormal,
    /// 1 for both infinities, or -1 for the negative one.
    IsInfinite {
        signed: bool,
    },
    /// Not 0 if the sign is minus.
    SignBit,
    /// A comparison of two operands, 1 or 0, false where one is a NaN.
    Compared(&'static [BinOp]),
    IsUnordered,
    /// The whole number as a `long` (or `long long`); where that does not have it, C leaves the result open.
    Whole(FloatOp, Length),
    /// A NaN, without regard to the string.
    NotANumber,
    /// One of five numbers that stand before the operand.
    Classified,
    /// The same with glibc's numbers.
    ClassifiedAsInGlibc,
}

#[derive(Clone, Copy)]
enum Length {
    Long,
    LongLong,
}

/// The function of a name, and the width of its operands where the name gives it.
fn function(name: &str) -> Option<(Function, Option<u16>)> {
    use Function as F;
    let (builtin, bare) = match (name.strip_prefix("__builtin_"), name.strip_prefix("__")) {
        (Some(bare), _) => (true, bare),
        (None, Some(bare)) => (false, bare),
        (None, None) => (false, name),
    };
    // Builtins behind macros take operands of any width.
    let generic = match bare {
        "isnan" if builtin => Some(F::IsNan),
        "isinf" if builtin => Some(F::IsInfinite { signed: false }),
        "isinf_sign" if builtin => Some(F::IsInfinite { signed: true }),
        "isfinite" if builtin => Some(F::IsFinite),
        "isnormal" if builtin => Some(F::IsNormal),
        "signbit" if builtin => Some(F::SignBit),
        "fpclassify" if builtin => Some(F::Classified),
        "isless" if builtin => Some(F::Compared(&[BinOp::Lt])),
        "islessequal" if builtin => Some(F::Compared(&[BinOp::Le])),
        "isgreater" if builtin => Some(F::Compared(&[BinOp::Gt])),
        "isgreaterequal" if builtin => Some(F::Compared(&[BinOp::Ge])),
        "islessgreater" if builtin => Some(F::Compared(&[BinOp::Lt, BinOp::Gt])),
        "isunordered" if builtin => Some(F::IsUnordered),
        _ => None,
    };
    if let Some(generic) = generic {
        return Some((generic, None));
    }
    let of_width = |bare: &str| {
        Some(match bare {
            "fabs" => F::Number(FloatOp::Abs),
            "sqrt" => F::Number(FloatOp::Sqrt),
            "floor" => F::Number(FloatOp::Floor),
            "ceil" => F::Number(FloatOp::Ceil),
            "trunc" => F::Number(FloatOp::Trunc),
            "round" => F::Number(FloatOp::Round),
            "rint" | "nearbyint" => F::Number(FloatOp::Rint),
            "lround" => F::Whole(FloatOp::Round, Length::Long),
            "lrint" => F::Whole(FloatOp::Rint, Length::Long),
            "llround" => F::Whole(FloatOp::Round, Length::LongLong),
            "llrint" => F::Whole(FloatOp::Rint, Length::LongLong),
            "nan" => F::NotANumber,
            "copysign" => F::CopySign,
            "fmin" => F::Least,
            "fmax" => F::Greatest,
            "isnan" => F::IsNan,
            "isinf" => F::IsInfinite { signed: true },
            "finite" => F::IsFinite,
            "signbit" => F::SignBit,
            "fpclassify" => F::ClassifiedAsInGlibc,
            _ => return None,
        })
    };
    match (of_width(bare), bare.strip_suffix('f').and_then(of_width)) {
        (Some(f), _) => Some((f, Some(64))),
        (None, Some(f)) => Some((f, Some(32))),
        (None, None) => None,
    }
}

/// Whether the library's function of this name is computed here.
#[cfg(test)]
pub(crate) fn is_exact(name: &str) -> bool {
    function(name).is_some()
}

/// The least number of a type that is positive and not subnormal.
fn smallest(ty: &Ty) -> f64 {
    if *ty == Ty::Float(32) { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE }
}

impl Context<'_> {
    /// The call of such a function; `None` for others, and for operands that are not supported here.
    pub(crate) fn float_function(&mut self, name: &str, arguments: &[Ast], span: Span) -> Res<Option<Ev>> {
        let Some((function, bits)) = function(name) else { return Ok(None) };
        let count = match function {
            Function::CopySign
            | Function::Least
            | Function::Greatest
            | Function::Compared(_)
            | Function::IsUnordered => 2,
            Function::Classified => 6,
            _ => 1,
        };
        if arguments.len() != count {
            return Ok(None);
        }
        if let (Function::NotANumber, Some(bits)) = (function, bits) {
            if literal_text(&arguments[0]).is_none() {
                return Ok(None);
            }
            return Ok(Some(float_constant(f64::NAN, bits)));
        }
        let operands = if count == 6 { &arguments[5..] } else { arguments };
        let bits = match bits {
            Some(bits) => bits,
            None => match self.common_width(operands)? {
                Some(bits) => bits,
                None => return Ok(None),
            },
        };
        let ty = Ty::Float(bits);
        let mut values = vec![];
        for (i, operand) in operands.iter().enumerate() {
            let value = self.value_to(operand, &ty)?;
            let later: Vec<&Ast> = operands[i + 1..].iter().collect();
            let value = self.emitter.keep(&self.types, &self.symbols, value, &later, span);
            // A value that is read more than once is computed once.
            let is_plain = matches!(&value, Expr::Load(lv) if lv.as_var().is_some());
            values.push(if is_plain { value } else { self.emitter.spill(value, span) });
        }
        if let Function::Classified | Function::ClassifiedAsInGlibc = function {
            let classes = match function {
                Function::Classified => {
                    let all = arguments[..5].iter().map(|class| self.value_to(class, &Ty::INT));
                    all.collect::<Res<Vec<Expr>>>()?
                }
                _ => [0, 1, 4, 3, 2].map(Expr::int).to_vec(),
            };
            let e = self.emitter.classified(&values[0], &ty, classes, span);
            return Ok(Some(Ev::Val(Val { e, ty: Ty::INT })));
        }
        if let Function::Number(FloatOp::Sqrt) = function {
            self.emitter.may_compute_errno(name, span);
        }
        Ok(self.emitter.computed(function, &values, &ty, span).map(Ev::Val))
    }

    /// The width to which operands of a generic builtin are converted; `None` for operands that are not
    /// supported here.
    fn common_width(&mut self, operands: &[Ast]) -> Res<Option<u16>> {
        let mut out = 0;
        for operand in operands {
            match self.dry(|cx| cx.value(operand))?.ty {
                Ty::Float(bits @ (32 | 64)) => out = out.max(bits),
                Ty::Int(_) => out = 64,
                _ => return Ok(None),
            }
        }
        Ok(Some(out))
    }
}

impl Emitter<'_> {
    /// The result of the function on numbers of a type.
    fn computed(&mut self, function: Function, values: &[Expr], ty: &Ty, span: Span) -> Option<Val> {
        let (x, y) = (values.first()?.clone(), values.last()?.clone());
        let number = |v: f64| Expr::Float(v.to_bits(), ty.lower());
        let is = |op, l: &Expr, r: &Expr| Expr::binary(op, l.clone(), r.clone());
        let magnitude = FloatOp::Abs.of(x.clone());
        let infinite = is(BinOp::Eq, &magnitude, &number(f64::INFINITY));
        let nan = is(BinOp::Ne, &x, &x);
        let (e, ty) = match function {
            Function::Number(op) => (op.of(x), ty.clone()),
            Function::CopySign => {
                let minus = Expr::Unary(ir::UnOp::Neg, Box::new(magnitude.clone()), ty.lower());
                let cases = [(FloatOp::SignBit.of(y).truthy(), minus)];
                (self.cases(&cases, magnitude, ty, span), ty.clone())
            }
            Function::Least | Function::Greatest => {
                let op = if matches!(function, Function::Least) { BinOp::Lt } else { BinOp::Gt };
                // Which one of two equal numbers, zeros of both signs, is open.
                let choice = HavocKind::Choice("the sign of the result".into());
                let first = self.havoc_temp(Type::INT, choice, span).truthy();
                let cases = [
                    (nan, y.clone()),
                    (is(BinOp::Ne, &y, &y), x.clone()),
                    (is(op, &x, &y), x.clone()),
                    (is(op, &y, &x), y.clone()),
                    (first, x),
                ];
                (self.cases(&cases, y, ty, span), ty.clone())
            }
            Function::Whole(op, length) => {
                let to = match length {
                    Length::Long => IntTy::long(self.settings.model),
                    Length::LongLong => IntTy::LLONG,
                };
                let whole = self.spill(op.of(x), span);
                let top = 2f64.powi(i32::from(to.bits) - 1);
                let fits =
                    Expr::and(is(BinOp::Le, &number(-top), &whole), is(BinOp::Lt, &whole, &number(top)));
                let to = Ty::Int(to);
                let other = self.havoc_temp(to.lower(), HavocKind::Choice("the result".into()), span);
                let cases = [(fits, whole.cast(to.lower()))];
                (self.cases(&cases, other, &to, span), to)
            }
            Function::IsNan => (nan, Ty::INT),
            Function::IsFinite => (is(BinOp::Lt, &magnitude, &number(f64::INFINITY)), Ty::INT),
            Function::IsNormal => {
                let large = is(BinOp::Ge, &magnitude, &number(smallest(ty)));
                (Expr::and(large, is(BinOp::Lt, &magnitude, &number(f64::INFINITY))), Ty::INT)
            }
            Function::IsInfinite { signed: false } => (infinite, Ty::INT),
            Function::IsInfinite { signed: true } => {
                let below = is(BinOp::Eq, &x, &number(f64::NEG_INFINITY));
                (Expr::binary(BinOp::Sub, is(BinOp::Eq, &x, &number(f64::INFINITY)), below), Ty::INT)
            }
            Function::SignBit => {
                let choice = HavocKind::Choice("a number that is not zero".into());
                let other = self.havoc_temp(Type::INT, choice, span);
                self.internal(Op::Assume(Expr::binary(BinOp::Ne, other.clone(), Expr::int(0))), span);
                let cases = [(FloatOp::SignBit.of(x).truthy(), other)];
                (self.cases(&cases, Expr::int(0), &Ty::INT, span), Ty::INT)
            }
            Function::Compared(ops) => {
                let all = ops.iter().map(|op| is(*op, &x, &y)).reduce(Expr::or);
                (all.expect("there is an operator"), Ty::INT)
            }
            Function::IsUnordered => (Expr::or(nan, is(BinOp::Ne, &y, &y)), Ty::INT),
            Function::NotANumber | Function::Classified | Function::ClassifiedAsInGlibc => return None,
        };
        Some(Val { e, ty })
    }

    /// Which of five classes the number is in: none, infinite, normal, subnormal, zero.
    fn classified(&mut self, x: &Expr, ty: &Ty, classes: Vec<Expr>, span: Span) -> Expr {
        let number = |v: f64| Expr::Float(v.to_bits(), ty.lower());
        let magnitude = FloatOp::Abs.of(x.clone());
        let is = |op, l: &Expr, r: Expr| Expr::binary(op, l.clone(), r);
        let [nan, infinite, normal, subnormal, zero] =
            <[Expr; 5]>::try_from(classes).expect("there are five classes");
        let cases = [
            (is(BinOp::Ne, x, x.clone()), nan),
            (is(BinOp::Eq, &magnitude, number(f64::INFINITY)), infinite),
            (is(BinOp::Eq, x, number(0.0)), zero),
            (is(BinOp::Lt, &magnitude, number(smallest(ty))), subnormal),
        ];
        self.cases(&cases, normal, &Ty::INT, span)
    }

    /// The value of the first case whose condition holds, or another.
    fn cases(&mut self, cases: &[(Expr, Expr)], other: Expr, ty: &Ty, span: Span) -> Expr {
        let out = self.temp(ty.lower(), span);
        let end = self.fun.new_loc();
        for (condition, value) in cases {
            let (yes, no) = (self.fun.new_loc(), self.fun.new_loc());
            let from = self.fun.cur;
            let kind = ir::EdgeKind::Internal;
            self.fun.edge(from, yes, Op::Assume(condition.clone().truthy()), span, kind);
            self.fun.edge(from, no, Op::Assume(condition.clone().negated()), span, kind);
            self.fun.cur = yes;
            self.internal(Op::Assign(out.clone(), value.clone()), span);
            self.fun.goto(end, span);
            self.fun.cur = no;
        }
        self.internal(Op::Assign(out.clone(), other), span);
        self.fun.goto(end, span);
        self.fun.cur = end;
        out.load()
    }
}
