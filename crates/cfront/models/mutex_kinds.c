/* Mutexes of programs that make some of other kinds than the default. A mutex is the number at its start, so
   small that it is known while threads are put together: 4096 times its kind (0: the default, 1: one that a thread may lock again,
   2: one that reports errors), 256 times how often it is locked, and the number of the thread that has it. C11's is a number of another size. */

void __slam_unmodelled(const char *);
int __slam_others_run(void);
int __slam_input_int(void);
void __slam_atomic_begin(void);
void __slam_atomic_end(void);
void __slam_wait(int);
unsigned long __slam_self(void);

int pthread_mutexattr_init(void *attributes) {
  *(int *)attributes = 0;
  return 0;
}

int pthread_mutexattr_destroy(void *attributes) {
  return 0;
}

int pthread_mutexattr_settype(void *attributes, int kind) {
  if (kind < 0 || kind > 3)
    return 22;
  *(int *)attributes = kind;
  return 0;
}

int pthread_mutexattr_gettype(const void *attributes, int *kind) {
  *kind = *(const int *)attributes;
  return 0;
}

int pthread_mutexattr_setpshared(void *attributes, int shared) {
  return shared < 0 || shared > 1 ? 22 : 0;
}

/* What a mutex becomes when a thread locks it that need not wait, or -1. */

static int __slam_locked(int word, int self) {
  int depth = word % 4096 / 256;
  if (depth == 0)
    return word + 256 + self;
  if (word / 4096 != 1 || word % 256 != self)
    return -1;
  if (depth == 15)
    __slam_unmodelled("a mutex that is locked more than 15 times");
  return word + 256;
}

/* What it becomes when a thread unlocks it, or -1. */

static int __slam_unlocked(int word, int self) {
  if (word < 4096)
    return 0;
  if (word % 4096 < 256 || word % 256 != self)
    return -1;
  return word % 4096 < 512 ? word / 4096 * 4096 : word - 256;
}

int pthread_mutex_init(void *mutex, const void *attributes) {
  int kind = attributes ? *(const int *)attributes : 0;
  __slam_atomic_begin();
  *(int *)mutex = kind == 3 ? 0 : kind * 4096;
  __slam_atomic_end();
  return 0;
}

int pthread_mutex_destroy(void *mutex) {
  int held;
  __slam_atomic_begin();
  held = *(int *)mutex % 4096 >= 256;
  __slam_atomic_end();
  return held ? 16 : 0;
}

int pthread_mutex_lock(void *mutex) {
  int self = (int)__slam_self(), word;
  __slam_atomic_begin();
  __slam_wait((*(int *)mutex % 4096 < 256) | ((*(int *)mutex >= 4096) & (*(int *)mutex % 256 == self)));
  word = __slam_locked(*(int *)mutex, self);
  if (word >= 0)
    *(int *)mutex = word;
  __slam_atomic_end();
  return word >= 0 ? 0 : 35;
}

int pthread_mutex_unlock(void *mutex) {
  int self = (int)__slam_self(), word;
  __slam_atomic_begin();
  word = __slam_unlocked(*(int *)mutex, self);
  if (word >= 0)
    *(int *)mutex = word;
  __slam_atomic_end();
  return word >= 0 ? 0 : 1;
}

int pthread_mutex_trylock(void *mutex) {
  int self = (int)__slam_self(), word;
  if (__slam_others_run() && __slam_input_int())
    return 16;
  __slam_atomic_begin();
  word = __slam_locked(*(int *)mutex, self);
  if (word >= 0)
    *(int *)mutex = word;
  __slam_atomic_end();
  return word >= 0 ? 0 : 16;
}

/* A thread that waits for a limited time gets the lock when it is free, or that time ends; a mutex that reports errors says
   at once that the thread has it. */

int pthread_mutex_timedlock(void *mutex, const void *until) {
  int self = (int)__slam_self(), word, is_own;
  __slam_atomic_begin();
  is_own = *(int *)mutex / 4096 == 2 && *(int *)mutex % 256 == self;
  word = __slam_locked(*(int *)mutex, self);
  if (word >= 0)
    *(int *)mutex = word;
  __slam_atomic_end();
  return word >= 0 ? 0 : is_own ? 35 : 110;
}

int pthread_mutex_clocklock(void *mutex, int clock, const void *until) {
  return pthread_mutex_timedlock(mutex, until);
}

int mtx_init(void *mutex, int kind) {
  __slam_atomic_begin();
  *(long *)mutex = kind & 1 ? 4096 : 0;
  __slam_atomic_end();
  return 0;
}

void mtx_destroy(void *mutex) {
}

int mtx_lock(void *mutex) {
  int self = (int)__slam_self();
  __slam_atomic_begin();
  __slam_wait((*(long *)mutex % 4096 < 256) | ((*(long *)mutex >= 4096) & (*(long *)mutex % 256 == self)));
  *(long *)mutex = __slam_locked((int)*(long *)mutex, self);
  __slam_atomic_end();
  return 0;
}

int mtx_unlock(void *mutex) {
  int self = (int)__slam_self(), word;
  __slam_atomic_begin();
  word = __slam_unlocked((int)*(long *)mutex, self);
  if (word >= 0)
    *(long *)mutex = word;
  __slam_atomic_end();
  return word >= 0 ? 0 : 2;
}

int mtx_trylock(void *mutex) {
  int self = (int)__slam_self(), word;
  __slam_atomic_begin();
  word = __slam_locked((int)*(long *)mutex, self);
  if (word >= 0)
    *(long *)mutex = word;
  __slam_atomic_end();
  return word >= 0 ? 0 : 1;
}

int mtx_timedlock(void *mutex, const void *until) {
  return mtx_trylock(mutex) ? 4 : 0;
}
