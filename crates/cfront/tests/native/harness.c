/* What a program of a verification task needs to run: inputs from the file INPUTS, one a line; checks are told on
   the file CHECKS. Exit codes: 107 a check fails, 108 there are no more inputs, 109 an assumption does not hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(const char *what, int code)
{
    FILE *to = fopen(getenv("CHECKS"), "a");
    fprintf(to, "%s\n", what);
    fclose(to);
    if (code) {
        fflush(stdout);
        _Exit(code);
    }
}

static char *next(void)
{
    static FILE *from;
    static char line[256];
    if (!from) {
        from = fopen(getenv("INPUTS"), "r");
    }
    if (!fgets(line, sizeof line, from)) {
        tell("no more inputs", 108);
    }
    return line;
}

static unsigned long long number(void)
{
    char *line = next();
    return *line == '-' ? (unsigned long long)strtoll(line, 0, 10) : strtoull(line, 0, 10);
}

#define NUMBER(name, type)                     \
    type __VERIFIER_nondet_##name(void)        \
    {                                          \
        return (type)number();                 \
    }

NUMBER(int, int)
NUMBER(uint, unsigned)
NUMBER(unsigned, unsigned)
NUMBER(unsigned_int, unsigned)
NUMBER(char, char)
NUMBER(schar, signed char)
NUMBER(uchar, unsigned char)
NUMBER(unsigned_char, unsigned char)
NUMBER(short, short)
NUMBER(ushort, unsigned short)
NUMBER(unsigned_short, unsigned short)
NUMBER(long, long)
NUMBER(ulong, unsigned long)
NUMBER(unsigned_long, unsigned long)
NUMBER(longlong, long long)
NUMBER(ulonglong, unsigned long long)
NUMBER(bool, _Bool)
NUMBER(_Bool, _Bool)
NUMBER(size_t, size_t)
NUMBER(u8, unsigned char)
NUMBER(u16, unsigned short)
NUMBER(u32, unsigned)
NUMBER(u64, unsigned long long)

float __VERIFIER_nondet_float(void)
{
    return strtof(next(), 0);
}

double __VERIFIER_nondet_double(void)
{
    return strtod(next(), 0);
}

void *__VERIFIER_nondet_pointer(void)
{
    next();
    return 0;
}

void native_error(void)
{
    tell("fails", 107);
}

void reach_error(void)
{
    tell("fails", 107);
}

void __VERIFIER_error(void)
{
    tell("fails", 107);
}

void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    tell("fails", 107);
    abort();
}

__attribute__((weak)) void __VERIFIER_assert(int condition)
{
    tell(condition ? "holds" : "fails", condition ? 0 : 107);
}

__attribute__((weak)) void __CPROVER_assert(int condition, const char *text)
{
    __VERIFIER_assert(condition);
}

__attribute__((weak)) void __VERIFIER_assume(int condition)
{
    if (!condition) {
        tell("not assumed", 109);
    }
}

__attribute__((weak)) void assume_abort_if_not(int condition)
{
    __VERIFIER_assume(condition);
}

__attribute__((weak)) void __CPROVER_assume(int condition)
{
    __VERIFIER_assume(condition);
}

__attribute__((weak)) void assume(int condition)
{
    __VERIFIER_assume(condition);
}
