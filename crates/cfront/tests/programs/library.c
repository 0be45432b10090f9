#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static unsigned mix(unsigned h, long v) { return h * 31u + (unsigned)(v ^ (v >> 32)) + 7u; }
static int sign(int r) { return r < 0 ? -1 : r > 0; }

static const char *const words[] = {"", "a", "abc", "abd", "ABC", "abcabcabd", " \t12x", "b", "ab\xff", "\x80", "a,b;;c"};
#define WORDS (sizeof words / sizeof words[0])

static unsigned pairs(void) {
  unsigned h = 1;
  for (unsigned i = 0; i < WORDS; i++)
    for (unsigned j = 0; j < WORDS; j++) {
      const char *a = words[i], *b = words[j];
      char buffer[40];
      h = mix(h, sign(strcmp(a, b)));
      h = mix(h, sign(strncmp(a, b, 2)));
      h = mix(h, sign(strcasecmp(a, b)));
      h = mix(h, sign(strncasecmp(a, b, 3)));
      h = mix(h, sign(strcoll(a, b)));
      h = mix(h, strspn(a, b));
      h = mix(h, strcspn(a, b));
      char *p = strstr(a, b);
      h = mix(h, p ? p - a : -5);
      p = strpbrk(a, b);
      h = mix(h, p ? p - a : -5);
      memset(buffer, '#', sizeof buffer);
      strcpy(buffer, a);
      h = mix(h, strlen(strcat(buffer, b)));
      h = mix(h, strlen(strncat(buffer, b, 2)));
      strncpy(buffer, b, 5);
      for (unsigned k = 0; k < sizeof buffer; k++)
        h = mix(h, buffer[k]);
      h = mix(h, stpcpy(buffer, b) - buffer);
      h = mix(h, stpncpy(buffer, a, 4) - buffer);
    }
  return h;
}

static unsigned characters(void) {
  unsigned h = 2;
  for (int c = -1; c < 256; c++) {
    h = mix(h, isalpha(c)); h = mix(h, isdigit(c)); h = mix(h, isalnum(c)); h = mix(h, isspace(c));
    h = mix(h, isupper(c)); h = mix(h, islower(c)); h = mix(h, isxdigit(c)); h = mix(h, ispunct(c));
    h = mix(h, isprint(c)); h = mix(h, isgraph(c)); h = mix(h, iscntrl(c)); h = mix(h, isblank(c));
    h = mix(h, (isalpha)(c)); h = mix(h, (isdigit)(c)); h = mix(h, (isspace)(c)); h = mix(h, (ispunct)(c));
    h = mix(h, toupper(c)); h = mix(h, tolower(c)); h = mix(h, isascii(c)); h = mix(h, toascii(c));
    h = mix(h, (*__ctype_b_loc())[c]);
    h = mix(h, (*__ctype_toupper_loc())[c]);
    h = mix(h, (*__ctype_tolower_loc())[c]);
  }
  for (int c = -128; c < -1; c++) {
    h = mix(h, toupper(c)); h = mix(h, tolower(c)); h = mix(h, isalpha(c)); h = mix(h, isprint(c)); h = mix(h, iscntrl(c));
  }
  return h;
}

static unsigned searches(void) {
  unsigned h = 3;
  for (unsigned i = 0; i < WORDS; i++) {
    const char *a = words[i];
    for (int c = 0; c < 256; c += 7) {
      char *p = strchr(a, c), *q = strrchr(a, c);
      h = mix(h, p ? p - a : -1);
      h = mix(h, q ? q - a : -1);
      void *m = memchr(a, c, strlen(a) + 1);
      h = mix(h, m ? (char *)m - a : -1);
    }
    h = mix(h, strnlen(a, 2));
    h = mix(h, sign(memcmp(a, "abcdefghijk", strlen(a))));
    char *d = strdup(a), *e = strndup(a, 2);
    h = mix(h, strlen(d) * 10 + strlen(e) + (strcmp(d, a) == 0));
    free(d);
    free(e);
    char buffer[40], *rest;
    strcpy(buffer, a);
    for (char *t = strtok(buffer, ",; \t"); t; t = strtok(0, ",;"))
      h = mix(h, (t - buffer) * 100 + strlen(t));
    strcpy(buffer, a);
    for (char *t = strtok_r(buffer, ",b", &rest); t; t = strtok_r(0, ",b", &rest))
      h = mix(h, (t - buffer) * 100 + strlen(t));
    strcpy(buffer, a);
    rest = buffer;
    for (char *t = strsep(&rest, ",;"); t; t = strsep(&rest, ",;"))
      h = mix(h, (t - buffer) * 100 + strlen(t));
  }
  char block[8] = "abcdefg";
  memmove(block + 2, block, 4);
  h = mix(h, block[5] + 3 * block[2]);
  memset(block, 'z', 3);
  h = mix(h, strlen(block) + (strcmp(block, "zzzbcdg") == 0));
  return h;
}

static const char *const numbers[] = {"0", "12", "-7", "+9", "  \n42x", "0x1f", "-0x10", "017", "08", "zz", "", "-", "0x", "99999999999999999999",
                                      "-99999999999999999999", "9223372036854775807", "-9223372036854775808", "2147483648", "1e5"};

static unsigned conversions(void) {
  unsigned h = 4;
  for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    const char *s = numbers[i];
    static const int bases[] = {0, 10, 16, 8, 2, 36};
    for (unsigned b = 0; b < 6; b++) {
      char *end = 0;
      h = mix(h, strtol(s, &end, bases[b])); h = mix(h, end - s);
      h = mix(h, strtoul(s, &end, bases[b])); h = mix(h, end - s);
      h = mix(h, strtoll(s, &end, bases[b])); h = mix(h, end - s);
      h = mix(h, (long)strtoull(s, 0, bases[b]));
    }
    h = mix(h, atol(s));
    h = mix(h, atoll(s));
    h = mix(h, atoi(s));
  }
  h = mix(h, abs(-5) + labs(-6l) * 3 + llabs(7ll) * 5);
  return h;
}

struct item { int key; short order; char tag[3]; };

static int by_key(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  return x->key < y->key ? -1 : x->key > y->key;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static unsigned sorting(void) {
  unsigned h = 5;
  struct item items[12];
  int values[20];
  for (int i = 0; i < 12; i++) {
    items[i].key = i * 7 % 5;
    items[i].order = i;
    items[i].tag[0] = 'a' + i;
  }
  for (int i = 0; i < 20; i++)
    values[i] = i * 13 % 20 * 3;
  qsort(items, 12, sizeof items[0], by_key);
  qsort(values, 20, sizeof values[0], by_value);
  for (int i = 0; i < 12; i++)
    h = mix(h, items[i].key * 1000 + items[i].order * 10 + items[i].tag[0]);
  for (int i = 0; i < 20; i++)
    h = mix(h, values[i]);
  for (int i = -1; i < 62; i++) {
    int *p = bsearch(&i, values, 20, sizeof values[0], by_value);
    h = mix(h, p ? p - values : -1);
  }
  return h;
}

static unsigned allocation(void) {
  unsigned h = 6;
  int *p = malloc(3 * sizeof *p);
  for (int i = 0; i < 3; i++)
    p[i] = i * i + 1;
  p = realloc(p, 10 * sizeof *p);
  for (int i = 3; i < 10; i++)
    p[i] = i;
  p = realloc(p, 5 * sizeof *p);
  for (int i = 0; i < 5; i++)
    h = mix(h, p[i]);
  h = mix(h, realloc(0, 4) != 0);
  p = reallocarray(p, 6, sizeof *p);
  h = mix(h, p[4]);
  volatile size_t huge = (size_t)-1 / 4;
  h = mix(h, calloc(huge, 16) == 0);
  h = mix(h, reallocarray(0, huge, 16) == 0);
  free(p);
  char *z = calloc(4, 2);
  h = mix(h, z[7]);
  free(z);
  return h;
}

unsigned all(void) {
  unsigned h = pairs();
  h = h * 3 + characters();
  h = h * 3 + searches();
  h = h * 3 + conversions();
  h = h * 3 + sorting();
  return h * 3 + allocation();
}

static unsigned others(void) {
  unsigned h = 9;
  for (unsigned i = 0; i < WORDS; i++)
    for (unsigned j = 0; j < WORDS; j++) {
      const char *a = words[i], *b = words[j];
      char buffer[40];
      char *p = strcasestr(a, b);
      h = mix(h, p ? p - a : -5);
      p = memmem(a, strlen(a), b, strlen(b));
      h = mix(h, p ? p - a : -5);
      memset(buffer, '#', sizeof buffer);
      h = mix(h, strxfrm(buffer, a, 20));
      h = mix(h, (char *)rawmemchr(buffer, '#') - buffer);
      explicit_bzero(buffer, 3);
      h = mix(h, buffer[2] + buffer[3]);
    }
  for (int i = 0; i < 32; i++)
    h = mix(h, ffs(i * 40));
  return mix(mix(h, ffs(0)), ffs(-2147483647 - 1));
}
