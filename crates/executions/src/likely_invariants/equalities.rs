//! Equalities between polynomials over the places: linear ones first, then those of degree 2 and 3 that do not follow
//! from them. They are the relations between columns of monomials, found degree by degree as the algorithm of Buchberger
//! and Möller finds the polynomials that vanish at some points: multiples of what has a relation already are left out.

use super::algebra::{Echelon, make_sparse, product, residue, size, sum};
use super::relation::{Monomial, Terms, equality};
use super::table::Table;
use super::{Candidate, Kind};

/// Most monomials that relations of degree 2 or 3 are looked for among.
const MONOMIALS: usize = 84;

/// Most places in relations of degree 2 or 3.
const PLACES: usize = 8;

/// Most products in a relation.
const TERMS: usize = 7;

/// The largest factor in relations of degree 1, 2 and 3.
const FACTORS: [i128; 3] = [10_000, 1_000, 100];

/// Largest number in a relation.
const NUMBER: i128 = 1 << 32;

/// Different states that a relation needs beyond those that would have one anyway.
const MORE: usize = 2;

/// A place with fewer values is not part of products in relations of degree 2, and of degree 3: few values have a
/// polynomial of their own.
const VALUES: [usize; 2] = [4, 6];

/// This many different states are enough for any relation.
const ENOUGH: usize = 24;

/// Most products in a relation of degree 2 or 3 between two places.
const FEW_TERMS: usize = 5;

/// After this many successive rows that bring nothing new, no more rows are examined.
const BARREN: usize = 60;

/// Adds the equalities; the columns of integers that do not depend on others.
pub(super) fn find(table: &Table, out: &mut Vec<Candidate>) -> Vec<usize> {
    let columns = table.columns(false);
    let monomials: Vec<Monomial> = std::iter::once(vec![]).chain(columns.iter().map(|c| vec![*c])).collect();
    let (relations, leading) = relations(table, &monomials);
    out.extend(relations.into_iter().map(|r| candidate(table, &monomials, &r, 1)));
    let leading: Vec<Monomial> = leading.into_iter().map(|n| monomials[n].clone()).collect();
    let free: Vec<usize> = columns.into_iter().filter(|c| !leading.contains(&vec![*c])).collect();
    let is_whole = |c: &usize| !table.places[*c].element && !table.places[*c].is_extent();
    let is_varied = |c: &usize| is_whole(c) && table.different(&[*c], VALUES[0]) >= VALUES[0];
    let varied: Vec<usize> = free.iter().copied().filter(is_varied).take(PLACES).collect();
    // Relations between two places are the natural ones, also where they follow from others.
    for (i, x) in varied.iter().enumerate() {
        for y in &varied[i + 1..] {
            higher(table, &[*x, *y], FEW_TERMS, out);
        }
    }
    if varied.len() > 2 {
        higher(table, &varied, TERMS, out);
    }
    free
}

/// Adds the equalities of degree 2, and those of degree 3 that do not follow from these, with at most `terms` terms.
fn higher(table: &Table, places: &[usize], terms: usize, out: &mut Vec<Candidate>) {
    let mut leading: Vec<Monomial> = vec![];
    for (degree, values) in [2, 3].into_iter().zip(VALUES) {
        let is_varied = |c: &usize| table.different(&[*c], values) >= values;
        let places: Vec<usize> = places.iter().copied().filter(is_varied).collect();
        let monomials = up_to(degree, &places, &leading, table.rows.len());
        let (relations, new) = relations(table, &monomials);
        let new = new.into_iter().filter(|n| monomials[*n].len() == degree);
        let is_wanted = |r: &Vec<i128>| {
            let is_new = (0..r.len()).any(|n| r[n] != 0 && monomials[n].len() == degree);
            is_new && size(r).0 <= terms
        };
        let relations = relations.into_iter().filter(is_wanted);
        out.extend(relations.map(|r| candidate(table, &monomials, &r, degree)));
        leading.extend(new.map(|n| monomials[n].clone()));
    }
}

fn candidate(table: &Table, monomials: &[Monomial], relation: &[i128], degree: usize) -> Candidate {
    let condition = equality(table, &terms(monomials, relation));
    Candidate::new(Kind::Equality(degree as u8), condition)
}

pub(super) fn terms<'a>(monomials: &'a [Monomial], relation: &[i128]) -> Terms<'a> {
    relation.iter().zip(monomials).filter(|(c, _)| **c != 0).map(|(c, m)| (*c, m)).collect()
}

/// The monomials up to a degree, by degree, over as many places as this many rows can distinguish; none that a
/// leading one divides.
fn up_to(degree: usize, free: &[usize], leading: &[Monomial], rows: usize) -> Vec<Monomial> {
    let mut places = free.len().min(PLACES);
    loop {
        let mut all: Vec<Monomial> = vec![vec![]];
        let mut last: Vec<Monomial> = all.clone();
        for _ in 0..degree {
            let extended = last.iter().flat_map(|m| {
                let from = m.last().copied().unwrap_or(0);
                let next = free[..places].iter().filter(move |c| **c >= from);
                next.map(|c| m.iter().copied().chain([*c]).collect::<Monomial>())
            });
            last = extended.filter(|m| !leading.iter().any(|l| divides(l, m))).collect();
            all.extend(last.iter().cloned());
        }
        if places == 0 || all.len() <= MONOMIALS.min(rows.saturating_sub(MORE)) {
            return all;
        }
        places -= 1;
    }
}

fn divides(part: &[usize], whole: &[usize]) -> bool {
    let count = |m: &[usize], c: usize| m.iter().filter(|d| **d == c).count();
    part.iter().all(|c| count(part, *c) <= count(whole, *c))
}

/// The relations between the columns of these monomials, with few terms, and the numbers of the monomials that depend
/// on earlier ones. Where states are few, only the first monomials count.
fn relations(table: &Table, monomials: &[Monomial]) -> (Vec<Vec<i128>>, Vec<usize>) {
    let mut found = all_relations(table, monomials);
    let leading = |r: &Vec<i128>| r.iter().rposition(|c| *c != 0);
    let numbers = found.iter().filter(|r| is_supported(table, monomials, r)).filter_map(leading).collect();
    make_sparse(&mut found);
    let is_sound = |r: &Vec<i128>| table.rows.iter().all(|row| is_zero(row, &terms(monomials, r)));
    found.retain(|r| is_supported(table, monomials, r) && is_small(monomials, r) && is_sound(r));
    found.sort_by_key(|r| size(r));
    (found, numbers)
}

/// A basis of the relations between the columns of these monomials.
pub(super) fn all_relations(table: &Table, monomials: &[Monomial]) -> Vec<Vec<i128>> {
    let mut echelon = Echelon::new(monomials.len());
    let mut barren = 0;
    for row in &table.rows {
        let residues: Vec<u64> = row.iter().map(|v| residue(*v)).collect();
        let values = monomials.iter().map(|m| m.iter().fold(1, |value, c| product(value, residues[*c])));
        barren = if echelon.insert(values.collect()) { 0 } else { barren + 1 };
        if barren > BARREN {
            break;
        }
    }
    let mut found = echelon.relations();
    found.retain(|r| table.rows.iter().all(|row| is_zero(row, &terms(monomials, r))));
    found
}

/// Whether the sum is 0 in the state: modulo the prime and modulo 2¹²⁸, so that nothing else can be.
fn is_zero(row: &[i128], terms: &Terms<'_>) -> bool {
    let mut total = (0_i128, 0_u64);
    for (factor, monomial) in terms {
        let exact = monomial.iter().fold(*factor, |value, c| value.wrapping_mul(row[*c]));
        let modular = monomial.iter().fold(residue(*factor), |value, c| product(value, residue(row[*c])));
        total = (total.0.wrapping_add(exact), sum(total.1, modular));
    }
    total == (0, 0)
}

/// Whether the states are more than could have such a relation by chance.
fn is_supported(table: &Table, monomials: &[Monomial], relation: &[i128]) -> bool {
    let terms = terms(monomials, relation);
    let degree = terms.iter().map(|(_, m)| m.len()).max().unwrap_or(0);
    let mut places: Vec<usize> = terms.iter().flat_map(|(_, m)| m.iter().copied()).collect();
    places.sort_unstable();
    places.dedup();
    if let ([c], 1) = (&places[..], degree) {
        return table.is_constant(*c);
    }
    // The number of monomials of this degree.
    let all = (1..=degree).fold(1, |n, d| n * (places.len() + d) / d);
    let needed = if degree == 1 { terms.len() + places.len() } else { all.min(ENOUGH) } + MORE - 1;
    table.different(&places, needed) >= needed
}

/// Whether it has few terms and small factors.
fn is_small(monomials: &[Monomial], relation: &[i128]) -> bool {
    let terms = terms(monomials, relation);
    let products = terms.iter().filter(|(_, m)| !m.is_empty());
    let degree = terms.iter().map(|(_, m)| m.len()).max().unwrap_or(0);
    let factor = FACTORS[degree.clamp(1, FACTORS.len()) - 1];
    products.clone().count() <= TERMS
        && terms.iter().all(|(c, m)| c.abs() <= if m.is_empty() { NUMBER } else { factor })
}
