//! The values that a few variables can have in a diagram.

use crate::Var;

/// A node of a diagram: a constant, or a variable and the nodes for false and for true.
pub(crate) enum Step<N> {
    Constant(bool),
    Ask(Var, N, N),
}

/// The values that these variables, in order, can have when the diagram is true, in order; `None` when there
/// are more than `most`, or when more than eight times as many paths lead to them. No node below the last
/// variable is examined.
pub(crate) fn values<N: Copy>(
    root: N,
    step: impl Fn(N) -> Step<N>,
    vars: &[Var],
    most: usize,
) -> Option<Vec<Vec<bool>>> {
    let mut out: Vec<Vec<bool>> = vec![];
    let mut ways = 0;
    let mut stack = vec![(root, vec![])];
    while let Some((node, done)) = stack.pop() {
        let Some(next) = vars.get(done.len()) else {
            // A diagram is reduced: what is not the constant 0 can be true.
            if !matches!(step(node), Step::Constant(false)) {
                out.push(done);
            }
            ways += 1;
            if ways > 8 * most {
                return None;
            }
            continue;
        };
        let with = |value: bool| {
            let mut more = done.clone();
            more.push(value);
            more
        };
        match step(node) {
            Step::Constant(false) => {}
            Step::Ask(var, low, high) if var == *next => {
                stack.push((high, with(true)));
                stack.push((low, with(false)));
            }
            Step::Ask(var, low, high) if var < *next => {
                stack.push((high, done.clone()));
                stack.push((low, done));
            }
            Step::Constant(true) | Step::Ask(..) => {
                stack.push((node, with(true)));
                stack.push((node, with(false)));
            }
        }
        if stack.len() > 8 * most {
            return None;
        }
    }
    out.sort_unstable();
    out.dedup();
    (out.len() <= most).then_some(out)
}

#[cfg(test)]
mod tests {
    use crate::{Biodivine, Engine, Var};
    use std::sync::atomic::AtomicBool;

    #[test]
    fn they_are_those_of_the_projection() {
        let stop = AtomicBool::new(false);
        let mut engine = Biodivine::new(6, &stop).expect("six variables are few");
        let vars: Vec<_> = (0..6).map(|v| engine.var(Var(v))).collect();
        // (v0 xor v2) and (v1 or v4), whatever v3 and v5 are.
        let differ = engine.xor(&vars[0], &vars[2]);
        let either = engine.or(&vars[1], &vars[4]);
        let f = engine.and(&differ, &either);
        let text = |list: Option<Vec<Vec<bool>>>| {
            list.map(|list| {
                let row =
                    |row: &Vec<bool>| row.iter().map(|b| if *b { '1' } else { '0' }).collect::<String>();
                list.iter().map(row).collect::<Vec<_>>().join(" ")
            })
        };
        assert_eq!(text(engine.values(&f, &[Var(0), Var(2)], 10)).as_deref(), Some("01 10"));
        assert_eq!(text(engine.values(&f, &[Var(1), Var(3)], 10)).as_deref(), Some("00 01 10 11"));
        assert_eq!(text(engine.values(&f, &[Var(1), Var(3)], 3)), None);
        assert_eq!(text(engine.values(&f, &[], 3)).as_deref(), Some(""));
        let zero = engine.constant(false);
        assert_eq!(text(engine.values(&zero, &[Var(1)], 3)).as_deref(), Some(""));
        assert_eq!(engine.values(&zero, &[], 3), Some(vec![]));
    }
}
