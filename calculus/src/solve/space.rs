//! The bits of every lane and slot, and the BDDs of values, equalities and conditions over them.

use crate::bdd::{Bdd, Cube, Manager, Stop, Var};
use crate::check::tree::Comparison;
use crate::elaborate::core::{Arg, Constraint, Operand, shifted};
use crate::plan::{Lanes, Place, Placement};
use crate::sort::{Sort, SortId, Sorts, Value, Width};

pub struct Space {
    pub manager: Manager,
    pub sorts: Sorts,
    /// For each lane and slot the bits, the most significant first.
    bits: Vec<Vec<Vec<Var>>>,
    lane_sorts: Vec<SortId>,
}

impl Space {
    /// Makes the variables: lane after lane, bit after bit, the copies of one bit side by side as a group.
    pub fn new(manager: Manager, sorts: Sorts, lanes: &Lanes, placement: &Placement) -> Result<Space, Stop> {
        let mut bits = placement.slots.iter().map(|slots| vec![Vec::new(); slots.len()]).collect::<Vec<_>>();
        for &lane in &placement.lanes {
            let slots = &placement.slots[lane];
            for _ in 0..lanes.bits(&sorts, lane) {
                let copies = if slots.is_empty() { Vec::new() } else { manager.new_group(slots.len())? };
                slots.iter().zip(copies).for_each(|(&slot, var)| bits[lane][slot].push(var));
            }
        }
        Ok(Space { manager, sorts, bits, lane_sorts: lanes.sorts.clone() })
    }

    pub fn vars(&self, lane: usize, slot: usize) -> &[Var] {
        &self.bits[lane][slot]
    }

    pub fn place_vars(&self, place: Place) -> &[Var] {
        match place {
            Place::Key(_) => &[],
            Place::Bits { lane, slot } => self.vars(lane, slot),
        }
    }

    pub fn cube(&self, places: impl IntoIterator<Item = Place>) -> Result<Cube, Stop> {
        let vars = places.into_iter().flat_map(|place| self.place_vars(place).to_vec()).collect::<Vec<_>>();
        self.manager.cube(&vars)
    }

    /// The slot holds a value of the sort, not a pattern that encodes none.
    pub fn valid(&self, lane: usize, slot: usize) -> Result<Bdd, Stop> {
        let sort = self.lane_sorts[lane];
        let bits = self.vars(lane, slot);
        match self.sorts.scalar_size(sort) {
            Some(size) if size < 1u64 << bits.len() => {
                let bits = bits.iter().map(|&var| self.manager.var(var)).collect::<Vec<_>>();
                self.at_most(&bits, size - 1)
            }
            _ => Ok(self.manager.one()),
        }
    }

    /// The slot holds this value.
    pub fn is_value(&self, lane: usize, slot: usize, value: &Value) -> Result<Bdd, Stop> {
        let code = encode(&self.sorts, self.lane_sorts[lane], value);
        let mut out = self.manager.one();
        for (&var, bit) in self.vars(lane, slot).iter().zip(code).rev() {
            out = out.and(&self.manager.literal(var, bit))?;
        }
        Ok(out)
    }

    /// Both slots hold the same pattern.
    pub fn equal(&self, lane: usize, left: usize, right: usize) -> Result<Bdd, Stop> {
        let pairs = self.vars(lane, left).iter().zip(self.vars(lane, right));
        let mut out = self.manager.one();
        for (&a, &b) in pairs.rev() {
            out = self.manager.var(a).iff(&self.manager.var(b))?.and(&out)?;
        }
        Ok(out)
    }

    /// A condition without keys. A comparison holds only of values of the sorts.
    pub fn condition(&self, constraint: &Constraint, place: &impl Fn(usize) -> Place) -> Result<Bdd, Stop> {
        Ok(match constraint {
            Constraint::Const(value) => self.manager.constant(*value),
            Constraint::Defined(operand) => self.operand(operand, place)?.1,
            Constraint::Compare(comparison, left, right) => {
                let (left, left_defined) = self.operand(left, place)?;
                let (right, right_defined) = self.operand(right, place)?;
                let holds = match comparison {
                    Comparison::Eq => self.equal_bits(&left, &right)?,
                    Comparison::Lt => self.less(&left, &right, false)?,
                    Comparison::Le => self.less(&left, &right, true)?,
                };
                holds.and(&left_defined)?.and(&right_defined)?
            }
            Constraint::Not(inner) => self.condition(inner, place)?.not(),
            Constraint::And(parts) => {
                let mut out = self.manager.one();
                for part in parts {
                    out = out.and(&self.condition(part, place)?)?;
                }
                out
            }
            Constraint::Or(parts) => {
                let mut out = self.manager.zero();
                for part in parts {
                    out = out.or(&self.condition(part, place)?)?;
                }
                out
            }
        })
    }

    /// The bits of an operand, and when it has a value.
    fn operand(&self, operand: &Operand, place: &impl Fn(usize) -> Place) -> Result<(Vec<Bdd>, Bdd), Stop> {
        let var = match &operand.arg {
            // A variable that was settled may leave its shift behind: `x - 1` with `x = 1`.
            Arg::Const(value) => {
                let sum = shifted(&self.sorts, operand.sort, value, operand.shift);
                let code = encode(&self.sorts, operand.sort, sum.as_ref().unwrap_or(value));
                return Ok((
                    code.into_iter().map(|bit| self.manager.constant(bit)).collect(),
                    self.manager.constant(sum.is_some()),
                ));
            }
            Arg::Var(var) => *var,
        };
        let Place::Bits { lane, slot } = place(var) else {
            unreachable!("keys are replaced by their values before")
        };
        let bits = self.vars(lane, slot).iter().map(|&var| self.manager.var(var)).collect::<Vec<_>>();
        if operand.shift == 0 {
            return Ok((bits, self.valid(lane, slot)?));
        }
        // code + shift lies in 0..size-1, so code lies in max(0, -shift)..min(size-1, size-1-shift).
        let last = i128::from(self.sorts.scalar_size(operand.sort).expect("only ranges are shifted")) - 1;
        let shift = i128::from(operand.shift);
        let (lo, hi) = ((-shift).max(0), last.min(last - shift));
        if lo > hi {
            return Ok((bits, self.manager.zero()));
        }
        let defined = self.at_most(&bits, hi as u64)?.and(&self.at_least(&bits, lo as u64)?)?;
        Ok((self.plus(&bits, operand.shift)?, defined))
    }

    fn constant_bits(&self, width: usize, value: u64) -> Vec<Bdd> {
        (0..width).rev().map(|bit| self.manager.constant(value >> bit & 1 == 1)).collect()
    }

    fn at_most(&self, bits: &[Bdd], value: u64) -> Result<Bdd, Stop> {
        self.less(bits, &self.constant_bits(bits.len(), value), true)
    }

    fn at_least(&self, bits: &[Bdd], value: u64) -> Result<Bdd, Stop> {
        self.less(&self.constant_bits(bits.len(), value), bits, true)
    }

    fn equal_bits(&self, left: &[Bdd], right: &[Bdd]) -> Result<Bdd, Stop> {
        let mut out = self.manager.one();
        for (a, b) in left.iter().zip(right).rev() {
            out = a.iff(b)?.and(&out)?;
        }
        Ok(out)
    }

    /// `left < right`, or `left <= right`.
    fn less(&self, left: &[Bdd], right: &[Bdd], or_equal: bool) -> Result<Bdd, Stop> {
        let mut out = self.manager.constant(or_equal);
        for (a, b) in left.iter().zip(right).rev() {
            out = a.iff(b)?.and(&out)?.or(&b.and_not(a)?)?;
        }
        Ok(out)
    }

    /// The sum with a constant, modulo the width.
    fn plus(&self, bits: &[Bdd], amount: i64) -> Result<Vec<Bdd>, Stop> {
        let mut carry = self.manager.zero();
        let mut out = Vec::new();
        for (position, bit) in bits.iter().rev().enumerate() {
            let add = position < 64 && amount >> position & 1 == 1;
            let sum = bit.xor(&carry)?;
            out.push(if add { sum.not() } else { sum });
            carry = if add { bit.or(&carry)? } else { bit.and(&carry)? };
        }
        out.reverse();
        Ok(out)
    }
}

/// The bits of a scalar value, the most significant first.
pub fn encode(sorts: &Sorts, sort: SortId, value: &Value) -> Vec<bool> {
    if let Value::Bits(bits) = value {
        return bits.clone();
    }
    let (code, width) = (code(sorts, sort, value), sorts.bits(sort));
    (0..width).rev().map(|bit| code >> bit & 1 == 1).collect()
}

/// The scalar value of these bits.
pub fn decode(sorts: &Sorts, sort: SortId, bits: &[bool]) -> Value {
    match sorts.get(sort) {
        Sort::Opaque { width: Width::Bits(_), .. } => Value::Bits(bits.to_vec()),
        _ => value_of(sorts, sort, bits.iter().fold(0, |code, &bit| code << 1 | u64::from(bit))),
    }
}

/// The number of a scalar value, counted from 0.
pub fn code(sorts: &Sorts, sort: SortId, value: &Value) -> u64 {
    match (value, sorts.get(sort)) {
        (Value::Bool(value), _) => u64::from(*value),
        (Value::Int(value), Sort::Range { lo, .. }) => value.wrapping_sub(*lo) as u64,
        (Value::Name(number), _) => *number,
        _ => unreachable!("a checked scalar value"),
    }
}

/// The scalar value with this number.
pub fn value_of(sorts: &Sorts, sort: SortId, code: u64) -> Value {
    match sorts.get(sort) {
        Sort::Bool => Value::Bool(code == 1),
        Sort::Range { lo, .. } => Value::Int(lo.wrapping_add(code as i64)),
        Sort::Enum { .. } | Sort::Opaque { .. } => Value::Name(code),
        Sort::Record { .. } | Sort::Vector { .. } => unreachable!("only scalars have codes"),
    }
}
