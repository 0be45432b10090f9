//! Equations that ask only what is new, such as those of `ef-opt`, as equations that only join.
//!
//! Let R have a parameter fr such that `R(1, t)` alone gives `R(0, t)`, and everything else gives tuples with fr = 1 of
//! tuples with fr = 1. Then the value of `R(0, …)` is that of `R(1, …)` a round before, and `R(1, t) & !R(0, t)` is what the
//! last round added. A *condition* is a relation that holds of a value when some tuple was added with it, like `Relevant`.
//! Without its conditions a clause only joins; call that its skeleton. What the clauses give follows from the skeletons,
//! which are more. And when each place of a skeleton belongs to a clause whose conditions are on that place, then
//! everything that follows from the skeletons is given by the clauses: in the round after the one that adds the last of its
//! premises the conditions on that place hold. So in the end `R(1, …)` and `R(0, …)` are the least fixed point of the
//! skeletons, which need not be computed in rounds. Relations that are the same tuples as R are replaced by it.

mod copy;

use crate::eval::joins_only;
use crate::ir::{Arg, Formula, Kind, LeafId, Node, NodeId, RelId};
use std::collections::{BTreeMap, BTreeSet};

/// A conjunction under a quantifier.
#[derive(Clone, Debug)]
struct Clause {
    bound: Vec<LeafId>,
    /// Relations that depend on the one that the query speaks of, applied.
    places: Vec<(RelId, Vec<Arg>)>,
    /// What speaks of no such relation.
    others: Vec<NodeId>,
}

/// Most clauses of an equation.
const MOST_CLAUSES: usize = 64;

/// The formula with such an equation as one that only joins; `None` when it has none.
pub fn normal(formula: &Formula) -> Option<Formula> {
    let is_defined = |r: &RelId| matches!(formula.relations[*r].kind, Kind::Defined(_));
    let asked: Vec<RelId> = formula.applied(formula.query).into_iter().filter(is_defined).collect();
    let [top] = asked[..] else { return None };
    if formula.early && !joins_only(formula, formula.query) {
        return None;
    }
    let mut normalizer = Normalizer { formula: formula.clone(), top, changing: changing(formula, top) };
    let marker = (0..formula.relations[top].formals.len()).find(|i| normalizer.is_marker(*i))?;
    let rules = normalizer.skeletons(marker)?;
    let clauses = normalizer.merged(marker, &rules)?;
    normalizer.rewritten(marker, &clauses)
}

/// The relations that depend on this one, and it.
fn changing(formula: &Formula, top: RelId) -> BTreeSet<RelId> {
    let mut out = BTreeSet::from([top]);
    loop {
        let depends = |relation: &RelId| match formula.relations[*relation].kind {
            Kind::Defined(body) => formula.applied(body).iter().any(|r| out.contains(r)),
            Kind::Input(_) => false,
        };
        let more: Vec<RelId> = formula.relations.ids().filter(|r| !out.contains(r)).filter(depends).collect();
        if more.is_empty() {
            return out;
        }
        out.extend(more);
    }
}

struct Normalizer {
    formula: Formula,
    top: RelId,
    /// The relations that depend on it, and it.
    changing: BTreeSet<RelId>,
}

impl Normalizer {
    fn body(&self, relation: RelId) -> NodeId {
        match self.formula.relations[relation].kind {
            Kind::Defined(body) => body,
            Kind::Input(_) => unreachable!("relations of the model have no equation"),
        }
    }

    /// Whether the relation does not depend on the one that the query speaks of.
    fn is_constant(&self, relation: RelId) -> bool {
        !self.changing.contains(&relation)
    }

    /// The relation's clauses, if it has the form.
    fn clauses(&self, relation: RelId) -> Option<Vec<Clause>> {
        self.of_node(self.body(relation))
    }

    fn of_node(&self, node: NodeId) -> Option<Vec<Clause>> {
        let none = Clause { bound: vec![], places: vec![], others: vec![] };
        if self.formula.applied(node).iter().all(|r| self.is_constant(*r)) {
            let others = match &self.formula.nodes[node] {
                Node::And(list) => list.clone(),
                _ => vec![node],
            };
            return Some(vec![Clause { others, ..none }]);
        }
        let out = match &self.formula.nodes[node] {
            Node::Apply(relation, args) => vec![Clause { places: vec![(*relation, args.clone())], ..none }],
            Node::Or(list) => {
                let each: Option<Vec<Vec<Clause>>> = list.iter().map(|node| self.of_node(*node)).collect();
                each?.concat()
            }
            Node::And(list) => {
                let mut out = vec![none];
                for node in list {
                    let more = self.of_node(*node)?;
                    let joined = |a: &Clause, b: &Clause| Clause {
                        bound: [a.bound.as_slice(), &b.bound].concat(),
                        places: [a.places.as_slice(), &b.places].concat(),
                        others: [a.others.as_slice(), &b.others].concat(),
                    };
                    out = out.iter().flat_map(|a| more.iter().map(|b| joined(a, b))).collect();
                    if out.len() > MOST_CLAUSES {
                        return None;
                    }
                }
                out
            }
            Node::Exists(leaves, body) => {
                let mut out = self.of_node(*body)?;
                out.iter_mut().for_each(|clause| clause.bound.extend(leaves));
                out
            }
            _ => return None,
        };
        (out.len() <= MOST_CLAUSES).then_some(out)
    }

    /// Whether this parameter of the relation that the query speaks of is such an fr.
    fn is_marker(&self, i: usize) -> bool {
        let formals = &self.formula.relations[self.top].formals;
        let marker = formals[i];
        if self.formula.classes[self.formula.leaves[marker].class].bits != 1 {
            return false;
        }
        let Some(clauses) = self.clauses(self.top) else { return false };
        let is_one = |node: &NodeId| self.formula.nodes[*node] == Node::Value(marker, 1);
        let speaks = |clause: &Clause| {
            clause.others.iter().any(|node| !is_one(node) && self.mentions(*node, marker))
                || clause.places.iter().any(|(_, args)| args.contains(&Arg::Leaf(marker)))
        };
        let (marked, copies): (Vec<&Clause>, Vec<&Clause>) =
            clauses.iter().partition(|clause| clause.others.iter().any(is_one));
        let is_copy = |clause: &Clause| clause.others.is_empty() && self.is_copy(i, &clause.places);
        !marked.iter().any(|clause| speaks(clause)) && matches!(copies[..], [one] if is_copy(one))
    }

    /// Whether it is `R(1, t)` for the parameters t of R.
    fn is_copy(&self, marker: usize, places: &[(RelId, Vec<Arg>)]) -> bool {
        let formals = &self.formula.relations[self.top].formals;
        let fits = |(i, arg): (usize, &Arg)| match i == marker {
            true => *arg == Arg::Value(1),
            false => *arg == Arg::Leaf(formals[i]),
        };
        matches!(places, [(r, args)] if *r == self.top && args.iter().enumerate().all(fits))
    }

    fn mentions(&self, node: NodeId, leaf: LeafId) -> bool {
        self.formula.below(node).into_iter().any(|node| match &self.formula.nodes[node] {
            Node::Equal(a, b) | Node::Plus(a, b, _) | Node::Less((a, _), (b, _)) => *a == leaf || *b == leaf,
            Node::Value(a, _) => *a == leaf,
            Node::Apply(_, args) => args.contains(&Arg::Leaf(leaf)),
            _ => false,
        })
    }

    /// The position of the parameter of which a condition says that some tuple was added with it.
    fn condition(&self, marker: usize, relation: RelId) -> Option<usize> {
        let [formal] = self.formula.relations[relation].formals[..] else { return None };
        let Node::Exists(bound, body) = &self.formula.nodes[self.body(relation)] else { return None };
        let Node::And(list) = &self.formula.nodes[*body] else { return None };
        let tuple = |node: NodeId, value: u32| match &self.formula.nodes[node] {
            Node::Apply(r, args) if *r == self.top && args[marker] == Arg::Value(value) => {
                let mut rest = args.clone();
                rest.remove(marker);
                let distinct: BTreeSet<&Arg> = rest.iter().collect();
                let is_bound = |arg: &Arg| matches!(arg, Arg::Leaf(leaf) if bound.contains(leaf));
                (distinct.len() == rest.len() && rest.iter().all(is_bound)).then(|| args.clone())
            }
            _ => None,
        };
        let (mut new, mut old, mut equal) = (None, None, None);
        for node in list {
            match &self.formula.nodes[*node] {
                Node::Not(inside) if old.is_none() => old = Some(tuple(*inside, 0)?),
                Node::Equal(a, b) if equal.is_none() => equal = Some((*a, *b)),
                _ if new.is_none() => new = Some(tuple(*node, 1)?),
                _ => return None,
            }
        }
        let (new, mut old, (a, b)) = (new?, old?, equal?);
        old[marker] = Arg::Value(1);
        let leaf = if a == formal { b } else { (b == formal).then_some(a)? };
        (new == old).then(|| new.iter().position(|arg| *arg == Arg::Leaf(leaf))).flatten()
    }

    /// The skeletons of the clauses of all relations that take part.
    fn skeletons(&self, marker: usize) -> Option<BTreeMap<RelId, Vec<Clause>>> {
        let mut conditions: BTreeMap<RelId, usize> = BTreeMap::new();
        let mut rules: BTreeMap<RelId, Vec<Clause>> = BTreeMap::new();
        let mut stack = vec![self.top];
        while let Some(relation) = stack.pop() {
            if rules.contains_key(&relation) || conditions.contains_key(&relation) {
                continue;
            }
            if let Some(at) = self.condition(marker, relation) {
                conditions.insert(relation, at);
                continue;
            }
            let clauses = self.clauses(relation)?;
            stack.extend(clauses.iter().flat_map(|clause| clause.places.iter().map(|(r, _)| *r)));
            rules.insert(relation, clauses);
        }
        let mut covered: BTreeMap<(RelId, String), (usize, BTreeSet<usize>)> = BTreeMap::new();
        for (relation, clauses) in &mut rules {
            if *relation == self.top {
                clauses.retain(|clause| !(clause.others.is_empty() && self.is_copy(marker, &clause.places)));
            }
            for clause in clauses.iter_mut() {
                let places = clause.places.clone();
                clause.places.retain(|(r, _)| !conditions.contains_key(r));
                let asked: Vec<(usize, Arg)> =
                    places.iter().filter_map(|(r, args)| Some((*conditions.get(r)?, args[0]))).collect();
                let own = clause.places.iter().filter(|(r, _)| *r == self.top).count();
                if clause.places.is_empty() && !asked.is_empty() {
                    return None;
                }
                if own < clause.places.len() {
                    // A step on the way: from one tuple, so that it is taken in the same round.
                    (clause.places.len() == 1 && asked.is_empty()).then_some(())?;
                    continue;
                }
                if clause.places.iter().any(|(_, args)| args[marker] != Arg::Value(1)) {
                    return None;
                }
                let entry = covered.entry((*relation, self.text(clause))).or_default();
                entry.0 = own;
                let on = |i: &usize| asked.iter().all(|(at, arg)| clause.places[*i].1[*at] == *arg);
                entry.1.extend((0..own).filter(on));
            }
        }
        covered.values().all(|(places, covered)| *places == covered.len()).then_some(())?;
        Some(rules)
    }

    /// The clauses of the relation with the others replaced: those that are the same tuples by it, those that do not
    /// speak of themselves by what they say.
    fn merged(&mut self, marker: usize, rules: &BTreeMap<RelId, Vec<Clause>>) -> Option<Vec<Clause>> {
        let top = self.top;
        let copied = |clause: &Clause, of: RelId, to: RelId| {
            let is_mark = |node: &NodeId| to == top && self.is_mark(*node, marker);
            clause.others.iter().all(is_mark)
                && matches!(&clause.places[..], [(r, args)] if *r == of && self.unmarked(of, marker, args) == self.parameters(to, marker))
        };
        let same: BTreeSet<RelId> = rules
            .keys()
            .copied()
            .filter(|r| {
                *r != top
                    && rules[r].iter().any(|clause| copied(clause, top, *r))
                    && rules[&top].iter().any(|clause| copied(clause, *r, top))
            })
            .collect();
        let mut work: Vec<Clause> = rules[&top].clone();
        for relation in &same {
            let map: Vec<(Arg, Arg)> =
                self.parameters(*relation, marker).into_iter().zip(self.parameters(top, marker)).collect();
            for clause in &rules[relation] {
                work.push(self.renamed(clause, &map)?);
            }
        }
        let mut out: Vec<Clause> = vec![];
        let mut steps = 0;
        while let Some(mut clause) = work.pop() {
            steps += 1;
            for (relation, args) in &mut clause.places {
                if same.contains(relation) {
                    *relation = top;
                    args.insert(marker, Arg::Value(1));
                }
            }
            let other = clause.places.iter().position(|(r, _)| *r != top);
            match other {
                Some(at) => {
                    // A relation that speaks of itself would be put in again and again.
                    (steps < MOST_CLAUSES).then_some(())?;
                    let (relation, args) = clause.places.remove(at);
                    let map: Vec<(Arg, Arg)> =
                        self.parameters(relation, marker).into_iter().zip(args).collect();
                    for inner in &rules[&relation] {
                        let inner = self.renamed(inner, &map)?;
                        work.push(Clause {
                            bound: [clause.bound.as_slice(), &inner.bound].concat(),
                            places: [clause.places.as_slice(), &inner.places].concat(),
                            others: [clause.others.as_slice(), &inner.others].concat(),
                        });
                    }
                }
                None => {
                    clause.others.retain(|node| !self.is_mark(*node, marker));
                    let is_trivial = clause.others.is_empty() && self.is_copy(marker, &clause.places);
                    let text = self.text(&clause);
                    if !is_trivial && out.iter().all(|other| self.text(other) != text) {
                        out.push(clause);
                    }
                }
            }
        }
        out.reverse();
        Some(out)
    }

    fn is_mark(&self, node: NodeId, marker: usize) -> bool {
        self.formula.nodes[node] == Node::Value(self.formula.relations[self.top].formals[marker], 1)
    }

    /// The parameters of a relation as arguments, but for fr.
    fn parameters(&self, relation: RelId, marker: usize) -> Vec<Arg> {
        let all: Vec<Arg> =
            self.formula.relations[relation].formals.iter().map(|leaf| Arg::Leaf(*leaf)).collect();
        self.unmarked(relation, marker, &all)
    }

    fn unmarked(&self, relation: RelId, marker: usize, args: &[Arg]) -> Vec<Arg> {
        let skipped = |i: &usize| relation == self.top && *i == marker;
        (0..args.len()).filter(|i| !skipped(i)).map(|i| args[i]).collect()
    }

    /// The formula with these clauses for the relation, which has no fr any more.
    fn rewritten(mut self, marker: usize, clauses: &[Clause]) -> Option<Formula> {
        let mut disjuncts = vec![];
        for clause in clauses {
            let clause = self.renamed(clause, &[])?;
            let mut list: Vec<NodeId> = vec![];
            for (relation, args) in &clause.places {
                let args = self.unmarked(*relation, marker, args);
                list.push(self.formula.nodes.push(Node::Apply(*relation, args)));
            }
            list.extend(clause.others);
            let all = match list[..] {
                [one] => one,
                _ => self.formula.nodes.push(Node::And(list)),
            };
            disjuncts.push(match clause.bound.is_empty() {
                true => all,
                false => self.formula.nodes.push(Node::Exists(clause.bound, all)),
            });
        }
        let query = self.asked(self.formula.query, marker)?;
        let body = self.formula.nodes.push(Node::Or(disjuncts));
        let none = self.formula.nodes.push(Node::Const(false));
        let ids = self.formula.relations.ids().filter(|id| !self.is_constant(*id));
        for id in ids.collect::<Vec<_>>() {
            let is_top = id == self.top;
            let relation = &mut self.formula.relations[id];
            relation.kind = Kind::Defined(if is_top { body } else { none });
            if !is_top {
                (relation.formals, relation.shape) = (vec![], vec![]);
                continue;
            }
            let mut before = 0;
            let parameter = relation.shape.iter().position(|parts| {
                before += parts;
                before > marker
            })?;
            if relation.shape[parameter] != 1 {
                return None;
            }
            relation.shape.remove(parameter);
            relation.formals.remove(marker);
        }
        self.formula.query = query;
        Some(self.formula)
    }

    /// The query, which may only ask of tuples with fr = 1.
    fn asked(&mut self, node: NodeId, marker: usize) -> Option<NodeId> {
        let mut new = self.formula.nodes[node].clone();
        match &mut new {
            Node::Apply(relation, args) if *relation == self.top => {
                (args.remove(marker) == Arg::Value(1)).then_some(())?;
            }
            Node::Not(a) | Node::Exists(_, a) | Node::Forall(_, a) => *a = self.asked(*a, marker)?,
            Node::And(list) | Node::Or(list) => {
                for operand in list {
                    *operand = self.asked(*operand, marker)?;
                }
            }
            _ => return Some(node),
        }
        Some(self.formula.nodes.push(new))
    }
}
