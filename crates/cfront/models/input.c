/* What comes from outside: characters, lines, blocks; and text that is formatted into memory. These functions touch no
   other memory than their contracts say (contracts.rs): what they do with it is checked at the call. */

typedef __typeof__(sizeof(0)) size_t;
int __slam_input_int(void);
long __slam_input_long(void);
char __slam_input_char(void);
void __slam_environment(void *, ...);
int __slam_text_length(void);
char __slam_text_character(void);
void slam_snprintf(char *s, size_t room, long n);
long __slam_size(const void *);
long __slam_offset(const void *);

int getchar(void) {
  int c = __slam_input_int();
  return c < -1 || c > 255 ? -1 : c;
}

int getchar_unlocked(void) {
  return getchar();
}

int fgetc(void *file) {
  return getchar();
}

int getc(void *file) {
  return getchar();
}

int _IO_getc(void *file) {
  return getchar();
}

int getc_unlocked(void *file) {
  return getchar();
}

/* After an error in reading the contents of the array are indeterminate (C17 7.21.7.2p3); at the end of the file, before any
   character, it is as it was. */
char *fgets(char *s, int n, void *file) {
  if (n <= 0)
    return 0;
  int k = __slam_input_int();
  if (k <= 0 && n > 1) {
    int m = __slam_input_int();
    for (int j = 0; j < m && j < n; j++)
      s[j] = __slam_input_char();
    return 0;
  }
  if (k > n - 1)
    k = n - 1;
  int i = 0;
  while (i < k) {
    char c = __slam_input_char();
    s[i] = c;
    i++;
    if (c == '\n')
      break;
  }
  s[i] = 0;
  return s;
}

/* The length of a string that ends inside of the object of `s`; the sizes are known when the program runs alone, so that
   nothing here may overflow whatever they are. */
static long at_most_room(const char *s, long n) {
  long size = __slam_size(s), offset = __slam_offset(s);
  if (offset < 0 || size <= offset)
    return n;
  return n < size - offset ? n : size - offset - 1;
}

/* A line; it ends inside its object, or the program is undefined. What an error breaks off stays. */
char *gets(char *s) {
  long n = __slam_input_long();
  if (n < 0) {
    long m = at_most_room(s, __slam_input_long());
    for (long j = 0; j < m; j++)
      s[j] = __slam_input_char();
    return 0;
  }
  n = at_most_room(s, n);
  long i = 0;
  while (i < n) {
    char c = __slam_input_char();
    s[i] = c == '\n' ? ' ' : c;
    i++;
  }
  s[i] = 0;
  return s;
}

static long at_most(size_t n) {
  long r = __slam_input_long();
  return r < -1 || (r >= 0 && (size_t)r > n) ? -1 : r;
}

long read(int file, void *buffer, size_t n) {
  __slam_environment(buffer);
  return at_most(n);
}

long pread(int file, void *buffer, size_t n, long from) {
  __slam_environment(buffer);
  return at_most(n);
}

long recv(int file, void *buffer, size_t n, int flags) {
  __slam_environment(buffer);
  return at_most(n);
}

size_t fread(void *buffer, size_t size, size_t count, void *file) {
  __slam_environment(buffer);
  long r = at_most(count);
  return r < 0 ? 0 : r;
}

/* A string without blanks that a width may bound; it ends inside its object, or the program is undefined. */
void slam_input_string(char *s, long width) {
  long n = __slam_input_long();
  if (n < 1)
    n = 1;
  if (width > 0 && n > width)
    n = width;
  n = at_most_room(s, n);
  long i = 0;
  while (i < n) {
    char c = __slam_input_char();
    s[i] = c == 0 || c == ' ' || (c >= 9 && c <= 13) ? 'x' : c;
    i++;
  }
  s[i] = 0;
}

/* Any text: what is not known of its characters is whether one of them is NUL. */
static void any_text(char *s, long n) {
  long i = 0;
  while (i < n) {
    s[i] = __slam_text_character();
    i++;
  }
  s[i] = 0;
}

static int any_length(void) {
  int n = __slam_text_length();
  return n < 0 ? -1 : n;
}

static int into_object(char *s) {
  int n = at_most_room(s, any_length());
  any_text(s, n);
  return n;
}

static int into_room(char *s, size_t room) {
  int n = any_length();
  slam_snprintf(s, room, n);
  return n;
}

/* Texts of a length that the caller knows; none where that is negative. */
void slam_sprintf(char *s, long n) {
  if (n >= 0)
    any_text(s, n);
}

void slam_snprintf(char *s, size_t room, long n) {
  if (room > 0 && n >= 0)
    any_text(s, (size_t)n < room ? n : (long)(room - 1));
}

int sprintf(char *s, const char *format, ...) {
  return into_object(s);
}

int vsprintf(char *s, const char *format, __builtin_va_list arguments) {
  return into_object(s);
}

int snprintf(char *s, size_t room, const char *format, ...) {
  return into_room(s, room);
}

int vsnprintf(char *s, size_t room, const char *format, __builtin_va_list arguments) {
  return into_room(s, room);
}

size_t strftime(char *s, size_t room, const char *format, const void *time) {
  size_t n = into_room(s, room);
  if (n < room)
    return n;
  /* Where the text does not fit, it has no end. */
  if (room > 0)
    s[room - 1] = __slam_text_character();
  return 0;
}
