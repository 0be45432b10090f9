#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The second character of an empty string. */
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  return argv[1][1] == 'x';
}
