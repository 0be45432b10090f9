//! The loops of a procedure, one inside the other: a weak topological order \[Bou93\] of its locations.

use crate::components::components;
use crate::{LocId, Proc};
use base::IndexVec;

/// A part of a procedure. Every edge leads to a later part, to another one inside of the same loop, or to the head of a
/// loop around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// A location on no cycle, but for those through the heads of the loops around it.
    Location(LocId),
    /// A loop: its head, through which every cycle in it passes that is not inside of one of the other parts,
    /// and these.
    Loop(LocId, Vec<Part>),
}

/// The heads of the loops among these parts, and of those inside of them.
pub fn heads(parts: &[Part]) -> Vec<LocId> {
    let mut out = vec![];
    for part in parts {
        if let Part::Loop(head, inner) = part {
            out.push(*head);
            out.extend(heads(inner));
        }
    }
    out
}

/// The locations that the entry leads to, in an order in which all but the edges back to heads of loops lead forwards. A
/// loop that is entered at several places has one of them for its head. `None` when loops are nested deeper than `deepest`.
pub fn nesting(proc: &Proc, deepest: usize) -> Option<Vec<Part>> {
    let successors = proc.successors();
    let next = |l: LocId| successors[l].iter().map(|e| proc.edges[*e].dst);
    let mut seen = IndexVec::from_elem(false, proc.locations.len());
    let (mut all, mut pending) = (vec![], vec![proc.entry]);
    while let Some(l) = pending.pop() {
        if !std::mem::replace(&mut seen[l], true) {
            all.push(l);
            pending.extend(next(l));
        }
    }
    parts(all, &[proc.entry], &next, proc.locations.len(), deepest)
}

/// The parts of a set of locations that is entered at some of them.
fn parts<I: Iterator<Item = LocId>>(
    mut set: Vec<LocId>,
    entries: &[LocId],
    next: &impl Fn(LocId) -> I,
    locations: usize,
    deepest: usize,
) -> Option<Vec<Part>> {
    set.sort_unstable();
    let mut number = IndexVec::from_elem(usize::MAX, locations);
    set.iter().enumerate().for_each(|(i, l)| number[*l] = i);
    let inside = |l: &LocId| next(*l).map(|m| number[m]).filter(|n| *n != usize::MAX).collect();
    let succs: Vec<Vec<usize>> = set.iter().map(inside).collect();
    let component = components(&succs);
    let count = component.iter().max().map_or(0, |most| most + 1);
    let mut members = vec![vec![]; count];
    set.iter().zip(&component).for_each(|(l, c)| members[*c].push(*l));
    let mut out = vec![];
    // Later ones have smaller numbers.
    for (c, members) in members.into_iter().enumerate().rev() {
        let is_loop = members.len() > 1 || succs[number[members[0]]].contains(&number[members[0]]);
        if !is_loop {
            out.push(Part::Location(members[0]));
            continue;
        }
        // The place where it is entered; of several the first.
        let entered = |l: &&LocId| {
            entries.contains(l)
                || set
                    .iter()
                    .any(|from| component[number[*from]] != c && succs[number[*from]].contains(&number[**l]))
        };
        let head = *members.iter().find(entered).unwrap_or(&members[0]);
        let rest = members.iter().copied().filter(|l| *l != head).collect();
        let behind: Vec<LocId> = next(head).collect();
        out.push(Part::Loop(head, parts(rest, &behind, next, locations, deepest.checked_sub(1)?)?));
    }
    Some(out)
}
