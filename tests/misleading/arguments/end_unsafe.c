#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind the end that strtol tells there may be nothing. */
int main(int argc, char **argv) {
  char *end;
  if (argc < 2)
    return 0;
  long n = strtol(argv[1], &end, 10);
  return end[1] == 0 && n == 3;
}
