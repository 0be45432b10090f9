/* What the GNU and BSD libraries add to <string.h>, and a transformation that few use. */

typedef __typeof__(sizeof(0)) size_t;
void *memset(void *, int, size_t);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int tolower(int);

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
  for (size_t at = 0; length <= n && at <= n - length; at++) {
    size_t i = 0;
    while (i < length && s[at + i] == t[i])
      i++;
    if (i == length)
      return (void *)(s + at);
  }
  return 0;
}

/* The transformation changes nothing in the C locale. */
size_t strxfrm(char *to, const char *from, size_t room) {
  size_t n = strlen(from);
  for (size_t i = 0; i < room && i <= n; i++)
    to[i] = from[i];
  return n;
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
