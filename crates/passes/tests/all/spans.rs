//! Sets of byte offsets.

use alias::byte_offsets::Span;

/// All offsets of a span that lie near the start.
fn near(span: Span) -> Vec<i64> {
    let fits = |o: i64| match span.step {
        0 => o == span.first,
        step => (o - span.first).rem_euclid(step) == 0 && (span.first..=span.last).contains(&o),
    };
    (-64..=64).filter(|o| fits(*o)).collect()
}

/// `meets` against trying out all offsets.
#[test]
fn meetings_are_those_of_all_offsets() {
    let spans: Vec<Span> = (-3..=6)
        .flat_map(|first| {
            [1u64, 2, 3, 4, 6]
                .into_iter()
                .flat_map(move |stride| [1u64, 2, 5].map(|count| Span::at(first).times(stride, Some(count))))
        })
        .collect();
    for a in &spans {
        for b in &spans {
            for (width, size) in [(1, 1), (1, 4), (4, 1), (4, 4), (8, 2), (2, 8)] {
                let found = a.meets(width, *b, size);
                let (mut together, mut apart, mut inside) = (false, false, true);
                for x in near(*a) {
                    for y in near(*b) {
                        let d = x - y;
                        let shared = -(width as i64) < d && d < size as i64;
                        together |= shared && d == 0;
                        apart |= shared && d != 0;
                        inside &= !shared || 0 <= d && d + width as i64 <= size as i64;
                    }
                }
                // Over-approximation only: two progressions may be taken for one with their common step.
                assert!(found.together || !together, "{a:?} {b:?} {width} {size}");
                assert!(found.apart || !apart, "{a:?} {b:?} {width} {size}");
                assert!(!found.inside || inside, "{a:?} {b:?} {width} {size}");
                if a.step == 0 && b.step == 0 {
                    assert_eq!((found.together, found.apart, found.inside), (together, apart, inside));
                }
            }
        }
    }
}

#[test]
fn a_residue_class_has_offsets_on_both_sides() {
    let class = Span::residue(1, 4);
    assert!(near(class).starts_with(&[-63, -59]) && near(class).contains(&61));
    assert_eq!(Span::at(-3).class(4), (1, 4));
    assert_eq!(Span::at(6).times(4, Some(3)).class(6), (0, 2));
}
