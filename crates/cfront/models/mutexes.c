/* Mutexes of programs that make no other kind than the default. A mutex is the number at its start: 0 when it
   is free. C11's is a number of another size. */

void __slam_unmodelled(const char *);
int __slam_others_run(void);
int __slam_input_int(void);
void __slam_atomic_begin(void);
void __slam_atomic_end(void);
void __slam_wait(int);

int pthread_mutex_init(void *mutex, const void *attributes) {
  if (attributes)
    __slam_unmodelled("mutexes with attributes are not supported in programs with threads");
  __slam_atomic_begin();
  *(int *)mutex = 0;
  __slam_atomic_end();
  return 0;
}

int pthread_mutex_destroy(void *mutex) {
  int held;
  __slam_atomic_begin();
  held = *(int *)mutex;
  __slam_atomic_end();
  return held ? 16 : 0;
}

int pthread_mutex_lock(void *mutex) {
  __slam_atomic_begin();
  __slam_wait(*(int *)mutex == 0);
  *(int *)mutex = 1;
  __slam_atomic_end();
  return 0;
}

int pthread_mutex_unlock(void *mutex) {
  __slam_atomic_begin();
  *(int *)mutex = 0;
  __slam_atomic_end();
  return 0;
}

int pthread_mutex_trylock(void *mutex) {
  int held;
  if (__slam_others_run() && __slam_input_int())
    return 16;
  __slam_atomic_begin();
  held = *(int *)mutex;
  *(int *)mutex = 1;
  __slam_atomic_end();
  return held ? 16 : 0;
}

/* A thread that waits for a limited time gets the lock when it is free, or that time ends. */

int pthread_mutex_timedlock(void *mutex, const void *until) {
  return pthread_mutex_trylock(mutex) ? 110 : 0;
}

int pthread_mutex_clocklock(void *mutex, int clock, const void *until) {
  return pthread_mutex_trylock(mutex) ? 110 : 0;
}

int mtx_init(void *mutex, int kind) {
  if (kind & 1)
    __slam_unmodelled("a mutex of a kind that is not known beforehand");
  __slam_atomic_begin();
  *(long *)mutex = 0;
  __slam_atomic_end();
  return 0;
}

void mtx_destroy(void *mutex) {
}

int mtx_lock(void *mutex) {
  __slam_atomic_begin();
  __slam_wait(*(long *)mutex == 0);
  *(long *)mutex = 1;
  __slam_atomic_end();
  return 0;
}

int mtx_unlock(void *mutex) {
  __slam_atomic_begin();
  *(long *)mutex = 0;
  __slam_atomic_end();
  return 0;
}

int mtx_trylock(void *mutex) {
  long held;
  __slam_atomic_begin();
  held = *(long *)mutex;
  *(long *)mutex = 1;
  __slam_atomic_end();
  return held ? 1 : 0;
}

int mtx_timedlock(void *mutex, const void *until) {
  return mtx_trylock(mutex) ? 4 : 0;
}
