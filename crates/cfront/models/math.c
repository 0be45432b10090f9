/* Functions of <math.h>: those that C or IEEE 754 defines exactly, and the others by their ranges. The bodies are rounded to
   nearest whatever the mode is; where the mode would matter the call is not modelled. */

double fabs(double);
double trunc(double);
double rint(double);
float truncf(float);
float rintf(float);
double copysign(double, double);
float copysignf(float, float);
void __slam_set_errno(int);
double __slam_any_double(void);
int __slam_any_int(void);
unsigned long long __slam_bits_of(double);
double __slam_of_bits(unsigned long long);
unsigned __slam_bits_of_float(float);
float __slam_float_of_bits(unsigned);
/* The result of the function may be rounded. */
void slam_rounds(void);

static double out_of_domain(void) {
  __slam_set_errno(33);
  return 0.0 / 0.0;
}

/* The result of finite numbers: no error but that it is out of range. */
static double in_range(double result, int all_finite) {
  if (all_finite && __builtin_isinf(result))
    __slam_set_errno(34);
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
  slam_rounds();
  if (x <= y)
    return 0;
  return in_range(x - y, __builtin_isfinite(x) && __builtin_isfinite(y));
}

float fdimf(float x, float y) {
  float result = x - y;
  slam_rounds();
  if (x <= y)
    return 0;
  if (__builtin_isinf(result) && __builtin_isfinite(x) && __builtin_isfinite(y))
    __slam_set_errno(34);
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

/* What is less than two divisors without the nearest multiple, of two that are equally near the even one. */
static double nearest_rest(double rest, double divisor) {
  if (rest + rest > divisor) {
    rest = rest - divisor;
    if (rest + rest >= divisor)
      rest = rest - divisor;
  }
  return rest;
}

double remainder(double x, double y) {
  double divisor = fabs(y);
  if (x != x || y != y)
    return x + y;
  if (divisor == 0 || __builtin_isinf(x))
    return out_of_domain();
  double rest = nearest_rest(fabs(fmod(x, divisor + divisor)), divisor);
  return rest == 0 ? copysign(0, x) : x < 0 ? -rest : rest;
}

float remainderf(float x, float y) {
  return (float)remainder(x, y);
}

double drem(double x, double y) {
  return remainder(x, y);
}

/* The multiple is given by its last three bits; some libraries give those above them, too. */
double remquo(double x, double y, int *multiple) {
  double divisor = fabs(y);
  *multiple = __slam_any_int();
  if (x != x || y != y)
    return x + y;
  if (divisor == 0 || __builtin_isinf(x))
    return 0.0 / 0.0;
  double rest = fabs(fmod(x, 8 * divisor));
  int n = 0;
  if (rest >= 4 * divisor) {
    rest = rest - 4 * divisor;
    n = 4;
  }
  if (rest >= 2 * divisor) {
    rest = rest - 2 * divisor;
    n = n + 2;
  }
  double nearest = nearest_rest(rest, divisor);
  if (nearest != rest)
    n = n + (rest - nearest > divisor ? 2 : 1);
  n = (n & 7) | (__slam_any_int() & 0x7ffffff8);
  *multiple = (x < 0) != (y < 0) ? -n : n;
  return nearest == 0 ? copysign(0, x) : x < 0 ? -nearest : nearest;
}

float remquof(float x, float y, int *multiple) {
  return (float)remquo(x, y, multiple);
}

/* The exponent of a number that is finite and not zero, with the first bit behind the point. Subnormal numbers get it when they are
   multiplied. */
static int exponent_of(double x) {
  if (fabs(x) < 0x1p-1022)
    return (int)(__slam_bits_of(x * 0x1p54) >> 52 & 0x7ff) - 1022 - 54;
  return (int)(__slam_bits_of(x) >> 52 & 0x7ff) - 1022;
}

/* The number without its exponent, at least a half and less than one; others than those above are as they are. */
static double fraction_of(double x) {
  if (x == 0 || x != x || __builtin_isinf(x))
    return x;
  unsigned long long bits = __slam_bits_of(fabs(x) < 0x1p-1022 ? x * 0x1p54 : x);
  return __slam_of_bits((bits & 0x800fffffffffffff) | 0x3fe0000000000000);
}

/* C does not specify the exponent of an infinity or of a NaN. */
double frexp(double x, int *exponent) {
  if (__builtin_isfinite(x))
    *exponent = x == 0 ? 0 : exponent_of(x);
  else if (__slam_any_int())
    *exponent = __slam_any_int();
  return fraction_of(x);
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
  double part = fraction_of(x);
  if (x == 0 || x != x || __builtin_isinf(x) || n == 0)
    return x;
  if (n > 2200)
    n = 2200;
  if (n < -2200)
    n = -2200;
  int exponent = exponent_of(x) + n;
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
  slam_rounds();
  if (__builtin_isfinite(x) && x != 0 && (__builtin_isinf(result) || result == 0))
    __slam_set_errno(34);
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
  slam_rounds();
  if (__builtin_isfinite(x) && x != 0 && (__builtin_isinf(result) || result == 0))
    __slam_set_errno(34);
  return result;
}

float ldexpf(float x, int n) {
  return scalbnf(x, n);
}

float scalblnf(float x, long n) {
  return scalbnf(x, n > 2200 ? 2200 : n < -2200 ? -2200 : (int)n);
}

double logb(double x) {
  if (x == 0)
    return -__builtin_inf();
  if (x != x || __builtin_isinf(x))
    return x * x;
  return exponent_of(x) - 1;
}

float logbf(float x) {
  return (float)logb(x);
}

int ilogb(double x) {
  if (x == 0 || x != x || __builtin_isinf(x)) {
    __slam_set_errno(33);
    return __builtin_isinf(x) ? 2147483647 : -2147483647 - 1;
  }
  return exponent_of(x) - 1;
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
    __slam_set_errno(34);
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
    __slam_set_errno(34);
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
  slam_rounds();
  if (__builtin_isfinite(sum)) {
    double part = sum - product, lost = (product - (sum - part)) + (z - part);
    unsigned long long bits = __slam_bits_of(sum);
    if (lost != 0 && (bits & 1) == 0)
      sum = __slam_of_bits((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
  }
  return (float)sum;
}

/* The bits of a number that is finite and not zero, as an integer of 53 bits. */
static unsigned __int128 significand(double x) {
  return (__slam_bits_of(fraction_of(x)) & 0xfffffffffffff) | 0x10000000000000;
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
  slam_rounds();
  if (!__builtin_isfinite(x) || !__builtin_isfinite(y) || x == 0 || y == 0)
    return x * y + z;
  if (!__builtin_isfinite(z))
    return z;
  if (z == 0)
    return x * y;
  unsigned __int128 product = significand(x) * significand(y) << 19, other = significand(z) << 72;
  int exponent = exponent_of(x) + exponent_of(y) - 106 - 19, least = exponent_of(z) - 53 - 72;
  int distance = exponent - least;
  if (distance >= 0)
    other = shifted(other, distance);
  else {
    product = shifted(product, -distance);
    exponent = least;
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
