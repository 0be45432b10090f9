struct point { int x; int y; }
int add(int a, int b) {
    return a + b
}
uint32_t g;
uint32_t h;
int twice(int a) {
    int x = add(a, a;
    return x;
}
int negative(int a) {
    return -;
}
int main(void) {
    if (twice(1) > 0 {
        g = 1;
    }
    return 0;
}
