//! The table of types: records with their members and layouts.

use crate::error::{Res, type_error, unsupported};
use crate::types::layout::{Layout, Member, MemberSpec, RecordAttrs};
use crate::types::name_set::NameSet;
use crate::types::ty::{IntTy, QTy, Ty};
use crate::types::vector_types::VectorType;
use base::{Id, IndexVec, Span};
use ir::{DataModel, Field, RecordDef, RecordId, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The position of a node: file, and offsets of its start and end.
pub(crate) type Key = (usize, usize, usize);

/// File and tag, as [`Types::shared_records`] has it, with the number of its meaning where that is not the first one.
pub(crate) type Variants = FxHashMap<(usize, String), u32>;

/// The records of the program, and what makes two declarations name one record.
///
/// Invariant: `records`, `members` and `record_files` have one entry for each record; that of a complete record
/// does not change any more.
pub(crate) struct Types {
    pub(crate) model: DataModel,
    pub(crate) records: IndexVec<RecordId, RecordDef>,
    /// Members of the records as C sees them.
    pub(crate) members: Vec<Vec<Member>>,
    /// The names of the records.
    pub(crate) names: NameSet,
    /// The record behind `va_list`.
    pub(crate) va_tag: Option<RecordId>,
    /// The records of vectors and complex numbers, with the types of their parts.
    pub(crate) vectors: Vec<(Ty, VectorType, RecordId)>,
    /// How many records without a tag there are.
    pub(crate) anonymous_records: u32,
    /// The file that completed a record.
    pub(crate) record_files: Vec<Option<usize>>,
    /// The records by the place of their definition.
    pub(crate) record_places: FxHashMap<Key, RecordId>,
    /// Tags of file scope that stand for other records in a file than in files before it, with their number.
    pub(crate) variants: Variants,
    /// The file and tag whose record fits none that the number stands for.
    pub(crate) clash: Option<(usize, String)>,
    /// Records of file scope by tag, or by place when they have none.
    pub(crate) shared_records: FxHashMap<String, RecordId>,
    /// The first record without a tag of its kind, by its members, with its file.
    pub(crate) untagged: FxHashMap<String, (usize, RecordId)>,
    /// How many records without a tag a file has at a place.
    pub(crate) untagged_places: FxHashMap<(usize, Span), u32>,
}

impl Types {
    /// A table without records.
    pub(crate) fn new(model: DataModel) -> Types {
        Types {
            model,
            records: IndexVec::new(),
            members: vec![],
            names: NameSet::default(),
            va_tag: None,
            vectors: vec![],
            anonymous_records: 0,
            record_files: vec![],
            record_places: FxHashMap::default(),
            variants: Variants::default(),
            clash: None,
            shared_records: FxHashMap::default(),
            untagged: FxHashMap::default(),
            untagged_places: FxHashMap::default(),
        }
    }

    /// The size of a type; an error when it has none.
    pub(crate) fn size_of(&self, ty: &Ty, span: Span) -> Res<u64> {
        match ty {
            // gcc gives void and functions the size 1.
            Ty::Void | Ty::Func(_) => Ok(1),
            Ty::Refused(what) => unsupported(span, format!("{what} are not supported")),
            Ty::Float(16) => Ok(2),
            Ty::Vla(..) => unsupported(span, "the size of this type is not constant"),
            _ => match ty.lower().size(&self.records, self.model) {
                Some(size) if size <= i64::MAX as u64 => Ok(size),
                Some(_) => type_error(span, "the object is too large"),
                None => type_error(span, "the type is incomplete here"),
            },
        }
    }

    /// A record that has no members yet; without a name it gets one.
    pub(crate) fn new_record(&mut self, name: &str, is_union: bool) -> RecordId {
        let unique = if name.is_empty() {
            self.anonymous_records += 1;
            self.names.fresh(&format!("anon__{}", self.anonymous_records), |_| false)
        } else {
            self.names.fresh(name, |_| false)
        };
        self.members.push(vec![]);
        self.record_files.push(None);
        self.records.push(RecordDef::new(unique, is_union))
    }

    /// Gives a record its members; `file`: where they are declared.
    pub(crate) fn complete(&mut self, file: usize, record: RecordId, layout: Layout) {
        let def = &mut self.records[record];
        def.fields = layout.fields;
        def.size = layout.size;
        def.align = layout.align;
        def.complete = true;
        self.members[record.index()] = layout.members;
        self.record_files[record.index()] = Some(file);
    }

    /// The type of `va_list`: an array of one record on x86-64, a pointer on i386.
    pub(crate) fn va_list(&mut self, file: usize) -> Ty {
        if self.model == ir::DataModel::Ilp32 {
            return Ty::ptr_to(Ty::Int(IntTy::CHAR));
        }
        let record = match self.va_tag {
            Some(record) => record,
            None => {
                let record = self.new_record("__va_list_tag", false);
                let member = |name: &str, ty: Ty| MemberSpec {
                    name: name.into(),
                    ty: ty.into(),
                    bits: None,
                    align: None,
                    packed: false,
                };
                let specs = vec![
                    member("gp_offset", Ty::Int(IntTy::UINT)),
                    member("fp_offset", Ty::Int(IntTy::UINT)),
                    member("overflow_arg_area", Ty::void_ptr()),
                    member("reg_save_area", Ty::void_ptr()),
                ];
                let layout = self.lay_out(false, specs, RecordAttrs::default());
                self.complete(file, record, layout.expect("the members are scalars"));
                self.va_tag = Some(record);
                record
            }
        };
        Ty::Array(Rc::new(Ty::Record(record).into()), Some(1))
    }

    /// The record that stands for an array whose length is given only by its definition in another file: it has
    /// one element.
    pub(crate) fn array_elsewhere(&mut self, file: usize, name: &str, elem: &QTy) -> Type {
        let ty = Ty::Array(Rc::new(elem.clone()), None);
        let member = Member { name: "elements".to_owned(), ty: ty.clone().into(), bits: None };
        let field = Field { name: member.name.clone(), ty: ty.lower(), offset: 0, bit_offset: None };
        let size = elem.ty.lower().size(&self.records, self.model).unwrap_or(0);
        let record = self.new_record(&format!("{name}__array"), false);
        let align = self.align_of_qualified(elem);
        self.complete(file, record, Layout { fields: vec![field], members: vec![member], size, align });
        self.records[record].elsewhere = true;
        Type::Record(record)
    }
}
