//! Terms as SMT-LIB text. Large terms bind their shared parts with `let`, so the text is linear in
//! the number of nodes.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Op, Term};
use ieee::{Arithmetic, Rounding};

/// Terms with at most this many nodes, as trees, are written without `let`.
const SMALL: u32 = 500;

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tree_size() <= SMALL {
            return write_tree(f, self, &FxHashMap::default());
        }
        let mut names = FxHashMap::default();
        let shared = shared_parts(self);
        for (number, part) in shared.iter().enumerate() {
            write!(f, "(let ((?{number} ")?;
            write_tree(f, part, &names)?;
            f.write_str("))\n")?;
            names.insert((*part).clone(), number);
        }
        write_tree(f, self, &names)?;
        for _ in &shared {
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The parts with arguments that occur more than once, each after the shared parts inside it. The
/// whole term is not among them.
fn shared_parts(whole: &Term) -> Vec<&Term> {
    let mut seen = FxHashSet::default();
    let mut again = FxHashSet::default();
    let mut finished = Vec::new();
    let mut pending = vec![(whole, false)];
    while let Some((term, args_done)) = pending.pop() {
        if args_done {
            finished.push(term);
        } else if seen.insert(term) {
            pending.push((term, true));
            pending.extend(term.args().iter().rev().map(|arg| (arg, false)));
        } else if !term.args().is_empty() {
            again.insert(term);
        }
    }
    finished.retain(|term| again.contains(term));
    finished
}

enum Piece<'a> {
    Term(&'a Term),
    Close,
}

fn write_tree(f: &mut fmt::Formatter<'_>, term: &Term, names: &FxHashMap<Term, usize>) -> fmt::Result {
    let mut pending = vec![Piece::Term(term)];
    let mut first = true;
    while let Some(piece) = pending.pop() {
        let term = match piece {
            Piece::Close => {
                f.write_str(")")?;
                continue;
            }
            Piece::Term(term) => term,
        };
        if !first {
            f.write_str(" ")?;
        }
        first = false;
        if let Some(number) = names.get(term) {
            write!(f, "?{number}")?;
        } else if term.args().is_empty() {
            write_leaf(f, term)?;
        } else {
            f.write_str("(")?;
            write_head(f, term)?;
            pending.push(Piece::Close);
            pending.extend(term.args().iter().rev().map(Piece::Term));
        }
    }
    Ok(())
}

fn write_leaf(f: &mut fmt::Formatter<'_>, term: &Term) -> fmt::Result {
    match term.op() {
        Op::Constant(name) => write_symbol(f, name),
        Op::Bool(value) => write!(f, "{value}"),
        Op::Int(value) if *value < 0 => write!(f, "(- {})", value.unsigned_abs()),
        Op::Int(value) => write!(f, "{value}"),
        Op::BitVec(value) => {
            let width = term.sort().width() as usize;
            if width.is_multiple_of(4) {
                write!(f, "#x{value:0digits$x}", digits = width / 4)
            } else {
                write!(f, "#b{value:0width$b}")
            }
        }
        op => panic!("{op:?} always has arguments"),
    }
}

fn write_head(f: &mut fmt::Formatter<'_>, term: &Term) -> fmt::Result {
    let name = match term.op() {
        Op::Apply(function) => return write_symbol(f, function.name()),
        Op::ConstArray => return write!(f, "(as const {})", term.sort()),
        Op::BvExtract { high, low } => return write!(f, "(_ extract {high} {low})"),
        Op::BvZeroExtend(extra) => return write!(f, "(_ zero_extend {extra})"),
        Op::BvSignExtend(extra) => return write!(f, "(_ sign_extend {extra})"),
        Op::Select => "select",
        Op::Store => "store",
        Op::Ite => "ite",
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Equal => "=",
        Op::IntLe => "<=",
        Op::IntAdd => "+",
        Op::IntMul => "*",
        Op::IntDiv => "div",
        Op::IntMod => "mod",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvAdd => "bvadd",
        Op::BvSub => "bvsub",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUle => "bvule",
        Op::BvSle => "bvsle",
        Op::BvAddOverflows => "bvsaddo",
        Op::BvSubOverflows => "bvssubo",
        Op::BvMulOverflows => "bvsmulo",
        Op::FpRound(rounding) => return write!(f, "(_ fp.roundToIntegral {rounding:?})"),
        Op::FpConvert(width, to) => return rounded(f, &format!("(_ to_fp {width})"), *to),
        Op::FpFromSigned(width, to) => return rounded(f, &format!("(_ to_fp_signed {width})"), *to),
        Op::FpFromUnsigned(width, to) => return rounded(f, &format!("(_ to_fp_unsigned {width})"), *to),
        Op::FpArithmetic(op, to) => return rounded(f, arithmetic(*op), *to),
        Op::FpSqrt(to) => return rounded(f, "fp.sqrt", *to),
        Op::FpToSigned(width) => return write!(f, "(_ fp.to_sbv {width})"),
        Op::FpToUnsigned(width) => return write!(f, "(_ fp.to_ubv {width})"),
        Op::FpEqual => "fp.eq",
        Op::FpLess => "fp.lt",
        Op::FpLessEqual => "fp.leq",
        Op::Constant(_) | Op::Bool(_) | Op::Int(_) | Op::BitVec(_) => {
            panic!("a leaf has no arguments")
        }
    };
    f.write_str(name)
}

/// The name of an operation on numbers.
fn arithmetic(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Add => "fp.add",
        Arithmetic::Sub => "fp.sub",
        Arithmetic::Mul => "fp.mul",
        Arithmetic::Div => "fp.div",
    }
}

/// Writes an operator that is rounded, with the rounding where it is not to nearest.
fn rounded(f: &mut fmt::Formatter<'_>, name: &str, to: Rounding) -> fmt::Result {
    match to {
        Rounding::NearestEven => f.write_str(name),
        to => write!(f, "(_ {name} {to:?})"),
    }
}

/// Writes a name, between bars if it is not a simple symbol. The two characters that SMT-LIB cannot
/// quote become `!`.
fn write_symbol(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    if name.starts_with(|c: char| is_plain(c) && !c.is_ascii_digit()) && name.chars().all(is_plain) {
        f.write_str(name)
    } else {
        write!(f, "|{}|", name.replace(['|', '\\'], "!"))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::{Function, Sort, Term};

    fn int(name: &str) -> Term {
        Term::constant(name, Sort::Int)
    }

    #[test]
    fn terms_read_as_smt_lib() {
        let memory = Term::constant("mem", Sort::array(Sort::Int, Sort::BitVec(12)));
        let f = Function::new("f", vec![Sort::Int, Sort::Bool], Sort::Int);
        let bits = Term::constant("b", Sort::BitVec(12));
        let zeros = Term::const_array(Sort::Int, &Term::bv(12, 0));
        let applied = Term::apply(&f, [int("p->f"), Term::constant("a b|c", Sort::Bool)]);
        let formulas = [
            int("x").int_lt(&int("y").int_sub(&Term::int(3))),
            int("x").int_mul(&Term::int(-2)).equal(&applied),
            memory.store(&int("x"), &bits).equal(&zeros),
            memory.select(&int("1x")).bv_slt(&bits.bv_shl(&Term::bv(12, 3))),
            bits.bv_extract(8, 2).bv_sign_extend(2).equal(&Term::bv(9, 0x1d5)),
            bits.bv_add_no_overflow(&Term::bv(12, 1)),
        ];
        let text: Vec<String> = formulas.iter().map(Term::to_string).collect();
        expect![[r#"
            (<= (+ x (* (- 1) y)) (- 4))
            (= (+ (* 2 x) (f p->f |a b!c|)) 0)
            (= (store mem x b) ((as const (Array Int (_ BitVec 12))) #x000))
            (not (bvsle (bvshl b #x003) (select mem |1x|)))
            (= ((_ extract 8 2) b) #b1010101)
            (not (bvsaddo b #x001))"#]]
        .assert_eq(&text.join("\n"));
    }

    #[test]
    fn shared_parts_of_large_terms_are_written_once() {
        let mut term = int("x");
        for i in 0..40 {
            let condition = Term::constant(&format!("c{i}"), Sort::Bool);
            term = Term::ite(&condition, &term.int_div(&int("d")), &term);
        }
        let text = term.to_string();
        assert_eq!(text.matches("(let ").count(), 39);
        assert_eq!(text.matches('(').count(), text.matches(')').count());
        assert!(text.len() < 4_000, "{text}");
    }
}
