//! Linear temporal logic: a formula, given with a run, as an automaton of facts.
//!
//! A formula is data. It is parsed, and its negation is made into a Büchi automaton, which accepts the runs that
//! violate the formula. `use ltl;` makes the automaton known to a file, and the file says what a run is and how it is
//! checked. Whoever implements a front end says what the atoms of a formula mean, as [`Basic`] facts.
//!
//! | file | what it decides |
//! |---|---|
//! | `syntax` | what the text of a formula says |
//! | `formula` | formulas, and their negation normal form |
//! | `automaton` | the Büchi automaton |
//! | `letters` | the chapter `ltl` of a vocabulary |

pub mod automaton;
pub mod formula;
mod letters;
pub mod syntax;

pub use letters::{Basic, Code, Places, add};
pub use syntax::{Atom, Compared};

use automaton::{Automaton, MAX_EDGES};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::{Sources, Span};
use formula::{Connective, Formula};

/// The name of the chapter.
pub const NAME: &str = "ltl";

/// A formula with the facts that its atoms stand for, and the automaton of what violates it.
#[derive(Clone, Debug)]
pub struct Checked {
    pub basics: Vec<Basic>,
    /// Its letters have a bit for each basic fact.
    pub violations: Automaton,
}

/// A formula, and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaText {
    /// `--ltl`, or the name of a file.
    pub name: String,
    pub text: String,
}

/// What an atom means: one of these facts holds, or does not hold, as it is said.
pub type Meaning = Result<Vec<(Basic, bool)>, Diagnostic>;

/// The automaton of a formula, with atoms as a model understands them.
pub fn check(text: &FormulaText, meaning: &dyn Fn(&Atom) -> Meaning) -> Result<Checked, Rejection> {
    let mut sources = Sources::default();
    let file = sources.add(text.name.as_str(), text.text.as_str());
    let refused = |sources, diagnostics| Err(Rejection { sources, diagnostics });
    let parsed = match syntax::parse(file, &text.text) {
        Ok(parsed) => parsed,
        Err(mistake) => return refused(sources, vec![mistake]),
    };
    let (mut basics, mut meanings, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
    for atom in &parsed.atoms {
        match meaning(atom) {
            Ok(facts) => meanings.push(any(&facts, &mut basics)),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if !mistakes.is_empty() {
        return refused(sources, mistakes);
    }
    let formula = substitute(&parsed.formula, &meanings);
    match automaton::automaton(&formula.normal(false)) {
        Some(violations) => Ok(Checked { basics, violations }),
        None => {
            let title = format!("the automaton of the formula has more than {MAX_EDGES} edges");
            let problem = Diagnostic::error("ltl::too_large", title)
                .label(Span::new(file, 0, text.text.len()), "this formula")
                .help("check its conjuncts one by one");
            refused(sources, vec![problem])
        }
    }
}

/// One of the facts is as it should be. New ones are added to those that are known.
fn any(facts: &[(Basic, bool)], known: &mut Vec<Basic>) -> Formula {
    let mut literals = facts.iter().map(|(fact, holds)| {
        let number = known.iter().position(|other| other == fact).unwrap_or_else(|| {
            known.push(fact.clone());
            known.len() - 1
        });
        if *holds { Formula::Atom(number) } else { Formula::Not(Box::new(Formula::Atom(number))) }
    });
    let first = literals.next().unwrap_or(Formula::Constant(false));
    literals.fold(first, |left, right| Formula::Both(Connective::Or, Box::new(left), Box::new(right)))
}

/// The formula with others in place of its atoms.
fn substitute(formula: &Formula, meanings: &[Formula]) -> Formula {
    let of = |inner: &Formula| Box::new(substitute(inner, meanings));
    match formula {
        Formula::Constant(value) => Formula::Constant(*value),
        Formula::Atom(atom) => meanings[*atom].clone(),
        Formula::Not(inner) => Formula::Not(of(inner)),
        Formula::Next(inner) => Formula::Next(of(inner)),
        Formula::Finally(inner) => Formula::Finally(of(inner)),
        Formula::Globally(inner) => Formula::Globally(of(inner)),
        Formula::Both(connective, left, right) => Formula::Both(*connective, of(left), of(right)),
    }
}
