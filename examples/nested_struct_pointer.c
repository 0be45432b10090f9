//@ verdict: SAFE
// Fields of structures inside structures, reached through pointers, one of them kept in a structure itself.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct queue {
    int length;
    int closed;
};

struct device {
    int number;
    struct queue in;
    struct queue out;
    struct queue *active;
};

int main(void) {
    struct device dev;
    struct device *d = &dev;
    d->in.closed = 0;
    d->in.length = 4;
    d->out.closed = 0;
    d->out.length = 7;
    d->active = &d->in;
    if (__VERIFIER_nondet_int())
        d->active = &d->out;
    d->active->closed = 1;
    d->active->length = 0;
    if (d->active == &d->in) {
        if (!dev.in.closed || dev.in.length != 0)
            reach_error();
        if (dev.out.closed || dev.out.length != 7)
            reach_error();
    } else if (!dev.out.closed || dev.in.closed) {
        reach_error();
    }
    return 0;
}
