#include "jsmn.h"

char __VERIFIER_nondet_char(void);

int main(void) {
    char text[9];
    jsmn_parser parser;
    jsmntok_t tokens[4];
    for (int i = 0; i < 8; i++)
        text[i] = __VERIFIER_nondet_char();
    text[8] = 0;
    jsmn_init(&parser);
    return jsmn_parse(&parser, text, 8, tokens, 4) < 0;
}
