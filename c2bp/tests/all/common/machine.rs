//! Executes C-- on integers and pointers, written apart from every engine of the project: memory is a map from
//! instances and offsets to values, so that activations and allocations are kept apart.

use ir::{Access, Base, BinOp, Callee, EdgeId, Expr, LocId, Lvalue, Op, ProcId, Program, Type, UnOp, VarId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// An instance of an object.
type Instance = usize;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    Int(i128),
    /// `None` is NULL.
    Ptr(Option<(Instance, i128)>),
}

/// C gives the operation no meaning, or this machine does not.
#[derive(Debug)]
pub(crate) struct Undefined;

type Memory = BTreeMap<(Instance, i128), Value>;

/// An activation.
#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) proc: ProcId,
    pub(crate) at: LocId,
    vars: Rc<BTreeMap<VarId, Instance>>,
    entry: Rc<Memory>,
}

/// A state of the program.
#[derive(Clone)]
pub(crate) struct Machine<'a> {
    program: &'a Program,
    memory: Memory,
    globals: Rc<BTreeMap<VarId, Instance>>,
    pub(crate) frames: Vec<Frame>,
    instances: Instance,
}

/// Gives the choices of a run.
pub(crate) trait Choose {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize;
}

impl<'a> Machine<'a> {
    pub(crate) fn new(program: &'a Program, choose: &mut dyn Choose) -> Machine<'a> {
        let mut m = Machine {
            program,
            memory: BTreeMap::new(),
            globals: Rc::new(BTreeMap::new()),
            frames: vec![],
            instances: 0,
        };
        m.globals = Rc::new(m.instantiate(&program.globals, choose));
        m.enter(program.entry, &[], choose);
        m
    }

    pub(crate) fn frame(&self) -> &Frame {
        self.frames.last().expect("the entry procedure does not return")
    }

    fn instantiate(&mut self, vars: &[VarId], choose: &mut dyn Choose) -> BTreeMap<VarId, Instance> {
        let program = self.program;
        vars.iter().map(|v| (*v, self.object(&program.vars[*v].ty, choose))).collect()
    }

    fn object(&mut self, ty: &Type, choose: &mut dyn Choose) -> Instance {
        self.instances += 1;
        self.fill(self.instances, 0, ty, choose);
        self.instances
    }

    /// Arbitrary contents; pointers are NULL.
    fn fill(&mut self, at: Instance, offset: i128, ty: &Type, choose: &mut dyn Choose) {
        match ty {
            Type::Int(_) => _ = self.memory.insert((at, offset), Value::Int(choose.below(4) as i128 - 1)),
            Type::Ptr(_) => _ = self.memory.insert((at, offset), Value::Ptr(None)),
            Type::Array(elem, Some(n)) => {
                let size = i128::from(self.program.size_of(elem).expect("elements have sizes"));
                (0..i128::from(*n)).for_each(|i| self.fill(at, offset + i * size, elem, choose));
            }
            Type::Record(r) => {
                for field in &self.program.records[*r].fields {
                    self.fill(at, offset + i128::from(field.offset), &field.ty, choose);
                }
            }
            other => panic!("no object has type {other:?}"),
        }
    }

    fn enter(&mut self, proc: ProcId, args: &[Value], choose: &mut dyn Choose) {
        let p = &self.program.procs[proc];
        let all: Vec<VarId> = p.formals.iter().chain(&p.locals).copied().collect();
        let vars = self.instantiate(&all, choose);
        for (formal, value) in p.formals.iter().zip(args) {
            self.memory.insert((vars[formal], 0), *value);
        }
        let entry = Rc::new(self.memory.clone());
        self.frames.push(Frame { proc, at: p.entry, vars: Rc::new(vars), entry });
    }

    /// The truth value of a condition in the innermost frame; arithmetic is mathematical.
    pub(crate) fn holds(&self, e: &Expr) -> Result<bool, Undefined> {
        Ok(truth(self.value(e, &self.memory, false)?))
    }

    fn value(&self, e: &Expr, memory: &Memory, strict: bool) -> Result<Value, Undefined> {
        let of = |e: &Expr| self.value(e, memory, strict);
        Ok(match e {
            Expr::Const(v, Type::Ptr(_)) => {
                assert_eq!(*v, 0, "NULL is the only constant pointer");
                Value::Ptr(None)
            }
            Expr::Const(v, _) => Value::Int(*v),
            Expr::Load(lv) => *memory.get(&self.address(lv, memory, strict)?).ok_or(Undefined)?,
            Expr::AddrOf(lv) => Value::Ptr(Some(self.address(lv, memory, strict)?)),
            Expr::Old(e) => self.value(e, &self.frame().entry, strict)?,
            Expr::Unary(UnOp::Not, e, _) => Value::Int(i128::from(!truth(of(e)?))),
            Expr::Unary(UnOp::Neg, e, _) => Value::Int(-int(of(e)?)?),
            Expr::Cast(e, Type::Int(t)) => Value::Int(t.wrap(int(of(e)?)?)),
            Expr::Cast(e, _) => of(e)?,
            Expr::Cond(c, a, b) => {
                if truth(of(c)?) {
                    of(a)?
                } else {
                    of(b)?
                }
            }
            Expr::Binary(BinOp::PtrAdd, p, i, ty) => {
                let (Value::Ptr(Some((at, offset))), i) = (of(p)?, int(of(i)?)?) else {
                    return Err(Undefined);
                };
                let elem = ty.pointee().expect("the type is a pointer's");
                let size = i128::from(self.program.size_of(elem).expect("elements have sizes"));
                Value::Ptr(Some((at, offset + i * size)))
            }
            Expr::Binary(op, l, r, ty) => {
                let (l, r) = (of(l)?, of(r)?);
                match op {
                    BinOp::Eq => Value::Int(i128::from(l == r)),
                    BinOp::Ne => Value::Int(i128::from(l != r)),
                    BinOp::And => Value::Int(i128::from(truth(l) && truth(r))),
                    BinOp::Or => Value::Int(i128::from(truth(l) || truth(r))),
                    _ => arithmetic(*op, int(l)?, int(r)?, ty, strict)?,
                }
            }
            other => panic!("{other:?} is not generated"),
        })
    }

    fn address(&self, lv: &Lvalue, memory: &Memory, strict: bool) -> Result<(Instance, i128), Undefined> {
        let (at, mut offset, mut ty) = match &lv.base {
            Base::Var(v) => {
                let vars = &self.frame().vars;
                let at = vars.get(v).or_else(|| self.globals.get(v)).expect("the variable is in scope");
                (*at, 0, self.program.vars[*v].ty.clone())
            }
            Base::Deref(p) => match self.value(p, memory, strict)? {
                Value::Ptr(Some((at, offset))) => {
                    (at, offset, p.ty().pointee().cloned().unwrap_or(Type::Void))
                }
                _ => return Err(Undefined),
            },
        };
        for access in &lv.path {
            match access {
                Access::Field(r, f) => {
                    let field = &self.program.records[*r].fields[*f as usize];
                    offset += i128::from(field.offset);
                    ty = field.ty.clone();
                }
                Access::Index(i) => {
                    let Type::Array(elem, len) = ty else { panic!("an index is applied to an array") };
                    let i = int(self.value(i, memory, strict)?)?;
                    if len.is_some_and(|n| i < 0 || i >= i128::from(n)) {
                        return Err(Undefined);
                    }
                    offset += i * i128::from(self.program.size_of(&elem).expect("elements have sizes"));
                    ty = (*elem).clone();
                }
            }
        }
        Ok((at, offset))
    }

    fn assign(&mut self, lv: &Lvalue, value: Value) -> Result<(), Undefined> {
        let at = self.address(lv, &self.memory, true)?;
        *self.memory.get_mut(&at).ok_or(Undefined)? = value;
        Ok(())
    }

    /// Whether the condition of a branch or check holds; undefined evaluations are errors.
    pub(crate) fn test(&self, e: &Expr) -> Result<bool, Undefined> {
        Ok(truth(self.value(e, &self.memory, true)?))
    }

    /// Takes an edge that is not a call of a procedure with body.
    pub(crate) fn execute(&mut self, e: EdgeId, choose: &mut dyn Choose) -> Result<(), Undefined> {
        let edge = &self.program.procs[self.frame().proc].edges[e];
        match &edge.op {
            Op::Skip | Op::Check(..) => {}
            Op::Assign(lv, value) => {
                let value = self.value(value, &self.memory, true)?;
                self.assign(lv, value)?;
            }
            Op::Havoc(lv, _) => {
                let value = match lv.ty {
                    Type::Int(_) => Value::Int(choose.below(4) as i128 - 1),
                    _ => Value::Ptr(None),
                };
                self.assign(lv, value)?;
            }
            Op::Assume(c) => {
                if !self.test(c)? {
                    return Err(Undefined);
                }
            }
            Op::Alloc { dest, size, zeroed, may_fail } => {
                let size = int(self.value(size, &self.memory, true)?)?;
                let elem = dest.ty.pointee().expect("a pointer is assigned").clone();
                let n = size / i128::from(self.program.size_of(&elem).expect("elements have sizes"));
                let at = self.object(&Type::Array(elem.into(), Some(n as u64)), choose);
                if *zeroed {
                    self.memory.range_mut((at, 0)..=(at, size)).for_each(|(_, v)| *v = zero(*v));
                }
                let null = *may_fail && choose.below(2) == 0;
                self.assign(dest, Value::Ptr((!null).then_some((at, 0))))?;
            }
            Op::MemSet { ptr, byte, len } => {
                let (Value::Ptr(Some((at, from))), Value::Int(0)) =
                    (self.value(ptr, &self.memory, true)?, self.value(byte, &self.memory, true)?)
                else {
                    return Err(Undefined);
                };
                let len = int(self.value(len, &self.memory, true)?)?;
                if len > 0 {
                    let area = (at, from)..(at, from + len);
                    self.memory.range_mut(area).for_each(|(_, v)| *v = zero(*v));
                }
            }
            other => panic!("{other:?} is not generated"),
        }
        let dst = edge.dst;
        self.frames.last_mut().expect("a frame is active").at = dst;
        Ok(())
    }

    /// Enters the callee of a call edge.
    pub(crate) fn call(&mut self, e: EdgeId, choose: &mut dyn Choose) -> Result<(), Undefined> {
        let edge = &self.program.procs[self.frame().proc].edges[e];
        let Op::Call { callee: Callee::Direct(q), args, .. } = &edge.op else { panic!("the edge is a call") };
        let args: Result<Vec<Value>, Undefined> =
            args.iter().map(|a| self.value(a, &self.memory, true)).collect();
        self.enter(*q, &args?, choose);
        Ok(())
    }

    /// Leaves the callee of a call edge, which has reached its exit. The callee's locals are gone.
    pub(crate) fn leave(&mut self, e: EdgeId) -> Result<(), Undefined> {
        let callee = self.frames.pop().expect("a callee is active");
        let ret = self.program.procs[callee.proc].ret;
        let result = ret.map(|v| self.memory[&(callee.vars[&v], 0)]);
        for at in callee.vars.values() {
            let cells: Vec<_> = self.memory.range((*at, 0)..(*at + 1, 0)).map(|(k, _)| *k).collect();
            cells.iter().for_each(|k| _ = self.memory.remove(k));
        }
        let edge = &self.program.procs[self.frame().proc].edges[e];
        if let (Op::Call { dest: Some(lv), .. }, Some(value)) = (&edge.op, result) {
            self.assign(lv, value)?;
        }
        let dst = edge.dst;
        self.frames.last_mut().expect("a caller is active").at = dst;
        Ok(())
    }
}

fn arithmetic(op: BinOp, l: i128, r: i128, ty: &Type, strict: bool) -> Result<Value, Undefined> {
    let exact = match op {
        BinOp::Add => l + r,
        BinOp::Sub => l - r,
        BinOp::Mul => l * r,
        BinOp::Lt => i128::from(l < r),
        BinOp::Le => i128::from(l <= r),
        BinOp::Gt => i128::from(l > r),
        BinOp::Ge => i128::from(l >= r),
        other => panic!("{other:?} is not generated"),
    };
    if strict && ty.as_int().is_some_and(|t| exact < t.min() || exact > t.max()) {
        return Err(Undefined);
    }
    Ok(Value::Int(exact))
}

fn truth(v: Value) -> bool {
    v != Value::Int(0) && v != Value::Ptr(None)
}

fn zero(v: Value) -> Value {
    match v {
        Value::Int(_) => Value::Int(0),
        Value::Ptr(_) => Value::Ptr(None),
    }
}

fn int(v: Value) -> Result<i128, Undefined> {
    match v {
        Value::Int(v) => Ok(v),
        Value::Ptr(_) => Err(Undefined),
    }
}
