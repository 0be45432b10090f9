//! Builds a [`System`] from the tree of a concurrent program. Three forms are read: `thread … end`; the form of
//! Getafix, with a procedure `init` that has a label `endinit`, and a thread for each procedure that nothing
//! calls (there `atomic := 1` begins a section in which no other thread runs, and `atomic := 0` ends it); and
//! programs that start threads (`start_thread`, or a call labelled `ASYNC_…`).
//!
//! With at most K context switches at most K threads run beside the first one. So K threads for each place
//! where threads are started are enough: a started thread that is not one of them never runs.

mod broadcasts;
mod first;
mod marks;
mod sections;
mod starts;

use crate::ast::preorder;
use crate::system::{Begin, Code, System, Thread, ThreadOp};
use crate::{Cfg, Ident, Name, Proc, Program, Start, Stmt, StmtId, StmtKind, VertexId};
use base::{Diagnostic, Id};
use broadcasts::Broadcasts;
use marks::{Mark, Marks, OfEdges, mark_edges};
use starts::{begin_vertex, instances, sites};
use std::collections::{BTreeMap, BTreeSet};

/// A system with warnings.
pub type Built = (System, Vec<Diagnostic>);

/// Whether the program has more than one thread, or mentions threads.
pub fn is_concurrent(program: &Program) -> bool {
    let mut found = program.concurrent().is_some();
    program.for_each_stmt(|stmt| found |= is_async(stmt));
    found
}

/// The transition system of a program, for at most `switches` context switches.
///
/// # Errors
/// What is wrong with the program, or not supported.
pub fn system(program: &Program, entry: &str, switches: u32) -> Result<Built, Vec<Diagnostic>> {
    if !is_concurrent(program) {
        let (cfg, warnings) = Cfg::build(program, Some(entry))?;
        return Ok((System::sequential(cfg), warnings));
    }
    let warnings = crate::check(program, Some(entry))?;
    let mut builder = Builder { next_id: 0, switches: switches as usize, sections: None };
    program.for_each_stmt(|stmt| builder.next_id = builder.next_id.max(stmt.id.index() + 1));
    let system = if !program.threads.is_empty() {
        broadcasts::refuse(program, entry)?;
        builder.threads(program, entry)?
    } else if let Some(init) = program.getafix_init() {
        broadcasts::refuse(program, entry)?;
        builder.uncalled(program, init)?
    } else {
        builder.starting(program, entry)?
    };
    Ok((system, warnings))
}

struct Builder {
    next_id: usize,
    switches: usize,
    /// The variable whose assignments begin and end atomic sections.
    sections: Option<Name>,
}

/// A code with the places where it starts threads.
struct Lowered {
    code: Code,
    starts: OfEdges<Start>,
    others: Broadcasts,
}

impl Builder {
    fn fresh(&mut self) -> StmtId {
        self.next_id += 1;
        StmtId::from_index(self.next_id - 1)
    }

    /// `thread … end`
    fn threads(&mut self, program: &Program, entry: &str) -> Result<System, Vec<Diagnostic>> {
        let mut codes = vec![];
        let mut threads = vec![];
        for thread in &program.threads {
            let mut globals = program.globals.clone();
            for own in &thread.globals {
                if let Some(shared) = globals.iter_mut().find(|g| g.name == own.name) {
                    if !program.init.is_empty() {
                        let message =
                            format!("`{own}` hides a shared variable, and there is an `init`: rename one");
                        return Err(vec![Diagnostic::error(own.loc.0, message)]);
                    }
                    // No statement of the thread can mention it.
                    shared.name = Name::predicate(format!("shared {own}"));
                }
            }
            globals.extend(thread.globals.iter().cloned());
            let own = Program {
                globals,
                init: program.init.clone(),
                procs: thread.procs.clone(),
                ..Program::default()
            };
            let lowered = self.lower(&own, entry)?;
            let cfg = &lowered.code.cfg;
            let begin = Begin::Procedure(cfg.entry);
            threads.push(Thread { name: thread.name.to_string(), code: codes.len(), begin });
            codes.push(lowered);
        }
        self.finish(codes, threads, program.globals.len())
    }

    /// The form of Getafix.
    fn uncalled(&mut self, program: &Program, init: &Proc) -> Result<System, Vec<Diagnostic>> {
        self.sections = sections::variable(program, init)?;
        let mut called = BTreeSet::from([&init.name.name]);
        program.for_each_stmt(|stmt| called.extend(callee(stmt)));
        let mut codes = vec![];
        let mut threads = vec![];
        for start in program.procs.iter().filter(|proc| !called.contains(&proc.name.name)) {
            let mut procs: Vec<Proc> = needed(program, &[&start.name.name, &init.name.name]);
            for proc in &mut procs {
                // The label made the program what it is; nothing jumps to it.
                drop_label(&mut proc.body, "endinit");
            }
            let call = Stmt::new(self.fresh(), StmtKind::call([], init.name.clone(), []));
            let own =
                Program { globals: program.globals.clone(), init: vec![call], procs, ..Program::default() };
            let lowered = self.lower(&own, start.name.name.as_str())?;
            let begin = Begin::Procedure(lowered.code.cfg.entry);
            threads.push(Thread { name: start.name.to_string(), code: codes.len(), begin });
            codes.push(lowered);
        }
        if threads.is_empty() {
            let message = "every procedure is called, so there is no thread";
            return Err(vec![Diagnostic::error(init.name.loc.0, message)]);
        }
        self.finish(codes, threads, program.globals.len())
    }

    /// A program that starts threads.
    fn starting(&mut self, program: &Program, entry: &str) -> Result<System, Vec<Diagnostic>> {
        let mut lowered = self.lower(program, entry)?;
        let home = lowered.code.cfg.entry;
        let begin = Begin::Procedure(home);
        let thread = Thread { name: entry.to_owned(), code: 0, begin };
        let shared = program.globals.len();
        let others = broadcasts::resolve(&lowered.code.cfg, shared, home, &lowered.others)?;
        if others.is_empty() {
            return self.finish(vec![lowered], vec![thread], shared);
        }
        if let Some(loc) = broadcasts::starts_calls(program) {
            let message =
                "variables of other threads (`x$`) are not supported where a thread is started with a call";
            return Err(vec![Diagnostic::error(loc.0, message)]);
        }
        for (edge, broadcast) in others {
            lowered.code.cfg.edges[edge].threads.push(ThreadOp::Broadcast(broadcast));
        }
        // Each thread that is started counts, whether it ever runs or not.
        self.switches += 1;
        let most = {
            let again = lowered.starts.clone();
            let sites = sites(&lowered.code.cfg, again)?;
            let first = || vec![begin_vertex(&lowered.code.cfg, &thread.begin)];
            let count = |most| instances(&lowered.code.cfg, first(), &sites, most);
            (count(self.switches) != count(self.switches + 1)).then(|| count(self.switches).iter().sum())
        };
        let system = self.finish(vec![lowered], vec![thread], shared)?;
        Ok(System { all_count: true, most_started: most, ..system })
    }

    /// The graph of a program in which statements about threads are empty.
    fn lower(&mut self, program: &Program, entry: &str) -> Result<Lowered, Vec<Diagnostic>> {
        let mut marks = Marks::default();
        let mut broadcasts = Broadcasts::new();
        let mut plain = program.clone();
        let quiet = first::alone(&mut plain, entry, &mut || self.fresh());
        for proc in &mut plain.procs {
            broadcasts::take(&program.globals, proc, &mut broadcasts);
        }
        if let Some(found) = crate::passive(&plain, Some(entry)) {
            let message = format!("{} is supported in assignments and assumptions only", found.what);
            return Err(vec![Diagnostic::error(found.loc.0, message)]);
        }
        plain.init = self.plain(plain.init, &mut marks, false);
        for proc in &mut plain.procs {
            let body = std::mem::take(&mut proc.body);
            if let Some(variable) = self.sections.as_ref().filter(|_| !quiet.contains(&proc.name.name)) {
                sections::mark(proc, &body, variable, &mut marks);
            }
            proc.body = self.plain(body, &mut marks, false);
        }
        for name in nested_sections(program) {
            let proc = plain.procs.iter_mut().find(|proc| proc.name.name == name);
            let proc = proc.expect("nested sections are those of procedures");
            proc.locals.push(Ident { name: before_section(), loc: proc.name.loc });
        }
        let (mut cfg, _) = Cfg::build(&plain, Some(entry))?;
        let starts = mark_edges(&mut cfg, &marks);
        let own = &cfg.procs[cfg.entry];
        let first = program.procs.iter().find(|p| p.name.name == own.name).and_then(|p| p.body.first());
        let first = first.map(|stmt| stmt.id);
        let is_first = |v: &VertexId| cfg.vertices[*v].kind.stmt() == first && first.is_some();
        let body = own.vertices().find(is_first).unwrap_or(own.exit);
        let of_init = |name: &Name| quiet.contains(name);
        let quiet = cfg.procs.iter_enumerated().filter(|(_, p)| of_init(&p.name)).map(|(id, _)| id).collect();
        Ok(Lowered { code: Code { body: Some(body), quiet, cfg }, starts, others: broadcasts })
    }

    /// The statements without those about threads; what these do is marked.
    fn plain(&mut self, list: Vec<Stmt>, marks: &mut Marks, inside: bool) -> Vec<Stmt> {
        let mut out = vec![];
        for mut stmt in list {
            if inside {
                marks.atomic.insert(stmt.id);
            }
            if is_async(&stmt)
                && let StmtKind::Call { callee, args, .. } = &stmt.kind
            {
                stmt.kind = StmtKind::StartThread(Start::Call { callee: callee.clone(), args: args.clone() });
            }
            let mut after = vec![];
            stmt.kind = match stmt.kind {
                StmtKind::EndThread => self.mark(&stmt, marks, Mark::End),
                StmtKind::AtomicBegin => self.mark(&stmt, marks, Mark::Atomic(true)),
                StmtKind::AtomicEnd => self.mark(&stmt, marks, Mark::Atomic(false)),
                StmtKind::StartThread(ref start) => self.mark(&stmt, marks, Mark::Start(start.clone())),
                StmtKind::Atomic(body) => {
                    after = self.plain(body, marks, true);
                    // Calls return inside the section.
                    let end = self.fresh();
                    marks.atomic.insert(end);
                    after.push(Stmt { loc: stmt.loc, ..Stmt::new(end, StmtKind::Skip) });
                    StmtKind::Skip
                }
                StmtKind::If { arms, otherwise } => {
                    let arms =
                        arms.into_iter().map(|(e, list)| (e, self.plain(list, marks, inside))).collect();
                    StmtKind::If { arms, otherwise: self.plain(otherwise, marks, inside) }
                }
                StmtKind::While { cond, body } => {
                    StmtKind::While { cond, body: self.plain(body, marks, inside) }
                }
                other => other,
            };
            out.push(stmt);
            out.append(&mut after);
        }
        out
    }

    fn mark(&self, stmt: &Stmt, marks: &mut Marks, mark: Mark) -> StmtKind {
        marks.statements.insert(stmt.id, mark);
        StmtKind::Skip
    }

    /// Adds the threads that are started.
    fn finish(
        &self,
        lowered: Vec<Lowered>,
        mut threads: Vec<Thread>,
        shared: usize,
    ) -> Result<System, Vec<Diagnostic>> {
        let mut codes = vec![];
        let mut capped = false;
        for (number, Lowered { mut code, starts, .. }) in lowered.into_iter().enumerate() {
            let own = threads.iter().filter(|t| t.code == number);
            let firsts: Vec<VertexId> = own.map(|t| begin_vertex(&code.cfg, &t.begin)).collect();
            let sites = sites(&code.cfg, starts)?;
            let counts = instances(&code.cfg, firsts.clone(), &sites, self.switches);
            capped |= counts != instances(&code.cfg, firsts, &sites, self.switches + 1);
            for (site, count) in sites.into_iter().zip(counts) {
                let line =
                    code.cfg.vertices[code.cfg.edges[site.edge].from].loc.0.map(|span| span.start.line);
                let name = |k: usize| match line {
                    Some(line) => format!("thread started at line {line}, number {k}"),
                    None => format!("started thread {k}"),
                };
                let first = threads.len();
                threads.extend((1..=count).map(|k| Thread {
                    name: name(k),
                    code: number,
                    begin: site.begin.clone(),
                }));
                let start = ThreadOp::Start((first..threads.len()).collect(), site.arguments);
                code.cfg.edges[site.edge].threads.push(start);
            }
            codes.push(code);
        }
        Ok(System { codes, threads, shared, concurrent: true, all_count: false, most_started: None, capped })
    }
}

/// The variable that keeps whether a thread was atomic before it entered a section.
fn before_section() -> Name {
    Name::predicate("atomic before")
}

/// The procedures with atomic sections that may be called in one: leaving their own must not end the outer one.
fn nested_sections(program: &Program) -> BTreeSet<Name> {
    let procs: BTreeMap<&Name, &Proc> = program.procs.iter().map(|p| (&p.name.name, p)).collect();
    let mut stack: Vec<&Name> = vec![];
    let mut with_sections = BTreeSet::new();
    for proc in &program.procs {
        for stmt in preorder(&proc.body) {
            if let StmtKind::Atomic(body) = &stmt.kind {
                with_sections.insert(&proc.name.name);
                stack.extend(preorder(body).filter_map(callee));
            }
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(name) = stack.pop() {
        if let Some(proc) = procs.get(name).filter(|_| seen.insert(name)) {
            stack.extend(preorder(&proc.body).filter_map(callee));
        }
    }
    with_sections.intersection(&seen).map(|name| (*name).clone()).collect()
}

/// Whether the statement is a call by which SATABS starts a thread.
fn is_async(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Call { .. })
        && stmt.labels.iter().any(|label| label.name.as_str().starts_with("ASYNC_"))
}

/// The procedure that a statement calls, or starts a thread with.
fn callee(stmt: &Stmt) -> Option<&Name> {
    match &stmt.kind {
        StmtKind::Call { callee, .. } | StmtKind::StartThread(Start::Call { callee, .. }) => {
            Some(&callee.name)
        }
        _ => None,
    }
}

/// The procedures with these names and those that they call, in the order of the text.
fn needed(program: &Program, names: &[&Name]) -> Vec<Proc> {
    let mut wanted: BTreeSet<&Name> = BTreeSet::new();
    let mut stack: Vec<&Name> = names.to_vec();
    while let Some(name) = stack.pop() {
        if wanted.insert(name)
            && let Some(proc) = program.procs.iter().find(|p| p.name.name == *name)
        {
            stack.extend(preorder(&proc.body).filter_map(callee));
        }
    }
    program.procs.iter().filter(|p| wanted.contains(&p.name.name)).cloned().collect()
}

fn drop_label(list: &mut [Stmt], label: &str) {
    let mut stack: Vec<&mut Stmt> = list.iter_mut().collect();
    while let Some(stmt) = stack.pop() {
        stmt.labels.retain(|l| l.name.as_str() != label);
        stack.extend(stmt.children_mut());
    }
}
