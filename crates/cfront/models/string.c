/* <string.h> and <strings.h>. Objects are smaller than the largest long, so that a long counts their bytes. A comparison
   has the sign that C gives it, and any magnitude: implementations differ. */

typedef __typeof__(sizeof(0)) size_t;
void *malloc(size_t);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int __slam_input_int(void);
void __slam_reads(const void *, size_t);
int __slam_checks_bounds(void);
int tolower(int);

/* What stands here is the rest of a string: it has an end, whether a function looks for it or not (C17 7.1.1). */
static void rest(const char *s) {
  if (__slam_checks_bounds()) {
    long i = 0;
    while (s[i])
      i++;
  }
}

static int difference(int a, int b) {
  int r = __slam_input_int();
  if (a < b)
    return r < 0 ? r : -1;
  return r > 0 ? r : 1;
}

size_t strlen(const char *s) {
  long n = 0;
  while (s[n])
    n++;
  return n;
}

size_t strnlen(const char *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n])
    n++;
  return n;
}

char *strcpy(char *to, const char *from) {
  long i = 0;
  while (from[i]) {
    to[i] = from[i];
    i++;
  }
  to[i] = 0;
  return to;
}

char *stpcpy(char *to, const char *from) {
  long i = 0;
  while (from[i]) {
    to[i] = from[i];
    i++;
  }
  to[i] = 0;
  return to + i;
}

char *strncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  while (i < n && from[i]) {
    to[i] = from[i];
    i++;
  }
  while (i < n) {
    to[i] = 0;
    i++;
  }
  return to;
}

char *stpncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  while (i < n && from[i]) {
    to[i] = from[i];
    i++;
  }
  size_t end = i;
  while (i < n) {
    to[i] = 0;
    i++;
  }
  return to + end;
}

char *strcat(char *to, const char *from) {
  long n = 0, i = 0;
  while (to[n])
    n++;
  while (from[i]) {
    to[n + i] = from[i];
    i++;
  }
  to[n + i] = 0;
  return to;
}

char *strncat(char *to, const char *from, size_t most) {
  long n = 0;
  size_t i = 0;
  while (to[n])
    n++;
  while (i < most && from[i]) {
    to[n + i] = from[i];
    i++;
  }
  to[n + i] = 0;
  return to;
}

int strcmp(const char *a, const char *b) {
  long i = 0;
  while (a[i] == b[i]) {
    if (!a[i])
      return 0;
    i++;
  }
  rest(a + i);
  rest(b + i);
  return difference((unsigned char)a[i], (unsigned char)b[i]);
}

int strncmp(const char *a, const char *b, size_t n) {
  size_t i = 0;
  while (i < n && a[i] == b[i]) {
    if (!a[i])
      return 0;
    i++;
  }
  if (i >= n)
    return 0;
  return difference((unsigned char)a[i], (unsigned char)b[i]);
}

int strcasecmp(const char *a, const char *b) {
  long i = 0;
  while (a[i] && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i]))
    i++;
  int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);
  rest(a + i);
  rest(b + i);
  return x == y ? 0 : difference(x, y);
}

int strncasecmp(const char *a, const char *b, size_t n) {
  size_t i = 0;
  while (i < n && a[i] && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i]))
    i++;
  if (i >= n)
    return 0;
  int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);
  return x == y ? 0 : difference(x, y);
}

char *strchr(const char *s, int c) {
  long i = 0;
  while (s[i] != (char)c) {
    if (!s[i])
      return 0;
    i++;
  }
  rest(s + i);
  return (char *)s + i;
}

char *index(const char *s, int c) {
  return strchr(s, c);
}

char *strchrnul(const char *s, int c) {
  long i = 0;
  while (s[i] && s[i] != (char)c)
    i++;
  rest(s + i);
  return (char *)s + i;
}

char *strrchr(const char *s, int c) {
  char *found = 0;
  long i = 0;
  while (s[i]) {
    if (s[i] == (char)c)
      found = (char *)s + i;
    i++;
  }
  if (!(char)c)
    return (char *)s + i;
  return found;
}

char *rindex(const char *s, int c) {
  return strrchr(s, c);
}

static int is_one_of(char c, const char *set) {
  long i = 0;
  while (set[i]) {
    if (set[i] == c)
      return 1;
    i++;
  }
  return 0;
}

size_t strspn(const char *s, const char *set) {
  long n = 0;
  while (s[n] && is_one_of(s[n], set))
    n++;
  rest(s + n);
  rest(set);
  return n;
}

size_t strcspn(const char *s, const char *set) {
  long n = 0;
  while (s[n] && !is_one_of(s[n], set))
    n++;
  rest(s + n);
  rest(set);
  return n;
}

char *strpbrk(const char *s, const char *set) {
  long n = 0;
  while (s[n]) {
    if (is_one_of(s[n], set)) {
      rest(s + n);
      rest(set);
      return (char *)s + n;
    }
    n++;
  }
  rest(set);
  return 0;
}

char *strstr(const char *s, const char *part) {
  long at = 0;
  for (;;) {
    long i = 0;
    while (part[i] && s[at + i] == part[i])
      i++;
    if (!part[i]) {
      rest(s + at);
      return (char *)s + at;
    }
    if (!s[at]) {
      rest(part);
      return 0;
    }
    at++;
  }
}

static char *next_token(char *s, const char *set, char **rest) {
  if (!s)
    s = *rest;
  if (!s)
    return 0;
  s += strspn(s, set);
  if (!*s) {
    *rest = s;
    return 0;
  }
  char *end = s + strcspn(s, set);
  if (*end)
    *end++ = 0;
  *rest = end;
  return s;
}

static char *token_rest;

char *strtok(char *s, const char *set) {
  return next_token(s, set, &token_rest);
}

char *strtok_r(char *s, const char *set, char **rest) {
  return next_token(s, set, rest);
}

char *strsep(char **rest, const char *set) {
  char *s = *rest;
  if (!s)
    return 0;
  char *end = s + strcspn(s, set);
  if (*end)
    *end++ = 0;
  else
    end = 0;
  *rest = end;
  return s;
}

char *strdup(const char *s) {
  size_t n = strlen(s) + 1;
  char *copy = malloc(n);
  if (copy)
    memcpy(copy, s, n);
  return copy;
}

char *strndup(const char *s, size_t most) {
  size_t n = strnlen(s, most);
  char *copy = malloc(n + 1);
  if (copy) {
    memcpy(copy, s, n);
    copy[n] = 0;
  }
  return copy;
}

void *memchr(const void *p, int c, size_t n) {
  const unsigned char *s = p;
  for (size_t i = 0; i < n; i++)
    if (s[i] == (unsigned char)c)
      return (void *)(s + i);
  return 0;
}

void *memrchr(const void *p, int c, size_t n) {
  const unsigned char *s = p;
  __slam_reads(p, n);
  for (size_t i = n; i > 0; i--)
    if (s[i - 1] == (unsigned char)c)
      return (void *)(s + (i - 1));
  return 0;
}

int memcmp(const void *p, const void *q, size_t n) {
  const unsigned char *a = p, *b = q;
  __slam_reads(p, n);
  __slam_reads(q, n);
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i])
      return difference(a[i], b[i]);
  return 0;
}

int bcmp(const void *p, const void *q, size_t n) {
  return memcmp(p, q, n);
}

void *mempcpy(void *to, const void *from, size_t n) {
  memcpy(to, from, n);
  return (char *)to + n;
}

void *memccpy(void *to, const void *from, int c, size_t n) {
  unsigned char *t = to;
  const unsigned char *s = from;
  for (size_t i = 0; i < n; i++) {
    t[i] = s[i];
    if (s[i] == (unsigned char)c)
      return t + (i + 1);
  }
  return 0;
}

void bzero(void *p, size_t n) {
  memset(p, 0, n);
}

void bcopy(const void *from, void *to, size_t n) {
  memcpy(to, from, n);
}
