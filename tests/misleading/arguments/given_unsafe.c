#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Somebody else may overwrite the NUL. */
void mangle(char *);
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  mangle(argv[1]);
  return atoi(argv[1]) == 7;
}
