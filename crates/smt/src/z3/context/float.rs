//! Floating point in Z3: sorts and conversions between numbers and their bits. A number here is a Z3 term of a
//! floating-point sort.

use super::{Ast, Context, ZSort};
use crate::term::Op;
use ieee::{Arithmetic, Rounding, not_a_number};
use z3_sys::{
    Z3_ast, Z3_context, Z3_mk_fpa_add, Z3_mk_fpa_div, Z3_mk_fpa_eq, Z3_mk_fpa_is_nan, Z3_mk_fpa_leq,
    Z3_mk_fpa_lt, Z3_mk_fpa_mul, Z3_mk_fpa_rna, Z3_mk_fpa_rne, Z3_mk_fpa_round_to_integral, Z3_mk_fpa_rtn,
    Z3_mk_fpa_rtp, Z3_mk_fpa_rtz, Z3_mk_fpa_sort_32, Z3_mk_fpa_sort_64, Z3_mk_fpa_sqrt, Z3_mk_fpa_sub,
    Z3_mk_fpa_to_fp_bv, Z3_mk_fpa_to_fp_float, Z3_mk_fpa_to_fp_signed, Z3_mk_fpa_to_fp_unsigned,
    Z3_mk_fpa_to_ieee_bv, Z3_mk_fpa_to_sbv, Z3_mk_fpa_to_ubv, Z3_mk_ite, Z3_sort,
};

/// Rounding, what is converted, and the sort that it gets.
type Converter = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_sort) -> Option<Z3_ast>;

impl Context {
    /// The sort of numbers of 32 or 64 bits, held for as long as the context lives.
    pub(in crate::z3) fn float_sort(&mut self, width: u32) -> ZSort {
        // Safety: the context is alive.
        let sort =
            unsafe { if width == 32 { Z3_mk_fpa_sort_32(self.raw) } else { Z3_mk_fpa_sort_64(self.raw) } };
        self.keep_sort(sort)
    }

    fn rounding(&mut self, rounding: Rounding) -> Ast {
        // Safety: the context is alive.
        self.made(|raw| unsafe {
            match rounding {
                Rounding::NearestEven => Z3_mk_fpa_rne(raw),
                Rounding::NearestAway => Z3_mk_fpa_rna(raw),
                Rounding::Up => Z3_mk_fpa_rtp(raw),
                Rounding::Down => Z3_mk_fpa_rtn(raw),
                Rounding::Zero => Z3_mk_fpa_rtz(raw),
            }
        })
    }

    /// The number with these bits.
    pub(in crate::z3) fn float_of_bits(&mut self, bits: Ast, sort: ZSort) -> Ast {
        // Safety: the arguments are held by this context.
        self.made(|raw| unsafe { Z3_mk_fpa_to_fp_bv(raw, bits.0, sort.0) })
    }

    /// The bits of a number of this width.
    pub(in crate::z3) fn bits_of_float(&mut self, number: Ast, width: u32, bits: ZSort) -> Ast {
        let is_none = self.unary(Z3_mk_fpa_is_nan, number);
        let none = self.bits(not_a_number(width), bits);
        let some = self.unary(Z3_mk_fpa_to_ieee_bv, number);
        self.ternary(Z3_mk_ite, is_none, none, some)
    }

    /// The number that an operator gives on numbers.
    pub(in crate::z3) fn float_operation(&mut self, op: &Op, args: &[Ast], sort: ZSort) -> Ast {
        let (converted, rounding): (Converter, Rounding) = match (op, args) {
            (Op::FpArithmetic(op, rounding), [a, b]) => {
                let rounding = self.rounding(*rounding);
                let made = match op {
                    Arithmetic::Add => Z3_mk_fpa_add,
                    Arithmetic::Sub => Z3_mk_fpa_sub,
                    Arithmetic::Mul => Z3_mk_fpa_mul,
                    Arithmetic::Div => Z3_mk_fpa_div,
                };
                return self.ternary(made, rounding, *a, *b);
            }
            (Op::FpSqrt(rounding), [a]) => {
                let rounding = self.rounding(*rounding);
                return self.binary(Z3_mk_fpa_sqrt, rounding, *a);
            }
            (Op::FpRound(rounding), [a]) => {
                let rounding = self.rounding(*rounding);
                return self.binary(Z3_mk_fpa_round_to_integral, rounding, *a);
            }
            (Op::FpConvert(_, rounding), [_]) => (Z3_mk_fpa_to_fp_float, *rounding),
            (Op::FpFromSigned(_, rounding), [_]) => (Z3_mk_fpa_to_fp_signed, *rounding),
            (Op::FpFromUnsigned(_, rounding), [_]) => (Z3_mk_fpa_to_fp_unsigned, *rounding),
            _ => panic!("{op:?} does not give a number"),
        };
        let rounding = self.rounding(rounding);
        // Safety: the arguments are held by this context.
        self.made(|raw| unsafe { converted(raw, rounding.0, args[0].0, sort.0) })
    }

    /// The result of an operator on floating-point numbers that is not itself one.
    pub(in crate::z3) fn float_question(&mut self, op: &Op, args: &[Ast]) -> Ast {
        let toward_zero = self.rounding(Rounding::Zero);
        match (op, args) {
            (Op::FpEqual, [a, b]) => self.binary(Z3_mk_fpa_eq, *a, *b),
            (Op::FpLess, [a, b]) => self.binary(Z3_mk_fpa_lt, *a, *b),
            (Op::FpLessEqual, [a, b]) => self.binary(Z3_mk_fpa_leq, *a, *b),
            // Safety: the arguments are held by this context.
            (Op::FpToSigned(width), [a]) => {
                self.made(|raw| unsafe { Z3_mk_fpa_to_sbv(raw, toward_zero.0, a.0, *width) })
            }
            // Safety: the arguments are held by this context.
            (Op::FpToUnsigned(width), [a]) => {
                self.made(|raw| unsafe { Z3_mk_fpa_to_ubv(raw, toward_zero.0, a.0, *width) })
            }
            _ => panic!("{op:?} is no question about numbers"),
        }
    }
}
