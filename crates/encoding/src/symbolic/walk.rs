//! Paths as formulas: the assumptions of their steps over the values that their assignments compute.

use crate::symbolic::path_state::{PathState, Read, Symbol, literal};
use crate::{Encoder, SideConditions};
use crate::{Input, InputValue};
use alias::{CellKind, CellSet};
use ir::{BinOp, Callee, EdgeId, Expr, Op, Path, PathStep, ProcId, Type};
use smt::{Term, Value};
use std::collections::BTreeMap;

/// What an assumption of the path stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The condition of an assume, a check that held, or the last check's failure.
    Condition,
    /// The step's operation is defined in C.
    Defined,
}

/// A formula that must hold for the path to be executed.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// The step it belongs to.
    pub step: usize,
    /// What it stands for.
    pub role: Role,
    /// The formula over the path's inputs.
    pub formula: Term,
}

/// The path as formulas.
pub struct Encoded {
    /// What must hold, in order.
    pub assumptions: Vec<Assumption>,
    /// Arbitrary values, in order.
    pub symbols: Vec<Symbol>,
    /// Axioms and over-approximations.
    pub facts: SideConditions,
    /// What is read of memory.
    pub reads: Vec<Read>,
    /// Addresses of objects.
    pub objects: Vec<i128>,
}

/// The symbolic execution of steps, one after the other.
pub struct Walk<'a, 'e> {
    /// How expressions are encoded.
    pub enc: &'e Encoder<'a>,
    /// The state behind the steps so far.
    pub state: PathState<'a>,
    /// What the steps so far assume.
    pub out: Encoded,
}

/// Encodes the path; its last step's check fails, earlier ones hold.
pub fn encode(enc: &Encoder<'_>, path: &Path) -> Encoded {
    encode_without(enc, path, &BTreeMap::new())
}

/// The same, with what addresses tell of memory that is accessed at several types; by the [guess](PathState::follow_opaque) that it is
/// as in runs of the interpreter, or without.
pub fn encode_by_addresses(enc: &Encoder<'_>, path: &Path, guess: bool) -> Encoded {
    let mut state = PathState::new(enc, enc.program.entry);
    state.follow_opaque(guess);
    encode_from(enc, &path.steps, state, &BTreeMap::new(), true)
}

/// The beginning of a path, in which no check fails.
pub fn encode_prefix(enc: &Encoder<'_>, steps: &[PathStep]) -> Encoded {
    encode_from(enc, steps, PathState::new(enc, enc.program.entry), &BTreeMap::new(), false)
}

/// The same, with arbitrary values in these cells before these steps.
pub fn encode_without(enc: &Encoder<'_>, path: &Path, havocked: &BTreeMap<usize, CellSet>) -> Encoded {
    encode_from(enc, &path.steps, PathState::new(enc, enc.program.entry), havocked, true)
}

fn encode_from<'a>(
    enc: &Encoder<'a>,
    steps: &[PathStep],
    state: PathState<'a>,
    havocked: &BTreeMap<usize, CellSet>,
    fails: bool,
) -> Encoded {
    let mut walk = Walk::new(enc, state);
    for (i, step) in steps.iter().enumerate() {
        walk.state.step = i;
        let cells = havocked.get(&i).into_iter().flat_map(CellSet::iter);
        cells.for_each(|c| walk.state.havoc(c));
        match *step {
            PathStep::Edge(p, e) => walk.edge(i, p, e, fails && i + 1 == steps.len()),
            PathStep::Enter(p, e, callee) => walk.enter(p, e, callee),
            PathStep::Leave(p, e, callee) => walk.leave(p, e, callee),
        }
        walk.is_defined(i);
    }
    Encoded { reads: walk.state.reads, objects: walk.state.objects, ..walk.out }
}

impl<'a, 'e> Walk<'a, 'e> {
    /// From this state.
    pub fn new(enc: &'e Encoder<'a>, state: PathState<'a>) -> Walk<'a, 'e> {
        let facts = SideConditions::new("path");
        let out = Encoded { assumptions: vec![], symbols: vec![], facts, reads: vec![], objects: vec![] };
        Walk { enc, state, out }
    }

    /// Assumes of a step what C needs for what was evaluated since the last call to have a meaning.
    pub fn is_defined(&mut self, step: usize) {
        let defined = std::mem::take(&mut self.out.facts.defined);
        self.assume(step, Role::Defined, Term::and(defined));
    }

    fn assume(&mut self, step: usize, role: Role, formula: Term) {
        if formula.as_bool() != Some(true) {
            self.out.assumptions.push(Assumption { step, role, formula });
        }
    }

    /// An edge that is not a call of a procedure with body; a check fails if it is the `last` one and holds otherwise.
    pub fn edge(&mut self, i: usize, p: ProcId, e: EdgeId, last: bool) {
        let enc = self.enc;
        let facts = &mut self.out.facts;
        let cells: Vec<_> = enc.oracle.edge_mods(p, e).iter().collect();
        let blocks = || cells.iter().map(|c| (*c, enc.oracle.block_cell(p, e, *c))).collect::<Vec<_>>();
        match &enc.program.procs[p].edges[e].op {
            Op::Skip | Op::Output { .. } => {}
            Op::Free(_) => self.state.forget_opaque(),
            Op::Assign(lv, value) => {
                let value = enc.value(value, &mut self.state, facts);
                self.state.write(enc, lv, value, facts);
            }
            Op::Havoc(lv, _) => self.symbol(p, e, lv),
            Op::Inspect { dest, query, .. } => {
                self.symbol(p, e, dest);
                let (low, high) = query.range();
                let end =
                    |op, end: i128| Expr::binary(op, dest.clone().load(), Expr::Const(end, dest.ty.clone()));
                let ends = low.map(|n| end(BinOp::Ge, n)).into_iter().chain(high.map(|n| end(BinOp::Le, n)));
                for condition in ends {
                    let formula = enc.cond(&condition, &mut self.state, &mut self.out.facts);
                    self.out.facts.axioms.push(formula);
                }
            }
            Op::Assume(c) => {
                let formula = enc.cond(c, &mut self.state, facts);
                self.assume(i, Role::Condition, formula);
            }
            Op::Check(_, c) => {
                let holds = enc.cond(c, &mut self.state, facts);
                self.assume(i, Role::Condition, if last { holds.not() } else { holds });
            }
            Op::Call { dest, .. } => {
                // The interpreter's undefined functions write nothing.
                if !self.state.guesses() {
                    cells.iter().for_each(|c| self.state.havoc(*c));
                }
                if let Some(dest) = dest {
                    self.symbol(p, e, dest);
                }
            }
            Op::Alloc { dest, size, zeroed, may_fail } => {
                let len = enc.value(size, &mut self.state, facts);
                let size = literal(&len);
                let ty = Type::Void.ptr_to();
                let start = enc.literal(self.state.allocate(size), &ty);
                if *zeroed {
                    let pointer = enc.oracle.cell(dest);
                    // The block is in the pointer's cell, too.
                    if *enc.oracle.cell_kind(pointer) == CellKind::Opaque {
                        self.state.forget_opaque();
                    }
                    let zero = enc.literal(0, &ty);
                    let contents: Vec<_> = blocks().into_iter().filter(|(c, _)| *c != pointer).collect();
                    self.state.set_block(&contents, &start, &zero, &len, facts);
                }
                let value = if *may_fail {
                    let failed = facts.fresh(smt::Sort::Bool);
                    let truth = Type::Int(ir::IntType::BOOL);
                    let term = Term::ite(&failed, &enc.literal(1, &truth), &enc.literal(0, &truth));
                    self.out.symbols.push(Symbol { proc: p, edge: e, ty: truth, term: Some(term) });
                    Term::ite(&failed, &enc.literal(0, &ty), &start)
                } else {
                    start
                };
                self.state.write(enc, dest, value, facts);
            }
            Op::MemSet { ptr, byte, len } => {
                let [ptr, byte, len] = [ptr, byte, len].map(|x| enc.value(x, &mut self.state, facts));
                self.state.set_block(&blocks(), &ptr, &byte, &len, facts);
            }
            Op::MemCopy { dst, src, len } => {
                let [dst, src, len] = [dst, src, len].map(|x| enc.value(x, &mut self.state, facts));
                self.state.copy_block(&blocks(), &dst, &src, &len, facts);
            }
        }
    }

    fn symbol(&mut self, proc: ProcId, edge: EdgeId, lv: &ir::Lvalue) {
        let enc = self.enc;
        let facts = &mut self.out.facts;
        let value = facts.fresh_value(&lv.ty, enc.mode, enc.program.model);
        self.state.write(enc, lv, value.clone(), facts);
        let is_told = !matches!(lv.ty, Type::Float(_)) || crate::float_width(&lv.ty, enc.mode).is_some();
        let term = is_told.then_some(value);
        self.out.symbols.push(Symbol { proc, edge, ty: lv.ty.clone(), term });
    }

    /// From the call to the callee's entry.
    pub fn enter(&mut self, p: ProcId, e: EdgeId, callee: ProcId) {
        let enc = self.enc;
        let Op::Call { args, callee: Callee::Direct(_), .. } = &enc.program.procs[p].edges[e].op else {
            panic!("a path enters procedures at direct calls only");
        };
        let facts = &mut self.out.facts;
        let values: Vec<_> = args.iter().map(|a| enc.value(a, &mut self.state, facts)).collect();
        self.state.enter(callee);
        for (formal, value) in enc.program.procs[callee].formals.iter().zip(values) {
            self.state.write(enc, &enc.program.lvalue(*formal), value, facts);
        }
    }

    /// From the callee's exit to the location behind the call.
    pub fn leave(&mut self, p: ProcId, e: EdgeId, callee: ProcId) {
        let enc = self.enc;
        let facts = &mut self.out.facts;
        let Op::Call { dest: Some(dest), .. } = &enc.program.procs[p].edges[e].op else {
            return self.state.leave();
        };
        let value = match enc.program.procs[callee].ret {
            Some(r) => enc.value(&enc.program.read(r).cast(dest.ty.clone()), &mut self.state, facts),
            None => facts.fresh_value(&dest.ty, enc.mode, enc.program.model),
        };
        self.state.leave();
        self.state.write(enc, dest, value, facts);
    }
}

/// No object lies on the first page.
const LOWEST_OBJECT: i128 = 0x1000;

/// The values that a model gives to the arbitrary inputs.
pub fn values(encoded: &Encoded, model: &smt::Model) -> Vec<Input> {
    let value = |s: &Symbol| Input {
        proc: s.proc,
        edge: s.edge,
        value: input_value(&s.ty, s.term.as_ref().and_then(|t| model.eval_completed(t))),
    };
    encoded.symbols.iter().map(value).collect()
}

/// The value of an input, from that of its term in a model.
pub fn input_value(ty: &Type, value: Option<Value>) -> InputValue {
    match (ty, value) {
        (Type::Float(f), Some(Value::BitVec { value, .. })) => InputValue::Float(match f.bits {
            32 => f32::from_bits(value as u32).into(),
            _ => f64::from_bits(value as u64),
        }),
        (Type::Float(_), _) => InputValue::Float(0.0),
        (Type::Int(t), Some(v)) => {
            let number = v
                .as_int()
                .or_else(|| if t.signed { v.as_signed() } else { v.as_unsigned().map(|u| u as i128) });
            InputValue::Int(t.wrap(number.unwrap_or(0)))
        }
        (Type::Ptr(_), Some(v)) => match v.as_int().or_else(|| v.as_unsigned().map(|u| u as i128)) {
            Some(0) => InputValue::Null,
            Some(n) if (1..LOWEST_OBJECT).contains(&n) => InputValue::Number(n),
            Some(n) => InputValue::Address(n),
            None => InputValue::Null,
        },
        (Type::Ptr(_), None) => InputValue::Null,
        _ => InputValue::Int(0),
    }
}
