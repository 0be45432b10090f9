int any(void);

int snprintf(char *line, unsigned long size, const char *format, ...) {
    const char text[] = "level ?";
    for (int i = 0; i < 8; i++)
        line[i] = text[i];
    line[6] = (char)('0' + (any() & 7));
    return 7;
}
