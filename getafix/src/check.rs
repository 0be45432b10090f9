//! From the tree to the intermediate form. The rules, in order:
//! 1. no two types, constants, relations, values of enumerations, or fields of a structure have one name;
//! 2. every type, constant, variable, field and relation that is used is declared, and a variable is used in its scope;
//! 3. the bounds of a range or array are in order, a number is in the range that it is compared with, an index that is
//!    a number is in the bounds of its array;
//! 4. a relation is applied to as many arguments as it has parameters, of their types; what is compared has one type,
//!    with an order unless equality is asked;
//! 5. a relation that its own equation mentions, directly or through others, is declared `mu`;
//! 6. there is one query;
//! 7. a role is given to one variable, of the role's type.

mod terms;
mod types;

use crate::ir::{Arg, Class, ClassId, Formula, Kind, LeafId, Node, NodeId, RelId, Relation, Role};
use crate::prelude::Prelude;
use crate::syntax::{Expr, ExprKind, File, Item, Param, Quantifier};
use base::{Diagnostic, Id, IndexVec};
use bp::{Ident, Loc, Name};
use std::collections::BTreeMap;
use types::{Type, Types};

type Res<T> = Result<T, Diagnostic>;

/// Checks a formula file against what the model gives.
///
/// # Errors
/// Everything that is wrong, an error for each declaration at most.
pub fn check(file: &File, prelude: &Prelude) -> Result<Formula, Vec<Diagnostic>> {
    let mut checker = Checker::new(prelude);
    let mut errors: Vec<Diagnostic> = vec![];
    let mut query = None;
    for item in &file.items {
        errors.extend(checker.declare(item).err());
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut bodies = vec![];
    for item in &file.items {
        let done = match item {
            Item::Relation(relation) => checker.body(&relation.name, &relation.params, &relation.body),
            Item::Query(asked) => {
                if query.is_some() {
                    errors.push(Diagnostic::error(asked.loc.0, "there is a second query"));
                }
                checker.expr(&asked.expr).map(|node| query = Some((node, asked.early)))
            }
            _ => Ok(()),
        };
        errors.extend(done.err());
        if let Item::Relation(relation) = item {
            bodies.push(relation);
        }
    }
    if errors.is_empty() {
        errors.extend(bodies.iter().filter(|r| !r.mu).filter_map(|r| checker.recursion(&r.name)));
    }
    match query {
        Some((query, early)) if errors.is_empty() => Ok(Formula {
            classes: checker.types.classes,
            leaves: checker.leaves,
            relations: checker.relations,
            nodes: checker.nodes,
            query,
            roles: checker.roles,
            early,
        }),
        None if errors.is_empty() => {
            Err(vec![Diagnostic::error(None, "the formula asks nothing: a `query` is needed")])
        }
        _ => Err(errors),
    }
}

/// A variable: its type, and its leaves.
#[derive(Clone)]
struct Variable {
    ty: Type,
    first: usize,
}

struct Checker {
    types: Types,
    leaves: IndexVec<LeafId, ClassId>,
    relations: IndexVec<RelId, Relation>,
    names: BTreeMap<Name, RelId>,
    signatures: IndexVec<RelId, Vec<Type>>,
    nodes: IndexVec<NodeId, Node>,
    roles: BTreeMap<Role, Vec<LeafId>>,
    scope: Vec<(Name, Variable)>,
}

impl Checker {
    fn new(prelude: &Prelude) -> Checker {
        let mut checker = Checker {
            types: Types::new(prelude),
            leaves: IndexVec::new(),
            relations: IndexVec::new(),
            names: BTreeMap::new(),
            signatures: IndexVec::new(),
            nodes: IndexVec::new(),
            roles: BTreeMap::new(),
            scope: vec![],
        };
        for (number, input) in prelude.inputs.iter().enumerate() {
            let types: Vec<Type> = input.params.iter().map(|name| checker.types.given(name)).collect();
            let name = Name::new(input.name);
            let mut formals = vec![];
            for ty in &types {
                let variable = checker.leaves_of(ty);
                let count = checker.types.width(ty);
                formals.extend((variable.first..variable.first + count).map(LeafId::from_index));
            }
            let kind = Kind::Input(number);
            let relation = Relation { name: input.name.to_owned(), loc: Loc(None), formals, kind };
            checker.names.insert(name, checker.relations.push(relation));
            checker.signatures.push(types);
        }
        checker
    }

    /// A declaration; for relations, only what stands before the body.
    fn declare(&mut self, item: &Item) -> Res<()> {
        match item {
            Item::Const(name, value) => self.types.declare_const(name, value),
            Item::Type(name, ty) => self.types.declare_alias(name, ty),
            Item::Enum(name, values) => self.types.declare_enum(name, values),
            Item::Struct(name, fields) => self.types.declare_struct(name, fields),
            Item::Query(_) => Ok(()),
            Item::Relation(relation) => {
                let name = &relation.name;
                if let Some(first) = self.names.get(&name.name) {
                    let whose = match self.relations[*first].kind {
                        Kind::Input(_) => "the program defines a relation of this name",
                        Kind::Defined(_) => "a relation of this name is defined above",
                    };
                    return Err(Diagnostic::error(name.loc.0, format!("`{name}`: {whose}")));
                }
                let mut types = vec![];
                for param in &relation.params {
                    types.push(self.types.of_param(param)?);
                }
                let entry = Relation {
                    name: name.name.to_string(),
                    loc: name.loc,
                    formals: vec![],
                    kind: Kind::Defined(NodeId::from_index(0)),
                };
                self.names.insert(name.name.clone(), self.relations.push(entry));
                self.signatures.push(types);
                Ok(())
            }
        }
    }

    /// The leaves of a new variable.
    fn leaves_of(&mut self, ty: &Type) -> Variable {
        let first = self.leaves.len();
        self.types.leaves(ty).into_iter().for_each(|class| _ = self.leaves.push(class));
        Variable { ty: ty.clone(), first }
    }

    /// Brings variables into scope; their leaves.
    fn bind(&mut self, params: &[Param]) -> Res<Vec<LeafId>> {
        let first = self.leaves.len();
        let before = self.scope.len();
        for param in params {
            let ty = self.types.of_param(param)?;
            if self.scope[before..].iter().any(|(name, _)| *name == param.name.name) {
                let message = format!("`{}` is bound twice here", param.name);
                return Err(Diagnostic::error(param.name.loc.0, message));
            }
            let variable = self.leaves_of(&ty);
            if let Some(role) = &param.role {
                self.give(role, &variable)?;
            }
            self.scope.push((param.name.name.clone(), variable));
        }
        Ok((first..self.leaves.len()).map(LeafId::from_index).collect())
    }

    /// Gives the role to a variable.
    fn give(&mut self, role: &Ident, variable: &Variable) -> Res<()> {
        let refuse = |message: String| Err(Diagnostic::error(role.loc.0, message));
        let Some((id, _, ty)) = Role::ALL.iter().find(|(_, name, _)| *name == role.name.as_str()) else {
            let names: Vec<&str> = Role::ALL.iter().map(|(_, name, _)| *name).collect();
            return refuse(format!("there is no role `{role}`, only {}", names.join(", ")));
        };
        let own = match &variable.ty {
            Type::Array { element, .. } if id.is_array() => element,
            own => own,
        };
        let is_array = matches!(variable.ty, Type::Array { .. });
        if self.types.find(ty) != Some(own) || is_array != id.is_array() {
            let what = if id.is_array() { "an array of" } else { "a variable of" };
            return refuse(format!("`{role}` is the role of {what} type {ty}"));
        }
        let leaves = variable.first..variable.first + self.types.width(&variable.ty);
        if self.roles.insert(*id, leaves.map(LeafId::from_index).collect()).is_some() {
            return refuse(format!("the role `{role}` is given twice"));
        }
        Ok(())
    }

    fn body(&mut self, name: &Ident, params: &[Param], body: &Expr) -> Res<()> {
        self.scope.clear();
        let formals = self.bind(params)?;
        let id = self.names[&name.name];
        self.relations[id].formals = formals;
        let body = self.expr(body)?;
        self.relations[id].kind = Kind::Defined(body);
        self.scope.clear();
        Ok(())
    }

    fn node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node)
    }

    fn expr(&mut self, e: &Expr) -> Res<NodeId> {
        let node = match &e.kind {
            ExprKind::Const(b) => Node::Const(*b),
            ExprKind::Not(a) => Node::Not(self.expr(a)?),
            ExprKind::And(list) => Node::And(self.exprs(list)?),
            ExprKind::Or(list) => Node::Or(self.exprs(list)?),
            ExprKind::Implies(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                let not = self.node(Node::Not(a));
                Node::Or(vec![not, b])
            }
            ExprKind::Iff(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                let both = self.node(Node::And(vec![a, b]));
                let either = self.node(Node::Or(vec![a, b]));
                let neither = self.node(Node::Not(either));
                Node::Or(vec![both, neither])
            }
            ExprKind::Quantified(quantifier, params, body) => {
                let before = self.scope.len();
                let leaves = self.bind(params)?;
                let body = self.expr(body);
                self.scope.truncate(before);
                self.quantified(*quantifier, leaves, body?)
            }
            ExprKind::Apply(name, args) => return self.apply(name, args),
            ExprKind::Compare(comparison, a, b) => return self.compare(*comparison, a, b, e.loc),
            ExprKind::Holds(term) => return self.holds(term),
        };
        Ok(self.node(node))
    }

    fn exprs(&mut self, list: &[Expr]) -> Res<Vec<NodeId>> {
        list.iter().map(|e| self.expr(e)).collect()
    }

    /// The quantifier, over the values of the types.
    fn quantified(&mut self, quantifier: Quantifier, leaves: Vec<LeafId>, body: NodeId) -> Node {
        let partial: Vec<(LeafId, u32)> = leaves
            .iter()
            .filter_map(|leaf| {
                let class: &Class = &self.types.classes[self.leaves[*leaf]];
                let values = class.values?;
                (values != 1 << class.bits).then_some((*leaf, values))
            })
            .collect();
        let mut parts = vec![];
        for (leaf, values) in partial {
            let each = (0..values).map(|v| self.nodes.push(Node::Value(leaf, v))).collect();
            parts.push(self.node(Node::Or(each)));
        }
        match quantifier {
            Quantifier::Exists => {
                if parts.is_empty() {
                    return Node::Exists(leaves, body);
                }
                // What the body says comes first; a conjunction takes the values in.
                let said = match &self.nodes[body] {
                    Node::And(list) => list.clone(),
                    _ => vec![body],
                };
                parts.splice(0..0, said);
                Node::Exists(leaves, self.nodes.push(Node::And(parts)))
            }
            Quantifier::Forall => {
                let mut list: Vec<NodeId> =
                    parts.into_iter().map(|p| self.nodes.push(Node::Not(p))).collect();
                if list.is_empty() {
                    return Node::Forall(leaves, body);
                }
                list.push(body);
                Node::Forall(leaves, self.nodes.push(Node::Or(list)))
            }
        }
    }

    /// An error when the relation's equation mentions it.
    fn recursion(&self, name: &Ident) -> Option<Diagnostic> {
        let start = self.names[&name.name];
        let mut stack = vec![start];
        let mut seen = vec![];
        while let Some(relation) = stack.pop() {
            for next in self.applied(relation) {
                if next == start {
                    let message =
                        format!("the equation of `{name}` mentions `{name}` itself: write `mu bool {name}`");
                    return Some(Diagnostic::error(name.loc.0, message));
                }
                if !seen.contains(&next) {
                    seen.push(next);
                    stack.push(next);
                }
            }
        }
        None
    }

    fn applied(&self, relation: RelId) -> Vec<RelId> {
        let Kind::Defined(body) = self.relations[relation].kind else { return vec![] };
        let mut out = vec![];
        let mut stack = vec![body];
        while let Some(node) = stack.pop() {
            stack.extend(self.nodes[node].operands());
            if let Node::Apply(applied, _) = &self.nodes[node] {
                out.push(*applied);
            }
        }
        out
    }

    fn class_of(&self, leaf: LeafId) -> ClassId {
        self.leaves[leaf]
    }

    fn arg_node(&mut self, arg: Arg) -> NodeId {
        match arg {
            Arg::Leaf(leaf) => self.node(Node::Value(leaf, 1)),
            Arg::Value(v) => self.node(Node::Const(v == 1)),
        }
    }
}
