/* posix/opendir: directories. */
#include <dirent.h>
#include <stddef.h>

struct walk { DIR *at; int depth; };
int more(void);

int keeps_directory_in_a_structure(void) {
    struct walk w, *p = &w;
    p->at = opendir(".");
    if (!w.at)
        return 1;
    while (more() && readdir(p->at))
        p->depth = 1;
    closedir(w.at);
    return 0;
}

int breaks_read_by_another_name(void) {
    struct walk w, *p = &w;
    DIR *d = opendir(".");
    if (!d)
        return 1;
    p->at = d;
    closedir(w.at);
    return readdir(d) == NULL;
}

int keeps_loop(void) {
    int n;
    for (n = 0; n < 3; n++) {
        DIR *d = opendir(".");
        if (d)
            closedir(d);
    }
    return 0;
}

int breaks_loop(void) {
    DIR *d = opendir(".");
    int n;
    if (!d)
        return 1;
    for (n = 0; n < 2; n++)
        if (n == 0 || more())
            closedir(d);
    return 0;
}

int keeps_error_path(void) {
    DIR *a = opendir("a"), *b;
    if (a == NULL)
        return 1;
    b = opendir("b");
    if (b == NULL)
        goto out;
    rewinddir(b);
    closedir(b);
out:
    closedir(a);
    return 0;
}

int breaks_error_path(void) {
    DIR *a = opendir("a"), *b;
    if (a == NULL)
        return 1;
    b = opendir("b");
    if (b == NULL)
        return 2;
    closedir(b);
    closedir(a);
    return 0;
}
