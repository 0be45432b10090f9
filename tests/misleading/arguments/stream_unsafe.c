#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Standard input was opened anew, perhaps in vain. */
static int first(FILE *in) {
  return getc(in);
}
int main(void) {
  stdin = fopen("input", "r");
  return first(stdin) == 'x';
}
