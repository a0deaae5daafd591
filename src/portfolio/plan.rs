//! Plans: for each shape of program the algorithms that check it. `algorithms/portfolio.plan` explains the form.

use super::Goal;
use crate::batch::plan::BatchAlgorithm;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::{FileId, Sources, Span};

/// The plan that comes with the binary.
pub const BUNDLED: &str = include_str!("../../algorithms/portfolio.plan");
/// What diagnostics call it.
pub const BUNDLED_NAME: &str = "bundled:portfolio.plan";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub shapes: Vec<Shape>,
}

/// A kind of program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    pub name: String,
    conditions: Vec<Condition>,
    /// What is said behind `safe`.
    pub proves: Option<String>,
    /// What to try where nothing was decided.
    pub advice: Option<String>,
    pub members: Vec<Planned>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    pub algorithm: BatchAlgorithm,
    goal: Option<Goal>,
    /// It is for programs for which all of these hold.
    conditions: Vec<Condition>,
    /// How many times the usual time it gets.
    pub share: u32,
}

impl Planned {
    /// An algorithm for every goal.
    pub fn of(algorithm: BatchAlgorithm) -> Planned {
        Planned { algorithm, goal: None, conditions: Vec::new(), share: 1 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    fact: String,
    operator: &'static str,
    value: i64,
}

/// Longer ones stand before those that they begin with.
const OPERATORS: [&str; 6] = ["!=", "<=", ">=", "=", "<", ">"];
const FORM: &str =
    "a line is `shape NAME: CONDITIONS`, `proves WORDS`, `advice WORDS` or `run ALGORITHM SETTINGS`";

impl Condition {
    fn holds(&self, facts: &[(String, i64)]) -> bool {
        let Some((_, fact)) = facts.iter().find(|(name, _)| *name == self.fact) else { return false };
        match self.operator {
            "!=" => *fact != self.value,
            "<=" => *fact <= self.value,
            ">=" => *fact >= self.value,
            "=" => *fact == self.value,
            "<" => *fact < self.value,
            _ => *fact > self.value,
        }
    }
}

impl Plan {
    /// Reads a plan, or says what is wrong with it.
    pub fn parse(name: &str, text: &str) -> Result<Plan, Rejection> {
        let mut sources = Sources::default();
        if text.len() > MOST {
            let title = format!("the plan `{name}` is larger than {} KiB", MOST >> 10);
            return Err(Diagnostic::error("fp::plan", title).into());
        }
        let file = sources.add(name, text);
        let mut plan = Plan { shapes: Vec::new() };
        let mut diagnostics = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let told = line.split('#').next().unwrap_or_default();
            let words = told.trim();
            let start = at + (told.len() - told.trim_start().len());
            at += line.len();
            if words.is_empty() {
                continue;
            }
            let span = Span::new(file, start, start + words.len());
            if let Err(why) = plan.line(words) {
                diagnostics.push(mistake(span, why));
            }
        }
        if plan.shapes.is_empty() && diagnostics.is_empty() {
            let whole = Span::new(FileId(0), 0, 0);
            diagnostics.push(mistake(whole, Wrong::new("the plan has no shapes", FORM)));
        }
        if diagnostics.is_empty() { Ok(plan) } else { Err(Rejection { sources, diagnostics }) }
    }

    fn line(&mut self, line: &str) -> Result<(), Wrong> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if word == "shape" {
            self.shapes.push(shape(rest)?);
            return Ok(());
        }
        let last = self.shapes.last_mut();
        match (word, last) {
            ("proves" | "advice", Some(_)) if rest.is_empty() => {
                Err(Wrong::new(format!("there are no words behind `{word}`"), FORM))
            }
            ("proves", Some(shape)) => {
                shape.proves = Some(rest.into());
                Ok(())
            }
            ("advice", Some(shape)) => {
                shape.advice = Some(rest.into());
                Ok(())
            }
            ("run", Some(shape)) => {
                shape.members.push(planned(rest)?);
                Ok(())
            }
            ("proves" | "advice" | "run", None) => {
                Err(Wrong::new("there is no shape before this line", "begin with `shape NAME: CONDITIONS`"))
            }
            _ => Err(Wrong::new(format!("`{word}` begins no line of a plan"), FORM)),
        }
    }

    /// The first shape that fits to the facts of a model.
    pub fn shape(&self, facts: &[(String, i64)]) -> Option<&Shape> {
        self.shapes.iter().find(|shape| shape.conditions.iter().all(|condition| condition.holds(facts)))
    }
}

impl Shape {
    /// The members to run for a goal, on a model with these facts.
    pub fn for_goal(&self, goal: Option<Goal>, facts: &[(String, i64)]) -> Vec<Planned> {
        let is_meant = |member: &&Planned| goal.is_none() || member.goal.is_none() || member.goal == goal;
        let fits = |member: &&Planned| member.conditions.iter().all(|condition| condition.holds(facts));
        self.members.iter().filter(is_meant).filter(fits).cloned().collect()
    }
}

/// A plan is written by hand.
const MOST: usize = 1 << 20;

/// What is wrong with a line, and how to mend it.
struct Wrong {
    title: String,
    help: String,
}

impl Wrong {
    fn new(title: impl Into<String>, help: impl Into<String>) -> Wrong {
        Wrong { title: title.into(), help: help.into() }
    }
}

fn mistake(span: Span, wrong: Wrong) -> Diagnostic {
    Diagnostic::error("fp::plan", wrong.title).label(span, "in this line").help(wrong.help)
}

fn shape(text: &str) -> Result<Shape, Wrong> {
    let (name, conditions) = text.split_once(':').ok_or_else(|| {
        Wrong::new(
            "a shape has no `:` behind its name",
            "write `shape NAME: CONDITIONS`, the conditions may be empty",
        )
    })?;
    Ok(Shape { name: name.trim().into(), conditions: all(conditions)?, ..Shape::default() })
}

fn all(conditions: &str) -> Result<Vec<Condition>, Wrong> {
    conditions.split(',').map(str::trim).filter(|part| !part.is_empty()).map(condition).collect()
}

fn condition(text: &str) -> Result<Condition, Wrong> {
    let wrong = || {
        let help = "compare a fact of the model with a number: `program.threads = 1`";
        Wrong::new(format!("`{text}` is not a condition"), help)
    };
    let (operator, at) = OPERATORS
        .iter()
        .filter_map(|operator| Some((*operator, text.find(operator)?)))
        .min_by_key(|(operator, at)| (*at, std::cmp::Reverse(operator.len())))
        .ok_or_else(wrong)?;
    let value = text[at + operator.len()..].trim().parse().map_err(|_| wrong())?;
    let fact = text[..at].trim();
    if fact.is_empty() || fact.contains(char::is_whitespace) {
        return Err(wrong());
    }
    Ok(Condition { fact: fact.into(), operator, value })
}

fn planned(text: &str) -> Result<Planned, Wrong> {
    let (text, conditions) = text.split_once(" if ").unwrap_or((text, ""));
    let conditions = all(conditions)?;
    let mut words = text.split_whitespace();
    let name = words.next().ok_or_else(|| Wrong::new("no algorithm is named", FORM))?;
    let (mut settings, mut goal, mut share, mut refine) = (Vec::new(), None, 1, None);
    while let Some(word) = words.next() {
        match word {
            "for" => {
                goal = Some(match words.next() {
                    Some("bug") => Goal::Bug,
                    Some("proof") => Goal::Proof,
                    _ => return Err(Wrong::new("`for` has no goal", "write `for bug` or `for proof`")),
                });
            }
            "share" => {
                let number =
                    words.next().and_then(|word| word.parse().ok()).filter(|share| (1..=100).contains(share));
                share = number
                    .ok_or_else(|| Wrong::new("`share` has no number", "write a number from 1 to 100"))?;
            }
            "refine" => {
                let search = words.next().ok_or_else(|| {
                    Wrong::new("`refine` has no algorithm", "name the one that finds runs of the abstraction")
                })?;
                refine = Some(search.to_string());
            }
            setting if setting.contains('=') => settings.push(setting),
            other => {
                let help = "settings are NAME=NUMBER or NAME=FIRST..LAST; then `for bug|proof`, `share NUMBER`, `refine ALGORITHM`";
                return Err(Wrong::new(format!("`{other}` is no setting"), help));
            }
        }
    }
    let text = if settings.is_empty() { name.into() } else { format!("{name}:{}", settings.join(",")) };
    let mut algorithm = BatchAlgorithm::parse(&text)
        .map_err(|why| Wrong::new(format!("the settings of `{name}` are not understood"), why))?;
    algorithm.refine = refine;
    Ok(Planned { algorithm, goal, conditions, share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled;

    fn facts(list: &[(&str, i64)]) -> Vec<(String, i64)> {
        list.iter().map(|(name, value)| (name.to_string(), *value)).collect()
    }

    #[test]
    fn the_first_shape_whose_conditions_hold_is_taken() {
        let text = "shape one: a = 1, b >= 2\n run x\nshape two: a != 1\n run y k=1..3 for bug share 3\nshape rest:\n run z";
        let plan = Plan::parse("test", text).unwrap();
        let name = |list: &[(&str, i64)]| plan.shape(&facts(list)).unwrap().name.clone();
        assert_eq!(name(&[("a", 1), ("b", 2)]), "one");
        assert_eq!(name(&[("a", 1), ("b", 1)]), "rest");
        assert_eq!(name(&[("a", 1)]), "rest", "a fact that the model does not have");
        assert_eq!(name(&[("a", 0)]), "two");
        let two = &plan.shapes[1];
        assert_eq!(two.for_goal(Some(Goal::Proof), &[]), []);
        assert_eq!(two.for_goal(None, &[])[0].algorithm.name(), "y:k=1..3");
        assert_eq!(two.for_goal(Some(Goal::Bug), &[])[0].share, 3);
    }

    #[test]
    fn an_algorithm_may_have_conditions_of_its_own() {
        let plan = Plan::parse("test", "shape all:\n run x if n > 0, m = 1\n run y refine x").unwrap();
        let names = |list: &[(&str, i64)]| {
            let members = plan.shapes[0].for_goal(None, &facts(list));
            members.iter().map(|member| member.algorithm.arguments().concat()).collect::<Vec<_>>()
        };
        assert_eq!(names(&[("n", 1), ("m", 1)]), ["", "--refine=x"]);
        assert_eq!(names(&[("n", 0), ("m", 1)]), ["--refine=x"]);
        assert_eq!(names(&[("n", 1)]), ["--refine=x"], "a fact that the model does not have");
    }

    #[test]
    fn a_condition_compares_as_it_is_written() {
        for (operator, holds) in [
            ("=", [false, true, false]),
            ("!=", [true, false, true]),
            ("<", [true, false, false]),
            ("<=", [true, true, false]),
            (">", [false, false, true]),
            (">=", [false, true, true]),
        ] {
            let condition = condition(&format!("x {operator} 5")).ok().unwrap();
            let found = [4, 5, 6].map(|value| condition.holds(&facts(&[("x", value)])));
            assert_eq!(found, holds, "{operator}");
        }
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        let text = "run early\nshape a b\nshape c: x ~ 1\nshape d:\n  run\n  run x y\n  run x for fun\n  run x share 0\n  run x refine\n  go\n  proves\n  advice\n";
        let rejection = Plan::parse("test", text).unwrap_err();
        let told = rejection.diagnostics.iter().map(|mistake| {
            let span = mistake.labels[0].0;
            format!("{}: {}", rejection.sources.get(span.file).line(span), mistake.title)
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                "1: there is no shape before this line",
                "2: a shape has no `:` behind its name",
                "3: `x ~ 1` is not a condition",
                "5: no algorithm is named",
                "6: `y` is no setting",
                "7: `for` has no goal",
                "8: `share` has no number",
                "9: `refine` has no algorithm",
                "10: `go` begins no line of a plan",
                "11: there are no words behind `proves`",
                "12: there are no words behind `advice`",
            ]
        );
        assert!(Plan::parse("test", "# nothing\n").is_err());
    }

    /// A system that begins with one thread came to algorithms for sequential programs, which refuse what it does.
    #[test]
    fn repro_one_thread_that_makes_or_moves_others_is_not_alone() {
        let plan = Plan::parse(BUNDLED_NAME, BUNDLED).unwrap();
        for fact in ["program.spawns", "program.broadcasts", "program.cover"] {
            let mut list = facts(&[("program.threads", 1), ("program.replicated", 0), ("program.calls", 0)]);
            assert_eq!(plan.shape(&list).unwrap().name, "one thread");
            list.push((fact.into(), 1));
            let shape = plan.shape(&list).unwrap();
            assert_eq!(shape.members[0].algorithm.file, "views", "{fact}");
        }
    }

    #[test]
    fn the_bundled_plan_names_bundled_algorithms() {
        let plan = Plan::parse(BUNDLED_NAME, BUNDLED).unwrap();
        for member in plan.shapes.iter().flat_map(|shape| &shape.members) {
            let name = &member.algorithm.file;
            for name in [name].into_iter().chain(&member.algorithm.refine) {
                assert!(bundled::named(name).unwrap().is_some(), "there is no algorithm `{name}`");
            }
        }
    }
}
