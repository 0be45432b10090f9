/* What a thread of several knows of itself. */

typedef unsigned long pthread_t;
typedef unsigned long thrd_t;
unsigned long __slam_self(void);

pthread_t pthread_self(void) {
  return __slam_self();
}

thrd_t thrd_current(void) {
  return __slam_self();
}
