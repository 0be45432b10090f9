/* Runs each program of the table with every input and in every order of evaluation, each program in a process of its
   own. A line tells of each: its number, the runs that came to an end, those that were left by an assumption or exit,
   the inputs for which it reached the error and the first of them; or that it crashed. */
#include <setjmp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INPUTS = 8, SECONDS = 20 };

struct program {
    int (*main)(void);
    void (*save)(void), (*restore)(void);
    int inputs, orders;
    int low[INPUTS], high[INPUTS];
};

static jmp_buf out;
static int value[INPUTS], drawn, order, asked;

int __VERIFIER_nondet_int(void) { return drawn < INPUTS ? value[drawn++] : 0; }
void __VERIFIER_assume(int holds) { if (!holds) longjmp(out, 1); }
void reach_error(void) { longjmp(out, 2); }
void slam_exit(int status) { (void)status; longjmp(out, 1); }
int slam_order(void) { return order >> asked++ & 1; }

static int one(const struct program *p) {
    p->restore();
    drawn = asked = 0;
    int end = setjmp(out);
    if (end) return end;
    p->main();
    return 0;
}

static int advance(const struct program *p) {
    for (int k = p->inputs; k-- > 0; value[k] = p->low[k])
        if (++value[k] < p->high[k]) return 1;
    return 0;
}

static void all(int number, const struct program *p) {
    int first[INPUTS] = {0};
    long ends[3] = {0};
    p->save();
    for (int k = 0; k < p->inputs; k++) value[k] = p->low[k];
    do {
        int end = 0;
        for (order = 0; order < 1 << p->orders && end != 2; order++) end = one(p);
        if (end == 2 && !ends[2]) for (int k = 0; k < p->inputs; k++) first[k] = value[k];
        ends[end]++;
    } while (advance(p));
    printf("%d %ld %ld %ld", number, ends[0], ends[1], ends[2]);
    for (int k = 0; k < p->inputs; k++) printf(" %d", first[k]);
    puts("");
}

extern const struct program programs[];
extern const int number_of_programs;

int main(void) {
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (int k = 0; k < number_of_programs; k++) {
        int status = -1;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            all(k, &programs[k]);
            fflush(stdout);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status) printf("%d crashed\n", k);
    }
    return 0;
}
