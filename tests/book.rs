//! What the book shows is what happens.
//!
//! A chapter is played in a folder of its own, which has the project's `examples`. Fenced blocks say what they are:
//!
//! - `fp file=NAME` (any language): a file of this content is written, with `append=NAME` at the end of one that is
//!   there. Files of equations must be in house style, and their expectations must hold, but for those marked `broken`.
//! - `fp from=PATH`: lines of a file of the project, which must have them.
//! - `console`: commands behind `$`, with what they print. A line with nothing but `…` stands for any lines.
//! - `text`: neither.
//!
//! `BOOK=update cargo test --test book` writes what the commands print into the chapters, and equations in house
//! style. It leaves blocks alone that are right; one with `…` that is not gets all lines.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn chapters() -> PathBuf {
    project().join("docs/book/src")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A part of a chapter: its text without the fences, and what stands behind the opening one.
struct Part {
    /// None for prose.
    info: Option<String>,
    text: String,
}

fn parts(chapter: &str) -> Vec<Part> {
    let mut parts = vec![Part { info: None, text: String::new() }];
    for line in chapter.lines() {
        let inside = parts.last().is_some_and(|part| part.info.is_some());
        match line.strip_prefix("```") {
            Some(info) if !inside => parts.push(Part { info: Some(info.to_owned()), text: String::new() }),
            Some(_) => parts.push(Part { info: None, text: String::new() }),
            None => {
                let text = &mut parts.last_mut().expect("a part").text;
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    parts
}

fn chapter(parts: &[Part]) -> String {
    let show = |part: &Part| match &part.info {
        Some(info) => format!("```{info}\n{}```\n", part.text),
        None => part.text.clone(),
    };
    parts.iter().map(show).collect()
}

/// Prints what a shell prints that finds `fpsolve` on its path.
fn run(folder: &Path, command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_fpsolve")).parent().expect("a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    String::from_utf8(output.stdout).expect("text")
}

/// The commands of a block with what is shown below them.
fn commands(block: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => {
                output.push_str(line);
                output.push('\n');
            }
            (None, None) => panic!("no command before: {line}"),
        }
    }
    found
}

/// Whether the lines are those shown, `…` standing for any.
fn fits(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=printed.len()).any(|at| fits(rest, &printed[at..]))
        }
        Some((first, rest)) => printed.first() == Some(first) && fits(rest, &printed[1..]),
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().collect()
}

fn play(name: &str) {
    let path = chapters().join(format!("{name}.md"));
    let text = read(&path);
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(project().join("examples"), folder.path().join("examples")).expect("a link");
    let update = std::env::var("BOOK").is_ok_and(|value| value == "update");
    let mut parts = parts(&text);
    for part in &mut parts {
        let Some(info) = &part.info else { continue };
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or_default().to_owned();
        let attributes = words.map(str::to_owned).collect::<Vec<_>>();
        let attribute =
            |key: &str| attributes.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
        if let Some(file) = attribute("file") {
            let broken = attributes.iter().any(|word| word == "broken");
            part.text = write(folder.path(), file, &part.text, broken, update);
        } else if let Some(file) = attribute("append") {
            let before = read(&folder.path().join(file));
            let whole = write(folder.path(), file, &format!("{before}\n{}", part.text), false, update);
            part.text = whole[before.len() + 1..].to_owned();
        } else if let Some(file) = attribute("from") {
            assert!(
                read(&project().join(file)).contains(&part.text),
                "{name}: not in {file}:\n{}",
                part.text
            );
        } else if language == "console" {
            part.text = console(name, folder.path(), &part.text, update);
        } else {
            assert_eq!(language, "text", "{name}: a block that is not checked:\n{}", part.text);
        }
    }
    if update && chapter(&parts) != text {
        fs::write(path, chapter(&parts)).expect("a chapter");
    }
}

/// Writes a file, and gives its text back as it should be.
fn write(folder: &Path, file: &str, text: &str, broken: bool, update: bool) -> String {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text).expect("a file");
    if file.ends_with(".fp") && !broken {
        if update {
            run(folder, &format!("fpsolve fmt {file}"));
        }
        assert_eq!(
            run(folder, &format!("fpsolve fmt --check {file}")),
            "",
            "{file} is not in house style:\n{text}"
        );
        if text.contains("//@") {
            for strategy in ["semi-naive", "naive"] {
                let seen = run(folder, &format!("fpsolve test --strategy {strategy} {file} && echo passed"));
                assert!(seen.ends_with("passed\n"), "{seen}");
            }
        }
    }
    read(&path)
}

/// Runs the commands of a block, and gives it back as it should be.
fn console(name: &str, folder: &Path, block: &str, update: bool) -> String {
    let mut out = String::new();
    for (command, shown) in commands(block) {
        let printed = run(folder, &command);
        let right = fits(&lines(&shown), &lines(&printed));
        assert!(right || update, "{name}: $ {command}\n--- shown\n{shown}--- printed\n{printed}");
        let kept = if right { &shown } else { &printed };
        out.push_str(&format!("$ {command}\n{}", kept.trim_end()));
        out.push_str(if kept.trim_end().is_empty() { "" } else { "\n" });
        // An empty line between a command's output and the next command is the writer's choice.
        if right && shown.ends_with("\n\n") {
            out.push('\n');
        }
    }
    out
}

macro_rules! play {
    ($($name:ident),* $(,)?) => {
        const PLAYED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { play(stringify!($name)); })*
    };
}

play! {
    introduction, first_bug, checking_c, predicates, first_analysis, language, programs, algorithms, names, cookbook, answers, pushdown, solving,
    front_ends, many_programs, phrasebook, troubleshooting,
}

/// The targets of links, `[text](target)`, outside code.
fn links(text: &str) -> Vec<String> {
    let prose = text.split('`').step_by(2).collect::<String>();
    prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

#[test]
fn the_summary_has_the_chapters_that_are_played() {
    let summary = read(&chapters().join("SUMMARY.md"));
    let listed =
        links(&summary).iter().map(|link| link.trim_end_matches(".md").to_owned()).collect::<Vec<_>>();
    // The reference is another file, whose examples other tests check.
    assert_eq!(listed, [PLAYED, &["reference"]].concat());
    let files = fs::read_dir(chapters()).expect("the chapters");
    let files = files
        .filter(|file| file.as_ref().is_ok_and(|file| file.path().extension().is_some_and(|e| e == "md")));
    assert_eq!(files.count(), PLAYED.len() + 2, "chapters that are not in the summary");
}

#[test]
fn every_bundled_algorithm_is_explained() {
    let text = ["algorithms.md", "names.md"].map(|chapter| read(&chapters().join(chapter))).concat();
    for entry in fs::read_dir(project().join("algorithms")).expect("the algorithms") {
        let name = entry.expect("a file").file_name().into_string().expect("text");
        let Some(name) = name.strip_suffix(".fp") else { continue };
        assert!(
            text.contains(&format!("fpsolve {name} ")),
            "{name} is not run in the chapters about algorithms and names"
        );
    }
}

/// The anchor that code hosts and mdBook make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// A chapter with what it includes.
fn whole(path: &Path) -> String {
    let line = |line: &str| match line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
        Some(included) => read(&path.parent().expect("a folder").join(included)),
        None => format!("{line}\n"),
    };
    read(path).lines().map(line).collect()
}

/// The pages colour equations and programs with the grammars of editors, which `docs/book/grammars.js` repeats.
#[test]
fn the_pages_have_the_grammars_of_editors() {
    let grammar = |name: &str| {
        let path = project().join(format!("editors/vscode/syntaxes/{name}.tmLanguage.json"));
        format!("{name}: {},\n", read(&path).trim_end())
    };
    let expected = format!(
        "// Written by `BOOK=update cargo test --test book`: the grammars of editors/vscode/syntaxes.\n\
         const grammars = {{\n{}{}}};\n",
        grammar("fp"),
        grammar("bp")
    );
    let path = project().join("docs/book/grammars.js");
    if std::env::var("BOOK").is_ok_and(|value| value == "update") {
        fs::write(&path, &expected).expect("the grammars");
    }
    assert_eq!(read(&path), expected);
}

#[test]
fn links_lead_somewhere() {
    for name in PLAYED {
        let text = read(&chapters().join(format!("{name}.md")));
        for part in parts(&text).iter().filter(|part| part.info.is_none()) {
            for link in links(&part.text).iter().filter(|link| !link.starts_with("https://")) {
                let (file, heading) = link.split_once('#').unwrap_or((link, ""));
                let path = if file.is_empty() { format!("{name}.md") } else { file.to_owned() };
                let path = chapters().join(path);
                assert!(path.exists(), "{name}: {link} leads nowhere");
                let headings = || {
                    whole(&path).lines().any(|line| anchor(line.trim_start_matches('#').trim()) == heading)
                };
                assert!(heading.is_empty() || headings(), "{name}: {link} has no such heading");
            }
        }
    }
}
