//@ verdict: SAFE --check readonly
// Names are cut in place, where they stand in an array; the one that is a literal is left as it is.
extern int __VERIFIER_nondet_int(void);

static char user[] = "carol the first";

static void cut(char *name) {
    for (int i = 0; name[i]; i++)
        if (name[i] == ' ') {
            name[i] = 0;
            return;
        }
}

int main(void) {
    char *name = __VERIFIER_nondet_int() ? user : (char *)"nobody at all";
    if (name == user)
        cut(name);
    return 0;
}
