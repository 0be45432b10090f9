//! `slam report`: a page from a result.

use crate::commands::Console;
use crate::html;
use crate::options::Report;
use cli::Usage;
use cli::outputs;
use cli::verdict::{EXIT_INPUT, EXIT_WRITE};
use serde_json::Value;

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { stdout, stderr, .. }: Console<'_>, options: &Report) -> Result<i32, Usage> {
    outputs::refuse(&[("--output", Some(&options.output))], [options.result.as_path()])?;
    let result = match read(options) {
        Ok(result) => result,
        Err(message) => {
            let _ = stderr.write_all(message.as_bytes());
            return Ok(EXIT_INPUT);
        }
    };
    let page = html::page(&result);
    if options.output.as_os_str() == "-" {
        return Ok(cli::process::tell(stdout, &page, 0));
    }
    if let Err(e) = cli::write_atomically(&options.output, page.as_bytes()) {
        let _ = stderr.write_all(outputs::message(&options.output, &e).as_bytes());
        return Ok(EXIT_WRITE);
    }
    Ok(0)
}

/// The result, or a message with the place of what is wrong with it.
fn read(options: &Report) -> Result<Value, String> {
    let name = options.result.display().to_string();
    let name = base::shown(&name);
    let text = cli::inputs::text(&options.result).map_err(|e| format!("{name}:1:1: error: {e}\n"))?;
    let result: Value = serde_json::from_str(&text)
        .map_err(|e| format!("{name}:{}:{}: error: this is no JSON: {e}\n", e.line(), e.column()))?;
    match (result["tool"]["name"].as_str(), result["verdict_line"].as_str(), result["schema"].as_u64()) {
        (Some("slam"), Some(_), Some(1)) => Ok(result),
        (Some("slam"), Some(_), _) => {
            Err(format!("{name}:1:1: error: this result has another form (`schema`)\n"))
        }
        _ => Err(format!("{name}:1:1: error: this is no result of slam check --json\n")),
    }
}
