//! Terms as text that can be kept and compared: two terms have the same text exactly if they are equal.
//!
//! The text lists the nodes, each after its arguments and once, as `head:sort argument argument;` with arguments
//! by their numbers in the list. Numbers are given in the order of the first additions, so equal terms added in the
//! same order to two lists give equal texts, in any run. (SMT-LIB text, as [`Term`] is displayed, does not serve:
//! it leaves out sorts and cannot quote all names.)

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::term::{Op, Term};

/// A list of nodes.
#[derive(Default)]
pub struct Listing {
    text: String,
    numbers: FxHashMap<Term, usize>,
}

impl Listing {
    /// Adds the nodes of a term that are not there yet; the number of the term itself.
    pub fn add(&mut self, term: &Term) -> usize {
        let mut pending = vec![(term, false)];
        while let Some((node, ready)) = pending.pop() {
            if self.numbers.contains_key(node) {
                continue;
            }
            if ready {
                self.write(node);
            } else {
                pending.push((node, true));
                pending.extend(node.args().iter().rev().map(|arg| (arg, false)));
            }
        }
        self.numbers[term]
    }

    /// The list.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn write(&mut self, node: &Term) {
        let out = &mut self.text;
        let _ = match node.op() {
            // Rust's quoting: every name has its own, without line breaks and tabulators.
            Op::Constant(name) => write!(out, "{name:?}"),
            Op::Apply(function) => write!(out, "apply {:?}", function.name()),
            Op::Int(value) => write!(out, "{value}"),
            Op::BitVec(value) => write!(out, "{value}"),
            Op::Bool(value) => write!(out, "{value}"),
            op => write!(out, "{op:?}"),
        };
        let _ = write!(out, ":{}", node.sort());
        for arg in node.args() {
            let _ = write!(out, " {}", self.numbers[arg]);
        }
        out.push(';');
        self.numbers.insert(node.clone(), self.numbers.len());
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::Listing;
    use crate::{Sort, Term};

    #[test]
    fn equal_texts_mean_equal_terms() {
        let bits = |name: &str, width| Term::constant(name, Sort::BitVec(width));
        let memory = Term::constant("a;b\n", Sort::array(Sort::Int, Sort::BitVec(8)));
        let read = memory.select(&Term::int(-3));
        let wide = read.bv_sign_extend(8);
        let formula = Term::or([wide.bv_sle(&bits("x", 16)), read.equal(&Term::bv(8, 7))]);
        let mut list = Listing::default();
        assert_eq!((list.add(&formula), list.add(&formula), list.add(&wide)), (8, 8, 3));
        expect![[r#""a;b\n":(Array Int (_ BitVec 8));-3:Int;Select:(_ BitVec 8) 0 1;BvSignExtend(8):(_ BitVec 16) 2;"x":(_ BitVec 16);BvSle:Bool 3 4;7:(_ BitVec 8);Equal:Bool 2 6;Or:Bool 5 7;"#]]
            .assert_eq(list.text());
        let alone = |term: &Term| {
            let mut list = Listing::default();
            list.add(term);
            list.text().to_owned()
        };
        assert_ne!(alone(&bits("x", 8)), alone(&bits("x", 9)));
        assert_ne!(alone(&Term::bv(8, 1)), alone(&Term::int(1)));
        assert_ne!(alone(&Term::constant("true", Sort::Bool)), alone(&Term::bool(true)));
    }
}
