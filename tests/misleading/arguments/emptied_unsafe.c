#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list holds NULL now. */
static void clear(char **list) {
  list[1] = NULL;
}
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  clear(argv);
  return atoi(argv[1]) == 7;
}
