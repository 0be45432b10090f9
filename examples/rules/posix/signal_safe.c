/* Keeps the rule posix/signal. */
#include <stdio.h>

volatile int stop;

void signal_handler(int number) {
    stop = number;
}

int main(void) {
    signal_handler(2); /* as the system may at any time */
    printf("stopped by %d\n", stop);
    return 0;
}
