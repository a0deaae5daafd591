//! `fpsolve model PROG.bp`: what a program offers to a file, or its control flow as a graph.

use super::Exit;
use super::arguments::{self, OutputFormat};
use super::output::{conclude, diagnose, print, reject, width};
use crate::report::{model as report, stopped};
use crate::run::{files, sizes};
use calculus::bdd::Stop;

pub fn model(arguments: &arguments::ModelArguments) -> Exit {
    let as_json = arguments.format == OutputFormat::Json;
    let options = arguments.program.options_for(&arguments.model);
    let model = match files::model(&arguments.model, &options) {
        Ok(model) => model,
        Err(rejection) => return reject(&rejection, as_json),
    };
    if arguments.dot {
        diagnose(model.sources(), model.warnings());
        let text = model.drawing();
        conclude();
        print(&text);
        return Exit::Success;
    }
    let sizes = match sizes::sizes(model.vocabulary(), arguments.limits.limits()) {
        Ok(sizes) => sizes,
        Err(stop) => {
            conclude();
            print(&given_up(arguments, &stop));
            return Exit::Unknown;
        }
    };
    let about =
        report::About { name: &arguments.model, sizes, description: model.description(), model: &*model };
    let text = if as_json { report::json(&about) } else { report::text(&about, width()) };
    conclude();
    if !as_json {
        diagnose(model.sources(), model.warnings());
    }
    print(&text);
    Exit::Success
}

/// What is said when a limit is reached.
pub fn given_up(arguments: &arguments::ModelArguments, stop: &Stop) -> String {
    match arguments.format {
        OutputFormat::Json => stopped::model(&arguments.model, stop),
        OutputFormat::Text => stopped::text("the model is not read to the end", stop),
    }
}
