//! Translated programs: their verdicts are those of the C programs, and with words that are too small none is called safe.

use crate::chance::Random;
use crate::{answer, effort, fpsolve, generator};
use std::path::Path;

fn verdict(arguments: &[&str]) -> (String, serde_json::Value) {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    let answer = answer(&all);
    (answer["verdict"].as_str().unwrap_or_else(|| panic!("{answer}")).to_string(), answer)
}

/// The verdict of the C program and of its translation.
fn both(folder: &Path, program: &Path, algorithm: &[&str], width: &str) -> (String, String) {
    let written = folder.join("translated.bp");
    let (program, written) = (program.to_str().unwrap(), written.to_str().unwrap());
    let said = fpsolve(&["translate", program, "--width", width, "-o", written]);
    assert!(said.status.success(), "{program}: {}", String::from_utf8_lossy(&said.stderr));
    let (algorithm, settings) = algorithm.split_first().unwrap();
    let mut of_c = vec![*algorithm, program, "--width", width];
    let mut of_bp = vec![*algorithm, written];
    of_c.extend(settings);
    of_bp.extend(settings);
    (verdict(&of_c).0, verdict(&of_bp).0)
}

#[test]
fn a_translation_has_the_verdict_of_its_program() {
    let folder = tempfile::tempdir().unwrap();
    for (name, algorithm, width) in [
        ("lock", &["views", "--deepen", "k=1.."][..], "4"),
        ("lock_repaired", &["views", "--deepen", "k=1.."], "4"),
        ("account", &["interleaving"], "4"),
        ("buffer", &["interleaving"], "3"),
    ] {
        let program = Path::new("examples/c").join(format!("{name}.c"));
        let (of_c, of_bp) = both(folder.path(), &program, algorithm, width);
        assert!(matches!(of_c.as_str(), "safe" | "unsafe"), "{name}: {of_c}");
        assert_eq!(of_c, of_bp, "{name}");
    }
}

#[test]
fn random_translations_have_the_verdicts_of_their_programs() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(0x7ee1_5ee7_1234_0001);
    let mut seen = [0, 0, 0];
    for number in 0..effort::cases(16) {
        let program = generator::concurrent(&mut random);
        let check = format!("assert(x != {} || y < {})", random.below(4), random.below(4));
        let path = folder.path().join(format!("p{number}.c"));
        let text = format!("#define STEP\n#define CHECK {check}\n{program}");
        std::fs::write(&path, &text).unwrap();
        let width = if number % 2 == 0 { "2" } else { "3" };
        let (of_c, of_bp) = both(folder.path(), &path, &["interleaving", "--max-nodes", "1000000"], width);
        // The translation has all values of all variables, and some have too many states.
        if of_c == "unknown" || of_bp == "unknown" {
            continue;
        }
        let expected = match of_c.as_str() {
            // A value out of range is an error there.
            "bounded" => "unsafe",
            same => same,
        };
        assert_eq!(of_bp, expected, "{of_c} with {width} bits\n{text}");
        seen[["safe", "unsafe", "bounded"].iter().position(|known| *known == of_c).unwrap()] += 1;
    }
    println!("{seen:?} of {}", effort::cases(16));
    assert!(effort::enough(seen.iter().sum(), 6) && effort::enough(seen[0], 0), "{seen:?}");
}

#[test]
fn what_a_boolean_program_cannot_say_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    for (text, width, why) in [
        ("void assert(int);\nint main(void) { int x; assert(x < 100); return 0; }\n", "4", "x"),
        ("int x;\nvoid assert(int);\nint main(void) { assert(x < 100); return 0; }\n", "17", "65536 values"),
    ] {
        std::fs::write(&path, text).unwrap();
        let said = fpsolve(&["translate", path.to_str().unwrap(), "--width", width]);
        let told = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(
            said.status.code() == Some(2) && told.contains("c::translate") && told.contains(why),
            "{told}"
        );
    }
    let said = fpsolve(&["translate", "examples/concurrent/peterson.bp"]);
    let told = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.status.code() == Some(2) && told.contains("only C programs are translated"), "{told}");
}

/// Every word of the grammar that C allows as a name is one here, and so are names with a meaning in Boolean programs.
#[test]
fn names_that_are_words_of_boolean_programs_are_translated() {
    let grammar = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/model/program/grammar.pest");
    let grammar = std::fs::read_to_string(grammar).unwrap();
    let words = grammar.lines().filter(|line| line.starts_with("kw_"));
    let words = words.filter_map(|line| line.split('"').nth(1));
    let of_c = ["if", "else", "while", "do", "goto", "return", "assert", "void", "bool"];
    let words = words.filter(|word| !of_c.contains(word)).chain(["T", "F", "_", "mod_"]).collect::<Vec<_>>();
    assert!(words.len() > 25 && words.contains(&"schoose") && words.contains(&"init"), "{words:?}");
    let all = words.join(", ");
    let none = words[1..].iter().map(|word| format!(" && !{word}")).collect::<String>();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.c");
    for (first, expected) in [("", "safe"), ("!", "unsafe")] {
        let text = format!(
            "void assert(int);\n_Bool {all};\nint main(void) {{ {0} = 1; assert({first}{0}{none}); return 0; }}\n",
            words[0]
        );
        std::fs::write(&path, text).unwrap();
        let (of_c, of_bp) = both(folder.path(), &path, &["interleaving"], "4");
        assert_eq!((of_c.as_str(), of_bp.as_str()), (expected, expected));
    }
}
