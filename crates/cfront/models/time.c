/* <time.h>: numbers of seconds and their dates. The zone of local time comes from outside, and its name with it. */

struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
};

int *__errno_location(void);
int __slam_any_int(void);
long __slam_any_long(void);
void *__slam_any_pointer(void);
struct tm *gmtime_r(const long *, struct tm *);
struct tm *localtime_r(const long *, struct tm *);

/* The difference has no sign in the subtraction, so that it does not overflow. */
double difftime(long later, long earlier) {
  if (later < earlier)
    return -(double)((unsigned long)earlier - (unsigned long)later);
  return (double)((unsigned long)later - (unsigned long)earlier);
}

/* The days from the first of January 1970 to the first of March of a year, in which all months before the last have their
   number of days without leap years: 400 years have 146097 days. */
static long long days_to_march(long long year) {
  long long era = (year >= 0 ? year : year - 399) / 400, in_era = year - era * 400;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 - 719468;
}

/* The days before a month that is counted from March, since March. */
static long long days_since_march(long long month) {
  return (153 * month + 2) / 5;
}

static struct tm *date(long long seconds, long offset, struct tm *to) {
  long long rest = seconds % 86400 + offset, carried = (rest + 259200) / 86400 - 3;
  long long days = seconds / 86400 + carried;
  rest -= carried * 86400;
  long long shifted = days + 719468;
  long long era = (shifted >= 0 ? shifted : shifted - 146096) / 146097, in_era = shifted - era * 146097;
  long long year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  long long in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  long long month = (5 * in_year + 2) / 153;
  long long year = year_of_era + era * 400 + (month >= 10);
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (year - 1900 > 2147483647LL || year - 1900 < -2147483647LL - 1) {
    *__errno_location() = 75;
    return 0;
  }
  to->tm_sec = (int)(rest % 60);
  to->tm_min = (int)(rest / 60 % 60);
  to->tm_hour = (int)(rest / 3600);
  to->tm_mday = (int)(in_year - days_since_march(month) + 1);
  to->tm_mon = (int)(month >= 10 ? month - 10 : month + 2);
  to->tm_year = (int)(year - 1900);
  to->tm_wday = (int)(((days + 4) % 7 + 7) % 7);
  to->tm_yday = (int)(month >= 10 ? in_year - 306 : in_year + 59 + leap);
  to->tm_isdst = 0;
  to->tm_gmtoff = offset;
  to->tm_zone = "GMT";
  return to;
}

struct tm *gmtime_r(const long *seconds, struct tm *to) {
  return date(*seconds, 0, to);
}

/* Zones are less than 26 hours away. */
static long zone(void) {
  long offset = __slam_any_long();
  return offset < -93600 ? -93600 : offset > 93600 ? 93600 : offset;
}

struct tm *localtime_r(const long *seconds, struct tm *to) {
  struct tm *result = date(*seconds, zone(), to);
  if (result) {
    const char *name = __slam_any_pointer();
    to->tm_isdst = __slam_any_int() != 0;
    to->tm_zone = name ? name : "";
    /* Some zones count leap seconds. */
    if (to->tm_sec == 59 && __slam_any_int())
      to->tm_sec = 60;
  }
  return result;
}

static struct tm shared;

struct tm *gmtime(const long *seconds) {
  return gmtime_r(seconds, &shared);
}

struct tm *localtime(const long *seconds) {
  return localtime_r(seconds, &shared);
}

/* The number of seconds of a date in which members may be out of their ranges. */
static long long seconds_of(const struct tm *date) {
  long long months = date->tm_mon - 2LL, years = (months >= 0 ? months : months - 11) / 12;
  long long days = days_to_march(date->tm_year + 1900LL + years) + days_since_march(months - years * 12) + date->tm_mday - 1;
  return ((days * 24 + date->tm_hour) * 60 + date->tm_min) * 60 + date->tm_sec;
}

/* The date of the number of seconds is put into its place; -1 where the type of numbers of seconds does not have it. */
static long normal(long long exact, long offset, struct tm *to) {
  long seconds = (long)exact;
  if (seconds != exact || !date(exact, offset, to)) {
    *__errno_location() = 75;
    return -1;
  }
  return seconds;
}

long timegm(struct tm *date) {
  return normal(seconds_of(date), 0, date);
}

/* Summer time may be on where the date says that it is off, and the other way round; the clock is put forward then, or back. */
long mktime(struct tm *date) {
  long offset = zone(), other = zone();
  long seconds = normal(seconds_of(date) - offset, other, date);
  date->tm_isdst = __slam_any_int() != 0;
  return seconds;
}
