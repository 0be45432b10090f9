//! A picture of the iterations: the time of each as a bar, the number of predicates as a curve.

use super::iterations::Iteration;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 200.0;
/// What is left free on each side for the numbers.
const EDGE: f64 = 44.0;

/// The picture in SVG; nothing where there is but one iteration. It holds numbers only.
pub(super) fn chart(iterations: &[Iteration<'_>]) -> String {
    if iterations.len() < 2 {
        return String::new();
    }
    let times: Vec<u64> = iterations.iter().map(Iteration::ms).collect();
    let most_time = times.iter().copied().max().unwrap_or(0).max(1);
    let most = iterations.iter().map(|i| i.of.predicates).max().unwrap_or(0);
    let (inner, high) = (WIDTH - 2.0 * EDGE, HEIGHT - 2.0 * EDGE);
    let slot = inner / iterations.len() as f64;
    let y = |part: f64| HEIGHT - EDGE - high * part;
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Time and predicates of each iteration\">\
         <line class=\"axis\" x1=\"{EDGE}\" y1=\"{0}\" x2=\"{1}\" y2=\"{0}\"/>",
        HEIGHT - EDGE,
        WIDTH - EDGE
    );
    let mut points = String::new();
    let every = iterations.len().div_ceil(20);
    for (n, (iteration, time)) in iterations.iter().zip(&times).enumerate() {
        let x = EDGE + slot * n as f64;
        let top = y(*time as f64 / most_time as f64);
        let (centre, at) = (x + slot / 2.0, y(iteration.of.predicates as f64 / most.max(1) as f64));
        let _ = write!(
            out,
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>iteration {}: {time} ms, {} predicates</title></rect>",
            x + slot * 0.1,
            slot * 0.8,
            HEIGHT - EDGE - top,
            iteration.of.iteration,
            iteration.of.predicates
        );
        let _ = write!(points, "{centre:.1},{at:.1} ");
        if n % every == 0 {
            let _ = write!(
                out,
                "<circle class=\"dot\" cx=\"{centre:.1}\" cy=\"{at:.1}\" r=\"3\"/><text x=\"{centre:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                HEIGHT - EDGE + 16.0,
                iteration.of.iteration
            );
        }
    }
    let _ = write!(
        out,
        "<polyline class=\"curve\" points=\"{}\"/><text x=\"4\" y=\"{:.1}\">{most_time} ms</text>\
         <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{most} {}</text>\
         <text x=\"{}\" y=\"{:.1}\" text-anchor=\"middle\">iteration (bars: time, curve: predicates)</text></svg>",
        points.trim_end(),
        EDGE - 14.0,
        WIDTH - 4.0,
        EDGE - 14.0,
        if most == 1 { "predicate" } else { "predicates" },
        WIDTH / 2.0,
        HEIGHT - 8.0
    );
    out
}
