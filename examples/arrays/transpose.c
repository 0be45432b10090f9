//@ verdict: SAFE
// A transposed matrix has rows for columns.
#include <assert.h>
extern int input(void);
int main(void) {
    int m[6][9], t[9][6], i, j;
    for (i = 0; i < 6; i++) for (j = 0; j < 9; j++) m[i][j] = input();
    for (i = 0; i < 6; i++) for (j = 0; j < 9; j++) t[j][i] = m[i][j];
    for (i = 0; i < 9; i++) for (j = 0; j < 6; j++) assert(t[i][j] == m[j][i]);
    return 0;
}
