#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The NUL is overwritten by a block. */
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  memset(argv[1], '1', 1);
  return atoi(argv[1]) == 7;
}
