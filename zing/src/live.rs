//! Which slots are read again. The others get their initial values back, so that states that differ only in what
//! nobody will examine are the same state, and objects that only they refer to are dropped.

use crate::code::{Code, Expr, Instr, Pc, Place};
use crate::value::{Frame, Value};
use base::{Id, IndexVec};

/// For each node the slots to be reset.
pub(crate) struct Live {
    /// Slots not read from the node on.
    dead: IndexVec<Pc, Vec<u16>>,
    /// Of a call, slots not read after it, or set by it.
    dead_during: IndexVec<Pc, Vec<u16>>,
    /// Where states are compared with earlier ones: every circle passes such a node.
    pub(crate) kept: IndexVec<Pc, bool>,
}

type Set = Vec<bool>;

impl Live {
    pub(crate) fn new(code: &Code) -> Live {
        let live = solve(code);
        let slots = |set: &Set| {
            let dead = set.iter().enumerate().filter(|(_, live)| !**live);
            dead.map(|(i, _)| i as u16).collect::<Vec<u16>>()
        };
        let dead = live.iter().map(slots).collect();
        let during = |pc: Pc| {
            let node = code.node(pc);
            let Instr::Call(_, _, results) = &node.instr else { return vec![] };
            let mut after = live[node.next].clone();
            results.iter().flatten().for_each(|slot| after[usize::from(*slot)] = false);
            slots(&after)
        };
        Live { dead, dead_during: code.nodes.ids().map(during).collect(), kept: kept(code) }
    }

    /// The same nodes are kept, but nothing is reset: traces show the values of variables that are not read any more.
    pub(crate) fn without_resets(mut self) -> Live {
        self.dead.iter_mut().chain(self.dead_during.iter_mut()).for_each(Vec::clear);
        self
    }

    /// Resets what is not read from where the frame stands.
    pub(crate) fn tidy(&self, code: &Code, frame: &mut Frame) {
        reset(code, frame, &self.dead[frame.pc]);
    }

    /// Resets what is not read after the call at which the frame stands.
    pub(crate) fn tidy_during(&self, code: &Code, frame: &mut Frame) {
        reset(code, frame, &self.dead_during[frame.pc]);
    }
}

fn reset(code: &Code, frame: &mut Frame, dead: &[u16]) {
    let info = &code.procs[code.node(frame.pc).proc];
    for slot in dead {
        let initial = match info.locals[usize::from(*slot)].initial {
            Value::Open => Value::Bool(false),
            other => other,
        };
        frame.locals[usize::from(*slot)] = initial;
    }
}

/// Nodes with several ways in, starts of procedures, calls, and what follows calls.
fn kept(code: &Code) -> IndexVec<Pc, bool> {
    let mut ways = vec![0usize; code.nodes.len()];
    let mut kept = IndexVec::from_elem(false, code.nodes.len());
    for proc in code.procs.iter() {
        kept[proc.entry] = true;
    }
    for (pc, node) in code.nodes.iter_enumerated() {
        node.successors().iter().for_each(|s| ways[s.index()] += 1);
        match node.instr {
            Instr::Call(..) => {
                kept[pc] = true;
                kept[node.next] = true;
            }
            // A circle of one node.
            Instr::Jump => kept[pc] = true,
            _ => {}
        }
    }
    for (pc, count) in code.nodes.ids().zip(ways) {
        kept[pc] |= count > 1;
    }
    kept
}

/// Live slots at each node, by iteration to the least solution.
fn solve(code: &Code) -> IndexVec<Pc, Set> {
    let size = |pc: Pc| code.procs[code.node(pc).proc].locals.len();
    let mut live: IndexVec<Pc, Set> = code.nodes.ids().map(|pc| vec![false; size(pc)]).collect();
    let mut before: IndexVec<Pc, Vec<Pc>> = IndexVec::from_elem(vec![], code.nodes.len());
    for (pc, node) in code.nodes.iter_enumerated() {
        node.successors().iter().for_each(|s| before[*s].push(pc));
    }
    let mut waiting = IndexVec::from_elem(true, code.nodes.len());
    let mut work: Vec<Pc> = code.nodes.ids().collect();
    while let Some(pc) = work.pop() {
        waiting[pc] = false;
        let node = code.node(pc);
        let mut now: Set = vec![false; size(pc)];
        for s in node.successors() {
            now.iter_mut().zip(&live[s]).for_each(|(a, b)| *a |= *b);
        }
        written(&node.instr, &mut |slot| now[usize::from(slot)] = false);
        used(&node.instr, &mut |slot| now[usize::from(slot)] = true);
        if now != live[pc] {
            live[pc] = now;
            for p in &before[pc] {
                if !std::mem::replace(&mut waiting[*p], true) {
                    work.push(*p);
                }
            }
        }
    }
    live
}

fn written(instr: &Instr, tell: &mut dyn FnMut(u16)) {
    let mut place = |p: &Place| {
        if let Place::Local(slot) = p {
            tell(*slot);
        }
    };
    match instr {
        Instr::Assign(list) => list.iter().for_each(|(p, _)| place(p)),
        Instr::New(p, _) | Instr::Choose(p, _) => place(p),
        Instr::Call(_, _, results) => results.iter().flatten().for_each(|slot| tell(*slot)),
        _ => {}
    }
}

fn used(instr: &Instr, tell: &mut dyn FnMut(u16)) {
    let place = |p: &Place, tell: &mut dyn FnMut(u16)| {
        if let Place::Field(object, _) = p {
            slots(object, tell);
        }
    };
    match instr {
        Instr::Assign(list) => {
            for (p, e) in list {
                place(p, tell);
                slots(e, tell);
            }
        }
        Instr::New(p, _) | Instr::Choose(p, _) => place(p, tell),
        Instr::Branch(e, _) | Instr::Assume(e) | Instr::Assert(e) => slots(e, tell),
        Instr::Call(_, es, _) | Instr::Return(es) | Instr::Async(_, es) => {
            es.iter().for_each(|e| slots(e, tell));
        }
        Instr::Jump | Instr::Fork(_) | Instr::Fail(_) | Instr::Enter | Instr::Leave => {}
    }
}

fn slots(e: &Expr, tell: &mut dyn FnMut(u16)) {
    match e {
        Expr::Const(_) | Expr::Static(_) => {}
        Expr::Local(slot) | Expr::Take(slot) => tell(*slot),
        Expr::Field(a, _) | Expr::Not(a) | Expr::Neg(a) | Expr::Check(a, ..) => slots(a, tell),
        Expr::Binary(_, a, b) => {
            slots(a, tell);
            slots(b, tell);
        }
        Expr::Ite(c, a, b) => {
            slots(c, tell);
            slots(a, tell);
            slots(b, tell);
        }
    }
}
