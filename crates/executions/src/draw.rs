//! Values for the inputs of concrete executions, drawn deterministically from a seed.

use ir::{FloatType, IntType, StartInput};

/// A source of values. Seed 0 gives zeros, the next seeds other constants, all further ones a mixture of small,
/// extreme and arbitrary values.
#[derive(Clone, Debug)]
pub struct Draw {
    seed: u64,
    state: u64,
}

/// What the first seeds give for every input.
const CONSTANTS: [i128; 6] = [0, 1, -1, 2, i128::MAX, i128::MIN];

impl Draw {
    /// The source with this seed.
    pub fn new(seed: u64) -> Draw {
        Draw { seed, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d }
    }

    /// The next 64 bits (splitmix64).
    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        if self.seed < CONSTANTS.len() as u64 { 0 } else { self.bits() % n.max(1) }
    }

    /// One of the entries, of which there are some.
    pub fn one<'a, T>(&mut self, entries: &'a [T]) -> &'a T {
        &entries[self.below(entries.len() as u64) as usize]
    }

    /// Something that a user may well start the program with: few arguments, short texts of characters that can be typed.
    /// `None` for the seeds that give one value each time, and now and then.
    pub fn start(&mut self, what: StartInput) -> Option<i128> {
        if self.seed < CONSTANTS.len() as u64 || self.below(8) == 0 {
            return None;
        }
        let most = match what {
            StartInput::Argument(_) => 5,
            StartInput::EnvironmentLength => 3,
            StartInput::StringLength => [3, 12, 80][self.below(3) as usize],
            StartInput::StringCharacter => 95,
        };
        let first = if what == StartInput::StringCharacter { i128::from(b' ') } else { 0 };
        Some(first + i128::from(self.below(most)))
    }

    /// A value of the type.
    pub fn int(&mut self, ty: IntType) -> i128 {
        if let Some(c) = CONSTANTS.get(self.seed as usize) {
            return (*c).clamp(ty.min(), ty.max());
        }
        let arbitrary = (i128::from(self.bits()) << 64) | i128::from(self.bits());
        let value = match self.bits() % 16 {
            0..=3 => 0,
            4..=6 => 1,
            7..=9 => (self.bits() % 8) as i128,
            10..=11 => (self.bits() % 256) as i128 - 64,
            12 => ty.max() - (self.bits() % 3) as i128,
            13 => ty.min() + (self.bits() % 3) as i128,
            _ => arbitrary,
        };
        ty.wrap(value)
    }

    /// A value of the floating-point type: small numbers with and without a fraction, numbers so large that they have no
    /// fraction, powers of two, and seldom what is special or arbitrary. Types other than `float` get those of `double`.
    pub fn float(&mut self, ty: FloatType) -> f64 {
        if let Some(c) = CONSTANTS.get(self.seed as usize) {
            return *c as f64;
        }
        let digits = if ty.bits == 32 { f32::MANTISSA_DIGITS } else { f64::MANTISSA_DIGITS };
        let small = (self.bits() % 16) as f64;
        let value = match self.bits() % 16 {
            0..=4 => small,
            5..=8 => (self.bits() % 4096) as f64 / self.one(&[2.0, 8.0, 10.0, 100.0]),
            9..=10 => 2f64.powi(digits as i32) + 2.0 * (small - 8.0),
            11..=12 => 2f64.powi((self.bits() % 128) as i32 - 64),
            13 => *self.one(&[0.1, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, f64::MAX, 5e-324, 0.0]),
            14 => f64::from(f32::from_bits(self.bits() as u32)),
            _ => f64::from_bits(self.bits()),
        };
        let value = if self.bits().is_multiple_of(4) { -value } else { value };
        rounded(value, ty)
    }
}

/// The number as one of the type; of other types than `float` and `double` as it is.
pub(crate) fn rounded(value: f64, ty: FloatType) -> f64 {
    interp::round(value, ty).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_of_their_type_and_repeatable() {
        let narrow = [IntType::BOOL, IntType { bits: 8, signed: true }, IntType::UINT, IntType::INT];
        for seed in 0..60 {
            let (mut a, mut b) = (Draw::new(seed), Draw::new(seed));
            for ty in narrow.into_iter().cycle().take(200) {
                let v = a.int(ty);
                assert!((ty.min()..=ty.max()).contains(&v), "{v} {ty:?}");
                assert_eq!(v, b.int(ty));
            }
        }
        assert_eq!(Draw::new(0).int(IntType::INT), 0);
    }

    /// Each kind of number occurs, and a `float` is one.
    #[test]
    fn numbers_with_fractions_are_of_their_type_and_of_all_kinds() {
        for (bits, digits) in [(32, 24), (64, 53)] {
            let (mut special, mut whole, mut fraction, mut negative, mut large) = (0, 0, 0, 0, 0);
            for seed in 0..2000 {
                let (mut a, mut b) = (Draw::new(seed), Draw::new(seed));
                let v = a.float(FloatType { bits });
                assert_eq!(v.to_bits(), b.float(FloatType { bits }).to_bits());
                assert!(bits == 64 || v.is_nan() || f64::from(v as f32) == v, "{v} is no float");
                special += usize::from(!v.is_finite() || v.is_subnormal());
                whole += usize::from(v.fract() == 0.0 && v.abs() < 16.0);
                fraction += usize::from(v.fract() != 0.0 && v.abs() > 1.0);
                negative += usize::from(v < 0.0);
                large += usize::from((v.abs() - 2f64.powi(digits)).abs() < 32.0);
            }
            for count in [special, whole, fraction, negative, large] {
                assert!((40..1200).contains(&count), "{special} {whole} {fraction} {negative} {large}");
            }
        }
    }
}
