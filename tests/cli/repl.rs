//! The prompt: what is asked there has the answers of a run, what is solved stays solved, and nothing but its end ends it.

use crate::children::{end, interrupt, start};
use crate::support::{command, command_in, exit, fixtures, stdout};
use fpsolve::run::files;
use fpsolve::run::session::Session;
use fpsolve::run::{Outcome, Request, Settings};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

fn asked(folder: &Path, arguments: &str, questions: &str) -> Output {
    let mut child = start({
        let mut command = command_in(folder, &format!("repl {arguments}"));
        command.stdin(Stdio::piped());
        command
    });
    child.stdin.take().unwrap().write_all(questions.as_bytes()).unwrap();
    end(child, questions)
}

/// One question after the other, each with its answer.
fn talk(arguments: &str, questions: &[&str]) -> String {
    let all = |count: usize| asked(&fixtures(), arguments, &(questions[..count].join("\n") + "\n"));
    let mut seen = format!("$ fpsolve repl {arguments}\n");
    let mut before = [0, 0];
    for (at, question) in questions.iter().enumerate() {
        let output = all(at + 1);
        let new = [&output.stdout[before[0]..], &output.stderr[before[1]..]].map(String::from_utf8_lossy);
        seen += &format!("fp> {question}\n{}{}", new[0], new[1]);
        before = [output.stdout.len(), output.stderr.len()];
    }
    seen + &format!("--- exit {}\n", exit(&all(questions.len())))
}

#[test]
fn a_conversation_about_a_file() {
    let questions = [
        "show",
        "Reach(x)",
        "edge(x, y) & Reach(y); // a comment",
        "exists x: Node. Reach(x) & x = goal",
        "set goal = 4",
        "Hit",
        "let Far(x: Node) = !Reach(x) & x != 3;",
        "Far(x)",
        "let Far(x: Node) = Reach(x) & x > 1;",
        "query Both(b: Node, a: Node) = Far(a) & edge(b, a);",
        "run",
        "why Far(2)",
        "why not Reach(4)",
        "show",
        "show Reach",
        "set",
    ];
    insta::assert_snapshot!(talk("reach.fp", &questions));
}

#[test]
fn mistakes_do_not_end_the_prompt() {
    let questions = [
        "Reech(x)",
        "Reach(x) &",
        "Reach(x, y)",
        "Hitt",
        "Reach(x) & Hitt",
        "x = y",
        "Reach(x) & x = true",
        "Reach(x) & (exists x. edge(x, 1))",
        "let Far(x: Node) = !Reech(x);",
        "Far(x)",
        "set goal 9",
        "set gaol 2",
        "set goal",
        "why",
        "why Reech(1)",
        "why not Reach(17)",
        "show Reech",
        "run fast",
        "use \"nowhere.fp\";",
        "Reach(x)",
    ];
    insta::assert_snapshot!(talk("reach.fp", &questions));
}

#[test]
fn what_cannot_be_asked_about_is_refused() {
    let see = |arguments: &str| {
        let output = asked(&fixtures(), arguments, "true\n");
        assert!(output.stdout.is_empty());
        format!("{}--- exit {}\n", String::from_utf8_lossy(&output.stderr), exit(&output))
    };
    insta::assert_snapshot!(["-", "mistakes.fp", "nowhere.fp", "interleaving"].map(see).join("\n"));
}

fn request(path: &Path) -> Request {
    Request::new(files::find(&path.to_string_lossy(), &[]).unwrap())
}

fn session(path: &Path) -> Session {
    Session::new(request(path))
}

/// The names of the relations that were solved for an answer, and of those that were there.
fn work(outcome: &Outcome) -> [Vec<&str>; 2] {
    let relations = &outcome.answer.statistics.relations;
    let defined = || relations.iter().filter(|one| !one.clauses.is_empty() && one.complete);
    let named = |kept: bool| defined().filter(|one| one.kept == kept).map(|one| &*one.title).collect();
    [named(false), named(true)]
}

#[test]
fn what_is_solved_is_not_solved_again() {
    let mut session = session(&fixtures().join("reach.fp"));
    let settings = Settings::default();
    let first = session.ask("Reach(x)", &settings).unwrap();
    assert!(work(&first)[0].contains(&"Reach") && work(&first)[1].is_empty(), "{:?}", work(&first));
    for question in ["Reach(x)", "edge(x, y) & !Reach(y)", "!Reach(x)"] {
        let again = session.ask(question, &settings).unwrap();
        let [solved, kept] = work(&again);
        assert!(kept.contains(&"Reach") && !solved.contains(&"Reach"), "{question}: {:?}", work(&again));
    }
    // `Reach` does not depend on the parameter, `Hit` does.
    session.ask("Hit", &settings).unwrap();
    session.set("goal", 4).unwrap();
    let outcome = session.ask("Hit & exists x. Reach(x)", &settings).unwrap();
    let [solved, kept] = work(&outcome);
    assert!(solved.contains(&"Hit") && kept.contains(&"Reach"), "{:?}", work(&outcome));
    assert_eq!(outcome.queries()[0].word().as_deref(), Some("false"));
    // The run of the file is built on the same.
    let run = session.run(&Settings { early_stop: false, ..settings.clone() }).unwrap();
    assert!(work(&run)[1].contains(&"Reach"), "{:?}", work(&run));
}

/// Also where there is not even room for what is known already.
#[test]
fn a_limit_takes_nothing_away() {
    let mut session = session(&fixtures().join("walk.fp"));
    let settings = Settings::default();
    let before = session.ask("Reach(v, t)", &settings).unwrap();
    for most in [1, 2, 5, 10, 20, 40, 80] {
        let mut limited = settings.clone();
        limited.limits.max_nodes = Some(most);
        let outcome = session.ask("Stands(x) & Ends(v) & v[1] = x", &limited).unwrap();
        assert!(most > 1 || outcome.conclusion().stop().is_some(), "one node is enough");
        let after = session.ask("Reach(v, t)", &settings).unwrap();
        assert_eq!(after.queries()[0].answer, before.queries()[0].answer, "{most}");
        assert!(work(&after)[1].contains(&"Reach"), "{most}: {:?}", work(&after));
    }
}

/// Each query of the examples, asked as a formula, has the tuples of the run; before the run and after it.
#[test]
fn the_answers_are_those_of_a_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/calculus");
    let settings = Settings { early_stop: false, ..Settings::default() };
    let mut compared = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "fp") {
            continue;
        }
        let Ok(expected) = fpsolve::run::run(&request(&path), &settings) else { continue };
        for run_first in [false, true] {
            let mut session = session(&path);
            if run_first {
                session.run(&settings).unwrap();
            }
            for query in expected.queries() {
                let columns = (0..query.columns.len()).map(|at| format!("c{at}")).collect::<Vec<_>>();
                let columns = columns.join(", ");
                let formula =
                    if columns.is_empty() { query.name.into() } else { format!("{}({columns})", query.name) };
                let outcome = session.ask(&formula, &settings).unwrap();
                assert_eq!(
                    outcome.queries()[0].answer,
                    query.answer,
                    "{}: {formula}, run first: {run_first}",
                    path.display()
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn variables_of_the_program_can_be_named_at_the_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let program = "decl lock;\nthread left begin\n  decl mine;\n  mine := *;\n  lock := mine;\n  skip;\nend\n\
                   thread right begin\n  skip;\nend\n";
    fs::write(folder.path().join("prog.bp"), program).unwrap();
    let formula = "Reach[1](q, s) & q[1].mine & s.lock";
    let file = format!("use \"interleaving.fp\";\nquery Q(q: State[1..2], s: Shared) = {formula};\n");
    fs::write(folder.path().join("file.fp"), file).unwrap();
    let run = stdout(&command_in(folder.path(), "file.fp prog.bp").output().unwrap());
    // Before, `mine` is not kept behind its last use.
    let questions = format!("exists q, s. Reach[1](q, s)\n{formula}\n");
    let output = asked(folder.path(), "interleaving prog.bp", &questions);
    assert_eq!(stdout(&output), run.replacen("Q: ", "true\n", 1));
    assert_eq!(exit(&output), 0);
}

#[test]
fn each_question_has_the_limits_for_itself() {
    let arguments = "permutations.fp --reorder off --timeout 700ms";
    let output = asked(&fixtures(), arguments, "Permutation(v)\nset n 3\nPermutation(v)\n");
    let seen = stdout(&output);
    assert!(
        seen.starts_with("unknown (time limit of 0.7 s reached while solving Permutation)\n6 tuples\n"),
        "{seen}"
    );
    assert_eq!(exit(&output), 3);
}

#[test]
fn neither_thinking_nor_an_interruption_ends_the_prompt() {
    let mut command = command("repl permutations.fp --reorder off --timeout 50s");
    command.stdin(Stdio::piped());
    let mut child = start(command);
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |question: &str, pause: u64, interrupted: bool| {
        writeln!(to, "{question}").unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        if interrupted {
            interrupt(&child);
        }
        let mut answer = String::new();
        from.read_line(&mut answer).unwrap();
        answer
    };
    assert_eq!(ask("exists v: Value. v = 2", 0, false), "true\n");
    let answer = ask("Permutation(v)", 1500, true);
    assert!(answer.starts_with("unknown (interrupted"), "{answer}");
    assert_eq!(ask("exists v: Value. v = 99", 0, false), "false\n");
    drop(to);
    assert_eq!(exit(&end(child, "the prompt")), 3);
}

#[test]
fn a_pause_is_no_work() {
    let mut command = command("repl reach.fp --timeout 2s");
    command.stdin(Stdio::piped());
    let mut child = start(command);
    let mut to = child.stdin.take().unwrap();
    writeln!(to, "Hit").unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    writeln!(to, "!Hit").unwrap();
    drop(to);
    let output = end(child, "the prompt");
    assert_eq!((stdout(&output).as_str(), exit(&output)), ("true\nfalse\n", 0));
}
