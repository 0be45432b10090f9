#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Standard input is open. */
static int first(FILE *in) {
  return getc(in);
}
int main(void) {
  return first(stdin) == 'x';
}
