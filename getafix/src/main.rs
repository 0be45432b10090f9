//! The `getafix` binary.
fn main() {}
