//! Functions of the C library that change nothing the program can see: their arguments are evaluated and the
//! result is arbitrary, within bounds where the standard gives them. A definition in the program always wins.
//! Everything that writes through its arguments is not here: it stays a call of an undefined function, whose
//! effect the alias oracle bounds.

/// What a quiet function answers.
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

/// The model of a library function, by name.
pub(crate) fn quiet(name: &str) -> Option<Answer> {
    Some(match name {
        "printf" | "fprintf" | "vprintf" | "vfprintf" | "puts" | "fputs" | "putchar" | "fputc" | "putc"
        | "putchar_unlocked" | "fflush" | "fclose" | "fseek" | "feof" | "ferror" | "ungetc" | "printk"
        | "dprintf" | "close" | "fsync" | "write" | "usleep" | "sched_yield" | "getpid" | "getppid"
        | "getuid" | "geteuid" | "isatty" | "ftell" | "remove" | "unlink" | "fputs_unlocked" | "fileno"
        | "pthread_self" | "pthread_equal" => Answer::Any,
        "fwrite" => Answer::Size,
        "perror"
        | "srand"
        | "srandom"
        | "srand48"
        | "rewind"
        | "clearerr"
        | "syslog"
        | "openlog"
        | "closelog"
        | "__VERIFIER_atomic_begin"
        | "__VERIFIER_atomic_end"
        | "__VERIFIER_yield"
        | "sync"
        | "free_unused"
        | "__builtin_prefetch"
        | "__builtin_va_start"
        | "__builtin_va_end"
        | "__builtin_va_copy"
        | "__builtin___clear_cache"
        | "__sync_synchronize" => Answer::Void,
        "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh" | "exp"
        | "exp2" | "log" | "log2" | "log10" | "pow" | "sqrt" | "cbrt" | "hypot" | "floor" | "ceil"
        | "round" | "trunc" | "rint" | "nearbyint" | "fmod" | "fabs" | "fmin" | "fmax" | "fdim" | "fma"
        | "remainder" | "copysign" | "ldexp" | "drand48" | "difftime" | "sinf" | "cosf" | "tanf" | "expf"
        | "logf" | "powf" | "sqrtf" | "floorf" | "ceilf" | "roundf" | "truncf" | "fmodf" | "fabsf"
        | "fminf" | "fmaxf" | "fabsl" | "sqrtl" | "floorl" | "ceill" | "powl" | "nextafter" | "nan"
        | "nanf" | "rintf" | "copysignf" | "remainderf" | "fdimf" | "nearbyintf" => Answer::Float,
        "lround"
        | "llround"
        | "lrint"
        | "llrint"
        | "ilogb"
        | "lroundf"
        | "__isnan"
        | "__isinf"
        | "__isnanf"
        | "__isinff"
        | "__finite"
        | "__finitef"
        | "__signbit"
        | "__signbitf"
        | "__fpclassify"
        | "__fpclassifyf"
        | "__fpclassifyl"
        | "__isnanl"
        | "__isinfl"
        | "__signbitl"
        | "__finitel"
        | "__builtin_isinf"
        | "__builtin_isinf_sign"
        | "__builtin_isfinite"
        | "__builtin_isnormal"
        | "__builtin_signbit"
        | "__builtin_fpclassify"
        | "__builtin_signbitf"
        | "__builtin_signbitl" => Answer::Any,
        "abs" | "labs" | "llabs" | "imaxabs" => Answer::Absolute,
        _ => return None,
    })
}

/// Functions that the tool does not model and whose calls would make every answer wrong, with the reason.
pub(crate) fn refused(name: &str) -> Option<&'static str> {
    Some(match name {
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "__builtin_setjmp" | "longjmp" | "_longjmp"
        | "siglongjmp" | "__builtin_longjmp" => "`setjmp` and `longjmp` are not supported",
        "pthread_create" | "pthread_join" | "thrd_create" | "clone" => "threads are not supported",
        "fork" | "vfork" => "processes are not supported",
        "signal" | "sigaction" | "bsd_signal" | "sigset" => "signals are not supported",
        "on_exit" | "at_quick_exit" => "handlers that run at exit are not supported",
        "makecontext" | "swapcontext" | "setcontext" | "getcontext" => "contexts are not supported",
        _ => return None,
    })
}
