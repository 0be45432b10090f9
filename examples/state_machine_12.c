//@ verdict: SAFE
// A connection's life in twelve states: data flows only after the handshake and the login.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum state {
    IDLE,
    RESOLVE,
    CONNECT,
    HELLO,
    KEY_SENT,
    KEY_DONE,
    LOGIN,
    READY,
    TRANSFER,
    FLUSH,
    CLOSING,
    CLOSED
};

int main(void) {
    enum state s = IDLE;
    int has_key = 0;
    int logged_in = 0;

    while (s != CLOSED) {
        int event = __VERIFIER_nondet_int();
        switch (s) {
        case IDLE:
            s = RESOLVE;
            break;
        case RESOLVE:
            s = event ? CONNECT : CLOSED;
            break;
        case CONNECT:
            s = event ? HELLO : RESOLVE;
            break;
        case HELLO:
            s = KEY_SENT;
            break;
        case KEY_SENT:
            if (event > 0) {
                has_key = 1;
                s = KEY_DONE;
            } else if (event < 0) {
                s = CLOSING;
            }
            break;
        case KEY_DONE:
            s = LOGIN;
            break;
        case LOGIN:
            if (event) {
                logged_in = 1;
                s = READY;
            } else {
                s = CLOSING;
            }
            break;
        case READY:
            if (!has_key)
                reach_error();
            s = event ? TRANSFER : CLOSING;
            break;
        case TRANSFER:
            if (!has_key || !logged_in)
                reach_error();
            s = event ? TRANSFER : FLUSH;
            break;
        case FLUSH:
            s = READY;
            break;
        case CLOSING:
            has_key = 0;
            logged_in = 0;
            s = CLOSED;
            break;
        default:
            reach_error();
        }
    }
    return 0;
}
