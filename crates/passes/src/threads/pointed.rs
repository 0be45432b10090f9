//! The procedures that calls through pointers call and that threads are started with.

use alias::{AliasMode, AliasOracle};
use ir::ThreadOp;
use ir::program::{Callee, EdgeId, HavocKind, Op, ProcId, Program};
use std::collections::BTreeMap;

/// The procedures that a call through a pointer, or the start of a thread, may be about; none where not all are known.
pub(super) type Pointed = BTreeMap<(ProcId, EdgeId), Vec<ProcId>>;

/// The procedures that each indirect call may reach.
pub fn pointed(program: &Program, alias: AliasMode) -> BTreeMap<(ProcId, EdgeId), Vec<ProcId>> {
    let called = with_calls(program);
    let oracle = AliasOracle::new(&called, alias);
    let mut out = Pointed::new();
    for (p, e, edge) in called.edges() {
        let Op::Call { callee: Callee::Indirect(pointer), .. } = &edge.op else { continue };
        let (targets, unknown) = oracle.callees(pointer);
        if !unknown {
            out.insert((p, e), targets);
        }
    }
    out
}

/// The program in which a thread's procedure is called where the thread is started, so that the argument arrives; what a thread
/// returns is not followed.
fn with_calls(program: &Program) -> Program {
    let mut out = program.clone();
    for p in program.procs.ids() {
        for (e, edge) in program.procs[p].edges.iter_enumerated() {
            let Op::Call { dest, args, .. } = &edge.op else { continue };
            let op = match (ThreadOp::at(program, &edge.op), &args[..]) {
                (Some(ThreadOp::Start), [procedure, arg]) => Op::Call {
                    dest: None,
                    callee: Callee::Indirect(procedure.clone()),
                    args: vec![arg.clone()],
                },
                (Some(ThreadOp::Join | ThreadOp::JoinNumber), _) => match dest {
                    Some(dest) => Op::Havoc(dest.clone(), HavocKind::Unmodelled("slam_join".into())),
                    None => Op::Skip,
                },
                _ => continue,
            };
            out.procs[p].edges[e].op = op;
        }
    }
    out
}
