/* c/file: streams. */
#include <stdio.h>

struct log { FILE *to; int lines; };

int keeps_stream_in_a_structure(void) {
    struct log log = {0}, *p = &log;
    p->to = fopen("log", "w");
    if (!log.to)
        return 1;
    fputs("begin", p->to);
    fclose(log.to);
    return 0;
}

int breaks_closed_by_another_name(void) {
    FILE *f = fopen("a", "r"), *g = f;
    if (!f)
        return 1;
    fclose(g);
    return fgetc(f);
}

int keeps_loop_of_streams(void) {
    int n;
    for (n = 0; n < 3; n++) {
        FILE *f = fopen("a", "r");
        if (!f)
            continue;
        fgetc(f);
        fclose(f);
    }
    return 0;
}

int breaks_stream_of_the_last_turn(void) {
    FILE *f = NULL;
    int n;
    for (n = 0; n < 2; n++)
        f = fopen("a", "r");
    if (f)
        fclose(f);
    return 0;
}

static FILE *open_both(FILE **second) {
    FILE *first = fopen("a", "r");
    if (!first)
        return NULL;
    *second = fopen("b", "r");
    if (!*second) {
        fclose(first);
        return NULL;
    }
    return first;
}

int keeps_error_path(void) {
    FILE *a, *b;
    a = open_both(&b);
    if (!a)
        return 1;
    fclose(b);
    fclose(a);
    return 0;
}

int breaks_error_path(void) {
    FILE *a = fopen("a", "r"), *b;
    if (!a)
        return 1;
    b = fopen("b", "r");
    if (!b)
        return 2;
    fclose(b);
    fclose(a);
    return 0;
}
