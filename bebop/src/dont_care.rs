//! Which values of a run matter: a variable is free at a point when all other values given, any value of it
//! lets the run go on along the same path to the same end. Computed by the set of states that lie on some run
//! along the path: backwards from the end, forwards from the start. Calls stepped over must be passed in the
//! same way.

use crate::Stopped;
use crate::concrete::{Movement, RunPoint};
use crate::machine::{Machine, Step, Transfer};
use crate::schedule::image;
use crate::space::Slot;
use bdd::{Cube, Engine, Var};
use bp::EdgeId;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Longer runs are not analysed: every value counts as one that matters.
const MOST_MOMENTS: usize = 5000;
/// Nor are runs whose sets get larger than this many nodes.
const MOST_NODES: usize = 4000;

/// How closely it is looked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Care {
    /// As the head of this file says.
    Exact,
    /// What lets calls return that change nothing of what matters behind them does not count, nor what was before the
    /// last procedure entered: sets stay small however long the run.
    Last,
}

/// For each point the slots whose value matters; `None` when the run was too large to tell.
pub(crate) fn constrained<E: Engine>(
    machine: &mut Machine<'_, E>,
    points: &[Rc<RunPoint<E::Bdd>>],
    (start, end): (&Cube, &Cube),
    care: Care,
) -> Result<Option<Vec<Vec<bool>>>, Stopped> {
    if points.len() > MOST_MOMENTS {
        return Ok(None);
    }
    let mut set = machine.engine.cube(end);
    let mut backward = vec![set.clone()];
    for (i, point) in points.iter().enumerate().rev().skip(1) {
        if care == Care::Exact || !is_passed_by(machine, point, &set) {
            set = before(machine, point, &points[i + 1], &set);
        }
        set = machine.admit(point.vertex, &set);
        machine.alive()?;
        if machine.engine.size(&set) > MOST_NODES {
            return Ok(None);
        }
        backward.push(set.clone());
    }
    backward.reverse();
    let last_entered = points.iter().rposition(|m| matches!(m.movement, Movement::Into(_)));
    let coarse = last_entered.filter(|_| care == Care::Last).map_or(0, |i| i + 1);
    let mut out: Vec<Vec<bool>> = backward[..coarse].iter().map(|set| slots_of(machine, set)).collect();
    let mut set = if coarse > 0 {
        let point = &points[coarse];
        let proc = machine.cfg.vertices[point.vertex].proc;
        let own = machine.mod_ref.procs[proc].globals.iter().chain(&machine.cfg.procs[proc].formals);
        let slots: Vec<Slot> = own.map(|v| machine.space.slot(*v)).collect();
        let entered: Cube = slots.iter().map(|s| (s.current(), point.state[s.0])).collect();
        machine.engine.cube(&entered)
    } else {
        machine.engine.cube(start)
    };
    for (i, point) in points.iter().enumerate().skip(coarse) {
        set = machine.engine.and(&set, &backward[i]);
        machine.alive()?;
        if machine.engine.size(&set) > MOST_NODES {
            return Ok(None);
        }
        out.push(slots_of(machine, &set));
        if let Some(next) = points.get(i + 1) {
            set = after(machine, point, next, &set);
        }
    }
    Ok(Some(out))
}

/// The slots that the set mentions.
fn slots_of<E: Engine>(machine: &Machine<'_, E>, set: &E::Bdd) -> Vec<bool> {
    let mut slots = vec![false; machine.space.slots()];
    for var in machine.engine.support(set) {
        slots[Slot::of(var).0] = true;
    }
    slots
}

/// Whether a call returns here that changes nothing of what the set mentions.
fn is_passed_by<E: Engine>(machine: &mut Machine<'_, E>, point: &RunPoint<E::Bdd>, set: &E::Bdd) -> bool {
    let Movement::Over { edge, .. } = &point.movement else { return false };
    let Transfer::Call(call) = machine.transfer(*edge) else { unreachable!("only calls are stepped over") };
    let support = machine.engine.support(set);
    call.changed.iter().all(|v| support.binary_search(&machine.space.slot(*v).current()).is_err())
}

fn step<E: Engine>(machine: &mut Machine<'_, E>, edge: EdgeId) -> Rc<Step<E::Bdd>> {
    match machine.transfer(edge) {
        Transfer::Step(step) => step,
        Transfer::Call(_) => unreachable!("a call is entered or stepped over"),
    }
}

/// The states from which the step leads into `set`.
fn before<E: Engine>(
    machine: &mut Machine<'_, E>,
    point: &RunPoint<E::Bdd>,
    next: &RunPoint<E::Bdd>,
    set: &E::Bdd,
) -> E::Bdd {
    match &point.movement {
        Movement::End => set.clone(),
        Movement::Step(edge) => {
            let step = step(machine, *edge);
            let lanes = step.lanes(&mut machine.engine);
            let moved = machine.engine.rename(set, lanes.current_to_next);
            lanes.back.run(&mut machine.engine, &moved)
        }
        Movement::Into(edge) => {
            let transfer = machine.transfer(*edge);
            let Transfer::Call(call) = &transfer else { unreachable!("only calls are entered") };
            let formals = formals(machine, next);
            let hidden: Vec<Var> =
                non_globals(machine).filter(|s| !formals.contains(s)).map(Slot::current).collect();
            let hidden = machine.engine.var_set(&hidden);
            let set = machine.engine.exists(set, hidden);
            let moved = move_slots(machine, &set, &formals, Slot::current, Slot::scratch);
            let scratch: Vec<Var> = formals.iter().map(|s| s.scratch()).collect();
            image(&mut machine.engine, &moved, call.arguments(), &scratch)
        }
        Movement::Over { edge, relation, values, .. } => {
            let (passes, changed) = passing(machine, *edge, relation, values);
            let arrived: Cube = changed.iter().map(|s| (s.current(), next.state[s.0])).collect();
            let rest = machine.engine.restrict(set, &arrived);
            machine.engine.and(&rest, &passes)
        }
    }
}

/// The states to which the step leads from `set`.
fn after<E: Engine>(
    machine: &mut Machine<'_, E>,
    point: &RunPoint<E::Bdd>,
    next: &RunPoint<E::Bdd>,
    set: &E::Bdd,
) -> E::Bdd {
    match &point.movement {
        Movement::End => set.clone(),
        Movement::Step(edge) => {
            let step = step(machine, *edge);
            let image = step.lanes(&mut machine.engine).forth.run(&mut machine.engine, set);
            machine.engine.rename(&image, machine.next_to_current)
        }
        Movement::Into(edge) => {
            let transfer = machine.transfer(*edge);
            let Transfer::Call(call) = &transfer else { unreachable!("only calls are entered") };
            let hidden: Vec<Var> = non_globals(machine).map(Slot::current).collect();
            let image = image(&mut machine.engine, set, call.arguments(), &hidden);
            let formals = formals(machine, next);
            move_slots(machine, &image, &formals, Slot::scratch, Slot::current)
        }
        Movement::Over { edge, relation, values, .. } => {
            let (passes, changed) = passing(machine, *edge, relation, values);
            let currents: Vec<Var> = changed.iter().map(|s| s.current()).collect();
            let currents = machine.engine.var_set(&currents);
            let image = machine.engine.and_exists(set, &passes, currents);
            let arrived: Cube = changed.iter().map(|s| (s.current(), next.state[s.0])).collect();
            let arrived = machine.engine.cube(&arrived);
            machine.engine.and(&image, &arrived)
        }
    }
}

/// The states that pass the call with the same arguments, globals and results, and the slots that it changes.
fn passing<E: Engine>(
    machine: &mut Machine<'_, E>,
    edge: EdgeId,
    relation: &E::Bdd,
    values: &Cube,
) -> (E::Bdd, Vec<Slot>) {
    let transfer = machine.transfer(edge);
    let Transfer::Call(call) = &transfer else { unreachable!("only calls are stepped over") };
    let mut globals: Vec<Var> =
        machine.mod_ref.procs[call.callee].globals.iter().map(|g| machine.space.slot(*g).current()).collect();
    globals.sort_unstable();
    // Scratch and next values that the step left open are 0, as in the run.
    let ones: FxHashSet<Var> = values.iter().filter(|(_, value)| *value).map(|(var, _)| *var).collect();
    let given = |var: Var| (var, ones.contains(&var));
    let is_fixed = |var: &Var| {
        let slot = Slot::of(*var);
        slot.next() == *var || slot.scratch() == *var || globals.binary_search(var).is_ok()
    };
    let fixed: Cube = machine.engine.support(relation).into_iter().filter(is_fixed).map(given).collect();
    let rest = machine.engine.restrict(relation, &fixed);
    let globals: Cube = globals.into_iter().map(given).collect();
    let globals = machine.engine.cube(&globals);
    let passes = machine.engine.and(&rest, &globals);
    (passes, call.changed.iter().map(|v| machine.space.slot(*v)).collect())
}

fn formals<E: Engine>(machine: &Machine<'_, E>, inside: &RunPoint<E::Bdd>) -> Vec<Slot> {
    let proc = machine.cfg.vertices[inside.vertex].proc;
    machine.cfg.procs[proc].formals.iter().map(|v| machine.space.slot(*v)).collect()
}

fn non_globals<E: Engine>(machine: &Machine<'_, E>) -> impl Iterator<Item = Slot> + use<E> {
    let slots: Vec<Slot> = machine.space.all().filter(|s| !machine.space.is_global(*s)).collect();
    slots.into_iter()
}

fn move_slots<E: Engine>(
    machine: &mut Machine<'_, E>,
    set: &E::Bdd,
    slots: &[Slot],
    from: fn(Slot) -> Var,
    to: fn(Slot) -> Var,
) -> E::Bdd {
    let pairs: Vec<(Var, Var)> = slots.iter().map(|s| (from(*s), to(*s))).collect();
    let renaming = machine.engine.renaming(&pairs);
    machine.engine.rename(set, renaming)
}
