/* The process: its end, time, attributes of threads. */

typedef __typeof__(sizeof(0)) size_t;
int __slam_input_int(void);
long __slam_input_long(void);
void *__slam_input_pointer(void);
int __slam_any_int(void);
long __slam_any_long(void);
char __slam_any_char(void);
void *__slam_any_pointer(void);
void *__slam_opened(void *);
void __slam_reopened(void *);
void __slam_unmodelled(const char *);
void __slam_may_set_errno(void);
void *malloc(size_t);

static void (*handlers[32])(void);
static unsigned handler_count;

int atexit(void (*handler)(void)) {
  if (handler_count >= 32)
    __slam_unmodelled("more than 32 handlers that run at exit are not supported");
  handlers[handler_count] = handler;
  handler_count++;
  return 0;
}

void slam_exit_handlers(void) {
  while (handler_count > 0) {
    handler_count--;
    handlers[handler_count]();
  }
}

static void (*quick_handlers[32])(void);
static unsigned quick_handler_count;

int at_quick_exit(void (*handler)(void)) {
  if (quick_handler_count >= 32)
    __slam_unmodelled("more than 32 handlers that run at a quick exit are not supported");
  quick_handlers[quick_handler_count] = handler;
  quick_handler_count++;
  return 0;
}

void slam_quick_exit_handlers(void) {
  while (quick_handler_count > 0) {
    quick_handler_count--;
    quick_handlers[quick_handler_count]();
  }
}

long time(long *to) {
  long t = __slam_input_long();
  if (to)
    *to = t;
  return t;
}

long clock(void) {
  return __slam_input_long();
}

unsigned sleep(unsigned seconds) {
  unsigned left = __slam_input_int();
  return left > seconds ? 0 : left;
}

unsigned alarm(unsigned seconds) {
  return __slam_input_int();
}

/* NULL, or a stream that is new. */

void *fopen(const char *name, const char *mode) {
  return __slam_opened(__slam_input_pointer());
}

void *fopen64(const char *name, const char *mode) {
  return __slam_opened(__slam_input_pointer());
}

void *fdopen(int file, const char *mode) {
  return __slam_opened(__slam_input_pointer());
}

void *popen(const char *command, const char *mode) {
  return __slam_opened(__slam_input_pointer());
}

void *tmpfile(void) {
  return __slam_opened(__slam_input_pointer());
}

/* The library would write into memory of the program's whenever something is written to the stream. */
void *fmemopen(void *buffer, size_t size, const char *mode) {
  if (buffer)
    __slam_unmodelled("a stream in memory of the program's is not supported");
  return __slam_opened(__slam_input_pointer());
}

/* The old file is closed in any case; the stream stays the same when the new one can be opened. */
void *freopen(const char *name, const char *mode, void *stream) {
  if (!__slam_input_int())
    return 0;
  __slam_reopened(stream);
  return stream;
}

/* The library would go on to write into a buffer of the program's. */

int setvbuf(void *stream, char *buffer, int mode, size_t size) {
  if (buffer)
    __slam_unmodelled("a buffer of the program's for a stream is not supported");
  return __slam_any_int();
}

void setbuf(void *stream, char *buffer) {
  if (buffer)
    __slam_unmodelled("a buffer of the program's for a stream is not supported");
}

/* Never NULL, and its text is any. What there is no text for gets memory, of which there may be none. */

char *strerror(int number) {
  __slam_may_set_errno();
  char *text = __slam_any_pointer();
  return text ? text : "";
}

/* What is no signal has any answer. */
char *strsignal(int number) {
  __slam_may_set_errno();
  char *text = __slam_any_pointer();
  return text || number < 1 || number > 31 ? text : "";
}

int pthread_attr_init(void *attributes) {
  return 0;
}

int pthread_attr_destroy(void *attributes) {
  return 0;
}
