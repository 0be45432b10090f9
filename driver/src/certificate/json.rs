//! Certificates as JSON: what `slam check --json` writes and `slam certify` reads.
//!
//! Sets of states are decision graphs: a node is `[literal, low, high]`, children are numbers (0: no state, 1: any,
//! `k + 2`: the `k`-th node of the procedure). Whatever is read is checked before it is used.

use crate::only::Only;
use crate::prepare::Task;
use base::Id;
use cmm::{CheckId, Expr, LocId, ProcId, Program};
use newton::certify::{Certificate, Literal, Node, Sets};
use pred::normal::{self, Normal};
use serde_json::{Value, json};

/// The certificate as JSON.
pub(crate) fn write(task: &Task, certificate: &Certificate) -> Value {
    let procs: Vec<Value> =
        certificate.procs.iter().map(|(p, sets)| procedure(&task.program, *p, sets)).collect();
    let assumed: Vec<usize> = task.masked.keys().map(|c| c.index()).collect();
    json!({
        "integers": task.mode.name(), "program": fingerprint(&task.program), "assumed": assumed,
        "procedures": procs,
    })
}

/// The certificate of a program with one execution.
pub(crate) fn write_only(task: &Task, only: Only) -> Value {
    let assumed: Vec<usize> = task.masked.keys().map(|c| c.index()).collect();
    json!({ "program": fingerprint(&task.program), "assumed": assumed, "execution": { "steps": only.steps } })
}

/// The execution of such a certificate.
pub(super) fn read_only(json: &Value) -> Option<Only> {
    json["execution"]["steps"].as_u64().map(|steps| Only { steps })
}

/// A number that is another one for another program, most likely.
pub(super) fn fingerprint(program: &Program) -> String {
    // Fowler, Noll and Vo's hash function, variant 1a of 64 bits.
    let text = cmm::print::program(program, None);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// The checks that are assumed to hold, by their numbers.
///
/// # Errors
/// When there is none of some number.
pub(super) fn assumed(task: &Task, json: &Value) -> Result<Vec<CheckId>, String> {
    let check = |value: &Value| {
        let number = number(value, "a check")?;
        let known = number < task.program.checks.len();
        known.then(|| CheckId::from_index(number)).ok_or(format!("there is no check {number}"))
    };
    array(json, "assumed")?.iter().map(check).collect()
}

fn procedure(program: &Program, p: ProcId, sets: &Sets) -> Value {
    let text = |e: &Expr| cmm::print::expr(program, e);
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
        "unchanged": sets.unchanged.iter().map(text).collect::<Vec<_>>(),
    })
}

/// Reads a certificate.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(task: &Task, json: &Value) -> Result<Certificate, String> {
    let mut out = Certificate::default();
    for value in array(json, "procedures")? {
        let name = value["name"].as_str().ok_or("a procedure has no name")?;
        let reader = Reader {
            task,
            p: task.program.find_proc(name).ok_or(format!("there is no procedure `{name}`"))?,
        };
        let sets = reader.sets(value).map_err(|why| format!("in procedure `{name}`: {why}"))?;
        if out.procs.insert(reader.p, sets).is_some() {
            return Err(format!("procedure `{name}` is there twice"));
        }
    }
    Ok(out)
}

fn array<'j>(json: &'j Value, key: &str) -> Result<&'j Vec<Value>, String> {
    json[key].as_array().ok_or(format!("there is no list `{key}`"))
}

fn number(json: &Value, what: &str) -> Result<usize, String> {
    let number = json.as_u64().and_then(|n| usize::try_from(n).ok());
    number.ok_or_else(|| format!("{what}: `{json}` is no number"))
}

struct Reader<'a> {
    task: &'a Task,
    p: ProcId,
}

impl Reader<'_> {
    fn sets(&self, json: &Value) -> Result<Sets, String> {
        let mut sets = Sets::default();
        for value in array(json, "literals")? {
            let at_entry = match &value["at"] {
                Value::Null => false,
                Value::String(at) if at == "entry" => true,
                other => return Err(format!("`{other}` is no moment")),
            };
            sets.literals.push(Literal { expr: self.condition(&value["condition"])?, at_entry });
        }
        let mut numbers = vec![0, 1];
        for value in array(json, "nodes")? {
            let [literal, low, high] = value.as_array().map_or(&[][..], Vec::as_slice) else {
                return Err(format!("`{value}` is no node"));
            };
            let literal = number(literal, "a literal")?;
            if literal >= sets.literals.len() {
                return Err(format!("there is no literal {literal}"));
            }
            let child = |child: &Value| {
                let at = number(child, "a node's child")?;
                numbers.get(at).copied().ok_or(format!("node {value} stands before its child {at}"))
            };
            let node = Node { literal, low: child(low)?, high: child(high)? };
            numbers
                .push(sets.nodes.add(node).ok_or(format!("node {value} is above literals of its children"))?);
        }
        for value in array(json, "sets")? {
            let location = number(&value["location"], "a location")?;
            if location >= self.task.program.procs[self.p].locations.len() {
                return Err(format!("there is no location {location}"));
            }
            let set = number(&value["set"], "a set")?;
            let root = numbers.get(set).ok_or(format!("there is no node {set}"))?;
            if sets.roots.insert(LocId::from_index(location), *root).is_some() {
                return Err(format!("location {location} has two sets"));
            }
        }
        sets.unchanged =
            array(json, "unchanged")?.iter().map(|c| self.condition(c)).collect::<Result<_, _>>()?;
        Ok(sets)
    }

    /// A condition over globals and the procedure's variables.
    fn condition(&self, json: &Value) -> Result<Expr, String> {
        let text = json.as_str().ok_or_else(|| format!("`{json}` is no condition"))?;
        let program = &self.task.program;
        let wrong = |why: &str| format!("condition `{text}`: {why}");
        let expr = cmm::parse::expr(text, program, Some(self.p)).map_err(|d| wrong(&d.message))?;
        if !expr.ty().is_scalar() {
            return Err(wrong("it is no condition"));
        }
        for v in pred::predicate::variables(&expr) {
            if program.vars[v].proc().is_some_and(|p| p != self.p) {
                return Err(wrong("it names variables of another procedure"));
            }
        }
        if nests_old(&expr) {
            return Err(wrong("`old` stands inside `old`"));
        }
        match normal::normalise(expr, self.task.mode, program.signed_wrap) {
            Normal::Atom { expr, negated: false } => Ok(expr),
            Normal::Atom { expr, negated: true } => Ok(expr.negated()),
            Normal::Constant(value) => Ok(Expr::truth(value)),
        }
    }
}

fn nests_old(e: &Expr) -> bool {
    let mut nested = false;
    e.walk(&mut |e| {
        if let Expr::Old(inner) = e {
            inner.walk(&mut |e| nested |= matches!(e, Expr::Old(_)));
        }
    });
    nested
}
