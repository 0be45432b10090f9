#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The buffer has ended when it is read. */
static const char *at;
static void set(const char *s) {
  char kept[4] = {0};
  kept[0] = s[0];
  at = kept;
}
int main(int argc, char **argv) {
  at = "x";
  if (argc > 1) {
    at = argv[1];
    if (*at == 'k')
      set(at);
  }
  return *at == 'y';
}
