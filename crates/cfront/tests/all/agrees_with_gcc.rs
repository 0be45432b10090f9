//! The type rules and the meaning of lowered programs against the machine's C compiler, which is there wherever
//! the front end runs (it preprocesses with it). Constants are checked in both data models, by static
//! assertions that the compiler must accept; programs are run natively and by the interpreter of C--.

use cfront::Options;
use interp::{Limits, Outcome, Value, ZeroInputs};
use ir::{DataModel, Expr, Op};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use testing::Scratch;

const TYPES: &str = r#"
struct a { char c; int i; short s; };
struct b { char c; long l; char d; double f; char e; };
struct c { unsigned x : 3; int y : 5; unsigned z : 25; char t; };
struct d { char c; int x : 4; int : 0; int y : 4; short z : 9; };
struct e { char c; long long x : 40; int y : 30; };
struct f { char c; int i; } __attribute__((packed));
struct g { char c __attribute__((aligned(8))); int i; };
struct h { struct a in[2]; union { char c[7]; int i; } u; };
struct i { int n; char flexible[]; };
struct j { long double l; char c; };
struct __attribute__((packed)) k { char c; short s; long long l; int x : 3; int y : 30; };
struct l { _Bool b : 1; char c : 7; unsigned short s : 9; int i : 32; };
struct m { char c; struct { int x; char y; }; union { short p; char q[3]; }; };
#pragma pack(push, 2)
struct n { char c; int i; long long l; int b : 20; };
#pragma pack(pop)
struct o { char c; struct { int z : 3; } __attribute__((packed)) p; int i; };
struct p { char c; enum { X, Y } e; void (*f)(void); char d; };
struct q { int x : 7, y : 26, z : 31; long long w : 33; } __attribute__((aligned(32)));
struct r { char a; __int128_or_char b; };
union u { char c[9]; int i; double d; };
union v { int x : 3; char c; };
enum e1 { A, B = 7, C };
enum e2 { D = -1, E = 2147483647 };
enum e3 { F = 4294967295u };
typedef int mode_byte __attribute__((mode(QI)));
typedef unsigned mode_long __attribute__((__mode__(__DI__)));
typedef int matrix[3][5];
extern int function(int);
extern char string[7];
"#;

const CONSTANTS: &str = r#"
sizeof(struct a) sizeof(struct b) sizeof(struct c) sizeof(struct d) sizeof(struct e) sizeof(struct f)
sizeof(struct g) sizeof(struct h) sizeof(struct i) sizeof(struct j) sizeof(struct k) sizeof(struct l)
sizeof(struct m) sizeof(struct n) sizeof(struct o) sizeof(struct p) sizeof(struct q) sizeof(struct r)
sizeof(union u) sizeof(union v) sizeof(enum e1) sizeof(enum e2) sizeof(matrix) sizeof(long) sizeof(void*)
sizeof(long double) sizeof(_Bool) sizeof(wchar_type) sizeof("abc") sizeof('a') sizeof(L"ab") sizeof(1+1L)
sizeof(string) sizeof(string+0) sizeof(function) sizeof(function(1)) sizeof(*(matrix*)0) sizeof((char)1)
sizeof(1?(char)1:(short)1) sizeof(+(char)1) sizeof(((struct b*)0)->f) sizeof((char[]){1,2,3}) sizeof((int[]){[8]=1})
_Alignof(struct a) _Alignof(struct b) _Alignof(struct e) _Alignof(struct f) _Alignof(struct g) _Alignof(struct j)
_Alignof(struct n) _Alignof(struct q) _Alignof(union_u) _Alignof(double) _Alignof(long_long) __alignof__(double)
__alignof__(long_long) __alignof__(string)
__builtin_offsetof(struct_a,s) __builtin_offsetof(struct_b,l) __builtin_offsetof(struct_b,e)
__builtin_offsetof(struct_c,t) __builtin_offsetof(struct_g,i) __builtin_offsetof(struct_h,in[1].s)
__builtin_offsetof(struct_h,u.i) __builtin_offsetof(struct_i,flexible) __builtin_offsetof(struct_j,c)
__builtin_offsetof(struct_m,y) __builtin_offsetof(struct_m,q[2]) __builtin_offsetof(struct_n,l)
__builtin_offsetof(struct_o,i) __builtin_offsetof(struct_p,d) __builtin_offsetof(struct_r,b)
(long)&((struct_b*)0)->d (char*)&((struct_h*)16)->u-(char*)16
-1<1u -1<1L (unsigned_char)300 (signed_char)200 (char)200 (_Bool)256 (_Bool)0.5 (short)65537 -7/2 -7%3 7>>1 -7>>1
1u-2 (1u-2)>0 1-2L>0u (unsigned_short)-1+1 0xffffffff>0 0xffffffff==-1 2147483648>0 sizeof(2147483648)
sizeof(0x80000000) sizeof(0xffffffffff) sizeof(1ul) sizeof(1ull) 'ab' '\377' '\x41' L'\377' ~0u==-1 !5 !0 ~7
A B C D E F sizeof(A) sizeof(F) (enum_e1)-1>0 (enum_e2)-1<0 A-1<0 sizeof(mode_byte) sizeof(mode_long)
(1?-1:1u)>0 (0?1:2)+(1&&0||3) _Generic(1L,int:1,long:2,default:3) _Generic('a',char:1,int:2)
_Generic((char)1,signed_char:1,char:2) _Generic("a",char*:1,default:2) _Generic(1.0f,double:1,float:2)
_Generic((struct_a*)0,struct_a*:4,default:5) __builtin_types_compatible_p(int,signed_int)
__builtin_types_compatible_p(char,signed_char) __builtin_types_compatible_p(int[],int[4])
__builtin_choose_expr(1,2,3) __builtin_popcount(255) __builtin_ctz(8) __builtin_clz(1) __builtin_ffsll(0x100000000ll)
__builtin_bswap32(0x01020304) __builtin_bswap64(1) (int)3.9 (int)-3.9f 1.5+1>2 0x1p3==8 (char)0x1ff
0xffffffffffffffff*0xffffffffffffffff 1<<3 1u<<31 (1ll<<40)>>38 3&5|8^2 10%4*3-1 (unsigned_long)-1 (unsigned_long)-1==-1 (long)(int)0x80000000u
sizeof(struct{int_x;char_y;}) sizeof(typeof(1+1ll)) (int)sizeof(int)-5<0 -1%2u 1.0/3>0.333f
"#;

/// Underscores between letters stand for blanks inside one constant of the list above where C needs a blank.
fn spaced(word: &str) -> String {
    let mut out = word.to_owned();
    for (from, to) in [
        ("unsigned_", "unsigned "),
        ("signed_int", "signed int"),
        ("signed_char", "signed char"),
        ("long_long", "long long"),
        ("struct_", "struct "),
        ("enum_", "enum "),
        ("union_", "union "),
        ("int_x", "int x"),
        ("char_y", "char y"),
        ("wchar_type", "__typeof__(L'a')"),
    ] {
        out = out.replace(from, to);
    }
    out
}

/// The words of the list, those with a blank inside parentheses joined again.
fn constants() -> Vec<String> {
    let mut out: Vec<String> = vec![];
    let mut open = 0usize;
    for word in CONSTANTS.split_whitespace() {
        if open > 0 {
            let last = out.last_mut().expect("a word opened the parenthesis");
            last.push(' ');
            last.push_str(word);
        } else {
            out.push(word.to_owned());
        }
        open = open + word.matches(['(', '{']).count() - word.matches([')', '}']).count();
    }
    out.iter().map(|w| spaced(w)).collect()
}

fn types(model: DataModel) -> String {
    TYPES.replace("__int128_or_char", if model == DataModel::Lp64 { "__int128" } else { "char" })
}

/// The values that the front end gives to the constants.
fn our_values(model: DataModel, constants: &[String]) -> Vec<i128> {
    let mut text = format!("{}void reach_error(void);\n", types(model));
    for (n, c) in constants.iter().enumerate() {
        text.push_str(&format!("long long c{n} = (long long)({c});\n"));
    }
    text.push_str("int main(void) { ");
    for n in 0..constants.len() {
        text.push_str(&format!("if (c{n} == 1) reach_error();\n"));
    }
    text.push('}');
    let options = Options { data_model: model, ..Options::default() };
    let program = crate::common::load_with(&text, &options).program;
    let mut values = vec![None; constants.len()];
    for edge in &program.procs[program.entry].edges {
        if let Op::Assign(lv, Expr::Const(v, _)) = &edge.op
            && let Some(var) = lv.as_var()
            && let Ok(n) = program.vars[var].name[1..].parse::<usize>()
        {
            values[n] = Some(*v);
        }
    }
    values
        .iter()
        .enumerate()
        .map(|(n, v)| v.unwrap_or_else(|| panic!("{} is no constant", constants[n])))
        .collect()
}

/// Whether the compiler accepts the file; its messages when it does not.
fn compiles(flag: &str, text: &str) -> Result<(), String> {
    let scratch = Scratch::new();
    let file = scratch.file("t.c", text);
    let output = Command::new("cc").args([flag, "-std=gnu11", "-w", "-fsyntax-only"]).arg(&file).output();
    let output = output.expect("cc can be run");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

fn check_constants(model: DataModel, flag: &str) {
    if compiles(flag, "int x;").is_err() {
        return testing::skipped(&format!("a compiler that takes {flag}"));
    }
    let constants = constants();
    let values = our_values(model, &constants);
    let mut text = types(model);
    for (c, v) in constants.iter().zip(&values) {
        let shown = if *v == i128::from(i64::MIN) {
            "(-9223372036854775807ll - 1)".to_owned()
        } else {
            format!("{v}ll")
        };
        text.push_str(&format!("_Static_assert((long long)({c}) == {shown}, \"not {v}\");\n"));
    }
    if let Err(messages) = compiles(flag, &text) {
        let wrong: Vec<&str> =
            messages.lines().filter(|l| l.contains("error") || l.contains(" | ")).collect();
        panic!("{}", wrong.join("\n"));
    }
}

#[test]
fn constants_lp64() {
    check_constants(DataModel::Lp64, "-m64");
}

#[test]
fn constants_ilp32() {
    check_constants(DataModel::Ilp32, "-m32");
}

/// The result of `unsigned all(void)` of the program, by the interpreter.
fn interpreted(text: &str, entry: &str) -> u32 {
    let text = format!("{text}\nvoid reach_error(void); static void dead(void) {{ reach_error(); }}\n");
    let options = Options { entry: entry.into(), signed_wrap: true, ..Options::default() };
    let program = crate::common::load_with(&text, &options).program;
    let run = interp::run(
        &program,
        &mut ZeroInputs,
        &Limits { steps: 5_000_000, ..Limits::default() },
        &AtomicBool::new(false),
    );
    match run.outcome {
        Outcome::Finished(Some(Value::Int(v))) => v as u32,
        other => panic!("the interpreter ends with {other:?}"),
    }
}

/// The same by the compiled program.
fn native(text: &str, entry: &str) -> u32 {
    let scratch = Scratch::new();
    let main = format!(
        "{text}\nint printf(const char *, ...);\nint main(void) {{ printf(\"%u\\n\", (unsigned) {entry}()); return 0; }}\n"
    );
    let file = scratch.file("t.c", main);
    let program = scratch.path().join("t");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-O0", "-fwrapv", "-o"])
        .arg(&program)
        .arg(&file)
        .output()
        .expect("cc can be run");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().expect("the compiled program can be run");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("the program prints a number")
}

fn check_program(text: &str) {
    assert_eq!(interpreted(text, "all"), native(text, "all"), "{text}");
}

#[test]
fn hand_written_programs() {
    check_program(include_str!("../programs/statements.c"));
    check_program(include_str!("../programs/data.c"));
}
