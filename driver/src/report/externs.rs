//! What was assumed of undefined functions, as text and as results have it.

use results::options::UndefinedFunction;
use verify::Task;

/// What was assumed of undefined functions.
pub(crate) fn externs(task: &Task) -> String {
    let mut out = String::new();
    if !task.externs.is_empty() {
        let names = task.externs.join(", ");
        out += &format!("  assumed of undefined functions: {}: {names}\n", task.assumption);
    }
    if !task.unknown_callees.is_empty() {
        out += &format!(
            "  assumed of pointers to unknown functions: they hold a function of their type whose address is taken, or an \
             undefined one: {}\n",
            task.unknown_callees.join(", ")
        );
    }
    out
}

/// The same as results have it.
pub(crate) fn undefined_functions(task: &Task) -> Vec<UndefinedFunction> {
    let one =
        |name: &String| UndefinedFunction { function: name.clone(), assumption: task.assumption.to_string() };
    task.externs.iter().chain(&task.unknown_callees).map(one).collect()
}
