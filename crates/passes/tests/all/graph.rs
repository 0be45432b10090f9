//! Strongly connected components.

use ir::components::components;

#[test]
fn components_come_callees_first() {
    // 0 -> 1 <-> 2 -> 3, 4 alone with a loop.
    let c = components(&[vec![1], vec![2], vec![1, 3], vec![], vec![4]]);
    assert_eq!(c, [2, 1, 1, 0, 3]);
}
