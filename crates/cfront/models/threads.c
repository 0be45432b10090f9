/* POSIX threads and their locks, also for programs that start none. What begins with __slam_ are the operations of C--. A lock is the number at its
   start: 0 when it is free. What is read and written of a lock or the like is in atomic sections, and so in no data race. */

typedef unsigned long pthread_t;
typedef unsigned long thrd_t;
int __slam_any_int(void);
void __slam_unmodelled(const char *);
int __slam_others_run(void);
int __slam_input_int(void);
void __slam_set_errno(int);
unsigned long __slam_start(void *(*)(void *), void *);
void *__slam_join(unsigned long);
void __slam_exit(void *);
int __slam_join_number(unsigned long);
void __slam_exit_number(int);
unsigned long __slam_self(void);
void __slam_atomic_begin(void);
void __slam_atomic_end(void);
void __slam_wait(int);

int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *), void *argument) {
  *thread = __slam_start(run, argument);
  return 0;
}

int pthread_join(pthread_t thread, void **result) {
  void *value = __slam_join(thread);
  if (result)
    *result = value;
  return 0;
}

int pthread_detach(pthread_t thread) {
  return 0;
}

void pthread_exit(void *result) {
  __slam_exit(result);
}

int pthread_equal(pthread_t one, pthread_t other) {
  return one == other;
}

int pthread_spin_init(void *lock, int shared) {
  __slam_atomic_begin();
  *(int *)lock = 0;
  __slam_atomic_end();
  return 0;
}

int pthread_spin_destroy(void *lock) {
  return 0;
}

int pthread_spin_lock(void *lock) {
  __slam_atomic_begin();
  __slam_wait(*(int *)lock == 0);
  *(int *)lock = 1;
  __slam_atomic_end();
  return 0;
}

int pthread_spin_trylock(void *lock) {
  int held;
  if (__slam_others_run() && __slam_input_int())
    return 16;
  __slam_atomic_begin();
  held = *(int *)lock;
  *(int *)lock = 1;
  __slam_atomic_end();
  return held ? 16 : 0;
}

int pthread_spin_unlock(void *lock) {
  __slam_atomic_begin();
  *(int *)lock = 0;
  __slam_atomic_end();
  return 0;
}

/* The number of readers, or 0x80000000 and the number of the writer. A writer that locks once more gets an error,
   as with glibc. */

int pthread_rwlock_init(void *lock, const void *attributes) {
  __slam_atomic_begin();
  *(unsigned *)lock = 0;
  __slam_atomic_end();
  return 0;
}

int pthread_rwlock_destroy(void *lock) {
  return 0;
}

int pthread_rwlock_rdlock(void *lock) {
  unsigned own = 0x80000000u + (unsigned)__slam_self();
  int writes;
  __slam_atomic_begin();
  __slam_wait((*(unsigned *)lock < 0x7fffffffu) | (*(unsigned *)lock == own));
  writes = *(unsigned *)lock == own;
  if (!writes)
    *(unsigned *)lock = *(unsigned *)lock + 1;
  __slam_atomic_end();
  return writes ? 35 : 0;
}

int pthread_rwlock_wrlock(void *lock) {
  unsigned own = 0x80000000u + (unsigned)__slam_self();
  int writes;
  __slam_atomic_begin();
  __slam_wait((*(unsigned *)lock == 0) | (*(unsigned *)lock == own));
  writes = *(unsigned *)lock == own;
  *(unsigned *)lock = own;
  __slam_atomic_end();
  return writes ? 35 : 0;
}

int pthread_rwlock_tryrdlock(void *lock) {
  int free;
  if (__slam_others_run() && __slam_input_int())
    return 16;
  __slam_atomic_begin();
  free = *(unsigned *)lock < 0x7fffffffu;
  if (free)
    *(unsigned *)lock = *(unsigned *)lock + 1;
  __slam_atomic_end();
  return free ? 0 : 16;
}

int pthread_rwlock_trywrlock(void *lock) {
  int free;
  if (__slam_others_run() && __slam_input_int())
    return 16;
  __slam_atomic_begin();
  free = *(unsigned *)lock == 0;
  if (free)
    *(unsigned *)lock = 0x80000000u + (unsigned)__slam_self();
  __slam_atomic_end();
  return free ? 0 : 16;
}

/* Whether the thread writes; only it can change that. */
static int __slam_writes(void *lock) {
  int writes;
  __slam_atomic_begin();
  writes = *(unsigned *)lock == 0x80000000u + (unsigned)__slam_self();
  __slam_atomic_end();
  return writes;
}

int pthread_rwlock_timedrdlock(void *lock, const void *until) {
  if (__slam_writes(lock))
    return 35;
  return pthread_rwlock_tryrdlock(lock) ? 110 : 0;
}

int pthread_rwlock_timedwrlock(void *lock, const void *until) {
  if (__slam_writes(lock))
    return 35;
  return pthread_rwlock_trywrlock(lock) ? 110 : 0;
}

int pthread_rwlock_unlock(void *lock) {
  __slam_atomic_begin();
  if (*(unsigned *)lock >= 0x80000000u)
    *(unsigned *)lock = 0;
  else
    *(unsigned *)lock = *(unsigned *)lock - 1;
  __slam_atomic_end();
  return 0;
}

int pthread_mutex_unlock(void *);
int pthread_mutex_lock(void *);

/* POSIX lets every wait end without a signal, so that it always may, and signals are nothing. */

int pthread_cond_init(void *condition, const void *attributes) {
  return 0;
}

int pthread_cond_destroy(void *condition) {
  return 0;
}

int pthread_cond_signal(void *condition) {
  return 0;
}

int pthread_cond_broadcast(void *condition) {
  return 0;
}

int pthread_cond_wait(void *condition, void *mutex) {
  pthread_mutex_unlock(mutex);
  pthread_mutex_lock(mutex);
  return 0;
}

int pthread_cond_timedwait(void *condition, void *mutex, const void *until) {
  pthread_mutex_unlock(mutex);
  pthread_mutex_lock(mutex);
  return __slam_any_int() ? 110 : 0;
}

/* 0 before, 1 while it runs, 2 after. */

int pthread_once(int *once, void (*run)(void)) {
  int first;
  __slam_atomic_begin();
  first = *once == 0;
  if (first)
    *once = 1;
  __slam_atomic_end();
  if (first) {
    run();
    __slam_atomic_begin();
    *once = 2;
    __slam_atomic_end();
  } else {
    __slam_wait(*once == 2);
  }
  return 0;
}

/* A semaphore is the number at its start. */

int sem_init(void *semaphore, int shared, unsigned value) {
  __slam_atomic_begin();
  *(long *)semaphore = value;
  __slam_atomic_end();
  return 0;
}

int sem_destroy(void *semaphore) {
  return 0;
}

int sem_wait(void *semaphore) {
  __slam_atomic_begin();
  __slam_wait(*(long *)semaphore > 0);
  *(long *)semaphore = *(long *)semaphore - 1;
  __slam_atomic_end();
  return 0;
}

static int __slam_sem_take(void *semaphore, int why) {
  int taken;
  __slam_atomic_begin();
  taken = *(long *)semaphore > 0;
  if (taken)
    *(long *)semaphore = *(long *)semaphore - 1;
  __slam_atomic_end();
  if (taken)
    return 0;
  __slam_set_errno(why);
  return -1;
}

int sem_trywait(void *semaphore) {
  return __slam_sem_take(semaphore, 11);
}

int sem_timedwait(void *semaphore, const void *until) {
  return __slam_sem_take(semaphore, 110);
}

int sem_post(void *semaphore) {
  long value;
  __slam_atomic_begin();
  value = *(long *)semaphore;
  if (value >= 0x7fffffff)
    __slam_unmodelled("a semaphore with its largest value");
  *(long *)semaphore = value + 1;
  __slam_atomic_end();
  return 0;
}

int sem_getvalue(void *semaphore, int *value) {
  long found;
  __slam_atomic_begin();
  found = *(long *)semaphore;
  __slam_atomic_end();
  *value = (int)found;
  return 0;
}

/* A barrier is a number: for how many threads it is, 256 times how many wait, and 65536 times how often it was opened. */

int pthread_barrier_init(void *barrier, const void *attributes, unsigned count) {
  if (count == 0)
    return 22;
  if (count > 255)
    __slam_unmodelled("a barrier for more than 255 threads");
  __slam_atomic_begin();
  *(long *)barrier = (long)count;
  __slam_atomic_end();
  return 0;
}

int pthread_barrier_destroy(void *barrier) {
  return 0;
}

int pthread_barrier_wait(void *barrier) {
  long count, waiting, opened;
  __slam_atomic_begin();
  count = *(long *)barrier % 256;
  waiting = *(long *)barrier / 256 % 256 + 1;
  opened = *(long *)barrier / 65536;
  if (opened > 30000)
    __slam_unmodelled("a barrier that is opened very often");
  *(long *)barrier = waiting == count ? count + (opened + 1) * 65536 : count + waiting * 256 + opened * 65536;
  __slam_atomic_end();
  if (waiting == count)
    return -1;
  __slam_wait(*(long *)barrier / 65536 != opened);
  return 0;
}

/* Specific data: for each key what each thread has, by its number. */

static void *__slam_specific[4][16];
static unsigned __slam_keys;

int pthread_key_create(unsigned *key, void (*destructor)(void *)) {
  unsigned made;
  if (destructor)
    __slam_unmodelled("specific data with a destructor");
  __slam_atomic_begin();
  made = __slam_keys;
  if (made >= 4)
    __slam_unmodelled("more than 4 keys of specific data");
  __slam_keys = made + 1;
  __slam_atomic_end();
  *key = made;
  return 0;
}

int pthread_setspecific(unsigned key, const void *value) {
  if (key >= 4)
    __slam_unmodelled("a key of specific data that was not made");
  if (__slam_self() > 16)
    __slam_unmodelled("specific data of more than 16 threads");
  __slam_specific[key][__slam_self() - 1] = (void *)value;
  return 0;
}

void *pthread_getspecific(unsigned key) {
  if (key >= 4)
    __slam_unmodelled("a key of specific data that was not made");
  if (__slam_self() > 16)
    __slam_unmodelled("specific data of more than 16 threads");
  return __slam_specific[key][__slam_self() - 1];
}

/* C11's threads. */

int thrd_create(thrd_t *thread, int (*run)(void *), void *argument) {
  *thread = __slam_start((void *(*)(void *))run, argument);
  return 0;
}

int thrd_join(thrd_t thread, int *result) {
  int value = __slam_join_number(thread);
  if (result)
    *result = value;
  return 0;
}

int thrd_detach(thrd_t thread) {
  return 0;
}

void thrd_exit(int result) {
  __slam_exit_number(result);
}

int thrd_equal(thrd_t one, thrd_t other) {
  return one == other;
}

void thrd_yield(void) {
}

int thrd_sleep(const void *time, void *remaining) {
  return 0;
}

void call_once(int *once, void (*run)(void)) {
  pthread_once(once, run);
}

int mtx_unlock(void *);
int mtx_lock(void *);

int cnd_init(void *condition) {
  return 0;
}

void cnd_destroy(void *condition) {
}

int cnd_signal(void *condition) {
  return 0;
}

int cnd_broadcast(void *condition) {
  return 0;
}

int cnd_wait(void *condition, void *mutex) {
  mtx_unlock(mutex);
  mtx_lock(mutex);
  return 0;
}

int cnd_timedwait(void *condition, void *mutex, const void *until) {
  mtx_unlock(mutex);
  mtx_lock(mutex);
  return __slam_any_int() ? 4 : 0;
}

int tss_create(unsigned *key, void (*destructor)(void *)) {
  return pthread_key_create(key, destructor) ? 2 : 0;
}

void tss_delete(unsigned key) {
}

int tss_set(unsigned key, void *value) {
  return pthread_setspecific(key, value) ? 2 : 0;
}

void *tss_get(unsigned key) {
  return pthread_getspecific(key);
}
