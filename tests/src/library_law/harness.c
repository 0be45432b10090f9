/* Runs each call in a process and a folder of its own, and tells what is seen there. An allocation fails when it is asked to. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* How many allocations there are up to the one that fails; 0: none does. */
static long law_left;

static int law_fails(void) {
  if (law_left == 0 || --law_left != 0)
    return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t n) {
  return law_fails() ? 0 : __libc_malloc(n);
}

void *calloc(size_t count, size_t n) {
  return law_fails() ? 0 : __libc_calloc(count, n);
}

void *realloc(void *p, size_t n) {
  return law_fails() ? 0 : __libc_realloc(p, n);
}

void *memalign(size_t alignment, size_t n) {
  return law_fails() ? 0 : __libc_memalign(alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n) {
  return law_fails() ? 0 : __libc_memalign(alignment, n);
}

int posix_memalign(void **to, size_t alignment, size_t n) {
  static int (*next)(void **, size_t, size_t);
  int before = errno;
  if (law_fails()) {
    errno = before;
    return ENOMEM;
  }
  if (!next)
    next = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
  return next(to, alignment, n);
}

/* Where the observations go. */
static int law_out;

static void law_int(int k, long long v) {
  dprintf(law_out, "i %d %lld\n", k, v);
}

static void law_float(int k, double v) {
  if (isnan(v))
    dprintf(law_out, "f %d nan\n", k);
  else if (isinf(v))
    dprintf(law_out, "f %d %sinf\n", k, v < 0 ? "-" : "");
  else
    dprintf(law_out, "f %d %a\n", k, v);
}

/* A pointer by the object that it leads to, of those that are given by address and size: one in which it stands, or else one of
   which it is the end, where another one may begin. */
static void law_pointer(int k, const void *pointer, int count, ...) {
  const char *p = pointer;
  va_list places;
  va_start(places, count);
  int at = -1, inside = 0;
  long offset = 0;
  for (int i = 0; i < count; i++) {
    const char *base = va_arg(places, const char *);
    long size = va_arg(places, long);
    if (base && !inside && p >= base && (p < base + size || at < 0 && p == base + size)) {
      at = i;
      offset = p - base;
      inside = p < base + size;
    }
  }
  va_end(places);
  if (!p)
    dprintf(law_out, "p %d null\n", k);
  else if (at < 0)
    dprintf(law_out, "p %d else\n", k);
  else
    dprintf(law_out, "p %d %d %ld\n", k, at, offset);
}

static void law_text(int k, const void *text) {
  const char *s = text;
  if (!s) {
    dprintf(law_out, "t %d null\n", k);
    return;
  }
  dprintf(law_out, "t %d", k);
  for (int i = 0; i < 16; i++) {
    dprintf(law_out, " %d", s[i]);
    if (!s[i])
      break;
  }
  dprintf(law_out, "\n");
}

struct law_call {
  int (*run)(void);
  /* What standard input gives; NULL: it is a folder, which cannot be read. */
  const char *input;
  long input_length;
  /* An error comes behind it, not its end. */
  int input_is_stuck;
  const char *text;
  long text_length;
  const char *zone;
  int output_is_full;
};

static void law_file(const char *name, const char *text, long length) {
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || write(file, text, length) != length || close(file) != 0)
    abort();
}

static void law_child(const struct law_call *call, int number) {
  char folder[32];
  snprintf(folder, sizeof folder, "call%d", number);
  if (mkdir(folder, 0755) != 0 || chdir(folder) != 0 || mkdir("folder", 0755) != 0)
    abort();
  law_file("text", call->text, call->text_length);
  law_file("empty", "", 0);
  int input;
  if (call->input_is_stuck) {
    /* The other end goes away with something that it has not read. */
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || write(ends[0], "x", 1) != 1 ||
        write(ends[1], call->input, call->input_length) != call->input_length || close(ends[1]) != 0)
      abort();
    input = ends[0];
  } else {
    if (call->input)
      law_file("input", call->input, call->input_length);
    input = open(call->input ? "input" : "folder", O_RDONLY);
  }
  int output = open(call->output_is_full ? "/dev/full" : "/dev/null", O_WRONLY);
  if (input < 0 || output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
    abort();
  close(input);
  close(output);
  if (setenv("TZ", call->zone, 1) != 0 || setenv("HOME", "/home/law", 1) != 0 || setenv("EMPTY", "", 1) != 0)
    abort();
  tzset();
  struct rlimit file_size = {1 << 20, 1 << 20};
  setrlimit(RLIMIT_FSIZE, &file_size);
  alarm(2);
  errno = 0;
  call->run();
  law_left = 0;
  dprintf(law_out, "done\n");
  _exit(0);
}

extern const struct law_call law_calls[];
extern const int law_count;

/* The argument is the folder in which each call gets one. */
int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  law_out = fcntl(1, F_DUPFD, 100);
  if (law_out < 0 || chdir(argv[1]) != 0)
    return 2;
  for (int k = 0; k < law_count; k++) {
    dprintf(law_out, "call %d\n", k);
    pid_t child = fork();
    if (child < 0)
      return 2;
    if (child == 0)
      law_child(&law_calls[k], k);
    int status;
    if (waitpid(child, &status, 0) != child)
      return 2;
  }
  return 0;
}
