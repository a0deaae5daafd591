//! What the atoms of a formula mean in a Boolean program: values of variables, and places of threads.
//!
//! | atom | holds if |
//! |---|---|
//! | `x`, `x = 1`, `x != 1` | the shared variable has this value |
//! | `worker.x` | the own variable of the thread |
//! | `L` | some thread is at the label |
//! | `worker@L`, `2@L` | this thread is there: by its name, or by its position |

use super::BooleanProgram;
use crate::model::ltl::{Atom, Basic, Meaning};
use crate::model::program::cfg::calls::CallGraph;
use crate::model::program::cfg::{Loc, Role};
use crate::model::program::{Domain, ProcedureId, Var, Variable};
use calculus::diagnostic::Diagnostic;
use std::collections::BTreeSet;

impl BooleanProgram {
    /// The facts of which one must be as it is said.
    pub(super) fn meaning(&self, atom: &Atom) -> Meaning {
        if let Some(thread) = &atom.thread {
            return self.at_label(atom, thread);
        }
        let value = self.value(atom)?;
        let variable = self.variable(atom);
        let places = self.places(&atom.name, |_, _| true);
        match (variable, places.is_empty()) {
            (Some(_), false) if atom.value.is_none() => {
                let title = format!("`{}` is a variable and a label", atom.name);
                let (variable, label) = (
                    format!("`{} = 1` is the variable", atom.name),
                    format!("`THREAD@{}` the label", atom.name),
                );
                Err(Diagnostic::error("ltl::ambiguous", title)
                    .label(atom.span, "which one?")
                    .help(format!("{variable}, {label}")))
            }
            (Some(fact), _) => Ok(vec![(fact, value)]),
            (None, false) if atom.value.is_none() => Ok(places),
            (None, false) => {
                let title = format!("`{}` is a label, which has no value", atom.name);
                Err(Diagnostic::error("ltl::value", title).label(atom.span, "compared with a value"))
            }
            (None, true) => Err(self.unknown(atom)),
        }
    }

    /// What a variable is compared with: true if there is nothing.
    fn value(&self, atom: &Atom) -> Result<bool, Diagnostic> {
        match atom.value.as_deref() {
            None | Some("1" | "T" | "true") => Ok(true),
            Some("0" | "F" | "false") => Ok(false),
            Some(other) => {
                let title = format!("`{other}` is no value of a Boolean variable");
                Err(Diagnostic::error("ltl::value", title)
                    .label(atom.span, "compared here")
                    .help("values are 1 and 0, T and F, true and false"))
            }
        }
    }

    /// The bit of a shared variable, or of one that a thread has of its own: `worker.x`.
    fn variable(&self, atom: &Atom) -> Option<Basic> {
        let index = |names: &[Variable]| {
            let is_it = |known: &Variable| known.name == atom.name && known.domain == Domain::Bool;
            names.iter().position(is_it).map(|at| at as u32)
        };
        let bit = |var: Var| self.layout.bits(ProcedureId(0), var)?.first().copied();
        if let Some(shared) = index(&self.program.shared) {
            return bit(Var::Shared(shared)).map(Basic::SharedBit);
        }
        let (thread, name) = atom.name.rsplit_once('.')?;
        let (at, role) = self.roles().find(|(at, role)| called(*at, role, thread))?;
        let mut seen = self.program.procedures[role.flow.index()].own.clone();
        let is_it = |own: &Variable| own.name == name && own.domain == Domain::Bool;
        let own = seen.find(|own| is_it(&self.program.own[*own as usize]))?;
        Some(Basic::OwnBit { thread: at, bit: bit(Var::Own(own))? })
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

fn called(position: usize, role: &Role, name: &str) -> bool {
    role.name == name || name.parse() == Ok(position)
}
