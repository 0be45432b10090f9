//! The dictionary of a program: the values that it compares with or assigns, its short texts, and the numbers in these.

use crate::draw::Draw;
use ir::visit;
use ir::{Base, BinOp, Expr, HavocKind, Op, Program, StartInput, UnOp, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Longest text that counts as a word.
const LONGEST: usize = 16;

/// Values that an execution prefers, at most.
const FAVOURITES: u64 = 5;

/// See the module's documentation.
#[derive(Default)]
pub(super) struct Words {
    numbers: Vec<i128>,
    texts: Vec<Vec<i128>>,
    /// The program is started with texts.
    pub(super) takes_texts: bool,
    /// By the number of an edge.
    own: Vec<Own>,
}

/// See [`Words::own`].
fn own(program: &Program) -> Vec<Own> {
    let (mut compared, mut read) = (BTreeMap::<VarId, BTreeSet<i128>>::new(), BTreeSet::new());
    let var = |e: &Expr| match e {
        Expr::Load(lv) | Expr::AddrOf(lv) => match lv.base {
            Base::Var(v) => Some(v),
            Base::Deref(_) => None,
        },
        _ => None,
    };
    for (_, _, edge) in program.edges() {
        if !matches!(&edge.op, Op::Assume(c) if tested(c).is_some()) {
            visit::nodes(&edge.op, &mut |e| read.extend(var(e)));
        }
        visit::nodes(&edge.op, &mut |e| {
            if let Expr::Binary(op, l, r, _) = e
                && op.is_comparison()
            {
                for (side, other) in [(l, r), (r, l)] {
                    let Some(constant) = other.as_const() else { continue };
                    side.walk(&mut |e| {
                        if let Some(v) = var(e) {
                            compared.entry(v).or_default().insert(constant);
                        }
                    });
                }
            }
        });
    }
    program.procs.iter().for_each(|proc| read.extend(proc.ret));
    let of = |op: &Op| match op {
        Op::Havoc(lv, _) if lv.ty.as_int().is_some() => match lv.as_var() {
            Some(v) if !read.contains(&v) => Own::Choice,
            Some(v) => Own::Compared(compared.get(&v).into_iter().flatten().copied().collect()),
            None => Own::default(),
        },
        _ => Own::default(),
    };
    program.edges().map(|(_, _, edge)| of(&edge.op)).collect()
}

/// The variable that the condition compares with zero.
fn tested(c: &Expr) -> Option<VarId> {
    match c {
        Expr::Load(lv) => lv.as_var(),
        Expr::Cast(inner, _) | Expr::Unary(UnOp::Not, inner, _) => tested(inner),
        Expr::Binary(BinOp::Eq | BinOp::Ne, l, r, _) if r.is_zero() => tested(l),
        _ => None,
    }
}

/// What a program does with an integer that it is given.
pub(super) enum Own {
    /// It only asks whether it is zero.
    Choice,
    /// It compares it with these numbers, among other things.
    Compared(Vec<i128>),
}

impl Default for Own {
    fn default() -> Own {
        Own::Compared(vec![])
    }
}

/// Whether the operation gives a text that the program is started with.
pub(super) fn is_started_with_text(op: &Op) -> bool {
    matches!(op, Op::Havoc(_, HavocKind::Start(StartInput::StringLength)))
}

/// The decimal numbers that a text contains.
fn numbers_in(text: &[i128]) -> impl Iterator<Item = i128> {
    let digit = |c: &i128| u8::try_from(*c).ok().filter(u8::is_ascii_digit).map(|c| i128::from(c - b'0'));
    let runs = text.chunk_by(move |a, b| digit(a).is_some() == digit(b).is_some());
    runs.filter_map(move |run| run.iter().map(digit).try_fold(0, |number, digit| Some(10 * number + digit?)))
}

impl Words {
    pub(super) fn of(program: &Program) -> Words {
        let (mut numbers, mut takes_texts) = (BTreeSet::new(), false);
        for (_, _, edge) in program.edges() {
            visit::nodes(&edge.op, &mut |node| match node {
                Expr::Binary(op, l, r, _) if op.is_comparison() => {
                    numbers.extend([l, r].into_iter().filter_map(|e| e.as_const()));
                }
                _ => {}
            });
            if let Op::Assign(_, value) = &edge.op {
                numbers.extend(value.as_const());
            }
            takes_texts |= is_started_with_text(&edge.op);
        }
        let text = |data: &std::sync::Arc<[u8]>| {
            let (nul, bytes) = data.split_last()?;
            let is_word = *nul == 0 && (2..=LONGEST).contains(&bytes.len());
            is_word.then(|| bytes.iter().map(|b| i128::from(*b)).collect::<Vec<i128>>())
        };
        let texts: BTreeSet<Vec<i128>> = program.vars.iter().filter_map(|v| text(v.data.as_ref()?)).collect();
        numbers.extend(texts.iter().flat_map(|text| numbers_in(text)));
        let (numbers, texts) = (numbers.into_iter().collect(), texts.into_iter().collect());
        Words { numbers, texts, takes_texts, own: own(program) }
    }

    /// What the program does with the input that the edge of this number gives.
    pub(super) fn own(&self, edge: usize) -> &Own {
        &self.own[edge]
    }

    /// The values that the program compares with or assigns.
    pub(super) fn numbers(&self) -> &[i128] {
        &self.numbers
    }

    /// One of the program's short texts.
    pub(super) fn text(&self, draw: &mut Draw) -> &[i128] {
        if self.texts.is_empty() { &[] } else { draw.one::<Vec<i128>>(&self.texts) }
    }

    /// Values for one execution to prefer: a few of those that the program knows.
    pub(super) fn favourites(&self, draw: &mut Draw) -> Vec<i128> {
        if self.numbers.is_empty() {
            return vec![];
        }
        let count = 1 + draw.below(FAVOURITES);
        let near = |draw: &mut Draw| match draw.below(8) {
            0 => 1,
            1 => -1,
            _ => 0,
        };
        (0..count).map(|_| draw.one(&self.numbers) + near(draw)).collect()
    }
}
