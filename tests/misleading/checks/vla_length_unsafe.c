int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n >= 0 && n < 9) {
    char a[n];
    if (n > 3)
      a[3] = 1;
  }
  return 0;
}
