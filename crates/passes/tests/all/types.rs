//! Integer types: ranges and wrapping.

use ir::IntType;

#[test]
fn ranges_and_wrapping() {
    let i8_ = IntType { bits: 8, signed: true };
    assert_eq!((i8_.min(), i8_.max(), i8_.wrap(200), i8_.wrap(-129)), (-128, 127, -56, 127));
    let u64_ = IntType { bits: 64, signed: false };
    assert_eq!((u64_.wrap(-1), u64_.max()), (u64::MAX as i128, u64::MAX as i128));
    assert!(!u64_.includes(i8_) && IntType::INT.includes(i8_) && IntType::INT.includes(IntType::BOOL));
}
