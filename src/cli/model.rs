//! `fpsolve model PROG.bp`: what a program offers to a file, or its control flow as a graph.

use super::Exit;
use super::arguments::{self, OutputFormat};
use super::output::{diagnose, print, reject, width};
use crate::report::{dot, model as report};
use crate::run::{files, sizes};

pub fn model(arguments: &arguments::Model) -> Exit {
    let as_json = arguments.format == OutputFormat::Json;
    let options = arguments.program.options();
    let model = match files::model(&arguments.model, &options) {
        Ok(model) => model,
        Err(rejection) => return reject(&rejection, as_json),
    };
    if arguments.dot {
        diagnose(&model.sources, &model.warnings);
        print(&dot::control_flow(&model.cfg));
        return Exit::Success;
    }
    let about = report::About {
        name: &arguments.model,
        detected: options.reading.dialect.is_none(),
        sizes: sizes::sizes(&model.vocabulary),
        model: &model,
    };
    if as_json {
        print(&report::json(&about));
    } else {
        diagnose(&model.sources, &model.warnings);
        print(&report::text(&about, width()));
    }
    Exit::Success
}
