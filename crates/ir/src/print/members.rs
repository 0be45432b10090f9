//! Names of members, as C looks them up.

use crate::program::Program;
use crate::types::{RecordId, Type};

/// The steps to the member that C means by `name`: its own members first, then those of unnamed members in
/// order. `$n` names member number `n`.
pub fn find_member(program: &Program, record: RecordId, name: &str) -> Option<Vec<(RecordId, u32)>> {
    let fields = &program.records[record].fields;
    if let Some(n) = name.strip_prefix('$').and_then(|n| n.parse::<u32>().ok())
        && (n as usize) < fields.len()
    {
        return Some(vec![(record, n)]);
    }
    if let Some(n) = fields.iter().position(|f| f.name == name) {
        return Some(vec![(record, n as u32)]);
    }
    for (n, field) in fields.iter().enumerate().filter(|(_, f)| f.name.is_empty()) {
        if let Type::Record(inner) = field.ty
            && let Some(mut steps) = find_member(program, inner, name)
        {
            steps.insert(0, (record, n as u32));
            return Some(steps);
        }
    }
    None
}
