//! Where in the text a location is: the relations that let an analysis speak of lines.

use super::rows::Rows;
use crate::model::program::cfg::{Loc, Location, PlaceInText};
use crate::model::schema::{ASSERTION, CODE, LINE_OF};
use calculus::sort::Value;
use calculus::vocabulary::{BitExpr, Row};

impl Rows<'_> {
    /// `line(pc, n)`
    pub fn lines(&self) -> Vec<Row> {
        let before = self.places().filter(|(_, location)| matches!(location.place, PlaceInText::Before(_)));
        let line = |(pc, location): (u64, &Location)| {
            let line = self.cfg.line(location.span) as u64;
            values(vec![(LINE_OF.pc("pc"), pc), (LINE_OF.line("n"), line)])
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
        self.cfg.code.iter().map(|line| values(vec![(CODE.line("n"), u64::from(*line))])).collect()
    }

    /// All locations of executed flows, with their numbers.
    fn places(&self) -> impl Iterator<Item = (u64, &Location)> {
        self.layout.needed.iter().flat_map(|id| {
            let locations = (0..).map(Loc).zip(&self.cfg.flow(*id).locations);
            locations.map(|(loc, location)| (self.layout.pc(*id, loc), location))
        })
    }
}

/// A row of plain values.
fn values(leaves: Vec<(u16, u64)>) -> Row {
    let fixed = leaves.into_iter().map(|(leaf, value)| (leaf, Value::Name(value))).collect();
    Row { fixed, core: BitExpr::Const(true), equal: Vec::new() }
}
