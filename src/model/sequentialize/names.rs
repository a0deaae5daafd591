//! Names of the sequential program: none of them occurs in the source, except those of its procedures and locals.

use std::collections::{HashMap, HashSet};

use super::Runner;
use crate::model::program::{MEANINGS, ProcedureId, Program, Var};

pub struct SequentialNames {
    taken: HashSet<String>,
    /// Per shared variable, its copy for each context.
    pub shared: Vec<Vec<String>>,
    /// Per shared variable, what each context but the first is guessed to begin with.
    pub guesses: Vec<Vec<String>>,
    pub own: Vec<String>,
    procedures: HashMap<(ProcedureId, Runner), String>,
    /// The context that the running thread is in: exactly one of them is true.
    pub contexts: Vec<String>,
    /// The running thread has stopped for good.
    pub done: String,
    pub error: String,
    /// The procedure in which contexts end.
    pub switch: String,
    /// Inside an atomic section, inside one in that, and so on.
    pub inside: Vec<String>,
}

impl SequentialNames {
    pub fn new(program: &Program, contexts: usize, procedures: &[(ProcedureId, Runner)]) -> SequentialNames {
        let mut taken: HashSet<String> = MEANINGS.map(String::from).into();
        let locals = program.procedures.iter().flat_map(|procedure| &procedure.locals);
        taken.extend(
            program.shared.iter().chain(&program.own).chain(locals).map(|variable| variable.name.clone()),
        );
        taken.extend(program.enumerated_names());
        let (shared, guesses, own, contexts_empty) = Default::default();
        let mut names = SequentialNames {
            taken,
            shared,
            guesses,
            own,
            procedures: HashMap::new(),
            contexts: contexts_empty,
            done: String::new(),
            error: String::new(),
            switch: String::new(),
            inside: Vec::new(),
        };
        for (id, phase) in procedures {
            let name = names.procedure_name(program, *id, *phase);
            names.procedures.insert((*id, *phase), name);
        }
        for variable in &program.shared {
            let copies = (1..=contexts).map(|i| names.fresh(suffixed(&variable.name, &i.to_string())));
            let copies = copies.collect();
            names.shared.push(copies);
            let guesses =
                (2..=contexts).map(|i| names.fresh(suffixed(&variable.name, &format!("{i}_guess"))));
            let guesses = guesses.collect();
            names.guesses.push(guesses);
        }
        for (index, variable) in program.own.iter().enumerate() {
            let sees = |id: ProcedureId| program.procedure(id).own.contains(&(index as u32));
            let thread = program.singles.iter().find(|thread| sees(thread.procedure));
            let thread = thread.map_or("own", |thread| &program.procedure(thread.procedure).name);
            let name = match variable.name.strip_prefix('{') {
                Some(quoted) => format!("{{{}_{quoted}", thread.trim_matches(['{', '}'])),
                None => suffixed(thread, &variable.name),
            };
            let name = names.fresh(name);
            names.own.push(name);
        }
        names.contexts = (1..=contexts).map(|i| names.fresh(format!("k_{i}"))).collect();
        names.done = names.fresh("done".into());
        names.error = names.fresh("error".into());
        names.switch = names.fresh("yield".into());
        for depth in 1..=program.section_depth {
            let name = if depth == 1 { "inside".into() } else { suffixed("inside", &depth.to_string()) };
            let name = names.fresh(name);
            names.inside.push(name);
        }
        names
    }

    /// A procedure keeps its name if it can: `main` is the sequential program's, and what `init` calls has a version
    /// of its own.
    fn procedure_name(&mut self, program: &Program, id: ProcedureId, phase: Runner) -> String {
        let name = &program.procedure(id).name;
        match phase {
            Runner::Init if program.init == Some(id) => self.fresh("initially".into()),
            Runner::Init => self.fresh(suffixed(name, "initially")),
            Runner::Threads if name == "main" => self.fresh("main_thread".into()),
            Runner::Threads => self.fresh(name.clone()),
        }
    }

    /// The name, or a longer one that is not taken; taken from now on.
    pub fn fresh(&mut self, mut name: String) -> String {
        while !self.taken.insert(name.clone()) {
            name = suffixed(&name, "x");
        }
        name
    }

    /// A name for a temporary of one procedure: several procedures may have it.
    pub fn temporary(&self, mut name: String) -> String {
        while self.taken.contains(&name) {
            name = suffixed(&name, "x");
        }
        name
    }

    pub fn procedure(&self, id: ProcedureId, phase: Runner) -> &str {
        &self.procedures[&(id, phase)]
    }

    /// A variable that a procedure sees, in a context (counted from 0).
    pub fn variable<'a>(
        &'a self,
        program: &'a Program,
        id: ProcedureId,
        var: Var,
        context: usize,
    ) -> &'a str {
        match var {
            Var::Shared(index) => &self.shared[index as usize][context],
            Var::Own(index) => &self.own[index as usize],
            Var::Local(_) => &program.variable(id, var).name,
        }
    }
}

/// `x_1` of `x`, and `{x>0_1}` of `{x>0}`: what is quoted stays quoted.
pub fn suffixed(name: &str, suffix: &str) -> String {
    match name.strip_suffix('}') {
        Some(quoted) => format!("{quoted}_{suffix}}}"),
        None => format!("{name}_{suffix}"),
    }
}
