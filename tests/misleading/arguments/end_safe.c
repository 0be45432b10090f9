#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end that strtol tells is in the string. */
int main(int argc, char **argv) {
  char *end;
  if (argc < 2)
    return 0;
  long n = strtol(argv[1], &end, 10);
  return *end == 0 && n == 3;
}
