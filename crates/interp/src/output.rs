//! Output of the program: the operations [`Op::Output`](ir::Op::Output), formatted as the C library does,
//! when the caller wants it. Otherwise their arguments are evaluated and nothing more happens.

use super::format::{Count, Directive, Length, Piece, pieces};
use super::machine::Machine;
use super::memory::{Cell, Pointer, Target};
use super::values::{Val, address_as_number};
use super::{Exit, Halt, Stream};
use super::{UndefinedBehaviour, Unsupported};
use ir::expr::Expr;
use ir::program::{LibraryAccess, Output, TextPart};
use ir::types::{IntType, Type};
use std::sync::Arc;

/// No object is more aligned than this.
const MOST_ALIGNED: u64 = 1 << 32;

/// Most bytes that one call shows.
const LONGEST: usize = 1 << 24;

/// The number of a result of a library function, to be used by the edge that takes it.
pub(super) type Answer = Option<(Arc<str>, i128)>;

/// The output of a function.
struct Shown {
    /// Its stream; `None`: some other file.
    stream: Option<Stream>,
    text: Vec<u8>,
    /// The result of the function.
    answer: i128,
}

/// The text of a format and its arguments.
struct Formatted {
    text: Vec<u8>,
    /// The text is the same in every such execution: no name stands in it for an address, and no string in it
    /// comes from a function that is not executed.
    is_known: bool,
}

/// A text that was made, as far as it has not been read yet.
#[derive(Default)]
pub(super) struct Made {
    /// Its length.
    length: Option<i128>,
    /// Its characters.
    characters: std::vec::IntoIter<u8>,
    /// The length was read.
    begun: bool,
}

impl Made {
    /// Whether the part is known: characters after the length.
    pub(super) fn has(&self, part: TextPart) -> bool {
        match part {
            TextPart::Length => self.length.is_some(),
            TextPart::Character => self.begun && !self.characters.as_slice().is_empty(),
        }
    }

    /// The part, if it is known. Taking the length of no text leaves nothing of the one before.
    pub(super) fn take(&mut self, part: TextPart) -> Option<i128> {
        match part {
            TextPart::Length if self.length.is_none() => {
                *self = Made::default();
                None
            }
            TextPart::Length => {
                self.begun = true;
                self.length.take()
            }
            TextPart::Character if !self.begun => None,
            TextPart::Character => self.characters.next().map(i128::from),
        }
    }
}

/// The arguments of a conversion, in order.
struct Rest<'e> {
    args: std::slice::Iter<'e, Expr>,
    /// See [`Formatted`].
    is_known: bool,
}

impl<'e> Rest<'e> {
    fn next(&mut self) -> Result<&'e Expr, Halt> {
        self.args.next().ok_or(Halt::Undefined(UndefinedBehaviour::FormatArguments))
    }
}

impl Machine<'_, '_> {
    pub(super) fn output(&mut self, output: &Output, args: &[Expr]) -> Result<(), Halt> {
        let function = match output {
            Output::Visible(function) => function,
            Output::Access(access) => return self.demand(*access, args),
            Output::Mark(_) => return Ok(()),
            Output::MakesText => {
                self.make_text(args);
                return Ok(());
            }
            Output::Aligned => return self.align(args),
            Output::Resizes => {
                let [block, size] = args else { return Err(mismatch()) };
                let (at, size) = (self.address(block)?, self.int(size)?);
                let size = u64::try_from(size).map_err(|_| Halt::Unsupported(Unsupported::Memory))?;
                return self.state.memory.resize(at, size);
            }
        };
        match &**function {
            "exit" | "_exit" | "_Exit" | "quick_exit" => {
                let status = match args.first() {
                    Some(e) => self.int(e)?,
                    None => 0,
                };
                self.exit = Some(Exit::Status((status & 0xff) as u8));
                return Ok(());
            }
            "abort" => {
                self.exit = Some(Exit::Abort);
                return Ok(());
            }
            _ => {}
        }
        let wanted = self.state.inputs.as_ref().is_some_and(|i| i.wants_output());
        if !wanted {
            for a in args {
                self.state.eval(a)?;
            }
            return Ok(());
        }
        let shown = self.shown(function, args)?;
        let Some(Shown { stream, text, answer }) = shown else {
            for a in args {
                self.state.eval(a)?;
            }
            if let Some(inputs) = &mut self.state.inputs {
                inputs.output_lost(function);
            }
            return Ok(());
        };
        if let (Some(stream), Some(inputs)) = (stream, &mut self.state.inputs) {
            inputs.output(stream, &text);
        }
        self.answer = Some((function.clone(), answer));
        Ok(())
    }

    /// Makes a text, unless something of it is not known, or the call that follows is undefined in any case. What a value
    /// that is not modelled goes into is not known either.
    fn make_text(&mut self, args: &[Expr]) {
        self.made = Made::default();
        let [format, rest @ ..] = args else { return };
        if args.iter().any(|e| self.state.eval(e).is_err() || self.state.origin(e).is_some()) {
            return;
        }
        if let Ok(Formatted { text, is_known: true }) = self.formatted(format, rest) {
            let length = Some(text.len() as i128);
            self.made = Made { length, characters: text.into_iter(), begun: false };
        }
    }

    /// An object was allocated with an alignment: that, or the next power of two, as C libraries have it.
    fn align(&mut self, args: &[Expr]) -> Result<(), Halt> {
        let [p, align] = args else { return Err(mismatch()) };
        let p = self.address(p)?;
        let Target::Object(id) = p.target else { return Ok(()) };
        let align = u64::try_from(self.int(align)?).ok().and_then(u64::checked_next_power_of_two);
        match align.filter(|align| *align <= MOST_ALIGNED) {
            Some(align) => self.state.memory.set_align(id, align.into()),
            None => return Err(Halt::Unsupported(Unsupported::Memory)),
        }
        Ok(())
    }

    /// Halts unless the memory permits the library's access.
    fn demand(&mut self, access: LibraryAccess, args: &[Expr]) -> Result<(), Halt> {
        let [p, rest @ ..] = args else { return Err(mismatch()) };
        let p = self.address(p)?;
        let counted = matches!(access, LibraryAccess::Reads | LibraryAccess::Writes);
        let bytes = match rest.first() {
            Some(n) if counted => u64::try_from(self.int(n)?).unwrap_or(u64::MAX),
            _ => 0,
        };
        match access {
            LibraryAccess::Present if p.is_null() => Err(Halt::Undefined(UndefinedBehaviour::NullAccess)),
            LibraryAccess::Reads => self.state.memory.admits(p, bytes, false),
            LibraryAccess::Writes => self.state.memory.admits(p, bytes, true),
            LibraryAccess::Text => self.state.memory.admits(p, 1, false),
            LibraryAccess::Present
            | LibraryAccess::MayTouch
            | LibraryAccess::Changes
            | LibraryAccess::Apart
            | LibraryAccess::ApartText
            | LibraryAccess::ApartEnd
            | LibraryAccess::ApartMade => rest.iter().try_for_each(|e| self.state.eval(e).map(|_| ())),
        }
    }

    /// The output of the function; `None` when it is not known.
    fn shown(&mut self, function: &str, args: &[Expr]) -> Result<Option<Shown>, Halt> {
        let out = Some(Stream::Out);
        let (stream, text) = match (function, args) {
            ("printf", [format, rest @ ..]) => (out, self.formatted(format, rest)?.text),
            ("fprintf" | "dprintf", [to, format, rest @ ..]) => {
                (self.stream(to)?, self.formatted(format, rest)?.text)
            }
            ("puts", [s]) => (out, [&self.string(s, None)?[..], b"\n"].concat()),
            ("fputs", [s, to]) => {
                let text = self.string(s, None)?;
                (self.stream(to)?, text)
            }
            ("putchar", [c]) => {
                let c = self.int(c)? as u8;
                return Ok(Some(Shown { stream: out, text: vec![c], answer: c.into() }));
            }
            ("fputc" | "putc", [c, to]) => {
                let c = self.int(c)? as u8;
                return Ok(Some(Shown { stream: self.stream(to)?, text: vec![c], answer: c.into() }));
            }
            ("write", [to, from, n]) => {
                let (stream, from, n) = (self.stream(to)?, self.address(from)?, self.int(n)?);
                (stream, self.bytes(from, n)?)
            }
            ("fwrite", [from, size, n, to]) => {
                let (from, size, n) = (self.address(from)?, self.int(size)?, self.int(n)?);
                let count = size.checked_mul(n).unwrap_or(i128::MAX);
                let text = self.bytes(from, count)?;
                return Ok(Some(Shown { stream: self.stream(to)?, text, answer: n }));
            }
            ("perror", [s]) => {
                let text = self.string(s, None)?;
                (Some(Stream::Err), [&text[..], b": some error\n"].concat())
            }
            _ => return Ok(None),
        };
        let answer = text.len() as i128;
        Ok(Some(Shown { stream, text, answer }))
    }

    fn int(&mut self, e: &Expr) -> Result<i128, Halt> {
        match self.state.eval(e)? {
            Val::Int(v) => Ok(v),
            Val::Float(_) => Err(mismatch()),
            _ => Err(address_as_number()),
        }
    }

    fn address(&mut self, e: &Expr) -> Result<Pointer, Halt> {
        match self.state.eval(e)? {
            Val::Ptr(p) => Ok(p),
            _ => Err(mismatch()),
        }
    }

    /// Standard output or standard error, when the number or the pointer stands for one of them.
    fn stream(&mut self, e: &Expr) -> Result<Option<Stream>, Halt> {
        let to = self.state.eval(e)?;
        match to {
            Val::Int(1) => return Ok(Some(Stream::Out)),
            Val::Int(2) => return Ok(Some(Stream::Err)),
            Val::Ptr(p) if !p.is_null() => {}
            _ => return Ok(None),
        }
        let program = self.state.program;
        for (name, stream) in [("stdout", Stream::Out), ("stderr", Stream::Err)] {
            let named = program.globals.iter().find(|v| program.vars[**v].name == name);
            if let Some(v) = named
                && program.vars[*v].ty.is_ptr()
                && self.state.eval(&program.read(*v))? == to
            {
                return Ok(Some(stream));
            }
        }
        Ok(None)
    }

    fn bytes(&mut self, from: Pointer, count: i128) -> Result<Vec<u8>, Halt> {
        if !(0..=LONGEST as i128).contains(&count) {
            return Err(Halt::Unsupported(Unsupported::OutputSize));
        }
        (0..count).map(|i| self.byte(from, i)).collect()
    }

    fn byte(&mut self, from: Pointer, at: i128) -> Result<u8, Halt> {
        let place = self.state.rules.displace(from, at)?;
        self.state.initialise_bytes(place, 1, false)?;
        match self.state.memory.load(place, 1)? {
            Cell::Number(byte) => Ok(byte as u8),
            _ => Err(address_as_number()),
        }
    }

    /// The bytes up to the zero, or `longest` of them.
    fn string(&mut self, e: &Expr, longest: Option<usize>) -> Result<Vec<u8>, Halt> {
        let from = self.address(e)?;
        let mut text = vec![];
        while text.len() < longest.unwrap_or(LONGEST) {
            match self.byte(from, text.len() as i128)? {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }

    fn formatted(&mut self, format: &Expr, args: &[Expr]) -> Result<Formatted, Halt> {
        let format = self.string(format, None)?;
        let mut rest = Rest { args: args.iter(), is_known: true };
        let mut out = vec![];
        for piece in pieces(&format) {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Bad(_) => return Err(Halt::Undefined(UndefinedBehaviour::FormatConversion)),
                Piece::Directive(d) => {
                    let shown = self.converted(d, &mut rest)?;
                    out.extend(shown);
                }
            }
            if out.len() > LONGEST {
                return Err(Halt::Unsupported(Unsupported::OutputSize));
            }
        }
        for e in rest.args {
            self.state.eval(e)?;
        }
        Ok(Formatted { text: out, is_known: rest.is_known })
    }

    fn converted(&mut self, mut d: Directive, rest: &mut Rest<'_>) -> Result<Vec<u8>, Halt> {
        if d.width == Count::Argument {
            d.set_width(self.int(rest.next()?)?);
        }
        if d.precision == Count::Argument {
            d.set_precision(self.int(rest.next()?)?);
        }
        match d.conversion {
            b'%' => Ok(vec![b'%']),
            b'n' => Err(Halt::Unsupported(Unsupported::ConversionN)),
            b'm' => Err(Halt::Unsupported(Unsupported::ConversionM)),
            b'c' | b's' if d.length == Length::Long => Err(Halt::Unsupported(Unsupported::WideCharacters)),
            b'c' => Ok(d.character(self.int(rest.next()?)? as u8)),
            b's' => {
                let e = rest.next()?;
                let text = self.string(e, d.longest())?;
                let from = self.address(e)?;
                rest.is_known &= self.state.origin_of_text(from, text.len() as u64 + 1).is_none();
                Ok(d.text(&text))
            }
            b'p' => {
                let value = self.state.eval(rest.next()?)?;
                rest.is_known &=
                    matches!(value, Val::Ptr(p) if p.is_null() || matches!(p.target, Target::Number(_)));
                Ok(d.text(self.pointer_text(value)?.as_bytes()))
            }
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                let signed = matches!(d.conversion, b'd' | b'i');
                let value = self.int(rest.next()?)?;
                Ok(d.integer(IntType { bits: self.bits(d.length), signed }.wrap(value)))
            }
            _ => match self.state.eval(rest.next()?)? {
                Val::Float(v) => Ok(d.float(v)),
                _ => Err(mismatch()),
            },
        }
    }

    /// How many bits the argument of an integer conversion has.
    fn bits(&self, length: Length) -> u16 {
        match length {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long | Length::Size => self.state.rules.pointer_bits,
            Length::LongLong | Length::Max | Length::LongDouble => 64,
        }
    }

    /// Objects have no numeric addresses: the text names them.
    fn pointer_text(&self, value: Val) -> Result<String, Halt> {
        match value {
            Val::Ptr(p) if p.is_null() => Ok("(nil)".into()),
            Val::Ptr(Pointer { target: Target::Number(_), offset }) => {
                let unsigned = IntType { bits: self.state.rules.pointer_bits, signed: false };
                Ok(format!("{:#x}", unsigned.wrap(offset.into())))
            }
            Val::Ptr(_) => Ok(format!("<{}>", self.state.show(value).text(self.state.program))),
            _ => Err(mismatch()),
        }
    }
}

fn mismatch() -> Halt {
    Halt::Undefined(UndefinedBehaviour::FormatType)
}

/// The number of the last output's result, when the edge takes a result of the same function.
pub(super) fn answer_for(answer: &mut Answer, function: &str, ty: &Type) -> Option<Val> {
    let (of, value) = answer.take()?;
    match ty {
        Type::Int(i) if *of == *function => Some(Val::Int(i.wrap(value))),
        _ => None,
    }
}
