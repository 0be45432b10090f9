//! First-order terms as plain data, and provers for them. No other crate names Z3.

/// The version of the Z3 library that this program runs with, such as `4.15.4.0`.
pub fn version() -> String {
    let full = z3::full_version();
    full.split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(full)
        .to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_linked_library_is_recent_enough() {
        let version = super::version();
        let major: u32 = version
            .split('.')
            .next()
            .expect("split gives at least one part")
            .parse()
            .expect("the version starts with a number");
        assert!(major >= 4, "{version}");
    }
}
