//@ verdict: SAFE --check all
// Tic-tac-toe for two players who give the number of a field (1 to 9) in turn. The number of marks
// is the number of moves, and nobody is ahead by more than one.
#include <assert.h>
#include <stdio.h>

static char board[9];

static char winner(void) {
    static const int lines[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                                    {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
    int i;
    for (i = 0; i < 8; i++) {
        char first = board[lines[i][0]];
        if (first != ' ' && board[lines[i][1]] == first && board[lines[i][2]] == first)
            return first;
    }
    return ' ';
}

static int marks(char player) {
    int i, n = 0;
    for (i = 0; i < 9; i++)
        if (board[i] == player)
            n++;
    return n;
}

static void show(void) {
    int i;
    for (i = 0; i < 9; i += 3)
        printf("%c|%c|%c\n", board[i], board[i + 1], board[i + 2]);
}

int main(void) {
    int moves = 0, field, i;
    char player = 'X';

    for (i = 0; i < 9; i++)
        board[i] = ' ';
    while (moves < 9 && winner() == ' ') {
        printf("%c: ", player);
        if (scanf("%d", &field) != 1)
            break;
        if (field < 1 || field > 9 || board[field - 1] != ' ') {
            puts("not possible");
            continue;
        }
        board[field - 1] = player;
        moves++;
        player = player == 'X' ? 'O' : 'X';
        show();
    }
    assert(moves <= 9);
    assert(marks('X') + marks('O') == moves);
    assert(marks('X') - marks('O') == moves % 2);
    printf("winner: %c\n", winner());
    return 0;
}
