//! The values that a program knows: those that it compares with or assigns, and its short texts.

use crate::draw::Draw;
use cmm::analysis::visit;
use cmm::{Expr, HavocKind, Op, Program, StartInput};
use std::collections::BTreeSet;

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
}

/// Whether the operation gives a text that the program is started with.
pub(super) fn is_started_with_text(op: &Op) -> bool {
    matches!(op, Op::Havoc(_, HavocKind::Start(StartInput::StringLength)))
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
        Words { numbers: numbers.into_iter().collect(), texts: texts.into_iter().collect(), takes_texts }
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
