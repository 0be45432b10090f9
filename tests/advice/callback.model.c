void on_change(void (*f)(int)) { f(1); }
