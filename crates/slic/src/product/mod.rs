//! The product of a program and a rule: the program with the rule's state as globals and its handlers at the calls that
//! the rule names.
//!
//! Calls that the front end has marked ([`ir::CallMark`]) have their handlers at the marks; calls through
//! function pointers, and those of the start procedure, have them around the call. Calls by name inside of
//! models of library functions have none. The object that a rule follows is any one, chosen at the start: an
//! execution settles at each event whether it is this one ([`HavocKind::Followed`]), so that a rule is broken
//! for some object exactly if it is broken for the one that some execution follows.
//!
//! The result fails a check of kind [`CheckKind::Rule`](ir::CheckKind::Rule) exactly if an execution of the program breaks the rule; ids of
//! procedures, variables, locations and edges keep their meaning, new ones are added behind them.

mod calls;
mod expressions;
mod handlers;
mod objects;

pub use calls::drop_marks;
pub use objects::own_objects;

use crate::ast::{EventKind, Handler, Operand, Rule, Type};
use base::{Diagnostic, Id, IndexVec, Span};
use ir::{
    Edge, EdgeId, EdgeKind, Expr, HavocKind, LocId, Location, Op, ProcId, Program, Var, VarId, VarKind,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The calls of a program.
#[derive(Clone, Debug, Default)]
pub struct Called {
    /// The names in the source of the procedures that the rule names.
    pub functions: BTreeMap<ProcId, String>,
    /// How many edges each procedure had before calls through pointers became direct ones behind them.
    pub edges_before: IndexVec<ProcId, usize>,
}

/// A program that was multiplied with a rule.
pub struct Product {
    /// The program.
    pub program: Program,
    /// The variables of the state with their names in the rule, in its order; then the object that is followed.
    pub state: Vec<(String, VarId)>,
}

/// Multiplies the program with the rule of this name.
///
/// # Errors
/// What of the rule does not fit the program, with its place: a call with fewer arguments than the rule uses, a result that a
/// function does not have, types that cannot be compared.
pub fn product(
    program: &Program,
    called: &Called,
    rule: &Rule,
    name: &str,
) -> Result<Product, Vec<Diagnostic>> {
    let mut work = Work {
        out: program.clone(),
        called,
        rule,
        name: name.into(),
        constants: BTreeMap::new(),
        variables: BTreeMap::new(),
        watched: None,
        found: vec![],
    };
    work.declare();
    let sites = work.sites();
    work.choose_watched(&sites);
    for site in &sites {
        work.site(site);
    }
    work.end();
    work.start();
    if !work.found.is_empty() {
        let mut found = work.found;
        found.sort_by_key(|d| d.span);
        let mut seen = BTreeSet::new();
        found.retain(|d| seen.insert((d.span, d.message.clone())));
        return Err(found);
    }
    let variables = rule.state.iter().filter_map(|d| d.variable.as_ref()).map(|v| v.name.text.clone());
    let mut state: Vec<_> = variables.filter_map(|n| work.variables.get(&n).map(|v| (n, *v))).collect();
    state.extend(work.watched.map(|v| ("watched".to_owned(), v)));
    Ok(Product { program: work.out, state })
}

/// A place in the program at which an event of the rule happens.
struct Site {
    proc: ProcId,
    kind: SiteKind,
    /// The function as the source names it.
    function: String,
    /// The arguments as the caller gives them.
    args: Vec<Expr>,
    /// The result, if it is known.
    result: Option<Expr>,
    span: Span,
}

/// The kind of the place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SiteKind {
    /// A mark of the beginning of a call.
    Entry(EdgeId),
    /// A mark of its end.
    Exit(EdgeId),
    /// A mark of the end of the program.
    End(EdgeId),
    /// A call without marks.
    Call(EdgeId),
}

struct Work<'a> {
    out: Program,
    called: &'a Called,
    rule: &'a Rule,
    name: Arc<str>,
    constants: BTreeMap<String, i128>,
    variables: BTreeMap<String, VarId>,
    /// The variable with the object that is followed.
    watched: Option<VarId>,
    found: Vec<Diagnostic>,
}

impl<'a> Work<'a> {
    fn declare(&mut self) {
        let rule = self.rule;
        for declaration in &rule.state {
            let mut next = 0;
            for constant in &declaration.constants {
                if let Some(value) = &constant.value {
                    next = self.constant(value);
                }
                self.constants.insert(constant.name.text.clone(), next);
                next += 1;
            }
            if let Some(v) = &declaration.variable {
                let ty = self.ty(v.ty);
                let id = self.global(&v.name.text, ty, v.name.span);
                self.variables.insert(v.name.text.clone(), id);
            }
        }
    }

    /// A type of rules in C--.
    fn ty(&self, ty: Type) -> ir::Type {
        use crate::ast::Rank;
        let bits = |rank: Rank| match rank {
            Rank::Char => 8,
            Rank::Short => 16,
            Rank::Int => 32,
            Rank::Long => self.out.model.pointer_bits(),
            Rank::LongLong => 64,
        };
        match ty {
            Type::Bool => ir::Type::Int(ir::IntType::BOOL),
            Type::Int { rank, signed } => ir::Type::Int(ir::IntType { bits: bits(rank), signed }),
            Type::Pointer => ir::Type::Void.ptr_to(),
        }
    }

    fn global(&mut self, name: &str, ty: ir::Type, span: Span) -> VarId {
        let taken = |wish: &str| self.out.globals.iter().any(|v| self.out.vars[*v].name == wish);
        let mut wish = format!("rule${name}");
        while taken(&wish) {
            wish.push('$');
        }
        let var = Var { name: wish, ty, kind: VarKind::Global, span, data: None, align: 0, constant: None };
        let id = self.out.vars.push(var);
        self.out.globals.push(id);
        id
    }

    /// A new temporary.
    fn temp(&mut self, proc: ProcId, ty: ir::Type, span: Span) -> VarId {
        let name = format!("rule$tmp{}", self.out.vars.len());
        let v = self.out.vars.push(Var {
            name,
            ty,
            kind: VarKind::Temp(proc),
            span,
            data: None,
            align: 0,
            constant: None,
        });
        self.out.procs[proc].locals.push(v);
        v
    }

    /// Gives the object that is followed its variable: its type is that of what is watched.
    fn choose_watched(&mut self, sites: &[Site]) {
        if self.rule.watch.is_empty() {
            return;
        }
        let mut chosen: Option<(ir::Type, Span)> = None;
        for site in sites {
            let Some(watch) = self.rule.watched(&site.function) else { continue };
            let object = match watch.object {
                Operand::Argument(n) => site.args.get(n as usize - 1).map(Expr::ty),
                Operand::Return => site.result.as_ref().map(Expr::ty),
            };
            let ty = match object {
                Some(ir::Type::Ptr(_)) => ir::Type::Void.ptr_to(),
                Some(ir::Type::Int(_)) => ir::Type::Int(ir::IntType { bits: 64, signed: true }),
                Some(_) => {
                    self.complain(
                        watch.span,
                        "what is watched is neither a pointer nor an integer",
                        site.span,
                    );
                    continue;
                }
                None => continue,
            };
            match &chosen {
                Some((before, _)) if *before != ty => {
                    let message = "what is watched is a pointer in one call and an integer in another";
                    self.complain(watch.span, message, site.span);
                }
                _ => chosen = Some((ty, watch.span)),
            }
        }
        let (ty, span) = chosen.unwrap_or((ir::Type::Void.ptr_to(), self.rule.watch[0].span));
        self.watched = Some(self.global("watched", ty, span));
    }

    fn complain(&mut self, span: Span, message: impl Into<String>, call: Span) {
        let error = Diagnostic::error(span, message).with_note(call, "in this call");
        self.found.push(error);
    }

    /// The handler of an event.
    fn handler(&self, kind: &EventKind) -> Option<&'a Handler> {
        let same = |e: &EventKind| match (e, kind) {
            (EventKind::Entry(a), EventKind::Entry(b)) | (EventKind::Exit(a), EventKind::Exit(b)) => {
                a.text == b.text
            }
            (a, b) => a == b,
        };
        self.rule.handlers.iter().find(|h| h.events.iter().any(|e| same(&e.kind)))
    }

    fn location(&mut self, proc: ProcId, span: Span) -> LocId {
        self.out.procs[proc].locations.push(Location { span, labels: vec![], loop_head: false })
    }

    fn edge(&mut self, proc: ProcId, src: LocId, dst: LocId, op: Op, span: Span) {
        self.out.procs[proc].edges.push(Edge { src, dst, op, span, kind: EdgeKind::Internal });
    }

    /// One operation from here to a new location.
    fn run(&mut self, proc: ProcId, from: LocId, op: Op, span: Span) -> LocId {
        let to = self.location(proc, span);
        self.edge(proc, from, to, op, span);
        to
    }

    /// Puts what happens when the program starts in front of it.
    fn start(&mut self) {
        let proc = self.out.entry;
        let entry = self.out.procs[proc].entry;
        let span = self.out.procs[proc].locations[entry].span;
        let first = self.location(proc, span);
        let mut at = first;
        let rule = self.rule;
        for v in rule.state.iter().filter_map(|d| d.variable.as_ref()) {
            let id = self.variables[&v.name.text];
            let lv = self.out.lvalue(id);
            let op = match &v.initial {
                Some(initial) => {
                    let value = self.constant(initial);
                    Op::Assign(lv.clone(), converted(Expr::Const(value, wide()), &lv.ty))
                }
                // `program.start` sets it.
                None => Op::Assign(lv.clone(), Expr::int(0).cast(lv.ty.clone())),
            };
            at = self.run(proc, at, op, v.name.span);
        }
        if let Some(v) = self.watched {
            let lv = self.out.lvalue(v);
            let span = self.rule.watch[0].span;
            at = self.run(proc, at, Op::Havoc(lv.clone(), HavocKind::Followed), span);
            if lv.ty.is_ptr() {
                at = self.run(proc, at, Op::Assume(lv.load().truthy()), span);
            }
        }
        if let Some(handler) = self.handler(&EventKind::ProgramStart) {
            at = self.handle(handler, &Site::of_program(proc, span), at);
        }
        self.edge(proc, at, entry, Op::Skip, span);
        self.out.procs[proc].entry = first;
    }

    /// Puts what happens when the program ends behind it.
    fn end(&mut self) {
        let proc = self.out.entry;
        let exit = self.out.procs[proc].exit;
        let span = self.end_of_entry_function();
        let end = self.ends(&Site::of_program(proc, span), exit);
        self.out.procs[proc].exit = end;
    }

    /// Adds the handlers for the end of the program.
    fn ends(&mut self, site: &Site, mut at: LocId) -> LocId {
        for kind in [EventKind::ThreadEnd, EventKind::ProgramEnd] {
            if let Some(handler) = self.handler(&kind) {
                at = self.handle(handler, site, at);
            }
        }
        at
    }

    /// The end of the entry function: the last procedure of the program's own that the start procedure calls.
    fn end_of_entry_function(&self) -> Span {
        let start = &self.out.procs[self.out.entry];
        let called = start.edges.iter().filter_map(|e| e.op.calls());
        let own = |q: &ProcId| {
            let q = &self.out.procs[*q];
            q.has_body && q.origin == ir::Origin::Program
        };
        match called.rev().find(own) {
            Some(q) => {
                let q = &self.out.procs[q];
                let into = q.edges.iter().filter(|e| e.dst == q.exit).map(|e| e.span);
                into.max().unwrap_or(q.locations[q.exit].span)
            }
            None => start.locations[start.exit].span,
        }
    }
}

impl Site {
    fn of_program(proc: ProcId, span: Span) -> Site {
        let kind = SiteKind::End(EdgeId::from_index(0));
        Site { proc, kind, function: String::new(), args: vec![], result: None, span }
    }
}

/// The type in which constants are computed.
fn wide() -> ir::Type {
    ir::Type::Int(ir::IntType { bits: 128, signed: true })
}

/// A scalar as a value of a type.
fn converted(e: Expr, to: &ir::Type) -> Expr {
    match to {
        ir::Type::Int(ir::IntType::BOOL) => match e.as_const() {
            Some(v) => Expr::Const(i128::from(v != 0), to.clone()),
            None => e.truthy().cast(to.clone()),
        },
        _ => e.cast(to.clone()),
    }
}
