//! Results of `slam check --json` as inputs of other commands.

use cli::front::{self, Refused};
use cli::options::FrontEnd;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The result, which must be an object.
///
/// # Errors
/// Why it is none.
pub(crate) fn read(file: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let json: Value = serde_json::from_str(&text).map_err(|e| format!("it is no JSON: {e}"))?;
    if json.is_object() { Ok(json) } else { Err("it is no result of `slam check --json`".into()) }
}

/// The program's files, those of a task definition included.
///
/// # Errors
/// What is wrong with a task definition.
pub(crate) fn programs(files: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let is_task = |f: &PathBuf| f.extension().is_some_and(|e| e == "yml" || e == "yaml");
    if !files.iter().any(is_task) {
        return Ok(files.to_vec());
    }
    match front::request(files, &FrontEnd::default()) {
        Ok(request) => Ok(request.files),
        Err(Refused::Usage(usage)) => Err(usage.text),
        Err(Refused::Input(_, message)) => Err(message),
    }
}
