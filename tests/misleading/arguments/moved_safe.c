#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind a character that is not the NUL the string goes on. */
int main(int argc, char **argv) {
  if (argc < 2 || argv[1][0] == 0)
    return 0;
  return atoi(argv[1] + 1) == 5;
}
