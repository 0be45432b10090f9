//! A program behind all passes, rules included.

use crate::product::{self, Called, product};
use crate::source::Source;
use alias::AliasOracle;
use base::{Diagnostic, IndexVec, SourceMap};
use ir::{ProcId, Program, Type, VarId};
use passes::pipeline::Notes;
use passes::{Pipeline, Refused, Settings, Stage};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A program behind all passes.
pub struct Prepared {
    /// The types of the program's variables in the source.
    pub declared: Vec<Type>,
    /// The program whose executions count, function pointers resolved.
    pub whole: Program,
    /// The oracle of `whole`.
    pub whole_oracle: Arc<AliasOracle>,
    /// The same without what was to be taken away; locations and edges keep their ids.
    pub program: Program,
    /// The oracle of `program`.
    pub oracle: Arc<AliasOracle>,
    /// What the passes found out.
    pub notes: Notes,
    /// The states of the rules.
    pub rules: Vec<RuleState>,
}

/// The state of a rule in a program.
#[derive(Clone, Debug)]
pub struct RuleState {
    /// The rule's name.
    pub rule: String,
    /// Its variables with their names in the rule, then the object that it follows.
    pub variables: Vec<(String, VarId)>,
}

/// Runs the passes on a program of which these functions are marked for rules, by the names that rules have for them; of the
/// variables that `named` finds, no read is replaced.
///
/// # Errors
/// The first pass that cannot do its work.
pub fn prepared(
    (program, marked): (Program, BTreeMap<ProcId, String>),
    settings: Settings,
    rules: &[Source],
    sources: &mut SourceMap,
    named: impl FnOnce(&Program) -> BTreeSet<VarId>,
) -> Result<Prepared, Refused> {
    let mut states = vec![];
    let mut passes = Pipeline::at(Stage::Checked, program, settings);
    passes.run(Stage::Copied)?;
    let declared = passes.program().vars.iter().map(|v| v.ty.clone()).collect();
    let edges_before: IndexVec<ProcId, usize> =
        passes.program().procs.iter().map(|p| p.edges.len()).collect();
    let called = Called { functions: marked, edges_before };
    let found = &mut states;
    passes.rules = Some(Box::new(move |program| {
        let (program, states) = multiplied(program, &called, rules, sources)?;
        *found = states;
        Ok(program)
    }));
    passes.run(Stage::Whole)?;
    let (whole, whole_oracle) = (passes.program().clone(), passes.oracle());
    passes.named = named(&whole);
    passes.run(Stage::Reduced)?;
    let (program, oracle, notes) = passes.finish();
    Ok(Prepared { declared, whole, whole_oracle, program, oracle, notes, rules: states })
}

/// The program, whose function pointers are resolved, with all of the rules.
fn multiplied(
    mut program: Program,
    called: &Called,
    rules: &[Source],
    sources: &mut SourceMap,
) -> Result<(Program, Vec<RuleState>), Vec<Diagnostic>> {
    let (mut states, mut follows) = (vec![], false);
    for source in rules {
        let rule = source.read(sources)?;
        follows |= !rule.watch.is_empty();
        let product = product(&program, called, &rule, &source.name)?;
        program = product.program;
        states.push(RuleState { rule: source.name.clone(), variables: product.state });
    }
    product::drop_marks(&mut program);
    if follows {
        product::own_objects(&mut program);
    }
    Ok((program, states))
}
