/* What main is given: strings of any number, length and content, each an object of its own. They have at most an eighth
   of the bytes that a pointer difference can count, the NUL included, far more than systems hand over: checks rely on it
   (cmm::instrument). */

typedef __typeof__(sizeof(0)) size_t;
void *__builtin_alloca(size_t);
long __slam_string_length(void);
char __slam_string_character(void);

static char *argument(void) {
  long n = __slam_string_length();
  if (n < 0 || n >= (-1ul >> 4))
    n = 0;
  char *s = __builtin_alloca(n + 1);
  long i = 0;
  while (i < n) {
    char c = __slam_string_character();
    s[i] = c ? c : ' ';
    i++;
  }
  s[i] = 0;
  return s;
}

char **slam_arguments(int count) {
  char **list = __builtin_alloca((count + 1ul) * sizeof(char *));
  int i = 0;
  while (i < count) {
    list[i] = argument();
    i++;
  }
  list[i] = 0;
  return list;
}
