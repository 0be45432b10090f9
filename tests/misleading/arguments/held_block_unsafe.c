#include <stdio.h>

/* The buffer is one of a block of main, which has ended. */
static const char *at;
static int is_first(char c) {
  return *at == c;
}
int main(int argc, char **argv) {
  if (argc > 1) {
    char line[4] = {'a', 'b', 'c', 0};
    at = line;
  } else {
    at = "b";
  }
  return is_first('x');
}
