//! What a portfolio came to, for people: which assertion can fail and how, or what was proved; and which command shows more.

use super::{Cut, Goal, Raced};
use crate::batch::Label;
use crate::batch::child::Ended;
use crate::batch::plan::BatchAlgorithm;
use crate::model::trace::{Finish, Trace};
use crate::model::{ErrorKind, ErrorPlace};
use crate::report::table::{Align, table};
use crate::report::{sarif, shell_word, trace};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// How many steps of a trace are printed.
const STEPS: usize = 24;

/// A program, what is asked of it, and what came out.
pub struct PortfolioReport<'a> {
    pub program: &'a str,
    /// The name of its shape in the plan.
    pub shape: &'a str,
    /// For what a proof holds.
    pub proves: Option<&'a str>,
    /// What the plan says is worth a try where nothing was decided.
    pub advice: Option<&'a str>,
    /// A program of words whose calls are inlined: C.
    pub inlined: bool,
    pub goal: Option<Goal>,
    /// All places that count as errors.
    pub errors: Vec<ErrorPlace>,
    pub raced: Raced,
    /// Further questions, by the name of their algorithm.
    pub also: Vec<(String, Raced)>,
    /// The options that every member was given.
    pub options: &'a [String],
    pub timeout: Option<Duration>,
}

/// What a verdict is called, and what an exit code follows from.
pub fn label(raced: &Raced) -> Label {
    let only = || match &raced.members[..] {
        // What has no verdict leaves nothing open.
        [only] => only.ended.as_ref().map(|ended| ended.label).filter(|label| *label == Label::None),
        _ => None,
    };
    raced.answer().map(|(_, ended)| ended.label).or_else(only).unwrap_or(Label::Unknown)
}

impl PortfolioReport<'_> {
    /// The whole answer; only its first line if it is to be short. With `whole_trace`, all steps.
    pub fn text(&self, quiet: bool, whole_trace: bool, width: usize) -> String {
        let mut blocks = vec![self.headline()];
        if !quiet {
            blocks.extend(self.trace(&self.raced, whole_trace));
            blocks.extend(self.members(width));
            blocks.extend(self.advice());
        }
        for (name, raced) in &self.also {
            blocks.push(self.other(name, raced));
            if !quiet {
                blocks.extend(self.trace(raced, whole_trace));
                blocks.extend(self.again(raced, "see it again"));
            }
        }
        let gap = if quiet { "" } else { "\n" };
        blocks.join(gap)
    }

    /// `prog.bp:12: assert(built) can fail`, or the verdict and what it is about.
    pub fn headline(&self) -> String {
        let Some((algorithm, ended)) = self.raced.answer() else {
            return format!("{}: unknown: {}\n", self.program, self.why_open());
        };
        let by = by(algorithm, ended);
        match ended.label {
            Label::Unsafe => match read_trace(ended) {
                Some(trace) => self.failure(&trace, &by),
                None => self.failure_without_run(&by),
            },
            Label::Safe => {
                let what = self.counted(ended);
                let proves = self.proves.map_or(String::new(), |proves| format!(" {proves}"));
                format!("{}: safe: {what}{proves} ({by})\n", self.program)
            }
            Label::Bounded => format!("{}: bounded: {} ({by})\n", self.program, ended.detail),
            _ => format!("{}: unknown: {}\n", self.program, self.why_open()),
        }
    }

    /// What goes wrong, if there is no run to look at.
    fn failure_without_run(&self, by: &str) -> String {
        let lines = self.errors.iter().map(|error| error.line).collect::<BTreeSet<_>>();
        match lines.first() {
            Some(line) if lines.len() == 1 => {
                format!("{}:{line}: an error can be reached ({by})\n", self.program)
            }
            _ => format!("{}: unsafe: an error can be reached ({by})\n", self.program),
        }
    }

    /// What goes wrong at the end of a run.
    fn failure(&self, trace: &Trace, by: &str) -> String {
        let Finish::Error(error) = &trace.finish else {
            return format!("{}: unsafe: a run leads to what must not be ({by})\n", self.program);
        };
        let place = format!("{}:{}", self.program, error.line);
        let is_label = |other: &&ErrorPlace| other.line == error.line && other.kind == ErrorKind::Label;
        match trace.steps.last().filter(|_| !self.errors.iter().any(|other| is_label(&other))) {
            // The statement itself; a line may have several.
            Some(step) if step.line == error.line => format!("{place}: {} can fail ({by})\n", step.text),
            _ => format!("{place}: this can be reached: {} ({by})\n", error.text.trim()),
        }
    }

    /// `3 assertions hold`, as the text has them: a function that several threads call has its own once.
    fn counted(&self, ended: &Ended) -> String {
        let of = |wanted: &dyn Fn(ErrorKind) -> bool| {
            let errors = self.errors.iter().filter(|error| wanted(error.kind));
            let named = |error: &ErrorPlace| {
                let apart = if self.inlined { String::new() } else { error.procedure.clone() };
                (error.line, error.column, apart)
            };
            errors.map(named).collect::<BTreeSet<_>>().len()
        };
        let labels = of(&|kind| kind == ErrorKind::Label);
        let checks = of(&|kind| kind == ErrorKind::FailedCheck);
        let asserts = of(&|kind| !matches!(kind, ErrorKind::Label | ErrorKind::FailedCheck));
        let count = |number: usize, what: &str| match number {
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        match (asserts, labels) {
            _ if checks > 0 => {
                let further = match self.options.iter().any(|option| option.starts_with("--check")) {
                    true => "",
                    false => " (array indices)",
                };
                let named = [(asserts, "assertion"), (labels, "error label"), (checks, "further check")];
                let named = named.into_iter().filter(|(number, _)| *number > 0);
                let named = named.map(|(number, what)| count(number, what)).collect::<Vec<_>>().join(" and ");
                format!("{named}{further} {}", if asserts + labels + checks == 1 { "holds" } else { "hold" })
            }
            (0, 0) if is_about_nothing(ended) => "nothing is asserted, which holds".into(),
            (0, 0) => "no error can be reached".into(),
            (1, 0) => "1 assertion holds".into(),
            (asserts, 0) => format!("{} hold", count(asserts, "assertion")),
            (0, labels) => format!("{} cannot be reached", count(labels, "error label")),
            (asserts, labels) => {
                format!(
                    "{} and {} are never violated",
                    count(asserts, "assertion"),
                    count(labels, "error label")
                )
            }
        }
    }

    fn why_open(&self) -> String {
        match (self.raced.cut, self.timeout) {
            (Some(Cut::Interrupt), _) => "interrupted".into(),
            (Some(Cut::Time), Some(limit)) => {
                format!("time limit of {} s reached", limit.as_micros() as f64 / 1e6)
            }
            _ => "no algorithm of the plan decides it".into(),
        }
    }

    fn trace(&self, raced: &Raced, whole: bool) -> Option<String> {
        let (_, ended) = raced.answer()?;
        let trace = read_trace(ended)?;
        let (left_out, shown) = if whole { (0, trace) } else { end_of(trace) };
        let mut text = trace::trace(&shown, self.program);
        if left_out > 0 {
            text.push_str(&format!("(the first {left_out} steps are left out; --trace shows them)\n"));
        }
        Some(text)
    }

    /// What each algorithm came to, where none decided.
    fn members(&self, width: usize) -> Option<String> {
        if matches!(label(&self.raced), Label::Unsafe | Label::Safe) {
            return None;
        }
        let rows = self.raced.members.iter().map(|member| {
            let (word, detail) = match &member.ended {
                None => ("not ended", String::new()),
                Some(ended) => (ended.label.word(), ended.detail.clone()),
            };
            vec![member.algorithm.name().replacen(':', " ", 1), word.into(), detail]
        });
        let rows = rows.collect::<Vec<_>>();
        (!rows.is_empty()).then(|| table(&rows, &[Align::Left; 3], 2, width))
    }

    /// What to do next.
    fn advice(&self) -> Option<String> {
        match label(&self.raced) {
            Label::Unsafe => self.again(&self.raced, "see it again"),
            Label::Safe => self.again(&self.raced, "prove it again"),
            _ => Some(format!("to find more: {}\n", self.tries().join("; "))),
        }
    }

    /// What may decide the program after all.
    fn tries(&self) -> Vec<String> {
        let longer = self.timeout.filter(|_| self.raced.cut == Some(Cut::Time));
        let longer = longer.map(|limit| format!("more time (--timeout {}s)", limit.as_secs().max(1) * 4));
        let goal = match self.goal {
            None if self.raced.cut.is_some() => Some("one goal (--goal bug or --goal proof)"),
            Some(_) => Some("both goals (no --goal)"),
            None => None,
        };
        let own = "an algorithm and a bound of your choice (fpsolve list)";
        if self.inlined {
            return longer.into_iter().chain(goal.map(String::from)).chain(self.tries_of_words()).collect();
        }
        let words = [longer.as_deref(), goal, self.advice, Some(own)];
        words.into_iter().flatten().map(String::from).collect()
    }

    /// The same for a C program: whoever wrote it does not think in bits and variables of a model.
    fn tries_of_words(&self) -> Vec<String> {
        let program = shell_word(self.program);
        let any = self.proves.is_some_and(|proves| proves.contains("any number"));
        let few = any.then(|| "a few threads of each kind (--copies 2)".to_string());
        let small = "small numbers, which is enough for many errors (--width 3)".to_string();
        let predicates = format!("conditions in place of numbers (fpsolve abstract {program})");
        let own = "an algorithm and a bound of your choice (fpsolve list)".to_string();
        few.into_iter().chain([small, predicates, own]).collect()
    }

    fn again(&self, raced: &Raced, what: &str) -> Option<String> {
        raced.answer().map(|(algorithm, ended)| format!("to {what}: {}\n", self.command(algorithm, ended)))
    }

    /// The command that gives this answer.
    fn command(&self, algorithm: &BatchAlgorithm, ended: &Ended) -> String {
        let mut words = vec!["fpsolve".into(), shell_word(&algorithm.file), shell_word(self.program)];
        // What was deepened in the end, and set before.
        let own = |name: &str| {
            algorithm.set.iter().any(|(set, _)| set == name)
                || algorithm.deepen.as_ref().is_some_and(|deepening| deepening.param == name)
        };
        for (name, value) in params(ended).filter(|(name, _)| own(name)) {
            words.push(format!("--set {name}={value}"));
        }
        words.extend(self.options.iter().map(|option| shell_word(option)));
        words.extend((ended.label == Label::Unsafe).then(|| "--trace".to_string()));
        words.join(" ")
    }

    fn other(&self, name: &str, raced: &Raced) -> String {
        let Some((_, ended)) = raced.answer() else {
            return self.unanswered(name, raced);
        };
        let why = if ended.detail.is_empty() { String::new() } else { format!(" ({})", ended.detail) };
        format!("{name}: {}{why}\n", ended.label.word())
    }

    /// What is said of a question without a verdict.
    fn unanswered(&self, name: &str, raced: &Raced) -> String {
        let told = raced.members.iter().find_map(|member| member.ended.as_ref());
        let told = told.map_or((Label::Unknown, ""), |ended| (ended.label, &ended.detail));
        let decided = matches!(label(&self.raced), Label::Safe | Label::Bounded);
        // The verdict above has another one.
        let code = if decided { "; the exit code is 3 because of this question" } else { "" };
        match told {
            (Label::None, _) => {
                let command = format!("fpsolve {} {}", shell_word(name), shell_word(self.program));
                format!("{name}: has no verdict; {command} shows what it lists\n")
            }
            (Label::Refused, why) => {
                // Without the code of the diagnostic.
                let why = why.split_once(": ").map_or(why, |(_, why)| why);
                format!("{name}: refused ({why}){code}\n")
            }
            (_, "") => format!("{name}: unknown{code}\n"),
            (_, why) => format!("{name}: unknown ({why}){code}\n"),
        }
    }

    /// The same as data.
    pub fn json(&self) -> Json {
        let verdict = label(&self.raced);
        let mut object = json!({
            "schema": crate::report::json::SCHEMA,
            "program": self.program,
            "shape": self.shape,
            "verdict": verdict.word(),
            "message": self.headline().trim_end(),
            "answered_by": self.raced.answer().map(|(algorithm, ended)| json!({
                "algorithm": algorithm.file,
                "params": ended.answer.as_ref().map(|answer| answer["params"].clone()),
                "command": self.command(algorithm, ended),
            })),
            "assertions": self.assertions(),
            "members": members_json(&self.raced),
            "also": self.also.iter().map(|(name, raced)| json!({
                "algorithm": name,
                "verdict": label(raced).word(),
                "members": members_json(raced),
                "trace": raced.answer().and_then(|(_, ended)| trace_json(ended)),
            })).collect::<Vec<_>>(),
        });
        if let Some(trace) = self.raced.answer().and_then(|(_, ended)| trace_json(ended)) {
            object["trace"] = trace;
        }
        object
    }

    /// A row for each place that counts as an error.
    pub fn assertions(&self) -> Json {
        let verdict = label(&self.raced);
        let failed = self.raced.answer().and_then(|(_, ended)| match read_trace(ended)?.finish {
            Finish::Error(error) => Some(error.line),
            Finish::State(_) | Finish::Repeat(_) => None,
        });
        let rows = self.errors.iter().map(|error| {
            let status = match verdict {
                Label::Safe => "holds",
                Label::Unsafe if failed == Some(error.line) => "can fail",
                _ => "open",
            };
            let kind = match error.kind {
                ErrorKind::Label => "label",
                ErrorKind::FailedCheck => "check",
                _ => "assert",
            };
            json!({
                "line": error.line, "column": error.column, "procedure": error.procedure,
                "kind": kind, "status": status,
            })
        });
        rows.collect()
    }
}

/// `interleaving`, `views, k = 2`
fn by(algorithm: &BatchAlgorithm, ended: &Ended) -> String {
    let own = params(ended).filter(|(name, _)| {
        algorithm.deepen.as_ref().is_some_and(|deepening| deepening.param == *name)
            || algorithm.set.iter().any(|(set, _)| set == name)
    });
    let own = own.map(|(name, value)| format!(", {name} = {value}"));
    format!("{}{}", algorithm.file, own.collect::<String>())
}

fn params(ended: &Ended) -> impl Iterator<Item = (String, String)> + '_ {
    let params = ended.answer.as_ref().and_then(|answer| answer["params"].as_object());
    params.into_iter().flatten().map(|(name, value)| (name.clone(), value.to_string()))
}

/// No run reaches anything that could be wrong.
fn is_about_nothing(ended: &Ended) -> bool {
    let warnings = ended.answer.as_ref().and_then(|answer| answer["warnings"].as_array());
    warnings.into_iter().flatten().any(|warning| warning["code"] == "fp::nothing_checked")
}

fn trace_json(ended: &Ended) -> Option<Json> {
    ended.answer.as_ref().map(|answer| answer["trace"].clone()).filter(|trace| !trace.is_null())
}

pub fn read_trace(ended: &Ended) -> Option<Trace> {
    Trace::from_json(&trace_json(ended)?.to_string()).ok()
}

/// The last steps of a trace, and how many stand before them.
fn end_of(mut trace: Trace) -> (usize, Trace) {
    let left_out = match &trace.finish {
        // What repeats is shown whole.
        Finish::Repeat(repeat) => repeat.from.min(trace.steps.len().saturating_sub(STEPS)),
        _ => trace.steps.len().saturating_sub(STEPS),
    };
    trace.steps.drain(..left_out);
    if let Finish::Repeat(repeat) = &mut trace.finish {
        repeat.from -= left_out;
        repeat.met.iter_mut().for_each(|met| met.step -= left_out.min(met.step));
    }
    (left_out, trace)
}

/// What a portfolio found: an error with the run that leads to it, step by step.
pub fn sarif(report: &PortfolioReport, exit: u8) -> String {
    let verdict = label(&report.raced);
    let told = report.headline();
    let told = told.trim_end();
    let mut results = Vec::new();
    let mut notes = Vec::new();
    let ended = report.raced.answer().map(|(_, ended)| ended).filter(|_| verdict == Label::Unsafe);
    match ended {
        None => {
            let level = if verdict == Label::Safe { "note" } else { "warning" };
            notes.push(json!({ "level": level, "message": { "text": told } }));
        }
        Some(ended) => {
            let trace = read_trace(ended);
            let line = trace.as_ref().and_then(|trace| match &trace.finish {
                Finish::Error(error) => Some(error.line),
                Finish::State(_) | Finish::Repeat(_) => None,
            });
            let mut result = json!({
                "ruleId": sarif::RULE, "ruleIndex": 0, "level": "error", "message": { "text": told },
                "locations": [{ "physicalLocation": place_of(report.program, line) }],
            });
            if let Some(trace) = trace {
                result["codeFlows"] =
                    json!([{ "threadFlows": [{ "locations": flow(report.program, &trace) }] }]);
            }
            results.push(result);
        }
    }
    let properties = json!({
        "program": report.program, "verdict": verdict.word(), "assertions": report.assertions(),
    });
    sarif::log(true, exit, results, Vec::new(), notes, properties)
}

/// A line of a file, or the file as a whole.
fn place_of(file: &str, line: Option<usize>) -> Json {
    let mut place = json!({ "artifactLocation": { "uri": sarif::uri(file) } });
    if let Some(line) = line {
        place["region"] = json!({ "startLine": line });
    }
    place
}

/// The steps of a run as the locations of a code flow.
fn flow(file: &str, trace: &Trace) -> Vec<Json> {
    let steps = trace.steps.iter().map(|step| {
        let thread = &trace.threads[step.thread].name;
        let text = format!("{thread}: {}", step.text);
        json!({ "location": {
            "physicalLocation": place_of(file, Some(step.line)), "message": { "text": text },
        } })
    });
    steps.collect()
}

fn members_json(raced: &Raced) -> Json {
    let rows = raced.members.iter().map(|member| {
        let ended = member.ended.as_ref();
        json!({
            "algorithm": member.algorithm.name(),
            "verdict": ended.map(|ended| ended.label.word()),
            "params": ended.and_then(|ended| ended.answer.as_ref()).map(|answer| answer["params"].clone()),
            "detail": ended.map(|ended| ended.detail.as_str()),
        })
    });
    rows.collect()
}
