//! From control-flow graphs to the vocabulary `program`.
//!
//! The encoder knows neither the algorithms nor decision diagrams: it delivers rows of bits (see
//! `calculus::vocabulary`).

mod accesses;
mod affinity;
mod bits;
mod counts;
mod fields;
mod layout;
mod passive;
mod places;
mod predicates;
mod rows;
mod runs;
mod show;
mod slots;
mod values;
mod variables;
mod waiting;
mod weave;
mod word;

use crate::model::program::cfg::{Cfg, Flow, Loc, Role};
use crate::model::program::{Outside, Program};
use crate::model::schema::{
    Contents, EXIT, FORGETS, MENTIONED, OUTLINE, ProgramFacts, ProgramTexts, READS, SHARED_VAR, SYNCHRONISES,
    TARGET, UNINITIALISED, WRITES,
};
use calculus::diagnostic::Diagnostic;
use calculus::vocabulary::{BitExpr, Row, Vocabulary};
pub use counts::{MAX_BITS, check_globals};
pub use fields::of_any_program;
pub use layout::Layout;
use rows::Rows;
use std::collections::BTreeSet;
use std::rc::Rc;
use variables::Variables;
use waiting::Waiting;

/// The vocabulary of a program, unless it has too many variables. Without `simplify` every local has a bit and keeps its value when it is dead.
pub fn encode(
    program: &Program,
    cfg: &Rc<Cfg>,
    simplify: bool,
    outlines: bool,
    named: &BTreeSet<String>,
) -> Result<(Vocabulary, Rc<Layout>), Diagnostic> {
    let layout = Rc::new(Layout::new(program, cfg, simplify, named)?);
    let rows = Rows { cfg, layout: &layout };
    let edges = rows.edges();
    let open = BitExpr::Const(true);
    let positions = positions(cfg);
    let reach = positions.iter().map(|roles| roles.iter().flat_map(|role| rows.reach(role)).collect());
    let is_target = |flow: &Flow, loc: Loc| flow.locations[loc.index()].target.is_some();
    let variables = Variables::new(program);
    let accesses = accesses::accesses(program, cfg, &layout, &variables);
    let labels = places::labels(program);
    let predicates = rows.predicates(program);
    let waiting = Waiting { program, rows: &rows };
    let contents = Contents {
        locations: u64::from(layout.locations),
        lines: cfg.code.last().copied().unwrap_or(0).into(),
        own_bits: layout.own_bits,
        local_bits: layout.local_bits,
        shared_bits: layout.shared_bits,
        facts: ProgramFacts {
            predicates: predicates.single.len(),
            predicates2: predicates.pairs.len(),
            cuts: matches!(program.outside, Outside::Width { .. }),
            ..cfg.facts()
        },
        initial: vec![rows.initial()],
        start: positions.iter().map(|roles| roles.iter().map(|role| rows.start(role)).collect()).collect(),
        step: edges.step,
        spawn: edges.spawn,
        broadcast: edges.broadcast,
        passive: edges.passive,
        move_all: Vec::new(),
        call: edges.call,
        ret: edges.ret,
        exit: rows.locations(EXIT.state("q"), |flow, loc| flow.exit == loc, &open),
        yields: rows.yields(),
        pauses: rows.pauses(),
        target: rows.locations(TARGET.state("q"), is_target, &open),
        cover: Vec::new(),
        cover_shared: Vec::new(),
        approximations: cfg.approximations.clone(),
        woven: weave::weaves(program, cfg, &layout),
        predicates: predicates.single,
        predicates_of_two: predicates.pairs,
        outline: if outlines { rows.forgetting(program, &OUTLINE) } else { Vec::new() },
        mentioned: if outlines { rows.forgetting(program, &MENTIONED) } else { Vec::new() },
        loop_heads: rows.loop_heads(),
        reach_cfg: reach.map(|rows: Vec<Row>| distinct(rows).into()).collect(),
        line: rows.lines(),
        assertion: rows.assertions(),
        code: rows.code(),
        target_class: rows.target_classes(),
        label: rows.labels(&labels),
        in_procedure: rows.in_procedures(),
        reads: places::pairs(&READS, &accesses.reads),
        writes: places::pairs(&WRITES, &accesses.writes),
        forgets: places::pairs(&FORGETS, &accesses.forgets),
        shared: places::variables(&SHARED_VAR, variables.shared(program)),
        uninitialised: places::variables(&UNINITIALISED, variables.uninitialised(program)),
        waits: waiting.waits(),
        rests: waiting.rests(),
        synchronises: places::variables(&SYNCHRONISES, waiting.variables()),
        texts: ProgramTexts { variables: variables.texts, labels, procedures: places::procedures(program) },
    };
    let fields = fields::Fields::new(program);
    let names = show::Names::new(program, Rc::clone(cfg), Rc::clone(&layout), fields.names());
    let mut vocabulary = contents.vocabulary(Rc::new(names));
    fields.offer(program, cfg, &layout, named, &mut vocabulary);
    Ok((vocabulary, layout))
}

/// The roles at each position: 0 is `init`, then the singles, then all replicated templates together.
fn positions(cfg: &Cfg) -> Vec<Vec<Role>> {
    let init = cfg.init.map(|flow| {
        let place = cfg.flow(flow);
        Role { name: place.name.clone(), flow, start: place.entry, asleep: false, span: Default::default() }
    });
    let mut out = vec![init.into_iter().collect::<Vec<_>>()];
    out.extend(cfg.singles.iter().map(|role| vec![role.clone()]));
    if !cfg.replicated.is_empty() {
        out.push(cfg.replicated.clone());
    }
    out
}

/// Rows that only say a location, each once.
fn distinct(rows: Vec<Row>) -> Vec<Row> {
    let mut seen = std::collections::BTreeSet::new();
    rows.into_iter().filter(|row| seen.insert(row.fixed.clone())).collect()
}
