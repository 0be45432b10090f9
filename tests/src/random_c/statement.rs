//! Statements.

use super::expr::{INT, Place};
use super::function::{Callee, Fun, Param};

/// Writes statements until the budget of the function is used up, or that many.
pub(super) fn block(fun: &mut Fun<'_>, depth: usize, most: usize) {
    let mut written = 0;
    while fun.budget > 0 && written < most {
        fun.budget -= 1;
        written += 1;
        statement(fun, depth);
    }
    if written == 0 {
        fun.line(";");
    }
}

fn statement(fun: &mut Fun<'_>, depth: usize) {
    match fun.dice().below(if depth == 0 { 13 } else { 22 }) {
        0..=2 => assign(fun),
        3 => update(fun),
        4 | 5 => call(fun),
        6 => input(fun),
        7 => retarget(fun),
        8 => element(fun),
        9 => copy(fun),
        10..=12 => fun.probe(),
        13..=15 => branch(fun, depth),
        16 => counted(fun, depth),
        17 => guarded(fun, depth),
        18 => switch(fun, depth),
        19 => forward(fun, depth),
        20 => backward(fun, depth),
        _ => leave(fun),
    }
}

/// A place that may be written.
fn target(fun: &mut Fun<'_>, wanted: impl Fn(&Place) -> bool) -> Option<Place> {
    let places: Vec<Place> = fun.names.places.iter().filter(|p| p.writable && wanted(p)).cloned().collect();
    (!places.is_empty()).then(|| fun.dice().of(&places).clone())
}

fn assign(fun: &mut Fun<'_>) {
    let Some(place) = target(fun, |_| true) else { return };
    let value = fun.words().expr(2);
    fun.line(&format!("{} = {value};", place.text));
}

fn update(fun: &mut Fun<'_>) {
    let Some(place) = target(fun, |_| true) else { return };
    let text = match fun.dice().below(6) {
        0 | 1 => format!("{}++;", parenthesised(&place.text)),
        2 => format!("{}--;", parenthesised(&place.text)),
        3 => {
            // Two different variables: the value goes to one, the change to the other.
            let other = target(fun, |p| p.addressable && p.text != place.text);
            match other.filter(|_| place.addressable) {
                Some(other) => format!("{} = {}++;", place.text, other.text),
                None => format!("--{};", place.text),
            }
        }
        4 if fun.world.bits => format!("{} ^= {};", place.text, fun.words().expr(1)),
        _ => format!("{} += {};", place.text, fun.words().expr(1)),
    };
    fun.line(&text);
}

fn parenthesised(text: &str) -> String {
    if text.starts_with('*') { format!("({text})") } else { text.into() }
}

fn input(fun: &mut Fun<'_>) {
    let Some(place) = target(fun, |p| p.fixed) else { return };
    fun.line(&format!("{} = __VERIFIER_nondet_{}();", place.text, place.ty.suffix));
    limit(fun, &place);
}

/// Limits an input, mostly.
pub(super) fn limit(fun: &mut Fun<'_>, place: &Place) {
    let text = &place.text;
    match fun.dice().below(10) {
        0..=2 => {}
        3 => {
            let bound = fun.words().constant();
            fun.line(&format!("__VERIFIER_assume({text} != {bound});"));
        }
        4 => {
            let condition = fun.words().condition(0);
            fun.line(&format!("__VERIFIER_assume({condition});"));
        }
        _ => {
            let low = if place.ty.low < 0 { fun.dice().within(-20, 0) } else { 0 };
            let high = fun.dice().within(3, 30);
            let condition = if low == 0 && place.ty.low == 0 {
                format!("{text} <= {high}")
            } else {
                format!("{text} >= {low} && {text} <= {high}")
            };
            fun.line(&format!("__VERIFIER_assume({condition});"));
        }
    }
}

/// A pointer gets another target.
fn retarget(fun: &mut Fun<'_>) {
    if !fun.names.handlers.is_empty() && fun.dice().one_in(3) {
        let (handlers, functions) = (fun.names.handlers.clone(), fun.world.unary.clone());
        let (handler, first, second) = (
            fun.dice().of(&handlers).clone(),
            fun.dice().of(&functions).clone(),
            fun.dice().of(&functions).clone(),
        );
        let condition = fun.words().condition(0);
        return fun.line(&format!("{handler} = {condition} ? {first} : &{second};"));
    }
    if !fun.names.struct_pointers.is_empty() && fun.dice().one_in(2) {
        let pointers = fun.names.struct_pointers.clone();
        let pointer = fun.dice().of(&pointers).clone();
        let (first, second) = (struct_address(fun), struct_address(fun));
        let condition = fun.words().condition(0);
        return fun.line(&format!("{pointer} = {condition} ? {first} : {second};"));
    }
    if fun.names.pointers.is_empty() {
        return assign(fun);
    }
    let pointers = fun.names.pointers.clone();
    let (pointer, ty, to_locals) = fun.dice().of(&pointers).clone();
    let pick = |fun: &mut Fun<'_>| {
        if to_locals { address(fun, Param::Pointer(ty)) } else { global_address(fun, Param::Pointer(ty)) }
    };
    let (Some(first), Some(second)) = (pick(fun), pick(fun)) else { return };
    let condition = fun.words().condition(1);
    fun.line(&format!("{pointer} = {condition} ? {first} : {second};"));
}

fn struct_address(fun: &mut Fun<'_>) -> String {
    let mut all: Vec<String> = fun.names.structs.iter().map(|s| format!("&{s}")).collect();
    all.extend(fun.names.struct_pointers.iter().cloned());
    fun.dice().of(&all).clone()
}

/// Something that a parameter of pointer type may get.
fn address(fun: &mut Fun<'_>, param: Param) -> Option<String> {
    let names = &fun.names;
    let mut all: Vec<String> = vec![];
    match param {
        Param::Value(_) => return None,
        Param::Struct => return (!names.structs.is_empty()).then(|| struct_address(fun)),
        Param::Pointer(ty) => {
            let places = names.places.iter().filter(|p| p.addressable && p.ty == ty);
            all.extend(places.map(|p| format!("&{}", p.text)));
            all.extend(names.pointers.iter().filter(|p| p.1 == ty).map(|p| p.0.clone()));
            let arrays = names.arrays.iter().filter(|a| a.ty == ty);
            let arrays: Vec<(String, usize)> = arrays.map(|a| (a.name.clone(), a.len)).collect();
            for (name, len) in arrays {
                let index = fun.words().index(len);
                all.push(format!("&{name}[{index}]"));
            }
        }
    }
    (!all.is_empty()).then(|| fun.dice().of(&all).clone())
}

/// The same, of what lives as long as the program.
fn global_address(fun: &mut Fun<'_>, param: Param) -> Option<String> {
    let Param::Pointer(ty) = param else { return None };
    let places = fun.world.globals.places.iter().filter(|p| p.addressable && p.ty == ty);
    let all: Vec<String> = places.map(|p| format!("&{}", p.text)).collect();
    (!all.is_empty()).then(|| fun.dice().of(&all).clone())
}

/// An element of an array is written or read.
fn element(fun: &mut Fun<'_>) {
    if fun.names.arrays.is_empty() {
        return assign(fun);
    }
    let arrays = fun.names.arrays.clone();
    let array = fun.dice().of(&arrays).clone();
    let index = fun.words().index(array.len);
    if fun.dice().one_in(2) {
        let value = fun.words().expr(1);
        return fun.line(&format!("{}[{index}] = {value};", array.name));
    }
    let Some(place) = target(fun, |_| true) else { return };
    fun.line(&format!("{} = {}[{index}];", place.text, array.name));
}

/// A whole struct is copied.
fn copy(fun: &mut Fun<'_>) {
    if fun.names.structs.is_empty() {
        return assign(fun);
    }
    let structs = fun.names.structs.clone();
    let to = fun.dice().of(&structs).clone();
    let from = struct_address(fun);
    fun.line(&format!("{to} = *{from};"));
}

fn call(fun: &mut Fun<'_>) {
    if !fun.names.handlers.is_empty() && fun.dice().one_in(4) {
        let handlers = fun.names.handlers.clone();
        let handler = fun.dice().of(&handlers).clone();
        let argument = fun.words().expr(1);
        return receive(fun, &format!("{handler}({argument})"));
    }
    if let Some((own, left)) = fun.own.clone()
        && left > 0
        && fun.loops == 0
    {
        fun.own = Some((own.clone(), left - 1));
        let text = arguments(fun, &own, Some("n - 1"));
        return if let Some(text) = text {
            receive(fun, &text)
        };
    }
    if fun.world.callees.is_empty() {
        return assign(fun);
    }
    let callees = fun.world.callees.clone();
    let callee = fun.dice().of(&callees).clone();
    if callee.recursive && fun.loops > 0 {
        return assign(fun);
    }
    if let Some(text) = arguments(fun, &callee, None) {
        receive(fun, &text);
    }
}

/// The call; `None` if there is nothing to point to.
fn arguments(fun: &mut Fun<'_>, callee: &Callee, depth: Option<&str>) -> Option<String> {
    let mut given = vec![];
    for (i, param) in callee.params.iter().enumerate() {
        let text = match param {
            Param::Value(_) if callee.recursive && i == 0 => match depth {
                Some(depth) => depth.to_owned(),
                None if fun.dice().one_in(2) => fun.dice().below(4).to_string(),
                None => fun.words().index(4),
            },
            Param::Value(_) => fun.words().expr(1),
            pointer => address(fun, *pointer)?,
        };
        given.push(text);
    }
    Some(format!("{}({})", callee.name, given.join(", ")))
}

/// What a call returns goes somewhere, or decides a branch.
fn receive(fun: &mut Fun<'_>, call: &str) {
    match fun.dice().below(5) {
        0 => fun.line(&format!("{call};")),
        1 => {
            let constant = fun.words().constant();
            let condition = fun.words().condition(0);
            fun.line(&format!("if ({condition} && {call} > {constant}) {{"));
            fun.indent += 1;
            fun.probe();
            fun.indent -= 1;
            fun.line("}");
        }
        _ => {
            let Some(place) = target(fun, |p| p.fixed) else { return };
            if fun.dice().one_in(4) {
                let value = fun.words().expr(1);
                return fun.line(&format!("{} = ({call}, {value});", place.text));
            }
            fun.line(&format!("{} = {call};", place.text));
        }
    }
}

fn nested(fun: &mut Fun<'_>, depth: usize) {
    fun.indent += 1;
    let most = 1 + fun.dice().below(3);
    block(fun, depth - 1, most);
    fun.indent -= 1;
}

fn branch(fun: &mut Fun<'_>, depth: usize) {
    let condition = fun.words().condition(1);
    fun.line(&format!("if ({condition}) {{"));
    nested(fun, depth);
    if fun.dice().one_in(2) {
        fun.line("} else {");
        nested(fun, depth);
    }
    fun.line("}");
}

/// A local that only the loop counts.
fn counter(fun: &mut Fun<'_>) -> String {
    let name = fun.fresh("i");
    fun.declare(&format!("int {name} = 0;"));
    let text = name.clone();
    fun.names.places.push(Place { text, ty: INT, writable: false, fixed: true, addressable: false });
    name
}

fn counted(fun: &mut Fun<'_>, depth: usize) {
    if fun.loops >= 2 {
        return assign(fun);
    }
    let i = counter(fun);
    let bound = match fun.dice().below(6) {
        0 => 20,
        _ => 1 + fun.dice().below(6),
    };
    let condition = match fun.dice().below(3) {
        0 => format!("{i} < {bound} && {}", fun.words().condition(0)),
        _ => format!("{i} < {bound}"),
    };
    fun.line(&format!("for ({i} = 0; {condition}; {i}++) {{"));
    fun.loops += 1;
    fun.breakable += 1;
    nested(fun, depth);
    fun.breakable -= 1;
    fun.loops -= 1;
    fun.line("}");
}

fn guarded(fun: &mut Fun<'_>, depth: usize) {
    if fun.loops >= 2 {
        return assign(fun);
    }
    let i = counter(fun);
    let bound = 1 + fun.dice().below(6);
    let condition = fun.words().condition(0);
    let is_do = fun.dice().one_in(3);
    fun.line(&format!("{i} = 0;"));
    fun.line(&if is_do { "do {".to_owned() } else { format!("while ({i} < {bound} && ({condition})) {{") });
    fun.loops += 1;
    fun.breakable += 1;
    nested(fun, depth);
    fun.breakable -= 1;
    fun.loops -= 1;
    fun.indent += 1;
    fun.line(&format!("{i}++;"));
    fun.indent -= 1;
    fun.line(&if is_do { format!("}} while ({i} < {bound} && ({condition}));") } else { "}".to_owned() });
}

fn switch(fun: &mut Fun<'_>, depth: usize) {
    let subject = fun.words().expr(1);
    let modulus = 2 + fun.dice().below(4);
    fun.line(&format!("switch ({subject} % {modulus}) {{"));
    let cases = 1 + fun.dice().below(3);
    for case in 0..cases {
        fun.line(&format!("case {}:", case as i64 - i64::from(cases == 3)));
        nested(fun, depth);
        if !fun.dice().one_in(3) {
            fun.line("    break;");
        }
    }
    if fun.dice().one_in(2) {
        fun.line("default:");
        nested(fun, depth);
    }
    fun.line("}");
}

fn forward(fun: &mut Fun<'_>, depth: usize) {
    let label = fun.label("out");
    let condition = fun.words().condition(0);
    fun.line(&format!("if ({condition}) goto {label};"));
    nested(fun, depth);
    fun.line(&format!("{label}:;"));
}

fn backward(fun: &mut Fun<'_>, depth: usize) {
    if fun.loops >= 2 {
        return assign(fun);
    }
    let (label, i) = (fun.label("again"), counter(fun));
    let bound = 1 + fun.dice().below(4);
    fun.line(&format!("{i} = 0;"));
    fun.line(&format!("{label}:;"));
    fun.loops += 1;
    nested(fun, depth);
    fun.loops -= 1;
    let condition = fun.words().condition(0);
    fun.line(&format!("if ({condition} && {i} < {bound}) {{ {i}++; goto {label}; }}"));
}

/// The loop, the function or the execution ends early.
fn leave(fun: &mut Fun<'_>) {
    let condition = fun.words().condition(1);
    let how = match fun.dice().below(4) {
        0 | 1 if fun.breakable > 0 => "break".into(),
        2 => format!("__VERIFIER_assume(!({condition}))"),
        _ => format!("return {}", fun.words().expr(1)),
    };
    fun.line(&format!("if ({condition}) {how};"));
}
