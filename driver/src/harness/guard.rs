//! The guard of a program that is compiled and run: a C file that is linked to it, and how it reports that the error
//! is reached.
//!
//! The report is a secret word of this run. The guard reads it from standard input before any code of the program
//! runs, keeps it where no name leads, and sends it through a pipe whose number the program does not know. Whatever
//! else the program does, how it ends or what it prints, is ignored.

use ir::CheckKind;
use std::fmt::Write;
use std::io::Read;

/// Letters of the secret.
pub(super) const LETTERS: usize = 32;

/// Functions of the C library that the file below calls: those of the program with the same name are renamed.
pub(super) const USED: [&str; 8] = ["read", "write", "open", "close", "dup2", "fcntl", "sigaction", "_exit"];

/// The exit code of a program that was given no secret.
const NOT_STARTED: i32 = 110;

/// As many letters as a secret has, which nobody can guess.
///
/// # Errors
/// When the system gives no random numbers.
pub(super) fn secret() -> std::io::Result<String> {
    let mut bytes = [0; LETTERS / 2];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut out = String::new();
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    Ok(out)
}

/// The C file. `kind`: that of the check where the compiler's own checks, or the processor, show the error.
pub(super) fn text(prefix: &str, kind: Option<CheckKind>) -> String {
    let mut out = format!(
        "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <signal.h>\n#include <unistd.h>\n\
         static char secret[{LETTERS}];\nstatic int channel = -1;\n\
         void {prefix}reached(void) {{\n  (void)!write(channel, secret, {LETTERS});\n  _exit({});\n}}\n",
        super::text::REACHED
    );
    let trap = kind.and_then(trap);
    let (handlers, signals) = trap.map_or((&[][..], &[][..]), |t| (t.handlers, t.signals));
    for handler in handlers {
        let _ = writeln!(out, "void __ubsan_handle_{handler}_abort() {{ {prefix}reached(); }}");
    }
    // A signal that a program sends to itself is none of the processor's.
    let _ = writeln!(
        out,
        "static void on_signal(int number, siginfo_t *info, void *context) {{\n  (void)number; (void)context;\n  \
         if (info->si_code > 0) {prefix}reached();\n  _exit({NOT_STARTED});\n}}"
    );
    let _ = writeln!(
        out,
        "__attribute__((constructor(101))) static void start(void) {{\n  int have = 0, null;\n  \
         while (have < {LETTERS}) {{\n    int n = read(0, secret + have, {LETTERS} - have);\n    \
         if (n <= 0) _exit({NOT_STARTED});\n    have += n;\n  }}\n  \
         channel = fcntl(1, F_DUPFD, 16 + secret[0] % 16 + secret[1] % 16);\n  \
         null = open(\"/dev/null\", O_RDWR);\n  \
         if (channel < 0 || null < 0) _exit({NOT_STARTED});\n  \
         dup2(null, 0);\n  dup2(null, 1);\n  dup2(null, 2);\n  close(null);\n  \
         struct sigaction action = {{0}};\n  action.sa_sigaction = on_signal;\n  action.sa_flags = SA_SIGINFO;\n  \
         (void)action;"
    );
    for signal in signals {
        let _ = writeln!(out, "  sigaction({signal}, &action, 0);");
    }
    out.push_str("}\n");
    out
}

/// How an error shows itself in a compiled program.
pub(super) struct Trap {
    /// Calls of the compiler's checks.
    handlers: &'static [&'static str],
    /// Signals of the processor.
    signals: &'static [&'static str],
    /// The options by which the compiler puts in checks for errors of this kind; those of other kinds stay out.
    pub(super) sanitizer: &'static str,
}

/// How errors of this kind show themselves, if the compiler or the processor notices them.
pub(super) fn trap(kind: CheckKind) -> Option<Trap> {
    let (handlers, signals, sanitizer): (&[&str], &[&str], &str) = match kind {
        CheckKind::Overflow => (
            &[
                "add_overflow",
                "sub_overflow",
                "mul_overflow",
                "negate_overflow",
                "divrem_overflow",
                "shift_out_of_bounds",
            ],
            &["SIGFPE"],
            "signed-integer-overflow,integer-divide-by-zero,shift",
        ),
        CheckKind::Div0 => (&["divrem_overflow"], &["SIGFPE"], "integer-divide-by-zero"),
        CheckKind::Null => {
            (&["type_mismatch_v1", "nonnull_arg", "pointer_overflow"], &["SIGSEGV", "SIGBUS"], "null")
        }
        CheckKind::Bounds => (&["out_of_bounds", "type_mismatch_v1"], &["SIGSEGV", "SIGBUS"], "bounds,null"),
        CheckKind::Shift => (&["shift_out_of_bounds"], &[], "shift"),
        CheckKind::Reach
        | CheckKind::Uninit
        | CheckKind::Free
        | CheckKind::Leak
        | CheckKind::Format
        | CheckKind::File
        | CheckKind::Readonly
        | CheckKind::Overlap
        | CheckKind::Noreturn
        | CheckKind::Convert
        | CheckKind::Order
        | CheckKind::Member
        | CheckKind::Race
        | CheckKind::Deadlock
        | CheckKind::Rule
        | CheckKind::Unmodelled => return None,
    };
    Some(Trap { handlers, signals, sanitizer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ() {
        let (a, b) = (secret().expect("random numbers"), secret().expect("random numbers"));
        assert_eq!((a.len(), b.len()), (LETTERS, LETTERS));
        assert_ne!(a, b);
    }

    #[test]
    fn errors_of_other_kinds_are_no_sign() {
        let text = text("p_", Some(CheckKind::Shift));
        assert!(text.contains("__ubsan_handle_shift_out_of_bounds_abort"), "{text}");
        assert!(!text.contains("divrem") && !text.contains("SIGSEGV"), "{text}");
    }
}
