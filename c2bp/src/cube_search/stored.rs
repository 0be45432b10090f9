//! Answers on file: what one run found out, for the next (`--query-cache`).
//!
//! The file is text: a head with the version of the format and of Z3, one line a problem, and a checksum. A problem is
//! kept as its whole text with the limits of the search, not as a hash, and is never read back: it is compared with
//! the text of the problem asked. Answers are shown again before they are used ([`Answers::hold`]), so that a file can
//! make no answer wrong; what does not have its checksum is not used at all. Answers in which the prover gave up are not
//! kept: they depend on more than the problem.

use crate::cube_search::problem::{Answers, Problem, Sides};
use crate::formula::{Cover, Cube, Lit};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The first line of every version.
const HEAD: &str = "c2bp query cache, format ";

/// The format. What changes the meaning of an answer changes it: the search, the texts of problems.
const FORMAT: &str = "1";

/// Answers by the texts of their problems.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    entries: BTreeMap<String, String>,
    changed: bool,
}

/// The text was not written by this tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NotACache;

impl Stored {
    /// The entries of a text. When they cannot be used, why, and no entries.
    pub(crate) fn read(text: &str) -> Result<(Stored, Option<String>), NotACache> {
        if text.is_empty() {
            return Ok((Stored::default(), None));
        }
        if !text.starts_with(HEAD) {
            return Err(NotACache);
        }
        let unused = |why: &str| Ok((Stored { changed: true, ..Stored::default() }, Some(why.to_owned())));
        let first = text.lines().next().unwrap_or_default();
        if first != format!("{HEAD}{FORMAT}") {
            return unused("it has another format");
        }
        let Some(body) = text.strip_suffix('\n').and_then(|t| t.rfind('\n')).map(|end| &text[..=end]) else {
            return unused("it is damaged");
        };
        if text[body.len()..].trim_end() != checksum(body) {
            return unused("it is damaged");
        }
        let mut lines = body.lines().skip(1);
        if lines.next() != Some(prover().as_str()) {
            return unused("it was made with another version of Z3");
        }
        let entry = |line: &str| line.split_once('\t').map(|(key, answers)| (key.into(), answers.into()));
        match lines.map(entry).collect::<Option<BTreeMap<String, String>>>() {
            Some(entries) => Ok((Stored { entries, changed: false }, None)),
            None => unused("it is damaged"),
        }
    }

    /// The text, if something changed.
    pub(crate) fn text(&self) -> Option<String> {
        if !self.changed {
            return None;
        }
        let mut out = format!("{HEAD}{FORMAT}\n{}\n", prover());
        for (key, answers) in &self.entries {
            let _ = writeln!(out, "{key}\t{answers}");
        }
        let sum = checksum(&out);
        let _ = writeln!(out, "{sum}");
        Some(out)
    }

    /// Keeps the answers, unless the prover gave up.
    pub(crate) fn add(&mut self, problem: &Problem, limits: (u64, u64), answers: &Answers) {
        if answers.total().gave_up == 0 {
            self.entries.insert(key(problem, limits), written(answers));
            self.changed = true;
        }
    }

    /// The answers to the problem.
    pub(crate) fn answers(&self, problem: &Problem, limits: (u64, u64)) -> Option<Answers> {
        let text = self.entries.get(&key(problem, limits))?;
        let sides: Vec<Sides> = text.split(' ').map(|s| sides(s, problem)).collect::<Option<_>>()?;
        let effort = vec![Default::default(); sides.len()];
        (sides.len() == problem.goals.len()).then_some(Answers { sides, effort })
    }
}

fn prover() -> String {
    format!("z3 {}", smt::version())
}

/// The problem as one line.
fn key(problem: &Problem, (rlimit, max_calls): (u64, u64)) -> String {
    let mut terms = smt::Listing::default();
    let mut parts = String::new();
    for fact in &problem.hypotheses {
        let _ = write!(parts, " h{}", terms.add(fact));
    }
    for predicate in &problem.predicates {
        let _ = write!(parts, " p{}", terms.add(predicate));
    }
    for goal in &problem.goals {
        let sides = u8::from(goal.positive) + 2 * u8::from(goal.negative);
        let _ = write!(parts, " g{}/{sides}", terms.add(&goal.term));
    }
    format!("{rlimit} {max_calls} {}{parts} {}", problem.max_cube, terms.text())
}

/// Each goal's two covers: `c` or `i` (complete or not), then the cubes, as in `c(+0-2)(+1)/i`.
fn written(answers: &Answers) -> String {
    let cover = |c: &Cover| {
        let mut out = String::from(if c.complete { "c" } else { "i" });
        for cube in &c.cubes {
            out.push('(');
            for l in cube {
                let sign = if l.is_positive() { '+' } else { '-' };
                let _ = write!(out, "{sign}{}", l.predicate());
            }
            out.push(')');
        }
        out
    };
    let both = |s: &Sides| format!("{}/{}", cover(&s.positive), cover(&s.negative));
    answers.sides.iter().map(both).collect::<Vec<_>>().join(" ")
}

fn sides(text: &str, problem: &Problem) -> Option<Sides> {
    let (positive, negative) = text.split_once('/')?;
    Some(Sides { positive: cover(positive, problem)?, negative: cover(negative, problem)? })
}

fn cover(text: &str, problem: &Problem) -> Option<Cover> {
    let (complete, mut rest) = match text.as_bytes().first()? {
        b'c' => (true, &text[1..]),
        b'i' => (false, &text[1..]),
        _ => return None,
    };
    let mut cubes = vec![];
    while !rest.is_empty() {
        let (inside, behind) = rest.strip_prefix('(')?.split_once(')')?;
        cubes.push(cube(inside, problem)?);
        rest = behind;
    }
    Some(Cover { cubes, complete })
}

fn cube(text: &str, problem: &Problem) -> Option<Cube> {
    let mut cube: Cube = vec![];
    let mut rest = text;
    while !rest.is_empty() {
        let positive = rest.starts_with('+');
        let digits = rest.strip_prefix(['+', '-'])?;
        let end = digits.find(['+', '-']).unwrap_or(digits.len());
        let number: usize = digits[..end].parse().ok()?;
        let fits = number < problem.predicates.len() && cube.last().is_none_or(|l| l.predicate() < number);
        if !fits {
            return None;
        }
        cube.push(Lit::new(number, positive));
        rest = &digits[end..];
    }
    Some(cube)
}

/// The 64-bit hash of Fowler, Noll and Vo (1a), against accidents.
pub(crate) fn checksum(text: &str) -> String {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("checksum {:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
}
