#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The NUL is overwritten. */
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  char *s = argv[1];
  if (s[0] == 0)
    s[0] = '1';
  return atoi(s) == 7;
}
