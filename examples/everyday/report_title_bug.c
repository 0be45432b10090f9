//@ verdict: UNSAFE --check free
// Prints a report of readings below a title, which names the station with the number on the
// command line.
// Bug: line 25 keeps the address of a local array that is gone when the title is printed.
// Input: args [7], stdin "1 2 3\n"
#include <stdio.h>
#include <stdlib.h>

struct report {
    const char *title;
    int readings;
    long long sum;
};

static void set_title(struct report *r, const char *title) {
    r->title = title;
}

static void start(struct report *r, long station) {
    char text[32];
    if (station < 0 || station > 99) {
        set_title(r, "unknown station");
    } else {
        snprintf(text, sizeof text, "station %ld", station);
        set_title(r, text);
    }
    r->readings = 0;
    r->sum = 0;
}

int main(int argc, char **argv) {
    struct report r;
    int x;

    if (argc < 2) {
        fprintf(stderr, "usage: report_title STATION\n");
        return 1;
    }
    start(&r, strtol(argv[1], NULL, 10));
    while (r.readings < 1000 && scanf("%d", &x) == 1) {
        r.sum += x;
        r.readings++;
    }
    printf("%s\n", r.title);
    printf("%d readings, %lld in all\n", r.readings, r.sum);
    return 0;
}
