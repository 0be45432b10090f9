//! Where the bits of bound variables stand in decision diagrams. The same bit of all variables of a class stands
//! together; which *copy* of it a variable has is decided here.
//!
//! Parameters of a relation have the first copies. A quantified variable stands beside a parameter for which it is
//! passed, so that applying a relation is a renaming that keeps the order. Invariant: variables in scope together
//! have different copies.

use crate::ir::{Arg, ClassId, Formula, Kind, LeafId, Node, NodeId};
use crate::prelude::Prelude;
use base::IndexVec;
use bdd::{TooManyVariables, Var};
use std::collections::BTreeSet;

/// The diagram variables of all leaves.
pub(crate) struct Places {
    copies: IndexVec<LeafId, usize>,
    /// For each class and copy the variables of its bits, the lowest bit first.
    vars: IndexVec<ClassId, Vec<Vec<Var>>>,
    /// How many there are.
    pub(crate) count: usize,
}

/// The copies of a class.
#[derive(Clone, Default)]
struct Copies {
    /// How many there are.
    count: usize,
    /// Those beside each copy that is a parameter's.
    beside: Vec<Vec<usize>>,
    /// Those beside no parameter.
    apart: Vec<usize>,
}

impl Copies {
    /// A copy beside the parameter's copy that is not in use.
    fn take(&mut self, anchor: Option<usize>, used: &BTreeSet<usize>) -> usize {
        let list = match anchor {
            Some(anchor) => &mut self.beside[anchor],
            None => &mut self.apart,
        };
        if let Some(free) = list.iter().copied().find(|copy| !used.contains(copy)) {
            return free;
        }
        list.push(self.count);
        self.count += 1;
        self.count - 1
    }

    /// All copies in the order in which they stand.
    fn order(&self) -> Vec<usize> {
        let anchored = self.beside.iter().enumerate();
        let mut out: Vec<usize> =
            anchored.flat_map(|(copy, beside)| std::iter::once(copy).chain(beside.iter().copied())).collect();
        out.extend(&self.apart);
        out
    }
}

impl Places {
    pub(crate) fn new(formula: &Formula, prelude: &Prelude) -> Result<Places, TooManyVariables> {
        let mut placer = Placer {
            formula,
            copies: IndexVec::from_elem(usize::MAX, formula.leaves.len()),
            classes: IndexVec::from_elem(Copies::default(), formula.classes.len()),
            used: IndexVec::from_elem(BTreeSet::new(), formula.classes.len()),
        };
        placer.parameters();
        let bodies = formula.relations.iter().filter_map(|relation| match relation.kind {
            Kind::Defined(body) => Some((relation.formals.as_slice(), body)),
            Kind::Input(_) => None,
        });
        for (formals, body) in bodies.chain([(&[][..], formula.query)]) {
            placer.within(formals, |placer| placer.walk(body));
        }
        let (copies, classes) = (placer.copies, placer.classes);
        Places::in_order(formula, prelude, copies, &classes)
    }

    fn in_order(
        formula: &Formula,
        prelude: &Prelude,
        copies: IndexVec<LeafId, usize>,
        classes: &IndexVec<ClassId, Copies>,
    ) -> Result<Places, TooManyVariables> {
        let orders: IndexVec<ClassId, Vec<usize>> = classes.iter().map(Copies::order).collect();
        let mut by_number = vec![None; prelude.classes.len()];
        let mut bits: Vec<(ClassId, usize)> = vec![];
        for (id, class) in formula.classes.iter_enumerated() {
            match class.given {
                Some(number) => by_number[number] = Some(id),
                // The highest bit says most.
                None => bits.extend((0..class.bits).rev().map(|bit| (id, bit))),
            }
        }
        for (number, bit) in &prelude.order {
            bits.extend(by_number[*number].map(|id| (id, *bit)));
        }
        let wanted: usize = bits.iter().map(|(class, _)| orders[*class].len()).sum();
        if wanted > bdd::MAX_VARS {
            return Err(TooManyVariables { wanted });
        }
        let none = Var(u16::MAX);
        let mut vars: IndexVec<ClassId, Vec<Vec<Var>>> = formula
            .classes
            .iter_enumerated()
            .map(|(id, class)| vec![vec![none; class.bits]; orders[id].len()])
            .collect();
        let mut next = 0;
        for (class, bit) in bits {
            for copy in &orders[class] {
                vars[class][*copy][bit] = Var(next);
                next += 1;
            }
        }
        Ok(Places { copies, vars, count: usize::from(next) })
    }

    /// The variables of a leaf, the lowest bit first.
    pub(crate) fn vars(&self, formula: &Formula, leaf: LeafId) -> &[Var] {
        &self.vars[formula.leaves[leaf]][self.copies[leaf]]
    }
}

struct Placer<'f> {
    formula: &'f Formula,
    copies: IndexVec<LeafId, usize>,
    classes: IndexVec<ClassId, Copies>,
    used: IndexVec<ClassId, BTreeSet<usize>>,
}

impl Placer<'_> {
    /// Copies for the parameters of defined relations.
    fn parameters(&mut self) {
        for relation in &self.formula.relations {
            let mut next: IndexVec<ClassId, usize> = IndexVec::from_elem(0, self.classes.len());
            if let Kind::Input(_) = relation.kind {
                continue;
            }
            for leaf in &relation.formals {
                let class = self.formula.leaves[*leaf];
                self.copies[*leaf] = next[class];
                next[class] += 1;
            }
            for (class, copies) in next.iter_enumerated() {
                let own = &mut self.classes[class];
                own.count = own.count.max(*copies);
                own.beside.resize(own.count, vec![]);
            }
        }
    }

    /// Runs `f` while the leaves are in use.
    fn within(&mut self, leaves: &[LeafId], f: impl FnOnce(&mut Self)) {
        for leaf in leaves {
            self.used[self.formula.leaves[*leaf]].insert(self.copies[*leaf]);
        }
        f(self);
        for leaf in leaves {
            self.used[self.formula.leaves[*leaf]].remove(&self.copies[*leaf]);
        }
    }

    fn walk(&mut self, node: NodeId) {
        match &self.formula.nodes[node] {
            Node::Exists(leaves, body) | Node::Forall(leaves, body) => {
                for leaf in leaves {
                    let class = self.formula.leaves[*leaf];
                    let anchor = self.anchor(*leaf, *body);
                    let copy = self.classes[class].take(anchor, &self.used[class]);
                    self.copies[*leaf] = copy;
                    self.used[class].insert(copy);
                }
                self.within(leaves, |placer| placer.walk(*body));
            }
            Node::Apply(relation, args) => {
                let relation = &self.formula.relations[*relation];
                if let Kind::Input(_) = relation.kind {
                    self.scratch(&relation.formals, args);
                }
            }
            node => node.operands().iter().for_each(|operand| self.walk(*operand)),
        }
    }

    /// Copies of their own for parameters of the model's relations for which values are passed.
    fn scratch(&mut self, formals: &[LeafId], args: &[Arg]) {
        for (leaf, arg) in formals.iter().zip(args) {
            let class = self.formula.leaves[*leaf];
            let own = |copy: &usize| self.classes[class].apart.contains(copy);
            if matches!(arg, Arg::Value(_)) && !Some(&self.copies[*leaf]).is_some_and(own) {
                let copies = &mut self.classes[class];
                copies.apart.push(copies.count);
                self.copies[*leaf] = copies.count;
                self.used[class].insert(copies.count);
                copies.count += 1;
            }
        }
    }

    /// The first copy of a parameter for which the leaf is passed: beside it, the leaf keeps its place among other
    /// arguments in most applications.
    fn anchor(&self, leaf: LeafId, body: NodeId) -> Option<usize> {
        let mut stack = vec![body];
        let mut anchor: Option<usize> = None;
        while let Some(node) = stack.pop() {
            let node = &self.formula.nodes[node];
            stack.extend(node.operands().iter().rev());
            let Node::Apply(relation, args) = node else { continue };
            let relation = &self.formula.relations[*relation];
            if let (Kind::Defined(_), Some(at)) =
                (relation.kind, args.iter().position(|arg| *arg == Arg::Leaf(leaf)))
            {
                let copy = self.copies[relation.formals[at]];
                anchor = Some(anchor.map_or(copy, |other| other.min(copy)));
            }
        }
        anchor
    }
}
