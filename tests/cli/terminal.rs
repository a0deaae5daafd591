//! What a terminal would obey is shown, not sent: whatever the input has in its names, messages and texts.

use crate::support::{command_in, exit};
use calculus::visible::stand_in;
use std::fs;

/// Escape sequences, a bell, the one-character form of their beginning, and text that reads backwards.
const POISON: [&str; 4] = ["\u{1b}[31m\u{1b}]0;title\u{7}", "\u{9b}2J", "\u{202e}", "\u{2066}\u{8}\u{7f}"];

fn obeyed(text: &str) -> Option<char> {
    text.chars().find(|c| !matches!(c, '\n' | '\t') && stand_in(*c).is_some())
}

#[test]
fn nothing_of_the_input_reaches_the_terminal_raw() {
    for poison in POISON {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
        let (file, program, broken) =
            (format!("a{poison}b.fp"), format!("a{poison}b.bp"), format!("c{poison}d.bp"));
        let name = format!("{{g{poison}}}");
        write(
            &file,
            &format!(
                "//@ verdict: safe{poison}\n//@ {poison}: 1\nquery Yes = true; // {poison}\nverdict unsafe \"so{poison}\" if Yes;\n"
            ),
        );
        write("broken.fp", &format!("query Yes = /* {poison} */ Nothing{poison}(1); // {poison}\n"));
        write("warned.fp", &format!("mu P(x: bool) = x; /* {poison} */\nquery Yes = true; // {poison}\n"));
        write(
            &program,
            &format!(
                "//@ summaries: safe{poison}\ndecl {name}; // {poison}\nvoid main() begin decl {name}l; goto L{poison}; end\n"
            ),
        );
        write(&broken, &format!("decl {name};\nvoid main() begin\n{name} := {name}x; // {poison}\nend\n"));
        write(
            "unsafe.bp",
            &format!(
                "decl {name} := F;\nvoid main() begin\n{name} := T;\nassert(!{name}); // {poison}\nend\n"
            ),
        );
        write(
            "trace.json",
            &format!("{{\"{poison}\": 1}}")
                .replace('\u{1b}', "\\u001b")
                .replace('\u{7}', "\\u0007")
                .replace('\u{8}', "\\u0008"),
        );
        let mut shown = String::new();
        for arguments in [
            file.clone(),
            format!("{file} --stats --profile --explain Yes{poison}"),
            format!("{file} --format json"),
            format!("{file} --format sarif"),
            "broken.fp".into(),
            "broken.fp --format json".into(),
            "check broken.fp warned.fp".into(),
            format!("fmt --check {file}"),
            format!("test {file} {program}"),
            format!("summaries {program}"),
            format!("summaries {broken}"),
            format!("summaries {broken} --format json"),
            "summaries unsafe.bp --trace --stats --report report.html".into(),
            "summaries unsafe.bp --trace json".into(),
            "interleaving unsafe.bp --explain Reach".into(),
            "model unsafe.bp".into(),
            "model unsafe.bp --dot".into(),
            "model unsafe.bp --format json".into(),
            "summaries unsafe.bp --show core".into(),
            "summaries unsafe.bp --dot components".into(),
            "replay unsafe.bp trace.json".into(),
            format!("replay unsafe.bp no{poison}where.json"),
            format!("certify summaries unsafe.bp no{poison}where.json"),
            poison.to_string(),
            format!("summaries unsafe.bp --{poison}"),
            format!("summaries unsafe.bp --target {poison}"),
            format!("batch summaries --programs . --out rows{poison}.csv"),
            "batch summaries --programs .".into(),
        ] {
            let output = command_in(folder.path(), &arguments).output().expect("the command starts");
            assert_ne!(exit(&output), 101, "{arguments:?}");
            for bytes in [&output.stdout, &output.stderr] {
                let text = String::from_utf8(bytes.clone()).expect("text");
                assert_eq!(obeyed(&text), None, "{arguments:?}: {text:?}");
                shown.push_str(&text);
            }
        }
        let stands = poison.chars().find_map(stand_in).expect("there is poison");
        assert!(shown.matches(stands).count() > 20, "it is shown: {shown}");
        let page = fs::read_to_string(folder.path().join("report.html")).expect("a report");
        assert_eq!(obeyed(&page), None);
        assert!(page.contains(stands));
    }
}
