//! The language of Graphviz, as far as it is written here.

/// A quoted identifier: the text between double quotes. Graphviz treats a backslash as the start of an escape in
/// labels, so it is doubled; line ends become `\n`.
pub(super) fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
