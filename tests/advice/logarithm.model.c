int any(void);

double log(double x) {
    int y = any();
    return x >= 1 ? (y < 0 ? 0 : y) : y;
}
