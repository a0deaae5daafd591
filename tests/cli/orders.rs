//! Orders of BDD variables, written and read.

use crate::support::{command_in, fixtures, stdout, transcript};
use std::fs;
use std::path::Path;

fn run(folder: &Path, arguments: &str) -> String {
    stdout(&command_in(folder, arguments).output().expect("the command starts"))
}

fn folder(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in files {
        fs::copy(fixtures().join(file), folder.path().join(file)).expect("a copy");
    }
    folder
}

/// A family with two indices: names with commas.
const GRID: &str = "
    range Number = 0..6;
    rel next(x, y: Number) = { (0, 1), (1, 2), (2, 4), (4, 3), (3, 6) };
    mu Walk[i in 1..2, j in 1..2](x, y: Number) =
        i = 1 & j = 1 & x = 0 & y = 5
      | i > 1 & Walk[i-1, j](x, y) | j > 1 & Walk[i, j-1](y, x)
      | exists z. Walk[i, j](z, y) & next(z, x);
    query All(x, y: Number) = Walk[2, 2](x, y);
";

#[test]
fn a_saved_order_is_read_and_saved_again() {
    for (name, text) in [("walk.fp", None), ("reach.fp", None), ("grid.fp", Some(GRID))] {
        let folder = folder(if text.is_some() { &[] } else { std::slice::from_ref(&name) });
        if let Some(text) = text {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        let plain = run(folder.path(), &format!("{name} --all --reorder off"));
        let found = run(folder.path(), &format!("{name} --all --reorder always --save-order found.order"));
        let saved = fs::read_to_string(folder.path().join("found.order")).expect("it is written");
        let again = format!("{name} --all --reorder off --order found.order --save-order again.order");
        assert_eq!([&found, &run(folder.path(), &again)], [&plain, &plain], "{name}");
        assert_eq!(fs::read_to_string(folder.path().join("again.order")).expect("it is written"), saved);
        // It is the form of a hint, and of `--show order`.
        let text = fs::read_to_string(folder.path().join(name)).expect("the file");
        fs::write(folder.path().join("hinted.fp"), format!("{text}\n{saved}")).expect("a file");
        assert_eq!(run(folder.path(), "hinted.fp --all --reorder off"), plain, "{saved}");
        let shown = run(folder.path(), &format!("{name} --order found.order --show order"));
        let shown = shown.lines().find(|line| line.starts_with("hint order")).expect("a hint");
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        assert_eq!(words(shown), words(saved.split_once('\n').expect("a comment first").1), "{name}");
    }
}

#[test]
fn orders_that_cannot_be_read_or_written_are_refused() {
    let folder = folder(&["reach.fp"]);
    fs::write(folder.path().join("bad.order"), "Reach.x:7, *, Node:0\n").expect("a file");
    fs::create_dir(folder.path().join("inner")).expect("a folder");
    for (arguments, part) in [
        ("reach.fp --order bad.order", "no such bits"),
        ("reach.fp --order bad.order", "a `*` that stands beside nothing"),
        ("reach.fp --order bad.order", "bits of the sort `Node`"),
        ("reach.fp --order none.order", "cannot read the order in `none.order`"),
        ("reach.fp --save-order inner", "this is a folder"),
        ("reach.fp --save-order none/a.order", "there is no folder `none`"),
        ("reach.fp --save-order reach.fp", "would be overwritten by an order"),
        ("reach.fp --certificate a --save-order a", "would be a certificate and an order"),
    ] {
        let output = command_in(folder.path(), arguments).output().expect("the command starts");
        let told = transcript(arguments, &output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{told}");
    }
}
