/* Functions of <math.h>: those that C or IEEE 754 defines exactly, and the others by their ranges. The bodies are rounded to
   nearest whatever the mode is; where the mode would matter the call is not modelled. */

double fabs(double);
double trunc(double);
double rint(double);
float truncf(float);
float rintf(float);
double copysign(double, double);
float copysignf(float, float);
int fegetround(void);
int *__errno_location(void);
double __slam_any_double(void);
int __slam_any_int(void);
void __slam_unmodelled(const char *);
unsigned long long __slam_bits_of(double);
double __slam_of_bits(unsigned long long);
unsigned __slam_bits_of_float(float);
float __slam_float_of_bits(unsigned);

/* What follows is rounded, by the mode that is set. */
static void rounds(void) {
  if (fegetround() != 0)
    __slam_unmodelled("a function of <math.h> in another mode of rounding");
}

static double out_of_domain(void) {
  *__errno_location() = 33;
  return 0.0 / 0.0;
}

/* The result of finite numbers: no error but that it is out of range. */
static double in_range(double result, int all_finite) {
  if (all_finite && __builtin_isinf(result))
    *__errno_location() = 34;
  return result;
}

double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(__builtin_isinf(x) ? 0 : x - *whole, x);
}

float modff(float x, float *whole) {
  *whole = truncf(x);
  return copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}

double fdim(double x, double y) {
  rounds();
  if (x <= y)
    return 0;
  return in_range(x - y, __builtin_isfinite(x) && __builtin_isfinite(y));
}

float fdimf(float x, float y) {
  float result = x - y;
  rounds();
  if (x <= y)
    return 0;
  if (__builtin_isinf(result) && __builtin_isfinite(x) && __builtin_isfinite(y))
    *__errno_location() = 34;
  return result;
}

/* Division as on paper: from the largest multiple of the divisor by a power of two on, each is taken away that is not more than
   the rest. The rest is less than twice the multiple, so that this is exact. */
double fmod(double x, double y) {
  double rest = fabs(x), divisor = fabs(y), multiple = divisor;
  if (x != x || y != y)
    return x + y;
  if (divisor == 0 || __builtin_isinf(x))
    return out_of_domain();
  if (rest < divisor)
    return x;
  while (multiple + multiple <= rest)
    multiple = multiple + multiple;
  while (multiple > divisor) {
    if (rest >= multiple)
      rest = rest - multiple;
    multiple = multiple / 2;
  }
  if (rest >= divisor)
    rest = rest - divisor;
  return copysign(rest, x);
}

/* What is left of numbers of this type is one of this type. */
float fmodf(float x, float y) {
  return (float)fmod(x, y);
}

/* The nearest multiple of the divisor is taken away, of two that are equally near an even one; and the last bits of the multiple. */
static double remainder_of(double x, double y, int *multiple) {
  double divisor = fabs(y), rest = fabs(fmod(x, 8 * divisor));
  int n = 0;
  if (rest >= 4 * divisor) {
    rest = rest - 4 * divisor;
    n = 4;
  }
  if (rest >= 2 * divisor) {
    rest = rest - 2 * divisor;
    n = n + 2;
  }
  if (rest + rest > divisor) {
    rest = rest - divisor;
    n = n + 1;
    if (rest + rest >= divisor) {
      rest = rest - divisor;
      n = n + 1;
    }
  }
  n = n & 7;
  *multiple = (x < 0) != (y < 0) ? -n : n;
  return rest == 0 ? copysign(0, x) : x < 0 ? -rest : rest;
}

double remainder(double x, double y) {
  int multiple;
  if (x != x || y != y)
    return x + y;
  if (y == 0 || __builtin_isinf(x))
    return out_of_domain();
  return remainder_of(x, y, &multiple);
}

float remainderf(float x, float y) {
  return (float)remainder(x, y);
}

double drem(double x, double y) {
  return remainder(x, y);
}

double remquo(double x, double y, int *multiple) {
  *multiple = __slam_any_int();
  if (x != x || y != y)
    return x + y;
  if (y == 0 || __builtin_isinf(x))
    return 0.0 / 0.0;
  return remainder_of(x, y, multiple);
}

float remquof(float x, float y, int *multiple) {
  return (float)remquo(x, y, multiple);
}

/* A number that is not subnormal has its exponent in its bits. */
double frexp(double x, int *exponent) {
  int more = 0;
  *exponent = 0;
  if (x == 0 || x != x || __builtin_isinf(x))
    return x;
  if (fabs(x) < 0x1p-1022) {
    x = x * 0x1p54;
    more = 54;
  }
  unsigned long long bits = __slam_bits_of(x);
  *exponent = (int)(bits >> 52 & 0x7ff) - 1022 - more;
  return __slam_of_bits((bits & 0x800fffffffffffff) | 0x3fe0000000000000);
}

float frexpf(float x, int *exponent) {
  return (float)frexp(x, exponent);
}

/* A power of two whose exponent is in the range of numbers that are not subnormal. */
static double power_of_two(int exponent) {
  return __slam_of_bits((unsigned long long)(exponent + 1023) << 52);
}

/* The number is brought near to where the result is, exactly, and then multiplied once. */
static double scaled(double x, int n) {
  int exponent;
  double part = frexp(x, &exponent);
  if (x == 0 || x != x || __builtin_isinf(x) || n == 0)
    return x;
  if (n > 2200)
    n = 2200;
  if (n < -2200)
    n = -2200;
  exponent = exponent + n;
  if (exponent > 1024)
    exponent = 1025;
  if (exponent < -1100)
    exponent = -1100;
  if (exponent > 0)
    return part * 2 * power_of_two(exponent - 2) * 2;
  if (exponent > -500)
    return part * power_of_two(exponent);
  return part * 0x1p-500 * power_of_two(exponent + 500);
}

double scalbn(double x, int n) {
  double result = scaled(x, n);
  rounds();
  if (__builtin_isfinite(x) && x != 0 && (__builtin_isinf(result) || result == 0))
    *__errno_location() = 34;
  return result;
}

double ldexp(double x, int n) {
  return scalbn(x, n);
}

double scalbln(double x, long n) {
  return scalbn(x, n > 2200 ? 2200 : n < -2200 ? -2200 : (int)n);
}

/* What is not subnormal with 64 bits is exact, and below lies nothing but zero. */
float scalbnf(float x, int n) {
  float result = (float)scaled(x, n);
  rounds();
  if (__builtin_isfinite(x) && x != 0 && (__builtin_isinf(result) || result == 0))
    *__errno_location() = 34;
  return result;
}

float ldexpf(float x, int n) {
  return scalbnf(x, n);
}

float scalblnf(float x, long n) {
  return scalbnf(x, n > 2200 ? 2200 : n < -2200 ? -2200 : (int)n);
}

double logb(double x) {
  int exponent;
  if (x == 0)
    return -__builtin_inf();
  if (x != x || __builtin_isinf(x))
    return x * x;
  frexp(x, &exponent);
  return exponent - 1;
}

float logbf(float x) {
  return (float)logb(x);
}

int ilogb(double x) {
  int exponent;
  if (x == 0 || x != x || __builtin_isinf(x)) {
    *__errno_location() = 33;
    return __builtin_isinf(x) ? 2147483647 : -2147483647 - 1;
  }
  frexp(x, &exponent);
  return exponent - 1;
}

int ilogbf(float x) {
  return ilogb(x);
}

/* The bits of neighbours of one sign are neighbours as integers. */
double nextafter(double x, double y) {
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  if (x == 0)
    return copysign(0x1p-1074, y);
  unsigned long long bits = __slam_bits_of(x);
  double next = __slam_of_bits((x < y) == (x > 0) ? bits + 1 : bits - 1);
  if (__builtin_isinf(next) || fabs(next) < 0x1p-1022)
    *__errno_location() = 34;
  return next;
}

float nextafterf(float x, float y) {
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  if (x == 0)
    return copysignf(0x1p-149f, y);
  unsigned bits = __slam_bits_of_float(x);
  float next = __slam_float_of_bits((x < y) == (x > 0) ? bits + 1 : bits - 1);
  if (__builtin_isinf(next) || fabs(next) < 0x1p-126)
    *__errno_location() = 34;
  return next;
}

double roundeven(double x) {
  return rint(x);
}

float roundevenf(float x) {
  return rintf(x);
}

/* The product is exact in 64 bits, and the sum is rounded to odd there, so that the second rounding is as if it were the only
   one [BM08]. */
float fmaf(float x, float y, float z) {
  double product = (double)x * y, sum = product + z;
  rounds();
  if (__builtin_isfinite(sum)) {
    double part = sum - product, lost = (product - (sum - part)) + (z - part);
    unsigned long long bits = __slam_bits_of(sum);
    if (lost != 0 && (bits & 1) == 0)
      sum = __slam_of_bits((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
  }
  return (float)sum;
}

/* A number as an integer of 53 bits times a power of two. */
static unsigned long long significand(double x, int *exponent) {
  unsigned long long bits = __slam_bits_of(frexp(x, exponent));
  *exponent = *exponent - 53;
  return (bits & 0xfffffffffffff) | 0x10000000000000;
}

/* An integer without its last bits; the last one that is left says whether others were set. */
static unsigned __int128 shifted(unsigned __int128 x, int by) {
  if (by >= 128)
    return x != 0;
  unsigned __int128 left = x >> by;
  return left << by == x ? left : left | 1;
}

/* An integer times a power of two, rounded once. Below 2 to -1022 the numbers are multiples of one power, which is counted. */
static double rounded(unsigned __int128 x, int exponent) {
  int below = -1074 - exponent;
  if (below <= 0 || (below < 76 && x >> (below + 52) != 0))
    return scaled((double)x, exponent);
  unsigned __int128 quarters = below == 1 ? x << 1 : shifted(x, below - 2);
  unsigned long long count = (unsigned long long)(quarters >> 2), rest = (unsigned long long)(quarters & 3);
  if (rest == 3 || (rest == 2 && (count & 1)))
    count = count + 1;
  return (double)count * 0x1p-1074;
}

/* Both summands as integers with the same power of two. Where bits of the smaller one are lost, the sum has bits enough that
   it does not matter which. */
double fma(double x, double y, double z) {
  int ex, ey, ez;
  rounds();
  if (!__builtin_isfinite(x) || !__builtin_isfinite(y) || !__builtin_isfinite(z) || x == 0 || y == 0)
    return x * y + z;
  if (z == 0)
    return x * y;
  unsigned __int128 product = (unsigned __int128)significand(x, &ex) * significand(y, &ey) << 19;
  unsigned __int128 other = (unsigned __int128)significand(z, &ez) << 72;
  int exponent = ex + ey - 19, distance = exponent - (ez - 72);
  if (distance >= 0)
    other = shifted(other, distance);
  else {
    product = shifted(product, -distance);
    exponent = ez - 72;
  }
  int minus = (x < 0) != (y < 0);
  if (minus == (z < 0)) {
    double sum = rounded(product + other, exponent);
    return minus ? -sum : sum;
  }
  if (product == other)
    return 0;
  if (product < other) {
    double difference = rounded(other - product, exponent);
    return z < 0 ? -difference : difference;
  }
  double difference = rounded(product - other, exponent);
  return minus ? -difference : difference;
}
