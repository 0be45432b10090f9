//@ verdict: UNSAFE --check bounds
// Walks through a maze by the letters n, e, s and w, until the input ends, and tells whether the
// exit 'o' was found.
// Bug: line 34 looks at the next field without a check that it lies in the maze.
// Input: args [], stdin "eeeesseee\n"
#include <stdio.h>

#define ROWS 5
#define COLUMNS 8

static const char maze[ROWS][COLUMNS] = {
    {'#', '#', '#', '#', '#', '#', '#', '#'},
    {'#', ' ', ' ', ' ', ' ', ' ', '#', '#'},
    {'#', ' ', '#', '#', '#', ' ', '#', '#'},
    {'#', ' ', ' ', '#', ' ', ' ', ' ', 'o'},
    {'#', '#', '#', '#', '#', '#', '#', '#'},
};

int main(void) {
    int row = 1, column = 1, found = 0, steps = 0, c;

    while (steps < 1000 && (c = getchar()) != EOF) {
        int r = row, k = column;
        if (c == 'n')
            r--;
        else if (c == 's')
            r++;
        else if (c == 'w')
            k--;
        else if (c == 'e')
            k++;
        else
            continue;
        if (maze[r][k] == '#')
            continue;
        row = r;
        column = k;
        steps++;
        if (maze[row][column] == 'o')
            found = 1;
    }
    printf("%d steps, exit %s\n", steps, found ? "found" : "not found");
    return 0;
}
