#include <stdio.h>
#include <stdlib.h>

/* The buffer of main has ended when the handler runs. */
static const char *at;
static void show(void) {
  if (*at == 'a')
    puts("a");
}
int main(int argc, char **argv) {
  char line[4] = {'a', 'b', 'c', 0};
  at = line;
  atexit(show);
  return argc;
}
