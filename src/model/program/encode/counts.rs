//! How many bits a row can tell apart: it counts the bits of a value in 16 bits. More are refused, because two of
//! them would be one.

use crate::model::program::Variable;
use crate::model::program::cfg::Cfg;
use calculus::diagnostic::Diagnostic;
use calculus::span::Span;

/// At most so many bits for the shared variables, for each thread's own, and for the locals of one procedure with all
/// that is inlined into it. The last number of 16 bits is no position.
pub const MAX_BITS: usize = u16::MAX as usize;

const HELP: &str = "split the program; with `--inline never`, procedures keep their locals to themselves";

/// A mistake if there are more shared or own variables than rows can tell apart.
pub fn check_globals(cfg: &Cfg) -> Result<(), Diagnostic> {
    few_enough("the program has", "shared variables", &cfg.shared)?;
    few_enough("the threads have", "variables of their own", &cfg.own)
}

fn few_enough(who: &str, what: &str, variables: &[Variable]) -> Result<(), Diagnostic> {
    let bits = variables.iter().map(|variable| variable.domain.bits() as usize);
    let mut sums = bits.clone().scan(0, |sum, bits| {
        *sum += bits;
        Some(*sum)
    });
    let Some(surplus) = sums.position(|sum| sum > MAX_BITS).map(|at| &variables[at]) else { return Ok(()) };
    let all = bits.sum::<usize>();
    let count = variables.len();
    let title = match all == count {
        true => format!("{who} {count} {what}, and at most {MAX_BITS} are supported"),
        false => format!("{who} {count} {what} with {all} bits, and at most {MAX_BITS} are supported"),
    };
    let mistake = Diagnostic::error("bp::too_many_variables", title).help(HELP);
    // What the encoding adds stands in no text.
    Err(match surplus.span == Span::default() {
        true => mistake,
        false => mistake.label(surplus.span, "one too many"),
    })
}

/// The bits of the locals of one flow in 16 bits; a mistake if they do not fit.
pub fn narrow(name: &str, bits: &[Option<Vec<u32>>]) -> Result<Vec<Option<Vec<u16>>>, Diagnostic> {
    let needed = bits.iter().flatten().flatten().max().map_or(0, |last| *last as usize + 1);
    if needed > MAX_BITS {
        let title = format!(
            "`{name}`, with what is inlined into it, has {needed} bits of locals at once, and at most {MAX_BITS} are supported"
        );
        return Err(Diagnostic::error("bp::too_many_variables", title).help(HELP));
    }
    let narrow = |bit: &u32| u16::try_from(*bit).expect("counted above");
    Ok(bits.iter().map(|bits| Some(bits.as_ref()?.iter().map(narrow).collect())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bit_that_fits_is_taken_and_the_next_is_refused() {
        let last = u32::from(u16::MAX) - 1;
        let one = |bit: u32| Some(vec![bit]);
        assert_eq!(narrow("f", &[None, one(last)]), Ok(vec![None, Some(vec![u16::MAX - 1])]));
        for bit in [last + 1, last + 2, last + 3] {
            let mistake = narrow("f", &[one(0), one(bit)]).expect_err("two variables would be one bit");
            assert_eq!(mistake.code, "bp::too_many_variables");
        }
    }
}
