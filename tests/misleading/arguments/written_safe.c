#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Zeros leave the end where it is, or nearer. */
int main(int argc, char **argv) {
  if (argc < 2 || argv[1][0] == 0)
    return 0;
  argv[1][0] = 0;
  return atoi(argv[1]);
}
