#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The argument may be empty: then there is nothing behind its NUL. */
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  return atoi(argv[1] + 1) == 5;
}
