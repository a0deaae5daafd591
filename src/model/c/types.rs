//! Types of C as far as they are supported, and the numbers that a variable of each can have in the model.
//!
//! Sizes are those of 64-bit systems (LP64), and `char` has a sign.

use crate::model::program::{Domain, Interval};
use std::rc::Rc;

/// A type of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntType {
    pub bits: u32,
    pub signed: bool,
    /// `_Bool`: what is assigned becomes 0 or 1.
    pub truth: bool,
    /// `_Atomic`: reading, changing and writing is one step.
    pub atomic: bool,
}

impl IntType {
    pub const INT: IntType = IntType::new(32, true);
    pub const BOOL: IntType = IntType { truth: true, ..IntType::new(8, false) };
    pub const LONG: IntType = IntType::new(64, true);
    pub const SIZE: IntType = IntType::new(64, false);

    pub const fn new(bits: u32, signed: bool) -> IntType {
        IntType { bits, signed, truth: false, atomic: false }
    }

    /// All numbers of the type.
    pub fn interval(self) -> Interval {
        match (self.truth, self.signed) {
            (true, _) => Interval { low: 0, high: 1 },
            (false, true) => Interval { low: -(1 << (self.bits - 1)), high: (1 << (self.bits - 1)) - 1 },
            (false, false) => Interval { low: 0, high: (1 << self.bits) - 1 },
        }
    }

    /// The integer promotions.
    pub fn promoted(self) -> IntType {
        if self.bits < 32 { IntType::INT } else { IntType { truth: false, atomic: false, ..self } }
    }

    /// The usual arithmetic conversions.
    pub fn common(self, other: IntType) -> IntType {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal => IntType::new(a.bits, a.signed && b.signed),
        }
    }

    /// The numbers that a variable can have in a model with words of `width` bits. Where that is the whole type, a number
    /// outside is taken modulo its size, as conversions do; otherwise it leaves the model.
    pub fn domain(self, width: u32) -> Domain {
        if self.truth {
            return Domain::Bool;
        }
        let (bits, wraps) = if width >= self.bits { (self.bits, true) } else { (width, false) };
        let Interval { low, high } = IntType::new(bits, self.signed).interval();
        // 64 unsigned bits do not fit into the numbers of the model; widths stay below that.
        Domain::Range { low: low as i64, high: high as i64, wraps }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum CType {
    Void,
    Int(IntType),
    Pointer(Rc<CType>),
    Array(Rc<CType>, usize),
    Struct(Rc<Structure>),
    Mutex,
    /// A condition variable, or attributes: it has no state.
    Stateless,
    Semaphore,
    /// Four scalars: see [`super::barrier`].
    Barrier,
    /// `pthread_t`
    Thread,
    Function(Rc<CType>),
}

#[derive(Debug, PartialEq)]
pub struct Structure {
    pub name: String,
    pub fields: Vec<(String, CType)>,
}

/// What a scalar variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    Int(IntType),
    Mutex,
    Semaphore,
    Thread,
    /// A pointer inside an array or a structure: it can be declared and not used.
    Pointer,
}

impl CType {
    /// How many scalars it consists of.
    pub fn leaves(&self) -> usize {
        match self {
            CType::Void | CType::Stateless | CType::Function(_) => 0,
            CType::Int(_) | CType::Mutex | CType::Semaphore | CType::Thread | CType::Pointer(_) => 1,
            CType::Barrier => super::barrier::PARTS.len(),
            CType::Array(element, count) => element.leaves().saturating_mul(*count),
            CType::Struct(structure) => structure.fields.iter().map(|(_, field)| field.leaves()).sum(),
        }
    }

    /// Its scalars with what stands behind the variable's name: `[2].next`.
    pub fn scalars(&self, name: &str, out: &mut Vec<(String, Leaf)>) {
        match self {
            CType::Void | CType::Stateless | CType::Function(_) => {}
            CType::Int(of) => out.push((name.into(), Leaf::Int(*of))),
            CType::Mutex => out.push((name.into(), Leaf::Mutex)),
            CType::Semaphore => out.push((name.into(), Leaf::Semaphore)),
            CType::Thread => out.push((name.into(), Leaf::Thread)),
            CType::Barrier => {
                out.extend(super::barrier::PARTS.map(|(part, leaf)| (format!("{name}.{part}"), leaf)))
            }
            CType::Pointer(_) => out.push((name.into(), Leaf::Pointer)),
            CType::Array(element, count) => {
                (0..*count).for_each(|at| element.scalars(&format!("{name}[{at}]"), out));
            }
            CType::Struct(structure) => {
                let fields = structure.fields.iter();
                fields.for_each(|(field, of)| of.scalars(&format!("{name}.{field}"), out));
            }
        }
    }

    /// `sizeof`, where the layout of the machine is plain.
    pub fn size(&self) -> Option<i64> {
        self.layout().map(|(size, _)| size)
    }

    /// The size, and what the address is a multiple of.
    fn layout(&self) -> Option<(i64, i64)> {
        match self {
            CType::Int(of) => Some((i64::from(of.bits / 8), i64::from(of.bits / 8))),
            CType::Pointer(_) | CType::Thread => Some((8, 8)),
            CType::Array(element, count) => {
                let (size, step) = element.layout()?;
                Some((size.checked_mul(i64::try_from(*count).ok()?)?, step))
            }
            CType::Struct(structure) => {
                let up = |size: i64, step: i64| (size + step - 1) / step * step;
                let (mut size, mut most) = (0, 1);
                for (_, field) in &structure.fields {
                    let (more, step) = field.layout()?;
                    (size, most) = (up(size, step) + more, most.max(step));
                }
                Some((up(size, most), most))
            }
            _ => None,
        }
    }

    /// In the words of messages.
    pub fn words(&self) -> String {
        match self {
            CType::Void => "nothing".into(),
            CType::Int(IntType { truth: true, .. }) => "a _Bool".into(),
            CType::Int(IntType { bits, signed, .. }) => {
                let name = match bits {
                    8 => "char",
                    16 => "short",
                    32 => "int",
                    _ => "long",
                };
                if *signed {
                    format!("a number of type {name}")
                } else {
                    format!("a number of type unsigned {name}")
                }
            }
            CType::Pointer(_) => "a pointer".into(),
            CType::Array(..) => "an array".into(),
            CType::Struct(structure) => format!("a structure `{}`", structure.name),
            CType::Mutex => "a mutex".into(),
            CType::Stateless => "a condition variable or attributes".into(),
            CType::Semaphore => "a semaphore".into(),
            CType::Barrier => "a barrier".into(),
            CType::Thread => "a thread".into(),
            CType::Function(_) => "a function".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_those_of_the_standard() {
        let (char, short) = (IntType::new(8, true), IntType::new(16, false));
        let (unsigned, long) = (IntType::new(32, false), IntType::LONG);
        assert_eq!(char.common(short), IntType::INT);
        assert_eq!(IntType::INT.common(unsigned), unsigned);
        assert_eq!(unsigned.common(long), long);
        assert_eq!(long.common(IntType::SIZE), IntType::SIZE);
        assert_eq!(IntType::BOOL.common(IntType::BOOL), IntType::INT);
    }

    #[test]
    fn structures_have_the_sizes_of_the_machine() {
        let int = |bits| CType::Int(IntType::new(bits, true));
        let of = |fields: &[CType]| {
            let fields = fields.iter().map(|of| (String::new(), of.clone())).collect();
            CType::Struct(Rc::new(Structure { name: "s".into(), fields }))
        };
        assert_eq!(of(&[int(8), int(32), int(8)]).size(), Some(12));
        assert_eq!(of(&[int(8), int(16), of(&[int(64), int(8)])]).size(), Some(24));
        assert_eq!(of(&[int(8), CType::Mutex]).size(), None);
    }

    #[test]
    fn a_word_is_cut_unless_it_is_the_whole_type() {
        assert_eq!(IntType::INT.domain(4), Domain::Range { low: -8, high: 7, wraps: false });
        assert_eq!(IntType::new(32, false).domain(4), Domain::Range { low: 0, high: 15, wraps: false });
        assert_eq!(IntType::new(8, true).domain(9), Domain::Range { low: -128, high: 127, wraps: true });
        assert_eq!(IntType::BOOL.domain(4), Domain::Bool);
    }
}
