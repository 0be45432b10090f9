/* Functions of <math.h> that nobody computes exactly: any number of the range that the function has, and the values that C
   specifies for zeros, infinities and NaNs. A result of the library that is less than one unit in the last place away from
   the exact one is in the range. */

double copysign(double, double);
void __slam_set_errno(int);
double __slam_any_double(void);
void __slam_may_set_errno(void);

/* Any number from the least to the greatest one. */
static double between(double least, double greatest) {
  double any = __slam_any_double();
  return any >= least && any <= greatest ? any : least;
}

/* The result may be out of the range of the type. */
static double failing(double result) {
  __slam_may_set_errno();
  return result;
}

static double out_of_domain(void) {
  __slam_set_errno(33);
  return 0.0 / 0.0;
}

/* No value at the infinities. A compiler that knows the argument computes that, and nobody sets the number. */
static double at_infinity(void) {
  __slam_may_set_errno();
  return 0.0 / 0.0;
}

/* A function with values from -1 to 1, all of them around every point. */
static double wave(double x) {
  if (x != x)
    return x;
  if (__builtin_isinf(x))
    return at_infinity();
  return between(-1, 1);
}

double sin(double x) {
  return x == 0 ? x : wave(x);
}

double cos(double x) {
  return x == 0 ? 1 : wave(x);
}

double tan(double x) {
  if (x == 0 || x != x)
    return x;
  if (__builtin_isinf(x))
    return at_infinity();
  return between(-__builtin_inf(), __builtin_inf());
}

/* The next numbers above the halves, and the whole, of pi. */
static const double half_pi = 0x1.921fb54442d19p+0, pi = 0x1.921fb54442d19p+1;

double asin(double x) {
  if (x == 0 || x != x)
    return x;
  if (x < -1 || x > 1)
    return out_of_domain();
  return x > 0 ? between(0, half_pi) : between(-half_pi, 0);
}

double acos(double x) {
  if (x != x)
    return x;
  if (x < -1 || x > 1)
    return out_of_domain();
  return x == 1 ? 0 : between(0, pi);
}

double atan(double x) {
  if (x == 0 || x != x)
    return x;
  return x > 0 ? between(0, half_pi) : between(-half_pi, 0);
}

double atan2(double y, double x) {
  if (x != x || y != y)
    return x + y;
  return failing(y > 0 ? between(0, pi) : y < 0 ? between(-pi, 0) : between(-pi, pi));
}

double sinh(double x) {
  if (x == 0 || x != x || __builtin_isinf(x))
    return x;
  return failing(x > 0 ? between(0, __builtin_inf()) : between(-__builtin_inf(), 0));
}

double cosh(double x) {
  if (x != x)
    return x;
  if (__builtin_isinf(x))
    return __builtin_inf();
  return x == 0 ? 1 : failing(between(1, __builtin_inf()));
}

double tanh(double x) {
  if (x == 0 || x != x)
    return x;
  return x > 0 ? between(0, 1) : between(-1, 0);
}

double erf(double x) {
  if (x == 0 || x != x)
    return x;
  return failing(x > 0 ? between(0, 1) : between(-1, 0));
}

double erfc(double x) {
  if (x != x)
    return x;
  return failing(between(0, 2));
}

double exp(double x) {
  if (x == 0)
    return 1;
  if (x != x)
    return x;
  if (__builtin_isinf(x))
    return x > 0 ? x : 0;
  return failing(x > 0 ? between(1, __builtin_inf()) : between(0, 1));
}

double exp2(double x) {
  return exp(x);
}

double exp10(double x) {
  return exp(x);
}

double expm1(double x) {
  if (x == 0 || x != x)
    return x;
  if (__builtin_isinf(x))
    return x > 0 ? x : -1;
  return failing(x > 0 ? between(0, __builtin_inf()) : between(-1, 0));
}

double log(double x) {
  if (x == 0) {
    __slam_set_errno(34);
    return -__builtin_inf();
  }
  if (x != x || x == __builtin_inf())
    return x;
  if (x < 0)
    return out_of_domain();
  if (x == 1)
    return 0;
  return x > 1 ? between(0, 1100) : between(-1100, 0);
}

/* To the base of 2 no logarithm is larger than 1100, nor to a larger one. */
double log2(double x) {
  return log(x);
}

double log10(double x) {
  return log(x);
}

double log1p(double x) {
  if (x == 0 || x != x || x == __builtin_inf())
    return x;
  if (x == -1) {
    __slam_set_errno(34);
    return -__builtin_inf();
  }
  if (x < -1)
    return out_of_domain();
  return x > 0 ? between(0, 800) : between(-800, 0);
}

double cbrt(double x) {
  if (x == 0 || x != x || __builtin_isinf(x))
    return x;
  return x > 0 ? between(0, 0x1p342) : between(-0x1p342, 0);
}

double hypot(double x, double y) {
  if (__builtin_isinf(x) || __builtin_isinf(y))
    return __builtin_inf();
  if (x != x || y != y)
    return x + y;
  if (x == 0 && y == 0)
    return 0;
  return failing(between(0, __builtin_inf()));
}

double pow(double x, double y) {
  if (y == 0 || x == 1)
    return 1;
  if (x != x || y != y)
    return x + y;
  double any = __slam_any_double();
  /* Of the negative zero there is the negative infinity. */
  if (__builtin_signbit(x))
    return failing(any);
  return failing(any >= 0 ? any : 0);
}

/* On numbers of 32 bits: all of a range, rounded, are all numbers of 32 bits in the range. */

float sinf(float x) {
  return (float)sin(x);
}

float cosf(float x) {
  return (float)cos(x);
}

float tanf(float x) {
  return (float)tan(x);
}

float asinf(float x) {
  return (float)asin(x);
}

float acosf(float x) {
  return (float)acos(x);
}

float atanf(float x) {
  return (float)atan(x);
}

float sinhf(float x) {
  return (float)sinh(x);
}

float coshf(float x) {
  return (float)cosh(x);
}

float tanhf(float x) {
  return (float)tanh(x);
}

float erff(float x) {
  return (float)erf(x);
}

float erfcf(float x) {
  return (float)erfc(x);
}

float expf(float x) {
  return (float)exp(x);
}

float exp2f(float x) {
  return (float)exp2(x);
}

float exp10f(float x) {
  return (float)exp10(x);
}

float expm1f(float x) {
  return (float)expm1(x);
}

float logf(float x) {
  return (float)log(x);
}

float log2f(float x) {
  return (float)log2(x);
}

float log10f(float x) {
  return (float)log10(x);
}

float log1pf(float x) {
  return (float)log1p(x);
}

float cbrtf(float x) {
  return (float)cbrt(x);
}

float atan2f(float x, float y) {
  return (float)atan2(x, y);
}

float hypotf(float x, float y) {
  return (float)hypot(x, y);
}

float powf(float x, float y) {
  return (float)pow(x, y);
}
