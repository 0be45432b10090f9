//! The inputs of one execution: at each place of the program first the known values, one after the other, then random
//! ones.

use super::dictionary::{Own, Words};
use super::number;
use super::states::States;
use crate::draw::{Draw, rounded};
use crate::likely_invariants::Recorder;
use crate::observe;
use interp::{Inputs, State, UninitRead, Value};
use ir::{
    CheckId, EdgeId, FloatType, HavocKind, IntType, LocId, PathStep, ProcId, Program, StartInput, Type,
};
use std::collections::{BTreeMap, VecDeque};

/// Most arguments that a program is started with, and most characters of one.
const MANY_ARGUMENTS: i128 = 12;
const LONG_TEXT: i128 = 1100;

/// The first of some characters and their number: all that can be typed, digits, small letters.
const LETTERS: [(u8, u64); 3] = [(b' ', 95), (b'0', 10), (b'a', 26)];

/// Answers below it are whole numbers where a floating-point number is asked for.
const SMALL: i128 = 1 << 32;

/// Lengths of texts, small ones more often.
fn short(draw: &mut Draw) -> i128 {
    let most = [2, 4, 8, 32][draw.below(4) as usize];
    draw.below(most).into()
}

/// The floating-point number that an answer stands for.
fn float(answer: i128, ty: FloatType) -> f64 {
    let value = if answer.abs() < SMALL { answer as f64 } else { f64::from_bits(answer as u64) };
    rounded(value, ty)
}

/// The number of the edge that asks, and the value.
pub(super) type Answer = (usize, i128);

/// What is asked for.
#[derive(Clone, Copy)]
enum Question {
    Int(IntType),
    /// A floating-point number: a small answer is this number, another one has its bits as a `double`.
    Float(FloatType),
    Start(StartInput, IntType),
    /// A pointer to an object, or none.
    Pointer,
    /// One of this many edges.
    Edge(usize),
    /// Whether an allocation fails.
    Allocation,
    Other,
}

/// See the module's documentation.
pub(super) struct Replayed<'a> {
    program: &'a Program,
    /// By place.
    known: BTreeMap<usize, VecDeque<i128>>,
    said: Vec<Answer>,
    draw: Draw,
    favourites: &'a [i128],
    words: Option<&'a Words>,
    /// The program is started with texts, the number of which is its first argument.
    takes_texts: bool,
    /// The first of the characters in a text, and how many there are.
    letters: (u8, u64),
    /// Goes on from a state: what follows depends on the values that the program compares with mostly.
    goes_on: bool,
    /// The numbers of the procedures' first edges.
    first: &'a [usize],
    /// How often each edge was taken, if that is counted.
    taken: Option<Taken>,
    /// The states that executions have shown, if states are observed.
    states: Option<States>,
    /// How many steps this one has taken, and how many answers and steps led to the last state that it was the first to show.
    steps: u64,
    shown: Option<(usize, u64)>,
    /// Is shown the states, if there is one.
    recorder: Option<&'a mut Recorder>,
}

/// What an execution has given.
pub(super) struct Said {
    pub(super) answers: Vec<Answer>,
    /// How often each edge was taken.
    pub(super) taken: Taken,
    /// The states that executions have shown.
    pub(super) states: States,
    /// How many answers and steps led to the last of them that this one was the first to show.
    pub(super) shown: Option<(usize, u64)>,
}

/// How often edges were taken.
#[derive(Default)]
pub(super) struct Taken {
    times: Vec<u32>,
    edges: Vec<usize>,
}

impl Taken {
    /// Counts of zero for this many edges.
    pub(super) fn new(edges: usize) -> Taken {
        Taken { times: vec![0; edges], edges: vec![] }
    }

    fn count(&mut self, edge: usize) {
        if self.times[edge] == 0 {
            self.edges.push(edge);
        }
        self.times[edge] += 1;
    }

    /// The edges that were taken, and how often; none are afterwards.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (usize, u32)> {
        let times = &mut self.times;
        self.edges.drain(..).map(|edge| (edge, std::mem::take(&mut times[edge])))
    }
}

impl<'a> Replayed<'a> {
    /// `first` has the numbers of the procedures' first edges.
    pub(super) fn new(
        (program, first): (&'a Program, &'a [usize]),
        answers: &[Answer],
        draw: Draw,
    ) -> Replayed<'a> {
        let mut known: BTreeMap<usize, VecDeque<i128>> = BTreeMap::new();
        for (place, value) in answers {
            known.entry(*place).or_default().push_back(*value);
        }
        Replayed {
            program,
            known,
            said: vec![],
            draw,
            favourites: &[],
            words: None,
            takes_texts: false,
            letters: LETTERS[0],
            goes_on: false,
            first,
            taken: None,
            states: None,
            steps: 0,
            shown: None,
            recorder: None,
        }
    }

    /// Many of the drawn values are these; `goes_on`: the execution goes on from a state that was shown.
    pub(super) fn prefer(&mut self, favourites: &'a [i128], words: &'a Words, goes_on: bool) {
        (self.favourites, self.words, self.goes_on) = (favourites, Some(words), goes_on);
        self.takes_texts = words.takes_texts;
    }

    /// Counts how often each edge is taken, and looks at states.
    pub(super) fn count(&mut self, taken: Taken, states: States) {
        (self.taken, self.states) = (Some(taken), Some(states));
    }

    /// Shows the states to a recorder.
    pub(super) fn show(&mut self, recorder: &'a mut Recorder) {
        self.recorder = Some(recorder);
    }

    /// What is known when the execution has ended.
    pub(super) fn said(self) -> Said {
        Said {
            answers: self.said,
            taken: self.taken.unwrap_or_default(),
            states: self.states.unwrap_or_default(),
            shown: self.shown,
        }
    }

    fn answer(&mut self, (proc, edge): (ProcId, EdgeId), question: Question) -> i128 {
        let place = number(self.first, (proc, edge));
        let known = self.known.get_mut(&place).and_then(VecDeque::pop_front);
        let value = known.unwrap_or_else(|| self.fresh(place, question));
        let value = match question {
            Question::Start(StartInput::Argument(_), _) if self.takes_texts => {
                value.rem_euclid(MANY_ARGUMENTS + 1)
            }
            Question::Start(StartInput::StringLength | StartInput::EnvironmentLength, _) => {
                value.rem_euclid(LONG_TEXT + 1)
            }
            Question::Int(ty) | Question::Start(_, ty) => ty.wrap(value),
            Question::Pointer => i128::from(value != 0),
            Question::Edge(n) => value.rem_euclid(n as i128),
            Question::Allocation => i128::from(value == 1),
            Question::Float(_) | Question::Other => value,
        };
        self.said.push((place, value));
        value
    }

    fn fresh(&mut self, place: usize, question: Question) -> i128 {
        let (words, draw) = (self.words.map_or(&[][..], Words::numbers), &mut self.draw);
        let is_machine = self.states.as_ref().is_some_and(States::is_wanted);
        if let (true, Question::Int(_), Some(known)) = (is_machine, question, self.words) {
            match known.own(place) {
                Own::Choice => return draw.below(2).into(),
                Own::Compared(own) if self.goes_on && !own.is_empty() && draw.below(4) != 0 => {
                    return *draw.one(own);
                }
                Own::Compared(_) => {}
            }
        }
        match question {
            Question::Int(ty) => match draw.below(8) {
                0..=3 if !self.favourites.is_empty() => *draw.one(self.favourites),
                4 if !words.is_empty() => *draw.one(words) + i128::from(draw.below(3)) - 1,
                _ => draw.int(ty),
            },
            Question::Start(what, ty) => {
                let (least, most) = match what {
                    StartInput::Argument(_) if self.takes_texts => (0, MANY_ARGUMENTS),
                    StartInput::StringLength | StartInput::EnvironmentLength => (0, LONG_TEXT),
                    StartInput::Argument(_) | StartInput::StringCharacter => (ty.min(), ty.max()),
                };
                let rare = if what == StartInput::StringCharacter { 2 } else { 16 };
                let wanted = (!self.favourites.is_empty() && draw.below(rare) == 0)
                    .then(|| *draw.one(self.favourites))
                    .filter(|value| (least..=most).contains(value));
                if what == StartInput::StringLength {
                    self.letters = *draw.one(&LETTERS);
                }
                let (first, letters) = self.letters;
                let usual = |draw: &mut Draw| match what {
                    StartInput::StringLength => Some(short(draw)),
                    StartInput::StringCharacter => Some(i128::from(first) + i128::from(draw.below(letters))),
                    _ => draw.start(what).filter(|_| self.takes_texts),
                };
                let arbitrary = |draw: &mut Draw| if self.takes_texts { 0 } else { draw.int(ty) };
                wanted.or_else(|| usual(draw)).unwrap_or_else(|| arbitrary(draw))
            }
            Question::Float(ty) => match draw.float(ty) {
                small if small.fract() == 0.0 && small.abs() < SMALL as f64 => small as i128,
                other => other.to_bits().into(),
            },
            Question::Pointer => draw.below(2).into(),
            Question::Edge(n) => draw.below(n as u64).into(),
            Question::Allocation => i128::from(draw.below(32) == 1),
            Question::Other => draw.below(16).into(),
        }
    }

    fn value(&mut self, at: (ProcId, EdgeId), ty: &Type) -> Value {
        match ty {
            Type::Int(t) => Value::Int(self.answer(at, Question::Int(*t))),
            Type::Float(t) => Value::Float(float(self.answer(at, Question::Float(*t)), *t)),
            Type::Ptr(_) => Value::Null,
            _ => Value::Int(self.answer(at, Question::Other)),
        }
    }
}

impl Inputs for Replayed<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        match (ty, kind) {
            (Type::Ptr(to), kind) if kind.may_point() => {
                let size = self.program.size_of(to).unwrap_or(64).max(1);
                match self.answer((proc, edge), Question::Pointer) {
                    0 => Value::Null,
                    _ => Value::FreshObject(size),
                }
            }
            (Type::Int(t), HavocKind::Start(what)) => {
                Value::Int(self.answer((proc, edge), Question::Start(*what, *t)))
            }
            _ => self.value((proc, edge), ty),
        }
    }

    fn choose_edge(&mut self, proc: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.answer((proc, enabled[0]), Question::Edge(enabled.len())) as usize
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        self.value((read.proc, read.edge), ty)
    }

    fn alloc_fails(&mut self, proc: ProcId, edge: EdgeId) -> bool {
        self.answer((proc, edge), Question::Allocation) == 1
    }

    fn goes_past(&self, failing: CheckId) -> bool {
        self.recorder.is_some() && observe::goes_past(self.program, failing)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        if let Some(taken) = &mut self.taken {
            taken.count(number(self.first, step.edge()));
        }
        if let Some(states) = &mut self.states {
            self.steps += 1;
            if states.is_new(self.program, state) {
                self.shown = Some((self.said.len(), self.steps));
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.observe(state, step);
        }
    }
}
