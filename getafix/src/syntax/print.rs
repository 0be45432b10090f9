//! Formula files as text, in one canonical form: a clause of a disjunction on a line of its own.

use super::{
    Access, Comparison, Expr, ExprKind, File, Item, Number, Param, Quantifier, Relation, Term, TypeName,
};
use std::fmt::{self, Write};

/// The file as text; parsing it gives the same file again.
pub fn print(file: &File) -> String {
    let mut out = String::new();
    for item in &file.items {
        match item {
            Item::Const(name, value) => _ = writeln!(out, "const {name} = {value};"),
            Item::Type(name, ty) => _ = writeln!(out, "type {name} = {ty};"),
            Item::Enum(name, values) => _ = writeln!(out, "enum {name} {{ {} }};", list(values)),
            Item::Struct(name, fields) => {
                let _ = write!(out, "struct {name} {{ ");
                fields.iter().for_each(|field| _ = write!(out, "{field}; "));
                let _ = writeln!(out, "}};");
            }
            Item::Relation(relation) => print_relation(&mut out, relation),
            Item::Query(query) => {
                let early = if query.early { "early " } else { "" };
                let _ = writeln!(out, "query {early}{};", query.expr);
            }
        }
    }
    out
}

fn print_relation(out: &mut String, relation: &Relation) {
    let mu = if relation.mu { "mu " } else { "" };
    let _ = write!(out, "{mu}bool {}({}) =", relation.name, list(&relation.params));
    match &relation.body.kind {
        ExprKind::Or(clauses) => {
            for (i, clause) in clauses.iter().enumerate() {
                let sign = if i == 0 { " " } else { "|" };
                let _ = write!(out, "\n  {sign} {}", Tight(clause));
            }
            out.push_str(";\n");
        }
        _ => _ = writeln!(out, "\n    {};", relation.body),
    }
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Literal(n) => n.fmt(f),
            Number::Const(name) => name.fmt(f),
        }
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeName::Named(name) => name.fmt(f),
            TypeName::Range(low, high, _) => write!(f, "{low}..{high}"),
        }
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.ty, self.name)?;
        if let Some((low, high)) = &self.bounds {
            write!(f, "[{low}..{high}]")?;
        }
        self.role.iter().try_for_each(|role| write!(f, " @{role}"))
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Comparison::Eq => "=",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        })
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Number(n, _) => n.fmt(f),
            Term::Bool(b, _) => b.fmt(f),
            Term::Plus(term, n) => write!(f, "{term} + {n}"),
            Term::Path(name, path) => {
                name.fmt(f)?;
                path.iter().try_for_each(|access| match access {
                    Access::Field(field) => write!(f, ".{field}"),
                    Access::Index(index) => write!(f, "[{index}]"),
                })
            }
        }
    }
}

/// An expression where operators need parentheses.
struct Tight<'e>(&'e Expr);

impl fmt::Display for Tight<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ExprKind::Const(_) | ExprKind::Not(_) | ExprKind::Apply(..) | ExprKind::Holds(_) => self.0.fmt(f),
            _ => write!(f, "({})", self.0),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, list: &[Expr], sign: &str| {
            let parts: Vec<String> = list.iter().map(|e| Tight(e).to_string()).collect();
            f.write_str(&parts.join(sign))
        };
        match &self.kind {
            ExprKind::Const(b) => b.fmt(f),
            ExprKind::Not(e) => write!(f, "!{}", Tight(e)),
            ExprKind::And(es) => joined(f, es, " & "),
            ExprKind::Or(es) => joined(f, es, " | "),
            ExprKind::Implies(a, b) => write!(f, "{} -> {}", Tight(a), Tight(b)),
            ExprKind::Iff(a, b) => write!(f, "{} <-> {}", Tight(a), Tight(b)),
            ExprKind::Quantified(quantifier, params, body) => {
                let word = match quantifier {
                    Quantifier::Exists => "exists",
                    Quantifier::Forall => "forall",
                };
                write!(f, "{word} {}. {body}", list(params))
            }
            ExprKind::Apply(name, args) => write!(f, "{name}({})", list(args)),
            ExprKind::Compare(comparison, a, b) => write!(f, "{a} {comparison} {b}"),
            ExprKind::Holds(term) => term.fmt(f),
        }
    }
}
