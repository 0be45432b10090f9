/* POSIX threads, for programs that start some. What begins with __slam_ are the operations of C--. A lock is the number at its
   start: 0 when it is free. */

int __slam_any_int(void);
void __slam_unmodelled(const char *);
unsigned long __slam_start(void *(*)(void *), void *);
void *__slam_join(unsigned long);
void __slam_exit(void *);
unsigned long __slam_self(void);
void __slam_atomic_begin(void);
void __slam_atomic_end(void);
void __slam_wait(int);

int pthread_create(unsigned long *thread, const void *attributes, void *(*run)(void *), void *argument) {
  *thread = __slam_start(run, argument);
  return 0;
}

int pthread_join(unsigned long thread, void **result) {
  void *value = __slam_join(thread);
  if (result)
    *result = value;
  return 0;
}

int pthread_detach(unsigned long thread) {
  return 0;
}

void pthread_exit(void *result) {
  __slam_exit(result);
}

unsigned long pthread_self(void) {
  return __slam_self();
}

int pthread_equal(unsigned long one, unsigned long other) {
  return one == other;
}

int pthread_mutex_init(void *mutex, const void *attributes) {
  if (attributes)
    __slam_unmodelled("mutexes with attributes are not supported in programs with threads");
  *(int *)mutex = 0;
  return 0;
}

int pthread_mutex_destroy(void *mutex) {
  return 0;
}

int pthread_mutex_lock(void *mutex) {
  __slam_atomic_begin();
  __slam_wait(*(int *)mutex == 0);
  *(int *)mutex = 1;
  __slam_atomic_end();
  return 0;
}

int pthread_mutex_unlock(void *mutex) {
  *(int *)mutex = 0;
  return 0;
}

int pthread_mutex_trylock(void *mutex) {
  int held;
  __slam_atomic_begin();
  held = *(int *)mutex;
  *(int *)mutex = 1;
  __slam_atomic_end();
  return held ? 16 : 0;
}

int pthread_spin_init(void *lock, int shared) {
  *(int *)lock = 0;
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
  __slam_atomic_begin();
  held = *(int *)lock;
  *(int *)lock = 1;
  __slam_atomic_end();
  return held ? 16 : 0;
}

int pthread_spin_unlock(void *lock) {
  *(int *)lock = 0;
  return 0;
}

/* The number of those who read; the largest number stands for one who writes. */

int pthread_rwlock_init(void *lock, const void *attributes) {
  *(unsigned *)lock = 0;
  return 0;
}

int pthread_rwlock_destroy(void *lock) {
  return 0;
}

int pthread_rwlock_rdlock(void *lock) {
  __slam_atomic_begin();
  __slam_wait(*(unsigned *)lock < 0xfffffffeu);
  *(unsigned *)lock = *(unsigned *)lock + 1;
  __slam_atomic_end();
  return 0;
}

int pthread_rwlock_wrlock(void *lock) {
  __slam_atomic_begin();
  __slam_wait(*(unsigned *)lock == 0);
  *(unsigned *)lock = 0xffffffffu;
  __slam_atomic_end();
  return 0;
}

int pthread_rwlock_unlock(void *lock) {
  __slam_atomic_begin();
  if (*(unsigned *)lock == 0xffffffffu)
    *(unsigned *)lock = 0;
  else
    *(unsigned *)lock = *(unsigned *)lock - 1;
  __slam_atomic_end();
  return 0;
}

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
    *once = 2;
  } else {
    __slam_wait(*once == 2);
  }
  return 0;
}
