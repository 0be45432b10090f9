/* Every conversion of printf with flags, widths and precisions that differ in their effect. */
#include <stdio.h>
#include <stdlib.h>

#define INTEGERS(value)                                                                                        \
    printf("%d|%i|%u|%o|%x|%X\n", value, value, value, value, value, value);                                   \
    printf("%5d|%-5d|%05d|%+d|% d|%+ d|%.3d|%8.3d|%-8.3d|%08.3d\n", value, value, value, value, value, value,  \
           value, value, value, value);                                                                        \
    printf("%#x|%#X|%#o|%#10x|%-#10x|%#010x|%.0d|%.0x|%.0o|%#.0o\n", value, value, value, value, value, value, \
           value, value, value, value);                                                                        \
    printf("%hhd|%hhu|%hd|%hu|%hhx|%hx\n", value, value, value, value, value, value);                          \
    printf("%ld|%lu|%lx|%lld|%llx|%zu|%jd|%td\n", (long)value, (long)value, (long)value, (long long)value,     \
           (long long)value, (size_t)value, (long long)value, (long)value)

#define FLOATS(value)                                                                                      \
    printf("%f|%e|%g|%a|%F|%E|%G|%A\n", value, value, value, value, value, value, value, value);          \
    printf("%.0f|%.1f|%.3f|%.10f|%.20f|%#.0f\n", value, value, value, value, value, value);               \
    printf("%.0e|%.1e|%.3e|%.15e|%#.0e\n", value, value, value, value, value);                            \
    printf("%.0g|%.1g|%.3g|%.17g|%#g|%#.3g\n", value, value, value, value, value, value);                 \
    printf("%.0a|%.1a|%.5a|%.20a|%#.0a\n", value, value, value, value, value);                            \
    printf("%15f|%-15f|%015f|%+f|% f|%+015.2e|%-15.3g|\n", value, value, value, value, value, value, value)

int main(void)
{
    int integers[] = {0, 1, -1, 42, -12345, 2147483647, -2147483647 - 1, 255, 65536};
    double floats[] = {0.0, -0.0, 1.0, 0.5, 1.5, 2.5, 0.1, -3.14159, 1e10, 123456.0, 1234567.0, 0.0001, 0.00001234,
                       1e100, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 0.125, 0.25, 99.5, 999999.4,
                       1.0 / 3, 1e15, 1e16, 1e17, 1e22, 1e23, 8.5, 0.15, 1.25, 1.375};
    const char *none = 0;
    int i, n;

    for (i = 0; i < (int)(sizeof integers / sizeof *integers); i++) {
        INTEGERS(integers[i]);
    }
    for (i = 0; i < (int)(sizeof floats / sizeof *floats); i++) {
        FLOATS(floats[i]);
    }
    FLOATS(1.0 / floats[0]);
    FLOATS(-1.0 / floats[0]);
    printf("%s|%10s|%-10s|%.2s|%10.2s|%c|%5c|%-5c|%%|%5s|\n", "text", "text", "text", "text", "text", 'c', 'c',
           'c', "");
    printf("%*d|%-*d|%.*d|%*.*f|%*d|\n", 7, 5, 7, 5, 3, 5, 10, 2, 2.345, -7, 5);
    printf("%.*s|%.*d\n", -1, "whole", -1, 5);
    printf("%p %5.1f%%\n", (void *)none, 99.95);
    printf("no arguments\n");
    n = printf("counted\n");
    printf("%d\n", n);
    puts("a line");
    putchar('x');
    putchar('\n');
    fputs("to standard output\n", stdout);
    fprintf(stderr, "not to standard output\n");
    fprintf(stdout, "%s\n", "also here");
    fputc('y', stdout);
    putc('\n', stdout);
    fwrite("abcdef\n", 1, 3, stdout);
    fwrite("\n", 1, 1, stdout);
    exit(300);
}
