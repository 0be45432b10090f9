//@ verdict: SAFE
// Static initialisers: designated elements and fields, omitted ones zero, strings and constant expressions.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int condition);

struct entry {
    int key;
    int value;
    const char *name;
};

static int weights[4] = {[1] = 10, [3] = 2 * 15};
static struct entry first = {.value = 3, .name = "first"};
static const char word[] = "ab";
int untouched;

int main(void) {
    int local[3] = {7};
    __VERIFIER_assert(weights[0] == 0 && weights[1] == 10 && weights[3] == 30);
    __VERIFIER_assert(first.key == 0 && first.value == 3);
    __VERIFIER_assert(word[1] == 'b' && word[2] == 0 && sizeof word == 3);
    __VERIFIER_assert(local[0] == 7 && local[2] == 0);
    __VERIFIER_assert(untouched == 0);
    if (__VERIFIER_nondet_int())
        first.key = untouched;
    __VERIFIER_assert(first.key == 0);
    return 0;
}
