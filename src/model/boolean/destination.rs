//! Where a move leads, in the program's terms.

use super::BooleanProgram;
use crate::model::interpret::{Pc, State, Status};
use crate::model::program::cfg::{PlaceInText, Target};
use crate::model::program::resolve::program::{ProcedureId, Var, Variable};
use calculus::sort::Value;

/// The shared variables of the text; none where nothing is said.
pub(super) fn shared_values(model: &BooleanProgram, shared: &[bool]) -> Vec<i64> {
    let variables = (0..).map(Var::Shared).zip(&model.program.shared);
    let value = |(var, variable): (Var, &Variable)| {
        let said = model.layout.value(ProcedureId(0), var, &variable.domain, shared);
        // A variable with one value has no bits.
        said.filter(|_| !shared.is_empty() || variable.domain.bits() > 0)
    };
    variables.map_while(value).collect()
}

/// Where a move leads, in the program's terms.
pub(super) struct Destination {
    pub name: String,
    target: Option<Target>,
    pub place: PlaceInText,
    /// Procedures of the frames that the flow stands for, the top first, each with the values of the locals that matter.
    frames: Vec<(ProcedureId, Vec<(usize, i64)>)>,
    shared: Vec<i64>,
    own: Vec<i64>,
    /// How many atomic sections are open, if the graph counts them.
    sections: Option<u32>,
}

impl Destination {
    pub fn new(model: &BooleanProgram, state: &[Value], shared: &[bool]) -> Option<Destination> {
        let [Value::Name(pc), Value::Bits(own), Value::Bits(local)] = state else { return None };
        let (layout, cfg) = (&model.layout, &model.cfg);
        let (flow, loc) = layout.location(*pc);
        let graph = cfg.flow(flow);
        let location = &graph.locations[loc.index()];
        let (program, mut frames) = (&model.program, Vec::new());
        let mut frame = Some(location.frame);
        while let Some(at) = frame {
            let of = &graph.frames[at as usize];
            let procedure = program.procedure(of.procedure);
            // Results are set where the procedure ends, and mean nothing before.
            let ends = frames.is_empty() && location.place == PlaceInText::Exit;
            let count = procedure.locals.len() + if ends { procedure.results.len() } else { 0 };
            let values = (0..count as u32).filter(|index| layout.is_live(flow, loc, of.base + index));
            let values = values.filter_map(|index| {
                let domain = program.domain(of.procedure, Var::Local(index));
                Some((index as usize, layout.value(flow, Var::Local(of.base + index), domain, local)?))
            });
            frames.push((of.procedure, values.collect()));
            frame = of.caller.map(|(parent, _)| parent);
        }
        let flags = program.own.len() as u32..cfg.own.len() as u32;
        let own_value =
            |(at, variable): (u32, &Variable)| layout.value(flow, Var::Own(at), &variable.domain, own);
        let flag = |at: u32| own_value((at, &cfg.own[at as usize])).unwrap_or(0) as u32;
        let sections = (!flags.is_empty()).then(|| flags.map(flag).sum());
        Some(Destination {
            name: cfg.location_name(flow, loc),
            target: location.target,
            place: location.place,
            frames,
            shared: shared_values(model, shared),
            own: (0..).zip(&program.own).filter_map(own_value).collect(),
            sections,
        })
    }

    /// Whether the thread is at the place, whatever its values are.
    pub fn is_place_of(&self, state: &State, thread: usize) -> bool {
        let this = &state.threads[thread];
        match (self.target, self.place) {
            (Some(Target::FailedAssert | Target::OutOfRange | Target::OutOfWidth), _) => {
                matches!(this.status, Status::Failed(_))
            }
            (_, PlaceInText::Before(id)) => {
                this.status == Status::Running && this.frames.last().is_some_and(|top| top.pc == Pc::At(id))
            }
            (_, PlaceInText::Exit) => {
                this.status == Status::Running && this.frames.last().is_some_and(|top| top.pc == Pc::Exit)
            }
            (_, PlaceInText::Between | PlaceInText::Handover) => true,
        }
    }

    /// The state with what the move says filled in, if the thread is there.
    pub fn reach(&self, state: &State, thread: usize) -> Option<State> {
        let this = &state.threads[thread];
        if !self.is_place_of(state, thread) {
            return None;
        }
        let mut out = state.clone();
        if this.status == Status::Running {
            for (depth, (procedure, values)) in self.frames.iter().enumerate() {
                let at = this.frames.len().checked_sub(depth + 1)?;
                // After a call returned, the graph may still stand at its end.
                if this.frames[at].procedure != *procedure {
                    return None;
                }
                // Between two places of the text the graph may not have forgotten or set what the text has.
                let values = if self.place == PlaceInText::Between { &[][..] } else { values };
                for (index, value) in values {
                    let frame = &mut out.threads[thread].frames[at];
                    if *frame.locals.get(*index).get_or_insert(*value) != *value {
                        return None;
                    }
                    frame.locals.set(*index, Some(*value));
                }
            }
            if self.sections.is_some_and(|sections| sections != this.sections) {
                return None;
            }
        }
        let shared = (0..).map(Var::Shared).zip(&self.shared);
        for (var, value) in shared.chain((0..).map(Var::Own).zip(&self.own)) {
            if *out.read(thread, var).get_or_insert(*value) != *value {
                return None;
            }
            out.write(thread, var, Some(*value));
        }
        Some(out)
    }
}
