/* Allocation. */

typedef __typeof__(sizeof(0)) size_t;
void *malloc(size_t);
void free(void *);
void *memalign(size_t, size_t);
void *memcpy(void *, const void *, size_t);
int *__errno_location(void);
size_t __slam_size(const void *);
_Bool __slam_choice_bool(void);
void __slam_resize(void *, size_t);

/* The block stays where it is, or moves. */
void *realloc(void *p, size_t size) {
  if (!p)
    return malloc(size);
  if (size == 0) {
    free(p);
    return 0;
  }
  size_t old = __slam_size(p);
  if (__slam_choice_bool()) {
    __slam_resize(p, size);
    return p;
  }
  void *q = malloc(size);
  if (q) {
    memcpy(q, p, old < size ? old : size);
    free(p);
  }
  return q;
}

void *reallocarray(void *p, size_t count, size_t size) {
  if (size != 0 && count > (size_t)-1 / size) {
    *__errno_location() = 12;
    return 0;
  }
  return realloc(p, count * size);
}

int posix_memalign(void **to, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
    return 22;
  void *p = memalign(alignment, size);
  if (!p)
    return 12;
  *to = p;
  return 0;
}
