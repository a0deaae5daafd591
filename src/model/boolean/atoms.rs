//! What the atoms of a formula mean in a Boolean program: values of variables, and places of threads.
//!
//! | atom | holds if |
//! |---|---|
//! | `x`, `x = 1`, `n < 3`, `state = busy` | the shared variable has such a value |
//! | `worker.x` | the own variable of the thread, in the same way |
//! | `L` | some thread is at the label |
//! | `worker@L`, `2@L` | this thread is there: by its name, or by its position |

use super::BooleanProgram;
use crate::model::ltl::{Atom, Basic, Code, Compared, Meaning};
use crate::model::program::cfg::calls::CallGraph;
use crate::model::program::cfg::{Loc, Role};
use crate::model::program::{Domain, ProcedureId, Var, Variable};
use crate::model::trace::TraceValue;
use calculus::diagnostic::Diagnostic;
use std::collections::BTreeSet;

impl BooleanProgram {
    /// The facts of which one must be as it is said.
    pub(super) fn meaning(&self, atom: &Atom) -> Meaning {
        if let Some(thread) = &atom.thread {
            return self.at_label(atom, thread);
        }
        let variable = self.variable(atom);
        let places = self.places(&atom.name, |_, _| true);
        match (variable, places.is_empty()) {
            (Some(variable), false) if atom.value.is_none() => {
                let title = format!("`{}` is a variable and a label", atom.name);
                let example = variable.domain.show(variable.domain.high());
                let help = format!("`{0} = {example}` is the variable, `THREAD@{0}` the label", atom.name);
                Err(Diagnostic::error("ltl::ambiguous", title).label(atom.span, "which one?").help(help))
            }
            (Some(variable), _) => variable.compared(atom).map(|meaning| vec![meaning]),
            (None, false) if atom.value.is_none() => Ok(places),
            (None, false) => {
                let title = format!("`{}` is a label, which has no value", atom.name);
                Err(Diagnostic::error("ltl::value", title).label(atom.span, "compared with a value"))
            }
            (None, true) => Err(self.unknown(atom)),
        }
    }

    /// A shared variable, or one that a thread has of its own: `worker.x`.
    fn variable(&self, atom: &Atom) -> Option<Named<'_>> {
        let bits = |var: Var| self.layout.bits(ProcedureId(0), var);
        let shared = (0..).zip(&self.program.shared).find(|(_, known)| known.name == atom.name);
        if let Some((index, Variable { domain, .. })) = shared {
            return Some(Named { domain, bits: bits(Var::Shared(index))?, thread: None });
        }
        let (thread, name) = atom.name.rsplit_once('.')?;
        let (at, role) = self.roles().find(|(at, role)| called(*at, role, thread))?;
        let mut seen = self.program.procedures[role.flow.index()].own.clone();
        let own = seen.find(|own| self.program.own[*own as usize].name == name)?;
        let domain = &self.program.own[own as usize].domain;
        Some(Named { domain, bits: bits(Var::Own(own))?, thread: Some(at) })
    }

    fn at_label(&self, atom: &Atom, thread: &str) -> Meaning {
        if atom.value.is_some() {
            let title = "a place has no value";
            return Err(Diagnostic::error("ltl::value", title).label(atom.span, "compared with a value"));
        }
        if !self.roles().any(|(at, role)| called(at, role, thread)) {
            let title = format!("there is no thread `{thread}`");
            let names = self.cfg.singles.iter().map(|role| role.name.as_str());
            return Err(Diagnostic::error("ltl::unknown_atom", title)
                .label(atom.span, "no such thread")
                .suggest(
                    thread,
                    names,
                    "threads are named as in the program, or by their positions from 1",
                ));
        }
        let places = self.places(&atom.name, |at, role| called(at, role, thread));
        if places.is_empty() {
            let title = format!("the thread `{thread}` comes to no label `{}`", atom.name);
            let mut labels = self.labels();
            let elsewhere = labels.remove(&atom.name);
            let otherwise = if elsewhere { "the label is in the code of another thread" } else { "" };
            return Err(Diagnostic::error("ltl::unknown_atom", title)
                .label(atom.span, "no such label")
                .suggest(&atom.name, labels.iter().map(String::as_str), otherwise));
        }
        Ok(places)
    }

    fn roles(&self) -> impl Iterator<Item = (usize, &Role)> {
        (1..).zip(&self.cfg.singles)
    }

    /// For each of these threads whose control flow leads to a label, that it is there.
    fn places(&self, label: &str, wanted: impl Fn(usize, &Role) -> bool) -> Vec<(Basic, bool)> {
        let calls = CallGraph::new(&self.cfg);
        let mut places = Vec::new();
        for (thread, role) in self.roles().filter(|(at, role)| wanted(*at, role)) {
            let mut locations = BTreeSet::new();
            for id in calls.reachable([role.flow].into_iter()) {
                let numbered = (0..).map(Loc).zip(&self.cfg.flow(id).locations);
                let labelled =
                    numbered.filter(|(_, location)| location.labels.iter().any(|known| known == label));
                locations.extend(labelled.map(|(loc, _)| self.layout.pc(id, loc)));
            }
            if !locations.is_empty() {
                places.push((Basic::At { thread, locations }, true));
            }
        }
        places
    }

    fn labels(&self) -> BTreeSet<String> {
        let locations = self.cfg.flows.iter().flat_map(|flow| &flow.locations);
        locations.flat_map(|location| location.labels.iter().cloned()).collect()
    }

    fn unknown(&self, atom: &Atom) -> Diagnostic {
        let title = format!("the program has no shared variable and no label `{}`", atom.name);
        let labels = self.labels();
        let names = self.program.shared.iter().map(|variable| variable.name.as_str());
        let names = names.chain(labels.iter().map(String::as_str));
        let otherwise =
            "a formula speaks of shared variables, labels (`worker@L`), and own variables (`worker.x`)";
        let problem = Diagnostic::error("ltl::unknown_atom", title).label(atom.span, "not known");
        problem.suggest(&atom.name, names, otherwise)
    }
}

/// A variable of which an atom says something.
struct Named<'a> {
    domain: &'a Domain,
    /// From the least significant one on.
    bits: &'a [u16],
    /// The thread whose own it is; all of them see it otherwise.
    thread: Option<usize>,
}

impl Named<'_> {
    fn compared(&self, atom: &Atom) -> Result<(Basic, bool), Diagnostic> {
        let domain = self.domain;
        let (least, most, holds) = match (domain, &atom.value) {
            (Domain::Range { .. }, Some((compared, text))) => {
                let value = self.value(atom, text, text.parse().ok().map(TraceValue::Number))?;
                match compared {
                    Compared::Equal => (value, value, true),
                    Compared::AtMost => (domain.low(), value, true),
                    // What is less than a value is not at least that value.
                    Compared::Less => (value, domain.high(), false),
                }
            }
            (Domain::Bool, _) => {
                let text = atom.equal()?.unwrap_or("1");
                let truth = match text {
                    "1" | "T" | "true" => Some(true),
                    "0" | "F" | "false" => Some(false),
                    _ => None,
                };
                self.value(atom, text, truth.map(TraceValue::from)).map(|value| (1, 1, value == 1))?
            }
            (Domain::Names(_), Some((_, text))) => {
                atom.equal()?;
                let value = self.value(atom, text, Some(TraceValue::Name(text.clone())))?;
                (value, value, true)
            }
            (_, None) => {
                let title = format!("`{}` is no truth value: it is {}", atom.name, domain.words());
                let problem =
                    Diagnostic::error("ltl::value", title).label(atom.span, "compared with nothing");
                return Err(problem.help(format!("`{} = {}`", atom.name, domain.show(domain.low()))));
            }
        };
        let code = |value: i64| value.abs_diff(domain.low());
        let code = Code { bits: self.bits.to_vec(), least: code(least), most: code(most) };
        let fact = match self.thread {
            Some(thread) => Basic::Own { thread, code },
            None => Basic::Shared(code),
        };
        Ok((fact, holds))
    }

    /// The value that a text says, if the variable can have it.
    fn value(&self, atom: &Atom, text: &str, said: Option<TraceValue>) -> Result<i64, Diagnostic> {
        if let Some(value) = said.and_then(|said| self.domain.read(&said)) {
            return Ok(value);
        }
        let title = format!("`{}` is never `{text}`: it is {}", atom.name, self.domain.words());
        let problem = Diagnostic::error("ltl::value", title).label(atom.span, "compared here");
        Err(match self.domain {
            Domain::Bool => problem.help("values are 1 and 0, T and F, true and false"),
            Domain::Names(names) => problem.suggest(text, names.iter().map(String::as_str), ""),
            Domain::Range { .. } => problem,
        })
    }
}

fn called(position: usize, role: &Role, name: &str) -> bool {
    role.name == name || name.parse() == Ok(position)
}
