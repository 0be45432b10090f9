//@ verdict: SAFE --check all
// A small allocator: eight blocks of 32 bytes out of one pool. "a" takes a block, "f N" gives
// block N back. The number of blocks in use is always the number of marks.
#include <assert.h>
#include <stdio.h>

#define BLOCKS 8
#define BLOCK_SIZE 32

static unsigned char pool[BLOCKS][BLOCK_SIZE];
static int used[BLOCKS];
static int in_use;

static int take(void) {
    int i;
    for (i = 0; i < BLOCKS; i++) {
        if (!used[i]) {
            used[i] = 1;
            in_use++;
            return i;
        }
    }
    return -1;
}

static int give_back(int i) {
    if (i < 0 || i >= BLOCKS || !used[i])
        return 0;
    used[i] = 0;
    in_use--;
    return 1;
}

static void fill(int block, unsigned char value) {
    int i;
    for (i = 0; i < BLOCK_SIZE; i++)
        pool[block][i] = value;
}

int main(void) {
    char command;
    int block, i, n = 0;

    while (scanf(" %c", &command) == 1) {
        if (command == 'a') {
            block = take();
            if (block < 0) {
                puts("no room");
            } else {
                fill(block, (unsigned char)block);
                printf("block %d\n", block);
            }
        } else if (command == 'f') {
            if (scanf("%d", &block) != 1)
                break;
            if (!give_back(block))
                printf("block %d is not in use\n", block);
        }
        assert(in_use >= 0 && in_use <= BLOCKS);
    }
    for (i = 0; i < BLOCKS; i++)
        n += used[i];
    assert(n == in_use);
    printf("%d blocks in use\n", n);
    return 0;
}
