//! Terms to Z3 terms, one node at a time and without recursion.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use z3_sys::{
    Z3_mk_add, Z3_mk_and, Z3_mk_bvadd, Z3_mk_bvadd_no_overflow, Z3_mk_bvadd_no_underflow, Z3_mk_bvand,
    Z3_mk_bvashr, Z3_mk_bvlshr, Z3_mk_bvmul, Z3_mk_bvmul_no_overflow, Z3_mk_bvmul_no_underflow, Z3_mk_bvneg,
    Z3_mk_bvnot, Z3_mk_bvor, Z3_mk_bvsdiv, Z3_mk_bvshl, Z3_mk_bvsle, Z3_mk_bvsrem, Z3_mk_bvsub,
    Z3_mk_bvsub_no_overflow, Z3_mk_bvsub_no_underflow, Z3_mk_bvudiv, Z3_mk_bvule, Z3_mk_bvurem, Z3_mk_bvxor,
    Z3_mk_div, Z3_mk_eq, Z3_mk_ite, Z3_mk_le, Z3_mk_mod, Z3_mk_mul, Z3_mk_not, Z3_mk_or, Z3_mk_select,
    Z3_mk_sign_ext, Z3_mk_store, Z3_mk_zero_ext,
};

use super::context::{Ast, Binary, Context, Decl, Ternary, Unary, Variadic, ZSort};
use crate::sort::{Function, Sort};
use crate::term::{Op, Term};

/// What a Z3 symbol stands for.
pub(super) enum Declared {
    Constant(Term),
    Function(Function),
}

/// Z3 terms of terms already translated, for one context.
#[derive(Default)]
pub(super) struct Translator {
    terms: FxHashMap<Term, Ast>,
    sorts: BTreeMap<Sort, ZSort>,
    /// The numbers of terms whose operators give numbers.
    numbers: FxHashMap<Term, Ast>,
    /// Sorts of numbers, by their widths.
    number_sorts: BTreeMap<u32, ZSort>,
    functions: BTreeMap<Function, Decl>,
    constants: FxHashMap<Term, Decl>,
    declared: FxHashMap<Decl, Declared>,
}

impl Translator {
    /// Forgets the terms, not the sorts and symbols; for use with [`Context::release_terms`].
    pub(super) fn forget_terms(&mut self) {
        self.terms.clear();
        self.numbers.clear();
    }

    /// What a symbol of a model stands for; `None` for those that Z3 made itself.
    pub(super) fn declared(&self, decl: Decl) -> Option<&Declared> {
        self.declared.get(&decl)
    }

    pub(super) fn term(&mut self, context: &mut Context, whole: &Term) -> Ast {
        if let Some(ast) = self.terms.get(whole) {
            return *ast;
        }
        let mut pending = vec![(whole, false)];
        while let Some((term, args_done)) = pending.pop() {
            if self.terms.contains_key(term) {
                continue;
            }
            if !args_done && !term.args().is_empty() {
                pending.push((term, true));
                pending.extend(term.args().iter().map(|arg| (arg, false)));
                continue;
            }
            let args: Vec<Ast> = term.args().iter().map(|arg| self.terms[arg]).collect();
            let ast = self.node(context, term, &args);
            self.terms.insert(term.clone(), ast);
        }
        self.terms[whole]
    }

    pub(super) fn sort(&mut self, context: &mut Context, sort: &Sort) -> ZSort {
        match sort {
            Sort::Bool => return context.bool_sort(),
            Sort::Int => return context.int_sort(),
            Sort::BitVec(_) | Sort::Array(_) => {}
        }
        if let Some(done) = self.sorts.get(sort) {
            return *done;
        }
        let done = match sort {
            Sort::BitVec(width) => context.bits_sort(*width),
            Sort::Array(array) => {
                let index = self.sort(context, &array.index);
                let element = self.sort(context, &array.element);
                context.array_sort(index, element)
            }
            Sort::Bool | Sort::Int => unreachable!("basic sorts have been returned above"),
        };
        self.sorts.insert(sort.clone(), done);
        done
    }

    fn node(&mut self, context: &mut Context, term: &Term, args: &[Ast]) -> Ast {
        match (term.op(), args) {
            (Op::Constant(name), _) => self.constant(context, term, name),
            (Op::Apply(function), _) => self.application(context, function, args),
            (Op::Bool(true), _) => context.truth(),
            (Op::Bool(false), _) => {
                let truth = context.truth();
                context.unary(Z3_mk_not, truth)
            }
            (Op::Int(value), _) => context.integer(*value),
            (Op::BitVec(value), _) => {
                let sort = self.sort(context, term.sort());
                context.bits(*value, sort)
            }
            (Op::ConstArray, [element]) => {
                let Sort::Array(sort) = term.sort() else { panic!("a constant array has an array sort") };
                let index = self.sort(context, &sort.index);
                context.const_array(index, *element)
            }
            (Op::BvExtract { high, low }, [a]) => context.extract(*high, *low, *a),
            (Op::BvZeroExtend(extra), [a]) => context.indexed(Z3_mk_zero_ext, *extra, *a),
            (Op::BvSignExtend(extra), [a]) => context.indexed(Z3_mk_sign_ext, *extra, *a),
            (Op::BvAddOverflows | Op::BvSubOverflows | Op::BvMulOverflows, [a, b]) => {
                overflow(context, term.op(), *a, *b)
            }
            (
                op @ (Op::FpEqual | Op::FpLess | Op::FpLessEqual | Op::FpToSigned(_) | Op::FpToUnsigned(_)),
                _,
            ) => {
                let args = self.numbers(context, term.args(), args);
                context.float_question(op, &args)
            }
            (op @ (Op::FpFromSigned(..) | Op::FpFromUnsigned(..)), _) => self.number(context, op, term, args),
            (op @ (Op::FpArithmetic(..) | Op::FpSqrt(_) | Op::FpRound(_) | Op::FpConvert(..)), _) => {
                let args = self.numbers(context, term.args(), args);
                self.number(context, op, term, &args)
            }
            (op, _) => simple(context, op, args),
        }
    }

    fn number_sort(&mut self, context: &mut Context, width: u32) -> ZSort {
        *self.number_sorts.entry(width).or_insert_with(|| context.float_sort(width))
    }

    /// The bits of the number that an operator gives; the number itself is kept for those who go on with it.
    fn number(&mut self, context: &mut Context, op: &Op, term: &Term, args: &[Ast]) -> Ast {
        let width = term.sort().width();
        let sort = self.number_sort(context, width);
        let number = context.float_operation(op, args, sort);
        self.numbers.insert(term.clone(), number);
        let bits = self.sort(context, term.sort());
        context.bits_of_float(number, width, bits)
    }

    /// Terms as numbers: those that operators have given, or else what their bits say.
    fn numbers(&mut self, context: &mut Context, terms: &[Term], bits: &[Ast]) -> Vec<Ast> {
        let one = |(term, bits): (&Term, &Ast)| match self.numbers.get(term) {
            Some(number) => *number,
            None => {
                let sort = self.number_sort(context, term.sort().width());
                let number = context.float_of_bits(*bits, sort);
                self.numbers.insert(term.clone(), number);
                number
            }
        };
        terms.iter().zip(bits).map(one).collect()
    }

    fn constant(&mut self, context: &mut Context, term: &Term, name: &str) -> Ast {
        let decl = match self.constants.get(term) {
            Some(decl) => *decl,
            None => {
                let sort = self.sort(context, term.sort());
                let Some(decl) = context.declare(name, &[], sort) else {
                    return context.truth();
                };
                self.constants.insert(term.clone(), decl);
                self.declared.insert(decl, Declared::Constant(term.clone()));
                decl
            }
        };
        context.application(decl, &[])
    }

    fn application(&mut self, context: &mut Context, function: &Function, args: &[Ast]) -> Ast {
        let decl = match self.functions.get(function) {
            Some(decl) => *decl,
            None => {
                let domain: Vec<ZSort> =
                    (function.domain().iter()).map(|sort| self.sort(context, sort)).collect();
                let range = self.sort(context, function.range());
                let Some(decl) = context.declare(function.name(), &domain, range) else {
                    return context.truth();
                };
                self.functions.insert(function.clone(), decl);
                let declared = Declared::Function(function.clone());
                self.declared.insert(decl, declared);
                decl
            }
        };
        context.application(decl, args)
    }
}

/// Z3 has the absence of overflow upwards and downwards as separate predicates.
fn overflow(context: &mut Context, op: &Op, a: Ast, b: Ast) -> Ast {
    let (above, below) = match op {
        Op::BvAddOverflows => (
            context.signed_binary(Z3_mk_bvadd_no_overflow, a, b),
            context.binary(Z3_mk_bvadd_no_underflow, a, b),
        ),
        Op::BvSubOverflows => (
            context.binary(Z3_mk_bvsub_no_overflow, a, b),
            context.signed_binary(Z3_mk_bvsub_no_underflow, a, b),
        ),
        Op::BvMulOverflows => (
            context.signed_binary(Z3_mk_bvmul_no_overflow, a, b),
            context.binary(Z3_mk_bvmul_no_underflow, a, b),
        ),
        _ => panic!("{op:?} is no overflow predicate"),
    };
    let fits = context.variadic(Z3_mk_and, &[above, below]);
    context.unary(Z3_mk_not, fits)
}

/// The operators that Z3 has under the same meaning.
fn simple(context: &mut Context, op: &Op, args: &[Ast]) -> Ast {
    enum Maker {
        One(Unary),
        Two(Binary),
        Three(Ternary),
        Any(Variadic),
    }
    use Maker::{Any, One, Three, Two};
    let maker = match op {
        Op::Select => Two(Z3_mk_select),
        Op::Store => Three(Z3_mk_store),
        Op::Ite => Three(Z3_mk_ite),
        Op::Not => One(Z3_mk_not),
        Op::And => Any(Z3_mk_and),
        Op::Or => Any(Z3_mk_or),
        Op::Equal => Two(Z3_mk_eq),
        Op::IntLe => Two(Z3_mk_le),
        Op::IntAdd => Any(Z3_mk_add),
        Op::IntMul => Any(Z3_mk_mul),
        Op::IntDiv => Two(Z3_mk_div),
        Op::IntMod => Two(Z3_mk_mod),
        Op::BvNot => One(Z3_mk_bvnot),
        Op::BvNeg => One(Z3_mk_bvneg),
        Op::BvAnd => Two(Z3_mk_bvand),
        Op::BvOr => Two(Z3_mk_bvor),
        Op::BvXor => Two(Z3_mk_bvxor),
        Op::BvAdd => Two(Z3_mk_bvadd),
        Op::BvSub => Two(Z3_mk_bvsub),
        Op::BvMul => Two(Z3_mk_bvmul),
        Op::BvUdiv => Two(Z3_mk_bvudiv),
        Op::BvUrem => Two(Z3_mk_bvurem),
        Op::BvSdiv => Two(Z3_mk_bvsdiv),
        Op::BvSrem => Two(Z3_mk_bvsrem),
        Op::BvShl => Two(Z3_mk_bvshl),
        Op::BvLshr => Two(Z3_mk_bvlshr),
        Op::BvAshr => Two(Z3_mk_bvashr),
        Op::BvUle => Two(Z3_mk_bvule),
        Op::BvSle => Two(Z3_mk_bvsle),
        _ => panic!("{op:?} has a case of its own in the translation"),
    };
    match (maker, args) {
        (One(make), [a]) => context.unary(make, *a),
        (Two(make), [a, b]) => context.binary(make, *a, *b),
        (Three(make), [a, b, c]) => context.ternary(make, *a, *b, *c),
        (Any(make), _) => context.variadic(make, args),
        _ => panic!("{op:?} does not take {} arguments", args.len()),
    }
}
