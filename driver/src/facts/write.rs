//! Writes facts as text.

use super::{Kind, Names, read};
use crate::witness::conditions::narrow;
use ir::{Expr, IntType, Program, Type};
use predicates::predicates_file::FOUND;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use verify::Task;
use verify::cegar::Fact;

/// The facts, one a line. What cannot be said with the names that the source has at the place is a comment.
pub(crate) fn text(task: &Task, facts: &[Fact]) -> String {
    let mut out = String::from(FOUND);
    if facts.is_empty() {
        return out;
    }
    let mut heads: BTreeMap<(base::FileId, u32), BTreeSet<u32>> = BTreeMap::new();
    let mut writer = Writer::new(task);
    for (p, l) in &writer.names.places.heads {
        let span = task.program.procs[*p].locations[*l].span;
        heads.entry((span.file, span.start.line)).or_default().insert(span.start.col);
    }
    for fact in facts {
        let Some((kind, span)) = writer.names.places.place(fact.at) else { continue };
        let several = heads.get(&(span.file, span.start.line)).is_some_and(|columns| columns.len() > 1);
        let at = if several { task.sources.long(span) } else { task.sources.short(span) };
        let whose = match kind {
            Kind::Loop => String::new(),
            Kind::Entry | Kind::Exit => format!(" of {}", task.program.procs[fact.at.0].name),
        };
        let (sign, condition) = match writer.spoken(fact) {
            Some(condition) => ("", condition),
            None => ("// not in the source's words: ", condition(&task.program, fact)),
        };
        let _ = writeln!(out, "{sign}{at}: {kind}{whose}: {condition}  // {}", fact.source.name());
    }
    out
}

/// The condition as C.
pub(super) fn condition(program: &Program, fact: &Fact) -> String {
    let condition = ir::print::expr(program, &narrowed(&fact.condition));
    let end = |e: &Expr| ir::print::expr(program, &without_cast(e));
    fact.for_all.as_ref().map_or(condition.clone(), |range| range.text(program, &condition, end))
}

/// Says facts in the words of their places.
pub(super) struct Writer<'t> {
    task: &'t Task,
    names: Names<'t>,
    /// The program, in which variables get other names for a while.
    program: Program,
}

impl<'t> Writer<'t> {
    pub(super) fn new(task: &'t Task) -> Writer<'t> {
        Writer { task, names: Names::of(task), program: task.program.clone() }
    }

    /// The condition in the words of its place; `None` where it has none for a variable, or where the text would not be read.
    pub(super) fn spoken(&mut self, fact: &Fact) -> Option<String> {
        if self.task.program.procs[fact.at.0].is_model() {
            return None;
        }
        let scope = self.names.scope(fact.at);
        let ends = fact.for_all.iter().flat_map(|range| [&range.from, &range.to]);
        let mut variables: Vec<_> =
            ends.chain([&fact.condition]).flat_map(predicates::predicate::variables).collect();
        variables.extend(fact.for_all.iter().map(|range| range.variable));
        let named = |v| scope.as_ref().map_or(Some(None), |scope| scope.name(v).map(Some));
        let renamed: Vec<_> = variables.into_iter().map(|v| Some((v, named(v)?))).collect::<Option<_>>()?;
        for (v, name) in &renamed {
            if let Some(name) = name {
                self.program.vars[*v].name.replace_range(.., name);
            }
        }
        let text = condition(&self.program, fact);
        for (v, _) in renamed {
            self.program.vars[v].name.clone_from(&self.task.program.vars[v].name);
        }
        read::conditions(&self.names, fact.at, &text).is_ok().then_some(text)
    }
}

/// The same with comparisons of mathematical integers at the type that both sides have anyway.
fn narrowed(e: &Expr) -> Expr {
    e.clone().map(&mut |e| match e {
        Expr::Binary(op, l, r, ty) if op.is_comparison() => match narrow(&l, &r) {
            Some((l, r)) => Expr::Binary(op, Box::new(l), Box::new(r), ty),
            None => Expr::Binary(op, l, r, ty),
        },
        e => e,
    })
}

/// An end of a range, which is read as a mathematical integer anyway.
fn without_cast(e: &Expr) -> Expr {
    match e {
        Expr::Cast(inner, Type::Math) => (**inner).clone(),
        Expr::Const(v, Type::Math) if IntType::INT.min() <= *v && *v <= IntType::INT.max() => {
            Expr::Const(*v, Type::INT)
        }
        e => e.clone(),
    }
}
