//@ verdict: UNSAFE
// A vending machine with four shelves: 1, 2 and 5 are coins, 'b' buys for 3, 'r' returns what is
// left. What was paid is in the machine, in the goods, or was given back.
// Bug: behind line 32 a break is missing: one piece is taken from each shelf.
// Input: args [], stdin "5b\n"
#include <assert.h>
#include <stdio.h>

#define SHELVES 4
#define PRICE 3
#define MOST 1000

static int stock[SHELVES] = {3, 5, 5, 2};
static int paid, credit, sold, returned;

static void insert(int coin) {
    if (credit + coin > MOST) {
        puts("the machine takes no more");
        return;
    }
    paid += coin;
    credit += coin;
}

static void buy(void) {
    int i, before = sold;
    if (credit < PRICE)
        return;
    for (i = 0; i < SHELVES; i++) {
        if (stock[i] > 0) {
            stock[i]--;
            sold++;
        }
    }
    if (sold > before)
        credit -= PRICE;
}

int main(void) {
    int key, keys = 0;

    while (keys < 10000 && (key = getchar()) != EOF) {
        keys++;
        if (key == '1' || key == '2' || key == '5') {
            insert(key - '0');
        } else if (key == 'b') {
            buy();
        } else if (key == 'r') {
            returned += credit;
            credit = 0;
        }
        assert(paid == credit + PRICE * sold + returned);
    }
    printf("%d sold\n", sold);
    return 0;
}
