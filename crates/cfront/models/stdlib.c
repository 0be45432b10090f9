/* <stdlib.h>: numbers, sorting, searching, random numbers. */

typedef __typeof__(sizeof(0)) size_t;
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *__builtin_alloca(size_t);
int *__errno_location(void);
int isspace(int);
int __slam_any_int(void);
long __slam_any_long(void);
int __slam_input_int(void);
long __slam_input_long(void);
char __slam_input_char(void);
void *realloc(void *, size_t);
void *malloc(size_t);
char __slam_any_char(void);
double __slam_any_double(void);
float __slam_any_float(void);
long double __slam_any_long_double(void);
void __slam_may_set_errno(void);
size_t strlen(const char *);
void __slam_reads(const void *, size_t);
int __slam_memory_ends(void);

static int digit(char c, int base) {
  int d = base;
  if (c >= '0' && c <= '9')
    d = c - '0';
  else if (c >= 'a' && c <= 'z')
    d = c - 'a' + 10;
  else if (c >= 'A' && c <= 'Z')
    d = c - 'A' + 10;
  return d < base ? d : -1;
}

/* What stands before the digits of a number. */
struct slam_number {
  long at;
  int negative;
  int base;
};

static void start(struct slam_number *n, const char *s, int base) {
  long i = 0;
  while (isspace((unsigned char)s[i]))
    i++;
  n->negative = s[i] == '-';
  if (s[i] == '-' || s[i] == '+')
    i++;
  if ((base == 0 || base == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X') &&
      digit(s[i + 2], 16) >= 0) {
    i += 2;
    base = 16;
  } else if (base == 0) {
    base = s[i] == '0' ? 8 : 10;
  }
  n->at = i;
  n->base = base;
}

static unsigned long long number(const char *s, char **end, int base, unsigned long long most,
                                 unsigned long long least, int wraps) {
  struct slam_number n;
  if (base == 1 || base < 0 || base > 36) {
    *__errno_location() = 22;
    /* glibc leaves the end alone. */
    if (end && __slam_any_int())
      *end = (char *)s;
    return 0;
  }
  start(&n, s, base);
  unsigned long long v = 0, bound = n.negative ? least : most;
  long i = n.at;
  int over = 0;
  if (end)
    *end = (char *)(digit(s[i], n.base) >= 0 ? s + i : s);
  for (;;) {
    int d = digit(s[i], n.base);
    if (d < 0)
      break;
    if (v > (bound - d) / n.base)
      over = 1;
    else
      v = v * n.base + d;
    i++;
    if (end)
      *end = (char *)(s + i);
  }
  if (over) {
    *__errno_location() = 34;
    if (wraps)
      return most;
    v = bound;
  }
  return n.negative ? -v : v;
}

long strtol(const char *s, char **end, int base) {
  unsigned long most = -1ul >> 1;
  return (long)number(s, end, base, most, most + 1, 0);
}

long long strtoll(const char *s, char **end, int base) {
  unsigned long long most = -1ull >> 1;
  return (long long)number(s, end, base, most, most + 1, 0);
}

unsigned long strtoul(const char *s, char **end, int base) {
  return (unsigned long)number(s, end, base, -1ul, -1ul, 1);
}

unsigned long long strtoull(const char *s, char **end, int base) {
  return number(s, end, base, -1ull, -1ull, 1);
}

long strtoimax(const char *s, char **end, int base) {
  return strtol(s, end, base);
}

unsigned long strtoumax(const char *s, char **end, int base) {
  return strtoul(s, end, base);
}

/* Of a number that is too large the results of the functions below are undefined; the library may set errno. */
static long long decimal(const char *s, long long most) {
  long i = 0;
  while (isspace((unsigned char)s[i]))
    i++;
  int negative = s[i] == '-';
  if (s[i] == '-' || s[i] == '+')
    i++;
  unsigned long long v = 0, bound = negative ? most + 1ull : most;
  while (s[i] >= '0' && s[i] <= '9') {
    int d = s[i] - '0';
    if (v > (bound - d) / 10) {
      v = bound;
      __slam_may_set_errno();
    } else
      v = v * 10 + d;
    i++;
  }
  return (long long)(negative ? -v : v);
}

long long atoll(const char *s) {
  return decimal(s, -1ull >> 1);
}

long atol(const char *s) {
  return decimal(s, -1ul >> 1);
}

int atoi(const char *s) {
  return (int)atol(s);
}

double strtod(const char *s, char **end) {
  if (end) {
    long n = __slam_any_long();
    *end = (char *)s + (n >= 0 && n <= (long)strlen(s) ? n : 0);
  }
  __slam_may_set_errno();
  return __slam_any_double();
}

float strtof(const char *s, char **end) {
  strtod(s, end);
  return __slam_any_float();
}

long double strtold(const char *s, char **end) {
  strtod(s, end);
  return __slam_any_long_double();
}

/* By strtod, as all libraries have it. */
double atof(const char *s) {
  __slam_may_set_errno();
  return __slam_any_double();
}

/* All elements are there, whichever of them are compared. */
static void reads_elements(const void *base, size_t count, size_t size) {
  if (size != 0 && count > (size_t)-1 / size)
    __slam_reads(base, (size_t)-1);
  else
    __slam_reads(base, count * size);
}

/* Stable, as glibc's is when there is memory. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  reads_elements(base, count, size);
  if (count < 2 || size == 0)
    return;
  char *first = base, *kept = __builtin_alloca(size), *p = first;
  for (size_t i = 1; i < count; i++) {
    p += size;
    char *q = p;
    while (q != first && compare(q - size, p) > 0)
      q -= size;
    if (q != p) {
      memcpy(kept, p, size);
      memmove(q + size, q, p - q);
      memcpy(q, kept, size);
    }
  }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  reads_elements(base, count, size);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *p = (const char *)base + middle * size;
    int order = compare(key, p);
    if (order < 0)
      high = middle;
    else if (order > 0)
      low = middle + 1;
    else
      return (void *)p;
  }
  return 0;
}

/* The next numbers of a sequence that the seed fixes. */
int rand(void) {
  int r = __slam_any_int();
  return r < 0 ? 0 : r;
}

int rand_r(unsigned *seed) {
  int r = __slam_any_int();
  *seed = __slam_any_int();
  return r < 0 ? 0 : r;
}

long random(void) {
  int r = __slam_any_int();
  return r < 0 ? 0 : r;
}

long lrand48(void) {
  int r = __slam_any_int();
  return r < 0 ? 0 : r;
}

long mrand48(void) {
  return __slam_any_int();
}

/* The size of a buffer that must have `needed` bytes: that of glibc, or any other size that suffices. */
static size_t room_for(size_t needed, size_t usual) {
  size_t other = __slam_any_long();
  if (needed <= usual && !__slam_input_int())
    return usual;
  return other < needed || other > (size_t)-1 >> 2 ? needed : other;
}

/* What has stood in a buffer before an error in reading may have been written over; how far is not known. */
static void read_in_part(char *s, size_t room) {
  size_t k = __slam_input_long();
  for (size_t i = 0; i < k && i < room; i++)
    s[i] = __slam_input_char();
}

/* The number of characters that are there, or -1; the buffer is one of malloc's, or NULL. One is made also where there is nothing
   to read, by glibc always. */
long getdelim(char **line, size_t *size, int end, void *file) {
  long n = __slam_input_long();
  int fails = n <= 0 || n > (-1ul >> 2);
  if (fails && !__slam_input_int())
    return -1;
  if (!*line || *size == 0) {
    size_t room = room_for(1, 120);
    char *new = malloc(room);
    if (!new) {
      /* glibc has noted the room by then. */
      if (__slam_input_int()) {
        *line = 0;
        *size = room;
      }
      return -1;
    }
    *line = new;
    *size = room;
  }
  if (fails) {
    read_in_part(*line, *size);
    return -1;
  }
  if (*size < (size_t)n + 1) {
    size_t room = room_for((size_t)n + 1, *size > (size_t)-1 >> 3 ? 0 : 2 * *size);
    char *new = realloc(*line, room);
    if (!new)
      return -1;
    *line = new;
    *size = room;
  }
  char *s = *line, other = end == ' ' ? '_' : ' ';
  long i = 0;
  while (i < n) {
    char c = __slam_input_char();
    s[i] = c == (char)end && i + 1 < n ? other : c;
    i++;
  }
  s[i] = 0;
  return n;
}

long getline(char **line, size_t *size, void *file) {
  return getdelim(line, size, '\n', file);
}

/* Where it fails some libraries make the pointer NULL, and others leave it alone. */
static int printed(char **to) {
  int fails = __slam_memory_ends() && __slam_input_int(), n = fails ? -1 : __slam_any_int();
  char *s = n < 0 ? 0 : malloc((size_t)n + 1);
  if (!s) {
    if (__slam_input_int())
      *to = 0;
    return -1;
  }
  *to = s;
  long i = 0;
  while (i < n) {
    char c = __slam_any_char();
    s[i] = c ? c : ' ';
    i++;
  }
  s[i] = 0;
  return n;
}

int asprintf(char **to, const char *format, ...) {
  return printed(to);
}

int vasprintf(char **to, const char *format, __builtin_va_list arguments) {
  return printed(to);
}

struct slam_div {
  int quot, rem;
};

struct slam_ldiv {
  long quot, rem;
};

struct slam_lldiv {
  long long quot, rem;
};

struct slam_div div(int a, int b) {
  struct slam_div result = {a / b, a % b};
  return result;
}

struct slam_ldiv ldiv(long a, long b) {
  struct slam_ldiv result = {a / b, a % b};
  return result;
}

struct slam_lldiv lldiv(long long a, long long b) {
  struct slam_lldiv result = {a / b, a % b};
  return result;
}
