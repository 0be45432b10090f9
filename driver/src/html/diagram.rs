//! A decision diagram as a drawing: a row for each variable, solid lines where it is true and dashed ones where it is false.
//! The constant 0 and the lines to it are left out.

use super::words::shown;
use askama::filters::{Html, escape};
use results::walkthrough::Diagram;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The width of a character, of the gap between nodes, and the heights of nodes and rows.
const CHARACTER: f64 = 7.0;
const GAP: f64 = 16.0;
const NODE: f64 = 22.0;
const ROW: f64 = 54.0;

/// Longest name that is shown whole.
const NAME: usize = 40;

/// The drawing in SVG; nothing where there is no diagram, or one of a constant.
pub(super) fn diagram(of: Option<&Diagram>) -> String {
    let nodes = of.map(|diagram| diagram.nodes.as_slice()).unwrap_or_default();
    let names: Vec<String> = nodes.iter().map(|node| shortened(&shown(&node.name))).collect();
    if nodes.is_empty() {
        return String::new();
    }
    let mut rows: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (k, node) in nodes.iter().enumerate() {
        rows.entry(node.level).or_default().push(k);
    }
    let width = |k: usize| names[k].chars().count() as f64 * CHARACTER + 14.0;
    let row_width = |row: &[usize]| row.iter().map(|k| width(*k) + GAP).sum::<f64>();
    let whole = rows.values().map(|row| row_width(row)).fold(120.0, f64::max);
    let height = (rows.len() as f64 + 1.0) * ROW;
    // Centres, by number; the constant 1 at the bottom.
    let mut centres = vec![(0.0, 0.0); nodes.len()];
    for (n, row) in rows.values().enumerate() {
        let mut x = (whole - row_width(row)) / 2.0;
        for k in row {
            centres[*k] = (x + (width(*k) + GAP) / 2.0, n as f64 * ROW + NODE / 2.0 + 4.0);
            x += width(*k) + GAP;
        }
    }
    let one = (whole / 2.0, height - ROW + NODE / 2.0 + 4.0);
    let target = |to: usize| match to {
        0 => None,
        1 => Some(one),
        k => centres.get(k - 2).copied(),
    };
    let mut out = format!(
        "<svg class=\"diagram\" viewBox=\"0 0 {whole:.0} {height:.0}\" style=\"width:{whole:.0}px\" role=\"img\" aria-label=\"Decision diagram of these states\">"
    );
    for (node, (x, y)) in nodes.iter().zip(&centres) {
        for (to, class) in [(node.low, "low"), (node.high, "high")] {
            // Lines for both values of one variable to one node are side by side.
            let side = if class == "low" { -4.0 } else { 4.0 };
            if let Some((to_x, to_y)) = target(to) {
                let _ = write!(
                    out,
                    "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
                    x + side,
                    y + NODE / 2.0,
                    to_x + side,
                    to_y - NODE / 2.0
                );
            }
        }
    }
    for (k, (x, y)) in centres.iter().enumerate() {
        boxed(&mut out, (*x, *y), width(k), &names[k]);
    }
    boxed(&mut out, one, 30.0, "1");
    out.push_str("</svg>");
    out
}

fn boxed(out: &mut String, (x, y): (f64, f64), width: f64, name: &str) {
    let name = escape(name, Html).map(|safe| safe.to_string()).unwrap_or_default();
    let _ = write!(
        out,
        "<rect class=\"node\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{NODE}\" rx=\"4\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
        x - width / 2.0,
        y - NODE / 2.0,
        y + 4.0
    );
}

fn shortened(name: &str) -> String {
    crate::report::listing::shortened(name, NAME)
}

#[cfg(test)]
mod tests {
    use super::diagram;
    use results::walkthrough::{Diagram, Node};

    #[test]
    fn names_are_text_and_lines_lead_to_nodes() {
        let node = |name: &str, level, low, high| Node { name: name.into(), level, low, high };
        let of = Diagram { root: 3, nodes: vec![node("{a<b>}", 2, 0, 1), node("{x}", 0, 1, 2)] };
        let svg = diagram(Some(&of));
        assert!(!svg.contains("<b>") && svg.matches("<rect").count() == 3, "{svg}");
        assert_eq!((svg.matches("class=\"high\"").count(), svg.matches("class=\"low\"").count()), (2, 1));
        assert_eq!(diagram(None), "");
        assert_eq!(diagram(Some(&Diagram { root: 1, nodes: vec![] })), "");
    }
}
