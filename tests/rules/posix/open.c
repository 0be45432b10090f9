/* posix/open: file descriptors. */
#include <fcntl.h>
#include <unistd.h>

struct stream { int file; };
int more(void);

int keeps_descriptor_in_a_structure(void) {
    struct stream s, *p = &s;
    char c = 0;
    p->file = open("a", O_RDONLY);
    if (s.file < 0)
        return 1;
    write(p->file, &c, 1);
    close(s.file);
    return 0;
}

int breaks_copy_of_a_descriptor(void) {
    struct stream s, t;
    s.file = open("a", O_RDONLY);
    if (s.file < 0)
        return 1;
    t = s;
    close(t.file);
    close(s.file);
    return 0;
}

int keeps_loop(void) {
    int n, file;
    for (n = 0; n < 3; n++) {
        file = open("a", O_RDONLY);
        if (file == -1)
            break;
        close(file);
    }
    return 0;
}

int breaks_loop(void) {
    int n, file = -1;
    for (n = 0; n < 2; n++) {
        file = open("a", O_RDONLY);
        if (file < 0)
            return 1;
        if (more())
            close(file);
    }
    return 0;
}

int keeps_error_path(void) {
    int in = open("a", O_RDONLY), out;
    if (in < 0)
        return 1;
    out = creat("b", 0600);
    if (out < 0) {
        close(in);
        return 2;
    }
    close(out);
    close(in);
    return 0;
}

int breaks_error_path(void) {
    int in = open("a", O_RDONLY), out;
    if (in < 0)
        return 1;
    out = creat("b", 0600);
    if (out < 0)
        return 2;
    close(out);
    close(in);
    return 0;
}
