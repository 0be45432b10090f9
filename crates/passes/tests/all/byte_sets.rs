//! Sets of bytes behind a pointer.

use passes::checks::uninit::byte_sets::Bytes;
use std::collections::BTreeSet;
use testing::Dice;

#[test]
fn sets_of_bytes_are_sets() {
    let mut dice = Dice::new(7);
    let some = |dice: &mut Dice| {
        let mut out = Bytes::NONE;
        for _ in 0..dice.below(5) {
            let start = i128::from(dice.within(-20, 20));
            out = out.and(&Bytes::block(start, start + i128::from(dice.within(0, 5))));
        }
        out
    };
    let members = |set: &Bytes| -> BTreeSet<i128> { (-60..60).filter(|b| set.covers(*b, b + 1)).collect() };
    for _ in 0..2000 {
        let (a, b) = (some(&mut dice), some(&mut dice));
        let (x, y) = (members(&a), members(&b));
        assert_eq!(members(&a.join(&b)), &x & &y);
        assert_eq!(members(&a.and(&b)), &x | &y);
        let by = i128::from(dice.within(-10, 10));
        assert_eq!(members(&a.moved(by)), x.iter().map(|at| at - by).collect());
        let (start, len) = (i128::from(dice.within(-20, 20)), i128::from(dice.within(1, 5)));
        assert_eq!(a.covers(start, start + len), (start..start + len).all(|at| x.contains(&at)));
        assert_eq!(a.join(&Bytes::All), a);
        assert_eq!(a.and(&Bytes::All), Bytes::All);
    }
}
