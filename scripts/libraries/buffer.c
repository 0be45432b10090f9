#include "buffer.h"

char __VERIFIER_nondet_char(void);

int main(void) {
    char text[5];
    for (int i = 0; i < 4; i++)
        text[i] = __VERIFIER_nondet_char();
    text[4] = 0;
    buffer_t *buffer = buffer_new_with_copy(text);
    if (!buffer)
        return 1;
    buffer_append(buffer, "end");
    buffer_trim(buffer);
    buffer_free(buffer);
    return 0;
}
