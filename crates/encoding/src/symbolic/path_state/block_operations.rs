//! Blocks of memory that are set or copied, as changes of the memory of each cell.

use super::{PathState, literal};
use crate::{IntMode, SideConditions, State, value_sort};
use alias::{BlockCell, CellId, CellKind};
use ir::Type;
use smt::Term;

/// The largest block, in bytes, whose set or copy is followed byte by byte; above it the contents are arbitrary.
const BLOCK: i128 = 512;

/// How many bytes of a block are followed whose length is not a numeral.
const OPEN_BLOCK: i128 = 64;

/// What the bytes of a block become.
#[derive(Clone)]
pub enum Filling {
    /// Zeros.
    Zero,
    /// What is behind this address.
    Copy(Term),
}

/// Memory after a block is written that is not small.
#[derive(Clone)]
pub struct Block {
    /// The memory of a cell, a constant.
    pub new: Term,
    /// The memory before.
    pub old: Term,
    /// The address of the block.
    pub at: Term,
    /// Its length in bytes.
    pub len: Term,
    /// The size of the cell's values in bytes.
    pub width: i128,
    /// The value of which all bytes are zero.
    pub zero: Term,
    /// What the bytes become.
    pub filling: Filling,
}

impl PathState<'_> {
    /// `len` bytes at `at` become `byte`: exact for byte zero, where the block is small or blocks are followed, else arbitrary.
    /// `cells` says where in the block the cells' locations lie, where that is known.
    pub fn set_block(
        &mut self,
        cells: &[(CellId, Option<BlockCell>)],
        at: &Term,
        byte: &Term,
        len: &Term,
        facts: &mut SideConditions,
    ) {
        let filling = if literal(byte) == Some(0) { Some(Filling::Zero) } else { None };
        self.write_block(cells, (at, len), facts, |_| filling.clone());
    }

    /// `len` bytes are copied: exact between locations of the same cells, where the block is small or blocks are followed,
    /// else arbitrary.
    pub fn copy_block(
        &mut self,
        cells: &[(CellId, Option<BlockCell>)],
        dst: &Term,
        src: &Term,
        len: &Term,
        facts: &mut SideConditions,
    ) {
        self.write_block(cells, (dst, len), facts, |block| block.copied.then(|| Filling::Copy(src.clone())));
    }

    /// `len` bytes at `at` become what the filling says, if there is one for the cell; else they are arbitrary.
    fn write_block(
        &mut self,
        cells: &[(CellId, Option<BlockCell>)],
        (at, len): (&Term, &Term),
        facts: &mut SideConditions,
        filling: impl Fn(&BlockCell) -> Option<Filling>,
    ) {
        let small = literal(len).filter(|n| (0..=BLOCK).contains(n));
        for &(cell, block) in cells {
            let kind = self.oracle.cell_kind(cell).clone();
            let filling = block.and_then(|block| Some((block, filling(&block)?)));
            let (CellKind::Map { ty }, Some((block, filling))) = (kind, filling) else {
                self.havoc(cell);
                self.lost_block = true;
                continue;
            };
            let old = self.map(cell, &ty, facts);
            let map = match small {
                Some(len) => self.filled(&old, &ty, (at, len), block, &filling, facts),
                None if self.names.borrow().blocks.is_some() && at.sort() == len.sort() => {
                    let new = facts.fresh(old.sort().clone());
                    let (at, len) = (at.clone(), len.clone());
                    let (width, zero) = (self.width(&ty), self.zero(&ty));
                    let written = Block { new: new.clone(), old, at, len, width, zero, filling };
                    self.names.borrow_mut().blocks.get_or_insert_default().push(written);
                    new
                }
                None if at.sort() == len.sort() => {
                    let contents = self.filled_up_to(&old, &ty, (at, len), block, &filling, facts);
                    let arbitrary = facts.fresh(old.sort().clone());
                    let most = self.number(OPEN_BLOCK);
                    self.lost_block = true;
                    Term::ite(&self.not_above(len, &most), &contents, &arbitrary)
                }
                None => {
                    self.havoc(cell);
                    self.lost_block = true;
                    continue;
                }
            };
            self.maps.insert(cell, map);
        }
    }

    /// The memory after a small block is filled.
    fn filled(
        &self,
        old: &Term,
        ty: &Type,
        (at, len): (&Term, i128),
        block: BlockCell,
        filling: &Filling,
        facts: &mut SideConditions,
    ) -> Term {
        let mut map = old.clone();
        for offset in self.offsets(ty, block, len) {
            let whole = 0 <= offset && offset + self.width(ty) <= len;
            let value = match whole {
                true => self.filler(filling, old, ty, offset),
                false => facts.fresh_value(ty, self.mode, self.program.model),
            };
            map = map.store(&self.offset(at, offset), &value);
        }
        map
    }

    /// The memory after a block is filled whose length is at most [`OPEN_BLOCK`].
    fn filled_up_to(
        &self,
        old: &Term,
        ty: &Type,
        (at, len): (&Term, &Term),
        block: BlockCell,
        filling: &Filling,
        facts: &mut SideConditions,
    ) -> Term {
        let mut map = old.clone();
        for offset in self.offsets(ty, block, OPEN_BLOCK) {
            let place = self.offset(at, offset);
            let arbitrary = facts.fresh_value(ty, self.mode, self.program.model);
            let value = if offset < 0 { arbitrary.clone() } else { self.filler(filling, old, ty, offset) };
            let whole = self.not_above(&self.number(offset + self.width(ty)), len);
            let untouched = self.not_above(len, &self.number(offset.max(0)));
            let value = Term::ite(&untouched, &map.select(&place), &Term::ite(&whole, &value, &arbitrary));
            map = map.store(&place, &value);
        }
        map
    }

    /// What a location gets that lies so far in a block, if it does so as a whole.
    fn filler(&self, filling: &Filling, old: &Term, ty: &Type, offset: i128) -> Term {
        match filling {
            Filling::Zero => self.zero(ty),
            Filling::Copy(src) => old.select(&self.offset(src, offset)),
        }
    }

    /// A number as wide as an address.
    fn number(&self, n: i128) -> Term {
        match self.mode {
            IntMode::Math => Term::int(n),
            IntMode::Bits => Term::bv_signed(u32::from(self.program.model.pointer_bits()), n),
        }
    }

    fn not_above(&self, a: &Term, b: &Term) -> Term {
        match self.mode {
            IntMode::Math => a.int_le(b),
            IntMode::Bits => a.bv_ule(b),
        }
    }

    /// From now on the contents of blocks that are not small are kept as what they were made of.
    pub fn follow_blocks(&mut self) {
        self.names.borrow_mut().blocks.get_or_insert_default();
    }

    /// The blocks that were written.
    pub fn blocks(&self) -> Vec<Block> {
        self.names.borrow().blocks.clone().unwrap_or_default()
    }

    /// The offsets from the start of a block at which locations of the type that share bytes with it can begin.
    fn offsets(&self, ty: &Type, block: BlockCell, len: i128) -> impl Iterator<Item = i128> + use<> {
        let before = if block.aligned { 0 } else { self.width(ty) - 1 };
        let step = usize::try_from(block.step).unwrap_or(1).max(1);
        (-before..len).step_by(step)
    }

    fn width(&self, ty: &Type) -> i128 {
        i128::from(self.program.size_of(ty).unwrap_or(1).max(1))
    }

    fn offset(&self, at: &Term, by: i128) -> Term {
        match self.mode {
            IntMode::Math => at.int_add(&self.number(by)),
            IntMode::Bits => at.bv_add(&self.number(by)),
        }
    }

    fn zero(&self, ty: &Type) -> Term {
        match value_sort(ty, self.mode, self.program.model) {
            smt::Sort::BitVec(width) => Term::bv(width, 0),
            _ => Term::int(0),
        }
    }
}
