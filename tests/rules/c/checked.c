/* c/checked: results that say that something has failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer { char *text; size_t size; };

int keeps_pointer_in_a_structure(void) {
    struct buffer b, *p = &b;
    p->text = malloc(8);
    if (!b.text)
        return 1;
    memset(p->text, 0, 8);
    free(b.text);
    return 0;
}

int breaks_pointer_in_a_structure(void) {
    struct buffer b, *p = &b;
    p->text = malloc(8);
    memset(b.text, 0, 8);
    free(p->text);
    return 0;
}

int keeps_loop_of_allocations(void) {
    int n;
    for (n = 0; n < 3; n++) {
        char *line = calloc(1, 16), *other = line;
        if (other == NULL)
            break;
        strcpy(line, "text");
        free(line);
    }
    return n;
}

int breaks_second_turn(void) {
    int n;
    char *line = NULL;
    for (n = 0; n < 2; n++) {
        free(line);
        line = malloc(16);
        if (n == 0 && !line)
            return 1;
        strcpy(line, "text");
    }
    free(line);
    return 0;
}

int keeps_error_path(void) {
    FILE *in = fopen("in", "r");
    FILE *out = in ? fopen("out", "w") : NULL;
    int c;
    if (!out) {
        if (in)
            fclose(in);
        return 1;
    }
    c = fgetc(in);
    fputc(c, out);
    fclose(in);
    fclose(out);
    return 0;
}

int breaks_error_path(void) {
    FILE *in = fopen("in", "r");
    if (!in)
        goto failed;
    fclose(in);
    return 0;
failed:
    fclose(in);
    return 1;
}
