//! The functions of the C library, one row for those that are alike: what a call reads and writes, its result
//! where no model computes that, the cases in which it fails and what is true then, what it allocates, whether
//! a second call gives the same result, and what else the result depends on. The front end takes its contracts,
//! results and doubts from here, and docs/guide/library.md shows the rows. Sources: C17, POSIX.1-2017, and
//! glibc's manual for its own functions.

use super::Answer::{self, Absolute, Any, Float, Size, Void};
use crate::library::contracts::Len::{Arg, Bytes, Input, Pointee, Product};
use crate::library::contracts::Need::{
    self, Format, MayTouch, More, OptionalReads, OptionalText, OptionalWrites, Present, Reads, Text, Writes,
};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Facts about functions that are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The header that declares them.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "shown on the page of the library, which a test renews")
    )]
    pub(crate) header: &'static str,
    /// Their names, with blanks between.
    pub(crate) names: &'static str,
    /// The needs of a call; `None` where they are not known.
    pub(crate) needs: Option<&'static [Need]>,
    /// The models make these accesses themselves, so that calls need no check.
    pub(crate) by_model: bool,
    /// The result of a call where no model gives it.
    pub(crate) answer: Option<Answer>,
    /// In which cases it fails, and what is true then.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "shown on the page of the library, which a test renews")
    )]
    pub(crate) fails: &'static str,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "shown on the page of the library, which a test renews")
    )]
    pub(crate) allocates: Allocates,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "shown on the page of the library, which a test renews")
    )]
    pub(crate) again: Again,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "shown on the page of the library, which a test renews")
    )]
    pub(crate) depends: &'static [Setting],
}

/// Memory that a function allocates and the caller must free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Allocates {
    Nothing,
    /// A block, which its model allocates.
    Block,
}

/// How the result of a second call relates to the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// Its arguments, and the memory that it reads, decide.
    Same,
    /// The same until something changes it.
    Stable,
    /// Something else, perhaps.
    Other,
}

/// A setting on which a result depends besides arguments and memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Setting {
    /// `setlocale`.
    Locale,
    /// `TZ`.
    Zone,
    /// `fesetround`.
    Rounding,
    /// The environment's variables.
    Environment,
}

use Again::{Other, Stable};
use Allocates::Block;
use Setting::{Environment, Locale, Rounding, Zone};

impl Row {
    const fn of(header: &'static str, names: &'static str) -> Row {
        Row {
            header,
            names,
            needs: None,
            by_model: false,
            answer: None,
            fails: "",
            allocates: Allocates::Nothing,
            again: Again::Same,
            depends: &[],
        }
    }

    /// Checked at the call.
    const fn needs(self, needs: &'static [Need]) -> Row {
        Row { needs: Some(needs), ..self }
    }

    /// Made by the model.
    const fn makes(self, needs: &'static [Need]) -> Row {
        Row { needs: Some(needs), by_model: true, ..self }
    }

    const fn answers(self, answer: Answer) -> Row {
        Row { answer: Some(answer), ..self }
    }

    const fn fails(self, fails: &'static str) -> Row {
        Row { fails, ..self }
    }

    const fn allocates(self, allocates: Allocates) -> Row {
        Row { allocates, ..self }
    }

    const fn again(self, again: Again) -> Row {
        Row { again, ..self }
    }

    const fn on(self, depends: &'static [Setting]) -> Row {
        Row { depends, ..self }
    }
}

const CTYPE: &str = "ctype.h";
const MATH: &str = "math.h";
const PTHREAD: &str = "pthread.h";
const STDIO: &str = "stdio.h";
const STDLIB: &str = "stdlib.h";
const STRING: &str = "string.h";
const STRINGS: &str = "strings.h";
const THREADS: &str = "threads.h";
const TIME: &str = "time.h";
const UNISTD: &str = "unistd.h";
const GCC: &str = "gcc";

const NULL_ERRNO: &str = "NULL, errno";
const MINUS_ERRNO: &str = "-1, errno";
const EOF_ERRNO: &str = "EOF, errno";
const FULL: &str = "no memory: NULL, ENOMEM";
const RANGE: &str = "out of the range or the domain: errno";

/// The rows. A function that is in none of them and has no model may do anything.
pub(crate) const ROWS: &[Row] = &[
    Row::of(
        CTYPE,
        "isalnum isalpha isblank iscntrl isgraph islower isprint ispunct isspace isupper tolower toupper",
    )
    .on(&[Locale]),
    Row::of(CTYPE, "isdigit isxdigit isascii toascii"),
    Row::of("errno.h", "__errno_location"),
    // <stdio.h>: streams.
    Row::of(STDIO, "fopen fopen64").needs(&[Text(0), Text(1)]).fails(NULL_ERRNO).again(Other),
    Row::of(STDIO, "popen").needs(&[Text(0), Text(1)]).fails(NULL_ERRNO).again(Other),
    Row::of(STDIO, "fdopen").needs(&[Text(1)]).fails(NULL_ERRNO).again(Other),
    Row::of(STDIO, "tmpfile").needs(&[]).fails(NULL_ERRNO).again(Other),
    Row::of(STDIO, "fmemopen").needs(&[MayTouch(0, Arg(1)), Text(2)]).fails(NULL_ERRNO).again(Other),
    Row::of(STDIO, "freopen")
        .needs(&[OptionalText(0), Text(1), Present(2)])
        .fails("NULL, errno; the stream is closed")
        .again(Other),
    Row::of(STDIO, "setvbuf setbuf").needs(&[Present(0)]).fails("not 0").again(Other),
    Row::of(STDIO, "fclose pclose fseek fseeko")
        .needs(&[Present(0)])
        .answers(Any)
        .fails(MINUS_ERRNO)
        .again(Other),
    Row::of(STDIO, "feof ferror fileno").needs(&[Present(0)]).answers(Any).again(Other),
    Row::of(STDIO, "ftell ftello").needs(&[Present(0)]).answers(Any).fails(MINUS_ERRNO).again(Other),
    Row::of(STDIO, "rewind clearerr").needs(&[Present(0)]).answers(Void),
    Row::of(STDIO, "fflush").needs(&[]).answers(Any).fails(EOF_ERRNO).again(Other),
    Row::of(STDIO, "fgetpos fgetpos64")
        .needs(&[Present(0), Writes(1, Pointee)])
        .fails("not 0, errno")
        .again(Other),
    Row::of(STDIO, "fsetpos fsetpos64")
        .needs(&[Present(0), Reads(1, Pointee)])
        .fails("not 0, errno")
        .again(Other),
    // <stdio.h>: input.
    Row::of(STDIO, "getchar").needs(&[]).fails("the end, or an error: EOF").again(Other),
    Row::of(STDIO, "fgetc getc _IO_getc")
        .needs(&[Present(0)])
        .fails("the end, or an error: EOF")
        .again(Other),
    Row::of(STDIO, "ungetc").needs(&[Present(1)]).answers(Any).fails("EOF").again(Other),
    Row::of(STDIO, "fgets")
        .needs(&[Writes(0, Arg(1)), Present(2)])
        .fails("the end before any character: NULL, the array as it was; an error: NULL, the array is any")
        .again(Other),
    Row::of(STDIO, "gets")
        .needs(&[Writes(0, Input)])
        .fails("the end before any character: NULL, the array as it was; an error: NULL, the array is any")
        .again(Other),
    Row::of(STDIO, "fread")
        .needs(&[Writes(0, Product(1, 2)), Present(3)])
        .fails("fewer elements; what stands in the one that is broken off is any")
        .again(Other),
    Row::of(STDIO, "getline")
        .needs(&[Writes(0, Pointee), Writes(1, Pointee), Present(2)])
        .fails("the end, an error, no memory: -1; a buffer may have been made, and what stands in it is any")
        .allocates(Block)
        .again(Other),
    Row::of(STDIO, "getdelim")
        .needs(&[Writes(0, Pointee), Writes(1, Pointee), Present(3)])
        .fails("as `getline`")
        .allocates(Block)
        .again(Other),
    Row::of(STDIO, "scanf").fails("the number of conversions before; EOF").again(Other),
    Row::of(STDIO, "fscanf")
        .needs(&[Present(0), More])
        .fails("the number of conversions before; EOF")
        .again(Other),
    Row::of(STDIO, "sscanf").fails("the number of conversions before; EOF").on(&[Locale]),
    // <stdio.h>: output.
    Row::of(STDIO, "printf printk").needs(&[Format(0, 1)]).answers(Any).fails("negative, errno").again(Other),
    Row::of(STDIO, "fprintf")
        .needs(&[Present(0), Format(1, 2)])
        .answers(Any)
        .fails("negative, errno")
        .again(Other),
    Row::of(STDIO, "dprintf").needs(&[Format(1, 2)]).answers(Any).fails("negative, errno").again(Other),
    Row::of(STDIO, "vprintf").needs(&[Text(0), More]).answers(Any).fails("negative, errno").again(Other),
    Row::of(STDIO, "vfprintf").needs(&[Text(1), More]).answers(Any).fails("negative, errno").again(Other),
    Row::of(STDIO, "vdprintf").needs(&[Text(1), More]).fails("negative, errno").again(Other),
    Row::of(STDIO, "puts").needs(&[Text(0)]).answers(Any).fails(EOF_ERRNO).again(Other),
    Row::of(STDIO, "fputs").needs(&[Text(0), Present(1)]).answers(Any).fails(EOF_ERRNO).again(Other),
    Row::of(STDIO, "putchar").needs(&[]).answers(Any).fails(EOF_ERRNO).again(Other),
    Row::of(STDIO, "fputc putc").needs(&[Present(1)]).answers(Any).fails(EOF_ERRNO).again(Other),
    Row::of(STDIO, "_IO_putc").needs(&[Present(1)]).fails(EOF_ERRNO).again(Other),
    Row::of(STDIO, "fwrite")
        .needs(&[Reads(0, Product(1, 2)), Present(3)])
        .answers(Size)
        .fails("fewer elements, errno")
        .again(Other),
    Row::of(STDIO, "perror").needs(&[OptionalText(0)]).answers(Void),
    Row::of(STDIO, "remove").needs(&[Text(0)]).answers(Any).fails(MINUS_ERRNO).again(Other),
    Row::of(STDIO, "rename").needs(&[Text(0), Text(1)]).answers(Any).fails(MINUS_ERRNO).again(Other),
    // <stdio.h>: texts in memory.
    Row::of(STDIO, "sprintf").needs(&[Format(1, 2)]).fails("negative, errno").on(&[Locale]),
    Row::of(STDIO, "snprintf").needs(&[Format(2, 3)]).fails("negative, errno").on(&[Locale]),
    Row::of(STDIO, "vsprintf").needs(&[Text(1), More]).fails("negative, errno").on(&[Locale]),
    Row::of(STDIO, "vsnprintf")
        .needs(&[MayTouch(0, Arg(1)), Text(2), More])
        .fails("negative, errno")
        .on(&[Locale]),
    Row::of(STDIO, "asprintf")
        .needs(&[Format(1, 2), Writes(0, Pointee)])
        .fails("no memory: -1; the pointer is NULL, or as it was")
        .allocates(Block)
        .on(&[Locale]),
    Row::of(STDIO, "vasprintf")
        .needs(&[Writes(0, Pointee), Text(1), More])
        .fails("no memory: -1; the pointer is NULL, or as it was")
        .allocates(Block)
        .on(&[Locale]),
    Row::of(STDIO, "tempnam")
        .needs(&[OptionalText(0), OptionalText(1)])
        .fails(NULL_ERRNO)
        .allocates(Block)
        .again(Other),
    // <stdlib.h>.
    Row::of(STDLIB, "malloc valloc aligned_alloc memalign").fails(FULL).allocates(Block).again(Other),
    Row::of(STDLIB, "calloc")
        .fails("no memory, or the product is no size: NULL, ENOMEM")
        .allocates(Block)
        .again(Other),
    Row::of(STDLIB, "realloc")
        .fails("no memory: NULL, ENOMEM; the block is as it was")
        .allocates(Block)
        .again(Other),
    Row::of(STDLIB, "reallocarray")
        .fails("as `realloc`, and where the product is no size")
        .allocates(Block)
        .again(Other),
    Row::of(STDLIB, "posix_memalign")
        .fails("EINVAL unless it is an alignment, ENOMEM; the pointer is as it was")
        .allocates(Block)
        .again(Other),
    Row::of(STDLIB, "free"),
    Row::of(STDLIB, "abs labs llabs imaxabs").answers(Absolute),
    Row::of(STDLIB, "div ldiv lldiv"),
    Row::of(STDLIB, "atoi atol atoll").makes(&[Text(0)]).on(&[Locale]),
    Row::of(STDLIB, "strtol strtoll strtoul strtoull strtoimax strtoumax")
        .makes(&[Text(0), OptionalWrites(1, Pointee)])
        .fails(
            "no number: 0, the end is the beginning; too large: the type's bound, ERANGE; no base: 0, EINVAL",
        )
        .on(&[Locale]),
    Row::of(STDLIB, "strtod strtof strtold")
        .needs(&[Text(0), OptionalWrites(1, Pointee)])
        .fails("no number: 0; out of range: ERANGE")
        .on(&[Locale, Rounding]),
    Row::of(STDLIB, "atof").needs(&[Text(0)]).on(&[Locale, Rounding]),
    Row::of(STDLIB, "qsort").makes(&[Writes(0, Product(1, 2))]),
    Row::of(STDLIB, "bsearch").makes(&[Reads(1, Product(2, 3))]).fails("no element: NULL"),
    Row::of(STDLIB, "rand random lrand48 mrand48").again(Other),
    Row::of(STDLIB, "rand_r").makes(&[Writes(0, Pointee)]),
    Row::of(STDLIB, "srand srandom srand48").answers(Void),
    Row::of(STDLIB, "getenv secure_getenv")
        .needs(&[Text(0)])
        .fails("no variable: NULL")
        .again(Stable)
        .on(&[Environment]),
    Row::of(STDLIB, "setenv").needs(&[Text(0), Text(1)]).fails(MINUS_ERRNO).again(Other),
    Row::of(STDLIB, "unsetenv putenv").needs(&[Text(0)]).fails(MINUS_ERRNO).again(Other),
    Row::of(STDLIB, "system").needs(&[OptionalText(0)]).fails(MINUS_ERRNO).again(Other),
    Row::of(STDLIB, "atexit at_quick_exit").needs(&[]).fails("not 0"),
    Row::of(STDLIB, "abort exit quick_exit _Exit"),
    Row::of(STDLIB, "realpath")
        .needs(&[Text(0), OptionalWrites(1, Bytes(4096))])
        .fails(NULL_ERRNO)
        .allocates(Block)
        .again(Other),
    // <string.h> and <strings.h>: the models make the accesses.
    Row::of(STRING, "strlen").makes(&[Text(0)]),
    Row::of(STRING, "strnlen").makes(&[MayTouch(0, Arg(1))]),
    Row::of(STRING, "strcpy stpcpy strcat").makes(&[Text(1), Writes(0, Input)]),
    Row::of(STRING, "strncpy stpncpy").makes(&[Writes(0, Arg(2)), MayTouch(1, Arg(2))]),
    Row::of(STRING, "strncat").makes(&[Text(0), MayTouch(1, Arg(2))]),
    Row::of(STRING, "strcmp").makes(&[Text(0), Text(1)]),
    Row::of(STRING, "strcoll").makes(&[Text(0), Text(1)]).on(&[Locale]),
    Row::of(STRING, "strncmp").makes(&[MayTouch(0, Arg(2)), MayTouch(1, Arg(2))]),
    Row::of(STRING, "strchr strchrnul strrchr").makes(&[Text(0)]),
    Row::of(STRING, "strspn strcspn strpbrk strstr").makes(&[Text(0), Text(1)]),
    Row::of(STRING, "strcasestr").makes(&[Text(0), Text(1)]).on(&[Locale]),
    Row::of(STRING, "strtok").makes(&[OptionalText(0), Text(1)]).fails("no word: NULL"),
    Row::of(STRING, "strtok_r").makes(&[OptionalText(0), Text(1), Writes(2, Pointee)]).fails("no word: NULL"),
    Row::of(STRING, "strsep").makes(&[Writes(0, Pointee), Text(1)]).fails("no word: NULL"),
    Row::of(STRING, "strdup").makes(&[Text(0)]).fails(FULL).allocates(Block).again(Other),
    Row::of(STRING, "strndup").makes(&[MayTouch(0, Arg(1))]).fails(FULL).allocates(Block).again(Other),
    Row::of(STRING, "strxfrm").makes(&[MayTouch(0, Arg(2)), Text(1)]).on(&[Locale]),
    Row::of(STRING, "strlcpy").makes(&[MayTouch(0, Arg(2)), Text(1)]),
    Row::of(STRING, "strlcat").makes(&[MayTouch(0, Arg(2)), Text(1)]),
    Row::of(STRING, "memcpy memmove mempcpy").makes(&[Writes(0, Arg(2)), Reads(1, Arg(2))]),
    Row::of(STRING, "memset").makes(&[Writes(0, Arg(2))]),
    Row::of(STRING, "explicit_bzero").makes(&[Writes(0, Arg(1))]),
    Row::of(STRING, "memccpy").makes(&[MayTouch(0, Arg(3)), MayTouch(1, Arg(3))]),
    Row::of(STRING, "memchr").makes(&[MayTouch(0, Arg(2))]),
    Row::of(STRING, "rawmemchr").makes(&[MayTouch(0, Input)]),
    Row::of(STRING, "memrchr").makes(&[Reads(0, Arg(2))]),
    Row::of(STRING, "memcmp").makes(&[Reads(0, Arg(2)), Reads(1, Arg(2))]),
    Row::of(STRING, "memmem").makes(&[Reads(0, Arg(1)), Reads(2, Arg(3))]),
    Row::of(STRING, "strerror").again(Stable).on(&[Locale]),
    Row::of(STRING, "strsignal").fails("not a signal: NULL").again(Stable).on(&[Locale]),
    Row::of(STRINGS, "bcmp").makes(&[Reads(0, Arg(2)), Reads(1, Arg(2))]),
    Row::of(STRINGS, "bcopy").makes(&[Reads(0, Arg(2)), Writes(1, Arg(2))]),
    Row::of(STRINGS, "bzero").makes(&[Writes(0, Arg(1))]),
    Row::of(STRINGS, "index rindex").makes(&[Text(0)]),
    Row::of(STRINGS, "strcasecmp").makes(&[Text(0), Text(1)]).on(&[Locale]),
    Row::of(STRINGS, "strncasecmp").makes(&[MayTouch(0, Arg(2)), MayTouch(1, Arg(2))]).on(&[Locale]),
    Row::of(STRINGS, "ffs ffsl ffsll"),
    Row::of("wchar.h", "wcsdup").fails(FULL).allocates(Block).again(Other),
    // <time.h>.
    Row::of(TIME, "time").needs(&[OptionalWrites(0, Pointee)]).fails("-1").again(Other),
    Row::of(TIME, "clock").fails("-1").again(Other),
    Row::of(TIME, "clock_gettime").needs(&[Writes(1, Pointee)]).fails(MINUS_ERRNO).again(Other),
    Row::of(TIME, "clock_getres").needs(&[OptionalWrites(1, Pointee)]).fails(MINUS_ERRNO).again(Other),
    Row::of(TIME, "nanosleep")
        .needs(&[Reads(0, Pointee), OptionalWrites(1, Pointee)])
        .fails(MINUS_ERRNO)
        .again(Other),
    Row::of(TIME, "difftime"),
    Row::of(TIME, "gmtime").needs(&[Reads(0, Pointee)]).fails("a year that is no `int`: NULL, EOVERFLOW"),
    Row::of(TIME, "gmtime_r")
        .needs(&[Reads(0, Pointee), Writes(1, Pointee)])
        .fails("a year that is no `int`: NULL, EOVERFLOW"),
    Row::of(TIME, "localtime").needs(&[Reads(0, Pointee)]).fails("as `gmtime`").on(&[Zone]),
    Row::of(TIME, "localtime_r")
        .needs(&[Reads(0, Pointee), Writes(1, Pointee)])
        .fails("as `gmtime`")
        .on(&[Zone]),
    Row::of(TIME, "ctime").needs(&[Reads(0, Pointee)]).fails(NULL_ERRNO).on(&[Zone]),
    Row::of(TIME, "asctime").needs(&[Reads(0, Pointee)]).fails(NULL_ERRNO),
    Row::of(TIME, "ctime_r").needs(&[Reads(0, Pointee), Writes(1, Bytes(26))]).fails(NULL_ERRNO).on(&[Zone]),
    Row::of(TIME, "asctime_r").needs(&[Reads(0, Pointee), Writes(1, Bytes(26))]).fails(NULL_ERRNO),
    Row::of(TIME, "mktime").needs(&[Writes(0, Pointee)]).fails("-1, EOVERFLOW").on(&[Zone]),
    Row::of(TIME, "timegm").needs(&[Writes(0, Pointee)]).fails("-1, EOVERFLOW"),
    Row::of(TIME, "strftime")
        .needs(&[MayTouch(0, Arg(1)), Text(2), Reads(3, Pointee)])
        .fails("no room: 0, the array is any")
        .on(&[Locale, Zone]),
    Row::of("sys/time.h", "gettimeofday")
        .needs(&[OptionalWrites(0, Pointee), OptionalWrites(1, Pointee)])
        .fails(MINUS_ERRNO)
        .again(Other),
    // <math.h>. Models and the front end give more of most of them.
    Row::of(
        MATH,
        "fabs fmin fmax copysign nextafter fabsf fminf fmaxf copysignf fabsl floor ceil round trunc \
                   floorf ceilf roundf truncf floorl ceill",
    )
    .answers(Float),
    Row::of(MATH, "rint nearbyint rintf nearbyintf sqrt sqrtf sqrtl fma remainder remainderf ldexp")
        .answers(Float)
        .fails(RANGE)
        .on(&[Rounding]),
    Row::of(
        MATH,
        "sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 log log2 log10 pow cbrt hypot sinf cosf \
                   tanf expf logf powf powl",
    )
    .answers(Float)
    .fails(RANGE)
    .on(&[Rounding]),
    Row::of(STDLIB, "drand48").answers(Float).again(Other),
    Row::of(MATH, "nan nanf").needs(&[Text(0)]).answers(Float),
    Row::of(MATH, "frexp frexpf modf modff").needs(&[Writes(1, Pointee)]),
    Row::of(MATH, "lround llround lrint llrint ilogb lroundf").answers(Any).fails(RANGE).on(&[Rounding]),
    Row::of(
        MATH,
        "__isnan __isinf __isnanf __isinff __finite __finitef __signbit __signbitf __fpclassify \
                   __fpclassifyf __fpclassifyl __isnanl __isinfl __signbitl __finitel",
    )
    .answers(Any),
    Row::of(
        GCC,
        "__builtin_isinf __builtin_isnormal __builtin_signbit __builtin_fpclassify __builtin_signbitf \
                  __builtin_signbitl",
    )
    .answers(Any),
    Row::of(
        GCC,
        "__builtin_prefetch __builtin_va_start __builtin_va_end __builtin_va_copy __builtin___clear_cache \
                  __sync_synchronize",
    )
    .answers(Void),
    Row::of("locale.h", "setlocale")
        .needs(&[OptionalText(1)])
        .fails("no such locale: NULL, the locale is as it was")
        .again(Stable)
        .on(&[Environment]),
    // Files and processes.
    Row::of(UNISTD, "read pread recv").needs(&[Writes(1, Arg(2))]).fails(MINUS_ERRNO).again(Other),
    Row::of(UNISTD, "write").needs(&[Reads(1, Arg(2))]).answers(Any).fails(MINUS_ERRNO).again(Other),
    Row::of(UNISTD, "pwrite send").needs(&[Reads(1, Arg(2))]).fails(MINUS_ERRNO).again(Other),
    Row::of(UNISTD, "close fsync").answers(Any).fails(MINUS_ERRNO).again(Other),
    Row::of(UNISTD, "usleep sched_yield").answers(Any).fails(MINUS_ERRNO).again(Other),
    Row::of(UNISTD, "sleep alarm").again(Other),
    Row::of(UNISTD, "getpid getppid getuid geteuid isatty").answers(Any).again(Other),
    Row::of(UNISTD, "open open64 creat access chdir mkdir rmdir chmod chroot")
        .needs(&[Text(0)])
        .fails(MINUS_ERRNO)
        .again(Other),
    Row::of(UNISTD, "unlink").needs(&[Text(0)]).answers(Any).fails(MINUS_ERRNO).again(Other),
    Row::of("dirent.h", "opendir").needs(&[Text(0)]).fails(NULL_ERRNO).again(Other),
    Row::of(UNISTD, "link symlink").needs(&[Text(0), Text(1)]).fails(MINUS_ERRNO).again(Other),
    Row::of("syslog.h", "openlog").needs(&[OptionalText(0)]).answers(Void),
    Row::of("syslog.h", "syslog").needs(&[Format(1, 2)]).answers(Void),
    Row::of("syslog.h", "closelog").answers(Void),
    Row::of(UNISTD, "sync").answers(Void),
    Row::of(UNISTD, "swab").makes(&[Reads(0, Arg(2)), Writes(1, Arg(2))]),
    Row::of(UNISTD, "getcwd")
        .needs(&[OptionalWrites(0, Arg(1))])
        .fails(NULL_ERRNO)
        .allocates(Block)
        .again(Other),
    Row::of(UNISTD, "gethostname getdomainname").needs(&[Writes(0, Arg(1))]).fails(MINUS_ERRNO).again(Other),
    Row::of(UNISTD, "readlink").needs(&[Text(0), Writes(1, Arg(2))]).fails(MINUS_ERRNO).again(Other),
    Row::of("sys/stat.h", "stat lstat stat64 lstat64 statvfs statfs")
        .needs(&[Text(0), Writes(1, Pointee)])
        .fails(MINUS_ERRNO)
        .again(Other),
    Row::of("sys/stat.h", "fstat fstat64 fstatvfs fstatfs")
        .needs(&[Writes(1, Pointee)])
        .fails(MINUS_ERRNO)
        .again(Other),
    Row::of("sys/resource.h", "getrlimit getrusage")
        .needs(&[Writes(1, Pointee)])
        .fails(MINUS_ERRNO)
        .again(Other),
    Row::of("sys/resource.h", "setrlimit").needs(&[Reads(1, Pointee)]).fails(MINUS_ERRNO).again(Other),
    Row::of(UNISTD, "pipe pipe2")
        .needs(&[Writes(0, Bytes(8))])
        .fails("-1, errno; the array is as it was")
        .again(Other),
    Row::of("sys/utsname.h", "uname sysinfo").needs(&[Writes(0, Pointee)]).fails(MINUS_ERRNO).again(Other),
    Row::of("sys/wait.h", "times wait").needs(&[OptionalWrites(0, Pointee)]).fails(MINUS_ERRNO).again(Other),
    Row::of("sys/wait.h", "waitpid").needs(&[OptionalWrites(1, Pointee)]).fails(MINUS_ERRNO).again(Other),
    Row::of("signal.h", "signal").needs(&[]).fails("SIG_ERR, errno"),
    // Threads and locks.
    Row::of(PTHREAD, "pthread_self").answers(Any).again(Stable),
    Row::of(PTHREAD, "pthread_equal").answers(Any),
    Row::of(
        PTHREAD,
        "pthread_attr_init pthread_attr_destroy pthread_mutexattr_init pthread_mutexattr_destroy",
    )
    .needs(&[Writes(0, Pointee)]),
    Row::of(PTHREAD, "pthread_mutexattr_settype").needs(&[Writes(0, Pointee)]).fails("no kind: EINVAL"),
    Row::of(PTHREAD, "pthread_mutex_init pthread_rwlock_init pthread_cond_init")
        .needs(&[Writes(0, Pointee), OptionalReads(1, Pointee)]),
    Row::of(PTHREAD, "pthread_mutex_lock pthread_mutex_unlock pthread_mutex_trylock")
        .needs(&[Reads(0, Pointee)])
        .fails("EDEADLK, EPERM for kinds that report errors; EBUSY"),
    Row::of(PTHREAD, "pthread_rwlock_rdlock pthread_rwlock_wrlock")
        .needs(&[Reads(0, Pointee)])
        .fails("the thread writes: EDEADLK"),
    Row::of(
        PTHREAD,
        "pthread_mutex_destroy pthread_spin_init pthread_spin_destroy pthread_spin_lock \
                      pthread_spin_unlock pthread_rwlock_destroy pthread_rwlock_unlock pthread_cond_destroy \
                      pthread_cond_signal pthread_cond_broadcast pthread_once",
    )
    .needs(&[Reads(0, Pointee)]),
    Row::of(PTHREAD, "pthread_cond_wait").needs(&[Reads(0, Pointee), Reads(1, Pointee)]),
    Row::of(THREADS, "thrd_current").again(Stable),
    Row::of("verifiers", "__VERIFIER_atomic_begin __VERIFIER_atomic_end __VERIFIER_yield free_unused")
        .answers(Void),
];

/// The row of the function of this name.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    static ROW: OnceLock<FxHashMap<&'static str, &'static Row>> = OnceLock::new();
    let rows = ROW.get_or_init(|| {
        ROWS.iter().flat_map(|row| row.names.split_whitespace().map(move |name| (name, row))).collect()
    });
    rows.get(name).copied()
}
