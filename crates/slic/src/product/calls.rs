//! The places of events: at marks of the front end, and around calls without marks.

use super::{Site, SiteKind, Work};
use crate::ast::{EventKind, Name};
use base::Span;
use ir::{CallMark, Callee, EdgeId, Expr, Op, Output, ProcId, Program};

impl Work<'_> {
    /// All places of the program where something of the rule happens.
    pub(super) fn sites(&mut self) -> Vec<Site> {
        let mut sites = vec![];
        for proc in self.out.procs.ids() {
            for (e, edge) in self.out.procs[proc].edges.iter_enumerated() {
                match &edge.op {
                    Op::Output { output: Output::Mark(mark), args } => {
                        sites.extend(site_of(mark, proc, e, args, edge.span));
                    }
                    Op::Call { dest, callee: Callee::Direct(q), args } if self.has_no_marks(proc, e) => {
                        let Some(function) = self.called.functions.get(q) else { continue };
                        let result = match dest {
                            Some(dest) => Some(dest.clone().load()),
                            // Its type is what matters here.
                            None => self.out.procs[*q].ret.map(|v| self.out.read(v)),
                        };
                        sites.push(Site {
                            proc,
                            kind: SiteKind::Call(e),
                            function: function.clone(),
                            args: args.clone(),
                            result,
                            span: edge.span,
                        });
                    }
                    _ => {}
                }
            }
        }
        sites
    }

    /// Whether the call was made from one through a pointer, or is the front end's own.
    fn has_no_marks(&self, proc: ProcId, e: EdgeId) -> bool {
        let before = self.called.edges_before.get(proc).copied().unwrap_or(usize::MAX);
        base::Id::index(e) >= before || proc == self.out.entry
    }

    pub(super) fn site(&mut self, site: &Site) {
        match site.kind {
            SiteKind::Entry(e) => self.at_mark(site, e, &[EventKind::Entry(named(site))]),
            SiteKind::Exit(e) => self.at_mark(site, e, &[EventKind::Exit(named(site))]),
            SiteKind::End(e) => self.at_mark(site, e, &[EventKind::ThreadEnd, EventKind::ProgramEnd]),
            SiteKind::Call(e) => self.around(site, e),
        }
    }

    /// Behind a mark, which stays for other rules.
    fn at_mark(&mut self, site: &Site, e: EdgeId, events: &[EventKind]) {
        let to = self.out.procs[site.proc].edges[e].dst;
        let first = self.location(site.proc, site.span);
        self.out.procs[site.proc].edges[e].dst = first;
        let mut at = first;
        for kind in events {
            if let Some(handler) = self.handler(kind) {
                at = self.handle(handler, site, at);
            }
        }
        self.edge(site.proc, at, to, Op::Skip, site.span);
    }

    /// In front of a call and behind it.
    fn around(&mut self, site: &Site, e: EdgeId) {
        let (proc, span) = (site.proc, site.span);
        let entry = self.handler(&EventKind::Entry(named(site)));
        let exit = self.handler(&EventKind::Exit(named(site)));
        let (src, dst) = (self.out.procs[proc].edges[e].src, self.out.procs[proc].edges[e].dst);
        let mut at = src;
        // The call may change what its arguments were computed from.
        let mut args = vec![];
        for arg in &site.args {
            let temp = self.temp(proc, arg.ty(), span);
            at = self.run(proc, at, Op::Assign(self.out.lvalue(temp), arg.clone()), span);
            args.push(self.out.read(temp));
        }
        let mut site = Site { args, result: None, function: site.function.clone(), ..*site };
        if let Some(handler) = entry {
            at = self.handle(handler, &site, at);
        }
        self.out.procs[proc].edges[e].src = at;
        let Some(handler) = exit else { return };
        site.result = self.result_of(proc, e);
        let first = self.location(proc, span);
        self.out.procs[proc].edges[e].dst = first;
        let end = self.handle(handler, &site, first);
        self.edge(proc, end, dst, Op::Skip, span);
    }

    /// The result of a call, which gets a place if it has none.
    fn result_of(&mut self, proc: ProcId, e: EdgeId) -> Option<Expr> {
        let edge = &self.out.procs[proc].edges[e];
        let Op::Call { dest, callee: Callee::Direct(q), .. } = &edge.op else { return None };
        if let Some(dest) = dest {
            return Some(dest.clone().load());
        }
        let (ret, span) = (self.out.procs[*q].ty.ret.clone(), edge.span);
        if !ret.is_scalar() {
            return None;
        }
        let temp = self.temp(proc, ret, span);
        let place = self.out.lvalue(temp);
        if let Op::Call { dest, .. } = &mut self.out.procs[proc].edges[e].op {
            *dest = Some(place);
        }
        Some(self.out.read(temp))
    }
}

/// Takes the marks away, when all rules are in the program.
pub fn drop_marks(program: &mut Program) {
    for edge in program.procs.iter_mut().flat_map(|p| p.edges.iter_mut()) {
        if matches!(&edge.op, Op::Output { output: Output::Mark(_), .. }) {
            edge.op = Op::Skip;
        }
    }
}

/// The site of a mark.
fn site_of(mark: &CallMark, proc: ProcId, e: EdgeId, args: &[Expr], span: Span) -> Option<Site> {
    let site = |kind, function: &str, args: &[Expr], result: Option<&Expr>| Site {
        proc,
        kind,
        function: function.to_owned(),
        args: args.to_vec(),
        result: result.cloned(),
        span,
    };
    Some(match mark {
        CallMark::Entry(function) => site(SiteKind::Entry(e), function, args, None),
        CallMark::Exit(function) => {
            let (count, rest) = args.split_first()?;
            let (args, result) = rest.split_at((count.as_const()? as usize).min(rest.len()));
            site(SiteKind::Exit(e), function, args, result.first())
        }
        CallMark::End => site(SiteKind::End(e), "", &[], None),
    })
}

fn named(site: &Site) -> Name {
    Name { text: site.function.clone(), span: site.span }
}
