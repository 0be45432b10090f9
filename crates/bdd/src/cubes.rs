//! A function as a sum of cubes: an irredundant one (no cube, and no literal of a cube, can be left out), by
//! the interval method of Minato and Morreale.

use crate::{Engine, Var};

/// A conjunction of literals: variables with their values, by variable.
pub type Cube = Vec<(Var, bool)>;

/// A sum of cubes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cubes {
    /// The cubes.
    pub list: Vec<Cube>,
    /// Whether the sum is the whole function; else there would have been more cubes than the limit allows,
    /// and each cube listed implies the function.
    pub complete: bool,
}

/// The function as a sum of at most `limit` cubes.
pub fn cubes<E: Engine>(engine: &mut E, f: &E::Bdd, limit: usize) -> Cubes {
    let mut search = Search { engine, limit, cubes: Cubes { list: vec![], complete: true }, prefix: vec![] };
    search.between(f, f);
    search.cubes
}

struct Search<'e, E: Engine> {
    engine: &'e mut E,
    limit: usize,
    cubes: Cubes,
    prefix: Cube,
}

impl<E: Engine> Search<'_, E> {
    /// Adds cubes (each with the prefix) for some function between `lower` and `upper`, and returns that
    /// function. Recurses once a variable.
    fn between(&mut self, lower: &E::Bdd, upper: &E::Bdd) -> E::Bdd {
        if self.engine.is_zero(lower) || !self.cubes.complete {
            return self.engine.constant(false);
        }
        if self.engine.is_constant(upper) == Some(true) {
            if self.cubes.list.len() == self.limit {
                self.cubes.complete = false;
            } else {
                let mut cube = self.prefix.clone();
                cube.sort_unstable();
                self.cubes.list.push(cube);
            }
            return self.engine.constant(true);
        }
        let first = |v: Vec<Var>| v.first().copied();
        let tops = [first(self.engine.support(lower)), first(self.engine.support(upper))];
        let var = tops.into_iter().flatten().min().expect("a function that is not constant has a variable");
        let half = |s: &mut Self, f: &E::Bdd, value| s.engine.restrict(f, &[(var, value)]);
        let (lower0, lower1) = (half(self, lower, false), half(self, lower, true));
        let (upper0, upper1) = (half(self, upper, false), half(self, upper, true));

        let need0 = self.engine.and_not(&lower0, &upper1);
        let part0 = self.with_literal(var, false, &need0, &upper0);
        let need1 = self.engine.and_not(&lower1, &upper0);
        let part1 = self.with_literal(var, true, &need1, &upper1);

        let rest0 = self.engine.and_not(&lower0, &part0);
        let rest1 = self.engine.and_not(&lower1, &part1);
        let rest = self.engine.or(&rest0, &rest1);
        let both = self.engine.and(&upper0, &upper1);
        let shared = self.between(&rest, &both);

        let literal = self.engine.var(var);
        let in0 = self.engine.and_not(&part0, &literal);
        let in1 = self.engine.and(&part1, &literal);
        let split = self.engine.or(&in0, &in1);
        self.engine.or(&split, &shared)
    }

    fn with_literal(&mut self, var: Var, value: bool, lower: &E::Bdd, upper: &E::Bdd) -> E::Bdd {
        self.prefix.push((var, value));
        let part = self.between(lower, upper);
        self.prefix.pop();
        part
    }
}
