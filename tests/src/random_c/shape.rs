//! The whole program: declarations, functions from the callees to `main`.

use super::expr::{INT, INTS, Int, Place, any_type};
use super::function::{Array, Callee, Fun, Names, Param, World};
use super::statement::{block, limit};
use super::{Probe, Sketch};
use std::fmt::Write as _;
use testing::Dice;

/// Draws a program.
pub(super) fn draw(seed: u64) -> Sketch {
    let mut dice = Dice::new(seed);
    let wraps = dice.one_in(4);
    let bits = dice.one_in(3);
    let mut world = World {
        dice,
        bits,
        members: vec![],
        callees: vec![],
        unary: vec![],
        globals: Names::default(),
        probes: vec![],
        labels: 0,
    };
    let mut text = externs();
    text.push_str(&structure(&mut world));
    text.push_str(&globals(&mut world));
    let functions = 1 + world.dice.below(4);
    for k in 0..functions {
        text.push_str(&function(&mut world, k));
    }
    text.push_str(&main(&mut world));
    let probes: Vec<Probe> = world.probes;
    Sketch { seed, wraps, text, probes }
}

fn externs() -> String {
    let mut text = String::from("extern void __VERIFIER_assume(int);\n");
    for ty in INTS {
        // `char` comes with both of its spellings.
        if ty.name != "signed char" {
            let _ = writeln!(text, "extern {} __VERIFIER_nondet_{}(void);", ty.name, ty.suffix);
        }
    }
    text
}

fn structure(world: &mut World) -> String {
    let mut text = String::from("struct S {");
    for k in 0..2 + world.dice.below(2) {
        let name = format!("m{k}");
        let bit_field = k > 0 && world.dice.one_in(5);
        if bit_field {
            let signed = world.dice.one_in(2);
            let ty = if signed { INT } else { INTS[1] };
            let _ = write!(text, " {} {name} : {};", ty.name, 2 + world.dice.below(6));
            // Narrow bit-fields are promoted to `int`, whatever their signedness.
            world.members.push((name, Int { small: true, ..ty }, true));
        } else {
            let ty = any_type(&mut world.dice);
            let _ = write!(text, " {} {name};", ty.name);
            world.members.push((name, ty, false));
        }
    }
    text + " int v[3]; };\n"
}

fn globals(world: &mut World) -> String {
    let mut text = String::new();
    for k in 0..1 + world.dice.below(3) {
        let ty = if k == 0 { INT } else { any_type(&mut world.dice) };
        let value = if world.dice.one_in(2) { String::new() } else { format!(" = {}", world.dice.below(8)) };
        let _ = writeln!(text, "{} g{k}{value};", ty.name);
        world.globals.add_variable(&format!("g{k}"), ty);
    }
    if world.dice.one_in(3) {
        let ty = any_type(&mut world.dice);
        let len = 2 + world.dice.below(3);
        let _ = writeln!(text, "{} ga[{len}] = {{ 3 }};", ty.name);
        world.globals.arrays.push(Array { name: "ga".into(), ty, len });
    }
    if world.dice.one_in(3) {
        text.push_str("struct S gs;\n");
        let members = world.members.clone();
        world.globals.add_members("gs.", &members, true);
        world.globals.structs.push("gs".into());
    }
    if world.dice.one_in(3) {
        text.push_str("int *gp = &g0;\n");
        world.globals.add_pointer("gp", INT, false);
    }
    text
}

fn function(world: &mut World, k: usize) -> String {
    let name = format!("f{k}");
    let recursive = world.dice.one_in(4);
    let is_unary = !recursive && world.dice.one_in(3);
    let ret = if is_unary { INT } else { any_type(&mut world.dice) };
    let mut params = vec![Param::Value(INT)];
    if !is_unary {
        for _ in 0..world.dice.below(3) {
            let ty = any_type(&mut world.dice);
            let param =
                *world.dice.of(&[Param::Value(ty), Param::Pointer(INT), Param::Pointer(ty), Param::Struct]);
            params.push(param);
        }
    }
    let callee = Callee { name: name.clone(), params: params.clone(), recursive };
    let budget = 2 + world.dice.below(6);
    let mut fun = Fun::new(world, budget);
    let formals: Vec<String> =
        params.iter().enumerate().map(|(i, param)| formal(&mut fun, *param, i, recursive)).collect();
    fun.some_locals();
    if recursive {
        let value = fun.words().expr(1);
        fun.line(&format!("if (n <= 0) return {value};"));
        fun.own = Some((callee.clone(), 1 + fun.dice().below(2)));
    }
    block(&mut fun, 2, 8);
    let result = fun.words().expr(1);
    fun.line(&format!("return {result};"));
    let text = format!("{} {name}({}) {{\n{}{}}}\n", ret.name, formals.join(", "), fun.declared, fun.body);
    if is_unary {
        world.unary.push(name);
    }
    world.callees.push(callee);
    text
}

/// A formal parameter as C writes it; the function gets to know it.
fn formal(fun: &mut Fun<'_>, param: Param, i: usize, recursive: bool) -> String {
    match param {
        Param::Value(ty) if i == 0 && recursive => {
            let text = "n".to_owned();
            fun.names.places.push(Place { text, ty, writable: false, fixed: true, addressable: false });
            format!("{} n", ty.name)
        }
        Param::Value(ty) => {
            fun.names.add_variable(&format!("n{i}"), ty);
            format!("{} n{i}", ty.name)
        }
        Param::Pointer(ty) => {
            fun.names.add_pointer(&format!("r{i}"), ty, true);
            format!("{} *r{i}", ty.name)
        }
        Param::Struct => {
            let name = format!("r{i}");
            let members = fun.world.members.clone();
            fun.names.add_members(&format!("{name}->"), &members, false);
            fun.names.struct_pointers.push(name.clone());
            format!("struct S *{name}")
        }
    }
}

fn main(world: &mut World) -> String {
    let budget = 6 + world.dice.below(14);
    let mut fun = Fun::new(world, budget);
    for _ in 0..1 + fun.dice().below(3) {
        let ty = any_type(fun.dice());
        let name = fun.variable(ty, "0");
        fun.line(&format!("{name} = __VERIFIER_nondet_{}();", ty.suffix));
        let place = Place { text: name, ty, writable: true, fixed: true, addressable: true };
        limit(&mut fun, &place);
    }
    fun.some_locals();
    block(&mut fun, 2, 20);
    fun.probe();
    fun.line("return 0;");
    format!("int main(void) {{\n{}{}}}\n", fun.declared, fun.body)
}
