//! Integers that are computed from values of ranges: `x + y`, `x % 4`, `min(x, y)`.
//!
//! They are integers in the mathematical sense. Nothing wraps around, and only the whole must lie in a range.

/// What is computed of two numbers. Division is Euclidean: the remainder is never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`; b is static
    Mul,
    /// `a / b`; b is static and not 0
    Div,
    /// `a % b`; b is static and not 0
    Rem,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
}

impl Arithmetic {
    /// The sign between the operands, or the name before them.
    pub fn symbol(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Sub => "-",
            Arithmetic::Mul => "*",
            Arithmetic::Div => "/",
            Arithmetic::Rem => "%",
            Arithmetic::Min => "min",
            Arithmetic::Max => "max",
        }
    }

    /// The result, if it has at most 128 bits.
    pub fn of(self, a: i128, b: i128) -> Option<i128> {
        match self {
            Arithmetic::Add => a.checked_add(b),
            Arithmetic::Sub => a.checked_sub(b),
            Arithmetic::Mul => a.checked_mul(b),
            Arithmetic::Div => a.checked_div_euclid(b),
            Arithmetic::Rem => a.checked_rem_euclid(b),
            Arithmetic::Min => Some(a.min(b)),
            Arithmetic::Max => Some(a.max(b)),
        }
    }
}

/// A number over values `T`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number<T> {
    /// A value of a range.
    Of(T),
    /// Always this number.
    Static(i128),
    /// Computed of two numbers.
    Apply(Arithmetic, Box<[Number<T>; 2]>),
}

/// The least and the greatest value of a number.
pub type Bounds = (i128, i128);

/// Numbers beyond this are refused, so that nothing here needs more than 128 bits.
const LIMIT: i128 = 1 << 100;

impl<T> Number<T> {
    /// `a op b`, in the simplest form: what is static is computed, and a static summand stands last, added.
    pub fn apply(op: Arithmetic, a: Number<T>, b: Number<T>) -> Number<T> {
        use Arithmetic::{Add, Mul, Sub};
        use Number::{Apply, Static};
        match (op, a, b) {
            (op, Static(a), Static(b)) => match op.of(a, b).filter(|result| is_small(*result)) {
                Some(result) => Static(result),
                None => Apply(op, Box::new([Static(a), Static(b)])),
            },
            (Add | Mul, a @ Static(_), b) => Number::apply(op, b, a),
            (Sub, a, Static(b)) => Number::apply(Add, a, Static(-b)),
            (Add, a, Static(0)) | (Mul, a, Static(1)) => a,
            (Mul, _, Static(0)) => Static(0),
            (Add, Apply(Add, parts), Static(b)) => match *parts {
                [inner, Static(a)] if is_small(a + b) => Number::apply(Add, inner, Static(a + b)),
                parts => Apply(Add, Box::new([Apply(Add, Box::new(parts)), Static(b)])),
            },
            (op, a, b) => Apply(op, Box::new([a, b])),
        }
    }

    /// Calls `see` for every value in it.
    pub fn each<'n>(&'n self, see: &mut impl FnMut(&'n T)) {
        match self {
            Number::Of(value) => see(value),
            Number::Static(_) => {}
            Number::Apply(_, parts) => parts.iter().for_each(|part| part.each(see)),
        }
    }

    /// The same over other values.
    pub fn map<U>(&self, to: &mut impl FnMut(&T) -> U) -> Number<U> {
        match self {
            Number::Of(value) => Number::Of(to(value)),
            Number::Static(number) => Number::Static(*number),
            Number::Apply(op, parts) => {
                let [a, b] = &**parts;
                let (a, b) = (a.map(to), b.map(to));
                Number::Apply(*op, Box::new([a, b]))
            }
        }
    }

    /// What it is if `of` knows the values in it.
    pub fn value(&self, of: &impl Fn(&T) -> Option<i128>) -> Option<i128> {
        match self {
            Number::Of(value) => of(value),
            Number::Static(number) => Some(*number),
            Number::Apply(op, parts) => op.of(parts[0].value(of)?, parts[1].value(of)?),
        }
    }

    /// Between which numbers it lies; none if these are too large to be computed with.
    pub fn bounds(&self, of: &impl Fn(&T) -> Bounds) -> Option<Bounds> {
        let (lo, hi) = match self {
            Number::Of(value) => of(value),
            Number::Static(number) => (*number, *number),
            Number::Apply(op, parts) => {
                let (a, b) = (parts[0].bounds(of)?, parts[1].bounds(of)?);
                let (divisor, ends) = (b.0.checked_abs()?, [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)]);
                match op {
                    // Within one block of |b| numbers the remainder grows.
                    Arithmetic::Rem if a.0.div_euclid(divisor) == a.1.div_euclid(divisor) => {
                        (a.0.rem_euclid(divisor), a.1.rem_euclid(divisor))
                    }
                    Arithmetic::Rem => (0, divisor - 1),
                    // Monotone in each operand.
                    op => {
                        let ends = ends.map(|(a, b)| op.of(a, b)).into_iter().collect::<Option<Vec<_>>>()?;
                        (*ends.iter().min()?, *ends.iter().max()?)
                    }
                }
            }
        };
        (is_small(lo) && is_small(hi)).then_some((lo, hi))
    }
}

fn is_small(number: i128) -> bool {
    (-LIMIT..=LIMIT).contains(&number)
}
