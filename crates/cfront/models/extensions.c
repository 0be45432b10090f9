/* What the GNU and BSD libraries add to <string.h>, its copy of a wide string, and `swab`. */

typedef __typeof__(sizeof(0)) size_t;
typedef __typeof__(L'a') wchar_t;
void *malloc(size_t);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int tolower(int);
void __slam_reads(const void *, size_t);
int __slam_any_int(void);
char __slam_any_char(void);

void explicit_bzero(void *p, size_t n) {
  memset(p, 0, n);
}

void *rawmemchr(const void *p, int c) {
  const unsigned char *s = p;
  long i = 0;
  while (s[i] != (unsigned char)c)
    i++;
  return (void *)(s + i);
}

char *strcasestr(const char *s, const char *part) {
  long at = 0;
  for (;;) {
    long i = 0;
    while (part[i] && tolower((unsigned char)s[at + i]) == tolower((unsigned char)part[i]))
      i++;
    if (!part[i])
      return (char *)s + at;
    if (!s[at])
      return 0;
    at++;
  }
}

void *memmem(const void *p, size_t n, const void *part, size_t length) {
  const char *s = p, *t = part;
  __slam_reads(p, n);
  __slam_reads(part, length);
  for (size_t at = 0; length <= n && at <= n - length; at++) {
    size_t i = 0;
    while (i < length && s[at + i] == t[i])
      i++;
    if (i == length)
      return (void *)(s + at);
  }
  return 0;
}

size_t strlcpy(char *to, const char *from, size_t room) {
  size_t i = 0;
  while (i + 1 < room && from[i]) {
    to[i] = from[i];
    i++;
  }
  if (room > 0)
    to[i] = 0;
  return strlen(from);
}

size_t strlcat(char *to, const char *from, size_t room) {
  size_t n = strnlen(to, room), i = 0;
  if (n == room)
    return n + strlen(from);
  while (n + i + 1 < room && from[i]) {
    to[n + i] = from[i];
    i++;
  }
  to[n + i] = 0;
  return n + strlen(from);
}

int ffs(int bits) {
  for (int i = 0; i < 32; i++)
    if ((unsigned)bits >> i & 1)
      return i + 1;
  return 0;
}

wchar_t *wcsdup(const wchar_t *s) {
  size_t n = 0;
  while (s[n])
    n++;
  wchar_t *copy = malloc((n + 1) * sizeof *s);
  if (copy)
    memcpy(copy, s, (n + 1) * sizeof *s);
  return copy;
}

/* What becomes of the last byte of an odd number is not said (POSIX). */
void swab(const void *from, void *to, long n) {
  const char *s = from;
  char *t = to;
  for (long i = 0; i + 1 < n; i += 2) {
    char first = s[i];
    t[i] = s[i + 1];
    t[i + 1] = first;
  }
  if (n > 0 && n % 2 != 0 && __slam_any_int())
    t[n - 1] = __slam_any_char();
}
