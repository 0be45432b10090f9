/* What locales decide. <ctype.h> has the values that glibc answers in the C locale; its macros read a table, and the front end turns
   that into calls of these functions. In a program that may set another locale characters beyond ASCII may be of any class and
   change into any other behind that, and some locales (Turkish ones) have another letter for i. */

typedef __typeof__(sizeof(0)) size_t;
size_t strlen(const char *);
int strcmp(const char *, const char *);
int __slam_any_int(void);
char __slam_any_char(void);
int __slam_sets_locale(void);

/* Another locale than that of C may be set. */
static int other_locale;

static int is_open(int c) {
  return other_locale && (c > 127 || c < -1);
}

int isupper(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return c >= 'A' && c <= 'Z' ? 256 : 0;
}

int islower(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return c >= 'a' && c <= 'z' ? 512 : 0;
}

int isalpha(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 1024 : 0;
}

/* The compiler computes this one itself, the macro reads the table. */
int isdigit(int c) {
  return c >= '0' && c <= '9';
}

int slam_isdigit(int c) {
  return c >= '0' && c <= '9' ? 2048 : 0;
}

int isxdigit(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ? 4096 : 0;
}

int isspace(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return c == ' ' || (c >= 9 && c <= 13) ? 8192 : 0;
}

int isprint(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return c >= 32 && c <= 126 ? 16384 : 0;
}

int isgraph(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return c >= 33 && c <= 126 ? 32768 : 0;
}

int isblank(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return c == ' ' || c == 9 ? 1 : 0;
}

int iscntrl(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return (c >= 0 && c <= 31) || c == 127 ? 2 : 0;
}

int isalnum(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 8 : 0;
}

int ispunct(int c) {
  if (__slam_sets_locale() && is_open(c))
    return __slam_any_int();
  return c >= 33 && c <= 126 && !isalnum(c) ? 4 : 0;
}

int isascii(int c) {
  return c >= 0 && c <= 127;
}

int toascii(int c) {
  return c & 127;
}

/* The tables have entries for bytes that are negative as char. */

int toupper(int c) {
  if (__slam_sets_locale() && (is_open(c) || (other_locale && (c == 'i' || c == 'I'))))
    return __slam_any_int();
  if (c >= 'a' && c <= 'z')
    return c - 32;
  return c >= -128 && c < -1 ? c + 256 : c;
}

int tolower(int c) {
  if (__slam_sets_locale() && (is_open(c) || (other_locale && (c == 'i' || c == 'I'))))
    return __slam_any_int();
  if (c >= 'A' && c <= 'Z')
    return c + 32;
  return c >= -128 && c < -1 ? c + 256 : c;
}

/* The tables are made anew when the locale changes. */

static unsigned short classes[384];
static const unsigned short *classes_middle;
static int uppers[384], lowers[384];
static const int *uppers_middle, *lowers_middle;

void slam_locale_changed(void) {
  other_locale = 1;
  classes_middle = 0;
  uppers_middle = 0;
  lowers_middle = 0;
}

const unsigned short **__ctype_b_loc(void) {
  if (!classes_middle) {
    for (int c = __slam_sets_locale() ? -128 : 0; c <= (__slam_sets_locale() ? 255 : 127); c++)
      classes[c + 128] = isupper(c) + islower(c) + isalpha(c) + slam_isdigit(c) + isxdigit(c) + isspace(c) +
                         isprint(c) + isgraph(c) + isblank(c) + iscntrl(c) + ispunct(c) + isalnum(c);
    classes_middle = classes + 128;
  }
  return &classes_middle;
}

const int **__ctype_toupper_loc(void) {
  if (!uppers_middle) {
    for (int c = -128; c <= 255; c++)
      uppers[c + 128] = toupper(c);
    uppers_middle = uppers + 128;
  }
  return &uppers_middle;
}

const int **__ctype_tolower_loc(void) {
  if (!lowers_middle) {
    for (int c = -128; c <= 255; c++)
      lowers[c + 128] = tolower(c);
    lowers_middle = lowers + 128;
  }
  return &lowers_middle;
}

/* Strings that are equal character by character are so everywhere. */
int strcoll(const char *a, const char *b) {
  int order = strcmp(a, b);
  if (__slam_sets_locale() && other_locale && order != 0)
    return __slam_any_int();
  return order;
}

size_t strxfrm(char *to, const char *from, size_t room) {
  size_t n = strlen(from);
  if (__slam_sets_locale() && other_locale) {
    n = (unsigned)__slam_any_int();
    for (size_t i = 0; i < room && i <= n; i++)
      to[i] = i == n ? 0 : __slam_any_char();
    return n;
  }
  for (size_t i = 0; i < room && i <= n; i++)
    to[i] = from[i];
  return n;
}
