//! Compares the table of docs/guide/library.md with the front end: for each function of the headers of C, how
//! exactly a call is understood. The text of a model decides: it is exact unless something arbitrary or an
//! input goes into it.

use crate::library::contracts::{Len, Need};
use crate::library::intrinsics::plain_intrinsic;
use crate::library::{self, Again, Allocates, Answer, ROWS, Setting, contract, models};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// How exactly a call is understood.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Treatment {
    Exact,
    Range,
    Arbitrary,
    WithoutModel,
    Refused,
}

const COLUMNS: [Treatment; 5] =
    [Treatment::Exact, Treatment::Range, Treatment::Arbitrary, Treatment::WithoutModel, Treatment::Refused];

/// The functions of the headers, by C11 and POSIX and with what is usual besides.
const HEADERS: [(&str, &str); 10] = [
    ("assert.h", "__assert_fail"),
    (
        "ctype.h",
        "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower \
         toupper isascii toascii",
    ),
    ("errno.h", "__errno_location"),
    ("setjmp.h", "_setjmp longjmp setjmp siglongjmp sigsetjmp"),
    (
        "signal.h",
        "kill psignal raise sigaction sigaddset sigdelset sigemptyset sigfillset sigismember signal sigpending \
         sigprocmask sigsuspend sigwait",
    ),
    (
        "stdio.h",
        "asprintf clearerr dprintf fclose fdopen feof ferror fflush fgetc fgetpos fgets fileno flockfile fmemopen fopen \
         fprintf fputc fputs fread freopen fscanf fseek fseeko fsetpos ftell ftello funlockfile fwrite getc \
         getc_unlocked getchar getchar_unlocked getdelim getline gets open_memstream pclose perror popen printf putc \
         putc_unlocked putchar putchar_unlocked puts remove rename rewind scanf setbuf setvbuf snprintf sprintf sscanf \
         tmpfile tmpnam ungetc vasprintf vdprintf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf",
    ),
    (
        "stdlib.h",
        "_Exit abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc div drand48 exit free \
         getenv labs ldiv llabs lldiv lrand48 malloc mblen mbstowcs mbtowc mkstemp mrand48 on_exit posix_memalign putenv \
         qsort qsort_r quick_exit rand rand_r random realloc reallocarray realpath secure_getenv setenv srand srand48 \
         srandom strtod strtof strtol strtold strtoll strtoul strtoull system unsetenv wcstombs wctomb",
    ),
    (
        "string.h",
        "explicit_bzero memccpy memchr memcmp memcpy memmem memmove mempcpy memrchr memset rawmemchr stpcpy stpncpy \
         strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn strdup strerror strerror_r strlcat strlcpy strlen \
         strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtok strtok_r \
         strverscmp strxfrm",
    ),
    ("strings.h", "bcmp bcopy bzero ffs ffsl ffsll index rindex strcasecmp strncasecmp"),
    (
        "time.h",
        "asctime asctime_r clock clock_getres clock_gettime ctime ctime_r difftime gmtime gmtime_r localtime localtime_r \
         mktime nanosleep strftime strptime time timegm timespec_get tzset",
    ),
];

/// A body without the statements that are there for other locales.
fn in_the_c_locale(body: &[&str]) -> String {
    let mut out = vec![];
    let mut lines = body.iter();
    while let Some(line) = lines.next() {
        if !line.trim_start().starts_with("if (__slam_sets_locale()") {
            out.push(*line);
        } else if line.ends_with('{') {
            lines.by_ref().take_while(|line| **line != "  }").for_each(drop);
        } else {
            lines.next();
        }
    }
    out.join("\n")
}

/// The bodies of the functions of the models, in the C locale.
fn bodies() -> FxHashMap<String, String> {
    let mut out = FxHashMap::default();
    for (_, text) in models::FILES {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.ends_with('{')
                && line.starts_with(|c: char| c.is_ascii_alphabetic())
                && line.contains('(')
            {
                let name = line[..line.find('(').unwrap_or(0)].rsplit([' ', '*']).next().unwrap_or_default();
                let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "}").collect();
                out.insert(name.to_owned(), in_the_c_locale(&body));
            }
        }
    }
    out
}

/// The names in a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty())
}

fn is_open(name: &str) -> bool {
    ["__slam_any_", "__slam_input_", "__slam_text_"].iter().any(|open| name.starts_with(open))
        || name == "__slam_environment"
}

/// How exact a model is.
fn of_model(name: &str, bodies: &FxHashMap<String, String>) -> Option<Treatment> {
    let body = bodies.get(name)?;
    let only = body.trim().strip_prefix("return ").and_then(|b| b.strip_suffix("();"));
    if only.is_some_and(is_open) {
        return Some(Treatment::Arbitrary);
    }
    let (mut todo, mut seen) = (vec![name], BTreeSet::new());
    while let Some(name) = todo.pop() {
        for used in names(bodies.get(name).map_or("", String::as_str)) {
            if is_open(used) {
                return Some(Treatment::Range);
            }
            // An allocation is exact but for its failure.
            if bodies.contains_key(used) && seen.insert(used) {
                todo.push(used);
            }
        }
    }
    Some(Treatment::Exact)
}

/// How exactly a call of a function is understood; `None` where it is not the library's.
fn treatment(name: &str, bodies: &FxHashMap<String, String>) -> Option<Treatment> {
    if library::refused(name).is_some() {
        return Some(Treatment::Refused);
    }
    if name.starts_with("__assert") || plain_intrinsic(name, name).is_some() {
        return Some(Treatment::Exact);
    }
    if crate::library::floats::is_exact(name) {
        return Some(Treatment::Exact);
    }
    if let Some(treatment) = of_model(name, bodies) {
        return Some(treatment);
    }
    if let Some(answer) = library::pure_answer(name) {
        return Some(match answer {
            Answer::Void | Answer::Absolute => Treatment::Exact,
            Answer::Size => Treatment::Range,
            Answer::Any | Answer::Float => Treatment::Arbitrary,
        });
    }
    if matches!(name, "scanf" | "fscanf" | "sscanf") {
        return Some(Treatment::Range);
    }
    let known = contract(name).map(|_| Treatment::Arbitrary);
    known.or_else(|| library::library_names().contains(name).then_some(Treatment::WithoutModel))
}

/// A row: the header, and its functions in columns.
fn row(header: &str, functions: &BTreeMap<Treatment, Vec<&str>>) -> String {
    let mut out = format!("| {header} |");
    for column in COLUMNS {
        let names = functions.get(&column).map_or(String::new(), |names| {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ")
        });
        let _ = write!(out, " {names} |");
    }
    out + "\n"
}

/// The table that the page has.
fn table() -> String {
    let bodies = bodies();
    let mut out = String::from(
        "| header | exact | range | arbitrary | without model | refused |\n|---|---|---|---|---|---|\n",
    );
    let mut listed = BTreeSet::new();
    for (header, functions) in HEADERS {
        let mut columns: BTreeMap<Treatment, Vec<&str>> = BTreeMap::new();
        for name in functions.split_whitespace() {
            let treatment = treatment(name, &bodies).unwrap_or_else(|| panic!("{name} is not the library's"));
            columns.entry(treatment).or_default().push(name);
            listed.insert(name);
        }
        out += &row(&format!("`<{header}>`"), &columns);
    }
    let mut columns: BTreeMap<Treatment, Vec<&str>> = BTreeMap::new();
    let mut others: BTreeSet<&str> = library::library_names().iter().copied().collect();
    others.extend(models::FILES.iter().flat_map(|(_, text)| models::defined(text)));
    for name in others.into_iter().filter(|name| !name.starts_with('_') && !name.starts_with("slam_")) {
        let treatment = treatment(name, &bodies);
        if let Some(treatment) = treatment.filter(|t| *t != Treatment::WithoutModel && !listed.contains(name))
        {
            columns.entry(treatment).or_default().push(name);
        }
    }
    out + &row("others", &columns)
}

/// A number of bytes, as a reader of the page counts arguments.
fn bytes(len: Len) -> String {
    match len {
        Len::Arg(n) => format!("argument {} bytes", n + 1),
        Len::Product(l, r) => format!("argument {} times argument {} bytes", l + 1, r + 1),
        Len::Pointee => "one object".into(),
        Len::Bytes(n) => format!("{n} bytes"),
        Len::Input => "as many bytes as there are".into(),
    }
}

fn access(need: Need) -> String {
    match need {
        Need::Text(n) => format!("reads the string {}", n + 1),
        Need::OptionalText(n) => format!("reads the string {} unless NULL", n + 1),
        Need::Reads(n, len) => format!("reads {} at {}", bytes(len), n + 1),
        Need::OptionalReads(n, len) => format!("reads {} at {} unless NULL", bytes(len), n + 1),
        Need::Writes(n, len) => format!("writes {} at {}", bytes(len), n + 1),
        Need::OptionalWrites(n, len) => format!("writes {} at {} unless NULL", bytes(len), n + 1),
        Need::MayTouch(n, len) => format!("some of {} at {}", bytes(len), n + 1),
        Need::Present(n) => format!("the stream {}", n + 1),
        Need::Format(n, _) => format!("the format {} and what its conversions take", n + 1),
        Need::More => "more".into(),
    }
}

/// The rows of the library's table.
fn rows() -> String {
    let mut out = String::from(
        "| functions | of | accesses | when it fails | allocates | called again | depends on |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for row in ROWS {
        let names: Vec<_> = row.names.split_whitespace().map(|name| format!("`{name}`")).collect();
        let accesses: Vec<_> = row.needs.unwrap_or_default().iter().map(|need| access(*need)).collect();
        let allocates = match row.allocates {
            Allocates::Nothing => "",
            Allocates::Block => "a block",
        };
        let again = match row.again {
            Again::Same => "",
            Again::Stable => "the same until it is changed",
            Again::Other => "any",
        };
        let depends: Vec<_> = row
            .depends
            .iter()
            .map(|setting| match setting {
                Setting::Locale => "`setlocale`",
                Setting::Zone => "`TZ`",
                Setting::Rounding => "`fesetround`",
                Setting::Environment => "the environment",
            })
            .collect();
        let (names, accesses, depends) = (names.join(" "), accesses.join("; "), depends.join(", "));
        let _ = writeln!(
            out,
            "| {names} | {} | {accesses} | {} | {allocates} | {again} | {depends} |",
            row.header, row.fails
        );
    }
    out
}

/// Compares the table of the page that begins so with what the front end does.
fn the_page_has(head: &str, table: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/library.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let start = page.find(head).expect("the page has the table");
    let end = start + page[start..].find("\n\n").expect("something follows the table") + 1;
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let renewed = format!("{}{table}{}", &page[..start], &page[end..]);
        std::fs::write(path, renewed).expect("the page can be written");
    } else {
        assert_eq!(&page[start..end], table, "UPDATE_EXPECT=1 renews it");
    }
}

/// The page lists for each function how the front end treats it, and has the rows of the library's table.
/// `UPDATE_EXPECT=1` renews both.
#[test]
fn the_page_has_each_function() {
    the_page_has("| header |", &table());
    the_page_has("| functions | of |", &rows());
}
