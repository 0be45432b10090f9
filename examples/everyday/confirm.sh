#!/usr/bin/env bash
# Confirms by gcc's sanitizers (and valgrind) what the programs of this folder say of themselves.
#
#   ./confirm.sh [NAME.c ...]
#
# A program with `expect: unsafe CHECK` must show an error of that kind with the input in its
# comment: `// Input: args [A B], stdin "TEXT"`, where TEXT has the escapes of printf's %b, and
# `, malloc fails` means that the first call of malloc does. A program with `expect: safe` must run
# on many inputs without a report, also when memory runs out. All must compile without warnings.
# Prints a line a program; the exit code is 1 when one is not as it says.
set -u
cd "$(dirname "$0")" || exit 1
CC=${CC:-gcc}

if ! command -v "$CC" > /dev/null; then
    echo "skipped: there is no $CC"
    exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

echo 'int main(void) { return 0; }' > "$tmp/empty.c"
SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"
# shellcheck disable=SC2086
if ! "$CC" $SANITIZE "$tmp/empty.c" -o "$tmp/empty" 2> /dev/null || ! "$tmp/empty" 2> /dev/null; then
    echo "skipped: programs with address and undefined sanitizers cannot be made or run"
    exit 0
fi
valgrind=
if command -v valgrind > /dev/null; then
    valgrind=yes
fi

# Inputs of __VERIFIER_nondet_int are numbers of standard input (0 at its end); the N-th call of
# malloc, calloc or realloc fails, where FAIL_AT is N.
cat > "$tmp/support.c" << 'EOF'
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);
int __VERIFIER_nondet_int(void) {
    int x;
    return scanf("%d", &x) == 1 ? x : 0;
}

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);

static int fails(void) {
    static int calls;
    const char *at = getenv("FAIL_AT");
    return at != NULL && ++calls == atoi(at);
}

void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t m, size_t n) { return fails() ? NULL : __real_calloc(m, n); }
void *__wrap_realloc(void *p, size_t n) { return fails() ? NULL : __real_realloc(p, n); }
EOF
WRAP="-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc"
FLAGS="-std=gnu11 -g -Wall -Wextra -Werror"

# What the sanitizers, valgrind and assert say of an error of this kind.
sign() {
    case $1 in
    assert) echo "Assertion .* failed" ;;
    bounds) echo "buffer-overflow|buffer-underflow|index -?[0-9]+ out of bounds" ;;
    null) echo "null pointer|SEGV on unknown address 0x0000000000|argument 1.*null" ;;
    free) echo "heap-use-after-free|double-free|stack-use-after-(return|scope)|attempting free" ;;
    leak) echo "detected memory leaks" ;;
    overflow) echo "signed integer overflow" ;;
    div0) echo "division by zero" ;;
    uninit) echo "uninitialised value" ;;
    *) echo "no such check" ;;
    esac
}

# run HOW STDIN ARG ...: runs the program on this input; what it says goes to $tmp/errors.
run() {
    local how=$1 input=$2
    shift 2
    mkdir "$tmp/run"
    printf '%b' "$input" > "$tmp/input"
    { (
        cd "$tmp/run" || exit 1
        export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1
        if [ "$how" = valgrind ]; then
            exec timeout 60 valgrind -q --leak-check=full --show-leak-kinds=all "$tmp/plain" "$@"
        fi
        exec timeout 20 "$tmp/program" "$@"
    ) < "$tmp/input" > "$tmp/output" 2> "$tmp/errors"; } 2> /dev/null
    local code=$?
    rm -rf "$tmp/run"
    return $code
}

# clean HOW STDIN ARG ...: runs it, and tells whether nothing was wrong.
clean() {
    run "$@"
    local code=$?
    runs=$((runs + 1))
    if [ $code -gt 1 ] || grep -Eq "runtime error|Sanitizer|^==[0-9]+==|Assertion" "$tmp/errors"; then
        report="$* (exit code $code): $(grep -Em1 'runtime error|ERROR|==|Assertion' "$tmp/errors")"
        return 1
    fi
}

many() {
    local i text=
    for ((i = 0; i < $1; i++)); do
        text+=$2
    done
    printf '%s' "$text"
}

# Inputs for every program: none, blanks, text, numbers, extremes, NUL and bytes above 127, too long.
inputs=(
    ''
    '\n'
    '   \n\n  \t'
    'the quick brown fox\njumps over the lazy dog\n'
    '3 1 2 3 2 9\n'
    '1 2 3 4 5 6 7 8 9\n'
    '9 8 7 6 5 4 3 2 1 0 -1 -2\n'
    '2147483647 -2147483648 2147483647 99999999999999999999 1\n'
    '\0\n\0\0x\n\0377\0200\0351\n'
    '-1\n'
    '1000 1 1 1\n'
    "$(many 3000 7)"
    "$(many 1500 '12 ')"
    "$(many 1500 'ab,(')"
    "$(many 400 'w\n')"
)

# Inputs that reach further into one program.
inputs_of() {
    case $1 in
    bank_account) printf '%s\n' 'd 50 w 20 w 40 d -3 x 1\n' "$(many 60 'd 2147483647 w 2147483647 ')" 'd 2147483647 d 1 w 1 d 2\n' ;;
    binary_search) printf '%s\n' '5 1 3 3 8 9 3 9 1 0 10\n' '1 4 4 5 3\n' '0 1 2 3\n' "64 $(many 64 '5 ') 5 6 4\n" '3 2 1 3\n' '65 1\n' ;;
    traffic_light) printf '%s\n' 'tttttttt\n' 'ptptptptptp' 'tpttttpttttptt' ;;
    elevator) printf '%s\n' '1 7 2 2 2 2 2 2 2 2 2 2 1 3 2 2 2 2 2 2 2 2\n' '1 8 2 1 -1 2 1 0 2 2\n' '2 1 5 1 6 2 3 4 5 6 7 8\n' ;;
    expression_parser) printf '%s\n' '1+2*3\n(4-6)/-2\n7/0\n' "$(many 120 '(')1\n" "$(many 126 '-')1\n" '1000000000*1000000000\n-1000000000*2\n99999999999\n' '2 3\n(1\n)\n1/(2-2)\n' ;;
    dates) printf '%s\n' '2024 2 29\n' '2023 2 29\n' '1900 12 31\n' '2000 12 31\n' '9999 1 1\n' '2023 13 1\n' '2023 0 1\n' ;;
    matrix) printf '%s\n' '10000 -10000 10000 -10000 10000 1 2 3 4\n' '1 2 3 4 5 6 7 8 10001\n' '0 0 0 0 0 0 0 0 0\n' ;;
    tictactoe) printf '%s\n' '1 4 2 5 3\n' '1 2 3 5 4 6 8 7 9\n' '1 1 0 10 5 9 -3 2\n' ;;
    allocator) printf '%s\n' 'a a a f 1 a f 7 f 1 f 1\n' 'a a a a a a a a a f 0 a\n' 'f -1 f 8 f x\n' ;;
    bit_tricks) printf '%s\n' '0 1 2 3 4294967295 2147483648\n' '4294967296 5\n' '-7 12\n' ;;
    hash_table) printf '%s\n' 'a b a c b a\n' "$(many 40 'x')\n" 'Stra\0303\0237e stra\0303\0237e\n' ;;
    esac
}

# Arguments, with the words separated by blanks; the empty line is no argument.
arguments_of() {
    case $1 in
    word_count) printf '%s\n' '' '/dev/stdin' 'no-such-file' 'no-such-file /dev/stdin -' ;;
    csv_fields) printf '%s\n' '' '/dev/stdin 1' '/dev/stdin 2' '/dev/stdin 8' '/dev/stdin 9' '/dev/stdin x' 'no-such-file 1' ;;
    commands) printf '%s\n' '' 'add 3 4' 'sub 3 x' 'mul -1000000 1000000' 'max 1 2' 'max 2 1' 'div 1 2' 'add 1' 'add 99999999999999999999 1' 'add - 1' 'add 1 2 3' "$(many 500 z) 1 2" ;;
    big_number) printf '%s\n' '' 0 1 5 25 60 61 -1 x 99999999999999999999 '1 2' ;;
    roman) printf '%s\n' '' 1 4 1987 3888 3999 4000 0 -5 x '12x' 99999999999999999999 ;;
    *) echo ;;
    esac
}

safe() {
    local name=$1 input line n
    local -a all=("${inputs[@]}") arguments
    while IFS= read -r line; do
        all+=("$line")
    done < <(inputs_of "$name")
    runs=0
    while IFS= read -r line; do
        read -ra arguments <<< "$line"
        n=0
        for input in "${all[@]}"; do
            clean sanitizer "$input" ${arguments[@]+"${arguments[@]}"} || return 1
            # Without a look at standard input one will do.
            n=$((n + 1))
            if [ $n -eq 2 ] && ! grep -Eq 'scanf|getchar|getc|fgets|nondet' "$name.c"; then
                break
            fi
        done
        if [ -n "$valgrind" ]; then
            clean valgrind "${all[4]}" ${arguments[@]+"${arguments[@]}"} || return 1
        fi
    done < <(arguments_of "$name")
    if [ -n "$valgrind" ]; then
        clean valgrind "${all[${#all[@]} - 1]}" ${arguments[@]+"${arguments[@]}"} || return 1
    fi
    if grep -Eq 'malloc|calloc|realloc' "$name.c"; then
        for n in 1 2 3 4 5; do
            export FAIL_AT=$n
            for input in "${all[3]}" "${all[5]}" "${all[12]}"; do
                clean sanitizer "$input" || return 1
            done
            unset FAIL_AT
        done
    fi
}

unsafe() {
    local name=$1 check=$2 input arguments_text stdin_text how=sanitizer
    local -a arguments
    input=$(grep -m1 '^// Input: ' "$name.c")
    arguments_text=$(sed -n 's/^[^[]*args \[\([^]]*\)\].*/\1/p' <<< "$input")
    stdin_text=$(sed -n 's/.*stdin "\(.*\)".*/\1/p' <<< "$input")
    # \351 of C is \0351 for %b.
    stdin_text=$(sed 's/\\\([0-7][0-7][0-7]\)/\\0\1/g' <<< "$stdin_text")
    read -ra arguments <<< "$arguments_text"
    if [ "$check" = uninit ]; then
        how=valgrind
    fi
    case $input in *"malloc fails"*) export FAIL_AT=1 ;; esac
    run $how "$stdin_text" ${arguments[@]+"${arguments[@]}"}
    unset FAIL_AT
    report=$(grep -Eom1 "$(sign "$check")" "$tmp/errors") && return 0
    report="no sign of it; $(head -c 300 "$tmp/errors")"
    return 1
}

failed=0
if [ $# -eq 0 ]; then
    set -- *.c
fi
for file in "$@"; do
    name=${file%.c}
    expect=$(sed -n 's,^// expect: ,,p' "$file")
    # shellcheck disable=SC2086
    if ! "$CC" $FLAGS $SANITIZE $WRAP "$file" "$tmp/support.c" -o "$tmp/program" 2> "$tmp/errors" ||
        ! "$CC" $FLAGS $WRAP "$file" "$tmp/support.c" -o "$tmp/plain" 2> "$tmp/errors"; then
        echo "$file: FAILED: does not compile: $(head -n 3 "$tmp/errors")"
        failed=1
        continue
    fi
    case $expect in
    safe)
        if safe "$name"; then
            echo "$file: safe: $runs runs without a report"
        else
            echo "$file: FAILED: $report"
            failed=1
        fi
        ;;
    "unsafe uninit")
        if [ -z "$valgrind" ]; then
            echo "$file: skipped: there is no valgrind"
        elif unsafe "$name" uninit; then
            echo "$file: unsafe uninit: $report"
        else
            echo "$file: FAILED: $report"
            failed=1
        fi
        ;;
    unsafe\ *)
        if unsafe "$name" "${expect#unsafe }"; then
            echo "$file: $expect: $report"
        else
            echo "$file: FAILED: $report"
            failed=1
        fi
        ;;
    *)
        echo "$file: FAILED: it does not say what to expect"
        failed=1
        ;;
    esac
done
exit $failed
