//! The JSON of a run: its shape, and that docs/json.md shows what is printed.

use crate::support::{command_in, exit, run, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Without what depends on the machine or on how CUDD was built.
fn stable(text: &str) -> Value {
    let mut object: Value = serde_json::from_str(text).expect("one JSON object");
    for key in ["time", "bdd"] {
        object.as_object_mut().unwrap().shift_remove(key).expect("the key is there");
    }
    object
}

#[test]
fn a_run_is_one_object() {
    let runs = ["reach.fp", "warnings.fp", "permutations.fp --set n=3 --stats"];
    let shown = runs.map(|arguments| {
        let output = run(&format!("{arguments} --format json"));
        assert!(output.stderr.is_empty());
        format!(
            "$ fpsolve {arguments} --format json\n{:#}\n--- exit {}\n",
            stable(&stdout(&output)),
            exit(&output)
        )
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn values_have_the_form_of_their_sorts() {
    let object = stable(&stdout(&run("games.fp --format json")));
    let games = &object["queries"][0];
    assert_eq!((&games["count"], &games["complete"]), (&"4000000000000".into(), &false.into()));
    assert_eq!(games["tuples"].as_array().unwrap().len(), 20);
    insta::assert_snapshot!(games["tuples"][1].to_string());
}

#[test]
fn the_documented_example_is_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/json.md")).unwrap();
    let block = |kind: &str| {
        let start = page.find(&format!("```{kind}\n")).expect("the block is there") + kind.len() + 4;
        &page[start..start + page[start..].find("```").unwrap()]
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("reach.fp"), block("fp")).unwrap();
    let output = command_in(folder.path(), "reach.fp --set goal=4 --stats --format json").output().unwrap();
    assert_eq!(stable(&stdout(&output)), stable(block("json")));
}
