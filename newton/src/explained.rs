//! Why a path cannot be executed, for readers: the steps that matter, and the condition before each of them under
//! which the rest of the path is possible. The negations of these conditions are a sequence of interpolants.

use crate::refuted::Refuted;
use base::Id;
use ir::{Program, VarId};

/// A step that matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Needed {
    /// The step's index on the path.
    pub step: usize,
    /// What has to hold before it, for the path to go on to its end; `None`: whatever holds, it cannot.
    ///
    /// Variables of the procedure that the step is in have their own names. One of another call is `main::x`, or
    /// `f#2::x` where it is of the second call of `f`.
    pub conditions: Option<Vec<String>>,
}

/// See [`Refuted::explained`].
pub(crate) fn explained(refuted: &Refuted<'_>) -> Vec<Needed> {
    let carried = refuted.carried();
    let mut program = refuted.program.clone();
    let names = declare(refuted, &mut program);
    let one = |(n, step): (usize, &usize)| {
        let top = refuted.unfolding.steps[*step].activation;
        for (v, activation, own, other) in &names {
            program.vars[*v].name = if *activation == top { own.clone() } else { other.clone() };
        }
        let text = |e: &ir::Expr| ir::print::expr(&program, e);
        let impossible = n == 0 && carried.impossible;
        let conditions = (!impossible).then(|| carried.at_step[*step].iter().map(text).collect());
        Needed { step: *step, conditions }
    };
    carried.matters.iter().enumerate().map(one).collect()
}

/// Adds the variables of the path's calls to the program: each with its call, its name there, and its name elsewhere.
fn declare(refuted: &Refuted<'_>, program: &mut Program) -> Vec<(VarId, usize, String, String)> {
    let unfolding = &refuted.unfolding;
    let call = |activation: usize| {
        let proc = unfolding.activations[activation].proc;
        let name = &refuted.program.procs[proc].name;
        let same = unfolding.activations.iter().filter(|a| a.proc == proc).count();
        let before = unfolding.activations[..activation].iter().filter(|a| a.proc == proc).count();
        if same == 1 { name.clone() } else { format!("{name}#{}", before + 1) }
    };
    let mut names = vec![];
    while let Some((v, activation)) = unfolding.origin(VarId::from_index(program.vars.len())) {
        let var = refuted.program.vars[v].clone();
        let (own, other) = (var.name.clone(), format!("{}::{}", call(activation), var.name));
        names.push((program.vars.push(var), activation, own, other));
    }
    names
}
