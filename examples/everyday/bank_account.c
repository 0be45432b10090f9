//@ verdict: SAFE --check all
// Runs up to 100 operations on a bank account: "d 50" deposits, "w 20" withdraws. The balance
// never falls below zero, and the books agree at the end.
#include <assert.h>
#include <limits.h>
#include <stdio.h>

#define MAX_OPERATIONS 100

struct account {
    int balance;
    long long paid_in;
    long long paid_out;
};

static int deposit(struct account *a, int amount) {
    if (amount <= 0)
        return 0;
    if (a->balance > INT_MAX - amount)
        return 0;
    a->balance += amount;
    a->paid_in += amount;
    return 1;
}

static int withdraw(struct account *a, int amount) {
    if (amount <= 0 || amount > a->balance)
        return 0;
    a->balance -= amount;
    a->paid_out += amount;
    return 1;
}

int main(void) {
    struct account account = {0, 0, 0};
    char operation;
    int amount, ok, i;

    for (i = 0; i < MAX_OPERATIONS; i++) {
        if (scanf(" %c %d", &operation, &amount) != 2)
            break;
        switch (operation) {
        case 'd':
            ok = deposit(&account, amount);
            break;
        case 'w':
            ok = withdraw(&account, amount);
            break;
        default:
            ok = 0;
            break;
        }
        if (!ok)
            printf("refused: %c %d\n", operation, amount);
        assert(account.balance >= 0);
    }
    assert(account.paid_in - account.paid_out == account.balance);
    printf("balance: %d\n", account.balance);
    return 0;
}
