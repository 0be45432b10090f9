#include <stdio.h>

/* The buffer is one of an inner call of main, which has ended. */
static const char *at = "b";
static int depth;
static int is_first(char c) {
  return *at == c;
}
int main(int argc, char **argv) {
  char line[4] = {'a', 'b', 'c', 0};
  if (depth++ > 0) {
    at = line;
    return 0;
  }
  main(argc, argv);
  return is_first('x');
}
