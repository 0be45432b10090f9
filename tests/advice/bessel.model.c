float any(void);

double j0(double x) {
    float y = any();
    return y >= -1.0f && y <= 1.0f ? y : 0.0;
}
