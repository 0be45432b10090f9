/* Locks of programs with one thread: nobody else holds a lock, and one that it holds already stops it for ever or reports an
   error. */

int __slam_input_int(void);

int pthread_mutex_init(void *mutex, const void *attributes) {
  return 0;
}

int pthread_mutex_destroy(void *mutex) {
  return 0;
}

int pthread_mutex_lock(void *mutex) {
  return 0;
}

int pthread_mutex_unlock(void *mutex) {
  return 0;
}

int pthread_mutex_trylock(void *mutex) {
  return __slam_input_int() ? 16 : 0;
}

int pthread_mutexattr_init(void *attributes) {
  return 0;
}

int pthread_mutexattr_destroy(void *attributes) {
  return 0;
}

int pthread_mutexattr_settype(void *attributes, int type) {
  return 0;
}

int pthread_spin_init(void *lock, int shared) {
  return 0;
}

int pthread_spin_destroy(void *lock) {
  return 0;
}

int pthread_spin_lock(void *lock) {
  return 0;
}

int pthread_spin_unlock(void *lock) {
  return 0;
}

int pthread_rwlock_init(void *lock, const void *attributes) {
  return 0;
}

int pthread_rwlock_destroy(void *lock) {
  return 0;
}

int pthread_rwlock_rdlock(void *lock) {
  return 0;
}

int pthread_rwlock_wrlock(void *lock) {
  return 0;
}

int pthread_rwlock_unlock(void *lock) {
  return 0;
}

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
  return 0;
}

int pthread_once(int *once, void (*run)(void)) {
  if (*once == 0) {
    *once = 2;
    run();
  }
  return 0;
}
