//! What several test files need.

/// Runs `f` with a stack that nesting up to the bound fits in.
pub(crate) fn on_large_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(f).expect("a thread can be started");
    thread.join().expect("the test passes on its thread");
}
