//! A formula evaluated on a system.

use base::SourceMap;
use bdd::{Engine, TooManyVariables};
use getafix::eval::{Evaluator, Options};
use getafix::formulae::formula;
use getafix::prelude::Model;
use getafix::translate::{Question, System, Translation};

/// Whether the formula's query holds.
pub(crate) fn holds<E: Engine>(
    system: &System,
    question: Question,
    text: &str,
    engine: impl FnOnce(usize) -> Result<E, TooManyVariables>,
) -> bool {
    let model = Translation::compact(system, question);
    let formula =
        formula(text, "formula", &mut SourceMap::new(), &model).expect("the formula is well-formed");
    let prelude = model.prelude();
    let evaluator = Evaluator::new(&formula, &model, &prelude, Options::default(), engine);
    let mut evaluator = evaluator.expect("there are few variables");
    evaluator.run(&mut |_| {}).expect("nothing stops it").holds
}
