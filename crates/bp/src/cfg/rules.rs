//! Name resolution, and the rules of the language, in this order:
//! 1. every declared name and label is an identifier, and statement ids are distinct;
//! 2. no two globals, no two procedures, no two threads, no two variables of one procedure, no two labels of one
//!    procedure have the same name (a local may shadow a global, and a label to which no jump leads may stand twice:
//!    warnings);
//! 3. every variable, procedure and label that is used is declared; `x$`, another thread's `x`, needs `x`;
//! 4. an assignment has as many values as targets, a call as many arguments as formals and no results or as
//!    many as the procedure returns, a `return` as many values as its header states;
//! 5. the targets of one statement, and the names of one `dead`, are distinct; a variable that `enforce` mentions
//!    is never dead (a warning);
//! 6. next-state variables stand in `constrain` only;
//! 7. the procedure that starts is there, in each thread if there are threads, and then no procedure stands
//!    outside of them (the form that Getafix reads has none that starts);
//! 8. `init` does not return.

use super::{ProcId, VarId, VertexId};
use crate::ast::{Proc, Program};
use crate::concurrent::Concurrent;
use crate::expr::Expr;
use crate::name::{Ident, Loc, Name};
use base::{Diagnostic, Id};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many errors are collected.
const MOST_ERRORS: usize = 50;
/// How many warnings are collected.
const MOST_WARNINGS: usize = 200;

/// The messages of a check.
#[derive(Default)]
pub(super) struct Report {
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    /// The first variable that belongs to another thread.
    pub(super) passive: Option<Concurrent>,
    /// Whether the tree alone shows that the program is concurrent.
    pub(super) threads: bool,
}

impl Report {
    pub(super) fn error(&mut self, loc: Loc, message: impl Into<String>) {
        self.tell(Diagnostic::error(loc.0, message));
    }

    /// An error about a second declaration.
    pub(super) fn twice(&mut self, loc: Loc, message: impl Into<String>, first: Loc) {
        let message = Diagnostic::error(loc.0, message);
        self.tell(match first.0 {
            Some(first) => message.with_note(first, "the first one is here"),
            None => message,
        });
    }

    pub(super) fn warning(&mut self, loc: Loc, message: impl Into<String>) {
        self.warn(Diagnostic::warning(loc.0, message));
    }

    /// Adds what is found later.
    pub(super) fn append(&mut self, later: Report) {
        later.errors.into_iter().for_each(|error| self.tell(error));
        later.warnings.into_iter().for_each(|warning| self.warn(warning));
        self.passive = self.passive.take().or(later.passive);
        self.threads |= later.threads;
    }

    fn warn(&mut self, warning: Diagnostic) {
        if self.warnings.len() < MOST_WARNINGS && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Reports an error once: some statements are examined twice.
    fn tell(&mut self, error: Diagnostic) {
        if self.errors.len() < MOST_ERRORS && !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }
}

/// Variables by name, with the places of their declarations.
pub(super) type Vars = FxHashMap<Name, (VarId, Loc)>;

/// Labels by name.
pub(super) type Labels = FxHashMap<Name, Label>;

/// Where a label leads.
pub(super) struct Label {
    vertex: VertexId,
    loc: Loc,
    /// Where it stands again.
    again: Option<Loc>,
}

/// The names visible in one list of statements, and what these are checked against.
pub(super) struct Scope<'a> {
    pub(super) globals: &'a Vars,
    pub(super) locals: &'a Vars,
    pub(super) labels: &'a Labels,
    /// The owner of the statements, in words.
    pub(super) owner: &'a str,
    /// How many values a `return` gives; `None` where there is none.
    pub(super) returns: Option<usize>,
    pub(super) enforce: Option<&'a Expr>,
    pub(super) report: &'a mut Report,
}

impl Scope<'_> {
    fn find(&self, name: &Name) -> Option<VarId> {
        self.locals.get(name).or_else(|| self.globals.get(name)).map(|(id, _)| *id)
    }

    /// The variable of this name; an arbitrary one, with an error, when there is none.
    pub(super) fn var(&mut self, ident: &Ident, fallback: Loc) -> VarId {
        if let Some(id) = self.find(&ident.name) {
            return id;
        }
        let loc = if ident.loc.0.is_some() { ident.loc } else { fallback };
        if let Some(active) = ident.name.as_str().strip_suffix('$')
            && let Some(id) = self.find(&Name::new(active))
        {
            let what = || Concurrent { loc, what: format!("`{ident}`, another thread's `{active}`,") };
            self.report.passive.get_or_insert_with(what);
            return id;
        }
        self.report.error(loc, format!("variable `{ident}` is not declared"));
        VarId::from_index(0)
    }

    /// The vertex of this label.
    pub(super) fn label(&mut self, label: &Ident, fallback: Loc) -> Option<VertexId> {
        let loc = if label.loc.0.is_some() { label.loc } else { fallback };
        let Some(found) = self.labels.get(&label.name) else {
            self.report.error(loc, format!("there is no label `{label}` in `{}`", self.owner));
            return None;
        };
        if let Some(again) = found.again {
            let message = format!("label `{label}` stands twice in `{}`, and a jump leads to it", self.owner);
            self.report.twice(again, message, found.loc);
        }
        Some(found.vertex)
    }

    /// Warns about variables that `enforce` needs and that are declared dead.
    pub(super) fn dead(&mut self, names: &[Ident], loc: Loc) {
        let Some(enforce) = self.enforce else { return };
        let mut read = FxHashSet::default();
        enforce.for_each_var(&mut |var, _| _ = read.insert(&var.name));
        for ident in names.iter().filter(|ident| read.contains(&ident.name)) {
            let loc = if ident.loc.0.is_some() { ident.loc } else { loc };
            let message =
                format!("`{ident}` is not dead: the `enforce` of `{}` reads it everywhere", self.owner);
            self.report.warning(loc, message);
        }
    }

    /// An expression over the state before a statement.
    pub(super) fn expr(&mut self, e: &Expr, loc: Loc) -> Expr<VarId> {
        self.resolve(e, loc, false)
    }

    /// A `constrain` clause.
    pub(super) fn constrain(&mut self, e: Option<&Expr>, loc: Loc) -> Option<Box<Expr<VarId>>> {
        e.map(|e| Box::new(self.resolve(e, loc, true)))
    }

    fn resolve(&mut self, e: &Expr, loc: Loc, next_allowed: bool) -> Expr<VarId> {
        let resolved = e.try_map(&mut |ident: &Ident, next| {
            if next && !next_allowed {
                let loc = if ident.loc.0.is_some() { ident.loc } else { loc };
                self.report.error(loc, format!("`'{ident}` stands for a next value, outside of `constrain`"));
            }
            Ok::<_, std::convert::Infallible>(self.var(ident, loc))
        });
        match resolved {
            Ok(e) => e,
        }
    }

    /// Distinct targets of one statement.
    pub(super) fn targets<'i>(
        &mut self,
        idents: impl Iterator<Item = Option<&'i Ident>> + Clone,
        loc: Loc,
        done: &str,
    ) -> Vec<Option<VarId>> {
        let out: Vec<Option<VarId>> =
            idents.clone().map(|ident| ident.map(|ident| self.var(ident, loc))).collect();
        // Variables that are not declared have one id together, so names decide.
        if occurs_twice(&out) {
            let mut seen = FxHashSet::default();
            for ident in idents.flatten().filter(|ident| !seen.insert(&ident.name)) {
                let at = if ident.loc.0.is_some() { ident.loc } else { loc };
                let why = if done == "set" { ": which value it gets is not defined" } else { "" };
                self.report.error(at, format!("`{ident}` is {done} twice by one statement{why}"));
            }
        }
        out
    }
}

fn occurs_twice(targets: &[Option<VarId>]) -> bool {
    if targets.len() <= 8 {
        return targets.iter().enumerate().any(|(i, v)| v.is_some() && targets[..i].contains(v));
    }
    let mut ids: Vec<VarId> = targets.iter().flatten().copied().collect();
    ids.sort_unstable();
    ids.windows(2).any(|pair| pair[0] == pair[1])
}

/// The parts of rules 1 and 2 about procedures that see each other; these by name.
pub(super) fn procedures(procs: &[Proc], report: &mut Report) -> FxHashMap<Name, ProcId> {
    let mut out: FxHashMap<Name, ProcId> = FxHashMap::default();
    for (index, proc) in procs.iter().enumerate() {
        well_formed(&proc.name, "procedure", report);
        let name = &proc.name;
        if let Some(first) = out.get(&name.name) {
            let first = procs[first.index()].name.loc;
            report.twice(name.loc, format!("procedure `{name}` is defined twice"), first);
        } else {
            out.insert(name.name.clone(), ProcId::from_index(index));
        }
    }
    out
}

/// Rule 7.
pub(super) fn entries(program: &Program, entry: &str, report: &mut Report) {
    let has_entry = |procs: &[Proc]| procs.iter().any(|proc| proc.name.name.as_str() == entry);
    if program.threads.is_empty() {
        if program.getafix_init().is_none() && !has_entry(&program.procs) {
            let loc = program.procs.first().map_or(Loc(None), |proc| proc.name.loc);
            report.error(loc, format!("there is no procedure `{entry}` to start with"));
        }
        return;
    }
    if let Some(proc) = program.procs.first() {
        let message = format!("procedure `{}` stands outside of the threads", proc.name);
        report.error(proc.name.loc, message);
    }
    for (i, thread) in program.threads.iter().enumerate() {
        if let Some(first) = program.threads[..i].iter().find(|other| other.name == thread.name) {
            let message = format!("thread `{}` is defined twice", thread.name);
            report.twice(thread.name.loc, message, first.name.loc);
        }
        well_formed(&thread.name, "thread", report);
        if !has_entry(&thread.procs) {
            let message = format!("thread `{}` has no procedure `{entry}` to start with", thread.name);
            report.error(thread.name.loc, message);
        }
    }
}

/// Adds a label to those of a procedure (rules 1 and 2).
pub(super) fn label(labels: &mut Labels, label: &Ident, vertex: VertexId, owner: &str, report: &mut Report) {
    well_formed(label, "label", report);
    match labels.get_mut(&label.name) {
        Some(first) => {
            first.again.get_or_insert(label.loc);
            report.warning(label.loc, format!("label `{label}` stands twice in `{owner}`"));
        }
        None => _ = labels.insert(label.name.clone(), Label { vertex, loc: label.loc, again: None }),
    }
}

/// Adds a declared variable to a scope (rules 1 and 2).
pub(super) fn declare(scope: &mut Vars, ident: &Ident, id: VarId, report: &mut Report) {
    well_formed(ident, "variable", report);
    if let Some((_, first)) = scope.insert(ident.name.clone(), (id, ident.loc)) {
        report.twice(ident.loc, format!("variable `{ident}` is declared twice"), first);
    }
}

pub(super) fn well_formed(ident: &Ident, what: &str, report: &mut Report) {
    let text = ident.name.as_str();
    let digits = what == "label" && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits && !ident.name.is_well_formed() {
        report.error(ident.loc, format!("`{text}` is not an identifier, so it cannot name a {what}"));
    }
}
