//@ verdict: UNSAFE
// A queue of jobs for a printer, with room for four: a positive number adds a job, 0 prints the
// oldest one.
// Bug: line 20 compares with > and takes one job more than there is room for.
// Input: args [], stdin "1 2 3 4 5\n"
#include <assert.h>
#include <stdio.h>

#define ROOM 4

extern int __VERIFIER_nondet_int(void);

struct queue {
    int jobs[ROOM];
    int first;
    int count;
};

static int enqueue(struct queue *q, int job) {
    if (q->count > ROOM)
        return 0;
    q->jobs[(q->first + q->count) % ROOM] = job;
    q->count++;
    return 1;
}

static int dequeue(struct queue *q) {
    int job;
    if (q->count == 0)
        return -1;
    job = q->jobs[q->first];
    q->first = (q->first + 1) % ROOM;
    q->count--;
    return job;
}

int main(void) {
    struct queue q = {{0}, 0, 0};
    int i, command;

    for (i = 0; i < 50; i++) {
        command = __VERIFIER_nondet_int();
        if (command < 0)
            break;
        if (command > 0) {
            if (!enqueue(&q, command))
                puts("the queue is full");
        } else {
            printf("job %d\n", dequeue(&q));
        }
        assert(q.count >= 0 && q.count <= ROOM);
    }
    return 0;
}
