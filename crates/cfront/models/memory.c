/* Allocation. */

typedef __typeof__(sizeof(0)) size_t;
void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
int *__errno_location(void);
size_t __slam_size(const void *);

void *realloc(void *p, size_t size) {
  if (!p)
    return malloc(size);
  if (size == 0) {
    free(p);
    return 0;
  }
  void *q = malloc(size);
  if (q) {
    size_t old = __slam_size(p);
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
  void *p = malloc(size);
  if (!p)
    return 12;
  *to = p;
  return 0;
}
