#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* argv[argc] is NULL. */
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 1; i <= argc; i++)
    sum ^= atoi(argv[i]);
  return sum == 7;
}
