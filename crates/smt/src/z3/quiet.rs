//! Z3 writes complaints about its own failures to the standard error stream of C++ (`ASSERTION VIOLATION …`), and goes
//! on with an exception, after which the answer is unknown. They are not for whoever runs a prover, so that stream is
//! closed; nothing else in the process writes to it, and what Rust writes to standard error is not concerned.
//!
//! The C interface has no setting for this. So the stream is asked for by its name in the ABI of GNU's C++ library;
//! with another library nothing happens, and the complaints stay visible.
#![allow(unsafe_code, reason = "foreign functions; each call says why it is sound")]

use std::sync::Once;

static CLOSED: Once = Once::new();

/// Closes the stream, once.
pub(super) fn close_error_stream() {
    CLOSED.call_once(imp::close);
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod imp {
    use std::ffi::{CStr, c_char, c_int, c_void};

    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
    }

    /// `std::cerr`
    const STREAM: &CStr = c"_ZSt4cerr";

    /// `std::basic_ios<char>::clear(std::ios_base::iostate)`
    const CLEAR: &CStr = c"_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate";

    /// `std::ios_base::badbit`
    const BAD: c_int = 1;

    type Clear = unsafe extern "C" fn(*mut c_void, c_int);

    pub(super) fn close() {
        // Safety: the null handle searches the libraries of the process; the names are terminated.
        let (stream, clear) = unsafe {
            (dlsym(std::ptr::null_mut(), STREAM.as_ptr()), dlsym(std::ptr::null_mut(), CLEAR.as_ptr()))
        };
        if stream.is_null() || clear.is_null() {
            return;
        }
        // Safety: the names say what they are: a stream, which lives as long as the process, and a method of its base.
        // A stream begins with the pointer to its table, where the distance to the base stands three words before the
        // first entry. No exceptions are asked for in the stream's mask, so the method returns.
        unsafe {
            let table = *stream.cast::<*const isize>();
            let base = stream.cast::<u8>().offset(*table.sub(3)).cast::<c_void>();
            let clear: Clear = std::mem::transmute::<*mut c_void, Clear>(clear);
            clear(base, BAD);
        }
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod imp {
    pub(super) fn close() {}
}
