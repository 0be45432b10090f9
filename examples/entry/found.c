/* Two devices that another file finds (docs/guide/library.md#undefined-functions): with --unknown-pointers fresh
   they are two. */
extern void reach_error(void);

struct device {
    int number, users;
};

struct device *find_device(int number);

int main(void) {
    struct device *first = find_device(1);
    struct device *second = find_device(2);
    if (first == 0 || second == 0)
        return 1;
    first->users = 1;
    second->users = 0;
    if (first->users != 1)
        reach_error();
    return 0;
}
