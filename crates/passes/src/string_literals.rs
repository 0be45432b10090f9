//! The bytes of string literals, as assumptions at the start of the program: proofs then know what the program
//! reads of them. Only short literals that some load may read are spelt out, up to a limit on all bytes; others
//! hold any bytes in proofs, which is sound. Executions have the bytes anyway, so the assumptions hold in them.

use alias::cells::CellId;
use alias::oracle::AliasOracle;
use ir::{Access, BinOp, Edge, EdgeKind, Expr, Location, Lvalue, Op, Program, Type, Var, VarId};
use std::collections::BTreeSet;

/// Most bytes of one literal that is spelt out.
const LONGEST: usize = 64;

/// Most bytes of all spelt-out literals together.
const MOST: usize = 1500;

/// Adds the assumptions. The oracle is the program's before.
pub fn spell_out_literals(program: &mut Program, oracle: &AliasOracle) {
    let literals: Vec<VarId> =
        program.globals.iter().copied().filter(|v| is_short(&program.vars[*v])).collect();
    if literals.is_empty() {
        return;
    }
    let read = read_cells(program, oracle);
    let mut conditions = vec![];
    for v in literals {
        let element = element(program, v, 0);
        if conditions.len() < MOST && read.contains(&oracle.cell(&element)) {
            let data = program.vars[v].data.clone().expect("literals have bytes");
            for (n, byte) in data.iter().enumerate() {
                let element = self::element(program, v, n);
                let Type::Int(int) = element.ty.clone() else {
                    unreachable!("literals are arrays of characters")
                };
                let value = Expr::Const(int.wrap(i128::from(*byte)), Type::Int(int));
                conditions.push((Expr::binary(BinOp::Eq, element.load(), value), program.vars[v].span));
            }
        }
    }
    let start = &mut program.procs[program.entry];
    let mut next = start.entry;
    for (condition, span) in conditions.into_iter().rev() {
        let src = start.locations.push(Location { span, labels: vec![], loop_head: false });
        let op = Op::Assume(condition);
        start.edges.push(Edge { src, dst: next, op, span, kind: EdgeKind::Internal });
        next = src;
    }
    start.entry = next;
}

/// Whether the variable holds a literal of single bytes that is spelt out.
fn is_short(var: &Var) -> bool {
    let bytes = matches!(&var.ty, Type::Array(elem, _) if matches!(**elem, Type::Int(t) if t.bits == 8));
    bytes && var.data.as_ref().is_some_and(|d| d.len() <= LONGEST)
}

fn element(program: &Program, v: VarId, n: usize) -> Lvalue {
    let Type::Array(elem, _) = &program.vars[v].ty else { unreachable!("literals are arrays") };
    program.lvalue(v).step(Access::Index(Expr::int(n as i128)), (**elem).clone())
}

/// The cells that some operation reads by a load. What block operations read is known as bytes, not as values.
fn read_cells(program: &Program, oracle: &AliasOracle) -> BTreeSet<CellId> {
    let reachable = alias::reachable(program, oracle);
    let mut cells = BTreeSet::new();
    let mut note = |e: &Expr| {
        e.loads(&mut |lv| _ = cells.insert(oracle.cell(lv)));
    };
    for (p, proc) in program.procs.iter_enumerated() {
        if !reachable[p] {
            continue;
        }
        for edge in &proc.edges {
            match &edge.op {
                Op::Assign(_, e) | Op::Assume(e) | Op::Check(_, e) => note(e),
                Op::Call { args, .. } => args.iter().for_each(&mut note),
                _ => {}
            }
        }
    }
    cells
}
