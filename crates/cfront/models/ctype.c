/* <ctype.h> in the C locale, with the values that glibc answers. Its macros read a table; the front end turns that into
   calls of these functions. */

int isupper(int c) {
  return c >= 'A' && c <= 'Z' ? 256 : 0;
}

int islower(int c) {
  return c >= 'a' && c <= 'z' ? 512 : 0;
}

int isalpha(int c) {
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
  return c == ' ' || (c >= 9 && c <= 13) ? 8192 : 0;
}

int isprint(int c) {
  return c >= 32 && c <= 126 ? 16384 : 0;
}

int isgraph(int c) {
  return c >= 33 && c <= 126 ? 32768 : 0;
}

int isblank(int c) {
  return c == ' ' || c == 9 ? 1 : 0;
}

int iscntrl(int c) {
  return (c >= 0 && c <= 31) || c == 127 ? 2 : 0;
}

int isalnum(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 8 : 0;
}

int ispunct(int c) {
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
  if (c >= 'a' && c <= 'z')
    return c - 32;
  return c >= -128 && c < -1 ? c + 256 : c;
}

int tolower(int c) {
  if (c >= 'A' && c <= 'Z')
    return c + 32;
  return c >= -128 && c < -1 ? c + 256 : c;
}

static unsigned short classes[384];
static const unsigned short *classes_middle;

const unsigned short **__ctype_b_loc(void) {
  if (!classes_middle) {
    for (int c = 0; c <= 127; c++)
      classes[c + 128] = isupper(c) + islower(c) + isalpha(c) + slam_isdigit(c) + isxdigit(c) + isspace(c) +
                         isprint(c) + isgraph(c) + isblank(c) + iscntrl(c) + ispunct(c) + isalnum(c);
    classes_middle = classes + 128;
  }
  return &classes_middle;
}

static int uppers[384];
static const int *uppers_middle;

const int **__ctype_toupper_loc(void) {
  if (!uppers_middle) {
    for (int c = -128; c <= 255; c++)
      uppers[c + 128] = toupper(c);
    uppers_middle = uppers + 128;
  }
  return &uppers_middle;
}

static int lowers[384];
static const int *lowers_middle;

const int **__ctype_tolower_loc(void) {
  if (!lowers_middle) {
    for (int c = -128; c <= 255; c++)
      lowers[c + 128] = tolower(c);
    lowers_middle = lowers + 128;
  }
  return &lowers_middle;
}
