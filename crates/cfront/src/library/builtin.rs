//! gcc's builtins that are not library functions, and `abs`.

use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Ev, Val, deref};
use crate::types::ty::{IntTy, Rank, Ty};
use base::Span;
use ir::{BinOp, Callee, Expr, Op, Type};
use lang_c::ast;

impl Context<'_> {
    pub(crate) fn builtin(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<Ev> {
        let arguments = &c.arguments[..];
        match (name, arguments) {
            ("__builtin_expect" | "__builtin_expect_with_probability", [e, rest @ ..]) => {
                let ty = Ty::Int(IntTy::long(self.settings.model));
                let v = self.value_to(e, &ty)?;
                let later: Vec<&Ast> = rest.iter().collect();
                let v = self.emitter.keep(&self.types, &self.symbols, v, &later, span);
                self.discard_all(rest)?;
                Ok(Ev::Val(Val { e: v, ty }))
            }
            ("__builtin_constant_p", [e]) => {
                let known = self.dry(|cx| {
                    let ev = cx.eval(e)?;
                    Ok(matches!(ev, Ev::Val(Val { e: Expr::Const(..) | Expr::Float(..), .. }))
                        || matches!(e.node, ast::Expression::StringLiteral(_)))
                })?;
                Ok(Ev::Val(Val::int(i128::from(known), IntTy::INT)))
            }
            ("__builtin_choose_expr", [condition, a, b]) => {
                if self.const_int(condition)? != 0 {
                    self.eval(a)
                } else {
                    self.eval(b)
                }
            }
            ("__builtin_types_compatible_p", [a, b]) => {
                let (ast::Expression::SizeOfTy(a), ast::Expression::SizeOfTy(b)) = (&a.node, &b.node) else {
                    return type_error(span, "`__builtin_types_compatible_p` needs two types");
                };
                let (a, b) = (self.type_name(&a.node.0.node)?, self.type_name(&b.node.0.node)?);
                Ok(Ev::Val(Val::int(i128::from(a.ty.compatible(&b.ty)), IntTy::INT)))
            }
            ("__builtin_object_size" | "__builtin_dynamic_object_size", [pointer, kind]) => {
                let kind = self.const_int(kind)?;
                self.object_size(name, pointer, kind, span)
            }
            ("__builtin_bswap16" | "__builtin_bswap32" | "__builtin_bswap64", [e]) => {
                let bytes = name.trim_start_matches("__builtin_bswap").parse::<u16>().unwrap_or(64) / 8;
                let ty = unsigned_of(bytes);
                let v = self.value_to(e, &ty)?;
                Ok(Ev::Val(self.emitter.byte_swap(v, ty, bytes, span)))
            }
            ("__builtin_huge_val" | "__builtin_inf", []) => Ok(float_constant(f64::INFINITY, 64)),
            ("__builtin_huge_valf" | "__builtin_inff", []) => Ok(float_constant(f64::INFINITY, 32)),
            _ => {
                if let Some(ev) = self.float_function(name, arguments, span)? {
                    return Ok(ev);
                }
                if let Some(bits) = bit_count(name)
                    && let [e] = arguments
                {
                    let ty = IntTy { rank: Rank::LongLong, bits: bits as u16, signed: false };
                    let v = self.value_to(e, &Ty::Int(ty))?;
                    return self.emitter.bit_count(&mut self.symbols, (name, bits), v, span);
                }
                if let Some((op, operands)) = overflow_operator(name, self.settings.model)
                    && let [a, b, to] = arguments
                {
                    return self.overflow(op, operands, [a, b, to], span);
                }
                unsupported(span, format!("`{name}` is not supported"))
            }
        }
    }

    /// `__builtin_add_overflow` and so on: the exact result is computed with 128 bits.
    /// `operands`: their type, where the builtin has one.
    fn overflow(&mut self, op: BinOp, operands: Option<IntTy>, [a, b, to]: [&Ast; 3], span: Span) -> Res<Ev> {
        let operand = |cx: &mut Self, e: &Ast| match operands {
            Some(ty) => Ok(Val { e: cx.value_to(e, &Ty::Int(ty))?, ty: Ty::Int(ty) }),
            None => cx.value(e),
        };
        let x = operand(self, a)?;
        let x = Val { e: self.emitter.keep(&self.types, &self.symbols, x.e, &[b, to], span), ty: x.ty };
        let y = operand(self, b)?;
        let y = Val { e: self.emitter.keep(&self.types, &self.symbols, y.e, &[to], span), ty: y.ty };
        let p = self.value(to)?;
        self.emitter.store_exact(op, [x, y], p, span)
    }
}

impl Emitter<'_> {
    /// The absolute value of a number of [`absolute_type`].
    pub(crate) fn absolute(&mut self, v: Expr, ty: Ty, span: Span) -> Val {
        if let Expr::Const(n, t) = &v
            && *n > ty.as_int().expect("it is an integer type").lower().min()
        {
            return Val { e: Expr::Const(n.abs(), t.clone()), ty };
        }
        let kept = self.spill(v, span);
        let (yes, no, join) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        let negative = Expr::binary(BinOp::Lt, kept.clone(), Expr::Const(0, ty.lower()));
        self.branch(negative, yes, no, span);
        let minus = Expr::Unary(ir::UnOp::Neg, Box::new(kept.clone()), ty.lower());
        self.value_of_branches((yes, no, join), [minus, kept], ty, span)
    }

    /// The number of this many bytes, these in the opposite order.
    fn byte_swap(&mut self, v: Expr, ty: Ty, bytes: u16, span: Span) -> Val {
        if let Expr::Const(n, t) = &v {
            let swapped = (0..bytes).fold(0i128, |s, i| (s << 8) | ((n >> (8 * i)) & 255));
            return Val { e: Expr::Const(swapped, t.clone()), ty };
        }
        let wide = if bytes == 2 { Type::Int(IntTy::UINT.lower()) } else { ty.lower() };
        let v = self.spill(v, span).cast(wide.clone());
        let constant = |n: i128| Expr::Const(n, wide.clone());
        let mut sum: Option<Expr> = None;
        for i in 0..bytes {
            let down = Expr::binary(BinOp::Shr, v.clone(), constant(i128::from(8 * i)));
            let byte = Expr::binary(BinOp::BitAnd, down, constant(255));
            let up = Expr::binary(BinOp::Shl, byte, constant(i128::from(8 * (bytes - 1 - i))));
            sum = Some(match sum {
                None => up,
                Some(sum) => Expr::binary(BinOp::BitOr, sum, up),
            });
        }
        let e = sum.expect("there are at least two bytes").cast(ty.lower());
        Val { e, ty }
    }

    /// Counts of bits: computed for constants, else by a model.
    fn bit_count(
        &mut self,
        symbols: &mut Symbols<'_>,
        (name, bits): (&str, u32),
        v: Expr,
        span: Span,
    ) -> Res<Ev> {
        if let Expr::Const(n, _) = &v {
            let n = *n as u64;
            let answer = match name.trim_end_matches('l') {
                "__builtin_popcount" => n.count_ones(),
                "__builtin_parity" => n.count_ones() % 2,
                "__builtin_ctz" if n != 0 => n.trailing_zeros(),
                "__builtin_clz" if n != 0 => n.leading_zeros() - (64 - bits),
                "__builtin_ffs" => {
                    if n == 0 {
                        0
                    } else {
                        n.trailing_zeros() + 1
                    }
                }
                _ => return unsupported(span, format!("`{name}` of 0 is undefined")),
            };
            return Ok(Ev::Val(Val::int(i128::from(answer), IntTy::INT)));
        }
        let model = name.trim_start_matches("__builtin_").trim_end_matches('l');
        let model = symbols.models.get(format!("slam_{model}").as_str()).copied();
        let callee = Callee::Direct(
            self.proc_of(symbols, model.expect("its file is read where the builtin is named")),
        );
        let answer = self.temp(Type::INT, span);
        let args = vec![v.cast(Ty::Int(IntTy::LLONG.with_sign(false)).lower())];
        self.statement(Op::Call { dest: Some(answer.clone()), callee, args }, span);
        // Zeros are counted among 64.
        let above = if name == "__builtin_clz" { 32 } else { 0 };
        let e = match above {
            0 => answer.load(),
            above => Expr::binary(BinOp::Sub, answer.load(), Expr::int(above)),
        };
        Ok(Ev::Val(Val { e, ty: Ty::INT }))
    }

    /// Stores the result of an operator that may overflow through a pointer; whether it did is the value.
    fn store_exact(&mut self, op: BinOp, [x, y]: [Val; 2], p: Val, span: Span) -> Res<Ev> {
        let (Some(i), Some(j), Some(pointee)) = (x.ty.as_int(), y.ty.as_int(), p.ty.pointee().cloned())
        else {
            return type_error(span, "the builtin needs two integers and a pointer");
        };
        // Products of unsigned numbers are not negative, and may need all bits.
        let signed = op != BinOp::Mul || i.signed || j.signed;
        let wide = Ty::Int(IntTy { rank: Rank::Int128, bits: 128, signed });
        if i.bits > 64 || j.bits > 64 {
            return unsupported(span, "the overflow builtin is not supported for these types");
        }
        let (l, r) = (self.convert(x, &wide, span)?, self.convert(y, &wide, span)?);
        let exact = self.spill(Expr::binary(op, l, r), span);
        let exact = Val { e: exact, ty: wide.clone() };
        let target = deref(p.e, pointee.clone());
        let stored = self.convert(exact.clone(), &pointee.ty, span)?;
        self.statement(Op::Assign(target.lv, stored.clone()), span);
        let back = self.convert(Val { e: stored, ty: pointee.ty }, &wide, span)?;
        Ok(Ev::Val(Val { e: Expr::binary(BinOp::Ne, back, exact.e), ty: Ty::INT }))
    }
}

/// The type on which `abs` or one of its relatives works.
pub(crate) fn absolute_type(name: &str, model: ir::DataModel) -> Ty {
    Ty::Int(match name.trim_start_matches("__builtin_") {
        "abs" => IntTy::INT,
        "labs" => IntTy::long(model),
        _ => IntTy::LLONG,
    })
}

/// The unsigned type of this many bytes.
fn unsigned_of(bytes: u16) -> Ty {
    Ty::Int(match bytes {
        2 => IntTy { rank: Rank::Short, bits: 16, signed: false },
        4 => IntTy::UINT,
        _ => IntTy::LLONG.with_sign(false),
    })
}

pub(crate) fn float_constant(value: f64, bits: u16) -> Ev {
    let ty = Ty::Float(bits);
    Ev::Val(Val { e: Expr::Float(value.to_bits(), ty.lower()), ty })
}

/// The width of the operand of a bit-counting builtin.
pub(crate) fn bit_count(name: &str) -> Option<u32> {
    let base = name.trim_end_matches('l');
    let known = matches!(
        base,
        "__builtin_popcount" | "__builtin_parity" | "__builtin_ctz" | "__builtin_clz" | "__builtin_ffs"
    );
    known.then_some(match name.len() - base.len() {
        0 => 32,
        _ => 64,
    })
}

/// The operator of an overflow builtin, and the type of its operands where it has one.
fn overflow_operator(name: &str, model: ir::DataModel) -> Option<(BinOp, Option<IntTy>)> {
    let middle = name.strip_prefix("__builtin_")?.strip_suffix("_overflow")?;
    let short = middle.trim_end_matches('l');
    // `mul` ends with the letter that stands for `long`.
    let (kind, longs) = match (short.ends_with("mu"), middle.len() - short.len()) {
        (true, n) => (&middle[..short.len() + 1], n - 1),
        (false, n) => (short, n),
    };
    let (sign, operator) = kind.split_at(kind.len().checked_sub(3)?);
    let op = match operator {
        "add" => BinOp::Add,
        "sub" => BinOp::Sub,
        "mul" => BinOp::Mul,
        _ => return None,
    };
    let size = match longs {
        0 => IntTy::INT,
        1 => IntTy::long(model),
        2 => IntTy::LLONG,
        _ => return None,
    };
    match (sign, longs) {
        ("", 0) => Some((op, None)),
        ("s", _) => Some((op, Some(size))),
        ("u", _) => Some((op, Some(size.with_sign(false)))),
        _ => None,
    }
}
