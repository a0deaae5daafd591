//! `fpsolve test PATH…`: a line for each expectation.

use super::Exit;
use super::arguments::{COMMANDS, Test};
use super::output::{conclude, diagnose, print, reject};
use super::watchdog::Watchdog;
use crate::model::registry;
use crate::run::examine::{Case, CaseResult, examine};
use crate::run::{Settings, files};
use std::sync::atomic::Ordering;

pub fn test(arguments: &Test, watchdog: Option<&Watchdog>) -> Exit {
    let endings = std::iter::once("fp").chain(registry::endings()).collect::<Vec<_>>();
    let names = match files::walk(&arguments.paths, &endings) {
        Ok(names) => names,
        Err(mistake) => return reject(&mistake.into(), false),
    };
    let keyed = arguments.solving.keyed();
    let settings = arguments.solving.settings();
    // Each run has the whole time.
    let limits = || watchdog.map_or_else(|| settings.limits.from_now(), Watchdog::restart);
    let fresh = || Settings { limits: limits(), ..settings.clone() };
    let (mut passed, mut failed, mut unknown) = (0, 0, 0);
    for name in names {
        let file = match files::find(&name, &COMMANDS) {
            Ok(file) => file,
            Err(mistake) => return reject(&mistake.into(), false),
        };
        let examination = examine(&file, &fresh, &keyed);
        for rejection in &examination.rejections {
            diagnose(&rejection.sources, &rejection.diagnostics);
        }
        if examination.cases.is_empty() {
            print(&format!("none {name}  (no expectations)\n"));
        }
        for case in &examination.cases {
            print(&line(&name, case));
            *(match case.result {
                CaseResult::Met => &mut passed,
                CaseResult::Failed(_) => &mut failed,
                CaseResult::Undecided(_) => &mut unknown,
            }) += 1;
        }
        if settings.limits.interrupt.load(Ordering::SeqCst) {
            print("interrupted\n");
            unknown += 1;
            break;
        }
    }
    conclude();
    let open = if unknown > 0 { format!(", {unknown} unknown") } else { String::new() };
    print(&format!("{passed} passed, {failed} failed{open}\n"));
    match (failed, unknown) {
        (0, 0) => Exit::Success,
        (0, _) => Exit::Unknown,
        _ => Exit::Unsafe,
    }
}

fn line(name: &str, case: &Case) -> String {
    match &case.result {
        CaseResult::Met => format!("ok   {name}  {}\n", case.text),
        CaseResult::Failed(why) => format!("FAIL {name}:{}  {}  ({why})\n", case.line, case.text),
        CaseResult::Undecided(why) => format!("?    {name}:{}  {}  ({why})\n", case.line, case.text),
    }
}
