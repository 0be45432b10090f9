//! The bytes of one object, each with a mark whether it has a value yet. Large objects keep only the pages that
//! were written, so that an allocation of any size costs nothing by itself.

use std::collections::BTreeMap;

/// Objects up to this size are kept whole.
const DENSE: u64 = 1 << 20;
/// Bytes in a page of a larger object.
const PAGE: u64 = 4096;
const PAGE_WORDS: usize = (PAGE / 64) as usize;

/// Contents of a new object.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Contents<'a> {
    Uninit,
    Zero,
    /// Constant bytes.
    Literal(&'a [u8]),
}

struct Page {
    bytes: [u8; PAGE as usize],
    uninit: [u64; PAGE_WORDS],
}

/// Bytes of an object.
#[derive(Default)]
pub(super) struct Bytes {
    size: u64,
    /// All bytes of a small object.
    dense: Vec<u8>,
    /// For a small object one bit a byte; only meaningful while `uninit` is not 0.
    uninit_bits: Vec<u64>,
    /// How many bytes of a small object have no value.
    uninit: u64,
    /// The written pages of a large object.
    pages: BTreeMap<u64, Box<Page>>,
    /// The contents of a large object where no page is: this value, or none.
    background: Option<u8>,
}

impl Bytes {
    pub(super) fn reset(&mut self, size: u64, contents: Contents) {
        self.size = size;
        self.uninit = 0;
        self.pages.clear();
        self.dense.clear();
        self.background = if contents == Contents::Uninit { None } else { Some(0) };
        if let Contents::Literal(bytes) = contents {
            self.size = bytes.len() as u64;
            self.dense.extend_from_slice(bytes);
            return;
        }
        if size > DENSE {
            return;
        }
        self.dense.resize(size as usize, 0);
        if contents == Contents::Uninit {
            self.uninit = size;
            self.uninit_bits.clear();
            self.uninit_bits.resize(size.div_ceil(64) as usize, u64::MAX);
        }
    }

    /// Makes the object larger or smaller; new bytes have no value. False where they cannot be distinguished
    /// from the value that the object was filled with.
    pub(super) fn resize(&mut self, size: u64) -> bool {
        if !self.is_dense() && size > DENSE {
            if size > self.size && self.background.is_some() {
                return false;
            }
            self.pages.retain(|page, _| page * PAGE < size);
            if size < self.size && !size.is_multiple_of(PAGE) {
                let rest = (PAGE - size % PAGE).min(self.size - size);
                if self.background.is_none() || self.pages.contains_key(&(size / PAGE)) {
                    self.forget(size, rest);
                }
            }
            self.size = size;
            return true;
        }
        let mut new = Bytes::default();
        new.reset(size, Contents::Uninit);
        let (kept, mut from) = (size.min(self.size), 0);
        while from < kept {
            let end = self.first_uninit(from, kept).unwrap_or(kept);
            for start in (from..end).step_by(PAGE as usize) {
                let mut part = [0; PAGE as usize];
                let part = &mut part[..(end - start).min(PAGE) as usize];
                self.read(start, part);
                new.write(start, part);
            }
            from = end + 1;
        }
        *self = new;
        true
    }

    /// Gives the space back, unless it is small and may be used again.
    pub(super) fn release(&mut self) {
        self.pages.clear();
        if self.dense.capacity() > 4096 {
            self.dense = vec![];
            self.uninit_bits = vec![];
        }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The space that the object takes now.
    pub(super) fn cost(&self) -> u64 {
        if self.is_dense() { self.size } else { self.pages.len() as u64 * size_of::<Page>() as u64 }
    }

    /// The space that a new object takes.
    pub(super) fn initial_cost(size: u64) -> u64 {
        if size > DENSE { 0 } else { size }
    }

    fn is_dense(&self) -> bool {
        self.dense.len() as u64 == self.size
    }

    /// Copies the bytes from `at` to `out`; those without value are 0.
    pub(super) fn read(&self, at: u64, out: &mut [u8]) {
        if self.is_dense() {
            out.copy_from_slice(&self.dense[at as usize..at as usize + out.len()]);
            return;
        }
        for (page, within, part) in chunks(at, out.len() as u64) {
            let out = &mut out[part.clone()];
            match self.pages.get(&page) {
                Some(p) => out.copy_from_slice(&p.bytes[within..within + part.len()]),
                None => out.fill(self.background.unwrap_or(0)),
            }
        }
    }

    /// Writes the bytes at `at`; they have a value from now on.
    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) {
        if self.is_dense() {
            let start = at as usize;
            self.dense[start..start + bytes.len()].copy_from_slice(bytes);
            self.mark_dense(start, bytes.len());
            return;
        }
        for (page, within, part) in chunks(at, bytes.len() as u64) {
            let page = self.page(page);
            page.bytes[within..within + part.len()].copy_from_slice(&bytes[part.clone()]);
            clear_bits(&mut page.uninit, within, part.len());
        }
    }

    /// Sets `len` bytes to one value.
    pub(super) fn fill(&mut self, at: u64, byte: u8, len: u64) {
        if self.is_dense() {
            self.dense[at as usize..(at + len) as usize].fill(byte);
            self.mark_dense(at as usize, len as usize);
        } else if at == 0 && len == self.size {
            self.pages.clear();
            self.background = Some(byte);
        } else {
            for (page, within, part) in chunks(at, len) {
                let page = self.page(page);
                page.bytes[within..within + part.len()].fill(byte);
                clear_bits(&mut page.uninit, within, part.len());
            }
        }
    }

    /// Takes their values from `len` bytes.
    pub(super) fn forget(&mut self, at: u64, len: u64) {
        if !self.is_dense() {
            for (page, within, part) in chunks(at, len) {
                set_bits(&mut self.page(page).uninit, within, part.len());
            }
            return;
        }
        if self.uninit == 0 {
            self.uninit_bits.clear();
            self.uninit_bits.resize(self.size.div_ceil(64) as usize, 0);
        }
        self.uninit += u64::from(set_bits(&mut self.uninit_bits, at as usize, len as usize));
    }

    /// An upper bound of what a write of `len` bytes adds to the cost.
    pub(super) fn write_cost(&self, at: u64, len: u64) -> u64 {
        let whole = at == 0 && len == self.size;
        if self.is_dense() || whole { 0 } else { (len / PAGE + 2) * size_of::<Page>() as u64 }
    }

    fn page(&mut self, index: u64) -> &mut Page {
        let background = self.background;
        self.pages.entry(index).or_insert_with(|| {
            Box::new(Page {
                bytes: [background.unwrap_or(0); PAGE as usize],
                uninit: [if background.is_some() { 0 } else { u64::MAX }; PAGE_WORDS],
            })
        })
    }

    fn mark_dense(&mut self, at: usize, len: usize) {
        if self.uninit > 0 {
            self.uninit -= u64::from(clear_bits(&mut self.uninit_bits, at, len));
        }
    }

    /// The first byte without a value in the range.
    pub(super) fn first_uninit(&self, from: u64, end: u64) -> Option<u64> {
        if self.is_dense() {
            if self.uninit == 0 {
                return None;
            }
            return (from..end).find(|i| self.uninit_bits[(i / 64) as usize] >> (i % 64) & 1 == 1);
        }
        chunks(from, end.saturating_sub(from)).find_map(|(page, within, part)| match self.pages.get(&page) {
            None => self.background.is_none().then_some(page * PAGE + within as u64),
            Some(p) => (within..within + part.len())
                .find(|i| p.uninit[i / 64] >> (i % 64) & 1 == 1)
                .map(|i| page * PAGE + i as u64),
        })
    }
}

/// The range by pages: page number, place in the page, place in the range.
fn chunks(at: u64, len: u64) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let start = at + done;
        let n = (PAGE - start % PAGE).min(len.checked_sub(done).filter(|n| *n > 0)?);
        let part = done as usize..(done + n) as usize;
        done += n;
        Some((start / PAGE, (start % PAGE) as usize, part))
    })
}

/// Clears the bits; returns how many were set.
fn clear_bits(words: &mut [u64], at: usize, len: usize) -> u32 {
    let mut cleared = 0;
    for (word, mask) in masks(at, len) {
        cleared += (words[word] & mask).count_ones();
        words[word] &= !mask;
    }
    cleared
}

/// Sets the bits; returns how many were not.
fn set_bits(words: &mut [u64], at: usize, len: usize) -> u32 {
    let mut set = 0;
    for (word, mask) in masks(at, len) {
        set += (!words[word] & mask).count_ones();
        words[word] |= mask;
    }
    set
}

/// A range of bits by words.
fn masks(at: usize, len: usize) -> impl Iterator<Item = (usize, u64)> {
    let mut i = at;
    std::iter::from_fn(move || {
        let (word, bit) = (i / 64, i % 64);
        let n = (64 - bit).min((at + len).checked_sub(i).filter(|n| *n > 0)?);
        i += n;
        Some((word, if n == 64 { u64::MAX } else { ((1 << n) - 1) << bit }))
    })
}
