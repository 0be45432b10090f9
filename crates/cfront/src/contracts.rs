//! Which memory the functions of the C library access, by the standards that describe them (C11, POSIX): in front of a
//! call stands a [`LibraryAccess`](cmm::LibraryAccess) for each buffer, string and stream, which the instrumentation checks. They are
//! written down only where memory is checked at all.

/// What a function needs of an argument, by the argument's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    /// A string.
    Text(usize),
    /// A string or NULL.
    OptionalText(usize),
    /// Bytes that are read.
    Reads(usize, Len),
    /// The same, unless the pointer is NULL.
    OptionalReads(usize, Len),
    /// Bytes that are written, at least for some input.
    Writes(usize, Len),
    /// The same, unless the pointer is NULL.
    OptionalWrites(usize, Len),
    /// Bytes of which some may be accessed.
    MayTouch(usize, Len),
    /// A pointer that is not NULL, to something of the library's own.
    Present(usize),
    /// A format of `printf`; its values are the arguments from the second number on.
    Format(usize, usize),
    /// What else it accesses is not modelled.
    More,
}

/// How many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Len {
    /// The value of an argument; none when that is negative.
    Arg(usize),
    /// The product of two arguments.
    Product(usize, usize),
    /// The size of what the parameter's type points to.
    Pointee,
    /// So many.
    Bytes(u64),
    /// As many as the input has.
    Input,
}

use Len::{Arg, Bytes, Input, Pointee, Product};
use Need::{
    Format, MayTouch, More, OptionalReads, OptionalText, OptionalWrites, Present, Reads, Text, Writes,
};

/// What the function of this name needs; `None` when it is not in the table.
pub(crate) fn contract(name: &str) -> Option<&'static [Need]> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let name = name.strip_suffix("_unlocked").unwrap_or(name);
    streams(name).or_else(|| files(name)).or_else(|| others(name))
}

/// `<stdio.h>`.
fn streams(name: &str) -> Option<&'static [Need]> {
    Some(match name {
        "fread" => &[Writes(0, Product(1, 2)), Present(3)],
        "fwrite" => &[Reads(0, Product(1, 2)), Present(3)],
        "fgets" => &[Writes(0, Arg(1)), Present(2)],
        "gets" => &[Writes(0, Input)],
        "puts" => &[Text(0)],
        "fputs" => &[Text(0), Present(1)],
        "fputc" | "putc" | "_IO_putc" | "ungetc" => &[Present(1)],
        "fgetc" | "getc" | "_IO_getc" | "fclose" | "pclose" | "feof" | "ferror" | "fseek" | "fseeko"
        | "ftell" | "ftello" | "rewind" | "clearerr" | "fileno" => &[Present(0)],
        "fflush" | "putchar" | "getchar" => &[],
        "getline" => &[Writes(0, Pointee), Writes(1, Pointee), Present(2)],
        "perror" => &[OptionalText(0)],
        "fopen" | "popen" | "fopen64" => &[Text(0), Text(1)],
        "freopen" => &[OptionalText(0), Text(1), Present(2)],
        "fdopen" => &[Text(1)],
        "fgetpos" | "fgetpos64" => &[Present(0), Writes(1, Pointee)],
        "fsetpos" | "fsetpos64" => &[Present(0), Reads(1, Pointee)],
        "setvbuf" | "setbuf" => &[Present(0)],
        "getdelim" => &[Writes(0, Pointee), Writes(1, Pointee), Present(3)],
        "tmpfile" => &[],
        "asprintf" => &[Format(1, 2), Writes(0, Pointee)],
        "vasprintf" => &[Writes(0, Pointee), Text(1), More],
        "printf" | "printk" => &[Format(0, 1)],
        "fscanf" => &[Present(0), More],
        "fprintf" => &[Present(0), Format(1, 2)],
        "dprintf" | "syslog" => &[Format(1, 2)],
        "sprintf" => &[Format(1, 2)],
        "snprintf" => &[Format(2, 3)],
        "vprintf" => &[Text(0), More],
        "vfprintf" | "vdprintf" | "vsprintf" => &[Text(1), More],
        "vsnprintf" => &[MayTouch(0, Arg(1)), Text(2), More],
        _ => return None,
    })
}

/// Files and processes.
fn files(name: &str) -> Option<&'static [Need]> {
    Some(match name {
        "read" | "pread" | "recv" => &[Writes(1, Arg(2))],
        "write" | "pwrite" | "send" => &[Reads(1, Arg(2))],
        "open" | "open64" | "creat" | "access" | "chdir" | "mkdir" | "rmdir" | "remove" | "unlink"
        | "opendir" | "chmod" | "chroot" | "getenv" | "unsetenv" | "putenv" => &[Text(0)],
        "system" => &[OptionalText(0)],
        "rename" | "link" | "symlink" | "setenv" => &[Text(0), Text(1)],
        "openlog" => &[OptionalText(0)],
        "getcwd" => &[OptionalWrites(0, Arg(1))],
        "gethostname" | "getdomainname" => &[Writes(0, Arg(1))],
        "readlink" => &[Text(0), Writes(1, Arg(2))],
        "stat" | "lstat" | "stat64" | "lstat64" | "statvfs" | "statfs" => &[Text(0), Writes(1, Pointee)],
        "fstat" | "fstat64" | "fstatvfs" | "fstatfs" | "getrlimit" | "getrusage" => &[Writes(1, Pointee)],
        "setrlimit" => &[Reads(1, Pointee)],
        "pipe" | "pipe2" => &[Writes(0, Bytes(8))],
        "uname" | "sysinfo" => &[Writes(0, Pointee)],
        "times" | "wait" => &[OptionalWrites(0, Pointee)],
        "waitpid" => &[OptionalWrites(1, Pointee)],
        _ => return None,
    })
}

/// Time, numbers, locks of a program with one thread.
fn others(name: &str) -> Option<&'static [Need]> {
    Some(match name {
        "time" => &[OptionalWrites(0, Pointee)],
        "gettimeofday" => &[OptionalWrites(0, Pointee), OptionalWrites(1, Pointee)],
        "clock_gettime" => &[Writes(1, Pointee)],
        "clock_getres" => &[OptionalWrites(1, Pointee)],
        "nanosleep" => &[Reads(0, Pointee), OptionalWrites(1, Pointee)],
        "gmtime" | "localtime" | "ctime" | "asctime" => &[Reads(0, Pointee)],
        "gmtime_r" | "localtime_r" => &[Reads(0, Pointee), Writes(1, Pointee)],
        "ctime_r" | "asctime_r" => &[Reads(0, Pointee), Writes(1, Bytes(26))],
        "mktime" | "timegm" => &[Writes(0, Pointee)],
        "strftime" => &[MayTouch(0, Arg(1)), Text(2), Reads(3, Pointee)],
        "strtod" | "strtof" | "strtold" => &[Text(0), OptionalWrites(1, Pointee)],
        "atof" | "nan" | "nanf" => &[Text(0)],
        "frexp" | "frexpf" | "modf" | "modff" => &[Writes(1, Pointee)],
        "setlocale" => &[OptionalText(1)],
        "signal" | "atexit" => &[],
        "pthread_attr_init"
        | "pthread_attr_destroy"
        | "pthread_mutexattr_init"
        | "pthread_mutexattr_destroy"
        | "pthread_mutexattr_settype" => &[Writes(0, Pointee)],
        "pthread_mutex_init" | "pthread_rwlock_init" | "pthread_cond_init" => {
            &[Writes(0, Pointee), OptionalReads(1, Pointee)]
        }
        "pthread_mutex_destroy"
        | "pthread_mutex_lock"
        | "pthread_mutex_unlock"
        | "pthread_mutex_trylock"
        | "pthread_spin_init"
        | "pthread_spin_destroy"
        | "pthread_spin_lock"
        | "pthread_spin_unlock"
        | "pthread_rwlock_destroy"
        | "pthread_rwlock_rdlock"
        | "pthread_rwlock_wrlock"
        | "pthread_rwlock_unlock"
        | "pthread_cond_destroy"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "pthread_once" => &[Reads(0, Pointee)],
        "pthread_cond_wait" => &[Reads(0, Pointee), Reads(1, Pointee)],
        _ => return None,
    })
}
