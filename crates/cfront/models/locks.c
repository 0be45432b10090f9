/* What programs with one thread know of it. Its locks are those of threads.c and of the files of mutexes: nobody else has one, so
   that who waits for one that it has itself stays there for ever. */

long __slam_any_long(void);

static unsigned long number;
static int has_number;

/* The same at each call; that it is small, or no address, nobody promises. */
unsigned long pthread_self(void) {
  if (!has_number) {
    number = __slam_any_long();
    has_number = 1;
  }
  return number;
}

unsigned long thrd_current(void) {
  return pthread_self();
}
