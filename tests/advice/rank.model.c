typedef unsigned int wint_t;

int iswxdigit(wint_t c) {
    return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
}
