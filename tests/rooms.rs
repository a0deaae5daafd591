//! The arrows between the rooms of the program: each file uses only the rooms that docs/architecture.md allows.
//!
//! The table of that page is read here, so that the page and the check cannot differ. What counts is every path that a
//! file mentions, in `use` lines and elsewhere.

#[path = "rooms/paths.rs"]
mod paths;

use paths::{Mention, mentions};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Each room with those that it may use. A room is a folder, or a file without its ending: `src/run`, `calculus/src/bdd`.
type Rooms = BTreeMap<String, Vec<String>>;

/// The folder with the files of each crate.
const CRATES: [(&str, &str); 2] = [("fpsolve", "src"), ("calculus", "calculus/src")];

/// The table under the heading "Arrows". `calculus/src/*` means all rooms in that folder; what the row `*` may use,
/// everybody may, except these rooms themselves.
fn table(page: &str) -> Rooms {
    let (_, arrows) = page.split_once("\n## Arrows\n").expect("the page has a heading `## Arrows`");
    let rows = arrows.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.trim_matches('|').split('|').map(quoted).collect::<Vec<_>>());
    let mut rooms = cells.map(|cells| (cells[0][0].clone(), cells[1].clone())).collect::<Rooms>();
    let everywhere = rooms.remove("*").unwrap_or_default();
    rooms
        .iter_mut()
        .filter(|(room, _)| !everywhere.contains(room))
        .for_each(|(_, uses)| uses.extend(everywhere.clone()));
    let names = rooms.keys().cloned().collect::<Vec<_>>();
    for (room, uses) in &mut rooms {
        let one = |used: &String| match used.strip_suffix('*') {
            Some(folder) => {
                names.iter().filter(|name| name.starts_with(folder) && *name != room).cloned().collect()
            }
            None => vec![used.clone()],
        };
        *uses = uses.iter().flat_map(one).collect();
    }
    rooms
}

/// The words between backquotes.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(String::from).collect()
}

/// The smallest room that something is in, of which the path is given with slashes.
fn room<'a>(rooms: &'a Rooms, path: &str) -> Option<&'a str> {
    let inside =
        |room: &str| path.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    rooms.keys().map(String::as_str).filter(|room| inside(room)).max_by_key(|room| room.len())
}

/// The arrows that the table does not allow, in the text of a file.
fn forbidden(rooms: &Rooms, file: &str, text: &str) -> Vec<String> {
    let (name, folder) =
        CRATES.into_iter().find(|(_, folder)| file.starts_with(folder)).expect("a crate has it");
    let stem = file.strip_suffix(".rs").expect("a Rust file");
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    let modules = stem[folder.len()..].split('/').filter(|part| !matches!(*part, "" | "lib" | "main"));
    let module = std::iter::once(name).chain(modules).collect::<Vec<_>>();
    let Some(from) = room(rooms, stem) else { return vec![format!("{file}: it is in no room of the table")] };
    let names = CRATES.map(|(name, _)| name);
    let mut out = Vec::new();
    for Mention { line, path } in mentions(text, &module, &names) {
        let (_, folder) = CRATES.into_iter().find(|(name, _)| *name == path[0]).expect("a crate");
        let path = [&[folder.to_string()], &path[1..]].concat().join("/");
        let allowed = |to: &str| to == from || rooms[from].iter().any(|used| used == to);
        if let Some(to) = room(rooms, &path)
            && !allowed(to)
        {
            out.push(format!("{file}:{line}: `{from}` must not use `{to}` ({path})"));
        }
    }
    out
}

/// A way from a room along the arrows back to it.
fn cycle(rooms: &Rooms) -> Option<Vec<&str>> {
    fn follow<'a>(rooms: &'a Rooms, way: &mut Vec<&'a str>, done: &mut Vec<&'a str>) -> bool {
        let last = way[way.len() - 1];
        for next in &rooms[last] {
            let known = way.iter().position(|room| room == next);
            way.push(next);
            if let Some(begin) = known {
                way.drain(..begin);
                return true;
            }
            if !done.contains(&next.as_str()) && follow(rooms, way, done) {
                return true;
            }
            way.pop();
        }
        done.push(last);
        false
    }
    let mut done = Vec::new();
    rooms.keys().find_map(|room| {
        let mut way = vec![room.as_str()];
        follow(rooms, &mut way, &mut done).then_some(way)
    })
}

fn rust_files(folder: &Path, out: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            out.push(path.to_string_lossy().into_owned());
        }
    }
}

const PAGE: &str = include_str!("../docs/architecture.md");

#[test]
fn every_file_uses_only_the_rooms_it_may() {
    let rooms = table(PAGE);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    CRATES.iter().for_each(|(_, folder)| rust_files(&root.join(folder), &mut files));
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("a text");
        let name = Path::new(file).strip_prefix(root).expect("inside").to_string_lossy().replace('\\', "/");
        wrong.extend(forbidden(&rooms, &name, &text));
    }
    assert!(
        wrong.is_empty(),
        "{} arrows that docs/architecture.md does not allow:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_rooms_of_the_table_are_there_and_have_no_cycle() {
    let rooms = table(PAGE);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for room in rooms.keys() {
        let file = root.join(format!("{room}.rs"));
        assert!(root.join(room).is_dir() || file.is_file(), "there is no room `{room}`");
    }
    for (room, uses) in &rooms {
        for used in uses {
            assert!(rooms.contains_key(used), "`{room}` may use `{used}`, which is no room of the table");
        }
    }
    if let Some(cycle) = cycle(&rooms) {
        panic!("a cycle of rooms: {}", cycle.join(" -> "));
    }
}

/// Three rooms, for the tests of the check itself.
fn sample() -> Rooms {
    table(
        "x\n## Arrows\n\n| room | may use |\n|---|---|\n| `src/a` | `src/b`, `calculus/src/x` |\n| `src/b` | |\n| `calculus/src/x` | |\n",
    )
}

#[test]
fn a_forbidden_arrow_is_named_with_its_line() {
    let text = "//! use crate::a::No;\nuse crate::a::{\n    Thing,\n};\nconst S: &str = \"crate::a::No\";\nfn f() { super::a::g(calculus::x::h()) }\n";
    assert_eq!(
        forbidden(&sample(), "src/b.rs", text),
        [
            "src/b.rs:2: `src/b` must not use `src/a` (src/a/Thing)",
            "src/b.rs:6: `src/b` must not use `src/a` (src/a/g)",
            "src/b.rs:6: `src/b` must not use `calculus/src/x` (calculus/src/x/h)",
        ]
    );
    assert!(forbidden(&sample(), "src/a/deep/mod.rs", "use crate::{b::{self, c::D as E}, a};").is_empty());
}

#[test]
fn branches_nested_modules_and_children_are_followed() {
    let text = "mod child;\nuse crate::{b::{c, d::E as F}, g};\nmod tests {\n    use super::h;\n}\nuse super::i;\nuse child::J;\n";
    let found = mentions(text, &["fpsolve", "a"], &["fpsolve"]);
    let found = found.into_iter().map(|mention| format!("{} {}", mention.line, mention.path.join("::")));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            "2 fpsolve::b::c",
            "2 fpsolve::b::d::E",
            "2 fpsolve::g",
            "4 fpsolve::a::h",
            "6 fpsolve::i",
            "7 fpsolve::a::child::J",
        ]
    );
}

#[test]
fn a_cycle_is_found() {
    let mut rooms = sample();
    assert_eq!(cycle(&rooms), None);
    rooms.insert("src/b".into(), vec!["src/a".into()]);
    assert_eq!(cycle(&rooms), Some(vec!["src/a", "src/b", "src/a"]));
}
