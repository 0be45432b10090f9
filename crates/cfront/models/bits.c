/* The compiler's functions that count bits. The names are those by which the front end calls them. */

int __slam_any_int(void);

int slam_popcount(unsigned long long x) {
  x = x - (x >> 1 & 0x5555555555555555ull);
  x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
  x = x + (x >> 8);
  x = x + (x >> 16);
  x = x + (x >> 32);
  return (int)(x & 127);
}

int slam_parity(unsigned long long x) {
  x = x ^ x >> 32;
  x = x ^ x >> 16;
  x = x ^ x >> 8;
  x = x ^ x >> 4;
  x = x ^ x >> 2;
  x = x ^ x >> 1;
  return (int)(x & 1);
}

/* The zeros above the highest bit among 64; halves are searched. Of 0 the compiler leaves the number open. */
int slam_clz(unsigned long long x) {
  int n = 0;
  if (x == 0)
    return __slam_any_int();
  if (x >> 32 == 0) {
    n = n + 32;
    x = x << 32;
  }
  if (x >> 48 == 0) {
    n = n + 16;
    x = x << 16;
  }
  if (x >> 56 == 0) {
    n = n + 8;
    x = x << 8;
  }
  if (x >> 60 == 0) {
    n = n + 4;
    x = x << 4;
  }
  if (x >> 62 == 0) {
    n = n + 2;
    x = x << 2;
  }
  return x >> 63 == 0 ? n + 1 : n;
}

int slam_ctz(unsigned long long x) {
  int n = 0;
  if (x == 0)
    return __slam_any_int();
  if ((x & 0xffffffff) == 0) {
    n = n + 32;
    x = x >> 32;
  }
  if ((x & 0xffff) == 0) {
    n = n + 16;
    x = x >> 16;
  }
  if ((x & 0xff) == 0) {
    n = n + 8;
    x = x >> 8;
  }
  if ((x & 0xf) == 0) {
    n = n + 4;
    x = x >> 4;
  }
  if ((x & 3) == 0) {
    n = n + 2;
    x = x >> 2;
  }
  return (x & 1) == 0 ? n + 1 : n;
}

int slam_ffs(unsigned long long x) {
  return x == 0 ? 0 : slam_ctz(x) + 1;
}

int ffs(int x) {
  return slam_ffs((unsigned)x);
}

int ffsl(long x) {
  return slam_ffs((unsigned long)x);
}

int ffsll(long long x) {
  return slam_ffs((unsigned long long)x);
}
