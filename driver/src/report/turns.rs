//! Shortened loops with many iterations: the first and the last iterations of each run through a loop are shown, and
//! the number of those between them.

use base::Span;
use ir::LocId;

/// Turns shown from each end.
const ENDS: usize = 3;

/// Loops of more turns are shortened.
const MOST: usize = 8;

/// The beginning of a turn.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// The activation of the procedure, and the loop.
    pub key: (usize, LocId),
    /// The first line of the turn.
    pub line: usize,
    /// The loop's keyword.
    pub span: Span,
    /// How many calls are open there.
    pub depth: usize,
}

/// What is shown.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// The line with this number.
    Line(usize),
    /// Stands for the lines of some iterations.
    Turns {
        /// The loop.
        head: Head,
        /// How many.
        turns: usize,
    },
}

/// The parts of `lines` lines in which these turns begin, in the order of their lines.
pub(crate) fn shortened(lines: usize, heads: &[Head]) -> Vec<Part> {
    let mut out = vec![];
    shorten(0, lines, heads, &mut out);
    out
}

/// The lines from `from` to `end`, with the turns that begin in them. It recurses once for each loop inside of another.
fn shorten(mut from: usize, end: usize, mut heads: &[Head], out: &mut Vec<Part>) {
    while let Some(first) = heads.first() {
        // A loop whose head comes first contains what comes before its last head, or follows it.
        let turns: Vec<usize> = (0..heads.len()).filter(|i| heads[*i].key == first.key).collect();
        let line = |turn: usize| heads[turns[turn]].line;
        lines(from, line(0), out);
        let left_out = turns.len().saturating_sub(2 * ENDS);
        let cut = if turns.len() > MOST { ENDS..ENDS + left_out } else { 0..0 };
        let inner =
            |turn: usize| &heads[turns[turn] + 1..turns.get(turn + 1).copied().unwrap_or(heads.len())];
        for turn in 0..turns.len() - 1 {
            if cut.contains(&turn) {
                if turn == cut.start {
                    out.push(Part::Turns { head: first.clone(), turns: left_out });
                }
                continue;
            }
            shorten(line(turn), line(turn + 1), inner(turn), out);
        }
        let last = turns.len() - 1;
        from = line(last);
        heads = inner(last);
    }
    lines(from, end, out);
}

fn lines(from: usize, end: usize, out: &mut Vec<Part>) {
    out.extend((from..end).map(Part::Line));
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Id, SourceMap};
    use std::fmt::Write;

    /// Shown lines by number, left-out turns as `[loop:turns]`.
    fn text(lines: usize, heads: &[(usize, usize)]) -> String {
        let file = SourceMap::new().add("a.c", None);
        let head = |(key, line): &(usize, usize)| Head {
            key: (0, LocId::from_index(*key)),
            line: *line,
            span: Span::at(file, 1, 1),
            depth: 0,
        };
        let heads: Vec<Head> = heads.iter().map(head).collect();
        let mut out = String::new();
        for part in shortened(lines, &heads) {
            let _ = match part {
                Part::Line(n) => write!(out, "{n} "),
                Part::Turns { head, turns } => write!(out, "[{}:{turns}] ", head.key.1.index()),
            };
        }
        out
    }

    #[test]
    fn short_loops_are_shown_whole() {
        assert_eq!(text(4, &[]), "0 1 2 3 ");
        assert_eq!(text(4, &[(1, 1), (1, 2), (1, 3)]), "0 1 2 3 ");
    }

    #[test]
    fn the_middle_of_a_long_loop_is_left_out() {
        let heads: Vec<(usize, usize)> = (0..20).map(|turn| (1, 1 + 2 * turn)).collect();
        assert_eq!(text(42, &heads), "0 1 2 3 4 5 6 [1:14] 35 36 37 38 39 40 41 ");
    }

    #[test]
    fn loops_inside_and_behind_are_shortened_by_themselves() {
        // Two iterations of a loop in which another one has ten; then a third one.
        let mut heads = vec![];
        for turn in 0..2 {
            heads.push((1, 11 * turn));
            heads.extend((0..10).map(|inner| (2, 11 * turn + 1 + inner)));
        }
        heads.push((1, 22));
        heads.extend((0..9).map(|n| (3, 23 + n)));
        let expected = "0 1 2 3 [2:4] 8 9 10 11 12 13 14 [2:4] 19 20 21 22 23 24 25 [3:3] 29 30 31 ";
        assert_eq!(text(32, &heads), expected);
    }
}
