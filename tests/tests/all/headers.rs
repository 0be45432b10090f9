//! Headers of the C library and of POSIX: a program that includes one and asserts something true of it is safe, without
//! a warning, and so is one that includes them all, with both widths of C's types.

use std::path::Path;

/// Headers, with a declaration and statements that use something of theirs.
const HEADERS: &[(&str, &str, &str)] = &[
    ("assert.h", "", "assert(1);"),
    ("complex.h", "", "assert(sizeof(int) == 4);"),
    ("ctype.h", "", "assert(toupper('a') == 'A' && isdigit('7') && !isalpha('7'));"),
    ("errno.h", "", "assert(ENOENT == 2 && EINTR != EAGAIN);"),
    ("fcntl.h", "", "assert((O_RDWR & O_ACCMODE) == O_RDWR);"),
    ("float.h", "", "assert(FLT_RADIX == 2 && DBL_MANT_DIG == 53);"),
    ("inttypes.h", "", "intmax_t m = INT64_C(5); assert(m == 5 && sizeof(int64_t) == 8);"),
    ("iso646.h", "", "assert(1 and not 0);"),
    ("limits.h", "", "int x = INT_MAX; assert(x == 2147483647 && CHAR_BIT == 8);"),
    ("locale.h", "", "assert(LC_ALL != LC_CTYPE);"),
    ("math.h", "", "assert(FP_NAN != FP_INFINITE);"),
    ("netinet/in.h", "", "struct sockaddr_in a; a.sin_port = 80; assert(a.sin_port == 80);"),
    ("arpa/inet.h", "", "assert(sizeof(in_addr_t) == 4);"),
    ("pthread.h", "", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; assert(pthread_mutex_lock(&m) == 0);"),
    ("semaphore.h", "", "assert(sizeof(sem_t) > 0);"),
    ("setjmp.h", "", "assert(sizeof(jmp_buf) > 0);"),
    ("signal.h", "", "assert(SIGINT == 2 && SIGTERM == 15);"),
    ("stdarg.h", "", "va_list a; assert(sizeof a > 0);"),
    ("stdbool.h", "", "bool b = 5; assert(b == true);"),
    ("stddef.h", "struct s { char c; int i; };", "assert(offsetof(struct s, i) == 4 && NULL == 0);"),
    ("stdint.h", "", "uint8_t b = UINT8_MAX; b++; assert(b == 0);"),
    ("stdio.h", "", "printf(\"%d\\n\", 1); assert(EOF == -1);"),
    ("stdlib.h", "", "assert(abs(-3) == 3 && EXIT_SUCCESS == 0);"),
    ("stdnoreturn.h", "noreturn void stop(void) { for (;;) { } }", "assert(1);"),
    ("stdalign.h", "", "alignas(8) char c = 1; assert(alignof(int) == 4 && c == 1);"),
    ("string.h", "", "char b[4] = \"abc\"; assert(b[0] == 'a' && strlen(\"abc\") == 3);"),
    ("strings.h", "", "assert(strcasecmp(\"Ab\", \"aB\") == 0);"),
    ("sys/stat.h", "", "struct stat s; s.st_mode = S_IFDIR; assert(S_ISDIR(s.st_mode));"),
    ("sys/socket.h", "", "assert(AF_INET != AF_UNIX && SOCK_STREAM == 1);"),
    ("sys/time.h", "", "struct timeval t = { 1, 2 }; assert(t.tv_sec + t.tv_usec == 3);"),
    ("sys/types.h", "", "pid_t p = 7; assert(p == 7);"),
    ("sys/wait.h", "", "assert(WEXITSTATUS(0x300) == 3);"),
    ("sys/select.h", "", "fd_set s; FD_ZERO(&s); assert(sizeof s > 0);"),
    ("sys/ioctl.h", "", "assert(sizeof(struct winsize) == 8);"),
    ("sys/mman.h", "", "assert(PROT_READ == 1);"),
    ("sys/resource.h", "", "struct rlimit r; r.rlim_cur = 5; assert(r.rlim_cur == 5);"),
    ("sys/un.h", "", "assert(sizeof(struct sockaddr_un) > 100);"),
    ("netdb.h", "", "assert(EAI_AGAIN != 0);"),
    ("poll.h", "", "struct pollfd p = { 1, POLLIN, 0 }; assert(p.fd == 1);"),
    ("dirent.h", "", "assert(DT_DIR == 4);"),
    ("dlfcn.h", "", "assert(RTLD_NOW == 2);"),
    ("fenv.h", "", "assert(FE_TONEAREST == 0);"),
    ("fnmatch.h", "", "assert(FNM_NOMATCH == 1);"),
    ("getopt.h", "", "struct option o = { 0, 1, 0, 2 }; assert(o.has_arg == 1);"),
    ("grp.h", "", "assert(sizeof(struct group) > 0);"),
    ("libgen.h", "", "assert(1);"),
    ("pwd.h", "", "assert(sizeof(struct passwd) > 0);"),
    ("regex.h", "", "assert(REG_NOMATCH == 1);"),
    ("sched.h", "", "assert(SCHED_FIFO == 1);"),
    ("syslog.h", "", "assert(LOG_ERR == 3);"),
    ("termios.h", "", "assert(sizeof(struct termios) > 0);"),
    ("tgmath.h", "", "assert(1);"),
    ("threads.h", "", "assert(thrd_success == 0);"),
    ("time.h", "", "struct tm t; t.tm_year = 100; assert(t.tm_year == 100);"),
    ("uchar.h", "", "char16_t c = 65535; assert(c == 65535);"),
    ("unistd.h", "", "assert(STDIN_FILENO == 0 && getpid() == getpid() + 0 * sizeof(pid_t) || 1);"),
    ("utime.h", "", "assert(sizeof(struct utimbuf) > 0);"),
    ("wchar.h", "", "wchar_t w = L'x'; assert(w == 120);"),
    ("wctype.h", "", "assert(sizeof(wctype_t) > 0);"),
    ("malloc.h", "", "assert(1);"),
    ("memory.h", "", "assert(1);"),
    ("alloca.h", "", "assert(1);"),
    ("stdatomic.h", "", "assert(memory_order_relaxed == 0);"),
    ("linux/types.h", "", "__u32 x = 7; assert(x == 7);"),
];

/// What has no meaning with 32-bit pointers yet (`_Atomic`), and what redefines names of others.
const NOT_FOR_32_BITS: &[&str] = &["stdatomic.h", "threads.h"];

fn complaint(name: &str, text: &str, model: &str) -> Option<String> {
    let path = testing::file(&format!("{name}_{model}.c"), text);
    let run = tests::slam(&["check", "--time-limit", "60s", "--data-model", model, &path]);
    let fine = run.verdict() == "SAFE" && run.stderr.is_empty();
    (!fine).then(|| format!("{name}, {model}: {}\n{}\n{}", run.verdict(), run.stdout, run.stderr))
}

fn has(header: &str) -> bool {
    ["/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu"]
        .iter()
        .any(|folder| Path::new(folder).join(header).exists())
        || !header.contains('/')
}

fn check(model: &str) {
    let mut complaints = vec![];
    for (header, declaration, body) in HEADERS.iter().filter(|h| has(h.0)) {
        if model == "ILP32" && *header == "stdatomic.h" {
            continue;
        }
        let name = header.replace(['/', '.'], "_");
        let text = format!(
            "#include <assert.h>\n#include <{header}>\n{declaration}\nint main(void) {{\n  {body}\n  return 0;\n}}\n"
        );
        complaints.extend(complaint(&name, &text, model));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn each_header_lp64() {
    check("LP64");
}

#[test]
fn each_header_ilp32() {
    check("ILP32");
}

#[test]
fn all_headers_together() {
    for model in ["LP64", "ILP32"] {
        let fits = |h: &&str| model == "LP64" || !NOT_FOR_32_BITS.contains(h);
        let names = HEADERS.iter().map(|h| h.0).filter(|h| has(h) && *h != "tgmath.h").filter(fits);
        let includes: String = names.map(|h| format!("#include <{h}>\n")).collect();
        let text = format!(
            "{includes}int main(void) {{ int x = INT_MAX; assert(x > 0 && isdigit('7')); return 0; }}\n"
        );
        let complaint = complaint("all_headers", &text, model);
        assert!(complaint.is_none(), "{}", complaint.unwrap_or_default());
    }
}
