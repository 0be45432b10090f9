//! Terms, comparisons and applications. An index that is a variable makes cases: one for each of its values that is an
//! index of the array; outside of them what is said of the element does not hold.

use super::types::{Type, Types};
use super::{Checker, Res};
use crate::ir::{Arg, LeafId, Node, NodeId};
use crate::syntax::{Access, Comparison, Term};
use base::{Diagnostic, Id};
use bp::{Ident, Loc};

/// Leaves with their values.
type When = Vec<(LeafId, u32)>;

/// A value in one of its cases.
#[derive(Clone)]
struct Case {
    /// What the case assumes.
    when: When,
    value: Value,
}

/// A value.
#[derive(Clone)]
enum Value {
    /// Consecutive leaves: the type of the whole, and the first leaf.
    Leaves(Type, usize),
    /// A number without a type, or a sum of a leaf with a number.
    Number(u32),
    Sum(LeafId, u32),
    /// A value of an enumeration or of `bool`.
    Named(crate::ir::ClassId, u32),
}

impl Checker {
    pub(super) fn holds(&mut self, term: &Term) -> Res<NodeId> {
        let cases = self.term(term)?;
        let boolean = Types::boolean();
        let mut out = vec![];
        for case in cases {
            let node = match case.value {
                Value::Leaves(Type::Class(class), leaf) if class == boolean => {
                    self.arg_node(Arg::Leaf(LeafId::from_index(leaf)))
                }
                Value::Named(class, v) if class == boolean => self.arg_node(Arg::Value(v)),
                other => {
                    let message = format!("expected a value of type bool, found {}", self.describe(&other));
                    return Err(Diagnostic::error(term.loc().0, message));
                }
            };
            out.push(self.in_case(&case.when, node));
        }
        Ok(self.either(out))
    }

    pub(super) fn apply(&mut self, name: &Ident, args: &[Term]) -> Res<NodeId> {
        let Some(id) = self.names.get(&name.name).copied() else {
            return Err(Diagnostic::error(name.loc.0, format!("relation `{name}` is not defined")));
        };
        let types = self.signatures[id].clone();
        if types.len() != args.len() {
            let message = format!("`{name}` takes {}, not {}", several(types.len(), "argument"), args.len());
            return Err(Diagnostic::error(name.loc.0, message));
        }
        let mut combined: Vec<(When, Vec<Arg>)> = vec![(vec![], vec![])];
        for (term, ty) in args.iter().zip(&types) {
            let cases = self.term(term)?;
            let mut next = vec![];
            for (when, parts) in &combined {
                for case in &cases {
                    let mut when = when.clone();
                    when.extend(&case.when);
                    let mut parts = parts.clone();
                    parts.extend(self.argument(&case.value, ty, term.loc())?);
                    next.push((when, parts));
                }
            }
            combined = next;
        }
        let mut out = vec![];
        for (when, parts) in combined {
            let node = self.node(Node::Apply(id, parts));
            out.push(self.in_case(&when, node));
        }
        Ok(self.either(out))
    }

    fn argument(&self, value: &Value, ty: &Type, loc: Loc) -> Res<Vec<Arg>> {
        match (value, ty) {
            (Value::Leaves(own, first), _) if own == ty => {
                let last = first + self.types.width(ty);
                Ok((*first..last).map(|i| Arg::Leaf(LeafId::from_index(i))).collect())
            }
            (Value::Named(own, v), Type::Class(class)) if own == class => Ok(vec![Arg::Value(*v)]),
            (Value::Number(n), Type::Class(class)) if self.types.classes[*class].low.is_some() => {
                Ok(vec![Arg::Value(self.in_range(*n, *class, loc)?)])
            }
            _ => {
                let (wanted, found) = (self.types.text(ty), self.describe(value));
                Err(Diagnostic::error(loc.0, format!("expected a value of type {wanted}, found {found}")))
            }
        }
    }

    pub(super) fn compare(&mut self, comparison: Comparison, a: &Term, b: &Term, loc: Loc) -> Res<NodeId> {
        let (left, right) = (self.term(a)?, self.term(b)?);
        let mut out = vec![];
        for x in &left {
            for y in &right {
                let node = self.compare_values(comparison, &x.value, &y.value, loc)?;
                let when: When = x.when.iter().chain(&y.when).copied().collect();
                out.push(self.in_case(&when, node));
            }
        }
        Ok(self.either(out))
    }

    fn compare_values(&mut self, comparison: Comparison, a: &Value, b: &Value, loc: Loc) -> Res<NodeId> {
        match comparison {
            Comparison::Gt => return self.compare_values(Comparison::Lt, b, a, loc),
            Comparison::Ge => return self.compare_values(Comparison::Le, b, a, loc),
            Comparison::Le => {
                let more = self.compare_values(Comparison::Lt, b, a, loc)?;
                return Ok(self.node(Node::Not(more)));
            }
            Comparison::Ne => {
                let same = self.compare_values(Comparison::Eq, a, b, loc)?;
                return Ok(self.node(Node::Not(same)));
            }
            Comparison::Eq | Comparison::Lt => {}
        }
        if comparison == Comparison::Eq
            && let (Value::Leaves(ty, x), Value::Leaves(other, y)) = (a, b)
        {
            if ty != other {
                return Err(self.unlike(a, b, loc));
            }
            let width = self.types.width(ty);
            let equal = |i| Node::Equal(LeafId::from_index(x + i), LeafId::from_index(y + i));
            let parts: Vec<NodeId> = (0..width).map(|i| self.nodes.push(equal(i))).collect();
            return Ok(self.all(parts));
        }
        self.compare_numbers(comparison, a, b, loc)
    }

    /// A comparison of parts that are not structures.
    fn compare_numbers(&mut self, comparison: Comparison, a: &Value, b: &Value, loc: Loc) -> Res<NodeId> {
        let (Some((x, n)), Some((y, m))) = (self.summand(a), self.summand(b)) else {
            return Err(self.unlike(a, b, loc));
        };
        let class = x.or(y).map(|(class, _)| class);
        let Some(class) = class else {
            // Two constants.
            let holds = if comparison == Comparison::Eq { n == m } else { n < m };
            return Ok(self.node(Node::Const(holds)));
        };
        if x.is_some_and(|(c, _)| c != class) || y.is_some_and(|(c, _)| c != class) {
            return Err(self.unlike(a, b, loc));
        }
        let ordered = self.types.classes[class].low.is_some();
        if comparison == Comparison::Lt && !ordered {
            let message = format!("values of type {} have no order", self.types.classes[class].name);
            return Err(Diagnostic::error(loc.0, message));
        }
        let leaf = |side: Option<(_, Option<LeafId>)>| side.and_then(|(_, leaf)| leaf);
        let code = |checker: &Checker, side: Option<(crate::ir::ClassId, Option<LeafId>)>, n: u32| match side
        {
            // A value of an enumeration is counted from 0 already.
            Some(_) => Ok(n),
            None => checker.in_range(n, class, loc),
        };
        let node = match (leaf(x), leaf(y), comparison) {
            (Some(p), Some(q), Comparison::Eq) if n == m => Node::Equal(p, q),
            (Some(p), Some(q), Comparison::Eq) if n < m => Node::Plus(p, q, m - n),
            (Some(p), Some(q), Comparison::Eq) => Node::Plus(q, p, n - m),
            (Some(p), Some(q), _) => Node::Less((p, n), (q, m)),
            (Some(p), None, Comparison::Eq) if n == 0 => Node::Value(p, code(self, y, m)?),
            (None, Some(q), Comparison::Eq) if m == 0 => Node::Value(q, code(self, x, n)?),
            (Some(p), None, _) => {
                let other = self.counted(class, y.is_some(), m);
                return Ok(self.one_of(p, class, |v| holds(comparison, i64::from(v + n), other)));
            }
            (None, Some(q), _) => {
                let other = self.counted(class, x.is_some(), n);
                return Ok(self.one_of(q, class, |v| holds(comparison, other, i64::from(v + m))));
            }
            (None, None, Comparison::Eq) => Node::Const(code(self, x, n)? == code(self, y, m)?),
            (None, None, _) => Node::Const(code(self, x, n)? < code(self, y, m)?),
        };
        Ok(self.node(node))
    }

    /// A constant as values of the class are counted, from 0; those of enumerations are counted so already.
    fn counted(&self, class: crate::ir::ClassId, is_value: bool, n: u32) -> i64 {
        let low = if is_value { 0 } else { self.extent(class).0 };
        i64::from(n) - i64::from(low)
    }

    fn extent(&self, class: crate::ir::ClassId) -> (u32, u32) {
        let class = &self.types.classes[class];
        (class.low.unwrap_or(0), class.values.unwrap_or(0))
    }

    /// The leaf has one of the values of its class for which this holds.
    fn one_of(&mut self, leaf: LeafId, class: crate::ir::ClassId, holds: impl Fn(u32) -> bool) -> NodeId {
        let fitting = (0..self.extent(class).1).filter(|v| holds(*v));
        let each = fitting.map(|v| self.nodes.push(Node::Value(leaf, v))).collect();
        self.node(Node::Or(each))
    }

    /// A leaf (or none) of a class with a number that is added; `None` for a structure.
    #[expect(clippy::type_complexity, reason = "read in one place")]
    fn summand(&self, value: &Value) -> Option<(Option<(crate::ir::ClassId, Option<LeafId>)>, u32)> {
        match value {
            Value::Leaves(Type::Class(class), leaf) => {
                Some((Some((*class, Some(LeafId::from_index(*leaf)))), 0))
            }
            Value::Leaves(..) => None,
            Value::Number(n) => Some((None, *n)),
            Value::Sum(leaf, n) => Some((Some((self.class_of(*leaf), Some(*leaf))), *n)),
            Value::Named(class, v) => Some((Some((*class, None)), *v)),
        }
    }

    fn in_range(&self, n: u32, class: crate::ir::ClassId, loc: Loc) -> Res<u32> {
        let class = &self.types.classes[class];
        let Some(low) = class.low else {
            let message = format!("expected a value of type {}, found a number", class.name);
            return Err(Diagnostic::error(loc.0, message));
        };
        match n.checked_sub(low) {
            Some(value) if class.values.is_none_or(|count| value < count) => Ok(value),
            _ => Err(Diagnostic::error(loc.0, format!("{n} is no value of type {}", class.name))),
        }
    }

    fn unlike(&self, a: &Value, b: &Value, loc: Loc) -> Diagnostic {
        let message = format!("{} and {} cannot be compared", self.describe(a), self.describe(b));
        Diagnostic::error(loc.0, message)
    }

    fn describe(&self, value: &Value) -> String {
        let class = |class: crate::ir::ClassId| format!("a value of type {}", self.types.classes[class].name);
        match value {
            Value::Leaves(ty, _) => format!("a value of type {}", self.types.text(ty)),
            Value::Number(n) => format!("the number {n}"),
            Value::Sum(leaf, _) => class(self.class_of(*leaf)),
            Value::Named(own, _) => class(*own),
        }
    }

    /// The cases of a term.
    fn term(&mut self, term: &Term) -> Res<Vec<Case>> {
        let only = |value| Ok(vec![Case { when: vec![], value }]);
        match term {
            Term::Number(n, _) => only(Value::Number(*n)),
            Term::Bool(b, _) => only(Value::Named(Types::boolean(), u32::from(*b))),
            Term::Plus(inside, n) => {
                let mut cases = self.term(inside)?;
                for case in &mut cases {
                    case.value = match &case.value {
                        Value::Number(m) => Value::Number(m.saturating_add(*n)),
                        Value::Sum(leaf, m) => Value::Sum(*leaf, m.saturating_add(*n)),
                        Value::Leaves(Type::Class(class), leaf)
                            if self.types.classes[*class].low.is_some() =>
                        {
                            Value::Sum(LeafId::from_index(*leaf), *n)
                        }
                        other => {
                            let message = format!("nothing can be added to {}", self.describe(other));
                            return Err(Diagnostic::error(inside.loc().0, message));
                        }
                    };
                }
                Ok(cases)
            }
            Term::Path(name, path) => self.path(name, path),
        }
    }

    fn path(&mut self, name: &Ident, path: &[Access]) -> Res<Vec<Case>> {
        let found = self.scope.iter().rev().find(|(own, _)| *own == name.name);
        let Some((_, variable)) = found else {
            return match self.types.constant(&name.name) {
                Some((class, value)) if path.is_empty() => {
                    let value = class.map_or(Value::Number(value), |class| Value::Named(class, value));
                    Ok(vec![Case { when: vec![], value }])
                }
                _ => Err(Diagnostic::error(name.loc.0, format!("variable `{name}` is not bound here"))),
            };
        };
        let value = Value::Leaves(variable.ty.clone(), variable.first);
        let mut cases = vec![Case { when: vec![], value }];
        for access in path {
            cases = match access {
                Access::Field(field) => self.field(cases, field)?,
                Access::Index(index) => self.index(cases, index)?,
            };
        }
        Ok(cases)
    }

    fn field(&self, mut cases: Vec<Case>, field: &Ident) -> Res<Vec<Case>> {
        for case in &mut cases {
            let Value::Leaves(Type::Struct(fields), first) = &case.value else {
                let message = format!("{} has no fields", self.describe(&case.value));
                return Err(Diagnostic::error(field.loc.0, message));
            };
            let Some(at) = fields.1.iter().position(|(name, _)| *name == field.name) else {
                let message = format!("`{}` has no field `{field}`", fields.0);
                return Err(Diagnostic::error(field.loc.0, message));
            };
            let before: usize = fields.1[..at].iter().map(|(_, ty)| self.types.width(ty)).sum();
            case.value = Value::Leaves(fields.1[at].1.clone(), first + before);
        }
        Ok(cases)
    }

    fn index(&mut self, cases: Vec<Case>, index: &Term) -> Res<Vec<Case>> {
        let loc = index.loc();
        let indices = self.term(index)?;
        let mut out = vec![];
        for case in &cases {
            let Value::Leaves(Type::Array { low, len, element }, first) = &case.value else {
                let message = format!("{} has no elements", self.describe(&case.value));
                return Err(Diagnostic::error(loc.0, message));
            };
            let width = self.types.width(element);
            let at = |n: u32| Value::Leaves((**element).clone(), first + (n - low) as usize * width);
            for index in &indices {
                let mut when = case.when.clone();
                when.extend(&index.when);
                let (leaf, plus) = match &index.value {
                    Value::Number(n) if (*low..low + len).contains(n) => {
                        out.push(Case { when, value: at(*n) });
                        continue;
                    }
                    Value::Number(n) => {
                        let message = format!("{n} is no index of {}", self.describe(&case.value));
                        return Err(Diagnostic::error(loc.0, message));
                    }
                    Value::Leaves(Type::Class(class), leaf) if self.types.classes[*class].low.is_some() => {
                        (LeafId::from_index(*leaf), 0)
                    }
                    Value::Sum(leaf, n) => (*leaf, *n),
                    other => {
                        let message = format!("{} is no index", self.describe(other));
                        return Err(Diagnostic::error(loc.0, message));
                    }
                };
                let (least, values) = self.extent(self.class_of(leaf));
                for value in 0..values {
                    let n = least + value + plus;
                    if (*low..low + len).contains(&n) {
                        let mut when = when.clone();
                        when.push((leaf, value));
                        out.push(Case { when, value: at(n) });
                    }
                }
            }
        }
        Ok(out)
    }

    fn in_case(&mut self, when: &[(LeafId, u32)], node: NodeId) -> NodeId {
        let mut parts: Vec<NodeId> =
            when.iter().map(|(leaf, value)| self.nodes.push(Node::Value(*leaf, *value))).collect();
        parts.push(node);
        self.all(parts)
    }

    fn all(&mut self, mut parts: Vec<NodeId>) -> NodeId {
        if parts.len() == 1 { parts.remove(0) } else { self.node(Node::And(parts)) }
    }

    fn either(&mut self, mut parts: Vec<NodeId>) -> NodeId {
        if parts.len() == 1 { parts.remove(0) } else { self.node(Node::Or(parts)) }
    }
}

/// `1 value`, `2 values`.
fn several(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn holds(comparison: Comparison, a: i64, b: i64) -> bool {
    if comparison == Comparison::Eq { a == b } else { a < b }
}
