#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The argument may be longer than the buffer. */
int main(int argc, char **argv) {
  char copy[8];
  if (argc < 2)
    return 0;
  strcpy(copy, argv[1]);
  return copy[0] == 'x';
}
