/* Other locales than that of C, in programs that may set one. */

char __slam_any_char(void);
int __slam_any_int(void);
long __slam_any_long(void);
void *__slam_any_pointer(void);
void __slam_may_set_errno(void);
void slam_locale_changed(void);

/* The name of the locale. Every change may write over it, and give another place to it. */
static char first_name[4096] = "C", second_name[4096];
static char *name = first_name;

static void named(char *to) {
  long n = __slam_any_long(), i = 0;
  while (i < n && i < 4095) {
    to[i] = __slam_any_char();
    i++;
  }
  to[i] = 0;
}

char *setlocale(int category, const char *locale) {
  if (locale) {
    /* Files of locales that were looked for and are not there leave their number, also where the change succeeds. */
    __slam_may_set_errno();
    if (!__slam_any_int())
      return 0;
    slam_locale_changed();
    if (__slam_any_int())
      named(name);
    if (__slam_any_int()) {
      name = name == first_name ? second_name : first_name;
      named(name);
    }
  }
  return name;
}

void *uselocale(void *locale) {
  if (locale)
    slam_locale_changed();
  return __slam_any_pointer();
}
