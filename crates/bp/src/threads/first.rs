//! Calls in `init`: procedures called before anything else run without other threads. They get copies of their
//! own where threads call them, too.

use super::callee;
use crate::ast::preorder;
use crate::{Name, Proc, Program, Start, Stmt, StmtId, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

/// The procedures that `init` calls, and those that they call, as nobody else calls them.
pub(super) fn alone(program: &mut Program, entry: &str, fresh: &mut dyn FnMut() -> StmtId) -> BTreeSet<Name> {
    let mut closure: BTreeSet<Name> = BTreeSet::new();
    let mut work: Vec<Name> = called(&program.init);
    while let Some(name) = work.pop() {
        let Some(proc) = program.procs.iter().find(|proc| proc.name.name == name) else { continue };
        if closure.insert(name) {
            work.extend(called(&proc.body));
        }
    }
    let (inside, outside): (Vec<&Proc>, Vec<&Proc>) =
        program.procs.iter().partition(|proc| closure.contains(&proc.name.name));
    let by_threads = outside.iter().any(|proc| called(&proc.body).iter().any(|name| closure.contains(name)));
    if !by_threads && !closure.iter().any(|name| name.as_str() == entry) {
        return closure;
    }
    let mut copies: Vec<Proc> = inside.into_iter().cloned().collect();
    let copy = |name: &Name| (name.clone(), Name::predicate(format!("{name} before the threads")));
    let names: BTreeMap<Name, Name> = closure.iter().map(copy).collect();
    for proc in &mut copies {
        proc.name.name = names[&proc.name.name].clone();
        rename(&mut proc.body, &names, Some(&mut *fresh));
    }
    rename(&mut program.init, &names, None);
    program.procs.extend(copies);
    names.into_values().collect()
}

fn called(list: &[Stmt]) -> Vec<Name> {
    preorder(list).filter_map(callee).cloned().collect()
}

/// Calls go to the copies; statements of copies get ids of their own.
fn rename(list: &mut [Stmt], names: &BTreeMap<Name, Name>, mut fresh: Option<&mut dyn FnMut() -> StmtId>) {
    let mut stack: Vec<&mut Stmt> = list.iter_mut().rev().collect();
    while let Some(stmt) = stack.pop() {
        if let Some(fresh) = &mut fresh {
            stmt.id = fresh();
        }
        if let StmtKind::Call { callee, .. } | StmtKind::StartThread(Start::Call { callee, .. }) =
            &mut stmt.kind
            && let Some(name) = names.get(&callee.name)
        {
            callee.name = name.clone();
        }
        stack.extend(stmt.children_mut().into_iter().rev());
    }
}
