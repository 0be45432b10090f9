//! The order in which a procedure's locations and edges are written down: reverse post order from the entry, so
//! that straight-line code stays straight, branches stand before the place where they meet, and loop bodies before
//! what follows the loop.

use base::Id;
use cmm::{EdgeId, LocId, Proc};

/// A piece of a procedure's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Block {
    /// A location: with one outgoing edge also that edge, with several a `goto`.
    Location(LocId),
    /// One of several edges of a location.
    Edge(EdgeId),
}

/// The blocks that can be reached, in order.
pub(crate) fn order(proc: &Proc) -> Vec<Block> {
    let successors = proc.successors();
    let mut seen = vec![false; proc.locations.len()];
    let mut finished = vec![];
    // Depth first without recursion; the last successor is visited first, so that the first one comes first.
    let mut pending = vec![(Block::Location(proc.entry), false)];
    while let Some((block, done)) = pending.pop() {
        if done {
            finished.push(block);
            continue;
        }
        match block {
            Block::Location(l) => {
                if std::mem::replace(&mut seen[l.index()], true) {
                    continue;
                }
                pending.push((block, true));
                match leaving(proc, &successors[l], l) {
                    [single] => pending.push((Block::Location(proc.edges[*single].dst), false)),
                    several => pending.extend(several.iter().map(|e| (Block::Edge(*e), false))),
                }
            }
            Block::Edge(e) => {
                pending.push((block, true));
                pending.push((Block::Location(proc.edges[e].dst), false));
            }
        }
    }
    finished.reverse();
    finished
}

/// The edges that are taken from a location: none from the exit.
pub(crate) fn leaving<'a>(proc: &Proc, successors: &'a [EdgeId], l: LocId) -> &'a [EdgeId] {
    if l == proc.exit { &[] } else { successors }
}
