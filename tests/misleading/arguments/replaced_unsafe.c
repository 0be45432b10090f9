#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list holds characters without an end. */
int main(int argc, char **argv) {
  char digits[2] = {'1', '7'};
  if (argc < 2)
    return 0;
  argv[1] = digits;
  return atoi(argv[1]) == 7;
}
