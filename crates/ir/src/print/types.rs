//! Types and declarations as C writes them. Integer widths without a name in C are `_BitInt(n)`, the type of
//! mathematical integers is `mathint`.

use crate::program::Program;
use crate::types::{DataModel, FloatType, IntType, Type};
use std::fmt::Write;

/// The type as C writes it in a cast.
pub fn ty(program: &Program, ty: &Type) -> String {
    declaration(program, ty, "")
}

/// The declaration of `name` with this type, without the semicolon: `int (*f)(char)`.
pub fn declaration(program: &Program, ty: &Type, name: &str) -> String {
    let mut declarator = name.to_owned();
    let mut ty = ty;
    let mut inner_is_pointer = false;
    loop {
        match ty {
            Type::Ptr(to) => {
                declarator.insert(0, '*');
                inner_is_pointer = true;
                ty = to;
                continue;
            }
            Type::Array(elem, len) => {
                parenthesize(&mut declarator, inner_is_pointer);
                match len {
                    Some(n) => _ = write!(declarator, "[{n}]"),
                    None => declarator.push_str("[]"),
                }
                ty = elem;
            }
            Type::Func(f) => {
                parenthesize(&mut declarator, inner_is_pointer);
                let mut params: Vec<String> = f.params.iter().map(|p| declaration(program, p, "")).collect();
                if f.variadic {
                    params.push("...".into());
                } else if params.is_empty() {
                    params.push("void".into());
                }
                _ = write!(declarator, "({})", params.join(", "));
                ty = &f.ret;
            }
            _ => break,
        }
        inner_is_pointer = false;
    }
    let specifier = specifier(program, ty);
    if declarator.is_empty() { specifier } else { format!("{specifier} {declarator}") }
}

fn parenthesize(declarator: &mut String, needed: bool) {
    if needed {
        declarator.insert(0, '(');
        declarator.push(')');
    }
}

fn specifier(program: &Program, ty: &Type) -> String {
    match ty {
        Type::Void => "void".into(),
        Type::Math => "mathint".into(),
        Type::Int(i) => integer_name(*i, program.model),
        Type::Float(f) => float_name(*f),
        Type::Record(r) => {
            let record = &program.records[*r];
            format!("{} {}", if record.is_union { "union" } else { "struct" }, record.name)
        }
        Type::Ptr(_) | Type::Array(..) | Type::Func(_) => unreachable!("declarators were peeled off"),
    }
}

/// The name of an integer type: `unsigned char`, `long` or `long long` by the data model, `_BitInt(5)`.
pub fn integer_name(ty: IntType, model: DataModel) -> String {
    let name = match (ty.bits, model) {
        (1, _) if !ty.signed => return "_Bool".into(),
        (8, _) => "char",
        (16, _) => "short",
        (32, _) => "int",
        (64, DataModel::Lp64) => "long",
        (64, DataModel::Ilp32) => "long long",
        (128, _) => "__int128",
        (bits, _) => return exact_width(IntType { bits, ..ty }),
    };
    if ty.signed { name.into() } else { format!("unsigned {name}") }
}

/// The name with the width: a conversion to it always truncates, also to one bit.
pub(crate) fn exact_width(ty: IntType) -> String {
    format!("{}_BitInt({})", if ty.signed { "" } else { "unsigned " }, ty.bits)
}

/// The name of a floating-point type.
pub fn float_name(ty: FloatType) -> String {
    match ty.bits {
        32 => "float".into(),
        64 => "double".into(),
        80 => "long double".into(),
        bits => format!("_Float{bits}"),
    }
}
