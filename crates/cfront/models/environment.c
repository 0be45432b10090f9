/* The environment: each name has no value, or a string of any length and content, which is the same as long as the
   program runs. Calls with literals alone ask for each name once (cfront::environment); others look it up. */

typedef __typeof__(sizeof(0)) size_t;
void *__builtin_alloca(size_t);
long __slam_input_long(void);
char __slam_input_char(void);
int __slam_input_int(void);

char *slam_getenv(void) {
  long n = __slam_input_long();
  if (n < 0)
    return 0;
  if (n >= (-1ul >> 4))
    n = 0;
  char *s = __builtin_alloca(n + 1);
  long i = 0;
  while (i < n) {
    char c = __slam_input_char();
    s[i] = c ? c : ' ';
    i++;
  }
  s[i] = 0;
  return s;
}

struct slam_named {
  struct slam_named *next;
  char *name;
  char *value;
};

static struct slam_named *named;

char *getenv(const char *name) {
  struct slam_named *known = named;
  while (known) {
    long i = 0;
    while (name[i] == known->name[i] && name[i])
      i++;
    if (name[i] == known->name[i])
      return known->value;
    known = known->next;
  }
  long n = 0;
  while (name[n])
    n++;
  struct slam_named *new = __builtin_alloca(sizeof *new);
  new->name = __builtin_alloca(n + 1);
  long i = 0;
  while (i < n) {
    new->name[i] = name[i];
    i++;
  }
  new->name[i] = 0;
  new->value = slam_getenv();
  new->next = named;
  named = new;
  return new->value;
}

static int asked_whether_secure, is_secure;

char *secure_getenv(const char *name) {
  if (!asked_whether_secure) {
    asked_whether_secure = 1;
    is_secure = __slam_input_int();
  }
  return is_secure ? 0 : getenv(name);
}
