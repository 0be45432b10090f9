//! Mutations of the inputs of executions that went somewhere new.

use super::dictionary::Words;
use super::inputs::Answer;
use crate::draw::Draw;

/// Longest block that is repeated or left out.
const BLOCK: u64 = 12;

/// How often a block or a value is repeated at most.
const TIMES: u64 = 24;

/// Inputs for the next execution: nothing, or a change of something kept. The latest and the
/// shortest are preferred.
pub(super) fn next(
    (kept, newest): (&[Vec<Answer>], Option<&Vec<Answer>>),
    (favourites, words): (&[i128], &Words),
    draw: &mut Draw,
) -> Vec<Answer> {
    if kept.is_empty() || draw.below(8) == 0 {
        return vec![];
    }
    // What was kept last is tried often at once.
    if let Some(newest) = newest {
        let mut values = newest.clone();
        step(&mut values, kept, (favourites, words), draw);
        return values;
    }
    let late = kept.len() - kept.len().div_ceil(4);
    let one = |draw: &mut Draw| if draw.below(2) == 0 { draw.one(kept) } else { draw.one(&kept[late..]) };
    // Short ones are cheaper to try, and more of their parts matter.
    let (parent, other) = (one(draw), one(draw));
    let mut values = if other.len() < parent.len() { other.clone() } else { parent.clone() };
    for _ in 0..=draw.below(4) {
        step(&mut values, kept, (favourites, words), draw);
    }
    values
}

fn step(
    values: &mut Vec<Answer>,
    kept: &[Vec<Answer>],
    (favourites, words): (&[i128], &Words),
    draw: &mut Draw,
) {
    let len = values.len() as u64;
    let at = draw.below(len + 1) as usize;
    let end = (at + 1 + draw.below(BLOCK) as usize).min(values.len());
    let word = |draw: &mut Draw| match (favourites, words.numbers()) {
        ([], []) => draw.below(16).into(),
        ([], some) | (some, _) => *draw.one(some),
    };
    // The place at which something is put in.
    let place = values.get(at).or(values.last()).map_or(0, |(place, _)| *place);
    match draw.below(9) {
        0 => values.truncate(at),
        1 if at < values.len() => values[at].1 = word(draw),
        2 if at < values.len() => {
            let value = &mut values[at].1;
            *value = match draw.below(4) {
                0 => value.wrapping_add(1),
                1 => value.wrapping_sub(1),
                2 => value.wrapping_neg(),
                _ => draw.below(256).into(),
            }
        }
        3 if at < end => {
            let block = values[at..end].repeat(1 + draw.below(TIMES) as usize);
            values.splice(end..end, block);
        }
        4 if at < end => _ = values.drain(at..end),
        5 => {
            let (value, times) = (word(draw), 1 + draw.below(TIMES) as usize);
            values.splice(at..at, std::iter::repeat_n((place, value), times));
        }
        6 => {
            let other = draw.one(kept);
            let from = draw.below(other.len() as u64 + 1) as usize;
            values.truncate(at);
            values.extend(&other[from..]);
        }
        7 if at < end => {
            let (one, other) = (values[at].1, values[end - 1].1);
            (values[at].1, values[end - 1].1) = (other, one);
        }
        _ => {
            let text: Vec<Answer> = words.text(draw).iter().map(|letter| (place, *letter)).collect();
            values.splice(at..at, text);
        }
    }
}
