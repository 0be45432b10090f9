//! Values of variables, of which some do not matter yet.

/// Values of up to 64 variables. Where `any` is set, the variable may have either value, and nothing else depends on which;
/// there `value` is not set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Bits {
    pub(crate) value: u64,
    pub(crate) any: u64,
}

impl Bits {
    /// Every variable may have either value.
    pub(crate) const ANY: Bits = Bits { value: 0, any: u64::MAX };

    /// The variable's value, if it is known.
    pub(crate) fn get(self, at: u8) -> Option<bool> {
        (self.any >> at & 1 == 0).then_some(self.value >> at & 1 == 1)
    }

    pub(crate) fn set(&mut self, at: u8, value: Option<bool>) {
        let bit = 1 << at;
        self.value &= !bit;
        self.any &= !bit;
        match value {
            Some(true) => self.value |= bit,
            Some(false) => {}
            None => self.any |= bit,
        }
    }

    /// The same of these variables only.
    pub(crate) fn only(self, mask: u64) -> Bits {
        Bits { value: self.value & mask, any: self.any | !mask }
    }

    /// Of these variables what `other` says.
    pub(crate) fn with(self, other: Bits, mask: u64) -> Bits {
        let mix = |own: u64, other: u64| own & !mask | other & mask;
        Bits { value: mix(self.value, other.value), any: mix(self.any, other.any) }
    }
}

/// A mask of the `count` lowest bits.
pub(crate) fn low(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
