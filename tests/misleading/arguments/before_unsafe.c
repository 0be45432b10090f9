#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In front of a string there is nothing. */
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  return argv[1][-1] == 'x';
}
