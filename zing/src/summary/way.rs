//! How states of roots were reached: lists of decisions, from which the execution can be run again.

use super::{Summaries, Via};
use crate::explore::Item;

/// Most decisions of a schedule.
const MOST_ITEMS: usize = 1_000_000;

impl Summaries<'_> {
    /// The decisions from the entry of the outermost root that led to this one, to this state.
    pub(crate) fn way(&self, root: usize, node: usize) -> Vec<Item> {
        let mut legs = vec![(root, node)];
        let mut at = root;
        while let Some((outer, call)) = self.roots[at].origin {
            legs.push((outer, call));
            at = outer;
        }
        legs.iter().rev().flat_map(|(root, node)| self.inside(*root, *node)).collect()
    }

    /// The decisions from the entry of a root to a state of it.
    fn inside(&self, root: usize, node: usize) -> Vec<Item> {
        let nodes = &self.roots[root].nodes;
        let mut chain = vec![];
        let mut at = node;
        while at != 0 {
            chain.push(at);
            at = nodes[at].parent as usize;
        }
        let mut items = vec![];
        for n in chain.iter().rev() {
            match &nodes[*n].via {
                Via::Steps(choices) => items.extend(choices.iter().map(|c| Item::Choice(*c))),
                Via::Summary(root, effect) => items.push(Item::Summary(*root, *effect)),
            }
        }
        items
    }

    /// The decisions with those inside calls; `None` if they are too many.
    pub(crate) fn flatten(&self, items: Vec<Item>) -> Option<Vec<Item>> {
        let mut out = vec![];
        let mut stack = items;
        stack.reverse();
        let mut steps = 0;
        while let Some(item) = stack.pop() {
            steps += 1;
            if steps > MOST_ITEMS {
                return None;
            }
            match item {
                Item::Summary(root, effect) => {
                    let (root, effect) = (root as usize, effect as usize);
                    let (node, choices) = &self.roots[root].ends[effect];
                    stack.extend(choices.iter().rev().map(|c| Item::Choice(*c)));
                    stack.extend(self.inside(root, *node as usize).into_iter().rev());
                }
                other => out.push(other),
            }
        }
        Some(out)
    }
}
