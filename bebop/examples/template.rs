//! Prints the template program T(N) of the paper: `cargo run -p bebop --example template -- 800 > t800.bp`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(5);
    std::io::stdout().write_all(bp::print(&bp::random::template(n)).as_bytes())
}
