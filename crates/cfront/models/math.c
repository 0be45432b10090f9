/* Functions of <math.h> that are exact: what they compute with is exact as well. */

double fabs(double);
double trunc(double);
float truncf(float);
double copysign(double, double);
float copysignf(float, float);
int *__errno_location(void);

double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(__builtin_isinf(x) ? 0 : x - *whole, x);
}

float modff(float x, float *whole) {
  *whole = truncf(x);
  return copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}

double fdim(double x, double y) {
  if (x <= y)
    return 0;
  return x - y;
}

float fdimf(float x, float y) {
  if (x <= y)
    return 0;
  return x - y;
}

/* Division as on paper: a multiple of the divisor by a power of two that is more than half of the rest is taken away, which
   is exact. */
double fmod(double x, double y) {
  double rest = fabs(x), divisor = fabs(y);
  if (x != x || y != y)
    return x + y;
  if (divisor == 0 || __builtin_isinf(x)) {
    *__errno_location() = 33;
    return 0.0 / 0.0;
  }
  while (rest >= divisor) {
    double multiple = divisor;
    while (multiple + multiple <= rest)
      multiple = multiple + multiple;
    rest = rest - multiple;
  }
  return copysign(rest, x);
}

/* What is left of numbers of this type is one of this type. */
float fmodf(float x, float y) {
  return (float)fmod(x, y);
}

double frexp(double x, int *exponent) {
  *exponent = 0;
  if (x == 0 || x != x || __builtin_isinf(x))
    return x;
  int e = 0;
  while (fabs(x) >= 1) {
    x = x / 2;
    e++;
  }
  while (fabs(x) < 0.5) {
    x = x * 2;
    e--;
  }
  *exponent = e;
  return x;
}

float frexpf(float x, int *exponent) {
  return (float)frexp(x, exponent);
}
