//! Where in the text a location is: the relations that let an analysis speak of lines.

use super::accesses::Pairs;
use super::rows::Rows;
use crate::model::program::cfg::{Loc, Location, PlaceInText, Target};
use crate::model::program::resolve::program::{Procedure, ProcedureId, Program};
use crate::model::schema::{
    ASSERTION, CLASSES, CODE, ColumnKind, IN_PROCEDURE, LABEL_OF, LINE_OF, RelationSchema, TARGET_CLASS,
};
use calculus::sort::Value;
use calculus::vocabulary::{BitExpr, Row};
use std::collections::{BTreeMap, BTreeSet};

impl Rows<'_> {
    /// `line(pc, n)`
    pub fn lines(&self) -> Vec<Row> {
        let before = self.places().filter(|(_, location)| matches!(location.place, PlaceInText::Before(_)));
        let line = |(pc, location): (u64, &Location)| {
            let line = self.cfg.line(location.span) as u64;
            values(vec![(LINE_OF.pc("pc"), pc), (LINE_OF.value("n", ColumnKind::Line), line)])
        };
        before.map(line).collect()
    }

    /// `assertion(pc)`
    pub fn assertions(&self) -> Vec<Row> {
        let asserts = self.places().filter(|(_, location)| location.asserts);
        asserts.map(|(pc, _)| values(vec![(ASSERTION.pc("pc"), pc)])).collect()
    }

    /// `code(n)`
    pub fn code(&self) -> Vec<Row> {
        self.cfg
            .code
            .iter()
            .map(|line| values(vec![(CODE.value("n", ColumnKind::Line), u64::from(*line))]))
            .collect()
    }

    /// `target_class(q, c)`
    pub fn target_classes(&self) -> Vec<Row> {
        let classed = self.places().filter_map(|(pc, location)| Some((pc, class(location.target?))));
        let (state, class) = (TARGET_CLASS.state("q"), TARGET_CLASS.value("c", ColumnKind::Class));
        classed.map(|(pc, of)| values(vec![(state.pc, pc), (class, of)])).collect()
    }

    /// `label(pc, l)`
    pub fn labels(&self, texts: &[String]) -> Vec<Row> {
        let numbers = texts.iter().map(String::as_str).zip(0..).collect::<BTreeMap<_, u64>>();
        let labelled =
            self.places().flat_map(|(pc, location)| location.labels.iter().map(move |label| (pc, label)));
        let row = |(pc, label): (u64, &String)| {
            let number = numbers[label.as_str()];
            values(vec![(LABEL_OF.pc("pc"), pc), (LABEL_OF.value("l", ColumnKind::Label), number)])
        };
        labelled.map(row).collect()
    }

    /// `in_procedure(pc, p)`
    pub fn in_procedures(&self) -> Vec<Row> {
        let mut out = Vec::new();
        for id in &self.layout.needed {
            let flow = self.cfg.flow(*id);
            for (loc, location) in (0..).map(Loc).zip(&flow.locations) {
                let procedure = flow.frames[location.frame as usize].procedure;
                let of = IN_PROCEDURE.value("p", ColumnKind::Procedure);
                let pc = self.layout.pc(*id, loc);
                out.push(values(vec![(IN_PROCEDURE.pc("pc"), pc), (of, u64::from(procedure.0))]));
            }
        }
        out
    }

    /// All locations of executed flows, with their numbers.
    fn places(&self) -> impl Iterator<Item = (u64, &Location)> {
        self.numbered().map(|(id, loc, pc)| (pc, &self.cfg.flow(id).locations[loc.index()]))
    }

    /// The same, by the flow and the place in it.
    pub fn numbered(&self) -> impl Iterator<Item = (ProcedureId, Loc, u64)> + '_ {
        self.layout.needed.iter().flat_map(|id| {
            let count = self.cfg.flow(*id).locations.len() as u32;
            (0..count).map(Loc).map(|loc| (*id, loc, self.layout.pc(*id, loc)))
        })
    }
}

fn class(target: Target) -> u64 {
    let name = match target {
        Target::FailedAssert => "assert",
        Target::OutOfRange => "range",
        Target::OutOfWidth => "width",
        Target::Label => "label",
    };
    CLASSES.iter().position(|class| *class == name).expect("all classes are listed") as u64
}

/// The labels of a program's text, each once.
pub fn labels(program: &Program) -> Vec<String> {
    let statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    let mut seen = BTreeSet::new();
    statements.flat_map(|statement| &statement.labels).filter(|label| seen.insert(*label)).cloned().collect()
}

/// The procedures of a program's text, in the order of their numbers.
pub fn procedures(program: &Program) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let name = |procedure: &Procedure| {
        let line = program.source.line(procedure.name_span);
        let name = &procedure.qualified;
        if seen.insert(name.clone()) { name.clone() } else { format!("{name} (line {line})") }
    };
    program.procedures.iter().map(name).collect()
}

/// `reads(pc, v)` and the like.
pub fn pairs(relation: &RelationSchema, pairs: &Pairs) -> Vec<Row> {
    let (at, of) = (relation.pc("pc"), relation.value("v", ColumnKind::Var));
    pairs.iter().map(|(pc, variable)| values(vec![(at, *pc), (of, *variable)])).collect()
}

/// A row for each of these variables.
pub fn variables(relation: &RelationSchema, variables: impl Iterator<Item = u64>) -> Vec<Row> {
    let of = relation.value("v", ColumnKind::Var);
    variables.map(|variable| values(vec![(of, variable)])).collect()
}

/// A row of plain values.
pub fn values(leaves: Vec<(u16, u64)>) -> Row {
    let fixed = leaves.into_iter().map(|(leaf, value)| (leaf, Value::Name(value))).collect();
    Row { fixed, core: BitExpr::Const(true), equal: Vec::new() }
}
