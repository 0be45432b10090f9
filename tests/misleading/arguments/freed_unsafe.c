#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arguments are not the program's to free. */
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  free(argv[1]);
  return 0;
}
