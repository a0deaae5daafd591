//! `--refine`: predicates are looked for before the run that is asked for, and `fpsolve abstract PROGRAM`, which takes the
//! algorithms for that from the plan.

use super::arguments::{Document, Run};
use super::output::{conclude, print, reject};
use super::solve::{Done, outcome, params, tell};
use super::words::Widths;
use super::{Exit, algorithm, program};
use crate::model::options::Words;
use crate::refine::{End, Question, Round, Sought, refine, refine_until, settles, with_calls};
use crate::report::shell_word;
use crate::run::{Conclusion, Settings, files};
use calculus::bdd::Reorder;
use calculus::check::tree::VerdictKind;
use calculus::diagnostic::{Diagnostic, Rejection};
use clap::Args;

/// How predicates are looked for.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Predicates (views_abstract and others)")]
pub struct Refining {
    /// Look for predicates until the abstraction has no error of its own; ALGO finds the runs to such errors, by default the
    /// algorithm itself
    #[arg(long, value_name = "ALGO", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    pub refine: Option<String>,
    /// How often predicates are looked for at most
    #[arg(long, value_name = "N", default_value_t = Refining::ROUNDS)]
    pub rounds: usize,
}

impl Refining {
    pub const ROUNDS: usize = 40;
}

/// Looks for predicates, and runs the algorithm with them.
pub fn refined(arguments: &Run, search: &str) -> Exit {
    match found(arguments, search) {
        Ok(Some((run, done))) => {
            let exit = tell(&run, &done);
            if run.document() == Document::Text {
                print(&again(&run));
            }
            exit
        }
        Ok(None) => Exit::Success,
        Err(rejection) => reject(&rejection, arguments.document() != Document::Text),
    }
}

/// `fpsolve abstract PROGRAM`: the plan says which algorithms.
pub fn abstracted(arguments: &Run) -> Exit {
    match planned(arguments) {
        Ok((run, search)) => refined(&run, &search),
        Err(rejection) => reject(&rejection, arguments.document() != Document::Text),
    }
}

/// The run of the first algorithm of the plan that looks for predicates, and what finds the runs for it.
fn planned(arguments: &Run) -> Result<(Run, String), Rejection> {
    let name = arguments.file.as_deref().unwrap_or_default();
    if !files::is_model(name) || arguments.model.is_some() {
        let title = "`fpsolve abstract` is about one program";
        return Err(Diagnostic::error("fp::usage", title).help("fpsolve abstract PROGRAM").into());
    }
    let plan = program::plan(arguments)?;
    let model = files::model(name, &arguments.program.options_for(name))?;
    let (shape, members) = program::members(&plan, &*model, name, None)?;
    let member = members.into_iter().find(|member| member.algorithm.refine.is_some());
    let Some(algorithm) = member.map(|member| member.algorithm) else {
        if model.vocabulary().facts.iter().any(|(fact, value)| fact == "recursive" && *value > 0) {
            return Err(with_calls().into());
        }
        let title = format!("the plan has no algorithm that looks for predicates for programs like `{name}`");
        let help = format!("its shape is `{}`; the program must have numbers", shape.name);
        return Err(Diagnostic::error("fp::plan", title).help(help).into());
    };
    let mut run = arguments.clone();
    (run.file, run.model) = (Some(algorithm.file.clone()), arguments.file.clone());
    run.deepen = run.deepen.or_else(|| algorithm.deepen.clone());
    let set =
        algorithm.set.iter().filter(|(name, _)| !arguments.input.set.iter().any(|(given, _)| given == name));
    run.input.set.extend(set.cloned());
    if run.deepen.as_ref().is_some_and(|deepen| run.input.set.iter().any(|(name, _)| *name == deepen.param)) {
        run.deepen = None;
    }
    Ok((run, algorithm.refine.clone().unwrap_or_default()))
}

fn found(arguments: &Run, search: &str) -> Result<Option<(Run, Done)>, Rejection> {
    let Some(program) = arguments.model.as_deref() else {
        let title = "predicates are looked for in a program, and none is named";
        return Err(Diagnostic::error("fp::usage", title).help("name a program behind the algorithm").into());
    };
    let name = arguments.file.as_deref().unwrap_or_default();
    let proof = algorithm::find(name, Some(program))?;
    let search = algorithm::find(if search.is_empty() { name } else { search }, Some(program))?;
    let (text, front_end) = files::model_text(program)?;
    let mut run = arguments.clone();
    run.refining.refine = None;
    // Numbers of C are proved with all their bits. Predicates are looked for with few: they are mostly the same.
    let mut widths = Vec::new();
    if front_end.first_width.is_some() {
        let whole = Widths { first: Words::MOST, last: Words::MOST };
        let first = run.program.words.width.unwrap_or(whole).first;
        run.program.words.width = Some(Widths { first, last: first });
        widths = SEARCHED.into_iter().filter(|few| *few < first).chain([first]).rev().collect();
    }
    let mut question = Question {
        search,
        params: params(&arguments.input)?,
        program,
        text,
        front_end,
        options: run.program.options(),
        // The orders of woven words are good ones.
        settings: Settings { list: 1, reorder: Reorder::Off, ..arguments.solving.settings() },
        rounds: arguments.refining.rounds,
        sought: Sought::Errors,
    };
    let mut tell = |round: &Round| {
        if arguments.document() == Document::Text {
            conclude();
            print(&told(round));
        }
    };
    let deepening = run.deepen.take();
    let set = run.input.set.clone();
    let first = deepening.as_ref().map_or(0, |deepening| deepening.first);
    let last = deepening.as_ref().map_or(0, |deepening| deepening.last.unwrap_or(i64::MAX));
    let mut value = first;
    loop {
        if let Some(width) = widths.last() {
            question.options.reading.words.width = *width;
        }
        if let Some(deepening) = &deepening {
            question.params.insert(deepening.param.clone(), value);
        }
        let before = question.options.reading.predicates.len();
        // A proof with few bits is quick. It shows when there are predicates enough, before the search does, and which
        // proofs with all bits are worth trying.
        let settled = |question: &Question, values: std::ops::Range<i64>| -> Result<Option<i64>, Rejection> {
            let Some(deepening) = &deepening else { return Ok(None) };
            for proved in values {
                let mut params = params(&arguments.input)?;
                params.insert(deepening.param.clone(), proved);
                if settles(question, &proof, &params)? {
                    return Ok(Some(proved));
                }
            }
            Ok(None)
        };
        let mut enough = None;
        let mut is_enough = |question: &Question| {
            enough = settled(question, first..value)?;
            Ok(enough.is_some())
        };
        let end = refine_until(&mut question, &mut tell, &mut is_enough)?;
        let is_last = value == last || value - first >= ENOUGH;
        let mut proofs = first..=value;
        if end == End::NoError && !is_last {
            enough = settled(&question, first..value + 1)?;
            if enough.is_none() && deepening.is_some() {
                value += 1;
                continue;
            }
        }
        if let Some(proved) = enough {
            proofs = proved..=proved;
        }
        run.program.words.predicate.clone_from(&question.options.reading.predicates);
        // What is known now may be enough for less.
        for proved in proofs.clone() {
            run.input.set.clone_from(&set);
            run.input.set.extend(deepening.iter().map(|deepening| (deepening.param.clone(), proved)));
            if let End::Real(steps) = end {
                run.input.set.retain(|(name, _)| name != DEPTH);
                run.input.set.push((DEPTH.into(), steps as i64 + 1));
            }
            let Some(done) = outcome(&run)? else { return Ok(None) };
            let open = matches!(done.outcome.conclusion(), Conclusion::Verdict(VerdictKind::Unknown, _));
            if let Conclusion::Verdict(VerdictKind::Bounded, _) = done.outcome.conclusion() {
                let param = deepening.as_ref().map(|deepening| deepening.param.as_str());
                let proof = Proof { run, done, param, value: proved, last };
                return proof.within_words(&mut question, &mut tell).map(Some);
            }
            let may_go_on = matches!(end, End::NoError | End::Enough) && (value < last || widths.len() > 1);
            if !open || (proved == *proofs.end() && !may_go_on) {
                return Ok(Some((run, done)));
            }
        }
        let found = question.options.reading.predicates.len() > before;
        // What is enough for few bits, and not for all, is not found with more threads.
        let is_bits = enough.is_some() || (is_last && !found);
        if is_bits && widths.len() > 1 {
            widths.pop();
            value = first;
        } else {
            value += 1;
        }
    }
}

/// A proof as long as no value leaves its word.
struct Proof<'a> {
    run: Run,
    done: Done,
    /// The parameter that was deepened, its value, and the last one that it may have.
    param: Option<&'a str>,
    value: i64,
    last: i64,
}

impl Proof<'_> {
    /// Looks in the same way for what shows that none does.
    fn within_words(
        self,
        question: &mut Question,
        tell: &mut dyn FnMut(&Round),
    ) -> Result<(Run, Done), Rejection> {
        if let Some(width) = self.run.program.words.width {
            question.options.reading.words.width = width.last;
        }
        (question.sought, question.rounds) = (Sought::LeftWords, question.rounds.min(COUNTED));
        let mut known = question.options.reading.predicates.len();
        for value in self.value..=self.last.min(self.value + FARTHER) {
            question.params.extend(self.param.map(|param| (param.to_string(), value)));
            if refine(question, tell)? != End::NoError {
                break;
            }
            let found = &question.options.reading.predicates;
            // What is new may be enough for less.
            let first = if found.len() > known { self.value } else { value.max(self.value + 1) };
            known = found.len();
            for value in first..=value {
                let mut run = self.run.clone();
                run.program.words.predicate.clone_from(found);
                run.input.set.retain(|(name, _)| Some(name.as_str()) != self.param);
                run.input.set.extend(self.param.map(|param| (param.to_string(), value)));
                let Some(done) = outcome(&run)? else { break };
                if let Conclusion::Verdict(VerdictKind::Safe, _) = done.outcome.conclusion() {
                    return Ok((run, done));
                }
            }
        }
        Ok((self.run, self.done))
    }
}

/// So many more threads are looked at for values that leave their words.
const FARTHER: i64 = 1;
/// So many rounds at most look at values that leave their words. Each round may count one step further: there is no end to that
/// if the program counts without one.
const COUNTED: usize = 8;

/// If so many more threads bring no predicates, numbers have more bits.
const ENOUGH: i64 = 3;
/// Bits of the numbers of C with which predicates are looked for, before it is done with all bits.
const SEARCHED: [u32; 2] = [5, 12];

/// The parameter that says how many steps of the program itself an algorithm looks at.
const DEPTH: &str = "depth";

fn told(round: &Round) -> String {
    let what = match round.sought {
        Sought::Errors => "to an error",
        Sought::LeftWords => "out of a word",
    };
    let mut text = format!("an abstract run of {} steps leads {what}", round.steps);
    if let Some((at, place)) = &round.impossible {
        text += &format!("; step {at} cannot be made: {place}");
    }
    match round.found.as_slice() {
        [] => text + "\n  no predicate is known that shows it\n",
        found => text + &format!("\n  new: {}\n", found.join(", ")),
    }
}

/// The command that gives the answer without looking for predicates.
fn again(run: &Run) -> String {
    let mut words = vec!["fpsolve".to_string(), run.file.clone().unwrap_or_default()];
    words.extend(run.model.as_deref().map(shell_word));
    words.extend(run.input.set.iter().map(|(name, value)| format!("--set {name}={value}")));
    words.extend(run.program.words.predicate.iter().map(|text| format!("--predicate {}", shell_word(text))));
    format!("\nto ask again with these predicates: {}\n", words.join(" "))
}
