#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last entry of the table is NULL. */
static const char *const names[3] = {"one", "two"};
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  for (int i = 0; i < 3; i++)
    if (strcmp(names[i], argv[1]) == 0)
      return i;
  return 3;
}
