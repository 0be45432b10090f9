#include <stdio.h>

/* The buffer of main lives as long as the program runs. */
static const char *at;
static int is_first(char c) {
  return *at == c;
}
int main(int argc, char **argv) {
  char line[4] = {'a', 'b', 'c', 0};
  at = line;
  return is_first('x');
}
