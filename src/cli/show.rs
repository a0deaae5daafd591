//! `--show STAGE` and `--dot components`: what becomes of a file before it is solved. Nothing is solved.

use super::arguments::{Drawing, Run, ShownStage};
use super::output::{diagnose, print};
use crate::report::{components, stages};
use crate::run::{Request, check};
use calculus::diagnostic::Rejection;
use calculus::span::Sources;
use calculus::syntax;

/// Prints what is asked for. Whether anything was.
pub fn show(arguments: &Run, request: &Request) -> Result<bool, Rejection> {
    if arguments.show.is_none() && arguments.dot.is_none() {
        return Ok(false);
    }
    if arguments.show == Some(ShownStage::Ast) {
        let mut sources = Sources::default();
        let id = sources.add(request.file.name.as_str(), request.file.text.clone());
        let file = syntax::parse(id, &request.file.text);
        let file = file.map_err(|diagnostics| Rejection { sources, diagnostics })?;
        print(&stages::ast(&file, &request.file.text));
        return Ok(true);
    }
    let checked = check(request)?;
    diagnose(&checked.sources, &checked.warnings);
    let (system, core) = (&checked.system, &checked.core);
    let parts = || components::components(system);
    print(&match (arguments.show, arguments.dot) {
        (_, Some(Drawing::Components)) => components::dot(&parts()),
        (Some(ShownStage::Core), _) => stages::core(system, core),
        (Some(ShownStage::Plan), _) => stages::plan(system, core),
        (Some(ShownStage::Order), _) => stages::order(system, core),
        (Some(ShownStage::Components) | Some(ShownStage::Ast) | None, _) => components::text(&parts()),
    });
    Ok(true)
}
