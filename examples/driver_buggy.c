//@ verdict: UNSAFE
// The disk driver of driver_safe.c, in which an eject whose write-back fails returns with the lock held.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum kind { READ, WRITE, FLUSH, EJECT, QUERY, POWER };

#define DONE 0
#define PENDING 1
#define BAD_REQUEST (-1)
#define NOT_READY (-2)
#define PROTECTED (-3)
#define IO_ERROR (-4)

struct request {
    enum kind kind;
    int offset;
    int length;
    int wants_power;
    int completed;
    int pended;
    int status;
};

struct device {
    int locked;
    int refs;
    int powered;
    int medium;
    int read_only;
    int dirty;
    int sectors;
};

static struct device disk;

/* The lock is not recursive; who holds it must release it. */

static void acquire(void) {
    if (disk.locked)
        reach_error();
    disk.locked = 1;
}

static void release(void) {
    if (!disk.locked)
        reach_error();
    disk.locked = 0;
}

/* The device itself holds one reference for as long as it exists. */

static void get(void) {
    if (disk.refs <= 0)
        reach_error();
    disk.refs = disk.refs + 1;
}

static void put(void) {
    if (disk.refs <= 1)
        reach_error();
    disk.refs = disk.refs - 1;
}

/* Each request is completed once; a pended one no longer belongs to the dispatch routine. */

static int complete(struct request *rq, int status) {
    if (rq->completed || rq->pended)
        reach_error();
    rq->completed = 1;
    rq->status = status;
    return status;
}

static int pend(struct request *rq) {
    if (!disk.locked)
        reach_error();
    if (rq->completed || rq->pended)
        reach_error();
    rq->pended = 1;
    return PENDING;
}

/* The hardware: called with the lock held. */

static int transfer(void) {
    if (!disk.locked)
        reach_error();
    if (!disk.medium)
        reach_error();
    if (__VERIFIER_nondet_int())
        return IO_ERROR;
    return DONE;
}

static int write_back(void) {
    int status = DONE;
    if (disk.dirty) {
        status = transfer();
        if (status == DONE)
            disk.dirty = 0;
    }
    return status;
}

static int usable(void) {
    return disk.powered && disk.medium;
}

static int in_range(struct request *rq) {
    if (rq->offset < 0 || rq->length <= 0)
        return 0;
    if (rq->offset >= disk.sectors)
        return 0;
    return rq->length <= disk.sectors - rq->offset;
}

/* Dispatch routines: each returns the status that it completed the request with, or PENDING. */

static int dispatch_read(struct request *rq) {
    int status;
    get();
    if (!in_range(rq)) {
        status = complete(rq, BAD_REQUEST);
        put();
        return status;
    }
    acquire();
    if (!usable()) {
        release();
        status = complete(rq, NOT_READY);
        put();
        return status;
    }
    if (__VERIFIER_nondet_int()) {
        status = pend(rq);
        release();
        put();
        return status;
    }
    status = transfer();
    release();
    status = complete(rq, status);
    put();
    return status;
}

static int dispatch_write(struct request *rq) {
    int status = DONE;
    get();
    if (!in_range(rq)) {
        status = BAD_REQUEST;
        goto out;
    }
    acquire();
    if (!usable()) {
        status = NOT_READY;
        goto unlock;
    }
    if (disk.read_only) {
        status = PROTECTED;
        goto unlock;
    }
    if (__VERIFIER_nondet_int())
        disk.dirty = 1;
    else
        status = transfer();
unlock:
    release();
out:
    complete(rq, status);
    put();
    return status;
}

static int dispatch_flush(struct request *rq) {
    int status = NOT_READY;
    get();
    acquire();
    if (usable())
        status = write_back();
    release();
    complete(rq, status);
    put();
    return status;
}

static int dispatch_eject(struct request *rq) {
    int status;
    get();
    acquire();
    if (!usable()) {
        release();
        complete(rq, NOT_READY);
        put();
        return NOT_READY;
    }
    status = write_back();
    if (status != DONE) {
        complete(rq, status);
        put();
        return status;
    }
    disk.medium = 0;
    release();
    complete(rq, DONE);
    put();
    return DONE;
}

static int dispatch_query(struct request *rq) {
    if (disk.medium)
        rq->length = disk.sectors;
    else
        rq->length = 0;
    return complete(rq, DONE);
}

static int dispatch_power(struct request *rq) {
    int status = DONE;
    get();
    acquire();
    if (rq->wants_power) {
        disk.powered = 1;
    } else if (disk.powered) {
        if (disk.medium)
            status = write_back();
        if (status == DONE)
            disk.powered = 0;
    }
    release();
    complete(rq, status);
    put();
    return status;
}

static int dispatch(struct request *rq) {
    switch (rq->kind) {
    case READ:
        return dispatch_read(rq);
    case WRITE:
        return dispatch_write(rq);
    case FLUSH:
        return dispatch_flush(rq);
    case EJECT:
        return dispatch_eject(rq);
    case QUERY:
        return dispatch_query(rq);
    case POWER:
        return dispatch_power(rq);
    default:
        return complete(rq, BAD_REQUEST);
    }
}

/* The interrupt ends a pended transfer: the medium may have gone since. */

static int interrupt(struct request *rq) {
    int status = NOT_READY;
    get();
    acquire();
    if (!rq->pended)
        reach_error();
    rq->pended = 0;
    if (disk.medium)
        status = transfer();
    release();
    status = complete(rq, status);
    put();
    return status;
}

static void probe(void) {
    disk.locked = 0;
    disk.refs = 1;
    disk.powered = 1;
    disk.dirty = 0;
    disk.sectors = 2880;
    disk.medium = 0;
    disk.read_only = 0;
    if (__VERIFIER_nondet_int())
        disk.medium = 1;
    if (__VERIFIER_nondet_int())
        disk.read_only = 1;
}

static void prepare(struct request *rq) {
    rq->kind = (enum kind)__VERIFIER_nondet_int();
    rq->offset = __VERIFIER_nondet_int();
    rq->length = __VERIFIER_nondet_int();
    rq->wants_power = __VERIFIER_nondet_int();
    rq->completed = 0;
    rq->pended = 0;
    rq->status = DONE;
}

int main(void) {
    struct request rq;
    int status;

    probe();
    while (__VERIFIER_nondet_int()) {
        prepare(&rq);
        status = dispatch(&rq);
        if (status == PENDING) {
            if (rq.completed)
                reach_error();
            status = interrupt(&rq);
        }
        if (!rq.completed || rq.pended)
            reach_error();
        if (disk.locked)
            reach_error();
        if (disk.refs != 1)
            reach_error();
    }
    return 0;
}
