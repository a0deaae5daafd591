//! Deepening: a parameter is raised until the verdict is `unsafe` or `safe`. What does not depend on the parameter
//! is solved once.

use super::{Conclusion, Outcome, Request, Settings, Solved, StepOutcome, Way, check, solve};
use calculus::check::WishedOrder;
use calculus::check::tree::VerdictKind;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::solve::{Ending, Kept};
use std::time::Instant;

/// A parameter and the values it is to take, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deepening {
    pub param: String,
    pub first: i64,
    /// Nothing to go on until there is an answer.
    pub last: Option<i64>,
}

impl Deepening {
    /// Reads `NAME=FIRST..LAST` or `NAME=FIRST..`.
    pub fn parse(text: &str) -> Result<Deepening, String> {
        let shape = "write NAME=FIRST..LAST or NAME=FIRST.., for example rounds=1..4";
        let (param, range) = text.split_once('=').ok_or(shape)?;
        let (first, last) = range.split_once("..").ok_or(shape)?;
        let number = |text: &str| text.trim().parse().map_err(|_| format!("`{text}` is not an integer"));
        let first = number(first)?;
        let last = if last.trim().is_empty() { None } else { Some(number(last)?) };
        if last.is_some_and(|last| last < first) {
            return Err(format!("`{range}` has no values"));
        }
        Ok(Deepening { param: param.trim().into(), first, last })
    }
}

/// Runs the file with growing values of a parameter; tells each step, and returns the last one's outcome.
pub fn deepen(
    request: &Request,
    deepening: &Deepening,
    settings: &Settings,
    tell: &mut dyn FnMut(&StepOutcome),
) -> Result<Outcome, Rejection> {
    let mut request = request.clone();
    // What a reordering found is worth keeping for the next value.
    let settings = &Settings { order: true, ..settings.clone() };
    if request.params.contains_key(&deepening.param) {
        let title = format!("`{}` is set and deepened", deepening.param);
        return Err(Diagnostic::error("fp::usage", title).help("leave out --set of it").into());
    }
    let mut kept = Kept::default();
    let mut last: Option<Solved> = None;
    let mut way = Way::new();
    let end = deepening.last.unwrap_or(i64::MAX);
    for value in deepening.first..=end {
        request.params.insert(deepening.param.clone(), value);
        let checking = Instant::now();
        let checked = check(&request);
        way.checking += checking.elapsed();
        let checked = match (checked, last) {
            (Ok(checked), earlier) => {
                if let Some(earlier) = earlier {
                    way.certifying += earlier.certifying;
                    way.before.push(earlier.answer.statistics);
                }
                checked
            }
            // The parameter's own range ends here.
            (Err(rejection), Some(solved)) if rejection.is_about("fp::param_range") => {
                return Ok(solved.outcome(&request, settings, way));
            }
            (Err(rejection), _) => return Err(rejection),
        };
        let solved = solve(&request, checked, settings, Some(&mut kept));
        let conclusion = Conclusion::of(&solved.checked.system, &solved.answer);
        let relations = &solved.answer.statistics.relations;
        // What the model gives has no clauses: nothing is solved there.
        let relations = relations.iter().filter(|relation| !relation.clauses.is_empty());
        let kept = relations.clone().filter(|relation| relation.kept).count();
        let complete = relations.filter(|relation| relation.complete && !relation.kept).count();
        let step = StepOutcome { param: deepening.param.clone(), value, conclusion, solved: complete, kept };
        tell(&step);
        let done = match &step.conclusion {
            // What the model leaves out, a larger value does not bring back.
            Conclusion::Verdict(..) => matches!(
                solved.answer.ending,
                Ending::Verdict { kind: VerdictKind::Safe | VerdictKind::Unsafe, .. }
            ),
            Conclusion::Stopped(_) => true,
            Conclusion::NoneHolds => false,
            Conclusion::NoVerdicts => {
                let mistake = Diagnostic::error("fp::usage", "a file without verdicts cannot be deepened")
                    .help("a parameter is raised until the verdict is unsafe or safe");
                return Err(mistake.into());
            }
        };
        way.steps.push(step);
        let reorderings = solved.answer.statistics.bdd.as_ref().map_or(0, |bdd| bdd.reorderings);
        if let (Some(names), 1..) = (&solved.answer.order, reorderings) {
            request.order = WishedOrder { names: names.clone(), is_kept: true };
        }
        if done || value == end {
            return Ok(solved.outcome(&request, settings, way));
        }
        last = Some(solved);
    }
    unreachable!("the last value returns")
}
