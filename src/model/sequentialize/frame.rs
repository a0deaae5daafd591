//! What stands around the procedures: declarations, the end of a context, and `main`, which runs the threads one after the
//! other and checks the guesses.

use std::path::Path;

use super::names::SequentialNames;
use super::sections::Section;
use super::writer::ProgramWriter;
use super::{Runner, Sequentializer, can_stop, constant, declaration, roots, value_of};
use crate::model::program::{ProcedureId, Var, Variable};

impl Sequentializer<'_> {
    pub fn head(&self, out: &mut ProgramWriter) {
        let name = Path::new(&self.program.source.name).file_name();
        let name = name.map_or("a program".into(), |name| name.to_string_lossy());
        // A line break in it would end the comment.
        let name = name.replace(char::is_control, "?");
        let (k, threads) = (self.contexts, self.program.singles.len());
        let number = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let bound = format!("{} with {} each", number(threads, "thread"), number(k, "context"));
        out.line(&format!("// {name} as a sequential program: {bound}, in round-robin order."));
        out.line("// It can reach ERROR if and only if the threads can reach an error within that bound.");
        out.line(
            "// (Lal and Reps, Reducing concurrent analysis under a context bound to sequential analysis.)",
        );
        if k == 1 {
            return;
        }
        out.line("//");
        out.line("// The threads run one after the other, each through all its contexts. x_i is the copy of the shared");
        out.line("// variable x that context i works on; x_i_guess is what context i is guessed to begin with, and the");
        out.line("// end of main checks the guesses.");
        out.line("// Comments in procedures are the original statements.");
    }

    pub fn globals(&self, out: &mut ProgramWriter) {
        let names = &self.names;
        if !self.program.shared.is_empty() {
            out.line("");
        }
        for (copies, shared) in names.shared.iter().zip(&self.program.shared) {
            out.line(&declaration(&copies.join(", "), &shared.domain));
        }
        let own: Vec<usize> = self.own().collect();
        let domain = |index: usize| &self.program.own[index].domain;
        for group in own.chunk_by(|one, other| domain(*one) == domain(*other)) {
            let group_names = group.iter().map(|index| names.own[*index].as_str()).collect::<Vec<_>>();
            let declared = declaration(&group_names.join(", "), domain(group[0]));
            out.line(&format!("{declared} // each thread's own"));
        }
        out.line("");
        if self.contexts > 1 {
            let all = names.contexts.join(", ");
            out.line(&format!("decl {all}; // which context the running thread is in"));
        }
        out.line(&format!("decl {}; // the running thread has stopped for good", names.done));
        out.line(&format!("decl {}; // an error was reached", names.error));
        if self.sections.mixed() {
            let flags = names.inside.join(", ");
            out.line(&format!("decl {flags}; // the running thread is inside an atomic section"));
        }
    }

    /// The own variables of the threads. Copies of one thread have the same: they run one after the other.
    fn own(&self) -> impl Iterator<Item = usize> + '_ {
        let seen = |index: u32| {
            let mut roots = roots(self.program).chain(self.program.init);
            roots.any(|id| self.program.procedure(id).own.contains(&index))
        };
        (0..self.program.own.len()).filter(move |index| seen(*index as u32))
    }

    /// What keeps a thread from yielding where the control flow alone does not say: a condition that must hold.
    pub fn free(&self, section: Section) -> Option<String> {
        let mut held = Vec::new();
        match section {
            Section::Inside => return Some("(F)".into()),
            Section::Both => held.push(self.names.inside[0].clone()),
            Section::Outside => {}
        }
        if let Some(Var::Shared(index)) = self.program.atomic_variable {
            let copies = self.names.shared[index as usize].iter().zip(&self.names.contexts);
            held.extend(copies.map(|(copy, context)| match self.contexts {
                1 => copy.clone(),
                _ => format!("({context} & {copy})"),
            }));
        }
        let all = held.into_iter().reduce(|all, one| format!("({all} | {one})"))?;
        Some(format!("(!{all})"))
    }

    /// The procedure in which the other threads have their turns: contexts pass, or the thread stops.
    pub fn switch(&self, out: &mut ProgramWriter) {
        let SequentialNames { switch, contexts, done, .. } = &self.names;
        let section = if self.sections.mixed() { Section::Both } else { Section::Outside };
        out.line("");
        out.line("// The other threads may run: the thread's context ends, perhaps some more of them, or it stops for good.");
        out.open(&format!("void {switch}() begin"));
        out.open("while (*) do");
        if let Some(free) = self.free(section) {
            out.line(&format!("assume{free};"));
        }
        let stop = format!("{done} := T; return;");
        if contexts.len() == 1 {
            out.line(&stop);
        } else {
            for (index, pair) in contexts.windows(2).enumerate() {
                let word = if index == 0 { "if" } else { "elsif" };
                let (now, next) = (&pair[0], &pair[1]);
                out.line(&format!("{word} ({now} & *) then {now}, {next} := F, T;"));
            }
            out.line(&format!("else {stop}"));
            out.line("fi");
        }
        out.close("od");
        out.close("end");
    }

    pub fn main(&self, procedures: &[(ProcedureId, Runner)], out: &mut ProgramWriter) {
        let SequentialNames { done, error, .. } = &self.names;
        out.open("void main() begin");
        // Nobody else looks at the guesses: as locals they burden no summary of a procedure.
        let guesses = self.names.guesses.iter().zip(&self.program.shared);
        for (guesses, shared) in guesses.filter(|(guesses, _)| !guesses.is_empty()) {
            out.line(&declaration(&guesses.join(", "), &shared.domain));
        }
        for context in 1..self.contexts {
            let copies = self.names.shared.iter().map(|copies| copies[context].clone());
            let guesses = self.names.guesses.iter().map(|guesses| guesses[context - 1].clone());
            assign(copies.zip(guesses), out);
        }
        let initial = self.program.shared.iter().zip(&self.names.shared);
        assign(
            initial.filter_map(|(shared, copies)| {
                Some((copies[0].clone(), value_of(&shared.domain, shared.initial?)))
            }),
            out,
        );
        assign([(error.clone(), "F".to_string())].into_iter(), out);
        let init_fails =
            procedures.iter().any(|(id, phase)| *phase == Runner::Init && can_stop(self.program, *id));
        if let Some(init) = self.program.init {
            out.line("");
            out.comment("init");
            self.call(init, Runner::Init, out);
            if init_fails {
                out.open(&format!("if (!{error}) then"));
            }
        }
        for (position, thread) in self.program.singles.iter().enumerate() {
            out.line("");
            out.comment(&format!("thread {}", thread.name));
            // A thread that fails while its atomic variable is true keeps the threads behind it from beginning.
            let may_be_left_out = position > 0 && self.program.atomic_variable.is_some();
            if may_be_left_out {
                out.open("if (*) then");
            }
            self.call(thread.procedure, Runner::Threads, out);
            if let Some(free) = self.free(self.sections.exit(thread.procedure)) {
                out.line(&format!("assume({done} | {free});"));
            }
            if may_be_left_out {
                out.close("fi");
            }
        }
        if self.contexts > 1 && !self.program.shared.is_empty() {
            out.line("");
            out.comment("The checker: each context but the first began with what the one before it left.");
            for context in 1..self.contexts {
                for (copies, guesses) in self.names.shared.iter().zip(&self.names.guesses) {
                    out.line(&format!("assume({} = {});", copies[context - 1], guesses[context - 1]));
                }
            }
        }
        if init_fails {
            out.close("fi");
        }
        out.line("");
        out.line(&format!("if ({error}) then ERROR: skip; fi"));
        out.close("end");
    }

    /// Runs `init` or a thread from its beginning.
    fn call(&self, id: ProcedureId, phase: Runner, out: &mut ProgramWriter) {
        let names = &self.names;
        let procedure = self.program.procedure(id);
        let mut values = Vec::new();
        if phase == Runner::Threads && self.contexts > 1 {
            let first = |(i, name): (usize, &String)| (name.clone(), constant(i == 0));
            values.extend(names.contexts.iter().enumerate().map(first));
        }
        values.push((names.done.clone(), constant(false)));
        if self.sections.mixed() {
            values.extend(names.inside.iter().map(|flag| (flag.clone(), constant(false))));
        }
        for index in procedure.own.clone() {
            let Variable { initial, domain, .. } = &self.program.own[index as usize];
            let first = initial.map_or("*".into(), |value| value_of(domain, value));
            values.push((names.own[index as usize].clone(), first));
        }
        assign(values.into_iter(), out);
        let arguments = vec!["*"; procedure.parameters as usize].join(", ");
        out.line(&format!("{}({arguments});", names.procedure(id, phase)));
    }
}

/// One parallel assignment, or nothing.
fn assign(pairs: impl Iterator<Item = (String, String)>, out: &mut ProgramWriter) {
    let (targets, values): (Vec<String>, Vec<String>) = pairs.unzip();
    if !targets.is_empty() {
        out.line(&format!("{} := {};", targets.join(", "), values.join(", ")));
    }
}
