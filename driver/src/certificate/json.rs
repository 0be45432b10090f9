//! Certificates as JSON: what `slam check --json` writes and `slam certify` reads.
//!
//! Sets of states are decision graphs: a node is `[literal, low, high]`, children are numbers (0: no state, 1: any,
//! `k + 2`: the `k`-th node of the procedure). Whatever is read is checked before it is used.

use crate::options::Integers;
use crate::prepare::Task;
use crate::results::fields::{Field, Read};
use crate::single_execution::Only;
use crate::turns::Turns;
use base::Id;
use bmc::can_bind;
use bmc::k_induction::Candidate;
use cegar::{Held, Inductive};
use certificate::{Certificate, Literal, Node, Sets};
use encoding::IntMode;
use ir::{CheckId, CheckKind, Expr, ForAll, IntType, LocId, ProcId, Program, Type};
use predicates::normal;
use serde_json::{Value, json};

/// The certificate as JSON.
pub(crate) fn write(task: &Task, certificate: &Certificate) -> Value {
    let procs = certificate.procs.iter().map(|(p, sets)| procedure(&task.program, *p, sets));
    about(task, "procedures", procs.collect())
}

/// The certificate of a program with one execution.
pub(crate) fn write_only(task: &Task, only: Only) -> Value {
    about(task, "execution", json!({ "steps": only.steps }))
}

/// The certificate of a program whose executions were all followed.
pub(crate) fn write_turns(task: &Task, turns: Turns) -> Value {
    about(task, "unrolled", json!({ "turns": turns.0 }))
}

/// The certificate of a program whose checks hold by induction.
pub(crate) fn write_inductive(task: &Task, inductive: &Inductive) -> Value {
    about(task, "inductive", induction(task, inductive))
}

fn induction(task: &Task, inductive: &Inductive) -> Value {
    let program = &task.program;
    let invariant = |c: &Candidate| {
        let (p, l) = c.at;
        let text = ir::print::expr(program, &c.condition);
        let mut out = json!({ "name": program.procs[p].name, "location": l.index(), "condition": text });
        if let Some(ForAll { variable, from, to }) = &c.for_all {
            let [from, to] = [from, to].map(|e| ir::print::expr(program, e));
            out["for_all"] = json!({ "variable": program.vars[*variable].name, "from": from, "to": to });
        }
        out
    };
    let invariants: Vec<Value> = inductive.invariants.iter().map(invariant).collect();
    json!({ "turns": inductive.turns, "invariants": invariants })
}

/// Checks that are assumed to hold since induction proves them.
fn held(task: &Task, held: &Held) -> Value {
    let checks: Vec<usize> = held.checks.iter().map(|c| c.index()).collect();
    json!({ "checks": checks, "inductive": induction(task, &held.inductive) })
}

/// A claim about the task's program.
fn about(task: &Task, name: &str, claim: Value) -> Value {
    let assumed: Vec<usize> = task.masked.keys().map(|c| c.index()).collect();
    let mut out = json!({
        "integers": task.mode.name(), "program": fingerprint(&task.program, task.mode), "assumed": assumed,
        name: claim,
    });
    if !task.inductive.is_empty() {
        out["held"] = task.inductive.iter().map(|h| held(task, h)).collect();
    }
    out
}

/// The claim of a certificate.
pub(crate) enum Claim {
    /// Sets of states.
    Sets(Certificate),
    /// The only execution.
    Only(Only),
    /// All executions, unrolled with a bound on iterations of loops.
    Turns(Turns),
    /// Invariants that induction shows.
    Inductive(Inductive),
}

/// The ways in which integers are modelled, as results call them.
pub(crate) const MODES: [(&str, Integers); 2] = [("math", Integers::Math), ("bits", Integers::Bits)];

/// Reads what a certificate says of the program, with the checks that are assumed to hold masked.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn read(task: &mut Task, json: &Field<'_>) -> Read<(Vec<CheckId>, Claim)> {
    let claim =
        ["execution", "unrolled", "inductive"].into_iter().find(|claim| json.optional(claim).is_some());
    let claim = claim.unwrap_or("procedures");
    json.has_only(&["integers", "program", "assumed", "held", claim])?;
    json.member("integers")?.choice(MODES)?;
    let assumed = assumed(task, &json.member("assumed")?)?;
    assumed.iter().for_each(|check| task.mask(*check));
    let all = json.optional("held").map(|list| list.list()).transpose()?.unwrap_or_default();
    for field in all {
        field.has_only(&["checks", "inductive"])?;
        let checks = self::assumed(task, &field.member("checks")?)?;
        if let Some(check) = checks.iter().find(|c| !assumed.contains(c)) {
            return Err(field.wrong(format!("check {} is not assumed", check.index())));
        }
        let inductive = inductive(task, &field.member("inductive")?)?;
        task.inductive.push(Held { checks: checks.into_iter().collect(), inductive });
    }
    let program = json.member("program")?;
    if program.text()? != fingerprint(&task.program, task.mode) {
        let why =
            "it is about another program or another way to model integers, or was written by another version";
        return Err(program.wrong(why));
    }
    let at = json.member(claim)?;
    if claim == "procedures" {
        return Ok((assumed, Claim::Sets(procedures(task, &at)?)));
    }
    if claim == "unrolled" {
        at.has_only(&["turns"])?;
        return Ok((assumed, Claim::Turns(Turns(at.member("turns")?.number()?))));
    }
    if claim == "inductive" {
        return Ok((assumed, Claim::Inductive(inductive(task, &at)?)));
    }
    at.has_only(&["steps"])?;
    let steps = at.member("steps")?.number()? as u64;
    Ok((assumed, Claim::Only(Only { steps })))
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
fn assumed(task: &Task, json: &Field<'_>) -> Read<Vec<CheckId>> {
    let check = |field: &Field<'_>| {
        let number = field.number()?;
        match task.program.checks.iter().nth(number).map(|check| check.kind) {
            None => Err(field.wrong(format!("there is no check {number}"))),
            Some(CheckKind::Unmodelled) => Err(field.wrong("what is not modelled is never assumed away")),
            Some(_) => Ok(CheckId::from_index(number)),
        }
    };
    json.list()?.iter().map(check).collect()
}

fn procedure(program: &Program, p: ProcId, sets: &Sets) -> Value {
    let text = |e: &Expr| ir::print::expr(program, e);
    let literal = |l: &Literal| match l.at_entry {
        false => json!({ "condition": text(&l.expr) }),
        true => json!({ "condition": text(&l.expr), "at": "entry" }),
    };
    let proc = &program.procs[p];
    let line = |l: LocId| {
        let edge = proc.edges.iter().find(|e| e.src == l);
        edge.map_or(proc.locations[l].span, |e| e.span).start.line
    };
    let location =
        |(l, root): (&LocId, &usize)| json!({ "location": l.index(), "line": line(*l), "set": root });
    json!({
        "name": proc.name,
        "literals": sets.literals.iter().map(literal).collect::<Vec<_>>(),
        "nodes": sets.nodes.iter().map(|n| json!([n.literal, n.low, n.high])).collect::<Vec<_>>(),
        "sets": sets.roots.iter().map(location).collect::<Vec<_>>(),
        "passed": sets.passed.iter().map(|l| l.index()).collect::<Vec<_>>(),
        "partial": sets.partial.iter().map(|l| l.index()).collect::<Vec<_>>(),
        "unchanged": sets.unchanged.iter().map(text).collect::<Vec<_>>(),
    })
}

fn procedures(task: &Task, json: &Field<'_>) -> Read<Certificate> {
    let mut out = Certificate::default();
    for field in json.list()? {
        field.has_only(&["name", "literals", "nodes", "sets", "passed", "partial", "unchanged"])?;
        let name = field.member("name")?;
        let p = procedure_named(task, &name)?;
        let sets = Reader { task, p }.sets(&field)?;
        if out.procs.insert(p, sets).is_some() {
            return Err(name.wrong("this procedure is there twice"));
        }
    }
    Ok(out)
}

fn inductive(task: &Task, json: &Field<'_>) -> Read<Inductive> {
    json.has_only(&["turns", "invariants"])?;
    let turns = json.member("turns")?;
    let out = Inductive { turns: turns.number()?, invariants: vec![] };
    if !(1..=Inductive::MOST_TURNS).contains(&out.turns) {
        return Err(turns.wrong(format!("this is no number from 1 to {}", Inductive::MOST_TURNS)));
    }
    let invariant = |field: &Field<'_>| {
        field.has_only(&["name", "location", "for_all", "condition"])?;
        let p = procedure_named(task, &field.member("name")?)?;
        let l = location(task, p, &field.member("location")?)?;
        let reader = Reader { task, p };
        let for_all = field.optional("for_all").map(|range| reader.range(&range)).transpose()?;
        let condition = reader.plain_condition(&field.member("condition")?)?;
        Ok(Candidate { at: (p, l), for_all, condition })
    };
    let invariants = json.member("invariants")?.list()?.iter().map(invariant).collect::<Read<_>>()?;
    Ok(Inductive { invariants, ..out })
}

fn procedure_named(task: &Task, name: &Field<'_>) -> Read<ProcId> {
    task.program.find_proc(name.line()?).ok_or_else(|| name.wrong("there is no such procedure"))
}

fn location(task: &Task, p: ProcId, at: &Field<'_>) -> Read<LocId> {
    let location = at.number()?;
    if location >= task.program.procs[p].locations.len() {
        return Err(at.wrong(format!("there is no location {location}")));
    }
    Ok(LocId::from_index(location))
}

struct Reader<'a> {
    task: &'a Task,
    p: ProcId,
}

impl Reader<'_> {
    fn sets(&self, json: &Field<'_>) -> Read<Sets> {
        let mut sets = Sets::default();
        for field in json.member("literals")?.list()? {
            field.has_only(&["condition", "at"])?;
            let at_entry = match field.optional("at") {
                None => false,
                Some(at) => at.choice([("entry", true)])?,
            };
            sets.literals.push(Literal { expr: self.condition(&field.member("condition")?)?, at_entry });
        }
        let mut numbers = vec![0, 1];
        for field in json.member("nodes")?.list()? {
            numbers.push(node(&field, &numbers, &mut sets)?);
        }
        for field in json.member("sets")?.list()? {
            field.has_only(&["location", "line", "set"])?;
            let (at, set) = (field.member("location")?, field.member("set")?);
            field.optional("line").map(|line| line.number()).transpose()?;
            let location = location(self.task, self.p, &at)?;
            let root = numbers.get(set.number()?).ok_or_else(|| set.wrong("there is no such node"))?;
            if sets.roots.insert(location, *root).is_some() {
                return Err(at.wrong(format!("location {} has two sets", location.index())));
            }
        }
        for at in json.member("passed")?.list()? {
            let location = location(self.task, self.p, &at)?;
            if sets.roots.contains_key(&location) || !sets.passed.insert(location) {
                return Err(at.wrong(format!("location {} is there twice", location.index())));
            }
        }
        for at in json.member("partial")?.list()? {
            sets.partial.insert(location(self.task, self.p, &at)?);
        }
        let unchanged = json.member("unchanged")?.list()?;
        sets.unchanged = unchanged.iter().map(|c| self.condition(c)).collect::<Result<_, _>>()?;
        Ok(sets)
    }

    /// A condition over globals and the procedure's variables, in normal form.
    fn condition(&self, json: &Field<'_>) -> Read<Expr> {
        let expr = self.plain_condition(json)?;
        let mode = self.task.mode;
        Ok(normal::condition(&normal::normalise(expr, mode, self.task.program.signed_wrap)))
    }

    /// A range of numbers for a variable of the procedure.
    fn range(&self, json: &Field<'_>) -> Read<ForAll> {
        json.has_only(&["variable", "from", "to"])?;
        let name = json.member("variable")?;
        let program = &self.task.program;
        let proc = &program.procs[self.p];
        let called = name.line()?;
        let variable = proc.formals.iter().chain(&proc.locals).find(|v| program.vars[**v].name == called);
        let variable = variable.filter(|v| can_bind(program, &self.task.oracle, **v));
        let variable = *variable.ok_or_else(|| name.wrong("there is no such integer variable"))?;
        let wide = match self.task.mode {
            IntMode::Math => Type::Math,
            IntMode::Bits => Type::Int(IntType { bits: 64, signed: true }),
        };
        let end = |name: &str| {
            let json = json.member(name)?;
            let end = self.expression(&json)?;
            match end {
                end if end.ty() == wide => Ok(end),
                // A literal does not tell its type.
                Expr::Const(n, Type::Int(_)) => Ok(Expr::Const(n, wide.clone())),
                _ => Err(json.wrong("it is no number of the range's type")),
            }
        };
        Ok(ForAll { variable, from: end("from")?, to: end("to")? })
    }

    /// A condition over globals and the procedure's variables.
    fn plain_condition(&self, json: &Field<'_>) -> Read<Expr> {
        let expr = self.expression(json)?;
        match expr.ty().is_scalar() {
            true => Ok(expr),
            false => Err(json.wrong("it is no condition")),
        }
    }

    /// An expression over globals and the procedure's variables.
    fn expression(&self, json: &Field<'_>) -> Read<Expr> {
        let text = json.line()?;
        let (program, mode) = (&self.task.program, self.task.mode);
        let wrong = |why: &str| json.wrong(format!("condition {text:?}: {why}"));
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
fn node(json: &Field<'_>, numbers: &[usize], sets: &mut Sets) -> Read<usize> {
    let parts = json.list()?;
    let [literal, low, high] = &parts[..] else { return Err(json.wrong("this is no node")) };
    let number = literal.number()?;
    if number >= sets.literals.len() {
        return Err(literal.wrong(format!("there is no literal {number}")));
    }
    let child = |child: &Field<'_>| {
        let known = numbers.get(child.number()?).copied();
        known.ok_or_else(|| child.wrong("the child does not stand before its parent"))
    };
    let node = Node { literal: number, low: child(low)?, high: child(high)? };
    sets.nodes.add(node).ok_or_else(|| json.wrong("this node is above literals of its children"))
}
