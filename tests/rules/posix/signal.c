/* posix/signal: handlers of signals. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

volatile int stop, pending[4];
int more(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int way;
static int *note = NULL;

void signal_handler(int number) {
    int n;
    void (*end)(int) = exit;
    volatile int *p = &stop;
    *p = number;
    switch (way) {
    case 1:
        for (n = 0; n < 4; n++)
            pending[n] = number;
        break;
    case 2:
        if (pending[0])
            puts("again");
        break;
    case 3:
        note = malloc(sizeof *note);
        break;
    case 4:
        end(1);
        break;
    case 5:
        if (note)
            *note = number;
        break;
    }
}

int keeps_flag_by_pointer(void) {
    signal_handler(2);
    printf("%d\n", stop);
    return 0;
}

int keeps_loop(void) {
    int n;
    way = 1;
    for (n = 0; n < 3; n++) {
        signal_handler(n);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int keeps_memory_of_the_program(void) {
    int there = 0;
    way = 5;
    note = &there;
    signal_handler(2);
    free(malloc(there));
    return 0;
}

int breaks_second_call(void) {
    int n;
    for (n = 0; n < 2; n++) {
        pending[0] = n;
        way = 2;
        signal_handler(2);
    }
    return 0;
}

int breaks_memory(void) {
    if (more())
        way = 3;
    signal_handler(2);
    return 0;
}

int breaks_call_through_a_pointer(void) {
    void (*handler)(int) = signal_handler;
    way = 4;
    handler(2);
    return 0;
}
