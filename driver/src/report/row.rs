//! A row of a listing: the text of a step, with the remarks on it beside or below.

use super::listing::shortened;
use cli::terminal;

/// Width of the column that holds the source text.
const TEXT: usize = 40;

/// The narrowest column.
const LEAST: usize = 20;

/// A row, which may go on below itself where the terminal is narrow.
pub(super) fn row(head: &str, text: &str, beside: &str) -> String {
    match terminal::width() {
        Some(width) => fitted(head, text, beside, width),
        None => format!("{head}{text:<TEXT$} {beside}"),
    }
}

/// A row that fits into the width: what stands beside the text goes on below itself, or all of it below the text.
fn fitted(head: &str, text: &str, beside: &str, width: usize) -> String {
    let before = head.chars().count();
    let text = shortened(text, width.saturating_sub(before).max(LEAST));
    let column = before + text.chars().count().max(TEXT) + 1;
    let row = format!("{head}{text:<TEXT$} {beside}");
    if column + LEAST <= width {
        return terminal::wrapped(&row, width, column);
    }
    let indent = " ".repeat(before + 4);
    match beside {
        "" => row,
        _ => format!("{head}{text}\n{}", terminal::wrapped(&format!("{indent}{beside}"), width, before + 4)),
    }
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn what_is_known_goes_on_below() {
        let fit =
            |width| fitted("    9  ", "if (locked != 0)", "f() returned 1, f() returned 2, false", width);
        let column = " ".repeat(48);
        assert_eq!(fit(100).lines().count(), 1);
        let narrow =
            format!("    9  {:<40} f() returned 1, f()\n{column}returned 2, false", "if (locked != 0)");
        assert_eq!(fit(70), narrow);
        assert_eq!(
            fit(40),
            "    9  if (locked != 0)\n           f() returned 1, f() returned\n           2, false"
        );
        assert_eq!(fitted("  9  ", &"x".repeat(50), "", 40).trim_end().chars().count(), 40);
    }
}
