/* Names of files that come from outside, into an array of the caller's or a block of malloc's. */

typedef __typeof__(sizeof(0)) size_t;
void *malloc(size_t);
int __slam_input_int(void);
long __slam_input_long(void);
char __slam_input_char(void);

/* A name with at most `room` bytes, its end among them. */
static char *name_into(char *s, size_t room) {
  size_t n = __slam_input_long(), i = 0;
  while (i < n && i + 1 < room) {
    char c = __slam_input_char();
    s[i] = c ? c : '/';
    i++;
  }
  s[i] = 0;
  return s;
}

static char *new_name(void) {
  size_t n = __slam_input_long();
  if (n == 0 || n > (size_t)-1 >> 2)
    n = 1;
  char *s = malloc(n);
  return s ? name_into(s, n) : 0;
}

char *getcwd(char *s, size_t room) {
  if (!__slam_input_int() || (s && room == 0))
    return 0;
  return s ? name_into(s, room) : new_name();
}

char *get_current_dir_name(void) {
  return __slam_input_int() ? new_name() : 0;
}

char *realpath(const char *name, char *s) {
  if (!__slam_input_int())
    return 0;
  return s ? name_into(s, 4096) : new_name();
}

char *canonicalize_file_name(const char *name) {
  return realpath(name, 0);
}

char *tempnam(const char *folder, const char *prefix) {
  return __slam_input_int() ? new_name() : 0;
}
