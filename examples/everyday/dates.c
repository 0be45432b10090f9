//@ verdict: SAFE --check all
// Reads a year, month and day, and prints the number of the day in the year and how many days are
// left. The way back from the number gives the same date.
#include <assert.h>
#include <stdio.h>

static int is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int year, int month) {
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month == 2 && is_leap(year))
        return 29;
    return days[month - 1];
}

static int day_of_year(int year, int month, int day) {
    int m, n = day;
    for (m = 1; m < month; m++)
        n += days_in_month(year, m);
    return n;
}

static void from_day_of_year(int year, int n, int *month, int *day) {
    int m = 1;
    while (m < 12 && n > days_in_month(year, m)) {
        n -= days_in_month(year, m);
        m++;
    }
    *month = m;
    *day = n;
}

int main(void) {
    int year, month, day, n, length, m, d;

    if (scanf("%d %d %d", &year, &month, &day) != 3) {
        fprintf(stderr, "usage: year month day\n");
        return 1;
    }
    if (year < 1583 || year > 9999 || month < 1 || month > 12 || day < 1 ||
        day > days_in_month(year, month)) {
        fprintf(stderr, "there is no such day\n");
        return 1;
    }
    n = day_of_year(year, month, day);
    length = is_leap(year) ? 366 : 365;
    assert(n >= 1 && n <= length);
    printf("day %d, %d left\n", n, length - n);

    from_day_of_year(year, n, &m, &d);
    assert(m == month);
    assert(d == day);
    return 0;
}
