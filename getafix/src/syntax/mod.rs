//! The text of the calculus \[LMP09 §3\]: what a formula file says, before names are looked up.
//!
//! The notation is near that of the paper's appendix.

mod lexer;
mod parser;

pub use parser::parse;

use bp::{Ident, Loc};

/// A formula file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// Its declarations, in the order of the text.
    pub items: Vec<Item>,
}

impl File {
    /// Whether some variable or field is of this type, which the file does not declare itself.
    pub fn uses_type(&self, name: &str) -> bool {
        let is_named = |ty: &TypeName| matches!(ty, TypeName::Named(ident) if ident.name.as_str() == name);
        let of_type = |params: &[Param]| params.iter().any(|param| is_named(&param.ty));
        let mut bodies = vec![];
        let mut found = false;
        for item in &self.items {
            match item {
                Item::Type(own, _) | Item::Enum(own, _) | Item::Struct(own, _)
                    if own.name.as_str() == name =>
                {
                    return false;
                }
                Item::Type(_, ty) => found |= is_named(ty),
                Item::Struct(_, fields) => found |= of_type(fields),
                Item::Relation(relation) => {
                    found |= of_type(&relation.params);
                    bodies.push(&relation.body);
                }
                Item::Query(query) => bodies.push(&query.expr),
                Item::Const(..) | Item::Enum(..) => {}
            }
        }
        while let Some(e) = bodies.pop() {
            if let ExprKind::Quantified(_, params, _) = &e.kind {
                found |= of_type(params);
            }
            bodies.extend(e.operands());
        }
        found
    }
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `const N = 3;`
    Const(Ident, Number),
    /// `type T = 0..N;`
    Type(Ident, TypeName),
    /// `enum T { a, b };`
    Enum(Ident, Vec<Ident>),
    /// `struct T { U a; V b[1..2]; };`
    Struct(Ident, Vec<Param>),
    /// `mu bool R(T x) = …;`
    Relation(Relation),
    /// `query …;`
    Query(Query),
}

/// The equation of a relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation {
    /// Whether it may mention itself.
    pub mu: bool,
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it holds of.
    pub body: Expr,
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// Whether the search may end as soon as it holds of an intermediate value of the relation that it mentions.
    pub early: bool,
    /// Where it stands.
    pub loc: Loc,
    /// A closed expression.
    pub expr: Expr,
}

/// A variable with its type: a parameter, a field, or a variable of a quantifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its type, or that of its elements.
    pub ty: TypeName,
    /// Its name.
    pub name: Ident,
    /// The bounds of its indices, for an array.
    pub bounds: Option<(Number, Number)>,
    /// `@role`: what a variable stands for in traces.
    pub role: Option<Ident>,
}

/// The name of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeName {
    /// `bool`, or a declared type.
    Named(Ident),
    /// `0..N`
    Range(Number, Number, Loc),
}

/// A number, or the name of a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Number {
    /// `3`
    Literal(u32),
    /// `N`
    Const(Ident),
}

/// An expression that is true or false, at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it says.
    pub kind: ExprKind,
    /// Where it begins.
    pub loc: Loc,
}

/// What an expression says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `true` or `false`
    Const(bool),
    /// `!e`
    Not(Box<Expr>),
    /// `a & b & c`
    And(Vec<Expr>),
    /// `a | b | c`
    Or(Vec<Expr>),
    /// `a -> b`
    Implies(Box<Expr>, Box<Expr>),
    /// `a <-> b`
    Iff(Box<Expr>, Box<Expr>),
    /// `exists T x. e`, `forall T x. e`
    Quantified(Quantifier, Vec<Param>, Box<Expr>),
    /// `R(x, y)`
    Apply(Ident, Vec<Term>),
    /// `x = y`
    Compare(Comparison, Term, Term),
    /// A variable of type bool.
    Holds(Term),
}

impl Expr {
    /// The expressions that it is made of.
    fn operands(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Not(a) | ExprKind::Quantified(_, _, a) => vec![a],
            ExprKind::Implies(a, b) | ExprKind::Iff(a, b) => vec![a, b],
            ExprKind::And(list) | ExprKind::Or(list) => list.iter().collect(),
            ExprKind::Const(_) | ExprKind::Apply(..) | ExprKind::Compare(..) | ExprKind::Holds(_) => vec![],
        }
    }
}

/// Which values of the variables must do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Some.
    Exists,
    /// All.
    Forall,
}

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// A variable or a constant with fields and indices.
    Path(Ident, Vec<Access>),
    /// A number.
    Number(u32, Loc),
    /// `true` or `false`
    Bool(bool, Loc),
    /// `x + 1`
    Plus(Box<Term>, u32),
}

/// A part of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Access {
    /// `.field`
    Field(Ident),
    /// `[index]`
    Index(Term),
}

impl Term {
    /// Where it begins.
    pub fn loc(&self) -> Loc {
        match self {
            Term::Path(name, _) => name.loc,
            Term::Number(_, loc) | Term::Bool(_, loc) => *loc,
            Term::Plus(term, _) => term.loc(),
        }
    }
}
