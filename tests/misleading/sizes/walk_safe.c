#include <stdlib.h>
int main(void) {
    int t[10];
    int *e = t+10;
    for (int *p = t; p < e; p++)*p = 1;
    return 0;
}
