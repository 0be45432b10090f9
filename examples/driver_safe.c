//@ verdict: SAFE
// A driver for a removable disk: six dispatch routines, a lock, reference counts, requests completed exactly once.
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

static void acquire(struct device *dev) {
    if (dev->locked)
        reach_error();
    dev->locked = 1;
}

static void release(struct device *dev) {
    if (!dev->locked)
        reach_error();
    dev->locked = 0;
}

/* The device itself holds one reference for as long as it exists. */

static void get(struct device *dev) {
    if (dev->refs <= 0)
        reach_error();
    dev->refs = dev->refs + 1;
}

static void put(struct device *dev) {
    if (dev->refs <= 1)
        reach_error();
    dev->refs = dev->refs - 1;
}

/* Each request is completed once; a pended one no longer belongs to the dispatch routine. */

static int complete(struct request *rq, int status) {
    if (rq->completed || rq->pended)
        reach_error();
    rq->completed = 1;
    rq->status = status;
    return status;
}

static int pend(struct device *dev, struct request *rq) {
    if (!dev->locked)
        reach_error();
    if (rq->completed || rq->pended)
        reach_error();
    rq->pended = 1;
    return PENDING;
}

/* The hardware: called with the lock held. */

static int transfer(struct device *dev) {
    if (!dev->locked)
        reach_error();
    if (!dev->medium)
        reach_error();
    if (__VERIFIER_nondet_int())
        return IO_ERROR;
    return DONE;
}

static int write_back(struct device *dev) {
    int status = DONE;
    if (dev->dirty) {
        status = transfer(dev);
        if (status == DONE)
            dev->dirty = 0;
    }
    return status;
}

static int usable(struct device *dev) {
    return dev->powered && dev->medium;
}

static int in_range(struct device *dev, struct request *rq) {
    if (rq->offset < 0 || rq->length <= 0)
        return 0;
    if (rq->offset >= dev->sectors)
        return 0;
    return rq->length <= dev->sectors - rq->offset;
}

/* Dispatch routines: each returns the status that it completed the request with, or PENDING. */

static int dispatch_read(struct device *dev, struct request *rq) {
    int status;
    get(dev);
    if (!in_range(dev, rq)) {
        status = complete(rq, BAD_REQUEST);
        put(dev);
        return status;
    }
    acquire(dev);
    if (!usable(dev)) {
        release(dev);
        status = complete(rq, NOT_READY);
        put(dev);
        return status;
    }
    if (__VERIFIER_nondet_int()) {
        status = pend(dev, rq);
        release(dev);
        put(dev);
        return status;
    }
    status = transfer(dev);
    release(dev);
    status = complete(rq, status);
    put(dev);
    return status;
}

static int dispatch_write(struct device *dev, struct request *rq) {
    int status = DONE;
    get(dev);
    if (!in_range(dev, rq)) {
        status = BAD_REQUEST;
        goto out;
    }
    acquire(dev);
    if (!usable(dev)) {
        status = NOT_READY;
        goto unlock;
    }
    if (dev->read_only) {
        status = PROTECTED;
        goto unlock;
    }
    if (__VERIFIER_nondet_int())
        dev->dirty = 1;
    else
        status = transfer(dev);
unlock:
    release(dev);
out:
    complete(rq, status);
    put(dev);
    return status;
}

static int dispatch_flush(struct device *dev, struct request *rq) {
    int status = NOT_READY;
    get(dev);
    acquire(dev);
    if (usable(dev))
        status = write_back(dev);
    release(dev);
    complete(rq, status);
    put(dev);
    return status;
}

static int dispatch_eject(struct device *dev, struct request *rq) {
    int status;
    get(dev);
    acquire(dev);
    if (!usable(dev)) {
        release(dev);
        complete(rq, NOT_READY);
        put(dev);
        return NOT_READY;
    }
    status = write_back(dev);
    if (status != DONE) {
        release(dev);
        complete(rq, status);
        put(dev);
        return status;
    }
    dev->medium = 0;
    release(dev);
    complete(rq, DONE);
    put(dev);
    return DONE;
}

static int dispatch_query(struct device *dev, struct request *rq) {
    if (dev->medium)
        rq->length = dev->sectors;
    else
        rq->length = 0;
    return complete(rq, DONE);
}

static int dispatch_power(struct device *dev, struct request *rq) {
    int status = DONE;
    get(dev);
    acquire(dev);
    if (rq->wants_power) {
        dev->powered = 1;
    } else if (dev->powered) {
        if (dev->medium)
            status = write_back(dev);
        if (status == DONE)
            dev->powered = 0;
    }
    release(dev);
    complete(rq, status);
    put(dev);
    return status;
}

static int dispatch(struct device *dev, struct request *rq) {
    switch (rq->kind) {
    case READ:
        return dispatch_read(dev, rq);
    case WRITE:
        return dispatch_write(dev, rq);
    case FLUSH:
        return dispatch_flush(dev, rq);
    case EJECT:
        return dispatch_eject(dev, rq);
    case QUERY:
        return dispatch_query(dev, rq);
    case POWER:
        return dispatch_power(dev, rq);
    default:
        return complete(rq, BAD_REQUEST);
    }
}

/* The interrupt ends a pended transfer: the medium may have gone since. */

static int interrupt(struct device *dev, struct request *rq) {
    int status = NOT_READY;
    get(dev);
    acquire(dev);
    if (!rq->pended)
        reach_error();
    rq->pended = 0;
    if (dev->medium)
        status = transfer(dev);
    release(dev);
    status = complete(rq, status);
    put(dev);
    return status;
}

static void probe(struct device *dev) {
    dev->locked = 0;
    dev->refs = 1;
    dev->powered = 1;
    dev->dirty = 0;
    dev->sectors = 2880;
    dev->medium = 0;
    dev->read_only = 0;
    if (__VERIFIER_nondet_int())
        dev->medium = 1;
    if (__VERIFIER_nondet_int())
        dev->read_only = 1;
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

    probe(&disk);
    while (__VERIFIER_nondet_int()) {
        prepare(&rq);
        status = dispatch(&disk, &rq);
        if (status == PENDING) {
            if (rq.completed)
                reach_error();
            status = interrupt(&disk, &rq);
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
