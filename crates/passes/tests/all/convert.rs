//! Conversions of C [C11 6.3.1.8, 6.4.4.1].

use ir::convert::{Suffix, common, literal_type};
use ir::{DataModel, IntType, Type};

const fn int(bits: u16, signed: bool) -> Type {
    Type::Int(IntType { bits, signed })
}

#[test]
fn usual_arithmetic_conversions() {
    let table = [
        (int(8, true), int(16, false), int(32, true)),
        (int(32, true), int(32, false), int(32, false)),
        (int(32, false), int(64, true), int(64, true)),
        (int(64, true), int(64, false), int(64, false)),
        (int(40, false), int(32, true), int(40, false)),
        (int(8, true), Type::Math, Type::Math),
    ];
    for (l, r, expected) in table {
        assert_eq!(common(&l, &r), Some(expected.clone()), "{l:?} {r:?}");
        assert_eq!(common(&r, &l), Some(expected), "{r:?} {l:?}");
    }
    assert_eq!(common(&int(32, true), &Type::INT.ptr_to()), None);
}

#[test]
fn literals() {
    let plain = Suffix::default();
    let u = Suffix { unsigned: true, longs: 0 };
    let ul = Suffix { unsigned: true, longs: 1 };
    assert_eq!(literal_type(2_147_483_647, plain, DataModel::Lp64), IntType::INT);
    assert_eq!(Type::Int(literal_type(2_147_483_648, plain, DataModel::Lp64)), int(64, true));
    assert_eq!(literal_type(4_294_967_295, u, DataModel::Lp64), IntType::UINT);
    assert_eq!(Type::Int(literal_type(5, ul, DataModel::Lp64)), int(64, false));
    assert_eq!(literal_type(5, ul, DataModel::Ilp32), IntType::UINT);
    assert_eq!(Type::Int(literal_type(1 << 63, plain, DataModel::Lp64)), int(128, true));
}
