/* Runs a program, renamed to program_main, with inputs that are drawn or given. */
#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROBES = 256, INPUTS = 4096, END_ASSUMED = 3, END_ERROR = 107, SECONDS = 2 };

struct shared {
    long long min[PROBES], max[PROBES];
    int reached[PROBES];
    int inputs;
    long long values[INPUTS];
};

int program_main(void);

static struct shared *shared;
static uint64_t state;
static unsigned long run;
static int given_count, given_at;
static char **given;

static uint64_t next(void) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static long long drawn(void) {
    static const long long bounds[] = {
        INT_MAX, INT_MIN, UINT_MAX, SHRT_MAX, SHRT_MIN, USHRT_MAX, CHAR_MAX, CHAR_MIN, UCHAR_MAX, LONG_MAX, LONG_MIN
    };
    switch (run) {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1;
    case 3: return 2;
    case 4: return 10;
    }
    if (run % 4 == 1) return (long long)(next() % 4);
    if (run % 4 == 2) return (long long)(next() % 14) - 3;
    if (run % 4 == 3) return (long long)(next() % 31) - (next() % 4 ? 0 : 10);
    switch (next() % 4) {
    case 0: return (long long)(next() % 60) - 20;
    case 1: return bounds[next() % (sizeof bounds / sizeof *bounds)] + (long long)(next() % 3) * (next() % 2 ? 0 : 1);
    case 2: return (long long)(next() >> (next() % 64));
    default: return (long long)(next() % 400) - 200;
    }
}

static long long input(void) {
    long long value;
    if (given) {
        value = given_at < given_count ? (long long)strtoull(given[given_at], 0, 0) : 0;
        if (given_at < given_count && given[given_at][0] == '-') value = strtoll(given[given_at], 0, 0);
        given_at++;
        return value;
    }
    value = drawn();
    if (shared->inputs < INPUTS) shared->values[shared->inputs++] = value;
    return value;
}

char __VERIFIER_nondet_char(void) { return (char)input(); }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)input(); }
short __VERIFIER_nondet_short(void) { return (short)input(); }
unsigned short __VERIFIER_nondet_ushort(void) { return (unsigned short)input(); }
int __VERIFIER_nondet_int(void) { return (int)input(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)input(); }
long __VERIFIER_nondet_long(void) { return (long)input(); }
unsigned long __VERIFIER_nondet_ulong(void) { return (unsigned long)input(); }
_Bool __VERIFIER_nondet_bool(void) { return input() & 1; }
void __VERIFIER_assume(int holds) { if (!holds) _exit(END_ASSUMED); }
void reach_error(void) { _exit(END_ERROR); }

void slam_probe(int k, long long value) {
    if (!shared->reached[k] || value < shared->min[k]) shared->min[k] = value;
    if (!shared->reached[k] || value > shared->max[k]) shared->max[k] = value;
    shared->reached[k] = 1;
}

static int once(void) {
    int status;
    shared->inputs = 0;
    pid_t child = fork();
    if (child < 0) exit(2);
    if (child == 0) {
        alarm(SECONDS);
        program_main();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int probe(unsigned long runs, int probes) {
    for (run = 0; run < runs; run++) {
        state = run * 7919 + 1;
        once();
    }
    for (int k = 0; k < probes; k++) {
        if (shared->reached[k]) printf("%lld %lld\n", shared->min[k], shared->max[k]);
        else puts("-");
    }
    return 0;
}

static int search(unsigned long runs) {
    unsigned long finished = 0, assumed = 0, trapped = 0;
    int found = 0;
    for (run = 0; run < runs && !found; run++) {
        state = run * 104729 + 17;
        int end = once();
        found = end == END_ERROR;
        finished += end == 0;
        assumed += end == END_ASSUMED;
        trapped += end == -1;
    }
    printf("%lu %lu %lu\n", finished, assumed, trapped);
    for (int i = 0; found && i < shared->inputs; i++) printf("%lld ", shared->values[i]);
    if (found) puts("");
    return found ? END_ERROR : 0;
}

int main(int argc, char **argv) {
    struct rlimit no_core = { 0, 0 };
    setrlimit(RLIMIT_CORE, &no_core);
    shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || argc < 2) return 2;
    if (!strcmp(argv[1], "replay")) {
        given = argv + 2;
        given_count = argc - 2;
        alarm(SECONDS);
        program_main();
        return 0;
    }
    if (argc < 3) return 2;
    if (!strcmp(argv[1], "search")) return search(strtoul(argv[2], 0, 10));
    return probe(strtoul(argv[2], 0, 10), argc > 3 ? atoi(argv[3]) : 0);
}
