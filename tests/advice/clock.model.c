int any(void);
void tick(void (*each)(void)) {
    while (any())
        each();
}
