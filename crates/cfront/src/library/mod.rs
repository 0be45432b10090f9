//! Functions of the C library and of the compiler, where a call of one means more than a call of an undefined function:
//!
//! - what is known of them as data: the [table] with their [contracts], the words of [formats], the [models] in C;
//! - calls with a meaning of their own ([intrinsics], among them the [primitives] of models), and those that
//!   change nothing that the program can see ([pure_calls]): their arguments are evaluated and the result is arbitrary,
//!   within bounds where the standard gives them;
//! - what the checks of memory, streams and formats write down in front of a call ([accesses], [streams]), and
//!   the marks for rules ([rule_marks]).
//!
//! A definition in the program always wins. Everything else stays a call of an undefined function, whose effect the
//! alias oracle bounds. The real results of these functions are fixed, so an error that depends on one is not reported
//! (see [`Origin`]). How an operand is evaluated is not known here: [`lower`](crate::lower) does that.

pub(crate) mod accesses;
pub(crate) mod address_taken_builtins;
pub(crate) mod atomic;
pub(crate) mod builtin;
pub(crate) mod character_classes;
pub(crate) mod contracts;
#[cfg(test)]
mod documentation;
pub(crate) mod environment;
pub(crate) mod floats;
pub(crate) mod formats;
pub(crate) mod intrinsics;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod object_size;
pub(crate) mod output;
pub(crate) mod overlap;
pub(crate) mod primitives;
pub(crate) mod pure_calls;
pub(crate) mod rule_marks;
pub(crate) mod streams;
mod table;
pub(crate) mod threads;

pub(crate) use table::row;
#[cfg(test)]
pub(crate) use table::{Again, Allocates, ROWS, Setting};

use crate::library::contracts::Need;
use crate::lower::context::Symbols;
use crate::lower::scope::Function;
use base::Span;
use ir::Origin;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// The result of a function that changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// Nothing.
    Void,
    /// Any value of the result type (declared, else `int`).
    Any,
    /// Any `size_t` that is not negative as a signed number.
    Size,
    /// Any floating-point number (declared, else `double`).
    Float,
    /// The absolute value of the argument.
    Absolute,
}

/// The result of a function that has no other effect, by name.
pub(crate) fn pure_answer(name: &str) -> Option<Answer> {
    row(name).or_else(|| row(name.strip_suffix("_unlocked")?))?.answer
}

/// The needs of the function of this name, to be checked at calls; `None` where nothing is known, or its model
/// makes the accesses.
pub(crate) fn contract(name: &str) -> Option<&'static [Need]> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let name = name.strip_suffix("_unlocked").unwrap_or(name);
    row(name).filter(|row| !row.by_model)?.needs
}

/// Whether nothing is known about the function of this name, so that it may allocate something for the caller.
pub(crate) fn may_allocate(name: &str) -> bool {
    row(name.strip_suffix("_unlocked").unwrap_or(name)).is_none()
}

/// Whether this is a function of the library that only computes or prints, so that a program's own may stand in its
/// place.
pub fn is_library_function(name: &str) -> bool {
    pure_answer(name).is_some() && !name.starts_with("__")
}

/// Functions that the tool does not model and whose calls would make every answer wrong, with the reason.
pub(crate) fn refused(name: &str) -> Option<&'static str> {
    Some(match name {
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "__builtin_setjmp" | "longjmp" | "_longjmp"
        | "siglongjmp" | "__builtin_longjmp" => "`setjmp` and `longjmp` are not supported",
        "pthread_create" | "pthread_join" | "thrd_create" | "clone" => "threads are not supported",
        "fork" | "vfork" => "processes are not supported",
        "signal" | "sigaction" | "bsd_signal" | "sigset" | "raise" => "signals are not supported",
        "open_memstream" | "open_wmemstream" | "fopencookie" => "streams in memory are not supported",
        "on_exit" => "handlers that run at exit are not supported",
        "fesetenv" | "feupdateenv" | "fesetmode" => "other modes of rounding are not supported",
        "makecontext" | "swapcontext" | "setcontext" | "getcontext" => "contexts are not supported",
        _ => return None,
    })
}

/// Functions that may not return, or that run or change something that their arguments do not reach.
const FOREIGN: [&str; 37] = [
    "kill",
    "killpg",
    "pthread_kill",
    "pthread_cancel",
    "pthread_testcancel",
    "tgkill",
    "sigqueue",
    "error",
    "error_at_line",
    "err",
    "errx",
    "verr",
    "verrx",
    "pause",
    "sigsuspend",
    "sigpause",
    "sigwait",
    "sigwaitinfo",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fexecve",
    "syscall",
    "ptrace",
    "prctl",
    "setrlimit",
    "mprotect",
    "munmap",
    "mremap",
    "brk",
    "sbrk",
    "dlsym",
    "sigprocmask",
];

/// The names of functions and objects that the GNU C library has, mathematics included.
pub(crate) fn library_names() -> &'static FxHashSet<&'static str> {
    static NAMES: OnceLock<FxHashSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| include_str!("names.txt").lines().collect())
}

impl Symbols<'_> {
    /// Whether something that is declared and not defined is the C library's: by its name, or since a header of the
    /// system declares it.
    pub(crate) fn is_library_name(&self, name: &str, file: usize, span: Span) -> bool {
        let in_header = || self.parsed.get(file).is_some_and(|p| p.source.lines.is_of_system(span.file));
        library_names().contains(name) || in_header()
    }

    /// The origin of a function.
    pub(crate) fn origin(&self, function: &Function<'_>) -> Origin {
        if self.is_model(function.file) {
            Origin::Library
        } else if function.def.is_some() || self.settings.is_named_by_rules(&function.name) {
            // Results of the functions of rules are inputs.
            Origin::Program
        } else if FOREIGN.contains(&function.name.as_str()) {
            Origin::Foreign
        } else if self.is_library_name(&function.name, function.file, function.span) {
            Origin::Library
        } else {
            Origin::Program
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_has_one_row() {
        let mut seen = FxHashSet::default();
        for name in ROWS.iter().flat_map(|row| row.names.split_whitespace()) {
            assert!(seen.insert(name), "{name}");
        }
    }

    #[test]
    fn names_are_those_of_the_library() {
        let known = library_names();
        for name in FOREIGN.iter().chain(&["fabs", "sscanf", "memmem", "stdout", "call_once", "optarg"]) {
            assert!(known.contains(name), "{name}");
        }
        for name in ["main", "read_sensor", "reach_error", "__VERIFIER_nondet_int", "printk"] {
            assert!(!known.contains(name), "{name}");
        }
    }
}
