//! Exact linear algebra over rational numbers, by way of a prime field: relations between columns are found modulo a
//! prime and lifted to small integers. Who uses them checks them on the rows that they come from.

/// The prime, 2⁶¹ - 1.
const PRIME: u64 = (1 << 61) - 1;

/// Largest numerator and denominator that are found again from a residue.
const LARGEST: i128 = 1 << 29;

/// The residue of a number.
pub(super) fn residue(v: i128) -> u64 {
    v.rem_euclid(i128::from(PRIME)) as u64
}

/// The residue of a product.
pub(super) fn product(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

/// The residue of a sum.
pub(super) fn sum(a: u64, b: u64) -> u64 {
    let s = a + b;
    if s >= PRIME { s - PRIME } else { s }
}

fn negative(a: u64) -> u64 {
    if a == 0 { 0 } else { PRIME - a }
}

fn inverse(a: u64) -> u64 {
    let (mut base, mut power, mut out) = (a, PRIME - 2, 1);
    while power > 0 {
        if power & 1 == 1 {
            out = product(out, base);
        }
        base = product(base, base);
        power >>= 1;
    }
    out
}

/// The rows so far in reduced echelon form: each begins with a 1, where all others have a 0.
pub(super) struct Echelon {
    columns: usize,
    rows: Vec<Vec<u64>>,
    /// Where each of them begins.
    pivots: Vec<usize>,
}

impl Echelon {
    /// A form without rows, with this many columns.
    pub(super) fn new(columns: usize) -> Echelon {
        Echelon { columns, rows: vec![], pivots: vec![] }
    }

    /// Adds a row of residues; whether it does not depend on those before.
    pub(super) fn insert(&mut self, mut row: Vec<u64>) -> bool {
        for (known, pivot) in self.rows.iter().zip(&self.pivots) {
            subtract(&mut row, known, *pivot);
        }
        let Some(pivot) = row.iter().position(|v| *v != 0) else { return false };
        let scale = inverse(row[pivot]);
        row.iter_mut().for_each(|v| *v = product(*v, scale));
        for known in &mut self.rows {
            subtract(known, &row, pivot);
        }
        self.rows.push(row);
        self.pivots.push(pivot);
        true
    }

    /// A basis of what is 0 on all rows: for each column that depends on earlier ones, the relation that says so, as
    /// small integers without common factor. Relations that need large ones are left out.
    pub(super) fn relations(&self) -> Vec<Vec<i128>> {
        let dependent = (0..self.columns).filter(|c| !self.pivots.contains(c));
        dependent.filter_map(|c| self.relation(c)).collect()
    }

    fn relation(&self, column: usize) -> Option<Vec<i128>> {
        let mut parts = vec![(0, 1); self.columns];
        parts[column] = (1, 1);
        for (row, pivot) in self.rows.iter().zip(&self.pivots) {
            parts[*pivot] = rational(negative(row[column]))?;
        }
        let mut common = 1;
        for (_, below) in &parts {
            common = common / gcd(common, *below) * below;
            if common > LARGEST {
                return None;
            }
        }
        Some(parts.into_iter().map(|(above, below)| above * (common / below)).collect())
    }
}

/// Takes away so much of the other row that the column becomes 0.
fn subtract(row: &mut [u64], other: &[u64], column: usize) {
    let factor = negative(row[column]);
    if factor != 0 {
        for (v, w) in row.iter_mut().zip(other).filter(|(_, w)| **w != 0) {
            *v = sum(*v, product(factor, *w));
        }
    }
}

/// The fraction of small numbers with this residue, if there is one (Wang's algorithm).
fn rational(v: u64) -> Option<(i128, i128)> {
    let (mut r, mut s) = ((i128::from(PRIME), i128::from(v)), (0, 1));
    while r.1 > LARGEST {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        s = (s.1, s.0 - quotient * s.1);
    }
    let (above, below) = if s.1 < 0 { (-r.1, -s.1) } else { (r.1, s.1) };
    (below != 0 && below <= LARGEST && gcd(above, below) == 1).then_some((above, below))
}

/// The greatest common divisor; that of 0 and 0 is 0.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// Replaces relations by sums of theirs with fewer terms or smaller numbers, as long as that goes on.
pub(super) fn make_sparse(relations: &mut [Vec<i128>]) {
    // Each replacement makes a pair of small numbers smaller; the bound is for the effort.
    for _ in 0..8 {
        let mut changed = false;
        for i in 0..relations.len() {
            for j in (0..relations.len()).filter(|j| *j != i) {
                let better = (0..relations[i].len())
                    .filter(|c| relations[i][*c] != 0 && relations[j][*c] != 0)
                    .filter_map(|c| without(&relations[i], &relations[j], c))
                    .min_by_key(|r| size(r))
                    .filter(|r| size(r) < size(&relations[i]));
                if let Some(better) = better {
                    relations[i] = better;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
}

/// How many terms a relation has, and how large its numbers are.
pub(super) fn size(relation: &[i128]) -> (usize, i128) {
    let terms = relation.iter().filter(|c| **c != 0).count();
    (terms, relation.iter().fold(0, |sum, c| sum + c.abs()))
}

/// The sum of multiples of both in which this column is 0.
fn without(a: &[i128], b: &[i128], column: usize) -> Option<Vec<i128>> {
    let common = gcd(a[column], b[column]);
    let (x, y) = (b[column] / common, a[column] / common);
    let mut out: Vec<i128> = a.iter().zip(b).map(|(v, w)| v * x - w * y).collect();
    let factor = out.iter().fold(0, |g, v| gcd(g, *v));
    if factor == 0 || out.iter().any(|v| v.abs() / factor > LARGEST) {
        return None;
    }
    out.iter_mut().for_each(|v| *v /= factor);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rank of a small matrix, over fractions without any prime.
    fn rank(mut rows: Vec<Vec<i128>>) -> usize {
        let mut rank = 0;
        for c in 0..rows.first().map_or(0, Vec::len) {
            let Some(r) = (rank..rows.len()).find(|r| rows[*r][c] != 0) else { continue };
            rows.swap(rank, r);
            for other in rank + 1..rows.len() {
                let (x, y) = (rows[rank][c], rows[other][c]);
                let reduced: Vec<i128> =
                    rows[other].iter().zip(&rows[rank]).map(|(v, w)| v * x - w * y).collect();
                rows[other] = reduced;
            }
            rank += 1;
        }
        rank
    }

    #[test]
    fn relations_are_a_basis_of_the_null_space() {
        let mut state = 17_u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for _ in 0..500 {
            let columns = 1 + below(5) as usize;
            let count = below(5) as usize;
            let matrix: Vec<Vec<i128>> =
                (0..count).map(|_| (0..columns).map(|_| i128::from(below(7)) - 3).collect()).collect();
            let mut echelon = Echelon::new(columns);
            let mut rank_so_far = 0;
            for (i, row) in matrix.iter().enumerate() {
                let is_new = echelon.insert(row.iter().map(|v| residue(*v)).collect());
                rank_so_far += usize::from(is_new);
                assert_eq!(rank_so_far, rank(matrix[..=i].to_vec()));
            }
            let mut relations = echelon.relations();
            for sparse in [false, true] {
                if sparse {
                    make_sparse(&mut relations);
                }
                assert_eq!(relations.len(), columns - rank_so_far, "{matrix:?}");
                assert_eq!(rank(relations.clone()), relations.len(), "{relations:?}");
                for (row, relation) in matrix.iter().flat_map(|row| relations.iter().map(move |r| (row, r))) {
                    let value: i128 = row.iter().zip(relation).map(|(v, c)| v * c).sum();
                    assert_eq!(value, 0, "{matrix:?} {relation:?}");
                }
            }
        }
    }

    #[test]
    fn sums_of_relations_become_shorter() {
        // x == y and x + y + z == 2 w, from their sum and difference.
        let mut relations = vec![vec![2, 0, 1, -2], vec![0, 2, 1, -2]];
        make_sparse(&mut relations);
        assert!(relations.iter().any(|r| r == &[1, -1, 0, 0] || r == &[-1, 1, 0, 0]), "{relations:?}");
    }
}
