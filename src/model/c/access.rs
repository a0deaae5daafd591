//! Places in memory: which one an expression means, reading it and writing it.
//!
//! Every statement that is made here touches at most one variable that others see: a write is a step of its own, and so
//! is a read whose value is needed together with another. An element whose index is known only when the program runs is
//! found by comparing the index, which others do not see.

use super::lower::{Entity, Lower, Lowered, mistake, unsupported};
use super::types::{CType, IntType, Leaf};
use super::value::{BEHIND_ALL, Index, Number, Place, Pointer, Truth, Value};
use crate::model::program::{Domain, Form, Interval, Op, Var};
use calculus::span::Span;
use lang_c::ast::{BinaryOperator, Expression, MemberOperator, UnaryOperator};
use lang_c::span::Node;
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// The place that an expression on the left of `=` means.
    pub fn place(&mut self, expression: &'a Node<Expression>) -> Lowered<Place> {
        let span = self.span(expression);
        let no_place = || mistake(span, "this is no variable", "it has no place in memory");
        match &expression.node {
            Expression::Identifier(name) => match self.entity(&name.node.name, span)? {
                Entity::Object(object) => Ok(Place::whole(&object)),
                Entity::Value(Value::Aggregate(place)) => Ok(place),
                Entity::Value(Value::Pointer(_)) | Entity::Unbound => Err(unsupported(
                    span,
                    format!("the pointer `{}` is changed, or its own address is taken", name.node.name),
                    "a pointer keeps the address that it gets where it is declared",
                )),
                Entity::Value(_) | Entity::Constant(..) | Entity::Type(_) | Entity::Refused => {
                    Err(no_place())
                }
            },
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                let pointer = self.value(&unary.node.operand)?;
                self.target(pointer, span)
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                let base = self.value(&binary.node.lhs)?;
                let base = match base {
                    Value::Pointer(_) => base,
                    _ => {
                        return Err(unsupported(
                            span,
                            "this is not an array",
                            "write the array before the index",
                        ));
                    }
                };
                let index = self.value(&binary.node.rhs)?;
                let index = self.number(index, span)?;
                let Value::Pointer(pointer) = base else { return Err(no_place()) };
                let element = self.moved(pointer, index, span)?;
                self.target(Value::Pointer(element), span)
            }
            Expression::Member(member) => {
                let member = &member.node;
                let base = match member.operator.node {
                    MemberOperator::Direct => self.place(&member.expression)?,
                    MemberOperator::Indirect => {
                        let pointer = self.value(&member.expression)?;
                        self.target(pointer, span)?
                    }
                };
                self.field(base, &member.identifier.node.name, span)
            }
            Expression::Cast(_)
            | Expression::Constant(_)
            | Expression::StringLiteral(_)
            | Expression::GenericSelection(_)
            | Expression::Call(_)
            | Expression::CompoundLiteral(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::UnaryOperator(_)
            | Expression::BinaryOperator(_)
            | Expression::Conditional(_)
            | Expression::Comma(_)
            | Expression::OffsetOf(_)
            | Expression::VaArg(_)
            | Expression::Statement(_) => {
                Err(unsupported(span, "the place that this means is not known", "name the variable"))
            }
        }
    }

    fn field(&mut self, base: Place, name: &str, span: Span) -> Lowered<Place> {
        let CType::Struct(structure) = &base.of else {
            return Err(mistake(span, format!("{} has no members", base.of.words()), "a member is named"));
        };
        let mut offset = base.offset;
        for (field, of) in &structure.fields {
            if field == name {
                let of = of.clone();
                return Ok(Place { offset, of, room: None, ..base });
            }
            offset += of.leaves();
        }
        Err(mistake(span, format!("`{}` has no member `{name}`", structure.name), "not known"))
    }

    /// What a pointer points to.
    pub fn target(&mut self, pointer: Value, span: Span) -> Lowered<Place> {
        match pointer {
            Value::Pointer(Pointer::To(place)) => {
                if place.object.unit.is_some_and(|unit| unit != self.current) {
                    let title =
                        format!("a thread uses `{}`, a local variable of another one", place.object.name);
                    return Err(unsupported(span, title, "make it a global variable"));
                }
                if place.room.is_some_and(|(_, behind)| behind == BEHIND_ALL) {
                    self.check(Truth::constant(false), span);
                    self.stop(span);
                    // The run never comes here: the last element will do.
                    let offset = place.offset.saturating_sub(place.of.leaves());
                    return Ok(Place { offset, room: None, ..place });
                }
                Ok(place)
            }
            Value::Pointer(Pointer::Null) => {
                Err(unsupported(span, "a null pointer is followed", "check the pointer where it is given"))
            }
            Value::Pointer(Pointer::Text) => Err(unsupported(
                span,
                "the characters of strings are not supported",
                "use an array of numbers",
            )),
            _ => Err(unsupported(
                span,
                "what this points to is not known",
                "pointers are addresses of variables, given to functions or named where they are declared",
            )),
        }
    }

    /// A pointer as one of another type: the memory has to be what the type says.
    pub fn pointing(&self, value: Value, to: &CType, span: Span) -> Lowered<Value> {
        let plain = |of: &CType| match of {
            CType::Int(int) => CType::Int(IntType { atomic: false, ..*int }),
            of => of.clone(),
        };
        match &value {
            Value::Pointer(Pointer::To(place)) if *to != CType::Void && plain(&place.of) != plain(to) => {
                let title = format!("a pointer to {} is used as one to {}", place.of.words(), to.words());
                Err(unsupported(span, title, "use memory as what it was declared"))
            }
            Value::Number(number) if number.known() == Some(0) => Ok(Value::Pointer(Pointer::Null)),
            _ => Ok(value),
        }
    }

    /// A pointer to another element of the same array.
    pub fn moved(&mut self, pointer: Pointer, by: Number, span: Span) -> Lowered<Pointer> {
        let Pointer::To(place) = pointer else {
            self.target(Value::Pointer(pointer), span)?;
            return Err(unsupported(span, "this is not an array", "write the array before the index"));
        };
        let (before, behind) = place.room.unwrap_or((0, 0));
        let last = if behind == BEHIND_ALL { -1 } else { behind as i128 };
        let (low, high) = (-(before as i128), last);
        let stride = place.of.leaves();
        if let Some(by) = by.known() {
            if by < low || by > high + 1 {
                self.check(Truth::constant(false), span);
                self.stop(span);
                // The run never comes here: any element will do.
                return Ok(Pointer::To(place));
            }
            let offset = place.offset as i128 + by * stride as i128;
            let behind = usize::try_from(last - by).unwrap_or(BEHIND_ALL);
            let room = Some(((before as i128 + by) as usize, behind));
            return Ok(Pointer::To(Place { offset: offset as usize, room, ..place }));
        }
        let by = self.settled(by, span);
        let at_least = by.clone().compared(Op::AtLeast, Number::constant(low, by.of));
        let at_most = by.clone().compared(Op::AtMost, Number::constant(high, by.of));
        if by.narrowed || by.interval.low < low || by.interval.high > high {
            self.check(at_least.combined(Op::And, at_most), span);
        }
        let count = (before as i128 + last + 1) as usize;
        // Counted from the first element.
        let first = Number::constant(before as i128, by.of);
        let interval = Interval { low: 0, high: count as i128 - 1 };
        let number = match before {
            0 => Number { interval, narrowed: false, ..by },
            _ => by.with(Op::Plus, first, interval, IntType::LONG),
        };
        let mut indices = place.indices.clone();
        indices.push(Index { number, count, stride });
        let offset = place.offset - before * stride;
        Ok(Pointer::To(Place { offset, indices, room: None, ..place }))
    }

    /// The address of a place, as arrays have it: that of the first element.
    pub fn decayed(&mut self, place: Place) -> Place {
        match &place.of {
            CType::Array(element, count) => {
                let of = (**element).clone();
                Place { of, room: Some((0, count.saturating_sub(1))), ..place }
            }
            _ => place,
        }
    }

    /// Executes something for the scalar that a place is, whatever its indices are.
    fn each_scalar(
        &mut self,
        place: &Place,
        span: Span,
        access: &mut dyn FnMut(&mut Self, Var, Leaf) -> Lowered<()>,
    ) -> Lowered<()> {
        let mut indices = place.indices.clone();
        let Some(index) = indices.pop() else {
            let Some((var, leaf)) = place.object.scalars.get(place.offset).copied() else {
                // An array without elements: its index was never inside.
                self.stop(span);
                return Ok(());
            };
            return access(self, var, leaf);
        };
        let rest = Place { indices, ..place.clone() };
        self.each_element(&rest, &index, (0, index.count), span, access)
    }

    /// By halves: so many comparisons as the count of elements has digits.
    fn each_element(
        &mut self,
        place: &Place,
        index: &Index,
        (low, high): (usize, usize),
        span: Span,
        access: &mut dyn FnMut(&mut Self, Var, Leaf) -> Lowered<()>,
    ) -> Lowered<()> {
        if high - low <= 1 {
            let place = Place { offset: place.offset + low * index.stride, ..place.clone() };
            return self.each_scalar(&place, span, access);
        }
        let middle = low + (high - low) / 2;
        let less = index.number.clone().compared(Op::Less, Number::constant(middle as i128, index.number.of));
        let reserved = self.emitter.reserve(span);
        self.emitter.open();
        let first = self.each_element(place, index, (low, middle), span, access);
        let then = self.emitter.close(span);
        self.emitter.open();
        let second = self.each_element(place, index, (middle, high), span, access);
        let otherwise = self.emitter.close(span);
        self.emitter.put(reserved, Form::If { condition: less.expression(span), then, otherwise });
        first.and(second)
    }

    /// The value at a place.
    pub fn load(&mut self, place: Place, span: Span) -> Lowered<Value> {
        let leaf = match &place.of {
            CType::Array(..) => return Ok(Value::Pointer(Pointer::To(self.decayed(place)))),
            CType::Struct(_) => return Ok(Value::Aggregate(place)),
            CType::Int(of) => Leaf::Int(*of),
            CType::Thread => Leaf::Thread,
            of @ (CType::Void
            | CType::Pointer(_)
            | CType::Mutex
            | CType::Stateless
            | CType::Semaphore
            | CType::Barrier
            | CType::Function(_)) => {
                let title = format!("`{}` is {}, and its value is used", place.object.name, of.words());
                return Err(unsupported(
                    span,
                    title,
                    "give it to the functions for such things, by its address",
                ));
            }
        };
        if place.indices.is_empty() {
            let Some((var, stored)) = place.object.scalars.get(place.offset).copied() else {
                self.stop(span);
                return Ok(Value::int(0));
            };
            self.same_leaf(stored, leaf, span)?;
            return Ok(self.read(var, leaf));
        }
        let domain = self.domain_of(leaf);
        let result = match domain.count() {
            // Bits have no names.
            0..=2 => self.temporary(domain, span),
            _ => self.on_the_way(&format!("{}[]", place.object.name), domain, span),
        };
        self.each_scalar(&place, span, &mut |this, var, stored| {
            this.same_leaf(stored, leaf, span)?;
            this.emitter.assign(result, vec![Op::Old(var)], span);
            Ok(())
        })?;
        Ok(self.read(result, leaf))
    }

    /// Memory is read as what it was declared.
    fn same_leaf(&self, stored: Leaf, read: Leaf, span: Span) -> Lowered<()> {
        let plain = |leaf| match leaf {
            Leaf::Int(of) => Leaf::Int(IntType { atomic: false, ..of }),
            leaf => leaf,
        };
        if plain(stored) == plain(read) {
            return Ok(());
        }
        let title = "a variable is used as something of another type";
        Err(unsupported(span, title, "use it as what it was declared"))
    }

    /// The value of a variable.
    pub fn read(&self, var: Var, leaf: Leaf) -> Value {
        let domain = self.domain(var);
        match (leaf, domain) {
            (_, Domain::Bool) => Value::Truth(Truth::variable(var)),
            (Leaf::Int(of), domain) => Value::Number(Number::variable(var, domain, of)),
            (_, domain) => Value::Number(Number::variable(var, domain, IntType::SIZE)),
        }
    }

    /// Writes a value.
    pub fn store(&mut self, place: &Place, value: Value, span: Span) -> Lowered<()> {
        if let (CType::Struct(_), Value::Aggregate(from)) = (&place.of, &value) {
            return self.copy(place, from, span);
        }
        let leaf = match &place.of {
            CType::Int(of) => Leaf::Int(*of),
            CType::Thread => Leaf::Thread,
            CType::Mutex => Leaf::Mutex,
            of @ (CType::Void
            | CType::Pointer(_)
            | CType::Array(..)
            | CType::Struct(_)
            | CType::Stateless
            | CType::Semaphore
            | CType::Barrier
            | CType::Function(_)) => {
                let title = format!("{} is assigned", of.words());
                return Err(unsupported(span, title, "assign numbers, or structures as a whole"));
            }
        };
        let value = match leaf {
            Leaf::Int(of) => self.stored(value, of, span)?,
            _ => value,
        };
        // The write is the only access of its step, unless nobody comes between.
        let value = match value.shared() && self.atomic == 0 && place.is_shared() {
            true => self.settled_value(value, span),
            false => value,
        };
        self.each_scalar(&place.clone(), span, &mut |this, var, stored| {
            this.same_leaf(stored, leaf, span)?;
            this.write(var, value.clone(), span)
        })
    }

    /// A variable gets a value, in one step.
    pub fn write(&mut self, var: Var, value: Value, span: Span) -> Lowered<()> {
        match (self.domain(var).clone(), value) {
            (Domain::Bool, Value::Truth(truth)) => {
                self.emitter.assign(var, truth.code, span);
            }
            (Domain::Bool, Value::Number(number)) => {
                self.emitter.assign(var, number.differs_from_zero().code, span);
            }
            (_, Value::Truth(truth)) => {
                return self.branch(
                    truth,
                    span,
                    |this| {
                        this.emitter.assign(var, vec![Op::Number(1)], span);
                        Ok(())
                    },
                    |this| {
                        this.emitter.assign(var, vec![Op::Number(0)], span);
                        Ok(())
                    },
                );
            }
            (domain, Value::Number(number)) => {
                if !domain.takes(number.interval) {
                    let why = format!("a value leaves {} bits", self.words.width);
                    self.cuts.entry(span).or_insert(why);
                }
                self.emitter.assign(var, number.code, span);
            }
            (_, value) => {
                let title = format!("{} is assigned to a number", value.words());
                return Err(unsupported(span, title, "assign a number"));
            }
        }
        Ok(())
    }

    /// What a variable of a type gets.
    pub fn stored(&mut self, value: Value, of: IntType, span: Span) -> Lowered<Value> {
        match value {
            Value::Truth(truth) => Ok(Value::Truth(truth)),
            Value::Number(number) if of.truth => Ok(Value::Truth(number.differs_from_zero())),
            Value::Number(number) => match of.domain(self.words.width) {
                // The domain is the type, and wraps by itself.
                Domain::Range { wraps: true, .. } => Ok(Value::Number(Number { of, ..number })),
                _ => Ok(Value::Number(self.converted(number, of, span)?)),
            },
            Value::Pointer(_) if of.truth => Ok(Value::Truth(self.truth(value, span)?)),
            Value::Pointer(_) | Value::Aggregate(_) | Value::Void => {
                let title = format!("{} is assigned to a number", value.words());
                Err(unsupported(span, title, "assign a number"))
            }
        }
    }

    /// Structures are copied member by member, as memory is.
    fn copy(&mut self, to: &Place, from: &Place, span: Span) -> Lowered<()> {
        if to.of != from.of {
            return Err(mistake(span, "structures of different types", "assigned here"));
        }
        let mut leaves = Vec::new();
        to.of.scalars("", &mut leaves);
        for (at, (_, leaf)) in leaves.into_iter().enumerate() {
            let of = match leaf {
                Leaf::Int(of) => CType::Int(of),
                Leaf::Thread => CType::Thread,
                Leaf::Mutex | Leaf::Semaphore | Leaf::Pointer => {
                    let title = "a structure with a mutex, a semaphore or a pointer is copied";
                    return Err(unsupported(span, title, "copy the other members one by one"));
                }
            };
            let part = |place: &Place| Place { offset: place.offset + at, of: of.clone(), ..place.clone() };
            let value = self.load(part(from), span)?;
            self.store(&part(to), value, span)?;
        }
        Ok(())
    }

    /// The type of an expression, where it can be told without translating it.
    pub fn type_of(&mut self, expression: &'a Node<Expression>) -> Lowered<CType> {
        let span = self.span(expression);
        match &expression.node {
            Expression::Identifier(name) => match self.entity(&name.node.name, span)? {
                Entity::Object(object) => Ok(object.of.clone()),
                Entity::Constant(_, of) => Ok(CType::Int(of)),
                Entity::Value(Value::Number(number)) => Ok(CType::Int(number.of)),
                Entity::Value(Value::Truth(_)) => Ok(CType::Int(IntType::INT)),
                Entity::Value(Value::Aggregate(place)) => Ok(place.of),
                Entity::Value(Value::Pointer(Pointer::To(place))) => Ok(CType::Pointer(Rc::new(place.of))),
                Entity::Value(_) | Entity::Type(_) | Entity::Unbound | Entity::Refused => {
                    Err(unsupported(span, "the type of this is not known", "name the type"))
                }
            },
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                match self.type_of(&binary.node.lhs)? {
                    CType::Array(of, _) | CType::Pointer(of) => Ok((*of).clone()),
                    _ => Err(mistake(span, "this is not an array", "an index is given")),
                }
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                match self.type_of(&unary.node.operand)? {
                    CType::Array(of, _) | CType::Pointer(of) => Ok((*of).clone()),
                    _ => Err(mistake(span, "this is no pointer", "followed here")),
                }
            }
            Expression::Constant(constant) => Ok(CType::Int(self.literal(constant)?.1)),
            Expression::Cast(cast) => self.type_name(&cast.node.type_name),
            Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
                let name = &member.node.identifier.node.name;
                match self.type_of(&member.node.expression)? {
                    CType::Struct(of) => match of.fields.iter().find(|(field, _)| field == name) {
                        Some((_, of)) => Ok(of.clone()),
                        None => Err(mistake(span, "there is no such member", "named here")),
                    },
                    _ => Err(mistake(span, "this is no structure", "a member is named")),
                }
            }
            _ => self.computed_type(expression),
        }
    }
}
