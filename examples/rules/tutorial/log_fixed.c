/* The log of log.c, used as it should be (docs/guide/rules.md). */
struct log {
    int lines;
};

int log_begin(struct log *l); /* 0: the log is ours; else somebody else has it */
void log_write(struct log *l, int what);
void log_end(struct log *l);

struct log errors, visits;

void visit(int user) {
    if (log_begin(&visits) != 0)
        return;
    log_write(&visits, user);
    if (user < 0 && log_begin(&errors) == 0) {
        log_write(&errors, user);
        log_end(&errors);
    }
    log_end(&visits);
}

int main(int argc, char **argv) {
    visit(argc);
    visit(argc - 2);
    return 0;
}
