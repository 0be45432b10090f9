//! Constants of the source text, and folding of C-- expressions whose operands are constants. Folding never
//! gives a value to an operation that C leaves undefined: such an expression stays as it is.

use crate::types::ty::{IntTy, Rank, Ty};
use ir::{BinOp, DataModel, Expr, IntType, Type, UnOp};
use lang_c::ast;

/// Value and type of an integer constant; an error message when it has neither.
pub(crate) fn integer(i: &ast::Integer, model: DataModel) -> Result<(i128, IntTy), &'static str> {
    if i.suffix.imaginary {
        return Err("complex numbers are not supported");
    }
    let radix = match i.base {
        ast::IntegerBase::Decimal => 10,
        ast::IntegerBase::Octal => 8,
        ast::IntegerBase::Hexadecimal => 16,
        ast::IntegerBase::Binary => 2,
    };
    let value = i128::from_str_radix(&i.number, radix).map_err(|_| "the integer constant is too large")?;
    let long = IntTy::long(model);
    let least = match i.suffix.size {
        ast::IntegerSize::Int => 0,
        ast::IntegerSize::Long => 1,
        ast::IntegerSize::LongLong => 2,
    };
    let candidates = [IntTy::INT, long, IntTy::LLONG];
    for ty in &candidates[least..] {
        if !i.suffix.unsigned && value <= ty.lower().max() {
            return Ok((value, *ty));
        }
        let unsigned = ty.with_sign(false);
        if (i.suffix.unsigned || radix != 10) && value <= unsigned.lower().max() {
            return Ok((value, unsigned));
        }
    }
    // gcc takes decimal constants above LLONG_MAX as __int128 where that exists.
    if !i.suffix.unsigned && radix == 10 && model == DataModel::Lp64 && value <= i128::from(u64::MAX) {
        return Ok((value, IntTy { rank: Rank::Int128, bits: 128, signed: true }));
    }
    Err("the integer constant is too large for its type")
}

/// Bits of a floating constant and its type.
pub(crate) fn float(f: &ast::Float) -> Result<(u64, Ty), &'static str> {
    if f.suffix.imaginary {
        return Err("complex numbers are not supported");
    }
    let ty = match &f.suffix.format {
        ast::FloatFormat::Float => Ty::Float(32),
        ast::FloatFormat::Double => Ty::Float(64),
        ast::FloatFormat::LongDouble => Ty::Float(80),
        ast::FloatFormat::TS18661Format(f) => {
            ts18661_float(f).ok_or("decimal floating-point numbers are not supported")?
        }
    };
    let value = match f.base {
        ast::FloatBase::Decimal => {
            let malformed = "the floating constant is malformed";
            // Rounding once only: a `float` is not read as a `double` first.
            match ty {
                Ty::Float(32) => f64::from(f.number.parse::<f32>().map_err(|_| malformed)?),
                _ => f.number.parse::<f64>().map_err(|_| malformed)?,
            }
        }
        ast::FloatBase::Hexadecimal => {
            hex_float(&f.number, &ty).ok_or("the floating constant is malformed")?
        }
    };
    Ok((value.to_bits(), ty))
}

/// Whether the value of [`float`] is the constant's: of types wider than `double` it may be one near to it.
pub(crate) fn is_exact(f: &ast::Float, ty: &Ty) -> bool {
    let text = || match f.base {
        ast::FloatBase::Decimal => f.number.to_string(),
        ast::FloatBase::Hexadecimal => format!("0x{}", f.number),
    };
    matches!(ty, Ty::Float(32 | 64)) || ieee::is_exact(&text())
}

/// The number that hexadecimal digits stand for, rounded to `double` for wider types, as decimal ones are.
fn hex_float(digits: &str, ty: &Ty) -> Option<f64> {
    let text = format!("0x{digits}");
    Some(match ty {
        Ty::Float(32) => f64::from(f32::from_bits(ieee::hexadecimal(32, &text)? as u32)),
        _ => f64::from_bits(ieee::hexadecimal(64, &text)? as u64),
    })
}

/// The type of `_FloatN` and `_FloatNx`; nothing for decimal ones.
pub(crate) fn ts18661_float(f: &ast::TS18661FloatType) -> Option<Ty> {
    use ast::TS18661FloatFormat as F;
    Some(Ty::Float(match (&f.format, f.width) {
        (F::BinaryInterchange, 16) => 16,
        (F::BinaryInterchange, 32) => 32,
        (F::BinaryInterchange, 64) | (F::BinaryExtended, 32) => 64,
        (F::BinaryInterchange, 128) => 128,
        (F::BinaryExtended, 64) => 80,
        _ => return None,
    }))
}

/// The characters of a literal's text, prefix and quotes included, as code units; and the prefix.
pub(crate) fn literal(text: &str) -> Result<(Vec<u32>, &str), &'static str> {
    let quote = text.find(['"', '\'']).ok_or("the literal is malformed")?;
    let (prefix, rest) = text.split_at(quote);
    let body = &rest[1..rest.len() - 1];
    let wide = matches!(prefix, "L" | "U" | "u");
    let mut out = vec![];
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            if wide {
                out.push(c as u32);
            } else {
                let mut buffer = [0; 4];
                out.extend(c.encode_utf8(&mut buffer).bytes().map(u32::from));
            }
            continue;
        }
        let e = chars.next().ok_or("the literal ends in a backslash")?;
        out.push(match e {
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            'x' => {
                let mut value = 0u32;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(16)) {
                    value = value.checked_mul(16).ok_or("the escape sequence is out of range")? + d;
                    chars.next();
                }
                value
            }
            '0'..='7' => {
                let mut value = e as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(d) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + d;
                    chars.next();
                }
                value
            }
            other => other as u32,
        });
    }
    if !wide && out.iter().any(|c| *c > 255) {
        return Err("the escape sequence is out of range");
    }
    Ok((out, prefix))
}

/// Value and type of a character constant.
pub(crate) fn character(text: &str, model: DataModel) -> Result<(i128, IntTy), &'static str> {
    let (units, prefix) = literal(text)?;
    match prefix {
        "" => {
            if units.len() == 1 {
                return Ok((IntTy::CHAR.lower().wrap(i128::from(units[0])), IntTy::INT));
            }
            // gcc: the characters of a multi-character constant are the bytes of an int.
            let value = units.iter().fold(0i128, |v, c| (v << 8) | i128::from(*c & 255));
            Ok((IntType::INT.wrap(value), IntTy::INT))
        }
        _ if units.len() != 1 => Err("the wide character constant has several characters"),
        "L" => Ok((i128::from(units[0] as i32), wchar(model))),
        "u" => Ok((i128::from(units[0]), IntTy { rank: Rank::Short, bits: 16, signed: false })),
        "U" => Ok((i128::from(units[0]), IntTy::UINT)),
        _ => Err("character constants with this prefix are not supported"),
    }
}

/// `wchar_t`.
pub(crate) fn wchar(model: DataModel) -> IntTy {
    match model {
        DataModel::Lp64 => IntTy::INT,
        DataModel::Ilp32 => IntTy::long(model),
    }
}

/// How operations on constants are computed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    /// Signed overflow wraps.
    pub(crate) wrap: bool,
    /// The language requires a constant here: the computation is not part of the program, and has any width.
    pub(crate) constant: bool,
}

/// A binary operation at an integer or other type, folded when that is exact.
pub(crate) fn binary(op: BinOp, l: Expr, r: Expr, ty: Type, rules: Rules) -> Expr {
    if let Some(folded) = fold(op, &l, &r, &ty, rules) {
        return folded;
    }
    Expr::Binary(op, Box::new(l), Box::new(r), ty)
}

fn fold(op: BinOp, l: &Expr, r: &Expr, ty: &Type, rules: Rules) -> Option<Expr> {
    if op.is_comparison()
        && let (Expr::Const(a, Type::Ptr(_)), Expr::Const(b, Type::Ptr(_))) = (l, r)
        && matches!(op, BinOp::Eq | BinOp::Ne)
    {
        return Some(Expr::truth((a == b) == (op == BinOp::Eq)));
    }
    if let (Expr::Float(a, t), Expr::Float(b, _)) = (l, r) {
        return fold_float(op, f64::from_bits(*a), f64::from_bits(*b), t);
    }
    let (Expr::Const(a, Type::Int(_)), Expr::Const(b, Type::Int(_))) = (l, r) else { return None };
    match op {
        BinOp::And => return Some(Expr::truth(*a != 0 && *b != 0)),
        BinOp::Or => return Some(Expr::truth(*a != 0 || *b != 0)),
        BinOp::PtrAdd | BinOp::PtrDiff => return None,
        _ => {}
    }
    let int = if op.is_comparison() { l.ty() } else { ty.clone() }.as_int()?;
    if int.bits > 64 && !op.is_comparison() && !rules.constant {
        return None;
    }
    let value = interp::int_binary(op, *a, *b, int, rules.wrap).ok()?;
    // gcc defines `<<` on signed types. Where no constant is required, a negative number stays as it is.
    let is_kept = || *a < 0 && !rules.constant || value >> *b != *a && !rules.wrap;
    if op == BinOp::Shl && int.signed && is_kept() {
        return None;
    }
    Some(Expr::Const(value, if op.is_comparison() { Type::INT } else { ty.clone() }))
}

/// An operation on floating constants of the two types whose arithmetic is ours.
fn fold_float(op: BinOp, a: f64, b: f64, ty: &Type) -> Option<Expr> {
    if op.is_comparison() {
        return op.compare(&a, &b).map(Expr::truth);
    }
    let Type::Float(ir::FloatType { bits: bits @ (32 | 64) }) = ty else { return None };
    let exact = match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a / b,
        _ => return None,
    };
    // Rounding twice is harmless here: a double has more than twice a float's digits.
    let rounded = if *bits == 32 { f64::from(exact as f32) } else { exact };
    Some(Expr::Float(rounded.to_bits(), ty.clone()))
}

/// A floating constant converted to an arithmetic type; `None` when it does not fit, or is not ours to compute.
pub(crate) fn convert_float(bits: u64, from: &Type, to: &Type) -> Option<Expr> {
    let Type::Float(ir::FloatType { bits: 32 | 64 | 80 | 128 }) = from else { return None };
    let value = f64::from_bits(bits);
    match to {
        Type::Float(f) if f.bits == 32 => Some(Expr::Float(f64::from(value as f32).to_bits(), to.clone())),
        Type::Float(_) => Some(Expr::Float(bits, to.clone())),
        Type::Int(i) if value.is_finite() && value.abs() < 1e30 => {
            let whole = value.trunc() as i128;
            (IntType::min(*i) <= whole && whole <= IntType::max(*i)).then(|| Expr::Const(whole, to.clone()))
        }
        _ => None,
    }
}

/// A unary operation, folded when that is exact.
pub(crate) fn unary(op: UnOp, e: Expr, ty: Type, rules: Rules) -> Expr {
    match (&e, op) {
        (Expr::Const(v, Type::Int(_)), UnOp::Neg | UnOp::BitNot) => {
            let int = ty.as_int().or(rules.constant.then_some(IntType::INT));
            let value = int
                .filter(|i| i.bits <= 64 || rules.constant)
                .and_then(|i| interp::int_unary(op, *v, i, rules.wrap).ok());
            if let Some(value) = value {
                return Expr::Const(value, ty);
            }
        }
        (Expr::Const(v, _), UnOp::Not) => return Expr::truth(*v == 0),
        (Expr::Float(bits, t), UnOp::Neg) => {
            return Expr::Float((-f64::from_bits(*bits)).to_bits(), t.clone());
        }
        _ => {}
    }
    Expr::Unary(op, Box::new(e), ty)
}

/// Whether evaluating the expression is defined in every state: it may then be evaluated where C would not.
pub(crate) fn is_total(e: &Expr, wrap: bool) -> bool {
    match e {
        Expr::Const(..) | Expr::Float(..) | Expr::Func(..) => true,
        Expr::Load(lv) | Expr::AddrOf(lv) => lv.is_fixed(),
        Expr::Unary(op, e, t) => {
            let overflows = *op == UnOp::Neg && !wrap && t.as_int().is_some_and(|i| i.signed);
            !overflows && is_total(e, wrap)
        }
        Expr::Cast(e, to) => {
            let float_to_int = matches!(e.ty(), Type::Float(_)) && !matches!(to, Type::Float(_));
            !float_to_int && is_total(e, wrap)
        }
        Expr::Binary(op, l, r, t) => {
            let overflows = !wrap && t.as_int().is_some_and(|i| i.signed);
            let total = match op {
                BinOp::Add | BinOp::Sub | BinOp::Mul => !overflows,
                BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr | BinOp::PtrAdd | BinOp::PtrDiff => false,
                BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => !l.ty().is_ptr(),
                _ => true,
            };
            total && is_total(l, wrap) && is_total(r, wrap)
        }
        Expr::Cond(..) | Expr::Old(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(literal("\"a\\n\\x41\\101\\0\"").expect("it is well formed").0, [97, 10, 65, 65, 0]);
        assert_eq!(character("'\\377'", DataModel::Lp64), Ok((-1, IntTy::INT)));
        assert_eq!(character("'ab'", DataModel::Lp64), Ok((24930, IntTy::INT)));
        assert_eq!(hex_float("1.8p3", &Ty::DOUBLE), Some(12.0));
    }

    #[test]
    fn undefined_operations_stay() {
        let (max, min) = (Expr::int(i128::from(i32::MAX)), Expr::int(i128::from(i32::MIN)));
        let wraps = Rules { wrap: true, constant: false };
        let sum = binary(BinOp::Add, max.clone(), Expr::int(1), Type::INT, Rules::default());
        assert!(matches!(sum, Expr::Binary(..)));
        assert_eq!(binary(BinOp::Add, max, Expr::int(1), Type::INT, wraps), min);
        for rules in [wraps, Rules { wrap: true, constant: true }] {
            for op in [BinOp::Div, BinOp::Rem] {
                let by = |l: &Expr, r| binary(op, l.clone(), Expr::int(r), Type::INT, rules);
                assert!(matches!(by(&min, 0), Expr::Binary(..)));
                assert!(matches!(by(&min, -1), Expr::Binary(..)));
            }
        }
    }
}
