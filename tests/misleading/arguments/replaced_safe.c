#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list holds another string. */
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  argv[1] = "17";
  return atoi(argv[1]) == 7;
}
