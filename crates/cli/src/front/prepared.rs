//! A program behind all passes, rules included.

use super::rules::{self, RuleState};
use alias::AliasOracle;
use base::SourceMap;
use cfront::Marked;
use ir::{Program, Type, VarId};
use passes::pipeline::Notes;
use passes::{Pipeline, Refused, Settings, Stage};
use std::collections::BTreeSet;
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

/// Runs the passes behind the front end; of the variables that `named` finds, no read is replaced.
///
/// # Errors
/// The first pass that cannot do its work.
pub fn prepared(
    (program, marked): (Program, &[Marked]),
    settings: Settings,
    rules: &[slic::Source],
    sources: &mut SourceMap,
    named: impl FnOnce(&Program) -> BTreeSet<VarId>,
) -> Result<Prepared, Refused> {
    let mut states = vec![];
    let mut passes = Pipeline::at(Stage::Checked, program, settings);
    passes.run(Stage::Copied)?;
    let declared = passes.program().vars.iter().map(|v| v.ty.clone()).collect();
    let called = rules::called(passes.program(), marked);
    let found = &mut states;
    passes.rules = Some(Box::new(move |program| {
        let (program, states) = rules::multiplied(program, &called, rules, sources)?;
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
