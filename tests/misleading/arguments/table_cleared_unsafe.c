#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of the table becomes NULL. */
static const char *names[2] = {"one", "two"};
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  if (argc > 2)
    names[1] = 0;
  return strcmp(names[1], argv[1]) == 0;
}
