//! Certificates as results have them: what `slam check --json` writes and `slam certify` reads.
//!
//! Whatever is read is checked before it is used.

use crate::earlier::one_line;
use crate::options;
use base::Id;
use bmc::can_bind;
use bmc::k_induction::Candidate;
use certificate::{self as certify, Node, Sets};
use encoding::IntMode;
use ir::{CheckId, CheckKind, Expr, ForAll, IntType, LocId, ProcId, Program, Type};
use predicates::normal;
use results::again::{self, AtLocation, Certificate, Integers, Literal, Procedure, Set, When};
use results::{At, Read, Wrong, each};
use std::collections::BTreeSet;
use verify::Assumptions;
use verify::Only;
use verify::Task;
use verify::Turns;
use verify::cegar::{Held, Inductive};

/// The claim of a certificate.
pub(crate) enum Claim {
    /// Sets of states.
    Sets(certify::Certificate),
    /// The only execution.
    Only(Only),
    /// All executions, unrolled with a bound on iterations of loops.
    Turns(Turns),
    /// Invariants that induction shows.
    Inductive(Inductive),
}

/// The certificate of a claim about the task's program, where some checks are assumed to hold, and some of these do by induction.
pub(crate) fn write(
    task: &Task,
    granted: &Assumptions,
    inductive: &[Held],
    claim: again::Claim,
) -> Certificate {
    let integers = match task.mode {
        IntMode::Math => Integers::Math,
        IntMode::Bits => Integers::Bits,
    };
    let numbers = |checks: &BTreeSet<CheckId>| checks.iter().map(|c| c.index()).collect::<Vec<_>>();
    let held = |held: &Held| again::Held {
        checks: numbers(&held.checks),
        inductive: induction(task, &held.inductive),
    };
    let about = (integers, fingerprint(task.under(granted).program, task.mode));
    Certificate::new(about, numbers(granted.checks()), inductive.iter().map(held).collect(), claim)
}

/// Sets of states, as results have them.
pub(crate) fn sets(task: &Task, sets: &certify::Certificate) -> again::Claim {
    let procs = sets.procs.iter().map(|(p, sets)| procedure(&task.program, *p, sets));
    again::Claim::Procedures(procs.collect())
}

/// Invariants that are inductive together, as results have them.
pub(crate) fn induction(task: &Task, inductive: &Inductive) -> again::Inductive {
    let program = &task.program;
    let text = |e: &Expr| ir::print::expr(program, e);
    let range = |ForAll { variable, from, to }: &ForAll| again::ForAll {
        variable: program.vars[*variable].name.clone(),
        from: text(from),
        to: text(to),
    };
    let invariant = |c: &Candidate| AtLocation {
        name: program.procs[c.at.0].name.clone(),
        location: c.at.1.index(),
        for_all: c.for_all.as_ref().map(range),
        condition: text(&c.condition),
    };
    let invariants = inductive.invariants.iter().map(invariant).collect();
    again::Inductive { turns: inductive.turns, invariants }
}

/// The way in which integers are modelled, as an option.
pub(crate) fn integers(written: Integers) -> options::Integers {
    match written {
        Integers::Math => options::Integers::Math,
        Integers::Bits => options::Integers::Bits,
    }
}

/// Reads what a certificate says of the program, and assumes that the checks hold which it is not about.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn read(task: &mut Task, written: Certificate) -> Read<(Vec<CheckId>, Claim)> {
    let assumed = checks(task, &written.assumed).at("assumed")?;
    assumed.iter().for_each(|check| task.assume(*check));
    let held = |held: &again::Held| {
        let checks = checks(task, &held.checks).at("checks")?;
        if let Some(check) = checks.iter().find(|c| !assumed.contains(c)) {
            return Err(Wrong::new(format!("check {} is not assumed", check.index())));
        }
        let inductive = inductive(task, &held.inductive).at("inductive")?;
        Ok(Held { checks: checks.into_iter().collect(), inductive })
    };
    let held = each(&written.held, held).at("held")?;
    task.inductive.extend(held);
    if written.program != fingerprint(task.subject().program, task.mode) {
        let why =
            "it is about another program or another way to model integers, or was written by another version";
        return Err(Wrong::new(why)).at("program");
    }
    let claim = match written.claim()? {
        again::Claim::Procedures(all) => Claim::Sets(procedures(task, &all).at("procedures")?),
        again::Claim::Execution(only) => Claim::Only(Only { steps: only.steps }),
        again::Claim::Unrolled(turns) => Claim::Turns(Turns(turns.turns)),
        again::Claim::Inductive(claim) => Claim::Inductive(inductive(task, &claim).at("inductive")?),
    };
    Ok((assumed, claim))
}

/// A number that is another one for another program or another way to model its integers, most likely.
pub(crate) fn fingerprint(program: &Program, mode: IntMode) -> String {
    // Fowler, Noll and Vo's hash function, variant 1a of 64 bits.
    let text = ir::print::program(program, None) + mode.name();
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// The checks that are assumed to hold, by their numbers.
fn checks(task: &Task, numbers: &[usize]) -> Read<Vec<CheckId>> {
    each(numbers, |number| match task.program.checks.iter().nth(*number).map(|check| check.kind) {
        None => Err(Wrong::new(format!("there is no check {number}"))),
        Some(CheckKind::Unmodelled) => Err(Wrong::new("what is not modelled is never assumed away")),
        Some(_) => Ok(CheckId::from_index(*number)),
    })
}

fn procedure(program: &Program, p: ProcId, sets: &Sets) -> Procedure {
    let text = |e: &Expr| ir::print::expr(program, e);
    let proc = &program.procs[p];
    let line = |l: LocId| {
        let edge = proc.edges.iter().find(|e| e.src == l);
        edge.map_or(proc.locations[l].span, |e| e.span).start.line as usize
    };
    let literal =
        |l: &certify::Literal| Literal { condition: text(&l.expr), at: l.at_entry.then_some(When::Entry) };
    let set = |(l, root): (&LocId, &usize)| Set { location: l.index(), line: Some(line(*l)), set: *root };
    Procedure {
        name: proc.name.clone(),
        literals: sets.literals.iter().map(literal).collect(),
        nodes: sets.nodes.iter().map(|n| [n.literal, n.low, n.high]).collect(),
        sets: sets.roots.iter().map(set).collect(),
        passed: sets.passed.iter().map(|l| l.index()).collect(),
        partial: sets.partial.iter().map(|l| l.index()).collect(),
        unchanged: sets.unchanged.iter().map(text).collect(),
    }
}

fn procedures(task: &Task, all: &[Procedure]) -> Read<certify::Certificate> {
    let mut out = certify::Certificate::default();
    each(all, |written| {
        let p = procedure_named(task, &written.name).at("name")?;
        let sets = Reader { task, p }.sets(written)?;
        match out.procs.insert(p, sets) {
            Some(_) => Err(Wrong::new("this procedure is there twice")).at("name"),
            None => Ok(()),
        }
    })?;
    Ok(out)
}

fn inductive(task: &Task, written: &again::Inductive) -> Read<Inductive> {
    let turns = written.turns;
    if !(1..=Inductive::MOST_TURNS).contains(&turns) {
        return Err(Wrong::new(format!("this is no number from 1 to {}", Inductive::MOST_TURNS))).at("turns");
    }
    let invariant = |written: &AtLocation| {
        let p = procedure_named(task, &written.name).at("name")?;
        let l = location(task, p, written.location).at("location")?;
        let reader = Reader { task, p };
        let for_all = written.for_all.as_ref().map(|range| reader.range(range)).transpose().at("for_all")?;
        let condition = reader.plain_condition(&written.condition).at("condition")?;
        Ok(Candidate { at: (p, l), for_all, condition })
    };
    Ok(Inductive { turns, invariants: each(&written.invariants, invariant).at("invariants")? })
}

fn procedure_named(task: &Task, name: &str) -> Read<ProcId> {
    task.program.find_proc(name).ok_or_else(|| Wrong::new("there is no such procedure"))
}

fn location(task: &Task, p: ProcId, number: usize) -> Read<LocId> {
    match number < task.program.procs[p].locations.len() {
        true => Ok(LocId::from_index(number)),
        false => Err(Wrong::new(format!("there is no location {number}"))),
    }
}

struct Reader<'a> {
    task: &'a Task,
    p: ProcId,
}

impl Reader<'_> {
    fn sets(&self, written: &Procedure) -> Read<Sets> {
        let mut sets = Sets::default();
        let location = |number| location(self.task, self.p, number);
        sets.literals = each(&written.literals, |literal| {
            let expr = self.condition(&literal.condition).at("condition")?;
            Ok(certify::Literal { expr, at_entry: literal.at.is_some() })
        })
        .at("literals")?;
        let mut numbers = vec![0, 1];
        each(&written.nodes, |written| {
            numbers.push(node(*written, &numbers, &mut sets)?);
            Ok(())
        })
        .at("nodes")?;
        each(&written.sets, |set| {
            let at = location(set.location).at("location")?;
            let root = numbers.get(set.set).ok_or_else(|| Wrong::new("there is no such node")).at("set")?;
            match sets.roots.insert(at, *root) {
                Some(_) => Err(Wrong::new(format!("location {} has two sets", at.index()))).at("location"),
                None => Ok(()),
            }
        })
        .at("sets")?;
        each(&written.passed, |number| {
            let at = location(*number)?;
            match sets.roots.contains_key(&at) || !sets.passed.insert(at) {
                true => Err(Wrong::new(format!("location {} is there twice", at.index()))),
                false => Ok(()),
            }
        })
        .at("passed")?;
        sets.partial =
            each(&written.partial, |number| location(*number)).at("partial")?.into_iter().collect();
        sets.unchanged = each(&written.unchanged, |text| self.condition(text)).at("unchanged")?;
        Ok(sets)
    }

    /// A condition over globals and the procedure's variables, in normal form.
    fn condition(&self, text: &str) -> Read<Expr> {
        let expr = self.plain_condition(text)?;
        let mode = self.task.mode;
        Ok(normal::condition(&normal::normalise(expr, mode, self.task.program.signed_wrap)))
    }

    /// A range of numbers for a variable of the procedure.
    fn range(&self, written: &again::ForAll) -> Read<ForAll> {
        let program = &self.task.program;
        let proc = &program.procs[self.p];
        let mut own = proc.formals.iter().chain(&proc.locals);
        let variable = own.find(|v| program.vars[**v].name == written.variable);
        let variable = variable.filter(|v| can_bind(program, &self.task.oracle, **v));
        let variable =
            variable.ok_or_else(|| Wrong::new("there is no such integer variable")).at("variable")?;
        let wide = match self.task.mode {
            IntMode::Math => Type::Math,
            IntMode::Bits => Type::Int(IntType { bits: 64, signed: true }),
        };
        let end = |text: &str| match self.expression(text)? {
            end if end.ty() == wide => Ok(end),
            // A literal does not tell its type.
            Expr::Const(n, Type::Int(_)) => Ok(Expr::Const(n, wide.clone())),
            _ => Err(Wrong::new("it is no number of the range's type")),
        };
        Ok(ForAll {
            variable: *variable,
            from: end(&written.from).at("from")?,
            to: end(&written.to).at("to")?,
        })
    }

    /// A condition over globals and the procedure's variables.
    fn plain_condition(&self, text: &str) -> Read<Expr> {
        let expr = self.expression(text)?;
        match expr.ty().is_scalar() {
            true => Ok(expr),
            false => Err(Wrong::new("it is no condition")),
        }
    }

    /// An expression over globals and the procedure's variables.
    fn expression(&self, text: &str) -> Read<Expr> {
        let text = one_line(text)?;
        let (program, mode) = (&self.task.program, self.task.mode);
        let wrong = |why: &str| Wrong::new(format!("condition {text:?}: {why}"));
        let expr = ir::parse::expr(text, program, Some(self.p)).map_err(|d| wrong(&d.message))?;
        for v in predicates::predicate::variables(&expr) {
            if program.vars[v].proc().is_some_and(|p| p != self.p) {
                return Err(wrong("it names variables of another procedure"));
            }
        }
        if expr.nests_old() {
            return Err(wrong("`old` stands inside `old`"));
        }
        encoding::integers::expressible(&expr, mode).map_err(wrong)?;
        Ok(expr)
    }
}

/// Adds a node of a decision graph; `numbers` are those of the nodes before it.
fn node([literal, low, high]: [usize; 3], numbers: &[usize], sets: &mut Sets) -> Read<usize> {
    if literal >= sets.literals.len() {
        return Err(Wrong::new(format!("there is no literal {literal}"))).at(0);
    }
    let child = |number: usize| {
        let known = numbers.get(number).copied();
        known.ok_or_else(|| Wrong::new("the child does not stand before its parent"))
    };
    let node = Node { literal, low: child(low).at(1)?, high: child(high).at(2)? };
    sets.nodes.add(node).ok_or_else(|| Wrong::new("this node is above literals of its children"))
}
