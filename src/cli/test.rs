//! `fpsolve test PATH…`: a line for each expectation.

use super::Exit;
use super::arguments::{COMMANDS, Test};
use super::output::{diagnose, print, reject};
use crate::run::examine::{Case, examine};
use crate::run::files;
use std::sync::atomic::Ordering;

pub fn test(arguments: &Test) -> Exit {
    let names = match files::walk(&arguments.paths, &["fp", "bp", "nbp"]) {
        Ok(names) => names,
        Err(mistake) => return reject(&mistake.into(), false),
    };
    let (solving, keyed) = (arguments.solving.settings(), arguments.solving.keyed());
    let (mut passed, mut failed) = (0, 0);
    for name in names {
        let file = match files::find(&name, &COMMANDS) {
            Ok(file) => file,
            Err(mistake) => return reject(&mistake.into(), false),
        };
        let examination = examine(&file, &solving, &keyed);
        for rejection in &examination.rejections {
            diagnose(&rejection.sources, &rejection.diagnostics);
        }
        if examination.cases.is_empty() {
            print(&format!("none {name}  (no expectations)\n"));
        }
        for case in &examination.cases {
            print(&line(&name, case));
            *(if case.failure.is_none() { &mut passed } else { &mut failed }) += 1;
        }
        if solving.interrupt.load(Ordering::SeqCst) {
            print("interrupted\n");
            failed += 1;
            break;
        }
    }
    print(&format!("{passed} passed, {failed} failed\n"));
    if failed == 0 { Exit::Success } else { Exit::Unsafe }
}

fn line(name: &str, case: &Case) -> String {
    match &case.failure {
        None => format!("ok   {name}  {}\n", case.text),
        Some(why) => format!("FAIL {name}:{}  {}  ({why})\n", case.line, case.text),
    }
}
