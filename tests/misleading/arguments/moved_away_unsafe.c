#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The copy is read where it was before realloc. */
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  char *copy = malloc(4);
  if (!copy)
    return 0;
  copy[0] = argv[1][0];
  char *old = copy;
  copy = realloc(copy, 100);
  if (!copy)
    return 0;
  int r = old[0] == 'x';
  free(copy);
  return r;
}
