//! Random C programs with assertions, for tests that compare answers of the tool with compiled runs.
//!
//! [`sketch`] draws a program from a seed; where assertions will stand it has *probes*, expressions whose values
//! compiled runs collect ([`native`]). From their least and greatest values [`Sketch::program`] makes assertions that
//! those runs satisfy, and a few that one of them breaks. Programs are sequenced everywhere, read nothing that is
//! uninitialised and end after a bounded number of steps; arithmetic may overflow, and a run that does what C leaves
//! undefined is one that does not count.

mod expr;
mod function;
pub mod native;
mod shape;
mod statement;

use native::Seen;
use std::fmt::Write as _;
pub use testing::Dice;

/// A program with probes in the place of assertions.
pub struct Sketch {
    seed: u64,
    /// Signed arithmetic wraps, as with `-fwrapv`.
    pub wraps: bool,
    text: String,
    probes: Vec<Probe>,
}

/// An expression whose values are collected.
struct Probe {
    text: String,
    /// It is a signed integer of at most 32 bits, and can be compared without a cast.
    small: bool,
}

/// Marks a probe in the text of a sketch.
const MARK: char = '@';

/// Draws a program.
pub fn sketch(seed: u64) -> Sketch {
    shape::draw(seed)
}

impl Sketch {
    /// The number of probes.
    pub fn probes(&self) -> usize {
        self.probes.len()
    }

    /// The program that reports to the harness what its probes see.
    pub fn probing(&self) -> String {
        let text = self.rendered(|k, probe| format!("slam_probe({k}, (long long)({}));", probe.text));
        format!("void slam_probe(int, long long);\n{text}")
    }

    /// The program with assertions made of what the probes saw.
    ///
    /// # Panics
    /// If there is not one entry for each probe.
    pub fn program(&self, seen: &[Seen]) -> String {
        assert_eq!(seen.len(), self.probes.len(), "each probe has been looked at");
        let mut dice = Dice::new(self.seed ^ 0xA55E);
        let breaks = dice.one_in(2).then(|| dice.below(self.probes.len().max(1)));
        let by_function = dice.one_in(2);
        let conditions: Vec<String> = (self.probes.iter().zip(seen).enumerate())
            .map(|(k, (probe, seen))| {
                if breaks == Some(k) { broken(probe, seen, &mut dice) } else { kept(probe, seen, &mut dice) }
            })
            .collect();
        let text = self.rendered(|k, _| {
            let condition = &conditions[k];
            if by_function {
                format!("check({condition});")
            } else {
                format!("if (!({condition})) reach_error();")
            }
        });
        let check = "static void check(int holds) { if (!holds) reach_error(); }\n";
        format!("extern void reach_error(void);\n{}{text}", if by_function { check } else { "" })
    }

    fn rendered(&self, probe: impl Fn(usize, &Probe) -> String) -> String {
        let mut out = String::new();
        for (i, part) in self.text.split(MARK).enumerate() {
            if i % 2 == 0 {
                out.push_str(part);
            } else {
                let k: usize = part.parse().expect("between two marks stands a number");
                out.push_str(&probe(k, &self.probes[k]));
            }
        }
        out
    }
}

/// A condition that every value seen satisfies.
fn kept(probe: &Probe, seen: &Seen, dice: &mut Dice) -> String {
    let e = operand(probe);
    let Some((min, max)) = seen.range else {
        return if dice.one_in(2) { "0".into() } else { format!("{e} != {}", dice.below(9)) };
    };
    if min == max {
        return match dice.below(4) {
            0 => format!("{e} <= {}", literal(max)),
            1 => format!("{e} != {}", literal(max.wrapping_add(1))),
            _ => format!("{e} == {}", literal(min)),
        };
    }
    match dice.below(5) {
        0 => format!("{e} <= {}", literal(max)),
        1 => format!("{e} >= {}", literal(min)),
        2 if max < i64::MAX => format!("{e} != {}", literal(max + 1)),
        3 => format!("{e} < {} || {e} >= {}", literal(max), literal(max)),
        _ => format!("{e} >= {} && {e} <= {}", literal(min), literal(max)),
    }
}

/// A condition that one of the values seen breaks, if there is one.
fn broken(probe: &Probe, seen: &Seen, dice: &mut Dice) -> String {
    let e = operand(probe);
    let Some((min, max)) = seen.range else { return "0".into() };
    match dice.below(4) {
        0 => format!("{e} < {}", literal(max)),
        1 => format!("{e} > {}", literal(min)),
        2 => format!("{e} != {}", literal(max)),
        _ => format!("{e} != {}", literal(min)),
    }
}

fn operand(probe: &Probe) -> String {
    if probe.small { format!("({})", probe.text) } else { format!("(long long)({})", probe.text) }
}

/// A constant of type `int` where it fits, else of type `long long`.
fn literal(value: i64) -> String {
    let mut out = String::new();
    let _ = match value {
        i64::MIN => write!(out, "(-9223372036854775807LL - 1)"),
        _ if i32::try_from(value).is_ok() && value > i32::MIN.into() => write!(out, "{value}"),
        _ => write!(out, "{value}LL"),
    };
    out
}
