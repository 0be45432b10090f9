#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end is read where strtol did not run. */
int main(int argc, char **argv) {
  char *end;
  long n = 0;
  if (argc > 1)
    n = strtol(argv[1], &end, 10);
  return *end == 0 && n == 3;
}
