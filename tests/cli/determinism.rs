//! Two runs print the same bytes. Only times differ, and they stand under one key.

use crate::support::{run, stdout};
use serde_json::Value;

const RUNS: [&str; 7] = [
    "reach.fp",
    "reach.fp --no-early-stop --stats",
    "reach.fp --strategy naive --keyed Node --set goal=4",
    "games.fp",
    "uses_bundled.fp --facts facts --stats",
    "permutations.fp --set n=5 --reorder always --stats",
    "permutations.fp --set n=8 --all",
];

/// The object of a run, without the times.
fn timeless(arguments: &str) -> String {
    let mut object: Value =
        serde_json::from_str(&stdout(&run(&format!("{arguments} --format json")))).unwrap();
    object.as_object_mut().unwrap().shift_remove("time").expect("a key for the times");
    let text = format!("{object:#}");
    assert!(!text.contains("seconds"), "{text}");
    text
}

#[test]
fn two_runs_give_the_same_json() {
    for arguments in RUNS {
        assert_eq!(timeless(arguments), timeless(arguments), "{arguments}");
    }
}

#[test]
fn two_runs_give_the_same_text() {
    for arguments in RUNS {
        let arguments = arguments.replace("--stats", "");
        assert_eq!(run(&arguments), run(&arguments), "{arguments}");
    }
}

#[test]
fn settings_of_the_solver_change_no_answer() {
    let answers = |settings: &str| {
        let arguments = format!("reach.fp --set goal=4 {settings} --format json");
        let object: Value = serde_json::from_str(&stdout(&run(&arguments))).unwrap();
        (object["verdict"].clone(), object["queries"].clone())
    };
    let plain = answers("");
    for settings in [
        "--strategy naive",
        "--no-early-stop",
        "--reorder always",
        "--reorder off",
        "--keyed Node",
        "--symbolic Node",
        "--order reach.order",
        "--strategy naive --keyed Node --reorder always",
    ] {
        assert_eq!(answers(settings), plain, "{settings}");
    }
}
